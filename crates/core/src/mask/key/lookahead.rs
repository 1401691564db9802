//! A term × the nodes from which tokens go on → what they see of it, by name, and where it ends.
//!
//! What is the same in all grammars is kept with the vocabulary; what only one machine knows, its frames and its objects,
//! with the names of that machine.

use crate::automaton::machine::{FrameId, BOTTOM};
use crate::error::Result;
use crate::grammar::rules::First;
use crate::mask::composer::TrieView;
use crate::mask::exits::{Exits, Groups, Key};
use crate::mask::key::object_summary::{ObjectProfile, ObjectSummary};
use crate::mask::key::{hashed, KeyBuilder, KnownKey, MaskKey};
use crate::regular::term::{Term, TermId, EPSILON};
use crate::storage::hash::Hasher128;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::hash::Hash;

/// What was seen, of one machine.
#[derive(Default)]
pub(super) struct Lookaheads {
    behind: FxHashMap<(FrameId, Key), KnownKey>,
    /// Of terms that only this machine knows.
    terms: FxHashMap<(TermId, Key), Option<Lookahead>>,
    profiles: FxHashMap<u32, Option<ObjectProfile>>,
    /// By the states of objects, as far as they were looked at.
    summaries: Vec<Option<Option<ObjectSummary>>>,
    /// For each look of an object what tokens see of it.
    objects: FxHashMap<(u32, At, ObjectSummary, Key), Lookahead>,
}

/// What tokens see of something, and where it ends.
#[derive(Clone)]
pub(crate) struct Lookahead {
    pub(super) key: u128,
    pub(super) ends: Exits,
}

impl Lookahead {
    fn nothing(ends: Exits) -> Self {
        Lookahead { key: 0, ends }
    }

    /// Either of the two.
    fn and(self, other: Lookahead) -> Self {
        Lookahead { key: self.key.wrapping_add(other.key), ends: self.ends.both(other.ends) }
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Lookahead>() + self.ends.memory_bytes()
    }
}

/// The first of some entries: as many as most grammars need, so that a table does not grow again and again.
fn roomy<K: Eq + Hash, V>(table: &mut FxHashMap<K, V>) {
    if table.capacity() == 0 {
        table.reserve(ROOM);
    }
}

const ROOM: usize = 56;

/// Before an object, before a key, behind a member.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum At {
    Start,
    Key,
    Next,
}

