//! Values that came → values that may come, in arrays whose items are all different, whatever items are.
//!
//! An array is an automaton over items. While an item is open, its position holds a *reading* of it (`reading`), and
//! the frame under the item says where the reading began; where the item ends, its value is compared. What makes that
//! exact is to know which values an item must *avoid*: those that came, and those without which the array could not be
//! ended, because later items have few values to choose from. A position inside an item is entered only if the item
//! can still end as some other value. That is seen at once where much may still come (`variety`) or where no value to
//! be avoided begins like the item; otherwise a search looks for such an end.
//!
//! Masks are composed for positions without a reading (`Register::Blind`): what leaves an item, and what may leave no
//! value to end with, is asked of the exact position.

use crate::error::{Error, Limit, Result};
use crate::machine::{Closure, FrameId, Machine, Position, BOTTOM};
use crate::reading::{Place, Readings, NOTHING_READ};
use crate::term::{Arena, Spelling, Term, TermId, EMPTY, EPSILON, MANY};
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// An automaton over items, with the punctuation around them.
#[derive(Clone, Debug)]
pub struct UniqueSpec {
    /// By state: (item, next state).
    pub steps: Vec<Vec<(TermId, u32)>>,
    pub accepting: Vec<bool>,
    pub open: TermId,
    pub close: TermId,
    pub comma: TermId,
    pub empty: TermId,
    pub min: u32,
    pub max: u32,
    /// Whether there are too few values to end it.
    pub void: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct UniqueState {
    at: u32,
    /// The values that came, sorted.
    came: Vec<u32>,
}

/// The reading of the items that are open at a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Register {
    #[default]
    Closed,
    At(u32),
    /// A mask stands for many readings.
    Blind,
}

/// In the frames of masks: an item that must avoid some values (`start` is how many at most), and one that need not.
const BOUND: u32 = u32::MAX;
const FREE: u32 = u32::MAX - 1;

/// The array of a search for the values of one item.
const PROBE: u32 = u32::MAX;

/// Counts of values beyond this say nothing more.
const PLENTY: u32 = 1 << 24;

/// A byte of a reading with its places in the list and in the table.
const PER_READING: usize = 72;

/// More items that must come, of few values each, would take too long to deal out.
const MUST_COME: usize = 2_000;

/// How many steps ahead `variety` counts.
const AHEAD: u32 = 6;

/// Values that an item may not have, sorted; None if no item may come.
type Avoided = Option<Arc<[u32]>>;

/// What is known about values, frames and items.
#[derive(Default)]
pub(crate) struct Known {
    readings: Readings,
    values: Vec<Arc<Value>>,
    value_ids: FxHashMap<Arc<Value>, u32>,
    avoided: FxHashMap<(u32, u32, u32), Avoided>,
    few: FxHashMap<TermId, Few>,
    counting: Vec<TermId>,
    /// How often something was taken for granted because its count was under way.
    assumed: u64,
    easy: FxHashMap<(u32, u32, u32), bool>,
    variety: FxHashMap<(TermId, u32), u32>,
    calls: Vec<u32>,
    cuts: u64,
    digits: FxHashMap<TermId, u32>,
    steady: FxHashMap<(TermId, u32), bool>,
    frames: FxHashMap<FrameId, u32>,
    living: FxHashMap<(TermId, FrameId, u32), bool>,
    most_avoided: u32,
    /// The values that ended at the probe.
    found: Vec<u32>,
}

#[derive(Clone, Default)]
struct Few {
    values: Arc<Vec<u32>>,
    /// Whether these are all.
    whole: bool,
    asked: usize,
}

/// Whether items under a frame are open, and how many of them must avoid values.
#[derive(Clone, Copy, Default)]
pub(crate) struct Openness {
    pub(crate) open: bool,
    bound: u16,
    /// In the frames of masks: at most so many values.
    demand: u32,
}

impl UniqueState {
    /// The state of the automaton, and how many values came.
    pub(crate) fn progress(&self) -> (u32, usize) {
        (self.at, self.came.len())
    }
}

