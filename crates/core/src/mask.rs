//! Which tokens may come next, composed of pieces that are remembered.
//!
//! `local(head)` is what a head alone does to the vocabulary: the tokens that stay inside it, and the trie nodes at
//! which it is at an end in mid-token. From those nodes the walk goes on with whatever the frame returns to. A head
//! that keeps reading almost any character (a JSON string's body) takes the first part from an index instead of a walk;
//! a head that is such a one but for a few texts (keys not yet used) takes over its neighbour's piece, and the few
//! tokens that tell the two apart are replayed one by one. Pieces are kept per vocabulary under the hash of the term:
//! what one grammar learned, the next one has.

use crate::byteset::ByteSet;
use crate::error::Result;
use crate::machine::{FrameId, Machine, Position, PositionId, DEAD};
use crate::term::{Arena, Spelling, Term, TermId, EMPTY, EPSILON, MANY};
use crate::trie::Trie;
use crate::vocabulary::{lock, Bits, Vocabulary};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What one head does to the vocabulary.
#[derive(Default, Clone)]
pub struct Local {
    dense: Option<Bits>,
    tokens: Vec<u32>,
    /// Nodes at which the head is at an end and tokens go on.
    exits: Vec<u32>,
    /// The same for many nodes with little below each, merged.
    forest: Option<Arc<Trie>>,
    /// Tokens with which the head is at an end.
    ends: Vec<u32>,
    /// Tokens for which all this may be wrong: they are replayed.
    asks: Vec<u32>,
}

impl Local {
    pub fn memory_bytes(&self) -> usize {
        let dense = self.dense.as_ref().map_or(0, |bits| bits.len() * 4);
        let forest = self.forest.as_ref().map_or(0, |forest| forest.memory_bytes());
        dense
            + forest
            + (self.tokens.len() + self.exits.len() + self.ends.len() + self.asks.len()) * 4
            + size_of::<Local>()
    }
}

/// An allowed set: the union of shared parts, corrected word by word.
pub struct Mask {
    parts: Vec<Bits>,
    /// (word, bits to set, bits to clear), ascending.
    words: Vec<(u32, u32, u32)>,
}

impl Mask {
    /// Whether no token is allowed.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&(_, set, _)| set == 0)
            && self.parts.iter().all(|part| part.iter().all(|&word| word == 0))
    }

    pub fn write(&self, out: &mut [u32]) {
        match self.parts.split_first() {
            Some((first, rest)) => {
                out.copy_from_slice(first);
                for part in rest {
                    out.iter_mut().zip(part.iter()).for_each(|(word, bits)| *word |= bits);
                }
            }
            None => out.fill(0),
        }
        for &(word, set, clear) in &self.words {
            let word = &mut out[word as usize];
            *word = (*word | set) & !clear;
        }
    }

    pub fn memory_bytes(&self) -> usize {
        self.words.len() * 12 + self.parts.len() * 16 + size_of::<Mask>()
    }
}

/// Above this many ends, one merged walk is cheaper than one walk each.
const FOREST_FROM: usize = 12;

/// A subtrie of more nodes is not merged with others.
const LARGE_SUBTRIE: u32 = 1_000;

/// More places or tokens than this are not compared with a neighbour's: a walk is cheaper.
const DIFFERENCE_ROOM: usize = 4_000;

/// More tokens than this are kept as bits.
const DENSE_FROM: usize = 1_000;

/// A class of fewer ASCII bytes is walked: its subtries are small.
const WIDE_CLASS: u32 = 20;

/// The pieces and masks that one compiled grammar has at hand.
#[derive(Default)]
pub struct Masks {
    /// The token id of every special token that the grammar names.
    special_ids: Vec<u32>,
    locals: FxHashMap<TermId, Arc<Local>>,
    masks: FxHashMap<PositionId, Arc<Mask>>,
    /// Bytes of all this, the masks' own left out.
    held: usize,
}

/// Collects one mask.
struct Composer<'a> {
    machine: &'a mut Machine,
    vocabulary: &'a Vocabulary,
    tokens: Vec<u32>,
    asks: Vec<u32>,
    seen: FxHashSet<(usize, u32, TermId, FrameId)>,
}

impl Masks {
    pub fn new(special_ids: Vec<u32>) -> Self {
        Masks { special_ids, ..Masks::default() }
    }

    pub fn memory_bytes(&self) -> usize {
        self.held
    }

