//! Head × vocabulary → the tokens that stay inside the head, and the trie nodes at which it is at an end in mid-token.
//! It knows nothing of the frame, so it is kept under the hash of the term: what one grammar learned,
//! the next one has.

use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::mask::accelerate::counter_loop::CounterLoop;
use crate::mask::accelerate::exclusion::Exclusion;
use crate::mask::exits::{Exits, Group, Groups};
use crate::mask::shared::SharedMasks;
use crate::mask::walk::WalkResult;
use crate::regular::arena::Arena;
use crate::regular::closed_region::ClosedRegion;
use crate::regular::term::{TermId, EMPTY};
use crate::regular::transitions::{majority_target, MIN_CLASS};
use crate::vocabulary::token_set::{sorted_words, to_sparse, tokens, Part, Words};
use crate::vocabulary::trie::Trie;

use smallvec::SmallVec;
use std::sync::Arc;

/// What one head does to the vocabulary.
#[derive(Clone)]
pub struct HeadMask {
    pub(crate) dense: Option<Part>,
    pub(crate) core: Arc<Core>,
    /// Tokens for which all this may be wrong: they are replayed.
    pub(crate) replay: Arc<[u32]>,
    /// Nodes at and below which it may be: what the head does there is found out by itself.
    pub(crate) recheck: Arc<[u32]>,
    /// Whether it may end at some of these where the pieces do not.
    pub(crate) inexact_exits: bool,
}

/// What heads have in common that differ in a count, or in a few tokens.
pub(crate) struct Core {
    pub words: Words,
    /// Of the tokens, whether they are here or, spread, in the bits; None if the bits have more.
    pub hash: Option<u128>,
    /// Where the head is at an end and tokens go on; many nodes with little below each are merged.
    pub exits: Exits,
    /// All nodes at which the head is at an end.
    ends: Vec<u32>,
    /// What a head is short of that keeps reading characters of a class, if it is cut off at a count.
    bound: Option<Bound>,
}

/// Of what more than so many code points a token is made, longest first.
struct Bound {
    /// (code points, token that is more than characters of the class); not more than anyone will ask for.
    tokens: Vec<(u16, u32)>,
    /// (code points, node at which the head is at an end).
    places: Vec<(u16, u32)>,
}

/// Above this many ends, one merged walk is cheaper than one walk each.
const FOREST_FROM: usize = 12;

/// A subtrie of more nodes is not merged with others.
const LARGE_SUBTRIE: u32 = 1_000;

/// More places or tokens than this are not compared with a neighbour's: a walk is cheaper.
const DIFFERENCE_ROOM: usize = 4_000;

/// So many tokens are replayed rather than computed anew for each count.
const UP_TO_ROOM: usize = 64;

impl HeadMask {
    pub fn memory_bytes(&self) -> usize {
        let core = &self.core;
        let shared = Arc::strong_count(core).max(1);
        let bound = core.bound.as_ref().map_or(0, |bound| (bound.tokens.len() + bound.places.len()) * 8);
        let lists = core.words.len() * 8 + core.ends.len() * 4 + bound;
        let own = core.exits.memory_bytes() + lists + size_of::<Core>();
        let dense = self.dense.as_ref().map_or(0, |part| 4 * part.bits.len() / Arc::strong_count(&part.bits));
        own / shared + dense + (self.replay.len() + self.recheck.len()) * 4 + size_of::<HeadMask>()
    }

    /// The hash of its tokens, if they are all there is of it, but for what follows.
    pub(crate) fn hash(&self) -> Option<u128> {
        self.core.hash.filter(|_| self.replay.is_empty() && self.recheck.is_empty())
    }

