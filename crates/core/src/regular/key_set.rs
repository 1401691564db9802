//! Sets of keys → numbers: hash-consed tries, so that equal sets have equal numbers.
//!
//! An object's state must hold the keys that came, in constant space and comparable in one step; a set's number does both.
//! Nodes are interned by content (Filliâtre, Conchon: *Type-safe modular hash-consing*, 2006). Insertion therefore creates
//! nodes along the new key only, and the order of insertion does not matter.
//!
//! A subtrie with a single key is a *tail*: a position in one list of bytes. Tails hold most bytes of most keys.

use crate::bytes::utf8::is_lead;
use crate::error::Result;
use crate::limits::Budget;
use crate::regular::id::KeySetId;
use crate::regular::term::MANY;
use crate::storage::hash::Hasher128;
use crate::storage::layered::{layered, List, Table};
use rustc_hash::FxHashMap;

/// The empty set.
pub(crate) const NO_KEYS: KeySetId = KeySetId::new(0);

/// Marks the number of a single-key set; the other 31 bits are the key's position in the list of tails.
const TAIL: u32 = 1 << 31;

/// Terminates a tail. UTF-8 never contains this byte.
const END: u8 = 0xff;

/// Bytes of a tail. Hashing a tail reads all of it, so longer keys get nodes before their tail. Chosen without measurement.
const MAX_TAIL_BYTES: usize = 64;

#[derive(Clone)]
struct Node {
    hash: u128,
    /// Whether the set holds the empty key.
    empty: bool,
    /// (first byte, set of the remainders of the keys with that first byte), sorted.
    children: Box<[(u8, KeySetId)]>,
    count: u32,
    min_chars: u32,
    max_chars: u32,
}

layered! {
    /// All key sets of one arena.
    pub(crate) struct KeySets {
        nodes: List<Node>,
        tails: List<u8>,
        by_hash: Table<u128, KeySetId>,
    }
}

/// Numbers in another arena's `KeySets` → numbers here, for the sets that were imported.
pub(crate) type ImportedSets = FxHashMap<KeySetId, KeySetId>;

impl Default for KeySets {
    fn default() -> Self {
        let mut sets = KeySets { nodes: List::default(), tails: List::default(), by_hash: Table::default() };
        sets.intern_node(false, Vec::new(), &mut Budget::default());
        sets
    }
}

impl KeySets {
    /// The node of a set, or the position of its tail.
    fn node_or_tail(&self, set: KeySetId) -> std::result::Result<&Node, usize> {
        match set.number() & TAIL {
            0 => Ok(&self.nodes[set.index()]),
            _ => Err((set.number() - TAIL) as usize),
        }
    }

