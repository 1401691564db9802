//! Frozen layers and a mutable top → lists, tables and maps that many arenas share.
//!
//! An automaton's arena is an overlay on its grammar's, and that on the arena of all schemas with the same options. Freezing
//! a structure makes its content shareable; overlays add on top. Reads try the top layer first, which holds nearly all that
//! a running automaton needs.
//!
//! Allocations are reported to a budget by capacity, not by length.

use crate::limits::Budget;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::Index;
use std::sync::Arc;

/// A struct whose fields are layered, with `overlay` (an empty top layer on the frozen part) and `freeze` (shares the top
/// layer), field by field. Fields of a second block are copied.
macro_rules! layered {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field_visibility:vis $field:ident : $type:ty,)*
        }
        $({ $($(#[$copied_meta:meta])* $copied_visibility:vis $copied:ident : $copied_type:ty,)* })?
    ) => {
        $(#[$meta])*
        #[derive(Clone)]
        $visibility struct $name {
            $($(#[$field_meta])* $field_visibility $field: $type,)*
            $($($(#[$copied_meta])* $copied_visibility $copied: $copied_type,)*)?
        }

        impl $name {
            pub(crate) fn overlay(&self) -> Self {
                $name { $($field: self.$field.overlay(),)* $($($copied: self.$copied.clone(),)*)? }
            }

            pub(crate) fn freeze(&mut self) {
                $(self.$field.freeze();)*
            }
        }
    };
}
pub(crate) use layered;

/// Layers of a stack. `freeze` merges higher stacks, which bounds the cost of a read. Chosen without measurement.
const MAX_LAYERS: usize = 4;

/// A vector in layers.
#[derive(Clone)]
pub(crate) struct List<T> {
    below: Option<Arc<List<T>>>,
    /// The length of all lower layers.
    start: usize,
    own: Vec<T>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List { below: None, start: 0, own: Vec::new() }
    }
}

impl<T> List<T> {
    /// An empty top layer on the frozen part of `self`.
    pub fn overlay(&self) -> Self {
        List { below: self.below.clone(), start: self.start, own: Vec::new() }
    }

    /// The number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.start + self.own.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends an element.
    #[inline]
    pub fn push(&mut self, value: T, budget: &mut Budget) {
        if self.own.len() == self.own.capacity() {
            self.grow(budget);
        }
        self.own.push(value);
    }

    /// Makes room for one more element and reports the allocation to the budget.
    #[cold]
    fn grow(&mut self, budget: &mut Budget) {
        let before = self.own.capacity();
        self.own.reserve(1);
        budget.grow((self.own.capacity() - before) * size_of::<T>());
    }

    /// The element in the lower layers.
    #[cold]
    fn lower(&self, place: usize) -> &T {
        let mut layer = self;
        while let Some(below) = layer.below.as_deref() {
            layer = below;
            if let Some(place) = place.checked_sub(layer.start) {
                return &layer.own[place];
            }
        }
        unreachable!("the lowest layer starts at 0")
    }
}

impl<T> Index<usize> for List<T> {
    type Output = T;

    #[inline]
    fn index(&self, place: usize) -> &T {
        match place.checked_sub(self.start) {
            Some(place) => &self.own[place],
            None => self.lower(place),
        }
    }
}

impl<T: Clone> List<T> {
    /// Freezes the top layer, so that overlays can share it.
    pub fn freeze(&mut self) {
        if self.own.is_empty() {
            return;
        }
        if layers(self, |list| list.below.as_deref()) >= MAX_LAYERS {
            self.flatten();
        }
        let start = self.len();
        let below = std::mem::take(self);
        *self = List { below: Some(Arc::new(below)), start, own: Vec::new() };
    }

    /// A mutable element; other overlays keep the old value.
    pub fn get_mut(&mut self, place: usize) -> &mut T {
        if place < self.start {
            self.flatten();
        }
        &mut self.own[place - self.start]
    }

    /// Merges all layers into one.
    fn flatten(&mut self) {
        let own = (0..self.len()).map(|place| self[place].clone()).collect();
        *self = List { below: None, start: 0, own };
    }
}

/// A hash table in layers, without removal.
#[derive(Clone)]
pub(crate) struct Table<K, V> {
    below: Option<Arc<Table<K, V>>>,
    own: FxHashMap<K, V>,
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Self {
        Table { below: None, own: FxHashMap::default() }
    }
}

impl<K: Clone + Eq + Hash, V: Clone> Table<K, V> {
    /// An empty top layer on the frozen part of `self`.
    pub fn overlay(&self) -> Self {
        Table { below: self.below.clone(), own: FxHashMap::default() }
    }

    /// The value of a key, from the highest layer that has it.
    pub fn get(&self, key: &K) -> Option<&V> {
        let mut layer = self;
        loop {
            if let Some(value) = layer.own.get(key) {
                return Some(value);
            }
            layer = layer.below.as_deref()?;
        }
    }

    /// Adds an entry to the top layer.
    pub fn insert(&mut self, key: K, value: V, budget: &mut Budget) {
        if self.own.len() == self.own.capacity() {
            let before = self.bytes();
            self.own.reserve(1);
            budget.grow(self.bytes() - before);
        }
        self.own.insert(key, value);
    }

    /// Heap bytes of the top layer; hashbrown fills at most seven eighths of a power of two.
    fn bytes(&self) -> usize {
        match self.own.capacity() {
            0 => 0,
            capacity => (capacity * 8 / 7).next_power_of_two() * (size_of::<(K, V)>() + 1) + 16,
        }
    }

    /// Freezes the top layer, so that overlays can share it.
    pub fn freeze(&mut self) {
        if self.own.is_empty() {
            return;
        }
        if layers(self, |table| table.below.as_deref()) >= MAX_LAYERS {
            let mut all = std::mem::take(&mut self.own);
            let mut layer = self.below.as_deref();
            while let Some(table) = layer {
                all.extend(table.own.iter().map(|(key, value)| (key.clone(), value.clone())));
                layer = table.below.as_deref();
            }
            *self = Table { below: None, own: all };
        }
        let below = std::mem::take(self);
        self.below = Some(Arc::new(below));
    }
}

/// A sparse map from small numbers to values, for memos that few ids have.
#[derive(Clone)]
pub(crate) struct IdMap<T> {
    below: Option<Arc<IdMap<T>>>,
    /// Number → index of its value, counted from 1; 0 for none.
    places: Vec<u32>,
    values: Vec<T>,
}

impl<T> Default for IdMap<T> {
    fn default() -> Self {
        IdMap { below: None, places: Vec::new(), values: Vec::new() }
    }
}

impl<T: Clone + Default> IdMap<T> {
    /// An empty top layer on the frozen part of `self`.
    pub fn overlay(&self) -> Self {
        IdMap { below: self.below.clone(), places: Vec::new(), values: Vec::new() }
    }

    /// The value of a number, from the highest layer that has it.
    #[inline]
    pub fn get(&self, place: usize) -> Option<&T> {
        match self.places.get(place) {
            Some(&at) if at != 0 => self.values.get(at as usize - 1),
            _ if self.below.is_none() => None,
            _ => self.lower(place),
        }
    }

    /// The value in the lower layers.
    #[inline(never)]
    fn lower(&self, place: usize) -> Option<&T> {
        self.below.as_deref()?.get(place)
    }

    /// The mutable value of a number in the top layer, at first a copy of the lower layers' value or the default.
    pub fn get_mut(&mut self, place: usize, budget: &mut Budget) -> &mut T {
        if self.places.len() <= place {
            // Rounded up, because the next numbers are usually needed next.
            let before = self.places.capacity();
            self.places.resize((place | 63) + 1, 0);
            budget.grow((self.places.capacity() - before) * size_of::<u32>());
        }
        let mut at = self.places[place] as usize;
        if at == 0 {
            let value = if self.below.is_none() { None } else { self.lower(place).cloned() };
            let before = self.values.capacity();
            self.values.push(value.unwrap_or_default());
            budget.grow((self.values.capacity() - before) * size_of::<T>());
            at = self.values.len();
            self.places[place] = at as u32;
        }
        &mut self.values[at - 1]
    }

    /// Freezes the top layer, so that overlays can share it.
    pub fn freeze(&mut self) {
        if self.values.is_empty() {
            return;
        }
        if layers(self, |values| values.below.as_deref()) >= MAX_LAYERS {
            // Memos can be recomputed, so dropping them is cheaper than merging.
            self.below = None;
        }
        let below = std::mem::take(self);
        self.below = Some(Arc::new(below));
    }
}

/// The number of layers of a stack.
fn layers<L>(top: &L, below: impl Fn(&L) -> Option<&L>) -> usize {
    std::iter::successors(Some(top), |layer| below(layer)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    layered! {
        #[derive(Default)]
        struct Three {
            list: List<u64>,
            table: Table<u64, u64>,
            map: IdMap<u64>,
        }
    }

    fn values(list: &List<u64>) -> Vec<u64> {
        (0..list.len()).map(|place| list[place]).collect()
    }

    #[test]
    fn a_list_grows_above_the_layers_that_others_share() {
        let (mut budget, mut ground) = (Budget::default(), List::default());
        assert!(ground.is_empty());
        (0..3).for_each(|value| ground.push(value, &mut budget));
        ground.freeze();
        let [mut one, mut other] = [ground.overlay(), ground.overlay()];
        assert_eq!((one.len(), one.is_empty()), (3, false));
        one.push(10, &mut budget);
        (20..23).for_each(|value| other.push(value, &mut budget));
        assert_eq!((values(&one), values(&other)), (vec![0, 1, 2, 10], vec![0, 1, 2, 20, 21, 22]));
        other.freeze();
        other.push(30, &mut budget);
        assert_eq!(values(&other), [0, 1, 2, 20, 21, 22, 30]);
        assert_eq!(values(&other.overlay()), [0, 1, 2, 20, 21, 22], "what is not frozen is not shared");
        *one.get_mut(3) = 13;
        assert_eq!((values(&one), one.start), (vec![0, 1, 2, 13], 3));
        *one.get_mut(2) = 12;
        assert_eq!((values(&one), one.start), (vec![0, 1, 12, 13], 0), "a copy of all layers");
        assert_eq!(values(&ground), [0, 1, 2]);
    }

    #[test]
    fn stacks_have_four_layers_at_most() {
        let (mut budget, mut all) = (Budget::default(), Three::default());
        let mut counts = Vec::new();
        for value in 0..7 {
            all.list.push(value, &mut budget);
            all.table.insert(value, value, &mut budget);
            *all.map.get_mut(value as usize, &mut budget) = value + 1;
            all.freeze();
            // Nothing is new, so there is nothing to freeze.
            all.freeze();
            counts.push([
                layers(&all.list, |list| list.below.as_deref()),
                layers(&all.table, |table| table.below.as_deref()),
                layers(&all.map, |map| map.below.as_deref()),
            ]);
        }
        assert_eq!(counts, [2, 3, 4, 2, 3, 4, 2].map(|count| [count; 3]));
        assert_eq!(values(&all.list), (0..7).collect::<Vec<_>>());
        assert!((0..7).all(|key| all.table.get(&key) == Some(&key)) && all.table.get(&7).is_none());
        // Memos of merged layers are dropped.
        assert!((0..6).all(|place| all.map.get(place).is_none()));
        assert_eq!(all.map.get(6), Some(&7));
        let over = all.overlay();
        assert_eq!((over.list.len(), over.table.get(&3), over.map.get(6)), (7, Some(&3), Some(&7)));
    }

    #[test]
    fn what_is_allocated_is_counted() {
        let mut budget = Budget::default();
        let mut list: List<u64> = List::default();
        (0..5).for_each(|value| list.push(value, &mut budget));
        assert_eq!(budget.held(), 8 * list.own.capacity());
        budget = Budget::default();
        let mut table: Table<u32, u32> = Table::default();
        assert_eq!(table.bytes(), 0);
        for (entries, bytes) in [(3, 4 * 9 + 16), (7, 8 * 9 + 16), (14, 16 * 9 + 16)] {
            (0..entries).for_each(|key| table.insert(key, key, &mut budget));
            assert_eq!((table.own.capacity(), budget.held()), (entries as usize, bytes));
        }
        budget = Budget::default();
        let mut map: IdMap<u64> = IdMap::default();
        for (place, room) in [(63, 64), (64, 128)] {
            map.get_mut(place, &mut budget);
            assert_eq!(map.places.len(), room);
        }
        assert_eq!(budget.held(), 4 * map.places.capacity() + 8 * map.values.capacity());
    }
}