    pub fn mask(&mut self, machine: &mut Machine, vocabulary: &Vocabulary, exact: PositionId) -> Result<Arc<Mask>> {
        if let Some(mask) = self.masks.get(&exact) {
            return Ok(mask.clone());
        }
        let id = machine.abstracted(exact)?;
        if let Some(mask) = self.masks.get(&id) {
            return Ok(mask.clone());
        }
        let position = machine.position(id).clone();
        let mut parts: Vec<Bits> = Vec::new();
        let mut composer =
            Composer { machine, vocabulary, tokens: Vec::new(), asks: Vec::new(), seen: FxHashSet::default() };
        for &(head, frame) in &position.heads {
            let local = self.local(composer.machine, vocabulary, head)?;
            if let Some(dense) = &local.dense {
                if !parts.iter().any(|part| Arc::ptr_eq(part, dense)) {
                    parts.push(dense.clone());
                }
            }
            composer.tokens.extend_from_slice(&local.tokens);
            composer.asks.extend_from_slice(&local.asks);
            if let Term::Item { .. } = composer.machine.arena.term(head) {
                // Whether an item may end depends on those before it.
                composer.asks.extend_from_slice(&local.ends);
            }
            if !local.exits.is_empty() || local.forest.is_some() {
                composer.leave(head, frame, &local)?;
            }
        }
        let Composer { mut tokens, mut asks, .. } = composer;
        if position.accepting {
            tokens.extend_from_slice(&vocabulary.eos);
        }
        for &(special, _) in &position.specials {
            tokens.push(self.special_ids[special as usize]);
        }
        asks.sort_unstable();
        asks.dedup();
        let mut clears = Vec::new();
        let mut shared = true;
        for &token in &asks {
            let bytes = vocabulary.token(token).unwrap_or_default();
            let allowed = match machine.replay(id, bytes)? {
                Some(allowed) => allowed,
                None => {
                    shared = false;
                    machine.replay(exact, bytes)?.unwrap_or(false)
                }
            };
            if allowed {
                tokens.push(token);
            } else {
                clears.push(token);
            }
        }
        let mask = Arc::new(Mask { parts, words: corrections(&mut tokens, &clears) });
        self.held += 24;
        self.masks.insert(if shared { id } else { exact }, mask.clone());
        Ok(mask)
    }

    fn local(&mut self, machine: &mut Machine, vocabulary: &Vocabulary, head: TermId) -> Result<Arc<Local>> {
        let (head, shareable) = match *machine.arena.term(head) {
            Term::KeyExtra { inner, .. } | Term::Item { inner, .. } => (inner, true),
            Term::KeyNamed { .. } => (head, false),
            _ => (head, true),
        };
        let head = clipped(&mut machine.arena, head, vocabulary.longest)?;
        if let Some(local) = self.locals.get(&head) {
            return Ok(local.clone());
        }
        let hash = machine.arena.info(head).hash;
        let known = if shareable { lock(&vocabulary.locals).get(&hash).cloned() } else { None };
        let local = match known {
            Some(local) => local,
            None => {
                let local = Arc::new(self.compute(machine, vocabulary, head)?);
                if shareable {
                    lock(&vocabulary.locals).insert(hash, local.clone());
                }
                local
            }
        };
        self.held += 24 + local.memory_bytes();
        self.locals.insert(head, local.clone());
        Ok(local)
    }

    fn compute(&mut self, machine: &mut Machine, vocabulary: &Vocabulary, head: TermId) -> Result<Local> {
        if let Some(near) = neighbour(&mut machine.arena, head, vocabulary.longest)? {
            let mut asks = Vec::new();
            let mut room = DIFFERENCE_ROOM;
            if difference(&mut machine.arena, vocabulary, 0, head, near, &mut asks, &mut room)? {
                // The neighbour's forest and bits are shared; only the questions are its own.
                let mut local = (*self.local(machine, vocabulary, near)?).clone();
                local.asks.extend(asks);
                return Ok(local);
            }
        }
        let mut local = match Chain::of(&mut machine.arena, head, vocabulary.longest)? {
            Some(chain) => chain.local(&mut machine.arena, vocabulary)?,
            None => {
                let mut local = Local::default();
                walk(&mut machine.arena, &vocabulary.trie, 0, head, &mut local)?;
                local
            }
        };
        if local.tokens.len() > DENSE_FROM {
            let mut bits = local.dense.as_ref().map_or_else(|| vec![0; vocabulary.mask_words()], |bits| bits.to_vec());
            local.tokens.drain(..).for_each(|token| bits[token as usize >> 5] |= 1 << (token & 31));
            local.dense = Some(bits.into());
        }
        // Large subtries stay as they are: what follows enters them by a few bytes only.
        let trie = &vocabulary.trie;
        let (large, small): (Vec<u32>, Vec<u32>) =
            local.exits.iter().partition(|&&node| trie.end(node) - node > LARGE_SUBTRIE);
        for &node in &local.exits {
            local.ends.extend_from_slice(trie.tokens_at(node));
        }
        let small: Vec<u32> = small.into_iter().filter(|&node| trie.end(node) > node + 1).collect();
        local.exits = large;
        if small.len() >= FOREST_FROM {
            local.forest = Some(Arc::new(trie.merged(&small)));
        } else {
            local.exits.extend(small);
        }
        Ok(local)
    }
}

