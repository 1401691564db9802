//! 128-bit hash → the number of the content with this hash.
//!
//! The keys are good hashes already, so a general hash table would hash twice and store the keys. A slot has 64 bits: half
//! of the hash and the number. The content belongs to the caller, who confirms a match.

use crate::error::Result;
use crate::limits::Budget;
use std::sync::Arc;

/// Slots of a table with entries, 8 bytes each: 80 entries fit before it grows again. Chosen without measurement.
const FIRST_SLOTS: usize = 128;

/// A table with open addressing and linear probing, on top of a shared one.
#[derive(Clone, Default)]
pub(crate) struct HashIndex {
    /// A power of two of slots; 0 is free.
    slots: Vec<u64>,
    /// Entries of this layer.
    count: usize,
    /// The shared table.
    below: Option<Arc<HashIndex>>,
}

impl HashIndex {
    /// The number under a hash; `has` confirms that the content of a candidate has this hash.
    #[inline]
    pub fn get(&self, hash: u128, has: impl Fn(u32) -> bool) -> Option<u32> {
        let found = self.find_own(hash, &has);
        match &self.below {
            Some(below) if found.is_none() => below.find_own(hash, has),
            _ => found,
        }
    }

    /// As `get`, in this layer only.
    #[inline]
    fn find_own(&self, hash: u128, has: impl Fn(u32) -> bool) -> Option<u32> {
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

    /// Makes room for one more entry. Errors if the old and the new slots together exceed the limit of memory.
    pub fn reserve(&mut self, budget: &mut Budget) -> Result<()> {
        if self.is_full() {
            budget.check_room(self.next_len() * 8)?;
            self.grow(budget);
        }
        Ok(())
    }

    /// Adds a number under a hash that is not present.
    pub fn insert(&mut self, hash: u128, id: u32, budget: &mut Budget) {
        if self.is_full() {
            self.grow(budget);
        }
        self.count += 1;
        self.put(u64::from(hash as u32) << 32 | u64::from(id + 1));
    }

    /// Whether one more entry needs more slots.
    fn is_full(&self) -> bool {
        // A miss expects (1 + 1/(1 − load)²) / 2 probes: 4 at a load of five eighths, 8 at three quarters.
        (self.count + 1) * 8 > self.slots.len() * 5
    }

    /// The slots after the next growth.
    fn next_len(&self) -> usize {
        (self.slots.len() * 2).max(FIRST_SLOTS)
    }

    #[cold]
    fn grow(&mut self, budget: &mut Budget) {
        let more = self.next_len();
        budget.grow((more - self.slots.len()) * 8);
        let slots = std::mem::replace(&mut self.slots, vec![0; more]);
        slots.into_iter().filter(|&slot| slot != 0).for_each(|slot| self.put(slot));
    }

    /// A copy on the frozen part.
    pub fn overlay(&self) -> Self {
        self.clone()
    }

    /// Merges this layer into the shared table, if it has more entries than that.
    pub fn freeze(&mut self) {
        let below = self.below.as_ref().map_or(0, |below| below.count);
        if self.count <= below {
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

    /// Writes a slot at the next free position.
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
    use crate::limits::Limits;

    #[test]
    fn a_table_does_not_grow_beyond_the_limit_of_memory() {
        let mut ids = HashIndex::default();
        let mut budget = Budget::default();
        // 128 slots hold eighty entries; then 256 take 2,048 bytes beside the 1,024 of the old ones.
        let mut filled = |memory| {
            budget.begin(&Limits { memory, ..Limits::default() });
            let before = ids.count;
            while ids.count < 160 && ids.reserve(&mut budget).is_ok() {
                ids.insert(ids.count as u128, ids.count as u32, &mut budget);
            }
            ids.count - before
        };
        assert_eq!((filled(1_023), filled(3_071), filled(3_072)), (0, 80, 80));
        assert_eq!((ids.slots.len(), budget.held()), (256, 2_048));
    }

    #[test]
    fn inserted_hashes_are_found() {
        let mut ids = HashIndex::default();
        let mut budget = Budget::default();
        assert_eq!(ids.get(7, |_| true), None);
        // Many hashes share their low bits, and some share all 32 bits that a slot keeps.
        let hashes: Vec<u128> = (0..1_000u128).map(|at| ((at / 2) << 10) | ((at % 2) << 64)).collect();
        for (id, &hash) in hashes.iter().enumerate() {
            assert_eq!(ids.get(hash, |other| hashes[other as usize] == hash), None);
            ids.insert(hash, id as u32, &mut budget);
            if [100, 130, 900].contains(&id) {
                ids.freeze();
                assert_eq!(ids.below.as_ref().map(|below| below.count), Some(if id < 900 { 101 } else { 901 }));
            }
        }
        for (id, &hash) in hashes.iter().enumerate() {
            assert_eq!(ids.get(hash, |other| hashes[other as usize] == hash), Some(id as u32));
        }
    }
}
