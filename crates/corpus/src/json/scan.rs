//! The grammar of RFC 8259, gone through without building anything.

use super::unescape::Escapes;
use super::{MAX_DEPTH, Problem};
use memchr::memchr2;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    String,
    Number,
    Bool,
    Null,
    Object,
    Array,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::String => "a string",
            Self::Number => "a number",
            Self::Bool => "a boolean",
            Self::Null => "null",
            Self::Object => "an object",
            Self::Array => "an array",
        })
    }
}

/// Where a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) kind: Kind,
    /// A string: after the quote.
    pub(crate) begin: usize,
    /// A string: at the quote.
    pub(crate) end: usize,
    /// A string: whether it has escapes in it.
    pub(crate) escaped: bool,
    /// Which of the noted escapes are its own.
    pub(super) escapes: (u16, u16),
}

/// A place in a text, all before which was checked.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether the text has control characters anywhere, white space included.
    controls: bool,
    /// Where escapes were met.
    escapes: &'a mut Escapes,
}

/// Whether `text` is one JSON value and white space around it: where it is.
pub(crate) fn check(text: &str) -> Result<Value, Problem> {
    let mut escapes = Escapes::default();
    let mut scanner = Scanner::new(text, &mut escapes);
    scanner.pass_white_space();
    let value = scanner.value()?;
    scanner.end()?;
    Ok(value)
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, escapes: &'a mut Escapes) -> Self {
        Self { controls: has_controls(text.as_bytes(), b' '), ..Self::without_controls(text, escapes) }
    }

    /// As [`new`](Self::new), of a text that is known to have no control characters.
    pub(super) fn without_controls(text: &'a str, escapes: &'a mut Escapes) -> Self {
        Self { bytes: text.as_bytes(), at: 0, controls: false, escapes }
    }

    /// Goes through an object and hands over each name (a string value) and value. The escapes of a value stay noted
    /// if `visit` says so.
    #[inline]
    pub(super) fn members(&mut self, mut visit: impl FnMut(Value, Value) -> bool) -> Result<(), Problem> {
        self.pass_white_space();
        if self.peek() != Some(b'{') {
            let value = self.value()?;
            self.end()?;
            return Err(Problem::NotAnObject(value.kind));
        }
        self.at += 1;
        self.pass_white_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return self.end();
        }
        loop {
            let noted = self.escapes.len();
            let name = self.name()?;
            self.escapes.forget_from(noted);
            let value = self.value()?;
            if !visit(name, value) {
                self.escapes.forget_from(noted);
            }
            self.pass_white_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return self.end();
                }
                _ => return Err(self.problem("expected `,` or `}`")),
            }
            self.pass_white_space();
        }
    }

    /// Nothing may follow but white space.
    fn end(&mut self) -> Result<(), Problem> {
        self.pass_white_space();
        if self.at == self.bytes.len() { Ok(()) } else { Err(self.problem("expected the end")) }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    fn pass_white_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    #[cold]
    fn problem(&self, what: &'static str) -> Problem {
        Problem::Syntax(if self.at == self.bytes.len() { "it ends too early" } else { what }, self.at)
    }

    /// A name, the colon and the white space around it.
    #[inline]
    fn name(&mut self) -> Result<Value, Problem> {
        if self.peek() != Some(b'"') {
            return Err(self.problem("expected a name in quotes"));
        }
        let name = self.string()?;
        self.pass_white_space();
        if self.peek() != Some(b':') {
            return Err(self.problem("expected `:`"));
        }
        self.at += 1;
        self.pass_white_space();
        Ok(name)
    }

    #[inline]
    fn value(&mut self) -> Result<Value, Problem> {
        let begin = self.at;
        let kind = match self.peek() {
            Some(b'"') => return self.string(),
            Some(b'{') => {
                self.nested()?;
                Kind::Object
            }
            Some(b'[') => {
                self.nested()?;
                Kind::Array
            }
            _ => self.scalar()?,
        };
        Ok(Value { kind, begin, end: self.at, escaped: false, escapes: (0, 0) })
    }

    /// A number or a word.
    fn scalar(&mut self) -> Result<Kind, Problem> {
        let (word, kind) = match self.peek() {
            Some(b'-' | b'0'..=b'9') => return self.number(),
            Some(b't') => ("true", Kind::Bool),
            Some(b'f') => ("false", Kind::Bool),
            Some(b'n') => ("null", Kind::Null),
            _ => return Err(self.problem("expected a value")),
        };
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(self.problem("expected a value"));
        }
        self.at += word.len();
        Ok(kind)
    }

    fn number(&mut self) -> Result<Kind, Problem> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Kind::Number)
    }

    /// One digit or more.
    fn digits(&mut self) -> Result<(), Problem> {
        let begin = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == begin { Err(self.problem("expected a digit")) } else { Ok(()) }
    }

    /// A string, from quote to quote.
    #[inline]
    fn string(&mut self) -> Result<Value, Problem> {
        self.at += 1;
        let begin = self.at;
        let noted = self.escapes.len();
        let mut escaped = false;
        let mut length = quote_or_backslash(&self.bytes[begin..]);
        loop {
            let Some(stretch) = length else {
                self.at = self.bytes.len();
                return Err(self.problem("expected a quote"));
            };
            if self.controls {
                self.no_controls(stretch)?;
            }
            self.at += stretch;
            if self.bytes[self.at] == b'"' {
                let end = self.at;
                self.at += 1;
                let escapes = (noted, self.escapes.len());
                return Ok(Value { kind: Kind::String, begin, end, escaped, escapes });
            }
            escaped = true;
            self.escapes.note(self.at - begin);
            self.escape()?;
            let rest = &self.bytes[self.at..];
            // Escapes often come one after the other.
            length = if let Some(b'\\' | b'"') = rest.first() { Some(0) } else { memchr2(b'"', b'\\', rest) };
        }
    }

    /// The next `length` bytes, inside a string, must have no control characters.
    #[cold]
    fn no_controls(&mut self, length: usize) -> Result<(), Problem> {
        let stretch = &self.bytes[self.at..self.at + length];
        match stretch.iter().position(|&byte| byte < b' ') {
            None => Ok(()),
            Some(found) => {
                self.at += found;
                Err(self.problem("a control character without an escape"))
            }
        }
    }

    #[inline]
    fn escape(&mut self) -> Result<(), Problem> {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                        return Err(self.problem("expected a hexadecimal digit"));
                    }
                    self.at += 1;
                }
                Ok(())
            }
            _ => Err(self.problem("no such escape")),
        }
    }

    /// An array or object with all that is in it.
    fn nested(&mut self) -> Result<(), Problem> {
        let mut levels = Levels::default();
        loop {
            // At a value.
            let opened = match self.peek() {
                Some(b'"') => {
                    self.string()?;
                    false
                }
                Some(bracket @ (b'{' | b'[')) => {
                    if !levels.enter(bracket == b'{') {
                        return Err(self.problem("nested too deep"));
                    }
                    self.at += 1;
                    self.pass_white_space();
                    true
                }
                _ => {
                    self.scalar()?;
                    false
                }
            };
            // After a value, or after an opening bracket.
            let mut first = opened;
            loop {
                self.pass_white_space();
                let (bracket, problem) = match levels.in_object() {
                    true => (b'}', "expected `,` or `}`"),
                    false => (b']', "expected `,` or `]`"),
                };
                if self.peek() == Some(bracket) {
                    self.at += 1;
                    if levels.leave() == 0 {
                        return Ok(());
                    }
                    first = false;
                    continue;
                }
                if !first {
                    if self.peek() != Some(b',') {
                        return Err(self.problem(problem));
                    }
                    self.at += 1;
                    self.pass_white_space();
                }
                if levels.in_object() {
                    self.name()?;
                }
                break;
            }
        }
    }
}

