//! A path <-> its name: text that represents the path in ids, reports and `run.json`, and that can be converted back.
//!
//! On Unix a path consists of bytes, and a name of characters. Valid UTF-8 is copied. A byte that is not valid UTF-8
//! is written as `\x` and two hexadecimal digits. If a path itself contains four characters of this form, their
//! backslash is written in the same way. Therefore two different paths never have the same name: reading a name from
//! the left finds each escape exactly where it was written.
//!
//! On other systems paths consist of characters; there the name is the path as it is displayed.

use std::path::{Path, PathBuf};

/// The name of a path.
#[must_use]
pub fn path_to_name(path: &Path) -> String {
    if cfg!(not(unix)) {
        return path.display().to_string();
    }
    let bytes = path.as_os_str().as_encoded_bytes();
    let mut name = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        let (text, wrong) = valid_prefix(rest);
        for (at, character) in text.char_indices() {
            if character == '\\' && escaped(&rest[at..]).is_some() {
                name.push_str("\\x5c");
            } else {
                name.push(character);
            }
        }
        for byte in wrong {
            name.push_str(&format!("\\x{byte:02x}"));
        }
        rest = &rest[text.len() + wrong.len()..];
    }
    name
}

/// The path with this name.
#[must_use]
pub fn name_to_path(name: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let [first, after @ ..] = rest {
        match escaped(rest) {
            Some(byte) if cfg!(unix) => {
                bytes.push(byte);
                rest = &rest[4..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    path_of(bytes)
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// The longest valid UTF-8 at the beginning of `bytes`, and the invalid bytes after it.
fn valid_prefix(bytes: &[u8]) -> (&str, &[u8]) {
    match bytes.utf8_chunks().next() {
        Some(chunk) => (chunk.valid(), chunk.invalid()),
        None => ("", &[]),
    }
}

/// The byte that is escaped at the beginning of `bytes`.
fn escaped(bytes: &[u8]) -> Option<u8> {
    let [b'\\', b'x', high, low, ..] = bytes else { return None };
    let digit = |byte: &u8| char::from(*byte).to_digit(16).filter(|_| !byte.is_ascii_uppercase());
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    fn name(bytes: &[u8]) -> String {
        path_to_name(Path::new(OsStr::from_bytes(bytes)))
    }

    #[test]
    fn names_say_what_the_bytes_are() {
        for (bytes, expected) in [
            (&b"a/b.txt"[..], "a/b.txt"),
            ("é/日本".as_bytes(), "é/日本"),
            (b"caf\xe9.txt", "caf\\xe9.txt"),
            (b"a\\xff", "a\\x5cxff"),
            (b"a\\b\\", "a\\b\\"),
            (b"\\\xff", "\\\\xff"),
            (b"\\x4\xff", "\\x4\\xff"),
            (b"\\xFF", "\\xFF"),
            (b"\xe2\x82x", "\\xe2\\x82x"),
        ] {
            assert_eq!(name(bytes), expected);
        }
    }

    proptest! {
        /// Bytes that resemble escapes, so that rare cases are tested often.
        #[test]
        fn a_name_leads_back_to_its_path(
            bytes in prop::collection::vec(prop::sample::select(b"\\\\\\xxx5cf0\xff\xc3\xa9/".to_vec()), 0..12),
            other in prop::collection::vec(prop::sample::select(b"\\\\x5cff\xff".to_vec()), 0..8),
        ) {
            for bytes in [&bytes, &other] {
                let path = name_to_path(&name(bytes));
                prop_assert_eq!(path.as_os_str().as_bytes(), &bytes[..]);
            }
            prop_assert_eq!(name(&bytes) == name(&other), bytes == other);
        }
    }
}
