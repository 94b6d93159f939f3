//! The primitives with registers of 64 bytes.

#[rustfmt::skip]
instruction_set!(
    $ Avx512: "avx2", "bmi1", "bmi2", "lzcnt", "popcnt", "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd",
    "avx512vbmi", "avx512vbmi2", "avx512bitalg", "avx512vpopcntdq", "avx512vnni"
);

mod edges;

use crate::arch::masks::{BLOCK, CLASS, Masks, class};
use crate::arch::word_hashes::Blocks;
use crate::arch::{
    BIT_WORDS, ByteQueries, ByteRows, CHUNK, LANE_BLOCK, PRODUCT_QUERIES, PRODUCT_ROWS, Products, SET_BLOCK,
    Simd, TOP_WORDS, Tuning,
};
use std::arch::x86_64::*;

/// AVX-512 with byte permutations (VBMI, VBMI2), bit counts (BITALG, VPOPCNTDQ) and sums of products (VNNI), as in every CPU since Ice Lake
/// and Zen 4. Only `run` makes a value, on a CPU that has them.
///
/// It holds the table of byte classes in two registers, so that all 64 bytes of a block are looked up at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx512 {
    low: __m512i,
    high: __m512i,
}

/// 0, 1, 2, ...
const NUMBERS: [u8; 64] = {
    let mut numbers = [0; 64];
    let mut i = 0;
    while i < 64 {
        numbers[i] = i as u8;
        i += 1;
    }
    numbers
};

/// For every i, the byte in which [`Avx512::bits_of_tops`] finds the top of number i.
const TOPS: [u8; 64] = {
    let mut tops = [0; 64];
    let mut i = 0;
    while i < 64 {
        tops[i] = (8 * (i % 8) + 7 - i / 8) as u8;
        i += 1;
    }
    tops
};

impl Avx512 {
    compiled! {
        pub(super) fn new() -> Self {
            // SAFETY: the table has 256 bytes, of which the first 128 are loaded.
            unsafe {
                Self {
                    low: _mm512_loadu_si512(CLASS.as_ptr().cast()),
                    high: _mm512_loadu_si512(CLASS.as_ptr().add(64).cast()),
                }
            }
        }

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

        fn bits(positions: &[u64; CHUNK], words: &[u64; BIT_WORDS]) -> u64 {
            // SAFETY: eight words of 8 bytes; unaligned load.
            let words = unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
            let mut mask = 0;
            for (i, eight) in positions.as_chunks::<8>().0.iter().enumerate() {
                // SAFETY: eight positions of 8 bytes; unaligned load.
                let eight = unsafe { _mm512_loadu_si512(eight.as_ptr().cast()) };
                let word = _mm512_permutexvar_epi64(_mm512_srli_epi64::<6>(eight), words);
                let bit = _mm512_sllv_epi64(_mm512_set1_epi64(1), _mm512_and_si512(eight, _mm512_set1_epi64(63)));
                mask |= u64::from(_mm512_test_epi64_mask(word, bit)) << (8 * i);
            }
            mask
        }

        fn bits_of_tops(numbers: &[u64; CHUNK], shift: u32, words: &[u64; TOP_WORDS]) -> u64 {
            // The top bytes of all numbers in one register: byte 8 i + 7 - j is that of number 8 j + i.
            let mut tops = _mm512_setzero_si512();
            for eight in numbers.as_chunks::<8>().0 {
                // SAFETY: eight numbers of 8 bytes; unaligned load.
                let eight = unsafe { _mm512_loadu_si512(eight.as_ptr().cast()) };
                tops = _mm512_shldi_epi64::<8>(tops, eight);
            }
            // SAFETY: 64 bytes; unaligned load.
            let order = unsafe { _mm512_loadu_si512(TOPS.as_ptr().cast()) };
            let tops = _mm512_permutexvar_epi8(order, tops);
            // Bytes cannot be shifted, only pairs of them. The mask removes what came from the other byte.
            let drop = _mm_cvtsi32_si128(shift as i32 - 56);
            let mask = _mm512_set1_epi8((0xff_u8 >> (shift - 56)) as i8);
            let positions = _mm512_and_si512(_mm512_srl_epi16(tops, drop), mask);
            // SAFETY: four words of 8 bytes; unaligned load.
            let words = unsafe { _mm512_castsi256_si512(_mm256_loadu_si256(words.as_ptr().cast())) };
            let byte = _mm512_and_si512(_mm512_srli_epi16::<3>(positions), _mm512_set1_epi8(31));
            let bytes = _mm512_permutexvar_epi8(byte, words);
            let powers = _mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64);
            let bits = _mm512_shuffle_epi8(powers, _mm512_and_si512(positions, _mm512_set1_epi8(7)));
            _mm512_test_epi8_mask(bytes, bits)
        }

