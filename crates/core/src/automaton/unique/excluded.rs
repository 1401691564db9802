//! Values that came × what must still come → the values that an item must avoid: those that came, and those without which
//! too few would be left for later items, as a matching of items and values decides.

use crate::automaton::machine::{Machine, BOTTOM};
use crate::automaton::unique::{Excluded, Few, Register, ORDERED, PLENTY, PROBE};
use crate::error::{Error, Limit, Result};
use crate::json::partial_value::NOTHING_READ;
use crate::regular::key_set::NO_KEYS;
use crate::regular::registers::{UniqueSpec, UniqueState};
use crate::regular::term::{Term, TermId, MANY};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// More items that must come, of few values each, would take too long to deal out.
const MUST_COME: usize = 2_000;

impl Machine {
    /// The values that an item may not have; None if it could have no other, or the array could then not end.
    pub(super) fn excluded(&mut self, array: u32, state: u32, step: u32) -> Result<Excluded> {
        let before = self.arena.registers.unique_states[state as usize];
        if let Some(abstracted) = before.abstracted {
            let spec = self.arena.registers.uniques[array as usize].clone();
            let (node, next) = spec.steps[before.at as usize][step as usize];
            let more = (spec.max == MANY || before.count < spec.max) && abstracted.left > 0;
            let comes = more && self.matches_something(node);
            // Where items are of several kinds, there is no end of values of each: only their number is in the way.
            let ends = comes && (spec.only_item().is_some() || self.easy(array, next, before.count + 1)?);
            return Ok(ends.then_some(NO_KEYS));
        }
        if let Some(known) = self.known.excluded.get(&(array, state, step)) {
            return Ok(*known);
        }
        let assumed = self.known.assumed;
        let excluded = self.find_excluded(array, before, step)?;
        if let Some(excluded) = excluded {
            self.known.most_excluded = self.known.most_excluded.max(self.arena.registers.keys.count(excluded) as u32);
        }
        if self.known.assumed == assumed {
            self.arena.budget.grow(24);
            self.known.excluded.insert((array, state, step), excluded);
        }
        Ok(excluded)
    }

    fn find_excluded(&mut self, array: u32, before: UniqueState, step: u32) -> Result<Excluded> {
        let spec = self.arena.registers.uniques[array as usize].clone();
        let count = before.count as usize;
        let (node, next) = spec.steps[before.at as usize][step as usize];
        if spec.max != MANY && before.count >= spec.max || !self.matches_something(node) {
            return Ok(None);
        }
        if spec.only_item().is_some() {
            // Every value will do for every item: it is enough to count them.
            let needed = count.max(spec.min as usize - usize::from(spec.min > 0));
            return Ok((self.supply(array, needed + 1)?.is_none_or(|supply| supply > needed)).then_some(before.came));
        }
        let mut excluded = before.came;
        if !self.easy(array, next, before.count + 1)? {
            // A value that no later item could want; then those that one might.
            if !self.can_end(array, next, count + 1, before.came)? {
                return Ok(None);
            }
            let mut wanted: Vec<u32> = Vec::new();
            let total = count + 2 + (spec.min as usize).saturating_sub(count) + spec.steps.len();
            for at in self.reachable(&spec, next) {
                for &(later, _) in &spec.steps[at as usize] {
                    if let Some(values) = self.few(array, later, total)? {
                        wanted.extend(values.iter());
                    }
                }
            }
            wanted.sort_unstable();
            wanted.dedup();
            for value in wanted {
                let text = self.known.values[value as usize].clone();
                if !self.arena.registers.keys.contains(excluded, &text) {
                    let arena = &mut self.arena;
                    let came = arena.registers.keys.with(before.came, &text, &mut arena.budget);
                    if !self.can_end(array, next, count + 1, came)? {
                        let arena = &mut self.arena;
                        excluded = arena.registers.keys.with(excluded, &text, &mut arena.budget);
                    }
                }
            }
        }
        let open = match self.few(array, node, self.arena.registers.keys.count(excluded))? {
            Some(values) => values.iter().any(|&value| !self.is_among(value, excluded)),
            None => true,
        };
        Ok(open.then_some(excluded))
    }

    /// How many values the only item of an array has, if there are at most so many.
    pub(super) fn supply(&mut self, array: u32, most: usize) -> Result<Option<usize>> {
        let Some(item) = self.arena.registers.uniques[array as usize].only_item() else { return Ok(None) };
        if self.min_values(item)? >= PLENTY {
            return Ok(None);
        }
        Ok(self.few(array, item, most)?.map(|values| values.len()))
    }

    fn is_among(&self, value: u32, set: u32) -> bool {
        self.arena.registers.keys.contains(set, &self.known.values[value as usize])
    }

