//! A position × what tokens see of it → a name: where two names are equal the masks are, in one grammar or in two.
//!
//! A name is a hash of what a position is made of, down to its last frame. Heads are named by their content, keys by those
//! of their ends that some token reaches, objects by what tokens see of them (`look`); numbers that a grammar has given
//! to its rules, objects and states say nothing. What cannot be told in that way is named by its number, and such a name
//! is good in its own grammar only.

use crate::error::Result;
use crate::exclusion::Exclusion;
use crate::look::Outline;
use crate::machine::{FrameId, Machine, PositionId, BOTTOM};
use crate::term::{Arena, Hasher128, Term, TermId, Text, EPSILON, MANY};
use crate::trie::Trie;
use crate::vocabulary::Vocabulary;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Name {
    pub hash: u128,
    /// Whether it means something in its own grammar only.
    pub own: bool,
}

impl Name {
    fn shared(hash: u128) -> Self {
        Name { hash, own: false }
    }
}

/// What is named, so that no two kinds of things share a name.
#[derive(Clone, Copy)]
enum Kind {
    Position = 100,
    Head,
    Frame,
    Seq,
    Alt,
    Repeat,
    Special,
    Rules,
    Object,
    Key,
    Next,
    KeyNamed,
    KeyExtra,
    Excluding,
    Own,
}

/// A name in the making.
struct Naming {
    hash: Hasher128,
    own: bool,
}

impl Naming {
    fn of(kind: Kind) -> Self {
        Naming { hash: Hasher128::new(kind as u64), own: false }
    }

    fn with(mut self, name: Name) -> Self {
        self.hash.wide(name.hash);
        self.own |= name.own;
        self
    }

    fn word(mut self, word: u64) -> Self {
        self.hash.word(word);
        self
    }

    /// What has no order, each once.
    fn all(self, mut names: Vec<Name>) -> Self {
        names.sort_unstable();
        names.dedup();
        names.into_iter().fold(self, Naming::with)
    }

    fn name(self) -> Name {
        Name { hash: self.hash.finish(), own: self.own }
    }
}

/// Rules that call each other are named together, up to so many.
const RULES: usize = 8;

/// Terms in terms in terms are named so far down.
const DEPTH: u32 = 64;

/// What is known of names, for one machine and one vocabulary.
pub(crate) struct Names {
    /// What all its own names have in common.
    salt: u64,
    frames: FxHashMap<FrameId, Name>,
    terms: FxHashMap<TermId, Name>,
    rules: FxHashMap<u32, Name>,
    /// While rules are named that call each other: what they are called so far.
    scope: Vec<(u32, Name)>,
    /// The inner part of a key that is not named, and whether it goes on with any text.
    inners: FxHashMap<TermId, (Name, bool)>,
    outlines: FxHashMap<u32, Option<Outline>>,
    /// (object, low, high, depth) → where the named keys lead.
    ends: FxHashMap<(u32, u32, u32, u32), Arc<[End]>>,
}

/// How far tokens follow the rest of a named key.
#[derive(Clone, Copy)]
struct End {
    property: u32,
    node: u32,
    whole: bool,
}

impl Default for Names {
    fn default() -> Self {
        static MACHINES: AtomicU64 = AtomicU64::new(0);
        Names {
            salt: MACHINES.fetch_add(1, Ordering::Relaxed),
            frames: FxHashMap::default(),
            terms: FxHashMap::default(),
            rules: FxHashMap::default(),
            scope: Vec::new(),
            inners: FxHashMap::default(),
            outlines: FxHashMap::default(),
            ends: FxHashMap::default(),
        }
    }
}

impl Names {
    fn own(&self, id: TermId) -> Name {
        let naming = Naming::of(Kind::Own).word(self.salt).word(id.0.into());
        Name { own: true, ..naming.name() }
    }
}

