//! Members that came → the keys that may come next, of a JSON object.
//!
//! A state holds registers, not a copy of the grammar: the properties that came, the member count, the marks and the
//! other keys, which may not repeat. Every state that is reached can still be closed (`feasibility`).

use crate::error::Result;
use crate::json::arena::Arena;
use crate::json::object::property_set::{contains, intersects, put};
use crate::json::object::steps::Steps;
use crate::json::registers::{Choices, Hidden, ObjectSpec, ObjectState, PropertySet, Registers};
use crate::regular::id::{ObjectId, ObjectStateId};
use crate::regular::key_set::{KeySets, NO_KEYS};
use crate::regular::term::{Term, TermId, EMPTY, EPSILON, MANY};
use smallvec::{smallvec, SmallVec};
use std::sync::Arc;

/// The values of one member with the states after them; usually one.
pub(crate) type Branches = SmallVec<[(TermId, ObjectState); 1]>;

/// The further keys that came, and perhaps one more that is not in the state yet.
#[derive(Clone, Copy)]
pub(crate) struct SeenKeys<'a> {
    pub(super) sets: &'a KeySets,
    pub(super) also: Option<&'a [u8]>,
}

impl<'a> SeenKeys<'a> {
    /// The keys of these sets and no further key.
    pub fn of(sets: &'a KeySets) -> Self {
        SeenKeys { sets, also: None }
    }

    /// Whether the key came in this state.
    pub(super) fn contains(&self, state: &ObjectState, key: &[u8]) -> bool {
        self.also == Some(key) || self.sets.contains(state.keys, key)
    }
}

/// The continuations of an object between its members.
pub(crate) struct ObjectParts {
    /// The term that ends the object, if the object may be closed.
    pub end: Option<TermId>,
    /// The term before the next key, and the key; None if no key may come.
    pub next: Option<(TermId, TermId)>,
}

impl Choices {
    /// Whether the property may come next.
    pub fn allows(&self, property: u32) -> bool {
        contains(&self.allowed, property)
    }
}

impl Registers {
    /// Whether the state hides a key that came and may not come again.
    pub(crate) fn has_hidden_key(&self, state: ObjectStateId) -> bool {
        self.states[state.index()].hidden == Hidden::Key
    }
}

impl Arena {
    /// Runs a search on the keys that came, charged to the budget of the call.
    pub(super) fn search<T>(&mut self, search: impl FnOnce(SeenKeys<'_>, &mut Steps<'_>) -> Result<T>) -> Result<T> {
        search(SeenKeys::of(&self.terms.keys), &mut Steps::new(&mut self.terms.budget, u64::MAX))
    }

    /// Adds an object to the arena and returns its term.
    pub(crate) fn add_object(&mut self, spec: ObjectSpec) -> Result<TermId> {
        self.budget.grow(spec.memory_bytes());
        self.registers.objects.push(Arc::new(spec), &mut self.terms.budget);
        let object = ObjectId::at(self.registers.objects.len() - 1);
        self.intern_structural(Term::Object(object), 21, &[u128::from(object.number())], false)
    }

    /// The number of a state of an object; equal states have equal numbers.
    pub(crate) fn object_state(&mut self, object: ObjectId, state: ObjectState) -> ObjectStateId {
        let state = Arc::new(state);
        if let Some(&id) = self.registers.state_ids.get(&(object, state.clone())) {
            return id;
        }
        self.budget.grow(240 + 8 * (state.seen.len() + state.gone.len()));
        self.registers.states.push(state.clone(), &mut self.terms.budget);
        let id = ObjectStateId::at(self.registers.states.len() - 1);
        self.registers.state_ids.insert((object, state), id, &mut self.terms.budget);
        id
    }

    /// The state of an object before its first member.
    pub(crate) fn first_state(&mut self, object: ObjectId) -> ObjectStateId {
        self.object_state(object, ObjectState::default())
    }

