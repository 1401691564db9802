//! Position × vocabulary → the mask, composed of pieces that are remembered.
//!
//! A head's own part is its `HeadMask`. From the nodes at which it is at an end in mid-token the walk goes on with whatever
//! the frame returns to; what heads do below a node is remembered with the trie (`Pieces`), so that separators and
//! brackets are walked once for all grammars. A mask is held as references to shared parts and a short list of corrected
//! words, not as a copy.

use crate::automaton::machine::{Machine, Position, PositionId};
use crate::automaton::unique::Register;
use crate::error::Result;
use crate::mask::accumulator::Accumulator;
use crate::mask::composer::{Composer, TrieView};
use crate::mask::draft::{Draft, Walks};
use crate::mask::head_mask::HeadMask;
use crate::mask::key::{KeyBuilder, KeyParts, MaskKey, OwnPart};
use crate::mask::shared::SharedMasks;
use crate::mask::verify;
use crate::regular::arena::Arena;
use crate::regular::term::{Term, TermId};
use crate::storage::hash::Hasher128;
use crate::vocabulary::long_tokens::SHORT_TOKEN_CHARS;
use crate::vocabulary::token_set::{Part, Words};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::mem::take;
use std::sync::Arc;

/// Of more alternatives at once a name takes as long as their mask, and seldom is another's.
const NAMED_HEADS: usize = 32;

/// Where more than one of so many words is corrected, a mask is smaller as one set, and written faster.
const SPREAD_FROM: usize = 6;

/// A draft with more corrected words is spread.
const CORRECTED_FROM: usize = 16;

thread_local! {
    /// One for all grammars: what a mask has left behind is as good as new.
    static SCRATCH: Cell<Accumulator> = Cell::default();
}

/// An allowed set: the union of shared parts, corrected word by word.
pub struct Mask {
    parts: Vec<Part>,
    lists: Vec<Words>,
    /// (word, bits to set, bits to clear), ascending.
    words: Box<[(u32, u32, u32)]>,
    empty: bool,
    /// The position that composed it, in words; kept only where masks are verified.
    origin: Option<Box<str>>,
}

impl Mask {
    /// The mask of these tokens, ascending.
    pub(crate) fn of(tokens: &[u32]) -> Self {
        let words = tokens.chunk_by(|one, other| one >> 5 == other >> 5);
        let words = words.map(|alike| (alike[0] >> 5, alike.iter().fold(0, |bits, token| bits | 1 << (token & 31)), 0));
        Mask { parts: Vec::new(), lists: Vec::new(), words: words.collect(), empty: tokens.is_empty(), origin: None }
    }

    /// The same as one set.
    fn spread(self, words: usize) -> Self {
        let mut bits = vec![0; words];
        self.write(&mut bits);
        let part = Part { bits: bits.into(), within: None };
        Mask { parts: vec![part], lists: Vec::new(), words: Box::default(), empty: self.empty, origin: self.origin }
    }

    /// Whether no token is allowed.
    pub fn is_empty(&self) -> bool {
        self.empty
    }

    /// Whether a token is allowed.
    pub(crate) fn allows(&self, token: u32) -> bool {
        let (place, bit) = (token >> 5, 1 << (token & 31));
        if let Ok(found) = self.words.binary_search_by_key(&place, |&(word, ..)| word) {
            let (_, set, clear) = self.words[found];
            if (set | clear) & bit != 0 {
                return set & bit != 0;
            }
        }
        let listed = |list: &Words| {
            list.binary_search_by_key(&place, |&(word, _)| word).is_ok_and(|found| list[found].1 & bit != 0)
        };
        self.parts.iter().any(|part| part.word(place as usize) & bit != 0) || self.lists.iter().any(listed)
    }

