//! Terms × registers of objects and arrays → the arena, in which a machine steps.
//!
//! An arena can be an overlay on the frozen part of another arena.

use crate::json::registers::{Registers, NO_TEXT};
use crate::regular::term::{Term, TermId};
use crate::regular::terms::Terms;
use crate::regular::transfer::children;
use std::ops::{Deref, DerefMut};

/// Terms and registers. An arena is used as its terms are, but it also knows the steps inside the keys of objects.
#[derive(Clone)]
pub struct Arena {
    /// Terms, with the budget of the call that creates them.
    pub(crate) terms: Terms,
    pub(crate) registers: Registers,
}

impl Deref for Arena {
    type Target = Terms;

    #[inline]
    fn deref(&self) -> &Terms {
        &self.terms
    }
}

impl DerefMut for Arena {
    #[inline]
    fn deref_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }
}

impl Default for Arena {
    fn default() -> Self {
        Self::new()
    }
}

impl Arena {
    /// An arena that holds `EMPTY`, `EPSILON` and `TOP`.
    pub fn new() -> Self {
        let mut arena = Arena { terms: Terms::new(), registers: Registers::default() };
        arena.registers.texts.push((NO_TEXT, 0), &mut arena.terms.budget);
        arena
    }

    /// An arena on top of the frozen part of this one; the two share ids made so far and then diverge.
    pub fn overlay(&self) -> Self {
        Arena { terms: self.terms.overlay(), registers: self.registers.overlay() }
    }

    /// Freezes the arena after copying its terms into one slice, for many overlays.
    pub fn compact(&mut self) {
        self.terms.nodes.compact();
        self.freeze();
    }

    /// Freezes the top layer, so that overlays can share it.
    pub fn freeze(&mut self) {
        self.terms.freeze();
        self.registers.freeze();
    }

    /// Calls `visit` with each direct part of a term, those of its object or array included; a call of a rule has none.
    pub(crate) fn visit_parts(&self, id: TermId, mut visit: impl FnMut(TermId)) {
        match self.terms.term(id) {
            Term::Object(object) => {
                let spec = &self.registers.objects[object.index()];
                spec.values().flatten().for_each(|value| visit(value.node));
                spec.extras.iter().for_each(|extra| visit(extra.keys));
                [spec.open, spec.close, spec.colon, spec.comma, spec.empty].into_iter().for_each(&mut visit);
                visit(spec.escapes.escaped);
            }
            Term::Unique(array) => {
                let spec = &self.registers.uniques[array.index()];
                spec.steps.iter().flatten().for_each(|&(item, _)| visit(item));
                [spec.open, spec.close, spec.comma, spec.empty].into_iter().for_each(visit);
            }
            term => children(term, visit),
        }
    }
}
