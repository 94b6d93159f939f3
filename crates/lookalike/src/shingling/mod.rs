//! Text -> shingles.
//!
//! A *k-shingle* is a sequence of k consecutive tokens of a document. The tokens are characters, words, or
//! anything the caller supplies. A document is represented by the set (or the bag) of its shingles. Documents that
//! share text share shingles, even if paragraphs were moved. Changing one word changes only the k shingles around it.
//!
//! ```
//! use lookalike::shingling::Shingler;
//!
//! let pairs = Shingler::characters(2)?;
//! assert_eq!(pairs.shingles("abcab"), ["ab", "bc", "ca", "ab"]);
//! assert_eq!(pairs.set("abcab").len(), 3);
//! assert_eq!(pairs.bag("abcab").total(), 4);
//! # Ok::<(), lookalike::Error>(())
//! ```
//!
//! **Hashing.** A shingle is stored as a 64-bit hash. Its tokens are hashed to 64 bits, multiplied by one number for
//! each position and added up (see [`Key`]). Two different shingles collide with a probability of about 2^-63, so
//! about n²/2^64 pairs among n different shingles collide. For a billion shingles, the chance of one collision is 1
//! in 18. Shorter hashes can be chosen, for the lecture notes' examples of 4 bytes or 10 bits.
//!
//! The hashes depend on a [`Key`]. The default is a fixed key that is the same for everybody, so that hashes can be
//! stored and compared between machines. But an attacker who knows the key can write texts whose shingles collide.
//! With a random and secret key ([`Shingler::with_key`]), any two shingles collide with probability below 2^-46.
//!
//! **Which k?** It should be so large that a given shingle is unlikely to be in a given document: see [`suggest_k`].
//! Usual choices are five words, or 5 characters for mails and 9 or 10 characters for long documents.
//!
//! **Edge cases.** A document without any token has no shingle. A document with fewer than k tokens has one shingle,
//! of all its tokens. With [`Unit::StopWordLed`], so has a document in which no shingle begins with a stop word.
//!
//! **Cost.** One pass, without an allocation per shingle. A CPU with AVX-512 handles about a gigabyte of ASCII prose
//! per second. Working memory is in a [`ShingleBuffer`], which the caller can reuse.
//!
//! Shingles were introduced by Broder, *On the resemblance and containment of documents* (1997).

mod distribution;
mod located;
mod set;
mod simple_classes;
mod simple_ranges;
mod stop_words;
mod stretch;
mod suggestion;
#[cfg(test)]
mod tests;
mod tokens;
mod windows;
mod words;

pub use distribution::SortBuffer;
pub use located::LocatedShingles;
pub use set::{ShingleBag, ShingleSet};
pub(crate) use simple_classes::is_folded_and_composed;
pub use stop_words::StopWords;
pub use suggestion::{Suggestion, suggest_k, usual_k};
pub use windows::{MAX_K, shingle_hash};
pub use words::words;

use crate::arch::Kernel;
use crate::error::{Error, Result};
use crate::hashing::Key;
use crate::normalization::Normalization;
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};
use tokens::{Tokens, hash_characters};

/// How text becomes shingles. Every field changes the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shingling {
    /// The kind of token: words, characters, ...
    pub unit: Unit,
    /// Tokens per shingle, from 1 to [`MAX_K`].
    pub k: usize,
    /// How the text is normalised before it is cut into tokens.
    pub normalization: Normalization,
    /// Bits per shingle hash, from 8 to 64.
    pub hash_bits: u32,
}

/// The tokens that shingles are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Words as defined by UAX 29; single characters in scripts that are written without spaces.
    Words,
    /// Characters (Unicode scalar values).
    Characters,
    /// Words, but only the shingles that begin with a stop word are used.
    StopWordLed(StopWords),
}

impl Default for Shingling {
    /// Shingles of five words, hashed to 64 bits.
    fn default() -> Self {
        Self { unit: Unit::Words, k: 5, normalization: Normalization::default(), hash_bits: 64 }
    }
}

impl Shingling {
    /// The same settings with this kind of token.
    #[must_use]
    pub fn with_unit(self, unit: Unit) -> Self {
        Self { unit, ..self }
    }

    /// The same settings with `k` tokens per shingle.
    #[must_use]
    pub fn with_k(self, k: usize) -> Self {
        Self { k, ..self }
    }

    /// The same settings with this normalisation.
    #[must_use]
    pub fn with_normalization(self, normalization: Normalization) -> Self {
        Self { normalization, ..self }
    }

    /// The same settings with this number of bits per shingle hash.
    #[must_use]
    pub fn with_hash_bits(self, hash_bits: u32) -> Self {
        Self { hash_bits, ..self }
    }
}

/// Turns text into shingles.
#[derive(Debug, Clone)]
pub struct Shingler {
    settings: Shingling,
    kernel: Kernel,
    key: Arc<Key>,
    /// The token hashes of the stop words, ascending.
    stop_tokens: Vec<u64>,
}

