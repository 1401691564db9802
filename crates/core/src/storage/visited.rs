//! Element → whether a search meets it for the first time.
//!
//! Most searches are short: a list without allocations serves them, and a hash set the others.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::hash::Hash;

/// Elements up to which a linear scan replaces the hash set. Chosen without measurement.
const LINEAR_MAX: usize = 16;

/// The elements that a search has met.
pub(crate) struct Visited<T> {
    few: SmallVec<[T; LINEAR_MAX]>,
    many: FxHashSet<T>,
}

impl<T> Default for Visited<T> {
    fn default() -> Self {
        Visited { few: SmallVec::new(), many: FxHashSet::default() }
    }
}

impl<T: Copy + Eq + Hash> Visited<T> {
    /// Adds an element and returns whether it is new.
    pub fn insert(&mut self, item: T) -> bool {
        if self.few.len() < LINEAR_MAX {
            let new = !self.few.contains(&item);
            if new {
                self.few.push(item);
            }
            return new;
        }
        if self.many.is_empty() {
            self.many.extend(self.few.iter().copied());
        }
        self.many.insert(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_element_is_new_once_in_short_and_in_long_searches() {
        for count in [1, 15, 16, 17, 40] {
            let mut visited = Visited::default();
            for item in 0..count {
                assert!(visited.insert(item), "{item} of {count}");
                assert!((0..=item).all(|before| !visited.insert(before)), "{item} of {count}");
            }
        }
    }
}
