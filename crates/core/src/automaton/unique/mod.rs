//! Values that came → values that may come, in arrays whose items are all different, whatever items are.
//!
//! An array is an automaton over items. While an item is open, its position holds a *reading* of it (`reading`), and
//! the frame under the item says where the reading began; where the item ends, the text of its value is looked up. What
//! makes that exact is to know which values an item must *avoid*: those that came, and those without which the array could
//! not be ended, because later items have few values to choose from. They are a set of texts that shares all its branches
//! with the sets before it (`keyset`), so another item costs what it adds. A position inside an item is entered only if
//! the item can still end as some other value. That is seen at once where much may still come (`variety`), where no value
//! to be avoided begins like the item (`rest`), or where texts and values can be counted; otherwise a search looks for
//! such an end.
//!
//! Masks are drafted for positions without a reading (`Register::Abstracted`), whose states know of the values that came only
//! how many there may be. What a draft cannot tell (tokens that end an item, and those after which little is left to tell
//! it apart) is corrected for the exact position (`correct`).

pub(crate) mod count;
pub(crate) mod end;
pub(crate) mod excluded;
pub(crate) mod frame;
pub(crate) mod min_values;
pub(crate) mod order;
pub(crate) mod rest;

use crate::automaton::machine::{Closure, FrameId, Items, Machine};
use crate::error::Result;
use crate::json::partial_value::{PartialValues, NOTHING_READ};
use crate::json::value::sorted;
use crate::regular::registers::{Abstracted, UniqueState};
use crate::regular::term::{Term, TermId, MANY};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

pub(crate) use frame::Openness;
pub(crate) use rest::{Cursor, ItemKey, OpenItem};

/// The reading of the items that are open at a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Register {
    #[default]
    Closed,
    At(u32),
    /// A mask stands for many readings.
    Abstracted,
}

/// The array of a search for the values of one item.
const PROBE: u32 = u32::MAX;

/// The step of that array, if objects spell their members in one order.
const ORDERED: u32 = 1;

/// Counts of values beyond this say nothing more.
const PLENTY: u32 = 1 << 24;

/// A byte of a reading with its places in the list and in the table.
const PER_READING: usize = 72;

/// The texts of the values that an item may not have, as a set; None if no item may come.
type Excluded = Option<u32>;

