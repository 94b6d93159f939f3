//! Words that collide with given words under the fixed key: an attacker can construct them because the hash function
//! is public.
//!
//! A word of 128 letters consists of eight pieces of 16 letters, and its token is the rotated sum of eight numbers,
//! one for each piece. The task is to choose one number from a list for each piece so that the sum is the token of
//! another word: the generalised birthday problem. With eight lists it takes three rounds, each of which joins sums
//! that agree in the next bits (Wagner, *A generalized birthday problem*, 2002). This takes a fraction of a second.

use lookalike::hashing::{Key, SplitMix64};

const PIECES: usize = 8;
const PIECE: usize = 16;

/// Number of candidates for each piece. It is large enough that solutions exist.
const LIST: usize = 90_000;

/// A sum, and the number of the piece that was taken from each list.
type Sum<const N: usize> = (u64, [u32; N]);

/// Forges words.
pub struct Forger {
    /// The candidates for the pieces, as the seeds of their letters, and the value that each adds to a token.
    added: Vec<Vec<u64>>,
    /// The sums of the first six lists, in pairs of lists, whose lowest 16 bits are 0.
    pairs: Vec<Vec<Sum<2>>>,
    /// The sums of the first four lists whose lowest 32 bits are 0.
    four: Vec<Sum<4>>,
    /// The token of a word that consists only of `a`, rotated back.
    plain: u64,
}

fn piece(list: usize, number: usize) -> [u8; PIECE] {
    let mut random = SplitMix64::new((list << 32 | number) as u64);
    std::array::from_fn(|_| b'a' + random.below(26) as u8)
}

/// The token before its rotation.
fn sum_of(word: &[u8]) -> u64 {
    Key::FIXED.token(word).rotate_left(32)
}

/// All sums of one element of each list that are 0 in the 16 bits from `from` on. The lower bits are already 0.
fn join<const N: usize, const M: usize>(
    a: &[Sum<N>],
    b: &[Sum<N>],
    from: u32,
    bits: u32,
    join: impl Fn(&[u32; N], &[u32; N]) -> [u32; M],
) -> Vec<Sum<M>> {
    let part = |sum: u64| sum >> from & (u64::MAX >> (64 - bits));
    let mut sorted = b.to_vec();
    sorted.sort_unstable_by_key(|(sum, _)| part(*sum));
    let mut found = Vec::new();
    for (sum, of_a) in a {
        let wanted = part(sum.wrapping_neg());
        let first = sorted.partition_point(|(other, _)| part(*other) < wanted);
        let matching = sorted[first..].iter().take_while(|(other, _)| part(*other) == wanted);
        found.extend(matching.map(|(other, of_b)| (sum.wrapping_add(*other), join(of_a, of_b))));
    }
    found
}

fn two(a: &[u32; 1], b: &[u32; 1]) -> [u32; 2] {
    [a[0], b[0]]
}

fn four(a: &[u32; 2], b: &[u32; 2]) -> [u32; 4] {
    [a[0], a[1], b[0], b[1]]
}

fn eight(a: &[u32; 4], b: &[u32; 4]) -> [u32; 8] {
    [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]]
}

impl Default for Forger {
    fn default() -> Self {
        let mut word = [b'a'; PIECES * PIECE];
        let plain = sum_of(&word);
        let added: Vec<Vec<u64>> = (0..PIECES)
            .map(|list| {
                (0..LIST)
                    .map(|number| {
                        word[list * PIECE..][..PIECE].copy_from_slice(&piece(list, number));
                        let sum = sum_of(&word);
                        word[list * PIECE..][..PIECE].fill(b'a');
                        sum.wrapping_sub(plain)
                    })
                    .collect()
            })
            .collect();
        let mut forger = Self { added, pairs: Vec::new(), four: Vec::new(), plain };
        forger.pairs = (0..3)
            .map(|pair| join(&forger.list(2 * pair, 0), &forger.list(2 * pair + 1, 0), 0, 16, two))
            .collect();
        forger.four = join(&forger.pairs[0], &forger.pairs[1], 16, 16, four);
        forger
    }
}

impl Forger {
    fn list(&self, list: usize, more: u64) -> Vec<Sum<1>> {
        self.added[list].iter().zip(0..).map(|(added, number)| (added.wrapping_add(more), [number])).collect()
    }

    /// A word of 128 letters with the same token. `None` if the lists contain no solution (once in a thousand words).
    #[must_use]
    pub fn forge(&self, word: &str) -> Option<String> {
        let missing = self.plain.wrapping_sub(sum_of(word.as_bytes()));
        let last = join(&self.list(6, 0), &self.list(7, missing), 0, 16, two);
        let last_four = join(&self.pairs[2], &last, 16, 16, four);
        let (_, pieces) = join(&self.four, &last_four, 32, 32, eight).into_iter().next()?;
        let forged: Vec<u8> =
            (0..PIECES).zip(pieces).flat_map(|(list, number)| piece(list, number as usize)).collect();
        String::from_utf8(forged).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forged_word_has_the_hash_of_another_and_with_other_keys_not() {
        let forger = Forger::default();
        let forged: Vec<_> = ["example.org", "a", "seventeen-letters"]
            .into_iter()
            .map(|word| (word, forger.forge(word)))
            .collect();
        for (word, forged) in forged {
            let forged = forged.expect("these three are found");
            assert_eq!(forged.len(), PIECES * PIECE);
            assert_eq!(Key::FIXED.token(forged.as_bytes()), Key::FIXED.token(word.as_bytes()));
            for seed in 0..100 {
                let key = Key::from_seed(seed);
                assert_ne!(key.token(forged.as_bytes()), key.token(word.as_bytes()));
            }
        }
    }
}
