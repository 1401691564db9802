//! Position × its mask → the mask's tokens by cost: the fewest tokens that end the text after the token.
//!
//! Costs do not depend on the number of tokens left, so they are computed once per position. Tokens that lead to the
//! same position are kept together, as words of bits, and positions share equal sets.

use crate::automaton::machine::Machine;
use crate::automaton::position::{PositionId, DEAD};
use crate::error::Result;
use crate::mask::mask::Mask;
use crate::regular::id::SpecialId;
use crate::room::alike::alike;
use crate::room::closing::Closings;
use crate::room::open_key::is_behind_unknown_key;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::token_set::{sparse_bits, Part, Words};
use crate::vocabulary::vocabulary::Vocabulary;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// From this many tokens of a string that must not be repeated on, their classes are looked for (`alike`). Chosen without
/// measurement.
const ALIKE_FROM: u32 = 4_096;

/// Words of a list that take as long as one step of the budget.
const LISTED_PER_STEP: u64 = 64;

/// From this many tokens on, tokens are read in the order of the trie: reading a single token takes 1 µs, and finding the
/// order takes 100 µs.
const ORDERED_FROM: u32 = 128;

/// The tokens of one position's mask by their cost: the fewest tokens that end the text after them.
pub(crate) struct Costs {
    /// Sets of tokens, cheapest first; several may have one cost.
    groups: Vec<Group>,
}

/// Tokens of one cost.
#[derive(Clone)]
struct Group {
    cost: u32,
    words: Words,
    dense: Option<Part>,
}

impl Group {
    /// The tokens of a set of bits.
    fn new(cost: u32, bits: Vec<u32>) -> Self {
        let (words, dense) = sparse_bits(bits);
        Group { cost, words, dense: dense.map(|bits| Part { bits, within: None }) }
    }

    /// Words of a mask, each with bits.
    fn words(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let dense = self.dense.iter().flat_map(|part| part.words().enumerate());
        dense.chain(self.words.iter().map(|&(place, word)| (place as usize, word)))
    }

    /// Bytes held by this group alone.
    fn memory_bytes(&self) -> usize {
        let is_own = |part: &&Part| Arc::strong_count(&part.bits) == 1;
        let dense = self.dense.iter().filter(is_own).map(|part| 4 * part.bits.len()).sum::<usize>();
        size_of::<Group>() + dense + if Arc::strong_count(&self.words) == 1 { 8 * self.words.len() } else { 0 }
    }
}

impl Costs {
    /// The highest cost of a token; 0 if the mask is empty.
    pub(crate) fn ceiling(&self) -> u32 {
        self.groups.last().map_or(0, |group| group.cost)
    }

    /// Bytes held, without the sets that other positions share.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.groups.iter().map(Group::memory_bytes).sum()
    }

    /// The tokens after which at most `left` tokens are needed.
    pub(crate) fn within(&self, left: u32) -> Mask {
        let affordable = self.groups.iter().take_while(|group| group.cost <= left);
        let (mut parts, mut lists) = (Vec::new(), Vec::new());
        for group in affordable {
            parts.extend(group.dense.clone());
            lists.extend(Some(group.words.clone()).filter(|words| !words.is_empty()));
        }
        Mask::new(parts, lists, Box::default(), None)
    }

    /// The costs of all tokens of `mask`, which is the mask of `position`.
    pub(crate) fn of(
        machine: &mut Machine,
        closings: &mut Closings,
        vocabulary: &Vocabulary,
        (position, mask): (PositionId, &Mask),
    ) -> Result<Self> {
        let mut reader = Reader::new(machine, closings, vocabulary, mask);
        reader.read(position)?;
        Ok(reader.into_costs())
    }
}

