//! Head × vocabulary → its head mask, by the cheapest way that the form of the head allows.
//!
//! Texts are followed along the trie; a limit or an exclusion corrects the head mask of a neighbour; counters and closed
//! regions are scanned by index (`accelerate`); all other heads are walked.

use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::json::arena::Arena;
use crate::mask::accelerate::counter_loop::CounterLoop;
use crate::mask::accelerate::exclusion::{differing_bytes, Exclusion};
use crate::mask::accelerate::remainder::Remainder;
use crate::mask::accelerate::{region_scan, Accelerators};
use crate::mask::exits::{Exits, LazyExits};
use crate::mask::head_mask::{Core, HeadMask};
use crate::mask::shared::SharedMasks;
use crate::mask::walk::WalkResult;
use crate::regular::memo::ClosedRegion;
use crate::regular::term::{TermId, EMPTY};
use crate::regular::transitions::{majority_target, MIN_CLASS};
use crate::vocabulary::id::NodeId;
use crate::vocabulary::token_set::{sorted_words, to_sparse, Part};
use crate::vocabulary::trie::Trie;

use std::sync::Arc;

/// Nodes at which a head may differ from its neighbour before a walk of its own takes less time. Chosen without
/// measurement.
const DIFFERENCE_ROOM: usize = 4_000;

/// Nodes at which a head may differ from a neighbour that may end anywhere, as names do. All masks of the head are walked
/// again there, and none has a key: with more nodes, a walk of its own takes less time. Names without keywords have hundreds.
const FEW_RECHECKED: usize = 16;

impl HeadMask {
    /// The head mask of a head. `neighbour_mask` returns those of heads that differ from it in a few tokens. `is_last`:
    /// nothing follows the head, so the head mask has no exits.
    pub(crate) fn compute(
        arena: &mut Arena,
        shared: &SharedMasks,
        (head, is_last): (TermId, bool),
        neighbour_mask: &mut dyn FnMut(&mut Arena, TermId) -> Result<HeadMask>,
    ) -> Result<HeadMask> {
        let on = Accelerators::on();
        let mut walked = WalkResult::of_head(&shared.vocabulary, is_last);
        if walked.walk_literals(arena, &shared.vocabulary.trie, NodeId::ROOT, head)? {
            return HeadMask::from_walk(arena, walked, shared, false);
        }
        if let Some(exclusion) = if on.exclusion { Exclusion::of(arena, head)? } else { None } {
            if let Some(head_mask) =
                HeadMask::from_neighbour(arena, shared, head, exclusion.relaxed, Some(&exclusion), neighbour_mask)?
            {
                return Ok(head_mask);
            }
        }
        let is_narrow = arena.first_bytes(head).intersection(&ByteSet::range(0, 0x7f)).len() < MIN_CLASS;
        // A key leads from each byte to a state of its own: no loop is near.
        if is_narrow || arena.info(head).structural {
            walked.walk(arena, &shared.vocabulary.trie, NodeId::ROOT, head)?;
            return HeadMask::from_walk(arena, walked, shared, true);
        }
        let counter_loop =
            if on.counter_loop { CounterLoop::find(arena, head, shared.vocabulary.longest)? } else { None };
        // If a character leads from the loop to another wide state, a region holds both.
        let region = match &counter_loop {
            _ if !on.region_scan => None,
            Some(counter_loop) if !counter_loop.leads_to_wide_state(arena)? => None,
            _ => ClosedRegion::get(arena, head)?
                .filter(|region| region_scan::is_worthwhile(region, shared, counter_loop.as_ref())),
        };
        match (region, counter_loop) {
            (Some(region), _) => walked = region_scan::scan(&region, arena, shared, head, is_last)?,
            (None, Some(counter_loop)) => walked = counter_loop.scan(arena, shared, is_last)?,
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
        HeadMask::from_walk(arena, walked, shared, true)
    }

    /// The head mask of what a walk has collected.
    pub(crate) fn from_walk(
        arena: &mut Arena,
        mut walked: WalkResult,
        shared: &SharedMasks,
        reduces: bool,
    ) -> Result<Self> {
        let is_last = walked.is_last;
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
        let mut ends = if is_last { Vec::new() } else { walked.exits };
        ends.sort_unstable();
        let remainder = match reduces {
            true => {
                let dense = dense.iter().flat_map(|part| (0..).zip(part.words()));
                Remainder::of(arena, &shared.vocabulary.trie, &ends, dense.chain(words.iter().copied()))?
            }
            false => None,
        };
        let is_reduced = remainder.is_some();
        let exits = match remainder {
            Some(remainder) => Exits::of_remainder(remainder, shared).into(),
            None => LazyExits::of(&ends, shared),
        };
        let ends = ends.iter().flat_map(|&node| shared.vocabulary.trie.tokens_at(node)).copied();
        let ends = sorted_words(ends.collect());
        let core = Arc::new(Core { words, hash, exits, is_reduced, ends });
        Ok(HeadMask { dense, core, replay: Arc::default(), recheck: Arc::default(), inexact_exits: false })
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
        if recheck.len() > FEW_RECHECKED && arena.info(neighbour).nullable {
            return Ok(None);
        }
        let neighbour = neighbour_mask(arena, neighbour)?;
        recheck.extend_from_slice(&neighbour.recheck);
        // Below exits of a neighbour its own tokens may be left out, which need not be those of the head.
        let inexact_exits = neighbour.inexact_exits || !found || neighbour.core.is_reduced;
        Ok(Some(HeadMask { recheck: recheck.into(), inexact_exits, ..neighbour }))
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
    let bytes = if excluded { differing_bytes(arena, left) } else { None };
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
