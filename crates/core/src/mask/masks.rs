//! Position → mask: from a cache of this grammar, from a cache of the vocabulary, or composed of its heads' parts.
//!
//! A position first gets a key (`key`). A mask without a key is cached under the position itself. A mask that no cache has
//! is composed: head masks are joined, the walk goes on below their exits (`composer`), and what the parts leave
//! undecided is read from the automaton (`resolve`).

use crate::automaton::follow_bytes::FollowBytes;
use crate::automaton::frame::{FrameId, BOTTOM};
use crate::automaton::machine::Machine;
use crate::automaton::position::{Position, PositionId, Register};
use crate::error::Result;
use crate::mask::accelerate::Accelerators;
use crate::mask::accumulator::Accumulator;
use crate::mask::composer::Composer;
use crate::mask::draft::Draft;
use crate::mask::head_mask::HeadMask;
use crate::mask::head_masks::HeadMasks;
use crate::mask::key::builder::{KeyBuilder, KeyParts, OwnPart};
use crate::mask::key::MaskKey;
use crate::mask::mask::Mask;
use crate::mask::shared::SharedMasks;
use crate::mask::sweep::can_sweep;
use crate::mask::verify;
use crate::regular::term::{Term, TermId};
use crate::storage::hash::Hasher128;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::token_set::Part;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::mem::take;
use std::sync::Arc;

/// Positions of more heads get no key: to make the key would take as long as the mask, and few positions share it. Chosen
/// without measurement.
const KEYED_HEADS: usize = 32;

/// A mask that corrects more than one in this many of its words is kept as one dense set: smaller, and written faster.
const DENSE_RATIO: usize = 6;

/// A draft that corrects more words is kept as one dense set, because every correction copies the words.
const DRAFT_WORDS: usize = 16;

/// Bytes of an entry in a table of masks.
const ENTRY_BYTES: usize = 32;

thread_local! {
    /// One accumulator per thread for all grammars: every mask leaves it empty.
    static ACCUMULATOR: Cell<Accumulator> = Cell::default();
}

/// What masks are made of, beside the parts that one grammar keeps.
pub(super) struct MaskContext<'a> {
    /// The automaton of the grammar.
    pub machine: &'a mut Machine,
    /// The FOLLOW sets of the machine's frames.
    pub follow_bytes: &'a mut FollowBytes,
    /// The vocabulary, and the caches that its grammars share.
    pub shared: &'a SharedMasks,
}

/// The masks of one compiled grammar, and the parts from which it composes them.
#[derive(Default)]
pub struct Masks {
    /// The token id of each special token that the grammar names.
    special_ids: Vec<u32>,
    head_masks: HeadMasks,
    /// Head masks of heads that nothing follows.
    last_head_masks: HeadMasks,
    key_parts: KeyParts,
    /// Whether masks are composed by walks alone, without lookaheads.
    is_plain: bool,
    /// Masks under the keys of their positions.
    by_key: FxHashMap<u128, Arc<Mask>>,
    /// Drafts of positions in arrays of unique items, under the position without the values that came.
    drafts: FxHashMap<PositionId, Arc<Draft>>,
    /// Masks of positions that have no key.
    by_position: FxHashMap<PositionId, Arc<Mask>>,
    /// Bytes of the masks and drafts.
    held: usize,
    /// How many masks were composed because no grammar of the vocabulary had them.
    pub(crate) composed: usize,
}

impl Masks {
    /// No masks yet, for a grammar whose special tokens have these ids.
    pub fn new(special_ids: Vec<u32>) -> Self {
        Masks { special_ids, last_head_masks: HeadMasks::of_last(), ..Masks::default() }
    }

    /// Bytes of the masks and of all parts that this grammar holds.
    pub fn memory_bytes(&self) -> usize {
        let head_masks = self.head_masks.memory_bytes() + self.last_head_masks.memory_bytes();
        self.held + head_masks
    }

    /// The mask of a position. Where masks are verified, an error if the mask differs from one composed without caches.
    pub fn mask(
        &mut self,
        machine: &mut Machine,
        follow_bytes: &mut FollowBytes,
        shared: &SharedMasks,
        exact: PositionId,
    ) -> Result<Arc<Mask>> {
        let mut context = MaskContext { machine, follow_bytes, shared };
        let mask = self.find_or_compose(&mut context, exact)?;
        if verify::is_on() {
            verify::verify(&mut context, &self.special_ids, exact, &mask)?;
        }
        Ok(mask)
    }

    /// The mask of a position, composed without any cache.
    pub(super) fn compose_uncached(
        context: &mut MaskContext<'_>,
        special_ids: &[u32],
        exact: PositionId,
    ) -> Result<Arc<Mask>> {
        let mut masks = Masks { is_plain: true, ..Masks::new(special_ids.to_vec()) };
        let id = context.machine.abstracted(exact)?;
        match context.machine.position(id).register {
            Register::Abstracted => masks.correct_draft(context, [exact, id]),
            _ => Ok(masks.compose(context, [exact, id])?.0),
        }
    }