/// The same masks, fewer states: no token is long enough to use up a larger count.
fn clipped(arena: &mut Arena, head: TermId, longest: u32) -> Result<TermId> {
    let Term::Quoted { text, state, free } = *arena.term(head) else { return clipped_text(arena, head, longest) };
    let near = clipped_text(arena, text, longest)?;
    if near == text {
        Ok(head)
    } else {
        arena.quoted_state(near, state, free)
    }
}

fn clipped_text(arena: &mut Arena, text: TermId, longest: u32) -> Result<TermId> {
    // One more than any token can read, so that the far side stays out of reach.
    let clip = |min: u32, max: u32| (min.min(longest + 1), if max > longest { MANY } else { max });
    match *arena.term(text) {
        Term::Bounded { body, min, max } => {
            let (near_min, mut near_max) = clip(min, max);
            // Lengths that the body cannot have may lie between: keep the bound unless every length is open to it.
            if near_max != max && !(arena.info(body).exact && arena.info(body).max_chars == MANY) {
                near_max = max;
            }
            let near_min = if arena.info(body).exact { near_min } else { min };
            if (near_min, near_max) == (min, max) {
                return Ok(text);
            }
            arena.bounded(body, near_min, near_max)
        }
        Term::Repeat { body, min, max } if arena.info(body).min_chars == 1 => {
            let (min, max) = clip(min, max);
            arena.repeat(body, min, max)
        }
        Term::Cat(left, right) => match *arena.term(left) {
            Term::Repeat { body, min, max } if arena.info(body).min_chars == 1 => {
                let (min, max) = clip(min, max);
                let left = arena.repeat(body, min, max)?;
                arena.cat(left, right)
            }
            _ => Ok(text),
        },
        _ => Ok(text),
    }
}

