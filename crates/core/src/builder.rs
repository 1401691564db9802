//! Nodes → Grammar: what the front ends call.

use crate::array::ArraySpec;
use crate::byteset::ByteSet;
use crate::cutting::Cutting;
use crate::error::{Error, Result};
use crate::limit::{Cancellation, Limits};
use crate::machine::{Machine, PositionId, DEAD};
use crate::object::{earlier, Extra, ObjectSpec, Property, Value};
use crate::quoted::spell;
use crate::rules::Rules;
use crate::term::{Arena, Term, TermId, EMPTY, EPSILON, MANY};
use crate::unique::UniqueSpec;
use crate::vocabulary::{lock, FAR};
use std::sync::{Arc, Mutex};

pub struct Builder {
    /// Boxed, here and in a grammar: it is more than a kilobyte, and goes through many hands.
    arena: Box<Arena>,
    /// Shared by forks until they have rules of their own.
    rules: Arc<Rules>,
    specials: Vec<String>,
    ready: Option<Arc<Ready>>,
    /// Whether nothing was made since the arena became the ground of forks.
    is_ground: bool,
}

/// So many nodes of what all forks have are looked at for them: a builder may hold far more than any fork will ask about.
const REHEARSED: usize = 1_000;

/// Code points of the longest token of most large vocabularies: a run of spaces.
const USUAL_LONGEST: u32 = 128;

/// The rules of a builder that was forked, prepared for all forks that will have no others.
struct Ready {
    /// How many they were.
    count: usize,
    /// Nothing if one of them was not defined yet.
    rules: Option<Rules>,
}

/// The white space and punctuation of one object or array.
#[derive(Clone, Copy)]
pub struct Punctuation {
    pub open: TermId,
    pub close: TermId,
    pub colon: TermId,
    pub comma: TermId,
    pub empty: TermId,
}

/// How an object restricts its members beside their values.
#[derive(Clone, Default)]
pub struct ObjectRules {
    pub min: u32,
    pub max: Option<u32>,
    pub required_marks: u64,
    pub implies: Vec<(u32, u32)>,
    pub any_order: bool,
    pub extras_last: bool,
    /// Lists of properties, each in its own order; none: all in the order of the list.
    pub orders: Vec<Vec<u32>>,
    pub free: bool,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new(Limits::default(), None, None)
    }
}

impl Builder {
    /// `pause` is called now and then in a long call.
    pub fn new(limits: Limits, cancellation: Option<Cancellation>, pause: Option<fn()>) -> Self {
        let mut arena = Box::new(Arena::new());
        arena.budget.heed([cancellation, None]);
        arena.budget.pause_with(pause);
        arena.begin(&limits);
        Builder { arena, rules: Arc::default(), specials: Vec::new(), ready: None, is_ground: false }
    }

    /// A copy with limits of its own: equal nodes have equal ids in both, and either may go on alone.
    pub fn fork(&mut self, limits: Limits, cancellation: Option<Cancellation>) -> Self {
        let count = self.rules.names.len();
        if self.ready.as_ref().is_none_or(|ready| ready.count != count || ready.rules.is_none()) {
            let mut rules = Rules::clone(&self.rules);
            let is_ready = rules.prepare(self.fresh()).is_ok();
            self.ready = Some(Arc::new(Ready { count, rules: is_ready.then_some(rules) }));
        }
        if !self.is_ground {
            self.rehearse();
            self.arena.settle();
            self.is_ground = true;
        }
        let mut copy = Builder {
            arena: Box::new(self.arena.above()),
            rules: self.rules.clone(),
            specials: self.specials.clone(),
            ready: self.ready.clone(),
            is_ground: false,
        };
        copy.arena.budget.share();
        copy.arena.budget.heed([cancellation, None]);
        copy.arena.begin(&limits);
        copy
    }

