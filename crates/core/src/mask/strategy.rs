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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::fixture::{node, shared_masks};
    use crate::mask::head_masks::HeadMasks;
    use crate::mask::walk::tests::everything;
    use crate::regular::term::{Spelling, MANY};

    /// The head mask of a head, those of its neighbours from a cache.
    fn head_mask(arena: &mut Arena, shared: &SharedMasks, head: TermId) -> HeadMask {
        let mut head_masks = HeadMasks::default();
        HeadMask::compute(arena, shared, (head, false), &mut |arena, head| head_masks.get(arena, shared, head)).unwrap()
    }

    fn body(arena: &mut Arena, text: TermId) -> TermId {
        arena.quoted_state(text, Spelling::Body, false).unwrap()
    }

    /// The tokens and exits of a head, by its head mask and by a plain walk.
    fn assert_exact(arena: &mut Arena, shared: &SharedMasks, head: TermId) -> HeadMask {
        let made = head_mask(arena, shared, head);
        let mut walked = WalkResult::new(&shared.vocabulary);
        walked.walk(arena, &shared.vocabulary.trie, NodeId::ROOT, head).unwrap();
        let (tokens, ends) = everything(walked);
        let trie = &shared.vocabulary.trie;
        let again: Vec<u32> = made
            .recheck
            .iter()
            .flat_map(|&node| trie.tokens_at(node).iter().chain(trie.tokens_below(node)))
            .chain(made.replay.iter())
            .copied()
            .collect();
        let decided = |tokens: &mut dyn Iterator<Item = u32>| {
            let mut tokens: Vec<u32> = tokens.filter(|token| !again.contains(token)).collect();
            tokens.sort_unstable();
            tokens.dedup();
            tokens
        };
        assert_eq!(decided(&mut made.tokens()), decided(&mut tokens.into_iter()));
        if again.is_empty() {
            let ends = ends.iter().flat_map(|&node| trie.tokens_at(node)).copied();
            assert_eq!(decided(&mut made.core.ends()), decided(&mut ends.into_iter()));
        }
        made
    }

    /// Printable texts, with quotes inside some of them.
    fn vocabulary() -> std::sync::Arc<SharedMasks> {
        let single: Vec<String> = (' '..='~').map(String::from).collect();
        let more = [
            "ab",
            "abc",
            "abcd",
            "abcdefgh",
            "a\"",
            "ab\"",
            "abc\"",
            "abcd\"",
            "abcdefgh\"",
            "ab\",",
            "xyz",
            "é",
            "\\n",
        ];
        let texts: Vec<&str> = single.iter().map(String::as_str).chain(more).collect();
        shared_masks(&texts)
    }

    #[test]
    fn a_text_is_followed_and_its_head_mask_is_whole() {
        let (shared, mut arena) = (vocabulary(), Arena::new());
        let text = arena.literal(b"abc").unwrap();
        let head = body(&mut arena, text);
        let made = assert_exact(&mut arena, &shared, head);
        assert!(made.hash().is_some() && made.dense.is_none() && !made.inexact_exits);
    }

    #[test]
    fn loops_of_twenty_characters_are_scanned_by_index() {
        let (shared, mut arena) = (vocabulary(), Arena::new());
        let mut scanned = |high| {
            let class = arena.class(ByteSet::range(b'a', high)).unwrap();
            let text = arena.repeat(class, 0, MANY).unwrap();
            let head = body(&mut arena, text);
            let made = assert_exact(&mut arena, &shared, head);
            made.dense.is_some()
        };
        assert_eq!([scanned(b's'), scanned(b't')], [false, true]);
    }

    #[test]
    fn an_exclusion_is_checked_again_where_its_texts_end() {
        let (shared, mut arena) = (vocabulary(), Arena::new());
        let any = arena.any_text().unwrap();
        let words = arena.words(vec![b"ab"[..].into(), b"abcd"[..].into()]).unwrap();
        let others = arena.not(words).unwrap();
        let text = arena.and(vec![any, others]).unwrap();
        let head = body(&mut arena, text);
        let made = assert_exact(&mut arena, &shared, head);
        assert_eq!(*made.recheck, ["ab\"", "abcd\""].map(|text| node(&shared, text)));
        assert!(!made.inexact_exits, "the texts are known, and so are the nodes");
        let free = arena.quoted_state(text, Spelling::Body, true).unwrap();
        let made = assert_exact(&mut arena, &shared, free);
        assert!(made.inexact_exits && !made.recheck.is_empty(), "a text has many spellings");
        let unlimited = body(&mut arena, any);
        assert_eq!(made.core.hash, head_mask(&mut arena, &shared, unlimited).core.hash);
    }

    #[test]
    fn two_heads_differ_where_one_dies_or_ends() {
        let shared = shared_masks(&["a", "ab", "abc", "abd", "b", "ba"]);
        let trie = &shared.vocabulary.trie;
        let mut arena = Arena::new();
        let [abc, abcx, abd, ba] = [&b"abc"[..], b"abcx", b"abd", b"ba"].map(|text| arena.literal(text).unwrap());
        let both = arena.alt(vec![abc, ba]).unwrap();
        let mut differs = |left, right, mut room| {
            let mut nodes = Vec::new();
            let found =
                difference(&mut arena, trie, NodeId::ROOT, (left, right, false), &mut nodes, &mut room).unwrap();
            let texts = nodes.iter().map(|&node| String::from_utf8(trie.path(node)).unwrap());
            (found, texts.collect::<Vec<_>>().join(" "), room)
        };
        assert_eq!(differs(abc, abc, 0), (true, String::new(), 0));
        assert_eq!(differs(abc, abcx, 3), (true, "abc".into(), 0), "a and ab lead on, at abc one ends");
        assert!(!differs(abc, abcx, 2).0);
        assert_eq!(differs(abc, abd, 9), (true, "abc abd".into(), 5));
        assert_eq!(differs(abc, both, 9), (true, "b".into(), 8), "what is dead is not followed");
    }

    #[test]
    fn a_name_leaves_its_own_tokens_out_below_its_exits() {
        let letters = || 'a'..='f';
        let words = |length: usize| {
            (0..length).fold(vec![String::new()], |all, _| {
                all.iter().flat_map(|text| letters().map(move |letter| format!("{text}{letter}"))).collect()
            })
        };
        let mut texts: Vec<String> = (1..=4).flat_map(words).collect();
        texts.extend(words(3).iter().map(|text| format!("{text}(")));
        let (shared, mut arena) = (shared_masks(&texts.iter().map(String::as_str).collect::<Vec<_>>()), Arena::new());
        let letter = arena.class(ByteSet::range(b'a', b'z')).unwrap();
        let below = |arena: &mut Arena, head| {
            let core = head_mask(arena, &shared, head).core;
            let tokens = |group: &crate::mask::exits::Group| {
                let below = |node: &NodeId| group.view(shared.view()).trie.tokens_below(*node).len();
                group.nodes.iter().map(below).sum::<usize>()
            };
            (core.is_reduced, core.exits.get(&shared).groups().iter().map(tokens).sum::<usize>())
        };
        let name = arena.repeat(letter, 1, MANY).unwrap();
        assert_eq!(below(&mut arena, name), (true, 3 * 216), "behind one, two and three letters");
        let counted = arena.repeat(letter, 1, 9).unwrap();
        assert_eq!(below(&mut arena, counted), (true, 3 * 216), "no token reads nine letters");
        // Names of which some are excluded: what a mask of all names leaves out need not be a name of these.
        let all = arena.repeat(letter, 0, MANY).unwrap();
        for (length, is_near) in [(1, true), (2, false)] {
            let excluded = arena.words(words(length).iter().map(|text| text.as_bytes().into()).collect()).unwrap();
            let others = arena.not(excluded).unwrap();
            let head = arena.and(vec![all, others]).unwrap();
            let made = assert_exact(&mut arena, &shared, head);
            assert_eq!((!made.recheck.is_empty(), made.inexact_exits), (is_near, is_near), "{length}");
        }
    }

    #[test]
    fn a_head_beside_a_loop_is_that_loop_but_for_few_nodes() {
        // [^x]* once an x has come, or: not the text b first.
        let (shared, mut arena) = (vocabulary(), Arena::new());
        let any = arena.any_text().unwrap();
        let class = arena.class(ByteSet::range(b'b', b'b')).unwrap();
        let tail = arena.cat(class, any).unwrap();
        let not = arena.not(tail).unwrap();
        let text = arena.and(vec![any, not]).unwrap();
        let head = body(&mut arena, text);
        assert_exact(&mut arena, &shared, head);
        let x = arena.class(ByteSet::range(b'x', b'x')).unwrap();
        let search = arena.cat(x, any).unwrap();
        let search = arena.cat(any, search).unwrap();
        let head = body(&mut arena, search);
        assert_exact(&mut arena, &shared, head);
        let letters = arena.class(ByteSet::range(b'a', b'z')).unwrap();
        let more = arena.repeat(letters, 0, MANY).unwrap();
        let upper = arena.class(ByteSet::range(b'A', b'Z')).unwrap();
        let name = arena.cat(upper, more).unwrap();
        let head = body(&mut arena, name);
        assert_exact(&mut arena, &shared, head);
    }
}
