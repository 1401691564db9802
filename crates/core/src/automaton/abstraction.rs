//! Position → the abstract position whose mask it shares: without the texts of open keys and the values of unique items.
//!
//! Few tokens depend on those texts and values. One mask per abstract position, corrected for these tokens, replaces one
//! mask per text that a key or an item may have.

use crate::automaton::machine::Machine;
use crate::automaton::position::{PositionId, Register};
use crate::error::Result;
use crate::json::arena::Arena;
use crate::json::registers::NO_TEXT;
use crate::regular::term::{TermId, Text};

impl Machine {
    /// The abstract position of a position; the position itself if there is nothing to leave out.
    pub(crate) fn abstracted(&mut self, id: PositionId) -> Result<PositionId> {
        let position = self.position(id).clone();
        let known = |arena: &Arena, head: TermId| matches!(arena.open_key(head), Some((_, Text::Known(text))) if text != NO_TEXT);
        let exact = position.frames().any(|frame| self.is_exact(frame));
        let mut abstracted = (*position).clone();
        if exact || position.heads.iter().any(|&(head, _)| known(&self.arena, head)) {
            for (head, _) in &mut abstracted.heads {
                *head = self.arena.forget_text(*head)?;
            }
        }
        if exact {
            let frames = abstracted.heads.iter_mut().map(|(_, frame)| frame);
            for frame in frames.chain(abstracted.specials.iter_mut().map(|(_, frame)| frame)) {
                *frame = self.abstracted_frame(*frame, position.register)?;
            }
            abstracted.register = Register::Abstracted;
        }
        if abstracted == *position {
            return Ok(id);
        }
        abstracted.heads = self.frames.merge(&mut self.arena, abstracted.heads)?;
        abstracted.specials = self.frames.merge(&mut self.arena, abstracted.specials)?;
        Ok(self.intern(abstracted))
    }
}
