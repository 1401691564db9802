//! Values that came × items that must still come → the values that the next item may not have.
//!
//! Excluded are the values that came, and the values without which later items could not all differ. A bipartite
//! matching of items and values decides the second kind (Kuhn 1955).

use crate::automaton::frame::BOTTOM;
use crate::automaton::machine::Machine;
use crate::automaton::position::Register;
use crate::automaton::unique::analysis::{Excluded, ItemValues};
use crate::automaton::unique::{COUNT_CAP, ORDERED_STEP};
use crate::error::{Error, Limit, Result};
use crate::json::partial_value::NOTHING_READ;
use crate::json::registers::{UniqueSpec, UniqueState};
use crate::json::unique::ENUMERATION;
use crate::regular::id::{ArrayId, ArrayStateId, KeySetId};
use crate::regular::key_set::NO_KEYS;
use crate::regular::term::{Term, TermId, MANY};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Required items with few values each above this number raise a limit error. Chosen without measurement.
const MAX_MISSING_ITEMS: usize = 2_000;

impl Machine {
    /// The values that an item may not have; None if the item or the rest of the array would then be impossible.
    pub(super) fn excluded(&mut self, array: ArrayId, state: ArrayStateId, step: u32) -> Result<Excluded> {
        let before = self.arena.registers.unique_states[state.index()];
        if let Some(abstracted) = before.abstracted {
            let spec = self.arena.registers.uniques[array.index()].clone();
            let (node, next) = spec.steps[before.at as usize][step as usize];
            let more = (spec.max == MANY || before.count < spec.max) && abstracted.left > 0;
            let comes = more && self.matches_something(node);
            // Abstracted states of several kinds of items have unlimited values of each, so only the number of items
            // matters.
            let ends = comes
                && (spec.only_item().is_some() || self.can_end_by_unlimited_items(array, next, before.count + 1)?);
            return Ok(ends.then_some(NO_KEYS));
        }
        if let Some(known) = self.unique.excluded.get(&(array, state, step)) {
            return Ok(*known);
        }
        let assumptions = self.unique.assumptions;
        let excluded = self.find_excluded(array, before, step)?;
        if let Some(excluded) = excluded {
            self.unique.most_excluded = self.unique.most_excluded.max(self.arena.terms.keys.count(excluded) as u32);
        }
        if self.unique.assumptions == assumptions {
            self.arena.budget.grow(24);
            self.unique.excluded.insert((array, state, step), excluded);
        }
        Ok(excluded)
    }

    fn find_excluded(&mut self, array: ArrayId, before: UniqueState, step: u32) -> Result<Excluded> {
        let spec = self.arena.registers.uniques[array.index()].clone();
        let count = before.count as usize;
        let (node, next) = spec.steps[before.at as usize][step as usize];
        if spec.max != MANY && before.count >= spec.max || !self.matches_something(node) {
            return Ok(None);
        }
        if spec.only_item().is_some() {
            // All items share one set of values, so counting values suffices.
            let needed = count.max(spec.min as usize - usize::from(spec.min > 0));
            return Ok((self.value_count(array, needed + 1)?.is_none_or(|value_count| value_count > needed))
                .then_some(before.came));
        }
        let mut excluded = before.came;
        if !self.can_end_by_unlimited_items(array, next, before.count + 1)? {
            // First one value that no later item can have, then each value that a later item may have.
            if !self.can_end(array, next, count + 1, before.came)? {
                return Ok(None);
            }
            let mut wanted: Vec<u32> = Vec::new();
            let total = count + 2 + (spec.min as usize).saturating_sub(count) + spec.steps.len();
            for at in self.reachable_states(&spec, next) {
                for &(later, _) in &spec.steps[at as usize] {
                    if let Some(values) = self.item_values(array, later, total)? {
                        wanted.extend(values.iter());
                    }
                }
            }
            wanted.sort_unstable();
            wanted.dedup();
            for value in wanted {
                let text = self.unique.values[value as usize].clone();
                if !self.arena.terms.keys.contains(excluded, &text) {
                    let arena = &mut self.arena;
                    let came = arena.terms.keys.with(before.came, &text, &mut arena.terms.budget);
                    if !self.can_end(array, next, count + 1, came)? {
                        let arena = &mut self.arena;
                        excluded = arena.terms.keys.with(excluded, &text, &mut arena.terms.budget);
                    }
                }
            }
        }
        let open = match self.item_values(array, node, self.arena.terms.keys.count(excluded))? {
            Some(values) => values.iter().any(|&value| !self.is_in_set(value, excluded)),
            None => true,
        };
        Ok(open.then_some(excluded))
    }

