//! Position → a text that ends it, and the fewest tokens that spell this text.
//!
//! Each position has one step towards the end: the byte after which the end is nearest, a special token, or, where a
//! string must still grow and any character will do, a token of many characters. These steps, one after the other, are
//! the *closing text* of the position. From every position on its way, the rest is the closing text of that position,
//! so each token along it lowers the count by one: a caller with that many tokens left can always finish the text.

use crate::automaton::completion::rank;
use crate::automaton::distance::{Distances, NEVER};
use crate::automaton::machine::Machine;
use crate::automaton::position::{PositionId, DEAD};
use crate::error::Result;
use crate::regular::id::SpecialId;
use crate::room::open_key::Twin;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::vocabulary::Vocabulary;
use rustc_hash::FxHashMap;

/// More tokens than any text has: no tokens spell the closing text.
pub(crate) const UNSPELLABLE: u32 = u32::MAX;

/// Budget steps per position of a closing text that is not known yet: about 4 µs.
const STEPS_PER_POSITION: u64 = 144;

/// Steps of the budget per byte of a token that may begin a closing text: one lookup in the trie, one in the table.
const STEPS_PER_NODE: u64 = 4;

/// Bytes of one position's entry in the index.
const PER_CLOSING: usize = 32;

/// One step towards the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// The text may end here.
    End,
    Byte(u8),
    Special(SpecialId),
    /// A token of unescaped characters, whichever they are.
    Characters,
}

/// The step of a position, the position after it, and the fewest tokens of the whole closing text.
#[derive(Clone, Copy)]
struct Closing {
    step: Step,
    next: PositionId,
    tokens: u32,
}

/// The way from a position towards the end.
enum Way {
    Step(Step, PositionId),
    /// The bytes to the end that a search found, because the bounds do not tell a single step.
    Text(Vec<u8>),
    /// The search found no bytes that end the text.
    Nowhere,
}

/// The closing texts of one machine's positions.
pub(crate) struct Closings {
    distances: Distances,
    closings: FxHashMap<PositionId, Closing>,
    /// The token ids of the grammar's special tokens.
    special_ids: Vec<u32>,
}

impl Closings {
    /// No closing text is known yet; `special_ids` are the token ids of the grammar's special tokens.
    pub(crate) fn new(special_ids: Vec<u32>) -> Self {
        Closings { distances: Distances::with_specials(), closings: FxHashMap::default(), special_ids }
    }

    /// The token ids of the grammar's special tokens.
    pub(crate) fn special_ids(&self) -> &[u32] {
        &self.special_ids
    }

    /// The fewest tokens that spell the closing text of a position; `UNSPELLABLE` if no tokens do.
    ///
    /// Another text of more bytes may take fewer tokens. Errors: limits of the call.
    pub(crate) fn tokens(
        &mut self,
        machine: &mut Machine,
        vocabulary: &Vocabulary,
        position: PositionId,
    ) -> Result<u32> {
        if let Some(closing) = self.closings.get(&position) {
            return Ok(closing.tokens);
        }
        if let Some(twin) = Twin::of(machine, position)?.filter(|twin| !twin.is_near_earlier_key(machine)) {
            let tokens = self.tokens(machine, vocabulary, twin.position)?;
            machine.arena.budget.grow(PER_CLOSING);
            self.closings.insert(position, self.closings[&twin.position]);
            return Ok(tokens);
        }
        let (path, end) = self.path(machine, vocabulary, position)?;
        let mut next = end;
        for (position, step) in path.into_iter().rev() {
            machine.arena.spend(1)?;
            machine.arena.budget.grow(PER_CLOSING);
            self.closings.insert(position, Closing { step, next, tokens: UNSPELLABLE });
            let tokens = match step {
                Step::Special(_) | Step::Characters => self.closings[&next].tokens.saturating_add(1),
                _ => self.spell(machine, vocabulary, position)?,
            };
            self.closings.insert(position, Closing { step, next, tokens });
            next = position;
        }
        Ok(self.closings[&position].tokens)
    }

