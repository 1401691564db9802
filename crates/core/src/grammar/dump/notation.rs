//! Bytes, bounds and marks → their text in the notation of `dump`.
//!
//! The leaves of the notation, which know no terms.

use crate::bytes::byteset::ByteSet;
use crate::regular::term::MANY;
use std::fmt::Write;

/// The text, in parentheses if needed.
pub(super) fn parenthesize(text: String, needs_parentheses: bool) -> String {
    if needs_parentheses {
        format!("({text})")
    } else {
        text
    }
}

/// Repetition bounds in braces.
pub(super) fn format_range(min: u32, max: u32) -> String {
    match max {
        MANY => format!("{{{min},}}"),
        _ if min == max => format!("{{{min}}}"),
        _ => format!("{{{min},{max}}}"),
    }
}

/// The bounds of a number of members or items; empty if there are none.
pub(super) fn format_count(min: u32, max: u32) -> String {
    match (min, max) {
        (0, MANY) => String::new(),
        _ => format!(", {} of them", format_range(min, max)),
    }
}

/// The numbers of the set bits, from 0.
pub(super) fn format_marks(bits: u64) -> String {
    let set: Vec<String> = (0..64).filter(|bit| bits >> bit & 1 == 1).map(|bit| bit.to_string()).collect();
    set.join(" ")
}

/// A condition on an object's marks, in words.
pub(super) fn format_clause(premises: u64, conclusions: u64) -> String {
    match (premises, conclusions) {
        (0, _) => format!("marked with one of {}", format_marks(conclusions)),
        (_, 0) => format!("not marked {} at once", format_marks(premises)),
        _ => format!("if marked {}, with one of {}", format_marks(premises), format_marks(conclusions)),
    }
}

/// Text in single quotes. Unprintable bytes and characters are escaped.
pub(super) fn quote(bytes: &[u8]) -> String {
    let mut out = String::from("'");
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\'' => out.push_str("\\'"),
                '"' => out.push('"'),
                _ => out.extend(character.escape_debug()),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out + "'"
}

/// A byte class as ranges; complemented if that is shorter.
pub(super) fn format_class(bytes: &ByteSet) -> String {
    if bytes.len() == 1 {
        return quote(&bytes.iter().collect::<Vec<u8>>());
    }
    let is_listed = bytes.len() <= 128;
    let listed = |byte: u8| bytes.contains(byte) == is_listed;
    let mut out = String::from(if is_listed { "[" } else { "[^" });
    let mut byte = 0u32;
    while byte < 256 {
        let first = byte;
        while byte < 256 && listed(byte as u8) {
            byte += 1;
        }
        match byte - first {
            0 => byte += 1,
            1 => out += &escape_byte(first as u8),
            2 => out += &(escape_byte(first as u8) + &escape_byte(first as u8 + 1)),
            _ => out += &format!("{}-{}", escape_byte(first as u8), escape_byte((byte - 1) as u8)),
        }
    }
    out + "]"
}

fn escape_byte(byte: u8) -> String {
    match byte {
        b']' | b'-' | b'^' | b'\\' => format!("\\{}", char::from(byte)),
        b'\'' | b'"' => char::from(byte).into(),
        _ => std::ascii::escape_default(byte).map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_stand_only_where_they_are_needed() {
        assert_eq!((parenthesize("a".into(), true), parenthesize("a".into(), false)), ("(a)".into(), "a".into()));
    }

    #[test]
    fn bounds_are_written_as_in_regular_expressions() {
        for (min, max, range, count) in [
            (2, 5, "{2,5}", ", {2,5} of them"),
            (3, 3, "{3}", ", {3} of them"),
            (2, MANY, "{2,}", ", {2,} of them"),
            (0, MANY, "{0,}", ""),
            (0, 0, "{0}", ", {0} of them"),
            (1, MANY, "{1,}", ", {1,} of them"),
        ] {
            assert_eq!((format_range(min, max), format_count(min, max)), (range.into(), count.into()));
        }
    }

    #[test]
    fn marks_are_the_numbers_of_their_bits() {
        for (bits, text) in [(0, ""), (1, "0"), (0b1010, "1 3"), (1 << 63, "63")] {
            assert_eq!(format_marks(bits), text);
        }
    }

    #[test]
    fn quoted_text_shows_what_cannot_be_printed() {
        for (bytes, text) in [
            (&b""[..], "''"),
            (b"a\"b", "'a\"b'"),
            (b"it's", "'it\\'s'"),
            (b"\n\\\0", "'\\n\\\\\\0'"),
            ("é😀".as_bytes(), "'é😀'"),
            (b"\xffa\xc3", "'\\xffa\\xc3'"),
        ] {
            assert_eq!(quote(bytes), text);
        }
    }

    #[test]
    fn a_class_is_listed_by_ranges_or_by_what_it_lacks() {
        let of = |bytes: &[u8]| format_class(&ByteSet::from_bytes(bytes.iter().copied()));
        let but = |bytes: &[u8]| format_class(&ByteSet::FULL.difference(&ByteSet::from_bytes(bytes.iter().copied())));
        for (bytes, text) in [
            (&b"a"[..], "'a'"),
            (b"ab", "[ab]"),
            (b"abc", "[a-c]"),
            (b"abcz", "[a-cz]"),
            (b"acd", "[acd]"),
            (b"]-^\\", "[\\-\\\\-\\^]"),
            (b"\"'\n", "[\\n\"']"),
            (&[0, 255], "[\\x00\\xff]"),
            (&[253, 254, 255], "[\\xfd-\\xff]"),
        ] {
            assert_eq!(of(bytes), text);
        }
        assert_eq!((but(b""), but(b"a"), but(b"abc")), ("[^]".into(), "[^a]".into(), "[^a-c]".into()));
        // 128 bytes are listed, 129 are not.
        assert_eq!(format_class(&ByteSet::range(0, 0x7f)), "[\\x00-\\x7f]");
        assert_eq!(format_class(&ByteSet::range(0, 0x80)), "[^\\x81-\\xff]");
    }
}
