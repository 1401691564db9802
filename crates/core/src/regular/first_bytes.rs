//! Term → its first bytes (FIRST) and the intervals of bytes that it treats alike.
//!
//! Both are computed from the term's syntax without derivatives, and narrow the loops that do take derivatives.

use crate::bytes::byteset::{Boundaries, ByteSet};
use crate::regular::arena::Arena;
use crate::regular::derivative::narrow;
use crate::regular::term::{Parts, Spelling, Term, TermId, Text};

impl Arena {
    /// A superset of the bytes that texts begin with, memoised.
    pub(crate) fn first_bytes(&mut self, id: TermId) -> ByteSet {
        if let Some(bytes) = self.terms.first_bytes.get(id.index()) {
            return *bytes;
        }
        let bytes = match *self.term(id) {
            Term::Empty | Term::Epsilon | Term::KeyDone { .. } => ByteSet::EMPTY,
            Term::Class(set) => set,
            Term::Literal { literal, position } => {
                let byte = self.terms.literals[literal.index()][position as usize];
                ByteSet::range(byte, byte)
            }
            Term::Words { set, low, high, depth } => {
                let words = self.terms.word_sets[set.index()].words.clone();
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
            Term::Keys(set) => ByteSet::from_bytes(self.registers.keys.children(set).map(|(byte, _)| byte)),
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
            Term::KeyNamed { object, low, high, depth, .. } => {
                ByteSet::from_bytes(self.registers.objects[object.index()].key_bytes(low, high, depth))
            }
            Term::KeyExtra { inner, .. } => self.first_bytes(inner),
            _ => ByteSet::FULL,
        };
        *self.terms.first_bytes.get_mut(id.index(), &mut self.budget) = bytes;
        bytes
    }

    /// The intervals of bytes on which the derivative is constant: derivative classes (Owens, Reppy, Turon 2009, section 4.2).
    pub fn boundaries(&mut self, id: TermId) -> Boundaries {
        if let Some(boundaries) = self.terms.boundaries.get(id.index()) {
            return *boundaries;
        }
        let mut boundaries = Boundaries::default();
        match *self.term(id) {
            Term::Class(set) => boundaries = set.boundaries(),
            Term::Literal { literal, position } => {
                boundaries = Boundaries::of_byte(self.terms.literals[literal.index()][position as usize]);
            }
            Term::Words { set, low, high, depth } => {
                let words = self.terms.word_sets[set.index()].words.clone();
                let mut at = low;
                while at < high {
                    match words[at as usize].get(depth as usize) {
                        None => at += 1,
                        Some(&byte) => {
                            boundaries.merge(&Boundaries::of_byte(byte));
                            at = narrow(&words, at, high, depth, byte).1;
                        }
                    }
                }
            }
            Term::Keys(set) => {
                self.registers.keys.children(set).for_each(|(byte, _)| boundaries.merge(&Boundaries::of_byte(byte)));
            }
            Term::Multiple { .. } => {
                boundaries.merge(&Boundaries::of_byte(b'.'));
                (b'0'..=b'9').for_each(|byte| boundaries.merge(&Boundaries::of_byte(byte)));
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
            Term::Quoted { text, state, .. } => match state {
                Spelling::Body => {
                    boundaries = self.boundaries(text);
                    boundaries.insert(0x20);
                    boundaries.merge(&Boundaries::of_byte(b'"'));
                    boundaries.merge(&Boundaries::of_byte(b'\\'));
                }
                _ => (0x20..0x7f).for_each(|byte| boundaries.merge(&Boundaries::of_byte(byte))),
            },
            Term::KeyNamed { object, low, high, depth, .. } => {
                let spec = self.registers.objects[object.index()].clone();
                spec.key_bytes(low, high, depth).for_each(|byte| boundaries.merge(&Boundaries::of_byte(byte)));
            }
            Term::KeyExtra { inner, text, .. } => {
                boundaries = self.boundaries(inner);
                if text != Text::Unknown {
                    boundaries = Boundaries::ALL;
                }
            }
            _ => {}
        }
        *self.terms.boundaries.get_mut(id.index(), &mut self.budget) = boundaries;
        boundaries
    }
}