    /// The bytes of the tail at a position, without `END`.
    fn tail_bytes(&self, place: usize) -> impl Iterator<Item = u8> + '_ {
        (place..).map(|at| self.tails[at]).take_while(|&byte| byte != END)
    }

    /// A hash of the set's keys that is equal in all arenas.
    pub fn hash(&self, set: KeySetId) -> u128 {
        match self.node_or_tail(set) {
            Ok(node) => node.hash,
            Err(place) => {
                let mut key = [0; MAX_TAIL_BYTES];
                let length = self.tail_bytes(place).zip(&mut key).map(|(byte, copy)| *copy = byte).count();
                hash_single_key(&key[..length])
            }
        }
    }

    /// The number of keys.
    pub fn count(&self, set: KeySetId) -> usize {
        self.node_or_tail(set).map_or(1, |node| node.count as usize)
    }

    /// Whether the set holds the empty key.
    pub fn has_empty(&self, set: KeySetId) -> bool {
        match self.node_or_tail(set) {
            Ok(node) => node.empty,
            Err(place) => self.tails[place] == END,
        }
    }

    /// The first bytes of the keys, ascending, each with the set of the remainders behind it.
    pub fn children(&self, set: KeySetId) -> impl Iterator<Item = (u8, KeySetId)> + '_ {
        let (several, one) = match self.node_or_tail(set) {
            Ok(node) => (&*node.children, None),
            Err(place) => (&[][..], Some((self.tails[place], next_in_tail(set))).filter(|rest| rest.0 != END)),
        };
        several.iter().copied().chain(one)
    }

    /// The remainders of the keys that begin with `byte`: the derivative of the set.
    pub fn child(&self, set: KeySetId, byte: u8) -> KeySetId {
        match self.node_or_tail(set) {
            Ok(Node { children, .. }) => {
                children.binary_search_by_key(&byte, |rest| rest.0).map_or(NO_KEYS, |place| children[place].1)
            }
            Err(place) if byte != END && self.tails[place] == byte => next_in_tail(set),
            Err(_) => NO_KEYS,
        }
    }

    /// (fewest, most) code points of a key.
    pub fn char_bounds(&self, set: KeySetId) -> (u32, u32) {
        match self.node_or_tail(set) {
            Ok(node) => (node.min_chars, node.max_chars),
            Err(place) => {
                let chars = self.tail_bytes(place).filter(|&byte| is_lead(byte)).count() as u32;
                (chars, chars)
            }
        }
    }

    /// All keys, in no order that matters.
    pub fn texts(&self, set: KeySetId) -> Vec<Vec<u8>> {
        let (mut found, mut text) = (Vec::new(), Vec::new());
        let mut open = vec![(set, 0, None)];
        while let Some((set, depth, byte)) = open.pop() {
            text.truncate(depth);
            text.extend(byte);
            if set == NO_KEYS {
                continue;
            }
            if self.has_empty(set) {
                found.push(text.clone());
            }
            open.extend(self.children(set).map(|(byte, rest)| (rest, text.len(), Some(byte))));
        }
        found
    }

    /// Whether the set holds `key`.
    pub fn contains(&self, set: KeySetId, key: &[u8]) -> bool {
        let mut at = set;
        for &byte in key {
            at = self.child(at, byte);
            if at == NO_KEYS {
                return false;
            }
        }
        self.has_empty(at)
    }

    /// The set with `key` added.
    pub fn with(&mut self, set: KeySetId, key: &[u8], budget: &mut Budget) -> KeySetId {
        let mut path = vec![set];
        for &byte in key {
            match self.child(path[path.len() - 1], byte) {
                NO_KEYS => break,
                rest => path.push(rest),
            }
        }
        let (shared, own) = key.split_at(path.len() - 1);
        let last = path[shared.len()];
        let mut made = match own.split_first() {
            None if self.has_empty(last) => return set,
            None => {
                let children = self.children(last).collect();
                self.intern_node(true, children, budget)
            }
            Some((&byte, rest)) => {
                let rest = self.single_key(rest, budget);
                self.with_child(last, byte, rest, budget)
            }
        };
        for (&byte, &at) in shared.iter().zip(&path).rev() {
            made = self.with_child(at, byte, made, budget);
        }
        made
    }

    /// The set whose child at `byte` is replaced.
    fn with_child(&mut self, set: KeySetId, byte: u8, rest: KeySetId, budget: &mut Budget) -> KeySetId {
        let mut children: Vec<(u8, KeySetId)> = self.children(set).collect();
        match children.binary_search_by_key(&byte, |rest| rest.0) {
            Ok(place) => children[place].1 = rest,
            Err(place) => children.insert(place, (byte, rest)),
        }
        self.intern_node(self.has_empty(set), children, budget)
    }

    /// The set that holds `key` only.
    fn single_key(&mut self, key: &[u8], budget: &mut Budget) -> KeySetId {
        let (before, tail) = key.split_at(key.len().saturating_sub(MAX_TAIL_BYTES));
        let tail = self.intern_tail(tail, budget);
        before.iter().rev().fold(tail, |rest, &byte| self.intern_node(false, vec![(byte, rest)], budget))
    }

    fn intern_tail(&mut self, key: &[u8], budget: &mut Budget) -> KeySetId {
        let hash = hash_single_key(key);
        if let Some(&id) = self.by_hash.get(&hash) {
            return id;
        }
        let id = KeySetId::new(TAIL + self.tails.len() as u32);
        key.iter().chain(&[END]).for_each(|&byte| self.tails.push(byte, budget));
        self.by_hash.insert(hash, id, budget);
        id
    }

    pub(super) fn intern_node(&mut self, empty: bool, children: Vec<(u8, KeySetId)>, budget: &mut Budget) -> KeySetId {
        match children[..] {
            [] if empty => return self.intern_tail(b"", budget),
            [(byte, rest)] if !empty => {
                if let Err(place) = self.node_or_tail(rest) {
                    let key: Vec<u8> = [byte].into_iter().chain(self.tail_bytes(place)).collect();
                    if key.len() <= MAX_TAIL_BYTES {
                        return self.intern_tail(&key, budget);
                    }
                }
            }
            _ => {}
        }
        let hash = hash_children(empty, children.iter().map(|&(byte, rest)| (byte, self.hash(rest))));
        if let Some(&id) = self.by_hash.get(&hash) {
            return id;
        }
        let (mut min_chars, mut max_chars) = if empty { (0, 0) } else { (MANY, 0) };
        let mut count = u32::from(empty);
        for &(byte, rest) in &children {
            let own = u32::from(is_lead(byte));
            let (least, most) = self.char_bounds(rest);
            min_chars = min_chars.min(least.saturating_add(own));
            max_chars = max_chars.max(most.saturating_add(own));
            count += self.count(rest) as u32;
        }
        budget.grow(8 * children.len());
        let id = KeySetId::at(self.nodes.len());
        self.nodes.push(Node { hash, empty, children: children.into(), count, min_chars, max_chars }, budget);
        self.by_hash.insert(hash, id, budget);
        id
    }

    /// The number here of the set `root` of another arena. Errors if the budget ends.
    pub fn import(
        &mut self,
        other: &KeySets,
        root: KeySetId,
        imported: &mut ImportedSets,
        budget: &mut Budget,
    ) -> Result<KeySetId> {
        let mut work = vec![(root, false)];
        while let Some((set, ready)) = work.pop() {
            if imported.contains_key(&set) {
                continue;
            }
            budget.renew();
            budget.spend(1)?;
            let made = match other.node_or_tail(set) {
                Ok(node) if !ready => {
                    work.push((set, true));
                    work.extend(node.children.iter().map(|&(_, rest)| (rest, false)));
                    continue;
                }
                Ok(node) => {
                    let children = node.children.iter().map(|&(byte, rest)| (byte, imported[&rest])).collect();
                    self.intern_node(node.empty, children, budget)
                }
                Err(place) => {
                    let key: Vec<u8> = other.tail_bytes(place).collect();
                    self.intern_tail(&key, budget)
                }
            };
            imported.insert(set, made);
        }
        Ok(imported[&root])
    }
}

