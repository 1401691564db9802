//! Closed region × vocabulary → the tokens of its heads, from indexes of the vocabulary instead of a walk.
//!
//! Tokens that hold characters of the region only stay inside it in every order, so they are one precomputed set. Every
//! other token is found at the occurrence of its first other byte, in the state after the token's prefix before that byte.

use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::json::arena::Arena;
use crate::mask::accelerate::counter_loop::CounterLoop;
use crate::mask::dfa_cache::NOWHERE;
use crate::mask::shared::SharedMasks;
use crate::mask::walk::WalkResult;
use crate::regular::memo::ClosedRegion;
use crate::regular::term::{TermId, EMPTY};
use crate::vocabulary::byte_index::Occurrence;
use crate::vocabulary::token_set::Part;

/// How a head enters a region.
struct Entry {
    /// The row of the head in the walk's table.
    start: u32,
    /// Whether a space comes first.
    space_prefixed: bool,
}

/// Whether a scan takes less time than a walk: few occurrences leave the region, and it holds a third of the vocabulary
/// or four times as many tokens as occurrences leave it. Both ratios were chosen without measurement.
pub(crate) fn is_worthwhile(region: &ClosedRegion, shared: &SharedMasks, counter_loop: Option<&CounterLoop>) -> bool {
    let leaving = leaving_bytes(region);
    if shared.vocabulary.are_frequent(&leaving) {
        return false;
    }
    if counter_loop.is_some_and(|counter_loop| counter_loop.class == region.class) {
        return true;
    }
    let inside = shared.vocabulary.count_of(region.class);
    if inside >= shared.vocabulary.len() / 3 {
        return true;
    }
    let occurrences: usize = leaving.iter().map(|byte| shared.vocabulary.max_occurrences(byte)).sum();
    counter_loop.is_none() && occurrences < inside / 4
}

/// The bytes that leave the region.
fn leaving_bytes(region: &ClosedRegion) -> ByteSet {
    ByteSet::from_bytes(region.next_bytes.iter().filter(|&byte| !region.class.contains(byte)))
}

/// The tokens and exits of a head of the region.
pub(crate) fn scan(
    region: &ClosedRegion,
    arena: &mut Arena,
    shared: &SharedMasks,
    head: TermId,
    is_last: bool,
) -> Result<WalkResult> {
    let bits = shared.vocabulary.class(region.class);
    let mut walked = WalkResult::of_head(&shared.vocabulary, is_last);
    walked.dense = Some(Part { bits: bits.clone(), within: None });
    let start = walked.dfa.row(arena, head);
    // About half of all tokens begin with a space. If a space leads to a region, that region is scanned, too.
    let space = arena.derive(head, b' ')?;
    let behind_space = match space {
        EMPTY => None,
        _ if region.class.contains(b' ') => None,
        next => ClosedRegion::get(arena, next)?.filter(|region| !region.class.contains(b' ')),
    };
    if let Some(beyond) = &behind_space {
        let both = bits
            .iter()
            .zip(shared.vocabulary.space_prefixed(beyond.class))
            .map(|(bits, space_prefixed)| bits | space_prefixed)
            .collect();
        walked.dense = Some(Part { bits: both, within: None });
        enter_leaving(beyond, arena, shared, Entry { start, space_prefixed: true }, &mut walked, |_| true)?;
    }
    let own = Entry { start, space_prefixed: false };
    let space_prefixed = behind_space.is_some();
    enter_leaving(region, arena, shared, own, &mut walked, |occurrence| {
        !(space_prefixed && occurrence.depth == 0 && shared.vocabulary.trie.byte(occurrence.node) == b' ')
    })?;
    Ok(walked)
}

