//! Many short byte strings in one piece of memory.

/// Byte strings, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Packed {
    bytes: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl Packed {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// Takes some of them away.
    pub(crate) fn leave_out(&mut self, is_out: &[bool]) {
        let mut kept = Self::default();
        self.iter().zip(is_out).filter(|(_, is_out)| !**is_out).for_each(|(bytes, _)| kept.push(bytes));
        *self = kept;
    }

    /// Their positions, ordered by their bytes, and by position among equal ones.
    pub(crate) fn sorted(&self) -> Vec<u32> {
        // Names often begin alike. The 8 bytes after that decide most comparisons, without a look at the names.
        let first = self.iter().next().unwrap_or_default();
        let shared = |bytes: &[u8]| first.iter().zip(bytes).take_while(|(a, b)| a == b).count();
        let same = self.iter().fold(first.len(), |same, bytes| same.min(shared(bytes)));
        let beginning = |bytes: &[u8]| {
            let mut beginning = [0; 8];
            let rest = &bytes[same..];
            let len = rest.len().min(8);
            beginning[..len].copy_from_slice(&rest[..len]);
            u64::from_be_bytes(beginning)
        };
        let mut order: Vec<(u64, u32)> = self.iter().map(beginning).zip(0..).collect();
        order.sort_unstable_by(|a, b| {
            let rest = || self.get(a.1 as usize).cmp(self.get(b.1 as usize));
            a.0.cmp(&b.0).then_with(rest).then(a.1.cmp(&b.1))
        });
        order.into_iter().map(|(_, at)| at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packed(strings: &[Vec<u8>]) -> Packed {
        let mut packed = Packed::default();
        strings.iter().for_each(|string| packed.push(string));
        packed
    }

    /// Strings that often begin alike, and some with zeros, which fill up short ones too.
    fn strings() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let string = ("a{0,3}", proptest::collection::vec(0u8..3, 0..12))
            .prop_map(|(beginning, rest)| [beginning.as_bytes(), &rest].concat());
        proptest::collection::vec(string, 0..50)
    }

    proptest! {
        #[test]
        fn strings_come_back_in_order(strings in strings()) {
            let packed = packed(&strings);
            prop_assert!(packed.iter().eq(&strings));
            let mut expected: Vec<u32> = (0..strings.len() as u32).collect();
            expected.sort_by_key(|&at| &strings[at as usize]);
            prop_assert_eq!(packed.sorted(), expected);
        }

        #[test]
        fn some_are_left_out(strings in strings(), seed: u64) {
            let is_out: Vec<bool> = (0..strings.len()).map(|at| seed >> (at % 64) & 1 == 1).collect();
            let mut packed = packed(&strings);
            packed.leave_out(&is_out);
            let kept = strings.iter().zip(&is_out).filter(|(_, is_out)| !**is_out).map(|(string, _)| string);
            prop_assert!(packed.iter().eq(kept));
        }
    }
}
