//! A string with escapes -> what it says.

use memchr::memchr;

/// A `\u` escape of one half of a surrogate pair without the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LoneSurrogate;

/// Where escapes are in the strings that are wanted: the first few thousand of them. Whoever unescapes a string need
/// not look for these again, and a string of nothing but escapes takes no more memory for it.
#[derive(Debug, Default)]
pub(crate) struct Escapes {
    /// From the beginning of their string.
    places: Vec<usize>,
}

impl Escapes {
    const MOST: u16 = 4096;

    #[inline]
    pub(super) fn len(&self) -> u16 {
        self.places.len() as u16
    }

    #[inline]
    pub(super) fn note(&mut self, place: usize) {
        if self.len() < Self::MOST {
            self.places.push(place);
        }
    }

    #[inline]
    pub(super) fn forget_from(&mut self, number: u16) {
        self.places.truncate(number.into());
    }

    pub(super) fn of(&self, (begin, end): (u16, u16)) -> &[usize] {
        self.places.get(begin.into()..end.into()).unwrap_or_default()
    }
}

/// Writes what `escaped`, a string that was [checked](super::check), says over `into`: the stretches between escapes
/// as they are, each copied at once. The first escapes are at `known` places.
pub(crate) fn unescape(escaped: &str, known: &[usize], into: &mut String) -> Result<(), LoneSurrogate> {
    into.clear();
    into.reserve(escaped.len());
    let mut begin = 0;
    let mut known = known.iter().copied();
    loop {
        let next = match known.next() {
            // The second half of a pair was taken with the first.
            Some(place) if place < begin => continue,
            Some(place) => Some(place),
            None => memchr(b'\\', &escaped.as_bytes()[begin..]).map(|at| begin + at),
        };
        let Some(place) = next else {
            into.push_str(&escaped[begin..]);
            return Ok(());
        };
        into.push_str(&escaped[begin..place]);
        let plain = match escaped.as_bytes().get(place + 1) {
            Some(b'n') => '\n',
            Some(b'"') => '"',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'u') => {
                let (character, length) = unicode(&escaped[place..])?;
                into.push(character);
                begin = place + length;
                continue;
            }
            _ => '\\',
        };
        into.push(plain);
        begin = place + 2;
    }
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
