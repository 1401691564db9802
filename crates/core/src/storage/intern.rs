//! 128-bit hash → the number of the content with this hash.
//!
//! The content belongs to the caller, who confirms a match: a table keeps a quarter of each hash.

use crate::error::Result;
use crate::limits::Budget;
use hashbrown::HashTable;
use std::sync::Arc;

/// A table on top of a shared one.
#[derive(Clone, Default)]
pub(crate) struct HashIndex {
    /// 32 bits of each hash, and the number under it.
    own: HashTable<(u32, u32)>,
    /// The shared table.
    below: Option<Arc<HashIndex>>,
}

impl HashIndex {
    /// The number under a hash; `has` confirms that the content of a candidate has this hash.
    #[inline]
    pub fn get(&self, hash: u128, has: impl Fn(u32) -> bool) -> Option<u32> {
        let part = hash as u32;
        let is_found = |&(other, id): &(u32, u32)| other == part && has(id);
        let find = |layer: &Self| layer.own.find(spread(part), is_found).map(|&(_, id)| id);
        find(self).or_else(|| find(self.below.as_deref()?))
    }

    /// Errors if one more entry needs a larger table, and that exceeds the limit of memory beside this one.
    pub fn reserve(&self, budget: &mut Budget) -> Result<()> {
        match self.own.len() == self.own.capacity() {
            true => budget.check_room(2 * self.own.allocation_size()),
            false => Ok(()),
        }
    }

    /// Adds a number under a hash that is not present.
    pub fn insert(&mut self, hash: u128, id: u32, budget: &mut Budget) {
        let before = self.own.allocation_size();
        self.put((hash as u32, id));
        budget.grow(self.own.allocation_size() - before);
    }

    fn put(&mut self, entry: (u32, u32)) {
        self.own.insert_unique(spread(entry.0), entry, |&(part, _)| spread(part));
    }

    /// A copy on the frozen part.
    pub fn overlay(&self) -> Self {
        self.clone()
    }

    /// Merges this layer into the shared table, if it has more entries than that.
    pub fn freeze(&mut self) {
        let below = self.below.as_ref().map_or(0, |below| below.own.len());
        if self.own.len() <= below {
            return;
        }
        let mut all = std::mem::take(self);
        if let Some(below) = all.below.take() {
            below.own.iter().for_each(|&entry| all.put(entry));
        }
        self.below = Some(Arc::new(all));
    }
}

/// A hash of part of a hash. Tables take their place from its low bits and compare the high ones.
fn spread(part: u32) -> u64 {
    u64::from(part).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn a_table_does_not_grow_beyond_the_limit_of_memory() {
        let mut ids = HashIndex::default();
        let mut budget = Budget::default();
        (0..112).for_each(|id| ids.insert(id.into(), id, &mut budget));
        let (full, held) = (ids.own.allocation_size(), budget.held());
        assert_eq!((ids.own.capacity(), held), (112, full), "seven eighths of 128 places");
        for (memory, is_room) in [(3 * full - 1, false), (3 * full, true)] {
            budget.begin(&Limits { memory, ..Limits::default() });
            assert_eq!(ids.reserve(&mut budget).is_ok(), is_room);
        }
        ids.insert(112, 112, &mut budget);
        assert!(ids.reserve(&mut budget).is_ok() && budget.held() == ids.own.allocation_size());
        assert!(budget.held() <= 2 * full);
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
                assert_eq!(ids.below.as_ref().map(|below| below.own.len()), Some(if id < 900 { 101 } else { 901 }));
            }
        }
        for (id, &hash) in hashes.iter().enumerate() {
            assert_eq!(ids.get(hash, |other| hashes[other as usize] == hash), Some(id as u32));
        }
    }
}
