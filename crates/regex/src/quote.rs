//! Text → a quoted literal, as Python's `repr` writes it.
//!
//! Messages are read in Python's terminals beside the caller's own literals, so both look alike.

use crate::unicode::property::category;
use frisket_core::storage::once::Lazy;
use std::fmt::Write;

/// Most characters of a pattern that a message quotes.
const LONGEST: usize = 60;

/// A pattern between quotes, cut where it is long.
pub(crate) fn shortened(pattern: &[char]) -> String {
    match pattern {
        [head @ .., _] if pattern.len() > LONGEST => {
            let head = &head[..LONGEST - 3];
            quoted(head.iter().copied().chain(['…']))
        }
        _ => quoted(pattern.iter().copied()),
    }
}

/// Text between quotes, as Python's `repr` writes it.
///
/// ```
/// assert_eq!(frisket_regex::quoted("it's\n".chars()), r#""it's\n""#);
/// ```
pub fn quoted(text: impl Iterator<Item = char> + Clone) -> String {
    escaped(text, is_printable)
}

/// Text between quotes, with escapes for all that is not ASCII, as Python's `ascii` writes it.
///
/// ```
/// assert_eq!(frisket_regex::ascii("é'\n"), r#""\xe9'\n""#);
/// ```
pub fn ascii(text: &str) -> String {
    escaped(text.chars(), |_| false)
}

/// Text between quotes, with escapes for all characters but printable ASCII and those that are kept.
fn escaped(text: impl Iterator<Item = char> + Clone, is_kept: fn(char) -> bool) -> String {
    let double = text.clone().any(|char| char == '\'') && !text.clone().any(|char| char == '"');
    let mark = if double { '"' } else { '\'' };
    let mut made = String::from(mark);
    for char in text {
        match char {
            '\n' => made.push_str("\\n"),
            '\r' => made.push_str("\\r"),
            '\t' => made.push_str("\\t"),
            '\\' => made.push_str("\\\\"),
            _ if char == mark => made.extend(['\\', char]),
            ' '..='~' => made.push(char),
            _ if is_kept(char) => made.push(char),
            _ => {
                let point = char as u32;
                let width = if point < 0x100 {
                    ('x', 2)
                } else if point < 0x1_0000 {
                    ('u', 4)
                } else {
                    ('U', 8)
                };
                // Writing into a String cannot fail.
                let _ = write!(made, "\\{}{point:0length$x}", width.0, length = width.1);
            }
        }
    }
    made.push(mark);
    made
}

/// Whether a character is neither of category "other" nor a separator; the space is printable, too.
pub fn is_printable(char: char) -> bool {
    static UNPRINTABLE: Lazy<[crate::CharSet; 2]> =
        Lazy::new(|| ["C", "Z"].map(|name| category(name).unwrap_or_else(crate::CharSet::none)));
    char == ' ' || !UNPRINTABLE.iter().any(|set| set.contains(char as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_quoted_as_python_quotes_it() {
        let cases = [
            ("ab", "'ab'"),
            ("a'b", "\"a'b\""),
            ("a'\"b", "'a\\'\"b'"),
            ("\\d\n\r\t", "'\\\\d\\n\\r\\t'"),
            ("\0\u{7f}\u{a0}\u{2028}\u{e000}\u{10ffff}é😀", "'\\x00\\x7f\\xa0\\u2028\\ue000\\U0010ffffé😀'"),
        ];
        for (text, expected) in cases {
            assert_eq!(quoted(text.chars()), expected);
        }
    }

    #[test]
    fn a_long_pattern_is_cut() {
        let long: Vec<char> = "a".repeat(61).chars().collect();
        assert_eq!(shortened(&long), format!("'{}…'", "a".repeat(57)));
        assert_eq!(shortened(&long[1..]), format!("'{}'", "a".repeat(60)));
    }
}
