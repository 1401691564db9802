//! Key of an open object × byte → the rest of the key; a finished key → the member's value and what follows it.
//!
//! The terms of keys and members are made here; which keys may come is decided in `state`.

use crate::error::Result;
use crate::json::arena::Arena;
use crate::json::object::state::{Branches, SeenKeys};
use crate::json::registers::{Hidden, ObjectState, NO_TEXT};
use crate::regular::id::{ObjectId, ObjectStateId};
use crate::regular::json_string::decode;
use crate::regular::term::{Parts, Term, TermId, Text, EMPTY};
use smallvec::{smallvec, SmallVec};

/// The heads of a key, each with its continuation; None where the head carries its own.
type KeyHeads = SmallVec<[(TermId, Option<TermId>); 4]>;

/// The named keys that remain after another byte.
pub(crate) enum Narrowed {
    /// The property whose key is complete.
    Done(u32),
    /// A range of the sorted spellings.
    Named { low: u32, high: u32 },
}

impl Arena {
    /// Interns a term between or inside the named keys of an object.
    pub(crate) fn object_term(&mut self, term: Term) -> Result<TermId> {
        match term {
            Term::ObjectKey { object, state } => {
                self.intern_structural(term, 22, &[object.number(), state.number()].map(u128::from), false)
            }
            Term::ObjectNext { object, state } => {
                self.intern_structural(term, 23, &[object.number(), state.number()].map(u128::from), false)
            }
            Term::KeyNamed { object, state, low, high, depth } => self.intern_structural(
                term,
                24,
                &[object.number(), state.number(), low, high, depth].map(u128::from),
                false,
            ),
            Term::KeyDone { object, state, property } => {
                self.intern_structural(term, 25, &[object.number(), state.number(), property].map(u128::from), true)
            }
            _ => unreachable!("not an object's term"),
        }
    }

    /// The head of a named key after its closing quote.
    pub(crate) fn key_done(&mut self, object: ObjectId, state: ObjectStateId, property: u32) -> Result<TermId> {
        self.object_term(Term::KeyDone { object, state, property })
    }

    /// Interns the head of a further key, of which `inner` is still to be read and `text` was read.
    pub(crate) fn key_extra(
        &mut self,
        object: ObjectId,
        state: ObjectStateId,
        extra: u32,
        inner: TermId,
        text: Text,
    ) -> Result<TermId> {
        let mark = match text {
            Text::Known(text) => u128::from(text.number()),
            Text::Unknown => u128::MAX,
        };
        let place = u128::from(object.number()) << 64 | u128::from(state.number()) << 32 | u128::from(extra);
        let nullable = self.info(inner).nullable;
        let hash = self.info(inner).hash;
        self.intern_structural(Term::KeyExtra { object, state, extra, inner, text }, 26, &[place, hash, mark], nullable)
    }

    /// Whether the head is a finished key that may repeat the hidden key.
    pub(crate) fn can_repeat_key(&self, head: TermId) -> bool {
        match *self.term(head) {
            Term::KeyExtra { state, .. } => self.info(head).nullable && self.registers.has_hidden_key(state),
            _ => false,
        }
    }

    /// The heads of the next key, each with its continuation.
    pub(crate) fn key_heads(&mut self, object: ObjectId, state: ObjectStateId) -> Result<KeyHeads> {
        let choices = self.choices(object, state)?;
        let spec = self.registers.objects[object.index()].clone();
        let mut heads = KeyHeads::new();
        if spec.escapes.free {
            for &property in &choices.named {
                let key = self.literal(&spec.properties[property as usize].key)?;
                let head = self.quoted(key, spec.escapes)?;
                let member = self.named_member(object, state, property)?;
                heads.push((head, Some(member)));
            }
        } else if !choices.named.is_empty() {
            let high = spec.sorted.len() as u32;
            heads.push((self.object_term(Term::KeyNamed { object, state, low: 0, high, depth: 0 })?, None));
        }
        for &(extra, quoted) in &choices.extras {
            let text = match self.registers.states[state.index()].hidden {
                Hidden::Nothing => Text::Known(NO_TEXT),
                _ => Text::Unknown,
            };
            heads.push((self.key_extra(object, state, extra, quoted, text)?, None));
        }
        Ok(heads)
    }

