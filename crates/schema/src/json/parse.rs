//! JSON text (RFC 8259) → the tree of its value, or an error with line and column.
//!
//! As in most parsers, half of a surrogate pair may stand alone in a string, and of members of one name the last
//! counts.

use super::build::{too_large, TreeBuilder};
use super::position::line_and_column;
use super::text::Text;
use super::tree::Tree;
use crate::error::{Error, Result};
use frisket_core::limits::Watch;
use std::borrow::Cow;
use std::fmt::Write;

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

/// A string, and whether UTF-8 can spell it. Most have no escapes and need no copy.
type Spelled<'a> = (Cow<'a, str>, bool);

fn text<'s>((text, is_unicode): &'s Spelled<'_>) -> Text<'s> {
    match is_unicode {
        true => Text::Unicode(text),
        false => Text::Surrogates(text),
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
        let mut is_first = true;
        loop {
            self.skip_space();
            if let Some(is_object) = self.builder.is_in_object() {
                let (close, expected) =
                    if is_object { (b'}', "expected ',' or '}'") } else { (b']', "expected ',' or ']'") };
                if self.peek() == Some(close) {
                    self.at += 1;
                    self.builder.end()?;
                    is_first = false;
                    if self.builder.is_in_object().is_some() {
                        continue;
                    }
                    break;
                }
                if !is_first {
                    if self.peek() != Some(b',') {
                        return Err(self.wrong(expected, self.at));
                    }
                    self.at += 1;
                    self.skip_space();
                }
                if is_object {
                    self.member_begins()?;
                }
            }
            is_first = self.value_begins()?;
            if self.builder.is_in_object().is_none() {
                break;
            }
        }
        self.skip_space();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.wrong("expected the end of the text", self.at)),
        }
    }

    /// Reads a scalar, or enters an array or object; whether it has entered one.
    fn value_begins(&mut self) -> Result<bool> {
        self.skip_space();
        let is_object = match self.peek() {
            Some(b'{') => true,
            Some(b'[') => false,
            _ => return self.scalar().map(|()| false),
        };
        self.builder.begin(is_object).map_err(|error| error.at(self.position(self.at)))?;
        self.at += 1;
        Ok(true)
    }

    fn member_begins(&mut self) -> Result<()> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.wrong("expected a name in double quotes", start));
        }
        let name = self.string()?;
        self.builder.key(text(&name))?;
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
                let string = self.string()?;
                self.builder.string(text(&string))?;
            }
            Some(b'-' | b'0'..=b'9') => {
                self.number()?;
                self.builder.number(&self.text[start..self.at])?;
            }
            _ => match literals.iter().find(|(word, _)| self.bytes[start..].starts_with(word.as_bytes())) {
                Some((word, flag)) => {
                    self.at += word.len();
                    match *flag {
                        Some(flag) => self.builder.boolean(flag)?,
                        None => self.builder.null()?,
                    };
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
            return Ok((text.into(), true));
        }
        let (mut text, mut is_unicode) = (String::new(), true);
        loop {
            let plain = self.plain_end();
            text.push_str(&self.text[self.at..plain]);
            self.at = plain;
            match self.peek() {
                None => return Err(self.wrong("this string has no end", start)),
                Some(b'"') => break,
                Some(b'\\') => is_unicode &= self.escape(start, &mut text)?,
                Some(_) => return Err(self.wrong("a control character in a string must be escaped", self.at)),
            }
        }
        self.at += 1;
        Ok((text.into(), is_unicode))
    }

    /// The index of the next quote, backslash or control character, or of the end.
    fn plain_end(&self) -> usize {
        let rest = &self.bytes[self.at..];
        self.at + rest.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\').unwrap_or(rest.len())
    }

    /// Reads an escape; whether it is a character, and no half of a surrogate pair.
    fn escape(&mut self, string: usize, text: &mut String) -> Result<bool> {
        let start = self.at;
        let Some(&letter) = self.bytes.get(start + 1) else { return Err(self.wrong("this string has no end", string)) };
        self.at = start + 2;
        text.push(match letter {
            b'"' | b'\\' | b'/' => letter.into(),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let mut point = self.unit(start)?;
                self.at = start + 6;
                if let (0xd800..=0xdbff, Ok(low @ 0xdc00..=0xdfff)) = (point, self.unit(self.at)) {
                    point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
                    self.at += 6;
                }
                let Some(char) = char::from_u32(point) else {
                    // Writing into a String cannot fail.
                    let _ = write!(text, "\\u{point:04x}");
                    return Ok(false);
                };
                char
            }
            _ => return Err(self.wrong("no such escape in a string", start)),
        });
        Ok(true)
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
