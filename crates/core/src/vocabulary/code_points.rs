//! Token → its number of code points, and number → the tokens with at most this number of code points.
//!
//! Bounded strings allow the tokens up to some length; these sets are computed here once per length.

use crate::bytes::byteset::ByteSet;
use crate::storage::lock::Lock;
use crate::vocabulary::token_set::TokenSet;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Code points above which tokens are few and listed one by one. Chosen without measurement.
const MAX_IN_PLANES: u32 = 16;

/// Code points of all tokens, by token and bit by bit.
pub(crate) struct CodePoints {
    chars: Vec<u16>,
    /// Code points of the longest token that begins with each byte.
    longest_by_first_byte: [u16; 256],
    /// (code points, token), longest first.
    long: Vec<(u16, u32)>,
    /// Plane n holds bit n of each token's code points, 32 tokens per word: a comparison handles 32 tokens at once.
    planes: Vec<Vec<u32>>,
    /// Code points of the longest token.
    pub longest: u32,
    known: Lock<FxHashMap<u32, TokenSet>>,
}

impl CodePoints {
    /// From the code points and first bytes of all tokens; `words` is the length of a token set.
    pub fn new(chars: Vec<u16>, firsts: impl Iterator<Item = Option<u8>>, words: usize) -> Self {
        let mut longest_by_first_byte = [0; 256];
        for (&chars, first) in chars.iter().zip(firsts) {
            let Some(first) = first else { continue };
            let longest: &mut u16 = &mut longest_by_first_byte[usize::from(first)];
            *longest = chars.max(*longest);
        }
        let mut long: Vec<(u16, u32)> = chars.iter().copied().zip(0..).collect();
        long.retain(|&(chars, _)| u32::from(chars) > MAX_IN_PLANES);
        long.sort_unstable_by(|one, other| other.cmp(one));
        let longest = chars.iter().copied().max().map_or(0, u32::from);
        let mut planes = vec![vec![0u32; words]; (u32::BITS - longest.leading_zeros()) as usize];
        for (word, chars) in chars.chunks(32).enumerate() {
            for (bit, plane) in planes.iter_mut().enumerate() {
                plane[word] = chars.iter().rev().fold(0, |word, &chars| word << 1 | u32::from(chars >> bit & 1));
            }
        }
        CodePoints { chars, longest_by_first_byte, long, planes, longest, known: Lock::default() }
    }

    /// Code points of a token.
    pub fn chars(&self, token: u32) -> u32 {
        self.chars.get(token as usize).copied().unwrap_or_default().into()
    }

    /// Code points of the longest token that begins with one of these bytes.
    pub fn longest_of(&self, begins: &ByteSet) -> u32 {
        begins.iter().map(|byte| self.longest_by_first_byte[usize::from(byte)]).max().unwrap_or_default().into()
    }

    /// The tokens of `present` with at most `most` code points, cached.
    pub fn tokens_up_to(&self, most: u32, present: &[u32]) -> TokenSet {
        if let Some(bits) = self.known.lock().get(&most) {
            return bits.clone();
        }
        let bits =
            if most < MAX_IN_PLANES { self.compare_planes(most, present) } else { self.subtract_long(most, present) };
        self.known.lock().insert(most, bits.clone());
        bits
    }

    /// By comparison of bit planes.
    fn compare_planes(&self, most: u32, present: &[u32]) -> TokenSet {
        let mut words = vec![u32::MAX; present.len()];
        // From the lowest bit up: a higher bit that differs overrides the comparison of the lower ones.
        for (bit, plane) in self.planes.iter().enumerate() {
            if most >> bit & 1 == 1 {
                words.iter_mut().zip(plane).for_each(|(word, plane)| *word |= !plane);
            } else {
                words.iter_mut().zip(plane).for_each(|(word, plane)| *word &= !plane);
            }
        }
        words.iter().zip(present).map(|(word, present)| word & present).collect()
    }

    /// All present tokens without the listed longer ones.
    fn subtract_long(&self, most: u32, present: &[u32]) -> TokenSet {
        let mut bits = TokenSet::from(present);
        if let Some(words) = Arc::get_mut(&mut bits) {
            let longer = self.long.iter().take_while(|&&(chars, _)| u32::from(chars) > most);
            longer.for_each(|&(_, token)| words[token as usize >> 5] &= !(1 << (token & 31)));
        }
        bits
    }

    /// Heap bytes.
    pub fn memory_bytes(&self) -> usize {
        let words: usize = self.planes.iter().map(Vec::len).sum();
        let known: usize = self.known.lock().values().map(|bits| bits.len()).sum();
        self.chars.len() * 2 + self.long.len() * 8 + 4 * (words + known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_by_bit_and_one_by_one_agree() {
        let chars: Vec<u16> = (0..150u32).map(|id| (id * 7919 % 131) as u16).collect();
        let present: Vec<u32> = (0..5).map(|word| 0xdead_beef << word).collect();
        let firsts = chars.iter().map(|&chars| (chars > 0).then_some((chars / 10) as u8));
        let lengths = CodePoints::new(chars.clone(), firsts, present.len());
        assert_eq!(lengths.longest_of(&ByteSet::from_bytes([0, 3, 4, 200].into_iter())), 49);
        for most in (0..140).chain([u32::MAX]) {
            let bits = lengths.tokens_up_to(most, &present);
            for id in 0..150usize {
                let held = |words: &[u32]| words[id >> 5] >> (id & 31) & 1 == 1;
                assert_eq!(held(&bits), held(&present) && u32::from(chars[id]) <= most, "{id} {most}");
            }
        }
    }
}
