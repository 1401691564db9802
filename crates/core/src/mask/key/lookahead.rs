//! Term × trie nodes → a hash of what tokens can observe of the term below these nodes, and the nodes at which it ends.
//!
//! A lookahead without frames and objects is the same in all grammars and is cached with the vocabulary. Frames and
//! objects belong to one machine, and their lookaheads are cached with the key parts of that machine. Below listed exits,
//! a lookahead has the tokens beside their hash (`listing`).

use crate::automaton::frame::{FrameId, BOTTOM};
use crate::error::Result;
use crate::grammar::rules::First;
use crate::mask::exits::{Exits, Group, Groups, Key};
use crate::mask::key::builder::KeyBuilder;
use crate::mask::key::object_summary::{ObjectProfile, ObjectSummary};
use crate::mask::key::Lookahead;
use crate::mask::walk_cache::TrieView;
use crate::regular::id::ObjectId;
use crate::regular::term::{Term, TermId, EPSILON};
use crate::storage::hash::Hasher128;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::token_set::WordLists;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::hash::Hash;

/// Steps of the budget per walk whose tokens join those of a lookahead: about 0.2 µs.
const STEPS_PER_LIST: u64 = 4;

/// Lookaheads cached for one machine.
#[derive(Default)]
pub(super) struct Lookaheads {
    /// (frame, exits) → what tokens observe of what the frame returns to.
    pub(super) behind: FxHashMap<(FrameId, Key), Option<Lookahead>>,
    /// Lookaheads of terms that refer to rules or objects of this machine.
    terms: FxHashMap<(TermId, Key), Option<Lookahead>>,
    pub(super) profiles: FxHashMap<ObjectId, Option<ObjectProfile>>,
    /// Indexed by the states of objects: None where not computed, Some(None) where a state has no summary.
    pub(super) summaries: Vec<Option<Option<ObjectSummary>>>,
}

/// Give an empty table room for `TABLE_ROOM` entries.
fn make_room<K: Eq + Hash, V>(table: &mut FxHashMap<K, V>) {
    if table.capacity() == 0 {
        table.reserve(TABLE_ROOM);
    }
}

/// Entries for which a table has room from its first entry on: enough for most grammars, so that it seldom grows.
pub(super) const TABLE_ROOM: usize = 56;

