//! State of an object → whether the object can still be closed, and which members that requires.
//!
//! Every state that the automaton reaches passes this check, so no key leads into a dead end.

use crate::error::Result;
use crate::json::object::clause::ClauseSearch;
use crate::json::object::property_set::{contains, members, put, put_ranges};
use crate::json::object::spec::pairs_from;
use crate::json::object::state::{Branches, SeenKeys};
use crate::json::object::steps::Steps;
use crate::json::registers::{ObjectSpec, ObjectState, Property, PropertySet};
use crate::regular::term::{TermId, MANY};
use rustc_hash::FxHashMap;
use smallvec::{smallvec, SmallVec};
use std::ops::Range;

/// Keys left below which masks must know the exact keys. Chosen without measurement.
const SCARCE_KEYS: usize = 32;

type Indices = SmallVec<[u32; 8]>;

/// The members without which an object cannot be closed.
#[derive(Default)]
pub(crate) struct Needs {
    /// Required properties as a bit set: every state has one, and a list would be longer.
    must: PropertySet,
    pub may: PropertySet,
    /// Required members beyond the required properties.
    pub more: u32,
    /// Sets of marks; these members must leave one mark of each set.
    pub marks: SmallVec<[u64; 2]>,
}

impl Needs {
    /// Whether the property must still come.
    pub fn is_required(&self, property: u32) -> bool {
        contains(&self.must, property)
    }

    /// The properties that must come.
    pub fn required(&self) -> impl Iterator<Item = u32> + '_ {
        members(&self.must)
    }

    /// Bytes that the sets of properties hold.
    pub fn memory_bytes(&self) -> usize {
        8 * (self.must.len() + self.may.len())
    }

    /// Whether the property may still come.
    pub fn is_possible(&self, property: u32) -> bool {
        contains(&self.may, property)
    }
}

/// The properties that must, and that may, still come.
pub(super) struct RemainingProperties {
    /// Ascending.
    pub must: Indices,
    pub may: PropertySet,
}

impl ObjectSpec {
    /// Whether only `required` and one order restrict the properties.
    pub(crate) fn is_sequential(&self) -> bool {
        !self.any_order && self.earlier.is_empty() && self.is_unrestricted()
    }

    /// Whether the property has any value, so that it may come at some time.
    pub(crate) fn has_values(&self, property: u32) -> bool {
        contains(&self.valued, property)
    }

    /// The first property that must still come, of a sequential object.
    fn required_from(&self, state: &ObjectState) -> Option<usize> {
        (state.next as usize / 64..self.required.len()).find_map(|word| {
            let left = self.required[word] & !self.past_word(state, word);
            (left != 0).then(|| 64 * word + left.trailing_zeros() as usize)
        })
    }

    /// The properties of a sequential object from the next one to the next required one.
    pub(crate) fn in_turn(&self, state: &ObjectState) -> Range<usize> {
        state.next as usize..self.required_from(state).map_or(self.properties.len(), |last| last + 1)
    }

    /// Whether only `required` and the orders restrict the properties: no implications, marks or counts.
    pub(crate) fn is_unrestricted(&self) -> bool {
        self.implies.is_empty()
            && self.required_marks == 0
            && self.clauses.is_empty()
            && self.min == 0
            && self.max == MANY
    }

    /// Computes the sets of required and of possible properties. Call after every change of values.
    pub(crate) fn index_properties(&mut self) {
        let set_of = |is: fn(&Property) -> bool| {
            let chosen = self.properties.chunks(64).map(|chunk| (0..).zip(chunk));
            chosen.map(|chunk| chunk.fold(0, |set, (bit, property)| set | u64::from(is(property)) << bit)).collect()
        };
        [self.required, self.valued] =
            [set_of(|property| property.required), set_of(|property| !property.values.is_empty())];
    }

    /// One word of the set of properties that can no longer come.
    pub(crate) fn past_word(&self, state: &ObjectState, word: usize) -> u64 {
        let of = |set: &[u64]| set.get(word).copied().unwrap_or(0);
        match (self.any_order, self.earlier.is_empty()) {
            (true, _) => of(&state.seen),
            (false, false) => of(&state.gone),
            (false, true) => match (state.next as usize).saturating_sub(64 * word) {
                below @ 0..64 => (1 << below) - 1,
                _ => u64::MAX,
            },
        }
    }

