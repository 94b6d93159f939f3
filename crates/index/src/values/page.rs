//! A page: ascending numbers of documents, stored as differences. One that is filled from its end has up to 256; numbers
//! that come between others may make it twice as long.
//!
//! The first page of a list is its head. Almost all lists have one number, and so a value of 3 to 6 bytes.

use super::{Bytes, put_number};
use crate::store::Value;

/// A page with so many numbers is full: the next number is put into a new one.
pub(crate) const PAGE_NUMBERS: usize = 256;

/// The most numbers of a page. Only numbers that come between others make it longer than a full one.
pub(crate) const MOST_NUMBERS: usize = 2 * PAGE_NUMBERS;

const ALONE: u8 = 0x31;
const HEAD: u8 = 0x32;
const FURTHER: u8 = 0x33;

/// A page of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page {
    /// The numbers, ascending.
    pub(crate) numbers: Vec<u64>,
    /// For a head: the further pages, from the first to before the second. They are empty for other pages.
    pub(crate) further: std::ops::Range<u32>,
    /// True for the first page of a list.
    pub(crate) is_head: bool,
}

impl Page {
    /// The head of a list with this one number.
    pub(crate) fn of(number: u64) -> Self {
        Self { numbers: vec![number], further: 0..0, is_head: true }
    }

    /// What is stored of a list with this one number.
    pub(crate) fn alone(mut number: u64) -> Value {
        let mut bytes = [ALONE; 11];
        let mut end = 1;
        while number >= 0x80 {
            bytes[end] = number as u8 | 0x80;
            number >>= 7;
            end += 1;
        }
        bytes[end] = number as u8;
        Value::from(&bytes[..=end])
    }

    /// A further page.
    pub(crate) fn further(numbers: Vec<u64>) -> Self {
        Self { numbers, further: 0..0, is_head: false }
    }

    /// The bytes that are stored.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(6 + 2 * self.numbers.len());
        match (self.is_head, self.further.is_empty()) {
            (true, true) => bytes.push(ALONE),
            (true, false) => {
                bytes.push(HEAD);
                bytes.extend(self.further.start.to_le_bytes());
                bytes.extend(self.further.end.to_le_bytes());
            }
            (false, _) => bytes.push(FURTHER),
        }
        let mut last = 0;
        for (at, &number) in self.numbers.iter().enumerate() {
            put_number(&mut bytes, if at == 0 { number } else { number - last });
            last = number;
        }
        bytes
    }

    /// Reads a page; `None` if the bytes are not one.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Bytes::new(bytes);
        let (is_head, further) = match bytes.byte()? {
            ALONE => (true, 0..0),
            HEAD => (true, bytes.u32()?..bytes.u32()?),
            FURTHER => (false, 0..0),
            _ => return None,
        };
        if further.start > further.end {
            return None;
        }
        let mut numbers: Vec<u64> = Vec::new();
        while !bytes.is_empty() {
            let number = match numbers.last() {
                None => bytes.number()?,
                Some(last) => last.checked_add(bytes.number().filter(|&step| step > 0)?)?,
            };
            if numbers.len() == MOST_NUMBERS {
                return None;
            }
            numbers.push(number);
        }
        // Only a further page can be empty: its place in the order is kept.
        (!is_head || !numbers.is_empty()).then_some(Self { numbers, further, is_head })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_number_alone_is_a_head(number in prop_oneof![0u64..1 << 20, any::<u64>()]) {
            prop_assert_eq!(&*Page::alone(number), &*Page::of(number).encode());
        }

        #[test]
        fn pages_come_back(
            numbers in proptest::collection::btree_set(any::<u64>(), 1..=MOST_NUMBERS),
            further in prop_oneof![Just(0..0), (0u32..9, 9u32..20).prop_map(|(a, b)| a..b)],
            is_head: bool,
        ) {
            let further = if is_head { further } else { 0..0 };
            let page = Page { numbers: numbers.into_iter().collect(), further, is_head };
            prop_assert_eq!(Page::decode(&page.encode()), Some(page));
        }

        #[test]
        fn bytes_that_are_no_page_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Some(page) = Page::decode(&bytes) {
                prop_assert!(page.numbers.is_sorted_by(|a, b| a < b));
                prop_assert_eq!(Page::decode(&page.encode()), Some(page));
            }
        }
    }
}
