//! What there is, frozen, + what is new on top → lists, tables and notes: what many arenas have in common is held once.
//!
//! An automaton's arena stands on its grammar's, and that on the one of all schemas with the same options. To make the
//! next one, what there is freezes and is shared; what is new goes on top. Reading looks at the top first: there is
//! nearly all that a running automaton asks for.
//!
//! What a layer takes is told to a budget where it is taken: the room of vectors and tables, not only what fills it.

use crate::limits::Budget;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::Index;
use std::sync::Arc;

/// A struct of layered fields, with `above` (a copy that stands on the frozen part of this one) and `freeze` (what there is
/// becomes the ground of what will come), each field by field.
macro_rules! layered {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field_visibility:vis $field:ident : $type:ty,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Default)]
        $visibility struct $name {
            $($(#[$field_meta])* $field_visibility $field: $type,)*
        }

        impl $name {
            pub(crate) fn overlay(&self) -> Self {
                $name { $($field: self.$field.overlay(),)* }
            }

            pub(crate) fn freeze(&mut self) {
                $(self.$field.freeze();)*
            }
        }
    };
}
pub(crate) use layered;

/// As many layers a stack may have; what would be higher is copied to one, so that reading stays a matter of a moment.
const HIGHEST: usize = 4;

/// A vector.
#[derive(Clone)]
pub(crate) struct List<T> {
    below: Option<Arc<List<T>>>,
    /// How long those below are together.
    start: usize,
    own: Vec<T>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List { below: None, start: 0, own: Vec::new() }
    }
}

impl<T> List<T> {
    /// A list of nothing new on the frozen part of this one.
    pub fn overlay(&self) -> Self {
        List { below: self.below.clone(), start: self.start, own: Vec::new() }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.start + self.own.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub fn push(&mut self, value: T, budget: &mut Budget) {
        if self.own.len() == self.own.capacity() {
            self.grow(budget);
        }
        self.own.push(value);
    }

    #[cold]
    fn grow(&mut self, budget: &mut Budget) {
        let before = self.own.capacity();
        self.own.reserve(1);
        budget.grow((self.own.capacity() - before) * size_of::<T>());
    }

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
    /// What there is becomes the ground of what will come.
    pub fn freeze(&mut self) {
        if self.own.is_empty() {
            return;
        }
        if layers(self, |list| list.below.as_deref()) >= HIGHEST {
            self.thaw();
        }
        let start = self.len();
        let below = std::mem::take(self);
        *self = List { below: Some(Arc::new(below)), start, own: Vec::new() };
    }

    /// A value to be changed; in all others that share it, it stays as it is.
    pub fn get_mut(&mut self, place: usize) -> &mut T {
        if place < self.start {
            self.thaw();
        }
        &mut self.own[place - self.start]
    }

    /// All layers become one.
    fn thaw(&mut self) {
        let own = (0..self.len()).map(|place| self[place].clone()).collect();
        *self = List { below: None, start: 0, own };
    }
}

/// A hash table whose entries stay.
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
    /// A table of nothing new on the frozen part of this one.
    pub fn overlay(&self) -> Self {
        Table { below: self.below.clone(), own: FxHashMap::default() }
    }

    pub fn get(&self, key: &K) -> Option<&V> {
        let mut layer = self;
        loop {
            if let Some(value) = layer.own.get(key) {
                return Some(value);
            }
            layer = layer.below.as_deref()?;
        }
    }

    pub fn insert(&mut self, key: K, value: V, budget: &mut Budget) {
        if self.own.len() == self.own.capacity() {
            let before = self.bytes();
            self.own.reserve(1);
            budget.grow(self.bytes() - before);
        }
        self.own.insert(key, value);
    }

    /// The heap behind the top layer: hashbrown fills seven eighths of a power of two.
    fn bytes(&self) -> usize {
        match self.own.capacity() {
            0 => 0,
            capacity => (capacity * 8 / 7).next_power_of_two() * (size_of::<(K, V)>() + 1) + 16,
        }
    }

