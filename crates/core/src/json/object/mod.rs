//! Members that came → keys that may come, of JSON objects.
//!
//! A state holds registers, not a copy of the grammar: the next property in order or the set of properties seen, how
//! many members came, which marks they left, and the other keys that came (they may not repeat). Every state that is
//! reached can still be closed; `feasible` is that check.

pub(crate) mod feasibility;
pub(crate) mod property_set;

use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::json_string::decode;
use crate::regular::key_set::{KeySets, NO_KEYS};
use crate::regular::registers::{Choices, Hidden, ObjectSpec, ObjectState, PropertySet};
use crate::regular::term::{Parts, Term, TermId, Text, EMPTY, EPSILON, MANY};
use smallvec::{smallvec, SmallVec};
use std::sync::Arc;

pub(crate) use feasibility::{Needs, Steps};
use property_set::{has, members, put, share};

/// The values of one member with the states after them, most often one.
pub(crate) type Branches = SmallVec<[(TermId, ObjectState); 1]>;

/// The heads of a key, each with what follows it.
type KeyHeads = SmallVec<[(TermId, Option<TermId>); 4]>;

/// The keys beside the named ones that came, and perhaps one more.
#[derive(Clone, Copy)]
pub(crate) struct Came<'a> {
    sets: &'a KeySets,
    also: Option<&'a [u8]>,
}

impl<'a> Came<'a> {
    pub fn of(sets: &'a KeySets) -> Self {
        Came { sets, also: None }
    }

    fn has(&self, state: &ObjectState, key: &[u8]) -> bool {
        self.also == Some(key) || self.sets.contains(state.keys, key)
    }
}

/// What is left of named keys after another byte.
pub(crate) enum Narrowed {
    /// The property whose key is complete.
    Done(u32),
    /// A part of the sorted spellings.
    Named { low: u32, high: u32 },
}

/// How an object may go on between its members.
pub(crate) struct ObjectParts {
    /// What ends it.
    pub end: Option<TermId>,
    /// What comes before the next key, and that key.
    pub next: Option<(TermId, TermId)>,
}

impl Choices {
    pub fn allows(&self, property: u32) -> bool {
        has(&self.allowed, property)
    }
}

impl ObjectSpec {
    /// The bytes at a depth of a part of the sorted spellings, each once.
    pub(crate) fn key_bytes(&self, low: u32, high: u32, depth: u32) -> impl Iterator<Item = u8> + '_ {
        let mut keys = &self.sorted[low as usize..high as usize];
        let at = move |key: &(Box<[u8]>, u32)| key.0.get(depth as usize).copied();
        std::iter::from_fn(move || {
            let byte = at(keys.first()?);
            keys = &keys[keys.partition_point(|key| at(key) <= byte)..];
            Some(byte)
        })
        .flatten()
    }
}

/// The pairs that begin with `first`, of sorted ones.
fn pairs(sorted: &[(u32, u32)], first: u32) -> &[(u32, u32)] {
    let from = sorted.partition_point(|pair| pair.0 < first);
    let to = sorted.partition_point(|pair| pair.0 <= first);
    &sorted[from..to]
}

/// For each property those that no order lets come after it; None if the orders contradict each other.
pub(crate) fn earlier(count: u32, orders: &[Vec<u32>]) -> Option<Vec<PropertySet>> {
    let mut found = vec![PropertySet::new(); count as usize];
    (0..count).for_each(|index| put(&mut found[index as usize], index));
    let mut waits = vec![0u32; count as usize];
    let mut after = vec![Vec::new(); count as usize];
    for order in orders {
        let mut came = PropertySet::new();
        for (place, &index) in order.iter().enumerate() {
            let own = &mut found[index as usize];
            own.resize(own.len().max(came.len()), 0);
            own.iter_mut().zip(&came).for_each(|(own, came)| *own |= came);
            put(&mut came, index);
            if place > 0 {
                waits[index as usize] += 1;
                after[order[place - 1] as usize].push(index);
            }
        }
    }
    // Whatever waits for nothing may come, and so may then what waited for it (Kahn's topological sort).
    let mut ready: Vec<u32> = (0..count).filter(|&index| waits[index as usize] == 0).collect();
    let mut done = 0;
    while let Some(index) = ready.pop() {
        done += 1;
        for &next in &after[index as usize] {
            waits[next as usize] -= 1;
            if waits[next as usize] == 0 {
                ready.push(next);
            }
        }
    }
    (done == count).then_some(found)
}

