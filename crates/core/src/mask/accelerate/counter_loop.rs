//! Head that counts characters of one class → its tokens, from indexes of the vocabulary instead of a walk.
//!
//! Tokens that hold characters of the class only are one precomputed set, limited to the characters that may still come.
//! Every other token is found at the occurrence of its first other byte (`ByteIndex`).

use crate::bytes::byteset::ByteSet;
use crate::bytes::char_class::CharClass;
use crate::error::Result;
use crate::json::arena::Arena;
use crate::mask::shared::SharedMasks;
use crate::mask::walk::WalkResult;
use crate::regular::term::{TermId, EMPTY};
use crate::regular::transitions::{majority_target, MIN_CLASS};
use crate::vocabulary::byte_index::Occurrence;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::token_set::{Part, TokenSet};

/// A loop of at most this many states is walked rather than scanned, if the occurrences of its leaving bytes are not
/// indexed yet: few nodes are reached before the count ends. Chosen without measurement.
const FEW_STATES: usize = 3;

/// States that differ in a count only: one class of characters leads from each to the next, and the last may loop.
pub(crate) struct CounterLoop {
    states: Vec<TermId>,
    /// The characters that lead from each state to the next.
    pub(crate) class: CharClass,
    /// Whether the class leads from the last state to itself.
    loops: bool,
}

impl CounterLoop {
    /// The loop that begins with a head; None if the head is of another shape.
    pub(crate) fn find(arena: &mut Arena, head: TermId, longest: u32) -> Result<Option<CounterLoop>> {
        let Some((mut next, class)) = majority_target(arena, head)? else { return Ok(None) };
        let Some(sample) = class.iter().next() else { return Ok(None) };
        if !arena.has_no_transition(head, 0x80, 0xbf)? {
            return Ok(None);
        }
        let class = CharClass::new(class.ascii(), arena.lead_bytes_to(head, next)?);
        let mut counter_loop = CounterLoop { states: vec![head], class, loops: false };
        while counter_loop.states.len() <= longest as usize + 1 {
            let state = counter_loop.states[counter_loop.states.len() - 1];
            if next == state {
                counter_loop.loops = true;
                return Ok(Some(counter_loop));
            }
            counter_loop.states.push(next);
            let after = arena.derive(next, sample)?;
            if after == EMPTY {
                // The count ends. Other bytes of the last state are entered one by one, so they must be few.
                let live = arena.next_bytes(next)?;
                let ascii = live.intersection(&ByteSet::range(0, 0x7f)).len();
                return Ok((ascii < MIN_CLASS && ascii == live.len()).then_some(counter_loop));
            }
            if arena.ascii_bytes_to(next, after)?.ascii() != counter_loop.class.ascii()
                || arena.lead_bytes_to(next, after)? != counter_loop.class.lead_bytes()
                || !arena.has_no_transition(next, 0x80, 0xbf)?
            {
                return Ok(None);
            }
            next = after;
        }
        counter_loop.loops = true;
        Ok(Some(counter_loop))
    }

    fn after(&self, chars: u32) -> Option<TermId> {
        let last = self.states.len() - 1;
        if chars as usize <= last {
            Some(self.states[chars as usize])
        } else {
            self.loops.then(|| self.states[last])
        }
    }

    /// Whether the loop is one state that leads to itself.
    pub(crate) fn is_loop(&self) -> bool {
        self.loops && self.states.len() == 1
    }

    /// Whether the head may end after each of the characters.
    pub(crate) fn may_end_anywhere(&self, arena: &Arena) -> bool {
        self.states.iter().all(|&state| arena.info(state).nullable)
    }

