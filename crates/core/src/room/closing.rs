//! Position → a text that ends it, and the fewest tokens that spell this text.
//!
//! The *closing text* of a position is a shortest path to an end. Where a string must still grow and any character will
//! do, a step of the path is a token of many characters. From every position on the path, the rest is the closing text
//! of that position, so each token along it lowers the count by one: a caller with that many tokens left can always
//! finish the text.

use crate::automaton::distance::Distances;
use crate::automaton::machine::Machine;
use crate::automaton::position::PositionId;
use crate::automaton::shortest_path::{Guide, PathStep, Step};
use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::room::open_key::Twin;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::vocabulary::Vocabulary;
use rustc_hash::FxHashMap;

/// More tokens than any text has: no tokens spell the closing text.
pub(crate) const UNSPELLABLE: u32 = u32::MAX;

/// Steps of the budget per byte of a token that may begin a closing text: one lookup in the trie, one in the table.
const STEPS_PER_NODE: u64 = 4;

/// Bytes of one position's entry in the index.
const PER_CLOSING: usize = 40;

/// The step of a position, the position after it, and the fewest tokens of the whole closing text.
#[derive(Clone, Copy)]
struct Closing {
    /// None at an end, and where no text leads to an end.
    step: Option<Step>,
    next: PositionId,
    /// The bytes of the whole closing text.
    bytes: u64,
    tokens: u32,
}

/// The closing texts of one machine's positions.
pub(crate) struct Closings {
    distances: Distances,
    closings: FxHashMap<PositionId, Closing>,
    /// The token ids of the grammar's special tokens.
    special_ids: Vec<u32>,
}

/// Closing texts end where one is known, and bytes that are tokens by themselves are preferred.
struct ClosingGuide<'a> {
    closings: &'a FxHashMap<PositionId, Closing>,
    vocabulary: &'a Vocabulary,
}

impl Guide for ClosingGuide<'_> {
    fn preferred(&self) -> &ByteSet {
        &self.vocabulary.byte_tokens
    }

    /// The position after the longest token of unescaped characters that fits into the characters that a string needs.
    fn jump(&mut self, machine: &mut Machine, position: PositionId) -> Result<Option<(PositionId, u64)>> {
        let Some(length) = needed_length(machine, self.vocabulary, position) else { return Ok(None) };
        let mut next = position;
        for _ in 0..length {
            next = machine.step(next, b' ')?;
        }
        Ok(Some((next, length as u64)))
    }

    fn known_bytes(&self, position: PositionId) -> Option<u64> {
        let known = self.closings.get(&position).filter(|closing| closing.step.is_some());
        known.map(|closing| closing.bytes)
    }
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
            self.insert(machine, position, self.closings[&twin.position]);
            return Ok(tokens);
        }
        let mut guide = ClosingGuide { closings: &self.closings, vocabulary };
        let found = machine.shortest_path(&mut self.distances, position, &mut guide)?;
        let tokens = if found.is_some() { 0 } else { UNSPELLABLE };
        let (path, mut next) = found.unwrap_or((Vec::new(), position));
        if !self.closings.contains_key(&next) {
            self.insert(machine, next, Closing { step: None, next, bytes: 0, tokens });
        }
        for PathStep { position, step, bytes } in path.into_iter().rev() {
            machine.arena.spend(1)?;
            let behind = self.closings[&next];
            let bytes = behind.bytes + bytes;
            let tokens = behind.tokens.saturating_add(1);
            self.insert(machine, position, Closing { step: Some(step), next, bytes, tokens });
            if let Step::Byte(_) = step {
                let tokens = self.spell(machine, vocabulary, position)?;
                self.closings.insert(position, Closing { step: Some(step), next, bytes, tokens });
            }
            next = position;
        }
        Ok(self.closings[&position].tokens)
    }

    fn insert(&mut self, machine: &mut Machine, position: PositionId, closing: Closing) {
        machine.arena.budget.grow(PER_CLOSING);
        self.closings.insert(position, closing);
    }

    /// The bytes of the closing text of a position, whose tokens must have been counted; without special tokens and
    /// without the tokens of arbitrary characters.
    pub(crate) fn bytes(&self, mut position: PositionId) -> Vec<u8> {
        let mut found = Vec::new();
        while let Some(&Closing { step: Some(step), next, .. }) = self.closings.get(&position) {
            if let Step::Byte(byte) = step {
                found.push(byte);
            }
            position = next;
        }
        found
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
            None => {}
            Some(Step::Special(special)) => found.push(self.special_ids[special.index()]),
            Some(Step::Jump(_)) => {
                let length = needed_length(machine, vocabulary, position);
                let words = length.and_then(|length| vocabulary.text_lengths().lists().nth(length));
                for &(word, bits) in words.iter().flat_map(|(_, words)| words.iter()) {
                    found.extend((0..32).filter(|bit| bits >> bit & 1 == 1).map(|bit| word * 32 + bit));
                }
            }
            Some(Step::Byte(_)) => self.visit_tokens(machine, vocabulary, position, |token, after| {
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
        while let Closing { step: Some(Step::Byte(byte)), next, .. } = self.closings[&position] {
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
    use crate::regular::id::SpecialId;
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