    fn is_tracked(&self, index: u32) -> bool {
        self.any_order
            || !pairs_from(&self.implies, index).is_empty()
            || !pairs_from(&self.implied_by, index).is_empty()
    }

    /// Budget steps of looking at one state once.
    pub(super) fn step_cost(&self) -> u64 {
        let few: usize = self.extras.iter().flat_map(|extra| &extra.few).map(Vec::len).sum();
        1 + (self.properties.len() + self.implies.len() + self.clauses.len()) as u64 / 8 + few as u64
    }

    /// The properties that must and may still come; None if a required property cannot come.
    pub(super) fn remaining_properties(&self, state: &ObjectState) -> Option<RemainingProperties> {
        let count = self.properties.len() as u32;
        let seen = |index: u32| contains(&state.seen, index);
        let left = |set: &PropertySet| -> PropertySet {
            (0..).zip(set).map(|(word, set)| set & !self.past_word(state, word)).collect()
        };
        let mut may = left(&self.valued);
        if !self.implies.is_empty() {
            // A property whose effect can no longer come cannot come either.
            let mut lost: Vec<u32> = (0..count).filter(|&index| !seen(index) && !contains(&may, index)).collect();
            while let Some(index) = lost.pop() {
                for &cause in pairs_from(&self.implied_by, index) {
                    if contains(&may, cause.1) {
                        may[cause.1 as usize >> 6] &= !(1 << (cause.1 & 63));
                        if !seen(cause.1) {
                            lost.push(cause.1);
                        }
                    }
                }
            }
        }
        let mut must: Indices = members(&left(&self.required)).collect();
        if !self.implies.is_empty() {
            let mut forced: PropertySet = smallvec![0; may.len()];
            must.iter().for_each(|&index| put(&mut forced, index));
            let mut causes: Vec<u32> = (0..count).filter(|&index| seen(index) || contains(&forced, index)).collect();
            while let Some(index) = causes.pop() {
                for &effect in pairs_from(&self.implies, index) {
                    if !seen(effect.1) && !contains(&forced, effect.1) {
                        put(&mut forced, effect.1);
                        must.push(effect.1);
                        causes.push(effect.1);
                    }
                }
            }
            must.sort_unstable();
        }
        must.iter().all(|&index| contains(&may, index)).then_some(RemainingProperties { must, may })
    }

    /// Whether some choice of members closes the object. The search is charged to `steps`. Errors: limits.
    pub(crate) fn is_feasible(&self, state: &ObjectState, came: SeenKeys<'_>, steps: &mut Steps<'_>) -> Result<bool> {
        steps.spend(self.step_cost())?;
        if state.count > self.max || self.min > self.max {
            return Ok(false);
        }
        let Some(RemainingProperties { must, may }) = self.remaining_properties(state) else { return Ok(false) };
        let least = state.count.saturating_add(must.len() as u32);
        if least > self.max {
            return Ok(false);
        }
        // Keys of a small set are properties in effect: each comes at most once.
        let mut singles: Vec<Vec<u64>> = Vec::new();
        let mut places: FxHashMap<&[u8], usize> = FxHashMap::default();
        let mut endless = Vec::new();
        for extra in self.extras.iter().filter(|extra| !extra.values.is_empty()) {
            let marks = extra.values.iter().map(|value| value.marks);
            let Some(few) = &extra.few else {
                endless.extend(marks);
                continue;
            };
            for key in few.iter().filter(|key| !came.contains(state, key)) {
                let place = *places.entry(key).or_insert(singles.len());
                if place == singles.len() {
                    singles.push(Vec::new());
                }
                singles[place].extend(marks.clone());
            }
        }
        let named: u32 = may.iter().map(|word| word.count_ones()).sum();
        if endless.is_empty() && state.count as usize + named as usize + singles.len() < self.min as usize {
            return Ok(false);
        }
        let is_complete = self.required_marks & !state.marks == 0 && self.clauses.is_empty();
        if is_complete && (self.max == MANY || self.implies.is_empty()) {
            return Ok(true);
        }
        ClauseSearch { spec: self, state, singles, endless }.is_satisfiable(&must, may, steps)
    }

