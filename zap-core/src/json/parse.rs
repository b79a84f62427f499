//! The tokens of JSON text, strictly by RFC 8259: no comments, no trailing commas, no other spellings of numbers.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt::Write;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::{JsonError, JsonErrorKind};

/// Text of which a part has been read.
pub(super) struct Parser<'t> {
    text: &'t str,
    position: usize,
}

/// An error on its way out: each level adds its step of the path.
pub(super) struct Failure {
    kind: JsonErrorKind,
    position: usize,
    steps: Vec<Step>,
}

/// A step of a path.
enum Step {
    Name(String),
    Index(usize),
}

pub(super) type Parsed<T> = Result<T, Failure>;

impl Failure {
    #[cold]
    pub(super) fn new(kind: JsonErrorKind, position: usize) -> Self {
        Self { kind, position, steps: Vec::new() }
    }

    pub(super) fn in_field(mut self, name: &str) -> Self {
        self.steps.push(Step::Name(name.into()));
        self
    }

    pub(super) fn in_element(mut self, index: usize) -> Self {
        self.steps.push(Step::Index(index));
        self
    }

    /// The error with line, column and path.
    pub(super) fn locate(self, text: &str) -> JsonError {
        let before = text.get(..text.floor_char_boundary(self.position)).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |end| end.saturating_add(1));
        let mut path = String::from("$");
        for step in self.steps.iter().rev() {
            // Writing to a string does not fail.
            let _ = match step {
                Step::Name(name) => write!(path, ".{name}"),
                Step::Index(index) => write!(path, "[{index}]"),
            };
        }
        let line = before.bytes().filter(|byte| *byte == b'\n').count().saturating_add(1);
        let column = before.get(line_start..).unwrap_or_default().chars().count().saturating_add(1);
        JsonError { kind: self.kind, line, column, path }
    }
}

impl<'t> Parser<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        Self { text, position: 0 }
    }

    pub(super) const fn position(&self) -> usize {
        self.position
    }

    /// Goes back to where it was.
    pub(super) const fn rewind(&mut self, position: usize) {
        self.position = position;
    }

    pub(super) fn fail<T>(&self, kind: JsonErrorKind) -> Parsed<T> {
        Err(Failure::new(kind, self.position))
    }

    fn syntax<T>(&self, expected: &'static str) -> Parsed<T> {
        self.fail(JsonErrorKind::Syntax(expected))
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn byte(&self) -> Option<u8> {
        self.rest().bytes().next()
    }

    fn advance(&mut self, len: usize) {
        self.position = self.position.saturating_add(len);
    }

    /// The first byte of the next token, which is not taken; 0 at the end.
    pub(super) fn peek(&mut self) -> u8 {
        let rest = self.rest();
        let blank = rest.len().saturating_sub(rest.trim_start_matches([' ', '\t', '\n', '\r']).len());
        self.advance(blank);
        self.byte().unwrap_or(0)
    }

    /// Takes the next token if it is this one.
    pub(super) fn take(&mut self, token: &str) -> bool {
        self.peek();
        let is_there = self.rest().starts_with(token);
        if is_there {
            self.advance(token.len());
        }
        is_there
    }

    /// Takes the next token, which must be this one.
    pub(super) fn expect(&mut self, token: &str, otherwise: JsonErrorKind) -> Parsed<()> {
        if self.take(token) { Ok(()) } else { self.fail(otherwise) }
    }

    /// After an element or field: whether another follows, or `end` has been taken.
    pub(super) fn another(&mut self, end: &str) -> Parsed<bool> {
        if self.take(end) {
            return Ok(false);
        }
        self.expect(",", JsonErrorKind::Syntax("a comma or the end of the array or object is missing"))?;
        Ok(true)
    }

    /// Nothing but blanks may follow.
    pub(super) fn end(&mut self) -> Parsed<()> {
        self.peek();
        if self.rest().is_empty() { Ok(()) } else { self.syntax("something follows the value") }
    }

    /// The name of a field and the colon.
    pub(super) fn name(&mut self) -> Parsed<Cow<'t, str>> {
        if self.peek() != b'"' {
            return self.syntax("a name in quotes is missing");
        }
        let name = self.string()?;
        self.expect(":", JsonErrorKind::Syntax("a colon is missing"))?;
        Ok(name)
    }

    /// A number as it is spelled; `None` if the next token is none.
    pub(super) fn number(&mut self) -> Parsed<Option<&'t str>> {
        if !matches!(self.peek(), b'-' | b'0'..=b'9') {
            return Ok(None);
        }
        let rest = self.rest();
        let len =
            rest.find(|char: char| !matches!(char, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')).unwrap_or(rest.len());
        let number = rest.get(..len).unwrap_or_default();
        if !is_number(number) {
            return self.syntax("a number is spelled wrong");
        }
        self.advance(len);
        Ok(Some(number))
    }

    /// A string, which must be the next token.
    pub(super) fn string(&mut self) -> Parsed<Cow<'t, str>> {
        self.advance(1);
        let mut whole = Cow::Borrowed("");
        loop {
            let rest = self.rest();
            let Some(len) = rest.find(|char: char| char == '"' || char == '\\' || char < ' ') else {
                return self.syntax("a string does not end");
            };
            let plain = rest.get(..len).unwrap_or_default();
            self.advance(len);
            if whole.is_empty() {
                whole = Cow::Borrowed(plain);
            } else {
                whole.to_mut().push_str(plain);
            }
            match self.byte() {
                Some(b'"') => {
                    self.advance(1);
                    return Ok(whole);
                }
                Some(b'\\') => whole.to_mut().push(self.escape()?),
                _ => return self.syntax("a control character in a string is not escaped"),
            }
        }
    }

    fn escape(&mut self) -> Parsed<char> {
        self.advance(1);
        let char = match self.byte() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return self.syntax("an unknown escape"),
        };
        self.advance(1);
        Ok(char)
    }

    /// `\uXXXX`, or two of them that make one character.
    fn unicode_escape(&mut self) -> Parsed<char> {
        let first = self.code_unit()?;
        let mut units = [first, 0];
        let mut len = 1;
        if (0xd800..0xdc00).contains(&first) && self.rest().starts_with("\\u") {
            self.advance(1);
            units = [first, self.code_unit()?];
            len = 2;
        }
        let units = units.into_iter().take(len);
        let mut chars = char::decode_utf16(units);
        match (chars.next(), chars.next()) {
            (Some(Ok(char)), None) => Ok(char),
            _ => self.syntax("half of a surrogate pair"),
        }
    }

    /// `uXXXX`.
    fn code_unit(&mut self) -> Parsed<u16> {
        let digits = self.rest().get(1..5).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|digits| u16::from_str_radix(digits, 16).ok()) {
            Some(unit) => {
                self.advance(5);
                Ok(unit)
            }
            None => self.syntax("\\u without four hexadecimal digits"),
        }
    }
}

/// Whether this is a number by RFC 8259.
pub(super) fn is_number(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    let is_digits = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(whole)
        && (whole.len() == 1 || !whole.starts_with('0'))
        && fraction.is_none_or(is_digits)
        && exponent.is_none_or(is_digits)
}
