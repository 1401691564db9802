//! Position in unique items → the items that are open, each with the excluded texts that tokens may complete.
//!
//! Where the texts cannot decide, because members come in any order or numerals have several spellings, an item that began
//! with a bracket still ends with one: only tokens that hold it may complete an excluded value.

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

/// The open items of a position: one, or several where an item holds an array of unique items.
#[derive(Default)]
pub(crate) struct OpenItems {
    pub(crate) items: Vec<OpenItem>,
    /// The brackets that end the other items.
    pub(crate) closing: Vec<u8>,
}

/// An open item with the suffixes that would complete an excluded text.
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
    /// Whether the members of objects have one order. If not, objects are compared only at their end.
    is_ordered: bool,
    pub(crate) cursor: ExcludedCursor,
}

/// The key under which walks are cached: array, state, step, and whether values are scarce.
pub(crate) type ItemKey = (ArrayId, u32, u32, bool);

impl OpenItem {
    /// Whether these bytes stay on a path to an excluded text, or reach the end of one.
    pub(crate) fn meets(&self, keys: &KeySets, bytes: &[u8]) -> bool {
        let mut cursor = self.cursor;
        for &byte in bytes {
            if cursor.is_at_end(keys) || cursor.is_at_numeral_end(keys, byte) {
                return true;
            }
            let before = cursor;
            cursor = before.next(keys, byte);
            if self.has_other_spellings(&before, &cursor, byte) {
                return true;
            }
            if !cursor.has_conflict(keys) {
                return false;
            }
        }
        true
    }

    /// Whether a byte begins something whose spelling does not decide its value: a numeral, or an object.
    pub(crate) fn has_other_spellings(&self, before: &ExcludedCursor, next: &ExcludedCursor, byte: u8) -> bool {
        self.has_noncanonical_numerals && next.is_in_numeral()
            || !self.is_ordered && byte == b'{' && before.lexer_state != LexerState::Inside && next.set != NO_KEYS
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
    /// The open items of a position; None if neither walks along texts nor closing brackets can decide.
    pub(crate) fn open_items(&mut self, position: &Position) -> Result<Option<OpenItems>> {
        let Register::At(partial) = position.register else { return Ok(None) };
        let mut heads = position.heads.iter().filter(|&&(_, frame)| self.item_summary(frame).is_open);
        let head = match (heads.next(), heads.next()) {
            (Some(&(head, frame)), None) if self.is_item_frame(frame) => Some(head),
            _ => None,
        };
        let lexer_state = self.unique.partial_values.lexer_state(partial);
        let in_numeral = matches!(lexer_state, LexerState::Number { .. });
        let ends = self.open_ends(position.frames());
        let mut open = OpenItems::default();
        for &(array, state, step, start) in &ends {
            let rest = self.excluded_rest(array, state, step, start, partial)?;
            let item = self.arena.registers.item_of_step(array, state, step);
            let has_noncanonical_numerals = self.has_noncanonical_numerals(item)?;
            if rest.exact && !(has_noncanonical_numerals && in_numeral) {
                let cursor = ExcludedCursor { lexer_state, set: rest.set, numeral_start: rest.set, minus: false };
                open.items.push(OpenItem {
                    array,
                    state,
                    at: self.arena.registers.unique_states[state.index()].at,
                    step,
                    // Of items inside items, the head reads the innermost.
                    head: head.filter(|_| ends.len() == 1),
                    has_noncanonical_numerals,
                    is_ordered: self.is_ordered(array),
                    cursor,
                });
                continue;
            }
            let closing = match self.unique.partial_values.text(start, partial).first() {
                Some(b'{') => b'}',
                Some(b'[') => b']',
                _ => return Ok(None),
            };
            if rest.set == NO_KEYS || !self.have_enough_values_around(position)? {
                return Ok(None);
            }
            open.closing.push(closing);
        }
        Ok(Some(open))
    }

    /// Whether, after the innermost open item, more values may come than can be excluded.
    fn have_enough_values_around(&mut self, position: &Position) -> Result<bool> {
        for &(_, frame) in &position.heads {
            for (term, parent) in self.members(frame).to_vec() {
                let around = if matches!(self.arena.term(term), Term::UniqueEnd { .. }) { parent } else { frame };
                if !self.has_enough_values_in_frame(around)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
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
