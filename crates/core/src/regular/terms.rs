//! Terms → ids, hash-consed: equal terms have equal ids (Filliâtre, Conchon: *Type-safe modular hash-consing*, 2006).
//!
//! Terms can be an overlay on the frozen part of other terms. Shared terms are stored once, new ones on top.

use crate::error::{Error, Limit, Result};
use crate::limits::{Budget, Limits};
use crate::regular::derivative::memo::Derivatives;
use crate::regular::emptiness::memo::Emptiness;
use crate::regular::id::KeySetId;
use crate::regular::key_set::KeySets;
use crate::regular::literal::Literal;
use crate::regular::memo::{ClosedRegion, Saturation};
use crate::regular::term::{Info, Term, TermId, WordSet, EMPTY, MANY};
use crate::storage::chunked::Chunks;
use crate::storage::hash::Hasher128;
use crate::storage::intern::HashIndex;
use crate::storage::layered::{layered, List, Table};
use std::sync::Arc;

/// A term and the facts computed when it was made.
#[derive(Clone, Default)]
pub(crate) struct Node {
    pub(super) term: Term,
    pub(super) info: Info,
}

layered! {
    /// Terms with the memos of their analyses, and the budget of the call that creates them.
    pub struct Terms {
        /// By `TermId`.
        pub(crate) nodes: Chunks<Node>,
        /// Hash of the content → id.
        by_hash: HashIndex,
        /// By the number in `Term::Literal`.
        pub(crate) literals: List<Arc<Literal>>,
        /// By the number in `Term::Words`.
        pub(crate) word_sets: List<WordSet>,
        /// By the number in `Term::Keys`.
        pub(crate) keys: KeySets,
        pub(super) derivatives: Derivatives,
        pub(super) emptiness: Emptiness,
        pub(super) saturation: Saturation,
        /// State → its closed region.
        pub(super) regions: Table<TermId, Option<Arc<ClosedRegion>>>,
        /// (key set, language) → the keys of the set in the language.
        pub(super) filtered_keys: Table<(KeySetId, TermId), KeySetId>,
    }
    {
        /// The term of all valid UTF-8, once it was made.
        pub(crate) any_text: Option<TermId>,
        pub(crate) budget: Budget,
    }
}

/// Steps of the budget per new derivative; a cached one costs 1.
pub(crate) const DERIVATION: u64 = 16;

/// Steps of the budget per new term: its facts, and its places in two tables.
pub(crate) const STEPS_PER_TERM: u64 = 8;

