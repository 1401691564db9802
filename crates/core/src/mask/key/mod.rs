//! A position × what tokens see of it → a name: where two names are equal the masks are, in one grammar or in two.
//!
//! A name is made as a mask is, but of hashes: what heads do is named by its content, and so is what follows them below the
//! nodes of the trie at which they end. No token goes on from most of those nodes for long, so the name soon knows
//! enough: of an object whether it may be closed and whether another member may come (`look`), of what is around it
//! nothing. The parts of a name are added up, as those of a mask are, in whatever frames they stood.

pub(crate) mod lookahead;
pub(crate) mod object_summary;
pub(crate) mod saturated;

use crate::automaton::machine::{FrameId, Machine};
use crate::error::Result;
use crate::mask::accelerate::exclusion::Exclusion;
use crate::mask::accelerate::trie_path::Along;
use crate::mask::exits::{Exits, Key};
use crate::mask::head_mask::HeadMask;
use crate::mask::shared::SharedMasks;
use crate::regular::arena::Arena;
use crate::regular::registers::Value;
use crate::regular::term::{Term, TermId, Text, EPSILON};
use crate::storage::hash::Hasher128;

use lookahead::Lookaheads;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

pub(crate) use lookahead::Lookahead;

/// None: more would have to be known than can be told by a name.
pub(crate) type MaskKey = Option<u128>;

/// Terms in terms, and frames on frames, are looked at so far down.
const DEPTH: u32 = 64;

/// What is known of names, for one machine and one vocabulary.
#[derive(Default)]
pub(crate) struct KeyParts {
    lookaheads: Lookaheads,
    /// (state, extra, frame, exits) → what follows another key of an object, whichever it was.
    members: FxHashMap<(u32, u32, FrameId, Key), KnownKey>,
    /// The inner part of a key that is not named, and whether it goes on with any text.
    inners: FxHashMap<TermId, (u128, bool)>,
    /// (object, low, high, depth) → where the named keys lead.
    ends: FxHashMap<(u32, u32, u32, u32), Arc<[End]>>,
}

/// A name, packed, as `Info` is.
#[derive(Clone, Copy)]
#[repr(C, packed(8))]
struct KnownKey {
    name: u128,
    told: bool,
}

impl From<MaskKey> for KnownKey {
    fn from(name: MaskKey) -> Self {
        KnownKey { name: name.unwrap_or(0), told: name.is_some() }
    }
}

impl From<KnownKey> for MaskKey {
    fn from(KnownKey { name, told }: KnownKey) -> Self {
        told.then_some(name)
    }
}

/// What a head with a piece of its own does, whatever follows it.
pub(crate) enum OwnPart {
    /// The hash of its tokens.
    Tokens(u128),
    /// The hash of the head clipped to the longest token, where its piece does not tell everything.
    Saturated(u128),
}

/// How far tokens follow the rest of a named key: to its end, or to the last node at which one ends.
struct End {
    /// Places among the sorted keys: more than one where tokens leave them at the same node.
    keys: Range<u32>,
    node: u32,
    whole: bool,
    /// What they see behind it, if that is the same whatever came before.
    after: MaskKey,
}

fn hashed(kind: u64, parts: &[u128]) -> u128 {
    let mut hash = Hasher128::new(kind);
    parts.iter().for_each(|&part| hash.wide(part));
    hash.finish()
}

/// Gives names to positions of one machine.
pub(crate) struct KeyBuilder<'a> {
    pub machine: &'a mut Machine,
    pub names: &'a mut KeyParts,
    pub shared: &'a SharedMasks,
}

