//! Good bytes -> damaged bytes.
//!
//! Files with checksums refuse almost everything that a fuzzer writes, so the targets begin with a good file, damage it in chosen
//! places, and may put the checksums right again: what a disk does, and what somebody does who wants to deceive.

use arbitrary::Arbitrary;

/// One change.
#[derive(Debug, Clone, Arbitrary)]
enum Edit {
    /// Another byte.
    Put { at: u16, byte: u8 },
    /// A number of 64 bits, little-endian: lengths and ends are such.
    PutNumber { at: u16, number: u64 },
    /// More bytes.
    Insert { at: u16, bytes: Vec<u8> },
    /// Fewer.
    Remove { at: u16, count: u8 },
    /// Nothing after this.
    Cut { at: u16 },
}

/// Some changes, one after the other.
#[derive(Debug, Clone, Arbitrary)]
pub struct Damage {
    edits: Vec<Edit>,
}

impl Damage {
    /// The bytes with the changes. Places outside are taken as if the bytes went round.
    pub fn apply(&self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for edit in self.edits.iter().take(16) {
            let place = |at: u16| usize::from(at) % (bytes.len() + 1);
            match edit {
                Edit::Put { at, byte } => {
                    let at = place(*at);
                    bytes.get_mut(at).into_iter().for_each(|there| *there = *byte);
                }
                Edit::PutNumber { at, number } => {
                    let at = place(*at) / 8 * 8;
                    bytes
                        .iter_mut()
                        .skip(at)
                        .zip(number.to_le_bytes())
                        .for_each(|(there, byte)| *there = byte);
                }
                Edit::Insert { at, bytes: more } => {
                    let at = place(*at);
                    bytes.splice(at..at, more.iter().copied());
                }
                Edit::Remove { at, count } => {
                    let at = place(*at);
                    let end = (at + usize::from(*count)).min(bytes.len());
                    bytes.drain(at..end);
                }
                Edit::Cut { at } => {
                    let at = place(*at);
                    bytes.truncate(at);
                }
            }
        }
        bytes
    }
}
