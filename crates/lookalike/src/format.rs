#![doc = include_str!("../docs/signature-format.md")]

pub use crate::unicode::UNICODE_VERSION;

/// The version of everything that is stored.
pub const VERSION: u8 = 1;
