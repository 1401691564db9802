//! Sets of tokens, dense (one bit per id) or sparse (the nonzero words of the bits).
//!
//! Masks are unions of such sets; their representation is chosen here and nowhere else.

use crate::bytes::byteset::ones;
use crate::storage::hash::Hasher128;
use std::sync::Arc;

/// One bit per token id.
pub type TokenSet = Arc<[u32]>;

/// Words of a mask and the bits to set in them, ascending.
pub type Words = Arc<[(u32, u32)]>;

/// A set of tokens, optionally intersected with another set.
#[derive(Clone)]
pub struct Part {
    /// The tokens.
    pub bits: TokenSet,
    /// The set to intersect with.
    pub within: Option<TokenSet>,
}

impl Part {
    /// Whether both parts share their allocations, which implies equal sets.
    pub fn is_same(&self, other: &Part) -> bool {
        let within = match (&self.within, &other.within) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (one, two) => one.is_none() && two.is_none(),
        };
        within && Arc::ptr_eq(&self.bits, &other.bits)
    }

    /// One word of the set.
    pub fn word(&self, place: usize) -> u32 {
        self.bits[place] & self.within.as_ref().map_or(u32::MAX, |within| within[place])
    }

    /// All words of the set, ascending.
    pub fn words(&self) -> impl Iterator<Item = u32> + '_ {
        let within = self.within.as_deref();
        self.bits.iter().enumerate().map(move |(place, word)| word & within.map_or(u32::MAX, |within| within[place]))
    }
}

/// Nonzero words from which copying all words is faster than writing a list. Chosen without measurement.
const DENSE_FROM: usize = 512;

/// The tokens as words of a mask of `room` words, or as all bits if the words are many; and a hash of the set.
pub(crate) fn to_sparse(tokens: Vec<u32>, room: usize) -> (Words, Option<TokenSet>, u128) {
    let hash = hash_tokens(&tokens);
    if tokens.len() < DENSE_FROM {
        return (sorted_words(tokens), None, hash);
    }
    let (words, dense) = sparse_bits(bits_of(&tokens, room));
    (words, dense, hash)
}

/// The nonzero words of a set of tokens, or all of its bits if these words are many.
pub(crate) fn sparse_bits(bits: Vec<u32>) -> (Words, Option<TokenSet>) {
    match bits.iter().filter(|&&word| word != 0).count() {
        0..DENSE_FROM => (nonzero_words(bits), None),
        _ => (Words::default(), Some(bits.into())),
    }
}

/// The tokens as bits in `room` words.
fn bits_of(tokens: &[u32], room: usize) -> Vec<u32> {
    let mut bits = vec![0; room];
    tokens.iter().for_each(|token| bits[*token as usize >> 5] |= 1 << (token & 31));
    bits
}

fn nonzero_words(bits: Vec<u32>) -> Words {
    (0..).zip(bits).filter(|&(_, word)| word != 0).collect()
}

/// More tokens than one in this many words are put in order by setting their bits, which takes less time than to sort them.
/// Chosen without measurement.
const SORTED_RATIO: usize = 8;

/// The nonzero words of a set of tokens, ascending.
pub(crate) fn sorted_words(mut tokens: Vec<u32>) -> Words {
    let room = tokens.iter().max().map_or(0, |&token| (token as usize >> 5) + 1);
    if tokens.len() > room / SORTED_RATIO {
        return nonzero_words(bits_of(&tokens, room));
    }
    tokens.sort_unstable();
    let mut words: Vec<(u32, u32)> = Vec::with_capacity(tokens.len());
    for token in tokens {
        match words.last_mut() {
            Some((word, set)) if *word == token >> 5 => *set |= 1 << (token & 31),
            _ => words.push((token >> 5, 1 << (token & 31))),
        }
    }
    words.into()
}

/// Lists of fewer words are joined in a union; longer ones are referred to. Grammars of programming languages take 2 % less
/// memory with 16 than with 64 or 1.
const JOINED_UP_TO: usize = 16;

/// A set of tokens as the union of lists of words.
#[derive(Clone, Default)]
pub(crate) struct WordLists(Vec<Words>);

impl WordLists {
    /// Add the tokens of a list.
    pub fn add(&mut self, list: &Words) {
        if list.is_empty() || self.0.iter().any(|known| Arc::ptr_eq(known, list)) {
            return;
        }
        let is_short = |list: &Words| list.len() < JOINED_UP_TO;
        match self.0.iter_mut().find(|known| is_short(known)) {
            Some(known) if is_short(list) => *known = union(known, list),
            _ => self.0.push(list.clone()),
        }
    }

    /// The union of two sets, if both are known.
    pub fn union(one: Option<WordLists>, other: Option<WordLists>) -> Option<WordLists> {
        let (mut all, more) = one.zip(other)?;
        more.0.iter().for_each(|list| all.add(list));
        Some(all)
    }

    /// How many lists there are.
    pub fn len(&self) -> u64 {
        self.0.len() as u64
    }

    /// The lists.
    pub fn lists(&self) -> &[Words] {
        &self.0
    }

    /// Bytes of the references and of joined lists. Longer lists belong to walks, which count them.
    pub fn memory_bytes(&self) -> usize {
        let is_joined = |list: &&Words| list.len() < 2 * JOINED_UP_TO;
        self.0.iter().map(|list| 16 + Some(list).filter(is_joined).map_or(0, |list| size_of_val(&**list))).sum()
    }
}

