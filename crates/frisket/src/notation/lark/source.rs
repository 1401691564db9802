//! Text in Lark's notation → its names, keywords and numbers, without white space and comments.

use crate::notation::source::{fail, fault, Read, Source};

/// Advice on counts.
pub(super) const COUNTS: &str = "counts are ~2, ~2..4, {2}, {2,} and {2,4}";

impl<'t> Source<'t> {
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
