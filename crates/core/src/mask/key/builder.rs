//! Position of one machine → its key, head by head.
//!
//! A head enters by a hash of its tokens. What follows the head enters by hashes of what tokens observe below its exits
//! (`lookahead`). Most tokens end soon after an exit, so a key depends on little: of an object, for example, on whether it
//! may close and whether another member may come. Hashes of parts are added, as the mask joins their tokens.

use crate::automaton::follow_bytes::FollowBytes;
use crate::automaton::frame::FrameId;
use crate::automaton::machine::Machine;
use crate::error::Result;
use crate::json::registers::Value;
use crate::mask::accelerate::exclusion::Exclusion;
use crate::mask::exits::{Exits, Key};
use crate::mask::head_mask::HeadMask;
use crate::mask::key::lookahead::Lookaheads;
use crate::mask::key::{Lookahead, MaskKey, DEPTH};
use crate::mask::shared::SharedMasks;
use crate::regular::id::{ObjectId, ObjectStateId};
use crate::regular::term::{Term, TermId, Text, EPSILON};
use crate::regular::terms::Terms;
use crate::storage::hash::Hasher128;
use crate::vocabulary::id::NodeId;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// Parts of keys, cached for one machine and one vocabulary.
#[derive(Default)]
pub(crate) struct KeyParts {
    pub(super) lookaheads: Lookaheads,
    /// (state, extra, frame, exits) → what follows an unnamed key of an object, for any text of the key.
    members: FxHashMap<(ObjectStateId, u32, FrameId, Key), MaskKey>,
    /// The inner part of an unnamed key → its hash, and whether the key may go on with any text.
    inners: FxHashMap<TermId, (u128, bool)>,
    /// (object, low, high, depth) → where tokens leave the named keys.
    ends: FxHashMap<(ObjectId, u32, u32, u32), Arc<[End]>>,
}

/// The part of a key that a head has whatever follows the head.
pub(crate) enum OwnPart {
    /// The hash of the tokens of its head mask.
    Tokens(u128),
    /// The hash of the head saturated at the longest token, where the head mask does not tell everything.
    Saturated(u128),
}

/// Where tokens leave the rest of a named key: at its end, or at the last node at which a token ends.
struct End {
    /// Indices of the sorted keys that tokens leave at this node.
    keys: Range<u32>,
    node: NodeId,
    /// Whether the node is the end of the key.
    whole: bool,
    /// The hash of what tokens observe behind the key, if that does not depend on the members before.
    after: MaskKey,
}

/// Makes keys of the positions of one machine.
pub(crate) struct KeyBuilder<'a> {
    /// The automaton of the grammar.
    pub machine: &'a mut Machine,
    /// The FOLLOW sets of the machine's frames.
    pub follow_bytes: &'a mut FollowBytes,
    /// The parts cached so far.
    pub parts: &'a mut KeyParts,
    /// The vocabulary, and the caches that its grammars share.
    pub shared: &'a SharedMasks,
}

