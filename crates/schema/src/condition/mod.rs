//! Sets of JSON values as data: types, and for each type the conditions that must hold.
//!
//! A [`Conjunct`] is one conjunction of conditions; a set of values is a union of conjuncts. The algebra computes with
//! both, `types` turns a finished conjunct into a grammar node. Neither needs to know the other, hence this module.

mod array;
mod number;
mod object;
mod string;
mod types;

pub use array::ArrayCondition;
pub use number::NumberCondition;
pub use object::{each_once, Clause, MemberConstraints, Members, ObjectCondition};
pub use string::{Matches, StringCondition, TextBounds};
pub use types::Types;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::hash::{BuildHasher, Hash};

/// The constraint on one member or item: a conjunction of literals that the algebra numbers.
///
/// Conjuncts hold only numbers, so that a value's own type is decided without expanding its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConjunctionId(pub u32);

impl ConjunctionId {
    /// The conjunction without literals: every value meets it.
    pub const ANYTHING: Self = ConjunctionId(0);
    /// The conjunction that no value meets.
    pub const NOTHING: Self = ConjunctionId(1);

    /// Whether every value meets the conjunction, by its number alone.
    pub fn is_anything(self) -> bool {
        self == Self::ANYTHING
    }

    /// Whether no value meets the conjunction, by its number alone.
    pub fn is_nothing(self) -> bool {
        self == Self::NOTHING
    }
}

/// The number of a subschema. Conditions hold it, so that messages can point to their keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubschemaId(pub u32);

/// The values of some types that meet all conditions on their type.
///
/// Two bits for integers and fractions, and two for the booleans, make complements of `type`, `enum` and `const` plain
/// arithmetic on `types`. There are no conditions on types outside `types`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Conjunct {
    /// The types that the value may have.
    pub types: Types,
    /// Conditions for a value that is a number.
    pub numbers: Vec<NumberCondition>,
    /// Conditions for a value that is a string.
    pub strings: Vec<StringCondition>,
    /// Conditions for a value that is an array.
    pub arrays: Vec<ArrayCondition>,
    /// Conditions for a value that is an object.
    pub objects: Vec<ObjectCondition>,
}

impl Conjunct {
    /// All values of some types.
    pub fn of_types(types: Types) -> Self {
        Conjunct { types, numbers: Vec::new(), strings: Vec::new(), arrays: Vec::new(), objects: Vec::new() }
    }

    /// All values.
    pub fn whole() -> Self {
        Self::of_types(Types::ANY)
    }

    /// The numbers that meet these conditions.
    pub fn of_numbers(conditions: Vec<NumberCondition>) -> Self {
        Conjunct { numbers: conditions, ..Self::of_types(Types::NUMBER) }
    }

    /// The strings that meet these conditions.
    pub fn of_strings(conditions: Vec<StringCondition>) -> Self {
        Conjunct { strings: conditions, ..Self::of_types(Types::STRING) }
    }

    /// The arrays that meet these conditions.
    pub fn of_arrays(conditions: Vec<ArrayCondition>) -> Self {
        Conjunct { arrays: conditions, ..Self::of_types(Types::ARRAY) }
    }

    /// The objects that meet these conditions.
    pub fn of_objects(conditions: Vec<ObjectCondition>) -> Self {
        Conjunct { objects: conditions, ..Self::of_types(Types::OBJECT) }
    }

    /// Whether the conjunct has all types and no condition.
    pub fn is_whole(&self) -> bool {
        self.types == Types::ANY && self.condition_count() == 0
    }

    /// How many conditions there are.
    pub fn condition_count(&self) -> usize {
        self.numbers.len() + self.strings.len() + self.arrays.len() + self.objects.len()
    }

    /// The part of the conjunct that has one of these types.
    pub fn among(&self, types: Types) -> Self {
        let types = self.types & types;
        if types == self.types {
            return self.clone();
        }
        let kept = |of: Types| types.has(of);
        Conjunct {
            types,
            numbers: if kept(Types::NUMBER) { self.numbers.clone() } else { Vec::new() },
            strings: if kept(Types::STRING) { self.strings.clone() } else { Vec::new() },
            arrays: if kept(Types::ARRAY) { self.arrays.clone() } else { Vec::new() },
            objects: if kept(Types::OBJECT) { self.objects.clone() } else { Vec::new() },
        }
    }

    /// The intersection, or None if no type is left.
    pub fn meet(&self, other: &Self) -> Option<Self> {
        let types = self.types & other.types;
        if types.is_empty() {
            return None;
        }
        Some(Conjunct {
            types,
            numbers: if types.has(Types::NUMBER) { joined(&self.numbers, &other.numbers) } else { Vec::new() },
            strings: if types.has(Types::STRING) { joined(&self.strings, &other.strings) } else { Vec::new() },
            arrays: if types.has(Types::ARRAY) { joined(&self.arrays, &other.arrays) } else { Vec::new() },
            objects: if types.has(Types::OBJECT) { joined(&self.objects, &other.objects) } else { Vec::new() },
        })
    }