impl KeyBuilder<'_> {
    /// What tokens see of what a frame returns to, below the nodes from which they go on.
    pub(super) fn seen_behind(&mut self, frame: FrameId, exits: &Exits, depth: u32) -> Result<MaskKey> {
        if exits.is_nowhere() || frame == BOTTOM {
            return Ok(Some(0));
        }
        let key = (frame, exits.key());
        if let Some(&known) = self.names.lookaheads.behind.get(&key) {
            return Ok(known.into());
        }
        let Some(depth) = depth.checked_sub(1) else { return Ok(None) };
        let mut name = Some(0u128);
        for at in 0..self.machine.members(frame).len() {
            let (term, parent) = self.machine.members(frame)[at];
            let seen = self.seen_from(term, parent, exits, depth)?;
            name = name.zip(seen).map(|(name, seen)| name.wrapping_add(seen));
        }
        self.machine.arena.budget.grow(48);
        roomy(&mut self.names.lookaheads.behind);
        self.names.lookaheads.behind.insert(key, name.into());
        Ok(name)
    }

    /// The same of a term and the frame below it.
    pub(super) fn seen_from(&mut self, term: TermId, frame: FrameId, exits: &Exits, depth: u32) -> Result<MaskKey> {
        let Some(Lookahead { key: name, ends }) = self.seen(term, exits, depth)? else { return Ok(None) };
        Ok(self.seen_behind(frame, &ends, depth)?.map(|behind| name.wrapping_add(behind)))
    }

    /// The same of a term alone, and where it ends.
    pub(super) fn seen(&mut self, id: TermId, exits: &Exits, depth: u32) -> Result<Option<Lookahead>> {
        if exits.is_nowhere() || id == EPSILON {
            return Ok(Some(Lookahead::nothing(exits.clone())));
        }
        let Some(depth) = depth.checked_sub(1) else { return Ok(None) };
        self.machine.arena.spend(1)?;
        if let Term::Object(_) | Term::ObjectKey { .. } | Term::ObjectNext { .. } = self.machine.arena.term(id) {
            return self.seen_object(id, exits, depth);
        }
        if !self.machine.arena.info(id).structural {
            return self.seen_text(id, exits).map(Some);
        }
        let key = (id, exits.key());
        if let Some(known) = self.names.lookaheads.terms.get(&key) {
            return Ok(known.clone());
        }
        let seen = self.seen_structure(id, exits, depth)?;
        self.machine.arena.budget.grow(48 + seen.as_ref().map_or(0, Lookahead::memory_bytes));
        roomy(&mut self.names.lookaheads.terms);
        self.names.lookaheads.terms.insert(key, seen.clone());
        Ok(seen)
    }

    fn seen_structure(&mut self, id: TermId, exits: &Exits, depth: u32) -> Result<Option<Lookahead>> {
        self.machine.arena.spend(exits.len() as u64)?;
        let mut all = Lookahead::nothing(Exits::NOWHERE);
        match *self.machine.arena.term(id) {
            Term::Seq(..) => {
                let mut rest = id;
                all.ends = exits.clone();
                loop {
                    let (first, more) = match *self.machine.arena.term(rest) {
                        Term::Seq(left, right) => (left, Some(right)),
                        _ => (rest, None),
                    };
                    let Some(seen) = self.seen(first, &all.ends, depth)? else { return Ok(None) };
                    all = Lookahead { key: all.key.wrapping_add(seen.key), ..seen };
                    match more {
                        Some(more) if !all.ends.is_nowhere() => rest = more,
                        _ => break,
                    }
                }
            }
            Term::Alt(ref parts) => {
                for part in parts.clone() {
                    let Some(seen) = self.seen(part, exits, depth)? else { return Ok(None) };
                    all = all.and(seen);
                }
            }
            Term::Repeat { body, min, max } if !self.machine.rules().nullable(&self.machine.arena, body) => {
                let (mut at, mut count) = (exits.clone(), 0);
                while !at.is_nowhere() {
                    if count >= min {
                        all.ends = all.ends.both(at.clone());
                    }
                    if count == max {
                        break;
                    }
                    let Some(seen) = self.seen(body, &at, depth)? else { return Ok(None) };
                    all.key = all.key.wrapping_add(seen.key);
                    (at, count) = (seen.ends, count + 1);
                }
            }
            Term::Call(rule) => {
                // Its entries, not its body: those do not begin with the rule itself.
                if self.machine.rules().may_be_empty(rule) {
                    all.ends = exits.clone();
                }
                for entry in self.machine.rules().entries(rule).iter() {
                    let first = match entry.first {
                        First::Head(head) => self.seen(head, exits, depth)?,
                        First::Call(callee) => {
                            let call = self.machine.arena.call(callee)?;
                            self.seen(call, exits, depth)?
                        }
                        First::Special(_) => Some(Lookahead::nothing(Exits::NOWHERE)),
                        First::Ask | First::Unique(_) => None,
                    };
                    let Some(mut seen) = first else { return Ok(None) };
                    for &part in &entry.rest {
                        let Some(more) = self.seen(part, &seen.ends, depth)? else { return Ok(None) };
                        seen = Lookahead { key: seen.key.wrapping_add(more.key), ..more };
                    }
                    all = all.and(seen);
                }
            }
            // No token goes through it.
            Term::Special(_) => {}
            _ => return Ok(None),
        }
        Ok(Some(all))
    }

    /// The same of an object's term. There is one for each state, but few that look different.
    fn seen_object(&mut self, id: TermId, exits: &Exits, depth: u32) -> Result<Option<Lookahead>> {
        let (object, state, at) = match *self.machine.arena.term(id) {
            Term::Object(object) => (object, self.machine.arena.first_state(object), At::Start),
            Term::ObjectKey { object, state } => (object, state, At::Key),
            Term::ObjectNext { object, state } => (object, state, At::Next),
            _ => return Ok(None),
        };
        let Some(look) = self.object_summary(object, state)? else { return Ok(None) };
        let key = (object, at, look, exits.key());
        if let Some(known) = self.names.lookaheads.objects.get(&key) {
            return Ok(Some(known.clone()));
        }
        let seen = self.seen_looking(object, at, look, exits, depth)?;
        if let Some(seen) = &seen {
            self.machine.arena.budget.grow(96 + seen.memory_bytes());
            self.names.lookaheads.objects.insert(key, seen.clone());
        }
        Ok(seen)
    }

    /// The same of all its states that look like this, in whatever grammar.
    fn seen_looking(
        &mut self,
        object: u32,
        at: At,
        look: ObjectSummary,
        exits: &Exits,
        depth: u32,
    ) -> Result<Option<Lookahead>> {
        let spec = &self.machine.arena.registers.objects[object as usize];
        let colon = spec.colon;
        let (end, before) = match at {
            At::Start => (look.closes.then_some(spec.empty), look.goes_on.then_some(spec.open)),
            At::Next => (look.closes.then_some(spec.close), look.goes_on.then_some(spec.comma)),
            At::Key => (None, Some(EPSILON)),
        };
        let told = |part: Option<TermId>| part.map_or(0, |part| self.machine.arena.info(part).hash);
        let key = hashed(6, &[look.keys, told(end), told(before), told(Some(colon)), exits.hash()]);
        let shared = [end, before].iter().flatten().all(|&part| !self.machine.arena.info(part).structural);
        if let Some(known) = self.shared.seen.get(key).filter(|_| shared) {
            return Ok(Some(known));
        }
        let mut all = Lookahead::nothing(Exits::NOWHERE);
        if let Some(end) = end {
            let Some(seen) = self.seen(end, exits, depth)? else { return Ok(None) };
            all = seen;
        }
        if let Some(before) = before {
            let Some(seen) = self.seen(before, exits, depth)? else { return Ok(None) };
            let keys = self.seen_key(look, colon, &seen.ends);
            all.key = all.key.wrapping_add(seen.key).wrapping_add(keys);
        }
        if shared {
            self.shared.seen.put(key, all.clone(), all.memory_bytes());
        }
        Ok(Some(all))
    }

    /// How a key may begin, if tokens go on with a quote.
    fn seen_key(&mut self, look: ObjectSummary, colon: TermId, exits: &Exits) -> u128 {
        let (mut hash, mut goes_on) = (Hasher128::new(5), false);
        hash.wide(look.keys);
        hash.wide(self.machine.arena.info(colon).hash);
        for group in exits.groups() {
            let trie = group.view(self.shared).trie;
            for opened in group.nodes.iter().filter_map(|&node| trie.child(node, b'"')) {
                hash.wide(group.hash());
                hash.word(opened.into());
                goes_on = true;
            }
        }
        match goes_on {
            true => hash.finish(),
            false => 0,
        }
    }

    fn object_summary(&mut self, object: u32, state: u32) -> Result<Option<ObjectSummary>> {
        if let Some(Some(known)) = self.names.lookaheads.summaries.get(state as usize) {
            return Ok(*known);
        }
        let look = self.summarize(object, state)?;
        let summaries = &mut self.names.lookaheads.summaries;
        if summaries.len() <= state as usize {
            let before = summaries.capacity();
            summaries.resize(state as usize + 1, None);
            self.machine
                .arena
                .budget
                .grow((summaries.capacity() - before) * size_of::<Option<Option<ObjectSummary>>>());
        }
        summaries[state as usize] = Some(look);
        Ok(look)
    }

    fn summarize(&mut self, object: u32, state: u32) -> Result<Option<ObjectSummary>> {
        let key_prefixes = &self.shared.vocabulary.key_prefixes;
        if !self.names.lookaheads.profiles.contains_key(&object) {
            let outline = self.machine.arena.outline(object, key_prefixes)?;
            self.names.lookaheads.profiles.insert(object, outline);
        }
        match &self.names.lookaheads.profiles[&object] {
            Some(outline) => self.machine.arena.object_summary(object, state, outline, key_prefixes),
            None => Ok(None),
        }
    }

    /// The same of a text, in whatever grammar.
    fn seen_text(&mut self, id: TermId, exits: &Exits) -> Result<Lookahead> {
        let arena = &mut self.machine.arena;
        let key = hashed(7, &[arena.info(id).hash, exits.hash()]);
        if let Some(known) = self.shared.seen.get(key) {
            return Ok(known);
        }
        arena.spend(exits.len() as u64)?;
        let (may, nullable) = (arena.first_bytes(id), arena.info(id).nullable);
        let (mut name, mut ends) = (0u128, Groups::new());
        for group in exits.groups() {
            let TrieView { trie, pieces } = group.view(self.shared);
            let mut nodes = if nullable { group.nodes.clone() } else { SmallVec::new() };
            for &node in group.nodes.iter().filter(|&&node| trie.has_child_in(node, &may)) {
                let piece = pieces.get(arena, trie, node, id)?;
                name = name.wrapping_add(piece.hash);
                nodes.extend_from_slice(&piece.exits);
            }
            ends.push(group.beside(nodes));
        }
        let seen = Lookahead { key: name, ends: Exits::of(ends) };
        self.shared.seen.put(key, seen.clone(), seen.memory_bytes());
        Ok(seen)
    }
}
