//! Keys → a set: a trie that shares with other sets what they have in common.
//!
//! A node is interned by its content, so equal sets are one node in whatever order their keys came, and a set with one
//! more key is new only along that key. Beside its past an object holds one number; and below the first byte that no
//! key of the set has, a language without the set's keys is the language itself.
//!
//! Where one key is left of a set, its rest is no chain of nodes but a *tail*: a place in a list of bytes. Most bytes of
//! most keys stand in one.

use crate::bytes::utf8::is_lead;
use crate::error::Result;
use crate::limits::Budget;
use crate::regular::arena::Arena;
use crate::regular::term::{TermId, EMPTY, MANY};
use crate::storage::hash::Hasher128;
use crate::storage::layered::{List, Table};
use rustc_hash::FxHashMap;

/// The set of no keys.
pub(crate) const NO_KEYS: u32 = 0;

/// Added to a place in the list of tails: the set of the one key that goes from there to the next end.
const TAIL: u32 = 1 << 31;

/// The end of a tail: no byte of UTF-8.
const END: u8 = 0xff;

/// A longer key has nodes before its tail: to hash a tail is to go through it.
const MOST_TAIL: usize = 64;

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
    tails: List<u8>,
    by_hash: Table<u128, u32>,
}

/// Sets of other key sets → the same sets here, as far as they were taken over.
pub(crate) type Moved = FxHashMap<u32, u32>;

impl Default for KeySets {
    fn default() -> Self {
        let mut sets = KeySets { nodes: List::default(), tails: List::default(), by_hash: Table::default() };
        sets.node(false, Vec::new(), &mut Budget::default());
        sets
    }
}

impl KeySets {
    /// Nothing new on the frozen part of these.
    pub fn above(&self) -> Self {
        KeySets { nodes: self.nodes.above(), tails: self.tails.above(), by_hash: self.by_hash.above() }
    }

    /// What there is becomes the ground of what will come.
    pub fn freeze(&mut self) {
        self.nodes.freeze();
        self.tails.freeze();
        self.by_hash.freeze();
    }

    /// The node of a set, or else the place of its tail.
    fn get(&self, set: u32) -> std::result::Result<&Node, usize> {
        match set & TAIL {
            0 => Ok(&self.nodes[set as usize]),
            _ => Err((set - TAIL) as usize),
        }
    }

    /// The bytes of a tail.
    fn bytes(&self, place: usize) -> impl Iterator<Item = u8> + '_ {
        (place..).map(|at| self.tails[at]).take_while(|&byte| byte != END)
    }

    pub fn hash(&self, set: u32) -> u128 {
        match self.get(set) {
            Ok(node) => node.hash,
            Err(place) => {
                let mut key = [0; MOST_TAIL];
                let length = self.bytes(place).zip(&mut key).map(|(byte, copy)| *copy = byte).count();
                hash_of_one(&key[..length])
            }
        }
    }

    pub fn count(&self, set: u32) -> usize {
        self.get(set).map_or(1, |node| node.count as usize)
    }

    pub fn has_empty(&self, set: u32) -> bool {
        match self.get(set) {
            Ok(node) => node.empty,
            Err(place) => self.tails[place] == END,
        }
    }

    /// The bytes that keys begin with, ascending, each with the rests of those keys.
    pub fn rests(&self, set: u32) -> impl Iterator<Item = (u8, u32)> + '_ {
        let (several, one) = match self.get(set) {
            Ok(node) => (&*node.rests, None),
            Err(place) => (&[][..], Some((self.tails[place], set + 1)).filter(|rest| rest.0 != END)),
        };
        several.iter().copied().chain(one)
    }

    /// The rests of the keys that begin with a byte.
    pub fn rest(&self, set: u32, byte: u8) -> u32 {
        match self.get(set) {
            Ok(Node { rests, .. }) => {
                rests.binary_search_by_key(&byte, |rest| rest.0).map_or(NO_KEYS, |place| rests[place].1)
            }
            Err(place) if byte != END && self.tails[place] == byte => set + 1,
            Err(_) => NO_KEYS,
        }
    }

    /// Bounds on the code points of a key.
    pub fn chars(&self, set: u32) -> (u32, u32) {
        match self.get(set) {
            Ok(node) => (node.min_chars, node.max_chars),
            Err(place) => {
                let chars = self.bytes(place).filter(|&byte| is_lead(byte)).count() as u32;
                (chars, chars)
            }
        }
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
            match self.rest(path[path.len() - 1], byte) {
                NO_KEYS => break,
                rest => path.push(rest),
            }
        }
        let (shared, own) = key.split_at(path.len() - 1);
        let last = path[shared.len()];
        let mut made = match own.split_first() {
            None if self.has_empty(last) => return set,
            None => {
                let rests = self.rests(last).collect();
                self.node(true, rests, budget)
            }
            Some((&byte, rest)) => {
                let rest = self.one(rest, budget);
                self.joined(last, byte, rest, budget)
            }
        };
        for (&byte, &at) in shared.iter().zip(&path).rev() {
            made = self.joined(at, byte, made, budget);
        }
        made
    }

    /// A set with other rests of the keys that begin with a byte.
    fn joined(&mut self, set: u32, byte: u8, rest: u32, budget: &mut Budget) -> u32 {
        let mut rests: Vec<(u8, u32)> = self.rests(set).collect();
        match rests.binary_search_by_key(&byte, |rest| rest.0) {
            Ok(place) => rests[place].1 = rest,
            Err(place) => rests.insert(place, (byte, rest)),
        }
        self.node(self.has_empty(set), rests, budget)
    }

    /// The set of one key.
    fn one(&mut self, key: &[u8], budget: &mut Budget) -> u32 {
        let (before, tail) = key.split_at(key.len().saturating_sub(MOST_TAIL));
        let tail = self.tail(tail, budget);
        before.iter().rev().fold(tail, |rest, &byte| self.node(false, vec![(byte, rest)], budget))
    }

    fn tail(&mut self, key: &[u8], budget: &mut Budget) -> u32 {
        let hash = hash_of_one(key);
        if let Some(&id) = self.by_hash.get(&hash) {
            return id;
        }
        let id = TAIL + self.tails.len() as u32;
        key.iter().chain(&[END]).for_each(|&byte| self.tails.push(byte, budget));
        self.by_hash.insert(hash, id, budget);
        id
    }

    fn node(&mut self, empty: bool, rests: Vec<(u8, u32)>, budget: &mut Budget) -> u32 {
        match rests[..] {
            [] if empty => return self.tail(b"", budget),
            [(byte, rest)] if !empty => {
                if let Err(place) = self.get(rest) {
                    let key: Vec<u8> = [byte].into_iter().chain(self.bytes(place)).collect();
                    if key.len() <= MOST_TAIL {
                        return self.tail(&key, budget);
                    }
                }
            }
            _ => {}
        }
        let hash = hash_of(empty, rests.iter().map(|&(byte, rest)| (byte, self.hash(rest))));
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
            count += self.count(rest) as u32;
        }
        budget.grow(8 * rests.len());
        let id = self.nodes.len() as u32;
        self.nodes.push(Node { hash, empty, rests: rests.into(), count, min_chars, max_chars }, budget);
        self.by_hash.insert(hash, id, budget);
        id
    }

    /// A set of other key sets.
    pub fn take_over(&mut self, other: &KeySets, root: u32, moved: &mut Moved, budget: &mut Budget) -> Result<u32> {
        let mut work = vec![(root, false)];
        while let Some((set, ready)) = work.pop() {
            if moved.contains_key(&set) {
                continue;
            }
            budget.renew();
            budget.spend(1)?;
            let made = match other.get(set) {
                Ok(node) if !ready => {
                    work.push((set, true));
                    work.extend(node.rests.iter().map(|&(_, rest)| (rest, false)));
                    continue;
                }
                Ok(node) => {
                    let rests = node.rests.iter().map(|&(byte, rest)| (byte, moved[&rest])).collect();
                    self.node(node.empty, rests, budget)
                }
                Err(place) => {
                    let key: Vec<u8> = other.bytes(place).collect();
                    self.tail(&key, budget)
                }
            };
            moved.insert(set, made);
        }
        Ok(moved[&root])
    }
}