    /// The same conjunct, with its conditions on objects that are in `last` moved to the end.
    pub fn with_last(&self, last: &[ObjectCondition]) -> Self {
        let mut objects = self.objects.clone();
        objects.sort_by_key(|condition| last.contains(condition));
        Conjunct { objects, ..self.clone() }
    }

    /// The intersection with many, or None if no type is left.
    pub fn meet_all(&self, others: &[Self]) -> Option<Self> {
        let types = others.iter().fold(self.types, |types, other| types & other.types);
        fn gathered<'c, T: Clone + Eq + Hash + 'c>(lists: impl Iterator<Item = &'c Vec<T>>) -> Vec<T> {
            let found: IndexSet<&T, FxBuildHasher> = lists.flatten().collect();
            found.into_iter().cloned().collect()
        }
        let all = || std::iter::once(self).chain(others);
        let met = Conjunct {
            types: Types::ANY,
            numbers: gathered(all().map(|one| &one.numbers)),
            strings: gathered(all().map(|one| &one.strings)),
            arrays: gathered(all().map(|one| &one.arrays)),
            objects: gathered(all().map(|one| &one.objects)),
        };
        (!types.is_empty()).then(|| met.among(types))
    }

    /// Hashes of the conditions, sorted. A conjunct covers only conjuncts that have all of its hashes.
    pub fn demands(&self) -> Vec<u64> {
        fn hashes<T: Hash>(conditions: &[T]) -> impl Iterator<Item = u64> + '_ {
            conditions.iter().map(|condition| FxBuildHasher.hash_one(condition))
        }
        let (numbers, strings) = (hashes(&self.numbers), hashes(&self.strings));
        let mut found: Vec<u64> =
            numbers.chain(strings).chain(hashes(&self.arrays)).chain(hashes(&self.objects)).collect();
        found.sort_unstable();
        found
    }

    /// Whether this conjunct certainly contains the other: it has all of its types, and no condition that the other
    /// lacks.
    pub fn covers(&self, other: &Self) -> bool {
        fn fewer<T: Eq + Hash>(few: &[T], many: &[T]) -> bool {
            if few.len() * many.len() <= COMPARED {
                return few.iter().all(|condition| many.contains(condition));
            }
            let many: FxHashSet<&T> = many.iter().collect();
            few.iter().all(|condition| many.contains(condition))
        }
        self.types | other.types == self.types
            && fewer(&self.numbers, &other.numbers)
            && fewer(&self.strings, &other.strings)
            && fewer(&self.arrays, &other.arrays)
            && fewer(&self.objects, &other.objects)
    }
}

/// Most pairs of conditions that are compared one by one; for more, a hash set is faster.
const COMPARED: usize = 256;

/// The conditions of both lists without duplicates, in the order of first occurrence.
fn joined<T: Clone + Eq + Hash>(left: &[T], right: &[T]) -> Vec<T> {
    let mut found = left.to_vec();
    if left.len() * right.len() <= COMPARED {
        found.extend(right.iter().filter(|condition| !left.contains(condition)).cloned());
    } else {
        let known: FxHashSet<&T> = left.iter().collect();
        found.extend(right.iter().filter(|condition| !known.contains(condition)).cloned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(least: u64, most: Option<u64>) -> StringCondition {
        StringCondition::Length { least, most }
    }

    #[test]
    fn the_intersection_keeps_conditions_of_types_that_are_left() {
        let texts = Conjunct::of_strings(vec![length(1, None)]);
        let mut mixed = Conjunct::of_types(Types::STRING | Types::ARRAY);
        mixed.strings = vec![length(0, Some(3)), length(1, None)];
        mixed.arrays = vec![ArrayCondition::Count { least: 1, most: None }];
        let both = texts.meet(&mixed).unwrap();
        assert_eq!(both.types, Types::STRING);
        assert_eq!(both.strings, [length(1, None), length(0, Some(3))], "each condition once");
        assert!(both.arrays.is_empty());
        assert_eq!(texts.meet(&Conjunct::of_types(Types::NULL)), None);
        assert_eq!(Conjunct::whole().meet(&mixed), Some(mixed.clone()));
        assert_eq!(texts.meet_all(&[mixed.clone(), Conjunct::whole()]), texts.meet(&mixed));
        assert_eq!(texts.meet_all(&[mixed.clone(), Conjunct::of_types(Types::NULL)]), None);
        assert_eq!(mixed.among(!Types::STRING).arrays.len(), 1);
        assert!(mixed.among(!Types::STRING).strings.is_empty());
    }

    #[test]
    fn a_conjunct_covers_those_that_ask_for_more() {
        let short = Conjunct::of_strings(vec![length(0, Some(3))]);
        let shorter = Conjunct::of_strings(vec![length(1, None), length(0, Some(3))]);
        assert!(short.covers(&shorter) && !shorter.covers(&short) && short.covers(&short));
        assert!(Conjunct::whole().covers(&shorter) && Conjunct::whole().is_whole());
        assert!(!short.covers(&Conjunct::of_types(Types::NULL)));
        assert_eq!(shorter.condition_count(), 2);
    }
}
