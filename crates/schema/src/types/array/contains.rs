//! A shape with counted items (`contains`) → an automaton over items.
//!
//! A state is the position, as far as that matters, and the number of items counted for each `contains`.

use super::lower::punctuation;
use super::shape::{Counted, Shape};
use crate::condition::ConjunctionId;
use crate::error::{Error, Result};
use crate::types::lowering::deeper;
use crate::types::terms::count;
use crate::types::{Layout, Lowering};
use frisket_core::builder::Builder;
use frisket_core::error::Result as EngineResult;
use frisket_core::regular::term::TermId;
use rustc_hash::FxHashMap;

/// Most states of the automaton over items.
const STATES: u64 = 3_000;
/// Most conditions that count items of one array: n of them sort each item into 2^n classes.
const COUNTERS: usize = 6;

/// The position, and the number of items counted for each condition.
type State = (u64, Vec<u64>);

/// Whether an array may end in a state, and its items there, each with the number of the next state.
type Row = (bool, Vec<(u32, u32)>);

/// The node of the arrays of a shape that counts items, or None if clearly there are none. Errors: limits.
pub(super) fn lower<L: Lowering>(lowering: &mut L, shape: &Shape) -> Result<Option<TermId>> {
    let counted = &shape.counted;
    if counted.len() > COUNTERS {
        return Err(Error::limit(format!("{} contains at once", counted.len())).at(place(lowering, shape)));
    }
    let last = counted.iter().map(|counted| counted.start).max().unwrap_or(0).max(shape.prefix.len() as u64);
    let tops: Vec<u64> = counted.iter().map(|counted| counted.most.unwrap_or(counted.least)).collect();
    // Behind the last special position the number of items matters only for bounds that the counters do not imply.
    let is_implied = counted.first().is_some_and(|counted| shape.least <= counted.start.saturating_add(counted.least));
    let bound = match shape.most {
        None if is_implied && last == 0 => 0,
        most => most.unwrap_or(shape.least),
    };
    let far = last.max(bound);
    let size = tops.iter().fold(far.saturating_add(1), |size, top| size.saturating_mul(top.saturating_add(1)));
    if size > STATES {
        let hint = format!("keep the product of minContains/maxContains and minItems/maxItems below {STATES}");
        let error = Error::limit(format!("contains with these counts needs {size} states"));
        return Err(error.at(place(lowering, shape)).with_hint(hint));
    }
    let counts_items = far > 0 || bound > 0;
    let mut automaton = Automaton { shape, last, far, tops, counts_items, classes: FxHashMap::default() };
    let node = deeper(lowering, |lowering, layout| {
        let (states, rows) = automaton.rows(lowering)?;
        let builder = lowering.builder();
        if shape.is_unique {
            // The engine keeps the count and the values.
            let (least, most) = (count(shape.least), shape.most.map(count));
            return Ok(Some(builder.unique_array(&rows, punctuation(layout), least, most)?));
        }
        Ok(array(builder, layout, (&states, &rows), shape.least)?)
    })?;
    if node.is_some() {
        lowering.note_search();
    }
    Ok(node)
}

fn place<L: Lowering>(lowering: &L, shape: &Shape) -> String {
    let place = shape.counted.iter().find_map(|counted| counted.place);
    place.map_or_else(|| lowering.place(), |place| lowering.pointer(place))
}

struct Automaton<'s> {
    shape: &'s Shape,
    /// The position from which on all items have the same constraint.
    last: u64,
    /// The last position that states tell apart.
    far: u64,
    /// The greatest count of each condition that states tell apart.
    tops: Vec<u64>,
    /// Whether states tell positions apart.
    counts_items: bool,
    /// Position → the nodes of its items, each with the conditions that count it, as bits.
    classes: FxHashMap<u64, Vec<(TermId, u32)>>,
}

