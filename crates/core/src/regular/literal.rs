//! Texts → the hash and the measures of each of their ends.
//!
//! What is left of a literal is a term for every byte that is read of it. If each of those looked at all that is left, a
//! text of a million characters would take a million times as long as one of them.

use crate::bytes::utf8::is_lead;
use crate::storage::hash::Hasher128;
use std::ops::Deref;

/// Bytes between two notes: an end shorter than this is looked at as it is.
const STRIDE: usize = 256;

/// What a text has in the last `STRIDE * n` bytes.
#[derive(Clone)]
struct Note {
    hash: Hasher128,
    /// Code points.
    chars: u32,
}

/// Of one text, what its ends have in common.
#[derive(Clone)]
pub(crate) struct Ends {
    /// By their number, counted from the end.
    notes: Box<[Note]>,
    /// From where on the text is valid UTF-8.
    valid_from: usize,
}

impl Ends {
    pub fn of(text: &[u8]) -> Self {
        let (mut hash, mut chars) = (Hasher128::new(KIND), 0);
        let mut notes = Vec::with_capacity(text.len() / STRIDE);
        for block in text.rchunks(STRIDE).filter(|block| block.len() == STRIDE) {
            add_words(&mut hash, block);
            chars += code_points(block);
            notes.push(Note { hash: hash.clone(), chars });
        }
        let mut valid_from = 0;
        while let Err(error) = std::str::from_utf8(&text[valid_from..]) {
            valid_from += error.valid_up_to() + 1;
        }
        Ends { notes: notes.into(), valid_from }
    }

    /// How many bytes of the last are noted, and what.
    fn noted(&self, length: usize) -> (usize, Option<&Note>) {
        match length / STRIDE {
            0 => (0, None),
            count => (count * STRIDE, Some(&self.notes[count - 1])),
        }
    }

    pub fn hash(&self, text: &[u8], from: usize) -> u128 {
        let (noted, note) = self.noted(text.len() - from);
        let hash = note.map_or_else(|| Hasher128::new(KIND), |note| note.hash.clone());
        finished(hash, &text[from..text.len() - noted], text.len() - from)
    }

    pub fn chars(&self, text: &[u8], from: usize) -> u32 {
        let (noted, note) = self.noted(text.len() - from);
        code_points(&text[from..text.len() - noted]) + note.map_or(0, |note| note.chars)
    }

    pub fn is_utf8(&self, text: &[u8], from: usize) -> bool {
        from >= self.valid_from && text.get(from).is_none_or(|&byte| is_lead(byte))
    }

    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.notes)
    }
}

pub(crate) struct Literal {
    text: Box<[u8]>,
    ends: Ends,
}

impl Literal {
    pub fn new(text: &[u8]) -> Self {
        Literal { text: text.into(), ends: Ends::of(text) }
    }

    /// The hash of what is left from a place on: that of a literal of its own.
    pub fn hash(&self, from: usize) -> u128 {
        self.ends.hash(&self.text, from)
    }

    pub fn chars(&self, from: usize) -> u32 {
        self.ends.chars(&self.text, from)
    }

    pub fn is_utf8(&self, from: usize) -> bool {
        self.ends.is_utf8(&self.text, from)
    }

    pub fn memory_bytes(&self) -> usize {
        self.text.len() + self.ends.memory_bytes() + size_of::<usize>()
    }
}

impl Deref for Literal {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.text
    }
}

/// The kind of term that is hashed.
const KIND: u64 = 4;

/// The hash of a text that was not met before.
pub(crate) fn hash_of(text: &[u8]) -> u128 {
    finished(Hasher128::new(KIND), text, text.len())
}

/// Words from the end, so that the hash of an end is a part of that of the whole.
fn finished(mut hash: Hasher128, rest: &[u8], length: usize) -> u128 {
    add_words(&mut hash, rest);
    hash.word(length as u64);
    hash.finish()
}

fn add_words(hash: &mut Hasher128, text: &[u8]) {
    for chunk in text.rchunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash.word(u64::from_le_bytes(word));
    }
}

/// Code points, counted by their first bytes.
pub(crate) fn code_points(text: &[u8]) -> u32 {
    text.iter().filter(|&&byte| is_lead(byte)).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_is_measured_as_a_text_of_its_own() {
        let mut texts = vec!["xé€😀y".repeat(200).into_bytes(), vec![b'x'; 3 * STRIDE], Vec::new(), vec![0xff; 600]];
        let mut broken = texts[0].clone();
        broken[700] = 0xc3;
        broken[1_500] = 0x80;
        texts.push(broken);
        for text in texts {
            let whole = Literal::new(&text);
            for from in 0..=text.len() {
                let end = &text[from..];
                assert_eq!(whole.hash(from), hash_of(end));
                assert_eq!(whole.chars(from), code_points(end));
                assert_eq!(whole.is_utf8(from), std::str::from_utf8(end).is_ok(), "{from}");
            }
        }
    }
}
