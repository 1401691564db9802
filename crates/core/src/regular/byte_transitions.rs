//! State → its nonempty derivatives by intervals of bytes.
//!
//! Walks over whole states share these loops; single steps use `derive`.

use crate::bytes::byteset::ByteSet;
use crate::bytes::utf8::UNESCAPED_ASCII;
use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::term::{Spelling, Term, TermId, EMPTY};
use smallvec::SmallVec;

/// (first byte, last byte, target), ascending; bytes between the intervals lead to `EMPTY`.
type Transitions = SmallVec<[(u8, u8, TermId); 16]>;

impl Arena {
    /// The transitions of a state on all bytes. Errors if the budget ends.
    pub(crate) fn byte_transitions(&mut self, id: TermId) -> Result<Transitions> {
        self.byte_transitions_up_to(id, u8::MAX)
    }

    /// The transitions on the bytes up to `last`; the last interval first end beyond.
    pub(crate) fn byte_transitions_up_to(&mut self, id: TermId, last: u8) -> Result<Transitions> {
        let mut transitions = Transitions::new();
        let first = self.first_bytes(id);
        let end = u16::from(last) + 1;
        // If all these derivatives are cached, the cached edges are the answer.
        if let Some(edges) = self.terms.edges.get(id.index()) {
            let unknown = |from: u16, to: u16| from < to && first.has_any_in(from as u8, (to - 1) as u8);
            let (mut next, mut complete) = (0, true);
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
            transitions.clear();
        }
        let boundaries = self.boundaries(id);
        let mut byte = 0u8;
        loop {
            let (low, high) = boundaries.interval(byte);
            let target = if first.contains(low) { self.derive(id, low)? } else { EMPTY };
            if target != EMPTY {
                transitions.push((low, high, target));
            }
            match high.checked_add(1).filter(|&next| next <= last) {
                Some(next) => byte = next,
                None => return Ok(transitions),
            }
        }
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
        let transitions = self.byte_transitions(id)?;
        Ok(transitions.iter().fold(ByteSet::EMPTY, |all, &(low, high, _)| all.union(&ByteSet::range(low, high))))
    }

    /// The ASCII bytes that lead from a state to `target`.
    pub(crate) fn ascii_bytes_to(&mut self, id: TermId, to: TermId) -> Result<ByteSet> {
        if self.any_char_target(id)? == Some(to) {
            return Ok(UNESCAPED_ASCII);
        }
        let transitions = self.byte_transitions_up_to(id, 0x7f)?;
        let matching = transitions.iter().filter(|&&(_, _, target)| target == to);
        Ok(matching.fold(ByteSet::EMPTY, |all, &(low, high, _)| all.union(&ByteSet::range(low, high.min(0x7f)))))
    }

    /// Whether the state is inside a JSON string of arbitrary text.
    pub(crate) fn is_in_any_text(&self, id: TermId) -> bool {
        matches!(*self.term(id), Term::Quoted { text, state: Spelling::Body, .. } if Some(text) == self.any_text)
    }

    /// The target that all characters share, inside a JSON string of arbitrary text whose length still allows one more.
    pub(crate) fn any_char_target(&mut self, id: TermId) -> Result<Option<TermId>> {
        let Term::Quoted { text, state: Spelling::Body, .. } = *self.term(id) else { return Ok(None) };
        let text = match *self.term(text) {
            Term::Bounded { body, max: 1.., .. } => body,
            _ => text,
        };
        if Some(text) != self.any_text {
            return Ok(None);
        }
        self.derive(id, b' ').map(Some)
    }
}