    /// The number of values of an array's only item; None if there are several kinds of items or more than `most`
    /// values.
    pub(super) fn value_count(&mut self, array: ArrayId, most: usize) -> Result<Option<usize>> {
        let Some(item) = self.arena.registers.uniques[array.index()].only_item() else { return Ok(None) };
        if self.min_values(item)? >= COUNT_CAP {
            return Ok(None);
        }
        Ok(self.item_values(array, item, most)?.map(|values| values.len()))
    }

    fn is_in_set(&self, value: u32, set: KeySetId) -> bool {
        self.arena.terms.keys.contains(set, &self.unique.values[value as usize])
    }

    fn reachable_states(&self, spec: &UniqueSpec, from: u32) -> Vec<u32> {
        let mut seen = FxHashSet::default();
        let mut work = vec![from];
        while let Some(at) = work.pop() {
            if seen.insert(at) {
                work.extend(spec.steps[at as usize].iter().map(|&(_, next)| next));
            }
        }
        let mut found: Vec<u32> = seen.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// Whether the array can end using only items with unlimited values.
    fn can_end_by_unlimited_items(&mut self, array: ArrayId, at: u32, count: u32) -> Result<bool> {
        let spec = self.arena.registers.uniques[array.index()].clone();
        let floor = spec.min;
        let key = (array, at, if spec.max == MANY { count.min(floor) } else { count });
        if let Some(&can_end) = self.unique.unlimited_ends.get(&key) {
            return Ok(can_end);
        }
        let mut seen = FxHashSet::default();
        let mut work = vec![(at, count)];
        let mut can_end = false;
        while let Some((at, count)) = work.pop() {
            self.arena.spend(1)?;
            if spec.accepting[at as usize] && count >= spec.min {
                can_end = true;
                break;
            }
            if count >= spec.max {
                continue;
            }
            for &(node, next) in &spec.steps[at as usize] {
                let place = (next, if spec.max == MANY { (count + 1).min(floor) } else { count + 1 });
                if !seen.contains(&place) && self.matches_something(node) && self.min_values(node)? >= COUNT_CAP {
                    seen.insert(place);
                    work.push(place);
                }
            }
        }
        self.arena.budget.grow(24);
        self.unique.unlimited_ends.insert(key, can_end);
        Ok(can_end)
    }

    /// Whether the array can end after `count` items if the values in `came` are taken.
    fn can_end(&mut self, array: ArrayId, at: u32, count: usize, came: KeySetId) -> Result<bool> {
        let spec = self.arena.registers.uniques[array.index()].clone();
        let missing = (spec.min as usize).saturating_sub(count);
        if missing > MAX_MISSING_ITEMS {
            return Err(Error::Limit(Limit::DistinctItems(MAX_MISSING_ITEMS)).into());
        }
        let total = count + missing + spec.steps.len() + 1;
        let mut seen = FxHashSet::default();
        self.can_end_with(array, at, count, came, total, &mut Vec::new(), &mut seen)
    }

    #[allow(clippy::too_many_arguments)]
    fn can_end_with(
        &mut self,
        array: ArrayId,
        at: u32,
        count: usize,
        came: KeySetId,
        total: usize,
        slots: &mut Vec<Arc<Vec<u32>>>,
        failed: &mut FxHashSet<(u32, usize)>,
    ) -> Result<bool> {
        self.arena.spend(8)?;
        let spec = self.arena.registers.uniques[array.index()].clone();
        let ends = spec.accepting[at as usize] && count >= spec.min as usize;
        if ends || spec.steps[at as usize].len() > 1 {
            let has_matching = self.has_matching(slots, came)?;
            if ends || !has_matching {
                return Ok(has_matching);
            }
        }
        // Without finite choices made before, a state that failed once fails again.
        if spec.max != MANY && count >= spec.max as usize || slots.is_empty() && !failed.insert((at, count)) {
            return Ok(false);
        }
        if count > total {
            return Ok(false);
        }
        for &(node, next) in &spec.steps[at as usize] {
            if !self.matches_something(node) {
                continue;
            }
            let item_values = self.item_values(array, node, total)?;
            let listed = item_values.is_some();
            slots.extend(item_values);
            let ends = self.can_end_with(array, next, count + 1, came, total, slots, failed)?;
            if listed {
                slots.pop();
            }
            if ends {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// All values of an item as ids; None if there are more than `most`.
    pub(super) fn item_values(&mut self, array: ArrayId, node: TermId, most: usize) -> Result<Option<Arc<Vec<u32>>>> {
        let answer = |item_values: &ItemValues| {
            if item_values.is_complete && item_values.values.len() <= most {
                Some(item_values.values.clone())
            } else {
                None
            }
        };
        let ordered = self.is_ordered(array);
        if let Some(item_values) = self.unique.item_values.get(&(node, ordered)) {
            if item_values.is_complete || item_values.asked >= most {
                return Ok(answer(item_values));
            }
        }
        if self.min_values(node)? as usize > most {
            return Ok(None);
        }
        if self.unique.in_progress.contains(&node) {
            self.unique.assumptions += 1;
            return Ok(None);
        }
        let asked = most.next_power_of_two().max(16);
        self.unique.in_progress.push(node);
        let outer = std::mem::take(&mut self.unique.found);
        let found = self.count_values(node, asked, ordered);
        let texts = std::mem::replace(&mut self.unique.found, outer);
        self.unique.in_progress.pop();
        let is_complete = found?;
        let mut texts: Vec<Vec<u8>> = texts.into_iter().collect();
        texts.sort_unstable();
        let values = if is_complete { texts.into_iter().map(|text| self.value_id(text)).collect() } else { Vec::new() };
        let item_values = ItemValues { values: Arc::new(values), is_complete, asked };
        let answer = answer(&item_values);
        self.unique.item_values.insert((node, ordered), item_values);
        Ok(answer)
    }

    /// Whether the item has at most `most` values. The values are collected in `found`.
    fn count_values(&mut self, node: TermId, most: usize, ordered: bool) -> Result<bool> {
        let step = if ordered { ORDERED_STEP } else { 0 };
        let end =
            Term::UniqueEnd { array: ENUMERATION, state: ArrayStateId::new(0), step, start: NOTHING_READ.number() };
        let end = self.arena.unique_term(end)?;
        let frame = self.frames.of(&mut self.arena, vec![(end, BOTTOM)]);
        let (start, _) = self.closure(&[(node, frame)], Register::At(NOTHING_READ))?;
        Ok(!self.search(start.heads, NOTHING_READ, Some(most))?)
    }

    /// Whether a matching gives every slot its own value outside `came`.
    fn has_matching(&mut self, slots: &[Arc<Vec<u32>>], came: KeySetId) -> Result<bool> {
        let mut holder: FxHashMap<u32, usize> = FxHashMap::default();
        for slot in 0..slots.len() {
            // An augmenting path over slots that could exchange their value (Kuhn 1955).
            let mut from: FxHashMap<u32, usize> = FxHashMap::default();
            let mut work = vec![slot];
            let mut free = None;
            'search: while let Some(at) = work.pop() {
                self.arena.spend(2 + 2 * slots[at].len() as u64)?;
                for &value in slots[at].iter() {
                    if from.contains_key(&value) || self.is_in_set(value, came) {
                        continue;
                    }
                    from.insert(value, at);
                    match holder.get(&value) {
                        Some(&other) => work.push(other),
                        None => {
                            free = Some(value);
                            break 'search;
                        }
                    }
                }
            }
            let Some(mut value) = free else { return Ok(false) };
            loop {
                let at = from[&value];
                let before = holder.iter().find(|&(_, &slot)| slot == at).map(|(&value, _)| value);
                holder.insert(value, at);
                match before {
                    Some(before) if at != slot => value = before,
                    _ => break,
                }
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