/// A head that may differ from this one for a few tokens only, and is cheap or known: keys without those excluded, or
/// the state that almost every character leads to and stays in.
fn neighbour(arena: &mut Arena, head: TermId, longest: u32) -> Result<Option<TermId>> {
    if let Some(near) = without_exclusions(arena, head)? {
        return Ok(Some(near));
    }
    match majority(arena, head)? {
        Some((near, _)) if near != head => match Chain::of(arena, near, longest)? {
            Some(chain) if chain.loops && chain.states.len() == 1 => Ok(Some(near)),
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

fn without_exclusions(arena: &mut Arena, head: TermId) -> Result<Option<TermId>> {
    let Term::Quoted { text, state: state @ (Spelling::Start | Spelling::Body), free } = *arena.term(head) else {
        return Ok(None);
    };
    let Term::And(parts) = arena.term(text) else { return Ok(None) };
    let finite = |part: TermId| match *arena.term(part) {
        Term::Not(inner) => matches!(arena.term(inner), Term::Words { .. } | Term::Literal { .. } | Term::Class(_)),
        _ => false,
    };
    let kept: Vec<TermId> = parts.iter().copied().filter(|&part| !finite(part)).collect();
    if kept.len() == parts.len() || kept.is_empty() {
        return Ok(None);
    }
    let near = arena.and(kept)?;
    arena.quoted_state(near, state, free).map(Some)
}

/// Where most ASCII bytes lead, and which they are.
fn majority(arena: &mut Arena, head: TermId) -> Result<Option<(TermId, ByteSet)>> {
    let mut targets: FxHashMap<TermId, ByteSet> = FxHashMap::default();
    for (low, high, target) in arena.moves(head)?.into_iter().filter(|&(low, ..)| low < 0x80) {
        let set = targets.entry(target).or_default();
        *set = set.union(&ByteSet::range(low, high.min(0x7f)));
    }
    let most = targets.into_iter().max_by_key(|&(target, set)| (set.len(), std::cmp::Reverse(target)));
    Ok(most.filter(|(_, set)| set.len() >= WIDE_CLASS))
}

/// Tokens that `left` and `right` may treat differently; false if they are too many to be asked for one by one.
fn difference(
    arena: &mut Arena,
    vocabulary: &Vocabulary,
    node: u32,
    left: TermId,
    right: TermId,
    asks: &mut Vec<u32>,
    room: &mut usize,
) -> Result<bool> {
    let trie = &vocabulary.trie;
    let mut child = node + 1;
    while child < trie.end(node) {
        let byte = trie.byte(child);
        let (l, r) = (arena.derive(left, byte)?, arena.derive(right, byte)?);
        if l != r {
            arena.spend(1)?;
            let dead = (l == EMPTY) != (r == EMPTY);
            let ended = arena.info(l).nullable != arena.info(r).nullable;
            if dead || ended {
                asks.extend_from_slice(trie.tokens_at(child));
                asks.extend_from_slice(trie.tokens_below(child));
            }
            match room.checked_sub(1) {
                Some(rest) if asks.len() <= rest => *room = rest,
                _ => return Ok(false),
            }
            if !dead && !difference(arena, vocabulary, child, l, r, asks, room)? {
                return Ok(false);
            }
        }
        child = trie.end(child);
    }
    Ok(true)
}

/// Walk the trie below a node within one head.
fn walk(arena: &mut Arena, trie: &Trie, node: u32, head: TermId, local: &mut Local) -> Result<()> {
    let mut child = node + 1;
    let end = trie.end(node);
    while child < end {
        let next = arena.derive(head, trie.byte(child))?;
        if next != EMPTY {
            arena.spend(1)?;
            local.tokens.extend_from_slice(trie.tokens_at(child));
            if arena.info(next).nullable {
                local.exits.push(child);
            }
            if next != EPSILON && trie.end(child) > child + 1 {
                walk(arena, trie, child, next, local)?;
            }
        }
        child = trie.end(child);
    }
    Ok(())
}

/// States that differ in a count only: one class of characters leads from each to the next, at last perhaps to itself.
struct Chain {
    states: Vec<TermId>,
    class: u128,
    wide: bool,
    loops: bool,
}

impl Chain {
    fn of(arena: &mut Arena, head: TermId, longest: u32) -> Result<Option<Chain>> {
        let Some((mut next, class)) = majority(arena, head)? else { return Ok(None) };
        let Some(sample) = class.iter().next() else { return Ok(None) };
        let wide = Self::wide_onto(arena, head, next)?;
        if !wide && !Self::dead_outside(arena, head, 0..=0x7f, 0xc0..=0xff)? {
            return Ok(None);
        }
        let mut chain = Chain { states: vec![head], class: class.ascii(), wide, loops: false };
        while chain.states.len() <= longest as usize + 1 {
            let state = chain.states[chain.states.len() - 1];
            if next == state {
                chain.loops = true;
                return Ok(Some(chain));
            }
            chain.states.push(next);
            let after = arena.derive(next, sample)?;
            if after == EMPTY {
                // The count is used up. What else the last state allows is walked place by place: it must be little.
                let live = arena.live_bytes(next)?;
                let ascii = live.intersection(&ByteSet::range(0, 0x7f)).len();
                return Ok((ascii < WIDE_CLASS && ascii == live.len()).then_some(chain));
            }
            if arena.bytes_onto(next, after)?.ascii() != chain.class
                || Self::wide_onto(arena, next, after)? != chain.wide
                || !chain.wide && !Self::dead_outside(arena, next, 0..=0x7f, 0xc0..=0xff)?
            {
                return Ok(None);
            }
            next = after;
        }
        chain.loops = true;
        Ok(Some(chain))
    }

    /// Whether every character beyond ASCII leads from `head` to `onto`, and nothing that is no character does.
    fn wide_onto(arena: &mut Arena, head: TermId, onto: TermId) -> Result<bool> {
        if arena.any_character(head) {
            return Ok(true);
        }
        let mut state = [EMPTY; 4];
        if !Self::dead_outside(arena, head, 0..=0x7f, 0xc2..=0xf4)? {
            return Ok(false);
        }
        for (leads, seconds, rest) in [
            (0xc2..=0xdfu8, 0x80..=0xbfu8, 0),
            (0xe0..=0xe0, 0xa0..=0xbf, 1),
            (0xe1..=0xec, 0x80..=0xbf, 1),
            (0xed..=0xed, 0x80..=0x9f, 1),
            (0xee..=0xef, 0x80..=0xbf, 1),
            (0xf0..=0xf0, 0x90..=0xbf, 2),
            (0xf1..=0xf3, 0x80..=0xbf, 2),
            (0xf4..=0xf4, 0x80..=0x8f, 2),
        ] {
            let Some(first) = Self::uniform(arena, head, leads)? else { return Ok(false) };
            let Some(second) = Self::uniform(arena, first, seconds.clone())? else { return Ok(false) };
            if !Self::dead_outside(arena, first, seconds.clone(), seconds)? {
                return Ok(false);
            }
            state[1] = second;
            for at in 0..rest {
                let Some(next) = Self::uniform(arena, state[1 + at], 0x80..=0xbf)? else { return Ok(false) };
                if !Self::dead_outside(arena, state[1 + at], 0x80..=0xbf, 0x80..=0xbf)? {
                    return Ok(false);
                }
                state[2 + at] = next;
            }
            if state[1 + rest] != onto {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether every byte outside two ranges is refused.
    fn dead_outside(
        arena: &mut Arena,
        head: TermId,
        one: std::ops::RangeInclusive<u8>,
        other: std::ops::RangeInclusive<u8>,
    ) -> Result<bool> {
        let moves = arena.moves(head)?;
        Ok(moves.iter().all(|&(low, high, _)| {
            [&one, &other].iter().any(|range| range.contains(&low) && range.contains(&high))
                || (low..=high).all(|byte| one.contains(&byte) || other.contains(&byte))
        }))
    }

    /// The one state that all these bytes lead to.
    fn uniform(arena: &mut Arena, head: TermId, bytes: std::ops::RangeInclusive<u8>) -> Result<Option<TermId>> {
        let (start, end) = (*bytes.start(), *bytes.end());
        let target = arena.derive(head, start)?;
        if target == EMPTY {
            return Ok(None);
        }
        let cuts = arena.cuts(head);
        let mut byte = start;
        while let Some(next) = cuts.interval(byte).1.checked_add(1).filter(|&next| next <= end) {
            if arena.derive(head, next)? != target {
                return Ok(None);
            }
            byte = next;
        }
        Ok(Some(target))
    }

    fn after(&self, chars: u32) -> Option<TermId> {
        let last = self.states.len() - 1;
        if chars as usize <= last {
            Some(self.states[chars as usize])
        } else {
            self.loops.then(|| self.states[last])
        }
    }

    fn local(&self, arena: &mut Arena, vocabulary: &Vocabulary) -> Result<Local> {
        let mut inside = vocabulary.class(self.class, self.wide);
        let last = self.states.len() as u32 - 1;
        if !self.loops && last < vocabulary.longest {
            let short = vocabulary.at_most(last);
            inside = inside.iter().zip(short.iter()).map(|(a, b)| a & b).collect();
        }
        let mut local = Local { dense: Some(inside), ..Local::default() };
        let mut live = ByteSet::EMPTY;
        for &state in &self.states {
            live = live.union(&arena.live_bytes(state)?);
        }
        let inner = |byte: u8| byte < 0x80 && self.class >> byte & 1 == 1 || byte >= 0x80 && self.wide;
        let mut live = ByteSet::of(live.iter().filter(|&byte| !inner(byte)));
        if self.states.iter().any(|&state| arena.info(state).nullable) {
            // Ends between any two characters: every inner node is an exit, and a walk is no dearer.
            let mut local = Local::default();
            walk(arena, &vocabulary.trie, 0, self.states[0], &mut local)?;
            return Ok(local);
        }
        if !self.loops {
            // Beyond the last count even the class's own bytes may mean something else.
            let end = self.states[last as usize];
            for byte in 0..0x80u8 {
                if self.class >> byte & 1 == 1 && arena.derive(end, byte)? != EMPTY {
                    live.insert(byte);
                }
            }
        }
        for byte in live.iter() {
            let inner = inner(byte);
            for place in vocabulary.occurrences(byte) {
                if place.before & !self.class != 0
                    || place.wide && !self.wide
                    || inner && u32::from(place.chars) != last
                {
                    continue;
                }
                let Some(state) = self.after(u32::from(place.chars)) else { continue };
                let next = arena.derive(state, byte)?;
                if next == EMPTY {
                    continue;
                }
                arena.spend(1)?;
                local.tokens.extend_from_slice(vocabulary.trie.tokens_at(place.node));
                if arena.info(next).nullable {
                    local.exits.push(place.node);
                }
                if next != EPSILON {
                    walk(arena, &vocabulary.trie, place.node, next, &mut local)?;
                }
            }
        }
        Ok(local)
    }
}

impl Composer<'_> {
    /// Go on where a head is at an end in mid-token.
    fn leave(&mut self, head: TermId, frame: FrameId, local: &Local) -> Result<()> {
        let vocabulary = self.vocabulary;
        if let Term::KeyNamed { .. } = self.machine.arena.term(head) {
            // Each end is a key of its own: walk with the head, which knows which.
            return self.walk(&vocabulary.trie, 0, head, frame, true);
        }
        let head = self.machine.unknown(head)?;
        let ended = match self.machine.arena.held(head) {
            Some((_, text)) => self.machine.arena.rehold(head, EPSILON, text)?,
            None => EPSILON,
        };
        let after = self.machine.after(ended, frame)?;
        if let Some(forest) = &local.forest {
            self.resume(forest, 0, &after)?;
        }
        for &node in &local.exits {
            self.resume(&vocabulary.trie, node, &after)?;
        }
        Ok(())
    }

    /// Everything that may follow, below a node.
    fn resume(&mut self, trie: &Trie, node: u32, after: &Position) -> Result<()> {
        if trie.end(node) == node + 1 {
            return Ok(());
        }
        if after.ask {
            self.asks.extend_from_slice(trie.tokens_below(node));
        }
        for &(head, frame) in &after.heads {
            self.walk(trie, node, head, frame, false)?;
        }
        Ok(())
    }

    fn walk(&mut self, trie: &Trie, node: u32, head: TermId, frame: FrameId, silent: bool) -> Result<()> {
        let head = self.machine.unknown(head)?;
        if !self.seen.insert((std::ptr::from_ref(trie) as usize, node, head, frame)) {
            return Ok(());
        }
        self.descend(trie, node, head, frame, silent)
    }

    fn descend(&mut self, trie: &Trie, node: u32, head: TermId, frame: FrameId, silent: bool) -> Result<()> {
        let mut child = node + 1;
        let end = trie.end(node);
        while child < end {
            let next = self.machine.arena.derive(head, trie.byte(child))?;
            if next != EMPTY {
                self.machine.arena.spend(1)?;
                if !silent {
                    self.tokens.extend_from_slice(trie.tokens_at(child));
                }
                if trie.end(child) > child + 1 {
                    if self.machine.arena.info(next).nullable {
                        let after = self.machine.after(next, frame)?;
                        self.resume(trie, child, &after)?;
                    }
                    self.descend(trie, child, next, frame, silent)?;
                }
            }
            child = trie.end(child);
        }
        Ok(())
    }
}

impl Machine {
    /// Whether the bytes may follow; None where an unknown key would have to be known.
    fn replay(&mut self, mut id: PositionId, bytes: &[u8]) -> Result<Option<bool>> {
        for &byte in bytes {
            if self.position(id).ask {
                return Ok(None);
            }
            id = self.step(id, byte)?;
            if id == DEAD {
                return Ok(Some(false));
            }
        }
        Ok((!self.position(id).ask).then_some(true))
    }
}

fn corrections(tokens: &mut [u32], clears: &[u32]) -> Vec<(u32, u32, u32)> {
    tokens.sort_unstable();
    let mut words: Vec<(u32, u32, u32)> = Vec::new();
    for &token in tokens.iter() {
        match words.last_mut() {
            Some((word, set, _)) if *word == token >> 5 => *set |= 1 << (token & 31),
            _ => words.push((token >> 5, 1 << (token & 31), 0)),
        }
    }
    for &token in clears {
        match words.binary_search_by_key(&(token >> 5), |&(word, ..)| word) {
            Ok(at) => {
                words[at].1 &= !(1 << (token & 31));
                words[at].2 |= 1 << (token & 31);
            }
            Err(at) => words.insert(at, (token >> 5, 0, 1 << (token & 31))),
        }
    }
    words
}
