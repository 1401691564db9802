//! Head × vocabulary → its head mask, by the cheapest way that the form of the head allows.
//!
//! Texts are followed along the trie; a limit or an exclusion corrects the head mask of a neighbour; counters and closed
//! regions are scanned by index (`accelerate`); all other heads are walked.

use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::mask::accelerate::counter_loop::CounterLoop;
use crate::mask::accelerate::exclusion::Exclusion;
use crate::mask::accelerate::Accelerators;
use crate::mask::exits::{Exits, Group, Groups};
use crate::mask::head_mask::{Bound, Core, HeadMask};
use crate::mask::shared::SharedMasks;
use crate::mask::walk::WalkResult;
use crate::regular::arena::Arena;
use crate::regular::memo::ClosedRegion;
use crate::regular::term::{TermId, EMPTY};
use crate::regular::transitions::{majority_target, MIN_CLASS};
use crate::vocabulary::id::NodeId;
use crate::vocabulary::token_set::{sorted_words, to_sparse, Part, Words};
use crate::vocabulary::trie::Trie;

use smallvec::SmallVec;
use std::sync::Arc;

/// From this many exits on, their subtries are merged: one walk takes less time than one per exit. Chosen without
/// measurement.
const MERGED_FROM: usize = 12;

/// A subtrie of more nodes is not merged with others. Chosen without measurement.
const LARGE_SUBTRIE: u32 = 1_000;

/// Nodes at which a head may differ from its neighbour before a walk of its own takes less time. Chosen without
/// measurement.
const DIFFERENCE_ROOM: usize = 4_000;

/// Tokens that a maximal length may leave to be replayed; with more, the head is walked. Chosen without measurement.
const LIMIT_ROOM: usize = 64;

impl HeadMask {
    /// The head mask of a head. `neighbour_mask` returns those of heads that differ from it in a few tokens.
    pub(crate) fn compute(
        arena: &mut Arena,
        shared: &SharedMasks,
        head: TermId,
        neighbour_mask: &mut dyn FnMut(&mut Arena, TermId) -> Result<HeadMask>,
    ) -> Result<HeadMask> {
        let on = Accelerators::on();
        let mut walked = WalkResult::new(&shared.vocabulary);
        if walked.walk_literals(arena, &shared.vocabulary.trie, NodeId::ROOT, head)? {
            return Ok(HeadMask::from_walk(walked, shared, false));
        }
        if let Some((neighbour, most)) = if on.length_limit { arena.without_limit(head)? } else { None } {
            if let Some(head_mask) = HeadMask::with_limit(arena, shared, neighbour, most, neighbour_mask)? {
                return Ok(head_mask);
            }
        }
        if let Some(exclusion) = if on.exclusion { Exclusion::of(arena, head)? } else { None } {
            if let Some(head_mask) =
                HeadMask::from_neighbour(arena, shared, head, exclusion.relaxed, Some(&exclusion), neighbour_mask)?
            {
                return Ok(head_mask);
            }
        }
        if arena.first_bytes(head).intersection(&ByteSet::range(0, 0x7f)).len() < MIN_CLASS {
            walked.walk(arena, &shared.vocabulary.trie, NodeId::ROOT, head)?;
            return Ok(HeadMask::from_walk(walked, shared, false));
        }
        let counter_loop =
            if on.counter_loop { CounterLoop::find(arena, head, shared.vocabulary.longest)? } else { None };
        // If a character leads from the loop to another wide state, a region holds both.
        let region = match &counter_loop {
            _ if !on.region_scan => None,
            Some(counter_loop) if !counter_loop.leads_to_wide_state(arena)? => None,
            _ => ClosedRegion::get(arena, head)?.filter(|region| region.is_worthwhile(shared, counter_loop.as_ref())),
        };
        let region = match region {
            None if on.region_scan && counter_loop.is_none() => {
                let one =
                    ClosedRegion::around_majority(arena, head)?.filter(|region| region.is_worthwhile(shared, None));
                one.map(Arc::new)
            }
            region => region,
        };
        let endless = region.is_none() && counter_loop.as_ref().is_some_and(CounterLoop::is_endless);
        match (region, counter_loop) {
            (Some(region), _) => walked = region.scan(arena, shared, head)?,
            (None, Some(counter_loop)) => walked = counter_loop.scan(arena, shared)?,
            (None, None) => {
                // If almost every character leads to one state that loops, the head differs from that state in few tokens.
                if let Some((neighbour, _)) =
                    majority_target(arena, head)?.filter(|&(neighbour, _)| on.counter_loop && neighbour != head)
                {
                    if CounterLoop::find(arena, neighbour, shared.vocabulary.longest)?
                        .is_some_and(|counter_loop| counter_loop.is_loop())
                    {
                        if let Some(head_mask) =
                            HeadMask::from_neighbour(arena, shared, head, neighbour, None, neighbour_mask)?
                        {
                            return Ok(head_mask);
                        }
                    }
                }
                walked.walk(arena, &shared.vocabulary.trie, NodeId::ROOT, head)?;
            }
        }
        Ok(HeadMask::from_walk(walked, shared, endless))
    }

