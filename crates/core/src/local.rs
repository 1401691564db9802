//! Head × vocabulary → the tokens that stay inside the head, and the trie nodes at which it is at an end in mid-token.
//! It knows nothing of the frame, so it is kept under the hash of the term: what one grammar learned,
//! the next one has.

use crate::bits::{sorted_words, tokens, told, Part, Words};
use crate::byteset::ByteSet;
use crate::chain::Chain;
use crate::error::Result;
use crate::exclusion::Exclusion;
use crate::exits::{Exits, Group, Groups};
use crate::reach::Reach;
use crate::region::Region;
use crate::targets::{majority, WIDE_CLASS};
use crate::term::{Arena, TermId, EMPTY};
use crate::trie::Trie;
use crate::vocabulary::Vocabulary;
use smallvec::SmallVec;
use std::sync::Arc;

/// What one head does to the vocabulary.
#[derive(Clone)]
pub struct Local {
    pub(crate) dense: Option<Part>,
    pub(crate) core: Arc<Core>,
    /// Tokens for which all this may be wrong: they are replayed.
    pub(crate) asks: Arc<[u32]>,
    /// Nodes at and below which it may be: what the head does there is found out by itself.
    pub(crate) doubts: Arc<[u32]>,
    /// Whether it may end at some of these where the pieces do not.
    pub(crate) strays: bool,
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

impl Local {
    pub fn memory_bytes(&self) -> usize {
        let core = &self.core;
        let shared = Arc::strong_count(core).max(1);
        let bound = core.bound.as_ref().map_or(0, |bound| (bound.tokens.len() + bound.places.len()) * 8);
        let lists = core.words.len() * 8 + core.ends.len() * 4 + bound;
        let own = core.exits.memory_bytes() + lists + size_of::<Core>();
        let dense = self.dense.as_ref().map_or(0, |part| 4 * part.bits.len() / Arc::strong_count(&part.bits));
        own / shared + dense + (self.asks.len() + self.doubts.len()) * 4 + size_of::<Local>()
    }

    /// The hash of its tokens, if they are all there is of it, but for what follows.
    pub(crate) fn hash(&self) -> Option<u128> {
        self.core.hash.filter(|_| self.asks.is_empty() && self.doubts.is_empty())
    }

    /// Every token that stays inside the head, or leaves it with its end.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = u32> + '_ {
        let dense = self.dense.iter().flat_map(|part| part.words().enumerate());
        tokens(dense.map(|(word, bits)| (word as u32, bits)).chain(self.core.words.iter().copied()))
    }

    /// Computed anew; `known` answers for heads that differ from this one in a few tokens.
    pub(crate) fn of(
        arena: &mut Arena,
        vocabulary: &Vocabulary,
        head: TermId,
        known: &mut dyn FnMut(&mut Arena, TermId) -> Result<Local>,
    ) -> Result<Local> {
        let mut reach = Reach::of(vocabulary);
        if reach.spell(arena, &vocabulary.trie, 0, head)? {
            return Ok(Local::from_reach(reach, vocabulary, false));
        }
        if let Some((near, most)) = arena.counted(head)? {
            if let Some(local) = Local::up_to(arena, vocabulary, near, most, known)? {
                return Ok(local);
            }
        }
        if let Some(exclusion) = Exclusion::of(arena, head)? {
            if let Some(local) = Local::beside(arena, vocabulary, head, exclusion.near, Some(&exclusion), known)? {
                return Ok(local);
            }
        }
        if arena.may(head).intersection(&ByteSet::range(0, 0x7f)).len() < WIDE_CLASS {
            reach.walk(arena, &vocabulary.trie, 0, head)?;
            return Ok(Local::from_reach(reach, vocabulary, false));
        }
        let chain = Chain::of(arena, head, vocabulary.longest)?;
        // What a chain leaves for another state that reads much belongs to a region with both.
        let region = match &chain {
            Some(chain) if !chain.opens(arena)? => None,
            _ => Region::of(arena, head)?.filter(|region| region.is_worth_it(vocabulary, chain.as_ref())),
        };
        let region = match region {
            None if chain.is_none() => {
                let one = Region::of_one(arena, head)?.filter(|region| region.is_worth_it(vocabulary, None));
                one.map(Arc::new)
            }
            region => region,
        };
        let endless = region.is_none() && chain.as_ref().is_some_and(Chain::is_endless);
        match (region, chain) {
            (Some(region), _) => reach = region.reach(arena, vocabulary, head)?,
            (None, Some(chain)) => reach = chain.reach(arena, vocabulary)?,
            (None, None) => {
                // The state that almost every character leads to and stays in.
                if let Some((near, _)) = majority(arena, head)?.filter(|&(near, _)| near != head) {
                    if Chain::of(arena, near, vocabulary.longest)?.is_some_and(|chain| chain.is_loop()) {
                        if let Some(local) = Local::beside(arena, vocabulary, head, near, None, known)? {
                            return Ok(local);
                        }
                    }
                }
                reach.walk(arena, &vocabulary.trie, 0, head)?;
            }
        }
        Ok(Local::from_reach(reach, vocabulary, endless))
    }

    pub(crate) fn from_reach(mut reach: Reach, vocabulary: &Vocabulary, endless: bool) -> Self {
        let bound = (endless && reach.is_listed()).then(|| Bound::of(&reach, vocabulary));
        reach.merge();
        let mut dense = reach.dense.take();
        let (words, hash) = match dense {
            None => {
                let (words, bits, hash) = told(reach.tokens, vocabulary.mask_words());
                dense = bits.map(|bits| Part { bits, within: None });
                (words, Some(hash))
            }
            Some(_) => (sorted_words(reach.tokens), None),
        };
        let core = Core::of(words, hash, reach.exits, vocabulary, bound);
        let core = Arc::new(core);
        Local { dense, core, asks: Arc::default(), doubts: Arc::default(), strays: false }
    }