    /// The bytes of the closing text of a position, whose tokens must have been counted; without special tokens and
    /// without the tokens of arbitrary characters.
    pub(crate) fn bytes(&self, mut position: PositionId) -> Vec<u8> {
        let mut found = Vec::new();
        while let Some(&Closing { step, next, .. }) = self.closings.get(&position) {
            match step {
                Step::End => break,
                Step::Byte(byte) => found.push(byte),
                Step::Special(_) | Step::Characters => {}
            }
            position = next;
        }
        found
    }

    /// The steps from a position to one whose closing text is known, each with its position, and that known position.
    fn path(
        &mut self,
        machine: &mut Machine,
        vocabulary: &Vocabulary,
        start: PositionId,
    ) -> Result<(Vec<(PositionId, Step)>, PositionId)> {
        let mut path: Vec<(PositionId, Step)> = Vec::new();
        let mut at = start;
        while !self.closings.contains_key(&at) {
            machine.arena.spend(STEPS_PER_POSITION)?;
            match self.way(machine, vocabulary, at)? {
                None => {
                    machine.arena.budget.grow(PER_CLOSING);
                    self.closings.insert(at, Closing { step: Step::End, next: at, tokens: 0 });
                }
                Some(Way::Nowhere) => {
                    machine.arena.budget.grow(PER_CLOSING);
                    self.closings.insert(at, Closing { step: Step::End, next: at, tokens: UNSPELLABLE });
                }
                Some(Way::Step(step, next)) => {
                    path.push((at, step));
                    at = next;
                }
                Some(Way::Text(text)) => {
                    // The text that the search found may cross the path so far: the loop in between is cut out.
                    let mut places: FxHashMap<PositionId, usize> =
                        path.iter().enumerate().map(|(place, &(position, _))| (position, place)).collect();
                    for byte in text {
                        if let Some(&place) = places.get(&at) {
                            path.drain(place..).for_each(|(position, _)| {
                                places.remove(&position);
                            });
                        }
                        places.insert(at, path.len());
                        path.push((at, Step::Byte(byte)));
                        at = machine.step(at, byte)?;
                        if self.closings.contains_key(&at) {
                            break;
                        }
                    }
                }
            }
        }
        Ok((path, at))
    }

    /// The way from a position towards the end; None if the text may end there.
    fn way(&mut self, machine: &mut Machine, vocabulary: &Vocabulary, id: PositionId) -> Result<Option<Way>> {
        let position = machine.position(id).clone();
        if position.accepting {
            return Ok(None);
        }
        if let Some(next) = self.characters(machine, vocabulary, id)? {
            return Ok(Some(Way::Step(Step::Characters, next)));
        }
        let left = self.distances.of_position(machine, &position)?;
        let mut best = (left, None);
        for &(special, frame) in &position.specials {
            let after = self.distances.after_special(machine, frame)?;
            if after <= best.0 && after < NEVER && best.1.is_none() {
                best = (after, Some(Step::Special(special)));
            }
        }
        let only = position.only_head().and_then(|head| machine.arena.first_bytes(head).single());
        if let Some(byte) = only {
            best.1 = Some(Step::Byte(byte));
        } else {
            // Among bytes that are equally near, a byte that is a token by itself is preferred.
            let rank = |byte| rank(byte) + 8 * u8::from(!vocabulary.byte_tokens.contains(byte));
            if let Some((after, byte)) = machine.nearest_byte(&mut self.distances, &position, rank)? {
                if after < best.0 {
                    best = (after, Some(Step::Byte(byte)));
                }
            }
        }
        let next = match best.1 {
            None => DEAD,
            Some(Step::Special(special)) => machine.step_special(id, special)?,
            Some(Step::Byte(byte)) => machine.step(id, byte)?,
            Some(Step::End | Step::Characters) => id,
        };
        // If the bound was too low for this position, because keys may not repeat for example, the step may be wrong.
        if let Some(step) = best.1.filter(|_| next != DEAD) {
            let position = machine.position(next).clone();
            if position.accepting || self.distances.of_position(machine, &position)? < left {
                return Ok(Some(Way::Step(step, next)));
            }
        }
        Ok(Some(machine.shortest_text(&mut self.distances, id)?.map_or(Way::Nowhere, Way::Text)))
    }

