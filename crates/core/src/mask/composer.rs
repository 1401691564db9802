//! A position × a vocabulary → the tokens that may come next, head by head, and below every node at which a head is at an
//! end whatever its frame returns to.

use crate::automaton::machine::{FrameId, Machine, Position, PositionId, DEAD};
use crate::automaton::unique::Register;
use crate::error::Result;
use crate::mask::accelerate::trie_path::along;
use crate::mask::accumulator::Accumulator;
use crate::mask::draft::Recheck;
use crate::mask::head_mask::HeadMask;
use crate::mask::merged_trie::Pieces;
use crate::mask::shared::SharedMasks;
use crate::regular::arena::Arena;
use crate::regular::term::{Term, TermId, Text, EMPTY, EPSILON};
use crate::vocabulary::token_set::Words;
use crate::vocabulary::trie::Trie;

use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A head that may begin with fewer bytes is walked with, rather than all of its tokens doubted.
const NARROW: u32 = 24;

/// Shorter lists are copied into the mask: a reference would cost more.
const SHARED_FROM: usize = 24;

/// A walk that was made already is looked for only where there are more of them: seldom are two the same.
const FEW_WALKS: usize = 64;

/// Below fewer nodes than this a walk is cheaper than looking it up.
const PIECE_FROM: u32 = 12;

/// A trie and what is remembered of it.
#[derive(Clone, Copy)]
pub(crate) struct TrieView<'a> {
    pub trie: &'a Trie,
    pub pieces: &'a Pieces,
}

/// Collects one mask.
pub(crate) struct Composer<'a> {
    pub machine: &'a mut Machine,
    pub shared: &'a SharedMasks,
    pub scratch: Accumulator,
    pub lists: Vec<Words>,
    /// Whether shared lists are copied: what they belong to is cut.
    pub copies_lists: bool,
    pub replay: Vec<u32>,
    /// Of items that must differ: what tokens may do to the one that is open, and those that may do so to a later one.
    pub items: Recheck,
    pub always: Vec<u32>,
    /// Whether the item is still open that was when the mask began, and none has begun within it.
    pub first: bool,
    /// Nodes at and below which heads differ from those whose pieces they share.
    pub recheck: Vec<u32>,
    walks: usize,
    /// (trie, node, head, frame) that was walked from, and whether in the first item, once there are many.
    seen: FxHashSet<(usize, u32, TermId, FrameId, bool)>,
}

impl<'a> Composer<'a> {
    pub fn new(machine: &'a mut Machine, shared: &'a SharedMasks, scratch: Accumulator) -> Self {
        Composer {
            machine,
            shared,
            scratch,
            lists: Vec::new(),
            copies_lists: false,
            replay: Vec::new(),
            items: Recheck::default(),
            always: Vec::new(),
            first: false,
            recheck: Vec::new(),
            walks: 0,
            seen: FxHashSet::default(),
        }
    }

    pub fn add(&mut self, words: &Words) {
        if words.len() >= SHARED_FROM && !self.copies_lists {
            self.lists.push(words.clone());
        } else {
            words.iter().for_each(|&(word, bits)| self.scratch.add(word, bits));
        }
    }

    /// What pieces cannot say, as the position itself has it; false if only the exact one could tell.
    pub fn settle(&mut self, id: PositionId, exact: PositionId) -> Result<bool> {
        let resolved = self.resolve(id, exact, false)?;
        Ok(self.answer(id, exact)? && resolved)
    }

    /// The same of a position that stands for many readings: what only the exact one could tell is left to `always`.
    pub fn settle_draft(&mut self, id: PositionId) -> Result<()> {
        self.resolve(id, id, true)?;
        let mut replay = std::mem::take(&mut self.replay);
        replay.sort_unstable();
        replay.dedup();
        for token in replay {
            match self.machine.reached(id, self.shared.vocabulary.token(token).unwrap_or_default())? {
                Some(at) => self.scratch.put(token, at != DEAD),
                None => self.always.push(token),
            }
        }
        Ok(())
    }

    /// Tokens that may end an item as a value that came.
    fn doubt_ends(&mut self, tokens: &[u32]) {
        if self.first { &mut self.items.ends } else { &mut self.always }.extend_from_slice(tokens);
    }

    /// Tokens that may leave an item too few values.
    fn doubt(&mut self, tokens: &[u32]) {
        if self.first { &mut self.items.short } else { &mut self.always }.extend_from_slice(tokens);
    }

    /// Tokens after which zero is all that is left: it is zero whatever its exponent is.
    fn doubt_exponents(&mut self, tokens: &[u32]) {
        if self.first { &mut self.items.exponents } else { &mut self.always }.extend_from_slice(tokens);
    }