impl KeyBuilder<'_> {
    /// What a head does that has a piece of its own, and what follows it.
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
        let exits = &head_mask.core.exits;
        if let Term::KeyExtra { state, extra, inner, .. } = *self.machine.arena.term(head) {
            let key = (state, extra, frame, exits.key());
            let after = match self.names.members.get(&key) {
                Some(&known) => known.into(),
                None => {
                    let after = self.seen_after_key(head, frame, exits)?;
                    self.machine.arena.budget.grow(64);
                    self.names.members.insert(key, after.into());
                    after
                }
            };
            let Some(after) = after else { return Ok(None) };
            let (inner, _) = self.inner_name(inner)?;
            return Ok(Some(hashed(1, &[inner, after])));
        }
        if self.machine.arena.info(head).structural {
            return Ok(None);
        }
        let Some(behind) = self.seen_behind(frame, exits, DEPTH)? else { return Ok(None) };
        Ok(Some(match own {
            OwnPart::Tokens(own) => own.wrapping_add(behind),
            OwnPart::Saturated(near) => hashed(2, &[near, behind]),
        }))
    }

    /// A colon and a value, and perhaps more, behind a key that is not named.
    fn seen_after_key(&mut self, key: TermId, frame: FrameId, exits: &Exits) -> Result<MaskKey> {
        let Term::KeyExtra { object, extra, .. } = *self.machine.arena.term(key) else { return Ok(None) };
        let spec = self.machine.arena.registers.objects[object as usize].clone();
        if let Some(after) = self.seen_values(object, &spec.extras[extra as usize].values, exits)? {
            return Ok(Some(after));
        }
        let ended = self.machine.arena.replace_open_key(key, EPSILON, Text::Unknown)?;
        match self.machine.arena.bound(ended)? {
            Some(member) => self.seen_from(member, frame, exits, DEPTH),
            None => Ok(None),
        }
    }

    /// A named key; `covered` if another key may be any text.
    pub(crate) fn of_key(&mut self, key: TermId, frame: FrameId, covered: bool) -> Result<MaskKey> {
        let Term::KeyNamed { object, state, low, high, depth } = *self.machine.arena.term(key) else { return Ok(None) };
        let choices = self.machine.arena.choices(object, state)?;
        let ends = self.ends((object, low, high, depth))?;
        let spec = self.machine.arena.registers.objects[object as usize].clone();
        let (mut name, mut nodes) = (0u128, SmallVec::<[u32; 16]>::new());
        for end in ends.iter() {
            let keys = &spec.sorted[end.keys.start as usize..end.keys.end as usize];
            let Some(&(_, property)) = keys.iter().find(|&&(_, property)| choices.allows(property)) else { continue };
            if end.whole || !covered {
                nodes.push(end.node);
            }
            let after = match end.after {
                Some(after) => after,
                None => {
                    let member = self.machine.arena.member(object, state, property)?;
                    let exits = Exits::at(end.node);
                    let Some(after) = self.seen_from(member, frame, &exits, DEPTH)? else {
                        return Ok(None);
                    };
                    after
                }
            };
            name = name.wrapping_add(after);
        }
        // What lies on the way to another node is said by that.
        nodes.sort_unstable();
        for (at, &node) in nodes.iter().enumerate() {
            if nodes.get(at + 1).is_none_or(|&next| next >= self.shared.vocabulary.trie.end(node)) {
                name = name.wrapping_add(hashed(3, &[node.into()]));
            }
        }
        Ok(Some(name))
    }

    /// A text that is spelled in one way: as far as tokens go along, as of a named key.
    pub(crate) fn of_text(&mut self, text: &[u8], frame: FrameId) -> Result<MaskKey> {
        let shared = self.shared;
        let trie = &shared.vocabulary.trie;
        let (told, whole) = Along::new(trie).read(text);
        let name = hashed(3, &[told.into()]);
        let Some(node) = whole.filter(|&node| trie.has_child_in(node, &self.machine.follow_bytes(EPSILON, frame)))
        else {
            return Ok(Some(name));
        };
        Ok(self.seen_behind(frame, &Exits::at(node), DEPTH)?.map(|behind| name.wrapping_add(behind)))
    }

    /// Whether a head is a key that may be any text but a few.
    pub(crate) fn covers(&mut self, head: TermId) -> Result<bool> {
        match *self.machine.arena.term(head) {
            Term::KeyExtra { inner, .. } => Ok(self.inner_name(inner)?.1),
            _ => Ok(false),
        }
    }

    /// A colon and one of several values, if no token sees what follows them: whatever came before, they are the same.
    fn seen_values(&mut self, object: u32, values: &[Value], exits: &Exits) -> Result<MaskKey> {
        let spec = &self.machine.arena.registers.objects[object as usize];
        let colon = spec.colon;
        if !spec.unrestricted() {
            return Ok(None);
        }
        let Some(Lookahead { key: mut name, ends }) = self.seen(colon, exits, DEPTH)? else { return Ok(None) };
        for value in values {
            match self.seen(value.node, &ends, DEPTH)? {
                Some(value) if value.ends.is_nowhere() => name = name.wrapping_add(value.key),
                _ => return Ok(None),
            }
        }
        Ok(Some(name))
    }

    /// The named keys from a depth on, as far as tokens go along.
    fn ends(&mut self, of: (u32, u32, u32, u32)) -> Result<Arc<[End]>> {
        if let Some(ends) = self.names.ends.get(&of) {
            return Ok(ends.clone());
        }
        let (object, low, high, depth) = of;
        let spec = self.machine.arena.registers.objects[object as usize].clone();
        let keys = &spec.sorted[low as usize..high as usize];
        self.machine.arena.spend(keys.len() as u64)?;
        let colon = self.machine.first_of(&[spec.colon]);
        let shared = self.shared;
        let trie = &shared.vocabulary.trie;
        let mut along = Along::new(trie);
        let mut ends: Vec<End> = Vec::new();
        for (place, (spelling, property)) in (low..high).zip(keys) {
            let (told, whole) = along.read(&spelling[depth as usize..]);
            if let (None, Some(last)) = (whole, ends.last_mut()) {
                if !last.whole && last.node == told {
                    last.keys.end = place + 1;
                    continue;
                }
            }
            let mut after = Some(0);
            if let Some(node) = whole.filter(|&node| trie.has_child_in(node, &colon)) {
                let values = &spec.properties[*property as usize].values;
                after = self.seen_values(object, values, &Exits::at(node))?;
            }
            let node = whole.unwrap_or(told);
            if node != 0 {
                ends.push(End { keys: place..place + 1, node, whole: whole.is_some(), after });
            }
        }
        let ends: Arc<[End]> = ends.into();
        self.machine.arena.budget.grow(64 + size_of_val(&*ends));
        self.names.ends.insert(of, ends.clone());
        Ok(ends)
    }

    /// What tokens see of the inner part of a key, and whether it goes on with any text at all.
    fn inner_name(&mut self, inner: TermId) -> Result<(u128, bool)> {
        if let Some(&known) = self.names.inners.get(&inner) {
            return Ok(known);
        }
        let mut closed = Vec::new();
        let arena = &mut self.machine.arena;
        let named = match Exclusion::of(arena, inner)? {
            Some(exclusion) if exclusion.spelled(arena, &self.shared.vocabulary.trie, &mut closed) => {
                closed.sort_unstable();
                closed.dedup();
                let mut parts = vec![self.shared.saturated_hash(arena, exclusion.near)?];
                parts.extend(closed.into_iter().map(u128::from));
                (hashed(4, &parts), arena.reads_any_text(exclusion.near))
            }
            _ => (self.shared.saturated_hash(arena, inner)?, arena.reads_any_text(inner)),
        };
        arena.budget.grow(64);
        self.names.inners.insert(inner, named);
        Ok(named)
    }
}

impl Arena {
    fn reads_any_text(&self, inner: TermId) -> bool {
        matches!(*self.term(inner), Term::Quoted { text, .. } if Some(text) == self.any_text)
    }
}
