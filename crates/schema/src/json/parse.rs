//! JSON text (RFC 8259) → the tree of its value, or an error with line and column.
//!
//! As in most parsers, half of a surrogate pair may stand alone in a string, and of members of one name the last
//! counts.

use super::build::{too_large, TreeBuilder};
use super::position::line_and_column;
use super::text::{OwnedText, Text};
use super::tree::Tree;
use crate::error::{Error, Result};
use frisket_core::limits::Watch;

const HINT: &str = "JSON has double quotes, no comments, no trailing commas; pass a file's content, not its name";
const MARK_HINT: &str = "read the file with encoding=\"utf-8-sig\", which leaves the mark out";

/// The tree of a JSON text. Errors: no JSON, deeper than [`MAX_DEPTH`](super::MAX_DEPTH) levels, larger than 4 GB.
///
/// ```
/// use frisket_schema::json::parse;
///
/// let error = parse("{\"type\":\n \"string\",}").unwrap_err();
/// assert_eq!(error.place.as_deref(), Some("2:11"));
/// ```
pub fn parse(text: &str) -> Result<Tree> {
    parse_watched(text, Watch::default())
}

/// Like [`parse`]; a flag or the clock may end it. Errors: those of `parse`, cancellation, time.
pub fn parse_watched(text: &str, watch: Watch) -> Result<Tree> {
    if text.len() > u32::MAX as usize {
        return Err(too_large());
    }
    let mut parser = Parser { text, bytes: text.as_bytes(), at: 0, builder: TreeBuilder::default() };
    parser.builder.reserve(text.len());
    parser.builder.watched_by(watch);
    parser.document()?;
    Ok(parser.builder.finish())
}

/// A string: most have no escapes and need no copy.
enum Spelled<'a> {
    Plain(&'a str),
    Decoded(OwnedText),
}

impl Spelled<'_> {
    fn as_text(&self) -> Text<'_> {
        match self {
            Spelled::Plain(text) => Text::Unicode(text),
            Spelled::Decoded(text) => text.as_text(),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    builder: TreeBuilder,
}

