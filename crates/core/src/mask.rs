//! Which tokens may come next, composed of pieces that are remembered.
//!
//! A head's own part is its `Local`. From the nodes at which it is at an end in mid-token the walk goes on with whatever
//! the frame returns to; what heads do below a node is remembered with the trie (`Pieces`), so that separators and
//! brackets are walked once for all grammars. A mask is held as references to shared parts and a short list of corrected
//! words, not as a copy.

use crate::error::Result;
use crate::local::{Forest, Local, Part, Pieces, Words, NARROW};
use crate::machine::{FrameId, Machine, Position, PositionId, DEAD};
use crate::spelling::along;
use crate::term::{Arena, Term, TermId, Text, EMPTY, EPSILON};
use crate::trie::Trie;
use crate::unique::Register;
use crate::vocabulary::{Bits, Vocabulary, FAR};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// An allowed set: the union of shared parts, corrected word by word.
pub struct Mask {
    parts: Vec<Part>,
    lists: Vec<Words>,
    /// What both are cut down to.
    within: Option<Bits>,
    /// (word, bits to set, bits to clear), ascending.
    words: Box<[(u32, u32, u32)]>,
    empty: bool,
}

impl Mask {
    /// Whether no token is allowed.
    pub fn is_empty(&self) -> bool {
        self.empty
    }

    pub fn write(&self, out: &mut [u32]) {
        match self.parts.split_first() {
            Some((first, rest)) => {
                match &first.within {
                    None => out.copy_from_slice(&first.bits),
                    Some(within) => {
                        let words = first.bits.iter().zip(within.iter());
                        out.iter_mut().zip(words).for_each(|(word, (bits, within))| *word = bits & within);
                    }
                }
                for part in rest {
                    match &part.within {
                        None => out.iter_mut().zip(part.bits.iter()).for_each(|(word, bits)| *word |= bits),
                        Some(_) => out.iter_mut().zip(part.words()).for_each(|(word, bits)| *word |= bits),
                    }
                }
            }
            None => out.fill(0),
        }
        for list in &self.lists {
            list.iter().for_each(|&(word, set)| out[word as usize] |= set);
        }
        if let Some(within) = &self.within {
            out.iter_mut().zip(within.iter()).for_each(|(word, within)| *word &= within);
        }
        for &(word, set, clear) in &self.words {
            let word = &mut out[word as usize];
            *word = *word & !clear | set;
        }
    }

    pub fn memory_bytes(&self) -> usize {
        self.words.len() * 12 + self.parts.len() * 32 + self.lists.len() * 16 + size_of::<Mask>()
    }
}

/// Shorter lists are copied into the mask: a reference would cost more.
const SHARED_FROM: usize = 24;

/// A walk that was made already is looked for only where there are more of them: seldom are two the same.
const FEW_WALKS: usize = 64;

/// Below fewer nodes than this a walk is cheaper than looking it up.
const PIECE_FROM: u32 = 12;

/// The pieces and masks that one compiled grammar has at hand.
#[derive(Default)]
pub struct Masks {
    /// The token id of every special token that the grammar names.
    special_ids: Vec<u32>,
    locals: FxHashMap<TermId, Local>,
    clipped: FxHashMap<(TermId, u32), TermId>,
    masks: FxHashMap<PositionId, Arc<Mask>>,
    scratch: Scratch,
    /// Bytes of all this, the masks' own left out.
    held: usize,
}

/// Single tokens that are allowed, whatever else says otherwise, or not; it knows which of its words are not zero.
#[derive(Default)]
struct Scratch {
    allowed: Vec<u32>,
    refused: Vec<u32>,
    touched: Vec<u64>,
}

/// A trie and what is remembered of it.
#[derive(Clone, Copy)]
struct Ground<'a> {
    trie: &'a Trie,
    pieces: &'a Pieces,
}

