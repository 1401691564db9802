//! A subschema's keywords, parsed → its own conditions, its applicators, and the members and items that it evaluates.

use crate::condition::{Conjunct, ConjunctionId, Members};
use frisket_core::regular::term::TermId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A keyword that applies other subschemas to the same value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Applicator {
    /// All must hold: allOf, references, oneOf with one alternative.
    All(Vec<ConjunctionId>),
    /// At least one must hold.
    Any(Vec<ConjunctionId>),
    /// Just one must hold.
    One(Vec<ConjunctionId>),
    /// It must not hold.
    Not(ConjunctionId),
    /// If the first holds, the second must, otherwise the third.
    If(ConjunctionId, ConjunctionId, ConjunctionId),
}

impl Applicator {
    /// The conjunctions that the applicator applies.
    pub fn goals(&self) -> Vec<ConjunctionId> {
        match self {
            Applicator::All(goals) | Applicator::Any(goals) | Applicator::One(goals) => goals.clone(),
            &Applicator::Not(goal) => vec![goal],
            &Applicator::If(condition, then, other) => vec![condition, then, other],
        }
    }
}

/// The members or items that a keyword evaluates, for unevaluatedProperties and unevaluatedItems.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look {
    /// The members that constraints name or match by pattern; with the flag, all members.
    Members(Option<Members>, bool),
    /// This number of items at the beginning; with the flag, all items.
    Items(usize, bool),
    /// The items that meet a conjunction.
    Contained(ConjunctionId),
}

/// The members and items that some keywords evaluate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Evaluated {
    /// Members of these names.
    pub names: BTreeSet<Arc<str>>,
    /// Members whose names match these.
    pub patterns: BTreeSet<TermId>,
    /// All members.
    pub all_members: bool,
    /// The number of items at the beginning.
    pub prefix: usize,
    /// All items.
    pub all_items: bool,
    /// Items that meet one of these.
    pub contained: BTreeSet<ConjunctionId>,
}

impl Evaluated {
    /// The members and items that either one holds.
    pub fn union(mut self, other: &Self) -> Self {
        self.names.extend(other.names.iter().cloned());
        self.patterns.extend(&other.patterns);
        self.all_members |= other.all_members;
        self.prefix = self.prefix.max(other.prefix);
        self.all_items |= other.all_items;
        self.contained.extend(&other.contained);
        self
    }
}

/// The keywords of one subschema, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedSchema {
    /// The conditions of its own keywords on the value.
    pub conjunct: Conjunct,
    /// Unions of conjuncts that must also hold: enum and const of arrays and objects.
    pub alternatives: Vec<Vec<Conjunct>>,
    /// Other subschemas that it applies, in the order of the schema.
    pub applicators: Vec<Applicator>,
    /// The constraint on members that no other keyword evaluates.
    pub unevaluated_properties: Option<ConjunctionId>,
    /// The constraint on items that no other keyword evaluates.
    pub unevaluated_items: Option<ConjunctionId>,
    /// The keywords that its draft has, in order.
    pub keywords: Vec<&'static str>,
    pub(super) looks: Vec<Look>,
}

impl ParsedSchema {
    /// A schema without keywords.
    pub fn empty() -> Self {
        ParsedSchema {
            conjunct: Conjunct::whole(),
            alternatives: Vec::new(),
            applicators: Vec::new(),
            unevaluated_properties: None,
            unevaluated_items: None,
            keywords: Vec::new(),
            looks: Vec::new(),
        }
    }

    /// Whether its conjunct is all that it asks for.
    pub fn is_conjunct(&self) -> bool {
        self.applicators.is_empty() && self.alternatives.is_empty() && !self.has_unevaluated()
    }

    /// Whether it has unevaluatedProperties or unevaluatedItems.
    pub fn has_unevaluated(&self) -> bool {
        self.unevaluated_properties.is_some() || self.unevaluated_items.is_some()
    }

    /// The members and items that its own keywords evaluate, computed on demand, as unevaluated* are rare.
    pub fn evaluated(&self) -> Evaluated {
        let mut found = Evaluated::default();
        for look in &self.looks {
            match look {
                Look::Members(members, all) => {
                    found.all_members |= all;
                    if let Some(members) = members {
                        found.names.extend(members.names.iter().map(|(name, _)| name.clone()));
                        found.patterns.extend(members.patterns.iter().map(|&(pattern, _)| pattern));
                    }
                }
                Look::Items(prefix, all) => {
                    found.prefix = found.prefix.max(*prefix);
                    found.all_items |= all;
                }
                Look::Contained(conjunction) if conjunction.is_anything() => found.all_items = true,
                Look::Contained(conjunction) => drop(found.contained.insert(*conjunction)),
            }
        }
        found
    }
}
