//! A region × vocabulary → what its heads do: tokens of its characters only are inside, whatever they spell. The others
//! are found by the index: at each place where such a token's first special byte stands, the state is that after the
//! token's beginning.

use crate::bytes::byteset::ByteSet;
use crate::bytes::char_class::CharClass;
use crate::error::Result;
use crate::mask::accelerate::counter_loop::CounterLoop;
use crate::mask::accelerate::occurrence_group::GroupKey;
use crate::mask::dfa_cache::NOWHERE;
use crate::mask::shared::SharedMasks;
use crate::mask::walk::WalkResult;
use crate::regular::arena::Arena;
use crate::regular::closed_region::ClosedRegion;
use crate::regular::term::{TermId, EMPTY};
use crate::regular::transitions::majority_target;
use crate::vocabulary::byte_index::Occurrence;
use crate::vocabulary::token_set::Part;

/// How a head comes to the characters of a region.
struct Entry {
    /// The row of the head.
    start: u32,
    /// The state before the first of them: the head, or what a space leads to.
    first: TermId,
    space_prefixed: bool,
}

impl ClosedRegion {
    /// Whether the places where it is left take less than a walk through what is inside, or it keeps as much as a chain
    /// does.
    pub fn is_worth_it(&self, shared: &SharedMasks, chain: Option<&CounterLoop>) -> bool {
        if chain.is_some_and(|chain| chain.class == self.class) {
            return true;
        }
        let inside = shared.vocabulary.count_of(self.class);
        if inside >= shared.vocabulary.len() / 3 {
            return true;
        }
        // They are counted, not looked at: whoever asks for a byte's places for the first time has them found.
        let left = self.next_bytes.iter().filter(|&byte| !self.class.contains(byte));
        let places: usize = left.map(|byte| shared.vocabulary.max_occurrences(byte)).sum();
        chain.is_none() && places < inside / 4
    }

    /// What a head of the region does to the vocabulary.
    pub fn reach(&self, arena: &mut Arena, shared: &SharedMasks, head: TermId) -> Result<WalkResult> {
        let bits = shared.vocabulary.class(self.class);
        let mut reach = WalkResult::of(shared);
        reach.dense = Some(Part { bits: bits.clone(), within: None });
        let start = reach.table.row(arena, head);
        // Every other token begins with a space: where it leads to a region, what comes after it is not walked, either.
        let space = arena.derive(head, b' ')?;
        let spaced = match space {
            EMPTY => None,
            _ if self.class.contains(b' ') => None,
            next => ClosedRegion::get(arena, next)?.filter(|region| !region.class.contains(b' ')),
        };
        if let Some(region) = &spaced {
            let both = bits
                .iter()
                .zip(shared.vocabulary.space_prefixed(region.class))
                .map(|(bits, space_prefixed)| bits | space_prefixed)
                .collect();
            reach.dense = Some(Part { bits: both, within: None });
            region.leave(arena, shared, Entry { start, first: space, space_prefixed: true }, &mut reach, |_| true)?;
        }
        let own = Entry { start, first: head, space_prefixed: false };
        let space_prefixed = spaced.is_some();
        self.leave(arena, shared, own, &mut reach, |place| {
            !(space_prefixed && place.depth == 0 && shared.vocabulary.trie.byte(place.node) == b' ')
        })?;
        Ok(reach)
    }

    /// Goes on at those places where a token holds something else for the first time.
    fn leave(
        &self,
        arena: &mut Arena,
        shared: &SharedMasks,
        entry: Entry,
        reach: &mut WalkResult,
        wanted: impl Fn(&Occurrence) -> bool,
    ) -> Result<()> {
        let (near, quiet, apart) = self.near(arena, entry.first)?;
        for byte in self.next_bytes.iter().filter(|&byte| !self.class.contains(byte)) {
            let behind = shared.occurrence_group(GroupKey {
                byte,
                class: self.class,
                quiet,
                space_prefixed: entry.space_prefixed,
            });
            let places = shared.vocabulary.occurrences(byte);
            let beside = arena.derive(near, byte)?;
            let heard = behind.heard.iter().copied().chain(behind.beginning_with(&shared.vocabulary.trie, &apart));
            for place in heard.map(|place| &places[place as usize]).filter(|place| wanted(place)) {
                let Some(token) = shared.vocabulary.token(place.token) else { continue };
                let mut row = entry.start;
                for &byte in &token[..usize::from(place.depth)] {
                    row = reach.table.step(arena, row, byte)?;
                }
                let next = reach.table.step(arena, row, byte)?;
                if next != NOWHERE {
                    arena.spend(1)?;
                    let next = reach.table.rows[next as usize].state;
                    match place.depth {
                        0 => reach.enter_beside(arena, shared, place.node, next, beside)?,
                        _ => reach.enter(arena, &shared.vocabulary.trie, place.node, next)?,
                    }
                }
            }
            if beside != EMPTY {
                behind.enter(arena, shared, beside, &apart, reach)?;
            }
        }
        Ok(())
    }

