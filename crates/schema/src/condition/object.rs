//! One condition on an object.

use super::ConjunctionId;
use frisket_core::regular::term::TermId;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// Tables of more names than this have an index.
const INDEXED: usize = 8;

/// Constraints on members, by their keys.
///
/// The member of a key that `names` holds or `patterns` match must meet their constraints, any other member `rest`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MemberConstraints {
    /// By name, in the order of the schema; each name once.
    pub names: Vec<(Arc<str>, ConjunctionId)>,
    /// Node of a pattern → the constraint on members whose keys match it.
    pub patterns: Vec<(TermId, ConjunctionId)>,
    /// The constraint on members that no name and no pattern covers.
    pub rest: ConjunctionId,
    /// Whether `properties` or `patternProperties` list members.
    pub lists: bool,
    /// Whether the schema says what other members must meet, so that `closed_objects` does not forbid them.
    pub opens: bool,
}

/// Shared constraints on members: cheap to clone, to hash and, mostly, to compare.
#[derive(Clone)]
pub struct Members(Arc<Shared>);

struct Shared {
    constraints: MemberConstraints,
    hash: u64,
    /// Name → its index, if there are more than `INDEXED` names.
    index: FxHashMap<Arc<str>, u32>,
}

/// A condition on an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ObjectCondition {
    /// All members meet the constraints.
    Members(Members),
    /// The object has all of the keys.
    Required {
        /// The keys.
        keys: Arc<[Arc<str>]>,
        /// Whether a schema lists the keys, in this order; a complement requires keys in no order.
        stated: bool,
    },
    /// `least` to `most` members; without `most`, any number above.
    Count {
        /// The least number of members.
        least: u64,
        /// The most members.
        most: Option<u64>,
    },
    /// Every key, as a string, meets the conjunction.
    Names(ConjunctionId),
    /// If the first key is there, so is the second.
    Implies {
        /// The first key.
        key: Arc<str>,
        /// The second.
        needs: Arc<str>,
    },
    /// Members that break some constraints imply one that breaks others.
    Clause(Clause),
}

/// Members that break each of the premises imply a member that breaks one of the conclusions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Clause {
    /// The premises.
    pub premises: Arc<[Members]>,
    /// The conclusions.
    pub conclusions: Arc<[Members]>,
}

impl MemberConstraints {
    /// Constraints on named members only.
    pub fn of_names(names: Vec<(Arc<str>, ConjunctionId)>) -> Self {
        MemberConstraints { names, patterns: Vec::new(), rest: ConjunctionId::ANYTHING, lists: false, opens: false }
    }
}

impl Members {
    /// The constraints, shared.
    pub fn new(constraints: MemberConstraints) -> Self {
        let mut hasher = FxHasher::default();
        constraints.hash(&mut hasher);
        let mut index = FxHashMap::default();
        if constraints.names.len() > INDEXED {
            index.extend(constraints.names.iter().enumerate().map(|(at, (name, _))| (name.clone(), at as u32)));
        }
        Members(Arc::new(Shared { constraints, hash: hasher.finish(), index }))
    }

    /// The constraint on one member alone.
    pub fn single(key: Arc<str>, conjunction: ConjunctionId) -> Self {
        Self::new(MemberConstraints::of_names(vec![(key, conjunction)]))
    }

    /// The constraint that a member is absent.
    pub fn absent(key: Arc<str>) -> Self {
        Self::single(key, ConjunctionId::NOTHING)
    }

    /// The key that the constraints forbid, if they ask for nothing else.
    fn forbidden(&self) -> Option<&Arc<str>> {
        self.only().filter(|(_, asked)| asked.is_nothing()).map(|(key, _)| key)
    }

    /// The constraint on a name; None if `names` lacks it. Patterns are ignored.
    pub fn named(&self, key: &str) -> Option<ConjunctionId> {
        let Shared { constraints, index, .. } = &*self.0;
        if constraints.names.len() > INDEXED {
            return index.get(key).map(|&at| constraints.names[at as usize].1);
        }
        constraints.names.iter().find(|(name, _)| **name == *key).map(|&(_, conjunction)| conjunction)
    }

    /// The only key with a constraint, if there is just one.
    pub fn only(&self) -> Option<(&Arc<str>, ConjunctionId)> {
        let mut asked = self.names.iter().filter(|(_, conjunction)| !conjunction.is_anything());
        let (name, conjunction) = asked.next()?;
        let alone = asked.next().is_none() && self.patterns.is_empty() && self.rest.is_anything();
        alone.then_some((name, *conjunction))
    }

    /// Whether no member is constrained.
    pub fn is_trivial(&self) -> bool {
        self.patterns.is_empty()
            && self.rest.is_anything()
            && self.names.iter().all(|(_, conjunction)| conjunction.is_anything())
    }
}

impl Clause {
    /// The clause that all members meet the constraints.
    pub fn met(members: Members) -> Self {
        Clause { premises: Arc::from([members]), conclusions: Arc::from([]) }
    }

