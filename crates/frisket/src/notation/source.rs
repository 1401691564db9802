//! Text of a grammar, from left to right → its words, escapes, classes and counts, or an error with its place.

use super::{Failure, Fault};
use crate::error::line_and_column;
use frisket_core::production::BodyNode;
use frisket_regex::{quoted, CharSet, Range, LAST};
use std::borrow::Cow;

/// What a part of the text says, or what is wrong.
pub(crate) type Read<T> = Result<T, Failure>;

/// The failure at a byte of the text. An empty hint is none.
pub(crate) fn fault(message: impl Into<String>, at: usize, hint: impl Into<Cow<'static, str>>) -> Failure {
    let hint = Some(hint.into()).filter(|hint| !hint.is_empty());
    Failure::Unread(Fault { message: message.into(), at: Some(at), hint })
}

/// As `fault`, as the answer of a reader.
pub(crate) fn fail<T>(message: impl Into<String>, at: usize, hint: impl Into<Cow<'static, str>>) -> Read<T> {
    Err(fault(message, at, hint))
}

/// How many hexadecimal digits stand behind an escape's letter.
pub(crate) fn digits_of(letter: char) -> usize {
    match letter {
        'x' => 2,
        'u' => 4,
        _ => 8,
    }
}

/// White space, as Python has it.
pub(crate) fn is_space(char: char) -> bool {
    char.is_whitespace() || matches!(char, '\u{1c}'..='\u{1f}')
}

/// A place in a text.
pub(crate) struct Source<'t> {
    pub text: &'t str,
    pub at: usize,
}

/// Advice on a class `[a-z]`: how its end, a hyphen, and a class without characters are written.
pub(crate) struct ClassHints {
    pub close: &'static str,
    pub hyphen: &'static str,
    pub empty: &'static str,
}

impl<'t> Source<'t> {
    /// The beginning of a text.
    pub fn new(text: &'t str) -> Read<Self> {
        if text.starts_with('\u{feff}') {
            let hint = r#"read the file with encoding="utf-8-sig", which leaves the mark out"#;
            return fail("the grammar begins with a byte order mark", 0, hint);
        }
        Ok(Source { text, at: 0 })
    }

    pub fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += char.len_utf8();
        Some(char)
    }

    pub fn take(&mut self, wanted: &str) -> bool {
        let taken = self.rest().starts_with(wanted);
        self.at += if taken { wanted.len() } else { 0 };
        taken
    }

    /// The text up to the first character that is not wanted, which may be empty.
    pub fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|char| !wanted(char)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// A word of wanted characters, the first of which is of a kind of its own; empty if none comes next.
    pub fn word(&mut self, first: impl Fn(char) -> bool, wanted: impl Fn(char) -> bool) -> &'t str {
        if self.peek().is_some_and(first) {
            self.take_while(wanted)
        } else {
            ""
        }
    }

    /// The text up to the end that comes next, which is read, too; None, and nothing is read, if none comes.
    pub fn take_up_to(&mut self, end: &str) -> Option<&'t str> {
        let rest = self.rest();
        let taken = &rest[..rest.find(end)?];
        self.at += taken.len() + end.len();
        Some(taken)
    }

    /// Skips blanks and tabs; how many they are.
    pub fn blanks(&mut self) -> usize {
        self.take_while(|char| matches!(char, ' ' | '\t')).len()
    }
    /// Skips the rest of a line.
    pub fn skip_line(&mut self) {
        self.take_while(|char| !matches!(char, '\r' | '\n'));
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

    /// The number of repetitions that comes next.
    pub fn count(&mut self, hint: &'static str) -> Read<u32> {
        let at = self.at;
        let digits = self.take_while(|char| char.is_ascii_digit());
        if digits.is_empty() {
            return fail(format!("expected a count, found {}", self.found()), at, hint);
        }
        count(digits, at)
    }

    /// The code point of the digits that come next, which were expected at a place.
    pub fn code_point(&mut self, base: u32, at: usize) -> Read<u32> {
        let digits = self.take_while(|char| char.is_digit(base));
        match u32::from_str_radix(digits, base).ok().filter(|&point| point <= LAST) {
            Some(point) => Ok(point),
            None => fail("there is no such character", at, "the last code point of Unicode is U+10FFFF"),
        }
    }

    /// The code point of so many hexadecimal digits, behind the backslash at a place and its letter.
    pub fn hexadecimal(&mut self, letter: char, at: usize) -> Read<u32> {
        let length = digits_of(letter);
        let digits = self.rest().bytes().take(length).take_while(u8::is_ascii_hexdigit).count();
        if digits < length {
            return fail(format!("\\{letter} takes {length} hexadecimal digits"), at, "");
        }
        let digits = Source { text: &self.text[..self.at + length], at: self.at }.code_point(16, at)?;
        self.at += length;
        Ok(digits)
    }

    /// A text without escapes, from its quote on.
    pub fn quoted(&mut self) -> Read<BodyNode> {
        let (at, quote) = (self.at, &self.rest()[..1]);
        self.at += 1;
        match self.take_up_to(quote) {
            None => fail("the text is not closed", at, format!("close it with {quote}")),
            Some("") => Ok(BodyNode::Seq),
            Some(text) => Ok(BodyNode::Text(text.into())),
        }
    }

    /// The characters of a class, from its bracket on. `point` reads one of them.
    pub fn class(&mut self, hints: &ClassHints, point: impl Fn(&mut Self) -> Read<u32>) -> Read<BodyNode> {
        let begin = self.at;
        self.next();
        let is_negative = self.take("^");
        let mut ranges: Vec<Range> = Vec::new();
        while !self.take("]") {
            let at = self.at;
            if self.is_at_end() {
                return fail("the class is not closed", begin, hints.close);
            }
            let low = point(self)?;
            let mut high = low;
            if self.peek() == Some('-') && !self.rest().starts_with("-]") {
                self.next();
                if self.is_at_end() {
                    continue;
                }
                high = point(self)?;
                if high < low {
                    let range = &self.text[at..self.at];
                    return fail(format!("the range {range} is in reverse order"), at, hints.hyphen);
                }
            }
            ranges.push((low, high));
        }
        if ranges.is_empty() {
            return fail("the class is empty", begin, hints.empty);
        }
        let set = CharSet::new(ranges);
        let set = if is_negative { set.complement() } else { set };
        if set.ranges().iter().all(|&(low, high)| low >= 0xd800 && high <= 0xdfff) {
            return fail("no character is in the class", begin, "surrogates are no characters");
        }
        Ok(BodyNode::Chars(set.ranges().into()))
    }
}

