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
use crate::room::rows::{Rows, NOWHERE};
use crate::vocabulary::id::NodeId;
use crate::vocabulary::token_set::{sparse_bits, tokens, Part, Words};
use crate::vocabulary::vocabulary::Vocabulary;
use std::sync::Arc;

/// From this many tokens of a string that must not be repeated on, their classes are looked for (`alike`). Chosen without
/// measurement.
const ALIKE_FROM: u32 = 4_096;

/// Subtries of fewer nodes are walked: to find out that they need not be takes as long.
const SKIPPED_FROM: u32 = 16;

/// Words of a list that take as long as one step of the budget.
const LISTED_PER_STEP: u64 = 64;

/// If at most one token in this many is left, the walk of the trie is led to these: finding their places takes 4 ns each.
const LED_RATIO: usize = 8;

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
    /// (cost, bits of the tokens that were read).
    sets: Vec<(u32, Vec<u32>)>,
    /// Tokens whose costs were known before.
    groups: Vec<Group>,
    /// The positions after tokens, each with the index of its set; None if a twin cannot tell the cost.
    rows: Rows<Option<usize>>,
}

impl<'a> Reader<'a> {
    fn new(machine: &'a mut Machine, closings: &'a mut Closings, vocabulary: &'a Vocabulary, mask: &Mask) -> Self {
        let mut words = vec![0; vocabulary.mask_words()];
        mask.write(&mut words);
        let rows = Rows::default();
        Reader { machine, closings, vocabulary, words, sets: Vec::new(), groups: Vec::new(), rows }
    }

    fn into_costs(self) -> Costs {
        let mut groups = self.groups;
        groups.extend(self.sets.into_iter().map(|(cost, bits)| Group::new(cost, bits)));
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
        self.read_along_trie(position)?;
        // The tokens that are left and have no text end the sequence: nothing is needed after them.
        let ends = self.vocabulary.eos.iter().copied().filter(|&token| self.is_left(token));
        let ends: Vec<u32> = ends.collect();
        if !ends.is_empty() {
            let set = self.set_of_cost(0);
            ends.into_iter().for_each(|token| self.file(token, set));
        }
        Ok(())
    }

    /// How many tokens are still to be read.
    fn left(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    fn is_left(&self, token: u32) -> bool {
        self.words[token as usize >> 5] >> (token & 31) & 1 == 1
    }

    /// The set of the tokens that lead to a position; None if they must be read from another position.
    fn set_after(&mut self, after: PositionId) -> Result<Option<usize>> {
        let row = self.rows.row(self.machine, after);
        self.set_of_row(row)
    }

    fn set_of_row(&mut self, row: u32) -> Result<Option<usize>> {
        if let Some(set) = self.rows.value(row) {
            return Ok(set);
        }
        let after = self.rows.position(row);
        // A twin does not know its key, so it cannot tell the cost here: the token is read from the exact position.
        let set = match is_behind_unknown_key(self.machine, after) {
            true => None,
            false => {
                let cost = self.closings.tokens(self.machine, self.vocabulary, after)?;
                Some(self.set_of_cost(cost))
            }
        };
        self.rows.set_value(row, set);
        Ok(set)
    }

    fn set_of_cost(&mut self, cost: u32) -> usize {
        let known = self.sets.iter().position(|&(other, _)| other == cost);
        known.unwrap_or_else(|| {
            self.sets.push((cost, vec![0; self.words.len()]));
            self.sets.len() - 1
        })
    }

    fn file(&mut self, token: u32, set: usize) {
        let (place, bit) = (token as usize >> 5, 1 << (token & 31));
        self.words[place] &= !bit;
        self.sets[set].1[place] |= bit;
    }

    /// Files the tokens of a list that are still to be read. All tokens of the list lead to the position `after`.
    fn file_list(&mut self, list: &Words, after: PositionId) -> Result<()> {
        let Some(set) = self.set_after(after)? else { return Ok(()) };
        let filed = &mut self.sets[set].1;
        for &(place, bits) in list.iter() {
            let both = self.words[place as usize] & bits;
            filed[place as usize] |= both;
            self.words[place as usize] &= !both;
        }
        Ok(())
    }

    /// Files those of some tokens that are still to be read. All tokens lead to the position of the row.
    fn file_tokens(&mut self, tokens: &[u32], row: u32) -> Result<()> {
        let mut set = None;
        for &token in tokens {
            if !self.is_left(token) {
                continue;
            }
            let set = match set {
                Some(set) => set,
                None => match self.set_of_row(row)? {
                    Some(found) => *set.insert(found),
                    None => return Ok(()),
                },
            };
            self.file(token, set);
        }
        Ok(())
    }

    fn read_specials(&mut self, position: PositionId) -> Result<()> {
        for special in 0..self.closings.special_ids().len() {
            let token = self.closings.special_ids()[special];
            if self.is_left(token) {
                let after = self.machine.step_special(position, SpecialId::at(special))?;
                if after != DEAD {
                    if let Some(set) = self.set_after(after)? {
                        self.file(token, set);
                    }
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
        let lengths = self.vocabulary.text_lengths();
        for (chars, list) in lengths.lists() {
            self.machine.arena.spend(1 + list.len() as u64 / LISTED_PER_STEP)?;
            if self.machine.step(at, b' ')? == at {
                return self.file_list(lengths.all(), at);
            }
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
        for (token, cost) in found {
            let set = self.set_of_cost(cost);
            self.file(token, set);
        }
        Ok(())
    }

    /// Reads the tokens that are left along the trie, so that common prefixes are read once.
    fn read_along_trie(&mut self, position: PositionId) -> Result<()> {
        let trie = &self.vocabulary.trie;
        self.machine.arena.spend(1 + self.words.len() as u64 / LISTED_PER_STEP)?;
        let places = self.places_left();
        let mut next_places = places.iter().flatten().map(|&place| place as usize).peekable();
        let start = self.rows.row(self.machine, position);
        let mut pending = vec![(trie.child_range(NodeId::ROOT), start)];
        while let Some((children, row)) = pending.last_mut() {
            if places.is_some() && children.start < children.end {
                let passed = trie.tokens_before(trie.child_at(children.start).1);
                while next_places.next_if(|&place| place < passed).is_some() {}
                let Some(&place) = next_places.peek() else { return Ok(()) };
                children.start = trie.child_reaching(children.clone(), place);
            }
            let Some(child) = children.next() else {
                pending.pop();
                continue;
            };
            let (row, (byte, node)) = (*row, trie.child_at(child));
            self.machine.arena.spend(1)?;
            let next = self.rows.step(self.machine, row, byte)?;
            if next == NOWHERE {
                continue;
            }
            self.file_tokens(trie.tokens_at(node), next)?;
            if !trie.has_children(node) {
                continue;
            }
            if trie.size(node) >= SKIPPED_FROM && self.rows.loops_below(self.machine, next, trie, node)? {
                self.file_tokens(trie.tokens_below(node), next)?;
                continue;
            }
            pending.push((trie.child_range(node), next));
        }
        Ok(())
    }

    /// The places of the tokens that are left in the order of the trie, ascending; None if they are many.
    fn places_left(&self) -> Option<Vec<u32>> {
        if self.left() as usize > self.vocabulary.len() / LED_RATIO {
            return None;
        }
        let left = tokens((0..).zip(self.words.iter().copied()));
        let mut bits = vec![0u32; self.words.len()];
        for place in left.map(|token| self.vocabulary.places()[token as usize]) {
            bits[place as usize >> 5] |= 1 << (place & 31);
        }
        Some(tokens((0..).zip(bits)).collect())
    }
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
