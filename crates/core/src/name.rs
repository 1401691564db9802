//! A position × what tokens see of it → a name: where two names are equal the masks are, in one grammar or in two.
//!
//! A name is made as a mask is, but of hashes: what heads do is named by its content, and so is what follows them below the
//! nodes of the trie at which they end. No token goes on from most of those nodes for long, so the name soon knows
//! enough: of an object whether it may be closed and whether another member may come (`look`), of what is around it
//! nothing. The parts of a name are added up, as those of a mask are, in whatever frames they stood.

use crate::composer::Ground;
use crate::error::Result;
use crate::exclusion::Exclusion;
use crate::exits::{Exits, Groups, Key};
use crate::local::Local;
use crate::look::{Look, Outline};
use crate::machine::{FrameId, Machine, BOTTOM};
use crate::object::Value;
use crate::rules::First;
use crate::spelling::Along;
use crate::term::{Arena, Hasher128, Term, TermId, Text, EPSILON};
use crate::vocabulary::Vocabulary;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::hash::Hash;
use std::ops::Range;
use std::sync::Arc;

/// None: more would have to be known than can be told by a name.
pub(crate) type Name = Option<u128>;

/// Terms in terms, and frames on frames, are looked at so far down.
const DEPTH: u32 = 64;

/// What is known of names, for one machine and one vocabulary.
#[derive(Default)]
pub(crate) struct Names {
    behind: FxHashMap<(FrameId, Key), Told>,
    /// Of terms that only this machine knows.
    terms: FxHashMap<(TermId, Key), Option<Seen>>,
    /// (state, extra, frame, exits) → what follows another key of an object, whichever it was.
    members: FxHashMap<(u32, u32, FrameId, Key), Told>,
    /// The inner part of a key that is not named, and whether it goes on with any text.
    inners: FxHashMap<TermId, (u128, bool)>,
    outlines: FxHashMap<u32, Option<Outline>>,
    /// By the states of objects, as far as they were looked at.
    looks: Vec<Option<Option<Look>>>,
    /// For each look of an object what tokens see of it.
    objects: FxHashMap<(u32, At, Look, Key), Seen>,
    /// (object, low, high, depth) → where the named keys lead.
    ends: FxHashMap<(u32, u32, u32, u32), Arc<[End]>>,
}

/// A name, packed, as `Info` is.
#[derive(Clone, Copy)]
#[repr(C, packed(8))]
struct Told {
    name: u128,
    told: bool,
}

impl From<Name> for Told {
    fn from(name: Name) -> Self {
        Told { name: name.unwrap_or(0), told: name.is_some() }
    }
}

impl From<Told> for Name {
    fn from(Told { name, told }: Told) -> Self {
        told.then_some(name)
    }
}

/// What tokens see of something, and where it ends.
#[derive(Clone)]
pub(crate) struct Seen {
    name: u128,
    ends: Exits,
}

impl Seen {
    fn nothing(ends: Exits) -> Self {
        Seen { name: 0, ends }
    }