    fn find_or_compose(&mut self, context: &mut MaskContext<'_>, exact: PositionId) -> Result<Arc<Mask>> {
        if let Some(mask) = self.by_position.get(&exact) {
            return Ok(mask.clone());
        }
        let position = context.machine.position(exact).clone();
        let sweeps = self.is_swept(context, &position)?;
        // Lookaheads would walk the whole trie, too, and anew for each rule.
        let key = if sweeps { None } else { self.key(context, &position)? };
        if let Some(key) = key {
            if let Some(mask) = self.by_key.get(&key) {
                return Ok(mask.clone());
            }
            if let Some(mask) = context.shared.masks.get(key) {
                self.held += ENTRY_BYTES;
                self.by_key.insert(key, mask.clone());
                return Ok(mask);
            }
        }
        context.machine.unique.max_token_items = context.shared.vocabulary.longest / 2 + 1;
        let id = context.machine.abstracted(exact)?;
        if let Some(mask) = self.by_position.get(&id) {
            return Ok(mask.clone());
        }
        if context.machine.position(id).register == Register::Abstracted {
            return self.correct_draft(context, [exact, id]);
        }
        let (mask, is_shared) = self.compose(context, [exact, id])?;
        self.composed += 1;
        self.held += ENTRY_BYTES + mask.memory_bytes();
        match key {
            Some(key) if is_shared => {
                context.shared.masks.put(key, mask.clone(), mask.held_bytes());
                self.by_key.insert(key, mask.clone());
            }
            _ => {
                self.by_position.insert(if is_shared { id } else { exact }, mask.clone());
            }
        }
        Ok(mask)
    }

