//! State → its nonempty derivatives by intervals of bytes.
//!
//! Walks over whole states share these loops; single steps use `derive`.

use crate::bytes::byteset::{Boundaries, ByteSet};
use crate::bytes::utf8::UNESCAPED_ASCII;
use crate::error::Result;
use crate::regular::term::{Escapes, Spelling, Term, TermId, Text, EMPTY};
use crate::regular::terms::Terms;
use smallvec::SmallVec;

/// (first byte, last byte, target), ascending; bytes between the intervals lead to `EMPTY`.
pub(crate) type Transitions = SmallVec<[(u8, u8, TermId); 16]>;

impl Terms {
    /// The transitions of a state on all bytes. Errors if the budget ends.
    pub(crate) fn byte_transitions(&mut self, id: TermId) -> Result<Transitions> {
        self.byte_transitions_up_to(id, u8::MAX)
    }

    /// The transitions on the bytes up to `last`; the last interval may end beyond it.
    pub(crate) fn byte_transitions_up_to(&mut self, id: TermId, last: u8) -> Result<Transitions> {
        let first = self.first_bytes(id);
        let end = u16::from(last) + 1;
        // If all these derivatives are cached, the cached edges are the answer.
        if let Some(edges) = self.derivatives.edges.get(id.index()) {
            let unknown = |from: u16, to: u16| from < to && first.has_any_in(from as u8, (to - 1) as u8);
            let (mut transitions, mut next, mut complete) = (Transitions::new(), 0, true);
            for &(low, high, target) in edges.iter().take_while(|&&(low, ..)| low <= last) {
                complete &= !unknown(next, low.into());
                next = u16::from(high) + 1;
                if target != EMPTY {
                    transitions.push((low, high, target));
                }
            }
            if complete && !unknown(next, end) {
                return Ok(transitions);
            }
        }
        let boundaries = self.boundaries(id);
        transitions_by(first, boundaries, last, |byte| self.derive(id, byte))
    }

    /// The bytes that can come next, exactly.
    pub(crate) fn next_bytes(&mut self, id: TermId) -> Result<ByteSet> {
        if self.any_char_target(id)?.is_some() {
            let mut next = UNESCAPED_ASCII.union(&ByteSet::range(0xc2, 0xf4));
            next.insert(b'\\');
            if self.derive(id, b'"')? != EMPTY {
                next.insert(b'"');
            }
            return Ok(next);
        }
        Ok(bytes_of(self.byte_transitions(id)?.iter()))
    }

    /// The ASCII bytes that lead from a state to `target`.
    pub(crate) fn ascii_bytes_to(&mut self, id: TermId, to: TermId) -> Result<ByteSet> {
        if self.any_char_target(id)? == Some(to) {
            return Ok(UNESCAPED_ASCII);
        }
        let transitions = self.byte_transitions_up_to(id, 0x7f)?;
        let matching = transitions.iter().filter(|&&(_, _, target)| target == to);
        Ok(bytes_of(matching).intersection(&ByteSet::range(0, 0x7f)))
    }

    /// Whether the state is inside a JSON string of arbitrary text.
    pub(crate) fn is_in_any_text(&self, id: TermId) -> bool {
        matches!(*self.term(id), Term::Quoted { text, state: Spelling::Body, escapes } if self.is_any_text(text, escapes))
    }

    /// Whether a string of this text holds any characters, spelled alike wherever they stand.
    pub(crate) fn is_any_text(&self, text: TermId, escapes: Escapes) -> bool {
        Some(text) == self.any_text && escapes.escaped == EMPTY
    }

    /// How many characters a string of arbitrary text lacks, from a place between two of them; None for other terms.
    pub(crate) fn needed_characters(&self, id: TermId) -> Option<u32> {
        let Term::Quoted { text, state: Spelling::Body, escapes } = *self.term(id) else { return None };
        match *self.term(text) {
            Term::Bounded { body, min, .. } if self.is_any_text(body, escapes) => Some(min),
            _ => None,
        }
    }

    /// Whether all characters that need no escape lead from a string to one place, also from a key whose text is unknown.
    pub(crate) fn has_any_char_target(&mut self, id: TermId) -> Result<bool> {
        let inside = match *self.term(id) {
            Term::KeyExtra { inner, text: Text::Unknown, .. } => inner,
            _ => id,
        };
        Ok(self.any_char_target(inside)?.is_some())
    }

    /// The target that all characters share, inside a JSON string of arbitrary text whose length still allows one more.
    pub(crate) fn any_char_target(&mut self, id: TermId) -> Result<Option<TermId>> {
        let Term::Quoted { text, state: Spelling::Body, escapes } = *self.term(id) else { return Ok(None) };
        let text = match *self.term(text) {
            Term::Bounded { body, max: 1.., .. } => body,
            _ => text,
        };
        if !self.is_any_text(text, escapes) {
            return Ok(None);
        }
        self.derive(id, b' ').map(Some)
    }
}

/// The bytes of some transitions.
pub(crate) fn bytes_of<'a>(transitions: impl Iterator<Item = &'a (u8, u8, TermId)>) -> ByteSet {
    transitions.fold(ByteSet::EMPTY, |all, &(low, high, _)| all.union(&ByteSet::range(low, high)))
}

/// The transitions on the bytes up to `last` of a state that begins with bytes of `first`.
pub(crate) fn transitions_by(
    first: ByteSet,
    boundaries: Boundaries,
    last: u8,
    mut derive: impl FnMut(u8) -> Result<TermId>,
) -> Result<Transitions> {
    let mut transitions = Transitions::new();
    for (low, high) in boundaries.intervals(0, last) {
        let target = if first.contains(low) { derive(low)? } else { EMPTY };
        if target != EMPTY {
            transitions.push((low, high, target));
        }
    }
    Ok(transitions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::fixture::regex;

    #[test]
    fn transitions_are_the_nonempty_derivatives_ascending() {
        for prepare in
            [&b""[..], b"c", b"x", b"x~", b"bx~", b"cx0~", &[0, b'a', b'b', b'c', b'd', b'e', b'w', b'x', b'y', 255]]
        {
            let mut terms = Terms::new();
            let id = regex(&mut terms, "[b-d]y|[x]z");
            let [y, z] = ["y", "z"].map(|pattern| regex(&mut terms, pattern));
            for &byte in prepare {
                terms.derive(id, byte).unwrap();
            }
            let found = terms.byte_transitions(id).unwrap();
            assert_eq!(found[..], [(b'b', b'd', y), (b'x', b'x', z)], "where {prepare:?} were known before");
        }
        let mut terms = Terms::new();
        assert!(terms.byte_transitions(EMPTY).unwrap().is_empty());
    }
}
