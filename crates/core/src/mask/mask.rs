//! Shared token sets and corrected words → one allowed set of tokens.
//!
//! Most masks differ from sets that the vocabulary keeps in a few words only. A mask therefore refers to shared sets and
//! holds a short list of corrections; nothing is copied until an engine asks for the bits.

use crate::vocabulary::token_set::{Part, Words};
use std::sync::Arc;

/// How many tokens a mask allows, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Count {
    None,
    One,
    More,
}

/// A word of a mask: its index, the bits to set, and the bits to clear before.
pub(crate) type Correction = (u32, u32, u32);

/// An allowed set of tokens: the union of shared parts and lists, with some words corrected.
pub struct Mask {
    parts: Vec<Part>,
    lists: Vec<Words>,
    /// Ascending.
    words: Box<[Correction]>,
    count: Count,
    /// The position that composed the mask, in words; kept only where masks are verified.
    origin: Option<Box<str>>,
}

impl Mask {
    /// The union of parts and lists, with words corrected.
    pub(crate) fn new(parts: Vec<Part>, lists: Vec<Words>, words: Box<[Correction]>, origin: Option<Box<str>>) -> Self {
        let mut mask = Mask { parts, lists, words, count: Count::None, origin };
        mask.count = mask.count();
        mask
    }

    /// The mask of some tokens, ascending.
    pub(crate) fn from_tokens(tokens: &[u32]) -> Self {
        let words = tokens.chunk_by(|one, other| one >> 5 == other >> 5);
        let words = words.map(|alike| (alike[0] >> 5, alike.iter().fold(0, |bits, token| bits | 1 << (token & 31)), 0));
        let count = match tokens {
            [] => Count::None,
            [_] => Count::One,
            _ => Count::More,
        };
        Mask { parts: Vec::new(), lists: Vec::new(), words: words.collect(), count, origin: None }
    }

    /// An equal mask that holds one set of `words` words.
    pub(crate) fn to_dense(&self, words: usize) -> Self {
        let mut bits = vec![0; words];
        self.write(&mut bits);
        let part = Part { bits: bits.into(), within: None };
        let (words, origin) = (Box::default(), self.origin.clone());
        Mask { parts: vec![part], lists: Vec::new(), words, count: self.count, origin }
    }

    /// Whether no token is allowed.
    pub fn is_empty(&self) -> bool {
        self.count == Count::None
    }

    /// Whether exactly one token is allowed.
    pub fn is_single(&self) -> bool {
        self.count == Count::One
    }

    /// How many words are corrected.
    pub(crate) fn corrected_words(&self) -> usize {
        self.words.len()
    }

    /// Whether a token is allowed.
    pub fn allows(&self, token: u32) -> bool {
        let (place, bit) = (token >> 5, 1 << (token & 31));
        if let Ok(found) = self.words.binary_search_by_key(&place, |&(word, ..)| word) {
            let (_, set, clear) = self.words[found];
            if (set | clear) & bit != 0 {
                return set & bit != 0;
            }
        }
        let listed = |list: &Words| {
            list.binary_search_by_key(&place, |&(word, _)| word).is_ok_and(|found| list[found].1 & bit != 0)
        };
        self.parts.iter().any(|part| part.word(place as usize) & bit != 0) || self.lists.iter().any(listed)
    }

    /// A mask that differs in some tokens, ascending: each is allowed or not as the flag says.
    pub(crate) fn corrected(&self, tokens: &[(u32, bool)]) -> Mask {
        let mut words = Vec::with_capacity(self.words.len() + tokens.len());
        let mut own = self.words.iter().copied().peekable();
        for alike in tokens.chunk_by(|one, other| one.0 >> 5 == other.0 >> 5) {
            let place = alike[0].0 >> 5;
            while let Some(word) = own.next_if(|&(word, ..)| word < place) {
                words.push(word);
            }
            let (_, mut set, mut clear) = own.next_if(|&(word, ..)| word == place).unwrap_or((place, 0, 0));
            for &(token, allowed) in alike {
                let bit = 1 << (token & 31);
                (set, clear) = if allowed { (set | bit, clear & !bit) } else { (set & !bit, clear | bit) };
            }
            words.push((place, set, clear));
        }
        words.extend(own);
        Mask::new(self.parts.clone(), self.lists.clone(), words.into(), self.origin.clone())
    }

