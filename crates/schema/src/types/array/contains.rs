//! A shape with counted items (`contains`) → an automaton over items.
//!
//! A state is the position, as far as that matters, and the number of items counted for each `contains`.

use super::lower::punctuation;
use super::shape::{Counted, Shape};
use crate::condition::ConjunctionId;
use crate::error::{Error, Result};
use crate::types::lowering::deeper;
use crate::types::terms::{count, Terms};
use crate::types::{Layout, Lowering};
use frisket_core::error::Result as EngineResult;
use frisket_core::regular::term::{TermId, EMPTY};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Most states of the automaton over items.
const STATES: u64 = 3_000;
/// Most conditions that count items of one array: n of them sort each item into 2^n classes.
const COUNTERS: usize = 6;

/// The position, and the number of items counted for each condition.
type State = (u64, Vec<u64>);

/// State → the rule of the items that may follow.
type Rules = IndexMap<State, TermId, FxBuildHasher>;

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
    let node = deeper(lowering, |lowering, layout| match shape.is_unique {
        true => automaton.of_unique_items(lowering, layout).map(Some),
        false => automaton.of_items(lowering, layout),
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
    fn start(&self) -> State {
        (0, vec![0; self.tops.len()])
    }

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

    fn of_items<L: Lowering>(&mut self, lowering: &mut L, layout: Layout) -> Result<Option<TermId>> {
        let (mut rules, mut defined) = (Rules::default(), 0);
        let made = self.whole(lowering, layout, &mut rules, &mut defined);
        if made.is_err() {
            // Another attempt with the same builder may follow, and no grammar is built while a rule is undefined.
            for rule in rules.values().skip(defined) {
                lowering.builder().define(rule.number(), EMPTY.number())?;
            }
        }
        made
    }

    /// The node of the arrays, or None if there are none. `defined` counts the rules, from the first on, that have a
    /// body.
    fn whole<L: Lowering>(
        &mut self,
        lowering: &mut L,
        layout: Layout,
        rules: &mut Rules,
        defined: &mut usize,
    ) -> Result<Option<TermId>> {
        let start = self.start();
        let mut whole = Vec::new();
        let first = self.followed(lowering, &start, rules)?;
        if !first.is_empty() {
            let mut items = Vec::new();
            for (node, after) in first {
                items.push(lowering.builder().seq(&[node.number(), after.number()])?.number());
            }
            let items = lowering.builder().alt(&items)?;
            whole.push(lowering.builder().seq(&[layout.open_array.number(), items.number()])?);
        }
        if self.is_accepting(&start) && self.shape.least == 0 {
            whole.push(layout.empty_array);
        }
        while let Some((state, rule)) = rules.get_index(*defined).map(|(state, &rule)| (state.clone(), rule)) {
            let mut follow = Vec::new();
            for (node, after) in self.followed(lowering, &state, rules)? {
                let parts = [layout.comma, node, after].map(TermId::number);
                follow.push(lowering.builder().seq(&parts)?.number());
            }
            if self.is_accepting(&state) {
                follow.push(layout.close_array.number());
            }
            let builder = lowering.builder();
            let body = if follow.is_empty() { EMPTY } else { builder.alt(&follow)? };
            builder.define(rule.number(), body.number())?;
            *defined += 1;
        }
        if whole.is_empty() {
            return Ok(None);
        }
        Ok(Some(Terms::new(lowering.builder()).alt(&whole)?))
    }

    /// The items that may come in a state, each with the rule of the items that may follow it.
    fn followed<L: Lowering>(
        &mut self,
        lowering: &mut L,
        state: &State,
        rules: &mut Rules,
    ) -> Result<Vec<(TermId, TermId)>> {
        let mut found = Vec::new();
        for (node, target) in self.steps(lowering, state)? {
            let rule = match rules.get(&target) {
                Some(&rule) => rule,
                None => {
                    let rule =
                        lowering.builder().rule(&format!("items from {} on, counted {:?}", target.0, target.1))?;
                    rules.insert(target, rule);
                    rule
                }
            };
            found.push((node, rule));
        }
        Ok(found)
    }

    /// The automaton as an array of unique items, for which the engine keeps the count and the values.
    fn of_unique_items<L: Lowering>(&mut self, lowering: &mut L, layout: Layout) -> Result<TermId> {
        let mut pending = vec![self.start()];
        let mut numbers: FxHashMap<State, u32> = FxHashMap::from_iter([(self.start(), 0)]);
        let mut states: Vec<(bool, Vec<(u32, u32)>)> = Vec::new();
        while let Some(state) = pending.get(states.len()).cloned() {
            let mut items = Vec::new();
            for (node, target) in self.steps(lowering, &state)? {
                let next = *numbers.entry(target.clone()).or_insert_with(|| {
                    pending.push(target);
                    pending.len() as u32 - 1
                });
                items.push((node.number(), next));
            }
            states.push((self.is_accepting(&state), items));
        }
        let (least, most) = (count(self.shape.least), self.shape.most.map(count));
        let made: EngineResult<TermId> = lowering.builder().unique_array(&states, punctuation(layout), least, most);
        Ok(made?)
    }
}
