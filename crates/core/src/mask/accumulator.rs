//! Single tokens, allowed and refused → the corrected words of a mask.
//!
//! A mask corrects few of its words. The accumulator knows which, so that neither reading nor clearing it visits the rest.

use crate::bytes::byteset::ones;
use crate::mask::mask::Correction;

/// Tokens allowed and refused one by one, over the parts of a mask.
#[derive(Default)]
pub(crate) struct Accumulator {
    /// (allowed bits, refused bits).
    words: Vec<(u32, u32)>,
    /// One bit per word that has changed.
    touched: Vec<u64>,
    /// One bit per block of 64 words that holds a changed one.
    blocks: Vec<u64>,
    corrected: Vec<Correction>,
}

impl Accumulator {
    /// Make room for masks of `words` words.
    pub fn fit(&mut self, words: usize) {
        if self.words.len() != words {
            self.words.resize(words, (0, 0));
            self.touched.resize(words.div_ceil(64), 0);
            self.blocks.resize(self.touched.len().div_ceil(64), 0);
        }
    }

    /// Allow a token.
    #[inline]
    pub fn allow(&mut self, token: u32) {
        self.add(token >> 5, 1 << (token & 31));
    }

    /// Refuse a token.
    pub fn refuse(&mut self, token: u32) {
        self.refuse_all(&[token]);
    }

    /// Refuse some tokens.
    pub fn refuse_all(&mut self, tokens: &[u32]) {
        // More tokens than words are in nearly every word: mark all words at once.
        let many = tokens.len() > self.words.len();
        for &token in tokens {
            let (word, bit) = (token >> 5, 1 << (token & 31));
            let (allowed, refused) = &mut self.words[word as usize];
            *allowed &= !bit;
            *refused |= bit;
            if !many {
                self.add(word, 0);
            }
        }
        if many {
            (0..self.words.len() as u32).for_each(|word| self.add(word, 0));
        }
    }

    /// Allow or refuse a token.
    pub fn put(&mut self, token: u32, allowed: bool) {
        if allowed {
            self.allow(token);
        } else {
            self.refuse(token);
        }
    }

    /// Allow the tokens of one word.
    #[inline]
    pub fn add(&mut self, word: u32, bits: u32) {
        let block = word as usize >> 6;
        self.words[word as usize].0 |= bits;
        self.touched[block] |= 1 << (word & 63);
        self.blocks[block >> 6] |= 1 << (block & 63);
    }

    /// The corrected words, ascending. The accumulator is empty afterwards.
    pub fn take_corrections(&mut self) -> Box<[Correction]> {
        self.corrected.clear();
        for (high, blocks) in self.blocks.iter_mut().enumerate() {
            for block in ones(std::mem::take(blocks)).map(|bit| high << 6 | bit as usize) {
                for word in ones(std::mem::take(&mut self.touched[block])).map(|bit| block << 6 | bit as usize) {
                    let (allowed, refused) = std::mem::take(&mut self.words[word]);
                    self.corrected.push((word as u32, allowed, refused));
                }
            }
        }
        self.corrected.as_slice().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_at_once_are_refused_as_one_by_one() {
        for count in [1, 3, 4, 50, 100] {
            let tokens: Vec<u32> = (0..count).map(|place| place * 77 % 128).collect();
            let [mut all, mut each] = [Accumulator::default(), Accumulator::default()];
            for accumulator in [&mut all, &mut each] {
                accumulator.fit(4);
                (0..128).step_by(3).for_each(|token| accumulator.allow(token));
            }
            all.refuse_all(&tokens);
            tokens.iter().for_each(|&token| each.refuse(token));
            let corrected = all.take_corrections();
            assert_eq!(corrected, each.take_corrections());
            let refused = |token: u32| corrected[token as usize >> 5].2 >> (token & 31) & 1 == 1;
            assert!((0..128).all(|token| refused(token) == tokens.contains(&token)), "{count}");
            assert!(all.take_corrections().is_empty());
        }
    }
}
