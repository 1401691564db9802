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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{after, bytes, machine, object, partial, state_after, string, unique, words};
    use crate::builder::{Builder, ObjectRules};
    use crate::json::partial_value::NOTHING_READ;
    use crate::regular::term::TermId;

    const ARRAY: ArrayId = ArrayId::new(0);

    fn array(item: impl FnOnce(&mut Builder) -> TermId) -> Box<Machine> {
        machine(|builder| {
            let item = item(builder);
            unique(builder, item, 0, None)
        })
    }

    /// How many excluded values begin like the text, whether `rest` is among their suffixes, and whether that is exact.
    fn rest(machine: &mut Machine, came: &[&str], text: &str, suffix: &str) -> (usize, bool, bool) {
        let (state, at) = (state_after(machine, 0, came), partial(machine, text));
        let ExcludedRest { set, exact } = machine.excluded_rest(ARRAY, state, 0, NOTHING_READ, at).unwrap();
        let keys = &machine.arena.terms.keys;
        (keys.count(set), keys.contains(set, suffix.as_bytes()), exact)
    }

    #[test]
    fn a_prefix_leaves_the_suffixes_of_the_values_that_share_it() {
        let mut machine = array(|builder| string(builder, 0, None));
        let came = ["\"ab\"", "\"ac\"", "\"b\""];
        assert_eq!(rest(&mut machine, &[], "\"a", ""), (0, false, true));
        assert_eq!(rest(&mut machine, &came, "", "\"b\""), (3, true, true));
        assert_eq!(rest(&mut machine, &came, "\"a", "c\""), (2, true, true));
        assert_eq!(rest(&mut machine, &came, "\"ab\"", ""), (1, true, true));
        assert_eq!(rest(&mut machine, &came, "\"d", ""), (0, false, true));
    }

    #[test]
    fn an_open_escape_leaves_a_superset() {
        let mut machine = array(|builder| string(builder, 0, None));
        assert_eq!(rest(&mut machine, &["\"ab\"", "\"ac\""], "\"a\\", "b\""), (2, true, false));
        assert_eq!(rest(&mut machine, &["\"ab\""], "\"\\u0061", "b\""), (1, true, true), "a finished escape");
    }

    #[test]
    fn integers_are_followed_digit_by_digit() {
        let mut machine = array(|builder| {
            let minus = bytes(builder, b'-', b'-', 0, Some(1));
            let digits = bytes(builder, b'0', b'9', 1, None);
            builder.cat(&[minus.number(), digits.number()]).unwrap()
        });
        let came = ["12 ", "1 ", "-1 ", "0 "];
        assert_eq!(rest(&mut machine, &came, "1", "2 "), (2, true, true));
        assert_eq!(rest(&mut machine, &came, "2", ""), (0, false, true));
        assert_eq!(rest(&mut machine, &came, "-", "-1 "), (4, true, false), "-0 is 0");
        assert_eq!(rest(&mut machine, &came, "-0", "0 "), (4, true, false));
        assert_eq!(rest(&mut machine, &came, "-1", " "), (1, true, true));
        let long = "1".repeat(MAX_NUMERAL_BYTES);
        assert!(rest(&mut machine, &came, &long, "").2);
        assert!(!rest(&mut machine, &came, &(long + "1"), "").2, "a long numeral may be spelled with an exponent");
    }

    #[test]
    fn other_numbers_are_compared_at_their_end() {
        let mut machine = array(|builder| words(builder, &["1.5", "1e1", "0e1"]));
        assert_eq!(rest(&mut machine, &["10 "], "1", "10 "), (1, true, false));
        assert_eq!(rest(&mut machine, &["10 "], "1e1", "10 "), (1, true, false));
        assert_eq!(rest(&mut machine, &["0 ", "10 "], "0e1", ""), (1, true, false), "surely zero");
    }

    #[test]
    fn members_in_any_order_leave_all_values_with_an_object_there() {
        let mut machine = array(|builder| {
            let digit = bytes(builder, b'0', b'9', 1, Some(1));
            let rules = ObjectRules { any_order: true, ..ObjectRules::default() };
            object(builder, &[("a", true, digit), ("b", true, digit)], &[], rules)
        });
        let came = ["{\"a\":1 ,\"b\":2 }"];
        assert_eq!(rest(&mut machine, &came, "{\"b\":3", "\"a\":1 ,\"b\":2 }"), (1, true, false));
    }

    #[test]
    fn a_numeral_can_be_zero_until_another_digit_comes() {
        let mut machine = array(|builder| {
            let minus = bytes(builder, b'-', b'-', 0, Some(1));
            let digits = bytes(builder, b'0', b'9', 1, None);
            builder.cat(&[minus.number(), digits.number()]).unwrap()
        });
        for (text, expected) in [("", true), ("[", true), ("[-", true), ("[0", true), ("[7", false), ("[7,", true)] {
            let id = after(&mut machine, text.as_bytes());
            let position = machine.position(id).clone();
            assert_eq!(machine.can_be_zero(&position), expected, "{text}");
        }
    }
}
