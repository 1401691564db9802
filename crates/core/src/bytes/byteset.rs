//! Bytes → sets of them, and the boundaries at which a state's behaviour changes.

#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct ByteSet(pub [u64; 4]);

impl ByteSet {
    pub const EMPTY: ByteSet = ByteSet([0; 4]);
    pub const FULL: ByteSet = ByteSet([u64::MAX; 4]);

    pub fn of(bytes: impl Iterator<Item = u8>) -> Self {
        let mut set = Self::EMPTY;
        bytes.for_each(|byte| set.insert(byte));
        set
    }

    pub fn range(low: u8, high: u8) -> Self {
        let below = |bits: u32| if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let word = |place: u32| {
            let start = place * 64;
            below((u32::from(high) + 1).saturating_sub(start)) & !below(u32::from(low).saturating_sub(start))
        };
        ByteSet([word(0), word(1), word(2), word(3)])
    }

    pub fn insert(&mut self, byte: u8) {
        self.0[byte as usize >> 6] |= 1 << (byte & 63);
    }

    pub fn contains(&self, byte: u8) -> bool {
        self.0[byte as usize >> 6] >> (byte & 63) & 1 == 1
    }

    pub fn union(&self, other: &Self) -> Self {
        ByteSet(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    pub fn intersection(&self, other: &Self) -> Self {
        ByteSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    pub fn without(&self, other: &Self) -> Self {
        ByteSet(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// Whether some byte of a span is in it.
    pub fn meets(&self, low: u8, high: u8) -> bool {
        !self.intersection(&Self::range(low, high)).is_empty()
    }

    /// The one byte of a set of one.
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

    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        self.0.iter().enumerate().flat_map(|(place, &word)| {
            std::iter::successors(Some(word), |left| Some(left & left.wrapping_sub(1)))
                .take_while(|&left| left != 0)
                .map(move |left| (place * 64) as u8 + left.trailing_zeros() as u8)
        })
    }

    /// The ASCII part as one word of 128 bits.
    pub fn ascii(&self) -> u128 {
        self.0[0] as u128 | (self.0[1] as u128) << 64
    }

    /// Bit b is set where membership of b differs from that of b - 1.
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

/// A partition of the bytes into intervals: bit b is set where an interval may begin.
#[derive(Clone, Copy, Default, Debug)]
pub struct Boundaries([u64; 4]);

impl Boundaries {
    /// Each byte by itself.
    pub const ALL: Self = Boundaries([u64::MAX; 4]);

    pub fn at(byte: u8) -> Self {
        let mut out = Boundaries::default();
        out.cut(byte);
        if byte < 255 {
            out.cut(byte + 1);
        }
        out
    }

    pub fn cut(&mut self, byte: u8) {
        self.0[byte as usize >> 6] |= 1 << (byte & 63);
    }

    pub fn merge(&mut self, other: &Self) {
        for i in 0..4 {
            self.0[i] |= other.0[i];
        }
    }

    /// The interval that holds `byte`, ends included.
    pub fn interval(&self, byte: u8) -> (u8, u8) {
        let (word, bit) = (byte as usize >> 6, u32::from(byte) & 63);
        let mut low = 0;
        let mut cuts = self.0[word] & (u64::MAX >> (63 - bit));
        for place in (0..=word).rev() {
            if cuts != 0 {
                low = (place * 64) as u8 + (63 - cuts.leading_zeros()) as u8;
                break;
            }
            cuts = if place > 0 { self.0[place - 1] } else { 0 };
        }
        let mut high = 255;
        let mut cuts = self.0[word] & (u64::MAX - 1).wrapping_shl(bit);
        for place in word..4 {
            if cuts != 0 {
                high = (place * 64) as u8 + cuts.trailing_zeros() as u8 - 1;
                break;
            }
            cuts = if place < 3 { self.0[place + 1] } else { 0 };
        }
        (low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_end_at_the_cuts() {
        let mut cuts = Boundaries::at(b'"');
        cuts.cut(0x80);
        cuts.cut(0xc0);
        for byte in 0..=255u8 {
            let (low, high) = cuts.interval(byte);
            let cut = |byte: u16| [0x22u16, 0x23, 0x80, 0xc0].contains(&byte);
            assert!(low <= byte && byte <= high);
            assert!(low == 0 || cut(u16::from(low)));
            assert!(high == 255 || cut(u16::from(high) + 1));
            assert!((u16::from(low) + 1..=u16::from(high)).all(|byte| !cut(byte)));
        }
    }

    #[test]
    fn ranges_and_singles() {
        for (low, high) in [(0, 255), (0, 0), (255, 255), (63, 64), (10, 200), (64, 127), (9, 8)] {
            assert_eq!(ByteSet::range(low, high), ByteSet::of(low..=high));
        }
        assert_eq!(ByteSet::range(70, 70).single(), Some(70));
        assert_eq!(ByteSet::range(70, 71).single(), None);
        assert_eq!(ByteSet::of([1, 200].into_iter()).single(), None);
        assert_eq!(ByteSet::EMPTY.single(), None);
    }
}
