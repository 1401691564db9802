//! The text of a grammar in Lark's notation, read from left to right, with the errors of its reader.

use super::super::{Cursor, Failure, Fault};
use crate::error::line_and_column;
use frisket_regex::quoted;
use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

/// What a part of the text says, or what is wrong.
pub(super) type Read<T> = Result<T, Failure>;

/// Largest count: the engine's counts have 32 bits.
const LARGEST: u64 = u32::MAX as u64;

/// The failure at a byte of the text. An empty hint is none.
pub(super) fn fault(message: impl Into<String>, at: usize, hint: impl Into<Cow<'static, str>>) -> Failure {
    let hint = Some(hint.into()).filter(|hint| !hint.is_empty());
    Failure::Unread(Fault { message: message.into(), at: Some(at), hint })
}

/// As `fault`, as the answer of a reader.
pub(super) fn fail<T>(message: impl Into<String>, at: usize, hint: impl Into<Cow<'static, str>>) -> Read<T> {
    Err(fault(message, at, hint))
}

/// A cursor in the text.
pub(super) struct Source<'t>(Cursor<'t>);

impl<'t> Deref for Source<'t> {
    type Target = Cursor<'t>;

    fn deref(&self) -> &Cursor<'t> {
        &self.0
    }
}

impl DerefMut for Source<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<'t> Source<'t> {
    pub fn new(text: &'t str) -> Self {
        Source(Cursor { text, at: 0 })
    }

    /// Reads the text, which must come next.
    pub fn expect(&mut self, text: &str, why: &str, hint: &'static str) -> Read<()> {
        if self.take(text) {
            return Ok(());
        }
        fail(format!("expected {text} {why}, found {}", self.found()), self.at, hint)
    }

    /// The next character, as errors name it.
    pub fn found(&self) -> String {
        match self.peek() {
            None => "the end of the grammar".into(),
            Some('\r' | '\n') => "the end of the line".into(),
            Some(char) => quoted(std::iter::once(char)),
        }
    }

    /// Line and column of a byte.
    pub fn place(&self, at: usize) -> String {
        line_and_column(self.text, at)
    }

    /// Skips white space, comments, and line ends behind a backslash.
    pub fn space(&mut self, lines: bool) {
        loop {
            self.take_while(|char| matches!(char, ' ' | '\t') || (lines && matches!(char, '\r' | '\n')));
            if self.begins_comment() {
                self.skip_line();
            } else if let Some(length) = continued(self.rest()) {
                self.at += length;
            } else {
                return;
            }
        }
    }

    /// Skips the lines up to a bar, with which an alternative begins in a line of its own. False, and nothing is skipped,
    /// if no such line comes.
    pub fn next_alternative(&mut self) -> bool {
        let begin = self.at;
        loop {
            self.take_while(|char| matches!(char, ' ' | '\t' | '\r' | '\n'));
            if !self.begins_comment() {
                break;
            }
            self.skip_line();
        }
        let is_found = self.peek() == Some('|');
        self.at = if is_found { self.at } else { begin };
        is_found
    }

    fn begins_comment(&self) -> bool {
        self.rest().starts_with('#') || self.rest().starts_with("//")
    }

    /// A name; empty if none comes next.
    pub fn name(&mut self) -> &'t str {
        let rest = self.rest();
        let mut end = rest.len() - rest.trim_start_matches('_').len();
        if !rest[end..].starts_with(|char: char| char.is_ascii_alphabetic()) {
            return "";
        }
        while let Some(char) = rest[end..].chars().next() {
            if !(char.is_ascii_alphanumeric() || char == '_' || (char == '-' && !rest[end..].starts_with("->"))) {
                break;
            }
            end += 1;
        }
        self.at += end;
        &rest[..end]
    }

    /// A sign and a word of small letters, such as `%ignore`; empty if none comes next.
    pub fn keyword(&mut self) -> &'t str {
        let rest = self.rest();
        let letters = rest.strip_prefix('%').unwrap_or("");
        let length = letters.find(|char: char| !(char.is_ascii_lowercase() || char == '_')).unwrap_or(letters.len());
        if length == 0 {
            return "";
        }
        self.at += length + 1;
        &rest[..=length]
    }

    /// The number of repetitions that comes next.
    pub fn count(&mut self) -> Read<u32> {
        let at = self.at;
        let digits = self.take_while(|char| char.is_ascii_digit());
        if digits.is_empty() {
            return fail(
                format!("expected a count, found {}", self.found()),
                at,
                "counts are ~2, ~2..4, {2}, {2,} and {2,4}",
            );
        }
        let digits = match digits.trim_start_matches('0') {
            "" => "0",
            digits => digits,
        };
        match digits.parse::<u64>().ok().filter(|&count| count <= LARGEST) {
            Some(count) => Ok(count as u32),
            None => fail(
                "the number of repetitions is too large",
                at,
                "at most 4,294,967,295 are possible; `*` has no limit",
            ),
        }
    }

    /// The number that comes next, decimal or hexadecimal.
    pub fn integer(&mut self, why: &str) -> Read<u128> {
        let at = self.at;
        let is_hexadecimal =
            self.rest().strip_prefix("0x").is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_hexdigit()));
        let (prefix, base) = if is_hexadecimal { ("0x", 16) } else { ("", 10) };
        self.at += prefix.len();
        let digits = self.take_while(|char| char.is_digit(base));
        if digits.is_empty() {
            return fail(format!("expected {why}, found {}", self.found()), at, "");
        }
        if prefix.len() + digits.len() > 20 {
            return fail("the number is too large", at, "");
        }
        u128::from_str_radix(digits, base).map_err(|_| fault("the number is too large", at, ""))
    }
}

/// The length of a backslash and the line end behind it, which continue a line.
fn continued(rest: &str) -> Option<usize> {
    let behind = rest.strip_prefix('\\')?.trim_start_matches(' ');
    let behind = behind.strip_prefix('\r').unwrap_or(behind).strip_prefix('\n')?;
    Some(rest.len() - behind.len())
}
