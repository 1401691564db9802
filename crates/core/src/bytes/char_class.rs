//! Characters → classes by their first bytes: what an index of the vocabulary can tell of the characters of a token.

use crate::bytes::byteset::ByteSet;

/// Characters by their first bytes: ASCII, and the lead bytes from 0xc0 on. A u128 would be aligned to 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct CharClass {
    ascii: [u64; 2],
    leads: u64,
}

impl CharClass {
    pub fn new(ascii: u128, leads: u64) -> Self {
        CharClass { ascii: [ascii as u64, (ascii >> 64) as u64], leads }
    }

    pub fn ascii(self) -> u128 {
        u128::from(self.ascii[0]) | u128::from(self.ascii[1]) << 64
    }

    /// Its ASCII characters.
    pub fn bytes(self) -> ByteSet {
        ByteSet([self.ascii[0], self.ascii[1], 0, 0])
    }

    pub fn leads(self) -> u64 {
        self.leads
    }

    pub fn contains(self, byte: u8) -> bool {
        match byte {
            0..=0x7f => self.ascii[byte as usize >> 6] >> (byte & 63) & 1 == 1,
            0x80..=0xbf => false,
            0xc0.. => self.leads >> (byte - 0xc0) & 1 == 1,
        }
    }

    pub fn is_within(self, other: CharClass) -> bool {
        self.ascii[0] & !other.ascii[0] == 0 && self.ascii[1] & !other.ascii[1] == 0 && self.leads & !other.leads == 0
    }

    pub fn with(mut self, byte: u8) -> Self {
        match byte {
            0..=0x7f => self.ascii[byte as usize >> 6] |= 1 << (byte & 63),
            0x80..=0xbf => {}
            0xc0.. => self.leads |= 1 << (byte - 0xc0),
        }
        self
    }
}
