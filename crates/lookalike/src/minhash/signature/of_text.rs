//! The bytes of a signature together with the shingling of its text <-> bytes.

use crate::encoding::Format;
use crate::error::{Error, Result};

const FORMAT: Format = Format { what: "signature of a text", magic: "LKTX", version: 1 };
const HEADER: usize = 12;
/// The largest number of bytes in the description of a shingling.
const LONGEST: usize = 1024;

/// Puts the description of a shingling in front of the bytes of a signature. [`of_text`] reads the result.
///
/// ```
/// use lookalike::minhash::{of_text, to_bytes_of_text};
///
/// let bytes = to_bytes_of_text("words:5", b"LKMH and more")?;
/// assert_eq!(of_text(&bytes)?, Some(("words:5", b"LKMH and more".as_slice())));
/// assert_eq!(of_text(b"LKMH and more")?, None);
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn to_bytes_of_text(shingling: &str, signature: &[u8]) -> Result<Vec<u8>> {
    if !(1..=LONGEST).contains(&shingling.len()) {
        return Err(Error::invalid("bytes of the shingling", shingling.len(), "1 to 1024"));
    }
    let mut bytes = FORMAT.begin(HEADER + shingling.len() + signature.len());
    bytes.extend_from_slice(&[0; 3]);
    bytes.extend_from_slice(&(shingling.len() as u32).to_le_bytes());
    bytes.extend_from_slice(shingling.as_bytes());
    bytes.extend_from_slice(signature);
    Ok(bytes)
}

/// Reads bytes of [`to_bytes_of_text`]: the description of the shingling, and the bytes of the signature. It is
/// `None` for bytes of another format, such as those of a signature alone.
///
/// A signature records which hash functions made it. It does not record what its elements are, because a set may come
/// from anywhere. The signature of a text can be compared only with signatures of texts that were normalised and cut
/// into shingles in the same way. So this format puts a description of the shingling in front of the signature:
///
/// ```text
/// offset  size
///      0     4  magic "LKTX"
///      4     1  version, 1
///      5     3  0
///      8     4  number of bytes of the shingling, n, 1 to 1024, little-endian
///     12     n  the shingling in UTF-8
/// 12 + n        the bytes of the signature, or of the b-bit signature
/// ```
///
/// The Python package describes the shingling as in
/// `words:5 case=fold form=nfc punctuation=keep whitespace=collapse`, with all settings, defaults included. This
/// function accepts any text.
pub fn of_text(bytes: &[u8]) -> Result<Option<(&str, &[u8])>> {
    if !bytes.starts_with(FORMAT.magic.as_bytes()) {
        return Ok(None);
    }
    let mut reader = FORMAT.read(bytes)?;
    reader.zeros::<3>()?;
    let length = reader.u32()? as usize;
    if !(1..=LONGEST).contains(&length) {
        return Err(reader.refuse(format!("a shingling of {length} bytes, expected 1 to {LONGEST}")));
    }
    let shingling = reader.slice(length as u64)?;
    match std::str::from_utf8(shingling) {
        Ok(shingling) => Ok(Some((shingling, &bytes[HEADER + length..]))),
        Err(error) => Err(reader.refuse_at(error.valid_up_to(), "the shingling is not UTF-8")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_fixed() {
        let bytes = to_bytes_of_text("words:2", &[7, 8]).unwrap();
        assert_eq!(bytes, b"LKTX\x01\0\0\0\x07\0\0\0words:2\x07\x08");
        assert_eq!(of_text(&bytes).unwrap(), Some(("words:2", [7, 8].as_slice())));
    }

    #[test]
    fn what_is_damaged_is_refused() {
        assert!(to_bytes_of_text("", &[]).is_err());
        assert!(to_bytes_of_text(&"x".repeat(LONGEST + 1), &[]).is_err());
        let bytes = to_bytes_of_text("words:2", &[]).unwrap();
        for length in 4..bytes.len() {
            assert!(of_text(&bytes[..length]).is_err(), "{length}");
        }
        for (at, byte) in [(4, 2), (5, 1), (8, 0), (8, 8), (10, 1), (12, 0xff)] {
            let mut damaged = bytes.clone();
            damaged[at] = byte;
            assert!(of_text(&damaged).is_err(), "{at}");
        }
    }
}