/// The number of repetitions that digits stand for: the engine's counts have 32 bits.
pub(crate) fn count(digits: &str, at: usize) -> Read<u32> {
    let hint = "at most 4,294,967,295 are possible; `*` has no limit";
    digits.parse().map_err(|_| fault("the number of repetitions is too large", at, hint))
}

/// The counts of a repetition that begins at a place: the first one is not the greater one.
pub(crate) fn counts(low: u32, high: Option<u32>, at: usize) -> Read<(u32, Option<u32>)> {
    match high {
        Some(high) if high < low => {
            fail(format!("at least {low} and at most {high} times is never"), at, "the smaller count comes first")
        }
        high => Ok((low, high)),
    }
}

/// Whether a special token's name is no number in brackets, or a right one.
pub(crate) fn is_token_name(name: &str) -> bool {
    let Some(number) = name.strip_prefix("<[") else { return true };
    let digits = number.strip_suffix("]>").unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// The character of a code point that is written at a place.
pub(crate) fn character(point: u32, at: usize) -> Read<char> {
    char::from_u32(point).ok_or_else(|| {
        let message = format!("U+{point:04X} is half of a surrogate pair, and no character");
        fault(message, at, "write the whole character's number")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HINTS: ClassHints = ClassHints { close: "close", hyphen: "hyphen", empty: "empty" };

    fn class(text: &str) -> Result<BodyNode, String> {
        let read = Source::new(text).and_then(|mut source| {
            source.class(&HINTS, |source| {
                Ok(source.next().map_or(0, |char| if char == '?' { 0xd800 } else { char.into() }))
            })
        });
        read.map_err(|failure| match failure {
            Failure::Unread(fault) => format!("{} {:?}", fault.message, fault.at),
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn classes_are_sets_of_ranges() {
        assert_eq!(class("[c-da-b-]"), Ok(BodyNode::Chars([(0x2d, 0x2d), (0x61, 0x64)].into())));
        assert_eq!(class("[^\0-y]"), Ok(BodyNode::Chars([(0x7a, LAST)].into())));
        assert_eq!(class("[b-a]"), Err("the range b-a is in reverse order Some(1)".into()));
        assert_eq!(class("[a"), Err("the class is not closed Some(0)".into()));
        assert_eq!(class("[a-"), Err("the class is not closed Some(0)".into()));
        assert_eq!(class("[]"), Err("the class is empty Some(0)".into()));
        assert_eq!(class("[?]"), Err("no character is in the class Some(0)".into()));
    }

    #[test]
    fn numbers_have_an_end() {
        let point = |digits: &str, base| Source { text: digits, at: 0 }.code_point(base, 0).ok();
        assert_eq!((point("00041;", 16), point("1000001", 2), point("110000", 16)), (Some(65), Some(65), None));
        assert_eq!(point("FFFFFFFFFFFFFFFFFFFF", 16), None);
        assert_eq!((count("0004294967295", 0).ok(), count("4294967296", 0).ok()), (Some(u32::MAX), None));
        assert_eq!((character(0x41, 0).ok(), character(0xdfff, 0).ok()), (Some('A'), None));
    }

    #[test]
    fn a_text_ends_with_its_quote() {
        let mut source = Source { text: "'ab'c", at: 0 };
        assert_eq!((source.quoted().ok(), source.found()), (Some(BodyNode::Text("ab".into())), "'c'".into()));
        assert_eq!((source.take_up_to("'"), source.at), (None, 4));
        assert!(Source::new("\u{feff}a").is_err());
    }
}