    /// The tokens of a head that may leave its item no value.
    pub fn doubt_head(&mut self, head: TermId, frame: FrameId, head_mask: &HeadMask) -> Result<()> {
        if self.machine.has_enough_values_behind(head, frame)? {
            return Ok(());
        }
        let trie = &self.shared.vocabulary.trie;
        let language = self.machine.arena.open_key(head).map_or(head, |(inner, _)| inner);
        let quoted = matches!(self.machine.arena.term(language), Term::Quoted { .. });
        let steady = self.is_insensitive(head, frame)?;
        if quoted {
            let ends: Vec<u32> = head_mask.core.ends(trie).collect();
            self.doubt_ends(&ends);
        }
        if steady && !quoted {
            let with_exponent = |&token: &u32| {
                self.shared.vocabulary.token(token).unwrap_or_default().iter().any(|byte| matches!(byte, b'e' | b'E'))
            };
            let tokens: Vec<u32> = head_mask.tokens().filter(with_exponent).collect();
            self.doubt_exponents(&tokens);
        }
        if !steady {
            if self.machine.arena.first_bytes(language).len() < NARROW {
                self.descend(self.shared.view(), 0, head, frame)?;
            } else if self.first {
                self.items.thin = true;
            } else {
                self.always.extend(head_mask.tokens());
            }
        }
        Ok(())
    }

    /// The tokens at and below the nodes in doubt.
    fn resolve(&mut self, id: PositionId, exact: PositionId, open: bool) -> Result<bool> {
        let mut recheck = std::mem::take(&mut self.recheck);
        recheck.sort_unstable();
        // What is shared is added before anything is refused, and what was walked is walked again where it is.
        self.copies_lists = true;
        self.seen.clear();
        let view = self.shared.view();
        let (mut end, mut shared) = (0, true);
        for node in recheck {
            if node < end {
                continue;
            }
            end = view.trie.end(node);
            let (here, below) = (view.trie.tokens_at(node), view.trie.tokens_below(node));
            if open {
                self.replay.extend(here.iter().chain(below));
                continue;
            }
            let path = view.trie.path(node);
            let at = match self.machine.reached(id, &path)? {
                Some(at) => at,
                None => {
                    shared = false;
                    path.iter().try_fold(exact, |at, &byte| self.machine.step(at, byte))?
                }
            };
            [here, below].into_iter().for_each(|tokens| self.scratch.refuse_all(tokens));
            if at != DEAD {
                here.iter().for_each(|&token| self.scratch.set(token));
                let position = self.machine.position(at).clone();
                self.resume(view, node, &position)?;
            }
        }
        Ok(shared)
    }

    /// The tokens that are asked for one by one.
    fn answer(&mut self, id: PositionId, exact: PositionId) -> Result<bool> {
        let mut replay = std::mem::take(&mut self.replay);
        replay.sort_unstable();
        replay.dedup();
        let mut unknown = Vec::new();
        for token in replay {
            let bytes = self.shared.vocabulary.token(token).unwrap_or_default();
            let known = match self.machine.stays(id, bytes)? {
                None => self.machine.reached(id, bytes)?.map(|at| at != DEAD),
                known => known,
            };
            match known {
                Some(allowed) => self.scratch.put(token, allowed),
                None => unknown.push((bytes, token)),
            }
        }
        // Those that begin alike one after the other: what they share is read once.
        unknown.sort_unstable();
        let texts = unknown.iter().map(|&(bytes, _)| bytes);
        let allowed = self.machine.can_follow(exact, texts)?;
        unknown.iter().zip(&allowed).for_each(|(&(_, token), &allowed)| self.scratch.put(token, allowed));
        Ok(unknown.is_empty())
    }

    /// Go on where a head is at an end in mid-token.
    pub fn leave(&mut self, head: TermId, frame: FrameId, head_mask: &HeadMask) -> Result<()> {
        let mut groups = head_mask.core.exits.groups().iter();
        groups.try_for_each(|group| self.go_on(group.view(self.shared), &group.nodes, head, frame))
    }

    /// Everything that may follow a head, below nodes at which it is at an end.
    fn go_on(&mut self, view: TrieView, exits: &[u32], head: TermId, frame: FrameId) -> Result<()> {
        if exits.is_empty() {
            return Ok(());
        }
        let leads = self.machine.follow_bytes(head, frame);
        let mut after = None;
        for &node in exits.iter().filter(|&&node| view.trie.has_child_in(node, &leads)) {
            let after = match &after {
                Some(after) => after,
                None => after.insert(self.after(head, frame)?),
            };
            self.resume(view, node, after)?;
        }
        Ok(())
    }

