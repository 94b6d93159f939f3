//! The primitives with registers of 32 bytes.

instruction_set!($ Avx2: "avx2", "bmi1", "bmi2", "lzcnt", "popcnt");

use crate::arch::masks::{BLOCK, Masks};
use crate::arch::{
    ByteQueries, ByteRows, CHUNK, LANE_BLOCK, PRODUCT_QUERIES, PRODUCT_ROWS, Products, SET_BLOCK, Simd,
    Tuning,
};
use std::arch::asm;
use std::arch::x86_64::*;

/// AVX2 and the bit manipulation instructions. Only `run` makes a value, on a CPU that has them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    compiled! {
        pub(super) fn new() -> Self {
            Self(())
        }

        /// Half a block: the bytes in lower case and the six masks. Classes are found by comparison.
        fn half(bytes: __m256i, fold: bool) -> (__m256i, [u32; 6]) {
            // Comparisons are signed, so bytes from 128 up are negative and in no range.
            let within = |v: __m256i, low: u8, high: u8| {
                _mm256_and_si256(
                    _mm256_cmpgt_epi8(v, _mm256_set1_epi8(low as i8 - 1)),
                    _mm256_cmpgt_epi8(_mm256_set1_epi8(high as i8 + 1), v),
                )
            };
            let is = |byte: u8| _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8));
            let upper = within(bytes, b'A', b'Z');
            let lowered = _mm256_or_si256(bytes, _mm256_and_si256(upper, _mm256_set1_epi8(0x20)));
            let letter = within(lowered, b'a', b'z');
            let digit = within(bytes, b'0', b'9');
            let word = _mm256_or_si256(_mm256_or_si256(letter, digit), is(b'_'));
            let mid_both = _mm256_or_si256(is(b'\''), is(b'.'));
            let mid_letter = _mm256_or_si256(mid_both, is(b':'));
            let mid_digit = _mm256_or_si256(mid_both, _mm256_or_si256(is(b','), is(b';')));
            let masks = [
                Self::mask(letter),
                Self::mask(digit),
                Self::mask(word),
                Self::mask(mid_letter),
                Self::mask(mid_digit),
                Self::mask(bytes),
            ];
            (if fold { lowered } else { bytes }, masks)
        }

        /// The top bit of every byte, as a number that the compiler cannot look into.
        ///
        /// Otherwise the compiler replaces the number by vectors of single bits, for which AVX2 has no instructions,
        /// and moves them one by one. That would halve the speed of the whole kernel.
        fn mask(bytes: __m256i) -> u32 {
            let mut mask = _mm256_movemask_epi8(bytes) as u32;
            // SAFETY: the assembly has no instruction. (Miri does not support assembly.)
            #[cfg(not(miri))]
            unsafe { asm!("/* {0:e} */", inout(reg) mask, options(pure, nomem, nostack, preserves_flags)) };
            mask
        }

        fn block(block: &[u8; BLOCK], folded: &mut [u8; BLOCK], fold: bool) -> Masks {
            // SAFETY: the block has 64 bytes; unaligned loads.
            let (low, high) = unsafe {
                (_mm256_loadu_si256(block.as_ptr().cast()), _mm256_loadu_si256(block.as_ptr().add(32).cast()))
            };
            let (low, low_masks) = Self::half(low, fold);
            let (high, high_masks) = Self::half(high, fold);
            // SAFETY: as above, for the stores.
            unsafe {
                _mm256_storeu_si256(folded.as_mut_ptr().cast(), low);
                _mm256_storeu_si256(folded.as_mut_ptr().add(32).cast(), high);
            }
            let join = |i: usize| u64::from(low_masks[i]) | u64::from(high_masks[i]) << 32;
            Masks {
                letter: join(0),
                digit: join(1),
                word: join(2),
                mid_letter: join(3),
                mid_digit: join(4),
                non_ascii: join(5),
            }
        }

        fn below_limit(values: &[u64; CHUNK], limit: u64) -> u64 {
            // AVX2 compares only signed numbers. Flipping the top bit turns unsigned order into signed order.
            let flip = _mm256_set1_epi64x(i64::MIN);
            let limit = _mm256_xor_si256(_mm256_set1_epi64x(limit as i64), flip);
            let mut mask = 0;
            for (i, four) in values.as_chunks::<4>().0.iter().enumerate() {
                // SAFETY: four values of 8 bytes; unaligned load.
                let four = unsafe { _mm256_loadu_si256(four.as_ptr().cast()) };
                let below = _mm256_cmpgt_epi64(limit, _mm256_xor_si256(four, flip));
                mask |= (_mm256_movemask_pd(_mm256_castsi256_pd(below)) as u64) << (4 * i);
            }
            mask
        }

        fn shared(a: &[u64; SET_BLOCK], b: &[u64; SET_BLOCK]) -> u32 {
            // SAFETY: `a` is 8 elements of 8 bytes: two loads of 4, unaligned.
            let (low, high) =
                unsafe { (_mm256_loadu_si256(a.as_ptr().cast()), _mm256_loadu_si256(a.as_ptr().add(4).cast())) };
            let (mut shared_low, mut shared_high) = (_mm256_setzero_si256(), _mm256_setzero_si256());
            for &y in b {
                let y = _mm256_set1_epi64x(y.cast_signed());
                shared_low = _mm256_or_si256(shared_low, _mm256_cmpeq_epi64(low, y));
                shared_high = _mm256_or_si256(shared_high, _mm256_cmpeq_epi64(high, y));
            }
            // With one mask of all 8, the compiler would pack the result of every single comparison.
            let low = _mm256_movemask_pd(_mm256_castsi256_pd(shared_low));
            let high = _mm256_movemask_pd(_mm256_castsi256_pd(shared_high));
            low.count_ones() + high.count_ones()
        }

        fn equal(a: &[u16; LANE_BLOCK], b: &[u16; LANE_BLOCK]) -> u32 {
            let mut equal = 0;
            for (a, b) in a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0) {
                // SAFETY: sixteen lanes of 2 bytes each; unaligned loads.
                let (a, b) =
                    unsafe { (_mm256_loadu_si256(a.as_ptr().cast()), _mm256_loadu_si256(b.as_ptr().cast())) };
                // Two bits for each lane.
                equal += Self::mask(_mm256_cmpeq_epi16(a, b)).count_ones() / 2;
            }
            equal
        }

        /// AVX2 has no products of bytes that cannot overflow, so bytes become 16-bit numbers. A register holds four of
        /// the vectors, and two sums for each: that of its first two coordinates and that of the others.
        fn bytes_times(rows: &[ByteRows], queries: &[ByteQueries]) -> Products {
            let mut products = [[0; PRODUCT_ROWS]; PRODUCT_QUERIES];
            // Two queries at a time: their sums, eight registers, leave room for the vectors.
            for pair in 0..PRODUCT_QUERIES / 2 {
                let mut sums = [[_mm256_setzero_si256(); 4]; 2];
                for (rows, queries) in rows.iter().zip(queries) {
                    let queries: [__m256i; 2] = std::array::from_fn(|i| {
                        let query = i32::from_ne_bytes(queries[2 * pair + i].map(i8::cast_unsigned));
                        _mm256_cvtepi8_epi16(_mm_set1_epi32(query))
                    });
                    for (i, four) in rows.as_chunks::<16>().0.iter().enumerate() {
                        // SAFETY: 16 bytes; unaligned load.
                        let four = _mm256_cvtepu8_epi16(unsafe { _mm_loadu_si128(four.as_ptr().cast()) });
                        for (sums, &query) in sums.iter_mut().zip(&queries) {
                            sums[i] = _mm256_add_epi32(sums[i], _mm256_madd_epi16(four, query));
                        }
                    }
                }
                for (i, sums) in sums.iter().enumerate() {
                    for (products, &four) in products[2 * pair + i].as_chunks_mut::<4>().0.iter_mut().zip(sums) {
                        let mut both = [0i32; 8];
                        // SAFETY: 8 numbers of 4 bytes; unaligned store.
                        unsafe { _mm256_storeu_si256(both.as_mut_ptr().cast(), four) };
                        for (product, both) in products.iter_mut().zip(both.as_chunks::<2>().0) {
                            *product = both[0].wrapping_add(both[1]);
                        }
                    }
                }
            }
            products
        }

    }
}