impl Automaton<'_> {
    /// The items that may stand at a position, sorted by the conditions that count them.
    fn classes<L: Lowering>(&mut self, lowering: &mut L, position: u64) -> Result<Vec<(TermId, u32)>> {
        let key = position.min(self.last);
        if let Some(found) = self.classes.get(&key) {
            return Ok(found.clone());
        }
        let live: Vec<(usize, Counted)> =
            self.shape.counted.iter().copied().enumerate().filter(|(_, counted)| counted.start <= position).collect();
        let mut found = Vec::new();
        for chosen in 0..1u32 << live.len() {
            let (mut item, mut marks) = (self.shape.at(position), 0);
            for (bit, (number, counted)) in live.iter().enumerate() {
                let mut asked = ConjunctionId::ANYTHING;
                if chosen >> bit & 1 == 1 {
                    (asked, marks) = (counted.item, marks | 1 << number);
                } else if counted.most.is_some() {
                    // Without a maximum, an item that meets the condition may go uncounted.
                    asked = lowering.negated(counted.item);
                }
                item = lowering.both(item, asked);
            }
            found.extend(lowering.lower(item)?.map(|node| (node, marks)));
        }
        self.classes.insert(key, found.clone());
        Ok(found)
    }

    /// The items that may come in a state, each with the next state.
    fn steps<L: Lowering>(&mut self, lowering: &mut L, (position, counts): &State) -> Result<Vec<(TermId, State)>> {
        if self.shape.most.is_some_and(|most| *position >= most) {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for (node, marks) in self.classes(lowering, *position)? {
            let more = |(number, count): (usize, &u64)| count + u64::from(marks >> number & 1);
            let counts: Vec<u64> = counts.iter().enumerate().map(more).collect();
            let fits = |(counted, &count): (&Counted, &u64)| counted.most.is_none_or(|most| count <= most);
            if self.shape.counted.iter().zip(&counts).all(fits) {
                let counts = counts.iter().zip(&self.tops).map(|(count, top)| *count.min(top)).collect();
                found.push((node, ((position + 1).min(self.far), counts)));
            }
        }
        Ok(found)
    }

    fn is_accepting(&self, (position, counts): &State) -> bool {
        let enough = |(counted, count): (&Counted, &u64)| *count >= counted.least;
        (*position >= self.shape.least || !self.counts_items) && self.shape.counted.iter().zip(counts).all(enough)
    }

    /// All states, the start first, and the row of each.
    fn rows<L: Lowering>(&mut self, lowering: &mut L) -> Result<(Vec<State>, Vec<Row>)> {
        let start: State = (0, vec![0; self.tops.len()]);
        let mut states = vec![start.clone()];
        let mut numbers: FxHashMap<State, u32> = FxHashMap::from_iter([(start, 0)]);
        let mut rows: Vec<Row> = Vec::new();
        while let Some(state) = states.get(rows.len()).cloned() {
            let mut items = Vec::new();
            for (node, target) in self.steps(lowering, &state)? {
                let next = *numbers.entry(target.clone()).or_insert_with(|| {
                    states.push(target);
                    states.len() as u32 - 1
                });
                items.push((node.number(), next));
            }
            rows.push((self.is_accepting(&state), items));
        }
        Ok((states, rows))
    }
}

/// The node of the arrays whose items lead from the first state to one where they may end, or None if there are none.
fn array(
    builder: &mut Builder,
    layout: Layout,
    (states, rows): (&[State], &[Row]),
    least: u64,
) -> EngineResult<Option<TermId>> {
    let rule = |(position, counts): &State| builder.rule(&format!("items from {position} on, counted {counts:?}"));
    let rules = states.iter().map(rule).collect::<EngineResult<Vec<_>>>()?;
    for (rule, (may_end, items)) in rules.iter().zip(rows) {
        let mut follow = Vec::new();
        for &(item, next) in items {
            let parts = [layout.comma.number(), item, rules[next as usize].number()];
            follow.push(builder.seq(&parts)?.number());
        }
        follow.extend(may_end.then_some(layout.close_array.number()));
        let body = builder.alt(&follow)?;
        builder.define(rule.number(), body.number())?;
    }
    let (may_end, items) = &rows[0];
    let mut first = Vec::new();
    for &(item, next) in items {
        first.push(builder.seq(&[item, rules[next as usize].number()])?.number());
    }
    let mut whole = Vec::new();
    if !first.is_empty() {
        let items = builder.alt(&first)?;
        whole.push(builder.seq(&[layout.open_array.number(), items.number()])?.number());
    }
    whole.extend((*may_end && least == 0).then_some(layout.empty_array.number()));
    if whole.is_empty() {
        return Ok(None);
    }
    builder.alt(&whole).map(Some)
}
