//! All the unsafe code of this crate, and the one choice of CPU instructions.
//!
//! A stage that has a hot loop writes it as a [`Task`]: safe code beside the stage, which [`dispatch`] compiles once
//! per set of instructions and runs on the one that a [`Kernel`] names. Most are plain loops that the compiler
//! vectorises by itself once it may use the instructions. What it does not find is a primitive of the trait
//! [`Simd`], with intrinsics:
//!
//! | file | holds |
//! |---|---|
//! | `portable.rs` | the definition of every primitive |
//! | `avx2.rs`, `avx512.rs` | the same with wider registers, and the list of CPU features each needs |
//! | `masks.rs` | the byte classes that [`Simd::classify`] finds |
//! | `word_hashes.rs`, `avx512/edges.rs` | [`Simd::word_hashes`]: the definition, and eight words at a time |
//!
//! A `Kernel` can only be had if the CPU can run it: that is the proof behind every `unsafe` block here. The answers
//! are the same bits for all kernels, sums of floating-point numbers too (their order is fixed in the source, and
//! Rust never fuses a multiplication with an addition by itself). Every task and primitive is tested to equal the
//! portable one.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod masks;
mod portable;
pub(crate) mod word_hashes;

use masks::{BLOCK, Masks};
use std::sync::OnceLock;
use word_hashes::Blocks;

/// A set of CPU instructions that the kernels of this crate may use. Changes the speed, never the answer.
///
/// ```
/// use lookalike::Kernel;
/// // The best one is the default everywhere; forcing another is for tests and benchmarks.
/// assert!(Kernel::available().contains(&Kernel::best()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kernel(Instructions);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Kernel {
    /// Plain Rust for any CPU: the definition that the others are tested against.
    pub const PORTABLE: Self = Self(Instructions::Portable);

    /// The widest kernel that this CPU can run.
    #[must_use]
    pub fn best() -> Self {
        static BEST: OnceLock<Kernel> = OnceLock::new();
        *BEST.get_or_init(|| Self::available().last().copied().unwrap_or(Self::PORTABLE))
    }

    /// Every kernel that this CPU can run, the plainest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        #[allow(unused_mut, reason = "other architectures have the portable kernel only")]
        let mut kernels = vec![Self::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        {
            if avx2::is_available() {
                kernels.push(Self(Instructions::Avx2));
            }
            if avx512::is_available() {
                kernels.push(Self(Instructions::Avx512));
            }
        }
        kernels
    }

    /// The name for people: `portable`, `avx2` or `avx512`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            Instructions::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => "avx512",
        }
    }

    pub(crate) const fn instructions(self) -> Instructions {
        self.0
    }
}

impl Default for Kernel {
    fn default() -> Self {
        Self::best()
    }
}

/// How many values [`Simd::below`] looks at.
pub(crate) const CHUNK: usize = 64;

/// How many words of bits [`Simd::bits_at`] looks into.
pub(crate) const BIT_WORDS: usize = 8;

/// How many elements of a set [`Simd::shared_elements`] takes.
pub(crate) const SET_BLOCK: usize = 8;

/// How many lanes of 16 bits [`Simd::equal_lanes`] takes.
pub(crate) const LANE_BLOCK: usize = 32;

/// The primitives that need intrinsics.
pub(crate) trait Simd: Copy {
    /// The width of a vector register; 16 also where it is not known.
    const REGISTER_BYTES: usize;

    /// The masks of `block`; `folded` becomes the block, in lower case if `fold`.
    fn classify(self, block: &[u8; BLOCK], folded: &mut [u8; BLOCK], fold: bool) -> Masks;

    /// Bit i says whether `values[i] < limit`.
    fn below(self, values: &[u64; CHUNK], limit: u64) -> u64;

    /// Whether [`bits_at`](Self::bits_at) is quicker than looking at the bits one by one.
    const LOOKS_UP_BITS: bool;

    /// Bit i says whether bit `places[i]` is set, of the bits counted through the words from the lowest.
    #[inline(always)]
    fn bits_at(self, places: &[u64; CHUNK], words: &[u64; BIT_WORDS]) -> u64 {
        let bit = |place: u64| words[(place / 64) as usize % BIT_WORDS] >> (place % 64) & 1;
        places.iter().rev().fold(0, |mask, &place| mask << 1 | bit(place))
    }

    /// How many elements of `a` are in `b`.
    fn shared_elements(self, a: &[u64; SET_BLOCK], b: &[u64; SET_BLOCK]) -> u32;