    /// The position after the longest token of unescaped characters that fits into the characters that a string still
    /// needs; None if it needs fewer than two, or if different characters lead to different positions.
    fn characters(
        &mut self,
        machine: &mut Machine,
        vocabulary: &Vocabulary,
        id: PositionId,
    ) -> Result<Option<PositionId>> {
        let Some(length) = needed_length(machine, vocabulary, id) else { return Ok(None) };
        let mut next = id;
        for _ in 0..length {
            next = machine.step(next, b' ')?;
        }
        Ok(Some(next))
    }

    /// The fewest tokens of a closing text that begins with a byte: one more than after its best first token.
    fn spell(&self, machine: &mut Machine, vocabulary: &Vocabulary, position: PositionId) -> Result<u32> {
        let mut least = UNSPELLABLE;
        self.visit_tokens(machine, vocabulary, position, |_, after| least = least.min(after.saturating_add(1)))?;
        Ok(least)
    }

    /// The tokens that begin the closing text of a position and lower its count; the tokens must have been counted.
    pub(crate) fn first_tokens(
        &self,
        machine: &mut Machine,
        vocabulary: &Vocabulary,
        position: PositionId,
    ) -> Result<Vec<u32>> {
        let Closing { step, tokens, .. } = self.closings[&position];
        let mut found = Vec::new();
        match step {
            Step::End => {}
            Step::Special(special) => found.push(self.special_ids[special.index()]),
            Step::Characters => {
                let length = needed_length(machine, vocabulary, position);
                let words = length.and_then(|length| vocabulary.text_lengths().lists().nth(length));
                for &(word, bits) in words.iter().flat_map(|(_, words)| words.iter()) {
                    found.extend((0..32).filter(|bit| bits >> bit & 1 == 1).map(|bit| word * 32 + bit));
                }
            }
            Step::Byte(_) => self.visit_tokens(machine, vocabulary, position, |token, after| {
                if after < tokens {
                    found.push(token);
                }
            })?,
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Calls `visit` with each token that begins the bytes of a closing text, and with the count of tokens after it.
    fn visit_tokens(
        &self,
        machine: &mut Machine,
        vocabulary: &Vocabulary,
        mut position: PositionId,
        mut visit: impl FnMut(u32, u32),
    ) -> Result<()> {
        let mut node = NodeId::ROOT;
        while let Closing { step: Step::Byte(byte), next, .. } = self.closings[&position] {
            machine.arena.spend(STEPS_PER_NODE)?;
            let Some(child) = vocabulary.trie.child(node, byte) else { break };
            (node, position) = (child, next);
            for &token in vocabulary.trie.tokens_at(node) {
                if !self.special_ids.contains(&token) {
                    visit(token, self.closings[&position].tokens);
                }
            }
        }
        Ok(())
    }
}

/// The length of the longest token of unescaped characters that fits into the characters that a string still needs.
///
/// None if the string needs fewer than two, or if different characters lead to different positions.
fn needed_length(machine: &Machine, vocabulary: &Vocabulary, id: PositionId) -> Option<usize> {
    let needed = machine.arena.needed_characters(machine.position(id).only_head()?)? as usize;
    let lengths = vocabulary.text_lengths();
    (2..=needed.min(lengths.longest())).rev().find(|&length| lengths.has(length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{after, bytes, machine, object, seq, string, unique};
    use crate::builder::{Builder, ObjectRules};
    use crate::regular::term::TermId;

    fn vocabulary(texts: &[&str]) -> Vocabulary {
        let tokens = texts.iter().map(|text| Some(text.as_bytes().into())).chain([None]).collect();
        let special = vec![("<s>".into(), texts.len() as u32)];
        Vocabulary::new(tokens, special, Vec::new(), texts.len() + 1).unwrap()
    }

    /// The fewest tokens of the closing text after each beginning.
    fn check(make: impl FnOnce(&mut Builder) -> TermId, texts: &[&str], cases: &[(&str, u32)]) {
        let (mut machine, vocabulary) = (machine(make), vocabulary(texts));
        let mut closings = Closings::new(vec![texts.len() as u32]);
        for &(text, expected) in cases {
            let at = after(&mut machine, text.as_bytes());
            assert_eq!(closings.tokens(&mut machine, &vocabulary, at).unwrap(), expected, "after {text:?}");
        }
    }

    #[test]
    fn a_text_takes_the_fewest_tokens_that_spell_it() {
        let make = |builder: &mut Builder| builder.literal(b"abcd").unwrap();
        // The longest match takes three tokens, "ab", "c", "d"; the best split takes two, "a", "bcd".
        check(make, &["a", "ab", "bcd", "c", "d"], &[("", 2), ("a", 1), ("ab", 2), ("abc", 1), ("abcd", 0)]);
        check(make, &["a", "b", "c"], &[("", UNSPELLABLE), ("abcd", 0)]);
    }

    #[test]
    fn a_step_along_the_closing_text_takes_one_token_off() {
        let make = |builder: &mut Builder| {
            let number = bytes(builder, b'0', b'9', 1, Some(3));
            object(builder, &[("a", true, number), ("b", true, number)], &[], ObjectRules::default())
        };
        let texts = ["{", "\"", "a", "b", ":", ",", "}", "0", "{\"", "\":", ",\"", "0}"];
        check(
            make,
            &texts,
            &[
                ("", 8),
                ("{\"", 7),
                ("{\"a", 6),
                ("{\"a\":", 5),
                ("{\"a\":0", 4),
                ("{\"a\":77", 4),
                ("{\"a\":0,\"b\":", 1),
            ],
        );
    }

    #[test]
    fn the_first_tokens_lead_along_the_closing_text() {
        let make = |builder: &mut Builder| {
            let (special, text) = (builder.special("<s>").unwrap(), builder.literal(b"abcd").unwrap());
            let string = string(builder, 5, None);
            seq(builder, &[text, special, string])
        };
        let (mut machine, vocabulary) = (machine(make), vocabulary(&["a", "ab", "bcd", "c", "d", "\"", "xyz", "uvw"]));
        let mut closings = Closings::new(vec![8]);
        for (text, expected) in [("", &[0][..]), ("a", &[2]), ("ab", &[3]), ("abcd", &[8])] {
            let at = after(&mut machine, text.as_bytes());
            closings.tokens(&mut machine, &vocabulary, at).unwrap();
            assert_eq!(closings.first_tokens(&mut machine, &vocabulary, at).unwrap(), expected, "after {text:?}");
        }
        let at = after(&mut machine, b"abcd");
        let at = machine.step_special(at, SpecialId::new(0)).unwrap();
        let at = machine.step(at, b'"').unwrap();
        closings.tokens(&mut machine, &vocabulary, at).unwrap();
        let texts = closings.first_tokens(&mut machine, &vocabulary, at).unwrap();
        assert_eq!(texts, [2, 6, 7], "any three characters");
    }

    #[test]
    fn texts_of_an_open_key_share_a_closing_text_unless_an_earlier_key_is_near() {
        let (mut machine, vocabulary) = (
            machine(|builder| {
                let (keys, one) = (builder.any_text().unwrap(), builder.literal(b"1").unwrap());
                object(builder, &[], &[(keys, one)], ObjectRules::default())
            }),
            vocabulary(&["\"", ":1", "}", "\":1}", "a"]),
        );
        let mut closings = Closings::new(vec![5]);
        let mut grown = |text: &str, expected: u32| {
            let (before, at) = (closings.closings.len(), after(&mut machine, text.as_bytes()));
            assert_eq!(closings.tokens(&mut machine, &vocabulary, at).unwrap(), expected, "after {text:?}");
            closings.closings.len() - before
        };
        assert!(grown("{\"x", 1) > 1);
        assert_eq!((grown("{\"xy", 1), grown("{\"aaaa", 1)), (1, 1));
        assert!(grown("{\"ab\":1,\"x", 1) > 1, "after another key");
        assert_eq!(grown("{\"ab\":1,\"y", 1), 1);
        assert!(grown("{\"ab\":1,\"a", 1) > 1 && grown("{\"ab\":1,\"ab", 2) > 1, "the key came");
    }

    #[test]
    fn items_that_must_differ_are_searched_for() {
        let make = |builder: &mut Builder| {
            let item = bytes(builder, b'0', b'9', 1, Some(1));
            unique(builder, item, 3, None)
        };
        check(make, &["[", "]", ",", "0", "1", "2", "3"], &[("", 7), ("[1", 5), ("[1,0", 3), ("[1,0,2", 1)]);
    }
}
