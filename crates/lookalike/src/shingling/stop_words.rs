//! Stop words: the small words that hold a sentence together.
//!
//! News pages are prose inside advertisements and navigation; prose has stop words, the rest has few. A shingle
//! that begins with a stop word and goes on for two more words therefore tends to come from the article
//! (Theobald, Siddharth and Paepcke, SpotSigs, 2008; MMDS section 3.8).

use crate::hashing::hash_bytes;

/// English function words, in lower case.
const ENGLISH: &str = "a about above after again against all also am an and any are aren't as at be because been \
    before being below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't \
    down during each few for from further had hadn't has hasn't have haven't having he he's her here hers herself \
    him himself his how i i'm i've if in into is isn't it it's its itself just me more most my myself no nor not \
    now of off on once only or other our ours ourselves out over own same she she's should shouldn't so some such \
    than that that's the their theirs them themselves then there there's these they they're this those through to \
    too under until up very was wasn't we we're were weren't what when where which while who whom why will with \
    won't would wouldn't you you're your yours yourself yourselves";

/// A set of stop words, matched against normalised words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopWords {
    /// Hashes of the words, ascending.
    hashes: Vec<u64>,
}

impl StopWords {
    /// The usual function words of English.
    #[must_use]
    pub fn english() -> Self {
        Self::new(ENGLISH.split_whitespace())
    }

    /// These words, written as they are after normalisation (so usually in lower case).
    pub fn new<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Self {
        let mut hashes: Vec<u64> =
            words.into_iter().map(|word| hash_bytes(word.as_ref().as_bytes())).collect();
        hashes.sort_unstable();
        hashes.dedup();
        Self { hashes }
    }

    /// Whether this normalised word is one of them.
    #[must_use]
    pub fn contains(&self, word: &str) -> bool {
        self.contains_hash(hash_bytes(word.as_bytes()))
    }

    pub(super) fn contains_hash(&self, hash: u64) -> bool {
        self.hashes.binary_search(&hash).is_ok()
    }
}

impl Default for StopWords {
    fn default() -> Self {
        Self::english()
    }
}