impl Costs {
    /// The costs of the tokens of `mask`. All tokens but `own` have the cost that they have at the position's twin.
    pub(crate) fn from_twin(
        machine: &mut Machine,
        closings: &mut Closings,
        vocabulary: &Vocabulary,
        (position, mask): (PositionId, &Mask),
        (twin, own): (&Costs, &[u32]),
    ) -> Result<Self> {
        let mut reader = Reader::new(machine, closings, vocabulary, mask);
        let mut shared = reader.words.clone();
        own.iter().for_each(|&token| shared[token as usize >> 5] &= !(1 << (token & 31)));
        for group in &twin.groups {
            let is_whole = group.words().all(|(place, word)| word & !shared[place] == 0);
            for (place, word) in group.words() {
                reader.words[place] &= !(word & shared[place]);
            }
            if is_whole {
                reader.groups.push(group.clone());
                continue;
            }
            let mut bits = vec![0; shared.len()];
            group.words().for_each(|(place, word)| bits[place] = word & shared[place]);
            if bits.iter().any(|&word| word != 0) {
                reader.groups.push(Group::new(group.cost, bits));
            }
        }
        reader.read(position)?;
        Ok(reader.into_costs())
    }
}

/// Reads the tokens of one position; `words` holds the tokens that are still to be read.
struct Reader<'a> {
    machine: &'a mut Machine,
    closings: &'a mut Closings,
    vocabulary: &'a Vocabulary,
    words: Vec<u32>,
    /// Cost → bits of the tokens that were read.
    costs: FxHashMap<u32, Vec<u32>>,
    /// Tokens whose costs were known before.
    groups: Vec<Group>,
    /// Position after a token → its cost.
    after: FxHashMap<PositionId, u32>,
}

impl<'a> Reader<'a> {
    fn new(machine: &'a mut Machine, closings: &'a mut Closings, vocabulary: &'a Vocabulary, mask: &Mask) -> Self {
        let mut words = vec![0; vocabulary.mask_words()];
        mask.write(&mut words);
        let (costs, after) = (FxHashMap::default(), FxHashMap::default());
        Reader { machine, closings, vocabulary, words, costs, groups: Vec::new(), after }
    }

    fn into_costs(self) -> Costs {
        let mut groups = self.groups;
        groups.extend(self.costs.into_iter().map(|(cost, bits)| Group::new(cost, bits)));
        // The order of groups with equal costs does not matter, because a mask is their union.
        groups.sort_by_key(|group| group.cost);
        Costs { groups }
    }

    fn read(&mut self, position: PositionId) -> Result<()> {
        self.read_specials(position)?;
        self.read_characters(position)?;
        // Few tokens are left if most costs were taken from a twin: reading each is then faster than finding classes.
        if self.left() >= ALIKE_FROM {
            self.read_alike(position)?;
        }
        match self.left() {
            ORDERED_FROM.. => self.read_in_order(position)?,
            _ => self.read_each(position)?,
        }
        // The tokens that are left and have no text end the sequence: nothing is needed after them.
        let ends = self.vocabulary.eos.iter().copied().filter(|&token| self.is_left(token));
        let ends: Vec<u32> = ends.collect();
        ends.into_iter().for_each(|token| self.file_at(token, 0));
        Ok(())
    }

