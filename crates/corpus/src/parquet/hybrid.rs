//! Small numbers of a Parquet page: runs of equal numbers, and numbers packed into bits.
//!
//! Parquet stores the numbers of dictionary values and the levels that say which values are null in this encoding. It
//! is a sequence of runs. A run begins with a number, seven bits per byte. If its lowest bit is 0, the other bits are
//! how often the one value that follows is repeated. If it is 1, they are how many groups of eight packed values
//! follow. This is the encoding `RLE` of
//! <https://parquet.apache.org/docs/file-format/data-pages/encodings/>.

use bytes::Bytes;

/// Reads numbers one at a time.
#[derive(Debug)]
pub(super) struct Hybrid {
    data: Bytes,
    /// Where the next run begins.
    at: usize,
    /// Number of bits per number, at most 32.
    width: u32,
    run: Run,
}

#[derive(Debug)]
enum Run {
    Repeated { left: u64, value: u32 },
    Packed { left: u64, bit: u64 },
}

impl Hybrid {
    /// Reads numbers of `width` bits. `None` if there are no numbers of this width.
    pub(super) fn new(data: Bytes, width: u32) -> Option<Self> {
        (width <= 32).then_some(Self { data, at: 0, width, run: Run::Repeated { left: 0, value: 0 } })
    }

    /// Begins the next run. `None` at the end of the data.
    fn begin_run(&mut self) -> Option<()> {
        let header = self.run_header()?;
        let count = header >> 1;
        if header & 1 == 0 {
            let bytes = self.width.div_ceil(8) as usize;
            let stored = self.data.get(self.at..self.at + bytes)?;
            let value = stored.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
            self.at += bytes;
            self.run = Run::Repeated { left: count, value };
        } else {
            let bytes = usize::try_from(count.checked_mul(u64::from(self.width))?).ok()?;
            self.run = Run::Packed { left: count.checked_mul(8)?, bit: self.at as u64 * 8 };
            // The last group may be cut off after the last number, so the end is checked for each number.
            self.at = self.at.checked_add(bytes)?;
        }
        Some(())
    }

    fn run_header(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = *self.data.get(self.at)?;
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            match byte {
                0..0x80 => return Some(value),
                _ if shift > 56 => return None,
                _ => {}
            }
        }
    }
}

impl Iterator for Hybrid {
    type Item = u32;

    /// The next number. `None` at the end of the data, and where the data is damaged.
    fn next(&mut self) -> Option<u32> {
        loop {
            match &mut self.run {
                Run::Repeated { left, value } if *left > 0 => {
                    *left -= 1;
                    return Some(*value);
                }
                Run::Packed { left, bit } if *left > 0 => {
                    let number = packed(&self.data, *bit, self.width)?;
                    *left -= 1;
                    *bit += u64::from(self.width);
                    return Some(number);
                }
                _ => self.begin_run()?,
            }
        }
    }
}

/// The number in the `width` bits from `bit` on. The lowest bit comes first.
fn packed(data: &[u8], bit: u64, width: u32) -> Option<u32> {
    let end = usize::try_from((bit + u64::from(width)).div_ceil(8)).ok()?;
    let bytes = data.get((bit / 8) as usize..end)?;
    let word = bytes.iter().rev().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
    Some(((word >> (bit % 8)) & ((1u64 << width) - 1)) as u32)
}

/// Writes levels, each less than 256, as runs of equal levels.
#[derive(Debug, Default)]
pub(super) struct LevelRuns {
    written: Vec<u8>,
    count: u64,
    level: u8,
}

impl LevelRuns {
    pub(super) fn push(&mut self, level: u8) {
        if level != self.level {
            self.end_run();
            self.level = level;
        }
        self.count += 1;
    }

    fn end_run(&mut self) {
        if self.count == 0 {
            return;
        }
        let mut header = self.count << 1;
        while header >= 0x80 {
            self.written.push(header as u8 | 0x80);
            header >>= 7;
        }
        self.written.extend([header as u8, self.level]);
        self.count = 0;
    }

    /// The encoded levels.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.end_run();
        self.written
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(data: &[u8], width: u32) -> Vec<u32> {
        Hybrid::new(Bytes::copy_from_slice(data), width).unwrap().collect()
    }

    #[test]
    fn the_example_of_the_format_description() {
        // The numbers 0 to 7 in three bits each: one group of packed numbers.
        assert_eq!(read(&[3, 0b1000_1000, 0b1100_0110, 0b1111_1010], 3), [0, 1, 2, 3, 4, 5, 6, 7]);
        // 300 times the number 4, which takes one byte.
        assert_eq!(read(&[0xd8, 0x04, 4], 3), [4; 300]);
        // A number of ten bits takes two bytes.
        assert_eq!(read(&[4, 0x01, 0x02], 10), [0x201; 2]);
    }

    #[test]
    fn damage_ends_the_numbers() {
        const NONE: [u32; 0] = [];
        assert_eq!(read(&[], 3), NONE);
        assert_eq!(read(&[0x80], 3), NONE);
        assert_eq!(read(&[4], 3), NONE);
        assert_eq!(read(&[0xff; 20], 3), NONE);
        assert_eq!(read(&[0; 9], 0), NONE);
        // The packed numbers end in the middle of their group.
        assert_eq!(read(&[3, 0b1000_1000], 3), [0, 1]);
        assert!(Hybrid::new(Bytes::new(), 33).is_none());
    }

    proptest! {
        #[test]
        fn levels_are_read_as_they_were_written(levels in prop::collection::vec(0u8..4, 0..400)) {
            let mut runs = LevelRuns::default();
            levels.iter().for_each(|&level| runs.push(level));
            let expected: Vec<u32> = levels.iter().map(|&level| level.into()).collect();
            prop_assert_eq!(read(&runs.finish(), 2), expected);
        }

        #[test]
        fn packed_numbers_of_every_width(numbers in prop::collection::vec(any::<u32>(), 8), width in 1u32..=32) {
            let expected: Vec<u32> = numbers.iter().map(|number| number >> (32 - width)).collect();
            let mut bits = vec![false; 8 * width as usize];
            for (at, number) in expected.iter().enumerate() {
                for bit in 0..width as usize {
                    bits[at * width as usize + bit] = number >> bit & 1 == 1;
                }
            }
            let packed = bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit)));
            let data: Vec<u8> = std::iter::once(3).chain(packed).collect();
            prop_assert_eq!(read(&data, width), expected);
        }
    }
}