    /// The continuations of an object between its members. Errors: limits.
    pub(crate) fn object_parts(&mut self, id: TermId) -> Result<ObjectParts> {
        let (object, state, starts) = match *self.term(id) {
            Term::Object(object) => (object, self.first_state(object), true),
            Term::ObjectNext { object, state } => (object, state, false),
            _ => unreachable!("only objects have object parts"),
        };
        let spec = self.registers.objects[object.index()].clone();
        let here = &self.registers.states[state.index()];
        let (closes, hidden) = (spec.can_close(here), here.hidden == Hidden::Choice);
        let end = if starts { spec.empty } else { spec.close };
        let mut next = None;
        if hidden || self.can_continue(object, state)? {
            let before = match (starts, hidden) {
                (true, _) => spec.open,
                // Only the exact position knows whether another member may come, so the comma belongs to it, too.
                (_, true) => EPSILON,
                _ => spec.comma,
            };
            next = Some((before, self.object_term(Term::ObjectKey { object, state })?));
        }
        Ok(ObjectParts { end: closes.then_some(end), next })
    }

    fn can_continue(&mut self, object: ObjectId, state: ObjectStateId) -> Result<bool> {
        let choices = self.choices(object, state)?;
        Ok(!choices.named.is_empty() || !choices.extras.is_empty())
    }

    /// The keys that may come next in a state; cached. Errors: limits.
    pub(crate) fn choices(&mut self, object: ObjectId, state_id: ObjectStateId) -> Result<Arc<Choices>> {
        if let Some(choices) = self.registers.choice_memo.get(&(object, state_id)) {
            return Ok(choices.clone());
        }
        let spec = self.registers.objects[object.index()].clone();
        let state = self.registers.states[state_id.index()].clone();
        let count = spec.properties.len() as u32;
        if !spec.is_sequential() {
            // Each property is looked at, 50 to 100 ns; of few of them the step to this state says enough.
            self.budget.spend(2 * u64::from(count / 64 * 64))?;
        }
        let mut named = Vec::new();
        let extras_open;
        if spec.is_sequential() {
            let span = spec.in_turn(&state);
            named.extend((span.start as u32..span.end as u32).filter(|&index| spec.has_values(index)));
            extras_open = !spec.extras_last || spec.can_close(&state);
        } else if let Some(remaining_properties) = spec.remaining_properties(&state) {
            let barrier = if spec.any_order { None } else { remaining_properties.must.iter().copied().min() };
            // In an unrestricted object, a member changes nothing but the order.
            let sure = spec.is_unrestricted();
            let in_turn = |index: u32| match spec.earlier.get(index as usize) {
                Some(earlier) => !intersects(earlier, &remaining_properties.must, index),
                None => barrier.is_none_or(|barrier| index <= barrier),
            };
            for index in (0..count).filter(|&index| contains(&remaining_properties.may, index)) {
                if in_turn(index)
                    && (sure
                        || !self.search(|came, steps| spec.property_branches(&state, index, came, steps))?.is_empty())
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
                    let fits = self.search(|came, steps| {
                        if came.contains(&state, key) {
                            return Ok(false);
                        }
                        let came = SeenKeys { also: Some(key), ..came };
                        Ok(!spec.extra_branches(&state, index as u32, came, steps)?.is_empty())
                    })?;
                    if fits {
                        usable.push(key.clone());
                    }
                }
                keys = self.words(usable)?;
            } else if self.search(|came, steps| spec.extra_branches(&state, index as u32, came, steps))?.is_empty() {
                continue;
            } else {
                // With several kinds of further keys, only the keys of this kind matter.
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
            let quoted = self.quoted(keys, spec.escapes)?;
            if quoted != EMPTY {
                extras.push((index as u32, quoted));
            }
        }
        let mut allowed: PropertySet = smallvec![0; count.div_ceil(64) as usize];
        named.iter().for_each(|&index| put(&mut allowed, index));
        self.budget.grow(160 + 4 * named.len() + 8 * allowed.len() + 8 * extras.len());
        let choices = Arc::new(Choices { named, allowed, extras });
        self.registers.choice_memo.insert((object, state_id), choices.clone(), &mut self.terms.budget);
        Ok(choices)
    }