/// The union of two lists of words.
fn union(one: &Words, other: &Words) -> Words {
    let (mut words, mut rest) = (Vec::with_capacity(one.len() + other.len()), other.iter().copied().peekable());
    for &(word, bits) in one.iter() {
        while let Some(before) = rest.next_if(|&(next, _)| next < word) {
            words.push(before);
        }
        let same = rest.next_if(|&(next, _)| next == word);
        words.push((word, bits | same.map_or(0, |(_, bits)| bits)));
    }
    words.extend(rest);
    words.into()
}

/// The tokens in words of a mask, ascending.
pub(crate) fn tokens(words: impl Iterator<Item = (u32, u32)>) -> impl Iterator<Item = u32> {
    words.flat_map(|(word, bits)| ones(bits.into()).map(move |bit| word << 5 | bit))
}

/// A hash that does not depend on the order of the tokens; 0 if there are none.
fn hash_tokens(tokens: &[u32]) -> u128 {
    tokens.iter().fold(0, |all: u128, &token| all.wrapping_add(Hasher128::hash_numbers(&[token])))
}

/// A hash of the nonzero words of a set; 0 if there are none.
pub(crate) fn hash_words(words: &[(u32, u32)]) -> u128 {
    let mut hash = Hasher128::new(words.len() as u64);
    words.iter().for_each(|&(word, bits)| hash.word(u64::from(word) << 32 | u64::from(bits)));
    if words.is_empty() {
        0
    } else {
        hash.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_the_bits_of_tokens_in_any_order() {
        let few = [(0, 1 << 31 | 0b11), (1, 1), (2, 1 << 2)];
        assert_eq!(*sorted_words(vec![66, 1, 31, 32, 0, 32]), few, "by their bits");
        let words = sorted_words(vec![32_000, 66, 1, 31, 32, 0, 32]);
        assert_eq!(*words, [&few[..], &[(1_000, 1)]].concat(), "by sorting");
        assert_eq!(*sorted_words(vec![]), []);
        let words = [(0, 1 << 31 | 0b11), (1, 0), (2, 1)];
        assert_eq!(tokens(words.into_iter()).collect::<Vec<_>>(), [0, 1, 31, 64]);
    }

    #[test]
    fn lists_of_words_are_joined_if_short_and_kept_apart_if_long() {
        let list = |words: std::ops::Range<u32>, bits: u32| words.map(|word| (word, bits)).collect::<Words>();
        let mut all = WordLists::default();
        all.add(&list(0..0, 1));
        assert_eq!((all.lists().len(), all.memory_bytes()), (0, 0), "no tokens");
        let (one, other, long) = (list(0..15, 1), list(14..17, 2), list(0..16, 4));
        [&one, &other, &long, &long].into_iter().for_each(|list| all.add(list));
        assert_eq!(all.lists().len(), 2, "an equal list is there once");
        assert_eq!(all.lists()[0][13..], [(13, 1), (14, 3), (15, 2), (16, 2)]);
        assert!(Arc::ptr_eq(&all.lists()[1], &long));
        assert_eq!(all.memory_bytes(), 2 * 16 + (17 + 16) * 8);
        let mut longer = WordLists::default();
        longer.add(&list(0..32, 1));
        assert_eq!(longer.memory_bytes(), 16, "the list of a walk");
        let both = WordLists::union(Some(all.clone()), Some(all)).unwrap();
        assert_eq!(both.lists().len(), 2, "the joined list is long by now, and the same in both");
        assert!(WordLists::union(Some(both.clone()), None).is_none() && WordLists::union(None, Some(both)).is_none());
    }

    #[test]
    fn sets_of_512_words_are_dense() {
        let sparse = |tokens: Vec<u32>| {
            let (words, bits, _) = to_sparse(tokens, 600);
            (words.len(), bits.map(|bits| (bits.len(), bits.iter().map(|word| word.count_ones()).sum::<u32>())))
        };
        let each_word = |count: u32| (0..count).map(|word| word << 5 | 3).collect::<Vec<u32>>();
        assert_eq!(sparse(each_word(511)), (511, None));
        assert_eq!(sparse(each_word(512)), (0, Some((600, 512))));
        assert_eq!(sparse(each_word(513)), (0, Some((600, 513))));
        assert_eq!(sparse((0..2_000).collect()), (63, None), "many tokens in few words");
        let (_, bits, _) = to_sparse(each_word(512), 600);
        assert!(bits.unwrap().iter().take(512).all(|&word| word == 8));
        let mut of_511 = each_word(511);
        of_511.push(0);
        assert_eq!(sparse(of_511), (511, None));
    }

    #[test]
    fn a_hash_of_tokens_is_that_of_the_set_whatever_its_form() {
        let hash = |tokens: &[u32]| to_sparse(tokens.to_vec(), 600).2;
        assert_eq!((hash(&[]), hash(&[1, 2, 40])), (0, hash(&[40, 1, 2])));
        assert!(hash(&[1]) != hash(&[2]) && hash(&[1, 2]) != hash(&[3]) && hash(&[1]) != 0);
        let many: Vec<u32> = (0..512).map(|word| word << 5).collect();
        assert_eq!(hash(&many), many.iter().fold(0u128, |all, &token| all.wrapping_add(hash(&[token]))));
    }
}
