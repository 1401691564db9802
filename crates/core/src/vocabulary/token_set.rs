//! Sets of tokens, dense (one bit per id) or sparse (the nonzero words of the bits).
//!
//! Masks are unions of such sets; their representation is chosen here and nowhere else.

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
    let mut bits = vec![0; room];
    tokens.iter().for_each(|token| bits[*token as usize >> 5] |= 1 << (token & 31));
    match bits.iter().filter(|&&word| word != 0).count() {
        0..DENSE_FROM => (sorted_words(tokens), None, hash),
        _ => (Words::default(), Some(bits.into()), hash),
    }
}

/// The nonzero words of a set of tokens, ascending.
pub(crate) fn sorted_words(mut tokens: Vec<u32>) -> Words {
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

/// The tokens in words of a mask, ascending.
pub(crate) fn tokens(words: impl Iterator<Item = (u32, u32)>) -> impl Iterator<Item = u32> {
    words.flat_map(|(word, mut bits)| {
        std::iter::from_fn(move || {
            let token = (bits != 0).then(|| word << 5 | bits.trailing_zeros());
            bits &= bits.wrapping_sub(1);
            token
        })
    })
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
