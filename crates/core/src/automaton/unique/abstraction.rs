//! Frame with open items → its abstracted frame for masks, and the open items under a frame.
//!
//! A mask serves many positions. An abstracted frame replaces the values that came by an upper bound of their number.

use crate::automaton::frame::{FrameId, ItemSummary};
use crate::automaton::machine::Machine;
use crate::automaton::position::Register;
use crate::automaton::unique::COUNT_CAP;
use crate::error::Result;
use crate::json::partial_value::PartialValueId;
use crate::json::registers::{Abstracted, UniqueState};
use crate::json::unique::ENUMERATION;
use crate::regular::id::{ArrayId, ArrayStateId};
use crate::regular::key_set::NO_KEYS;
use crate::regular::term::{Term, MANY};
use rustc_hash::{FxHashMap, FxHashSet};

/// An open item: array, state, step, and the partial value at which the item began.
pub(super) type OpenEnd = (ArrayId, ArrayStateId, u32, PartialValueId);

impl Machine {
    /// Whether the frame distinguishes values that a mask must not distinguish.
    pub(crate) fn is_exact(&self, frame: FrameId) -> bool {
        self.item_summary(frame).is_exact
    }

    /// The abstracted frame, equal for all values that tokens cannot tell apart.
    pub(crate) fn abstracted_frame(&mut self, frame: FrameId, register: Register) -> Result<FrameId> {
        let mut done: FxHashMap<FrameId, FrameId> = FxHashMap::default();
        for frame in self.exact_frames([frame].into_iter()) {
            let mut members = self.members(frame).to_vec();
            for (term, parent) in &mut members {
                match (self.arena.term(*term).clone(), register) {
                    (Term::UniqueItem { array, state }, _) => {
                        if let Some(state) = self.abstracted_state(array, state)? {
                            *term = self.arena.unique_term(Term::UniqueItem { array, state })?;
                        }
                    }
                    (Term::UniqueEnd { array, state, step, start }, Register::At(partial)) if array != ENUMERATION => {
                        if let Some(abstracted) = self.abstracted_state(array, state)? {
                            let conflict_count = size_class(self.conflict_count(
                                array,
                                state,
                                step,
                                PartialValueId::new(start),
                                partial,
                            )? as u32);
                            let end = Term::UniqueEnd { array, state: abstracted, step, start: conflict_count };
                            *term = self.arena.unique_term(end)?;
                        }
                    }
                    _ => {}
                }
                *parent = done.get(parent).copied().unwrap_or(*parent);
            }
            let made = self.frames.of(&mut self.arena, members);
            done.insert(frame, made);
        }
        Ok(done.get(&frame).copied().unwrap_or(frame))
    }

    /// The abstracted state of an array; None if only the exact values decide which items may come.
    pub(super) fn abstracted_state(&mut self, array: ArrayId, state: ArrayStateId) -> Result<Option<ArrayStateId>> {
        let before = self.arena.registers.unique_states[state.index()];
        if before.abstracted.is_some() {
            return Ok(Some(state));
        }
        let spec = self.arena.registers.uniques[array.index()].clone();
        let ahead = self.unique.max_token_items;
        let mut left = MANY;
        if spec.only_item().is_some() {
            if let Some(value_count) = self.value_count(array, (before.count + ahead) as usize)? {
                left = value_count as u32 - before.count;
            }
        } else {
            for &(node, _) in spec.steps.iter().flatten() {
                if self.matches_something(node) && self.min_values(node)? < COUNT_CAP {
                    return Ok(None);
                }
            }
        }
        let abstracted = Abstracted { most: size_class(before.count + ahead), left };
        let count = self.saturated_count(array, before.count);
        let state = UniqueState { at: before.at, count, came: NO_KEYS, abstracted: Some(abstracted) };
        Ok(Some(self.arena.unique_state(array, state)))
    }

    /// The smallest count that bounds within one token cannot tell from this count.
    pub(super) fn saturated_count(&self, array: ArrayId, count: u32) -> u32 {
        let spec = &self.arena.registers.uniques[array.index()];
        // With several kinds of items, a shortest way to an end has fewer items than the array has states.
        let shortest_end = if spec.only_item().is_some() { 0 } else { spec.steps.len() as u32 };
        let ahead = self.unique.max_token_items.saturating_add(shortest_end);
        if spec.max != MANY && (spec.max.saturating_sub(count) <= ahead || shortest_end > 0 && count < spec.min) {
            return count;
        }
        if count >= spec.min {
            return spec.min;
        }
        count.max(spec.min.saturating_sub(ahead + 1))
    }

