#![doc = include_str!("../docs/signature-format.md")]

pub use crate::unicode::UNICODE_VERSION;

/// The version of all stored formats. Every stored value that has a header holds it in the fifth byte.
pub const VERSION: u8 = 1;
