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
