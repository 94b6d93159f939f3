//! The body of a document: its sorted set, or its text.

use super::Bytes;

const SET: u8 = 0x41;
const TEXT: u8 = 0x42;

/// What is stored of a document to compare it exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    /// The hashes of its shingles with the key of the index, ascending.
    Set(Vec<u64>),
    /// Its text as it came.
    Text(String),
}

impl Body {
    /// The bytes that are stored.
    pub(crate) fn encode(&self) -> Vec<u8> {
        match self {
            Self::Set(set) => {
                let mut bytes = Vec::with_capacity(1 + 8 * set.len());
                bytes.push(SET);
                set.iter().for_each(|element| bytes.extend(element.to_le_bytes()));
                bytes
            }
            Self::Text(text) => [&[TEXT], text.as_bytes()].concat(),
        }
    }

    /// Reads a body; `None` if the bytes are not one.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Bytes::new(bytes);
        match bytes.byte()? {
            SET => {
                let (elements, rest) = bytes.rest().as_chunks::<8>();
                let set: Vec<u64> = elements.iter().map(|&element| u64::from_le_bytes(element)).collect();
                (rest.is_empty() && set.is_sorted_by(|a, b| a < b)).then_some(Self::Set(set))
            }
            TEXT => Some(Self::Text(std::str::from_utf8(bytes.rest()).ok()?.to_owned())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_come_back_and_damage_is_seen() {
        for body in [Body::Set(vec![]), Body::Set(vec![1, 2, u64::MAX]), Body::Text("a b".into())] {
            assert_eq!(Body::decode(&body.encode()), Some(body));
        }
        let unsorted = [&[SET][..], &[2, 0, 0, 0, 0, 0, 0, 0], &[1, 0, 0, 0, 0, 0, 0, 0]].concat();
        for wrong in [&[][..], &[SET, 1], &[TEXT, 0xff], &[9], &unsorted] {
            assert_eq!(Body::decode(wrong), None);
        }
    }
}
