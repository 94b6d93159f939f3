//! The grammar of RFC 8259, checked without building a tree.

use super::marks::Marks;
use super::unescape::Escapes;
use super::{MAX_DEPTH, Problem};
use memchr::memchr2;

/// The kind of a value.
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

/// The position of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) kind: Kind,
    /// First byte; of a string, the byte after the opening quote.
    pub(crate) begin: usize,
    /// End; of a string, the position of the closing quote.
    pub(crate) end: usize,
    /// True for a string that contains escapes.
    pub(crate) escaped: bool,
    /// The range of the noted escapes that belong to this value.
    pub(super) escapes: (u16, u16),
}

/// A position in a line. Everything before it was checked.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// True if the line contains control characters anywhere, including white space.
    controls: bool,
    /// The positions of the escapes found so far.
    escapes: &'a mut Escapes,
}

/// Checks that `text` is one JSON value with optional white space around it, and returns the position of the value.
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

    /// Like [`new`](Self::new), for a line that is known to have no control characters.
    pub(super) fn without_controls(text: &'a str, escapes: &'a mut Escapes) -> Self {
        Self { bytes: text.as_bytes(), at: 0, controls: false, escapes }
    }

    /// Reads an object and passes each name (a string value) and its value to `visit`. The escapes of a value are
    /// only remembered if `visit` returns true.
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

    /// Only white space may follow.
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

    /// Reads a name, the colon and the white space around it.
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

    /// Reads a number, `true`, `false` or `null`.
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

    /// Reads one or more digits.
    fn digits(&mut self) -> Result<(), Problem> {
        let begin = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == begin { Err(self.problem("expected a digit")) } else { Ok(()) }
    }

    /// Reads a string from quote to quote.
    #[inline]
    fn string(&mut self) -> Result<Value, Problem> {
        self.at += 1;
        let begin = self.at;
        let noted = self.escapes.len();
        self.pass_to(quote_or_backslash(&self.bytes[begin..]).map(|length| begin + length))?;
        let escaped = self.bytes[self.at] != b'"';
        if escaped {
            self.escapes_to_quote(begin)?;
        }
        let end = self.at;
        self.at += 1;
        Ok(Value { kind: Kind::String, begin, end, escaped, escapes: (noted, self.escapes.len()) })
    }

    /// Reads the rest of a string that begins at `begin`, from its first backslash up to the quote that ends it.
    fn escapes_to_quote(&mut self, begin: usize) -> Result<(), Problem> {
        let mut marks = Marks::new(self.bytes, self.at);
        while self.bytes[self.at] != b'"' {
            self.escapes.note(self.at - begin);
            self.escape()?;
            self.pass_to(marks.next(self.at))?;
        }
        Ok(())
    }

    /// Moves on to the next quote or backslash, inside a string.
    #[inline]
    fn pass_to(&mut self, found: Option<usize>) -> Result<(), Problem> {
        let Some(found) = found else {
            self.at = self.bytes.len();
            return Err(self.problem("expected a quote"));
        };
        if self.controls {
            self.no_controls(found - self.at)?;
        }
        self.at = found;
        Ok(())
    }

    /// Checks that the next `length` bytes, inside a string, contain no control characters.
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
            _ => Err(self.problem("unknown escape")),
        }
    }

    /// Reads an array or an object with everything in it.
    fn nested(&mut self) -> Result<(), Problem> {
        let mut levels = Levels::default();
        loop {
            // Here a value begins.
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
            // Here a value, or an opening bracket, has just ended.
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

/// True if there are control characters other than `but`. The last window overlaps the previous one, so that single
/// bytes are only examined if the input is shorter than a window.
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

/// The distance to the next quote or backslash. For names and other short strings a function call would cost too
/// much, so the first bytes are compared eight at a time in one word.
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

/// The highest bit of each byte that is zero. Bits above the lowest one that is set may be wrong, because a borrow
/// moves upwards.
#[inline]
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(0x0101_0101_0101_0101) & !word & 0x8080_8080_8080_8080
}

/// The open brackets, one bit each. The bit of an object is set.
#[derive(Default)]
struct Levels {
    objects: [u64; MAX_DEPTH / 64],
    depth: usize,
}

impl Levels {
    /// Returns false if the nesting is too deep. The object of the line is a level too, and is not counted here.
    fn enter(&mut self, object: bool) -> bool {
        if self.depth == MAX_DEPTH - 1 {
            return false;
        }
        let (word, bit) = (self.depth / 64, self.depth % 64);
        self.objects[word] = self.objects[word] & !(1 << bit) | u64::from(object) << bit;
        self.depth += 1;
        true
    }

    /// Closes a bracket and returns the number of levels that are still open.
    fn leave(&mut self) -> usize {
        self.depth -= 1;
        self.depth
    }

    fn in_object(&self) -> bool {
        let top = self.depth - 1;
        self.objects[top / 64] >> (top % 64) & 1 == 1
    }
}