    fn key_builder<'a>(&'a mut self, context: &'a mut MaskContext<'_>) -> KeyBuilder<'a> {
        KeyBuilder {
            machine: context.machine,
            follow_bytes: context.follow_bytes,
            parts: &mut self.key_parts,
            shared: context.shared,
        }
    }

    /// The key of a position: positions with equal keys have equal masks. None if no key tells enough.
    fn key(&mut self, context: &mut MaskContext<'_>, position: &Position) -> Result<MaskKey> {
        // The pattern names every field: a field that is added to `Position` must enter the key, or this does not compile.
        let Position { heads, specials, accepting, needs_replay, crosses_item, depends_on_value, register } = position;
        if *needs_replay
            || *crosses_item
            || *depends_on_value
            || *register != Register::Closed
            || heads.len() > KEYED_HEADS
        {
            return Ok(None);
        }
        let mut covered = false;
        for &(head, _) in heads {
            covered |= self.key_builder(context).covers(head)?;
        }
        let mut hash = Hasher128::new(u64::from(*accepting));
        specials.iter().for_each(|&(special, _)| hash.word(self.special_ids[special.index()].into()));
        // The order of the heads does not matter to the mask, so their keys are added.
        let mut sum = 0u128;
        for &(head, frame) in heads {
            let part = if let Term::KeyNamed { .. } = context.machine.arena.term(head) {
                self.key_builder(context).of_named_key(head, frame, covered)?
            } else {
                let head_mask = self.head_mask(context.machine, context.shared, (head, frame))?;
                let own = match head_mask.hash() {
                    Some(own) => OwnPart::Tokens(own),
                    None => OwnPart::Saturated(context.shared.saturated_hash(&mut context.machine.arena, head)?),
                };
                self.key_builder(context).of_head(head, own, frame, &head_mask)?
            };
            let Some(part) = part else { return Ok(None) };
            sum = sum.wrapping_add(part);
        }
        hash.wide(sum);
        Ok(Some(hash.finish()))
    }

    /// The composed mask, and whether every position that is abstracted to `id` has it.
    fn compose(&mut self, context: &mut MaskContext<'_>, [exact, id]: [PositionId; 2]) -> Result<(Arc<Mask>, bool)> {
        let position = context.machine.position(id).clone();
        let (mut composer, parts) = if self.is_swept(context, &position)? {
            let mut composer = self.composer(context);
            composer.sweep(&position)?;
            (composer, Vec::new())
        } else {
            self.compose_heads(context, &position)?
        };
        composer.replay.append(&mut composer.always);
        let shared = composer.resolve(id, exact)?;
        Ok((Arc::new(self.finish(composer, parts, &position)), shared))
    }

    /// The mask of a position in an array of unique items: the draft of `id`, corrected by the values that came.
    fn correct_draft(&mut self, context: &mut MaskContext<'_>, [exact, id]: [PositionId; 2]) -> Result<Arc<Mask>> {
        let draft = match self.drafts.get(&id) {
            Some(draft) => draft.clone(),
            None => {
                let position = context.machine.position(id).clone();
                let (mut composer, parts) = self.compose_heads(context, &position)?;
                composer.resolve_draft(id)?;
                let uncertain = (!composer.all_uncertain).then(|| take(&mut composer.uncertain));
                let always = take(&mut composer.always);
                let mut mask = self.finish(composer, parts, &position);
                if mask.corrected_words() > DRAFT_WORDS {
                    mask = mask.to_dense(context.shared.vocabulary.mask_words());
                }
                let draft = Arc::new(Draft::new(mask, &context.shared.vocabulary, uncertain, always));
                self.composed += 1;
                self.held += ENTRY_BYTES + draft.memory_bytes();
                self.drafts.insert(id, draft.clone());
                draft
            }
        };
        let mask = draft.correct(context.machine, context.shared, exact)?;
        if !Arc::ptr_eq(&mask, &draft.mask) {
            self.held += mask.memory_bytes();
        }
        Ok(mask)
    }

    /// The head mask of a head, without exits if nothing follows the head.
    fn head_mask(
        &mut self,
        machine: &mut Machine,
        shared: &SharedMasks,
        (head, frame): (TermId, FrameId),
    ) -> Result<HeadMask> {
        let head_masks =
            if self.is_last(machine, (head, frame)) { &mut self.last_head_masks } else { &mut self.head_masks };
        head_masks.get(&mut machine.arena, shared, head)
    }

    /// Whether nothing follows a head.
    fn is_last(&self, machine: &Machine, (head, frame): (TermId, FrameId)) -> bool {
        frame == BOTTOM && !self.is_plain && !machine.has_own_continuation(head)
    }

    /// Whether the mask of a position is swept: much of the trie is below the exits of one of its heads, and would be merged
    /// or may be read by what follows the head.
    fn is_swept(&mut self, context: &mut MaskContext<'_>, position: &Position) -> Result<bool> {
        if self.is_plain || !Accelerators::on().sweep || !can_sweep(context.machine, position) {
            return Ok(false);
        }
        for &(head, frame) in &position.heads {
            if !self.is_last(context.machine, (head, frame))
                && self.head_masks.has_unknown_exits_everywhere(&mut context.machine.arena, context.shared, head)?
            {
                return Ok(true);
            }
            let head_mask = self.head_mask(context.machine, context.shared, (head, frame))?;
            if head_mask.core.exits.is_deferred() {
                let follow = context.follow_bytes.after(context.machine, head, frame);
                if head_mask.core.exits.are_costly(context.shared, &follow) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// A composer that has collected nothing.
    fn composer<'a>(&mut self, context: &'a mut MaskContext<'_>) -> Composer<'a> {
        let mut accumulator = ACCUMULATOR.take();
        accumulator.fit(context.shared.vocabulary.mask_words());
        let mut composer = Composer::new(
            context.machine,
            context.follow_bytes,
            context.shared,
            take(&mut self.key_parts),
            accumulator,
        );
        composer.asks_lookaheads = !self.is_plain;
        composer
    }

    /// A composer that has joined all heads of a position, and the dense parts that the mask refers to.
    fn compose_heads<'a>(
        &mut self,
        context: &'a mut MaskContext<'_>,
        position: &Position,
    ) -> Result<(Composer<'a>, Vec<Part>)> {
        let mut parts: Vec<Part> = Vec::new();
        let mut composer = self.composer(context);
        let shared = composer.shared;
        for &(head, frame) in &position.heads {
            composer.first = composer.machine.item_summary(frame).is_open;
            if let Term::KeyNamed { .. } = composer.machine.arena.term(head) {
                // Each exit is another key, which a head mask does not tell apart: walk with the head itself.
                composer.walk(shared.view(), NodeId::ROOT, head, frame)?;
                continue;
            }
            let head_mask = self.head_mask(composer.machine, composer.shared, (head, frame))?;
            if let Some(dense) = &head_mask.dense {
                if !parts.iter().any(|part| part.is_same(dense)) {
                    parts.push(dense.clone());
                }
            }
            composer.add(&head_mask.core.words);
            composer.replay.extend_from_slice(&head_mask.replay);
            composer.recheck.extend_from_slice(&head_mask.recheck);
            composer.note_uncertain_tokens(head, frame, &head_mask)?;
            for group in head_mask.core.exits.get(shared).groups() {
                composer.walk_behind(group.view(shared.view()), &group.nodes, head, frame)?;
            }
        }
        Ok((composer, parts))
    }

    /// The mask of what a composer has collected, with special tokens and the end of the sequence.
    fn finish(&mut self, composer: Composer, parts: Vec<Part>, position: &Position) -> Mask {
        let Composer { machine, mut accumulator, shared, key_parts, .. } = composer;
        self.key_parts = key_parts;
        if position.accepting {
            shared.vocabulary.eos.iter().for_each(|&token| accumulator.allow(token));
        }
        for &(special, _) in &position.specials {
            accumulator.allow(self.special_ids[special.index()]);
        }
        let words = accumulator.take_corrections();
        ACCUMULATOR.set(accumulator);
        let origin = verify::is_on().then(|| machine.describe(position).into());
        let mask = Mask::new(parts, Vec::new(), words, origin);
        let room = shared.vocabulary.mask_words();
        match mask.corrected_words() > room / DENSE_RATIO {
            true => mask.to_dense(room),
            false => mask,
        }
    }
}

#[cfg(test)]
mod tests;