fn hash_of(empty: bool, rests: impl Iterator<Item = (u8, u128)>) -> u128 {
    let mut hash = Hasher128::new(u64::from(empty));
    for (byte, rest) in rests {
        hash.word(u64::from(byte));
        hash.wide(rest);
    }
    hash.finish()
}

/// The hash of the set of one key.
fn hash_of_one(key: &[u8]) -> u128 {
    key.iter().rev().fold(hash_of(true, [].into_iter()), |rest, &byte| hash_of(false, [(byte, rest)].into_iter()))
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
        if let Some(&known) = self.registers.among.get(&(set, language)) {
            return Ok(known);
        }
        let mut rests = Vec::new();
        let all: Vec<(u8, u32)> = self.registers.keys.rests(set).collect();
        for (byte, rest) in all {
            let next = self.derive(language, byte)?;
            match self.among(rest, next, most_bytes - 1)? {
                NO_KEYS => {}
                kept => rests.push((byte, kept)),
            }
        }
        let empty = self.registers.keys.has_empty(set) && self.info(language).nullable;
        let kept = self.registers.keys.node(empty, rests, &mut self.budget);
        self.registers.among.insert((set, language), kept, &mut self.budget);
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
    fn long_keys_and_rests_of_keys_are_sets_like_others() {
        let mut sets = KeySets::default();
        let mut budget = Budget::default();
        let long = "key ".repeat(100);
        let keys = ["", "k", "key", &long, &long[..MOST_TAIL], &long[..MOST_TAIL + 1]].map(str::as_bytes);
        for key in keys {
            let one = sets.with(NO_KEYS, key, &mut budget);
            assert_eq!((sets.count(one), sets.chars(one)), (1, (key.len() as u32, key.len() as u32)));
            assert!(sets.contains(one, key) && !sets.contains(one, b"kex"));
            let rest = key.iter().fold(one, |set, &byte| sets.rest(set, byte));
            assert!(sets.has_empty(rest) && sets.rests(rest).next().is_none());
            assert_eq!(sets.hash(one), hash_of_one(key));
            let longer = sets.with(one, b"kex", &mut budget);
            assert_eq!(sets.count(longer), 2);
            assert!([key, b"kex"].iter().all(|key| sets.contains(longer, key)));
        }
        let all =
            |sets: &mut KeySets, budget: &mut Budget| keys.iter().fold(NO_KEYS, |set, key| sets.with(set, key, budget));
        let mut other = KeySets::default();
        other.with(NO_KEYS, b"something else", &mut budget);
        let here = all(&mut sets, &mut budget);
        let mut moved = Moved::default();
        let there = other.take_over(&sets, here, &mut moved, &mut budget).unwrap();
        assert_eq!(there, all(&mut other, &mut budget));
        assert_eq!(other.hash(there), sets.hash(here));
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
