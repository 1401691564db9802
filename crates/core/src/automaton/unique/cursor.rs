//! Excluded values × bytes of an open item → the suffixes of those excluded values that share the prefix.
//!
//! A cursor stands for the bytes that were read: equal cursors have equal continuations. Masks move it along the bytes of
//! tokens (`mask::text_walk`).

use crate::automaton::machine::Machine;
use crate::automaton::position::{Position, Register};
use crate::automaton::unique::abstraction::OpenEnd;
use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::json::partial_value::{is_numeral, LexerState, PartialValueId};
use crate::json::value::NUMERAL_END;
use crate::regular::id::KeySetId;
use crate::regular::key_set::{KeySets, NO_KEYS};
use crate::regular::term::TermId;

/// Bytes of numerals from which the canonical spelling may use an exponent.
const MAX_NUMERAL_BYTES: usize = 30;

/// A node in the set of excluded texts.
#[derive(Clone, Copy)]
pub(crate) struct ExcludedCursor {
    lexer_state: LexerState,
    /// The suffixes that would complete an excluded text; if not `is_exact`, perhaps others, too.
    pub(super) set: KeySetId,
    pub(super) is_exact: bool,
}

/// An open item whose bytes lead along excluded texts.
pub(crate) struct OpenItem {
    end: OpenEnd,
    /// The head that reads the rest of the item, if there is one such head and nothing else is left of the item.
    pub(crate) head: Option<TermId>,
    /// Whether numerals have one spelling. If not, they are compared only at their end.
    has_canonical_numerals: bool,
    pub(crate) cursor: ExcludedCursor,
}

/// The way from a cursor by one byte.
pub(crate) enum Next {
    /// No excluded text goes on so.
    Apart,
    /// An excluded text has ended, or only the exact position can tell.
    Unclear,
    /// Excluded texts go on.
    Along(ExcludedCursor),
}

impl OpenItem {
    /// The way by one byte.
    pub(crate) fn next(&self, keys: &KeySets, cursor: &ExcludedCursor, byte: u8) -> Next {
        let ExcludedCursor { mut lexer_state, mut set, .. } = *cursor;
        if matches!(lexer_state, LexerState::Number { .. }) && !is_numeral(byte) {
            set = keys.child(set, NUMERAL_END);
            if keys.has_empty(set) {
                return Next::Unclear;
            }
            lexer_state = LexerState::Between;
        }
        let (next, decoded) = lexer_state.step(byte);
        let in_numeral = matches!(next, LexerState::Number { .. });
        if in_numeral && set != NO_KEYS && !self.has_canonical_numerals {
            return Next::Unclear;
        }
        // -0 equals 0.
        let may_be_zero = in_numeral && byte == b'-' && keys.child(set, b'0') != NO_KEYS;
        set = decoded.iter().fold(set, |set, &byte| keys.child(set, byte));
        match set {
            _ if may_be_zero || keys.has_empty(set) => Next::Unclear,
            NO_KEYS => Next::Apart,
            _ => Next::Along(ExcludedCursor { lexer_state: next, set, is_exact: cursor.is_exact }),
        }
    }

    /// The bytes that may lead along excluded texts.
    pub(crate) fn bytes(&self, keys: &KeySets, cursor: &ExcludedCursor) -> ByteSet {
        let more: &[u8] = match cursor.lexer_state {
            LexerState::Inside => b"\\",
            LexerState::Between if self.has_canonical_numerals => b" \t\n\r-",
            LexerState::Number { .. } if keys.child(cursor.set, NUMERAL_END) == NO_KEYS => b"",
            _ => return ByteSet::FULL,
        };
        ByteSet::from_bytes(keys.children(cursor.set).map(|(byte, _)| byte).chain(more.iter().copied()))
    }
}