impl KeyBuilder<'_> {
    /// The lookahead of everything that a frame returns to, below its exits; it has no ends.
    pub(super) fn lookahead_behind(&mut self, frame: FrameId, exits: &Exits, depth: u32) -> Result<Option<Lookahead>> {
        if exits.is_nowhere() || frame == BOTTOM {
            return Ok(Some(Lookahead::nothing(Exits::NOWHERE)));
        }
        let key = (frame, exits.key());
        if let Some(known) = self.parts.lookaheads.behind.get(&key) {
            return Ok(known.clone());
        }
        let Some(depth) = depth.checked_sub(1) else { return Ok(None) };
        let mut all = Some(Lookahead::nothing(Exits::NOWHERE));
        for at in 0..self.machine.members(frame).len() {
            let (term, parent) = self.machine.members(frame)[at];
            let lookahead = self.lookahead_from(term, parent, exits, depth)?;
            all = all.zip(lookahead).map(|(all, lookahead)| all.and(lookahead));
            self.machine.arena.spend(all.as_ref().map_or(0, Lookahead::size))?;
        }
        self.machine.arena.budget.grow(48 + all.as_ref().map_or(0, Lookahead::memory_bytes));
        make_room(&mut self.parts.lookaheads.behind);
        self.parts.lookaheads.behind.insert(key, all.clone());
        Ok(all)
    }

    /// The lookahead of a term and of the frame below it.
    pub(super) fn lookahead_from(
        &mut self,
        term: TermId,
        frame: FrameId,
        exits: &Exits,
        depth: u32,
    ) -> Result<Option<Lookahead>> {
        let Some(lookahead) = self.lookahead(term, exits, depth)? else { return Ok(None) };
        let behind = self.lookahead_behind(frame, &lookahead.ends, depth)?;
        Ok(behind.map(|behind| lookahead.then(behind)))
    }

    /// The lookahead of a term alone. None if a hash cannot tell everything.
    pub(super) fn lookahead(&mut self, id: TermId, exits: &Exits, depth: u32) -> Result<Option<Lookahead>> {
        if exits.is_nowhere() || id == EPSILON {
            return Ok(Some(Lookahead::nothing(exits.clone())));
        }
        let Some(depth) = depth.checked_sub(1) else { return Ok(None) };
        self.machine.arena.spend(1)?;
        if let Term::Object(_) | Term::ObjectKey { .. } | Term::ObjectNext { .. } = self.machine.arena.term(id) {
            return self.lookahead_object(id, exits, depth);
        }
        if !self.machine.arena.info(id).structural {
            return self.lookahead_regular(id, exits).map(Some);
        }
        let key = (id, exits.key());
        if let Some(known) = self.parts.lookaheads.terms.get(&key) {
            return Ok(known.clone());
        }
        let lookahead = self.lookahead_structure(id, exits, depth)?;
        self.machine.arena.budget.grow(48 + lookahead.as_ref().map_or(0, Lookahead::memory_bytes));
        make_room(&mut self.parts.lookaheads.terms);
        self.parts.lookaheads.terms.insert(key, lookahead.clone());
        Ok(lookahead)
    }

    fn lookahead_structure(&mut self, id: TermId, exits: &Exits, depth: u32) -> Result<Option<Lookahead>> {
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
                    let Some(lookahead) = self.lookahead(first, &all.ends, depth)? else { return Ok(None) };
                    all = all.then(lookahead);
                    self.machine.arena.spend(all.size())?;
                    match more {
                        Some(more) if !all.ends.is_nowhere() => rest = more,
                        _ => break,
                    }
                }
            }
            Term::Alt(ref parts) => {
                for part in parts.clone() {
                    let Some(lookahead) = self.lookahead(part, exits, depth)? else { return Ok(None) };
                    all = all.and(lookahead);
                    self.machine.arena.spend(all.size())?;
                }
            }
            Term::Repeat { body, min, max } if !self.machine.rules().is_nullable(&self.machine.arena, body) => {
                let (mut at, mut count) = (exits.clone(), 0);
                while !at.is_nowhere() {
                    if count >= min {
                        all.ends = all.ends.union(at.clone());
                    }
                    if count == max {
                        break;
                    }
                    let Some(lookahead) = self.lookahead(body, &at, depth)? else { return Ok(None) };
                    let ends = all.ends.clone();
                    all = all.then(lookahead);
                    self.machine.arena.spend(all.size() + ends.len() as u64)?;
                    at = std::mem::replace(&mut all.ends, ends);
                    count += 1;
                }
            }
            Term::Call(rule) => {
                // By its entries rather than its body: no entry begins with the rule itself.
                if self.machine.rules().is_nullable_rule(rule) {
                    all.ends = exits.clone();
                }
                for entry in self.machine.rules().entries(rule).iter() {
                    let first = match entry.first {
                        First::Head(term) | First::Open(term) => self.lookahead(term, exits, depth)?,
                        First::Call(callee) => {
                            let call = self.machine.arena.call(callee)?;
                            self.lookahead(call, exits, depth)?
                        }
                        First::Special(_) => Some(Lookahead::nothing(Exits::NOWHERE)),
                    };
                    let Some(mut lookahead) = first else { return Ok(None) };
                    for &part in &entry.rest {
                        let Some(more) = self.lookahead(part, &lookahead.ends, depth)? else { return Ok(None) };
                        lookahead = lookahead.then(more);
                    }
                    all = all.and(lookahead);
                    self.machine.arena.spend(all.size())?;
                }
            }
            // No token of text passes a special token.
            Term::Special(_) => {}
            _ => return Ok(None),
        }
        Ok(Some(all))
    }

    /// The lookahead of a regular term, cached for all grammars.
    fn lookahead_regular(&mut self, id: TermId, exits: &Exits) -> Result<Lookahead> {
        let arena = &mut self.machine.arena;
        let key = Hasher128::of(7, &[arena.info(id).hash, exits.hash()]);
        if let Some(known) = self.shared.lookaheads.get(key) {
            return Ok(known);
        }
        arena.spend(exits.len() as u64)?;
        let (first_bytes, nullable) = (arena.first_bytes(id), arena.info(id).nullable);
        let (mut hash, mut ends) = (0u128, Groups::new());
        let mut tokens = exits.is_listed().then(WordLists::default);
        for group in exits.groups() {
            let TrieView { trie, walks, .. } = group.view(self.shared.view());
            let mut nodes = if nullable { group.nodes.clone() } else { SmallVec::new() };
            for &node in group.nodes.iter().filter(|&&node| trie.has_child_in(node, &first_bytes)) {
                let walk = walks.get(arena, trie, node, id)?;
                arena.spend(STEPS_PER_LIST + tokens.as_ref().map_or(0, WordLists::len))?;
                hash = hash.wrapping_add(walk.hash);
                if let Some(tokens) = &mut tokens {
                    tokens.add(&walk.words);
                }
                nodes.extend_from_slice(&walk.exits);
                if let Some(merged) = &walk.remainder {
                    ends.push(Group::new(Some(merged.clone()), &[NodeId::ROOT][..]));
                }
            }
            ends.push(group.with_nodes(nodes));
        }
        let lookahead = Lookahead { hash, tokens, ends: Exits::new(ends, exits.is_listed()) };
        let bytes = lookahead.memory_bytes();
        self.machine.arena.budget.grow_shared(bytes)?;
        self.shared.lookaheads.put(key, lookahead.clone(), bytes);
        Ok(lookahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::mask::fixture::{node, shared_masks, Scene};
    use crate::mask::key::DEPTH;
    use crate::mask::shared::SharedMasks;
    use std::sync::Arc;

    /// A lookahead as its hash and its ends.
    fn parts(lookahead: Option<Lookahead>) -> Option<(u128, u128)> {
        lookahead.map(|lookahead| (lookahead.hash, lookahead.ends.hash()))
    }

    /// The lookahead of a grammar's whole text, behind the token `from`.
    fn lookahead_at(
        shared: &Arc<SharedMasks>,
        from: &str,
        make: impl FnOnce(&mut Builder) -> TermId,
    ) -> Option<(u128, u128)> {
        let (mut scene, mut root) = (None, EPSILON);
        let of = |builder: &mut Builder| {
            root = make(builder);
            root
        };
        let scene = scene.insert(Scene::new(shared, of));
        let exits = Exits::at(node(shared, from));
        parts(scene.keys().lookahead(root, &exits, DEPTH).unwrap())
    }

    #[test]
    fn what_may_repeat_nothing_for_ever_has_no_key() {
        let shared = shared_masks(&["a", "ab", "abb"]);
        let times = |min, max| {
            lookahead_at(&shared, "a", |builder| {
                let (rule, b) = (builder.rule("maybe").unwrap(), builder.literal(b"b").unwrap());
                let body = builder.repeat(b.number(), 0, Some(1)).unwrap();
                builder.define(rule.number(), body.number()).unwrap();
                builder.repeat(rule.number(), min, max).unwrap()
            })
        };
        assert_eq!([times(2, Some(3)), times(2, None)], [None, None]);
    }
}
