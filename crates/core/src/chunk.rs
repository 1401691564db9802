//! Terms as they are made → a vector in chunks that clones share: what is full is never copied again, nor moved.
//!
//! The terms of an arena are asked for at every step of every walk. A chunk is found by its number, whoever made it, so
//! that what an automaton has from its grammar is read as fast as what it has made itself; and a vector that doubles
//! would hold twice, for a moment three times, what is in it.

use crate::limit::Budget;
use std::ops::Index;
use std::sync::Arc;

/// What a clone has to copy once it goes on is half of this, on average.
const SIZE: usize = 32;

#[derive(Clone)]
pub(crate) struct Chunks<T> {
    chunks: Vec<Arc<[T; SIZE]>>,
    len: usize,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Chunks { chunks: Vec::new(), len: 0 }
    }
}

impl<T: Clone + Default> Chunks<T> {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn push(&mut self, value: T, budget: &mut Budget) {
        let (chunk, place) = (self.len / SIZE, self.len % SIZE);
        if place == 0 {
            budget.grow(size_of::<[T; SIZE]>() + 24);
            self.chunks.push(Arc::new(std::array::from_fn(|_| T::default())));
        }
        Arc::make_mut(&mut self.chunks[chunk])[place] = value;
        self.len += 1;
    }

    /// A value to be changed; in all clones that share it, it stays as it is.
    pub fn get_mut(&mut self, place: usize) -> &mut T {
        &mut Arc::make_mut(&mut self.chunks[place / SIZE])[place % SIZE]
    }
}

impl<T> Index<usize> for Chunks<T> {
    type Output = T;

    #[inline]
    fn index(&self, place: usize) -> &T {
        &self.chunks[place / SIZE][place % SIZE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_go_on_alone() {
        let mut budget = Budget::default();
        let mut one = Chunks::default();
        (0..40).for_each(|value| one.push(value, &mut budget));
        let mut other = one.clone();
        (40..70).for_each(|value| other.push(value, &mut budget));
        (40..70).for_each(|value| one.push(1_000 + value, &mut budget));
        *other.get_mut(3) = 7;
        let values = |chunks: &Chunks<usize>| (0..chunks.len()).map(|place| chunks[place]).collect::<Vec<_>>();
        assert_eq!(values(&one), (0..40).chain(1_040..1_070).collect::<Vec<_>>());
        assert_eq!(values(&other), (0..3).chain([7]).chain(4..70).collect::<Vec<_>>());
        assert!(Arc::ptr_eq(&one.clone().chunks[0], &one.chunks[0]));
    }
}
