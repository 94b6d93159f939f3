//! Good bytes -> damaged bytes.
//!
//! Files with checksums refuse almost everything that a fuzzer writes. The targets therefore begin with a good file,
//! damage it at chosen positions, and may make the checksums valid again. This imitates a bad disk and an attacker.

use arbitrary::Arbitrary;

/// One change.
#[derive(Debug, Clone, Arbitrary)]
enum Edit {
    /// Replaces a byte.
    Put { at: u16, byte: u8 },
    /// Replaces 8 bytes by a 64-bit number in little-endian order, because lengths and ends are stored in this form.
    PutNumber { at: u16, number: u64 },
    /// Inserts bytes.
    Insert { at: u16, bytes: Vec<u8> },
    /// Removes bytes.
    Remove { at: u16, count: u8 },
    /// Removes everything after a position.
    Cut { at: u16 },
}

/// Several changes, one after the other.
#[derive(Debug, Clone, Arbitrary)]
pub struct Damage {
    edits: Vec<Edit>,
}

impl Damage {
    /// The bytes after the changes. Positions beyond the end wrap around to the beginning.
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
