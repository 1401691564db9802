//! Literal → hash and length of each of its suffixes, in constant time per suffix.
//!
//! Every byte read of a literal leaves a suffix, which is a term. Measuring each suffix anew would take quadratic time.

use crate::bytes::utf8::is_lead;
use crate::storage::hash::Hasher128;
use std::ops::Deref;

/// Bytes between two checkpoints; the bytes behind the last one are measured directly. Chosen without measurement.
const SPACING: usize = 256;

/// Hash and length of the last `SPACING * n` bytes.
#[derive(Clone)]
struct Checkpoint {
    hash: Hasher128,
    /// Code points.
    chars: u32,
}

/// The bytes of a literal with the measures of its suffixes.
pub(crate) struct Literal {
    text: Box<[u8]>,
    /// Checkpoint n measures the last `SPACING * (n + 1)` bytes.
    checkpoints: Box<[Checkpoint]>,
    /// The text is valid UTF-8 from this byte on.
    valid_from: usize,
}

impl Literal {
    /// A literal of these bytes, measured in linear time.
    pub fn new(text: &[u8]) -> Self {
        let (mut hash, mut chars) = (Hasher128::new(KIND), 0);
        let mut checkpoints = Vec::with_capacity(text.len() / SPACING);
        for block in text.rchunks(SPACING).filter(|block| block.len() == SPACING) {
            add_words(&mut hash, block);
            chars += code_points(block);
            checkpoints.push(Checkpoint { hash: hash.clone(), chars });
        }
        let mut valid_from = 0;
        while let Err(error) = std::str::from_utf8(&text[valid_from..]) {
            valid_from += error.valid_up_to() + 1;
        }
        Literal { text: text.into(), checkpoints: checkpoints.into(), valid_from }
    }

    /// The bytes of the suffix from a position that no checkpoint covers, and the checkpoint behind them.
    fn measured(&self, from: usize) -> (&[u8], Option<&Checkpoint>) {
        let count = (self.text.len() - from) / SPACING;
        let checkpoint = count.checked_sub(1).map(|last| &self.checkpoints[last]);
        (&self.text[from..self.text.len() - count * SPACING], checkpoint)
    }

    /// The hash of the suffix from a position, equal to that of a literal of its own.
    pub fn hash(&self, from: usize) -> u128 {
        let (rest, checkpoint) = self.measured(from);
        let hash = checkpoint.map_or_else(|| Hasher128::new(KIND), |checkpoint| checkpoint.hash.clone());
        hash_suffix(hash, rest, self.text.len() - from)
    }

    /// Code points of the suffix from a position.
    pub fn chars(&self, from: usize) -> u32 {
        let (rest, checkpoint) = self.measured(from);
        code_points(rest) + checkpoint.map_or(0, |checkpoint| checkpoint.chars)
    }

    /// Whether the suffix from a position is valid UTF-8.
    pub fn is_utf8(&self, from: usize) -> bool {
        from >= self.valid_from && self.text.get(from).is_none_or(|&byte| is_lead(byte))
    }

    /// Heap bytes, for the budget.
    pub fn memory_bytes(&self) -> usize {
        self.text.len() + size_of::<Self>() + size_of_val(&*self.checkpoints)
    }
}

impl Deref for Literal {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.text
    }
}

/// The kind of literal terms in `Hasher128::new`.
const KIND: u64 = 4;

/// The hash of a literal term, without building the literal.
pub(crate) fn hash_literal(text: &[u8]) -> u128 {
    hash_suffix(Hasher128::new(KIND), text, text.len())
}

/// Adds `rest` from its end, then the length: the hash of a suffix is a prefix of the computation for the whole.
fn hash_suffix(mut hash: Hasher128, rest: &[u8], length: usize) -> u128 {
    add_words(&mut hash, rest);
    hash.word(length as u64);
    hash.finish()
}

/// Adds a text to a hash in words of 8 bytes, from the end.
fn add_words(hash: &mut Hasher128, text: &[u8]) {
    for chunk in text.rchunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash.word(u64::from_le_bytes(word));
    }
}

/// Code points of a text: its bytes that are no continuation bytes.
pub(crate) fn code_points(text: &[u8]) -> u32 {
    text.iter().filter(|&&byte| is_lead(byte)).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_is_measured_as_a_text_of_its_own() {
        let mut texts = vec!["xé€😀y".repeat(200).into_bytes(), vec![b'x'; 3 * SPACING], Vec::new(), vec![0xff; 600]];
        let mut broken = texts[0].clone();
        broken[700] = 0xc3;
        broken[1_500] = 0x80;
        texts.push(broken);
        for text in texts {
            let whole = Literal::new(&text);
            for from in 0..=text.len() {
                let end = &text[from..];
                assert_eq!(whole.hash(from), hash_literal(end));
                assert_eq!(whole.chars(from), code_points(end));
                assert_eq!(whole.is_utf8(from), std::str::from_utf8(end).is_ok(), "{from}");
            }
        }
    }
}