    /// What follows a head wherever in a mask it is at an end: a text that it has read is not known there.
    fn after(&mut self, head: TermId, frame: FrameId) -> Result<Arc<Position>> {
        let ended = match *self.machine.arena.term(head) {
            Term::KeyDone { .. } => head,
            Term::KeyExtra { .. } => self.machine.arena.replace_open_key(head, EPSILON, Text::Unknown)?,
            _ => EPSILON,
        };
        self.machine.after(ended, frame)
    }

    /// Whether no token can lead to where too little is left within the head for an open item to differ from others.
    pub fn is_insensitive(&mut self, head: TermId, frame: FrameId) -> Result<bool> {
        let near = self.machine.arena.saturate(head, self.shared.vocabulary.longest)?;
        self.machine.is_insensitive(near, frame)
    }

    /// Everything that may follow, below a node.
    fn resume(&mut self, view: TrieView, node: u32, after: &Position) -> Result<()> {
        if view.trie.end(node) == node + 1 {
            return Ok(());
        }
        if after.ask {
            self.replay.extend_from_slice(view.trie.tokens_below(node));
        }
        if after.unsure {
            self.doubt_ends(view.trie.tokens_below(node));
        }
        let first = self.first;
        self.first &= !after.passed;
        let walked = after.heads.iter().try_for_each(|&(head, frame)| self.walk(view, node, head, frame));
        self.first = first;
        walked
    }

    pub fn walk(&mut self, view: TrieView, node: u32, head: TermId, frame: FrameId) -> Result<()> {
        let head = self.machine.unknown(head)?;
        self.walks += 1;
        let place = (std::ptr::from_ref(view.trie) as usize, node, head, frame, self.first);
        if self.walks > FEW_WALKS && !self.seen.insert(place) {
            return Ok(());
        }
        if self.spell(view, node, head, frame)? {
            return Ok(());
        }
        let language = match *self.machine.arena.term(head) {
            Term::KeyNamed { .. } | Term::KeyDone { .. } => None,
            Term::KeyExtra { inner, state, .. } => (!self.machine.arena.hides_key(state)).then_some(inner),
            _ => Some(head),
        };
        match language {
            Some(language)
                if view.trie.end(node) - node >= PIECE_FROM && self.machine.has_enough_values_after(frame)? =>
            {
                if !view.trie.has_child_in(node, &self.machine.arena.first_bytes(language)) {
                    return Ok(());
                }
                let piece = view.pieces.get(&mut self.machine.arena, view.trie, node, language)?;
                self.add(&piece.words);
                self.go_on(view, &piece.exits, head, frame)
            }
            _ => self.descend(view, node, head, frame),
        }
    }