    /// The clause that some member does not meet the constraints: the complement of `Members`, as one condition.
    pub fn broken(members: Members) -> Self {
        Clause { premises: Arc::from([]), conclusions: Arc::from([members]) }
    }

    /// The clause of these literals; None if it always holds.
    pub fn of(
        premises: impl IntoIterator<Item = Members>,
        conclusions: impl IntoIterator<Item = Members>,
    ) -> Option<Self> {
        let (premises, conclusions) = (each_once(premises), each_once(conclusions));
        let always_holds = premises.iter().any(|members| conclusions.contains(members));
        (!always_holds).then(|| Clause { premises: premises.into(), conclusions: conclusions.into() })
    }

    /// The clause that holds where either of two clauses holds; None if it always holds.
    pub fn either(&self, other: &Self) -> Option<Self> {
        let both = |left: &[Members], right: &[Members]| [left, right].concat();
        Self::of(both(&self.premises, &other.premises), both(&self.conclusions, &other.conclusions))
    }

    /// The constraints that the clause compares.
    pub fn literals(&self) -> impl Iterator<Item = &Members> {
        self.premises.iter().chain(&*self.conclusions)
    }

    /// The simplest condition that is equivalent to the clause.
    pub fn condition(&self) -> ObjectCondition {
        match (&self.premises[..], &self.conclusions[..]) {
            ([met], []) => ObjectCondition::Members(met.clone()),
            ([], [broken]) => match broken.forbidden() {
                Some(key) => ObjectCondition::Required { keys: Arc::from([key.clone()]), stated: false },
                None => ObjectCondition::Clause(self.clone()),
            },
            ([premise], [conclusion]) => match (premise.forbidden(), conclusion.forbidden()) {
                (Some(key), Some(needs)) => ObjectCondition::Implies { key: key.clone(), needs: needs.clone() },
                _ => ObjectCondition::Clause(self.clone()),
            },
            _ => ObjectCondition::Clause(self.clone()),
        }
    }

    /// The complement, a conjunction of conditions.
    pub fn negated(&self) -> Vec<ObjectCondition> {
        let broken = self.premises.iter().map(|members| Clause::broken(members.clone()).condition());
        broken.chain(self.conclusions.iter().cloned().map(ObjectCondition::Members)).collect()
    }
}

/// The values without duplicates, in the order of first occurrence.
pub fn each_once<T: Hash + Eq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    values.into_iter().collect::<IndexSet<T, FxBuildHasher>>().into_iter().collect()
}

impl Deref for Members {
    type Target = MemberConstraints;

    fn deref(&self) -> &MemberConstraints {
        &self.0.constraints
    }
}

impl PartialEq for Members {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.0.hash == other.0.hash && self.0.constraints == other.0.constraints)
    }
}

impl Eq for Members {}

impl Hash for Members {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl fmt::Debug for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.constraints.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: ConjunctionId = ConjunctionId(7);

    fn members(names: &[(&str, ConjunctionId)]) -> Members {
        let names = names.iter().map(|&(name, conjunction)| (Arc::from(name), conjunction)).collect();
        Members::new(MemberConstraints::of_names(names))
    }

    #[test]
    fn equal_constraints_are_equal_wherever_they_were_made() {
        let made = members(&[("a", TEXT)]);
        assert_eq!(made, Members::single("a".into(), TEXT));
        assert_eq!(made, made.clone());
        assert_ne!(made, members(&[("a", TEXT), ("b", ConjunctionId::ANYTHING)]), "b is named, if only that");
    }

    #[test]
    fn names_are_found_in_short_and_in_long_tables() {
        for count in [1, INDEXED, INDEXED + 1, 100] {
            let names: Vec<_> =
                (0..count).map(|at| (Arc::from(format!("k{at}")), ConjunctionId(at as u32 + 2))).collect();
            let made = Members::new(MemberConstraints::of_names(names));
            assert_eq!(made.named("k0"), Some(ConjunctionId(2)), "{count}");
            assert_eq!(made.named(&format!("k{}", count - 1)), Some(ConjunctionId(count as u32 + 1)), "{count}");
            assert_eq!(made.named("k"), None);
        }
    }

    #[test]
    fn one_key_may_be_all_that_constraints_ask_of() {
        let anything = ConjunctionId::ANYTHING;
        let made = members(&[("a", anything), ("b", TEXT)]);
        assert_eq!(made.only().map(|(key, conjunction)| (&**key, conjunction)), Some(("b", TEXT)));
        assert_eq!(members(&[("a", TEXT), ("b", TEXT)]).only(), None);
        let closed = MemberConstraints { rest: ConjunctionId::NOTHING, ..(*made).clone() };
        assert_eq!(Members::new(closed).only(), None);
        assert!(members(&[("a", anything)]).is_trivial() && !made.is_trivial());
    }
}