/// Collects one mask.
struct Composer<'a> {
    machine: &'a mut Machine,
    vocabulary: &'a Vocabulary,
    scratch: Scratch,
    lists: Vec<Words>,
    /// Whether shared lists are copied: what they belong to is cut.
    pours: bool,
    asks: Vec<u32>,
    /// Nodes at and below which heads differ from those whose pieces they share.
    doubts: Vec<u32>,
    walks: usize,
    /// (trie, node, head, frame) that was walked from, once there are many.
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
        let mut parts: Vec<Part> = Vec::new();
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.fit(vocabulary.mask_words());
        let mut composer = Composer {
            machine,
            vocabulary,
            scratch,
            lists: Vec::new(),
            pours: false,
            asks: Vec::new(),
            doubts: Vec::new(),
            walks: 0,
            seen: FxHashSet::default(),
        };
        let reach = self.reach(&mut composer.machine.arena, vocabulary, &position)?;
        for &(head, frame) in &position.heads {
            if composer.spell(vocabulary.ground(), 0, head, frame)? {
                continue;
            }
            if let Term::KeyNamed { .. } = composer.machine.arena.term(head) {
                // Each end is a key of its own: walk with the head, which knows which.
                composer.descend(vocabulary.ground(), 0, head, frame)?;
                continue;
            }
            let local = self.local(&mut composer.machine.arena, vocabulary, head, reach)?;
            if let Some(dense) = &local.dense {
                if !parts.iter().any(|part| part.same(dense)) {
                    parts.push(dense.clone());
                }
            }
            composer.add(&local.core.words);
            composer.asks.extend_from_slice(&local.asks);
            composer.doubts.extend_from_slice(&local.doubts);
            if let Term::Item { array, .. } = *composer.machine.arena.term(head) {
                // Whether an item may end depends on those before it.
                if !composer.machine.arena.fresh_by_itself(array) {
                    composer.asks.extend_from_slice(&local.core.ends);
                }
            }
            if !composer.machine.plenty_after(frame)? {
                // An open item may have to end as a value that came before.
                composer.asks.extend_from_slice(&local.core.ends);
                if !composer.steady(head, frame)? {
                    composer.asks.extend(local.tokens());
                }
            }
            composer.leave(head, frame, &local)?;
        }
        let within = (reach < vocabulary.longest).then(|| vocabulary.long.others.clone());
        if let Some(within) = &within {
            composer.scratch.cut(within);
            composer.pours = true;
            self.long_tokens(&mut composer, &position)?;
        }
        let open = position.register != Register::Closed;
        let mut shared = composer.resolve(id, exact, open)?;
        let Composer { mut scratch, lists, mut asks, .. } = composer;
        if position.accepting {
            vocabulary.eos.iter().for_each(|&token| scratch.set(token));
        }
        for &(special, _) in &position.specials {
            scratch.set(self.special_ids[special as usize]);
        }
        asks.sort_unstable();
        asks.dedup();
        for &token in &asks {
            let bytes = vocabulary.token(token).unwrap_or_default();
            let known = match machine.stays(id, bytes)? {
                None if !open => machine.reached(id, bytes)?.map(|at| at != DEAD),
                known => known,
            };
            let allowed = match known {
                Some(allowed) => allowed,
                None => {
                    shared = false;
                    machine.can_follow(exact, bytes)?
                }
            };
            if allowed {
                scratch.set(token);
            } else {
                scratch.refuse(token);
            }
        }
        let words = scratch.corrected();
        self.scratch = scratch;
        let mut mask = Mask { parts, lists, within, words, empty: false };
        mask.empty = mask.lists.is_empty() && mask.words.iter().all(|&(_, set, _)| set == 0) && {
            let mut bits = vec![0; vocabulary.mask_words()];
            mask.write(&mut bits);
            bits.iter().all(|&word| word == 0)
        };
        let mask = Arc::new(mask);
        self.held += 24;
        self.masks.insert(if shared { id } else { exact }, mask.clone());
        Ok(mask)
    }

    /// Up to how many code points of a token all heads are to be exact: where a count ends in the reach of long tokens
    /// only, all others are answered as if it did not end.
    fn reach(&mut self, arena: &mut Arena, vocabulary: &Vocabulary, position: &Position) -> Result<u32> {
        let longest = vocabulary.longest;
        if longest > FAR {
            for &(head, _) in &position.heads {
                let language = arena.held(head).map_or(head, |(inner, _)| inner);
                if arena.may(language).len() <= NARROW {
                    // White space, say: few long tokens are made of it, and all others end soon.
                    continue;
                }
                let exact = self.clipped(arena, language, longest)?;
                if self.clipped(arena, language, FAR)? != exact && arena.counted(exact)?.is_none() {
                    return Ok(FAR);
                }
            }
        }
        Ok(longest)
    }

    /// The long tokens by themselves, band by band.
    fn long_tokens(&mut self, composer: &mut Composer, position: &Position) -> Result<()> {
        for band in &composer.vocabulary.long.bands {
            let ground = Ground { trie: &band.trie, pieces: &band.pieces };
            for &(head, frame) in &position.heads {
                let arena = &mut composer.machine.arena;
                let head = match arena.held(head) {
                    Some((inner, text)) => {
                        let inner = self.clipped(arena, inner, band.longest)?;
                        arena.rehold(head, inner, text)?
                    }
                    None => self.clipped(arena, head, band.longest)?,
                };
                composer.walk(ground, 0, head, frame)?;
            }
        }
        Ok(())
    }

    /// `Arena::clipped`, remembered.
    fn clipped(&mut self, arena: &mut Arena, head: TermId, reach: u32) -> Result<TermId> {
        if let Some(&near) = self.clipped.get(&(head, reach)) {
            return Ok(near);
        }
        let near = arena.clipped(head, reach)?;
        self.held += 24;
        self.clipped.insert((head, reach), near);
        Ok(near)
    }

    fn local(&mut self, arena: &mut Arena, vocabulary: &Vocabulary, head: TermId, reach: u32) -> Result<Local> {
        let head = arena.held(head).map_or(head, |(inner, _)| inner);
        let head = self.clipped(arena, head, reach)?;
        self.local_of(arena, vocabulary, head)
    }

    fn local_of(&mut self, arena: &mut Arena, vocabulary: &Vocabulary, head: TermId) -> Result<Local> {
        if let Some(local) = self.locals.get(&head) {
            return Ok(local.clone());
        }
        let hash = arena.info(head).hash;
        let known = vocabulary.locals.get(hash);
        let local = match known {
            Some(local) => local,
            None => {
                let mut near = |arena: &mut Arena, near| {
                    let near = self.clipped(arena, near, vocabulary.longest)?;
                    self.local_of(arena, vocabulary, near)
                };
                let local = Local::of(arena, vocabulary, head, &mut near)?;
                vocabulary.locals.put(hash, local.clone(), local.memory_bytes());
                local
            }
        };
        self.held += 24 + local.memory_bytes();
        self.locals.insert(head, local.clone());
        Ok(local)
    }
}