    /// Whether an ASCII character outside the class leads to another state that reads many bytes.
    pub(crate) fn leads_to_wide_state(&self, arena: &mut Arena) -> Result<bool> {
        if !self.loops {
            return Ok(false);
        }
        for state in [self.states[0], self.states[self.states.len() - 1]] {
            for (low, high, target) in arena.byte_transitions(state)? {
                if high < 0x80 && !self.class.contains(low) && arena.has_wide_ascii(target)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The tokens and exits of the head.
    pub(crate) fn scan(&self, arena: &mut Arena, shared: &SharedMasks, is_last: bool) -> Result<WalkResult> {
        let mut walked = WalkResult::of_head(&shared.vocabulary, is_last);
        if !is_last && self.states.iter().any(|&state| arena.info(state).nullable) {
            // The head may end between any two characters: every inner node is an exit, so a walk takes no longer.
            walked.walk(arena, &shared.vocabulary.trie, NodeId::ROOT, self.states[0])?;
            return Ok(walked);
        }
        let own = Part { bits: shared.vocabulary.class(self.class), within: self.length_filter(shared, 0) };
        if let (&[first, last], false) = (&self.states[..], self.loops) {
            walked.dense = Some(own);
            self.scan_single(arena, shared, [first, last], &mut walked)?;
            return Ok(walked);
        }
        let leaving = self.leaving_bytes(arena)?;
        let has_index = || leaving.iter().all(|byte| shared.vocabulary.has_occurrences(byte));
        if shared.vocabulary.are_frequent(&leaving) || !self.loops && self.states.len() <= FEW_STATES && !has_index() {
            walked.walk(arena, &shared.vocabulary.trie, NodeId::ROOT, self.states[0])?;
            return Ok(walked);
        }
        let behind_space = self.behind_space(arena, shared)?;
        let Some(counter_loop) = behind_space else {
            walked.dense = Some(own);
            let inner = |occurrence: &Occurrence| occurrence.before.is_within(self.class);
            self.enter_leaving(arena, shared, (&leaving, 0), inner, &mut walked)?;
            return Ok(walked);
        };
        let within = counter_loop.length_filter(shared, 1);
        let space_prefixed = shared.vocabulary.space_prefixed(counter_loop.class).enumerate();
        let space_prefixed = space_prefixed
            .map(|(place, space_prefixed)| space_prefixed & within.as_ref().map_or(u32::MAX, |within| within[place]));
        walked.dense = Some(Part {
            bits: own.words().zip(space_prefixed).map(|(own, space_prefixed)| own | space_prefixed).collect(),
            within: None,
        });
        let inner = |occurrence: &Occurrence| {
            let space = occurrence.depth == 0 && shared.vocabulary.trie.byte(occurrence.node) == b' ';
            occurrence.before.is_within(self.class) && !space
        };
        self.enter_leaving(arena, shared, (&leaving, 0), inner, &mut walked)?;
        let class = counter_loop.class.with(b' ');
        let leaving = counter_loop.leaving_bytes(arena)?;
        let space_prefixed = |occurrence: &Occurrence| occurrence.space_prefixed && occurrence.before.is_within(class);
        counter_loop.enter_leaving(arena, shared, (&leaving, 1), space_prefixed, &mut walked)?;
        Ok(walked)
    }

    /// `scan` for a single character: tokens go on behind it from few nodes.
    fn scan_single(
        &self,
        arena: &mut Arena,
        shared: &SharedMasks,
        [first, last]: [TermId; 2],
        walked: &mut WalkResult,
    ) -> Result<()> {
        let trie = &shared.vocabulary.trie;
        let first_bytes = arena.first_bytes(last);
        for single in shared.vocabulary.singles().iter().filter(|single| self.class.contains(single.lead)) {
            if trie.has_child_in(single.node, &first_bytes) {
                arena.spend(1)?;
                walked.walk(arena, trie, single.node, last)?;
            }
        }
        let others = arena.first_bytes(first);
        for (byte, child) in trie.children_in(NodeId::ROOT, &others).filter(|&(byte, _)| !self.class.contains(byte)) {
            let next = arena.derive(first, byte)?;
            if next != EMPTY {
                arena.spend(1)?;
                walked.enter(arena, trie, child, next)?;
            }
        }
        Ok(())
    }

    /// The loop behind a space, if there is one: about half of all tokens begin with a space.
    fn behind_space(&self, arena: &mut Arena, shared: &SharedMasks) -> Result<Option<CounterLoop>> {
        if self.is_loop() || self.class.contains(b' ') {
            return Ok(None);
        }
        match arena.derive(self.states[0], b' ')? {
            EMPTY => Ok(None),
            next if arena.first_bytes(next).len() < MIN_CLASS => Ok(None),
            next => Ok(CounterLoop::find(arena, next, shared.vocabulary.longest)?.filter(|counter_loop| {
                !counter_loop.class.contains(b' ')
                    && counter_loop.states.iter().all(|&state| !arena.info(state).nullable)
            })),
        }
    }

    /// The tokens short enough for the count, with `before` characters more than the count allows; None: all tokens.
    fn length_filter(&self, shared: &SharedMasks, before: u32) -> Option<TokenSet> {
        let most = self.states.len() as u32 - 1 + before;
        (!self.loops && most < shared.vocabulary.longest).then(|| shared.vocabulary.tokens_up_to(most))
    }

    /// The bytes that leave the loop.
    fn leaving_bytes(&self, arena: &mut Arena) -> Result<ByteSet> {
        let mut live = ByteSet::EMPTY;
        for &state in &self.states {
            live = live.union(&arena.next_bytes(state)?);
        }
        let mut live = ByteSet::from_bytes(live.iter().filter(|&byte| !self.class.contains(byte)));
        if !self.loops {
            // In the last state bytes of the class may lead elsewhere.
            let end = self.states[self.states.len() - 1];
            for byte in 0..0x80u8 {
                if self.class.contains(byte) && arena.derive(end, byte)? != EMPTY {
                    live.insert(byte);
                }
            }
        }
        Ok(live)
    }

    /// Enter the trie at every occurrence of a leaving byte that is the first one of its token. The loop begins after
    /// `before` characters of the token.
    fn enter_leaving(
        &self,
        arena: &mut Arena,
        shared: &SharedMasks,
        (leaving, before): (&ByteSet, u32),
        inner: impl Fn(&Occurrence) -> bool,
        walked: &mut WalkResult,
    ) -> Result<()> {
        let last = self.states.len() as u32 - 1;
        shared.vocabulary.prepare_occurrences(leaving);
        for byte in leaving.iter() {
            let own = self.class.contains(byte);
            for occurrence in shared.vocabulary.occurrences(byte).iter().filter(|occurrence| inner(occurrence)) {
                let chars = u32::from(occurrence.chars) - before;
                if own && chars != last {
                    continue;
                }
                let Some(state) = self.after(chars) else { continue };
                let next = arena.derive(state, byte)?;
                if next == EMPTY {
                    continue;
                }
                arena.spend(1)?;
                walked.enter(arena, &shared.vocabulary.trie, occurrence.node, next)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::fixture::shared_masks;
    use crate::mask::walk::tests::everything;
    use crate::regular::term::{Spelling, MANY};
    use crate::vocabulary::vocabulary::Vocabulary;

    /// A scan finds what a walk finds.
    fn assert_walked(counter_loop: &CounterLoop, arena: &mut Arena, shared: &SharedMasks, head: TermId) {
        let scanned = counter_loop.scan(arena, shared, false).unwrap();
        let mut walked = WalkResult::new(&shared.vocabulary);
        walked.walk(arena, &shared.vocabulary.trie, NodeId::ROOT, head).unwrap();
        assert_eq!(everything(scanned), everything(walked), "{:?}", arena.term(head));
    }

    #[test]
    fn words_up_to_a_length_are_what_a_walk_finds() {
        let texts = "a b ab z xyz abcd abcdefgh _ab \" \"] a\" ab\", _\" _ __ _a_b _a_ a_b _ab_cd\" _a\" _abcdef _abcdefg b_ ab_\" é aé _é A";
        let texts: Vec<String> = texts.split(' ').map(|text| text.replace('_', " ")).collect();
        let shared = shared_masks(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let mut arena = Arena::new();
        let letter = arena.class(ByteSet::range(b'a', b'z')).unwrap();
        let word = arena.repeat(letter, 1, MANY).unwrap();
        let space = arena.literal(b" ").unwrap();
        let next = arena.cat(space, word).unwrap();
        let more = arena.repeat(next, 0, MANY).unwrap();
        let words = arena.cat(word, more).unwrap();
        let mut spaced = 0;
        for most in 2..9 {
            let bounded = arena.bounded(words, 0, most).unwrap();
            let start = arena.quoted_state(bounded, Spelling::Body, false).unwrap();
            for text in [&b""[..], b"a", b"ab"] {
                let head = text.iter().fold(start, |head, &byte| arena.derive(head, byte).unwrap());
                let Some(counter_loop) = CounterLoop::find(&mut arena, head, shared.vocabulary.longest).unwrap() else {
                    continue;
                };
                spaced += usize::from(counter_loop.behind_space(&mut arena, &shared).unwrap().is_some());
                assert_walked(&counter_loop, &mut arena, &shared, head);
            }
        }
        assert!(spaced > 5, "{spaced}");
    }

    #[test]
    fn one_character_and_then_a_text_are_what_a_walk_finds() {
        let texts = "a b ab abc a\" ab\" é éb éa ébc èb \" \"b \\n \\nb \\u0041 \\u0041b 1 1b ~ ~b bb";
        let mut tokens: Vec<Option<Box<[u8]>>> =
            texts.split(' ').map(|text| Some(text.replace('_', " ").into_bytes().into())).collect();
        tokens.extend([&b"\xc3"[..], b"a\xc3", b" b"].map(|text| Some(text.into())));
        let size = tokens.len();
        let shared = SharedMasks::of(Vocabulary::new(tokens, vec![], vec![], size).unwrap());
        let mut arena = Arena::new();
        let ascii = arena.class(ByteSet::range(b' ', b'~')).unwrap();
        let bytes = [(0xc3, 0xc3), (0x80, 0xbf)].map(|(low, high)| arena.class(ByteSet::range(low, high)).unwrap());
        let beyond = arena.cat(bytes[0], bytes[1]).unwrap();
        let any = arena.alt(vec![ascii, beyond]).unwrap();
        for end in ["b", "bc", "1", "\n", "\""] {
            let end = arena.literal(end.as_bytes()).unwrap();
            let text = arena.cat(any, end).unwrap();
            let head = arena.quoted_state(text, Spelling::Body, false).unwrap();
            let counter_loop = CounterLoop::find(&mut arena, head, shared.vocabulary.longest).unwrap().unwrap();
            assert_eq!(counter_loop.states.len(), 2);
            assert_walked(&counter_loop, &mut arena, &shared, head);
        }
    }
}