    /// The same with some tokens allowed or refused, ascending.
    pub(crate) fn with(&self, tokens: &[(u32, bool)]) -> Mask {
        let mut words = Vec::with_capacity(self.words.len() + tokens.len());
        let mut own = self.words.iter().copied().peekable();
        for alike in tokens.chunk_by(|one, other| one.0 >> 5 == other.0 >> 5) {
            let place = alike[0].0 >> 5;
            while let Some(word) = own.next_if(|&(word, ..)| word < place) {
                words.push(word);
            }
            let (_, mut set, mut clear) = own.next_if(|&(word, ..)| word == place).unwrap_or((place, 0, 0));
            for &(token, allowed) in alike {
                let bit = 1 << (token & 31);
                (set, clear) = if allowed { (set | bit, clear & !bit) } else { (set & !bit, clear | bit) };
            }
            words.push((place, set, clear));
        }
        words.extend(own);
        let mut mask = Mask {
            parts: self.parts.clone(),
            lists: self.lists.clone(),
            words: words.into(),
            empty: false,
            origin: self.origin.clone(),
        };
        mask.empty = mask.forbids_all();
        mask
    }

    fn forbids_all(&self) -> bool {
        if !self.lists.is_empty() || self.words.iter().any(|&(_, set, _)| set != 0) {
            return false;
        }
        let mut cleared = self.words.iter().map(|&(word, _, clear)| (word as usize, clear)).peekable();
        let places = self.parts.first().map_or(0, |part| part.bits.len());
        (0..places).all(|word| {
            let clear = cleared.next_if(|&(at, _)| at == word).map_or(0, |(_, clear)| clear);
            self.parts.iter().all(|part| part.word(word) & !clear == 0)
        })
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
        for &(word, set, clear) in &self.words {
            let word = &mut out[word as usize];
            *word = *word & !clear | set;
        }
    }

    /// The position that composed the mask, where masks are verified.
    pub(crate) fn origin(&self) -> &str {
        self.origin.as_deref().unwrap_or("unknown")
    }

    pub fn memory_bytes(&self) -> usize {
        let own = self.parts.iter().filter(|part| Arc::strong_count(&part.bits) == 1);
        let own: usize = own.map(|part| 4 * part.bits.len()).sum();
        self.words.len() * 12 + self.parts.len() * 32 + self.lists.len() * 16 + own + size_of::<Mask>()
    }

    /// The same with its share of what it refers to: that stays as long as it does.
    fn held_bytes(&self) -> usize {
        let shared = self.parts.iter().filter(|part| Arc::strong_count(&part.bits) > 1);
        let parts = shared.map(|part| 4 * part.bits.len() / Arc::strong_count(&part.bits));
        let lists = self.lists.iter().map(|list| 8 * list.len() / Arc::strong_count(list));
        self.memory_bytes() + parts.chain(lists).sum::<usize>()
    }
}

/// The pieces and masks that one compiled grammar has at hand.
#[derive(Default)]
pub struct Masks {
    /// The token id of every special token that the grammar names.
    special_ids: Vec<u32>,
    head_masks: FxHashMap<TermId, HeadMask>,
    saturated: FxHashMap<(TermId, u32), TermId>,
    /// What `locals` has of a head that counts, clipped so far.
    counted: FxHashMap<(TermId, u32), HeadMask>,
    names: KeyParts,
    /// Under the names of positions.
    named: FxHashMap<u128, Arc<Mask>>,
    /// Of positions in arrays of different items.
    drafts: FxHashMap<PositionId, Arc<Draft>>,
    walks: Walks,
    /// Those that only their position tells.
    masks: FxHashMap<PositionId, Arc<Mask>>,
    /// Bytes of all this.
    held: usize,
    /// How many had to be composed: no grammar of the vocabulary had them.
    pub(crate) composed: usize,
}

impl Masks {
    pub fn new(special_ids: Vec<u32>) -> Self {
        Masks { special_ids, ..Masks::default() }
    }

    pub fn memory_bytes(&self) -> usize {
        self.held + self.walks.memory_bytes()
    }

    pub fn mask(&mut self, machine: &mut Machine, shared: &SharedMasks, exact: PositionId) -> Result<Arc<Mask>> {
        let mask = self.known_or_composed(machine, shared, exact)?;
        if verify::is_on() {
            verify::verify(machine, shared, &self.special_ids, exact, &mask)?;
        }
        Ok(mask)
    }