impl Composer<'_> {
    fn add(&mut self, words: &Words) {
        if words.len() >= SHARED_FROM && !self.pours {
            self.lists.push(words.clone());
        } else {
            words.iter().for_each(|&(word, bits)| self.scratch.add(word, bits));
        }
    }

    /// The tokens at and below the nodes in doubt, as they follow the position itself; false if only the exact one could
    /// tell.
    fn resolve(&mut self, id: PositionId, exact: PositionId, open: bool) -> Result<bool> {
        let mut doubts = std::mem::take(&mut self.doubts);
        doubts.sort_unstable();
        // What is shared is added before anything is refused, and what was walked is walked again where it is.
        self.pours = true;
        self.seen.clear();
        let ground = self.vocabulary.ground();
        let (mut end, mut shared) = (0, true);
        for node in doubts {
            if node < end {
                continue;
            }
            end = ground.trie.end(node);
            let (here, below) = (ground.trie.tokens_at(node), ground.trie.tokens_below(node));
            if open {
                self.asks.extend(here.iter().chain(below));
                continue;
            }
            let path = ground.trie.path(node);
            let at = match self.machine.reached(id, &path)? {
                Some(at) => at,
                None => {
                    shared = false;
                    path.iter().try_fold(exact, |at, &byte| self.machine.step(at, byte))?
                }
            };
            here.iter().chain(below).for_each(|&token| self.scratch.refuse(token));
            if at != DEAD {
                here.iter().for_each(|&token| self.scratch.set(token));
                let position = self.machine.position(at).clone();
                self.resume(ground, node, &position)?;
            }
        }
        Ok(shared)
    }

    /// Go on where a head is at an end in mid-token.
    fn leave(&mut self, head: TermId, frame: FrameId, local: &Local) -> Result<()> {
        if local.core.exits.is_empty() && local.core.forest.is_none() {
            return Ok(());
        }
        let after = self.after(head, frame)?;
        if let Some(Forest { trie, pieces }) = &local.core.forest {
            self.resume(Ground { trie, pieces }, 0, &after)?;
        }
        let ground = self.vocabulary.ground();
        local.core.exits.iter().try_for_each(|&node| self.resume(ground, node, &after))
    }

    /// What follows a head wherever in a mask it is at an end: a text that it has read is not known there.
    fn after(&mut self, head: TermId, frame: FrameId) -> Result<Arc<Position>> {
        let ended = match self.machine.arena.held(head) {
            Some(_) => self.machine.arena.rehold(head, EPSILON, Text::Unknown)?,
            None => EPSILON,
        };
        self.machine.after(ended, frame)
    }

    /// Whether no token can lead to where too little is left within the head for an open item to differ from others.
    fn steady(&mut self, head: TermId, frame: FrameId) -> Result<bool> {
        let near = self.machine.arena.clipped(head, self.vocabulary.longest)?;
        self.machine.steady(near, frame)
    }

    /// Everything that may follow, below a node.
    fn resume(&mut self, ground: Ground, node: u32, after: &Position) -> Result<()> {
        if ground.trie.end(node) == node + 1 {
            return Ok(());
        }
        if after.ask {
            self.asks.extend_from_slice(ground.trie.tokens_below(node));
        }
        after.heads.iter().try_for_each(|&(head, frame)| self.walk(ground, node, head, frame))
    }

    fn walk(&mut self, ground: Ground, node: u32, head: TermId, frame: FrameId) -> Result<()> {
        let head = self.machine.unknown(head)?;
        self.walks += 1;
        if self.walks > FEW_WALKS && !self.seen.insert((std::ptr::from_ref(ground.trie) as usize, node, head, frame)) {
            return Ok(());
        }
        if self.spell(ground, node, head, frame)? {
            return Ok(());
        }
        let language = match *self.machine.arena.term(head) {
            Term::KeyNamed { .. } | Term::KeyDone { .. } | Term::Item { .. } => None,
            Term::KeyExtra { inner, .. } => Some(inner),
            _ => Some(head),
        };
        match language {
            Some(language) if ground.trie.end(node) - node >= PIECE_FROM && self.machine.plenty_after(frame)? => {
                let piece = ground.pieces.get(&mut self.machine.arena, ground.trie, node, language)?;
                self.add(&piece.words);
                if !piece.exits.is_empty() {
                    let after = self.after(head, frame)?;
                    piece.exits.iter().try_for_each(|&exit| self.resume(ground, exit, &after))?;
                }
                Ok(())
            }
            _ => self.descend(ground, node, head, frame),
        }
    }

    /// The same for a head that is the rest of a text, or of one of several: no state is made for what only tokens read.
    /// False if it is none, or if items that must differ depend on its states.
    fn spell(&mut self, ground: Ground, node: u32, head: TermId, frame: FrameId) -> Result<bool> {
        let Ground { trie, .. } = ground;
        if !self.machine.arena.uniques.is_empty() {
            return Ok(false);
        }
        match *self.machine.arena.term(head) {
            Term::Literal { literal, position } => {
                let text = self.machine.arena.literals[literal as usize].clone();
                let mut place = node;
                for (at, &byte) in text.iter().enumerate().skip(position as usize) {
                    let Some(child) = trie.child(place, byte) else { break };
                    place = child;
                    self.machine.arena.spend(1)?;
                    trie.tokens_at(place).iter().for_each(|&token| self.scratch.set(token));
                    if at + 1 == text.len() && trie.end(place) > place + 1 {
                        let after = self.machine.after(EPSILON, frame)?;
                        self.resume(ground, place, &after)?;
                    }
                }
            }
            Term::KeyNamed { object, state, low, high, depth } => {
                let spec = self.machine.arena.objects[object as usize].clone();
                let choices = self.machine.arena.choices(object, state)?;
                let keys = &spec.sorted[low as usize..high as usize];
                let mut enter = |child: u32, keys: &[(Box<[u8]>, u32)], read: usize| {
                    if !keys.iter().any(|&(_, property)| choices.allows(property)) {
                        return Ok(false);
                    }
                    self.machine.arena.spend(1)?;
                    trie.tokens_at(child).iter().for_each(|&token| self.scratch.set(token));
                    let (key, property) = &keys[0];
                    if key.len() == read && trie.end(child) > child + 1 {
                        let done = self.machine.arena.key_done(object, state, *property)?;
                        let after = self.machine.after(done, frame)?;
                        self.resume(ground, child, &after)?;
                    }
                    Ok(true)
                };
                along(trie, node, keys, depth as usize, &|(key, _)| key, &mut enter)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn descend(&mut self, ground: Ground, node: u32, head: TermId, frame: FrameId) -> Result<()> {
        let Ground { trie, .. } = ground;
        let may = self.machine.arena.may(head);
        for (byte, child) in trie.children_in(node, &may) {
            let next = self.machine.arena.derive(head, byte)?;
            if next == EMPTY {
                continue;
            }
            self.machine.arena.spend(1)?;
            trie.tokens_at(child).iter().for_each(|&token| self.scratch.set(token));
            if !self.machine.plenty(next, frame)? {
                self.asks.extend_from_slice(trie.tokens_at(child));
            }
            if trie.end(child) > child + 1 {
                if self.machine.arena.info(next).nullable {
                    let after = self.machine.after(next, frame)?;
                    self.resume(ground, child, &after)?;
                }
                self.descend(ground, child, next, frame)?;
            }
        }
        Ok(())
    }
}

impl Vocabulary {
    fn ground(&self) -> Ground<'_> {
        Ground { trie: &self.trie, pieces: &self.pieces }
    }
}

impl Scratch {
    fn fit(&mut self, words: usize) {
        self.allowed.resize(words, 0);
        self.refused.resize(words, 0);
        self.touched.resize(words.div_ceil(64), 0);
    }

    fn set(&mut self, token: u32) {
        self.add(token >> 5, 1 << (token & 31));
    }

    fn refuse(&mut self, token: u32) {
        let (word, bit) = (token >> 5, 1 << (token & 31));
        self.add(word, 0);
        self.allowed[word as usize] &= !bit;
        self.refused[word as usize] |= bit;
    }

    fn cut(&mut self, within: &[u32]) {
        self.allowed.iter_mut().zip(within).for_each(|(word, within)| *word &= within);
    }

    fn add(&mut self, word: u32, bits: u32) {
        self.allowed[word as usize] |= bits;
        self.touched[word as usize >> 6] |= 1 << (word & 63);
    }

    /// (word, bits to set, bits to clear before), ascending; the scratch is empty again.
    fn corrected(&mut self) -> Box<[(u32, u32, u32)]> {
        let count = self.touched.iter().map(|touched| touched.count_ones() as usize).sum();
        let mut corrected = Vec::with_capacity(count);
        for (block, touched) in self.touched.iter_mut().enumerate() {
            let mut left = std::mem::take(touched);
            while left != 0 {
                let word = (block * 64) as u32 + left.trailing_zeros();
                left &= left - 1;
                let allowed = std::mem::take(&mut self.allowed[word as usize]);
                let refused = std::mem::take(&mut self.refused[word as usize]);
                corrected.push((word, allowed, refused));
            }
        }
        corrected.into()
    }
}

impl Machine {
    /// Whether the bytes may follow, if that can be seen without a look at what follows the heads: one of them reads on
    /// behind the bytes, or all are stuck before any is at an end.
    fn stays(&mut self, id: PositionId, bytes: &[u8]) -> Result<Option<bool>> {
        if !self.arena.uniques.is_empty() {
            return Ok(None);
        }
        let position = self.position(id).clone();
        let mut left = false;
        for &(head, _) in &position.heads {
            let mut at = match *self.arena.term(head) {
                // Whether an item may go on depends on those before it.
                Term::Item { .. } => return Ok(None),
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
    fn reached(&mut self, mut id: PositionId, bytes: &[u8]) -> Result<Option<PositionId>> {
        for &byte in bytes {
            if self.position(id).ask {
                return Ok(None);
            }
            id = self.step(id, byte)?;
        }
        Ok((!self.position(id).ask).then_some(id))
    }
}