    /// Finds out what every copy would: where the regular nodes lead, and what they are to tokens. As far as it goes: what
    /// is not known here is found out there.
    fn rehearse(&mut self) {
        let arena = self.fresh();
        let mut next = 0;
        while next < arena.len().min(REHEARSED) {
            let node = TermId(next as u32);
            next += 1;
            if arena.info(node).structural {
                continue;
            }
            let counts = arena.info(node).counts;
            arena.may(node);
            let known = arena.moves(node).map(drop);
            let clipped = [FAR, USUAL_LONGEST]
                .into_iter()
                .filter(|_| counts)
                .try_for_each(|reach| arena.clipped(node, reach).map(drop));
            if known.and(clipped).is_err() {
                break;
            }
        }
    }

    /// Look at the time, the memory and who may end the build: for what a front end does between two calls.
    pub fn check(&mut self) -> Result<()> {
        self.arena.budget.check()
    }

    pub fn memory_bytes(&self) -> usize {
        self.arena.memory_bytes()
    }

    /// The arena with the steps of one call; the time is that of the whole build.
    fn fresh(&mut self) -> &mut Arena {
        self.arena.budget.renew();
        self.is_ground = false;
        &mut self.arena
    }

    pub fn node(&self, id: u32) -> Result<TermId> {
        if (id as usize) < self.arena.len() {
            Ok(TermId(id))
        } else {
            Err(Error::Misuse(format!("{id} is not a node of this builder")))
        }
    }

    fn regular(&self, id: u32) -> Result<TermId> {
        let node = self.node(id)?;
        if self.arena.info(node).structural {
            return Err(Error::Misuse(
                "a structural node (seq, rule, special, object) stands where only a regular one may".into(),
            ));
        }
        Ok(node)
    }

    fn nodes(&self, ids: &[u32]) -> Result<Vec<TermId>> {
        ids.iter().map(|&id| self.node(id)).collect()
    }

    fn regulars(&self, ids: &[u32]) -> Result<Vec<TermId>> {
        ids.iter().map(|&id| self.regular(id)).collect()
    }

    pub fn literal(&mut self, data: &[u8]) -> Result<TermId> {
        self.fresh().literal(data)
    }

    pub fn words(&mut self, words: Vec<Box<[u8]>>) -> Result<TermId> {
        self.fresh().words(words)
    }

    pub fn byte_class(&mut self, ranges: &[(u8, u8)]) -> Result<TermId> {
        let sets = ranges.iter().filter(|(low, high)| low <= high).map(|&(low, high)| ByteSet::range(low, high));
        let set = sets.fold(ByteSet::EMPTY, |all, set| all.union(&set));
        self.fresh().class(set)
    }

    pub fn char_class(&mut self, ranges: &[(u32, u32)]) -> Result<TermId> {
        self.fresh().char_class(ranges)
    }

    pub fn any_text(&mut self) -> Result<TermId> {
        self.fresh().any_text()
    }

    pub fn cat(&mut self, ids: &[u32]) -> Result<TermId> {
        let nodes = self.regulars(ids)?;
        let arena = self.fresh();
        nodes.iter().rev().try_fold(EPSILON, |rest, &node| arena.cat(node, rest))
    }

    pub fn alt(&mut self, ids: &[u32]) -> Result<TermId> {
        let nodes = self.nodes(ids)?;
        self.fresh().alt(nodes)
    }

    pub fn repeat(&mut self, id: u32, min: u32, max: Option<u32>) -> Result<TermId> {
        let node = self.node(id)?;
        let max = max.unwrap_or(MANY);
        if min > max {
            return Ok(EMPTY);
        }
        self.fresh().repeat(node, min, max)
    }

    pub fn and(&mut self, ids: &[u32]) -> Result<TermId> {
        let nodes = self.regulars(ids)?;
        self.fresh().and(nodes)
    }

    pub fn not(&mut self, id: u32) -> Result<TermId> {
        let node = self.regular(id)?;
        self.fresh().not(node)
    }

