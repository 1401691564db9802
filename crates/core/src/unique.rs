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

use crate::distinct::UniqueState;
use crate::error::Result;
use crate::machine::{Closure, FrameId, Items, Machine};
use crate::reading::{Readings, NOTHING_READ};
use crate::term::{Term, TermId};
use crate::value::Value;
use frame::{blind_end, FREE};
use rustc_hash::FxHashMap;
use std::sync::Arc;

mod avoid;
mod end;
mod frame;
mod variety;

pub(crate) use frame::Openness;

/// The reading of the items that are open at a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Register {
    #[default]
    Closed,
    At(u32),
    /// A mask stands for many readings.
    Blind,
}

/// The array of a search for the values of one item.
const PROBE: u32 = u32::MAX;

/// Counts of values beyond this say nothing more.
const PLENTY: u32 = 1 << 24;

/// A byte of a reading with its places in the list and in the table.
const PER_READING: usize = 72;

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

impl Machine {
    /// Follow one of these arrays' terms to what it begins with.
    pub(crate) fn expand(
        &mut self,
        term: TermId,
        frame: FrameId,
        work: &mut Items,
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
    fn another(&mut self, array: u32, state: u32, before: TermId, frame: FrameId, work: &mut Items) -> Result<()> {
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
}