    /// The state to which most characters lead; of the region's ASCII characters those that leave that state as it is, and
    /// of these the ones that lead from here to another.
    fn near(&self, arena: &mut Arena, first: TermId) -> Result<(TermId, CharClass, ByteSet)> {
        let Some((near, _)) = majority_target(arena, first)? else {
            return Ok((EMPTY, CharClass::default(), ByteSet::EMPTY));
        };
        let quiet = arena.ascii_bytes_to(near, near)?.intersection(&self.class.bytes());
        let apart = quiet.difference(&arena.ascii_bytes_to(first, near)?);
        Ok((near, CharClass::new(quiet.ascii(), 0), apart))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::walk::tests::everything;
    use crate::regular::term::{Spelling, MANY};
    use crate::vocabulary::trie::Trie;
    use crate::vocabulary::vocabulary::Vocabulary;

    /// The same by derivatives, node by node.
    fn derived(arena: &mut Arena, trie: &Trie, node: u32, head: TermId, reach: &mut WalkResult) {
        for (byte, child) in trie.children(node) {
            let next = arena.derive_uncached(head, byte, true).unwrap();
            if next != EMPTY {
                reach.tokens.extend_from_slice(trie.tokens_at(child));
                if arena.info(next).nullable {
                    reach.exits.push(child);
                }
                derived(arena, trie, child, next, reach);
            }
        }
    }

    fn vocabulary() -> SharedMasks {
        let letters =
            ["a", "b", "c", "d", "m", "o", "x", "z", "0", "9", ".", "-", "_", " ", "\"", "\\", "n", "é", "€", "𝄞"];
        let mut state = 7u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut tokens: Vec<Option<Box<[u8]>>> = (0..=255u8).map(|byte| Some(vec![byte].into())).collect();
        for _ in 0..3_000 {
            let text: String = (0..1 + next(6)).map(|_| letters[next(letters.len())]).collect();
            tokens.push(Some(text.into_bytes().into()));
        }
        for text in ["ab_", "ab_c", "xab_d", "aab_m ", "ab_z", "foo", "xfoo", "afoob", " foo\"", "fo\\u006f"] {
            tokens.push(Some(text.as_bytes().into()));
        }
        let size = tokens.len();
        SharedMasks::of(Vocabulary::new(tokens, vec![], vec![], size).unwrap())
    }

    #[test]
    fn regions_and_sweeps_find_what_derivatives_do() {
        let shared = vocabulary();
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
        let spaced = arena.cat(space, word).unwrap();
        let spaced = arena.repeat(spaced, 0, MANY).unwrap();
        let texts = [
            arena.and(vec![any, excluded]).unwrap(),
            search(arena, &[foo]),
            arena.cat(letter, name).unwrap(),
            arena.cat(word, spaced).unwrap(),
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
                    let mut slow = WalkResult::of(&shared);
                    derived(arena, &shared.vocabulary.trie, 0, head, &mut slow);
                    let slow = everything(slow);
                    let mut walked = WalkResult::of(&shared);
                    walked.walk(arena, &shared.vocabulary.trie, 0, head).unwrap();
                    assert!(everything(walked) == slow, "walk {before:?} {:?}", arena.term(text));
                    if let Some(region) = ClosedRegion::get(arena, head).unwrap() {
                        regions += 1;
                        let reach = region.reach(arena, &shared, head).unwrap();
                        assert!(everything(reach) == slow, "region {before:?} {:?}", arena.term(text));
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