        fn nonzero(bytes: &[u8; CHUNK]) -> u64 {
            // SAFETY: 64 bytes; unaligned load.
            let bytes = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
            _mm512_test_epi8_mask(bytes, bytes)
        }

        fn positions(mask: u64, first: u8, out: &mut [u8; CHUNK]) -> usize {
            // SAFETY: 64 bytes; unaligned load.
            let numbers = unsafe { _mm512_loadu_si512(NUMBERS.as_ptr().cast()) };
            let numbers = _mm512_add_epi8(numbers, _mm512_set1_epi8(first as i8));
            // SAFETY: 64 bytes; unaligned store.
            unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), _mm512_maskz_compress_epi8(mask, numbers)) };
            mask.count_ones() as usize
        }

        fn shared(a: &[u64; SET_BLOCK], b: &[u64; SET_BLOCK]) -> u32 {
            // SAFETY: `a` is 8 elements of 8 bytes; unaligned load.
            let a = unsafe { _mm512_loadu_si512(a.as_ptr().cast()) };
            let mut shared = 0;
            for y in b {
                // `_mm512_set1_epi64(*y)` becomes a load and a shuffle for half of the elements. This form becomes
                // the memory operand of the comparison itself. SAFETY: the load reads the 8 bytes of `y`.
                let y = _mm512_broadcastq_epi64(unsafe { _mm_loadl_epi64((&raw const *y).cast()) });
                shared |= _mm512_cmpeq_epi64_mask(a, y);
            }
            shared.count_ones()
        }

        fn equal(a: &[u16; LANE_BLOCK], b: &[u16; LANE_BLOCK]) -> u32 {
            // SAFETY: 32 lanes of 2 bytes each; unaligned loads.
            let (a, b) =
                unsafe { (_mm512_loadu_si512(a.as_ptr().cast()), _mm512_loadu_si512(b.as_ptr().cast())) };
            _mm512_cmpeq_epi16_mask(a, b).count_ones()
        }

        fn bytes_times(rows: &[ByteRows], queries: &[ByteQueries]) -> Products {
            let mut sums = [_mm512_setzero_si512(); PRODUCT_QUERIES];
            for (rows, queries) in rows.iter().zip(queries) {
                // SAFETY: 64 bytes; unaligned load.
                let rows = unsafe { _mm512_loadu_si512(rows.as_ptr().cast()) };
                for (sum, query) in sums.iter_mut().zip(queries) {
                    let query = _mm512_set1_epi32(i32::from_ne_bytes(query.map(i8::cast_unsigned)));
                    *sum = _mm512_dpbusd_epi32(*sum, rows, query);
                }
            }
            Self::stored(sums)
        }

        fn stored(sums: [__m512i; PRODUCT_QUERIES]) -> Products {
            let mut products = [[0; PRODUCT_ROWS]; PRODUCT_QUERIES];
            for (products, sum) in products.iter_mut().zip(sums) {
                // SAFETY: 16 numbers of 4 bytes; unaligned store.
                unsafe { _mm512_storeu_si512(products.as_mut_ptr().cast(), sum) };
            }
            products
        }
    }
}

impl Tuning for Avx512 {
    const REGISTER_BYTES: usize = 64;
    const LOOKS_UP_BITS: bool = true;
}

impl Simd for Avx512 {
    #[inline(always)]
    fn classify(self, block: &[u8; BLOCK], folded: &mut [u8; BLOCK], fold: bool) -> Masks {
        // SAFETY: `self` exists only if the CPU has all features that the AVX-512 kernel lists.
        unsafe { self.block(block, folded, fold) }
    }

    #[inline(always)]
    fn below(self, values: &[u64; CHUNK], limit: u64) -> u64 {
        // SAFETY: as above.
        unsafe { Self::below_limit(values, limit) }
    }

    #[inline(always)]
    fn bits_at(self, positions: &[u64; CHUNK], words: &[u64; BIT_WORDS]) -> u64 {
        // SAFETY: as above.
        unsafe { Self::bits(positions, words) }
    }

    #[inline(always)]
    fn bits_at_tops(self, numbers: &[u64; CHUNK], shift: u32, words: &[u64; TOP_WORDS]) -> u64 {
        // SAFETY: as above.
        unsafe { Self::bits_of_tops(numbers, shift, words) }
    }

    #[inline(always)]
    fn nonzero_bytes(self, bytes: &[u8; CHUNK]) -> u64 {
        // SAFETY: as above.
        unsafe { Self::nonzero(bytes) }
    }

    #[inline(always)]
    fn ones(self, mask: u64, first: u8, out: &mut [u8; CHUNK]) -> usize {
        // SAFETY: as above.
        unsafe { Self::positions(mask, first, out) }
    }

    #[inline(always)]
    fn word_hashes(self, blocks: Blocks<'_>, out: &mut [u64]) -> (usize, Option<usize>) {
        // SAFETY: as above.
        unsafe { edges::hash_words(blocks, out) }
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
