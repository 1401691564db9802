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

    /// The hash of some hashes, for contents of one kind.
    pub fn of(kind: u64, parts: &[u128]) -> u128 {
        let mut hash = Hasher128::new(kind);
        parts.iter().for_each(|&part| hash.wide(part));
        hash.finish()
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
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.word(u64::from_le_bytes(word.try_into().expect("a word is eight bytes")));
        }
        let rest = words.remainder();
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.word(u64::from_le_bytes(word));
        }
    }

    /// The hash of everything added so far.
    pub fn finish(&self) -> u128 {
        u128::from(self.0) << 64 | u128::from(self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: u64, add: impl FnOnce(&mut Hasher128)) -> u128 {
        let mut hash = Hasher128::new(kind);
        add(&mut hash);
        hash.finish()
    }

    #[test]
    fn a_hash_of_parts_depends_on_their_kind_order_and_number() {
        let all = [
            Hasher128::of(1, &[]),
            Hasher128::of(2, &[]),
            Hasher128::of(1, &[0]),
            Hasher128::of(1, &[0, 0]),
            Hasher128::of(1, &[7, 9]),
            Hasher128::of(1, &[9, 7]),
            Hasher128::of(2, &[7, 9]),
        ];
        for (at, hash) in all.iter().enumerate() {
            assert!(!all[..at].contains(hash), "{at}");
        }
        assert_eq!(Hasher128::of(1, &[7, 9]), all[4]);
    }

    #[test]
    fn contents_of_different_kind_number_or_order_are_different() {
        let all = [
            of(0, |_| {}),
            of(1, |_| {}),
            of(0, |hash| hash.word(0)),
            of(0, |hash| [0, 0].into_iter().for_each(|word| hash.word(word))),
            of(0, |hash| [1, 2].into_iter().for_each(|word| hash.word(word))),
            of(0, |hash| [2, 1].into_iter().for_each(|word| hash.word(word))),
            of(0, |hash| hash.wide(1 << 64)),
            of(0, |hash| hash.wide(2 << 64)),
            of(0, |hash| hash.wide(1)),
        ];
        for (at, hash) in all.iter().enumerate() {
            assert!(!all[..at].contains(hash), "{at}");
        }
        assert_eq!(of(0, |hash| [1, 2].into_iter().for_each(|word| hash.word(word))), all[4]);
        assert_eq!(of(0, |hash| hash.wide(2 << 64 | 1)), all[4], "the low half comes first");
        assert_eq!(Hasher128::hash_numbers(&[1, 2]), all[4]);
    }

    #[test]
    fn each_bit_of_a_word_changes_half_of_both_lanes() {
        for base in [0, 1, 0x0123_4567_89ab_cdef, u64::MAX] {
            let before = of(3, |hash| hash.word(base));
            let mut changed = [0; 2];
            for bit in 0..64 {
                let flipped = of(3, |hash| hash.word(base ^ 1 << bit)) ^ before;
                for (lane, changed) in [flipped as u64, (flipped >> 64) as u64].into_iter().zip(&mut changed) {
                    assert!((12..=52).contains(&lane.count_ones()), "bit {bit} of {base:x}: {lane:x}");
                    *changed += lane.count_ones();
                }
            }
            // 32 of 64 bits on average.
            assert!(changed.iter().all(|sum| (64 * 29..64 * 35).contains(sum)), "{changed:?}");
        }
    }
}