    /// How many tokens are still to be read.
    fn left(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    fn is_left(&self, token: u32) -> bool {
        self.words[token as usize >> 5] >> (token & 31) & 1 == 1
    }

    /// Files a token under the cost of the position after it.
    fn file(&mut self, token: u32, after: PositionId) -> Result<()> {
        if let Some(cost) = self.cost_of(after)? {
            self.file_at(token, cost);
        }
        Ok(())
    }

    /// The cost of a position after a token; None if the token must be read from another position.
    fn cost_of(&mut self, after: PositionId) -> Result<Option<u32>> {
        if let Some(&cost) = self.after.get(&after) {
            return Ok(Some(cost));
        }
        // A twin does not know its key, so it cannot tell the cost here: the token is read from the exact position.
        if is_behind_unknown_key(self.machine, after) {
            return Ok(None);
        }
        let cost = self.closings.tokens(self.machine, self.vocabulary, after)?;
        self.after.insert(after, cost);
        Ok(Some(cost))
    }

    fn file_at(&mut self, token: u32, cost: u32) {
        self.file_word(token as usize >> 5, 1 << (token & 31), cost);
    }

    /// Files some tokens of one word.
    fn file_word(&mut self, place: usize, bits: u32, cost: u32) {
        self.words[place] &= !bits;
        let room = self.words.len();
        self.costs.entry(cost).or_insert_with(|| vec![0; room])[place] |= bits;
    }

    /// Files the tokens of a list that are still to be read. All tokens of the list lead to the position `after`.
    fn file_list(&mut self, list: &Words, after: PositionId) -> Result<()> {
        let Some(cost) = self.cost_of(after)? else { return Ok(()) };
        let room = self.words.len();
        let filed = self.costs.entry(cost).or_insert_with(|| vec![0; room]);
        for &(place, bits) in list.iter() {
            let both = self.words[place as usize] & bits;
            filed[place as usize] |= both;
            self.words[place as usize] &= !both;
        }
        Ok(())
    }

    fn read_specials(&mut self, position: PositionId) -> Result<()> {
        for special in 0..self.closings.special_ids().len() {
            let token = self.closings.special_ids()[special];
            if self.is_left(token) {
                let after = self.machine.step_special(position, SpecialId::at(special))?;
                if after != DEAD {
                    self.file(token, after)?;
                }
            }
        }
        Ok(())
    }

    /// Inside a string of arbitrary characters, unescaped tokens with equally many characters lead to one position.
    fn read_characters(&mut self, position: PositionId) -> Result<()> {
        let Some(head) = self.machine.position(position).only_head() else { return Ok(()) };
        if !self.machine.arena.has_any_char_target(head)? {
            return Ok(());
        }
        let (mut at, mut read) = (position, 0);
        for (chars, list) in self.vocabulary.text_lengths().lists() {
            self.machine.arena.spend(1 + list.len() as u64 / LISTED_PER_STEP)?;
            if list.iter().all(|&(place, bits)| self.words[place as usize] & bits == 0) {
                continue;
            }
            while read < chars {
                at = self.machine.step(at, b' ')?;
                read += 1;
            }
            self.file_list(list, at)?;
        }
        Ok(())
    }

    /// Inside a key or an item that must be unique, most tokens have the cost of their class (`alike`).
    fn read_alike(&mut self, position: PositionId) -> Result<()> {
        let words = &self.words;
        let is_left = |token: u32| words[token as usize >> 5] >> (token & 31) & 1 == 1;
        let found = alike(self.machine, self.closings, self.vocabulary, position, is_left)?;
        found.into_iter().for_each(|(token, cost)| self.file_at(token, cost));
        Ok(())
    }

    fn read_each(&mut self, position: PositionId) -> Result<()> {
        for place in 0..self.words.len() {
            for token in tokens_of(place, self.words[place]) {
                let Some(text) = self.vocabulary.token(token) else { continue };
                let after = self.machine.read(position, text)?;
                if after != DEAD {
                    self.file(token, after)?;
                }
            }
        }
        Ok(())
    }

    /// Reads the tokens that are left in the order of the trie, so that common prefixes are read once.
    fn read_in_order(&mut self, position: PositionId) -> Result<()> {
        let (vocabulary, words) = (self.vocabulary, self.words.clone());
        let is_left = |token: u32| words[token as usize >> 5] >> (token & 31) & 1 == 1;
        self.machine.arena.spend(words.len() as u64)?;
        // `path[i]` is the position after `i + 1` bytes of the token before.
        let (mut path, mut before): (Vec<PositionId>, &[u8]) = (Vec::new(), &[]);
        for &token in vocabulary.trie.tokens_below(NodeId::ROOT).iter().filter(|&&token| is_left(token)) {
            let Some(text) = vocabulary.token(token) else { continue };
            let common = before.iter().zip(text).take_while(|(one, other)| one == other).count();
            path.truncate(common);
            let mut after = path.last().copied().unwrap_or(position);
            for &byte in &text[path.len()..] {
                self.machine.arena.spend(1)?;
                after = if after == DEAD { DEAD } else { self.machine.step(after, byte)? };
                path.push(after);
            }
            before = text;
            if after != DEAD {
                self.file(token, after)?;
            }
        }
        Ok(())
    }
}

/// The tokens of one word of a mask.
fn tokens_of(place: usize, word: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |bit| word >> bit & 1 == 1).map(move |bit| (place as u32) << 5 | bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{bytes, object, string};
    use crate::builder::ObjectRules;
    use crate::room::fixture::Scene;

    /// The costs after a text: each with its tokens.
    fn costs(scene: &mut Scene, text: &str) -> Vec<(u32, Vec<u32>)> {
        let at = scene.after(text);
        let mask = scene.mask(at);
        let mut closings = Closings::new(Vec::new());
        let found = Costs::of(&mut scene.machine, &mut closings, &scene.shared.vocabulary, (at, &mask)).unwrap();
        assert!(found.groups.is_empty() || found.memory_bytes() > 0);
        let mut shown = Vec::new();
        let mut before = Vec::new();
        for group in &found.groups {
            let within = scene.tokens(&found.within(group.cost));
            shown.push((group.cost, within.iter().copied().filter(|token| !before.contains(token)).collect()));
            before = within;
        }
        assert_eq!(before, scene.tokens(&mask), "every token has a cost");
        assert_eq!(found.ceiling(), shown.last().map_or(0, |&(cost, _)| cost));
        shown
    }

    #[test]
    fn tokens_are_sorted_by_what_the_text_takes_after_them() {
        let mut scene = Scene::new(&["a", "ab", "bcd", "c", "d"], |builder| builder.literal(b"abcd").unwrap());
        assert_eq!(costs(&mut scene, ""), [(1, vec![0]), (2, vec![1])]);
        assert_eq!(costs(&mut scene, "abcd"), [(0, vec![5])], "the end");
    }

    #[test]
    fn characters_of_a_string_cost_by_their_number() {
        let mut scene = Scene::new(&["\"", "a", "bc", "def", "\\n"], |builder| string(builder, 3, Some(4)));
        assert_eq!(costs(&mut scene, "\""), [(1, vec![3]), (2, vec![1, 2, 4])]);
        assert_eq!(costs(&mut scene, "\"abc"), [(0, vec![0]), (1, vec![1, 4])]);
    }

    #[test]
    fn many_tokens_are_walked_and_few_are_read_and_both_say_the_same() {
        let names: Vec<String> = (0..6_000).map(|number| format!("{number:04}")).chain(["x".into()]).collect();
        let texts: Vec<&str> = names.iter().map(String::as_str).collect();
        let make = |builder: &mut crate::builder::Builder| {
            let digits = bytes(builder, b'0', b'9', 4, Some(8));
            let end = builder.literal(b"x").unwrap();
            builder.cat(&[digits.number(), end.number()]).unwrap()
        };
        let mut scene = Scene::new(&texts, make);
        assert_eq!(costs(&mut scene, ""), [(1, (0..6_000).collect::<Vec<u32>>())]);
        let few: Vec<u32> = (0..6_000).filter(|token| token / 100 == 59).chain([6_000]).collect();
        let mut small = Scene::new(&texts[5_900..], make);
        assert_eq!(costs(&mut small, "1234")[1].1.len(), few.len() - 1);
    }

    #[test]
    fn the_costs_of_a_twin_hold_for_all_but_some_tokens() {
        let make = |builder: &mut crate::builder::Builder| {
            let (keys, one) = (builder.any_text().unwrap(), builder.literal(b"1").unwrap());
            object(builder, &[], &[(keys, one)], ObjectRules::default())
        };
        let mut scene = Scene::new(&["{", "}", "\"", ":", "1", "a", "b", ","], make);
        let at = scene.after("{\"a\":1,\"");
        let mask = scene.mask(at);
        let (room, mut source) = scene.parts();
        let costs = room.costs(&mut source, (at, &mask)).unwrap();
        let shown: Vec<_> = [3, 4, 5].map(|left| scene.tokens(&costs.within(left))).into();
        // The quote costs three tokens, `:1}`. The letter "b" costs four, and "a" costs five, because the key "a" came.
        assert_eq!(shown, [vec![2], vec![0, 1, 2, 3, 4, 6, 7], (0..8).collect::<Vec<u32>>()]);
    }
}