impl Arena {
    /// Search with the steps that are left, and pay for it.
    fn searching<T>(&mut self, search: impl FnOnce(Came<'_>, &mut Steps<'_>) -> Result<T>) -> Result<T> {
        search(Came::of(&self.registers.keys), &mut Steps::new(&mut self.budget, u64::MAX))
    }

    pub(crate) fn add_object(&mut self, spec: ObjectSpec) -> Result<TermId> {
        self.registers.objects.push(Arc::new(spec), &mut self.budget);
        let index = self.registers.objects.len() as u32 - 1;
        self.intern_structural(Term::Object(index), 21, &[u128::from(index)], false)
    }

    pub(crate) fn object_state(&mut self, object: u32, state: ObjectState) -> u32 {
        let state = Arc::new(state);
        if let Some(&id) = self.registers.state_ids.get(&(object, state.clone())) {
            return id;
        }
        self.budget.grow(240 + 8 * (state.seen.len() + state.gone.len()));
        self.registers.states.push(state.clone(), &mut self.budget);
        let id = self.registers.states.len() as u32 - 1;
        self.registers.state_ids.insert((object, state), id, &mut self.budget);
        id
    }

    /// The state of an object of which nothing came.
    pub(crate) fn first_state(&mut self, object: u32) -> u32 {
        self.object_state(object, ObjectState::default())
    }

    /// How an object goes on.
    pub(crate) fn object_parts(&mut self, id: TermId) -> Result<ObjectParts> {
        let (object, state, starts) = match *self.term(id) {
            Term::Object(object) => (object, self.first_state(object), true),
            Term::ObjectNext { object, state } => (object, state, false),
            _ => unreachable!("only objects have object parts"),
        };
        let spec = self.registers.objects[object as usize].clone();
        let here = &self.registers.states[state as usize];
        let (closes, hidden) = (spec.can_close(here), here.hidden == Hidden::Choice);
        let end = if starts { spec.empty } else { spec.close };
        let mut next = None;
        if hidden || self.may_continue(object, state)? {
            let before = match (starts, hidden) {
                (true, _) => spec.open,
                // Whether there is another member at all is for the exact position to say, comma and all.
                (_, true) => EPSILON,
                _ => spec.comma,
            };
            next = Some((before, self.object_term(Term::ObjectKey { object, state })?));
        }
        Ok(ObjectParts { end: closes.then_some(end), next })
    }

    fn may_continue(&mut self, object: u32, state: u32) -> Result<bool> {
        let choices = self.choices(object, state)?;
        Ok(!choices.named.is_empty() || !choices.extras.is_empty())
    }

    pub(crate) fn object_term(&mut self, term: Term) -> Result<TermId> {
        match term {
            Term::ObjectKey { object, state } => {
                self.intern_structural(term, 22, &[object, state].map(u128::from), false)
            }
            Term::ObjectNext { object, state } => {
                self.intern_structural(term, 23, &[object, state].map(u128::from), false)
            }
            Term::KeyNamed { object, state, low, high, depth } => {
                self.intern_structural(term, 24, &[object, state, low, high, depth].map(u128::from), false)
            }
            Term::KeyDone { object, state, property } => {
                self.intern_structural(term, 25, &[object, state, property].map(u128::from), true)
            }
            _ => unreachable!("not an object's term"),
        }
    }

    /// A key that was read to its closing quote.
    pub(crate) fn key_done(&mut self, object: u32, state: u32, property: u32) -> Result<TermId> {
        self.object_term(Term::KeyDone { object, state, property })
    }

