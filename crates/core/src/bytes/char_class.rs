//! Characters → classes by first byte, the precision of the vocabulary's indexes.
//!
//! Apart from `byteset`, because a class ranges over whole characters: it holds no continuation bytes.

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

#[cfg(test)]
mod tests {
    use super::*;

    fn class(bytes: &[u8]) -> CharClass {
        bytes.iter().copied().fold(CharClass::default(), CharClass::with)
    }

    #[test]
    fn a_class_holds_the_characters_that_begin_with_its_bytes() {
        let members = [0, b'?', b'@', b'a', 0x7f, 0xc0, 0xc3, 0xff];
        let class = class(&members);
        for byte in 0..=255 {
            assert_eq!(class.contains(byte), members.contains(&byte), "{byte}");
        }
        assert_eq!(class.ascii(), 1 | 1 << b'?' | 1 << b'@' | 1 << b'a' | 1 << 0x7f);
        assert_eq!(class.lead_bytes(), 1 | 1 << 3 | 1 << 63);
        assert_eq!(CharClass::new(class.ascii(), class.lead_bytes()), class);
    }

    #[test]
    fn a_class_is_within_another_if_that_holds_all_of_it() {
        let all = class(&[b'!', b'a', 0xc3]);
        for part in [&[][..], b"!", b"a", b"\xc3", b"!a\xc3"] {
            assert!(class(part).is_within(all), "{part:?}");
        }
        for other in [&b"\""[..], b"b", b"\xc4", b"!a\xc3b", b"!a\xc3\xc4", b"!a\xc3\""] {
            assert!(!class(other).is_within(all), "{other:?}");
        }
        assert!(!all.is_within(CharClass::default()));
    }
}
