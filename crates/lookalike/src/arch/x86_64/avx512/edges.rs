//! Masks of words -> hashes of words, eight at a time.
//!
//! There are three steps for every few blocks. First the positions of all edges are found by compressing the numbers
//! 0 to 63 with the mask. Then the first 16 bytes of every word are copied side by side. Then the words are hashed.
//! Gathering the bytes with one instruction would save the copy, but gathers are slow on most CPUs, and even slower
//! with the fixes against data sampling attacks.

use crate::arch::masks::BLOCK;
use crate::arch::word_hashes::{Blocks, is_word, word_hash};
use crate::hashing::Key;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// The number of blocks whose words are found together.
const BLOCKS: usize = 16;

/// Space for every word of so many blocks, for one open word, and for vectors that write past the last word.
const ROOM: usize = BLOCKS * BLOCK / 2 + 1 + 32;

/// The words that end in some blocks: their beginnings and ends, counted from `base`, and their first 16 bytes.
///
/// The first `count` entries of each array are written, and the seven entries after them.
struct Edges {
    base: usize,
    count: usize,
    starts: [MaybeUninit<u32>; ROOM],
    ends: [MaybeUninit<u32>; ROOM],
    heads: [MaybeUninit<[u64; 2]>; ROOM],
}

compiled! {
    /// See [`Simd::word_hashes`](crate::arch::Simd::word_hashes).
    pub(super) fn hash_words(blocks: Blocks<'_>, out: &mut [u64]) -> (usize, Option<usize>) {
        blocks.check(out);
        let Blocks { words, position, mut open, folded, key } = blocks;
        let mut edges = Edges {
            base: position,
            count: 0,
            starts: [MaybeUninit::uninit(); ROOM],
            ends: [MaybeUninit::uninit(); ROOM],
            heads: [MaybeUninit::uninit(); ROOM],
        };
        let mut count = 0;
        for words in words.chunks(BLOCKS) {
            let closed = edges.find(words, &mut open);
            if let Some((start, end)) = closed
                && is_word(folded, start, end)
            {
                out[count] = word_hash(key, folded, start, end);
                count += 1;
            }
            edges.copy_heads(folded);
            count += edges.hash(key, folded, &mut out[count..]);
            edges.base += words.len() * BLOCK;
        }
        (count, open)
    }
}

impl Edges {
    #[inline(always)]
    fn start(&self, i: usize) -> usize {
        assert!(i < self.count);
        // SAFETY: the first `count` entries are written.
        self.base + unsafe { self.starts[i].assume_init() } as usize
    }

    #[inline(always)]
    fn end(&self, i: usize) -> usize {
        assert!(i < self.count);
        // SAFETY: as above.
        self.base + unsafe { self.ends[i].assume_init() } as usize
    }

    compiled! {
        /// Finds the words that begin and end in these blocks. A word that was `open` before and ends here is
        /// returned. `open` becomes the word that continues after the last block.
        fn find(&mut self, words: &[u64], open: &mut Option<usize>) -> Option<(usize, usize)> {
            let mut closed = None;
            let mut carry = u64::from(open.is_some());
            let (mut starts_found, mut ends_found) = (0, 0);
            for (number, &words) in words.iter().take(BLOCKS).enumerate() {
                let offset = number * BLOCK;
                let shifted = words << 1 | carry;
                let starts = words & !shifted;
                let mut ends = !words & shifted;
                carry = words >> 63;
                if let Some(start) = *open {
                    if ends == 0 {
                        continue; // the open word continues through the whole block
                    }
                    closed = Some((start, self.base + offset + ends.trailing_zeros() as usize));
                    ends &= ends - 1;
                    *open = None;
                }
                // SAFETY: a block has at most 32 starts and 32 ends, so there are at most 32 per block before this one,
                // and ROOM has 33 more than that for this one.
                unsafe {
                    write_positions(starts, offset as u32, self.starts.as_mut_ptr().add(starts_found).cast());
                    write_positions(ends, offset as u32, self.ends.as_mut_ptr().add(ends_found).cast());
                }
                starts_found += starts.count_ones() as usize;
                ends_found += ends.count_ones() as usize;
            }
            self.count = ends_found;
            if starts_found > ends_found {
                // SAFETY: this many starts are written.
                *open = Some(self.base + unsafe { self.starts[ends_found].assume_init() } as usize);
            }
            closed
        }
    }

    compiled! {
        /// Copies the first 16 bytes of every word.
        fn copy_heads(&mut self, folded: &[u8]) {
            let text = folded[self.base..].as_ptr();
            for (start, head) in self.starts[..self.count].iter().zip(&mut self.heads) {
                // SAFETY: the start is written and is a byte of the blocks. `Blocks::check` has made sure that 16
                // bytes can be read from each byte of the blocks.
                unsafe {
                    let bytes = _mm_loadu_si128(text.add(start.assume_init() as usize).cast());
                    _mm_storeu_si128(head.as_mut_ptr().cast(), bytes);
                }
            }
            for i in self.count..self.count + 7 {
                self.starts[i].write(0);
                self.ends[i].write(0);
                self.heads[i].write([0; 2]);
            }
        }
    }

