//! Heads that keep reading → their tokens, from an index of the vocabulary instead of a walk.

use crate::bytes::byteset::ByteSet;
use crate::bytes::char_class::CharClass;
use crate::error::Result;
use crate::mask::shared::SharedMasks;
use crate::mask::walk::WalkResult;
use crate::regular::arena::Arena;
use crate::regular::term::{Spelling, Term, TermId, EMPTY, MANY};
use crate::regular::transitions::{majority_target, MIN_CLASS};
use crate::vocabulary::byte_index::Occurrence;
use crate::vocabulary::long_tokens::SHORT_TOKEN_CHARS;
use crate::vocabulary::token_set::{Part, TokenSet};

/// The nodes of the trie that so many states may reach take less than a look at as many places.
const SOON: usize = 3;
const PLACES: usize = 20_000;

/// States that differ in a count only: one class of characters leads from each to the next, at last perhaps to itself.
pub(crate) struct CounterLoop {
    states: Vec<TermId>,
    pub(crate) class: CharClass,
    loops: bool,
}

impl CounterLoop {
    pub(crate) fn of(arena: &mut Arena, head: TermId, longest: u32) -> Result<Option<CounterLoop>> {
        let Some((mut next, class)) = majority_target(arena, head)? else { return Ok(None) };
        let Some(sample) = class.iter().next() else { return Ok(None) };
        if !arena.has_no_transition(head, 0x80, 0xbf)? {
            return Ok(None);
        }
        let class = CharClass::new(class.ascii(), arena.lead_bytes_to(head, next)?);
        let mut chain = CounterLoop { states: vec![head], class, loops: false };
        while chain.states.len() <= longest as usize + 1 {
            let state = chain.states[chain.states.len() - 1];
            if next == state {
                chain.loops = true;
                return Ok(Some(chain));
            }
            chain.states.push(next);
            let after = arena.derive(next, sample)?;
            if after == EMPTY {
                // The count is used up. What else the last state allows is walked place by place: it must be little.
                let live = arena.next_bytes(next)?;
                let ascii = live.intersection(&ByteSet::range(0, 0x7f)).len();
                return Ok((ascii < MIN_CLASS && ascii == live.len()).then_some(chain));
            }
            if arena.ascii_bytes_to(next, after)?.ascii() != chain.class.ascii()
                || arena.lead_bytes_to(next, after)? != chain.class.leads()
                || !arena.has_no_transition(next, 0x80, 0xbf)?
            {
                return Ok(None);
            }
            next = after;
        }
        chain.loops = true;
        Ok(Some(chain))
    }

    fn after(&self, chars: u32) -> Option<TermId> {
        let last = self.states.len() - 1;
        if chars as usize <= last {
            Some(self.states[chars as usize])
        } else {
            self.loops.then(|| self.states[last])
        }
    }

    /// Whether it is one state that keeps reading.
    pub(crate) fn is_loop(&self) -> bool {
        self.loops && self.states.len() == 1
    }

    /// Whether it keeps reading in the end.
    pub(crate) fn is_endless(&self) -> bool {
        self.loops
    }

