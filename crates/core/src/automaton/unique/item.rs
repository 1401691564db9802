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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{after, bytes, machine, object, string, unique, words};
    use crate::builder::{Builder, ObjectRules};
    use crate::regular::term::TermId;

    /// The open item after a text in an array of items.
    fn open_item(machine: &mut Machine, text: &str) -> Option<OpenItem> {
        let id = after(machine, text.as_bytes());
        let position = machine.position(id).clone();
        assert!(!position.is_dead(), "{text}");
        machine.open_item(&position).unwrap()
    }

    fn array(item: impl FnOnce(&mut Builder) -> TermId) -> Box<Machine> {
        machine(|builder| {
            let item = item(builder);
            unique(builder, item, 0, None)
        })
    }

    #[test]
    fn an_open_string_follows_the_excluded_texts_that_begin_like_it() {
        let mut machine = array(|builder| string(builder, 0, None));
        assert!(
            open_item(&mut machine, "").is_none() && open_item(&mut machine, "[\"a\"").is_none(),
            "no item is open"
        );
        let item = open_item(&mut machine, "[\"ab\",\"c\",\"a").unwrap();
        assert!(item.head.is_some());
        let keys = &machine.arena.terms.keys;
        for (bytes, meets) in
            [(&b"b\""[..], true), (b"b\",", true), (b"\\u0062\"", true), (b"c", false), (b"\"", false)]
        {
            assert_eq!(item.meets(keys, bytes), meets, "{bytes:?}");
        }
        let paths = item.bytes(keys, &item.cursor).unwrap();
        assert_eq!(paths.iter().collect::<Vec<_>>(), b"\\b");
        let item = open_item(&mut machine, "[\"ab\",").unwrap();
        let paths = item.bytes(&machine.arena.terms.keys, &item.cursor).unwrap();
        assert!(paths.contains(b'"') && !paths.contains(b'a'));
    }

    #[test]
    fn items_are_told_apart_by_array_state_step_and_scarcity() {
        let mut machine = array(|builder| string(builder, 0, None));
        let one = open_item(&mut machine, "[\"a").unwrap();
        let other = open_item(&mut machine, "[\"b\",\"a").unwrap();
        assert_eq!(one.key(false), other.key(false), "one array, one state");
        assert_ne!(one.key(true), one.key(false));
    }

    #[test]
    fn several_open_items_are_left_to_a_replay() {
        let mut machine = array(|builder| {
            let inner = string(builder, 0, None);
            unique(builder, inner, 0, None)
        });
        assert!(open_item(&mut machine, "[[\"a").is_none());
        assert!(open_item(&mut machine, "[").is_some_and(|item| item.head.is_none()), "the item begins with arrays");
    }

    #[test]
    fn members_in_any_order_are_followed_only_without_a_conflict() {
        let mut machine = array(|builder| {
            let digit = bytes(builder, b'0', b'9', 1, Some(1));
            let rules = ObjectRules { any_order: true, ..ObjectRules::default() };
            object(builder, &[("a", true, digit), ("b", true, digit)], &[], rules)
        });
        assert!(open_item(&mut machine, "[{\"a\":1,").is_some(), "no value came");
        assert!(open_item(&mut machine, "[{\"a\":1").is_none(), "a numeral of a member is compared at its end");
        assert!(open_item(&mut machine, "[{\"a\":1,\"b\":2},{\"b\":2,").is_none());
    }

    #[test]
    fn numerals_of_several_spellings_are_compared_at_their_end() {
        let mut integers = array(|builder| bytes(builder, b'1', b'9', 1, None));
        let item = open_item(&mut integers, "[12,1").unwrap();
        assert!(!item.is_in_noncanonical_numeral(&item.cursor));
        let paths = item.bytes(&integers.arena.terms.keys, &item.cursor).unwrap();
        assert_eq!(paths.iter().collect::<Vec<_>>(), b"02", "the digit that came, and that of -0");
        let mut canonical = array(|builder| words(builder, &["10", "12"]));
        assert!(open_item(&mut canonical, "[12,1").is_some());
        let mut spelled = array(|builder| words(builder, &["1.0", "12"]));
        assert!(open_item(&mut spelled, "[12,1").is_none());
        let item = open_item(&mut spelled, "[12,").unwrap();
        let keys = &spelled.arena.terms.keys;
        assert!(item.bytes(keys, &item.cursor).is_none());
        let inside = item.cursor.next(keys, b'1');
        assert!(item.is_in_noncanonical_numeral(&inside) && !item.is_in_noncanonical_numeral(&item.cursor));
        assert!(item.meets(keys, b"13"), "13 might be spelled otherwise, too");
    }

    #[test]
    fn counts_say_whether_the_item_can_end_differently() {
        let mut machine = array(|builder| bytes(builder, b'1', b'4', 1, Some(1)));
        for (text, expected) in [("[", Some(true)), ("[1,2,", Some(true)), ("[1,2,3,", None)] {
            let item = open_item(&mut machine, text).unwrap();
            let (head, cursor) = (item.head.unwrap(), item.cursor);
            assert_eq!(machine.can_end_differently(&item, head, &cursor).unwrap(), expected, "{text}");
            let minus = ExcludedCursor { minus: true, ..cursor };
            assert_eq!(machine.can_end_differently(&item, head, &minus).unwrap(), None, "-0 is 0");
            let escape = ExcludedCursor { lexer_state: LexerState::Escape, ..cursor };
            assert_eq!(machine.can_end_differently(&item, head, &escape).unwrap(), None, "an open escape");
        }
    }
}