    compiled! {
        /// Hashes the words.
        fn hash(&self, key: &Key, folded: &[u8], out: &mut [u64]) -> usize {
            let out = &mut out[..self.count];
            let number = |x: u64| _mm512_set1_epi64(x as i64);
            let (even, odd) =
                (_mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15));
            let (add_low, add_high) = (number(key.word.low), number(key.word.high));
            let factor = number(key.word.factor);
            let mut underscores = 0u8;
            let mut first = 0;
            while first < self.count {
                // SAFETY: all three arrays are written up to seven entries past the last word.
                let (starts, ends, heads, more_heads) = unsafe {
                    (
                        _mm512_cvtepu32_epi64(_mm256_loadu_si256(self.starts.as_ptr().add(first).cast())),
                        _mm512_cvtepu32_epi64(_mm256_loadu_si256(self.ends.as_ptr().add(first).cast())),
                        _mm512_loadu_si512(self.heads.as_ptr().add(first).cast()),
                        _mm512_loadu_si512(self.heads.as_ptr().add(first + 4).cast()),
                    )
                };
                let lengths = _mm512_sub_epi64(ends, starts);
                // Keep 8 len bits of 128. The number of bits to drop is at least 0, and a shift by 64 or more gives
                // 0.
                let bits = _mm512_slli_epi64::<3>(lengths);
                let keep = |of: u64| {
                    let dropped = _mm512_max_epi64(_mm512_sub_epi64(number(of), bits), number(0));
                    _mm512_srlv_epi64(number(u64::MAX), dropped)
                };
                let low = _mm512_and_si512(_mm512_permutex2var_epi64(heads, even, more_heads), keep(64));
                let high = _mm512_and_si512(_mm512_permutex2var_epi64(heads, odd, more_heads), keep(128));
                let (lo, hi) = wide_products(_mm512_add_epi64(low, add_low), _mm512_add_epi64(high, add_high));
                let hash = _mm512_add_epi64(_mm512_add_epi64(lo, lengths), _mm512_mullo_epi64(hi, factor));
                let left = self.count - first;
                let here = if left < 8 { (1u8 << left) - 1 } else { u8::MAX };
                // SAFETY: `out` has `count` entries, and only the hashes of existing words are written.
                unsafe { _mm512_mask_storeu_epi64(out.as_mut_ptr().add(first).cast(), here, hash) };
                let mut is_long = u32::from(_mm512_mask_cmpgt_epi64_mask(here, lengths, number(16)));
                while is_long != 0 {
                    let i = first + is_long.trailing_zeros() as usize;
                    is_long &= is_long - 1;
                    out[i] = word_hash(key, folded, self.start(i), self.end(i));
                }
                let first_bytes = _mm512_and_si512(low, number(0xff));
                underscores |= _mm512_mask_cmpeq_epi64_mask(here, first_bytes, number(u64::from(b'_')));
                first += 8;
            }
            if underscores == 0 { self.count } else { self.drop_underscores(folded, out) }
        }
    }

    /// Removes words that consist of underscores only.
    #[cold]
    #[inline(never)]
    fn drop_underscores(&self, folded: &[u8], out: &mut [u64]) -> usize {
        let mut kept = 0;
        for i in 0..self.count {
            if is_word(folded, self.start(i), self.end(i)) {
                out[kept] = out[i];
                kept += 1;
            }
        }
        kept
    }
}

compiled! {
    /// The low and the high halves of the 128-bit products of eight pairs of numbers, from products of their halves.
    fn wide_products(a: __m512i, b: __m512i) -> (__m512i, __m512i) {
        let (a_high, b_high) = (_mm512_srli_epi64::<32>(a), _mm512_srli_epi64::<32>(b));
        let (low, high) = (_mm512_mul_epu32(a, b), _mm512_mul_epu32(a_high, b_high));
        // Neither of these sums exceeds 64 bits: (2^32 - 1)^2 + 2^32 - 1 < 2^64.
        let middle = _mm512_add_epi64(_mm512_mul_epu32(a_high, b), _mm512_srli_epi64::<32>(low));
        let low_of_middle = _mm512_and_si512(middle, _mm512_set1_epi64(0xffff_ffff));
        let other = _mm512_add_epi64(_mm512_mul_epu32(a, b_high), low_of_middle);
        let high = _mm512_add_epi64(
            _mm512_add_epi64(high, _mm512_srli_epi64::<32>(middle)),
            _mm512_srli_epi64::<32>(other),
        );
        (_mm512_mask_blend_epi32(0xaaaa, low, _mm512_slli_epi64::<32>(other)), high)
    }
}

compiled! {
    /// Writes the positions of the bits of `mask`, plus `offset`, 16 at a time.
    ///
    /// # Safety
    ///
    /// 32 numbers can be written to `out`, and `mask` has at most 32 bits.
    unsafe fn write_positions(mask: u64, offset: u32, out: *mut u32) {
        let positions = _mm512_maskz_compress_epi8(mask, zero_to_sixty_three());
        let offset = _mm512_set1_epi32(offset as i32);
        // SAFETY: the caller guarantees that 32 numbers can be written to `out`.
        unsafe {
            let first = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(positions));
            _mm512_storeu_si512(out.cast(), _mm512_add_epi32(first, offset));
            if mask.count_ones() > 16 {
                let second = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32::<1>(positions));
                _mm512_storeu_si512(out.add(16).cast(), _mm512_add_epi32(second, offset));
            }
        }
    }
}

compiled! {
    fn zero_to_sixty_three() -> __m512i {
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
}
