//! The tokens' bytes → how many code points each has, and which tokens have few.

use crate::vocabulary::{lock, Bits};
use rustc_hash::FxHashMap;
use std::sync::Mutex;

pub(crate) struct Lengths {
    chars: Vec<u16>,
    /// Bit n of all these numbers, for 32 tokens a word: all tokens are compared at once, bit by bit.
    planes: Vec<Vec<u32>>,
    /// Code points of the longest token.
    pub longest: u32,
    known: Mutex<FxHashMap<u32, Bits>>,
}

impl Lengths {
    pub fn new(chars: Vec<u16>, words: usize) -> Self {
        let longest = chars.iter().copied().max().map_or(0, u32::from);
        let mut planes = vec![vec![0u32; words]; (u32::BITS - longest.leading_zeros()) as usize];
        for (word, chars) in chars.chunks(32).enumerate() {
            for (bit, plane) in planes.iter_mut().enumerate() {
                plane[word] = chars.iter().rev().fold(0, |word, &chars| word << 1 | u32::from(chars >> bit & 1));
            }
        }
        Lengths { chars, planes, longest, known: Mutex::default() }
    }

    /// Code points of a token.
    pub fn chars(&self, token: u32) -> u32 {
        self.chars.get(token as usize).copied().unwrap_or_default().into()
    }

    /// Those of the present tokens that have at most so many code points.
    pub fn at_most(&self, most: u32, present: &[u32]) -> Bits {
        if let Some(bits) = lock(&self.known).get(&most) {
            return bits.clone();
        }
        let mut words = vec![u32::MAX; present.len()];
        if most < self.longest {
            // From the lowest bit on: what the bits so far say counts only where the next one is the same.
            for (bit, plane) in self.planes.iter().enumerate() {
                if most >> bit & 1 == 1 {
                    words.iter_mut().zip(plane).for_each(|(word, plane)| *word |= !plane);
                } else {
                    words.iter_mut().zip(plane).for_each(|(word, plane)| *word &= !plane);
                }
            }
        }
        words.iter_mut().zip(present).for_each(|(word, present)| *word &= present);
        let bits: Bits = words.into();
        lock(&self.known).insert(most, bits.clone());
        bits
    }

    pub fn memory_bytes(&self) -> usize {
        let words: usize = self.planes.iter().map(Vec::len).sum();
        let known: usize = lock(&self.known).values().map(|bits| bits.len()).sum();
        self.chars.len() * 2 + 4 * (words + known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_by_bit_and_one_by_one_agree() {
        let chars: Vec<u16> = (0..150u32).map(|id| (id * 7919 % 131) as u16).collect();
        let present: Vec<u32> = (0..5).map(|word| 0xdead_beef << word).collect();
        let lengths = Lengths::new(chars.clone(), present.len());
        for most in (0..140).chain([u32::MAX]) {
            let bits = lengths.at_most(most, &present);
            for id in 0..150usize {
                let held = |words: &[u32]| words[id >> 5] >> (id & 31) & 1 == 1;
                assert_eq!(held(&bits), held(&present) && u32::from(chars[id]) <= most, "{id} {most}");
            }
        }
    }
}