    /// The head of a named key after one more byte; `EMPTY` if no such key may come.
    pub(crate) fn derive_key(
        &mut self,
        object: ObjectId,
        state: ObjectStateId,
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

    /// The head of the named keys `low..high` of the sorted spellings, of which `depth` bytes were read.
    pub(crate) fn key_named(
        &mut self,
        object: ObjectId,
        state: ObjectStateId,
        low: u32,
        high: u32,
        depth: u32,
    ) -> Result<TermId> {
        self.object_term(Term::KeyNamed { object, state, low, high, depth })
    }

    /// The named keys that continue with a byte; None if none of them may come.
    pub(crate) fn narrow_key(
        &mut self,
        object: ObjectId,
        state: ObjectStateId,
        low: u32,
        high: u32,
        depth: u32,
        byte: u8,
    ) -> Result<Option<Narrowed>> {
        let sorted = &self.registers.objects[object.index()].sorted;
        let (from, to) = match &sorted[low as usize..high as usize] {
            // Usually one key is left.
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
        // Some key of the range may come. A smaller range must be checked again.
        if (from, to) != (low, high) {
            let choices = self.choices(object, state)?;
            let sorted = &self.registers.objects[object.index()].sorted;
            if !sorted[from as usize..to as usize].iter().any(|&(_, property)| choices.allows(property)) {
                return Ok(None);
            }
        }
        let sorted = &self.registers.objects[object.index()].sorted;
        let (spelling, property) = &sorted[from as usize];
        Ok(Some(if spelling.len() == depth as usize + 1 {
            Narrowed::Done(*property)
        } else {
            Narrowed::Named { low: from, high: to }
        }))
    }

    /// The continuation of a finished head that carries its own; None for other heads.
    pub(crate) fn continuation(&mut self, head: TermId) -> Result<Option<TermId>> {
        match *self.term(head) {
            Term::KeyDone { object, state, property } => Ok(Some(self.named_member(object, state, property)?)),
            Term::KeyExtra { object, state, extra, text, .. } => {
                let spec = self.registers.objects[object.index()].clone();
                let before = self.registers.states[state.index()].clone();
                let key = match text {
                    Text::Known(text) => Some(decode(&self.registers.text(text))),
                    Text::Unknown => None,
                };
                let scarce = spec.has_scarce_keys(self.terms.keys.count(before.keys));
                let first = before.hidden == Hidden::Nothing;
                let chooses = key.is_none() && (scarce || !first);
                if let (true, [value]) = (chooses && first, &spec.extras[extra as usize].values[..]) {
                    // Every offered key allows its only value. A second key, however, may repeat the first.
                    let after = ObjectState { hidden: Hidden::Choice, ..spec.state_after(&before, None, value.marks) };
                    return self.member_term(object, smallvec![(value.node, after)]).map(Some);
                }
                if chooses {
                    let state = self.object_state(object, ObjectState { hidden: Hidden::Choice, ..(*before).clone() });
                    return self.object_term(Term::ObjectKey { object, state }).map(Some);
                }
                let mut branches = self.search(|came, steps| {
                    let came = SeenKeys { also: key.as_deref(), ..came };
                    spec.extra_branches(&before, extra, came, steps)
                })?;
                match key {
                    Some(key) => {
                        let keys = self.terms.keys.with(before.keys, &key, &mut self.terms.budget);
                        branches.iter_mut().for_each(|(_, after)| after.keys = keys);
                    }
                    None => branches.iter_mut().for_each(|(_, after)| after.hidden = Hidden::Key),
                }
                self.member_term(object, branches).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The colon and value of a named property, and the continuations of the object.
    pub(crate) fn named_member(&mut self, object: ObjectId, state: ObjectStateId, property: u32) -> Result<TermId> {
        let spec = self.registers.objects[object.index()].clone();
        let before = self.registers.states[state.index()].clone();
        let branches = self.search(|came, steps| spec.property_branches(&before, property, came, steps))?;
        self.member_term(object, branches)
    }

    fn member_term(&mut self, object: ObjectId, branches: Branches) -> Result<TermId> {
        let colon = self.registers.objects[object.index()].colon;
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