    /// The head mask of what a walk has collected. `endless`: the head reads any number of characters of a class.
    pub(crate) fn from_walk(mut walked: WalkResult, shared: &SharedMasks, endless: bool) -> Self {
        let bound = (endless && walked.is_listed()).then(|| Bound::of(&walked, shared));
        walked.merge();
        let mut dense = walked.dense.take();
        let (words, hash) = match dense {
            None => {
                let (words, bits, hash) = to_sparse(walked.tokens, shared.vocabulary.mask_words());
                dense = bits.map(|bits| Part { bits, within: None });
                (words, Some(hash))
            }
            Some(_) => (sorted_words(walked.tokens), None),
        };
        let core = Core::of(words, hash, walked.exits, shared, bound);
        let core = Arc::new(core);
        HeadMask { dense, core, replay: Arc::default(), recheck: Arc::default(), inexact_exits: false }
    }

    /// The head mask of an endless text limited to `most` characters: longer tokens drop out of the dense set, and longer
    /// tokens with other characters are replayed. None if those are too many.
    fn with_limit(
        arena: &mut Arena,
        shared: &SharedMasks,
        neighbour: TermId,
        most: u32,
        neighbour_mask: &mut dyn FnMut(&mut Arena, TermId) -> Result<HeadMask>,
    ) -> Result<Option<HeadMask>> {
        let HeadMask { dense, core, replay, recheck, inexact_exits } = neighbour_mask(arena, neighbour)?;
        let (Some(Part { bits, within: None }), Some(bound)) = (dense, &core.bound) else { return Ok(None) };
        let mut replay: Vec<u32> = replay.to_vec();
        let is_above = |chars: u16| u32::from(chars) > most;
        replay.extend(bound.tokens.iter().take_while(|&&(chars, _)| is_above(chars)).map(|&(_, token)| token));
        for &(_, node) in bound.exits.iter().take_while(|&&(chars, _)| is_above(chars)) {
            replay.extend_from_slice(shared.vocabulary.trie.tokens_below(node));
            if replay.len() > LIMIT_ROOM {
                return Ok(None);
            }
        }
        if replay.len() > LIMIT_ROOM {
            return Ok(None);
        }
        let within = (most < shared.vocabulary.longest).then(|| shared.vocabulary.tokens_up_to(most));
        Ok(Some(HeadMask { dense: Some(Part { bits, within }), core, replay: replay.into(), recheck, inexact_exits }))
    }