    pub(crate) fn key_extra(
        &mut self,
        object: u32,
        state: u32,
        extra: u32,
        inner: TermId,
        text: Text,
    ) -> Result<TermId> {
        let mark = match text {
            Text::Known(text) => u128::from(text),
            Text::Unknown => u128::MAX,
        };
        let place = u128::from(object) << 64 | u128::from(state) << 32 | u128::from(extra);
        let nullable = self.info(inner).nullable;
        let hash = self.info(inner).hash;
        self.intern_structural(Term::KeyExtra { object, state, extra, inner, text }, 26, &[place, hash, mark], nullable)
    }

    pub(crate) fn choices(&mut self, object: u32, state_id: u32) -> Result<Arc<Choices>> {
        if let Some(choices) = self.registers.choice_memo.get(&(object, state_id)) {
            return Ok(choices.clone());
        }
        let spec = self.registers.objects[object as usize].clone();
        let state = self.registers.states[state_id as usize].clone();
        let count = spec.properties.len() as u32;
        let mut named = Vec::new();
        let extras_open;
        if spec.plain() {
            let span = spec.in_turn(&state);
            named.extend((span.start as u32..span.end as u32).filter(|&index| spec.may_ever_come(index)));
            extras_open = !spec.extras_last || spec.can_close(&state);
        } else if let Some(outlook) = spec.outlook(&state) {
            let barrier = if spec.any_order { None } else { outlook.must.iter().copied().min() };
            let mut must = PropertySet::new();
            outlook.must.iter().for_each(|&index| put(&mut must, index));
            let first = must.iter().position(|&word| word != 0).unwrap_or(0);
            // Then whatever comes in its turn leaves everything else as it was.
            let sure = spec.unrestricted();
            let in_turn = |index: u32| match spec.earlier.get(index as usize) {
                Some(earlier) => !share(earlier, &must, first, index),
                None => barrier.is_none_or(|barrier| index <= barrier),
            };
            for index in (0..count).filter(|&index| has(&outlook.may, index)) {
                if in_turn(index)
                    && (sure || !self.searching(|came, steps| spec.members(&state, index, came, steps))?.is_empty())
                {
                    named.push(index);
                }
            }
            extras_open = barrier.is_none() || !spec.extras_last;
        } else {
            extras_open = false;
        }
        let mut extras = Vec::new();
        for (index, extra) in spec.extras.iter().enumerate().filter(|_| extras_open) {
            let mut keys = extra.keys;
            if let Some(few) = &extra.few {
                let mut usable = Vec::new();
                for key in few {
                    let fits = self.searching(|came, steps| {
                        if came.has(&state, key) {
                            return Ok(false);
                        }
                        let came = Came { also: Some(key), ..came };
                        Ok(!spec.others(&state, index as u32, came, steps)?.is_empty())
                    })?;
                    if fits {
                        usable.push(key.clone());
                    }
                }
                keys = self.words(usable)?;
            } else if self.searching(|came, steps| spec.others(&state, index as u32, came, steps))?.is_empty() {
                continue;
            } else {
                // Where there are several kinds of other keys, most that came were of another kind: those change nothing.
                let came = match spec.extras.len() {
                    1 => state.keys,
                    _ => self.filter_keys(state.keys, keys)?,
                };
                if came != NO_KEYS {
                    let came = self.key_set(came)?;
                    let fresh = self.not(came)?;
                    keys = self.and(vec![keys, fresh])?;
                }
            }
            let quoted = self.quoted(keys, spec.free)?;
            if quoted != EMPTY {
                extras.push((index as u32, quoted));
            }
        }
        let mut allowed: PropertySet = smallvec![0; count.div_ceil(64) as usize];
        named.iter().for_each(|&index| put(&mut allowed, index));
        self.budget.grow(160 + 4 * named.len() + 8 * allowed.len() + 8 * extras.len());
        let choices = Arc::new(Choices { named, allowed, extras });
        self.registers.choice_memo.insert((object, state_id), choices.clone(), &mut self.budget);
        Ok(choices)
    }

