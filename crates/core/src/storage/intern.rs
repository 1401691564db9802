//! Hash of a content → the number of what has it.
//!
//! Contents are hashed to 128 good bits before they are looked up: hashing those again would be work for nothing. A slot
//! is 64 bits, half of them of the hash and half the number; whose content it is says who keeps it. What all grammars
//! have in common is shared; what is above it takes some kilobytes for a few hundred terms, which is what a new automaton
//! copies.

use crate::limits::Budget;
use std::sync::Arc;

/// Slots of a fresh table.
const ROOM: usize = 128;

#[derive(Clone, Default)]
pub(crate) struct HashIndex {
    /// Open addressing, step by step; 0: free. As many as a power of two.
    slots: Vec<u64>,
    held: usize,
    below: Option<Arc<HashIndex>>,
}

impl HashIndex {
    /// The number that was put under the hash; `has` tells whether that content is really this one.
    #[inline]
    pub fn get(&self, hash: u128, has: impl Fn(u32) -> bool) -> Option<u32> {
        let found = self.own(hash, &has);
        match &self.below {
            Some(below) if found.is_none() => below.own(hash, has),
            _ => found,
        }
    }

    #[inline]
    fn own(&self, hash: u128, has: impl Fn(u32) -> bool) -> Option<u32> {
        let last = self.slots.len().checked_sub(1)?;
        let part = hash as u32;
        let mut at = part as usize & last;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            if (slot >> 32) as u32 == part && has(slot as u32 - 1) {
                return Some(slot as u32 - 1);
            }
            at = (at + 1) & last;
        }
    }

    /// Put a number that is not there yet.
    pub fn insert(&mut self, hash: u128, id: u32, budget: &mut Budget) {
        self.held += 1;
        // NonAsciiTransitions five eighths the way to a free slot becomes long.
        if self.held * 8 > self.slots.len() * 5 {
            let more = (self.slots.len() * 2).max(16);
            budget.grow((more - self.slots.len()) * 8);
            let slots = std::mem::replace(&mut self.slots, vec![0; more]);
            slots.into_iter().filter(|&slot| slot != 0).for_each(|slot| self.put(slot));
        }
        self.put(u64::from(hash as u32) << 32 | u64::from(id + 1));
    }

    /// A copy with room for what most grammars add, all at once. `room_bytes` tells what that room takes.
    pub fn overlay(&self) -> Self {
        let mut above = self.clone();
        if above.slots.is_empty() {
            above.slots = vec![0; ROOM];
        }
        above
    }

    /// Bytes that `above` adds.
    pub fn room_bytes(&self) -> usize {
        if self.slots.is_empty() {
            ROOM * 8
        } else {
            0
        }
    }

    /// Many above few become one table for all clones; few are copied.
    pub fn freeze(&mut self) {
        let below = self.below.as_ref().map_or(0, |below| below.held);
        if self.held <= below {
            return;
        }
        let mut all = std::mem::take(self);
        if let Some(below) = all.below.take() {
            let mut budget = Budget::default();
            for slot in below.slots.iter().filter(|&&slot| slot != 0) {
                all.insert(u128::from((slot >> 32) as u32), *slot as u32 - 1, &mut budget);
            }
        }
        self.below = Some(Arc::new(all));
    }

    fn put(&mut self, slot: u64) {
        let last = self.slots.len() - 1;
        let mut at = (slot >> 32) as usize & last;
        while self.slots[at] != 0 {
            at = (at + 1) & last;
        }
        self.slots[at] = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_found() {
        let mut ids = HashIndex::default();
        let mut budget = Budget::default();
        assert_eq!(ids.get(7, |_| true), None);
        // Many share the low bits, and some all bits that are kept.
        let hashes: Vec<u128> = (0..1_000u128).map(|at| ((at / 2) << 10) | ((at % 2) << 64)).collect();
        for (id, &hash) in hashes.iter().enumerate() {
            assert_eq!(ids.get(hash, |other| hashes[other as usize] == hash), None);
            ids.insert(hash, id as u32, &mut budget);
            if [100, 130, 900].contains(&id) {
                ids.freeze();
                assert_eq!(ids.below.as_ref().map(|below| below.held), Some(if id < 900 { 101 } else { 901 }));
            }
        }
        for (id, &hash) in hashes.iter().enumerate() {
            assert_eq!(ids.get(hash, |other| hashes[other as usize] == hash), Some(id as u32));
        }
    }
}
