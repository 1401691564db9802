//! Index → element, in chunks that clones share: full chunks are neither copied nor moved.
//!
//! Every step of every walk reads terms, so an inherited term must be as fast to read as an own one. A vector that doubles
//! would also hold up to three times its content while it grows.
//!
//! Elements common to all grammars form one slice below the chunks. Each clone increments a reference count per chunk,
//! which for the many terms of a prelude would cost more than most grammars' own terms.

use crate::limits::Budget;
use std::ops::Index;
use std::sync::Arc;

/// Elements of a chunk. A clone that grows copies half a chunk on average. Chosen without measurement.
const SIZE: usize = 16;

/// A growing list that is cheap to clone.
#[derive(Clone)]
pub(crate) struct Chunks<T> {
    /// The elements of `compact`.
    below: Arc<[T]>,
    /// The elements above; the last chunk may be partly unused.
    chunks: Vec<Arc<[T; SIZE]>>,
    /// The number of elements above `below`.
    own: usize,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Chunks { below: Arc::default(), chunks: Vec::new(), own: 0 }
    }
}

impl<T: Clone + Default> Chunks<T> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.below.len() + self.own
    }

    /// Appends an element and reports a new chunk to the budget.
    pub fn push(&mut self, value: T, budget: &mut Budget) {
        let (chunk, place) = (self.own / SIZE, self.own % SIZE);
        if place == 0 {
            budget.grow(size_of::<[T; SIZE]>() + 24);
            self.chunks.push(Arc::new(std::array::from_fn(|_| T::default())));
        }
        Arc::make_mut(&mut self.chunks[chunk])[place] = value;
        self.own += 1;
    }

    /// A mutable element; clones keep the old value.
    pub fn get_mut(&mut self, place: usize) -> &mut T {
        match place.checked_sub(self.below.len()) {
            Some(place) => &mut Arc::make_mut(&mut self.chunks[place / SIZE])[place % SIZE],
            None => &mut Arc::make_mut(&mut self.below)[place],
        }
    }

    /// A clone, which shares all full chunks.
    pub fn overlay(&self) -> Self {
        self.clone()
    }

    /// The slice of `compact`, which all clones made since then share.
    pub fn base(&self) -> &Arc<[T]> {
        &self.below
    }

    /// Does nothing: chunks are shared as they are.
    pub fn freeze(&mut self) {}

    /// Copies all elements into one slice, if most are above the present slice.
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
    fn clones_diverge() {
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
