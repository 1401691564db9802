//! State of an object × trie nodes → a hash of what tokens can observe of the object below these nodes.
//!
//! Keys are hashed by a summary of the state, not walked, so no lookahead of an object lists its tokens.

use crate::error::Result;
use crate::mask::exits::Exits;
use crate::mask::key::builder::KeyBuilder;
use crate::mask::key::object_summary::{ObjectProfile, ObjectSummary};
use crate::mask::key::Lookahead;
use crate::regular::id::{ObjectId, ObjectStateId};
use crate::regular::term::{Term, TermId, EPSILON};
use crate::storage::hash::Hasher128;

/// A place in an object: before it, before a key, behind a member.
enum At {
    Start,
    Key,
    Next,
}

impl KeyBuilder<'_> {
    /// The lookahead of an object's term. An object has many states, but few different summaries.
    pub(super) fn lookahead_object(&mut self, id: TermId, exits: &Exits, depth: u32) -> Result<Option<Lookahead>> {
        let (object, state, at) = match *self.machine.arena.term(id) {
            Term::Object(object) => (object, self.machine.arena.first_state(object), At::Start),
            Term::ObjectKey { object, state } => (object, state, At::Key),
            Term::ObjectNext { object, state } => (object, state, At::Next),
            _ => return Ok(None),
        };
        let Some(summary) = self.object_summary(object, state)? else { return Ok(None) };
        let spec = &self.machine.arena.registers.objects[object.index()];
        let colon = spec.colon;
        let (end, before) = match at {
            At::Start => (summary.closes.then_some(spec.empty), summary.goes_on.then_some(spec.open)),
            At::Next => (summary.closes.then_some(spec.close), summary.goes_on.then_some(spec.comma)),
            At::Key => (None, Some(EPSILON)),
        };
        let hash_of = |part: Option<TermId>| part.map_or(0, |part| self.machine.arena.info(part).hash);
        let key = Hasher128::of(6, &[summary.keys, hash_of(end), hash_of(before), hash_of(Some(colon)), exits.hash()]);
        let shared = [end, before].iter().flatten().all(|&part| !self.machine.arena.info(part).structural);
        if let Some(known) = self.shared.lookaheads.get(key).filter(|_| shared) {
            return Ok(Some(known));
        }
        let mut all = Lookahead::nothing(Exits::NOWHERE);
        if let Some(end) = end {
            let Some(lookahead) = self.lookahead(end, exits, depth)? else { return Ok(None) };
            all = lookahead;
        }
        if let Some(before) = before {
            let Some(lookahead) = self.lookahead(before, exits, depth)? else { return Ok(None) };
            let keys = self.lookahead_key(summary, colon, &lookahead.ends);
            all.hash = all.hash.wrapping_add(lookahead.hash).wrapping_add(keys);
        }
        all.tokens = None;
        if shared {
            self.shared.lookaheads.put(key, all.clone(), all.memory_bytes());
        }
        Ok(Some(all))
    }

    /// The hash of how keys may begin; 0 if no token goes on with a quote.
    fn lookahead_key(&mut self, summary: ObjectSummary, colon: TermId, exits: &Exits) -> u128 {
        let (mut hash, mut goes_on) = (Hasher128::new(5), false);
        hash.wide(summary.keys);
        hash.wide(self.machine.arena.info(colon).hash);
        for group in exits.groups() {
            let trie = group.view(self.shared.view()).trie;
            for quote in group.nodes.iter().filter_map(|&node| trie.child(node, b'"')) {
                hash.wide(group.hash());
                hash.word(quote.number().into());
                goes_on = true;
            }
        }
        match goes_on {
            true => hash.finish(),
            false => 0,
        }
    }

    fn object_summary(&mut self, object: ObjectId, state: ObjectStateId) -> Result<Option<ObjectSummary>> {
        if let Some(Some(known)) = self.parts.lookaheads.summaries.get(state.index()) {
            return Ok(*known);
        }
        let summary = self.summarize(object, state)?;
        let summaries = &mut self.parts.lookaheads.summaries;
        if summaries.len() <= state.index() {
            let before = summaries.capacity();
            summaries.resize(state.index() + 1, None);
            self.machine
                .arena
                .budget
                .grow((summaries.capacity() - before) * size_of::<Option<Option<ObjectSummary>>>());
        }
        summaries[state.index()] = Some(summary);
        Ok(summary)
    }

    fn summarize(&mut self, object: ObjectId, state: ObjectStateId) -> Result<Option<ObjectSummary>> {
        let key_prefixes = &self.shared.vocabulary.key_prefixes;
        if !self.parts.lookaheads.profiles.contains_key(&object) {
            let profile = ObjectProfile::of(&mut self.machine.arena, object, key_prefixes)?;
            self.parts.lookaheads.profiles.insert(object, profile);
        }
        match &self.parts.lookaheads.profiles[&object] {
            Some(profile) => ObjectSummary::of(&mut self.machine.arena, object, state, profile, key_prefixes),
            None => Ok(None),
        }
    }
}
