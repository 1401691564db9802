//! Keys → a set: a trie that shares with other sets what they have in common.
//!
//! A node is interned by its content, so equal sets are one node in whatever order their keys came, and a set with one
//! more key is new only along that key. Beside its past an object holds one number; and below the first byte that no
//! key of the set has, a language without the set's keys is the language itself.

use crate::error::Result;
use crate::layer::{List, Table};
use crate::limit::Budget;
use crate::term::{is_lead, Arena, Hasher128, TermId, EMPTY, MANY};

/// The set of no keys.
pub(crate) const NO_KEYS: u32 = 0;

/// Of longer keys it is not found out further than this which language they are in.
const MOST_BYTES: u32 = 256;

#[derive(Clone)]
struct Node {
    hash: u128,
    /// Whether the set holds the empty key.
    empty: bool,
    /// (first byte, the rests of the keys that begin with it), sorted.
    rests: Box<[(u8, u32)]>,
    count: u32,
    min_chars: u32,
    max_chars: u32,
}

#[derive(Clone)]
pub(crate) struct KeySets {
    nodes: List<Node>,
    by_hash: Table<u128, u32>,
}

impl Default for KeySets {
    fn default() -> Self {
        let mut sets = KeySets { nodes: List::default(), by_hash: Table::default() };
        sets.node(false, Vec::new(), &mut Budget::default());
        sets
    }
}

impl KeySets {
    /// Nothing new on the frozen part of these.
    pub fn above(&self) -> Self {
        KeySets { nodes: self.nodes.above(), by_hash: self.by_hash.above() }
    }

    /// What there is becomes the ground of what will come.
    pub fn freeze(&mut self) {
        self.nodes.freeze();
        self.by_hash.freeze();
    }

    pub fn hash(&self, set: u32) -> u128 {
        self.nodes[set as usize].hash
    }

    pub fn count(&self, set: u32) -> usize {
        self.nodes[set as usize].count as usize
    }

    pub fn has_empty(&self, set: u32) -> bool {
        self.nodes[set as usize].empty
    }

    /// The bytes that keys begin with, each with the rests of those keys.
    pub fn rests(&self, set: u32) -> &[(u8, u32)] {
        &self.nodes[set as usize].rests
    }

    /// The rests of the keys that begin with a byte.
    pub fn rest(&self, set: u32, byte: u8) -> u32 {
        let rests = self.rests(set);
        rests.binary_search_by_key(&byte, |rest| rest.0).map_or(NO_KEYS, |place| rests[place].1)
    }

    /// Bounds on the code points of a key.
    pub fn chars(&self, set: u32) -> (u32, u32) {
        let node = &self.nodes[set as usize];
        (node.min_chars, node.max_chars)
    }

    pub fn contains(&self, set: u32, key: &[u8]) -> bool {
        let mut at = set;
        for &byte in key {
            at = self.rest(at, byte);
            if at == NO_KEYS {
                return false;
            }
        }
        self.has_empty(at)
    }

    /// The set with one more key.
    pub fn with(&mut self, set: u32, key: &[u8], budget: &mut Budget) -> u32 {
        let mut path = vec![set];
        for &byte in key {
            path.push(self.rest(path[path.len() - 1], byte));
        }
        let last = path[key.len()];
        if self.has_empty(last) {
            return set;
        }
        let mut made = self.node(true, self.rests(last).to_vec(), budget);
        for (&byte, &at) in key.iter().zip(&path).rev() {
            let mut rests = self.rests(at).to_vec();
            match rests.binary_search_by_key(&byte, |rest| rest.0) {
                Ok(place) => rests[place].1 = made,
                Err(place) => rests.insert(place, (byte, made)),
            }
            made = self.node(self.has_empty(at), rests, budget);
        }
        made
    }

    fn node(&mut self, empty: bool, rests: Vec<(u8, u32)>, budget: &mut Budget) -> u32 {
        let mut hash = Hasher128::new(u64::from(empty));
        for &(byte, rest) in &rests {
            hash.word(u64::from(byte));
            hash.wide(self.hash(rest));
        }
        let hash = hash.finish();
        if let Some(&id) = self.by_hash.get(&hash) {
            return id;
        }
        let (mut min_chars, mut max_chars) = if empty { (0, 0) } else { (MANY, 0) };
        let mut count = u32::from(empty);
        for &(byte, rest) in &rests {
            let own = u32::from(is_lead(byte));
            let (least, most) = self.chars(rest);
            min_chars = min_chars.min(least.saturating_add(own));
            max_chars = max_chars.max(most.saturating_add(own));
            count += self.nodes[rest as usize].count;
        }
        budget.grow(8 * rests.len());
        let id = self.nodes.len() as u32;
        self.nodes.push(Node { hash, empty, rests: rests.into(), count, min_chars, max_chars }, budget);
        self.by_hash.insert(hash, id, budget);
        id
    }
}

impl Arena {
    /// Those keys of a set that are in a language, and perhaps some that are not.
    pub(crate) fn keys_in(&mut self, set: u32, language: TermId) -> Result<u32> {
        self.among(set, language, MOST_BYTES)
    }

    fn among(&mut self, set: u32, language: TermId, most_bytes: u32) -> Result<u32> {
        if set == NO_KEYS || language == EMPTY {
            return Ok(NO_KEYS);
        }
        if self.is_cofinite(language) || most_bytes == 0 {
            return Ok(set);
        }
        if let Some(&known) = self.among.get(&(set, language)) {
            return Ok(known);
        }
        let mut rests = Vec::new();
        for (byte, rest) in self.keys.rests(set).to_vec() {
            let next = self.derive(language, byte)?;
            match self.among(rest, next, most_bytes - 1)? {
                NO_KEYS => {}
                kept => rests.push((byte, kept)),
            }
        }
        let empty = self.keys.has_empty(set) && self.info(language).nullable;
        let kept = self.keys.node(empty, rests, &mut self.budget);
        self.among.insert((set, language), kept, &mut self.budget);
        Ok(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_its_keys_in_any_order() {
        let mut sets = KeySets::default();
        let keys: [&[u8]; 6] = [b"", b"a", b"ab", b"b", "é".as_bytes(), b"ab\0"];
        let mut budget = Budget::default();
        let forwards = keys.iter().fold(NO_KEYS, |set, key| sets.with(set, key, &mut budget));
        let backwards = keys.iter().rev().fold(NO_KEYS, |set, key| sets.with(set, key, &mut budget));
        assert_eq!(forwards, backwards);
        assert_eq!((sets.count(forwards), sets.chars(forwards)), (6, (0, 3)));
        assert!(keys.iter().all(|key| sets.contains(forwards, key)));
        assert!(![&b"abc"[..], b"ba", b"\xc3", b"c"].iter().any(|key| sets.contains(forwards, key)));
        assert_eq!(sets.with(forwards, b"ab", &mut budget), forwards);
        assert_ne!(sets.with(forwards, b"c", &mut budget), forwards);
    }

    #[test]
    fn one_more_key_costs_what_it_adds() {
        let mut sets = KeySets::default();
        let mut budget = Budget::default();
        let mut set = NO_KEYS;
        let mut spent = Vec::new();
        for number in 0..4_096u32 {
            let before = sets.nodes.len();
            set = sets.with(set, format!("k{number:04x}").as_bytes(), &mut budget);
            spent.push(sets.nodes.len() - before);
        }
        let (early, late): (usize, usize) = (spent[256..512].iter().sum(), spent[3_840..].iter().sum());
        assert!(late < 2 * early, "{late} nodes for the last keys, {early} for the same number of early ones");
    }
}