impl Machine {
    /// The cursor after the bytes of an open item; None if the item may not come at all.
    pub(super) fn excluded_cursor(
        &mut self,
        (array, state, step, start): OpenEnd,
        partial: PartialValueId,
    ) -> Result<Option<ExcludedCursor>> {
        let Some(mut set) = self.excluded(array, state, step)? else { return Ok(None) };
        let lexer_state = self.unique.partial_values.lexer_state(partial);
        if set == NO_KEYS {
            return Ok(Some(ExcludedCursor { lexer_state, set, is_exact: true }));
        }
        let text = self.unique.partial_values.text(start, partial);
        self.arena.spend(1 + text.len() as u64 / 4)?;
        let (whole, numeral) =
            text.split_at(text.len() - self.unique.partial_values.numeral_len(partial).min(text.len()));
        // Members may come in any order, so every excluded value with an object here counts.
        let object = if self.is_ordered(array) { None } else { whole.iter().position(|&byte| byte == b'{') };
        let known = object.map_or(whole, |object| &whole[..=object]);
        let keys = &self.arena.terms.keys;
        set = known.iter().fold(set, |set, &byte| keys.child(set, byte));
        let is_exact = if object.is_some() {
            false
        } else if numeral.is_empty() {
            // The character of an open escape is not known yet.
            matches!(lexer_state, LexerState::Between | LexerState::Inside)
        } else if lexer_state.is_zero() {
            set = keys.child(keys.child(set, b'0'), NUMERAL_END);
            false
        } else {
            let item = self.arena.registers.item_of_step(array, state, step);
            let is_short = numeral.len() <= MAX_NUMERAL_BYTES && !matches!(numeral, [b'-'] | [b'-', b'0', ..]);
            let is_exact = is_short && self.is_canonical(item)?;
            if is_exact {
                let keys = &self.arena.terms.keys;
                set = numeral.iter().fold(set, |set, &byte| keys.child(set, byte));
            }
            is_exact
        };
        Ok(Some(ExcludedCursor { lexer_state, set, is_exact: is_exact || set == NO_KEYS }))
    }

    /// The single open item of a position; None if a walk along texts cannot decide: several open items, objects with
    /// members in any order, an open escape or a numeral with several spellings.
    pub(crate) fn open_item(&mut self, position: &Position) -> Result<Option<OpenItem>> {
        let Register::At(partial) = position.register else { return Ok(None) };
        let &[end] = &self.open_ends(position.frames())[..] else { return Ok(None) };
        let Some(cursor) = self.excluded_cursor(end, partial)? else { return Ok(None) };
        // An object may complete an excluded value in another order of members, which a walk would miss.
        if !cursor.is_exact || cursor.set != NO_KEYS && !self.is_ordered(end.0) {
            return Ok(None);
        }
        let item = self.arena.registers.item_of_step(end.0, end.1, end.2);
        let mut heads = position.heads.iter().filter(|&&(_, frame)| self.item_summary(frame).is_open);
        let head = match (heads.next(), heads.next()) {
            (Some(&(head, frame)), None) if self.is_item_frame(frame) => Some(head),
            _ => None,
        };
        Ok(Some(OpenItem { end, head, has_canonical_numerals: self.is_canonical(item)?, cursor }))
    }

    /// Whether the item can end as another value after the bytes up to `cursor`; None if counts cannot decide.
    pub(crate) fn can_end_differently(
        &mut self,
        item: &OpenItem,
        head: TermId,
        cursor: &ExcludedCursor,
    ) -> Result<Option<bool>> {
        match cursor.lexer_state {
            LexerState::Between | LexerState::Inside | LexerState::Number { .. } => {
                self.can_avoid(item.end, head, cursor.set)
            }
            _ => Ok(None),
        }
    }

    /// The values that came in the arrays whose items are open; None unless the position is between two characters of a
    /// string.
    pub(crate) fn values_around_string(&self, position: &Position) -> Option<Vec<KeySetId>> {
        let Register::At(partial) = position.register else { return None };
        if self.unique.partial_values.lexer_state(partial) != LexerState::Inside {
            return None;
        }
        let frames = position.heads.iter().map(|&(_, frame)| frame);
        let states = self.open_ends(frames).into_iter().map(|(_, state, ..)| state);
        Some(states.map(|state| self.arena.registers.unique_states[state.index()].came).collect())
    }
}
