//! A conjunction of conditions on objects → the conditions sorted by kind, and their joint constraint on each member.

use crate::condition::{each_once, Clause, ConjunctionId, MemberConstraints, Members, ObjectCondition};
use crate::error::Result;
use crate::types::{Algebra, Terms};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::Arc;

/// Keys in the order of first occurrence.
pub type Keys = IndexSet<Arc<str>, FxBuildHasher>;

/// Cost of matching a pattern with a key, in conditions.
const MATCHING: usize = 2;

/// All conditions on an object together.
#[derive(Debug, Clone, Default)]
pub struct Shape {
    /// Constraints that all members meet.
    pub members: Vec<Members>,
    /// Keys that must be there.
    pub required: Keys,
    /// The required keys that the schema lists, in its order.
    pub stated: Keys,
    /// (key, the key that it needs)
    pub implies: Vec<(Arc<str>, Arc<str>)>,
    /// The constraint on every key.
    pub names: Option<ConjunctionId>,
    /// Implications between broken constraints.
    pub clauses: Vec<Clause>,
    /// The least number of members.
    pub least: u64,
    /// The most members.
    pub most: Option<u64>,
    /// Whether some constraints have patterns.
    pub is_patterned: bool,
    /// Whether all constraints are on named members only.
    names_only: bool,
    /// Named key → the joint constraint on its member, once `index` was called.
    indexed: Option<FxHashMap<Arc<str>, ConjunctionId>>,
}

/// The constraint that `members` puts on the member of a key. Errors: limits.
pub fn demand(algebra: &mut impl Algebra, members: &Members, key: &str) -> Result<ConjunctionId> {
    let named = members.named(key);
    let mut covered = named.is_some();
    let mut found = named.unwrap_or(ConjunctionId::ANYTHING);
    if !members.patterns.is_empty() {
        algebra.count_work(MATCHING * members.patterns.len())?;
    }
    for &(pattern, asked) in &members.patterns {
        if Terms::new(algebra.builder()).accepts(pattern, key)? {
            covered = true;
            found = algebra.both(found, asked);
        }
    }
    Ok(if covered { found } else { members.rest })
}

impl Shape {
    /// The conditions sorted by kind.
    pub fn new(algebra: &mut impl Algebra, conditions: &[ObjectCondition]) -> Self {
        let mut shape = Shape { names_only: true, ..Shape::default() };
        let mut unstated = Vec::new();
        for condition in conditions {
            match condition {
                ObjectCondition::Members(members) => {
                    shape.names_only &= members.patterns.is_empty() && members.rest.is_anything();
                    shape.is_patterned |= !members.patterns.is_empty();
                    shape.members.push(members.clone());
                }
                ObjectCondition::Required { keys, stated: true } => shape.required.extend(keys.iter().cloned()),
                ObjectCondition::Required { keys, stated: false } => unstated.extend(keys.iter().cloned()),
                ObjectCondition::Count { least, most } => {
                    shape.least = shape.least.max(*least);
                    shape.most = [shape.most, *most].into_iter().flatten().min();
                }
                ObjectCondition::Names(of) => {
                    shape.names = Some(shape.names.map_or(*of, |names| algebra.both(names, *of)));
                }
                ObjectCondition::Clause(clause) => {
                    shape.is_patterned |= clause.literals().any(|members| !members.patterns.is_empty());
                    shape.clauses.push(clause.clone());
                }
                ObjectCondition::Implies { key, needs } => shape.implies.push((key.clone(), needs.clone())),
            }
        }
        shape.clauses.sort_by_key(|clause| clause.literals().count() > 1 || clause.conclusions.is_empty());
        shape.names = shape.names.filter(|names| !names.is_anything());
        shape.require_implied();
        shape.stated = shape.required.clone();
        if !unstated.is_empty() {
            shape.required.extend(unstated);
            shape.require_implied();
        }
        shape
    }

