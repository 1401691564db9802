//! States of an emptiness search → the antichain of states that no other state subsumes (De Wulf, Doyen, Henzinger,
//! Raskin: *Antichains: a new algorithm for checking universality of finite automata*, 2006).
//!
//! Intersections multiply states; most of these are subsumed by others, and a search may skip them.
//!
//! An intersection is a subset of another if each operand of the other contains an operand of the first. Containment of
//! operands is approximated by syntax: equal terms, or a union that has the other term as an alternative.

use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::term::{Term, TermId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Operands per search, one bit each. With more, the search compares no states.
const MAX_OPERANDS: usize = 128;

type OperandSet = u128;

/// Comparisons of two states per elementary step of the budget.
const COMPARISONS_PER_STEP: usize = 16;

/// Steps of the budget per state that is added: its operands are looked up, and a list may grow.
const STEPS_PER_STATE: u64 = 8;

/// Stop comparing if fewer than 1 in 8 of this many states were subsumed. Chosen without measurement.
const TRIAL: usize = 1024;

/// A state as a set of operands, with the operands known so far that contain one of them.
#[derive(Clone, Copy)]
struct State {
    operands: OperandSet,
    supersets: OperandSet,
}

/// The maximal states that a search has met.
#[derive(Default)]
pub(crate) struct Antichain {
    operands: Vec<TermId>,
    places: FxHashMap<TermId, usize>,
    /// Operand → the operands that contain it, itself included.
    supersets: Vec<OperandSet>,
    /// The maximal states, by the operand with the longest shortest text: this key separates states best.
    states: FxHashMap<usize, Vec<State>>,
    inserted: usize,
    subsumed: usize,
}

/// The result of `Antichain::insert`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Insertion {
    /// No earlier state subsumes the state.
    New,
    /// An earlier state subsumes the state, so the search may skip it.
    Subsumed,
    /// No comparison from here on: there are too many operands, or too few states are subsumed.
    Unknown,
}

impl Antichain {
    /// Adds a state and drops the states that it subsumes. Errors if the budget ends.
    pub fn insert(&mut self, arena: &mut Arena, state: TermId) -> Result<Insertion> {
        let Some((key, place)) = self.state_of(arena, state) else { return Ok(Insertion::Unknown) };
        self.inserted += 1;
        if self.inserted >= TRIAL && self.subsumed < self.inserted / 8 {
            return Ok(Insertion::Unknown);
        }
        if self.is_subsumed(arena, &place)? {
            self.subsumed += 1;
            return Ok(Insertion::Subsumed);
        }
        let states = self.states.entry(key).or_default();
        arena.spend(STEPS_PER_STATE + (states.len() / COMPARISONS_PER_STEP) as u64)?;
        states.retain(|other| place.operands & !other.supersets != 0);
        states.push(place);
        Ok(Insertion::New)
    }

    /// Whether no state that was added since subsumes `state`.
    pub fn is_maximal(&mut self, arena: &mut Arena, state: TermId) -> Result<bool> {
        Ok(match self.state_of(arena, state) {
            Some((_, place)) => !self.is_subsumed(arena, &place)?,
            None => true,
        })
    }

