//! Positions of one machine → the same positions in a new machine, at the change of an epoch.
//!
//! A copying collection (Cheney 1970): terms and frames that the positions reach are copied once, all else is dropped.
//! Both machines share a frozen grammar, so its term ids stay valid. Other regular terms are found by hashes of their
//! content. Structural terms refer to states of their arena and are rebuilt.

use crate::automaton::frame::{FrameId, BOTTOM};
use crate::automaton::machine::Machine;
use crate::automaton::position::{Items, Position, PositionId, Register};
use crate::error::Result;
use crate::json::arena::Arena;
use crate::json::partial_value::PartialValueId;
use crate::json::registers::UniqueState;
use crate::regular::id::{ArrayId, ArrayStateId, KeySetId, ObjectId, ObjectStateId, TextId};
use crate::regular::key_set::ImportedSets;
use crate::regular::term::{Term, TermId, Text};
use crate::regular::transfer::{children, postorder, renumber};
use rustc_hash::FxHashMap;

/// The copy in progress, with the new ids of everything copied so far.
pub(crate) struct Migration<'a> {
    ground: &'a Arena,
    from: &'a Machine,
    to: &'a mut Machine,
    positions: FxHashMap<PositionId, PositionId>,
    frames: FxHashMap<FrameId, FrameId>,
    terms: FxHashMap<TermId, TermId>,
    states: FxHashMap<(ObjectId, ObjectStateId), ObjectStateId>,
    texts: FxHashMap<TextId, TextId>,
    unique_states: FxHashMap<(ArrayId, ArrayStateId), ArrayStateId>,
    readings: FxHashMap<PartialValueId, PartialValueId>,
    keys: ImportedSets,
}

impl<'a> Migration<'a> {
    /// A migration that has copied nothing. `ground` is the frozen arena under both machines.
    pub fn new(ground: &'a Arena, from: &'a Machine, to: &'a mut Machine) -> Self {
        to.unique.expect_values_of(&from.unique);
        Migration {
            ground,
            from,
            to,
            positions: FxHashMap::default(),
            frames: FxHashMap::default(),
            terms: FxHashMap::default(),
            states: FxHashMap::default(),
            texts: FxHashMap::default(),
            unique_states: FxHashMap::default(),
            readings: FxHashMap::default(),
            keys: ImportedSets::default(),
        }
    }

    /// Bytes that the new machine holds so far.
    pub fn held(&self) -> usize {
        self.to.memory_bytes()
    }

    /// Copies a position with all that it reaches, and returns its number in the new machine.
    pub fn copy(&mut self, id: PositionId) -> Result<PositionId> {
        if let Some(&known) = self.positions.get(&id) {
            return Ok(known);
        }
        let position = self.from.position(id).clone();
        let mut heads = Items::with_capacity(position.heads.len());
        for &(head, frame) in &position.heads {
            heads.push((self.term(head)?, self.frame(frame)?));
        }
        heads.sort_unstable();
        let mut specials = Vec::with_capacity(position.specials.len());
        for &(special, frame) in &position.specials {
            specials.push((special, self.frame(frame)?));
        }
        specials.sort_unstable();
        let register = match position.register {
            Register::At(reading) => Register::At(self.reading(reading)),
            register => register,
        };
        let made = self.to.intern(Position { heads, specials, register, ..(*position).clone() });
        self.positions.insert(id, made);
        Ok(made)
    }

    /// Charges one step with a renewed budget: every term passed the step limit once, so only time and memory may stop
    /// the copy.
    fn pay(&mut self) -> Result<()> {
        self.to.arena.budget.renew();
        self.to.arena.spend(1)
    }

    fn frame(&mut self, root: FrameId) -> Result<FrameId> {
        let mut work = vec![(root, false)];
        while let Some((frame, ready)) = work.pop() {
            if frame == BOTTOM || self.frames.contains_key(&frame) {
                continue;
            }
            let members = self.from.members(frame);
            if !ready {
                work.push((frame, true));
                work.extend(members.iter().map(|&(_, parent)| (parent, false)));
                continue;
            }
            self.pay()?;
            let mut copied = Vec::with_capacity(members.len());
            for &(term, parent) in members {
                copied.push((self.term(term)?, self.frames.get(&parent).copied().unwrap_or(BOTTOM)));
            }
            let made = self.to.frames.of(&mut self.to.arena, copied);
            self.frames.insert(frame, made);
        }
        Ok(self.frames.get(&root).copied().unwrap_or(BOTTOM))
    }

    /// The copy of a term, if the term is shared or was copied.
    fn known(&self, id: TermId) -> Option<TermId> {
        if id.index() < self.ground.len() {
            return Some(id);
        }
        self.terms.get(&id).copied()
    }