/// Whether there are control characters other than `but`. The last window overlaps the one before it, so that no byte
/// is taken alone if there are enough for a window.
#[inline]
pub(crate) fn has_controls(bytes: &[u8], but: u8) -> bool {
    const WINDOW: usize = 64;
    let allowed = |byte: u8| if byte == but { u8::MAX } else { byte };
    let Some(last) = bytes.last_chunk::<WINDOW>() else {
        return bytes.iter().any(|&byte| allowed(byte) < b' ');
    };
    let mut smallest = last.map(allowed);
    for window in bytes.as_chunks::<WINDOW>().0 {
        for (smallest, &byte) in smallest.iter_mut().zip(window) {
            *smallest = allowed(byte).min(*smallest);
        }
    }
    smallest.iter().any(|&byte| byte < b' ')
}

/// How far the next quote or backslash is. Names and other short strings do not pay for a call: eight bytes at a time
/// are compared in one word.
#[inline]
fn quote_or_backslash(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut rest) = (0, bytes);
    while at < 16 {
        let Some((word, after)) = rest.split_first_chunk::<8>() else { break };
        let word = u64::from_le_bytes(*word);
        let found = zero_bytes(word ^ 0x2222_2222_2222_2222) | zero_bytes(word ^ 0x5c5c_5c5c_5c5c_5c5c);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        (at, rest) = (at + 8, after);
    }
    memchr2(b'"', b'\\', rest).map(|found| at + found)
}

/// The highest bit of each byte that is zero. (Bits above the first of them may be wrong: a borrow goes upwards.)
#[inline]
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(0x0101_0101_0101_0101) & !word & 0x8080_8080_8080_8080
}

/// The brackets that are open: a bit for each, set for an object.
#[derive(Default)]
struct Levels {
    objects: [u64; MAX_DEPTH / 64],
    depth: usize,
}

impl Levels {
    /// False if it is too deep. (The object of the line is a level too, and not counted here.)
    fn enter(&mut self, object: bool) -> bool {
        if self.depth == MAX_DEPTH - 1 {
            return false;
        }
        let (word, bit) = (self.depth / 64, self.depth % 64);
        self.objects[word] = self.objects[word] & !(1 << bit) | u64::from(object) << bit;
        self.depth += 1;
        true
    }

    /// Levels that are left.
    fn leave(&mut self) -> usize {
        self.depth -= 1;
        self.depth
    }

    fn in_object(&self) -> bool {
        let top = self.depth - 1;
        self.objects[top / 64] >> (top % 64) & 1 == 1
    }
}