impl Machine {
    /// None where only an exact replay can tell what may come.
    pub(crate) fn name(&mut self, id: PositionId, vocabulary: &Vocabulary, specials: &[u32]) -> Result<Option<Name>> {
        let position = self.position(id).clone();
        if position.ask || !self.arena.uniques.is_empty() {
            return Ok(None);
        }
        let mut covered = false;
        for &(head, _) in &position.heads {
            if let Term::KeyExtra { inner, .. } = *self.arena.term(head) {
                covered |= self.inner_name(inner, vocabulary)?.1;
            }
        }
        let mut heads = Vec::with_capacity(position.heads.len());
        for &(head, frame) in &position.heads {
            let name = self.head_name(head, covered, vocabulary)?;
            heads.push(Naming::of(Kind::Head).with(name).with(self.frame_name(frame, vocabulary)?).name());
        }
        let mut naming = Naming::of(Kind::Position).word(u64::from(position.accepting));
        for &(special, _) in &position.specials {
            naming = naming.word(specials[special as usize].into());
        }
        Ok(Some(naming.all(heads).name()))
    }

    fn head_name(&mut self, head: TermId, covered: bool, vocabulary: &Vocabulary) -> Result<Name> {
        match *self.arena.term(head) {
            Term::KeyNamed { object, state, low, high, depth } => {
                let choices = self.arena.choices(object, state)?;
                let ends = self.ends((object, low, high, depth), &vocabulary.trie)?;
                let colon = self.arena.objects[object as usize].colon;
                let colon = self.signs(&[colon]);
                let mut seen = Vec::new();
                for end in ends.iter().filter(|end| choices.allows(end.property)) {
                    let naming = Naming::of(Kind::Key).word(end.node.into());
                    if end.whole && vocabulary.trie.leads_on(end.node, &colon) {
                        let member = self.arena.member(object, state, end.property)?;
                        seen.push(naming.with(self.term_name(member, vocabulary, DEPTH)?).name());
                    } else if end.whole || !covered {
                        seen.push(naming.name());
                    }
                }
                Ok(Naming::of(Kind::KeyNamed).all(seen).name())
            }
            Term::KeyExtra { inner, .. } => {
                let ended = self.arena.rehold(head, EPSILON, Text::Unknown)?;
                let Some(after) = self.arena.bound(ended)? else { return Ok(self.names.own(head)) };
                let after = self.term_name(after, vocabulary, DEPTH)?;
                Ok(Naming::of(Kind::KeyExtra).with(self.inner_name(inner, vocabulary)?.0).with(after).name())
            }
            _ if self.arena.info(head).structural => Ok(self.names.own(head)),
            _ => self.arena.clear_name(head, vocabulary.longest),
        }
    }

    /// The named keys from a depth on, as far as tokens go along.
    fn ends(&mut self, of: (u32, u32, u32, u32), trie: &Trie) -> Result<Arc<[End]>> {
        if let Some(ends) = self.names.ends.get(&of) {
            return Ok(ends.clone());
        }
        let (object, low, high, depth) = of;
        let spec = self.arena.objects[object as usize].clone();
        let keys = &spec.sorted[low as usize..high as usize];
        self.arena.spend(keys.len() as u64)?;
        let ends = keys.iter().filter_map(|(spelling, property)| {
            let rest = &spelling[depth as usize..];
            let (mut node, mut read) = (0, 0);
            while let Some(child) = rest.get(read).and_then(|&byte| trie.child(node, byte)) {
                (node, read) = (child, read + 1);
            }
            (node != 0).then_some(End { property: *property, node, whole: read == rest.len() })
        });
        let ends: Arc<[End]> = ends.collect();
        self.arena.budget.grow(64 + size_of_val(&*ends));
        self.names.ends.insert(of, ends.clone());
        Ok(ends)
    }

    /// What tokens see of the inner part of a key, and whether it goes on with any text at all.
    fn inner_name(&mut self, inner: TermId, vocabulary: &Vocabulary) -> Result<(Name, bool)> {
        if let Some(&known) = self.names.inners.get(&inner) {
            return Ok(known);
        }
        let mut closed = Vec::new();
        let arena = &mut self.arena;
        let named = match Exclusion::of(arena, inner)? {
            Some(exclusion) if exclusion.spelled(arena, &vocabulary.trie, &mut closed) => {
                let near = arena.clear_name(exclusion.near, vocabulary.longest)?;
                closed.sort_unstable();
                closed.dedup();
                let naming = Naming::of(Kind::Excluding).with(near);
                let name = closed.into_iter().fold(naming, |naming, node| naming.word(node.into())).name();
                (name, arena.reads_any_text(exclusion.near))
            }
            _ => (arena.clear_name(inner, vocabulary.longest)?, arena.reads_any_text(inner)),
        };
        arena.budget.grow(64);
        self.names.inners.insert(inner, named);
        Ok(named)
    }