/// Nesting of a term. Recursions over deeper terms would overflow a thread's stack.
const MAX_DEPTH: u16 = 1_500;

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Terms {
    /// Terms that hold `EMPTY`, `EPSILON` and `TOP`.
    pub fn new() -> Self {
        let mut terms = Terms {
            nodes: Chunks::default(),
            by_hash: HashIndex::default(),
            literals: List::default(),
            word_sets: List::default(),
            keys: KeySets::default(),
            any_text: None,
            derivatives: Derivatives::default(),
            emptiness: Emptiness::default(),
            saturation: Saturation::default(),
            regions: Table::default(),
            filtered_keys: Table::default(),
            budget: Budget::default(),
        };
        let facts = |nullable, max_chars| Info { nullable, utf8: true, max_chars, exact: true, ..Info::default() };
        terms.push(Term::Empty, Info { min_chars: MANY, ..facts(false, 0) }, Hasher128::new(0).finish());
        terms.push(Term::Epsilon, facts(true, 0), Hasher128::new(1).finish());
        let top = Info { utf8: false, searched: true, ..facts(true, MANY) };
        terms.push(Term::Not(EMPTY), top, Hasher128::new(2).finish());
        terms
    }

    /// The term with this hash, if it was made.
    pub(crate) fn by_hash(&self, hash: u128) -> Option<TermId> {
        self.by_hash.get(hash, |id| self.nodes[id as usize].info.hash == hash).map(TermId::new)
    }

    /// Whether the term has a counter above 1.
    fn has_counter(&self, term: &Term) -> bool {
        let counts = |id: TermId| self.info(id).counts;
        match *term {
            Term::Bounded { .. } => true,
            Term::Repeat { body, min, max } => min > 1 || (2..MANY).contains(&max) || counts(body),
            Term::Cat(left, right) => counts(left) || counts(right),
            Term::Alt(ref parts) | Term::And(ref parts) => parts.iter().any(|&part| counts(part)),
            Term::Not(inner) | Term::Quoted { text: inner, .. } => counts(inner),
            Term::KeyExtra { inner, .. } => counts(inner),
            _ => false,
        }
    }

    /// Begins the next call, with these limits.
    pub fn begin(&mut self, limits: &Limits) {
        self.budget.begin(limits);
    }

    /// Takes steps from the budget. Errors if none are left.
    #[inline]
    pub(crate) fn spend(&mut self, amount: u64) -> Result<()> {
        self.budget.spend(amount)
    }

    /// Adds a term that is not there yet.
    pub(crate) fn push(&mut self, term: Term, mut info: Info, hash: u128) -> TermId {
        let id = TermId::at(self.nodes.len());
        info.hash = hash;
        info.counts = self.has_counter(&term);
        if let Term::Alt(parts) | Term::And(parts) = &term {
            self.budget.grow(size_of_val(&**parts));
        }
        self.nodes.push(Node { term, info }, &mut self.budget);
        self.by_hash.insert(hash, id.number(), &mut self.budget);
        id
    }

    /// The id of a term; `info` is computed if the term is new. Errors if the budget ends or the term nests too deeply.
    pub(super) fn intern(&mut self, term: Term, hash: u128, info: impl FnOnce(&Self) -> Info) -> Result<TermId> {
        self.intern_with(hash, |terms| (term, info(terms)))
    }

    /// As `intern`, for terms that are expensive to build.
    pub(super) fn intern_with(&mut self, hash: u128, make: impl FnOnce(&Self) -> (Term, Info)) -> Result<TermId> {
        if let Some(id) = self.by_hash(hash) {
            return Ok(id);
        }
        self.spend(STEPS_PER_TERM)?;
        self.by_hash.reserve(&mut self.budget)?;
        let (term, info) = make(self);
        if info.depth > MAX_DEPTH {
            return Err(Error::Limit(Limit::Nesting(MAX_DEPTH.into())).into());
        }
        Ok(self.push(term, info, hash))
    }

    /// The term of an id.
    pub fn term(&self, id: TermId) -> &Term {
        &self.nodes[id.index()].term
    }

    /// The facts of a term.
    pub fn info(&self, id: TermId) -> &Info {
        &self.nodes[id.index()].info
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no terms: never true after `new`.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 0
    }

    /// Heap bytes, as reported to the budget.
    pub fn memory_bytes(&self) -> usize {
        self.budget.held()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::fixture::regex;

    #[test]
    fn equal_terms_are_one_term() {
        let mut terms = Terms::new();
        let id = regex(&mut terms, "(ab|c)*d");
        let (count, spent) = (terms.len(), terms.budget.spent());
        assert_eq!(regex(&mut terms, "(ab|c)*d"), id);
        assert_eq!(terms.len(), count);
        assert_eq!(terms.budget.spent() - spent, 2 * 4, "known terms are looked up, and two alternatives are compared");
        let others = ["(ab|c)*e", "(ab|d)*d", "(ab|c)+d", "(ab|c)*", "d(ab|c)*", ""];
        assert!(others.iter().all(|other| regex(&mut terms, other) != id));
        assert_eq!(terms.by_hash(terms.info(id).hash), Some(id));
        assert_eq!(terms.by_hash(1), None);
    }

    #[test]
    fn overlays_share_what_was_frozen_and_diverge_above() {
        let mut base = Terms::new();
        let shared = regex(&mut base, "ab*cde");
        base.any_text().unwrap();
        let memory = base.memory_bytes();
        base.nodes.compact();
        base.freeze();
        let [mut one, mut other] = [base.overlay(), base.overlay()];
        assert_eq!((one.len(), one.any_text), (base.len(), base.any_text));
        assert_eq!([&mut one, &mut other].map(|terms| regex(terms, "ab*cde")), [shared; 2]);
        let (here, there) = (regex(&mut one, "xyz"), regex(&mut other, "uvw"));
        assert_eq!(here, there, "the next number of each");
        assert_eq!((one.matches(here, b"xyz"), other.matches(there, b"xyz")), (Ok(true), Ok(false)));
        assert_eq!(one.matches(shared, b"abcde"), Ok(true), "literals are shared, too");
        assert!(Arc::ptr_eq(one.nodes.base(), other.nodes.base()) && one.nodes.base().len() == base.len());
        assert!(one.len() > base.len() && !base.is_empty());
        assert!(one.memory_bytes() > memory);
    }

    #[test]
    fn a_term_may_nest_up_to_the_limit() {
        let mut terms = Terms::new();
        // Every complement of a union is one level deeper, and so is the union.
        let letter = regex(&mut terms, "ab");
        let (mut id, mut levels) = (letter, 0);
        let error = loop {
            match terms.not_unchecked(id).and_then(|not| terms.cat(not, letter)) {
                Ok(deeper) => (id, levels) = (deeper, terms.info(deeper).depth),
                Err(error) => break error,
            }
        };
        assert_eq!(*error, Error::Limit(Limit::Nesting(MAX_DEPTH.into())));
        assert_eq!(levels, MAX_DEPTH);
    }
}