/// Enter the trie at every occurrence of a leaving byte that is the first one of its token.
fn enter_leaving(
    region: &ClosedRegion,
    arena: &mut Arena,
    shared: &SharedMasks,
    entry: Entry,
    walked: &mut WalkResult,
    wanted: impl Fn(&Occurrence) -> bool,
) -> Result<()> {
    let leaving = leaving_bytes(region);
    let class = if entry.space_prefixed { region.class.with(b' ') } else { region.class };
    let is_inside = |occurrence: &Occurrence| {
        occurrence.before.is_within(class) && (occurrence.space_prefixed || !entry.space_prefixed)
    };
    shared.vocabulary.prepare_occurrences(&leaving);
    for byte in leaving.iter() {
        let occurrences = shared.vocabulary.occurrences(byte).iter();
        for occurrence in occurrences.filter(|occurrence| is_inside(occurrence) && wanted(occurrence)) {
            let Some(token) = shared.vocabulary.token(occurrence.token) else { continue };
            let mut row = entry.start;
            for &byte in &token[..usize::from(occurrence.depth)] {
                row = walked.dfa.step(arena, row, byte)?;
            }
            let next = walked.dfa.step(arena, row, byte)?;
            if next != NOWHERE {
                arena.spend(1)?;
                let next = walked.dfa.rows[next as usize].state;
                walked.enter(arena, &shared.vocabulary.trie, occurrence.node, next)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::fixture::random_vocabulary;
    use crate::mask::walk::tests::{derived, everything};
    use crate::regular::term::{Spelling, MANY};
    use crate::vocabulary::id::NodeId;

    #[test]
    fn regions_and_sweeps_find_what_derivatives_do() {
        let letters =
            ["a", "b", "c", "d", "m", "o", "x", "z", "0", "9", ".", "-", "_", " ", "\"", "\\", "n", "é", "€", "𝄞"];
        let more = ["ab_", "ab_c", "xab_d", "aab_m ", "ab_z", "foo", "xfoo", "afoob", " foo\"", "fo\\u006f"];
        let shared = random_vocabulary(&letters, 3_000, &more);
        let mut arena = Arena::new();
        let arena = &mut arena;
        let any = arena.any_text().unwrap();
        let class = |arena: &mut Arena, bytes: &str| arena.class(ByteSet::from_bytes(bytes.bytes())).unwrap();
        let lower: String = ('a'..='z').collect();
        let search = |arena: &mut Arena, inner: &[TermId]| {
            let parts = [&[any], inner, &[any]].concat();
            parts.into_iter().rev().try_fold(crate::regular::term::EPSILON, |rest, part| arena.cat(part, rest)).unwrap()
        };
        let (beginning, ending) = (arena.literal(b"ab_").unwrap(), class(arena, "cdefghijklm"));
        let found = search(arena, &[beginning, ending]);
        let excluded = arena.not(found).unwrap();
        let foo = arena.literal(b"foo").unwrap();
        let letter = class(arena, &lower);
        let more = class(arena, &format!("{lower}0123456789.-"));
        let (word, name) = (arena.repeat(letter, 1, MANY).unwrap(), arena.repeat(more, 1, MANY).unwrap());
        let space = class(arena, " ");
        let behind_space = arena.cat(space, word).unwrap();
        let behind_space = arena.repeat(behind_space, 0, MANY).unwrap();
        let texts = [
            arena.and(vec![any, excluded]).unwrap(),
            search(arena, &[foo]),
            arena.cat(letter, name).unwrap(),
            arena.cat(word, behind_space).unwrap(),
            arena.bounded(any, 3, MANY).unwrap(),
            arena.bounded(any, 2, 5).unwrap(),
            arena.bounded(found, 0, 9).unwrap(),
            any,
        ];
        let (mut regions, mut heads) = (0, 0);
        for text in texts {
            for free in [false, true] {
                let start = arena.quoted_state(text, Spelling::Body, free).unwrap();
                for before in ["", "a", "ab", "ab_", "f", "fo", "foo", "ab c", "é", "\\n"] {
                    let head = before.bytes().fold(start, |head, byte| arena.derive(head, byte).unwrap());
                    if head == EMPTY {
                        continue;
                    }
                    heads += 1;
                    let mut slow = WalkResult::new(&shared.vocabulary);
                    derived(arena, &shared.vocabulary.trie, NodeId::ROOT, head, &mut slow);
                    let slow = everything(slow);
                    let mut walked = WalkResult::new(&shared.vocabulary);
                    walked.walk(arena, &shared.vocabulary.trie, NodeId::ROOT, head).unwrap();
                    assert!(everything(walked) == slow, "walk {before:?} {:?}", arena.term(text));
                    if let Some(region) = ClosedRegion::get(arena, head).unwrap() {
                        regions += 1;
                        let walked = scan(&region, arena, &shared, head, false).unwrap();
                        assert!(everything(walked) == slow, "region {before:?} {:?}", arena.term(text));
                    }
                    let ascii = arena.next_ascii(head).unwrap();
                    let live = arena.next_bytes(head).unwrap();
                    assert_eq!(ascii, live.intersection(&ByteSet::range(0, 0x7f)), "{before:?}");
                    let moves = arena.byte_transitions(head).unwrap();
                    for byte in 0..=255u8 {
                        let next = arena.derive_uncached(head, byte, true).unwrap();
                        assert_eq!(arena.derive(head, byte).unwrap(), next, "{byte} after {before:?}");
                        assert_eq!(live.contains(byte), next != EMPTY, "{byte} after {before:?}");
                        let moved = moves.iter().find(|&&(low, high, _)| low <= byte && byte <= high);
                        assert_eq!(moved.map_or(EMPTY, |&(_, _, target)| target), next, "{byte} after {before:?}");
                        let onto = arena.ascii_bytes_to(head, next).unwrap();
                        assert_eq!(next != EMPTY && byte < 0x80, onto.contains(byte), "{byte} after {before:?}");
                        let nowhere = arena.has_no_transition(head, byte, byte.saturating_add(9)).unwrap();
                        let reached =
                            |&(low, high, _): &(u8, u8, TermId)| low <= byte.saturating_add(9) && high >= byte;
                        assert_eq!(nowhere, !moves.iter().any(reached), "{byte} after {before:?}");
                    }
                }
            }
        }
        assert!(regions > 60 && heads > 100, "{regions} {heads}");
    }
}
