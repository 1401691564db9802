//! Head × byte → the rest of the head: of a key here, of every other head in `regular`.
//!
//! Which keys may go on depends on the state of their object, so terms alone do not know the steps of a key.

use crate::bytes::byteset::{Boundaries, ByteSet};
use crate::error::Result;
use crate::json::arena::Arena;
use crate::regular::derivative::byte_transitions::{transitions_by, Transitions};
use crate::regular::derivative::memo::Edge;
use crate::regular::term::{Term, TermId, Text, EMPTY};
use crate::regular::terms::DERIVATION;

impl Arena {
    /// The rest of the texts of a head that begin with `byte`; `EMPTY` if there are none. Errors if the budget ends.
    pub fn derive(&mut self, head: TermId, byte: u8) -> Result<TermId> {
        if let Some(known) = self.terms.known_derivative(head, byte) {
            return Ok(known);
        }
        match self.terms.term(head) {
            Term::KeyNamed { .. } | Term::KeyExtra { .. } | Term::KeyDone { .. } => {
                let edge = self.new_key_edge(head, byte)?;
                Ok(self.terms.keep_edge(head, byte, edge))
            }
            _ => self.terms.new_derivative(head, byte),
        }
    }

    /// The derivative of a key by a byte, with the interval of bytes that share it.
    fn new_key_edge(&mut self, head: TermId, byte: u8) -> Result<Edge> {
        self.terms.spend(DERIVATION)?;
        let target = match *self.terms.term(head) {
            Term::KeyNamed { object, state, low, high, depth } => {
                self.derive_key(object, state, low, high, depth, byte)?
            }
            Term::KeyExtra { inner, text, .. } => match self.terms.derive(inner, byte)? {
                EMPTY => EMPTY,
                next => {
                    let text = match text {
                        Text::Known(text) => Text::Known(self.text_after(text, byte)),
                        Text::Unknown => Text::Unknown,
                    };
                    self.replace_open_key(head, next, text)?
                }
            },
            _ => EMPTY,
        };
        let (low, high) = match self.terms.term(head) {
            // Each of these bytes leads to its own term, so the edge holds for one byte only.
            Term::KeyNamed { .. } if target != EMPTY => (byte, byte),
            Term::KeyExtra { text: Text::Known(_), .. } => (byte, byte),
            _ => self.boundaries(head).interval(byte),
        };
        Ok((low, high, target))
    }

    /// A superset of the bytes that the texts of a head begin with.
    #[inline]
    pub(crate) fn first_bytes(&mut self, head: TermId) -> ByteSet {
        if let Some(known) = self.terms.known_first_bytes(head) {
            return known;
        }
        let bytes = match *self.terms.term(head) {
            Term::KeyNamed { object, low, high, depth, .. } => {
                ByteSet::from_bytes(self.registers.objects[object.index()].key_bytes(low, high, depth))
            }
            Term::KeyExtra { inner, .. } => self.terms.first_bytes(inner),
            Term::KeyDone { .. } => ByteSet::EMPTY,
            _ => return self.terms.first_bytes(head),
        };
        self.terms.keep_first_bytes(head, bytes)
    }

    /// The intervals of bytes on which the derivative of a head is constant.
    #[inline]
    pub fn boundaries(&mut self, head: TermId) -> Boundaries {
        if let Some(known) = self.terms.known_boundaries(head) {
            return known;
        }
        let boundaries = match *self.terms.term(head) {
            Term::KeyNamed { .. } => Boundaries::of_each(&self.first_bytes(head)),
            Term::KeyExtra { text: Text::Known(_), .. } => Boundaries::ALL,
            Term::KeyExtra { inner, .. } => self.terms.boundaries(inner),
            _ => return self.terms.boundaries(head),
        };
        self.terms.keep_boundaries(head, boundaries)
    }

    /// The transitions of a head on all bytes. Errors if the budget ends.
    pub(crate) fn byte_transitions(&mut self, head: TermId) -> Result<Transitions> {
        if !self.terms.info(head).structural {
            return self.terms.byte_transitions(head);
        }
        let (first, boundaries) = (self.first_bytes(head), self.boundaries(head));
        transitions_by(first, boundaries, u8::MAX, |byte| self.derive(head, byte))
    }
}
