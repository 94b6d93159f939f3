//! The definition of every primitive, in plain Rust.

use super::masks::{BLOCK, CLASS, Masks, class};
use super::{
    ByteQueries, ByteRows, CHUNK, LANE_BLOCK, PRODUCT_QUERIES, PRODUCT_ROWS, Products, SET_BLOCK, Simd,
    Tuning,
};

/// The kernel that uses only instructions that every CPU has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Portable;

impl Tuning for Portable {
    const REGISTER_BYTES: usize = 16;
    const LOOKS_UP_BITS: bool = false;
}

impl Simd for Portable {
    #[inline(always)]
    fn classify(self, block: &[u8; BLOCK], folded: &mut [u8; BLOCK], fold: bool) -> Masks {
        let mut masks = Masks::default();
        let fold = if fold { class::UPPER } else { 0 };
        for (i, (&byte, out)) in block.iter().zip(folded).enumerate() {
            let class = CLASS[usize::from(byte)];
            // An upper-case letter becomes lower case by setting the bit 32, which is also the bit of its class.
            *out = byte | (class & fold);
            let bit = |wanted: u8| u64::from(class & wanted != 0) << i;
            masks.letter |= bit(class::LETTER);
            masks.digit |= bit(class::DIGIT);
            masks.word |= bit(class::WORD);
            masks.mid_letter |= bit(class::MID_LETTER);
            masks.mid_digit |= bit(class::MID_DIGIT);
            masks.non_ascii |= u64::from(byte >> 7) << i;
        }
        masks
    }

    #[inline(always)]
    fn below(self, values: &[u64; CHUNK], limit: u64) -> u64 {
        let mut mask = 0;
        for (i, &value) in values.iter().enumerate() {
            mask |= u64::from(value < limit) << i;
        }
        mask
    }

    #[inline(always)]
    fn shared_elements(self, a: &[u64; SET_BLOCK], b: &[u64; SET_BLOCK]) -> u32 {
        a.iter().map(|x| u32::from(b.contains(x))).sum()
    }

    #[inline(always)]
    fn equal_lanes(self, a: &[u16; LANE_BLOCK], b: &[u16; LANE_BLOCK]) -> u32 {
        // The count has the width of the lanes, so that the compiler need not widen them.
        let equal: u16 = a.iter().zip(b).map(|(a, b)| u16::from(a == b)).sum();
        u32::from(equal)
    }

    #[inline(always)]
    fn byte_products(self, rows: &[ByteRows], queries: &[ByteQueries]) -> Products {
        let mut products = [[0i32; PRODUCT_ROWS]; PRODUCT_QUERIES];
        for (rows, queries) in rows.iter().zip(queries) {
            for (sums, query) in products.iter_mut().zip(queries) {
                for (sum, row) in sums.iter_mut().zip(rows.as_chunks::<4>().0) {
                    let product = |i: usize| i32::from(row[i]) * i32::from(query[i]);
                    *sum = sum.wrapping_add(product(0) + product(1) + product(2) + product(3));
                }
            }
        }
        products
    }
}