    /// The neighbour's head mask, with nodes to recheck where the two heads differ; None if those are too many.
    /// `exclusion`: the texts that `head` excludes and the neighbour does not, if that is the only difference.
    fn from_neighbour(
        arena: &mut Arena,
        shared: &SharedMasks,
        head: TermId,
        neighbour: TermId,
        exclusion: Option<&Exclusion>,
        neighbour_mask: &mut dyn FnMut(&mut Arena, TermId) -> Result<HeadMask>,
    ) -> Result<Option<HeadMask>> {
        let mut recheck = Vec::new();
        let mut room = DIFFERENCE_ROOM;
        let found =
            exclusion.is_some_and(|exclusion| exclusion.ends_of_excluded(arena, &shared.vocabulary.trie, &mut recheck));
        if !found
            && !difference(
                arena,
                &shared.vocabulary.trie,
                NodeId::ROOT,
                (head, neighbour, exclusion.is_some()),
                &mut recheck,
                &mut room,
            )?
        {
            return Ok(None);
        }
        let neighbour = neighbour_mask(arena, neighbour)?;
        recheck.extend_from_slice(&neighbour.recheck);
        let inexact_exits = neighbour.inexact_exits || !found;
        Ok(Some(HeadMask { recheck: recheck.into(), inexact_exits, ..neighbour }))
    }
}

impl Bound {
    fn of(walked: &WalkResult, shared: &SharedMasks) -> Self {
        let chars = |token| shared.vocabulary.chars(token) as u16;
        let mut tokens: Vec<_> = walked.tokens.iter().map(|&token| (chars(token), token)).collect();
        let begun = |node| chars(shared.vocabulary.trie.token_from(node));
        let mut exits: Vec<_> = walked.exits.iter().map(|&node| (begun(node), node)).collect();
        tokens.sort_unstable_by(|a, b| b.cmp(a));
        exits.sort_unstable_by(|a, b| b.cmp(a));
        tokens.truncate(LIMIT_ROOM + 1);
        Bound { tokens, exits }
    }
}

impl Core {
    fn of(words: Words, hash: Option<u128>, ends: Vec<NodeId>, shared: &SharedMasks, bound: Option<Bound>) -> Self {
        let trie = &shared.vocabulary.trie;
        // Large subtries stay as they are, because what follows enters them by a few bytes only.
        let (mut small, mut exits) = (Vec::new(), SmallVec::new());
        for &node in &ends {
            match trie.size(node) {
                1 => {}
                size if size > LARGE_SUBTRIE => exits.push(node),
                _ => small.push(node),
            }
        }
        let mut groups = Groups::new();
        if small.len() >= MERGED_FROM {
            groups.push(Group::new(Some(shared.merged_trie(small)), &[NodeId::ROOT][..]));
        } else {
            exits.extend(small);
        }
        groups.push(Group::new(None, exits));
        Core { hash, words, exits: Exits::of(groups), ends, bound }
    }
}

/// Collect the nodes at and below which `left` and `right` may differ; false if they are more than `room`.
/// `excluded`: whether `left` is `right` without some texts, which its term names.
fn difference(
    arena: &mut Arena,
    trie: &Trie,
    node: NodeId,
    (left, right, excluded): (TermId, TermId, bool),
    recheck: &mut Vec<NodeId>,
    room: &mut usize,
) -> Result<bool> {
    let bytes = if excluded { arena.differing_bytes(left) } else { None };
    let bytes = bytes.unwrap_or_else(|| arena.first_bytes(left).union(&arena.first_bytes(right)));
    for (byte, child) in trie.children_in(node, &bytes) {
        let (l, r) = (arena.derive(left, byte)?, arena.derive(right, byte)?);
        if l == r {
            continue;
        }
        arena.spend(1)?;
        let dead = (l == EMPTY) != (r == EMPTY);
        let ended = arena.info(l).nullable != arena.info(r).nullable;
        match room.checked_sub(1) {
            Some(rest) => *room = rest,
            None => return Ok(false),
        }
        if dead || ended {
            recheck.push(child);
        } else if !difference(arena, trie, child, (l, r, excluded), recheck, room)? {
            return Ok(false);
        }
    }
    Ok(true)
}