impl Tuning for Avx2 {
    const REGISTER_BYTES: usize = 32;
    const LOOKS_UP_BITS: bool = false;
}

impl Simd for Avx2 {
    #[inline(always)]
    fn classify(self, block: &[u8; BLOCK], folded: &mut [u8; BLOCK], fold: bool) -> Masks {
        // SAFETY: `self` exists only if the CPU has AVX2.
        unsafe { Self::block(block, folded, fold) }
    }

    #[inline(always)]
    fn below(self, values: &[u64; CHUNK], limit: u64) -> u64 {
        // SAFETY: as above.
        unsafe { Self::below_limit(values, limit) }
    }

    #[inline(always)]
    fn shared_elements(self, a: &[u64; SET_BLOCK], b: &[u64; SET_BLOCK]) -> u32 {
        // SAFETY: as above.
        unsafe { Self::shared(a, b) }
    }

    #[inline(always)]
    fn equal_lanes(self, a: &[u16; LANE_BLOCK], b: &[u16; LANE_BLOCK]) -> u32 {
        // SAFETY: as above.
        unsafe { Self::equal(a, b) }
    }

    #[inline(always)]
    fn byte_products(self, rows: &[ByteRows], queries: &[ByteQueries]) -> Products {
        // SAFETY: as above.
        unsafe { Self::bytes_times(rows, queries) }
    }
}
