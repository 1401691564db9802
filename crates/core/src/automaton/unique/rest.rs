//! Excluded values × bytes of an open item → the suffixes of those excluded values that share the prefix.
//!
//! Masks of positions inside unique items follow these suffixes along the bytes of tokens.

use crate::automaton::frame::FrameId;
use crate::automaton::machine::Machine;
use crate::automaton::position::{Position, Register};
use crate::error::Result;
use crate::json::partial_value::{LexerState, PartialValueId};
use crate::json::value::NUMERAL_END;
use crate::regular::id::{ArrayId, ArrayStateId, KeySetId};
use crate::regular::key_set::{KeySets, NO_KEYS};
use crate::regular::term::Term;

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
        let keys = &self.arena.registers.keys;
        for &byte in whole {
            if byte == b'{' && !ordered {
                // Members may come in any order, so every excluded value with an object here counts.
                return Ok(ExcludedRest { set: keys.child(set, byte), exact: false });
            }
            set = keys.child(set, byte);
            if set == NO_KEYS {
                return Ok(ExcludedRest { set, exact: true });
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
        let at = self.arena.registers.unique_states[state.index()].at;
        let item = self.arena.registers.uniques[array.index()].steps[at as usize][step as usize].0;
        if self.can_read_noninteger(item)?
            || numeral.len() > MAX_NUMERAL_BYTES
            || numeral[0] == b'-' && matches!(numeral.get(1), None | Some(b'0'))
        {
            return Ok(ExcludedRest { set, exact: false });
        }
        let keys = &self.arena.registers.keys;
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

    /// The strings that tokens spanning several items must not repeat; None unless the array has strings of unlimited
    /// number.
    pub(crate) fn seen_strings(&mut self, position: &Position) -> Result<Option<SeenStrings>> {
        let heads = position.heads.iter().map(|&(_, frame)| frame);
        let frames: Vec<FrameId> = heads.chain(position.specials.iter().map(|&(_, frame)| frame)).collect();
        let mut arrays = Vec::new();
        let mut open = Vec::new();
        for frame in self.exact_frames(frames.into_iter()) {
            for &(term, _) in self.members(frame) {
                match *self.arena.term(term) {
                    Term::UniqueItem { array, state } => arrays.push((array, state)),
                    Term::UniqueEnd { array, state, start, .. } => {
                        arrays.push((array, state));
                        open.push(PartialValueId::new(start));
                    }
                    _ => {}
                }
            }
        }
        arrays.sort_unstable();
        arrays.dedup();
        let &[(array, state)] = &arrays[..] else { return Ok(None) };
        let spec = self.arena.registers.uniques[array.index()].clone();
        let state = self.arena.registers.unique_states[state.index()];
        let Some(item) = spec.only_item() else { return Ok(None) };
        let most = state.count.saturating_add(self.unique.max_token_items);
        let strings = matches!(self.arena.term(item), Term::Quoted { .. }) && self.is_insensitive_to(item, most)?;
        if !strings || !self.arena.is_made_of(spec.comma, b" \t\n\r,") {
            return Ok(None);
        }
        let (lexer_state, prefix) = match (position.register, &open[..]) {
            (Register::At(partial), &[start]) => {
                (self.unique.partial_values.lexer_state(partial), self.unique.partial_values.text(start, partial))
            }
            (_, []) => (LexerState::Between, Vec::new()),
            _ => return Ok(None),
        };
        Ok(Some(SeenStrings { set: state.came, lexer_state, prefix }))
    }
}

/// The strings that came in an array, and the prefix of the open one.
pub(crate) struct SeenStrings {
    set: KeySetId,
    lexer_state: LexerState,
    prefix: Vec<u8>,
}

impl SeenStrings {
    /// Whether these bytes may repeat a string that came, or one of their own. Bytes past the array count as repeating.
    pub(crate) fn can_repeat(&self, keys: &KeySets, bytes: &[u8]) -> bool {
        let (mut lexer_state, mut text) = (self.lexer_state, self.prefix.clone());
        let mut whole: Vec<Vec<u8>> = Vec::new();
        for &byte in bytes {
            if lexer_state == LexerState::Between && !matches!(byte, b'"' | b',' | b' ' | b'\t' | b'\n' | b'\r') {
                return true;
            }
            let was_inside = lexer_state != LexerState::Between;
            let (next, said) = lexer_state.step(byte);
            if byte != b',' || was_inside {
                text.extend_from_slice(&said);
            }
            lexer_state = next;
            if was_inside && lexer_state == LexerState::Between {
                let text = std::mem::take(&mut text);
                if keys.contains(self.set, &text) || whole.contains(&text) {
                    return true;
                }
                whole.push(text);
            }
        }
        false
    }
}