    /// Languages of keys and values that surely may still come, where that is cheap to see.
    pub(crate) fn further_members(&self, term: TermId) -> (Vec<TermId>, Vec<TermId>) {
        let none = ObjectState::default();
        let (object, state) = match *self.term(term) {
            Term::Object(object) => (object, &none),
            Term::ObjectKey { object, state } | Term::ObjectNext { object, state } => {
                (object, &*self.registers.states[state.index()])
            }
            _ => return (Vec::new(), Vec::new()),
        };
        let spec = &self.registers.objects[object.index()];
        if spec.tracked_marks() != 0 || !spec.implies.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let room = spec.max == MANY;
        let mut values = Vec::new();
        for (index, property) in spec.properties.iter().enumerate() {
            let came = if spec.any_order { contains(&state.seen, index as u32) } else { (index as u32) < state.next };
            if !came && (room || property.required) {
                values.extend(property.values.iter().map(|value| value.node));
            }
        }
        let extras = spec.extras.iter().filter(|extra| room && extra.few.is_none() && !extra.values.is_empty());
        (extras.map(|extra| extra.keys).collect(), values)
    }

    /// Whether the next key must be replayed byte by byte at the exact position.
    pub(crate) fn needs_key_replay(&mut self, object: ObjectId, state: ObjectStateId) -> Result<bool> {
        Ok(match self.registers.states[state.index()].hidden {
            Hidden::Nothing => false,
            Hidden::Choice => true,
            Hidden::Key => {
                // If keys are all texts but a few, every prefix has other ends than the hidden key.
                let spec = self.registers.objects[object.index()].clone();
                let choices = self.choices(object, state)?;
                choices.extras.iter().any(|&(extra, _)| !self.is_cofinite(spec.extras[extra as usize].keys))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, ObjectRules};
    use crate::grammar::fixture::{members, object, Member};

    /// An object in an arena.
    fn made(named: &[Member<'_>], others: &[&str], rules: ObjectRules) -> (Box<Arena>, ObjectId) {
        let mut builder = Builder::default();
        let node = object(&mut builder, named, others, rules);
        let Term::Object(object) = *builder.arena.term(node) else { unreachable!() };
        (builder.arena, object)
    }

    #[test]
    fn only_a_hidden_key_is_replayed_and_only_if_some_key_is_told_apart() {
        for (others, hidden, expected) in [
            (&["[\\x00-\\x7f]*"][..], Hidden::Nothing, false),
            (&["[a-z]*"], Hidden::Nothing, false),
            (&["[a-z]*"], Hidden::Key, true),
            (&["[a-z]*"], Hidden::Choice, true),
            (&[], Hidden::Key, false),
        ] {
            let (mut arena, object) = made(&members(&["a"]), others, ObjectRules::default());
            let state = arena.object_state(object, ObjectState { hidden, ..ObjectState::default() });
            assert_eq!(arena.needs_key_replay(object, state), Ok(expected), "{others:?} {hidden:?}");
            assert_eq!(arena.registers.has_hidden_key(state), hidden == Hidden::Key);
        }
        let mut builder = Builder::default();
        let any = builder.any_text().unwrap();
        let (one, punctuation) =
            (builder.literal(b"1").unwrap().number(), crate::grammar::fixture::braces(&mut builder));
        let extras = vec![(any.number(), vec![(one, 0)])];
        let node = builder.object(Vec::new(), extras, punctuation, ObjectRules::default()).unwrap();
        let Term::Object(object) = *builder.arena.term(node) else { unreachable!() };
        let state = builder.arena.object_state(object, ObjectState { hidden: Hidden::Key, ..ObjectState::default() });
        assert_eq!(builder.arena.needs_key_replay(object, state), Ok(false), "any text: every prefix has other ends");
    }
}