    /// Requires all keys that required keys need, directly or not, in this order.
    fn require_implied(&mut self) {
        if self.implies.is_empty() || self.required.is_empty() {
            return;
        }
        let mut needs_of: FxHashMap<&str, Vec<&Arc<str>>> = FxHashMap::default();
        for (key, needs) in &self.implies {
            needs_of.entry(key).or_default().push(needs);
        }
        let mut place = 0;
        while let Some(key) = self.required.get_index(place).cloned() {
            self.required.extend(needs_of.get(&*key).into_iter().flatten().map(|&needs| needs.clone()));
            place += 1;
        }
    }

    /// The joint constraint on the member of a key; `NOTHING` unless the key certainly meets propertyNames (with
    /// `outer`: unless it may meet propertyNames). Errors: limits.
    pub fn at(&self, algebra: &mut impl Algebra, key: &str, outer: bool) -> Result<ConjunctionId> {
        if let Some(names) = self.names {
            if !algebra.key_fits(names, key, outer)? {
                return Ok(ConjunctionId::NOTHING);
            }
        }
        if let Some(indexed) = &self.indexed {
            return Ok(indexed.get(key).copied().unwrap_or(ConjunctionId::ANYTHING));
        }
        let mut found = ConjunctionId::ANYTHING;
        for members in &self.members {
            let asked = demand(algebra, members, key)?;
            found = algebra.both(found, asked);
        }
        Ok(found)
    }

    /// Prepares for `count` calls of `at`, if one pass over all names takes less time.
    pub fn index(&mut self, algebra: &mut impl Algebra, count: usize) {
        let names: usize = self.members.iter().map(|members| members.names.len()).sum();
        if !self.names_only || self.members.len() < 2 || names > count.saturating_mul(self.members.len()) {
            return;
        }
        let mut indexed: FxHashMap<Arc<str>, ConjunctionId> = FxHashMap::default();
        for (key, asked) in self.members.iter().flat_map(|members| &members.names) {
            let before = indexed.entry(key.clone()).or_insert(ConjunctionId::ANYTHING);
            *before = algebra.both(*before, *asked);
        }
        self.indexed = Some(indexed);
    }

    /// How many tables `at` reads for a key.
    pub fn tables(&self) -> usize {
        if self.indexed.is_some() {
            1
        } else {
            self.members.len()
        }
    }

    /// Removes constraints by pattern, and those on the other keys beside them; returns whether there were any.
    pub fn without_patterns(&mut self) -> bool {
        for members in self.members.iter_mut().filter(|members| !members.patterns.is_empty()) {
            let kept = MemberConstraints { patterns: Vec::new(), rest: ConjunctionId::ANYTHING, ..(**members).clone() };
            *members = Members::new(kept);
        }
        std::mem::take(&mut self.is_patterned)
    }

    /// Every key that is named, in the order of first occurrence.
    pub fn named(&self) -> Keys {
        let mut found = Keys::default();
        let of = |members: &Members| members.names.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
        self.members.iter().for_each(|members| found.extend(of(members)));
        found.extend(self.required.iter().cloned());
        self.implies.iter().for_each(|(key, needs)| found.extend([key.clone(), needs.clone()]));
        self.marked().iter().for_each(|members| found.extend(of(members)));
        found
    }

    /// The constraints that need a mark, first those that some member must break.
    pub fn marked(&self) -> Vec<Members> {
        each_once(self.clauses.iter().flat_map(Clause::literals).cloned())
    }

    /// Whether the schema lists members and says nothing of others, which `closed_objects` then forbids.
    pub fn closes(&self) -> bool {
        let says = |members: &Members| members.opens || !members.rest.is_anything();
        self.names.is_none() && !self.members.iter().any(says) && self.members.iter().any(|members| members.lists)
    }

    /// Whether there must be more members than there may be.
    pub fn is_crossed(&self) -> bool {
        self.most.is_some_and(|most| most < self.least || most < self.required.len() as u64)
    }
}
