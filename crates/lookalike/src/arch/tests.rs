//! The law that every kernel obeys, for every primitive: it gives the same answers as the portable kernel, and that
//! one gives the answers of the definition.

use super::masks::{BLOCK, Masks};
use super::word_hashes::Blocks;
use super::*;
use crate::hashing::{Key, SplitMix64};

/// `law! { primitive(inputs) == expected }` checks that every kernel that this CPU can run gives `expected`, the
/// portable one included. Without `== expected`, the answer of the portable kernel is expected.
macro_rules! law {
    ($task:expr) => {
        let expected = dispatch(Kernel::PORTABLE, $task);
        law!($task => expected);
    };
    ($task:expr => $expected:expr) => {
        let expected = $expected;
        for kernel in Kernel::available() {
            assert_eq!(dispatch(kernel, $task), expected, "{}", kernel.name());
        }
    };
}

/// The number of cases of each primitive. An interpreter such as Miri takes a thousand times as long for one case.
const ROUNDS: usize = if cfg!(miri) { 24 } else { 2000 };

struct Classify<'a>(&'a [u8; BLOCK], bool);

task! {
    impl['a] Classify<'a> => (Masks, [u8; BLOCK]), |task, simd: S| {
        let mut folded = [0; BLOCK];
        let masks = simd.classify(task.0, &mut folded, task.1);
        (masks, folded)
    }
}

struct Below<'a>(&'a [u64; CHUNK], u64);