    /// The mask composed with no help of any cache.
    pub(crate) fn anew(
        machine: &mut Machine,
        shared: &SharedMasks,
        special_ids: &[u32],
        exact: PositionId,
    ) -> Result<Arc<Mask>> {
        let mut masks = Masks::new(special_ids.to_vec());
        let position = machine.position(exact).clone();
        let reach = masks.reach(&mut machine.arena, shared, &position)?;
        let id = machine.abstracted(exact)?;
        match machine.position(id).register {
            Register::Abstracted => masks.corrected(machine, shared, [exact, id], reach),
            _ => Ok(masks.compose(machine, shared, [exact, id], reach)?.0),
        }
    }

    fn known_or_composed(
        &mut self,
        machine: &mut Machine,
        shared: &SharedMasks,
        exact: PositionId,
    ) -> Result<Arc<Mask>> {
        if let Some(mask) = self.masks.get(&exact) {
            return Ok(mask.clone());
        }
        let position = machine.position(exact).clone();
        let reach = self.reach(&mut machine.arena, shared, &position)?;
        let name = self.name(machine, shared, &position, reach)?;
        if let Some(name) = name {
            if let Some(mask) = self.named.get(&name) {
                return Ok(mask.clone());
            }
            if let Some(mask) = shared.masks.get(name) {
                self.held += 32;
                self.named.insert(name, mask.clone());
                return Ok(mask);
            }
        }
        machine.known.longest = shared.vocabulary.longest / 2 + 1;
        let id = machine.abstracted(exact)?;
        if let Some(mask) = self.masks.get(&id) {
            return Ok(mask.clone());
        }
        if machine.position(id).register == Register::Abstracted {
            return self.corrected(machine, shared, [exact, id], reach);
        }
        let (mask, is_shared) = self.compose(machine, shared, [exact, id], reach)?;
        self.composed += 1;
        self.held += 32 + mask.memory_bytes();
        match name {
            Some(name) if is_shared => {
                shared.masks.put(name, mask.clone(), mask.held_bytes());
                self.named.insert(name, mask.clone());
            }
            _ => {
                self.masks.insert(if is_shared { id } else { exact }, mask.clone());
            }
        }
        Ok(mask)
    }

