//! A key -> hash functions for tokens and shingles. Without the key, nobody can prepare a collision.

use super::{SplitMix64, spread};

/// This many values are added up at a time.
pub(crate) const BLOCK: usize = 8;

/// The number of levels, which is enough for 8^16 values.
const LEVELS: usize = 16;

/// The number of 64-bit numbers in a key.
const WORDS: usize = 3 + 2 * (LEVELS * BLOCK + 1);

/// The key with which tokens and shingles are hashed.
///
/// Anyone who knows a hash function can write two different texts with the same hashes. So decisions about texts from
/// untrusted authors use hashes with a key that is drawn at random after the texts were written. The functions here
/// have a proven bound: *any* two different inputs that were chosen without knowing the key get the same hash with
/// only a small probability over the choice of the key. All arithmetic is modulo 2^64. A "factor" is a random odd
/// number of the key.
///
/// **Tokens.** A token of up to 16 bytes is read as two numbers, `low` and `high`. With random a and b, the product
/// `(low + a)(high + b)` has 128 bits. Its halves are `hi` and `lo`, and the hash of the token is
/// `lo + length + r hi` with a factor r. A longer token is cut into pieces of 16 bytes (the last piece ends where the
/// token ends). The pieces are combined like the tokens of a shingle, with their own factors and the length, and
/// rotated by 32 bits.
///
/// **Shingles.** Up to eight tokens are multiplied by a factor each (the first by 1) and added up. More than eight
/// tokens are cut into blocks of eight (the last block ends at the last token, so it may overlap the one before).
/// Each value of a block is multiplied by a factor, and the sum is rotated by 32 bits. These sums are the values of
/// the next level, which has its own factors. At the end, the number of tokens times a factor is added, and the
/// bijection `spread` mixes the bits.
///
/// **Why it works.** Call a difference of two numbers v-even if 2^v divides it.
///
/// 1. The product is the function NH of Black, Halevi, Krawczyk, Krovetz and Rogaway (*UMAC*, 1999) with numbers of
///    64 bits. Say the words differ in `low`, by a multiple of 2^s and not of 2^(s+1). Given a, the two products
///    differ by c + d q, where q is uniform (from b) and d, the difference in `low`, is that multiple of 2^s. For
///    `lo` to differ by a v-even number, v > s, the lowest v - s bits of q must have one value; for `hi`, the
///    difference must be within 2^64 of a multiple of 2^(64+v). Both are true for at most 6 of 2^v keys for each
///    value of c. There are at most two values of c (if `high` differs too, b decides whether its sum wraps), so this
///    happens for at most 12 of 2^v keys. The bound 16 of 2^v also covers words that differ only in their lengths.
///    The same holds with `high` and `low` exchanged.
/// 2. A number with exactly z factors of two, multiplied by a random factor, becomes each number with exactly z
///    factors of two with the same probability, 1 in 2^(63-z). So tokens differ by a v-even number with probability
///    at most (16 + 12 v) / 2^v. With v = 64: two different words of up to 16 bytes have the same token with
///    probability below 2^-54.
/// 3. By the same argument a sum with factors is 0 with probability at most 1 in 2^(63-z), where z is the number of
///    factors of two in the least even difference. Summed over z with the bound of step 2, this is below 2^-48 for
///    the tokens of a block.
/// 4. The low bits of a sum depend only on the low bits of its values. The rotation moves the high bits there. After
///    it, two sums of different values differ by a v-even number with probability at most 2^(2-v) for v up to 32, and
///    (8 (v - 31) + 4) / 2^v above. So each further level adds less than 2^-50, and the bound for its values does not
///    get worse from level to level. (A polynomial modulo a power of two has no such bound: there are sequences of
///    1024 tokens that agree at every odd base.)
///
/// Together: two different shingles of up to 2^16 tokens, each of up to 2^16 bytes, have the same hash with
/// probability below 2^-46. This is true whatever their structure: permutations, repetitions, words of any kind. (For
/// most pairs the probability is about 2^-63; the bound is for the worst pair.)
///
/// **Cost.** A word takes one wide multiplication and a plain one. A shingle of up to eight tokens takes k - 1 plain
/// multiplications.
///
/// ```
/// use lookalike::hashing::Key;
/// use lookalike::shingling::Shingler;
///
/// // Another key gives other hashes, but the same similarities.
/// let (fixed, keyed) = (Shingler::words(1)?, Shingler::words(1)?.with_key(Key::from_seed(7)));
/// assert_ne!(fixed.set("a rose is a rose"), keyed.set("a rose is a rose"));
/// assert_eq!(fixed.set("a rose is a rose").len(), keyed.set("a rose is a rose").len());
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Clone)]
pub struct Key {
    pub(crate) word: WordKey,
    long: Levels,
    shingles: Levels,
    /// The token hashes of the ASCII characters.
    ascii: [u64; 128],
}

