//! Terms, hash-consed: equal terms have equal ids.
//!
//! An arena may stand on the frozen part of another: what there is is shared, what is new goes on top.

use crate::bytes::byteset::{Boundaries, ByteSet};
use crate::error::{Error, Limit, Result};
use crate::limits::{Budget, Limits};
use crate::regular::closed_region::ClosedRegion;
use crate::regular::emptiness::required_bytes::RequiredBytes;
use crate::regular::emptiness::witness::Witnesses;
use crate::regular::literal::Literal;
use crate::regular::registers::Registers;
use crate::regular::term::{Info, Term, TermId, WordSet, EMPTY, MANY};
use crate::storage::chunked::Chunks;
use crate::storage::hash::Hasher128;
use crate::storage::intern::HashIndex;
use crate::storage::layered::{layered, IdMap, List, PagedIdMap, Table};
use smallvec::SmallVec;
use std::sync::Arc;

/// A term and what is known of it from its making.
#[derive(Clone, Default)]
pub(crate) struct Node {
    pub(super) term: Term,
    pub(super) info: Info,
}

layered! {
    /// Terms, and what was found out about each.
    pub(crate) struct Terms {
        pub(crate) nodes: Chunks<Node>,
        pub(crate) by_hash: HashIndex,
        pub(crate) edges: PagedIdMap<Edges>,
        pub(crate) boundaries: IdMap<Boundaries>,
        pub(crate) first_bytes: IdMap<ByteSet>,
        pub(crate) nonempty: Table<TermId, bool>,
        pub(crate) witnesses: Witnesses,
        pub(crate) distances: Table<TermId, u32>,
        pub(crate) required_bytes: Table<TermId, RequiredBytes>,
        /// (term, reach) with its counts clipped.
        pub(crate) saturations: Table<(TermId, u32), TermId>,
        /// Clipped intersections, and whether they can end soon wherever they lead.
        pub(crate) ends_soon: Table<TermId, bool>,
        pub(crate) regions: Table<TermId, Option<Arc<ClosedRegion>>>,
        pub(crate) literals: List<Arc<Literal>>,
        pub(crate) word_sets: List<WordSet>,
    }
}

/// Terms and registers, with the budget of the call that makes them.
#[derive(Clone)]
pub struct Arena {
    pub(crate) terms: Terms,
    pub(crate) registers: Registers,
    pub(crate) any_text: Option<TermId>,
    pub(crate) budget: Budget,
}

/// The bytes from one to another, and what a term still has to read after any of them.
pub(crate) type Edge = (u8, u8, TermId);
pub(crate) type Edges = SmallVec<[Edge; 4]>;

/// What a new derivative costs, where a step of a walk costs 1.
pub(crate) const DERIVATION: u64 = 16;

/// Deeper terms would overflow the stack of a thread.
const MAX_DEPTH: u32 = 1_500;

impl Default for Arena {
    fn default() -> Self {
        Self::new()
    }
}

impl Arena {
    pub fn new() -> Self {
        let mut arena = Arena {
            terms: Terms::default(),
            registers: Registers::default(),
            any_text: None,
            budget: Budget::default(),
        };
        arena.registers.texts.push((0, 0), &mut arena.budget);
        let plain = |nullable, max_chars| Info {
            hash: 0,
            nullable,
            structural: false,
            utf8: true,
            searched: false,
            counts: false,
            depth: 0,
            min_chars: 0,
            max_chars,
            exact: true,
        };
        arena.push(Term::Empty, Info { min_chars: MANY, ..plain(false, 0) }, Hasher128::new(0).finish());
        arena.push(Term::Epsilon, plain(true, 0), Hasher128::new(1).finish());
        let top = Info { utf8: false, searched: true, ..plain(true, MANY) };
        arena.push(Term::Not(EMPTY), top, Hasher128::new(2).finish());
        arena
    }

    /// An arena that stands on the frozen part of this one: equal terms have equal ids in both, and either may go on
    /// alone.
    pub fn overlay(&self) -> Self {
        let mut budget = self.budget.clone();
        budget.grow(self.terms.by_hash.room_bytes());
        Arena { terms: self.terms.overlay(), registers: self.registers.overlay(), any_text: self.any_text, budget }
    }

    /// The same, for many that will stand on it: terms are copied once, to be one for all.
    pub fn compact(&mut self) {
        self.terms.nodes.compact();
        self.freeze();
    }

    /// What there is becomes the ground of what will come.
    pub fn freeze(&mut self) {
        self.terms.freeze();
        self.registers.freeze();
    }

    /// Begin the next call.
    pub fn begin(&mut self, limits: &Limits) {
        self.budget.begin(limits);
    }

    #[inline]
    pub(crate) fn spend(&mut self, amount: u64) -> Result<()> {
        self.budget.spend(amount)
    }

    pub(crate) fn by_hash(&self, hash: u128) -> Option<TermId> {
        self.terms.by_hash.get(hash, |id| self.terms.nodes[id as usize].info.hash == hash).map(TermId)
    }

    pub(crate) fn push(&mut self, term: Term, mut info: Info, hash: u128) -> TermId {
        let id = TermId(self.terms.nodes.len() as u32);
        info.hash = hash;
        info.counts = self.counts(&term);
        if let Term::Alt(parts) | Term::And(parts) = &term {
            self.budget.grow(size_of_val(&**parts));
        }
        self.terms.nodes.push(Node { term, info }, &mut self.budget);
        self.terms.by_hash.insert(hash, id.0, &mut self.budget);
        id
    }

    fn counts(&self, term: &Term) -> bool {
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

    pub(super) fn intern(&mut self, term: Term, hash: u128, info: impl FnOnce(&Self) -> Info) -> Result<TermId> {
        self.intern_with(hash, |arena| (term, info(arena)))
    }

    pub(super) fn intern_with(&mut self, hash: u128, make: impl FnOnce(&Self) -> (Term, Info)) -> Result<TermId> {
        if let Some(id) = self.by_hash(hash) {
            return Ok(id);
        }
        self.spend(1)?;
        let (term, info) = make(self);
        if info.depth > MAX_DEPTH {
            return Err(Error::Limit(Limit::Nesting(MAX_DEPTH)).into());
        }
        Ok(self.push(term, info, hash))
    }

    pub fn term(&self, id: TermId) -> &Term {
        &self.terms.nodes[id.0 as usize].term
    }

    pub fn info(&self, id: TermId) -> &Info {
        &self.terms.nodes[id.0 as usize].info
    }

    pub fn len(&self) -> usize {
        self.terms.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.terms.nodes.len() == 0
    }

    /// The heap behind all this, as it was told to the budget.
    pub fn memory_bytes(&self) -> usize {
        self.budget.held()
    }
}