    fn count(&self) -> Count {
        // Tokens of words as they are read, until a second one is found.
        let mut only = None;
        let mut has_two = |word: usize, bits: u32| match bits {
            0 => false,
            _ => bits.count_ones() > 1 || *only.get_or_insert((word, bits)) != (word, bits),
        };
        let cleared = |place: u32| match self.words.binary_search_by_key(&place, |&(word, ..)| word) {
            Ok(found) => self.words[found].2,
            Err(_) => 0,
        };
        if self.words.iter().any(|&(word, set, _)| has_two(word as usize, set))
            || self
                .lists
                .iter()
                .flat_map(|list| list.iter())
                .any(|&(word, set)| has_two(word as usize, set & !cleared(word)))
        {
            return Count::More;
        }
        let mut cleared = self.words.iter().map(|&(word, _, clear)| (word as usize, clear)).peekable();
        let places = self.parts.first().map_or(0, |part| part.bits.len());
        for word in 0..places {
            let clear = cleared.next_if(|&(at, _)| at == word).map_or(0, |(_, clear)| clear);
            if self.parts.iter().any(|part| has_two(word, part.word(word) & !clear)) {
                return Count::More;
            }
        }
        only.map_or(Count::None, |_| Count::One)
    }

    /// Write the mask into `out`, one bit per token.
    pub fn write(&self, out: &mut [u32]) {
        match self.parts.split_first() {
            Some((first, rest)) => {
                match &first.within {
                    None => out.copy_from_slice(&first.bits),
                    Some(within) => {
                        let words = first.bits.iter().zip(within.iter());
                        out.iter_mut().zip(words).for_each(|(word, (bits, within))| *word = bits & within);
                    }
                }
                for part in rest {
                    match &part.within {
                        None => out.iter_mut().zip(part.bits.iter()).for_each(|(word, bits)| *word |= bits),
                        Some(_) => out.iter_mut().zip(part.words()).for_each(|(word, bits)| *word |= bits),
                    }
                }
            }
            None => out.fill(0),
        }
        self.write_words(out);
    }

    /// Whether both masks allow the same tokens of a vocabulary whose masks have `words` words.
    pub fn is_equal(&self, other: &Mask, words: usize) -> bool {
        let mut rows = [vec![0; words], vec![0; words]];
        self.write(&mut rows[0]);
        other.write(&mut rows[1]);
        rows[0] == rows[1]
    }

    /// Whether it names the words that are not 0: to write it over another such mask takes less than all words.
    pub fn is_sparse(&self) -> bool {
        self.parts.is_empty()
    }

    /// `write` into words that hold a mask, where both are sparse.
    pub fn write_over(&self, before: &Mask, out: &mut [u32]) {
        before.lists.iter().flat_map(|list| list.iter()).for_each(|&(word, _)| out[word as usize] = 0);
        before.words.iter().for_each(|&(word, ..)| out[word as usize] = 0);
        self.write_words(out);
    }

    fn write_words(&self, out: &mut [u32]) {
        for list in &self.lists {
            list.iter().for_each(|&(word, set)| out[word as usize] |= set);
        }
        for &(word, set, clear) in &self.words {
            let word = &mut out[word as usize];
            *word = *word & !clear | set;
        }
    }

    /// The position that composed the mask, in words; "unknown" where masks are not verified.
    pub(crate) fn origin(&self) -> &str {
        self.origin.as_deref().unwrap_or("unknown")
    }

    /// Bytes that this mask alone holds.
    pub fn memory_bytes(&self) -> usize {
        let own = self.parts.iter().filter(|part| Arc::strong_count(&part.bits) == 1);
        let own: usize = own.map(|part| 4 * part.bits.len()).sum();
        self.words.len() * 12 + self.parts.len() * 32 + self.lists.len() * 16 + own + size_of::<Mask>()
    }

