//! States of a search → which of them need not be looked into: one whose texts are all texts of another (antichains: De
//! Wulf, Doyen, Henzinger, Raskin, *Antichains: a new algorithm for checking universality of finite automata*, 2006).
//!
//! An intersection is within another if each operand of the other holds all texts of one of its own. So that is seen by
//! bits, an operand is held to be within another only if it is the same, or a part of it: what has read on towards
//! something that it looks for is an alternative more than what has not.

use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::term::{Term, TermId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// So many different operands are told apart; where there are more, no state is left out.
const OPERANDS: usize = 128;

type TokenSet = u128;

/// Comparisons that take as long as an elementary step.
const COMPARED: usize = 16;

/// Of so many states one in eight is left out, or none is compared any more.
const TRIED: usize = 1024;

/// A state as its operands, and all operands known then that hold one of these.
#[derive(Clone, Copy)]
struct Place {
    own: TokenSet,
    holding: TokenSet,
}

#[derive(Default)]
pub(crate) struct Antichain {
    operands: Vec<TermId>,
    places: FxHashMap<TermId, usize>,
    /// Operand → those that hold all its texts.
    holding: Vec<TokenSet>,
    /// The states that no other one holds, by the operand that asks for the longest text: no other tells them apart better.
    states: FxHashMap<usize, Vec<Place>>,
    told: usize,
    left_out: usize,
}

/// What is said of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    /// No state that was told before holds it.
    New,
    Held,
    /// Nothing can be said, of this one or any other: there are too many operands, or comparing them does not pay.
    Unknown,
}

impl Antichain {
    pub fn tell(&mut self, arena: &mut Arena, state: TermId) -> Result<Seen> {
        let Some((key, place)) = self.place(arena, state) else { return Ok(Seen::Unknown) };
        self.told += 1;
        if self.told >= TRIED && self.left_out < self.told / 8 {
            return Ok(Seen::Unknown);
        }
        if self.holds(arena, &place)? {
            self.left_out += 1;
            return Ok(Seen::Held);
        }
        let states = self.states.entry(key).or_default();
        arena.spend((states.len() / COMPARED) as u64)?;
        states.retain(|other| place.own & !other.holding != 0);
        states.push(place);
        Ok(Seen::New)
    }

    /// Whether a state that was to be looked into still is: none that was told since holds it.
    pub fn keeps(&mut self, arena: &mut Arena, state: TermId) -> Result<bool> {
        Ok(match self.place(arena, state) {
            Some((_, place)) => !self.holds(arena, &place)?,
            None => true,
        })
    }