impl<'a> Parser<'a> {
    fn document(&mut self) -> Result<()> {
        self.value_begins()?;
        while let Some(is_object) = self.builder.is_in_object() {
            self.skip_space();
            let close = if is_object { b'}' } else { b']' };
            match self.peek() {
                Some(byte) if byte == close => {
                    self.at += 1;
                    self.close()?;
                }
                Some(b',') => {
                    self.at += 1;
                    self.skip_space();
                    if is_object {
                        self.member_begins()?;
                    }
                    self.value_begins()?;
                }
                _ if is_object => return Err(self.wrong("expected ',' or '}'", self.at)),
                _ => return Err(self.wrong("expected ',' or ']'", self.at)),
            }
        }
        self.skip_space();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.wrong("expected the end of the text", self.at)),
        }
    }

    /// Reads a scalar or an empty array or object; or enters an array or object up to its first scalar.
    fn value_begins(&mut self) -> Result<()> {
        loop {
            self.skip_space();
            let start = self.at;
            let (is_object, close) = match self.peek() {
                Some(b'{') => (true, b'}'),
                Some(b'[') => (false, b']'),
                _ => return self.scalar(),
            };
            self.at += 1;
            self.begin(is_object, start)?;
            self.skip_space();
            if self.peek() == Some(close) {
                self.at += 1;
                return self.close();
            }
            if is_object {
                self.member_begins()?;
            }
        }
    }

    fn begin(&mut self, is_object: bool, start: usize) -> Result<()> {
        self.builder.begin(is_object, start as u32).map_err(|error| error.at(self.position(start)))
    }

    fn close(&mut self) -> Result<()> {
        self.builder.end_at(self.at as u32).map(|_| ())
    }

    fn member_begins(&mut self) -> Result<()> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.wrong("expected a name in double quotes", start));
        }
        let name = self.string()?;
        self.builder.key_at(name.as_text(), start as u32)?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.wrong("expected ':'", self.at));
        }
        self.at += 1;
        Ok(())
    }

    fn scalar(&mut self) -> Result<()> {
        let start = self.at;
        let literals = [("null", None), ("true", Some(true)), ("false", Some(false))];
        match self.peek() {
            Some(b'"') => {
                let text = self.string()?;
                self.builder.string_at(text.as_text(), (start as u32, self.at as u32))?;
            }
            Some(b'-' | b'0'..=b'9') => {
                self.number()?;
                self.builder.number_at(&self.text[start..self.at], (start as u32, self.at as u32))?;
            }
            _ => match literals.iter().find(|(word, _)| self.bytes[start..].starts_with(word.as_bytes())) {
                Some((word, flag)) => {
                    self.at += word.len();
                    self.builder.literal_at(*flag, (start as u32, self.at as u32))?;
                }
                None => return Err(self.no_value(start)),
            },
        }
        Ok(())
    }

    /// The error of a missing value; NaN and Infinity are named, as they are common.
    fn no_value(&self, start: usize) -> Box<Error> {
        let rest = &self.text[start..];
        if start == 0 && rest.starts_with('\u{feff}') {
            let what = "the schema begins with a byte order mark, which is no JSON";
            return Error::invalid(what).at(self.position(start)).with_hint(MARK_HINT);
        }
        match ["NaN", "Infinity", "-Infinity"].into_iter().find(|name| rest.starts_with(name)) {
            Some(name) => self.wrong(&format!("{name} is no JSON number"), start),
            None => self.wrong("expected a value", start),
        }
    }

    /// Reads the longest numeral that begins here.
    fn number(&mut self) -> Result<()> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.no_value(start)),
        }
        let is_digit =
            |parser: &Self, ahead: usize| parser.bytes.get(parser.at + ahead).is_some_and(u8::is_ascii_digit);
        if self.peek() == Some(b'.') && is_digit(self, 1) {
            self.at += 1;
            self.digits();
        }
        if let Some(b'e' | b'E') = self.peek() {
            let sign = usize::from(matches!(self.bytes.get(self.at + 1), Some(b'+' | b'-')));
            if is_digit(self, 1 + sign) {
                self.at += 1 + sign;
                self.digits();
            }
        }
        Ok(())
    }

    fn digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }

    /// Reads the string that begins here with a quote.
    fn string(&mut self) -> Result<Spelled<'a>> {
        let start = self.at;
        self.at += 1;
        let plain = self.plain_end();
        if self.bytes.get(plain) == Some(&b'"') {
            let text = &self.text[self.at..plain];
            self.at = plain + 1;
            return Ok(Spelled::Plain(text));
        }
        let mut points = Vec::new();
        loop {
            let plain = self.plain_end();
            points.extend(self.text[self.at..plain].chars().map(u32::from));
            self.at = plain;
            match self.peek() {
                None => return Err(self.wrong("this string has no end", start)),
                Some(b'"') => break,
                Some(b'\\') => self.escape(start, &mut points)?,
                Some(_) => return Err(self.wrong("a control character in a string must be escaped", self.at)),
            }
        }
        self.at += 1;
        Ok(Spelled::Decoded(OwnedText::from_code_points(&points)))
    }

    /// The index of the next quote, backslash or control character, or of the end.
    fn plain_end(&self) -> usize {
        let rest = &self.bytes[self.at..];
        self.at + rest.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\').unwrap_or(rest.len())
    }

    fn escape(&mut self, string: usize, points: &mut Vec<u32>) -> Result<()> {
        let start = self.at;
        let Some(&letter) = self.bytes.get(start + 1) else { return Err(self.wrong("this string has no end", string)) };
        let point = match letter {
            b'"' | b'\\' | b'/' => letter.into(),
            b'b' => 8,
            b'f' => 12,
            b'n' => 10,
            b'r' => 13,
            b't' => 9,
            b'u' => {
                let first = self.unit(start)?;
                match self.unit(start + 6) {
                    Ok(second @ 0xdc00..=0xdfff) if (0xd800..0xdc00).contains(&first) => {
                        self.at = start + 12;
                        points.push(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
                        return Ok(());
                    }
                    _ => {
                        self.at = start + 6;
                        points.push(first);
                        return Ok(());
                    }
                }
            }
            _ => return Err(self.wrong("no such escape in a string", start)),
        };
        self.at = start + 2;
        points.push(point);
        Ok(())
    }

    /// The number of an escape `\uXXXX` that stands at `start`.
    fn unit(&self, start: usize) -> Result<u32> {
        let digits = self.bytes.get(start..start + 6).filter(|escape| escape.starts_with(b"\\u"));
        let digits = digits.map(|escape| &escape[2..]).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let value =
            |digits: &[u8]| digits.iter().fold(0, |sum, &digit| sum * 16 + char::from(digit).to_digit(16).unwrap_or(0));
        digits.map(value).ok_or_else(|| self.wrong("\\u needs four hexadecimal digits", start))
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn position(&self, byte: usize) -> String {
        let (line, column) = line_and_column(self.text, byte);
        format!("{line}:{column}")
    }

    fn wrong(&self, what: &str, byte: usize) -> Box<Error> {
        Error::invalid(format!("the schema is not JSON: {what}")).at(self.position(byte)).with_hint(HINT)
    }
}