impl UniqueSpec {
    /// Whether some number of items of any values leads to an end.
    pub(crate) fn may_end(&self, mut item: impl FnMut(TermId) -> bool) -> bool {
        if self.void || self.min > self.max {
            return false;
        }
        // Counts beyond the states only repeat a loop.
        let least = self.min.min(2 * self.steps.len() as u32 + 1);
        let mut seen = FxHashSet::default();
        let mut work = vec![(0u32, 0u32)];
        while let Some((at, count)) = work.pop() {
            if !seen.insert((at, count)) {
                continue;
            }
            if self.accepting[at as usize] && count >= least {
                return true;
            }
            if count >= self.max {
                continue;
            }
            for &(node, next) in &self.steps[at as usize] {
                if item(node) {
                    work.push((next, (count + 1).min(least)));
                }
            }
        }
        false
    }
}

impl Arena {
    pub(crate) fn add_unique(&mut self, spec: UniqueSpec) -> Result<TermId> {
        self.uniques.push(Arc::new(spec), &mut self.budget);
        let index = self.uniques.len() as u32 - 1;
        self.structural(Term::Unique(index), 40, &[u128::from(index)], false)
    }

    fn unique_state(&mut self, array: u32, state: UniqueState) -> u32 {
        let state = Arc::new(state);
        if let Some(&id) = self.unique_state_ids.get(&(array, state.clone())) {
            return id;
        }
        self.budget.grow(120 + 4 * state.came.len());
        self.unique_states.push(state.clone(), &mut self.budget);
        let id = self.unique_states.len() as u32 - 1;
        self.unique_state_ids.insert((array, state), id, &mut self.budget);
        id
    }

    fn unique_term(&mut self, term: Term) -> Result<TermId> {
        let (kind, parts) = match term {
            Term::UniqueItem { array, state } => (41, [array, state, 0, 0]),
            Term::UniqueEnd { array, state, step, start } => (42, [array, state, step, start]),
            Term::UniqueNext { array, state } => (43, [array, state, 0, 0]),
            _ => unreachable!("not a term of an array of different items"),
        };
        self.structural(term, kind, &parts.map(u128::from), false)
    }
}

// -- what the machine does with such arrays ---------------------------------------------------------------------------

impl Machine {
    /// Follow one of these arrays' terms to what it begins with.
    pub(crate) fn expand(
        &mut self,
        term: TermId,
        frame: FrameId,
        work: &mut Vec<(TermId, FrameId)>,
        closure: &mut Closure,
    ) -> Result<()> {
        match *self.arena.term(term) {
            Term::Unique(array) => {
                let spec = self.arena.uniques[array as usize].clone();
                let state = self.arena.unique_state(array, UniqueState::default());
                if spec.accepting[0] && spec.min == 0 {
                    work.push((spec.empty, frame));
                }
                self.another(array, state, spec.open, frame, work)
            }
            Term::UniqueNext { array, state } => {
                let spec = self.arena.uniques[array as usize].clone();
                let came = self.arena.unique_states[state as usize].clone();
                if spec.accepting[came.at as usize] && came.came.len() >= spec.min as usize {
                    work.push((spec.close, frame));
                }
                self.another(array, state, spec.comma, frame, work)
            }
            Term::UniqueItem { array, state } => {
                closure.touched = true;
                let spec = self.arena.uniques[array as usize].clone();
                let at = self.arena.unique_states[state as usize].at;
                for (step, &(node, _)) in spec.steps[at as usize].iter().enumerate() {
                    let step = step as u32;
                    let Some(avoided) = self.avoided(array, state, step)? else { continue };
                    let end = match closure.register {
                        Register::Blind => blind_end(array, step, avoided.len()),
                        Register::At(start) => Term::UniqueEnd { array, state, step, start },
                        Register::Closed => Term::UniqueEnd { array, state, step, start: NOTHING_READ },
                    };
                    let end = self.arena.unique_term(end)?;
                    let under = self.frame(vec![(end, frame)]);
                    work.push((node, under));
                }
                Ok(())
            }
            Term::UniqueEnd { array, state, step, start } => {
                closure.touched = true;
                let reading = match closure.register {
                    Register::At(reading) if state < FREE => reading,
                    _ => {
                        closure.ask = true;
                        return Ok(());
                    }
                };
                let value = self.value(start, reading)?;
                if array == PROBE {
                    self.known.found.push(value);
                    return Ok(());
                }
                let avoided = self.avoided(array, state, step)?;
                if avoided.is_none_or(|avoided| avoided.binary_search(&value).is_ok()) {
                    return Ok(());
                }
                let next = self.after_value(array, state, step, value);
                let next = self.arena.unique_state(array, next);
                let next = self.arena.unique_term(Term::UniqueNext { array, state: next })?;
                work.push((next, frame));
                Ok(())
            }
            _ => unreachable!("not a term of an array of different items"),
        }
    }

