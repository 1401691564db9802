//! Byte → its role in UTF-8 (RFC 3629) and in JSON strings (RFC 8259 section 7).
//!
//! One file, so that vocabulary and regular terms agree on what a character is.

use crate::bytes::byteset::ByteSet;

/// The ASCII bytes that a JSON string may hold without an escape.
pub(crate) const UNESCAPED_ASCII: ByteSet = ByteSet([!0 << 32 & !(1 << b'"'), !(1 << (b'\\' - 64)), 0, 0]);

/// Whether `byte` begins a code point: every byte but the continuation bytes 0x80 to 0xbf.
pub fn is_lead(byte: u8) -> bool {
    !(0x80..0xc0).contains(&byte)
}

/// Whether a JSON string may hold `byte` without an escape.
pub(crate) fn is_unescaped(byte: u8) -> bool {
    byte >= 0x80 || UNESCAPED_ASCII.contains(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_holds_bytes_without_an_escape_as_json_does() {
        for byte in 0..0x80u8 {
            let string = format!("\"{}\"", char::from(byte));
            let valid = serde_json::from_str::<String>(&string).is_ok();
            assert_eq!((is_unescaped(byte), UNESCAPED_ASCII.contains(byte)), (valid, valid), "{byte:x}");
        }
        for byte in 0x80..=255 {
            assert!(is_unescaped(byte) && !UNESCAPED_ASCII.contains(byte), "{byte:x}");
        }
    }
}
