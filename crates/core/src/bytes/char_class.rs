//! Characters → classes by first byte, the precision of the vocabulary's indexes.
//!
//! Apart from `byteset`, because a class ranges over whole characters: it holds no continuation bytes.

use crate::bytes::byteset::ByteSet;

/// A set of characters by first byte. Two words hold ASCII instead of a `u128`, whose alignment would enlarge the struct.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct CharClass {
    ascii: [u64; 2],
    leads: u64,
}

impl CharClass {
    /// The class of some ASCII characters (bit n: byte n) and some lead bytes (bit n: byte 0xc0 + n).
    pub fn new(ascii: u128, leads: u64) -> Self {
        CharClass { ascii: [ascii as u64, (ascii >> 64) as u64], leads }
    }

    /// Bit n is set if the class holds the ASCII character n.
    pub fn ascii(self) -> u128 {
        u128::from(self.ascii[0]) | u128::from(self.ascii[1]) << 64
    }

    /// The ASCII characters of the class.
    pub fn bytes(self) -> ByteSet {
        ByteSet([self.ascii[0], self.ascii[1], 0, 0])
    }

    /// Bit n is set if the class holds the characters with the lead byte 0xc0 + n.
    pub fn lead_bytes(self) -> u64 {
        self.leads
    }

    /// Whether the class holds the characters that begin with `byte`; false for continuation bytes.
    pub fn contains(self, byte: u8) -> bool {
        match byte {
            0..=0x7f => self.ascii[byte as usize >> 6] >> (byte & 63) & 1 == 1,
            0x80..=0xbf => false,
            0xc0.. => self.leads >> (byte - 0xc0) & 1 == 1,
        }
    }

    /// Whether `other` holds all characters of the class.
    pub fn is_within(self, other: CharClass) -> bool {
        self.ascii[0] & !other.ascii[0] == 0 && self.ascii[1] & !other.ascii[1] == 0 && self.leads & !other.leads == 0
    }

    /// The class with the characters added that begin with `byte`; continuation bytes add none.
    pub fn with(mut self, byte: u8) -> Self {
        match byte {
            0..=0x7f => self.ascii[byte as usize >> 6] |= 1 << (byte & 63),
            0x80..=0xbf => {}
            0xc0.. => self.leads |= 1 << (byte - 0xc0),
        }
        self
    }
}