    /// Every token that stays inside the head, or leaves it with its end.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = u32> + '_ {
        let dense = self.dense.iter().flat_map(|part| part.words().enumerate());
        tokens(dense.map(|(word, bits)| (word as u32, bits)).chain(self.core.words.iter().copied()))
    }

    /// Computed anew; `known` answers for heads that differ from this one in a few tokens.
    pub(crate) fn of(
        arena: &mut Arena,
        shared: &SharedMasks,
        head: TermId,
        known: &mut dyn FnMut(&mut Arena, TermId) -> Result<HeadMask>,
    ) -> Result<HeadMask> {
        let mut reach = WalkResult::of(shared);
        if reach.spell(arena, &shared.vocabulary.trie, 0, head)? {
            return Ok(HeadMask::from_reach(reach, shared, false));
        }
        if let Some((near, most)) = arena.counted(head)? {
            if let Some(head_mask) = HeadMask::with_limit(arena, shared, near, most, known)? {
                return Ok(head_mask);
            }
        }
        if let Some(exclusion) = Exclusion::of(arena, head)? {
            if let Some(head_mask) =
                HeadMask::from_neighbour(arena, shared, head, exclusion.near, Some(&exclusion), known)?
            {
                return Ok(head_mask);
            }
        }
        if arena.first_bytes(head).intersection(&ByteSet::range(0, 0x7f)).len() < MIN_CLASS {
            reach.walk(arena, &shared.vocabulary.trie, 0, head)?;
            return Ok(HeadMask::from_reach(reach, shared, false));
        }
        let chain = CounterLoop::of(arena, head, shared.vocabulary.longest)?;
        // What a chain leaves for another state that reads much belongs to a region with both.
        let region = match &chain {
            Some(chain) if !chain.opens(arena)? => None,
            _ => ClosedRegion::get(arena, head)?.filter(|region| region.is_worth_it(shared, chain.as_ref())),
        };
        let region = match region {
            None if chain.is_none() => {
                let one = ClosedRegion::around_majority(arena, head)?.filter(|region| region.is_worth_it(shared, None));
                one.map(Arc::new)
            }
            region => region,
        };
        let endless = region.is_none() && chain.as_ref().is_some_and(CounterLoop::is_endless);
        match (region, chain) {
            (Some(region), _) => reach = region.reach(arena, shared, head)?,
            (None, Some(chain)) => reach = chain.reach(arena, shared)?,
            (None, None) => {
                // The state that almost every character leads to and stays in.
                if let Some((near, _)) = majority_target(arena, head)?.filter(|&(near, _)| near != head) {
                    if CounterLoop::of(arena, near, shared.vocabulary.longest)?.is_some_and(|chain| chain.is_loop()) {
                        if let Some(head_mask) = HeadMask::from_neighbour(arena, shared, head, near, None, known)? {
                            return Ok(head_mask);
                        }
                    }
                }
                reach.walk(arena, &shared.vocabulary.trie, 0, head)?;
            }
        }
        Ok(HeadMask::from_reach(reach, shared, endless))
    }

    pub(crate) fn from_reach(mut reach: WalkResult, shared: &SharedMasks, endless: bool) -> Self {
        let bound = (endless && reach.is_listed()).then(|| Bound::of(&reach, shared));
        reach.merge();
        let mut dense = reach.dense.take();
        let (words, hash) = match dense {
            None => {
                let (words, bits, hash) = to_sparse(reach.tokens, shared.vocabulary.mask_words());
                dense = bits.map(|bits| Part { bits, within: None });
                (words, Some(hash))
            }
            Some(_) => (sorted_words(reach.tokens), None),
        };
        let core = Core::of(words, hash, reach.exits, shared, bound);
        let core = Arc::new(core);
        HeadMask { dense, core, replay: Arc::default(), recheck: Arc::default(), inexact_exits: false }
    }

    /// What reads on forever, cut off at a count: all but the longest tokens with a special character are as they were.
    fn with_limit(
        arena: &mut Arena,
        shared: &SharedMasks,
        near: TermId,
        most: u32,
        known: &mut dyn FnMut(&mut Arena, TermId) -> Result<HeadMask>,
    ) -> Result<Option<HeadMask>> {
        let HeadMask { dense, core, replay, recheck, inexact_exits } = known(arena, near)?;
        let (Some(Part { bits, within: None }), Some(bound)) = (dense, &core.bound) else { return Ok(None) };
        let mut replay: Vec<u32> = replay.to_vec();
        let above = |&&(chars, _): &&(u16, u32)| u32::from(chars) > most;
        replay.extend(bound.tokens.iter().take_while(above).map(|&(_, token)| token));
        for &(_, node) in bound.places.iter().take_while(above) {
            replay.extend_from_slice(shared.vocabulary.trie.tokens_below(node));
            if replay.len() > UP_TO_ROOM {
                return Ok(None);
            }
        }
        if replay.len() > UP_TO_ROOM {
            return Ok(None);
        }
        let within = (most < shared.vocabulary.longest).then(|| shared.vocabulary.tokens_up_to(most));
        Ok(Some(HeadMask { dense: Some(Part { bits, within }), core, replay: replay.into(), recheck, inexact_exits }))
    }

    /// The neighbour's, if the two differ in few tokens; the exclusion is all that tells them apart, if there is one.
    fn from_neighbour(
        arena: &mut Arena,
        shared: &SharedMasks,
        head: TermId,
        near: TermId,
        exclusion: Option<&Exclusion>,
        known: &mut dyn FnMut(&mut Arena, TermId) -> Result<HeadMask>,
    ) -> Result<Option<HeadMask>> {
        let mut recheck = Vec::new();
        let mut room = DIFFERENCE_ROOM;
        let spelled =
            exclusion.is_some_and(|exclusion| exclusion.spelled(arena, &shared.vocabulary.trie, &mut recheck));
        if !spelled
            && !difference(
                arena,
                &shared.vocabulary.trie,
                0,
                (head, near, exclusion.is_some()),
                &mut recheck,
                &mut room,
            )?
        {
            return Ok(None);
        }
        let near = known(arena, near)?;
        recheck.extend_from_slice(&near.recheck);
        let inexact_exits = near.inexact_exits || !spelled;
        Ok(Some(HeadMask { recheck: recheck.into(), inexact_exits, ..near }))
    }
}