/// What is known about values, frames and items.
#[derive(Default)]
pub(crate) struct Known {
    partial_values: PartialValues,
    /// Of values that are dealt out: their texts.
    values: Vec<Arc<[u8]>>,
    value_ids: FxHashMap<Arc<[u8]>, u32>,
    excluded: FxHashMap<(u32, u32, u32), Excluded>,
    few: FxHashMap<(TermId, bool), Few>,
    counting: Vec<TermId>,
    /// How often something was taken for granted because its count was under way.
    assumed: u64,
    easy: FxHashMap<(u32, u32, u32), bool>,
    min_values: FxHashMap<(TermId, u32), u32>,
    calls: Vec<u32>,
    boundaries: u64,
    digits: FxHashMap<TermId, u32>,
    numerals: FxHashMap<TermId, bool>,
    counts: FxHashMap<TermId, Option<u32>>,
    one_to_one: FxHashMap<TermId, bool>,
    plainly: FxHashMap<TermId, bool>,
    ordered: FxHashMap<u32, bool>,
    insensitive: FxHashMap<(TermId, u32), bool>,
    frames: FxHashMap<FrameId, u32>,
    living: FxHashMap<(TermId, FrameId, u32), bool>,
    most_excluded: u32,
    /// The texts of the values that ended at the probe.
    found: FxHashSet<Vec<u8>>,
    /// How many items a token may go through.
    pub(crate) longest: u32,
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
                let spec = self.arena.registers.uniques[array as usize].clone();
                let state = self.arena.unique_state(array, UniqueState::default());
                if spec.accepting[0] && spec.min == 0 {
                    work.push((spec.empty, frame));
                }
                self.another(array, state, spec.open, frame, work)
            }
            Term::UniqueNext { array, state } => {
                let spec = self.arena.registers.uniques[array as usize].clone();
                let (at, count) = self.arena.registers.unique_states[state as usize].progress();
                if spec.accepting[at as usize] && count >= spec.min as usize {
                    work.push((spec.close, frame));
                }
                self.another(array, state, spec.comma, frame, work)
            }
            Term::UniqueItem { array, mut state } => {
                closure.touched = true;
                if closure.register == Register::Abstracted {
                    // What may come next hangs on this array, too, and not on the item around it alone.
                    closure.passed = true;
                    state = self.abstracted_state(array, state)?.unwrap_or(state);
                }
                let abstracted = self.arena.registers.unique_states[state as usize].abstracted;
                if abstracted.is_some() {
                    closure.register = Register::Abstracted;
                }
                let spec = self.arena.registers.uniques[array as usize].clone();
                let at = self.arena.registers.unique_states[state as usize].at;
                for (step, &(node, _)) in spec.steps[at as usize].iter().enumerate() {
                    let step = step as u32;
                    if self.excluded(array, state, step)?.is_none() {
                        continue;
                    }
                    let start = match (abstracted, closure.register) {
                        (Some(abstracted), _) => abstracted.most,
                        (None, Register::At(start)) => start,
                        (None, _) => NOTHING_READ,
                    };
                    let end = self.arena.unique_term(Term::UniqueEnd { array, state, step, start })?;
                    let under = self.frame(vec![(end, frame)]);
                    work.push((node, under));
                }
                Ok(())
            }
            Term::UniqueEnd { array, state, step, start } => {
                closure.touched = true;
                if array == PROBE {
                    if let Register::At(reading) = closure.register {
                        let text = self.value_text(step == ORDERED, start, reading)?;
                        self.known.found.insert(text);
                    }
                    return Ok(());
                }
                let before = self.arena.registers.unique_states[state as usize];
                let next = match (before.abstracted, closure.register) {
                    (Some(abstracted), _) => {
                        closure.passed = true;
                        closure.unsure |= start > 0;
                        let left = if abstracted.left == MANY { MANY } else { abstracted.left - 1 };
                        self.after_item(array, before, step, |next| {
                            next.abstracted = Some(Abstracted { left, ..abstracted })
                        })
                    }
                    (None, Register::At(reading)) => {
                        let ordered = self.is_ordered(array);
                        let text = self.value_text(ordered, start, reading)?;
                        match self.excluded(array, state, step)? {
                            Some(excluded) if !self.arena.registers.keys.contains(excluded, &text) => {}
                            _ => return Ok(()),
                        }
                        let arena = &mut self.arena;
                        let came = arena.registers.keys.with(before.came, &text, &mut arena.budget);
                        self.after_item(array, before, step, |next| next.came = came)
                    }
                    (None, _) => {
                        closure.ask = true;
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

    /// Whether an array can end at all.
    pub(crate) fn can_begin(&mut self, array: u32) -> Result<bool> {
        let spec = self.arena.registers.uniques[array as usize].clone();
        if spec.accepting[0] && spec.min == 0 {
            return Ok(true);
        }
        let state = self.arena.unique_state(array, UniqueState::default());
        for step in 0..spec.steps[0].len() as u32 {
            if self.excluded(array, state, step)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Another item, if some may come.
    fn another(&mut self, array: u32, state: u32, before: TermId, frame: FrameId, work: &mut Items) -> Result<()> {
        let at = self.arena.registers.unique_states[state as usize].at;
        let steps = self.arena.registers.uniques[array as usize].steps[at as usize].len() as u32;
        for step in 0..steps {
            if self.excluded(array, state, step)?.is_some() {
                let item = self.arena.unique_term(Term::UniqueItem { array, state })?;
                let part = self.arena.seq(before, item)?;
                work.push((part, frame));
                break;
            }
        }
        Ok(())
    }

    fn after_item(&mut self, array: u32, before: UniqueState, step: u32, change: impl FnOnce(&mut UniqueState)) -> u32 {
        let at = self.arena.registers.uniques[array as usize].steps[before.at as usize][step as usize].1;
        let mut next = UniqueState { at, count: before.count + 1, ..before };
        change(&mut next);
        if next.abstracted.is_some() {
            next.count = self.saturated_count(array, next.count);
        }
        self.arena.unique_state(array, next)
    }

    /// The one text of the value of an item that ends here.
    fn value_text(&mut self, ordered: bool, start: u32, reading: u32) -> Result<Vec<u8>> {
        let text = self.known.partial_values.whole_text(start, reading);
        self.arena.spend(1 + text.len() as u64 / 4)?;
        if ordered {
            Ok(text)
        } else {
            sorted(text)
        }
    }

    fn value_id(&mut self, text: Vec<u8>) -> u32 {
        let text: Arc<[u8]> = text.into();
        if let Some(&id) = self.known.value_ids.get(&text) {
            return id;
        }
        let id = self.known.values.len() as u32;
        self.arena.budget.grow(80 + text.len());
        self.known.values.push(text.clone());
        self.known.value_ids.insert(text, id);
        id
    }

    pub(crate) fn read_on(&mut self, register: Register, byte: u8) -> Register {
        match register {
            Register::At(reading) => {
                let before = self.known.partial_values.len();
                let next = self.known.partial_values.next(reading, byte);
                self.arena.budget.grow(PER_READING * (self.known.partial_values.len() - before));
                Register::At(next)
            }
            other => other,
        }
    }
}
