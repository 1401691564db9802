//! Values that came → values that may come, in arrays whose items must all be different.
//!
//! An array is an automaton over items. While an item is open, the position's register holds its partial value, and the
//! frame under the item holds the start of that value. At the end of the item the canonical text of its value is looked
//! up among the excluded values (`excluded`).
//!
//! A position inside an item survives only if the item can still end as another value (`end`). The excluded texts that
//! share the prefix (`cursor`), the number of values that may come (`values`) and, last, a search decide that.
//!
//! Masks are computed for abstracted positions (`Register::Abstracted`), which keep only a bound of the number of
//! values. Tokens for which that bound does not suffice are checked at the exact position (`mask::draft`).

pub(crate) mod abstraction;
pub(crate) mod analysis;
pub(crate) mod cursor;
pub(crate) mod end;
pub(crate) mod excluded;
pub(crate) mod order;
pub(crate) mod values;

use crate::automaton::closure::Closure;
use crate::automaton::frame::FrameId;
use crate::automaton::machine::Machine;
use crate::automaton::position::{Items, Register};
use crate::error::Result;
use crate::json::partial_value::{PartialValueId, PartialValues, NOTHING_READ};
use crate::json::registers::{Abstracted, UniqueState};
use crate::json::unique::ENUMERATION;
use crate::json::value::sort_members;
use crate::regular::id::{ArrayId, ArrayStateId};
use crate::regular::term::{Term, TermId, MANY};
use rustc_hash::FxHashMap;

/// The step of an `ENUMERATION` if each object in the item has one order of members only.
const ORDERED_STEP: u32 = 1;

/// Counts of values are capped here: no text excludes more values.
const COUNT_CAP: u32 = 1 << 24;

/// Bytes per node of partial values, with its entry in the index.
const PER_PARTIAL_VALUE: usize = 72;

impl Machine {
    /// Replaces a term of an array by the terms that it begins with.
    pub(crate) fn expand(
        &mut self,
        term: TermId,
        frame: FrameId,
        work: &mut Items,
        closure: &mut Closure,
    ) -> Result<()> {
        match *self.arena.term(term) {
            Term::Unique(array) => {
                let spec = self.arena.registers.uniques[array.index()].clone();
                let state = self.arena.unique_state(array, UniqueState::default());
                if spec.accepting[0] && spec.min == 0 {
                    work.push((spec.empty, frame));
                }
                self.push_next_item(array, state, spec.open, frame, work)
            }
            Term::UniqueNext { array, state } => {
                let spec = self.arena.registers.uniques[array.index()].clone();
                let (at, count) = self.arena.registers.unique_states[state.index()].progress();
                if spec.accepting[at as usize] && count >= spec.min as usize {
                    work.push((spec.close, frame));
                }
                self.push_next_item(array, state, spec.comma, frame, work)
            }
            Term::UniqueItem { array, mut state } => {
                closure.uses_register = true;
                if closure.position.register == Register::Abstracted {
                    // The continuation depends on this array, and not only on the array around it.
                    closure.position.crosses_item = true;
                    state = self.abstracted_state(array, state)?.unwrap_or(state);
                }
                let abstracted = self.arena.registers.unique_states[state.index()].abstracted;
                if abstracted.is_some() {
                    closure.position.register = Register::Abstracted;
                }
                let spec = self.arena.registers.uniques[array.index()].clone();
                let at = self.arena.registers.unique_states[state.index()].at;
                for (step, &(node, _)) in spec.steps[at as usize].iter().enumerate() {
                    let step = step as u32;
                    if self.excluded(array, state, step)?.is_none() {
                        continue;
                    }
                    let start = match (abstracted, closure.position.register) {
                        (Some(abstracted), _) => abstracted.most,
                        (None, Register::At(start)) => start.number(),
                        (None, _) => NOTHING_READ.number(),
                    };
                    let end = self.arena.unique_term(Term::UniqueEnd { array, state, step, start })?;
                    let under = self.frames.of(&mut self.arena, vec![(end, frame)]);
                    work.push((node, under));
                }
                Ok(())
            }
            Term::UniqueEnd { array, state, step, start } => {
                closure.uses_register = true;
                if array == ENUMERATION {
                    if let Register::At(partial) = closure.position.register {
                        let text = self.value_text(step == ORDERED_STEP, PartialValueId::new(start), partial)?;
                        self.unique.found.insert(text);
                    }
                    return Ok(());
                }
                let before = self.arena.registers.unique_states[state.index()];
                let next = match (before.abstracted, closure.position.register) {
                    (Some(abstracted), _) => {
                        closure.position.crosses_item = true;
                        closure.position.depends_on_value |= start > 0;
                        let left = if abstracted.left == MANY { MANY } else { abstracted.left - 1 };
                        self.state_after_item(array, before, step, |next| {
                            next.abstracted = Some(Abstracted { left, ..abstracted })
                        })
                    }
                    (None, Register::At(partial)) => {
                        let ordered = self.is_ordered(array);
                        let text = self.value_text(ordered, PartialValueId::new(start), partial)?;
                        match self.excluded(array, state, step)? {
                            Some(excluded) if !self.arena.terms.keys.contains(excluded, &text) => {}
                            _ => return Ok(()),
                        }
                        let arena = &mut self.arena;
                        let came = arena.terms.keys.with(before.came, &text, &mut arena.terms.budget);
                        self.state_after_item(array, before, step, |next| next.came = came)
                    }
                    (None, _) => {
                        closure.position.needs_replay = true;
                        return Ok(());
                    }
                };
                let next = self.arena.unique_term(Term::UniqueNext { array, state: next })?;
                work.push((next, frame));
                Ok(())
            }
            _ => unreachable!("not a term of an array of different items"),
        }
    }