impl KeyBuilder<'_> {
    /// The key of a head that has a head mask, and of what follows the head.
    pub(crate) fn of_head(
        &mut self,
        head: TermId,
        own: OwnPart,
        frame: FrameId,
        head_mask: &HeadMask,
    ) -> Result<MaskKey> {
        if head_mask.inexact_exits {
            return Ok(None);
        }
        let exits = head_mask.core.exits.get(self.shared);
        if let Term::KeyExtra { state, extra, inner, .. } = *self.machine.arena.term(head) {
            let key = (state, extra, frame, exits.key());
            let after = match self.parts.members.get(&key) {
                Some(&known) => known,
                None => {
                    let after = self.lookahead_after_key(head, frame, exits)?;
                    self.machine.arena.budget.grow(64);
                    self.parts.members.insert(key, after);
                    after
                }
            };
            let Some(after) = after else { return Ok(None) };
            let (inner, _) = self.inner_key(inner)?;
            return Ok(Some(Hasher128::of(1, &[inner, after])));
        }
        if self.machine.arena.info(head).structural {
            return Ok(None);
        }
        let Some(Lookahead { hash: behind, .. }) = self.lookahead_behind(frame, exits, DEPTH)? else { return Ok(None) };
        Ok(Some(match own {
            OwnPart::Tokens(own) => own.wrapping_add(behind),
            OwnPart::Saturated(saturated) => Hasher128::of(2, &[saturated, behind]),
        }))
    }

    /// The hash of what tokens observe behind an unnamed key: a colon, a value, and what follows the value.
    fn lookahead_after_key(&mut self, key: TermId, frame: FrameId, exits: &Exits) -> Result<MaskKey> {
        let Term::KeyExtra { object, extra, .. } = *self.machine.arena.term(key) else { return Ok(None) };
        let spec = self.machine.arena.registers.objects[object.index()].clone();
        if let Some(after) = self.lookahead_values(object, &spec.extras[extra as usize].values, exits)? {
            return Ok(Some(after));
        }
        let ended = self.machine.arena.replace_open_key(key, EPSILON, Text::Unknown)?;
        match self.machine.arena.continuation(ended)? {
            Some(member) => Ok(self.lookahead_from(member, frame, exits, DEPTH)?.map(|found| found.hash)),
            None => Ok(None),
        }
    }

    /// The key of a head that reads named keys of an object. `covered`: another head reads keys of any text.
    pub(crate) fn of_named_key(&mut self, key: TermId, frame: FrameId, covered: bool) -> Result<MaskKey> {
        let Term::KeyNamed { object, state, low, high, depth } = *self.machine.arena.term(key) else { return Ok(None) };
        let choices = self.machine.arena.choices(object, state)?;
        let ends = self.ends((object, low, high, depth))?;
        let spec = self.machine.arena.registers.objects[object.index()].clone();
        let (mut hash, mut nodes) = (0u128, SmallVec::<[NodeId; 16]>::new());
        for end in ends.iter() {
            let keys = &spec.sorted[end.keys.start as usize..end.keys.end as usize];
            let Some(&(_, property)) = keys.iter().find(|&&(_, property)| choices.allows(property)) else { continue };
            if end.whole || !covered {
                nodes.push(end.node);
            }
            let after = match end.after {
                Some(after) => after,
                None => {
                    let member = self.machine.arena.named_member(object, state, property)?;
                    let exits = Exits::at(end.node);
                    let Some(after) = self.lookahead_from(member, frame, &exits, DEPTH)? else {
                        return Ok(None);
                    };
                    after.hash
                }
            };
            hash = hash.wrapping_add(after);
        }
        // A node on the path to another one adds no token.
        nodes.sort_unstable();
        for (at, &node) in nodes.iter().enumerate() {
            if nodes.get(at + 1).is_none_or(|&next| next >= self.shared.vocabulary.trie.end(node)) {
                hash = hash.wrapping_add(Hasher128::of(3, &[node.number().into()]));
            }
        }
        Ok(Some(hash))
    }

    /// Whether a head is a key that may be any text but finitely many.
    pub(crate) fn covers(&mut self, head: TermId) -> Result<bool> {
        match *self.machine.arena.term(head) {
            Term::KeyExtra { inner, .. } => Ok(self.inner_key(inner)?.1),
            _ => Ok(false),
        }
    }

    /// The hash of what tokens observe of a colon and one of several values; None if a token goes on behind a value, because what
    /// follows depends on the members before.
    fn lookahead_values(&mut self, object: ObjectId, values: &[Value], exits: &Exits) -> Result<MaskKey> {
        let spec = &self.machine.arena.registers.objects[object.index()];
        let colon = spec.colon;
        if !spec.is_unrestricted() {
            return Ok(None);
        }
        let Some(Lookahead { mut hash, ends, .. }) = self.lookahead(colon, exits, DEPTH)? else { return Ok(None) };
        for value in values {
            match self.lookahead(value.node, &ends, DEPTH)? {
                Some(value) if value.ends.is_nowhere() => hash = hash.wrapping_add(value.hash),
                _ => return Ok(None),
            }
        }
        Ok(Some(hash))
    }

    /// Where tokens leave the named keys `low..high`, of which `depth` bytes are read.
    fn ends(&mut self, of: (ObjectId, u32, u32, u32)) -> Result<Arc<[End]>> {
        if let Some(ends) = self.parts.ends.get(&of) {
            return Ok(ends.clone());
        }
        let (object, low, high, depth) = of;
        let spec = self.machine.arena.registers.objects[object.index()].clone();
        let keys = &spec.sorted[low as usize..high as usize];
        self.machine.arena.spend(keys.len() as u64)?;
        let colon = self.follow_bytes.first_of(self.machine, &[spec.colon]);
        let shared = self.shared;
        let trie = &shared.vocabulary.trie;
        let mut ends: Vec<End> = Vec::new();
        for (place, (text, property)) in (low..high).zip(keys) {
            let (left_at, whole) = trie.follow(&text[depth as usize..]);
            if let (None, Some(last)) = (whole, ends.last_mut()) {
                if !last.whole && last.node == left_at {
                    last.keys.end = place + 1;
                    continue;
                }
            }
            let mut after = Some(0);
            if let Some(node) = whole.filter(|&node| trie.has_child_in(node, &colon)) {
                let values = &spec.properties[*property as usize].values;
                after = self.lookahead_values(object, values, &Exits::at(node))?;
            }
            let node = whole.unwrap_or(left_at);
            if node != NodeId::ROOT {
                ends.push(End { keys: place..place + 1, node, whole: whole.is_some(), after });
            }
        }
        let ends: Arc<[End]> = ends.into();
        self.machine.arena.budget.grow(64 + size_of_val(&*ends));
        self.parts.ends.insert(of, ends.clone());
        Ok(ends)
    }

    /// The hash of the inner part of an unnamed key, and whether the key may go on with any text.
    fn inner_key(&mut self, inner: TermId) -> Result<(u128, bool)> {
        if let Some(&known) = self.parts.inners.get(&inner) {
            return Ok(known);
        }
        let mut nodes = Vec::new();
        let arena = &mut self.machine.arena;
        let named = match Exclusion::of(arena, inner)? {
            Some(exclusion) if exclusion.ends_of_excluded(arena, &self.shared.vocabulary.trie, &mut nodes) => {
                nodes.sort_unstable();
                nodes.dedup();
                let mut parts = vec![self.shared.saturated_hash(arena, exclusion.relaxed)?];
                parts.extend(nodes.into_iter().map(|node| u128::from(node.number())));
                (Hasher128::of(4, &parts), reads_any_text(arena, exclusion.relaxed))
            }
            _ => (self.shared.saturated_hash(arena, inner)?, reads_any_text(arena, inner)),
        };
        arena.budget.grow(64);
        self.parts.inners.insert(inner, named);
        Ok(named)
    }
}

/// Whether a head is inside a string of any text.
fn reads_any_text(terms: &Terms, inner: TermId) -> bool {
    matches!(*terms.term(inner), Term::Quoted { text, escapes, .. } if terms.is_any_text(text, escapes))
}
