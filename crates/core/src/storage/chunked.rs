//! Terms as they are made → a vector in chunks that clones share: what is full is never copied again, nor moved.
//!
//! The terms of an arena are asked for at every step of every walk. A chunk is found by its number, whoever made it, so
//! that what an automaton has from its grammar is read as fast as what it has made itself; and a vector that doubles
//! would hold twice, for a moment three times, what is in it.
//!
//! What all grammars have in common is one slice below the chunks. A chunk that is shared costs a step on its count,
//! where it lies, for each clone that is made and once more for each that goes: for the terms of a prelude that would be
//! more than the new terms of most grammars cost.

use crate::limits::Budget;
use std::ops::Index;
use std::sync::Arc;

/// What a clone has to copy once it goes on is half of this, on average.
const SIZE: usize = 16;

#[derive(Clone)]
pub(crate) struct Chunks<T> {
    below: Arc<[T]>,
    chunks: Vec<Arc<[T; SIZE]>>,
    /// How many there are above those below.
    own: usize,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Chunks { below: Arc::default(), chunks: Vec::new(), own: 0 }
    }
}

impl<T: Clone + Default> Chunks<T> {
    pub fn len(&self) -> usize {
        self.below.len() + self.own
    }

    pub fn push(&mut self, value: T, budget: &mut Budget) {
        let (chunk, place) = (self.own / SIZE, self.own % SIZE);
        if place == 0 {
            budget.grow(size_of::<[T; SIZE]>() + 24);
            self.chunks.push(Arc::new(std::array::from_fn(|_| T::default())));
        }
        Arc::make_mut(&mut self.chunks[chunk])[place] = value;
        self.own += 1;
    }

    /// A value to be changed; in all clones that share it, it stays as it is.
    pub fn get_mut(&mut self, place: usize) -> &mut T {
        match place.checked_sub(self.below.len()) {
            Some(place) => &mut Arc::make_mut(&mut self.chunks[place / SIZE])[place % SIZE],
            None => &mut Arc::make_mut(&mut self.below)[place],
        }
    }

    /// A copy that shares all full chunks.
    pub fn overlay(&self) -> Self {
        self.clone()
    }

    /// Chunks are shared as they are: nothing is left to do.
    pub fn freeze(&mut self) {}

    /// Many above few become one slice; few are left to be shared as they are.
    pub fn compact(&mut self) {
        if self.own > self.below.len() {
            let all = (0..self.len()).map(|place| self[place].clone()).collect();
            *self = Chunks { below: all, chunks: Vec::new(), own: 0 };
        }
    }
}

impl<T> Index<usize> for Chunks<T> {
    type Output = T;

    #[inline]
    fn index(&self, place: usize) -> &T {
        match place.checked_sub(self.below.len()) {
            Some(place) => &self.chunks[place / SIZE][place % SIZE],
            None => &self.below[place],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_go_on_alone() {
        let mut budget = Budget::default();
        let mut one = Chunks::default();
        (0..33).for_each(|value| one.push(value, &mut budget));
        one.compact();
        (33..40).for_each(|value| one.push(value, &mut budget));
        one.compact();
        let mut other = one.clone();
        (40..70).for_each(|value| other.push(value, &mut budget));
        (40..70).for_each(|value| one.push(1_000 + value, &mut budget));
        *other.get_mut(3) = 7;
        let values = |chunks: &Chunks<usize>| (0..chunks.len()).map(|place| chunks[place]).collect::<Vec<_>>();
        assert_eq!(values(&one), (0..40).chain(1_040..1_070).collect::<Vec<_>>());
        assert_eq!(values(&other), (0..3).chain([7]).chain(4..70).collect::<Vec<_>>());
        assert!(Arc::ptr_eq(&one.clone().chunks[0], &one.chunks[0]));
        assert_eq!((one.below.len(), one.len()), (33, 70));
    }
}
