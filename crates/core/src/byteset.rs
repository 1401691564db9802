//! Sets of bytes, and the boundaries at which a state's behaviour changes.

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
        let mut set = Self::EMPTY;
        for byte in low..=high {
            set.insert(byte);
        }
        set
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

    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=255u8).filter(|&byte| self.contains(byte))
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

    fn is_cut(&self, byte: u8) -> bool {
        self.0[byte as usize >> 6] >> (byte & 63) & 1 == 1
    }

    /// The interval that holds `byte`, ends included.
    pub fn interval(&self, byte: u8) -> (u8, u8) {
        let mut low = byte;
        while low > 0 && !self.is_cut(low) {
            low -= 1;
        }
        let mut high = byte;
        while high < 255 && !self.is_cut(high + 1) {
            high += 1;
        }
        (low, high)
    }
}