    pub fn bounded(&mut self, id: u32, min: u32, max: Option<u32>) -> Result<TermId> {
        let mut node = self.regular(id)?;
        let arena = self.fresh();
        if !arena.info(node).utf8 {
            let any = arena.any_text()?;
            node = arena.and(vec![any, node])?;
        }
        arena.bounded(node, min, max.unwrap_or(MANY))
    }

    pub fn quoted(&mut self, id: u32, free: bool) -> Result<TermId> {
        let node = self.regular(id)?;
        self.fresh().quoted(node, free)
    }

    /// A regular node, to be planted in other builders; nothing if it is none.
    pub fn cut(&self, id: u32) -> Result<Option<Cutting>> {
        Ok(self.arena.cut(self.node(id)?))
    }

    pub fn plant(&mut self, cutting: &Cutting) -> Result<TermId> {
        self.fresh().plant(cutting)
    }

    pub fn is_empty(&mut self, id: u32) -> Result<bool> {
        let node = self.node(id)?;
        if self.arena.info(node).structural {
            if !self.arena.uniques.is_empty() {
                let mut arena = self.arena.clone();
                arena.budget.renew();
                return match prepared(&mut arena, Rules::clone(&self.rules), node) {
                    Err(Error::Empty) => Ok(true),
                    made => made.map(|_| false),
                };
            }
            self.is_ground = false;
            Arc::make_mut(&mut self.rules).settle(&mut self.arena)?;
            return Ok(!self.rules.matches_something(&self.arena, node));
        }
        Ok(node == EMPTY)
    }

    pub fn accepts(&mut self, id: u32, data: &[u8]) -> Result<bool> {
        let node = self.regular(id)?;
        self.fresh().matches(node, data)
    }

    pub fn enumerate(&mut self, id: u32, limit: usize) -> Result<Option<Vec<Vec<u8>>>> {
        let node = self.regular(id)?;
        self.fresh().enumerate(node, limit)
    }

    pub fn disjoint(&mut self, left: u32, right: u32) -> Result<bool> {
        Ok(self.and(&[left, right])? == EMPTY)
    }

    pub fn seq(&mut self, ids: &[u32]) -> Result<TermId> {
        let nodes = self.nodes(ids)?;
        let arena = self.fresh();
        nodes.iter().rev().try_fold(EPSILON, |rest, &node| arena.seq(node, rest))
    }

    pub fn rule(&mut self, name: &str) -> Result<TermId> {
        let rule = Arc::make_mut(&mut self.rules).declare(name);
        self.fresh().call(rule)
    }

    pub fn define(&mut self, rule: u32, body: u32) -> Result<()> {
        let (rule, body) = (self.node(rule)?, self.node(body)?);
        match *self.arena.term(rule) {
            Term::Call(rule) => Arc::make_mut(&mut self.rules).define(rule, body),
            _ => Err(Error::Misuse("only what rule() returned can be defined".into())),
        }
    }

    pub fn special(&mut self, name: &str) -> Result<TermId> {
        let index = match self.specials.iter().position(|other| other == name) {
            Some(index) => index,
            None => {
                self.specials.push(name.to_owned());
                self.specials.len() - 1
            }
        };
        self.fresh().special(index as u32)
    }

    fn values(&self, values: Vec<(u32, u64)>) -> Result<Vec<Value>> {
        let made = values.into_iter().map(|(node, marks)| Ok(Value { node: self.node(node)?, marks }));
        made.filter(|value| !matches!(value, Ok(Value { node: EMPTY, .. }))).collect()
    }

