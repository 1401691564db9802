//! Key → what many share, bounded by bytes: least recently used leaves first, more or less.
//!
//! The clock (second chance): entries stand in a ring, a hit sets the entry's bit, and the hand passes over entries
//! whose bit is set, clearing it. A hit so costs a look-up and a bit; nothing is moved.

use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub struct Cache<K, V>(Mutex<Ring<K, V>>);

struct Ring<K, V> {
    places: FxHashMap<K, u32>,
    entries: Vec<Entry<K, V>>,
    hand: usize,
    bytes: usize,
    most: usize,
}

struct Entry<K, V> {
    key: K,
    value: V,
    bytes: usize,
    used: bool,
}

impl<K: Copy + Eq + Hash, V: Clone> Cache<K, V> {
    pub fn new(most: usize) -> Self {
        Cache(Mutex::new(Ring { places: FxHashMap::default(), entries: Vec::new(), hand: 0, bytes: 0, most }))
    }

    #[inline]
    pub fn get(&self, key: K) -> Option<V> {
        let mut ring = lock(&self.0);
        let place = *ring.places.get(&key)?;
        let entry = &mut ring.entries[place as usize];
        entry.used = true;
        Some(entry.value.clone())
    }

    /// Keep a value of so many bytes; others leave for it. One that is larger than all room is not kept.
    pub fn put(&self, key: K, value: V, bytes: usize) {
        let bytes = bytes + PER_ENTRY;
        let mut left = Vec::new();
        let mut ring = lock(&self.0);
        if ring.places.contains_key(&key) || bytes > ring.most {
            return;
        }
        while ring.bytes + bytes > ring.most {
            left.push(ring.evict());
        }
        let place = ring.entries.len() as u32;
        ring.places.insert(key, place);
        ring.entries.push(Entry { key, value, bytes, used: false });
        ring.bytes += bytes;
        drop(ring);
        // What left is freed where nobody waits for it.
        drop(left);
    }

    pub fn memory_bytes(&self) -> usize {
        lock(&self.0).bytes
    }
}

/// An entry and its place in the table.
const PER_ENTRY: usize = 80;

impl<K: Copy + Eq + Hash, V> Ring<K, V> {
    fn evict(&mut self) -> V {
        loop {
            if self.hand >= self.entries.len() {
                self.hand = 0;
            }
            let entry = &mut self.entries[self.hand];
            if !std::mem::take(&mut entry.used) {
                break;
            }
            self.hand += 1;
        }
        // The last entry takes the place: it is met again when the hand comes round.
        let entry = self.entries.swap_remove(self.hand);
        self.places.remove(&entry.key);
        if let Some(moved) = self.entries.get(self.hand) {
            self.places.insert(moved.key, self.hand as u32);
        }
        self.hand += 1;
        self.bytes -= entry.bytes;
        entry.value
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A cache is valid at every step: a thread that panicked while holding it leaves nothing half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(cache: &Cache<u32, u32>) -> Vec<u32> {
        let ring = lock(&cache.0);
        assert_eq!(ring.bytes, ring.entries.iter().map(|entry| entry.bytes).sum::<usize>());
        assert!(ring.bytes <= ring.most);
        assert!(ring.places.iter().all(|(key, &place)| ring.entries[place as usize].key == *key));
        let mut keys: Vec<u32> = ring.places.keys().copied().collect();
        keys.sort_unstable();
        keys
    }

    #[test]
    fn what_is_used_stays() {
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
