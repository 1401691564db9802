//! Term → the bytes that each of its texts needs, and all that they may hold.
//!
//! Where an operand of an intersection cannot do without a byte that another does not have, nothing is left, and no
//! search has to find that out.

use crate::bytes::byteset::ByteSet;
use crate::regular::arena::Arena;
use crate::regular::term::{Parts, Term, TermId};

/// What is said of the texts of one term, roughly: fewer needs than there are, and more bytes.
#[derive(Clone, Copy)]
pub(crate) struct RequiredBytes {
    needed: ByteSet,
    all: ByteSet,
}

/// What is said where nothing is known.
const ANYTHING: RequiredBytes = RequiredBytes { needed: ByteSet::EMPTY, all: ByteSet::FULL };
const NOTHING: RequiredBytes = RequiredBytes { needed: ByteSet::EMPTY, all: ByteSet::EMPTY };

/// More words are not read through.
const FEW_WORDS: u32 = 64;

/// Nor are more bytes of one text: it would be done for every byte that is read of it.
const FEW_BYTES: usize = 256;

impl Arena {
    /// Whether its texts hold no other bytes.
    pub(crate) fn is_made_of(&mut self, id: TermId, bytes: &[u8]) -> bool {
        self.required_bytes(id).all.iter().all(|byte| bytes.contains(&byte))
    }

    /// Whether an intersection of these is empty for want of a byte.
    pub(crate) fn lack_a_byte(&mut self, parts: &[TermId]) -> bool {
        let met = self.meet(parts);
        met.needed.intersection(&met.all) != met.needed
    }

    fn meet(&mut self, parts: &[TermId]) -> RequiredBytes {
        parts.iter().fold(ANYTHING, |met, &part| {
            let letters = self.required_bytes(part);
            RequiredBytes { needed: met.needed.union(&letters.needed), all: met.all.intersection(&letters.all) }
        })
    }

    fn required_bytes(&mut self, id: TermId) -> RequiredBytes {
        if let Some(&letters) = self.terms.required_bytes.get(&id) {
            return letters;
        }
        // A concatenation is as deep as it is long: from its end, and each rest is remembered.
        let (mut lefts, mut rest) = (Vec::new(), id);
        while let Term::Cat(left, right) = *self.term(rest) {
            if self.terms.required_bytes.get(&rest).is_some() {
                break;
            }
            lefts.push((rest, left));
            rest = right;
        }
        let mut letters = match self.terms.required_bytes.get(&rest) {
            Some(&letters) => letters,
            None => self.own_required_bytes(rest),
        };
        self.remember(rest, letters);
        for (id, left) in lefts.into_iter().rev() {
            let left = self.required_bytes(left);
            letters = RequiredBytes { needed: letters.needed.union(&left.needed), all: letters.all.union(&left.all) };
            self.remember(id, letters);
        }
        letters
    }

    fn remember(&mut self, id: TermId, letters: RequiredBytes) {
        self.terms.required_bytes.insert(id, letters, &mut self.budget);
    }

    fn own_required_bytes(&mut self, id: TermId) -> RequiredBytes {
        let spelled = |text: &[u8]| ByteSet::of(text.iter().copied());
        match *self.term(id) {
            Term::Epsilon => NOTHING,
            Term::Class(all) => {
                RequiredBytes { needed: all.single().map_or(ByteSet::EMPTY, |byte| ByteSet::range(byte, byte)), all }
            }
            Term::Literal { literal, position } => {
                let rest = &self.terms.literals[literal as usize][position as usize..];
                let needed = spelled(&rest[..rest.len().min(FEW_BYTES)]);
                RequiredBytes { needed, all: if rest.len() > FEW_BYTES { ByteSet::FULL } else { needed } }
            }
            Term::Words { set, low, high, depth } if high - low <= FEW_WORDS => {
                let words = &self.terms.word_sets[set as usize].words[low as usize..high as usize];
                if words.iter().any(|word| word.len() > FEW_BYTES) {
                    return ANYTHING;
                }
                let each = words.iter().map(|word| spelled(&word[depth as usize..]));
                each.map(|all| RequiredBytes { needed: all, all }).reduce(either).unwrap_or(ANYTHING)
            }
            Term::Alt(ref parts) => {
                let parts = Parts::from_slice(parts);
                parts.iter().map(|&part| self.required_bytes(part)).reduce(either).unwrap_or(ANYTHING)
            }
            Term::And(ref parts) => {
                let parts = Parts::from_slice(parts);
                self.meet(&parts)
            }
            Term::Repeat { body, min, .. } => {
                let letters = self.required_bytes(body);
                RequiredBytes { needed: if min > 0 { letters.needed } else { ByteSet::EMPTY }, ..letters }
            }
            Term::Bounded { body, .. } => self.required_bytes(body),
            Term::Multiple { .. } => RequiredBytes { needed: ByteSet::EMPTY, all: self.first_bytes(id) },
            _ => ANYTHING,
        }
    }
}

fn either(one: RequiredBytes, other: RequiredBytes) -> RequiredBytes {
    RequiredBytes { needed: one.needed.intersection(&other.needed), all: one.all.union(&other.all) }
}