    #[allow(clippy::type_complexity)]
    pub fn object(
        &mut self,
        properties: Vec<(String, bool, Vec<(u32, u64)>)>,
        extras: Vec<(u32, Vec<(u32, u64)>)>,
        punctuation: Punctuation,
        rules: ObjectRules,
    ) -> Result<TermId> {
        let count = properties.len() as u32;
        if let Some(&(a, b)) = rules.implies.iter().find(|&&(a, b)| a >= count || b >= count) {
            return Err(Error::Misuse(format!("implies names property {}, there are {count}", a.max(b))));
        }
        let mut named = Vec::with_capacity(properties.len());
        for (key, required, values) in properties {
            named.push(Property { key: key.into_bytes().into(), required, values: self.values(values)? });
        }
        let mut sorted: Vec<(Box<[u8]>, u32)> = Vec::with_capacity(named.len());
        for (index, property) in named.iter().enumerate() {
            sorted.push((spell(&property.key).into(), index as u32));
        }
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(Error::Misuse(format!("property {} is named twice", String::from_utf8_lossy(&pair[0].0))));
        }
        let mut others = Vec::with_capacity(extras.len());
        for (keys, values) in extras {
            let values = self.values(values)?;
            let mut keys = self.regular(keys)?;
            let arena = self.fresh();
            if !arena.info(keys).utf8 {
                let any = arena.any_text()?;
                keys = arena.and(vec![any, keys])?;
            }
            if !named.is_empty() && keys != EMPTY {
                let taken = arena.words(named.iter().map(|property| property.key.clone()).collect())?;
                let free = arena.not(taken)?;
                keys = arena.and(vec![keys, free])?;
            }
            if keys == EMPTY || values.is_empty() {
                continue;
            }
            let mut few = None;
            if rules.min > 0 || rules.required_marks != 0 {
                let texts = arena.enumerate(keys, rules.min as usize + 64)?;
                few = texts.map(|texts| texts.into_iter().map(Vec::into_boxed_slice).collect());
            }
            let bounded = arena.info(keys).max_chars != MANY;
            let number = if bounded { Some(arena.enumerate(keys, 64)?.map_or(64, |texts| texts.len())) } else { None };
            others.push(Extra { keys, values, few, number });
        }
        let ObjectRules { min, max, required_marks, implies, any_order, extras_last, orders, free } = rules;
        let earlier = if any_order || orders.is_empty() {
            Vec::new()
        } else if orders.iter().flatten().any(|&index| index >= count) {
            return Err(Error::Misuse(format!("an order names a property beyond the {count} there are")));
        } else {
            earlier(count, &orders).ok_or_else(|| Error::Misuse("the orders contradict each other".into()))?
        };
        let Punctuation { open, close, colon, comma, empty } = punctuation;
        let max = max.unwrap_or(MANY);
        let mut implies = implies;
        implies.sort_unstable();
        implies.dedup();
        let mut implied_by: Vec<(u32, u32)> = implies.iter().map(|&(cause, effect)| (effect, cause)).collect();
        implied_by.sort_unstable();
        let spec = ObjectSpec {
            properties: named,
            extras: others,
            open,
            close,
            colon,
            comma,
            empty,
            min,
            max,
            required_marks,
            implies,
            implied_by,
            any_order,
            extras_last,
            earlier,
            free,
            sorted,
        };
        self.fresh().add_object(spec)
    }

    pub fn array(
        &mut self,
        prefix: &[u32],
        rest: Option<u32>,
        punctuation: Punctuation,
        min: u32,
        max: Option<u32>,
    ) -> Result<TermId> {
        let prefix = self.nodes(prefix)?;
        let rest = rest.map(|rest| self.node(rest)).transpose()?.unwrap_or(EMPTY);
        let Punctuation { open, close, comma, empty, .. } = punctuation;
        let max = max.unwrap_or(MANY);
        if min > max {
            return Ok(EMPTY);
        }
        let arena = self.fresh();
        let fixed = prefix.len() as u32;
        // From the back: what may follow once `at` items have come.
        let mut tail = if max < fixed {
            EMPTY
        } else {
            let more = arena.seq(comma, rest)?;
            let left = if max == MANY { MANY } else { max - fixed };
            let first = if fixed == 0 { 1 } else { 0 };
            let again = arena.repeat(
                more,
                min.saturating_sub(fixed.max(first)),
                left.saturating_sub(u32::from(first == 1 && left != MANY)),
            )?;
            if fixed == 0 && (max == 0 || rest == EMPTY) {
                EMPTY
            } else {
                arena.seq(again, close)?
            }
        };
        if fixed == 0 {
            let items = arena.seq(rest, tail)?;
            tail = arena.seq(open, items)?;
        }
        for at in (0..fixed).rev() {
            // `at + 1` items are there once this one has come.
            let after = at + 1;
            let mut ways = Vec::with_capacity(2);
            if after == fixed {
                ways.push(tail);
                if rest == EMPTY || max == fixed {
                    ways.clear();
                    if min <= after && max >= after {
                        ways.push(close);
                    }
                } else if max < after {
                    ways.clear();
                }
            } else {
                if max > after {
                    ways.push(tail);
                }
                if min <= after && max >= after {
                    ways.push(close);
                }
            }
            let next = arena.alt(ways)?;
            let item = arena.seq(prefix[at as usize], next)?;
            tail = if at == 0 { arena.seq(open, item)? } else { arena.seq(comma, item)? };
        }
        if fixed > 0 && max == 0 {
            tail = EMPTY;
        }
        if min == 0 {
            tail = arena.alt(vec![empty, tail])?;
        }
        Ok(tail)
    }

    /// An array no two of whose items have the same value: an automaton over items, by state whether the array may
    /// end there, and (item, next state).
    pub fn unique_array(
        &mut self,
        states: &[(bool, Vec<(u32, u32)>)],
        punctuation: Punctuation,
        min: u32,
        max: Option<u32>,
    ) -> Result<TermId> {
        let Punctuation { open, close, comma, empty, .. } = punctuation;
        let max = max.unwrap_or(MANY);
        if let [(true, steps)] = states {
            if let [(item, 0)] = steps[..] {
                let item = self.node(item)?;
                if !self.arena.info(item).structural {
                    // Where a value has one spelling, spellings can be compared.
                    let arena = self.fresh();
                    let few = arena.enumerate(item, (min as usize).clamp(64, 4096))?;
                    if few.is_some() || matches!(arena.term(item), Term::Quoted { free: false, .. }) {
                        let spec = ArraySpec::new(item, few, open, close, comma, empty, min, max);
                        return if spec.feasible() { arena.add_array(spec) } else { Ok(EMPTY) };
                    }
                }
            }
        }
        let signs = [open, close, comma, empty];
        if signs.iter().any(|&sign| self.arena.info(sign).structural || self.arena.info(sign).nullable) {
            return Err(Error::Misuse("the punctuation of unique items must be regular and not empty".into()));
        }
        let mut steps = Vec::with_capacity(states.len());
        for (_, items) in states {
            let mut made = Vec::with_capacity(items.len());
            for &(item, next) in items {
                if next as usize >= states.len() {
                    return Err(Error::Misuse(format!("an item leads to state {next}, there are {}", states.len())));
                }
                let item = self.node(item)?;
                if item != EMPTY {
                    made.push((item, next));
                }
            }
            steps.push(made);
        }
        if steps.is_empty() || min > max {
            return Ok(EMPTY);
        }
        let accepting = states.iter().map(|&(accepting, _)| accepting).collect();
        self.fresh().add_unique(UniqueSpec { steps, accepting, open, close, comma, empty, min, max, void: false })
    }

    pub fn build(mut self, root: u32) -> Result<Arc<Grammar>> {
        let root = self.node(root)?;
        self.arena.budget.renew();
        self.arena.budget.pause_with(None);
        self.arena.budget.check()?;
        let ready = self.ready.as_ref().filter(|ready| ready.count == self.rules.names.len());
        let ready = ready.filter(|_| self.arena.uniques.is_empty()).and_then(|ready| ready.rules.as_ref());
        let rules = match ready {
            Some(ready) => {
                let mut rules = ready.clone();
                rules.judge(&mut self.arena);
                if !rules.matches_something(&self.arena, root) {
                    return Err(Error::Empty);
                }
                rules
            }
            None => prepared(&mut self.arena, Arc::unwrap_or_clone(self.rules), root)?,
        };
        self.arena.freeze();
        self.arena.budget.heed([None, None]);
        Ok(Arc::new(Grammar {
            arena: self.arena,
            rules: Arc::new(rules),
            root,
            specials: self.specials,
            reader: Mutex::new(None),
        }))
    }
}