/// The part of a key that hashes words of up to 16 bytes.
#[derive(Clone, Copy)]
pub(crate) struct WordKey {
    pub(crate) low: u64,
    pub(crate) high: u64,
    pub(crate) factor: u64,
}

/// The part of a key that combines a sequence of values.
#[derive(Clone)]
pub(crate) struct Levels {
    pub(crate) factors: [[u64; BLOCK]; LEVELS],
    length: u64,
}

impl std::fmt::Debug for Key {
    /// Does not show the key itself, so that it never appears in a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// The key for everything that is stored or compared between machines. It is the key of the seed
    /// 0x243f6a8885a308d3, the first bits of the fraction of pi.
    pub const FIXED: &'static Self = {
        static FIXED: Key = Key::from_seed(0x243f_6a88_85a3_08d3);
        &FIXED
    };

    /// The number of random bytes in a key.
    pub const BYTES: usize = 8 * WORDS;

    /// Makes a key from these bytes. The key is secret if the bytes are random and secret.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let mut words = [0; WORDS];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        Self::from_words(&words)
    }

    /// Makes a key from a seed, for tests and simulations. Anyone who knows the seed knows the key.
    #[must_use]
    pub const fn from_seed(seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let mut words = [0; WORDS];
        let mut at = 0;
        while at < WORDS {
            words[at] = random.next_u64();
            at += 1;
        }
        Self::from_words(&words)
    }

    const fn from_words(words: &[u64; WORDS]) -> Self {
        let word = WordKey { low: words[0], high: words[1], factor: words[2] | 1 };
        let mut ascii = [0; 128];
        let mut code = 0;
        while code < 128 {
            ascii[code] = word.hash(code as u64, 0, 0);
            code += 1;
        }
        Self { word, long: Levels::new(words, 3), shingles: Levels::new(words, 4 + LEVELS * BLOCK), ascii }
    }

    /// The token hash of a word, or of any other bytes.
    #[inline]
    #[must_use]
    pub fn token(&self, bytes: &[u8]) -> u64 {
        if bytes.len() > 16 {
            return self.long_token(bytes);
        }
        let mut padded = [0; 16];
        padded[..bytes.len()].copy_from_slice(bytes);
        let (low, high) = halves(&padded);
        self.word.hash(low, high, bytes.len() as u64)
    }

    #[inline(never)]
    fn long_token(&self, bytes: &[u8]) -> u64 {
        let piece = |bytes: &[u8; 16]| {
            let (low, high) = halves(bytes);
            self.word.hash(low, high, 0)
        };
        let (pieces, rest) = bytes.as_chunks::<16>();
        let last = bytes.last_chunk::<16>().filter(|_| !rest.is_empty());
        let length = long_length(bytes.len() as u64);
        let count = bytes.len().div_ceil(16);
        self.long.combine(count, pieces.iter().chain(last).map(piece), length).rotate_left(32)
    }

    /// The empty tree of the pieces of a token of more than 16 bytes.
    pub(super) fn long_tree(&self) -> Tree<'_> {
        Tree::new(&self.long)
    }

    /// The token hash of so many bytes, more than 16, whose pieces are in a tree.
    pub(super) fn of_long_tree(&self, tree: Tree<'_>, bytes: u64) -> u64 {
        let length = long_length(bytes);
        tree.finish().wrapping_add(self.long.of_length(length)).rotate_left(32)
    }

    /// The token hash of a character.
    #[inline(always)]
    #[must_use]
    pub fn character(&self, character: char) -> u64 {
        self.word.hash(character as u64, 0, 0)
    }

    /// The token hashes of the ASCII characters.
    pub(crate) fn ascii(&self) -> &[u64; 128] {
        &self.ascii
    }

    /// The hash of one shingle, given all its tokens.
    #[must_use]
    pub fn shingle(&self, tokens: &[u64]) -> u64 {
        spread(self.shingles.combine(tokens.len(), tokens.iter().copied(), tokens.len() as u64))
    }

    /// The part of the key that combines tokens into shingles.
    pub(crate) fn shingles(&self) -> &Levels {
        &self.shingles
    }
}