    /// The open items of these frames, each once, sorted.
    pub(super) fn open_ends(&self, frames: impl Iterator<Item = FrameId>) -> Vec<OpenEnd> {
        let mut ends = Vec::new();
        for frame in self.frames_with(frames, |item_summary| item_summary.is_open) {
            for &(term, _) in self.members(frame) {
                if let Term::UniqueEnd { array, state, step, start } = *self.arena.term(term) {
                    ends.push((array, state, step, PartialValueId::new(start)));
                }
            }
        }
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// The frames with open items from here down, outermost first.
    pub(super) fn open_frames(&self, frame: FrameId) -> Vec<FrameId> {
        self.frames_with([frame].into_iter(), |item_summary| item_summary.is_open)
    }

    /// The frames that are not abstracted, outermost first.
    pub(super) fn exact_frames(&self, frames: impl Iterator<Item = FrameId>) -> Vec<FrameId> {
        self.frames_with(frames, |item_summary| item_summary.is_exact)
    }

    fn frames_with(
        &self,
        frames: impl Iterator<Item = FrameId>,
        is_wanted: impl Fn(ItemSummary) -> bool,
    ) -> Vec<FrameId> {
        let mut seen = FxHashSet::default();
        let mut work: Vec<FrameId> = frames.collect();
        while let Some(frame) = work.pop() {
            if is_wanted(self.item_summary(frame)) && seen.insert(frame) {
                work.extend(self.members(frame).iter().map(|&(_, parent)| parent));
            }
        }
        // A frame's number is higher than those of its parents.
        let mut found: Vec<FrameId> = seen.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// An upper bound of the values that items under this frame may have to avoid.
    pub(super) fn excluded_bound(&self, frame: FrameId) -> u32 {
        let item_summary = self.item_summary(frame);
        u32::from(item_summary.exact_ends)
            .saturating_mul(self.unique.most_excluded)
            .saturating_add(item_summary.excluded_bound)
    }
}

/// The next power of two: abstracted states keep only the magnitude of a count.
fn size_class(count: u32) -> u32 {
    match count {
        0 => 0,
        _ => count.min(COUNT_CAP).next_power_of_two(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{after, brackets, bytes, machine, only_head, state_after, string, unique, words};
    use crate::automaton::frame::BOTTOM;
    use crate::automaton::position::PositionId;
    use crate::builder::Builder;
    use crate::regular::term::TermId;

    const ARRAY: ArrayId = ArrayId::new(0);

    /// The machine of an array, for tokens that span at most `ahead` items.
    fn over(ahead: u32, make: impl FnOnce(&mut Builder) -> TermId) -> Box<Machine> {
        let mut machine = machine(make);
        machine.unique.max_token_items = ahead;
        machine
    }

    fn strings(min: u32, max: Option<u32>) -> impl FnOnce(&mut Builder) -> TermId {
        move |builder| {
            let item = string(builder, 0, None);
            unique(builder, item, min, max)
        }
    }

    #[test]
    fn a_size_class_is_the_next_power_of_two() {
        let classes = [0, 1, 2, 3, 4, 5, 8, 9, COUNT_CAP, COUNT_CAP + 1].map(size_class);
        assert_eq!(classes, [0, 1, 2, 4, 4, 8, 8, 16, COUNT_CAP, COUNT_CAP]);
    }

    #[test]
    fn a_count_is_kept_as_far_as_one_token_may_reach_a_bound() {
        /// For each count, the count that is kept.
        type Kept = &'static [(u32, u32)];
        // (fewest items, most items, items of a token, counts)
        let cases: [(u32, Option<u32>, u32, Kept); 4] = [
            (0, None, 2, &[(0, 0), (9, 0)]),
            (10, None, 2, &[(0, 7), (7, 7), (8, 8), (9, 9), (10, 10), (11, 10)]),
            (0, Some(10), 2, &[(0, 0), (7, 0), (8, 8), (9, 9), (10, 10)]),
            (5, Some(10), 2, &[(1, 2), (3, 3), (6, 5), (7, 5), (8, 8)]),
        ];
        for (min, max, ahead, counts) in cases {
            let machine = over(ahead, strings(min, max));
            for &(count, kept) in counts {
                assert_eq!(machine.saturated_count(ARRAY, count), kept, "{count} of {min} to {max:?}");
            }
        }
    }

    #[test]
    fn with_several_kinds_of_items_the_way_to_an_end_counts_too() {
        let pairs = |min, max| {
            over(1, move |builder| {
                let [a, b] = ["a", "b"].map(|text| words(builder, &[text]).number());
                let punctuation = brackets(builder);
                builder.unique_array(&[(false, vec![(a, 1)]), (true, vec![(b, 0)])], punctuation, min, max).unwrap()
            })
        };
        let open = pairs(0, None);
        assert_eq!([0, 5].map(|count| open.saturated_count(ARRAY, count)), [0, 0]);
        let bounded = pairs(0, Some(2));
        assert_eq!(bounded.saturated_count(ARRAY, 0), 0);
        assert_eq!(bounded.saturated_count(ARRAY, 1), 1);
    }

    #[test]
    fn an_abstracted_state_bounds_how_many_values_came_and_are_left() {
        let mut machine = over(3, |builder| {
            let item = bytes(builder, b'a', b'h', 1, Some(1));
            unique(builder, item, 0, None)
        });
        let of = |machine: &mut Machine, values: &[&str]| {
            let state = state_after(machine, 0, values);
            let made = machine.abstracted_state(ARRAY, state).unwrap().unwrap();
            assert_eq!(machine.abstracted_state(ARRAY, made).unwrap(), Some(made), "once is enough");
            let made = machine.arena.registers.unique_states[made.index()];
            assert_eq!(made.came, NO_KEYS);
            let Abstracted { most, left } = made.abstracted.unwrap();
            (most, left)
        };
        assert_eq!(of(&mut machine, &[]), (4, MANY), "one token cannot use up eight values");
        assert_eq!(of(&mut machine, &["a", "b", "c", "d"]), (8, MANY));
        assert_eq!(of(&mut machine, &["a", "b", "c", "d", "e"]), (8, 3));
        assert_eq!(of(&mut machine, &["a", "b", "c", "d", "f"]), (8, 3), "other values, one state");
        assert_eq!(of(&mut machine, &["a", "b", "c", "d", "e", "f", "g", "h"]), (16, 0));
    }

    #[test]
    fn few_values_of_several_kinds_stay_exact() {
        let two = |first: fn(&mut Builder) -> TermId| {
            move |builder: &mut Builder| {
                let (first, other) = (first(builder).number(), string(builder, 0, None).number());
                let punctuation = brackets(builder);
                builder.unique_array(&[(true, vec![(first, 0), (other, 0)])], punctuation, 0, None).unwrap()
            }
        };
        let mut few = over(1, two(|builder| words(builder, &["1", "2"])));
        let state = state_after(&mut few, 0, &["\"a\""]);
        assert_eq!(few.abstracted_state(ARRAY, state).unwrap(), None);
        let mut many = over(1, two(|builder| string(builder, 1, None)));
        let state = state_after(&mut many, 0, &["\"a\""]);
        let made = many.abstracted_state(ARRAY, state).unwrap().unwrap();
        let made = many.arena.registers.unique_states[made.index()].abstracted;
        assert_eq!(made, Some(Abstracted { most: 2, left: MANY }));
    }

    /// The abstracted frame of the only head after a text.
    fn abstracted(machine: &mut Machine, text: &str) -> (FrameId, FrameId) {
        let id: PositionId = after(machine, text.as_bytes());
        let (_, frame) = only_head(machine, id);
        let register = machine.position(id).register;
        (frame, machine.abstracted_frame(frame, register).unwrap())
    }

    #[test]
    fn frames_whose_values_tokens_cannot_tell_apart_have_one_abstraction() {
        let mut machine = over(1, strings(0, None));
        let (one, shared) = abstracted(&mut machine, "[\"x\",\"y\",\"a");
        let (other, same) = abstracted(&mut machine, "[\"u\",\"v\",\"a");
        assert!(machine.is_exact(one) && machine.is_exact(other) && one != other);
        assert!(!machine.is_exact(shared));
        assert_eq!(shared, same);
        assert_eq!(machine.abstracted_frame(shared, Register::Abstracted).unwrap(), shared);
        let (_, conflict) = abstracted(&mut machine, "[\"a\",\"ab\",\"a");
        assert_ne!(conflict, shared, "values that came begin like the open one");
        assert_eq!(machine.excluded_bound(conflict), 2);
        assert_eq!(machine.excluded_bound(shared), 0);
    }

    #[test]
    fn exact_frames_may_exclude_as_many_values_as_any_did() {
        let mut machine = over(1, strings(0, None));
        let (frame, _) = abstracted(&mut machine, "[\"x\",\"y\",\"z\",\"a");
        assert_eq!(machine.unique.most_excluded, 3);
        assert_eq!(machine.excluded_bound(frame), 3);
        assert_eq!(machine.excluded_bound(BOTTOM), 0);
    }

    #[test]
    fn the_open_items_of_frames_are_found_below_them_each_once() {
        let mut machine = over(1, |builder| {
            let item = string(builder, 0, None);
            let inner = unique(builder, item, 0, None);
            unique(builder, inner, 0, None)
        });
        let (frame, _) = abstracted(&mut machine, "[[\"a\"],[\"b");
        let ends = machine.open_ends([frame, frame].into_iter());
        let arrays: Vec<ArrayId> = ends.iter().map(|end| end.0).collect();
        assert_eq!(arrays, [ArrayId::new(0), ArrayId::new(1)]);
        let open = machine.open_frames(frame);
        assert_eq!((open.len(), open[1]), (2, frame), "outermost first");
        assert_eq!(machine.exact_frames([frame].into_iter()), open);
        assert!(machine.open_ends([BOTTOM].into_iter()).is_empty());
    }
}