    /// The languages of keys, and values, that may surely still come, where that is easy to see.
    pub(crate) fn further_members(&self, term: TermId) -> (Vec<TermId>, Vec<TermId>) {
        let none = ObjectState::default();
        let (object, state) = match *self.term(term) {
            Term::Object(object) => (object, &none),
            Term::ObjectKey { object, state } | Term::ObjectNext { object, state } => {
                (object, &*self.registers.states[state as usize])
            }
            _ => return (Vec::new(), Vec::new()),
        };
        let spec = &self.registers.objects[object as usize];
        if spec.required_marks != 0 || !spec.implies.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let room = spec.max == MANY;
        let mut values = Vec::new();
        for (index, property) in spec.properties.iter().enumerate() {
            let came = if spec.any_order { has(&state.seen, index as u32) } else { (index as u32) < state.next };
            if !came && (room || property.required) {
                values.extend(property.values.iter().map(|value| value.node));
            }
        }
        let extras = spec.extras.iter().filter(|extra| room && extra.few.is_none() && !extra.values.is_empty());
        (extras.map(|extra| extra.keys).collect(), values)
    }

    /// Whether a key from here on must be asked for, text by text.
    pub(crate) fn asks_for_keys(&mut self, object: u32, state: u32) -> Result<bool> {
        Ok(match self.registers.states[state as usize].hidden {
            Hidden::Nothing => false,
            Hidden::Choice => true,
            Hidden::Key => {
                // Every beginning of a key has other ends than the hidden one, if keys are all texts but a few.
                let spec = self.registers.objects[object as usize].clone();
                let choices = self.choices(object, state)?;
                choices.extras.iter().any(|&(extra, _)| !self.is_cofinite(spec.extras[extra as usize].keys))
            }
        })
    }

    /// Whether a key came that may not come again, and is not known.
    pub(crate) fn hides_key(&self, state: u32) -> bool {
        self.registers.states[state as usize].hidden == Hidden::Key
    }

    /// Whether a head is a key at its end that may be the hidden one.
    pub(crate) fn may_repeat(&self, head: TermId) -> bool {
        match *self.term(head) {
            Term::KeyExtra { state, .. } => self.info(head).nullable && self.hides_key(state),
            _ => false,
        }
    }

    /// The heads of a key, each with what follows it; the heads that bind say so themselves (`bound`).
    pub(crate) fn key_heads(&mut self, object: u32, state: u32) -> Result<KeyHeads> {
        let choices = self.choices(object, state)?;
        let spec = self.registers.objects[object as usize].clone();
        let mut heads = KeyHeads::new();
        if spec.free {
            for &property in &choices.named {
                let key = self.literal(&spec.properties[property as usize].key)?;
                let head = self.quoted(key, true)?;
                let member = self.member(object, state, property)?;
                heads.push((head, Some(member)));
            }
        } else if !choices.named.is_empty() {
            let high = spec.sorted.len() as u32;
            heads.push((self.object_term(Term::KeyNamed { object, state, low: 0, high, depth: 0 })?, None));
        }
        for &(extra, quoted) in &choices.extras {
            let text = match self.registers.states[state as usize].hidden {
                Hidden::Nothing => Text::Known(0),
                _ => Text::Unknown,
            };
            heads.push((self.key_extra(object, state, extra, quoted, text)?, None));
        }
        Ok(heads)
    }

    pub(crate) fn derive_key(
        &mut self,
        object: u32,
        state: u32,
        low: u32,
        high: u32,
        depth: u32,
        byte: u8,
    ) -> Result<TermId> {
        match self.narrow_key(object, state, low, high, depth, byte)? {
            None => Ok(EMPTY),
            Some(Narrowed::Done(property)) => self.key_done(object, state, property),
            Some(Narrowed::Named { low, high }) => self.key_named(object, state, low, high, depth + 1),
        }
    }

    pub(crate) fn key_named(&mut self, object: u32, state: u32, low: u32, high: u32, depth: u32) -> Result<TermId> {
        self.object_term(Term::KeyNamed { object, state, low, high, depth })
    }