    /// Parents are older than a frame: no circle, and no recursion, for texts may nest deep.
    fn frame_name(&mut self, frame: FrameId, vocabulary: &Vocabulary) -> Result<Name> {
        let bottom = Naming::of(Kind::Frame).name();
        let mut work = vec![frame];
        while let Some(&at) = work.last() {
            if at == BOTTOM || self.names.frames.contains_key(&at) {
                work.pop();
                continue;
            }
            let members = self.members(at).to_vec();
            let known = work.len();
            work.extend(members.iter().map(|&(_, parent)| parent).filter(|&parent| {
                parent != BOTTOM && !self.names.frames.contains_key(&parent)
            }));
            if work.len() > known {
                continue;
            }
            self.arena.spend(members.len() as u64)?;
            let mut names = Vec::with_capacity(members.len());
            for (term, parent) in members {
                let parent = self.names.frames.get(&parent).copied().unwrap_or(bottom);
                names.push(Naming::of(Kind::Frame).with(self.term_name(term, vocabulary, DEPTH)?).with(parent).name());
            }
            self.arena.budget.grow(64);
            self.names.frames.insert(at, Naming::of(Kind::Frame).all(names).name());
        }
        Ok(self.names.frames.get(&frame).copied().unwrap_or(bottom))
    }

    fn term_name(&mut self, id: TermId, vocabulary: &Vocabulary, depth: u32) -> Result<Name> {
        if !self.arena.info(id).structural {
            return Ok(Name::shared(self.arena.info(id).hash));
        }
        if let Some(&known) = self.names.terms.get(&id) {
            return Ok(known);
        }
        self.arena.spend(1)?;
        let Some(below) = depth.checked_sub(1) else { return Ok(self.names.own(id)) };
        let name = match *self.arena.term(id) {
            Term::Seq(..) => {
                let (mut naming, mut rest) = (Naming::of(Kind::Seq), id);
                while let Term::Seq(left, right) = *self.arena.term(rest) {
                    naming = naming.with(self.term_name(left, vocabulary, below)?);
                    rest = right;
                }
                naming.with(self.term_name(rest, vocabulary, below)?).name()
            }
            Term::Alt(ref parts) => {
                let parts = parts.clone();
                let names = parts.iter().map(|&part| self.term_name(part, vocabulary, below));
                let names = names.collect::<Result<Vec<Name>>>()?;
                Naming::of(Kind::Alt).all(names).name()
            }
            Term::Repeat { body, min, max } => {
                // Each takes a character: further than tokens go they are not counted.
                let far = vocabulary.longest + 1;
                let counted = !self.rules().nullable(&self.arena, body);
                let (min, max) = if counted { (min.min(far), if max > far { MANY } else { max }) } else { (min, max) };
                let naming = Naming::of(Kind::Repeat).word(min.into()).word(max.into());
                naming.with(self.term_name(body, vocabulary, below)?).name()
            }
            Term::Call(rule) => self.rule_name(rule, vocabulary, below)?,
            // No token goes through it.
            Term::Special(_) => Naming::of(Kind::Special).name(),
            Term::Object(object) => {
                let state = self.arena.first_state(object);
                let spec = self.arena.objects[object as usize].clone();
                let closes = spec.can_close(&self.arena.states[state as usize]);
                let signs = [spec.open, spec.colon, if closes { spec.empty } else { EPSILON }];
                self.look_name(Kind::Object, id, object, state, &signs, vocabulary)?
            }
            Term::ObjectKey { object, state } => {
                let signs = [self.arena.objects[object as usize].colon];
                self.look_name(Kind::Key, id, object, state, &signs, vocabulary)?
            }
            Term::ObjectNext { object, state } => {
                let spec = &self.arena.objects[object as usize];
                let signs = [spec.comma, spec.colon, spec.close];
                self.look_name(Kind::Next, id, object, state, &signs, vocabulary)?
            }
            _ => self.names.own(id),
        };
        self.arena.budget.grow(48);
        self.names.terms.insert(id, name);
        Ok(name)
    }

