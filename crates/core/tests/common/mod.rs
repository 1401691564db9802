//! Random numbers, punctuation and brute force, for the tests of the whole engine.
#![allow(dead_code, reason = "no test file uses all of it")]

use frisket_core::automaton::recognizer::Recognizer;
use frisket_core::builder::{Builder, Punctuation};
use frisket_core::error::Result;
use frisket_core::mask::shared::SharedMasks;
use frisket_core::matcher::Matcher;
use frisket_core::vocabulary::vocabulary::Vocabulary;
use std::sync::Arc;

/// Xorshift (Marsaglia 2003): the same numbers on every machine.
pub struct Draw(u64);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % count
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// The signs of an object in JSON: open, close, colon, comma, and the object without members.
pub const BRACES: [&str; 5] = ["{", "}", ":", ",", "{}"];

/// The signs of an array in JSON.
pub const BRACKETS: [&str; 5] = ["[", "]", ":", ",", "[]"];

pub fn punctuation(builder: &mut Builder, signs: [&str; 5]) -> Punctuation {
    let [open, close, colon, comma, empty] = signs.map(|sign| builder.literal(sign.as_bytes()).unwrap());
    Punctuation { open, close, colon, comma, empty }
}

/// The vocabulary of these texts, and the end of the sequence as one token more.
pub fn vocabulary_of<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> Arc<SharedMasks> {
    let tokens: Vec<_> = texts.into_iter().map(|text| Some(text.into())).chain([None]).collect();
    let size = tokens.len();
    Arc::new(SharedMasks::of(Vocabulary::new(tokens, Vec::new(), vec![size as u32 - 1], size).unwrap()))
}

/// The tokens that may come next, ascending.
pub fn allowed(matcher: &mut Matcher, vocabulary: &SharedMasks) -> Result<Vec<u32>> {
    let mut mask = vec![0; vocabulary.vocabulary.mask_words()];
    matcher.fill(&mut mask)?;
    let is_set = |token: &u32| mask[*token as usize >> 5] >> (token & 31) & 1 == 1;
    Ok((0..vocabulary.vocabulary.size() as u32).filter(is_set).collect())
}

/// Brute force: whether a token may come after a text, where no special token came.
pub fn may_follow(recognizer: &Recognizer, vocabulary: &SharedMasks, text: &[u8], token: u32) -> Result<bool> {
    match vocabulary.vocabulary.token(token) {
        Some(piece) => recognizer.accepts_prefix(&[text, piece].concat(), None),
        None => Ok(vocabulary.vocabulary.eos.contains(&token) && recognizer.accepts(text, None)?),
    }
}