    /// Whether a different state of the antichain contains this one.
    fn is_subsumed(&self, arena: &mut Arena, place: &State) -> Result<bool> {
        let mut rest = place.supersets;
        while rest != 0 {
            let operand = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let Some(states) = self.states.get(&operand) else { continue };
            arena.spend((states.len() / COMPARISONS_PER_STEP) as u64)?;
            if states.iter().any(|other| other.operands & !place.supersets == 0 && other.operands != place.operands) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn state_of(&mut self, arena: &Arena, state: TermId) -> Option<(usize, State)> {
        let parts: SmallVec<[TermId; 24]> = match *arena.term(state) {
            Term::And(ref parts) => SmallVec::from_slice(parts),
            _ => SmallVec::from_slice(&[state]),
        };
        let (mut operands, mut longest): (OperandSet, _) = (0, None);
        for part in parts {
            let operand = self.intern_operand(arena, part)?;
            operands |= 1 << operand;
            longest = longest.max(Some(({ arena.info(part).min_chars }, operand)));
        }
        let (_, key) = longest?;
        let (mut supersets, mut rest): (OperandSet, OperandSet) = (0, operands);
        while rest != 0 {
            supersets |= self.supersets[rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        Some((key, State { operands, supersets }))
    }

    fn intern_operand(&mut self, arena: &Arena, id: TermId) -> Option<usize> {
        if let Some(&place) = self.places.get(&id) {
            return Some(place);
        }
        let place = self.operands.len();
        if place == MAX_OPERANDS {
            return None;
        }
        self.operands.push(id);
        self.places.insert(id, place);
        self.supersets.push(1 << place);
        for other in 0..place {
            if arena.is_alternative_of(id, self.operands[other]) {
                self.supersets[place] |= 1 << other;
            } else if arena.is_alternative_of(self.operands[other], id) {
                self.supersets[other] |= 1 << place;
            }
        }
        Some(place)
    }
}

impl Arena {
    /// Whether every alternative of `one` is an alternative of the union `whole`.
    fn is_alternative_of(&self, one: TermId, whole: TermId) -> bool {
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

    fn abc_class(arena: &mut Arena) -> TermId {
        arena.class(ByteSet::from_bytes(b"abc".iter().copied())).unwrap()
    }

    /// The texts of `length` letters that contain all of the words.
    fn texts_containing(arena: &mut Arena, words: &[&str], length: u32) -> TermId {
        let one = abc_class(arena);
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
        text.bytes().fold(state, |state, byte| arena.derive_uncached(state, byte, false).unwrap())
    }

    #[test]
    fn a_state_that_has_read_as_far_in_every_operand_subsumes() {
        let mut arena = Arena::new();
        let arena = &mut arena;
        let start = texts_containing(arena, &["abc", "ba", "cc"], 20);
        for (first, second, insertion) in [
            ("ab", "bb", Insertion::Subsumed),
            ("bb", "ab", Insertion::New),
            ("abc", "cba", Insertion::New),
            ("ccb", "bbb", Insertion::Subsumed),
            ("ccb", "bab", Insertion::New),
            ("cc", "aaa", Insertion::New),
        ] {
            let mut antichain = Antichain::default();
            let [first_state, second_state] = [first, second].map(|text| after(arena, start, text));
            assert_eq!(antichain.insert(arena, first_state).unwrap(), Insertion::New);
            assert!(antichain.is_maximal(arena, first_state).unwrap());
            assert_eq!(antichain.insert(arena, second_state).unwrap(), insertion, "{first} {second}");
            let replaced = (first, second) == ("bb", "ab");
            assert_eq!(antichain.is_maximal(arena, first_state).unwrap(), !replaced, "{first} {second}");
        }
    }

    /// The length of the shortest text that starts with `text` and contains all words, by trying every order.
    fn shortest(text: &str, words: &[&str]) -> usize {
        let longer = words.iter().map(|&word| {
            let common = (0..=word.len()).rev().find(|&common| text.ends_with(&word[..common])).unwrap();
            let rest: Vec<&str> = words.iter().copied().filter(|&other| other != word).collect();
            shortest(&format!("{text}{}", &word[common..]), &rest)
        });
        longer.min().unwrap_or(text.len())
    }

    #[test]
    fn a_pruned_search_finds_the_shortest_text() {
        for words in [["abca", "bcab", "ccba", "aabb", "cacc", "bbb"], ["abab", "babc", "cbcb", "bbac", "aca", "ccc"]] {
            let shortest = shortest("", &words);
            for length in shortest - 1..shortest + 3 {
                let mut arena = Arena::new();
                // They take up to 260,000 steps, without pruning up to 360,000.
                arena.begin(&crate::limits::Limits { steps: 300_000, ..Default::default() });
                let start = texts_containing(&mut arena, &words, length as u32);
                assert_eq!(arena.is_nonempty(start), Ok(length >= shortest), "{words:?} {length}");
            }
        }
    }
}