    /// The named keys that go on with a byte; None if none of them may come.
    pub(crate) fn narrow_key(
        &mut self,
        object: u32,
        state: u32,
        low: u32,
        high: u32,
        depth: u32,
        byte: u8,
    ) -> Result<Option<Narrowed>> {
        let sorted = &self.registers.objects[object as usize].sorted;
        let (from, to) = match &sorted[low as usize..high as usize] {
            // What is left of most keys is one of them.
            [(key, _)] if key.get(depth as usize) == Some(&byte) => (low, high),
            [_] => (low, low),
            keys => {
                let at = |key: &(Box<[u8]>, u32)| key.0.get(depth as usize).copied();
                let from = keys.partition_point(|key| at(key) < Some(byte));
                let to = keys.partition_point(|key| at(key) <= Some(byte));
                (low + from as u32, low + to as u32)
            }
        };
        if from == to {
            return Ok(None);
        }
        // Among those before it some may come: if these are all, some of these.
        if (from, to) != (low, high) {
            let choices = self.choices(object, state)?;
            let sorted = &self.registers.objects[object as usize].sorted;
            if !sorted[from as usize..to as usize].iter().any(|&(_, property)| choices.allows(property)) {
                return Ok(None);
            }
        }
        let sorted = &self.registers.objects[object as usize].sorted;
        let (spelling, property) = &sorted[from as usize];
        Ok(Some(if spelling.len() == depth as usize + 1 {
            Narrowed::Done(*property)
        } else {
            Narrowed::Named { low: from, high: to }
        }))
    }

    /// What follows a head that carries its own continuation, once it is at an end.
    pub(crate) fn bound(&mut self, head: TermId) -> Result<Option<TermId>> {
        match *self.term(head) {
            Term::KeyDone { object, state, property } => Ok(Some(self.member(object, state, property)?)),
            Term::KeyExtra { object, state, extra, text, .. } => {
                let spec = self.registers.objects[object as usize].clone();
                let before = self.registers.states[state as usize].clone();
                let key = match text {
                    Text::Known(text) => Some(decode(&self.text(text))),
                    Text::Unknown => None,
                };
                let scarce = spec.counts_keys(self.registers.keys.count(before.keys));
                let first = before.hidden == Hidden::Nothing;
                let chooses = key.is_none() && (scarce || !first);
                if let (true, [value]) = (chooses && first, &spec.extras[extra as usize].values[..]) {
                    // No key is offered after which its only value could not come; a second one may repeat the first.
                    let after = ObjectState { hidden: Hidden::Choice, ..spec.after(&before, None, value.marks) };
                    return self.member_of(object, smallvec![(value.node, after)]).map(Some);
                }
                if chooses {
                    let state = self.object_state(object, ObjectState { hidden: Hidden::Choice, ..(*before).clone() });
                    return self.object_term(Term::ObjectKey { object, state }).map(Some);
                }
                let mut branches = self.searching(|came, steps| {
                    let came = Came { also: key.as_deref(), ..came };
                    spec.others(&before, extra, came, steps)
                })?;
                match key {
                    Some(key) => {
                        let keys = self.registers.keys.with(before.keys, &key, &mut self.budget);
                        branches.iter_mut().for_each(|(_, after)| after.keys = keys);
                    }
                    None => branches.iter_mut().for_each(|(_, after)| after.hidden = Hidden::Key),
                }
                self.member_of(object, branches).map(Some)
            }
            _ => Ok(None),
        }
    }

    pub(crate) fn member(&mut self, object: u32, state: u32, property: u32) -> Result<TermId> {
        let spec = self.registers.objects[object as usize].clone();
        let before = self.registers.states[state as usize].clone();
        let branches = self.searching(|came, steps| spec.members(&before, property, came, steps))?;
        self.member_of(object, branches)
    }

    fn member_of(&mut self, object: u32, branches: Branches) -> Result<TermId> {
        let colon = self.registers.objects[object as usize].colon;
        let mut parts = Parts::new();
        for (node, after) in branches {
            let state = self.object_state(object, after);
            let next = self.object_term(Term::ObjectNext { object, state })?;
            parts.push(self.seq(node, next)?);
        }
        let values = if let [only] = parts[..] { only } else { self.alt(parts)? };
        self.seq(colon, values)
    }
}