    /// Whether some text of the array exists at all.
    pub(crate) fn can_begin(&mut self, array: ArrayId) -> Result<bool> {
        let spec = self.arena.registers.uniques[array.index()].clone();
        if spec.accepting[0] && spec.min == 0 {
            return Ok(true);
        }
        let state = self.arena.unique_state(array, UniqueState::default());
        self.has_next_item(array, state)
    }

    /// Whether some item may come in a state of an array.
    fn has_next_item(&mut self, array: ArrayId, state: ArrayStateId) -> Result<bool> {
        let at = self.arena.registers.unique_states[state.index()].at;
        let steps = self.arena.registers.uniques[array.index()].steps[at as usize].len() as u32;
        for step in 0..steps {
            if self.excluded(array, state, step)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds the start of the next item, if some item may come.
    fn push_next_item(
        &mut self,
        array: ArrayId,
        state: ArrayStateId,
        before: TermId,
        frame: FrameId,
        work: &mut Items,
    ) -> Result<()> {
        if self.has_next_item(array, state)? {
            let item = self.arena.unique_term(Term::UniqueItem { array, state })?;
            let part = self.arena.seq(before, item)?;
            work.push((part, frame));
        }
        Ok(())
    }

    fn state_after_item(
        &mut self,
        array: ArrayId,
        before: UniqueState,
        step: u32,
        change: impl FnOnce(&mut UniqueState),
    ) -> ArrayStateId {
        let at = self.arena.registers.uniques[array.index()].steps[before.at as usize][step as usize].1;
        let mut next = UniqueState { at, count: before.count + 1, ..before };
        change(&mut next);
        if next.abstracted.is_some() {
            next.count = self.saturated_count(array, next.count);
        }
        self.arena.unique_state(array, next)
    }

    /// The canonical text of the value that ends here.
    fn value_text(&mut self, ordered: bool, start: PartialValueId, partial: PartialValueId) -> Result<Vec<u8>> {
        let text = self.unique.partial_values.whole_text(start, partial);
        self.arena.spend(1 + text.len() as u64 / 4)?;
        if ordered {
            Ok(text)
        } else {
            sort_members(text)
        }
    }

    /// The copy of a partial value of another machine, for `migration`.
    pub(crate) fn import_partial_value(
        &mut self,
        from: &Machine,
        partial: PartialValueId,
        copied: &mut FxHashMap<PartialValueId, PartialValueId>,
    ) -> PartialValueId {
        self.extend_partial_values(|values| values.import(&from.unique.partial_values, partial, copied))
    }

    /// Adds partial values, and reports them to the budget.
    fn extend_partial_values<T>(&mut self, add: impl FnOnce(&mut PartialValues) -> T) -> T {
        let before = self.unique.partial_values.len();
        let made = add(&mut self.unique.partial_values);
        self.arena.budget.grow(PER_PARTIAL_VALUE * (self.unique.partial_values.len() - before));
        made
    }

    /// The register after one more byte.
    pub(crate) fn advance_register(&mut self, register: Register, byte: u8) -> Register {
        match register {
            Register::At(partial) => Register::At(self.extend_partial_values(|values| values.next(partial, byte))),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{accepts, bytes, machine, object, string, unique, words};
    use crate::grammar::fixture::brackets;

    use crate::builder::{Builder, ObjectRules};

    /// Holds texts of an array to being sentences or not.
    fn check(make: impl FnOnce(&mut Builder) -> TermId, sentences: &[&str], others: &[&str]) {
        let mut machine = machine(make);
        for (texts, expected) in [(sentences, true), (others, false)] {
            for text in texts {
                assert_eq!(accepts(&mut machine, text.as_bytes()), expected, "{text}");
            }
        }
    }

    #[test]
    fn an_array_has_as_many_items_as_its_bounds_say() {
        let digits = |min, max| {
            move |builder: &mut Builder| {
                let item = bytes(builder, b'0', b'9', 1, Some(1));
                unique(builder, item, min, max)
            }
        };
        check(digits(0, Some(2)), &["[]", "[1]", "[1,2]"], &["[1,2,3]", "[1,1]", "[", "[1,]"]);
        check(digits(1, None), &["[1]", "[1,2,3,4,5,6,7,8,9,0]"], &["[]", "[1,2,1]"]);
        check(digits(2, Some(2)), &["[1,2]"], &["[1]", "[]", "[1,2,3]"]);
    }

    #[test]
    fn values_are_equal_whatever_their_spelling() {
        check(
            |builder| {
                let item = string(builder, 0, None);
                unique(builder, item, 0, None)
            },
            &["[\"a\",\"A\"]", "[\"\",\" \"]"],
            &["[\"a\",\"\\u0061\"]", "[\"\\n\",\"\\u000a\"]", "[\"/\",\"\\/\"]"],
        );
        check(
            |builder| {
                let item = words(builder, &["1", "1.0", "10e-1", "2", "\"1\""]);
                unique(builder, item, 0, None)
            },
            &["[1,2]", "[1.0,2]", "[1,\"1\"]"],
            &["[1,1.0]", "[10e-1,1]"],
        );
    }

    #[test]
    fn objects_are_equal_whatever_the_order_of_their_members() {
        let objects = |builder: &mut Builder| {
            let digit = bytes(builder, b'0', b'9', 1, Some(1));
            let rules = ObjectRules { any_order: true, ..ObjectRules::default() };
            let item = object(builder, &[("a", false, digit), ("b", false, digit)], &[], rules);
            unique(builder, item, 0, None)
        };
        check(
            objects,
            &["[{\"a\":1,\"b\":2},{\"b\":1,\"a\":2}]", "[{},{\"a\":1}]"],
            &["[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]", "[{},{}]"],
        );
    }

    #[test]
    fn items_of_an_inner_array_differ_among_themselves_and_inner_arrays_do_too() {
        let nested = |builder: &mut Builder| {
            let item = bytes(builder, b'0', b'9', 1, Some(1));
            let inner = unique(builder, item, 0, None);
            unique(builder, inner, 0, None)
        };
        check(nested, &["[[1],[2]]", "[[1,2],[2,1]]", "[[],[1]]"], &["[[1,1]]", "[[1],[1]]", "[[],[]]"]);
    }

    #[test]
    fn items_follow_the_automaton_of_their_array() {
        let pairs = |builder: &mut Builder| {
            let (digit, letter) = (bytes(builder, b'0', b'9', 1, Some(1)).number(), words(builder, &["true"]).number());
            let punctuation = brackets(builder);
            builder.unique_array(&[(false, vec![(digit, 1)]), (true, vec![(letter, 0)])], punctuation, 0, None).unwrap()
        };
        check(pairs, &["[1]", "[1,true,2]"], &["[]", "[true]", "[1,true]", "[1,2]", "[1,true,1]"]);
    }
}