/// The set of the remainder of a tail behind its first byte.
fn next_in_tail(set: KeySetId) -> KeySetId {
    KeySetId::new(set.number() + 1)
}

/// The hash of a set by its children's hashes.
fn hash_children(empty: bool, children: impl Iterator<Item = (u8, u128)>) -> u128 {
    let mut hash = Hasher128::new(u64::from(empty));
    for (byte, rest) in children {
        hash.word(u64::from(byte));
        hash.wide(rest);
    }
    hash.finish()
}

/// The hash of the set that holds `key` only: equal to the hash of the nodes that a tail stands for.
fn hash_single_key(key: &[u8]) -> u128 {
    key.iter()
        .rev()
        .fold(hash_children(true, [].into_iter()), |rest, &byte| hash_children(false, [(byte, rest)].into_iter()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_its_filter_keys_any_order() {
        let mut sets = KeySets::default();
        let keys: [&[u8]; 6] = [b"", b"a", b"ab", b"b", "é".as_bytes(), b"ab\0"];
        let mut budget = Budget::default();
        let forwards = keys.iter().fold(NO_KEYS, |set, key| sets.with(set, key, &mut budget));
        let backwards = keys.iter().rev().fold(NO_KEYS, |set, key| sets.with(set, key, &mut budget));
        assert_eq!(forwards, backwards);
        assert_eq!((sets.count(forwards), sets.char_bounds(forwards)), (6, (0, 3)));
        assert!(keys.iter().all(|key| sets.contains(forwards, key)));
        assert!(![&b"abc"[..], b"ba", b"\xc3", b"c"].iter().any(|key| sets.contains(forwards, key)));
        assert_eq!(sets.with(forwards, b"ab", &mut budget), forwards);
        assert_ne!(sets.with(forwards, b"c", &mut budget), forwards);
        let mut texts = sets.texts(forwards);
        texts.sort_unstable();
        assert_eq!(texts, [&b""[..], b"a", b"ab", b"ab\0", b"b", "é".as_bytes()]);
        assert!(sets.texts(NO_KEYS).is_empty());
    }

    #[test]
    fn long_keys_and_rests_of_keys_are_sets_like_others() {
        let mut sets = KeySets::default();
        let mut budget = Budget::default();
        let long = "key ".repeat(100);
        let keys = ["", "k", "key", &long, &long[..MAX_TAIL_BYTES], &long[..MAX_TAIL_BYTES + 1]].map(str::as_bytes);
        for key in keys {
            let one = sets.with(NO_KEYS, key, &mut budget);
            assert_eq!((sets.count(one), sets.char_bounds(one)), (1, (key.len() as u32, key.len() as u32)));
            assert!(sets.contains(one, key) && !sets.contains(one, b"kex"));
            let rest = key.iter().fold(one, |set, &byte| sets.child(set, byte));
            assert!(sets.has_empty(rest) && sets.children(rest).next().is_none());
            assert_eq!(sets.hash(one), hash_single_key(key));
            let longer = sets.with(one, b"kex", &mut budget);
            assert_eq!(sets.count(longer), 2);
            assert!([key, b"kex"].iter().all(|key| sets.contains(longer, key)));
        }
        let all =
            |sets: &mut KeySets, budget: &mut Budget| keys.iter().fold(NO_KEYS, |set, key| sets.with(set, key, budget));
        let mut other = KeySets::default();
        other.with(NO_KEYS, b"something else", &mut budget);
        let here = all(&mut sets, &mut budget);
        let mut imported = ImportedSets::default();
        let there = other.import(&sets, here, &mut imported, &mut budget).unwrap();
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