    fn reachable(&self, spec: &UniqueSpec, from: u32) -> Vec<u32> {
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

    /// Whether the array can surely end by items of which there is no end.
    fn easy(&mut self, array: u32, at: u32, count: u32) -> Result<bool> {
        let spec = self.arena.registers.uniques[array as usize].clone();
        let floor = spec.min;
        let key = (array, at, if spec.max == MANY { count.min(floor) } else { count });
        if let Some(&easy) = self.known.easy.get(&key) {
            return Ok(easy);
        }
        let mut seen = FxHashSet::default();
        let mut work = vec![(at, count)];
        let mut easy = false;
        while let Some((at, count)) = work.pop() {
            self.arena.spend(1)?;
            if spec.accepting[at as usize] && count >= spec.min {
                easy = true;
                break;
            }
            if count >= spec.max {
                continue;
            }
            for &(node, next) in &spec.steps[at as usize] {
                let place = (next, if spec.max == MANY { (count + 1).min(floor) } else { count + 1 });
                if !seen.contains(&place) && self.matches_something(node) && self.min_values(node)? >= PLENTY {
                    seen.insert(place);
                    work.push(place);
                }
            }
        }
        self.arena.budget.grow(24);
        self.known.easy.insert(key, easy);
        Ok(easy)
    }

    /// Whether the array can end after `count` items when the values `came` are taken.
    fn can_end(&mut self, array: u32, at: u32, count: usize, came: u32) -> Result<bool> {
        let spec = self.arena.registers.uniques[array as usize].clone();
        let missing = (spec.min as usize).saturating_sub(count);
        if missing > MUST_COME {
            return Err(Error::Limit(Limit::DistinctItems(MUST_COME)).into());
        }
        let total = count + missing + spec.steps.len() + 1;
        let mut seen = FxHashSet::default();
        self.can_end_by(array, at, count, came, total, &mut Vec::new(), &mut seen)
    }

    #[allow(clippy::too_many_arguments)]
    fn can_end_by(
        &mut self,
        array: u32,
        at: u32,
        count: usize,
        came: u32,
        total: usize,
        slots: &mut Vec<Arc<Vec<u32>>>,
        plain: &mut FxHashSet<(u32, usize)>,
    ) -> Result<bool> {
        self.arena.spend(8)?;
        let spec = self.arena.registers.uniques[array as usize].clone();
        let ends = spec.accepting[at as usize] && count >= spec.min as usize;
        if ends || spec.steps[at as usize].len() > 1 {
            let matched = self.matched(slots, came)?;
            if ends || !matched {
                return Ok(matched);
            }
        }
        // Without choices behind it, a place that failed once fails again.
        if spec.max != MANY && count >= spec.max as usize || slots.is_empty() && !plain.insert((at, count)) {
            return Ok(false);
        }
        if count > total {
            return Ok(false);
        }
        for &(node, next) in &spec.steps[at as usize] {
            if !self.matches_something(node) {
                continue;
            }
            let few = self.few(array, node, total)?;
            let listed = few.is_some();
            slots.extend(few);
            let ends = self.can_end_by(array, next, count + 1, came, total, slots, plain)?;
            if listed {
                slots.pop();
            }
            if ends {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// All values of an item, or None if there are more than `most`.
    pub(super) fn few(&mut self, array: u32, node: TermId, most: usize) -> Result<Option<Arc<Vec<u32>>>> {
        let answer = |few: &Few| if few.whole && few.values.len() <= most { Some(few.values.clone()) } else { None };
        let ordered = self.is_ordered(array);
        if let Some(few) = self.known.few.get(&(node, ordered)) {
            if few.whole || few.asked >= most {
                return Ok(answer(few));
            }
        }
        if self.min_values(node)? as usize > most {
            return Ok(None);
        }
        if self.known.counting.contains(&node) {
            self.known.assumed += 1;
            return Ok(None);
        }
        let asked = most.next_power_of_two().max(16);
        if let Some(texts) = self.listed(node, asked, ordered)? {
            let mut values: Vec<u32> = texts.into_iter().map(|text| self.value_id(text)).collect();
            values.sort_unstable();
            values.dedup();
            let few = Few { values: Arc::new(values), whole: true, asked };
            let answer = answer(&few);
            self.known.few.insert((node, ordered), few);
            return Ok(answer);
        }
        self.known.counting.push(node);
        let outer = std::mem::take(&mut self.known.found);
        let found = self.count_values(node, asked, ordered);
        let texts = std::mem::replace(&mut self.known.found, outer);
        self.known.counting.pop();
        let whole = found?;
        let mut texts: Vec<Vec<u8>> = texts.into_iter().collect();
        texts.sort_unstable();
        let values = if whole { texts.into_iter().map(|text| self.value_id(text)).collect() } else { Vec::new() };
        let few = Few { values: Arc::new(values), whole, asked };
        let answer = answer(&few);
        self.known.few.insert((node, ordered), few);
        Ok(answer)
    }

    /// Whether the item has at most `most` values; they are found.
    fn count_values(&mut self, node: TermId, most: usize, ordered: bool) -> Result<bool> {
        let step = if ordered { ORDERED } else { 0 };
        let end = Term::UniqueEnd { array: PROBE, state: 0, step, start: NOTHING_READ };
        let end = self.arena.unique_term(end)?;
        let frame = self.frame(vec![(end, BOTTOM)]);
        let (start, _) = self.closure(&[(node, frame)], Register::At(NOTHING_READ))?;
        Ok(!self.search(start.heads, NOTHING_READ, Some(most))?)
    }

    /// Whether the slots can all be given different values that did not come.
    fn matched(&mut self, slots: &[Arc<Vec<u32>>], came: u32) -> Result<bool> {
        let mut holder: FxHashMap<u32, usize> = FxHashMap::default();
        for slot in 0..slots.len() {
            // Breadth first along slots that could give up their value (Kuhn 1955).
            let mut from: FxHashMap<u32, usize> = FxHashMap::default();
            let mut work = vec![slot];
            let mut free = None;
            'search: while let Some(at) = work.pop() {
                self.arena.spend(slots[at].len() as u64)?;
                for &value in slots[at].iter() {
                    if from.contains_key(&value) || self.is_among(value, came) {
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
