//! Position in a unique item → the item that is open, with the excluded texts that tokens may complete.
//!
//! None where a walk along texts cannot decide: several open items, objects in any order, numerals with several spellings.

use crate::automaton::frame::FrameId;
use crate::automaton::machine::Machine;
use crate::automaton::position::{Position, Register};
use crate::automaton::unique::cursor::ExcludedCursor;
use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::json::partial_value::LexerState;
use crate::regular::id::{ArrayId, ArrayStateId};
use crate::regular::key_set::{KeySets, NO_KEYS};
use crate::regular::term::{Term, TermId};

/// An open item of regular texts, with the excluded suffixes.
pub(crate) struct OpenItem {
    array: ArrayId,
    state: ArrayStateId,
    /// The state of the automaton over items.
    at: u32,
    step: u32,
    /// The head that reads the rest of the item, if there is one such head.
    pub(crate) head: Option<TermId>,
    /// Whether numerals may be spelled in several ways. If so, they are compared only at their end.
    has_noncanonical_numerals: bool,
    pub(crate) cursor: ExcludedCursor,
}

/// The key under which walks are cached: array, state, step, and whether values are scarce.
pub(crate) type ItemKey = (ArrayId, u32, u32, bool);

impl OpenItem {
    /// Whether these bytes stay on a path to an excluded text, or reach the end of one.
    pub(crate) fn meets(&self, keys: &KeySets, bytes: &[u8]) -> bool {
        self.cursor.meets(keys, bytes, self.has_noncanonical_numerals)
    }

    /// Whether the cursor is inside a numeral whose spelling does not decide its value.
    pub(crate) fn is_in_noncanonical_numeral(&self, next: &ExcludedCursor) -> bool {
        self.has_noncanonical_numerals && next.is_in_numeral()
    }

    /// The bytes that stay on a path to an excluded text; None if every byte must be tried.
    pub(crate) fn bytes(&self, keys: &KeySets, cursor: &ExcludedCursor) -> Option<ByteSet> {
        cursor.bytes(keys).filter(|_| !self.has_noncanonical_numerals || cursor.lexer_state == LexerState::Inside)
    }

    /// The key for caching; `is_scarce` says whether the number of remaining values matters.
    pub(crate) fn key(&self, is_scarce: bool) -> ItemKey {
        (self.array, self.at, self.step, is_scarce)
    }
}

impl Machine {
    /// The single open item of a position with the suffixes to avoid; None if a walk along texts cannot decide.
    pub(crate) fn open_item(&mut self, position: &Position) -> Result<Option<OpenItem>> {
        let Register::At(partial) = position.register else { return Ok(None) };
        let &[(array, state, step, start)] = &self.open_ends(position.frames())[..] else { return Ok(None) };
        let rest = self.excluded_rest(array, state, step, start, partial)?;
        if rest.set != NO_KEYS && !self.is_ordered(array) {
            // An object may complete an excluded value in another order of members, which a walk would miss.
            return Ok(None);
        }
        let at = self.arena.registers.unique_states[state.index()].at;
        let item = self.arena.registers.item_of_step(array, state, step);
        let has_noncanonical_numerals = self.has_noncanonical_numerals(item)?;
        let in_numeral = matches!(self.unique.partial_values.lexer_state(partial), LexerState::Number { .. });
        if !rest.exact || has_noncanonical_numerals && in_numeral {
            return Ok(None);
        }
        let mut heads = position.heads.iter().filter(|&&(_, frame)| self.item_summary(frame).is_open);
        let head = match (heads.next(), heads.next()) {
            (Some(&(head, frame)), None) if self.is_item_frame(frame) => Some(head),
            _ => None,
        };
        let cursor = ExcludedCursor {
            lexer_state: self.unique.partial_values.lexer_state(partial),
            set: rest.set,
            numeral_start: rest.set,
            minus: false,
        };
        Ok(Some(OpenItem { array, state, at, step, head, has_noncanonical_numerals, cursor }))
    }

    /// Whether the frame continues with the end of an item and nothing else.
    fn is_item_frame(&self, frame: FrameId) -> bool {
        matches!(*self.members(frame), [(term, _)] if matches!(self.arena.term(term), Term::UniqueEnd { .. }))
    }

    /// Whether a number in the item may have another spelling than the canonical one.
    fn has_noncanonical_numerals(&mut self, item: TermId) -> Result<bool> {
        Ok(match *self.arena.term(item) {
            Term::Quoted { .. } => false,
            Term::Words { .. } => !self.is_spelled_canonically(item)?,
            _ => self.can_read_noninteger(item)?,
        })
    }

    /// Whether the item can end as another value after the bytes up to `cursor`; None if counts cannot decide.
    pub(crate) fn can_end_differently(
        &mut self,
        item: &OpenItem,
        head: TermId,
        cursor: &ExcludedCursor,
    ) -> Result<Option<bool>> {
        if cursor.minus
            || !matches!(cursor.lexer_state, LexerState::Between | LexerState::Inside | LexerState::Number { .. })
        {
            return Ok(None);
        }
        self.can_avoid(item.array, item.state, item.step, head, cursor.set)
    }
}
