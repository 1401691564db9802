//! Excluded values × bytes of an open item → the suffixes of those excluded values that share the prefix.
//!
//! Masks of positions inside unique items follow these suffixes along the bytes of tokens.

use crate::automaton::frame::FrameId;
use crate::automaton::machine::Machine;
use crate::automaton::position::{Position, Register};
use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::json::partial_value::{LexerState, PartialValueId};
use crate::json::unique::ENUMERATION;
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

    /// What the open string of an item may go on with to repeat a string of a value that came, whatever the order of
    /// members; None if more than that decides. Tokens that go on otherwise lead to a new value.
    pub(crate) fn repeated_strings(&mut self, position: &Position) -> Result<Option<RepeatedStrings>> {
        let Register::At(partial) = position.register else { return Ok(None) };
        let frames = position.heads.iter().map(|&(_, frame)| frame);
        let frames = frames.chain(position.specials.iter().map(|&(_, frame)| frame));
        let &[(array, state, step, _)] = &self.open_ends(frames)[..] else { return Ok(None) };
        let Some(before) = self.unique.partial_values.open_string(partial) else { return Ok(None) };
        if array == ENUMERATION || self.arena.registers.uniques[array.index()].only_item().is_none() {
            return Ok(None);
        }
        let Some(excluded) = self.excluded(array, state, step)? else { return Ok(None) };
        let mut rests = Vec::new();
        for text in self.arena.registers.keys.texts(excluded) {
            self.arena.spend(1 + text.len() as u64 / 16)?;
            let ends = (before.len()..=text.len()).filter(|&end| text[..end].ends_with(&before));
            rests.extend(ends.map(|end| text[end..].to_vec()));
        }
        rests.sort_unstable();
        rests.dedup();
        Ok(Some(RepeatedStrings { rests }))
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

/// Decoded texts behind the open string's beginning, wherever it occurs in a value that came.
pub(crate) struct RepeatedStrings {
    rests: Vec<Vec<u8>>,
}

impl RepeatedStrings {
    /// The bytes with which a token may begin that repeats a string.
    pub(crate) fn first_bytes(&self) -> ByteSet {
        ByteSet::from_bytes(self.rests.iter().filter_map(|rest| rest.first().copied()).chain([b'\\']))
    }

    /// Whether these bytes may repeat a string, as far as they belong to the open one.
    pub(crate) fn can_begin(&self, bytes: &[u8]) -> bool {
        let (mut lexer_state, mut text) = (LexerState::Inside, Vec::new());
        for &byte in bytes {
            let (next, said) = lexer_state.step(byte);
            text.extend_from_slice(&said);
            lexer_state = next;
            if lexer_state == LexerState::Between {
                break;
            }
        }
        let from = self.rests.partition_point(|rest| rest[..] < text[..]);
        self.rests.get(from).is_some_and(|rest| rest.starts_with(&text))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{after, bytes, machine, object, partial, state_after, string, unique, words};
    use crate::grammar::builder::{Builder, ObjectRules};
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
        let keys = &machine.arena.registers.keys;
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

    /// The strings that must not be repeated after a text.
    fn seen_after(machine: &mut Machine, text: &str) -> Option<SeenStrings> {
        let id = after(machine, text.as_bytes());
        let position = machine.position(id).clone();
        machine.seen_strings(&position).unwrap()
    }

    #[test]
    fn a_token_of_several_strings_repeats_one_that_came_or_one_of_its_own() {
        let mut machine = array(|builder| string(builder, 0, None));
        let within = seen_after(&mut machine, "[\"ab\",\"a").unwrap();
        let between = seen_after(&mut machine, "[\"ab\",").unwrap();
        let keys = &machine.arena.registers.keys;
        for (bytes, repeats) in [
            ("b\"", true),
            ("\\u0062\"", true),
            ("\",\"ab\"", true),
            ("\",\"a\"", true), // its own
            ("\",\"b\"", false),
            ("b", false),
            ("\"]", true), // past the array
        ] {
            assert_eq!(within.can_repeat(keys, bytes.as_bytes()), repeats, "{bytes}");
        }
        let behind = seen_after(&mut machine, "[\"ab\"").unwrap();
        let keys = &machine.arena.registers.keys;
        for (bytes, repeats) in [(",\"ab\"", true), (",\"b\"", false)] {
            assert_eq!(behind.can_repeat(keys, bytes.as_bytes()), repeats, "{bytes}");
        }
        for (bytes, repeats) in [("\"ab\"", true), (" \"a\", \"b\"", false), ("\"a\",\"a\"", true), ("1", true)] {
            assert_eq!(between.can_repeat(keys, bytes.as_bytes()), repeats, "{bytes}");
        }
    }

    #[test]
    fn only_arrays_of_unlimited_strings_have_strings_to_watch() {
        let mut numbers = array(|builder| bytes(builder, b'1', b'9', 1, None));
        assert!(seen_after(&mut numbers, "[1").is_none());
        let mut few = array(|builder| string(builder, 0, Some(1)));
        assert!(seen_after(&mut few, "[\"").is_some(), "any string may be the first");
        assert!(seen_after(&mut few, "[\"a\",\"").is_none(), "one string of a character may be the last that is left");
        let mut nested = array(|builder| {
            let inner = string(builder, 0, None);
            unique(builder, inner, 0, None)
        });
        assert!(seen_after(&mut nested, "[[\"").is_none(), "two arrays");
    }

    #[test]
    fn an_open_string_may_repeat_the_string_of_any_member_of_a_value_that_came() {
        let mut machine = array(|builder| {
            let text = string(builder, 0, None);
            let rules = ObjectRules { any_order: true, ..ObjectRules::default() };
            object(builder, &[("key", false, text), ("other", false, text)], &[], rules)
        });
        let mut repeated = |text: &str| {
            let id = after(&mut machine, text.as_bytes());
            let position = machine.position(id).clone();
            assert!(!position.is_dead(), "{text}");
            machine.repeated_strings(&position).unwrap()
        };
        let found = repeated("[{\"key\":\"xy\",\"other\":\"z\"},{\"other\":\"").unwrap();
        for (bytes, can_begin) in
            [("x", true), ("xy\"", true), ("z\"}", true), ("\\u0078", true), ("ke", true), ("xz", false), ("\"", false)]
        {
            assert_eq!(found.can_begin(bytes.as_bytes()), can_begin, "{bytes}");
        }
        assert_eq!(found.first_bytes().iter().collect::<Vec<_>>(), b",:\\koxz}", "a quote may close a string, too");
        let found = repeated("[{\"key\":\"xy\"},{\"key\":\"x").unwrap();
        assert!(found.can_begin(b"y\"") && !found.can_begin(b"\"") && !found.can_begin(b"x"));
        assert!(repeated("[{\"key\":\"xy\"},{").is_none(), "no string is open");
    }
}
