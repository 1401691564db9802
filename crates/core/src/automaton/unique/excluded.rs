//! Values that came × items that must still come → the values that the next item may not have.
//!
//! Excluded are the values that came, and the values without which later items could not all differ. A bipartite
//! matching of items and values decides the second kind (Kuhn 1955).

use crate::automaton::frame::BOTTOM;
use crate::automaton::machine::Machine;
use crate::automaton::position::Register;
use crate::automaton::unique::analysis::{Excluded, ItemValues, Value, Values};
use crate::automaton::unique::{COUNT_CAP, ORDERED_STEP};
use crate::error::{Error, Limit, Result};
use crate::json::partial_value::NOTHING_READ;
use crate::json::registers::{UniqueSpec, UniqueState};
use crate::json::unique::ENUMERATION;
use crate::regular::id::{ArrayId, ArrayStateId, KeySetId};
use crate::regular::key_set::NO_KEYS;
use crate::regular::term::{Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Required items with few values each above this number raise a limit error. Chosen without measurement.
const MAX_MISSING_ITEMS: usize = 2_000;

/// Items with few values, each with one of its values that no other has.
#[derive(Clone, Default)]
struct Matching {
    /// By item: its values, of which none came.
    items: Vec<Values>,
    /// By value: the item that has it.
    holders: FxHashMap<Value, usize>,
}

impl Matching {
    /// Adds an item; false if some item is then left without a value.
    fn add(&mut self, values: Values) -> bool {
        self.items.push(values);
        self.augment(self.items.len() - 1, &mut FxHashSet::default())
    }

    /// Gives an item a value, for which other items may exchange theirs (Kuhn 1955).
    fn augment(&mut self, item: usize, tried: &mut FxHashSet<Value>) -> bool {
        for value in self.items[item].clone().iter() {
            if tried.insert(value.clone()) {
                let holder = self.holders.get(value).copied();
                if holder.is_none_or(|holder| self.augment(holder, tried)) {
                    self.holders.insert(value.clone(), item);
                    return true;
                }
            }
        }
        false
    }
}

impl Machine {
    /// The values that an item may not have; None if the item or the rest of the array would then be impossible.
    pub(super) fn excluded(&mut self, array: ArrayId, state: ArrayStateId, step: u32) -> Result<Excluded> {
        let before = self.arena.registers.unique_states[state.index()];
        if let Some(abstracted) = before.abstracted {
            let spec = self.arena.registers.uniques[array.index()].clone();
            let (node, next) = spec.steps[before.at as usize][step as usize];
            let comes = before.count < spec.max && abstracted.left > 0 && self.matches_something(node);
            // Abstracted states of several kinds of items have unlimited values of each, so only the number of items
            // matters.
            let ends = comes
                && (spec.only_item().is_some() || self.can_end_by_unlimited_items(&spec, next, before.count + 1)?);
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
        if before.count >= spec.max || !self.matches_something(node) {
            return Ok(None);
        }
        if spec.only_item().is_some() {
            // All items share one set of values, so counting values suffices.
            let needed = count.max((spec.min as usize).saturating_sub(1));
            return Ok((self.value_count(array, needed + 1)?.is_none_or(|value_count| value_count > needed))
                .then_some(before.came));
        }
        let mut excluded = before.came;
        if !self.can_end_by_unlimited_items(&spec, next, before.count + 1)? {
            // First one value that no later item can have, then each value that a later item may have.
            if !self.can_end(array, next, count + 1, before.came)? {
                return Ok(None);
            }
            let total = count + 2 + (spec.min as usize).saturating_sub(count) + spec.steps.len();
            let mut wanted: Vec<Value> = Vec::new();
            for &(later, _) in spec.steps.iter().flatten() {
                wanted.extend(self.item_values(array, later, total)?.iter().flat_map(|values| values.iter().cloned()));
            }
            wanted.sort_unstable();
            wanted.dedup();
            for value in wanted {
                let arena = &mut self.arena;
                if !arena.terms.keys.contains(excluded, &value) {
                    let came = arena.terms.keys.with(before.came, &value, &mut arena.terms.budget);
                    if !self.can_end(array, next, count + 1, came)? {
                        let arena = &mut self.arena;
                        excluded = arena.terms.keys.with(excluded, &value, &mut arena.terms.budget);
                    }
                }
            }
        }
        let values = self.item_values(array, node, self.arena.terms.keys.count(excluded))?;
        let keys = &self.arena.terms.keys;
        let is_open = values.is_none_or(|values| values.iter().any(|value| !keys.contains(excluded, value)));
        Ok(is_open.then_some(excluded))
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

    /// Whether the array can end using only items with unlimited values.
    fn can_end_by_unlimited_items(&mut self, spec: &UniqueSpec, at: u32, count: u32) -> Result<bool> {
        let mut unlimited = FxHashSet::default();
        for &(node, _) in spec.steps.iter().flatten() {
            self.arena.spend(1)?;
            if self.matches_something(node) && self.min_values(node)? >= COUNT_CAP {
                unlimited.insert(node);
            }
        }
        Ok(spec.can_end(at, count, |node| unlimited.contains(&node)))
    }

    /// Whether the array can end after `count` items if the values in `came` are taken.
    fn can_end(&mut self, array: ArrayId, at: u32, count: usize, came: KeySetId) -> Result<bool> {
        let spec = self.arena.registers.uniques[array.index()].clone();
        let missing = (spec.min as usize).saturating_sub(count);
        if missing > MAX_MISSING_ITEMS {
            return Err(Error::Limit(Limit::DistinctItems(MAX_MISSING_ITEMS)).into());
        }
        let total = count + missing + spec.steps.len() + 1;
        // By step: the next state, and the values of an item with few values.
        let mut steps: Vec<Vec<(u32, Option<Values>)>> = Vec::new();
        for from in &spec.steps {
            let mut found = Vec::new();
            for &(node, next) in from {
                if self.matches_something(node) {
                    let values = self.item_values(array, node, total)?;
                    let keys = &self.arena.terms.keys;
                    let left = |value: &&Value| !keys.contains(came, value);
                    let values = values.map(|values| Arc::new(values.iter().filter(left).cloned().collect()));
                    found.push((next, values));
                }
            }
            steps.push(found);
        }
        // Depth first. A state that no item with few values led to is tried once.
        let mut seen = FxHashSet::default();
        let mut work = vec![(at, count, Matching::default())];
        while let Some((at, count, matching)) = work.pop() {
            self.arena.spend(8)?;
            if spec.accepting[at as usize] && count >= spec.min as usize {
                return Ok(true);
            }
            if count >= (spec.max as usize).min(total) || matching.items.is_empty() && !seen.insert((at, count)) {
                continue;
            }
            let mut matchings = std::iter::repeat_n(matching, steps[at as usize].len());
            for ((next, values), mut matching) in steps[at as usize].iter().rev().zip(&mut matchings) {
                self.arena.spend(2 + 2 * values.as_ref().map_or(0, |values| values.len() as u64))?;
                if values.as_ref().is_none_or(|values| matching.add(values.clone())) {
                    work.push((*next, count + 1, matching));
                }
            }
        }
        Ok(false)
    }

    /// The canonical texts of all values of an item; None if there are more than `most`.
    pub(super) fn item_values(&mut self, array: ArrayId, node: TermId, most: usize) -> Result<Option<Values>> {
        let answer = |found: &ItemValues| found.values.as_ref().filter(|values| values.len() <= most).cloned();
        let ordered = self.is_ordered(array);
        if let Some(item_values) = self.unique.item_values.get(&(node, ordered)) {
            if item_values.values.is_some() || item_values.asked >= most {
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
        let mut texts: Vec<Value> = texts.into_iter().map(Value::from).collect();
        texts.sort_unstable();
        let item_values = ItemValues { values: found?.then_some(Arc::new(texts)), asked };
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
}

#[cfg(test)]
mod tests;