    /// The members that the object still requires.
    pub(crate) fn needs(&self, state: &ObjectState) -> Needs {
        let Some(RemainingProperties { must: listed, may }) = self.remaining_properties(state) else {
            return Needs::default();
        };
        let mut must: PropertySet = smallvec![0; may.len()];
        listed.iter().for_each(|&index| put(&mut must, index));
        let more = self.min.saturating_sub(state.count.saturating_add(listed.len() as u32));
        Needs { must, may, more, marks: self.needed_marks(state.marks) }
    }

    /// Whether the object may be closed in this state.
    pub(crate) fn can_close(&self, state: &ObjectState) -> bool {
        if self.is_sequential() {
            return self.required_from(state).is_none();
        }
        state.count >= self.min
            && state.count <= self.max
            && self.required_marks & !state.marks == 0
            && self.clauses.iter().all(|clause| !clause.is_open(state.marks))
            && self.remaining_properties(state).is_some_and(|remaining_properties| remaining_properties.must.is_empty())
    }

    /// The state after one more member: a property, or a further key if `index` is None.
    pub(super) fn state_after(&self, state: &ObjectState, index: Option<u32>, marks: u64) -> ObjectState {
        let mut next = state.clone();
        match index {
            Some(index) => {
                if let Some(earlier) = self.earlier.get(index as usize) {
                    put_ranges(&mut next.gone, earlier);
                } else if !self.any_order {
                    next.next = index + 1;
                }
                if self.is_tracked(index) {
                    put(&mut next.seen, index);
                }
            }
            None if !self.any_order && self.extras_last && self.earlier.is_empty() => {
                next.next = self.properties.len() as u32;
            }
            None if !self.any_order && self.extras_last => {
                put_ranges(&mut next.gone, &[(0, self.properties.len() as u32)]);
            }
            None => {}
        }
        // Counts above all bounds are equivalent.
        let cap = if self.max == MANY { self.min } else { MANY };
        next.count = (state.count + 1).min(cap);
        next.marks = (state.marks | marks) & self.tracked_marks();
        next
    }

    /// The values of a property that keep the object feasible, each with the state after it.
    pub(super) fn property_branches(
        &self,
        state: &ObjectState,
        index: u32,
        came: SeenKeys<'_>,
        steps: &mut Steps<'_>,
    ) -> Result<Branches> {
        let values = &self.properties[index as usize].values;
        let next = values.iter().map(|value| (value.node, self.state_after(state, Some(index), value.marks)));
        self.feasible_branches(next, came, steps)
    }

    fn feasible_branches(
        &self,
        next: impl Iterator<Item = (TermId, ObjectState)>,
        came: SeenKeys<'_>,
        steps: &mut Steps<'_>,
    ) -> Result<Branches> {
        if self.is_unrestricted() {
            // The caller has checked the order, and nothing else can restrict the member.
            return Ok(next.collect());
        }
        let mut kept = Branches::new();
        for (node, after) in next {
            if self.is_feasible(&after, came, steps)? {
                kept.push((node, after));
            }
        }
        Ok(kept)
    }

    /// The values of a further key that keep the object feasible. The key itself is passed in `came` where it matters.
    pub(super) fn extra_branches(
        &self,
        state: &ObjectState,
        extra: u32,
        came: SeenKeys<'_>,
        steps: &mut Steps<'_>,
    ) -> Result<Branches> {
        let values = &self.extras[extra as usize].values;
        let next = values.iter().map(|value| (value.node, self.state_after(state, None, value.marks)));
        self.feasible_branches(next, came, steps)
    }

    /// Whether the continuation may depend on which key came.
    pub(crate) fn has_scarce_keys(&self, came: usize) -> bool {
        // A token may spell several keys, so keys count as scarce somewhat early.
        let scarce = |number| number < came + SCARCE_KEYS;
        self.extras.iter().any(|extra| extra.few.is_some() || extra.number.is_some_and(scarce))
    }
}