    /// Whether an array can end at all.
    pub(crate) fn can_begin(&mut self, array: u32) -> Result<bool> {
        let spec = self.arena.uniques[array as usize].clone();
        if spec.accepting[0] && spec.min == 0 {
            return Ok(true);
        }
        let state = self.arena.unique_state(array, UniqueState::default());
        for step in 0..spec.steps[0].len() as u32 {
            if self.avoided(array, state, step)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Another item, if some may come.
    fn another(
        &mut self,
        array: u32,
        state: u32,
        before: TermId,
        frame: FrameId,
        work: &mut Vec<(TermId, FrameId)>,
    ) -> Result<()> {
        let at = self.arena.unique_states[state as usize].at;
        let steps = self.arena.uniques[array as usize].steps[at as usize].len() as u32;
        for step in 0..steps {
            if self.avoided(array, state, step)?.is_some() {
                let item = self.arena.unique_term(Term::UniqueItem { array, state })?;
                let part = self.arena.seq(before, item)?;
                work.push((part, frame));
                break;
            }
        }
        Ok(())
    }

    fn after_value(&self, array: u32, state: u32, step: u32, value: u32) -> UniqueState {
        let before = &self.arena.unique_states[state as usize];
        let mut came = before.came.clone();
        if let Err(place) = came.binary_search(&value) {
            came.insert(place, value);
        }
        let at = self.arena.uniques[array as usize].steps[before.at as usize][step as usize].1;
        UniqueState { at, came }
    }

    fn value(&mut self, start: u32, reading: u32) -> Result<u32> {
        let text = self.known.readings.text(start, reading);
        self.arena.spend(1 + text.len() as u64 / 4)?;
        let value = Arc::new(Value::of(&text)?);
        if let Some(&id) = self.known.value_ids.get(&value) {
            return Ok(id);
        }
        let id = self.known.values.len() as u32;
        self.arena.budget.grow(160 + 2 * text.len());
        self.known.values.push(value.clone());
        self.known.value_ids.insert(value, id);
        Ok(id)
    }

    pub(crate) fn read_on(&mut self, register: Register, byte: u8) -> Register {
        match register {
            Register::At(reading) => {
                let before = self.known.readings.len();
                let next = self.known.readings.next(reading, byte);
                self.arena.budget.grow(PER_READING * (self.known.readings.len() - before));
                Register::At(next)
            }
            other => other,
        }
    }

    // -- which values an item must avoid --------------------------------------------------------------------------

    /// The values that an item may not have; None if it could have no other, or the array could then not end.
    fn avoided(&mut self, array: u32, state: u32, step: u32) -> Result<Avoided> {
        if let Some(known) = self.known.avoided.get(&(array, state, step)) {
            return Ok(known.clone());
        }
        let assumed = self.known.assumed;
        let avoided = self.find_avoided(array, state, step)?;
        if let Some(avoided) = &avoided {
            self.known.most_avoided = self.known.most_avoided.max(avoided.len() as u32);
        }
        if self.known.assumed == assumed {
            self.arena.budget.grow(64 + avoided.as_ref().map_or(0, |avoided| 4 * avoided.len()));
            self.known.avoided.insert((array, state, step), avoided.clone());
        }
        Ok(avoided)
    }

    fn find_avoided(&mut self, array: u32, state: u32, step: u32) -> Result<Avoided> {
        let spec = self.arena.uniques[array as usize].clone();
        let before = self.arena.unique_states[state as usize].clone();
        let count = before.came.len();
        let (node, next) = spec.steps[before.at as usize][step as usize];
        if spec.max != MANY && count >= spec.max as usize || !self.matches_something(node) {
            return Ok(None);
        }
        let mut avoided = before.came.clone();
        if !self.easy(array, next, count as u32 + 1)? {
            // A value that no later item could want; then those that one might.
            if !self.can_end(array, next, count + 1, &before.came)? {
                return Ok(None);
            }
            let mut wanted: Vec<u32> = Vec::new();
            let total = count + 2 + (spec.min as usize).saturating_sub(count) + spec.steps.len();
            for at in self.reachable(&spec, next) {
                for &(later, _) in &spec.steps[at as usize] {
                    if let Some(values) = self.few(later, total)? {
                        wanted.extend(values.iter());
                    }
                }
            }
            wanted.sort_unstable();
            wanted.dedup();
            for value in wanted {
                if let Err(place) = avoided.binary_search(&value) {
                    let mut came = before.came.clone();
                    came.insert(came.binary_search(&value).unwrap_or_else(|place| place), value);
                    if !self.can_end(array, next, count + 1, &came)? {
                        avoided.insert(place, value);
                    }
                }
            }
        }
        let open = match self.few(node, avoided.len())? {
            Some(values) => values.iter().any(|value| avoided.binary_search(value).is_err()),
            None => true,
        };
        Ok(open.then(|| avoided.into()))
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
        let spec = self.arena.uniques[array as usize].clone();
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
                if !seen.contains(&place) && self.matches_something(node) && self.variety(node)? >= PLENTY {
                    seen.insert(place);
                    work.push(place);
                }
            }
        }
        self.known.easy.insert(key, easy);
        Ok(easy)
    }