task! {
    impl['a] Below<'a> => u64, |task, simd: S| {
        simd.below(task.0, task.1)
    }
}

struct SharedElements<'a>(&'a [u64; SET_BLOCK], &'a [u64; SET_BLOCK]);

task! {
    impl['a] SharedElements<'a> => u32, |task, simd: S| {
        simd.shared_elements(task.0, task.1)
    }
}

#[test]
fn every_kernel_classifies_every_byte_at_every_position_like_the_portable_one() {
    let mut random = SplitMix64::new(1);
    for round in 0..ROUNDS as u32 {
        let block: [u8; BLOCK] = std::array::from_fn(|i| match round {
            0..256 => (round as u8).wrapping_add(i as u8),
            256..512 => round as u8,
            _ => random.next_u64() as u8,
        });
        for fold in [false, true] {
            law!(Classify(&block, fold));
        }
    }
}

struct Words<'a>(Blocks<'a>);

task! {
    impl['a] Words<'a> => (Vec<u64>, Option<usize>), |task, simd: S| {
        let mut out = vec![0; Blocks::most_words(task.0.words.len())];
        let (count, open) = simd.word_hashes(task.0, &mut out);
        out.truncate(count);
        (out, open)
    }
}

#[test]
fn every_kernel_hashes_words_like_the_portable_one() {
    let mut random = SplitMix64::new(3);
    for round in 0..ROUNDS {
        let count = round % 40;
        let position = (random.below(100)) as usize;
        let len = position + count * BLOCK + Blocks::READ_PAST;
        let folded: Vec<u8> = (0..len).map(|_| b"_abcdefgh"[random.below(9) as usize]).collect();
        // From sparse to dense, so that words of all lengths occur, even across blocks.
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
        law!(Words(blocks));
    }
}

#[test]
fn every_kernel_compares_unsigned_like_the_portable_one() {
    let mut random = SplitMix64::new(2);
    let limits = [0, 1, 1 << 51, 1 << 63, u64::MAX];
    for round in 0..ROUNDS / 4 {
        let values: [u64; CHUNK] = std::array::from_fn(|i| match (round + i) % 7 {
            0 => limits[(round / 7) % limits.len()],
            _ => random.next_u64() >> (round % 64),
        });
        for limit in limits.into_iter().chain([values[round % CHUNK]]) {
            law!(Below(&values, limit) => (0..CHUNK).fold(0, |mask, i| mask | u64::from(values[i] < limit) << i));
        }
    }
}

#[test]
fn every_kernel_counts_shared_elements_like_the_portable_one() {
    let mut random = SplitMix64::new(3);
    for round in 0..ROUNDS {
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
        law!(SharedElements(&a, &b) => expected);
    }
}

struct EqualLanes<'a>(&'a [u16; LANE_BLOCK], &'a [u16; LANE_BLOCK]);

task! {
    impl['a] EqualLanes<'a> => u32, |task, simd: S| {
        simd.equal_lanes(task.0, task.1)
    }
}

#[test]
fn every_kernel_counts_equal_lanes_like_the_portable_one() {
    let mut random = SplitMix64::new(4);
    for round in 0..ROUNDS {
        // From all lanes equal, over lanes equal in one byte only, to all lanes different; at both ends of the range.
        let a: [u16; LANE_BLOCK] =
            std::array::from_fn(|_| [0, u16::MAX, random.next_u64() as u16][round % 3]);
        let change = [1, 0x100, 0x8000, 0xffff][round % 4];
        let b = a.map(|lane| if random.below(32) < round as u64 % 33 { lane ^ change } else { lane });
        let expected = (0..LANE_BLOCK).filter(|&i| a[i] == b[i]).count() as u32;
        law!(EqualLanes(&a, &b) => expected);
    }
}

struct BitsAt<'a>(&'a [u64; CHUNK], &'a [u64; BIT_WORDS]);

task! {
    impl['a] BitsAt<'a> => u64, |task, simd: S| {
        simd.bits_at(task.0, task.1)
    }
}

#[test]
fn every_kernel_looks_up_bits_like_the_portable_one() {
    let mut random = SplitMix64::new(5);
    for round in 0..ROUNDS / 4 {
        let words: [u64; BIT_WORDS] = std::array::from_fn(|_| random.next_u64() & random.next_u64());
        let positions: [u64; CHUNK] = std::array::from_fn(|i| match round {
            0..8 => (64 * round + i) as u64,
            _ => random.below(64 * BIT_WORDS as u64),
        });
        let expected = (0..CHUNK)
            .filter(|&i| words[(positions[i] / 64) as usize] & 1 << (positions[i] % 64) != 0)
            .fold(0, |mask, i| mask | 1 << i);
        law!(BitsAt(&positions, &words) => expected);
    }
}

struct BitsAtTops<'a>(&'a [u64; CHUNK], u32, &'a [u64; TOP_WORDS]);

task! {
    impl['a] BitsAtTops<'a> => u64, |task, simd: S| {
        simd.bits_at_tops(task.0, task.1, task.2)
    }
}

#[test]
fn every_kernel_looks_up_bits_at_the_tops_of_numbers_like_the_portable_one() {
    let mut random = SplitMix64::new(6);
    for round in 0..ROUNDS / 4 {
        let words: [u64; TOP_WORDS] = std::array::from_fn(|_| random.next_u64() & random.next_u64());
        let numbers: [u64; CHUNK] = std::array::from_fn(|i| match round {
            // Every top, with all other bits set or not.
            0..8 => ((64 * (round % 4) + i) as u64) << 56 | [0, u64::MAX >> 8][round / 4],
            _ => random.next_u64(),
        });
        for shift in 56..64 {
            let expected = (0..CHUNK)
                .filter(|&i| {
                    let position = numbers[i] >> shift;
                    words[(position / 64) as usize] & 1 << (position % 64) != 0
                })
                .fold(0, |mask, i| mask | 1 << i);
            law!(BitsAtTops(&numbers, shift, &words) => expected);
        }
    }
}

struct NonzeroBytes<'a>(&'a [u8; CHUNK]);

task! {
    impl['a] NonzeroBytes<'a> => u64, |task, simd: S| {
        simd.nonzero_bytes(task.0)
    }
}

struct Ones(u64, u8);

task! {
    impl[] Ones => Vec<u8>, |task, simd: S| {
        let mut out = [0; CHUNK];
        let count = simd.ones(task.0, task.1, &mut out);
        out[..count].to_vec()
    }
}

#[test]
fn every_kernel_turns_bytes_into_bits_and_bits_into_positions_like_the_portable_one() {
    let mut random = SplitMix64::new(7);
    for round in 0..ROUNDS {
        let mask = match round {
            0..64 => 1 << round,
            64 => 0,
            65 => u64::MAX,
            66..200 => random.next_u64() & random.next_u64() & random.next_u64(),
            _ => random.next_u64(),
        };
        let is_set = |i: usize| mask & 1 << i != 0;
        let bytes: [u8; CHUNK] = std::array::from_fn(|i| if is_set(i) { 1 << (random.below(8)) } else { 0 });
        law!(NonzeroBytes(&bytes) => mask);
        for first in [0, 64, 128, 192] {
            let expected: Vec<u8> = (0..CHUNK).filter(|&i| is_set(i)).map(|i| first + i as u8).collect();
            law!(Ones(mask, first) => expected);
        }
    }
}

struct ByteProducts<'a>(&'a [ByteRows], &'a [ByteQueries]);

task! {
    impl['a] ByteProducts<'a> => Products, |task, simd: S| {
        simd.byte_products(task.0, task.1)
    }
}

#[test]
fn every_kernel_multiplies_vectors_of_bytes_like_the_definition() {
    let mut random = SplitMix64::new(11);
    for round in 0..ROUNDS / 10 {
        let steps = round % 37;
        // Both ends of the range, alone and among others.
        let mut byte = || match random.below(3) {
            0 => [0u8, 127, 128, 255][random.below(4) as usize],
            _ => random.next_u64() as u8,
        };
        let rows: Vec<ByteRows> = (0..steps).map(|_| std::array::from_fn(|_| byte())).collect();
        let queries: Vec<ByteQueries> =
            (0..steps).map(|_| std::array::from_fn(|_| std::array::from_fn(|_| byte() as i8))).collect();
        let expected: Products = std::array::from_fn(|query| {
            std::array::from_fn(|row| {
                let of_step = |step: usize| {
                    (0..4).map(move |i| (step, i)).map(|(step, i)| {
                        i64::from(rows[step][4 * row + i]) * i64::from(queries[step][query][i])
                    })
                };
                (0..steps).flat_map(of_step).sum::<i64>() as i32
            })
        });
        law!(ByteProducts(&rows, &queries) => expected);
    }
}