    /// In how many places `a` and `b` agree.
    fn equal_lanes(self, a: &[u16; LANE_BLOCK], b: &[u16; LANE_BLOCK]) -> u32;

    /// Writes the hash of every word that ends in these blocks, in order; returns how many there are, and where
    /// the word begins that reaches out of the last block, if one does.
    #[inline(always)]
    fn word_hashes(self, blocks: Blocks<'_>, out: &mut [u64]) -> (usize, Option<usize>) {
        word_hashes::portable(blocks, out)
    }
}

/// A computation over [`Simd`] primitives, to be compiled once per kernel. `run` must be `#[inline(always)]`.
pub(crate) trait Task {
    type Output;
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// For the file of one kernel: `is_available`, whether the CPU has all the features of one list, and `run`, which
/// compiles a task for that same list.
#[cfg(target_arch = "x86_64")]
macro_rules! compile_for {
    ($simd:ty, $($feature:tt),+) => {
        pub(super) fn is_available() -> bool {
            $(is_x86_feature_detected!($feature))&&+
        }

        #[target_feature($(enable = $feature),+)]
        pub(super) fn run<T: super::Task>(task: T) -> T::Output {
            task.run(<$simd>::new())
        }
    };
}
#[cfg(target_arch = "x86_64")]
use compile_for;

/// Runs `task` with the primitives of `kernel`, compiled for its instructions.
pub(crate) fn dispatch<T: Task>(kernel: Kernel, task: T) -> T::Output {
    match kernel.instructions() {
        Instructions::Portable => task.run(portable::Portable),
        // SAFETY: a `Kernel` with these instructions exists only if the CPU has them.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => unsafe { avx2::run(task) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => unsafe { avx512::run(task) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::{Key, SplitMix64};

    struct Classify<'a>(&'a [u8; BLOCK], bool);

    impl Task for Classify<'_> {
        type Output = (Masks, [u8; BLOCK]);
        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            let mut folded = [0; BLOCK];
            let masks = simd.classify(self.0, &mut folded, self.1);
            (masks, folded)
        }
    }

    struct Below<'a>(&'a [u64; CHUNK], u64);

    impl Task for Below<'_> {
        type Output = u64;
        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            simd.below(self.0, self.1)
        }
    }

    struct SharedElements<'a>(&'a [u64; SET_BLOCK], &'a [u64; SET_BLOCK]);

    impl Task for SharedElements<'_> {
        type Output = u32;
        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            simd.shared_elements(self.0, self.1)
        }
    }

    #[test]
    fn every_kernel_classifies_every_byte_in_every_place_like_the_portable_one() {
        let mut random = SplitMix64::new(1);
        for kernel in Kernel::available() {
            for round in 0..2000u32 {
                let block: [u8; BLOCK] = std::array::from_fn(|i| match round {
                    0..256 => (round as u8).wrapping_add(i as u8),
                    256..512 => round as u8,
                    _ => random.next_u64() as u8,
                });
                for fold in [false, true] {
                    let expected = dispatch(Kernel::PORTABLE, Classify(&block, fold));
                    assert_eq!(dispatch(kernel, Classify(&block, fold)), expected, "{}", kernel.name());
                }
            }
        }
    }

    struct Words<'a>(Blocks<'a>);

    impl Task for Words<'_> {
        type Output = (Vec<u64>, Option<usize>);
        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            let mut out = vec![0; Blocks::most_words(self.0.words.len())];
            let (count, open) = simd.word_hashes(self.0, &mut out);
            out.truncate(count);
            (out, open)
        }
    }

    #[test]
    fn every_kernel_hashes_words_like_the_portable_one() {
        let mut random = SplitMix64::new(3);
        for kernel in Kernel::available() {
            for round in 0..3000usize {
                let count = round % 40;
                let position = (random.below(100)) as usize;
                let len = position + count * BLOCK + Blocks::READ_PAST;
                let folded: Vec<u8> = (0..len).map(|_| b"_abcdefgh"[random.below(9) as usize]).collect();
                // From sparse to dense, so that words of all lengths occur, also across blocks.
                let words: Vec<u64> = (0..count)
                    .map(|_| match round / 40 % 5 {
                        0 => random.next_u64(),
                        1 => random.next_u64() & random.next_u64(),
                        2 => random.next_u64() | random.next_u64() | random.next_u64(),
                        3 => u64::MAX << random.below(64),
                        _ => 0x5555_5555_5555_5555,
                    })
                    .collect();
                let open = (round % 3 == 0).then(|| random.below(position as u64 + 1) as usize);
                let key = Key::from_seed(random.next_u64());
                let blocks = Blocks { words: &words, position, open, folded: &folded, key: &key };
                let expected = dispatch(Kernel::PORTABLE, Words(blocks));
                assert_eq!(dispatch(kernel, Words(blocks)), expected, "{} round {round}", kernel.name());
            }
        }
    }

    #[test]
    fn every_kernel_compares_unsigned_like_the_portable_one() {
        let mut random = SplitMix64::new(2);
        let limits = [0, 1, 1 << 51, 1 << 63, u64::MAX];
        for kernel in Kernel::available() {
            for round in 0..500 {
                let values: [u64; CHUNK] = std::array::from_fn(|i| match (round + i) % 7 {
                    0 => limits[(round / 7) % limits.len()],
                    _ => random.next_u64() >> (round % 64),
                });
                for limit in limits.into_iter().chain([values[round % CHUNK]]) {
                    let expected = dispatch(Kernel::PORTABLE, Below(&values, limit));
                    assert_eq!(dispatch(kernel, Below(&values, limit)), expected, "{}", kernel.name());
                }
            }
        }
    }

    #[test]
    fn every_kernel_counts_shared_elements_like_the_portable_one() {
        let mut random = SplitMix64::new(3);
        for round in 0..2000 {
            // Ascending, from ranges in which few, some and nearly all elements are shared, and at both ends.
            let mut block = || {
                let start = if round % 3 == 0 { 0 } else { u64::MAX - 40 };
                let mut all: Vec<u64> = (0..=[8, 12, 40][round % 3]).map(|x| start + x).collect();
                while all.len() > SET_BLOCK {
                    all.remove(random.below(all.len() as u64) as usize);
                }
                <[u64; SET_BLOCK]>::try_from(all).unwrap()
            };
            let (a, b) = (block(), block());
            let expected = a.iter().filter(|x| b.contains(x)).count() as u32;
            for kernel in Kernel::available() {
                assert_eq!(dispatch(kernel, SharedElements(&a, &b)), expected, "{}", kernel.name());
            }
        }
    }

    struct EqualLanes<'a>(&'a [u16; LANE_BLOCK], &'a [u16; LANE_BLOCK]);

    impl Task for EqualLanes<'_> {
        type Output = u32;
        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            simd.equal_lanes(self.0, self.1)
        }
    }

    #[test]
    fn every_kernel_counts_equal_lanes_like_the_portable_one() {
        let mut random = SplitMix64::new(4);
        for round in 0..2000 {
            // From all equal over equal in one byte only to all different, at both ends of the range.
            let a: [u16; LANE_BLOCK] =
                std::array::from_fn(|_| [0, u16::MAX, random.next_u64() as u16][round % 3]);
            let change = [1, 0x100, 0x8000, 0xffff][round % 4];
            let b = a.map(|lane| if random.below(32) < round as u64 % 33 { lane ^ change } else { lane });
            let expected = (0..LANE_BLOCK).filter(|&i| a[i] == b[i]).count() as u32;
            for kernel in Kernel::available() {
                assert_eq!(dispatch(kernel, EqualLanes(&a, &b)), expected, "{}", kernel.name());
            }
        }
    }

    struct BitsAt<'a>(&'a [u64; CHUNK], &'a [u64; BIT_WORDS]);

    impl Task for BitsAt<'_> {
        type Output = u64;
        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            simd.bits_at(self.0, self.1)
        }
    }

    #[test]
    fn every_kernel_looks_up_bits_like_the_portable_one() {
        let mut random = SplitMix64::new(5);
        for round in 0..500 {
            let words: [u64; BIT_WORDS] = std::array::from_fn(|_| random.next_u64() & random.next_u64());
            let places: [u64; CHUNK] = std::array::from_fn(|i| match round {
                0..8 => (64 * round + i) as u64,
                _ => random.below(64 * BIT_WORDS as u64),
            });
            let expected = (0..CHUNK)
                .filter(|&i| words[(places[i] / 64) as usize] & 1 << (places[i] % 64) != 0)
                .fold(0, |mask, i| mask | 1 << i);
            for kernel in Kernel::available() {
                assert_eq!(dispatch(kernel, BitsAt(&places, &words)), expected, "{}", kernel.name());
            }
        }
    }
}