/// The fixed key, shared by all shinglers that use it.
static FIXED_KEY: LazyLock<Arc<Key>> = LazyLock::new(|| Arc::new(Key::FIXED.clone()));

/// Working memory for [`Shingler::hashes`]. Reuse it for one text after the other.
///
/// It grows to about 10 times the size of the longest text so far for words, and 25 times for characters. It does not
/// shrink by itself: see [`shrink_to`](Self::shrink_to).
#[derive(Debug, Clone, Default)]
pub struct ShingleBuffer {
    normalized: String,
    folded: Vec<u8>,
    tokens: Tokens,
    hashes: Vec<u64>,
}

impl ShingleBuffer {
    /// Frees the memory that only texts of more than `bytes` bytes need. The hashes in the buffer are lost.
    pub fn shrink_to(&mut self, bytes: usize) {
        self.normalized.clear();
        self.normalized.shrink_to(bytes);
        self.folded.truncate(bytes);
        self.folded.shrink_to(bytes);
        self.tokens.shrink_to(bytes);
        self.hashes.clear();
        self.hashes.shrink_to(bytes);
    }
}

impl Default for Shingler {
    /// Shingles of five words.
    fn default() -> Self {
        Self::of(Shingling::default())
    }
}

impl Shingler {
    /// A shingler with these settings.
    pub fn new(settings: Shingling) -> Result<Self> {
        if settings.k == 0 || settings.k > MAX_K {
            return Err(Error::invalid("k", settings.k, format!("a shingle has 1 to {MAX_K} tokens")));
        }
        if !(8..=64).contains(&settings.hash_bits) {
            return Err(Error::invalid("hash_bits", settings.hash_bits, "a shingle hash has 8 to 64 bits"));
        }
        Ok(Self::of(settings))
    }

    /// A shingler with settings that were checked before.
    fn of(settings: Shingling) -> Self {
        Self { settings, kernel: Kernel::best(), key: Arc::clone(&FIXED_KEY), stop_tokens: Vec::new() }
            .keyed()
    }

    /// Computes the fields that depend on the key.
    fn keyed(mut self) -> Self {
        if let Unit::StopWordLed(stop_words) = &self.settings.unit {
            self.stop_tokens = stop_words.spellings().map(|word| self.key.token(word.as_bytes())).collect();
            self.stop_tokens.sort_unstable();
        }
        self
    }

    /// A shingler for shingles of k words.
    pub fn words(k: usize) -> Result<Self> {
        Self::new(Shingling { k, ..Shingling::default() })
    }

    /// A shingler for shingles of k characters.
    pub fn characters(k: usize) -> Result<Self> {
        Self::new(Shingling { unit: Unit::Characters, k, ..Shingling::default() })
    }

    /// A shingler whose shingles are an English stop word and the next two words. It suits news articles on pages
    /// with much other content.
    #[must_use]
    pub fn stop_word_led() -> Self {
        let unit = Unit::StopWordLed(StopWords::english());
        Self::of(Shingling { unit, k: 3, ..Shingling::default() })
    }

    /// The same shingler with this normalisation of the text.
    ///
    /// ```
    /// use lookalike::normalization::Normalization;
    /// use lookalike::shingling::Shingler;
    ///
    /// let exact = Shingler::words(2)?.with_normalization(Normalization::NONE);
    /// assert_eq!(exact.shingles("To Be"), ["To Be"]);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    #[must_use]
    pub fn with_normalization(mut self, normalization: Normalization) -> Self {
        self.settings.normalization = normalization;
        self
    }