/// The rules, ready to run: arrays of different items that have too few values to end are left out.
fn prepared(arena: &mut Arena, mut rules: Rules, root: TermId) -> Result<Rules> {
    let written = if arena.uniques.is_empty() { None } else { Some(rules.clone()) };
    loop {
        rules.prepare(arena)?;
        if !rules.matches_something(arena, root) {
            return Err(Error::Empty);
        }
        let Some(written) = &written else { return Ok(rules) };
        let mut machine = Machine::new(Arena::clone(arena), Arc::new(rules.clone()), root)?;
        let mut found = false;
        for array in 0..arena.uniques.len() {
            if !arena.uniques[array].void && !machine.can_begin(array as u32)? {
                Arc::make_mut(arena.uniques.get_mut(array)).void = true;
                found = true;
            }
        }
        if !found {
            return Ok(rules);
        }
        rules = written.clone();
    }
}

/// Rules over bytes; knows no tokenizer; immutable.
pub struct Grammar {
    arena: Box<Arena>,
    rules: Arc<Rules>,
    root: TermId,
    pub specials: Vec<String>,
    reader: Mutex<Option<Box<Machine>>>,
}

impl Grammar {
    pub(crate) fn parts(&self) -> (&Arena, &Rules, TermId) {
        (&self.arena, &self.rules, self.root)
    }

