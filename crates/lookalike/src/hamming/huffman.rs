//! Symbols with frequencies -> a canonical Huffman code, and bits written and read with it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A string of bits in 64-bit words, the first bit the most significant.
#[derive(Debug, Clone, Default)]
pub(super) struct BitWriter {
    words: Vec<u64>,
    length: u64,
}

impl BitWriter {
    /// Appends the low `count` bits of `bits`, the highest of them first.
    pub(super) fn write(&mut self, bits: u128, count: u32) {
        for place in (0..count).rev().step_by(64) {
            // `place` is the highest of the remaining bits. At most 64 bits are taken at a time, from the top.
            let taken = place.min(63) + 1;
            self.write_word((bits >> (place + 1 - taken)) as u64, taken);
        }
    }

    fn write_word(&mut self, bits: u64, count: u32) {
        let used = (self.length % 64) as u32;
        let aligned = bits << (64 - count);
        if used == 0 {
            self.words.push(aligned);
        } else {
            if let Some(last) = self.words.last_mut() {
                *last |= aligned >> used;
            }
            if used + count > 64 {
                self.words.push(aligned << (64 - used));
            }
        }
        self.length += u64::from(count);
    }

    /// The number of bits written.
    pub(super) fn len(&self) -> u64 {
        self.length
    }

    /// The words, with one word of padding so that a reader may look 64 bits ahead.
    pub(super) fn into_words(mut self) -> Vec<u64> {
        self.words.push(0);
        self.words.shrink_to_fit();
        self.words
    }
}

/// Reads the bits that a [`BitWriter`] wrote. After the end it reads zeros.
#[derive(Debug)]
pub(super) struct BitReader<'a> {
    words: &'a [u64],
    position: u64,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(words: &'a [u64], position: u64) -> Self {
        Self { words, position }
    }

    /// The next 64 bits, without moving.
    #[inline]
    fn window(&self) -> u64 {
        let (word, used) = ((self.position / 64) as usize, (self.position % 64) as u32);
        let at = |i: usize| self.words.get(i).copied().unwrap_or(0);
        // Shift in two steps, because a single shift by 64 is not possible.
        at(word) << used | at(word + 1) >> 1 >> (63 - used)
    }

    /// The next `count` bits, at most 128, as a number.
    #[inline]
    pub(super) fn read(&mut self, count: u32) -> u128 {
        if count <= 64 {
            return u128::from(self.read_word(count));
        }
        let high = self.read_word(count - 64);
        u128::from(high) << 64 | u128::from(self.read_word(64))
    }

    #[inline]
    fn read_word(&mut self, count: u32) -> u64 {
        if count == 0 {
            return 0;
        }
        let bits = self.window() >> (64 - count);
        self.position += u64::from(count);
        bits
    }
}

/// A canonical Huffman code: codes of one length are consecutive numbers, in the order of the symbols.
#[derive(Debug, Clone, Default)]
pub(super) struct HuffmanCode {
    /// For each symbol its code and the length of the code (0 for a symbol that does not occur).
    codes: Vec<(u64, u32)>,
    /// The lengths that occur, shortest first.
    lengths: Vec<CodesOfLength>,
    /// The symbols, ordered by the length of their codes, then by symbol.
    symbols: Vec<u32>,
    /// For each value of the next bits the symbol and the length of its code; 0 if the code is longer than these
    /// bits.
    short: Vec<(u32, u32)>,
}

/// Codes of up to this many bits are read by one table lookup.
const SHORT: u32 = 8;

/// The codes of one length.
#[derive(Debug, Clone, Copy)]
struct CodesOfLength {
    length: u32,
    first_code: u64,
    /// The last code of this length, shifted to the top and filled up with ones. A window that begins with a code of
    /// this length or less is never above it.
    last_window: u64,
    first_symbol: usize,
}

impl HuffmanCode {
    /// The code for symbols 0, 1, ... with these frequencies. Their sum must be below 2^40, so that no code is longer
    /// than 64 bits. (Depth d needs at least the sum of d Fibonacci numbers.)
    pub(super) fn new(frequencies: &[u64]) -> Self {
        let mut by_length: Vec<(u32, u32)> =
            code_lengths(frequencies).into_iter().zip(0u32..).filter(|&(length, _)| length > 0).collect();
        by_length.sort_unstable();
        let mut code = Self {
            codes: vec![(0, 0); frequencies.len()],
            short: vec![(0, 0); 1 << SHORT],
            ..Self::default()
        };
        let mut next = 0u64;
        let mut previous_length = 0;
        for &(length, symbol) in &by_length {
            if length != previous_length {
                next = if previous_length == 0 { 0 } else { next << (length - previous_length) };
                previous_length = length;
                let first_symbol = code.symbols.len();
                code.lengths.push(CodesOfLength { length, first_code: next, last_window: 0, first_symbol });
            }
            if let Some(last) = code.lengths.last_mut() {
                last.last_window = next << (64 - length) | (u64::MAX >> 1 >> (length - 1));
            }
            code.codes[symbol as usize] = (next, length);
            code.symbols.push(symbol);
            if length <= SHORT {
                let first = (next << (SHORT - length)) as usize;
                code.short[first..first + (1 << (SHORT - length))].fill((symbol, length));
            }
            next = next.wrapping_add(1);
        }
        code
    }

