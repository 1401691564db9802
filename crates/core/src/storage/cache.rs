//! Key → shared value, with a limit in bytes and approximate least-recently-used eviction.
//!
//! The replacement is CLOCK, or second chance (Corbató: *A paging experiment with the Multics system*, 1968). A hit sets a
//! bit and moves nothing, so the lock is held briefly.

use crate::storage::lock::Lock;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use std::hash::Hash;

/// A cache for several threads.
pub struct Cache<K, V> {
    ring: Lock<Ring<K, V>>,
    capacity: usize,
}

struct Ring<K, V> {
    entries: IndexMap<K, Entry<V>, FxBuildHasher>,
    /// The entry that is considered next for eviction.
    hand: usize,
    /// Bytes of all entries.
    bytes: usize,
}

struct Entry<V> {
    value: V,
    bytes: usize,
    /// Whether the entry was hit since the hand last passed.
    used: bool,
}

impl<K: Eq + Hash, V: Clone> Cache<K, V> {
    /// A cache of at most `capacity` bytes.
    pub fn new(capacity: usize) -> Self {
        Cache { ring: Lock::default(), capacity }
    }

    /// The value of a key.
    #[inline]
    pub fn get(&self, key: K) -> Option<V> {
        let mut ring = self.ring.lock();
        let entry = ring.entries.get_mut(&key)?;
        entry.used = true;
        Some(entry.value.clone())
    }

    /// Adds a value of `bytes` bytes and evicts others for it. Does nothing if the key is present or the value too large.
    pub fn put(&self, key: K, value: V, bytes: usize) {
        let bytes = bytes + PER_ENTRY;
        let mut evicted = Vec::new();
        let mut ring = self.ring.lock();
        if ring.entries.contains_key(&key) || bytes > self.capacity {
            return;
        }
        while ring.bytes + bytes > self.capacity {
            evicted.extend(ring.evict());
        }
        ring.entries.insert(key, Entry { value, bytes, used: false });
        ring.bytes += bytes;
        drop(ring);
        // The evicted values are dropped after the lock.
        drop(evicted);
    }

    /// Bytes of all entries.
    pub fn memory_bytes(&self) -> usize {
        self.ring.lock().bytes
    }
}

impl<K, V> Default for Ring<K, V> {
    fn default() -> Self {
        Ring { entries: IndexMap::default(), hand: 0, bytes: 0 }
    }
}

/// Estimated bytes of an entry besides its value.
const PER_ENTRY: usize = 80;

impl<K, V> Ring<K, V> {
    /// Removes an entry that was not hit since the hand last passed. Does nothing if there is no entry.
    fn evict(&mut self) -> Option<V> {
        loop {
            self.hand %= self.entries.len().max(1);
            let (_, entry) = self.entries.get_index_mut(self.hand)?;
            if !std::mem::take(&mut entry.used) {
                break;
            }
            self.hand += 1;
        }
        // The last entry moves here; the hand considers it in the next round.
        let (_, entry) = self.entries.swap_remove_index(self.hand)?;
        self.hand += 1;
        self.bytes -= entry.bytes;
        Some(entry.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(cache: &Cache<u32, u32>) -> Vec<u32> {
        let ring = cache.ring.lock();
        assert_eq!(ring.bytes, ring.entries.values().map(|entry| entry.bytes).sum::<usize>());
        assert!(ring.bytes <= cache.capacity);
        let mut keys: Vec<u32> = ring.entries.keys().copied().collect();
        keys.sort_unstable();
        keys
    }

    #[test]
    fn used_entries_stay() {
        let cache = Cache::new(10 * (100 + PER_ENTRY));
        for key in 0..1_000 {
            cache.put(key, key, 100);
            assert_eq!(cache.get(key), Some(key));
            assert!(key < 3 || cache.get(3) == Some(3), "3 is asked for all the time");
            assert!(kept(&cache).len() <= 10);
        }
        assert_eq!(kept(&cache).len(), 10);
    }

    #[test]
    fn large_values_push_many_out_and_too_large_ones_are_not_kept() {
        let cache = Cache::new(1_000);
        (0..5).for_each(|key| cache.put(key, key, 100));
        cache.put(9, 9, 700);
        assert!(kept(&cache).contains(&9) && kept(&cache).len() < 4);
        cache.put(10, 10, 1_000);
        assert_eq!(cache.get(10), None);
        cache.put(9, 8, 1);
        assert_eq!(cache.get(9), Some(9), "what is there is there");
    }
}