    /// Either of the two.
    fn and(self, other: Seen) -> Self {
        Seen { name: self.name.wrapping_add(other.name), ends: self.ends.both(other.ends) }
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Seen>() + self.ends.memory_bytes()
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

/// What a head with a piece of its own does, whatever follows it.
pub(crate) enum Own {
    /// The hash of its tokens.
    Tokens(u128),
    /// The hash of the head clipped to the longest token, where its piece does not tell everything.
    Near(u128),
}

/// How far tokens follow the rest of a named key: to its end, or to the last node at which one ends.
struct End {
    /// Places among the sorted keys: more than one where tokens leave them at the same node.
    keys: Range<u32>,
    node: u32,
    whole: bool,
    /// What they see behind it, if that is the same whatever came before.
    after: Name,
}

fn hashed(kind: u64, parts: &[u128]) -> u128 {
    let mut hash = Hasher128::new(kind);
    parts.iter().for_each(|&part| hash.wide(part));
    hash.finish()
}

impl Machine {
    /// What a head does that has a piece of its own, and what follows it.
    pub(crate) fn name_of_head(
        &mut self,
        head: TermId,
        own: Own,
        frame: FrameId,
        local: &Local,
        vocabulary: &Vocabulary,
    ) -> Result<Name> {
        if local.strays {
            return Ok(None);
        }
        let exits = &local.core.exits;
        if let Term::KeyExtra { state, extra, inner, .. } = *self.arena.term(head) {
            let key = (state, extra, frame, exits.key());
            let after = match self.names.members.get(&key) {
                Some(&known) => known.into(),
                None => {
                    let after = self.seen_after_key(head, frame, exits, vocabulary)?;
                    self.arena.budget.grow(64);
                    self.names.members.insert(key, after.into());
                    after
                }
            };
            let Some(after) = after else { return Ok(None) };
            let (inner, _) = self.inner_name(inner, vocabulary)?;
            return Ok(Some(hashed(1, &[inner, after])));
        }
        if self.arena.info(head).structural {
            return Ok(None);
        }
        let Some(behind) = self.seen_behind(frame, exits, vocabulary, DEPTH)? else { return Ok(None) };
        Ok(Some(match own {
            Own::Tokens(own) => own.wrapping_add(behind),
            Own::Near(near) => hashed(2, &[near, behind]),
        }))
    }

    /// A colon and a value, and perhaps more, behind a key that is not named.
    fn seen_after_key(&mut self, key: TermId, frame: FrameId, exits: &Exits, vocabulary: &Vocabulary) -> Result<Name> {
        let Term::KeyExtra { object, extra, .. } = *self.arena.term(key) else { return Ok(None) };
        let spec = self.arena.objects[object as usize].clone();
        if let Some(after) = self.seen_values(object, &spec.extras[extra as usize].values, exits, vocabulary)? {
            return Ok(Some(after));
        }
        let ended = self.arena.rehold(key, EPSILON, Text::Unknown)?;
        match self.arena.bound(ended)? {
            Some(member) => self.seen_from(member, frame, exits, vocabulary, DEPTH),
            None => Ok(None),
        }
    }

    /// A named key; `covered` if another key may be any text.
    pub(crate) fn name_of_key(
        &mut self,
        key: TermId,
        frame: FrameId,
        covered: bool,
        vocabulary: &Vocabulary,
    ) -> Result<Name> {
        let Term::KeyNamed { object, state, low, high, depth } = *self.arena.term(key) else { return Ok(None) };
        let choices = self.arena.choices(object, state)?;
        let ends = self.ends((object, low, high, depth), vocabulary)?;
        let spec = self.arena.objects[object as usize].clone();
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
                    let member = self.arena.member(object, state, property)?;
                    let exits = Exits::at(end.node);
                    let Some(after) = self.seen_from(member, frame, &exits, vocabulary, DEPTH)? else {
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
            if nodes.get(at + 1).is_none_or(|&next| next >= vocabulary.trie.end(node)) {
                name = name.wrapping_add(hashed(3, &[node.into()]));
            }
        }
        Ok(Some(name))
    }

    /// A text that is spelled in one way: as far as tokens go along, as of a named key.
    pub(crate) fn name_of_text(&mut self, text: &[u8], frame: FrameId, vocabulary: &Vocabulary) -> Result<Name> {
        let trie = &vocabulary.trie;
        let (told, whole) = Along::new(trie).read(text);
        let name = hashed(3, &[told.into()]);
        let Some(node) = whole.filter(|&node| trie.leads_on(node, &self.leads(EPSILON, frame))) else {
            return Ok(Some(name));
        };
        Ok(self.seen_behind(frame, &Exits::at(node), vocabulary, DEPTH)?.map(|behind| name.wrapping_add(behind)))
    }

    /// Whether a head is a key that may be any text but a few.
    pub(crate) fn covers(&mut self, head: TermId, vocabulary: &Vocabulary) -> Result<bool> {
        match *self.arena.term(head) {
            Term::KeyExtra { inner, .. } => Ok(self.inner_name(inner, vocabulary)?.1),
            _ => Ok(false),
        }
    }

    /// A colon and one of several values, if no token sees what follows them: whatever came before, they are the same.
    fn seen_values(&mut self, object: u32, values: &[Value], exits: &Exits, vocabulary: &Vocabulary) -> Result<Name> {
        let spec = &self.arena.objects[object as usize];
        let colon = spec.colon;
        if !spec.unrestricted() {
            return Ok(None);
        }
        let Some(Seen { mut name, ends }) = self.seen(colon, exits, vocabulary, DEPTH)? else { return Ok(None) };
        for value in values {
            match self.seen(value.node, &ends, vocabulary, DEPTH)? {
                Some(value) if value.ends.is_nowhere() => name = name.wrapping_add(value.name),
                _ => return Ok(None),
            }
        }
        Ok(Some(name))
    }

    /// The named keys from a depth on, as far as tokens go along.
    fn ends(&mut self, of: (u32, u32, u32, u32), vocabulary: &Vocabulary) -> Result<Arc<[End]>> {
        if let Some(ends) = self.names.ends.get(&of) {
            return Ok(ends.clone());
        }
        let (object, low, high, depth) = of;
        let spec = self.arena.objects[object as usize].clone();
        let keys = &spec.sorted[low as usize..high as usize];
        self.arena.spend(keys.len() as u64)?;
        let colon = self.signs(&[spec.colon]);
        let trie = &vocabulary.trie;
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
            if let Some(node) = whole.filter(|&node| trie.leads_on(node, &colon)) {
                let values = &spec.properties[*property as usize].values;
                after = self.seen_values(object, values, &Exits::at(node), vocabulary)?;
            }
            let node = whole.unwrap_or(told);
            if node != 0 {
                ends.push(End { keys: place..place + 1, node, whole: whole.is_some(), after });
            }
        }
        let ends: Arc<[End]> = ends.into();
        self.arena.budget.grow(64 + size_of_val(&*ends));
        self.names.ends.insert(of, ends.clone());
        Ok(ends)
    }

    /// What tokens see of the inner part of a key, and whether it goes on with any text at all.
    fn inner_name(&mut self, inner: TermId, vocabulary: &Vocabulary) -> Result<(u128, bool)> {
        if let Some(&known) = self.names.inners.get(&inner) {
            return Ok(known);
        }
        let mut closed = Vec::new();
        let arena = &mut self.arena;
        let named = match Exclusion::of(arena, inner)? {
            Some(exclusion) if exclusion.spelled(arena, &vocabulary.trie, &mut closed) => {
                closed.sort_unstable();
                closed.dedup();
                let mut parts = vec![vocabulary.near(arena, exclusion.near)?];
                parts.extend(closed.into_iter().map(u128::from));
                (hashed(4, &parts), arena.reads_any_text(exclusion.near))
            }
            _ => (vocabulary.near(arena, inner)?, arena.reads_any_text(inner)),
        };
        arena.budget.grow(64);
        self.names.inners.insert(inner, named);
        Ok(named)
    }

    /// What tokens see of what a frame returns to, below the nodes from which they go on.
    fn seen_behind(&mut self, frame: FrameId, exits: &Exits, vocabulary: &Vocabulary, depth: u32) -> Result<Name> {
        if exits.is_nowhere() || frame == BOTTOM {
            return Ok(Some(0));
        }
        let key = (frame, exits.key());
        if let Some(&known) = self.names.behind.get(&key) {
            return Ok(known.into());
        }
        let Some(depth) = depth.checked_sub(1) else { return Ok(None) };
        let mut name = Some(0u128);
        for at in 0..self.members(frame).len() {
            let (term, parent) = self.members(frame)[at];
            let seen = self.seen_from(term, parent, exits, vocabulary, depth)?;
            name = name.zip(seen).map(|(name, seen)| name.wrapping_add(seen));
        }
        self.arena.budget.grow(48);
        roomy(&mut self.names.behind);
        self.names.behind.insert(key, name.into());
        Ok(name)
    }

    /// The same of a term and the frame below it.
    fn seen_from(
        &mut self,
        term: TermId,
        frame: FrameId,
        exits: &Exits,
        vocabulary: &Vocabulary,
        depth: u32,
    ) -> Result<Name> {
        let Some(Seen { name, ends }) = self.seen(term, exits, vocabulary, depth)? else { return Ok(None) };
        Ok(self.seen_behind(frame, &ends, vocabulary, depth)?.map(|behind| name.wrapping_add(behind)))
    }

    /// The same of a term alone, and where it ends.
    fn seen(&mut self, id: TermId, exits: &Exits, vocabulary: &Vocabulary, depth: u32) -> Result<Option<Seen>> {
        if exits.is_nowhere() || id == EPSILON {
            return Ok(Some(Seen::nothing(exits.clone())));
        }
        let Some(depth) = depth.checked_sub(1) else { return Ok(None) };
        self.arena.spend(1)?;
        if let Term::Object(_) | Term::ObjectKey { .. } | Term::ObjectNext { .. } = self.arena.term(id) {
            return self.seen_object(id, exits, vocabulary, depth);
        }
        if !self.arena.info(id).structural {
            return self.seen_text(id, exits, vocabulary).map(Some);
        }
        let key = (id, exits.key());
        if let Some(known) = self.names.terms.get(&key) {
            return Ok(known.clone());
        }
        let seen = self.seen_structure(id, exits, vocabulary, depth)?;
        self.arena.budget.grow(48 + seen.as_ref().map_or(0, Seen::memory_bytes));
        roomy(&mut self.names.terms);
        self.names.terms.insert(key, seen.clone());
        Ok(seen)
    }

    fn seen_structure(
        &mut self,
        id: TermId,
        exits: &Exits,
        vocabulary: &Vocabulary,
        depth: u32,
    ) -> Result<Option<Seen>> {
        self.arena.spend(exits.len() as u64)?;
        let mut all = Seen::nothing(Exits::NOWHERE);
        match *self.arena.term(id) {
            Term::Seq(..) => {
                let mut rest = id;
                all.ends = exits.clone();
                loop {
                    let (first, more) = match *self.arena.term(rest) {
                        Term::Seq(left, right) => (left, Some(right)),
                        _ => (rest, None),
                    };
                    let Some(seen) = self.seen(first, &all.ends, vocabulary, depth)? else { return Ok(None) };
                    all = Seen { name: all.name.wrapping_add(seen.name), ..seen };
                    match more {
                        Some(more) if !all.ends.is_nowhere() => rest = more,
                        _ => break,
                    }
                }
            }
            Term::Alt(ref parts) => {
                for part in parts.clone() {
                    let Some(seen) = self.seen(part, exits, vocabulary, depth)? else { return Ok(None) };
                    all = all.and(seen);
                }
            }
            Term::Repeat { body, min, max } if !self.rules().nullable(&self.arena, body) => {
                let (mut at, mut count) = (exits.clone(), 0);
                while !at.is_nowhere() {
                    if count >= min {
                        all.ends = all.ends.both(at.clone());
                    }
                    if count == max {
                        break;
                    }
                    let Some(seen) = self.seen(body, &at, vocabulary, depth)? else { return Ok(None) };
                    all.name = all.name.wrapping_add(seen.name);
                    (at, count) = (seen.ends, count + 1);
                }
            }
            Term::Call(rule) => {
                // Its entries, not its body: those do not begin with the rule itself.
                if self.rules().may_be_empty(rule) {
                    all.ends = exits.clone();
                }
                for entry in self.rules().entries(rule).iter() {
                    let first = match entry.first {
                        First::Head(head) => self.seen(head, exits, vocabulary, depth)?,
                        First::Call(callee) => {
                            let call = self.arena.call(callee)?;
                            self.seen(call, exits, vocabulary, depth)?
                        }
                        First::Special(_) => Some(Seen::nothing(Exits::NOWHERE)),
                        First::Ask | First::Unique(_) => None,
                    };
                    let Some(mut seen) = first else { return Ok(None) };
                    for &part in &entry.rest {
                        let Some(more) = self.seen(part, &seen.ends, vocabulary, depth)? else { return Ok(None) };
                        seen = Seen { name: seen.name.wrapping_add(more.name), ..more };
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
    fn seen_object(&mut self, id: TermId, exits: &Exits, vocabulary: &Vocabulary, depth: u32) -> Result<Option<Seen>> {
        let (object, state, at) = match *self.arena.term(id) {
            Term::Object(object) => (object, self.arena.first_state(object), At::Start),
            Term::ObjectKey { object, state } => (object, state, At::Key),
            Term::ObjectNext { object, state } => (object, state, At::Next),
            _ => return Ok(None),
        };
        let Some(look) = self.look(object, state, vocabulary)? else { return Ok(None) };
        let key = (object, at, look, exits.key());
        if let Some(known) = self.names.objects.get(&key) {
            return Ok(Some(known.clone()));
        }
        let seen = self.seen_looking(object, at, look, exits, vocabulary, depth)?;
        if let Some(seen) = &seen {
            self.arena.budget.grow(96 + seen.memory_bytes());
            self.names.objects.insert(key, seen.clone());
        }
        Ok(seen)
    }

    /// The same of all its states that look like this, in whatever grammar.
    fn seen_looking(
        &mut self,
        object: u32,
        at: At,
        look: Look,
        exits: &Exits,
        vocabulary: &Vocabulary,
        depth: u32,
    ) -> Result<Option<Seen>> {
        let spec = &self.arena.objects[object as usize];
        let colon = spec.colon;
        let (end, before) = match at {
            At::Start => (look.closes.then_some(spec.empty), look.goes_on.then_some(spec.open)),
            At::Next => (look.closes.then_some(spec.close), look.goes_on.then_some(spec.comma)),
            At::Key => (None, Some(EPSILON)),
        };
        let told = |part: Option<TermId>| part.map_or(0, |part| self.arena.info(part).hash);
        let key = hashed(6, &[look.keys, told(end), told(before), told(Some(colon)), exits.hash()]);
        let shared = [end, before].iter().flatten().all(|&part| !self.arena.info(part).structural);
        if let Some(known) = vocabulary.seen.get(key).filter(|_| shared) {
            return Ok(Some(known));
        }
        let mut all = Seen::nothing(Exits::NOWHERE);
        if let Some(end) = end {
            let Some(seen) = self.seen(end, exits, vocabulary, depth)? else { return Ok(None) };
            all = seen;
        }
        if let Some(before) = before {
            let Some(seen) = self.seen(before, exits, vocabulary, depth)? else { return Ok(None) };
            let keys = self.seen_key(look, colon, &seen.ends, vocabulary);
            all.name = all.name.wrapping_add(seen.name).wrapping_add(keys);
        }
        if shared {
            vocabulary.seen.put(key, all.clone(), all.memory_bytes());
        }
        Ok(Some(all))
    }

    /// How a key may begin, if tokens go on with a quote.
    fn seen_key(&mut self, look: Look, colon: TermId, exits: &Exits, vocabulary: &Vocabulary) -> u128 {
        let (mut hash, mut goes_on) = (Hasher128::new(5), false);
        hash.wide(look.keys);
        hash.wide(self.arena.info(colon).hash);
        for group in exits.groups() {
            let trie = group.ground(vocabulary).trie;
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

    fn look(&mut self, object: u32, state: u32, vocabulary: &Vocabulary) -> Result<Option<Look>> {
        if let Some(Some(known)) = self.names.looks.get(state as usize) {
            return Ok(*known);
        }
        let look = self.look_anew(object, state, vocabulary)?;
        let looks = &mut self.names.looks;
        if looks.len() <= state as usize {
            let before = looks.capacity();
            looks.resize(state as usize + 1, None);
            self.arena.budget.grow((looks.capacity() - before) * size_of::<Option<Option<Look>>>());
        }
        looks[state as usize] = Some(look);
        Ok(look)
    }

    fn look_anew(&mut self, object: u32, state: u32, vocabulary: &Vocabulary) -> Result<Option<Look>> {
        let openings = &vocabulary.openings;
        if !self.names.outlines.contains_key(&object) {
            let outline = self.arena.outline(object, openings)?;
            self.names.outlines.insert(object, outline);
        }
        match &self.names.outlines[&object] {
            Some(outline) => self.arena.look(object, state, outline, openings),
            None => Ok(None),
        }
    }

    /// The same of a text, in whatever grammar.
    fn seen_text(&mut self, id: TermId, exits: &Exits, vocabulary: &Vocabulary) -> Result<Seen> {
        let arena = &mut self.arena;
        let key = hashed(7, &[arena.info(id).hash, exits.hash()]);
        if let Some(known) = vocabulary.seen.get(key) {
            return Ok(known);
        }
        arena.spend(exits.len() as u64)?;
        let (may, nullable) = (arena.may(id), arena.info(id).nullable);
        let (mut name, mut ends) = (0u128, Groups::new());
        for group in exits.groups() {
            let Ground { trie, pieces } = group.ground(vocabulary);
            let mut nodes = if nullable { group.nodes.clone() } else { SmallVec::new() };
            for &node in group.nodes.iter().filter(|&&node| trie.leads_on(node, &may)) {
                let piece = pieces.get(arena, trie, node, id)?;
                name = name.wrapping_add(piece.hash);
                nodes.extend_from_slice(&piece.exits);
            }
            ends.push(group.beside(nodes));
        }
        let seen = Seen { name, ends: Exits::of(ends) };
        vocabulary.seen.put(key, seen.clone(), seen.memory_bytes());
        Ok(seen)
    }
}

impl Arena {
    fn reads_any_text(&self, inner: TermId) -> bool {
        matches!(*self.term(inner), Term::Quoted { text, .. } if Some(text) == self.any_text)
    }
}
