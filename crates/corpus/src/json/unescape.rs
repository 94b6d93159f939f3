//! A string with escapes -> its characters.

use memchr::memchr;

/// A `\u` escape of one half of a surrogate pair without the other half.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LoneSurrogate;

/// The positions of escapes in the wanted strings, for the first few thousand escapes. They need not be searched
/// again when a string is unescaped. The number is limited, so that a string full of escapes does not need more
/// memory.
#[derive(Debug, Default)]
pub(crate) struct Escapes {
    /// Positions relative to the beginning of their string.
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

/// Replaces `into` by the characters of `escaped`, a string that was [checked](super::check). The stretches between
/// escapes are copied, each in one step. `known` are the positions of the first escapes.
pub(crate) fn unescape(escaped: &str, known: &[usize], into: &mut String) -> Result<(), LoneSurrogate> {
    into.clear();
    into.reserve(escaped.len());
    let mut begin = 0;
    let mut known = known.iter().copied();
    loop {
        let next = match known.next() {
            // The second half of a surrogate pair was already read together with the first half.
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

/// The character of the `\u` escape, or of the pair of escapes, at the beginning of `escape`, and the length of the
/// escape.
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

/// The UTF-16 code unit of a `\u` escape.
fn unit(escape: &str) -> Option<u32> {
    let digits = escape.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}
