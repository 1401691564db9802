//! Term → a subset of the bytes that every text needs, and a superset of the bytes that texts may hold.
//!
//! An intersection is empty if one operand needs a byte that another never holds. This test saves a search.

use crate::bytes::byteset::ByteSet;
use crate::regular::emptiness::memo::RequiredBytes;
use crate::regular::term::{Parts, Term, TermId};
use crate::regular::terms::Terms;

/// The bounds that hold for every term.
const ANYTHING: RequiredBytes = RequiredBytes { needed: ByteSet::EMPTY, all: ByteSet::FULL };
const NOTHING: RequiredBytes = RequiredBytes { needed: ByteSet::EMPTY, all: ByteSet::EMPTY };

/// Words of a set that are read through; larger sets get `ANYTHING`. Chosen without measurement.
const MAX_WORDS: u32 = 64;

/// Bytes of a literal that are read: its every suffix is a term, so reading all would take quadratic time.
const MAX_BYTES: usize = 256;

impl Terms {
    /// Whether the intersection of `parts` is empty because one part needs a byte that another never holds.
    pub(crate) fn has_missing_byte(&mut self, parts: &[TermId]) -> bool {
        let bounds = self.intersected_bytes(parts);
        bounds.needed.intersection(&bounds.all) != bounds.needed
    }

    /// The bounds of an intersection.
    fn intersected_bytes(&mut self, parts: &[TermId]) -> RequiredBytes {
        parts.iter().fold(ANYTHING, |met, &part| {
            let bytes = self.required_bytes(part);
            RequiredBytes { needed: met.needed.union(&bytes.needed), all: met.all.intersection(&bytes.all) }
        })
    }

    /// The memoised bounds of a term.
    fn required_bytes(&mut self, id: TermId) -> RequiredBytes {
        if let Some(&bytes) = self.emptiness.required_bytes.get(&id) {
            return bytes;
        }
        // Iterates over a concatenation from its end: a recursion would be as deep as the text is long.
        let (mut lefts, mut rest) = (Vec::new(), id);
        while let Term::Cat(left, right) = *self.term(rest) {
            if self.emptiness.required_bytes.get(&rest).is_some() {
                break;
            }
            lefts.push((rest, left));
            rest = right;
        }
        let mut bytes = match self.emptiness.required_bytes.get(&rest) {
            Some(&bytes) => bytes,
            None => self.compute_required_bytes(rest),
        };
        self.memoise(rest, bytes);
        for (id, left) in lefts.into_iter().rev() {
            let left = self.required_bytes(left);
            bytes = RequiredBytes { needed: bytes.needed.union(&left.needed), all: bytes.all.union(&left.all) };
            self.memoise(id, bytes);
        }
        bytes
    }

    fn memoise(&mut self, id: TermId, bytes: RequiredBytes) {
        self.emptiness.required_bytes.insert(id, bytes, &mut self.budget);
    }

    fn compute_required_bytes(&mut self, id: TermId) -> RequiredBytes {
        let spelled = |text: &[u8]| ByteSet::from_bytes(text.iter().copied());
        match *self.term(id) {
            Term::Epsilon => NOTHING,
            Term::Class(all) => {
                RequiredBytes { needed: all.single().map_or(ByteSet::EMPTY, |byte| ByteSet::range(byte, byte)), all }
            }
            Term::Literal { literal, position } => {
                let rest = &self.literals[literal.index()][position as usize..];
                let needed = spelled(&rest[..rest.len().min(MAX_BYTES)]);
                RequiredBytes { needed, all: if rest.len() > MAX_BYTES { ByteSet::FULL } else { needed } }
            }
            Term::Words { set, low, high, depth } if high - low <= MAX_WORDS => {
                let words = &self.word_sets[set.index()].words[low as usize..high as usize];
                if words.iter().any(|word| word.len() > MAX_BYTES) {
                    return ANYTHING;
                }
                let each = words.iter().map(|word| spelled(&word[depth as usize..]));
                each.map(|all| RequiredBytes { needed: all, all }).reduce(united_bytes).unwrap_or(ANYTHING)
            }
            Term::Alt(ref parts) => {
                let parts = Parts::from_slice(parts);
                parts.iter().map(|&part| self.required_bytes(part)).reduce(united_bytes).unwrap_or(ANYTHING)
            }
            Term::And(ref parts) => {
                let parts = Parts::from_slice(parts);
                self.intersected_bytes(&parts)
            }
            Term::Repeat { body, min, .. } => {
                let bytes = self.required_bytes(body);
                RequiredBytes { needed: if min > 0 { bytes.needed } else { ByteSet::EMPTY }, ..bytes }
            }
            Term::Bounded { body, .. } => self.required_bytes(body),
            Term::Multiple { .. } => RequiredBytes { needed: ByteSet::EMPTY, all: self.first_bytes(id) },
            _ => ANYTHING,
        }
    }
}

/// The bounds of a union.
fn united_bytes(one: RequiredBytes, other: RequiredBytes) -> RequiredBytes {
    RequiredBytes { needed: one.needed.intersection(&other.needed), all: one.all.union(&other.all) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::fixture::{bytes, regex};

    /// The (needed, possible) bytes.
    fn bounds(terms: &mut Terms, id: TermId) -> (ByteSet, ByteSet) {
        let RequiredBytes { needed, all } = terms.required_bytes(id);
        (needed, all)
    }

    #[test]
    fn every_text_has_the_needed_bytes_and_no_other_than_the_possible_ones() {
        let mut terms = Terms::new();
        for (pattern, needed, all) in [
            ("", "", ""),
            ("a", "a", "a"),
            ("[ab]", "", "ab"),
            ("abc", "abc", "abc"),
            ("[ab]c[de]", "c", "abcde"),
            ("[ab]cd|[bc]de", "d", "abcde"),
            ("(ab)?c", "c", "abc"),
            ("(ab)+c", "abc", "abc"),
            ("(ab){2}", "ab", "ab"),
            ("ab|ac|ad|ae", "a", "abcde"),
        ] {
            let id = regex(&mut terms, pattern);
            assert_eq!(bounds(&mut terms, id), (bytes(needed), bytes(all)), "{pattern}");
        }
        let rest = regex(&mut terms, "abc");
        let rest = terms.derive(rest, b'a').unwrap();
        assert_eq!(bounds(&mut terms, rest), (bytes("bc"), bytes("bc")));
    }
}