    pub fn node_count(&self) -> usize {
        self.arena.len()
    }

    /// With what `accepts` has learned.
    pub fn memory_bytes(&self) -> usize {
        let learned = lock(&self.reader).as_ref().map_or(0, |machine| machine.memory_bytes());
        self.arena.memory_bytes() + learned
    }

    /// An automaton that has learned nothing yet.
    pub fn machine(&self, limits: &Limits, cancellations: [Option<Cancellation>; 2]) -> Result<Box<Machine>> {
        let mut machine = Machine::above(&self.arena, self.rules.clone());
        machine.arena.budget.heed(cancellations);
        machine.begin(limits);
        machine.arena.budget.check()?;
        machine.begin_with(self.root)?;
        Ok(machine)
    }

    fn read(&self, data: &[u8]) -> Result<(PositionId, bool)> {
        let mut reader = lock(&self.reader);
        let limits = Limits::default();
        // It keeps no positions from one text to the next, so it may start anew at any of them.
        if reader.as_ref().is_none_or(|machine| machine.memory_bytes() > limits.memory) {
            *reader = None;
            *reader = Some(self.machine(&limits, [None, None])?);
        }
        let Some(machine) = reader.as_mut() else { return Ok((DEAD, false)) };
        machine.begin(&limits);
        let mut id = machine.start;
        for &byte in data {
            id = machine.step(id, byte)?;
            if id == DEAD {
                break;
            }
        }
        Ok((id, machine.position(id).accepting))
    }

    /// Whether the text is a whole sentence.
    pub fn accepts(&self, data: &[u8]) -> Result<bool> {
        Ok(self.read(data)?.1)
    }

    /// Whether some sentence begins with the text.
    pub fn accepts_prefix(&self, data: &[u8]) -> Result<bool> {
        Ok(self.read(data)?.0 != DEAD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_of_many_nodes_looks_at_some_of_them() {
        let mut builder = Builder::default();
        for number in 0..4 * REHEARSED as u32 {
            builder.literal(&[b"text".as_slice(), &number.to_be_bytes()].concat()).unwrap();
        }
        let before = builder.arena.len();
        builder.fork(Limits::default(), None);
        // Each leads to one node: what is left of it.
        let made = builder.arena.len() - before;
        assert!((REHEARSED / 2..=REHEARSED).contains(&made), "{made}");
    }
}