/// The number that stands for the length of a long token. It is odd, so that it is never the number of a short one.
fn long_length(bytes: u64) -> u64 {
    2 * bytes + 1
}

impl WordKey {
    /// The token hash of up to 16 bytes, which are given as two little-endian halves padded with zeros.
    #[inline(always)]
    pub(crate) const fn hash(self, low: u64, high: u64, len: u64) -> u64 {
        let product = low.wrapping_add(self.low) as u128 * high.wrapping_add(self.high) as u128;
        let hi = (product >> 64) as u64;
        (product as u64).wrapping_add(len).wrapping_add(hi.wrapping_mul(self.factor))
    }
}

/// The two little-endian halves of 16 bytes.
#[inline(always)]
pub(crate) const fn halves(bytes: &[u8; 16]) -> (u64, u64) {
    let both = u128::from_le_bytes(*bytes);
    (both as u64, (both >> 64) as u64)
}

impl std::fmt::Debug for Levels {
    /// Does not show the key itself.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Levels")
    }
}

impl Levels {
    const fn new(words: &[u64; WORDS], first: usize) -> Self {
        let mut factors = [[0; BLOCK]; LEVELS];
        let mut at = 0;
        while at < LEVELS * BLOCK {
            factors[at / BLOCK][at % BLOCK] = words[first + at] | 1;
            at += 1;
        }
        Self { factors, length: words[first + LEVELS * BLOCK] | 1 }
    }

    /// The number that is added to the last sum for a sequence of this length.
    #[inline(always)]
    pub(crate) const fn of_length(&self, length: u64) -> u64 {
        length.wrapping_mul(self.length)
    }

    /// A block of values of a level -> a value of the next level.
    #[inline(always)]
    fn block(&self, level: usize, values: &[u64; BLOCK]) -> u64 {
        let products =
            values.iter().zip(&self.factors[level]).map(|(value, factor)| value.wrapping_mul(*factor));
        products.fold(0, u64::wrapping_add).rotate_left(32)
    }

    /// At most a block of values -> the last sum, without the length.
    #[inline(always)]
    fn last_sum(&self, level: usize, values: &[u64]) -> u64 {
        let Some((first, rest)) = values.split_first() else { return 0 };
        let factors = &self.factors[level][1..];
        rest.iter()
            .zip(factors)
            .map(|(value, factor)| value.wrapping_mul(*factor))
            .fold(*first, u64::wrapping_add)
    }

    /// Combines `count` values and a length, which distinguishes sequences of different lengths.
    fn combine(&self, count: usize, values: impl Iterator<Item = u64>, length: u64) -> u64 {
        let sum = if count <= BLOCK {
            let mut block = [0; BLOCK];
            block.iter_mut().zip(values).for_each(|(place, value)| *place = value);
            self.last_sum(0, &block[..count])
        } else {
            let mut tree = Tree::new(self);
            values.for_each(|value| tree.push(0, value));
            tree.finish()
        };
        sum.wrapping_add(self.of_length(length))
    }
}

/// Values on their way through the levels.
#[derive(Debug)]
pub(super) struct Tree<'k> {
    levels: &'k Levels,
    /// The last values of each level. Value n is at position n modulo 8.
    last: [[u64; BLOCK]; LEVELS],
    counts: [usize; LEVELS],
}

impl<'k> Tree<'k> {
    fn new(levels: &'k Levels) -> Self {
        Self { levels, last: [[0; BLOCK]; LEVELS], counts: [0; LEVELS] }
    }
}

impl Tree<'_> {
    /// Adds a value to a level. A full block becomes a value of the next level.
    #[inline]
    pub(super) fn push(&mut self, from: usize, mut value: u64) {
        for level in from..LEVELS {
            let count = &mut self.counts[level];
            self.last[level][*count % BLOCK] = value;
            *count += 1;
            if !count.is_multiple_of(BLOCK) {
                return;
            }
            value = self.levels.block(level, &self.last[level]);
        }
    }

    fn finish(mut self) -> u64 {
        let mut level = 0;
        while self.counts[level] > BLOCK && level + 1 < LEVELS {
            let count = self.counts[level];
            if !count.is_multiple_of(BLOCK) {
                let last = std::array::from_fn(|at| self.last[level][(count + at) % BLOCK]);
                self.push(level + 1, self.levels.block(level, &last));
            }
            level += 1;
        }
        self.levels.last_sum(level, &self.last[level][..self.counts[level].min(BLOCK)])
    }
}
