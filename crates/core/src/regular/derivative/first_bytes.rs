//! Term → its first bytes (FIRST) and the intervals of bytes that it treats alike.
//!
//! Both are computed from the term's syntax without derivatives, and narrow the loops that do take derivatives.

use crate::bytes::byteset::{Boundaries, ByteSet};
use crate::regular::derivative::narrow;
use crate::regular::term::{Parts, Spelling, Term, TermId};
use crate::regular::terms::Terms;

impl Terms {
    /// A superset of the bytes that texts begin with, memoised.
    pub(crate) fn first_bytes(&mut self, id: TermId) -> ByteSet {
        if let Some(known) = self.known_first_bytes(id) {
            return known;
        }
        let bytes = match *self.term(id) {
            Term::Empty | Term::Epsilon => ByteSet::EMPTY,
            Term::Class(set) => set,
            Term::Literal { literal, position } => {
                let byte = self.literals[literal.index()][position as usize];
                ByteSet::range(byte, byte)
            }
            Term::Words { set, low, high, depth } => {
                let words = self.word_sets[set.index()].words.clone();
                let mut bytes = ByteSet::EMPTY;
                let mut at = low;
                while at < high {
                    match words[at as usize].get(depth as usize) {
                        None => at += 1,
                        Some(&byte) => {
                            bytes.insert(byte);
                            at = narrow(&words, at, high, depth, byte).1;
                        }
                    }
                }
                bytes
            }
            Term::Keys(set) => ByteSet::from_bytes(self.keys.children(set).map(|(byte, _)| byte)),
            Term::Multiple { point, .. } => {
                let digits = ByteSet::range(b'0', b'9');
                if point {
                    digits.union(&ByteSet::range(b'.', b'.'))
                } else {
                    digits
                }
            }
            Term::Cat(left, right) => {
                let bytes = self.first_bytes(left);
                if self.info(left).nullable {
                    bytes.union(&self.first_bytes(right))
                } else {
                    bytes
                }
            }
            Term::Alt(ref parts) => {
                let parts = Parts::from_slice(parts);
                parts.iter().fold(ByteSet::EMPTY, |all, &part| all.union(&self.first_bytes(part)))
            }
            Term::And(ref parts) => {
                let parts = Parts::from_slice(parts);
                parts.iter().fold(ByteSet::FULL, |all, &part| all.intersection(&self.first_bytes(part)))
            }
            Term::Repeat { body, .. } | Term::Bounded { body, .. } => self.first_bytes(body),
            Term::Quoted { state: Spelling::Start, .. } => ByteSet::range(b'"', b'"'),
            Term::Quoted { text, state: Spelling::Body, .. } => {
                let escapes = ByteSet::from_bytes([b'"', b'\\'].into_iter());
                self.first_bytes(text).intersection(&ByteSet::range(0x20, 0xff)).union(&escapes)
            }
            Term::Quoted { state, .. } => match state {
                Spelling::Escape => ByteSet::from_bytes(b"\"\\/bfnrtu".iter().copied()),
                Spelling::LowEscape { .. } => ByteSet::range(b'\\', b'\\'),
                Spelling::LowU { .. } => ByteSet::range(b'u', b'u'),
                _ => ByteSet::from_bytes(b"0123456789ABCDEFabcdef".iter().copied()),
            },
            _ => ByteSet::FULL,
        };
        self.keep_first_bytes(id, bytes)
    }

    /// The first bytes, if they are cached.
    #[inline]
    pub(crate) fn known_first_bytes(&self, id: TermId) -> Option<ByteSet> {
        self.derivatives.first_bytes.get(id.index()).copied()
    }

    /// Caches first bytes, and returns them.
    pub(crate) fn keep_first_bytes(&mut self, id: TermId, bytes: ByteSet) -> ByteSet {
        *self.derivatives.first_bytes.get_mut(id.index(), &mut self.budget) = bytes;
        bytes
    }

    /// The intervals of bytes on which the derivative is constant: derivative classes (Owens, Reppy, Turon 2009, section 4.2).
    pub fn boundaries(&mut self, id: TermId) -> Boundaries {
        if let Some(known) = self.known_boundaries(id) {
            return known;
        }
        let mut boundaries = Boundaries::default();
        match *self.term(id) {
            Term::Class(set) => boundaries = set.boundaries(),
            Term::Literal { .. } | Term::Words { .. } | Term::Keys(_) | Term::Multiple { .. } => {
                boundaries = Boundaries::of_each(&self.first_bytes(id));
            }
            Term::Cat(left, right) => {
                boundaries = self.boundaries(left);
                if self.info(left).nullable {
                    boundaries.merge(&self.boundaries(right));
                }
            }
            Term::Alt(ref parts) | Term::And(ref parts) => {
                for part in Parts::from_slice(parts) {
                    boundaries.merge(&self.boundaries(part));
                }
            }
            Term::Not(inner) => boundaries = self.boundaries(inner),
            Term::Repeat { body, .. } => boundaries = self.boundaries(body),
            Term::Bounded { body, .. } => {
                boundaries = self.boundaries(body);
                boundaries.insert(0x80);
                boundaries.insert(0xc0);
            }
            Term::Quoted { text, state, escapes } => match state {
                Spelling::Body => {
                    boundaries = self.boundaries(text);
                    boundaries.merge(&self.boundaries(escapes.escaped));
                    boundaries.insert(0x20);
                    boundaries.merge(&Boundaries::of_each(&ByteSet::from_bytes([b'"', b'\\'].into_iter())));
                }
                _ => boundaries = Boundaries::of_each(&ByteSet::range(0x20, 0x7e)),
            },
            _ => {}
        }
        self.keep_boundaries(id, boundaries)
    }

    /// The boundaries, if they are cached.
    #[inline]
    pub(crate) fn known_boundaries(&self, id: TermId) -> Option<Boundaries> {
        self.derivatives.boundaries.get(id.index()).copied()
    }

    /// Caches boundaries, and returns them.
    pub(crate) fn keep_boundaries(&mut self, id: TermId, boundaries: Boundaries) -> Boundaries {
        *self.derivatives.boundaries.get_mut(id.index(), &mut self.budget) = boundaries;
        boundaries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::fixture::regex;

    use crate::regular::term::EMPTY;

    #[test]
    fn all_bytes_of_an_interval_have_one_derivative_and_only_first_bytes_have_any() {
        let mut terms = Terms::new();
        let text = regex(&mut terms, "[a-m]*(é|\\n)");
        let many = regex(&mut terms, "(ab|[c-x]{2})*");
        let ids = [
            terms.quoted(text, true).unwrap(),
            terms.quoted_state(text, Spelling::Body, true).unwrap(),
            terms.quoted_state(text, Spelling::Escape, true).unwrap(),
            terms.bounded(many, 1, 3).unwrap(),
            terms.not(many).unwrap(),
            terms.multiple(12, true).unwrap(),
        ];
        for id in ids {
            let (first, boundaries) = (terms.first_bytes(id), terms.boundaries(id));
            for byte in 0..=255u8 {
                let target = terms.derive_uncached(id, byte, true).unwrap();
                let neighbour = terms.derive_uncached(id, boundaries.interval(byte).0, true).unwrap();
                assert_eq!(target, neighbour, "{:?} by {byte}", terms.term(id));
                assert!(target == EMPTY || first.contains(byte), "{:?} by {byte}", terms.term(id));
            }
        }
    }
}
