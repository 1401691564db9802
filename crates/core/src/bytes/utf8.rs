//! Bytes → their role in UTF-8 (RFC 3629) and in JSON strings (RFC 8259 section 7).

use crate::bytes::byteset::ByteSet;

/// The ASCII bytes that stand for themselves in a JSON string.
pub(crate) const RAW: ByteSet = ByteSet([!0 << 32 & !(1 << b'"'), !(1 << (b'\\' - 64)), 0, 0]);

/// Whether a byte begins a character of UTF-8.
pub fn is_lead(byte: u8) -> bool {
    !(0x80..0xc0).contains(&byte)
}

/// Whether a byte may stand for itself in a JSON string.
pub(crate) fn raw(byte: u8) -> bool {
    byte >= 0x80 || RAW.contains(byte)
}