    /// Whether the array can end after `count` items when the values `came` are taken.
    fn can_end(&mut self, array: u32, at: u32, count: usize, came: &[u32]) -> Result<bool> {
        let spec = self.arena.uniques[array as usize].clone();
        let missing = (spec.min as usize).saturating_sub(count);
        if missing > MUST_COME {
            return Err(Error::Limit(Limit::Different(MUST_COME)));
        }
        let total = count + missing + spec.steps.len() + 1;
        let mut seen = FxHashSet::default();
        self.can_end_by(&spec, at, count, came, total, &mut Vec::new(), &mut seen)
    }

    #[allow(clippy::too_many_arguments)]
    fn can_end_by(
        &mut self,
        spec: &UniqueSpec,
        at: u32,
        count: usize,
        came: &[u32],
        total: usize,
        slots: &mut Vec<Arc<Vec<u32>>>,
        plain: &mut FxHashSet<(u32, usize)>,
    ) -> Result<bool> {
        self.arena.spend(8)?;
        let ends = spec.accepting[at as usize] && count >= spec.min as usize;
        if ends || spec.steps[at as usize].len() > 1 {
            let matched = matched(slots, came, &mut |amount| self.arena.spend(amount))?;
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
            let few = self.few(node, total)?;
            let listed = few.is_some();
            slots.extend(few);
            let ends = self.can_end_by(spec, next, count + 1, came, total, slots, plain)?;
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
    fn few(&mut self, node: TermId, most: usize) -> Result<Option<Arc<Vec<u32>>>> {
        let answer = |few: &Few| if few.whole && few.values.len() <= most { Some(few.values.clone()) } else { None };
        if let Some(few) = self.known.few.get(&node) {
            if few.whole || few.asked >= most {
                return Ok(answer(few));
            }
        }
        if self.variety(node)? as usize > most {
            return Ok(None);
        }
        if self.known.counting.contains(&node) {
            self.known.assumed += 1;
            return Ok(None);
        }
        let asked = most.next_power_of_two().max(16);
        self.known.counting.push(node);
        let outer = std::mem::take(&mut self.known.found);
        let found = self.count(node, asked);
        let mut values = std::mem::replace(&mut self.known.found, outer);
        self.known.counting.pop();
        let whole = found?;
        values.sort_unstable();
        values.dedup();
        let few = Few { values: Arc::new(values), whole, asked };
        let answer = answer(&few);
        self.known.few.insert(node, few);
        Ok(answer)
    }

    /// Whether the item has at most `most` values; they are found.
    fn count(&mut self, node: TermId, most: usize) -> Result<bool> {
        let end = Term::UniqueEnd { array: PROBE, state: 0, step: 0, start: NOTHING_READ };
        let end = self.arena.unique_term(end)?;
        let frame = self.frame(vec![(end, BOTTOM)]);
        let (start, _) = self.closure(&[(node, frame)], Register::At(NOTHING_READ))?;
        Ok(!self.search(start.heads, NOTHING_READ, Some(most))?)
    }

    // -- whether an open item can end as a value that it need not avoid -------------------------------------------

    /// Leave out what can only end as a value to be avoided.
    pub(crate) fn prune(&mut self, position: &mut Position) -> Result<()> {
        let Register::At(reading) = position.register else { return Ok(()) };
        let mut kept = Vec::with_capacity(position.heads.len());
        for &(head, frame) in &position.heads {
            if !self.openness(frame).open || self.lives(head, frame, reading)? {
                kept.push((head, frame));
            }
        }
        if kept.len() < position.heads.len() {
            position.heads = kept;
            self.conclude(position);
        }
        Ok(())
    }

    fn lives(&mut self, head: TermId, frame: FrameId, reading: u32) -> Result<bool> {
        if self.known.most_avoided == 0 || self.plenty(head, frame)? {
            return Ok(true);
        }
        if let Some(&lives) = self.known.living.get(&(head, frame, reading)) {
            return Ok(lives);
        }
        let lives = !self.hindered(frame, reading)? || self.search(vec![(head, frame)], reading, None)?;
        self.arena.budget.grow(40);
        self.known.living.insert((head, frame, reading), lives);
        Ok(lives)
    }

    /// How many values may have to be avoided by what ends under this frame.
    fn demand(&self, frame: FrameId) -> u32 {
        let openness = self.openness(frame);
        u32::from(openness.bound).saturating_mul(self.known.most_avoided).saturating_add(openness.demand)
    }

    /// Whether so many values may still come that they cannot all have to be avoided.
    pub(crate) fn plenty(&mut self, head: TermId, frame: FrameId) -> Result<bool> {
        let demand = self.demand(frame);
        Ok(demand == 0 || self.variety(head)? > demand || self.frame_variety(frame)? > demand)
    }

    /// Whether what follows a head leaves so many values.
    pub(crate) fn plenty_after(&mut self, frame: FrameId) -> Result<bool> {
        let demand = self.demand(frame);
        Ok(demand == 0 || self.frame_variety(frame)? > demand)
    }

    /// Whether that is so wherever a token may lead within the head.
    pub(crate) fn steady(&mut self, head: TermId, frame: FrameId) -> Result<bool> {
        let demand = self.demand(frame);
        if let Some(&steady) = self.known.steady.get(&(head, demand)) {
            return Ok(steady);
        }
        let text = match *self.arena.term(head) {
            Term::KeyExtra { inner, .. } | Term::Item { inner, .. } => inner,
            _ => head,
        };
        let mut steady = matches!(self.arena.term(text), Term::Quoted { .. });
        if let Term::Quoted { text, .. } = *self.arena.term(text) {
            let mut seen = FxHashSet::default();
            let mut work = vec![text];
            while let Some(state) = work.pop() {
                if !seen.insert(state) {
                    continue;
                }
                if seen.len() > 64 || self.texts(state, AHEAD)? <= demand {
                    steady = false;
                    break;
                }
                work.extend(self.arena.moves(state)?.iter().map(|&(_, _, target)| target));
            }
        }
        self.known.steady.insert((head, demand), steady);
        Ok(steady)
    }

    /// The frames under which items are open, from here down, outermost first.
    fn open_frames(&self, frame: FrameId) -> Vec<FrameId> {
        let mut seen = FxHashSet::default();
        let mut work = vec![frame];
        while let Some(frame) = work.pop() {
            if self.openness(frame).open && seen.insert(frame) {
                work.extend(self.members(frame).iter().map(|&(_, parent)| parent));
            }
        }
        // A frame is made after those below it.
        let mut found: Vec<FrameId> = seen.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// Whether a value to be avoided begins like an item that is open.
    fn hindered(&mut self, frame: FrameId, reading: u32) -> Result<bool> {
        for frame in self.open_frames(frame) {
            for (term, _) in self.members(frame).to_vec() {
                if let Term::UniqueEnd { array, state, step, start } = *self.arena.term(term) {
                    if array == PROBE || self.hindering(array, state, step, start, reading)? > 0 {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// How many values to be avoided begin like the item.
    fn hindering(&mut self, array: u32, state: u32, step: u32, start: u32, reading: u32) -> Result<usize> {
        let Some(avoided) = self.avoided(array, state, step)? else { return Ok(PLENTY as usize) };
        if avoided.is_empty() {
            return Ok(0);
        }
        let text = self.known.readings.text(start, reading);
        self.arena.spend(1 + avoided.len() as u64)?;
        Ok(avoided.iter().filter(|&&value| self.known.values[value as usize].may_begin(&text)).count())
    }

    /// Whether some text leads out of all open items; or, counting, whether more than so many values end here.
    fn search(&mut self, start: Vec<(TermId, FrameId)>, reading: u32, most: Option<usize>) -> Result<bool> {
        let (mut length, mut room) = (24usize, 1_000usize);
        loop {
            let mut cut = false;
            let mut seen: FxHashSet<(Vec<(TermId, FrameId)>, u32)> = FxHashSet::default();
            let mut work = vec![(start.clone(), reading, 0usize)];
            while let Some((heads, reading, read)) = work.pop() {
                if read >= length || seen.len() > room {
                    cut = true;
                    continue;
                }
                let place = self.known.readings.place(reading);
                for &(head, frame) in &heads {
                    let demand = most.map_or_else(|| self.demand(frame), |most| most as u32);
                    if demand < PLENTY && self.rich(head, frame, place, demand)? {
                        return Ok(true);
                    }
                }
                let mut bytes = [false; 256];
                for &(head, _) in &heads {
                    for (low, high, _) in self.arena.moves(head)? {
                        (low..=high).for_each(|byte| bytes[byte as usize] = true);
                    }
                }
                // Last in, first out: what closes is tried first, white space last.
                let blank = *b"\t\n\r ";
                let last = *b"\"]}";
                let plain = (0..=255u8).rev().filter(|byte| !blank.contains(byte) && !last.contains(byte));
                let order = blank.into_iter().chain(plain).chain(last);
                for byte in order.filter(|&byte| bytes[byte as usize]) {
                    self.arena.spend(4)?;
                    let next = self.moved(&heads, Register::At(reading), byte)?;
                    match most {
                        None => {
                            let outside = |&(_, frame): &(TermId, FrameId)| !self.openness(frame).open;
                            if next.accepting || next.heads.iter().any(outside) || !next.specials.is_empty() {
                                return Ok(true);
                            }
                        }
                        Some(most) => {
                            if self.known.found.len() > most {
                                self.known.found.sort_unstable();
                                self.known.found.dedup();
                                if self.known.found.len() > most {
                                    return Ok(true);
                                }
                            }
                        }
                    }
                    if let (Register::At(reading), false) = (next.register, next.heads.is_empty()) {
                        if seen.insert((next.heads.clone(), reading)) {
                            self.arena.spend(16)?;
                            work.push((next.heads, reading, read + 1));
                        }
                    }
                }
            }
            if !cut {
                return Ok(false);
            }
            (length, room) = (length.saturating_mul(2), room.saturating_mul(4));
        }
    }

    fn rich(&mut self, head: TermId, frame: FrameId, place: Place, demand: u32) -> Result<bool> {
        if self.variety(head)? > demand || self.frame_variety(frame)? > demand {
            return Ok(true);
        }
        // Numerals of one length differ in value, unless they are exponents of zero.
        match place {
            Place::Number { zero: true, exponent: true } => Ok(false),
            Place::Number { .. } => Ok(self.digits(head)? > demand),
            _ => Ok(false),
        }
    }

    // -- lower bounds on how many values may come, whatever came before -------------------------------------------

    fn frame_variety(&mut self, frame: FrameId) -> Result<u32> {
        if !self.openness(frame).open {
            return Ok(PLENTY);
        }
        if let Some(&known) = self.known.frames.get(&frame) {
            return Ok(known);
        }
        for frame in self.open_frames(frame) {
            if self.known.frames.contains_key(&frame) {
                continue;
            }
            let mut most = 1;
            for (term, parent) in self.members(frame).to_vec() {
                if matches!(self.arena.term(term), Term::UniqueEnd { .. }) {
                    continue;
                }
                let above = if self.openness(parent).open {
                    self.known.frames.get(&parent).copied().unwrap_or(1)
                } else {
                    PLENTY
                };
                most = most.max(above).max(self.variety(term)?);
            }
            self.known.frames.insert(frame, most);
        }
        Ok(self.known.frames.get(&frame).copied().unwrap_or(1))
    }

    /// How many values a term surely has; at least 1.
    fn variety(&mut self, term: TermId) -> Result<u32> {
        self.variety_within(term, 0)
    }

    fn variety_within(&mut self, term: TermId, depth: u32) -> Result<u32> {
        if depth > 48 {
            self.known.cuts += 1;
            return Ok(1);
        }
        if let Some(&known) = self.known.variety.get(&(term, 0)) {
            return Ok(known);
        }
        self.arena.spend(1)?;
        let (calls, cuts) = (self.known.calls.len(), self.known.cuts);
        let found = match *self.arena.term(term) {
            Term::Quoted { text, state: Spelling::Start | Spelling::Body, .. } => self.texts(text, AHEAD)?,
            Term::Cat(left, right) | Term::Seq(left, right) => {
                self.variety_within(left, depth + 1)?.max(self.variety_within(right, depth + 1)?)
            }
            Term::Alt(ref parts) => {
                let mut most = 1;
                for part in parts.clone().iter() {
                    if self.matches_something(*part) {
                        most = most.max(self.variety_within(*part, depth + 1)?);
                    }
                }
                most
            }
            Term::Repeat { body, max, .. } if self.arena.info(term).structural => {
                if !self.matches_something(body) {
                    1
                } else if max == MANY && self.dark(body) {
                    PLENTY
                } else {
                    self.variety_within(body, depth + 1)?
                }
            }
            Term::Call(rule) if self.known.calls.contains(&rule) => {
                self.known.cuts += 1;
                return Ok(1);
            }
            Term::Call(rule) => {
                self.known.calls.push(rule);
                let found = match self.body(rule) {
                    Some(body) => self.variety_within(body, depth + 1),
                    None => Ok(1),
                };
                self.known.calls.truncate(calls);
                found?
            }
            Term::KeyExtra { inner, .. } | Term::Item { inner, .. } => self.variety_within(inner, depth + 1)?,
            Term::Object(_) | Term::ObjectKey { .. } | Term::ObjectNext { .. } => {
                let (keys, values) = self.arena.further_members(term);
                let mut most = 1;
                for key in keys {
                    // Of so many keys those that came leave enough.
                    if self.texts(key, AHEAD)? >= PLENTY {
                        most = PLENTY;
                    }
                }
                for value in values {
                    most = most.max(self.variety_within(value, depth + 1)?);
                }
                most
            }
            _ => 1,
        };
        // What was under way counted as nothing: that holds in this context only.
        if self.known.cuts == cuts || calls == 0 && depth == 0 || found >= PLENTY {
            self.known.variety.insert((term, 0), found);
        }
        Ok(found)
    }

    fn matches_something(&self, node: TermId) -> bool {
        self.rules().matches_something(&self.arena, node)
    }

    /// Whether every text of the term says something: a count of such texts is part of the value.
    fn dark(&self, term: TermId) -> bool {
        let white = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        match *self.arena.term(term) {
            Term::Quoted { .. } => true,
            Term::Class(set) => set.iter().all(|byte| !white(byte)),
            Term::Literal { literal, position } => {
                self.arena.literals[literal as usize][position as usize..].iter().any(|&byte| !white(byte))
            }
            Term::Cat(left, right) | Term::Seq(left, right) => self.dark(left) || self.dark(right),
            _ => false,
        }
    }

    /// How many texts a language of texts surely has, looking so many bytes ahead where there is a choice.
    fn texts(&mut self, text: TermId, ahead: u32) -> Result<u32> {
        if ahead == 0 || text == EPSILON || text == EMPTY {
            return Ok(1);
        }
        if let Some(&known) = self.known.variety.get(&(text, ahead)) {
            return Ok(known);
        }
        let moves = self.arena.moves(text)?;
        let mut found = u32::from(self.arena.info(text).nullable);
        for (low, high, target) in moves {
            let each = self.texts(target, ahead - 1)?;
            found = found.saturating_add(each.saturating_mul(u32::from(high - low) + 1)).min(PLENTY);
        }
        let found = found.max(1);
        self.known.variety.insert((text, ahead), found);
        Ok(found)
    }

    /// How many strings of digits of one length a head surely reads.
    fn digits(&mut self, head: TermId) -> Result<u32> {
        if let Some(&known) = self.known.digits.get(&head) {
            return Ok(known);
        }
        let mut most = 1;
        let mut layer: Vec<(TermId, u32)> = vec![(head, 1)];
        for _ in 0..AHEAD {
            let mut next: FxHashMap<TermId, u32> = FxHashMap::default();
            for (state, count) in layer {
                for (low, high, target) in self.arena.moves(state)? {
                    let (low, high) = (low.max(b'0'), high.min(b'9'));
                    if low <= high {
                        let more = count.saturating_mul(u32::from(high - low) + 1).min(PLENTY);
                        let slot = next.entry(target).or_insert(0);
                        *slot = slot.saturating_add(more).min(PLENTY);
                    }
                }
            }
            most = next.values().copied().fold(most, u32::max);
            layer = next.into_iter().collect();
            layer.sort_unstable();
        }
        self.known.digits.insert(head, most);
        Ok(most)
    }

    // -- frames ----------------------------------------------------------------------------------------------------

    /// What a new frame says of open items.
    pub(crate) fn measure(&self, members: &[(TermId, FrameId)]) -> Openness {
        let mut found = Openness::default();
        for &(term, parent) in members {
            let above = self.openness(parent);
            found.open |= above.open;
            let own = match *self.arena.term(term) {
                Term::UniqueEnd { state: FREE, .. } => {
                    found.open = true;
                    (0, 0)
                }
                Term::UniqueEnd { state: BOUND, start: demand, .. } => {
                    found.open = true;
                    (0, demand)
                }
                Term::UniqueEnd { .. } => {
                    found.open = true;
                    (1, 0)
                }
                _ => (0, 0),
            };
            found.bound = found.bound.max(above.bound.saturating_add(own.0));
            found.demand = found.demand.max(above.demand.saturating_add(own.1));
        }
        found
    }

    /// The same frame for all readings and for all that came, as far as a mask can tell them apart.
    pub(crate) fn blinded(&mut self, frame: FrameId, reading: u32) -> Result<FrameId> {
        let mut blind: FxHashMap<FrameId, FrameId> = FxHashMap::default();
        for frame in self.open_frames(frame) {
            let mut members = self.members(frame).to_vec();
            for (term, parent) in &mut members {
                if let Term::UniqueEnd { array, state, step, start } = *self.arena.term(*term) {
                    if state < FREE {
                        let hindering = self.hindering(array, state, step, start, reading)?;
                        *term = self.arena.unique_term(blind_end(array, step, hindering))?;
                    }
                }
                *parent = blind.get(parent).copied().unwrap_or(*parent);
            }
            let made = self.frame(members);
            blind.insert(frame, made);
        }
        Ok(blind.get(&frame).copied().unwrap_or(frame))
    }
}

/// The end of an item in the frames of masks: all that is told of the values to be avoided is how many there may be.
fn blind_end(array: u32, step: u32, avoided: usize) -> Term {
    match avoided {
        0 => Term::UniqueEnd { array, state: FREE, step, start: 0 },
        _ => {
            let start = (avoided as u32).min(PLENTY).next_power_of_two();
            Term::UniqueEnd { array, state: BOUND, step, start }
        }
    }
}

/// Whether the slots can all be given different values that did not come.
fn matched(slots: &[Arc<Vec<u32>>], came: &[u32], spend: &mut impl FnMut(u64) -> Result<()>) -> Result<bool> {
    let mut holder: FxHashMap<u32, usize> = FxHashMap::default();
    for slot in 0..slots.len() {
        // Breadth first along slots that could give up their value (Kuhn 1955).
        let mut from: FxHashMap<u32, usize> = FxHashMap::default();
        let mut work = vec![slot];
        let mut free = None;
        'search: while let Some(at) = work.pop() {
            spend(slots[at].len() as u64)?;
            for &value in slots[at].iter().filter(|value| came.binary_search(value).is_err()) {
                if from.contains_key(&value) {
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