    fn namer<'a>(&'a mut self, machine: &'a mut Machine, shared: &'a SharedMasks) -> KeyBuilder<'a> {
        KeyBuilder { machine, names: &mut self.names, shared }
    }

    /// What all positions with this mask have in common.
    fn name(
        &mut self,
        machine: &mut Machine,
        shared: &SharedMasks,
        position: &Position,
        reach: u32,
    ) -> Result<MaskKey> {
        // Every field by its name: what a position says that is new must be told here, or this does not compile.
        let Position { heads, specials, accepting, ask, passed, unsure, register } = position;
        if *ask || *passed || *unsure || *register != Register::Closed || heads.len() > NAMED_HEADS {
            return Ok(None);
        }
        let mut covered = false;
        for &(head, _) in heads {
            covered |= self.namer(machine, shared).covers(head)?;
        }
        let mut hash = Hasher128::new(u64::from(*accepting));
        specials.iter().for_each(|&(special, _)| hash.word(self.special_ids[special as usize].into()));
        let mut name = 0u128;
        for &(head, frame) in heads {
            let part = if let Term::KeyNamed { .. } = machine.arena.term(head) {
                self.namer(machine, shared).of_key(head, frame, covered)?
            } else if let Some(text) = machine.arena.one_text(head) {
                self.namer(machine, shared).of_text(&text, frame)?
            } else {
                let head_mask = self.head_mask(&mut machine.arena, shared, head, reach)?;
                let own = match head_mask.hash() {
                    // What counts in the reach of long tokens is more than its piece, if that is cut.
                    Some(own) if reach >= shared.vocabulary.longest || !machine.arena.info(head).counts => {
                        OwnPart::Tokens(own)
                    }
                    _ => OwnPart::Saturated(shared.saturated_hash(&mut machine.arena, head)?),
                };
                self.namer(machine, shared).of_head(head, own, frame, &head_mask)?
            };
            let Some(part) = part else { return Ok(None) };
            name = name.wrapping_add(part);
        }
        hash.wide(name);
        Ok(Some(hash.finish()))
    }

    /// The mask computed anew, and whether it is that of all positions that are abstracted to the same.
    fn compose(
        &mut self,
        machine: &mut Machine,
        shared: &SharedMasks,
        [exact, id]: [PositionId; 2],
        reach: u32,
    ) -> Result<(Arc<Mask>, bool)> {
        let position = machine.position(id).clone();
        let (mut composer, parts) = self.composed_of(machine, shared, &position, reach)?;
        composer.replay.append(&mut composer.always);
        let shared = composer.settle(id, exact)?;
        Ok((Arc::new(self.finished(composer, parts, &position)), shared))
    }

    /// The mask of a position in an array of different items: what all with its draft share, corrected by what came.
    fn corrected(
        &mut self,
        machine: &mut Machine,
        shared: &SharedMasks,
        [exact, id]: [PositionId; 2],
        reach: u32,
    ) -> Result<Arc<Mask>> {
        let draft = match self.drafts.get(&id) {
            Some(draft) => draft.clone(),
            None => {
                let position = machine.position(id).clone();
                let (mut composer, parts) = self.composed_of(machine, shared, &position, reach)?;
                composer.settle_draft(id)?;
                let (recheck, always) = (take(&mut composer.items), take(&mut composer.always));
                let mut mask = self.finished(composer, parts, &position);
                if mask.words.len() > CORRECTED_FROM {
                    // It is copied with every correction.
                    mask = mask.spread(shared.vocabulary.mask_words());
                }
                let draft = Arc::new(Draft::new(mask, recheck, always));
                self.composed += 1;
                self.held += 32 + draft.memory_bytes();
                self.drafts.insert(id, draft.clone());
                draft
            }
        };
        let mask = draft.correct(machine, shared, &mut self.walks, exact)?;
        if !Arc::ptr_eq(&mask, &draft.mask) {
            self.held += mask.memory_bytes();
        }
        Ok(mask)
    }

    /// What pieces say of all heads.
    fn composed_of<'a>(
        &mut self,
        machine: &'a mut Machine,
        shared: &'a SharedMasks,
        position: &Position,
        reach: u32,
    ) -> Result<(Composer<'a>, Vec<Part>)> {
        let mut parts: Vec<Part> = Vec::new();
        let mut scratch = SCRATCH.take();
        scratch.fit(shared.vocabulary.mask_words());
        let mut composer = Composer::new(machine, shared, scratch);
        let cut = reach < shared.vocabulary.longest;
        composer.copies_lists = cut;
        for &(head, frame) in &position.heads {
            composer.first = composer.machine.openness(frame).open;
            if composer.spell(shared.view(), 0, head, frame)? {
                continue;
            }
            if let Term::KeyNamed { .. } = composer.machine.arena.term(head) {
                // Each end is a key of its own: walk with the head, which knows which.
                composer.descend(shared.view(), 0, head, frame)?;
                continue;
            }
            let head_mask = self.head_mask(&mut composer.machine.arena, shared, head, reach)?;
            if let Some(Part { bits, within }) = &head_mask.dense {
                let bits = if cut { shared.without_long(bits) } else { bits.clone() };
                let dense = Part { bits, within: within.clone() };
                if !parts.iter().any(|part| part.is_same(&dense)) {
                    parts.push(dense);
                }
            }
            composer.add(&head_mask.core.words);
            composer.replay.extend_from_slice(&head_mask.replay);
            composer.recheck.extend_from_slice(&head_mask.recheck);
            composer.doubt_head(head, frame, &head_mask)?;
            composer.leave(head, frame, &head_mask)?;
        }
        if cut {
            composer.scratch.cut(&shared.vocabulary.long_tokens().others);
            self.long_tokens(&mut composer, position)?;
        }
        Ok((composer, parts))
    }

    fn finished(&self, composer: Composer, parts: Vec<Part>, position: &Position) -> Mask {
        let Composer { machine, mut scratch, lists, shared, .. } = composer;
        if position.accepting {
            shared.vocabulary.eos.iter().for_each(|&token| scratch.set(token));
        }
        for &(special, _) in &position.specials {
            scratch.set(self.special_ids[special as usize]);
        }
        let words = scratch.corrected();
        SCRATCH.set(scratch);
        let origin = verify::is_on().then(|| machine.describe(position).into());
        let mut mask = Mask { parts, lists, words, empty: false, origin };
        if mask.words.len() > shared.vocabulary.mask_words() / SPREAD_FROM {
            mask = mask.spread(shared.vocabulary.mask_words());
        }
        mask.empty = mask.forbids_all();
        mask
    }

    /// Up to how many code points of a token all heads are to be exact: where a count ends in the reach of long tokens
    /// only, all others are answered as if it did not end.
    fn reach(&mut self, arena: &mut Arena, shared: &SharedMasks, position: &Position) -> Result<u32> {
        let longest = shared.vocabulary.longest;
        if longest > SHORT_TOKEN_CHARS {
            for &(head, _) in &position.heads {
                let language = arena.open_key(head).map_or(head, |(inner, _)| inner);
                if shared.ends_far(arena, language)? {
                    return Ok(SHORT_TOKEN_CHARS);
                }
            }
        }
        Ok(longest)
    }

    /// The long tokens by themselves, band by band.
    fn long_tokens(&mut self, composer: &mut Composer, position: &Position) -> Result<()> {
        let shared = composer.shared;
        for (band, pieces) in shared.vocabulary.long_tokens().bands.iter().zip(&shared.long_pieces) {
            let view = TrieView { trie: &band.trie, pieces };
            for &(head, frame) in &position.heads {
                composer.first = composer.machine.openness(frame).open;
                let arena = &mut composer.machine.arena;
                let head = match arena.open_key(head) {
                    Some((inner, text)) => {
                        let inner = self.saturated(arena, inner, band.longest)?;
                        arena.replace_open_key(head, inner, text)?
                    }
                    None => self.saturated(arena, head, band.longest)?,
                };
                composer.walk(view, 0, head, frame)?;
            }
        }
        Ok(())
    }

    /// `Arena::clipped`, remembered.
    fn saturated(&mut self, arena: &mut Arena, head: TermId, reach: u32) -> Result<TermId> {
        if !arena.info(head).counts {
            return Ok(head);
        }
        if let Some(&near) = self.saturated.get(&(head, reach)) {
            return Ok(near);
        }
        let near = arena.saturate(head, reach)?;
        self.held += 24;
        self.saturated.insert((head, reach), near);
        Ok(near)
    }

    fn head_mask(&mut self, arena: &mut Arena, shared: &SharedMasks, head: TermId, reach: u32) -> Result<HeadMask> {
        let head = arena.open_key(head).map_or(head, |(inner, _)| inner);
        if !arena.info(head).counts {
            return self.made_head_mask(arena, shared, head);
        }
        if let Some(head_mask) = self.counted.get(&(head, reach)) {
            return Ok(head_mask.clone());
        }
        // Under its own hash, too: who finds it there need not clip it.
        let hash = arena.info(head).hash ^ Hasher128::hash_numbers(&[reach]);
        let head_mask = match shared.head_masks.get(hash) {
            Some(head_mask) => head_mask,
            None => {
                // What begins as it does is often short.
                let most = shared.vocabulary.longest_of(&arena.first_bytes(head));
                let near =
                    self.saturated(arena, head, if most <= SHORT_TOKEN_CHARS { reach.min(most) } else { reach })?;
                let head_mask = self.made_head_mask(arena, shared, near)?;
                shared.head_masks.put(hash, head_mask.clone(), size_of::<HeadMask>());
                head_mask
            }
        };
        self.held += 24 + size_of::<HeadMask>();
        self.counted.insert((head, reach), head_mask.clone());
        Ok(head_mask)
    }

    fn made_head_mask(&mut self, arena: &mut Arena, shared: &SharedMasks, head: TermId) -> Result<HeadMask> {
        if let Some(head_mask) = self.head_masks.get(&head) {
            return Ok(head_mask.clone());
        }
        let hash = arena.info(head).hash;
        let known = shared.head_masks.get(hash);
        let head_mask = match known {
            Some(head_mask) => head_mask,
            None => {
                let mut near = |arena: &mut Arena, near| {
                    let near = self.saturated(arena, near, shared.vocabulary.longest)?;
                    self.made_head_mask(arena, shared, near)
                };
                let head_mask = HeadMask::of(arena, shared, head, &mut near)?;
                shared.head_masks.put(hash, head_mask.clone(), head_mask.memory_bytes());
                head_mask
            }
        };
        self.held += 24 + head_mask.memory_bytes();
        self.head_masks.insert(head, head_mask.clone());
        Ok(head_mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::builder::Builder;
    use crate::vocabulary::vocabulary::Vocabulary;

    fn shared(tokens: &[u32], words: usize) -> Part {
        let mut bits = vec![0; words];
        tokens.iter().for_each(|token| bits[*token as usize >> 5] |= 1 << (token & 31));
        Part { bits: bits.into(), within: None }
    }

    /// The tokens of a mask of 96, asked one by one and read from what is written.
    fn allowed(mask: &Mask) -> Vec<u32> {
        let mut bits = [u32::MAX; 3];
        mask.write(&mut bits);
        let written: Vec<u32> = (0..96).filter(|token| bits[*token as usize >> 5] >> (token & 31) & 1 == 1).collect();
        assert_eq!((0..96).filter(|&token| mask.allows(token)).collect::<Vec<_>>(), written);
        assert_eq!(mask.is_empty(), written.is_empty());
        written
    }

    #[test]
    fn a_mask_is_the_union_of_its_parts_with_words_corrected() {
        let within = Part { within: Some(shared(&[1, 34, 35], 3).bits), ..shared(&[1, 2, 34, 70], 3) };
        assert_eq!(allowed(&Mask::of(&[0, 31, 32, 95])), [0, 31, 32, 95]);
        assert!(allowed(&Mask::of(&[])).is_empty());
        let parts = vec![within.clone(), shared(&[5], 3)];
        let lists = vec![Words::from([(0, 1 << 7), (2, 1)])];
        let mut mask = Mask { parts, lists, words: Box::new([(0, 1 << 9, 1 << 5)]), empty: false, origin: None };
        assert_eq!(allowed(&mask), [1, 7, 9, 34, 64]);
        mask.parts.reverse();
        assert_eq!(allowed(&mask), [1, 7, 9, 34, 64], "in any order");
        assert_eq!(
            allowed(&mask.with(&[(1, false), (2, true), (9, false), (33, true), (95, true)])),
            [2, 7, 33, 34, 64, 95]
        );
        assert_eq!(
            allowed(&mask.with(&[(5, true), (64, false)])),
            [1, 5, 7, 9, 34],
            "what was cleared may be set again"
        );
        assert_eq!(allowed(&mask.spread(3)), [1, 7, 9, 34, 64]);
        let all = Mask { parts: vec![within], ..Mask::of(&[]) };
        assert!(allowed(&all.with(&[(1, false), (34, false)])).is_empty());
    }

    #[test]
    fn a_mask_takes_what_it_alone_refers_to_and_its_share_of_the_rest() {
        let base = size_of::<Mask>();
        let words = Mask::of(&[1, 40, 41]);
        assert_eq!((words.memory_bytes(), words.held_bytes()), (base + 2 * 12, base + 2 * 12));
        let (one, two) = (shared(&[1], 3), shared(&[2], 3));
        let list = Words::from([(0, 1), (2, 1)]);
        let kept = [one.bits.clone(), one.bits.clone()];
        let (parts, lists) = (vec![one, two], vec![list.clone()]);
        let mask = Mask { parts, lists, words: Box::default(), empty: false, origin: None };
        // The second part is its own. Three hold the first, two the list.
        assert_eq!(mask.memory_bytes(), base + 2 * 32 + 16 + 12);
        assert_eq!(mask.held_bytes(), mask.memory_bytes() + 12 / 3 + 16 / 2);
        drop(kept);
        assert_eq!(mask.memory_bytes(), base + 2 * 32 + 16 + 24);
    }

    #[test]
    fn masks_count_what_they_keep_and_compose_each_once() {
        let mut builder = Builder::default();
        let words = builder.words(vec![b"ab"[..].into(), b"cd"[..].into()]).unwrap();
        let grammar = builder.build(words.0).unwrap();
        let tokens = [&b"a"[..], b"b", b"c", b"d"].map(|text| Some(text.into())).to_vec();
        let vocabulary = SharedMasks::of(Vocabulary::new(tokens, vec![], vec![], 4).unwrap());
        let mut machine = grammar.machine(&crate::limits::Limits::default(), [None, None], None).unwrap();
        let mut masks = Masks::new(Vec::new());
        let start = machine.start;
        assert_eq!(masks.memory_bytes(), masks.walks.memory_bytes());
        let mask = masks.mask(&mut machine, &vocabulary, start).unwrap();
        let held = masks.memory_bytes();
        assert!(masks.composed == 1 && held >= mask.memory_bytes() + 32);
        assert_eq!(held, masks.held + masks.walks.memory_bytes());
        assert!(Arc::ptr_eq(&mask, &masks.mask(&mut machine, &vocabulary, start).unwrap()));
        assert_eq!((masks.composed, masks.memory_bytes()), (1, held), "what is known takes nothing more");
        // Another grammar of the vocabulary has it, too, for the price of its place in a table.
        let mut other = Masks::new(Vec::new());
        assert!(Arc::ptr_eq(&mask, &other.mask(&mut machine, &vocabulary, start).unwrap()));
        assert_eq!(other.composed, 0);
        assert!(other.held >= 32);
    }

    /// The masks along a text that keeps counting, far from where it may end.
    #[test]
    fn counts_that_are_far_from_their_end_share_one_piece() {
        let mut builder = Builder::default();
        let any = builder.any_text().unwrap();
        let counted = builder.bounded(any.0, 0, Some(10_000)).unwrap();
        let text = builder.quoted(counted.0, false).unwrap();
        let grammar = builder.build(text.0).unwrap();
        let tokens = [&b"\""[..], b"a", b"ab", b"abcdefgh", b"\\n"].map(|text| Some(text.into())).to_vec();
        let vocabulary = SharedMasks::of(Vocabulary::new(tokens, vec![], vec![], 5).unwrap());
        let mut machine = grammar.machine(&crate::limits::Limits::default(), [None, None], None).unwrap();
        let mut masks = Masks::new(Vec::new());
        let mut at = machine.start;
        let bytes = [&b"\""[..], &b"a".repeat(200)].concat();
        for &byte in &bytes {
            at = machine.step(at, byte).unwrap();
            masks.mask(&mut machine, &vocabulary, at).unwrap();
        }
        assert_eq!(masks.composed, 1);
        assert!(masks.head_masks.len() <= 2, "{}", masks.head_masks.len());
        // For each count no more than its places in two tables and a handle.
        let (held, tables) =
            (masks.memory_bytes(), masks.saturated.len() * 24 + masks.counted.len() * (24 + size_of::<HeadMask>()));
        assert!((200..=202).contains(&masks.counted.len()));
        assert!((tables..tables + 200 * 32 + 4_096).contains(&held), "{held} bytes, {tables} of them tables");
    }
}