    fn term(&mut self, root: TermId) -> Result<TermId> {
        let from: &'a Machine = self.from;
        let order = postorder(root, |id| self.known(id).is_some(), |id, visit| children(from.arena.term(id), visit));
        for id in order {
            self.pay()?;
            let made = self.made(id)?;
            self.terms.insert(id, made);
        }
        Ok(self.copied(root))
    }

    fn copied(&self, id: TermId) -> TermId {
        self.known(id).expect("children come before what is made of them")
    }

    /// Builds the copy of a term whose children were copied.
    fn made(&mut self, id: TermId) -> Result<TermId> {
        let arena: &'a Arena = &self.from.arena;
        let info = *arena.info(id);
        let mut term = arena.term(id).clone();
        if !info.structural {
            if let Some(known) = self.to.arena.terms.by_hash(info.hash) {
                return Ok(known);
            }
            if let Term::Keys(set) = term {
                let set = self.keys(set)?;
                return self.to.arena.key_set(set);
            }
            let (ground, copied) = (self.ground.len(), &self.terms);
            let copy_of = |id: TermId| if id.index() < ground { id } else { copied[&id] };
            return Ok(self.to.arena.terms.copy_regular(&arena.terms, id, copy_of));
        }
        renumber(&mut term, |child| self.copied(child));
        match &mut term {
            Term::ObjectKey { object, state }
            | Term::ObjectNext { object, state }
            | Term::KeyNamed { object, state, .. }
            | Term::KeyDone { object, state, .. }
            | Term::KeyExtra { object, state, .. } => *state = self.object_state(*object, *state)?,
            Term::UniqueItem { array, state } | Term::UniqueNext { array, state } => {
                *state = self.unique_state(*array, *state)?;
            }
            Term::UniqueEnd { array, state, start, .. } => {
                // Only masks have abstracted states, and no mask is copied.
                *state = self.unique_state(*array, *state)?;
                *start = self.reading(PartialValueId::new(*start)).number();
            }
            _ => {}
        }
        if let Term::KeyExtra { text: Text::Known(text), .. } = &mut term {
            *text = self.text(*text);
        }
        let to = &mut self.to.arena;
        match term {
            Term::Cat(left, right) => to.cat(left, right),
            Term::Seq(left, right) => to.seq(left, right),
            Term::Alt(parts) => to.alt(&*parts),
            Term::Repeat { body, min, max } => to.repeat(body, min, max),
            Term::Call(rule) => to.call(rule),
            Term::Special(special) => to.special(special),
            Term::KeyExtra { object, state, extra, inner, text } => to.key_extra(object, state, extra, inner, text),
            Term::ObjectKey { .. } | Term::ObjectNext { .. } | Term::KeyNamed { .. } | Term::KeyDone { .. } => {
                to.object_term(term)
            }
            Term::UniqueItem { .. } | Term::UniqueEnd { .. } | Term::UniqueNext { .. } => to.unique_term(term),
            _ => unreachable!("{term:?} is made with its grammar, or is regular"),
        }
    }

    fn keys(&mut self, set: KeySetId) -> Result<KeySetId> {
        let to = &mut self.to.arena;
        to.terms.keys.import(&self.from.arena.terms.keys, set, &mut self.keys, &mut to.terms.budget)
    }

    fn object_state(&mut self, object: ObjectId, state: ObjectStateId) -> Result<ObjectStateId> {
        if let Some(&known) = self.states.get(&(object, state)) {
            return Ok(known);
        }
        let before = &self.from.arena.registers.states[state.index()];
        let mut copied = (**before).clone();
        copied.keys = self.keys(before.keys)?;
        let made = self.to.arena.object_state(object, copied);
        self.states.insert((object, state), made);
        Ok(made)
    }

    fn unique_state(&mut self, array: ArrayId, state: ArrayStateId) -> Result<ArrayStateId> {
        if let Some(&known) = self.unique_states.get(&(array, state)) {
            return Ok(known);
        }
        let before = self.from.arena.registers.unique_states[state.index()];
        let copied = UniqueState { came: self.keys(before.came)?, ..before };
        let made = self.to.arena.unique_state(array, copied);
        self.unique_states.insert((array, state), made);
        Ok(made)
    }

    /// The copy of the partial value of an open item.
    fn reading(&mut self, reading: PartialValueId) -> PartialValueId {
        self.to.import_partial_value(self.from, reading, &mut self.readings)
    }

    fn text(&mut self, text: TextId) -> TextId {
        let (mut path, mut at) = (Vec::new(), text);
        let known = loop {
            if at.index() < self.ground.registers.texts.len() {
                break at;
            }
            if let Some(&known) = self.texts.get(&at) {
                break known;
            }
            path.push(at);
            at = self.from.arena.registers.texts[at.index()].0;
        };
        path.into_iter().rev().fold(known, |before, at| {
            let (_, byte) = self.from.arena.registers.texts[at.index()];
            let made = self.to.arena.text_after(before, byte);
            self.texts.insert(at, made);
            made
        })
    }
}

#[cfg(test)]
mod tests;