    /// Own bytes plus a pro-rata share of shared parts.
    pub(crate) fn held_bytes(&self) -> usize {
        let shared = self.parts.iter().filter(|part| Arc::strong_count(&part.bits) > 1);
        let parts = shared.map(|part| 4 * part.bits.len() / Arc::strong_count(&part.bits));
        let lists = self.lists.iter().map(|list| 8 * list.len() / Arc::strong_count(list));
        self.memory_bytes() + parts.chain(lists).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(tokens: &[u32], words: usize) -> Part {
        let mut bits = vec![0; words];
        tokens.iter().for_each(|token| bits[*token as usize >> 5] |= 1 << (token & 31));
        Part { bits: bits.into(), within: None }
    }

    /// The allowed tokens among 96: the answers for each token must agree with the bits that the mask writes.
    fn allowed(mask: &Mask) -> Vec<u32> {
        let mut bits = [u32::MAX; 3];
        mask.write(&mut bits);
        let written: Vec<u32> = (0..96).filter(|token| bits[*token as usize >> 5] >> (token & 31) & 1 == 1).collect();
        assert_eq!((0..96).filter(|&token| mask.allows(token)).collect::<Vec<_>>(), written);
        assert_eq!((mask.is_empty(), mask.is_single()), (written.is_empty(), written.len() == 1));
        written
    }

    #[test]
    fn a_sparse_mask_is_written_over_another() {
        let lists = vec![Words::from([(1, 1 << 7), (2, 1)])];
        let one = Mask { lists, words: Box::new([(0, 1 << 9, 1 << 5)]), ..Mask::from_tokens(&[]) };
        let other = Mask::from_tokens(&[3, 70]);
        assert!(one.is_sparse() && other.is_sparse());
        let mut bits = [u32::MAX; 3];
        one.write(&mut bits);
        other.write_over(&one, &mut bits);
        assert_eq!(bits, [1 << 3, 0, 1 << 6]);
        one.write_over(&other, &mut bits);
        assert_eq!(bits, [1 << 9, 1 << 7, 1]);
        assert!(!Mask { parts: vec![shared(&[1], 3)], ..Mask::from_tokens(&[]) }.is_sparse());
    }

    #[test]
    fn a_mask_is_the_union_of_its_parts_with_words_corrected() {
        let within = Part { within: Some(shared(&[1, 34, 35], 3).bits), ..shared(&[1, 2, 34, 70], 3) };
        assert_eq!(allowed(&Mask::from_tokens(&[0, 31, 32, 95])), [0, 31, 32, 95]);
        assert!(allowed(&Mask::from_tokens(&[])).is_empty());
        let parts = vec![within.clone(), shared(&[5], 3)];
        let lists = vec![Words::from([(0, 1 << 7), (2, 1)])];
        let mut mask = Mask { parts, lists, words: Box::new([(0, 1 << 9, 1 << 5)]), count: Count::More, origin: None };
        assert_eq!(allowed(&mask), [1, 7, 9, 34, 64]);
        mask.parts.reverse();
        assert_eq!(allowed(&mask), [1, 7, 9, 34, 64], "in any order");
        assert_eq!(
            allowed(&mask.corrected(&[(1, false), (2, true), (9, false), (33, true), (95, true)])),
            [2, 7, 33, 34, 64, 95]
        );
        assert_eq!(
            allowed(&mask.corrected(&[(5, true), (64, false)])),
            [1, 5, 7, 9, 34],
            "what was cleared may be set again"
        );
        assert_eq!(allowed(&mask.to_dense(3)), [1, 7, 9, 34, 64]);
        let all = Mask { parts: vec![within], ..Mask::from_tokens(&[]) };
        assert!(allowed(&all.corrected(&[(1, false), (34, false)])).is_empty());
    }

    #[test]
    fn a_mask_takes_what_it_alone_refers_to_and_its_share_of_the_rest() {
        let base = size_of::<Mask>();
        let words = Mask::from_tokens(&[1, 40, 41]);
        assert_eq!((words.memory_bytes(), words.held_bytes()), (base + 2 * 12, base + 2 * 12));
        let (one, two) = (shared(&[1], 3), shared(&[2], 3));
        let list = Words::from([(0, 1), (2, 1)]);
        let kept = [one.bits.clone(), one.bits.clone()];
        let (parts, lists) = (vec![one, two], vec![list.clone()]);
        let mask = Mask { parts, lists, words: Box::default(), count: Count::More, origin: None };
        // The second part is its own. Three hold the first, two the list.
        assert_eq!(mask.memory_bytes(), base + 2 * 32 + 16 + 12);
        assert_eq!(mask.held_bytes(), mask.memory_bytes() + 12 / 3 + 16 / 2);
        drop(kept);
        assert_eq!(mask.memory_bytes(), base + 2 * 32 + 16 + 24);
    }
}