    /// Whether a character of no use to it leads to another state that reads much.
    pub(crate) fn opens(&self, arena: &mut Arena) -> Result<bool> {
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

    pub(crate) fn reach(&self, arena: &mut Arena, shared: &SharedMasks) -> Result<WalkResult> {
        let mut reach = WalkResult::of(shared);
        if self.states.iter().any(|&state| arena.info(state).nullable) {
            // It ends between any two characters: every inner node is an exit, and a walk is no dearer.
            reach.walk(arena, &shared.vocabulary.trie, 0, self.states[0])?;
            return Ok(reach);
        }
        let own = Part { bits: shared.vocabulary.class(self.class), within: self.within(shared, 0) };
        if let (&[first, last], false) = (&self.states[..], self.loops) {
            reach.dense = Some(own);
            self.single(arena, shared, [first, last], &mut reach)?;
            return Ok(reach);
        }
        if !self.loops && self.states.len() <= SOON && self.is_dear(arena, shared)? {
            // Few nodes are reached before the count is used up.
            reach.walk(arena, &shared.vocabulary.trie, 0, self.states[0])?;
            return Ok(reach);
        }
        let spaced = self.spaced(arena, shared)?;
        let Some(chain) = spaced else {
            reach.dense = Some(own);
            self.leave(arena, shared, 0, |place| place.before.is_within(self.class), &mut reach)?;
            return Ok(reach);
        };
        let within = chain.within(shared, 1);
        let space_prefixed = shared.vocabulary.space_prefixed(chain.class).enumerate();
        let space_prefixed = space_prefixed
            .map(|(place, space_prefixed)| space_prefixed & within.as_ref().map_or(u32::MAX, |within| within[place]));
        reach.dense = Some(Part {
            bits: own.words().zip(space_prefixed).map(|(own, space_prefixed)| own | space_prefixed).collect(),
            within: None,
        });
        let inner = |place: &Occurrence| {
            let space = place.depth == 0 && shared.vocabulary.trie.byte(place.node) == b' ';
            place.before.is_within(self.class) && !space
        };
        self.leave(arena, shared, 0, inner, &mut reach)?;
        let class = chain.class.with(b' ');
        let space_prefixed = |place: &Occurrence| place.space_prefixed && place.before.is_within(class);
        chain.leave(arena, shared, 1, space_prefixed, &mut reach)?;
        Ok(reach)
    }

    /// One character: what goes on behind it does so from few nodes.
    fn single(
        &self,
        arena: &mut Arena,
        shared: &SharedMasks,
        [first, last]: [TermId; 2],
        reach: &mut WalkResult,
    ) -> Result<()> {
        let trie = &shared.vocabulary.trie;
        let may = arena.first_bytes(last);
        for single in shared.vocabulary.singles().iter().filter(|single| self.class.contains(single.lead)) {
            if trie.has_child_in(single.node, &may) {
                arena.spend(1)?;
                reach.walk(arena, trie, single.node, last)?;
            }
        }
        let others = arena.first_bytes(first);
        for (byte, child) in trie.children_in(0, &others).filter(|&(byte, _)| !self.class.contains(byte)) {
            let next = arena.derive(first, byte)?;
            if next != EMPTY {
                arena.spend(1)?;
                reach.enter(arena, trie, child, next)?;
            }
        }
        Ok(())
    }

    /// Whether the places where it is left are not known yet, or take longer to look at than a walk.
    fn is_dear(&self, arena: &mut Arena, shared: &SharedMasks) -> Result<bool> {
        let mut places = 0;
        for byte in self.leaving(arena)?.iter() {
            match shared.vocabulary.known_occurrences(byte) {
                Some(known) => places += known,
                None => return Ok(true),
            }
        }
        Ok(places > PLACES)
    }

    /// Where a space leads, if that is another chain: every other token begins with one.
    fn spaced(&self, arena: &mut Arena, shared: &SharedMasks) -> Result<Option<CounterLoop>> {
        if self.is_loop() || self.class.contains(b' ') {
            return Ok(None);
        }
        match arena.derive(self.states[0], b' ')? {
            EMPTY => Ok(None),
            next if arena.first_bytes(next).len() < MIN_CLASS => Ok(None),
            next => Ok(CounterLoop::of(arena, next, shared.vocabulary.longest)?.filter(|chain| {
                !chain.class.contains(b' ') && chain.states.iter().all(|&state| !arena.info(state).nullable)
            })),
        }
    }

    /// What tokens of the class are cut down to, so many characters before them counted in.
    fn within(&self, shared: &SharedMasks, before: u32) -> Option<TokenSet> {
        let most = self.states.len() as u32 - 1 + before;
        (!self.loops && most < shared.vocabulary.longest).then(|| shared.vocabulary.tokens_up_to(most))
    }

    /// The bytes with which it is left.
    fn leaving(&self, arena: &mut Arena) -> Result<ByteSet> {
        let mut live = ByteSet::EMPTY;
        for &state in &self.states {
            live = live.union(&arena.next_bytes(state)?);
        }
        let mut live = ByteSet::from_bytes(live.iter().filter(|&byte| !self.class.contains(byte)));
        if !self.loops {
            // Beyond the last count even the class's own bytes may mean something else.
            let end = self.states[self.states.len() - 1];
            for byte in 0..0x80u8 {
                if self.class.contains(byte) && arena.derive(end, byte)? != EMPTY {
                    live.insert(byte);
                }
            }
        }
        Ok(live)
    }

    /// Goes on at those places where a token holds something else for the first time, so many characters before the chain
    /// left out.
    fn leave(
        &self,
        arena: &mut Arena,
        shared: &SharedMasks,
        before: u32,
        inner: impl Fn(&Occurrence) -> bool,
        reach: &mut WalkResult,
    ) -> Result<()> {
        let last = self.states.len() as u32 - 1;
        for byte in self.leaving(arena)?.iter() {
            let own = self.class.contains(byte);
            for place in shared.vocabulary.occurrences(byte).iter().filter(|place| inner(place)) {
                let chars = u32::from(place.chars) - before;
                if own && chars != last {
                    continue;
                }
                let Some(state) = self.after(chars) else { continue };
                let next = arena.derive(state, byte)?;
                if next == EMPTY {
                    continue;
                }
                arena.spend(1)?;
                reach.enter(arena, &shared.vocabulary.trie, place.node, next)?;
            }
        }
        Ok(())
    }
}

impl Arena {
    /// A JSON string of at most so many characters of one kind, any characters say, and perhaps not of few: the same
    /// without end, and how many.
    pub(crate) fn counted(&mut self, head: TermId) -> Result<Option<(TermId, u32)>> {
        let Term::Quoted { text, state: state @ Spelling::Body, free } = *self.term(head) else { return Ok(None) };
        let (all, min, most) = match *self.term(text) {
            // Without end, too, it is another one with every character that must still come: that is less than to read the
            // long tokens band by band, which goes on only as long as those end before the count does.
            Term::Bounded { body, min, max } if max != MANY && (min <= 1 || max > SHORT_TOKEN_CHARS) => {
                (body, min, max)
            }
            Term::Repeat { body, min: min @ 0..=1, max } if max != MANY => (self.repeat(body, 0, MANY)?, min, max),
            _ => return Ok(None),
        };
        let Term::Repeat { body: one, min: 0, max: MANY } = *self.term(all) else { return Ok(None) };
        if (self.info(one).min_chars, self.info(one).max_chars) != (1, 1) {
            return Ok(None);
        }
        let endless = if min == 0 { all } else { self.bounded(all, min, MANY)? };
        Ok(Some((self.quoted_state(endless, state, free)?, most)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::walk::tests::everything;
    use crate::vocabulary::vocabulary::Vocabulary;

    #[test]
    fn words_up_to_a_length_are_what_a_walk_finds() {
        let texts = "a b ab z xyz abcd abcdefgh _ab \" \"] a\" ab\", _\" _ __ _a_b _a_ a_b _ab_cd\" _a\" _abcdef _abcdefg b_ ab_\" é aé _é A";
        let tokens = texts.split(' ').map(|text| Some(text.replace('_', " ").into_bytes().into()));
        let tokens: Vec<Option<Box<[u8]>>> = tokens.collect();
        let size = tokens.len();
        let shared = SharedMasks::of(Vocabulary::new(tokens, vec![], vec![], size).unwrap());
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
                let Some(chain) = CounterLoop::of(&mut arena, head, shared.vocabulary.longest).unwrap() else {
                    continue;
                };
                spaced += usize::from(chain.spaced(&mut arena, &shared).unwrap().is_some());
                let reach = chain.reach(&mut arena, &shared).unwrap();
                let mut walked = WalkResult::of(&shared);
                walked.walk(&mut arena, &shared.vocabulary.trie, 0, head).unwrap();
                assert_eq!(everything(reach), everything(walked), "{most} {text:?}");
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
            let chain = CounterLoop::of(&mut arena, head, shared.vocabulary.longest).unwrap().unwrap();
            assert_eq!(chain.states.len(), 2);
            let reach = chain.reach(&mut arena, &shared).unwrap();
            let mut walked = WalkResult::of(&shared);
            walked.walk(&mut arena, &shared.vocabulary.trie, 0, head).unwrap();
            assert_eq!(everything(reach), everything(walked));
        }
    }
}
