//! Excluded values × bytes of an open item → the suffixes of those excluded values that share the prefix.
//!
//! Masks of positions inside unique items follow these suffixes along the bytes of tokens.

use crate::automaton::machine::Machine;
use crate::automaton::position::{Position, Register};
use crate::error::Result;
use crate::json::partial_value::{LexerState, PartialValueId};
use crate::json::value::NUMERAL_END;
use crate::regular::id::{ArrayId, ArrayStateId, KeySetId};
use crate::regular::key_set::NO_KEYS;

/// Bytes of numerals from which the canonical spelling may use an exponent.
const MAX_NUMERAL_BYTES: usize = 30;

/// The suffixes that would complete an excluded text.
#[derive(Clone, Copy)]
pub(crate) struct ExcludedRest {
    pub(super) set: KeySetId,
    /// Whether `set` has exactly these suffixes; otherwise a superset.
    pub(super) exact: bool,
}

impl Machine {
    /// The suffixes of excluded values that share the prefix of an open item.
    pub(super) fn excluded_rest(
        &mut self,
        array: ArrayId,
        state: ArrayStateId,
        step: u32,
        start: PartialValueId,
        partial: PartialValueId,
    ) -> Result<ExcludedRest> {
        let Some(mut set) = self.excluded(array, state, step)? else {
            return Ok(ExcludedRest { set: NO_KEYS, exact: false });
        };
        if set == NO_KEYS {
            return Ok(ExcludedRest { set, exact: true });
        }
        let text = self.unique.partial_values.text(start, partial);
        self.arena.spend(1 + text.len() as u64 / 4)?;
        let lexer_state = self.unique.partial_values.lexer_state(partial);
        let (whole, numeral) =
            text.split_at(text.len() - self.unique.partial_values.numeral_len(partial).min(text.len()));
        let ordered = self.is_ordered(array);
        let keys = &self.arena.terms.keys;
        for &byte in whole {
            set = keys.child(set, byte);
            if set == NO_KEYS {
                return Ok(ExcludedRest { set, exact: true });
            }
            if byte == b'{' && !ordered {
                // Members may come in any order, so every excluded value with an object here counts.
                return Ok(ExcludedRest { set, exact: false });
            }
        }
        if numeral.is_empty() {
            // The character of an open escape is not known yet.
            return Ok(ExcludedRest { set, exact: matches!(lexer_state, LexerState::Between | LexerState::Inside) });
        }
        if self.unique.partial_values.lexer_state(partial).is_zero() {
            let zero = keys.child(keys.child(set, b'0'), NUMERAL_END);
            return Ok(ExcludedRest { set: zero, exact: false });
        }
        let item = self.arena.registers.item_of_step(array, state, step);
        if self.can_read_noninteger(item)?
            || numeral.len() > MAX_NUMERAL_BYTES
            || numeral[0] == b'-' && matches!(numeral.get(1), None | Some(b'0'))
        {
            return Ok(ExcludedRest { set, exact: false });
        }
        let keys = &self.arena.terms.keys;
        Ok(ExcludedRest { set: numeral.iter().fold(set, |set, &byte| keys.child(set, byte)), exact: true })
    }

    /// Whether a numeral that may begin here, or is open, can still be zero.
    pub(crate) fn can_be_zero(&self, position: &Position) -> bool {
        match position.register {
            Register::At(partial) => {
                !matches!(self.unique.partial_values.lexer_state(partial), LexerState::Number { zero: false, .. })
            }
            _ => true,
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
