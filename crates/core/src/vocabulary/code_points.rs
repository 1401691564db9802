//! The tokens' bytes → how many code points each has, and which tokens have few.

use crate::bytes::byteset::ByteSet;
use crate::storage::cache::lock;
use crate::vocabulary::token_set::TokenSet;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// Few tokens have more code points: they are listed.
const MOST: u32 = 16;

pub(crate) struct CodePoints {
    chars: Vec<u16>,
    /// Code points of the longest token that begins with each byte.
    begun: [u16; 256],
    /// (code points, token), longest first.
    long: Vec<(u16, u32)>,
    /// Bit n of all these numbers, for 32 tokens a word: all tokens are compared at once, bit by bit.
    planes: Vec<Vec<u32>>,
    /// Code points of the longest token.
    pub longest: u32,
    known: Mutex<FxHashMap<u32, TokenSet>>,
}

impl CodePoints {
    /// Of the tokens' code points and first bytes.
    pub fn new(chars: Vec<u16>, firsts: impl Iterator<Item = Option<u8>>, words: usize) -> Self {
        let mut begun = [0; 256];
        for (&chars, first) in chars.iter().zip(firsts) {
            let Some(first) = first else { continue };
            let longest: &mut u16 = &mut begun[usize::from(first)];
            *longest = chars.max(*longest);
        }
        let mut long: Vec<(u16, u32)> = chars.iter().copied().zip(0..).collect();
        long.retain(|&(chars, _)| u32::from(chars) > MOST);
        long.sort_unstable_by(|one, other| other.cmp(one));
        let longest = chars.iter().copied().max().map_or(0, u32::from);
        let mut planes = vec![vec![0u32; words]; (u32::BITS - longest.leading_zeros()) as usize];
        for (word, chars) in chars.chunks(32).enumerate() {
            for (bit, plane) in planes.iter_mut().enumerate() {
                plane[word] = chars.iter().rev().fold(0, |word, &chars| word << 1 | u32::from(chars >> bit & 1));
            }
        }
        CodePoints { chars, begun, long, planes, longest, known: Mutex::default() }
    }

    /// Code points of a token.
    pub fn chars(&self, token: u32) -> u32 {
        self.chars.get(token as usize).copied().unwrap_or_default().into()
    }

    pub fn longest_of(&self, begins: &ByteSet) -> u32 {
        begins.iter().map(|byte| self.begun[usize::from(byte)]).max().unwrap_or_default().into()
    }

    /// Those of the present tokens that have at most so many code points.
    pub fn at_most(&self, most: u32, present: &[u32]) -> TokenSet {
        if let Some(bits) = lock(&self.known).get(&most) {
            return bits.clone();
        }
        let bits = if most < MOST { self.short(most, present) } else { self.but_long(most, present) };
        lock(&self.known).insert(most, bits.clone());
        bits
    }

    fn short(&self, most: u32, present: &[u32]) -> TokenSet {
        let mut words = vec![u32::MAX; present.len()];
        // From the lowest bit on: what the bits so far say counts only where the next one is the same.
        for (bit, plane) in self.planes.iter().enumerate() {
            if most >> bit & 1 == 1 {
                words.iter_mut().zip(plane).for_each(|(word, plane)| *word |= !plane);
            } else {
                words.iter_mut().zip(plane).for_each(|(word, plane)| *word &= !plane);
            }
        }
        words.iter().zip(present).map(|(word, present)| word & present).collect()
    }

    fn but_long(&self, most: u32, present: &[u32]) -> TokenSet {
        let mut bits = TokenSet::from(present);
        if let Some(words) = Arc::get_mut(&mut bits) {
            let longer = self.long.iter().take_while(|&&(chars, _)| u32::from(chars) > most);
            longer.for_each(|&(_, token)| words[token as usize >> 5] &= !(1 << (token & 31)));
        }
        bits
    }

    pub fn memory_bytes(&self) -> usize {
        let words: usize = self.planes.iter().map(Vec::len).sum();
        let known: usize = lock(&self.known).values().map(|bits| bits.len()).sum();
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
        assert_eq!(lengths.longest_of(&ByteSet::of([0, 3, 4, 200].into_iter())), 49);
        for most in (0..140).chain([u32::MAX]) {
            let bits = lengths.at_most(most, &present);
            for id in 0..150usize {
                let held = |words: &[u32]| words[id >> 5] >> (id & 31) & 1 == 1;
                assert_eq!(held(&bits), held(&present) && u32::from(chars[id]) <= most, "{id} {most}");
            }
        }
    }
}
