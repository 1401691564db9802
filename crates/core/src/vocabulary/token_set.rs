//! Tokens → sets, as masks are made of them: a bit for each token, or those words of the bits that hold any.

use crate::storage::hash::Hasher128;
use std::sync::Arc;

/// One bit per token id.
pub type TokenSet = Arc<[u32]>;

/// Words of a mask and the bits to set in them, ascending.
pub type Words = Arc<[(u32, u32)]>;

/// A set of tokens, perhaps cut down to another.
#[derive(Clone)]
pub struct Part {
    pub bits: TokenSet,
    pub within: Option<TokenSet>,
}

impl Part {
    pub fn same(&self, other: &Part) -> bool {
        let within = match (&self.within, &other.within) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (one, two) => one.is_none() && two.is_none(),
        };
        within && Arc::ptr_eq(&self.bits, &other.bits)
    }

    pub fn word(&self, place: usize) -> u32 {
        self.bits[place] & self.within.as_ref().map_or(u32::MAX, |within| within[place])
    }

    pub fn words(&self) -> impl Iterator<Item = u32> + '_ {
        let within = self.within.as_deref();
        self.bits.iter().enumerate().map(move |(place, word)| word & within.map_or(u32::MAX, |within| within[place]))
    }
}

/// A list of so many words is written more slowly than all words are copied.
const SPREAD_FROM: usize = 512;

/// Tokens as the words of a mask of so many, or as all its bits if the words are many; and a hash of the tokens.
pub(crate) fn to_sparse(tokens: Vec<u32>, room: usize) -> (Words, Option<TokenSet>, u128) {
    let hash = hash_of_tokens(&tokens);
    if tokens.len() < SPREAD_FROM {
        return (sorted_words(tokens), None, hash);
    }
    let mut bits = vec![0; room];
    tokens.iter().for_each(|token| bits[*token as usize >> 5] |= 1 << (token & 31));
    match bits.iter().filter(|&&word| word != 0).count() {
        0..SPREAD_FROM => (sorted_words(tokens), None, hash),
        _ => (Words::default(), Some(bits.into()), hash),
    }
}

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

/// The tokens of words of a mask.
pub(crate) fn tokens(words: impl Iterator<Item = (u32, u32)>) -> impl Iterator<Item = u32> {
    words.flat_map(|(word, mut bits)| {
        std::iter::from_fn(move || {
            let token = (bits != 0).then(|| word << 5 | bits.trailing_zeros());
            bits &= bits.wrapping_sub(1);
            token
        })
    })
}

/// In any order: 0 if there are none.
fn hash_of_tokens(tokens: &[u32]) -> u128 {
    tokens.iter().fold(0, |all: u128, &token| all.wrapping_add(Hasher128::of(&[token])))
}

/// 0 if there are none.
pub(crate) fn hash_of(words: &[(u32, u32)]) -> u128 {
    let mut hash = Hasher128::new(words.len() as u64);
    words.iter().for_each(|&(word, bits)| hash.word(u64::from(word) << 32 | u64::from(bits)));
    if words.is_empty() {
        0
    } else {
        hash.finish()
    }
}