    pub(super) fn write(&self, symbol: u32, out: &mut BitWriter) {
        let (code, length) = self.codes[symbol as usize];
        out.write(u128::from(code), length);
    }

    /// The next symbol, or `None` if the bits do not begin with a code.
    #[inline]
    pub(super) fn read(&self, bits: &mut BitReader<'_>) -> Option<u32> {
        let window = bits.window();
        let (symbol, length) = self.short[(window >> (64 - SHORT)) as usize];
        if length > 0 {
            bits.position += u64::from(length);
            return Some(symbol);
        }
        let found = self.lengths.iter().find(|codes| window <= codes.last_window)?;
        bits.position += u64::from(found.length);
        let offset = (window >> (64 - found.length)) - found.first_code;
        Some(self.symbols[found.first_symbol + offset as usize])
    }
}

/// The code length of each symbol: 0 for symbols that do not occur, and 1 if only one symbol occurs.
fn code_lengths(frequencies: &[u64]) -> Vec<u32> {
    let mut lengths = vec![0; frequencies.len()];
    // Trees are (frequency, number) with their symbols. The number breaks ties, so the code is deterministic.
    let mut members: Vec<Vec<u32>> = Vec::new();
    let mut trees = BinaryHeap::new();
    for (symbol, &frequency) in frequencies.iter().enumerate() {
        if frequency > 0 {
            trees.push(Reverse((frequency, members.len())));
            members.push(vec![symbol as u32]);
        }
    }
    if let [only] = members.as_slice() {
        lengths[only[0] as usize] = 1;
    }
    while let (Some(Reverse(a)), Some(Reverse(b))) = (trees.pop(), trees.pop()) {
        let mut joined = std::mem::take(&mut members[a.1]);
        joined.append(&mut members[b.1]);
        for &symbol in &joined {
            lengths[symbol as usize] += 1;
        }
        trees.push(Reverse((a.0 + b.0, members.len())));
        members.push(joined);
        if trees.len() == 1 {
            break;
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn frequent_symbols_get_short_codes() {
        assert_eq!(code_lengths(&[8, 4, 0, 2, 1, 1]), [1, 2, 0, 3, 4, 4]);
        assert_eq!(code_lengths(&[0, 7]), [0, 1]);
        assert_eq!(code_lengths(&[]), Vec::<u32>::new());
    }

    #[test]
    fn fibonacci_frequencies_give_the_longest_codes() {
        let mut frequencies = vec![1u64, 1];
        while frequencies.iter().sum::<u64>() < 1 << 39 {
            frequencies.push(frequencies[frequencies.len() - 1] + frequencies[frequencies.len() - 2]);
        }
        let code = HuffmanCode::new(&frequencies);
        assert!(code.lengths.iter().all(|codes| codes.length <= 64));
        let mut out = BitWriter::default();
        for symbol in 0..frequencies.len() as u32 {
            code.write(symbol, &mut out);
        }
        let words = out.into_words();
        let mut bits = BitReader::new(&words, 0);
        for symbol in 0..frequencies.len() as u32 {
            assert_eq!(code.read(&mut bits), Some(symbol));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn what_is_written_is_read(
            frequencies in prop::collection::vec(0u64..1000, 1..130),
            picks in prop::collection::vec((any::<prop::sample::Index>(), any::<u128>(), 0u32..=128), 0..100),
        ) {
            let occurring: Vec<u32> =
                (0..frequencies.len() as u32).filter(|&s| frequencies[s as usize] > 0).collect();
            prop_assume!(!occurring.is_empty());
            let code = HuffmanCode::new(&frequencies);
            let low = |bits: u128, count: u32| if count == 128 { bits } else { bits & !(u128::MAX << count) };
            let mut out = BitWriter::default();
            for (pick, bits, count) in &picks {
                code.write(*pick.get(&occurring), &mut out);
                out.write(*bits, *count);
            }
            let length = out.len();
            let words = out.into_words();
            let mut bits = BitReader::new(&words, 0);
            for (pick, plain, count) in &picks {
                prop_assert_eq!(code.read(&mut bits), Some(*pick.get(&occurring)));
                prop_assert_eq!(bits.read(*count), low(*plain, *count));
            }
            prop_assert_eq!(bits.position, length);
        }
    }
}
