//! A string with escapes -> what it says.

use memchr::memchr;

/// A `\u` escape of one half of a surrogate pair without the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LoneSurrogate;

/// Writes what `escaped`, a string that was [checked](super::check), says over `into`: the stretches between escapes
/// as they are, each copied at once.
pub(crate) fn unescape(escaped: &str, into: &mut String) -> Result<(), LoneSurrogate> {
    into.clear();
    into.reserve(escaped.len());
    let mut rest = escaped;
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        into.push_str(&rest[..at]);
        let plain = match rest.as_bytes().get(at + 1) {
            Some(b'n') => "\n",
            Some(b'"') => "\"",
            Some(b't') => "\t",
            Some(b'r') => "\r",
            Some(b'/') => "/",
            Some(b'b') => "\u{8}",
            Some(b'f') => "\u{c}",
            Some(b'u') => {
                let (character, length) = unicode(&rest[at..])?;
                into.push(character);
                rest = &rest[at + length..];
                continue;
            }
            _ => "\\",
        };
        into.push_str(plain);
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    into.push_str(rest);
    Ok(())
}

/// The character of the `\u` escape, or pair of escapes, that `escape` begins with, and its length.
fn unicode(escape: &str) -> Result<(char, usize), LoneSurrogate> {
    let high = unit(escape).ok_or(LoneSurrogate)?;
    if let Some(character) = char::from_u32(high) {
        return Ok((character, 6));
    }
    let low = escape.get(6..).and_then(unit).ok_or(LoneSurrogate)?;
    if high >= 0xdc00 || !(0xdc00..0xe000).contains(&low) {
        return Err(LoneSurrogate);
    }
    let character =
        char::from_u32(0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00))).ok_or(LoneSurrogate)?;
    Ok((character, 12))
}

/// The code unit of a `\u` escape.
fn unit(escape: &str) -> Option<u32> {
    let digits = escape.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}