impl Bound {
    fn of(reach: &WalkResult, shared: &SharedMasks) -> Self {
        let chars = |token| shared.vocabulary.chars(token) as u16;
        let mut tokens: Vec<_> = reach.tokens.iter().map(|&token| (chars(token), token)).collect();
        let begun = |node| chars(shared.vocabulary.trie.token_from(node));
        let mut places: Vec<_> = reach.exits.iter().map(|&node| (begun(node), node)).collect();
        [&mut tokens, &mut places].into_iter().for_each(|found| found.sort_unstable_by(|a, b| b.cmp(a)));
        tokens.truncate(UP_TO_ROOM + 1);
        Bound { tokens, places }
    }
}

impl Core {
    fn of(words: Words, hash: Option<u128>, ends: Vec<u32>, shared: &SharedMasks, bound: Option<Bound>) -> Self {
        let trie = &shared.vocabulary.trie;
        // Large subtries stay as they are: what follows enters them by a few bytes only.
        let (mut small, mut exits) = (Vec::new(), SmallVec::new());
        for &node in &ends {
            match trie.end(node) - node {
                1 => {}
                size if size > LARGE_SUBTRIE => exits.push(node),
                _ => small.push(node),
            }
        }
        let mut groups = Groups::new();
        if small.len() >= FOREST_FROM {
            groups.push(Group::new(Some(shared.merged_trie(small)), &[0][..]));
        } else {
            exits.extend(small);
        }
        groups.push(Group::new(None, exits));
        Core { hash, words, exits: Exits::of(groups), ends, bound }
    }

    /// Tokens with which the head is at an end.
    pub fn ends<'a>(&'a self, trie: &'a Trie) -> impl Iterator<Item = u32> + 'a {
        self.ends.iter().flat_map(|&node| trie.tokens_at(node)).copied()
    }
}

/// Collect the nodes at and below which `left` and `right` may part; false if they are too many to look at one by one.
/// `excluded`: whether `left` is `right` without some texts, which its term names.
fn difference(
    arena: &mut Arena,
    trie: &Trie,
    node: u32,
    (left, right, excluded): (TermId, TermId, bool),
    recheck: &mut Vec<u32>,
    room: &mut usize,
) -> Result<bool> {
    let apart = if excluded { arena.excluding(left) } else { None };
    let apart = apart.unwrap_or_else(|| arena.first_bytes(left).union(&arena.first_bytes(right)));
    for (byte, child) in trie.children_in(node, &apart) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_takes_its_lists_and_its_share_of_what_is_common() {
        let bits: crate::vocabulary::token_set::TokenSet = vec![0; 10].into();
        let core = Core {
            words: Words::from([(0, 1), (1, 1), (2, 1)]),
            hash: None,
            exits: Exits::of(Groups::new()),
            ends: vec![7; 5],
            bound: Some(Bound { tokens: vec![(1, 1); 2], places: vec![(1, 1)] }),
        };
        let own = core.exits.memory_bytes() + 3 * 8 + 5 * 4 + 3 * 8 + size_of::<Core>();
        let lists = (2 + 4) * 4 + size_of::<HeadMask>();
        let dense = Some(Part { bits, within: None });
        let (replay, recheck) = (Arc::from([1, 2]), Arc::from([1, 2, 3, 4]));
        let head_mask = HeadMask { dense, core: Arc::new(core), replay, recheck, inexact_exits: false };
        assert_eq!(head_mask.memory_bytes(), own + 40 + lists);
        let _twin = head_mask.clone();
        assert_eq!(head_mask.memory_bytes(), own / 2 + 40 / 2 + lists);
        assert_eq!(HeadMask { dense: None, ..head_mask.clone() }.memory_bytes(), own / 3 + lists);
    }

    #[test]
    fn a_piece_is_known_by_its_tokens_if_they_are_all() {
        let core = |hash| {
            let exits = Exits::of(Groups::new());
            Arc::new(Core { words: Words::default(), hash, exits, ends: Vec::new(), bound: None })
        };
        let none = || Arc::<[u32]>::default();
        let head_mask =
            HeadMask { dense: None, core: core(Some(3)), replay: none(), recheck: none(), inexact_exits: false };
        assert_eq!(head_mask.hash(), Some(3));
        assert_eq!(HeadMask { replay: Arc::from([1]), ..head_mask.clone() }.hash(), None);
        assert_eq!(HeadMask { recheck: Arc::from([1]), ..head_mask.clone() }.hash(), None);
        assert_eq!(HeadMask { core: core(None), ..head_mask }.hash(), None);
    }
}
