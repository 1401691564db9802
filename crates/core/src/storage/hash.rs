//! Content → a 128-bit hash that stands for the content in every table.
//!
//! Contents are compared by hash alone. Among a billion contents, two collide with a probability of 1 in 10^20.

/// Two lanes over 64-bit words. Each multiplies to 128 bits and folds the halves together, as wyhash does (Wang Yi), with
/// two of its constants. Not for adversarial input.
#[derive(Clone)]
pub struct Hasher128(u64, u64);

impl Hasher128 {
    /// A hasher for contents of one kind: different kinds have different hashes.
    pub fn new(kind: u64) -> Self {
        let mut hasher = Hasher128(0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f);
        hasher.word(kind);
        hasher
    }

    /// The hash of a list of numbers.
    pub fn hash_numbers(numbers: &[u32]) -> u128 {
        let mut hash = Hasher128::new(0);
        numbers.iter().for_each(|&number| hash.word(number.into()));
        hash.finish()
    }

    /// Adds 64 bits.
    pub fn word(&mut self, word: u64) {
        let fold = |a: u64, b: u64| {
            let wide = u128::from(a) * u128::from(b);
            wide as u64 ^ (wide >> 64) as u64
        };
        self.0 = fold(self.0 ^ word, 0xa076_1d64_78bd_642f ^ self.1.rotate_left(17));
        self.1 = fold(self.1 ^ word.rotate_left(32), 0xe703_7ed1_a0b4_28db ^ self.0);
    }

    /// Adds 128 bits, a hash as a rule.
    pub fn wide(&mut self, wide: u128) {
        self.word(wide as u64);
        self.word((wide >> 64) as u64);
    }

    /// Adds a length and the bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }

    /// The hash of everything added so far.
    pub fn finish(&self) -> u128 {
        u128::from(self.0) << 64 | u128::from(self.1)
    }
}