    /// What reads on forever, cut off at a count: all but the longest tokens with a special character are as they were.
    fn up_to(
        arena: &mut Arena,
        vocabulary: &Vocabulary,
        near: TermId,
        most: u32,
        known: &mut dyn FnMut(&mut Arena, TermId) -> Result<Local>,
    ) -> Result<Option<Local>> {
        let Local { dense, core, asks, doubts, strays } = known(arena, near)?;
        let (Some(Part { bits, within: None }), Some(bound)) = (dense, &core.bound) else { return Ok(None) };
        let mut asks: Vec<u32> = asks.to_vec();
        let above = |&&(chars, _): &&(u16, u32)| u32::from(chars) > most;
        asks.extend(bound.tokens.iter().take_while(above).map(|&(_, token)| token));
        for &(_, node) in bound.places.iter().take_while(above) {
            asks.extend_from_slice(vocabulary.trie.tokens_below(node));
            if asks.len() > UP_TO_ROOM {
                return Ok(None);
            }
        }
        if asks.len() > UP_TO_ROOM {
            return Ok(None);
        }
        let within = (most < vocabulary.longest).then(|| vocabulary.at_most(most));
        Ok(Some(Local { dense: Some(Part { bits, within }), core, asks: asks.into(), doubts, strays }))
    }

    /// The neighbour's, if the two differ in few tokens; the exclusion is all that tells them apart, if there is one.
    fn beside(
        arena: &mut Arena,
        vocabulary: &Vocabulary,
        head: TermId,
        near: TermId,
        exclusion: Option<&Exclusion>,
        known: &mut dyn FnMut(&mut Arena, TermId) -> Result<Local>,
    ) -> Result<Option<Local>> {
        let mut doubts = Vec::new();
        let mut room = DIFFERENCE_ROOM;
        let spelled = exclusion.is_some_and(|exclusion| exclusion.spelled(arena, &vocabulary.trie, &mut doubts));
        if !spelled
            && !difference(arena, &vocabulary.trie, 0, (head, near, exclusion.is_some()), &mut doubts, &mut room)?
        {
            return Ok(None);
        }
        let near = known(arena, near)?;
        doubts.extend_from_slice(&near.doubts);
        let strays = near.strays || !spelled;
        Ok(Some(Local { doubts: doubts.into(), strays, ..near }))
    }
}

impl Bound {
    fn of(reach: &Reach, vocabulary: &Vocabulary) -> Self {
        let chars = |token| vocabulary.chars(token) as u16;
        let mut tokens: Vec<_> = reach.tokens.iter().map(|&token| (chars(token), token)).collect();
        let begun = |node| chars(vocabulary.trie.token_from(node));
        let mut places: Vec<_> = reach.exits.iter().map(|&node| (begun(node), node)).collect();
        [&mut tokens, &mut places].into_iter().for_each(|found| found.sort_unstable_by(|a, b| b.cmp(a)));
        tokens.truncate(UP_TO_ROOM + 1);
        Bound { tokens, places }
    }
}

impl Core {
    fn of(words: Words, hash: Option<u128>, ends: Vec<u32>, vocabulary: &Vocabulary, bound: Option<Bound>) -> Self {
        let trie = &vocabulary.trie;
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
            groups.push(Group::new(Some(vocabulary.forest(small)), &[0][..]));
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
    doubts: &mut Vec<u32>,
    room: &mut usize,
) -> Result<bool> {
    let apart = if excluded { arena.excluding(left) } else { None };
    let apart = apart.unwrap_or_else(|| arena.may(left).union(&arena.may(right)));
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
            doubts.push(child);
        } else if !difference(arena, trie, child, (l, r, excluded), doubts, room)? {
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
        let bits: crate::bits::Bits = vec![0; 10].into();
        let core = Core {
            words: Words::from([(0, 1), (1, 1), (2, 1)]),
            hash: None,
            exits: Exits::of(Groups::new()),
            ends: vec![7; 5],
            bound: Some(Bound { tokens: vec![(1, 1); 2], places: vec![(1, 1)] }),
        };
        let own = core.exits.memory_bytes() + 3 * 8 + 5 * 4 + 3 * 8 + size_of::<Core>();
        let lists = (2 + 4) * 4 + size_of::<Local>();
        let dense = Some(Part { bits, within: None });
        let (asks, doubts) = (Arc::from([1, 2]), Arc::from([1, 2, 3, 4]));
        let local = Local { dense, core: Arc::new(core), asks, doubts, strays: false };
        assert_eq!(local.memory_bytes(), own + 40 + lists);
        let _twin = local.clone();
        assert_eq!(local.memory_bytes(), own / 2 + 40 / 2 + lists);
        assert_eq!(Local { dense: None, ..local.clone() }.memory_bytes(), own / 3 + lists);
    }

    #[test]
    fn a_piece_is_known_by_its_tokens_if_they_are_all() {
        let core = |hash| {
            let exits = Exits::of(Groups::new());
            Arc::new(Core { words: Words::default(), hash, exits, ends: Vec::new(), bound: None })
        };
        let none = || Arc::<[u32]>::default();
        let local = Local { dense: None, core: core(Some(3)), asks: none(), doubts: none(), strays: false };
        assert_eq!(local.hash(), Some(3));
        assert_eq!(Local { asks: Arc::from([1]), ..local.clone() }.hash(), None);
        assert_eq!(Local { doubts: Arc::from([1]), ..local.clone() }.hash(), None);
        assert_eq!(Local { core: core(None), ..local }.hash(), None);
    }
}
