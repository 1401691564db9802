//! What a search meets on its way → whether it is new: a list as long as that is short, which it nearly always is.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::hash::Hash;

const FEW: usize = 16;

pub(crate) struct Visited<T> {
    few: SmallVec<[T; FEW]>,
    many: FxHashSet<T>,
}

impl<T> Default for Visited<T> {
    fn default() -> Self {
        Visited { few: SmallVec::new(), many: FxHashSet::default() }
    }
}

impl<T: Copy + Eq + Hash> Visited<T> {
    /// Whether it is met for the first time.
    pub fn insert(&mut self, item: T) -> bool {
        if self.few.len() < FEW {
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