    /// Whether another state does.
    fn holds(&self, arena: &mut Arena, place: &Place) -> Result<bool> {
        let mut rest = place.holding;
        while rest != 0 {
            let operand = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let Some(states) = self.states.get(&operand) else { continue };
            arena.spend((states.len() / COMPARED) as u64)?;
            if states.iter().any(|other| other.own & !place.holding == 0 && other.own != place.own) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn place(&mut self, arena: &Arena, state: TermId) -> Option<(usize, Place)> {
        let parts: SmallVec<[TermId; 24]> = match *arena.term(state) {
            Term::And(ref parts) => SmallVec::from_slice(parts),
            _ => SmallVec::from_slice(&[state]),
        };
        let (mut own, mut longest): (TokenSet, _) = (0, None);
        for part in parts {
            let operand = self.operand(arena, part)?;
            own |= 1 << operand;
            longest = longest.max(Some(({ arena.info(part).min_chars }, operand)));
        }
        let (_, key) = longest?;
        let (mut holding, mut rest): (TokenSet, TokenSet) = (0, own);
        while rest != 0 {
            holding |= self.holding[rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        Some((key, Place { own, holding }))
    }

    fn operand(&mut self, arena: &Arena, id: TermId) -> Option<usize> {
        if let Some(&place) = self.places.get(&id) {
            return Some(place);
        }
        let place = self.operands.len();
        if place == OPERANDS {
            return None;
        }
        self.operands.push(id);
        self.places.insert(id, place);
        self.holding.push(1 << place);
        for other in 0..place {
            if arena.is_part(id, self.operands[other]) {
                self.holding[place] |= 1 << other;
            } else if arena.is_part(self.operands[other], id) {
                self.holding[other] |= 1 << place;
            }
        }
        Some(place)
    }
}

impl Arena {
    /// Whether one operand is plainly within another: it is one of its alternatives, or all its own are.
    fn is_part(&self, one: TermId, whole: TermId) -> bool {
        let Term::Alt(ref whole) = *self.term(whole) else { return false };
        match *self.term(one) {
            Term::Alt(ref parts) => parts.iter().all(|part| whole.binary_search(part).is_ok()),
            _ => whole.binary_search(&one).is_ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::byteset::ByteSet;
    use crate::regular::term::MANY;

    fn required_bytes(arena: &mut Arena) -> TermId {
        arena.class(ByteSet::of(b"abc".iter().copied())).unwrap()
    }

    /// Texts of so many letters that hold all of these.
    fn holding(arena: &mut Arena, words: &[&str], length: u32) -> TermId {
        let one = required_bytes(arena);
        let any = arena.repeat(one, 0, MANY).unwrap();
        let mut parts = vec![arena.repeat(one, length, length).unwrap()];
        for word in words {
            let word = arena.literal(word.as_bytes()).unwrap();
            let ended = arena.cat(word, any).unwrap();
            parts.push(arena.cat(any, ended).unwrap());
        }
        arena.and_unchecked(parts).unwrap()
    }

    fn after(arena: &mut Arena, state: TermId, text: &str) -> TermId {
        text.bytes().fold(state, |state, byte| arena.derive_now(state, byte, false).unwrap())
    }

    #[test]
    fn a_state_is_held_by_one_that_has_come_as_far_in_everything() {
        let mut arena = Arena::new();
        let arena = &mut arena;
        let start = holding(arena, &["abc", "ba", "cc"], 20);
        for (first, second, seen) in [
            ("ab", "bb", Seen::Held),
            ("bb", "ab", Seen::New),
            ("abc", "cba", Seen::New),
            ("ccb", "bbb", Seen::Held),
            ("ccb", "bab", Seen::New),
            ("cc", "aaa", Seen::New),
        ] {
            let mut front = Antichain::default();
            let [first_state, second_state] = [first, second].map(|text| after(arena, start, text));
            assert_eq!(front.tell(arena, first_state).unwrap(), Seen::New);
            assert!(front.keeps(arena, first_state).unwrap());
            assert_eq!(front.tell(arena, second_state).unwrap(), seen, "{first} {second}");
            let replaced = (first, second) == ("bb", "ab");
            assert_eq!(front.keeps(arena, first_state).unwrap(), !replaced, "{first} {second}");
        }
    }

    /// How long the shortest text is that holds all: where they overlap in some order.
    fn shortest(text: &str, words: &[&str]) -> usize {
        let longer = words.iter().map(|&word| {
            let common = (0..=word.len()).rev().find(|&common| text.ends_with(&word[..common])).unwrap();
            let rest: Vec<&str> = words.iter().copied().filter(|&other| other != word).collect();
            shortest(&format!("{text}{}", &word[common..]), &rest)
        });
        longer.min().unwrap_or(text.len())
    }

    #[test]
    fn a_search_that_leaves_states_out_finds_what_there_is() {
        for words in [["abca", "bcab", "ccba", "aabb", "cacc", "bbb"], ["abab", "babc", "cbcb", "bbac", "aca", "ccc"]] {
            let shortest = shortest("", &words);
            for length in shortest - 1..shortest + 3 {
                let mut arena = Arena::new();
                // Where every state is looked into, some of these take up to 106,000.
                arena.begin(&crate::limits::Limits { steps: 75_000, ..Default::default() });
                let start = holding(&mut arena, &words, length as u32);
                assert_eq!(arena.is_nonempty(start), Ok(length >= shortest), "{words:?} {length}");
            }
        }
    }
}