    /// The name of an object's term with the signs that it is written with.
    fn look_name(
        &mut self,
        kind: Kind,
        id: TermId,
        object: u32,
        state: u32,
        signs: &[TermId],
        vocabulary: &Vocabulary,
    ) -> Result<Name> {
        let openings = &vocabulary.openings;
        let mut outline = match self.names.outlines.remove(&object) {
            Some(known) => known,
            None => self.arena.outline(object, openings)?,
        };
        let look = match &mut outline {
            Some(outline) => self.arena.look(object, state, outline, openings),
            None => Ok(None),
        };
        self.names.outlines.insert(object, outline);
        let Some(look) = look? else { return Ok(self.names.own(id)) };
        let mut naming = Naming::of(kind).with(Name::shared(look));
        for &sign in signs {
            if self.arena.info(sign).structural {
                return Ok(self.names.own(id));
            }
            naming = naming.with(Name::shared(self.arena.info(sign).hash));
        }
        Ok(naming.name())
    }

    /// Rules without a circle are what they are made of. Those that call each other, n of them, are told from any other n
    /// after 2 n rounds of naming each by the names of those it calls, if at all (Moore 1956).
    fn rule_name(&mut self, rule: u32, vocabulary: &Vocabulary, depth: u32) -> Result<Name> {
        if let Some(&(_, name)) = self.names.scope.iter().find(|(other, _)| *other == rule) {
            return Ok(name);
        }
        if let Some(&known) = self.names.rules.get(&rule) {
            return Ok(known);
        }
        let name = match self.called(rule)? {
            Some(bodies) if self.names.scope.is_empty() => {
                // While they change, names of terms with calls are not kept.
                let kept = std::mem::take(&mut self.names.terms);
                let name = self.name_together(&bodies, vocabulary, depth);
                self.names.terms = kept;
                self.names.scope.clear();
                name?
            }
            _ => Name { own: true, ..Naming::of(Kind::Rules).word(self.names.salt).word(rule.into()).name() },
        };
        self.arena.budget.grow(48);
        self.names.rules.insert(rule, name);
        Ok(name)
    }

    fn name_together(&mut self, bodies: &[(u32, TermId)], vocabulary: &Vocabulary, depth: u32) -> Result<Name> {
        let unknown = Naming::of(Kind::Rules).name();
        self.names.scope = bodies.iter().map(|&(rule, _)| (rule, unknown)).collect();
        for _ in 0..2 * bodies.len() {
            self.names.terms.clear();
            let mut next = Vec::with_capacity(bodies.len());
            for &(rule, body) in bodies {
                next.push((rule, self.term_name(body, vocabulary, depth)?));
            }
            if next == self.names.scope {
                return Ok(next[0].1);
            }
            self.names.scope = next;
        }
        Ok(Naming::of(Kind::Rules).word(bodies.len() as u64).with(self.names.scope[0].1).name())
    }

    /// A rule and those that it calls where tokens may see it, each with its body; None if they are many.
    fn called(&mut self, rule: u32) -> Result<Option<Vec<(u32, TermId)>>> {
        let mut bodies: Vec<(u32, TermId)> = Vec::new();
        let (mut rules, mut seen) = (vec![rule], FxHashSet::default());
        while let Some(rule) = rules.pop() {
            if bodies.iter().any(|&(other, _)| other == rule) {
                continue;
            }
            let Some(body) = self.body(rule).filter(|_| bodies.len() < RULES) else { return Ok(None) };
            bodies.push((rule, body));
            let mut work = vec![body];
            while let Some(id) = work.pop() {
                if !self.arena.info(id).structural || !seen.insert(id) {
                    continue;
                }
                self.arena.spend(1)?;
                match *self.arena.term(id) {
                    Term::Seq(left, right) => work.extend([left, right]),
                    Term::Alt(ref parts) => work.extend_from_slice(parts),
                    Term::Repeat { body, .. } => work.push(body),
                    Term::Call(callee) => rules.push(callee),
                    _ => {}
                }
            }
        }
        Ok(Some(bodies))
    }
}

impl Arena {
    /// The name of a head that no object knows of: that of one which treats every token alike.
    fn clear_name(&mut self, head: TermId, longest: u32) -> Result<Name> {
        let near = if self.info(head).counts { self.clipped(head, longest)? } else { head };
        Ok(Name::shared(self.info(near).hash))
    }

    fn reads_any_text(&self, inner: TermId) -> bool {
        matches!(*self.term(inner), Term::Quoted { text, .. } if Some(text) == self.any_text)
    }
}