    pub fn freeze(&mut self) {
        if self.own.is_empty() {
            return;
        }
        if layers(self, |table| table.below.as_deref()) >= HIGHEST {
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

/// What was found out of some places of a list, by their numbers.
#[derive(Clone)]
pub(crate) struct IdMap<T> {
    below: Option<Arc<IdMap<T>>>,
    /// For each place where its note is, counted from 1; 0: there is none. As long as it needs to be.
    places: Vec<u32>,
    notes: Vec<T>,
}

impl<T> Default for IdMap<T> {
    fn default() -> Self {
        IdMap { below: None, places: Vec::new(), notes: Vec::new() }
    }
}

impl<T: Clone + Default> IdMap<T> {
    /// No notes but the frozen ones of these.
    pub fn overlay(&self) -> Self {
        IdMap { below: self.below.clone(), places: Vec::new(), notes: Vec::new() }
    }

    #[inline]
    pub fn get(&self, place: usize) -> Option<&T> {
        match self.places.get(place) {
            Some(&at) if at != 0 => self.notes.get(at as usize - 1),
            _ if self.below.is_none() => None,
            _ => self.lower(place),
        }
    }

    #[inline(never)]
    fn lower(&self, place: usize) -> Option<&T> {
        self.below.as_deref()?.get(place)
    }

    /// The note of a place in the top layer, with what those below say already.
    pub fn get_mut(&mut self, place: usize, budget: &mut Budget) -> &mut T {
        if self.places.len() <= place {
            // Some at a time: the next places are asked for next.
            let before = self.places.capacity();
            self.places.resize((place | 63) + 1, 0);
            budget.grow((self.places.capacity() - before) * size_of::<u32>());
        }
        let mut at = self.places[place] as usize;
        if at == 0 {
            let note = if self.below.is_none() { None } else { self.lower(place).cloned() };
            let before = self.notes.capacity();
            self.notes.push(note.unwrap_or_default());
            budget.grow((self.notes.capacity() - before) * size_of::<T>());
            at = self.notes.len();
            self.places[place] = at as u32;
        }
        &mut self.notes[at - 1]
    }

    pub fn freeze(&mut self) {
        if self.notes.is_empty() {
            return;
        }
        if layers(self, |notes| notes.below.as_deref()) >= HIGHEST {
            // It can be found out again.
            self.below = None;
        }
        let below = std::mem::take(self);
        self.below = Some(Arc::new(below));
    }
}

/// Sets by the numbers of places: where a layer's has not what is looked for, those below it may have it.
#[derive(Clone)]
pub(crate) struct PagedIdMap<T> {
    below: Option<Arc<PagedIdMap<T>>>,
    /// As long as it needs to be. Of what is below few places are asked for, but those in every step of a walk: nearly all
    /// pages down there are missing.
    own: Vec<Option<Box<[T; PAGE]>>>,
}

const PAGE: usize = 16;

impl<T> Default for PagedIdMap<T> {
    fn default() -> Self {
        PagedIdMap { below: None, own: Vec::new() }
    }
}

impl<T: Default> PagedIdMap<T> {
    /// Nothing but what is frozen of these.
    pub fn overlay(&self) -> Self {
        PagedIdMap { below: self.below.clone(), own: Vec::new() }
    }

    #[inline]
    pub fn get(&self, place: usize) -> Option<&T> {
        Some(&self.own.get(place / PAGE)?.as_ref()?[place % PAGE])
    }

    /// What the layers below have at a place, the upper ones first.
    pub fn lower(&self, place: usize) -> impl Iterator<Item = &T> {
        let below = std::iter::successors(self.below.as_deref(), |sets| sets.below.as_deref());
        below.filter_map(move |sets| sets.get(place))
    }

    pub fn get_mut(&mut self, place: usize, budget: &mut Budget) -> &mut T {
        let page = place / PAGE;
        if self.own.len() <= page {
            let before = self.own.capacity();
            self.own.resize_with(page + 1, || None);
            budget.grow((self.own.capacity() - before) * size_of::<usize>());
        }
        let page = self.own[page].get_or_insert_with(|| {
            budget.grow(size_of::<[T; PAGE]>());
            Box::new(std::array::from_fn(|_| T::default()))
        });
        &mut page[place % PAGE]
    }

    pub fn freeze(&mut self) {
        if self.own.is_empty() {
            return;
        }
        if layers(self, |sets| sets.below.as_deref()) >= HIGHEST {
            // It can be found out again.
            self.below = None;
        }
        let below = std::mem::take(self);
        self.below = Some(Arc::new(below));
    }
}

fn layers<L>(top: &L, below: impl Fn(&L) -> Option<&L>) -> usize {
    std::iter::successors(Some(top), |layer| below(layer)).count()
}
