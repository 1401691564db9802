//! Bytes → sets (`ByteSet`) and partitions into intervals (`Boundaries`), as bits.
//!
//! Both types share one layout of 256 bits, so a set's boundaries are a shift and an exclusive or.

/// A set of bytes: bit n of the 256 bits stands for byte n.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct ByteSet(pub [u64; 4]);

impl ByteSet {
    /// No byte.
    pub const EMPTY: ByteSet = ByteSet([0; 4]);
    /// All 256 bytes.
    pub const FULL: ByteSet = ByteSet([u64::MAX; 4]);

    /// The set of these bytes.
    pub fn from_bytes(bytes: impl Iterator<Item = u8>) -> Self {
        let mut set = Self::EMPTY;
        bytes.for_each(|byte| set.insert(byte));
        set
    }

    /// The bytes from `low` to `high`, both included; none if `low > high`.
    pub fn range(low: u8, high: u8) -> Self {
        let below = |bits: u32| if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let word = |place: u32| {
            let start = place * 64;
            below((u32::from(high) + 1).saturating_sub(start)) & !below(u32::from(low).saturating_sub(start))
        };
        ByteSet([word(0), word(1), word(2), word(3)])
    }

    /// Adds a byte.
    pub fn insert(&mut self, byte: u8) {
        self.0[byte as usize >> 6] |= 1 << (byte & 63);
    }

    /// Whether the set holds `byte`.
    pub fn contains(&self, byte: u8) -> bool {
        self.0[byte as usize >> 6] >> (byte & 63) & 1 == 1
    }

    /// The bytes of either set.
    pub fn union(&self, other: &Self) -> Self {
        ByteSet(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// The bytes that both sets hold.
    pub fn intersection(&self, other: &Self) -> Self {
        ByteSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// The bytes of `self` that `other` lacks.
    pub fn difference(&self, other: &Self) -> Self {
        ByteSet(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// Whether the set holds a byte from `low` to `high`.
    pub fn has_any_in(&self, low: u8, high: u8) -> bool {
        !self.intersection(&Self::range(low, high)).is_empty()
    }

    /// The byte of a singleton; `None` for any other set.
    pub fn single(&self) -> Option<u8> {
        let mut found = None;
        for (place, &word) in self.0.iter().enumerate().filter(|(_, &word)| word != 0) {
            if found.is_some() || word & (word - 1) != 0 {
                return None;
            }
            found = Some((place * 64) as u8 + word.trailing_zeros() as u8);
        }
        found
    }

    /// Whether the set holds no byte.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The number of bytes, 0 to 256.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The bytes, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        self.0.iter().enumerate().flat_map(|(place, &word)| ones(word).map(move |bit| (place * 64) as u8 + bit as u8))
    }

    /// Bit n is set if the set holds the ASCII byte n.
    pub fn ascii(&self) -> u128 {
        self.0[0] as u128 | (self.0[1] as u128) << 64
    }

    /// The partition into the maximal intervals that lie inside or outside the set.
    pub fn boundaries(&self) -> Boundaries {
        let mut out = [0u64; 4];
        let mut carry = 0;
        for (i, &word) in self.0.iter().enumerate() {
            out[i] = word ^ (word << 1 | carry);
            carry = word >> 63;
        }
        Boundaries(out)
    }
}

/// The places of the bits that are set, ascending.
pub(crate) fn ones(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let place = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(place)
    })
}

/// A partition of the bytes into intervals: bit n is set if an interval begins at byte n.
#[derive(Clone, Copy, Default, Debug)]
pub struct Boundaries([u64; 4]);

impl Boundaries {
    /// Every byte is an interval.
    pub const ALL: Self = Boundaries([u64::MAX; 4]);

    /// The partition in which each byte of the set is an interval.
    pub fn of_each(bytes: &ByteSet) -> Self {
        let mut out = bytes.boundaries();
        out.merge(&Boundaries(bytes.0));
        out
    }

    /// Lets an interval begin at `byte`.
    pub fn insert(&mut self, byte: u8) {
        self.0[byte as usize >> 6] |= 1 << (byte & 63);
    }

    /// Refines the partition by another.
    pub fn merge(&mut self, other: &Self) {
        for i in 0..4 {
            self.0[i] |= other.0[i];
        }
    }

    /// The intervals that hold bytes from `low` to `high`, ascending, each by its first and its last byte.
    pub fn intervals(self, low: u8, high: u8) -> impl Iterator<Item = (u8, u8)> {
        let mut next = Some(low);
        std::iter::from_fn(move || {
            let interval = self.interval(next?);
            next = interval.1.checked_add(1).filter(|&byte| byte <= high);
            Some(interval)
        })
    }

    /// The first and the last byte of the interval that holds `byte`.
    pub fn interval(&self, byte: u8) -> (u8, u8) {
        let (word, bit) = (byte as usize >> 6, u32::from(byte) & 63);
        let mut low = 0;
        let mut boundaries = self.0[word] & (u64::MAX >> (63 - bit));
        for place in (0..=word).rev() {
            if boundaries != 0 {
                low = (place * 64) as u8 + (63 - boundaries.leading_zeros()) as u8;
                break;
            }
            boundaries = if place > 0 { self.0[place - 1] } else { 0 };
        }
        let mut high = 255;
        let mut boundaries = self.0[word] & (u64::MAX - 1).wrapping_shl(bit);
        for place in word..4 {
            if boundaries != 0 {
                high = (place * 64) as u8 + boundaries.trailing_zeros() as u8 - 1;
                break;
            }
            boundaries = if place < 3 { self.0[place + 1] } else { 0 };
        }
        (low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_end_at_the_cuts() {
        let mut boundaries = Boundaries::of_each(&ByteSet::range(b'"', b'"'));
        boundaries.insert(0x80);
        boundaries.insert(0xc0);
        for byte in 0..=255u8 {
            let (low, high) = boundaries.interval(byte);
            let cut = |byte: u16| [0x22u16, 0x23, 0x80, 0xc0].contains(&byte);
            assert!(low <= byte && byte <= high);
            assert!(low == 0 || cut(u16::from(low)));
            assert!(high == 255 || cut(u16::from(high) + 1));
            assert!((u16::from(low) + 1..=u16::from(high)).all(|byte| !cut(byte)));
        }
    }
}