    /// The same for a head that is the rest of a text, or of one of several: no state is made for what only tokens read.
    /// False if it is none, or if items that must differ depend on its states.
    pub fn spell(&mut self, view: TrieView, node: u32, head: TermId, frame: FrameId) -> Result<bool> {
        let TrieView { trie, .. } = view;
        if self.machine.openness(frame).open {
            return Ok(false);
        }
        if let Some(text) = self.machine.arena.one_text(head) {
            let mut place = node;
            for (at, &byte) in text.iter().enumerate() {
                let Some(child) = trie.child(place, byte) else { break };
                place = child;
                self.machine.arena.spend(1)?;
                trie.tokens_at(place).iter().for_each(|&token| self.scratch.set(token));
                if at + 1 == text.len() {
                    self.go_on(view, &[place], EPSILON, frame)?;
                }
            }
            return Ok(true);
        }
        match *self.machine.arena.term(head) {
            Term::KeyNamed { object, state, low, high, depth } => {
                let spec = self.machine.arena.registers.objects[object as usize].clone();
                let choices = self.machine.arena.choices(object, state)?;
                let keys = &spec.sorted[low as usize..high as usize];
                let colon = self.machine.first_of(&[spec.colon]);
                let mut enter = |child: u32, keys: &[(Box<[u8]>, u32)], read: usize| {
                    if !keys.iter().any(|&(_, property)| choices.allows(property)) {
                        return Ok(false);
                    }
                    self.machine.arena.spend(1)?;
                    trie.tokens_at(child).iter().for_each(|&token| self.scratch.set(token));
                    let (key, property) = &keys[0];
                    if key.len() == read && trie.has_child_in(child, &colon) {
                        let done = self.machine.arena.key_done(object, state, *property)?;
                        self.go_on(view, &[child], done, frame)?;
                    }
                    Ok(true)
                };
                along(trie, node, keys, depth as usize, &|(key, _)| key, &mut enter)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub fn descend(&mut self, view: TrieView, node: u32, head: TermId, frame: FrameId) -> Result<()> {
        let TrieView { trie, .. } = view;
        let may = self.machine.arena.first_bytes(head);
        for (byte, child) in trie.children_in(node, &may) {
            let next = self.machine.arena.derive(head, byte)?;
            if next == EMPTY {
                continue;
            }
            self.machine.arena.spend(1)?;
            trie.tokens_at(child).iter().for_each(|&token| self.scratch.set(token));
            if !self.machine.has_enough_values(next, frame)? {
                self.doubt(trie.tokens_at(child));
            }
            if matches!(byte, b'e' | b'E') && !self.machine.has_enough_values_after(frame)? {
                self.doubt_exponents(trie.tokens_at(child));
                self.doubt_exponents(trie.tokens_below(child));
            }
            if self.machine.arena.may_repeat(next) {
                self.replay.extend_from_slice(trie.tokens_at(child));
            }
            if trie.end(child) > child + 1 {
                if self.machine.arena.info(next).nullable {
                    self.go_on(view, &[child], next, frame)?;
                }
                self.descend(view, child, next, frame)?;
            }
        }
        Ok(())
    }
}

impl SharedMasks {
    pub(crate) fn view(&self) -> TrieView<'_> {
        TrieView { trie: &self.vocabulary.trie, pieces: &self.pieces }
    }
}

impl Machine {
    /// Whether the bytes may follow, if that can be seen without a look at what follows the heads: one of them reads on
    /// behind the bytes, or all are stuck before any is at an end.
    pub(crate) fn stays(&mut self, id: PositionId, bytes: &[u8]) -> Result<Option<bool>> {
        let position = self.position(id).clone();
        if position.register != Register::Closed {
            return Ok(None);
        }
        let mut left = false;
        for &(head, _) in &position.heads {
            let mut at = match *self.arena.term(head) {
                Term::KeyExtra { inner, .. } => inner,
                _ => head,
            };
            for (place, &byte) in bytes.iter().enumerate() {
                left |= place > 0 && self.arena.info(at).nullable;
                at = self.arena.derive(at, byte)?;
                if at == EMPTY {
                    break;
                }
            }
            if at != EMPTY && !self.arena.info(at).nullable {
                return Ok(Some(true));
            }
            left |= at != EMPTY;
        }
        Ok((!left).then_some(false))
    }

    /// Where the bytes lead; None where an unknown key would have to be known.
    pub(crate) fn reached(&mut self, mut id: PositionId, bytes: &[u8]) -> Result<Option<PositionId>> {
        for &byte in bytes {
            if self.position(id).ask || self.position(id).unsure {
                return Ok(None);
            }
            id = self.step(id, byte)?;
        }
        Ok((!self.position(id).ask && !self.position(id).unsure).then_some(id))
    }

    /// The position whose mask this one has: without the texts of open keys, and without the values of arrays.
    pub(crate) fn abstracted(&mut self, id: PositionId) -> Result<PositionId> {
        let position = self.position(id).clone();
        let known =
            |arena: &Arena, head: TermId| matches!(arena.open_key(head), Some((_, Text::Known(text))) if text != 0);
        let frames = position.heads.iter().map(|&(_, frame)| frame);
        let exact = frames.chain(position.specials.iter().map(|&(_, frame)| frame)).any(|frame| self.is_exact(frame));
        let mut abstracted = (*position).clone();
        if exact || position.heads.iter().any(|&(head, _)| known(&self.arena, head)) {
            for (head, _) in &mut abstracted.heads {
                *head = self.unknown(*head)?;
            }
        }
        if exact {
            let frames = abstracted.heads.iter_mut().map(|(_, frame)| frame);
            for frame in frames.chain(abstracted.specials.iter_mut().map(|(_, frame)| frame)) {
                *frame = self.abstracted_frame(*frame, position.register)?;
            }
            abstracted.register = Register::Abstracted;
        }
        if abstracted == *position {
            return Ok(id);
        }
        abstracted.heads = self.merged(abstracted.heads)?;
        abstracted.specials = self.merged(abstracted.specials)?;
        Ok(self.intern(abstracted))
    }

    /// A head without the text it has read.
    pub(crate) fn unknown(&mut self, head: TermId) -> Result<TermId> {
        match self.arena.open_key(head) {
            Some((inner, _)) => self.arena.replace_open_key(head, inner, Text::Unknown),
            None => Ok(head),
        }
    }
}