    /// The same shingler with these CPU instructions. The hashes are the same; only the speed differs.
    #[must_use]
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel, ..self }
    }

    /// The same shingler with this key. It gives different hashes, but equal shingles still have equal hashes. Hashes
    /// of different keys cannot be compared.
    #[must_use]
    pub fn with_key(mut self, key: Key) -> Self {
        self.key = Arc::new(key);
        self.keyed()
    }

    /// The settings of this shingler.
    #[must_use]
    pub fn settings(&self) -> &Shingling {
        &self.settings
    }

    /// The hashes of the shingles of `text`, in order, repeats included.
    ///
    /// The text may be a string or bytes. Bytes that are not UTF-8 become U+FFFD.
    pub fn hashes<'b>(&self, text: impl AsRef<[u8]>, buffer: &'b mut ShingleBuffer) -> &'b [u64] {
        self.tokenize(text.as_ref(), buffer);
        self.combine(buffer)
    }

    /// The set of the shingles of `text`.
    #[must_use]
    pub fn set(&self, text: impl AsRef<[u8]>) -> ShingleSet {
        let mut buffer = ShingleBuffer::default();
        self.hashes(text, &mut buffer);
        ShingleSet::from_hashes(buffer.hashes)
    }

    /// The bag of the shingles of `text`.
    #[must_use]
    pub fn bag(&self, text: impl AsRef<[u8]>) -> ShingleBag {
        let mut buffer = ShingleBuffer::default();
        self.hashes(text, &mut buffer);
        ShingleBag::from_hashes(buffer.hashes)
    }

    /// The hashes of the shingles of a sequence of tokens of any kind. A token is hashed as bytes. Of the settings,
    /// only `k`, `hash_bits` and the stop words matter.
    ///
    /// ```
    /// # use lookalike::shingling::{ShingleBuffer, Shingler};
    /// let notes = ["C4", "E4", "G4", "C4", "E4", "G4"];
    /// let mut buffer = ShingleBuffer::default();
    /// let melody = Shingler::words(3)?.hashes_of_tokens(notes, &mut buffer).to_vec();
    /// assert_eq!(melody.len(), 4);
    /// assert_eq!(melody[0], melody[3]);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn hashes_of_tokens<'b, T: AsRef<[u8]>>(
        &self,
        tokens: impl IntoIterator<Item = T>,
        buffer: &'b mut ShingleBuffer,
    ) -> &'b [u64] {
        buffer.tokens.clear();
        for token in tokens {
            buffer.tokens.push(self.key.token(token.as_ref()));
        }
        self.combine(buffer)
    }

    /// The set of the shingles of a sequence of tokens of any kind.
    #[must_use]
    pub fn set_of_tokens<T: AsRef<[u8]>>(&self, tokens: impl IntoIterator<Item = T>) -> ShingleSet {
        let mut buffer = ShingleBuffer::default();
        self.hashes_of_tokens(tokens, &mut buffer);
        ShingleSet::from_hashes(buffer.hashes)
    }

    /// The bag of the shingles of a sequence of tokens of any kind.
    #[must_use]
    pub fn bag_of_tokens<T: AsRef<[u8]>>(&self, tokens: impl IntoIterator<Item = T>) -> ShingleBag {
        let mut buffer = ShingleBuffer::default();
        self.hashes_of_tokens(tokens, &mut buffer);
        ShingleBag::from_hashes(buffer.hashes)
    }

    /// The shingles of `text` as readable strings, in order, repeats included. For teaching, tests and reports.
    #[must_use]
    pub fn shingles(&self, text: &str) -> Vec<String> {
        let text = self.settings.normalization.normalize(text);
        let (tokens, separator): (Vec<&str>, _) = match self.settings.unit {
            Unit::Characters => {
                (text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect(), "")
            }
            Unit::Words | Unit::StopWordLed(_) => (words(&text).collect(), " "),
        };
        let windows = tokens.windows(self.settings.k);
        let mut shingles: Vec<String> = match &self.settings.unit {
            Unit::StopWordLed(stop_words) => {
                windows.filter(|w| stop_words.contains(w[0])).map(|w| w.join(separator)).collect()
            }
            Unit::Words | Unit::Characters => windows.map(|w| w.join(separator)).collect(),
        };
        if shingles.is_empty() && !tokens.is_empty() {
            shingles.push(tokens.join(separator));
        }
        shingles
    }

    /// Text -> token hashes.
    fn tokenize(&self, text: &[u8], buffer: &mut ShingleBuffer) {
        let ShingleBuffer { normalized, folded, tokens, .. } = buffer;
        let normalization = self.settings.normalization;
        tokens.clear();
        let is_words = self.settings.unit != Unit::Characters;
        if is_words && words::normalizes_on_the_way(&normalization) {
            words::hash_words(self.kernel, &self.key, text, normalization, folded, tokens);
            return;
        }
        let text: Cow<'_, str> = String::from_utf8_lossy(text);
        normalization.normalize_into(&text, normalized);
        if is_words {
            words::hash_words(
                self.kernel,
                &self.key,
                normalized.as_bytes(),
                Normalization::NONE,
                folded,
                tokens,
            );
        } else {
            hash_characters(&self.key, normalized, tokens);
        }
    }

    /// True if this is the token hash of a stop word.
    fn is_stop_token(&self, token: u64) -> bool {
        self.stop_tokens.binary_search(&token).is_ok()
    }

    /// Token hashes -> shingle hashes.
    fn combine<'b>(&self, buffer: &'b mut ShingleBuffer) -> &'b [u64] {
        let ShingleBuffer { tokens, hashes, .. } = buffer;
        let Shingling { unit, k, hash_bits, .. } = &self.settings;
        let tokens = tokens.as_slice();
        hashes.clear();
        if let Unit::StopWordLed(_) = unit {
            let led = tokens.windows(*k).filter(|window| self.is_stop_token(window[0]));
            hashes.extend(led.map(|window| self.key.shingle(window)));
        } else if tokens.len() >= *k {
            hashes.resize(tokens.len() - k + 1, 0);
            windows::shingle_hashes(self.kernel, &self.key, tokens, *k, hashes);
        }
        if hashes.is_empty() && !tokens.is_empty() {
            hashes.push(self.key.shingle(tokens));
        }
        if *hash_bits < 64 {
            hashes.iter_mut().for_each(|hash| *hash >>= 64 - hash_bits);
        }
        hashes
    }
}
