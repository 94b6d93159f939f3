//! The primitives with registers of 64 bytes.

use super::masks::{BLOCK, CLASS, Masks, class};
use super::word_hashes::{Blocks, is_word, word_hash};
use super::{CHUNK, Simd};
use crate::hashing::{HIGH_FACTOR, LAST_FACTOR, LENGTH_FACTOR, LOW_FACTOR};
use std::arch::x86_64::*;

/// AVX-512 with byte permutations (VBMI). Built only by `dispatch`, for a CPU that has them.
///
/// It holds the table of byte classes in two registers: all 64 bytes of a block are looked up at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx512 {
    low: __m512i,
    high: __m512i,
}

impl Avx512 {
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    pub(super) fn new() -> Self {
        // SAFETY: the table has 256 bytes, of which the first 128 are loaded.
        unsafe {
            Self {
                low: _mm512_loadu_si512(CLASS.as_ptr().cast()),
                high: _mm512_loadu_si512(CLASS.as_ptr().add(64).cast()),
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    fn block(self, block: &[u8; BLOCK], folded: &mut [u8; BLOCK], fold: bool) -> Masks {
        // SAFETY: the block has 64 bytes; unaligned load.
        let bytes = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
        let non_ascii = _mm512_movepi8_mask(bytes);
        let classes = _mm512_maskz_permutex2var_epi8(!non_ascii, self.low, bytes, self.high);
        let has = |wanted: u8| _mm512_test_epi8_mask(classes, _mm512_set1_epi8(wanted as i8));
        let fold = if fold { class::UPPER } else { 0 };
        let lowered = _mm512_or_si512(bytes, _mm512_and_si512(classes, _mm512_set1_epi8(fold as i8)));
        // SAFETY: as above, for the store.
        unsafe { _mm512_storeu_si512(folded.as_mut_ptr().cast(), lowered) };
        Masks {
            letter: has(class::LETTER),
            digit: has(class::DIGIT),
            word: has(class::WORD),
            mid_letter: has(class::MID_LETTER),
            mid_digit: has(class::MID_DIGIT),
            non_ascii,
        }
    }

    /// Finds where words begin and end in all blocks, then hashes eight words at a time.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi2,bmi1,popcnt")]
    #[inline]
    fn hash_words(blocks: Blocks<'_>, out: &mut [u64]) -> (usize, Option<usize>) {
        blocks.check(out);
        let Blocks { words, position, open, folded } = blocks;
        let mut edges = Edges::new(position);
        let mut count = 0;
        let mut open = open;
        for words in words.chunks(Edges::BLOCKS) {
            edges.find(words, &mut open, |start, end| {
                // The one word that began before these blocks.
                if is_word(folded, start, end) {
                    out[count] = word_hash(folded, start, end);
                    count += 1;
                }
            });
            count += Self::hash_between(&edges, folded, &mut out[count..]);
            edges.base += words.len() * BLOCK;
        }
        (count, open)
    }

    /// Hashes the words between the edges.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi2,bmi1,popcnt")]
    #[inline]
    fn hash_between(edges: &Edges, folded: &[u8], out: &mut [u64]) -> usize {
        let count = edges.count;
        assert!(out.len() >= count);
        let text = folded[edges.base..].as_ptr();
        let [sixty_four, all_bits] = [64, -1].map(|x| _mm512_set1_epi64(x));
        let [low_factor, high_factor, length_factor, last_factor] =
            [LOW_FACTOR, HIGH_FACTOR, LENGTH_FACTOR, LAST_FACTOR].map(|x| _mm512_set1_epi64(x as i64));
        let mut underscores = 0u8;
        let mut first = 0;
        while first < count {
            // SAFETY: both arrays have eight entries more than there are edges.
            let (starts, ends) = unsafe {
                (
                    _mm512_cvtepu32_epi64(_mm256_loadu_si256(edges.starts.as_ptr().add(first).cast())),
                    _mm512_cvtepu32_epi64(_mm256_loadu_si256(edges.ends.as_ptr().add(first).cast())),
                )
            };
            let here = if count - first < 8 { (1u8 << (count - first)) - 1 } else { u8::MAX };
            // SAFETY: every start is a byte of the blocks (`Edges::find`), and `Blocks::check` has made sure that
            // 16 bytes can be read from each of those. Lanes beyond the last word are not read.
            let (low, high) = unsafe {
                (
                    _mm512_mask_i64gather_epi64::<1>(all_bits, here, starts, text.cast()),
                    _mm512_mask_i64gather_epi64::<1>(all_bits, here, starts, text.add(8).cast()),
                )
            };
            let lengths = _mm512_sub_epi64(ends, starts);
            // Keep 8 len bits of 128: the counts of bits to drop are clamped, and shifts by 64 give 0.
            let bits = _mm512_slli_epi64::<3>(lengths);
            let zero = _mm512_setzero_si512();
            let drop_low = _mm512_max_epi64(_mm512_sub_epi64(sixty_four, bits), zero);
            let drop_high = _mm512_max_epi64(
                _mm512_sub_epi64(_mm512_add_epi64(sixty_four, sixty_four), bits),
                zero,
            );
            let low = _mm512_and_si512(low, _mm512_srlv_epi64(all_bits, drop_low));
            let high = _mm512_and_si512(high, _mm512_srlv_epi64(all_bits, drop_high));
            let sum = _mm512_add_epi64(
                _mm512_add_epi64(_mm512_mullo_epi64(low, low_factor), _mm512_mullo_epi64(high, high_factor)),
                _mm512_mul_epu32(lengths, length_factor),
            );
            let mixed = _mm512_mullo_epi64(_mm512_xor_si512(sum, _mm512_srli_epi64::<32>(sum)), last_factor);
            let hash = _mm512_xor_si512(mixed, _mm512_srli_epi64::<29>(mixed));
            // SAFETY: `out` has room for `count` words, and lanes beyond are not written.
            unsafe { _mm512_mask_storeu_epi64(out.as_mut_ptr().add(first).cast(), here, hash) };
            let is_long = _mm512_mask_cmpgt_epi64_mask(here, lengths, _mm512_set1_epi64(16));
            let first_byte = _mm512_and_si512(low, _mm512_set1_epi64(0xff));
            let underscore = _mm512_mask_cmpeq_epi64_mask(here, first_byte, _mm512_set1_epi64(i64::from(b'_')));
            let mut is_long = u32::from(is_long);
            while is_long != 0 {
                let i = first + is_long.trailing_zeros() as usize;
                is_long &= is_long - 1;
                out[i] = word_hash(folded, edges.start(i), edges.end(i));
            }
            underscores |= underscore;
            first += 8;
        }
        if underscores == 0 { count } else { drop_underscores(edges, folded, out) }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn below_limit(values: &[u64; CHUNK], limit: u64) -> u64 {
        let limit = _mm512_set1_epi64(limit as i64);
        let mut mask = 0;
        for (i, eight) in values.as_chunks::<8>().0.iter().enumerate() {
            // SAFETY: eight values of 8 bytes; unaligned load.
            let eight = unsafe { _mm512_loadu_si512(eight.as_ptr().cast()) };
            mask |= u64::from(_mm512_cmplt_epu64_mask(eight, limit)) << (8 * i);
        }
        mask
    }
}

/// Takes out what consists of underscores only.
#[cold]
#[inline(never)]
fn drop_underscores(edges: &Edges, folded: &[u8], out: &mut [u64]) -> usize {
    let mut kept = 0;
    for i in 0..edges.count {
        if is_word(folded, edges.start(i), edges.end(i)) {
            out[kept] = out[i];
            kept += 1;
        }
    }
    kept
}

/// Where the words of some blocks begin and end, counted from `base`.
struct Edges {
    base: usize,
    count: usize,
    starts: [u32; Self::ROOM],
    ends: [u32; Self::ROOM],
}

impl Edges {
    /// Blocks that are looked at together.
    const BLOCKS: usize = 32;
    /// Room for every word, for a vector that is written and read past the last one, and for one word that is open.
    const ROOM: usize = Self::BLOCKS * BLOCK / 2 + 33;

    fn new(base: usize) -> Self {
        Self { base, count: 0, starts: [0; Self::ROOM], ends: [0; Self::ROOM] }
    }

    #[inline(always)]
    fn start(&self, i: usize) -> usize {
        self.base + self.starts[i] as usize
    }

    #[inline(always)]
    fn end(&self, i: usize) -> usize {
        self.base + self.ends[i] as usize
    }

    /// Finds the edges in `words`. The end of a word that was `open` before is told to `close`; `open` becomes the
    /// word that reaches out of the last block.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,popcnt")]
    #[inline]
    fn find(&mut self, words: &[u64], open: &mut Option<usize>, mut close: impl FnMut(usize, usize)) {
        let mut carry = u64::from(open.is_some());
        let (mut starts_count, mut ends_count) = (0, 0);
        for (number, &words) in words.iter().take(Self::BLOCKS).enumerate() {
            let offset = number * BLOCK;
            let shifted = words << 1 | carry;
            let starts = words & !shifted;
            let mut ends = !words & shifted;
            carry = words >> 63;
            if let Some(start) = *open {
                if ends == 0 {
                    continue; // the open word goes on through the whole block
                }
                close(start, self.base + offset + ends.trailing_zeros() as usize);
                ends &= ends - 1;
                *open = None;
            }
            // SAFETY: there are at most 32 starts and 32 ends in a block, and one open word before them.
            unsafe {
                write_positions(starts, offset as u32, self.starts.as_mut_ptr().add(starts_count));
                write_positions(ends, offset as u32, self.ends.as_mut_ptr().add(ends_count));
            }
            starts_count += starts.count_ones() as usize;
            ends_count += ends.count_ones() as usize;
        }
        self.count = ends_count;
        if starts_count > ends_count {
            *open = Some(self.start(ends_count));
        }
    }
}

/// Writes the positions of the bits of `mask`, plus `offset`, 16 at a time.
///
/// # Safety
/// 32 numbers can be written to `out`, and `mask` has at most 32 bits.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
#[inline]
unsafe fn write_positions(mask: u64, offset: u32, out: *mut u32) {
    let positions = _mm512_maskz_compress_epi8(mask, iota());
    let offset = _mm512_set1_epi32(offset as i32);
    // SAFETY: the caller's.
    unsafe {
        let first = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(positions));
        _mm512_storeu_si512(out.cast(), _mm512_add_epi32(first, offset));
        if mask.count_ones() > 16 {
            let second = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32::<1>(positions));
            _mm512_storeu_si512(out.add(16).cast(), _mm512_add_epi32(second, offset));
        }
    }
}

/// The bytes 0, 1, ..., 63.
#[target_feature(enable = "avx512f")]
#[inline]
fn iota() -> __m512i {
    static BYTES: [u8; 64] = {
        let mut bytes = [0; 64];
        let mut i = 0;
        while i < 64 {
            bytes[i] = i as u8;
            i += 1;
        }
        bytes
    };
    // SAFETY: 64 bytes; unaligned load.
    unsafe { _mm512_loadu_si512(BYTES.as_ptr().cast()) }
}

impl Simd for Avx512 {
    const MULTIPLIES_64_BIT_LANES: bool = true;

    #[inline(always)]
    fn classify(self, block: &[u8; BLOCK], folded: &mut [u8; BLOCK], fold: bool) -> Masks {
        // SAFETY: `self` is made only where AVX-512 VBMI is there.
        unsafe { self.block(block, folded, fold) }
    }

    #[inline(always)]
    fn below(self, values: &[u64; CHUNK], limit: u64) -> u64 {
        // SAFETY: as above.
        unsafe { Self::below_limit(values, limit) }
    }

    #[inline(always)]
    fn word_hashes(self, blocks: Blocks<'_>, out: &mut [u64]) -> (usize, Option<usize>) {
        // SAFETY: as above.
        unsafe { Self::hash_words(blocks, out) }
    }
}
