//! Regular languages of bytes → hash-consed terms; a state is a term.
//!
//! Terms are normalised when they are made (`normal`), so that equal states meet, and are keyed by a 128-bit hash of their
//! content. The hash does not depend on the arena: whatever is learned about a term under one grammar can be found again
//! under another.
//!
//! Invariant: every term other than `Empty` that is neither `And`, `Not` nor `Bounded` inside matches something; those
//! three are checked when they are made (see `live`). A state that is not `Empty` is therefore never a dead end.

use crate::bytes::byteset::{Boundaries, ByteSet};
use crate::error::{Error, Limit, Result};
use crate::json::object::{Choices, ObjectSpec, ObjectState};
use crate::json::unique::{UniqueSpec, UniqueState};
use crate::limits::{Budget, Limits};
use crate::regular::closed_region::Region;
use crate::regular::emptiness::required_bytes::Letters;
use crate::regular::emptiness::witness::Ways;
use crate::regular::key_set::KeySets;
use crate::regular::literal::{Ends, Literal};
use crate::storage::chunked::Chunks;
use crate::storage::hash::Hasher128;
use crate::storage::intern::Ids;
use crate::storage::layered::{List, Notes, Sets, Table};
use smallvec::SmallVec;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TermId(pub u32);

/// The operands of a union or an intersection: of most, few.
pub type Parts = SmallVec<[TermId; 8]>;

/// An unbounded count.
pub const MANY: u32 = u32::MAX;

/// How far a JSON string's spelling has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spelling {
    /// Before the opening quote.
    Start,
    /// Between characters, or inside the UTF-8 of one.
    Body,
    /// After a backslash.
    Escape,
    /// After `\u` and `digits` hexadecimal digits.
    Hex {
        digits: u8,
        value: u16,
    },
    /// After a high surrogate: a backslash must follow, then `u`, then `digits` more digits of the low one.
    LowEscape {
        high: u16,
    },
    LowU {
        high: u16,
    },
    Low {
        high: u16,
        digits: u8,
        value: u16,
    },
}

#[derive(Clone, Default, Debug)]
pub enum Term {
    #[default]
    Empty,
    Epsilon,
    Class(ByteSet),
    /// The rest of a literal.
    Literal {
        literal: u32,
        position: u32,
    },
    /// The words `low..high` of a sorted set, their first `depth` bytes already read.
    Words {
        set: u32,
        low: u32,
        high: u32,
        depth: u32,
    },
    /// The keys of a set.
    Keys(u32),
    Cat(TermId, TermId),
    Alt(Box<[TermId]>),
    And(Box<[TermId]>),
    Not(TermId),
    Repeat {
        body: TermId,
        min: u32,
        max: u32,
    },
    /// The texts of `body` with `min..=max` code points left to read.
    Bounded {
        body: TermId,
        min: u32,
        max: u32,
    },
    /// Digits, and points between them if `point`, that read as one number after some of remainder `rest` are a multiple.
    Multiple {
        of: u32,
        rest: u32,
        point: bool,
    },
    /// The JSON spellings of the texts of `text`, closing quote included.
    Quoted {
        text: TermId,
        state: Spelling,
        free: bool,
    },

    // What follows is structural: it names configurations, not languages of its own (see `expand`).
    /// A named key of an object: the candidates `low..high` in the object's sorted spellings.
    KeyNamed {
        object: u32,
        state: u32,
        low: u32,
        high: u32,
        depth: u32,
    },
    /// A named key was read to its closing quote.
    KeyDone {
        object: u32,
        state: u32,
        property: u32,
    },
    /// Another key; `text` is what was read of it, so that it cannot come again.
    KeyExtra {
        object: u32,
        state: u32,
        extra: u32,
        inner: TermId,
        text: Text,
    },
    Seq(TermId, TermId),
    Call(u32),
    Special(u32),
    /// An array of items that are all different, whatever they are.
    Unique(u32),
    UniqueItem {
        array: u32,
        state: u32,
    },
    /// An item has ended that began at the reading `start`.
    UniqueEnd {
        array: u32,
        state: u32,
        step: u32,
        start: u32,
    },
    UniqueNext {
        array: u32,
        state: u32,
    },
    Object(u32),
    ObjectKey {
        object: u32,
        state: u32,
    },
    ObjectNext {
        object: u32,
        state: u32,
    },
}

/// What an open key has read so far: known, or, where a mask stands for many positions, not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Text {
    Known(u32),
    Unknown,
}

/// Packed: aligned to 16 bytes, as 128 bits want to be, it would be larger by a fifth.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C, packed(8))]
pub struct Info {
    pub hash: u128,
    pub depth: u32,
    /// Bounds on the code points of a text; `exact` when every count between them occurs.
    pub min_chars: u32,
    pub max_chars: u32,
    pub exact: bool,
    pub nullable: bool,
    /// Contains calls, objects or special tokens.
    pub structural: bool,
    /// Holds valid UTF-8 only, cut at the ends of characters.
    pub utf8: bool,
    /// Contains `And`, `Not` or `Bounded`: emptiness needed a search.
    pub searched: bool,
    /// Counts something, so that it may have a neighbour that counts less far (`clip`).
    pub counts: bool,
}

/// Words, sorted, and what is known of all of them at once.
#[derive(Clone)]
pub(crate) struct WordSet {
    pub words: Arc<[Box<[u8]>]>,
    /// What is known of their ends, where some are long.
    pub ends: Option<Arc<[Ends]>>,
    pub(super) hash: u128,
    pub(super) utf8: bool,
    /// Code points of the longest.
    pub(super) most: u32,
}

/// The bytes from one to another, and what a term still has to read after any of them.
pub(crate) type Edge = (u8, u8, TermId);
type Edges = SmallVec<[Edge; 4]>;

/// What a new derivative costs, where a step of a walk costs 1.
pub(crate) const DERIVATION: u64 = 16;

/// Deeper terms would overflow the stack of a thread.
const MAX_DEPTH: u32 = 1_500;

/// A term and what is known of it from its making.
#[derive(Clone, Default)]
pub(super) struct Node {
    term: Term,
    pub(super) info: Info,
}

/// Terms, and what they and what is found out of them refer to.
#[derive(Clone)]
pub struct Arena {
    pub(super) nodes: Chunks<Node>,
    by_hash: Ids,
    pub(crate) edges: Sets<Edges>,
    pub(crate) cuts: Notes<Boundaries>,
    pub(crate) may: Notes<ByteSet>,
    pub(crate) live: Table<TermId, bool>,
    pub(crate) ways: Ways,
    pub(crate) distances: Table<TermId, u32>,
    pub(crate) letters: Table<TermId, Letters>,
    /// (term, reach) with its counts clipped.
    pub(crate) clips: Table<(TermId, u32), TermId>,
    /// Clipped intersections, and whether they can end soon wherever they lead.
    pub(crate) ends_soon: Table<TermId, bool>,
    pub(crate) regions: Table<TermId, Option<Arc<Region>>>,
    pub(crate) literals: List<Arc<Literal>>,
    pub(crate) word_sets: List<WordSet>,
    /// (parent, byte) of every text that an open key has spelled.
    pub(crate) texts: List<(u32, u8)>,
    pub(crate) text_ids: Table<(u32, u8), u32>,
    pub(crate) keys: KeySets,
    pub(crate) objects: List<Arc<ObjectSpec>>,
    pub(crate) states: List<Arc<ObjectState>>,
    pub(crate) state_ids: Table<(u32, Arc<ObjectState>), u32>,
    pub(crate) uniques: List<Arc<UniqueSpec>>,
    pub(crate) unique_states: List<UniqueState>,
    pub(crate) unique_state_ids: Table<(u32, UniqueState), u32>,
    pub(crate) choice_memo: Table<(u32, u32), Arc<Choices>>,
    /// Keys and a language → those that are in it (`keyset`).
    pub(crate) among: Table<(u32, TermId), u32>,
    /// What opens an object, what comes between two members and behind a key → whether they are as usual (`look`).
    pub(crate) usual: Table<[TermId; 3], bool>,
    pub(crate) any_text: Option<TermId>,
    pub(crate) budget: Budget,
}

pub const EMPTY: TermId = TermId(0);
pub const EPSILON: TermId = TermId(1);
pub const TOP: TermId = TermId(2);

impl Default for Arena {
    fn default() -> Self {
        Self::new()
    }
}

impl Arena {
    pub fn new() -> Self {
        let mut arena = Arena {
            nodes: Chunks::default(),
            by_hash: Ids::default(),
            edges: Sets::default(),
            cuts: Notes::default(),
            may: Notes::default(),
            live: Table::default(),
            ways: Ways::default(),
            distances: Table::default(),
            letters: Table::default(),
            clips: Table::default(),
            ends_soon: Table::default(),
            regions: Table::default(),
            literals: List::default(),
            word_sets: List::default(),
            texts: List::default(),
            text_ids: Table::default(),
            keys: KeySets::default(),
            objects: List::default(),
            states: List::default(),
            state_ids: Table::default(),
            uniques: List::default(),
            unique_states: List::default(),
            unique_state_ids: Table::default(),
            choice_memo: Table::default(),
            among: Table::default(),
            usual: Table::default(),
            any_text: None,
            budget: Budget::default(),
        };
        arena.texts.push((0, 0), &mut arena.budget);
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
    pub fn above(&self) -> Self {
        let mut budget = self.budget.clone();
        Arena {
            nodes: self.nodes.clone(),
            by_hash: self.by_hash.above(&mut budget),
            edges: self.edges.above(),
            cuts: self.cuts.above(),
            may: self.may.above(),
            live: self.live.above(),
            ways: self.ways.clone(),
            distances: self.distances.above(),
            letters: self.letters.above(),
            clips: self.clips.above(),
            ends_soon: self.ends_soon.above(),
            regions: self.regions.above(),
            literals: self.literals.above(),
            word_sets: self.word_sets.above(),
            texts: self.texts.above(),
            text_ids: self.text_ids.above(),
            keys: self.keys.above(),
            objects: self.objects.above(),
            states: self.states.above(),
            state_ids: self.state_ids.above(),
            uniques: self.uniques.above(),
            unique_states: self.unique_states.above(),
            unique_state_ids: self.unique_state_ids.above(),
            choice_memo: self.choice_memo.above(),
            among: self.among.above(),
            usual: self.usual.above(),
            any_text: self.any_text,
            budget,
        }
    }

    /// The same, for many that will stand on it: terms are copied once, to be one for all.
    pub fn settle(&mut self) {
        self.nodes.freeze();
        self.freeze();
    }

    /// What there is becomes the ground of what will come.
    pub fn freeze(&mut self) {
        self.by_hash.freeze();
        self.edges.freeze();
        self.cuts.freeze();
        self.may.freeze();
        self.live.freeze();
        self.distances.freeze();
        self.letters.freeze();
        self.clips.freeze();
        self.ends_soon.freeze();
        self.regions.freeze();
        self.literals.freeze();
        self.word_sets.freeze();
        self.texts.freeze();
        self.text_ids.freeze();
        self.keys.freeze();
        self.objects.freeze();
        self.states.freeze();
        self.state_ids.freeze();
        self.uniques.freeze();
        self.unique_states.freeze();
        self.unique_state_ids.freeze();
        self.choice_memo.freeze();
        self.among.freeze();
        self.usual.freeze();
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
        self.by_hash.get(hash, |id| self.nodes[id as usize].info.hash == hash).map(TermId)
    }

    pub(crate) fn push(&mut self, term: Term, mut info: Info, hash: u128) -> TermId {
        let id = TermId(self.nodes.len() as u32);
        info.hash = hash;
        info.counts = self.counts(&term);
        if let Term::Alt(parts) | Term::And(parts) = &term {
            self.budget.grow(size_of_val(&**parts));
        }
        self.nodes.push(Node { term, info }, &mut self.budget);
        self.by_hash.insert(hash, id.0, &mut self.budget);
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
        &self.nodes[id.0 as usize].term
    }

    pub fn info(&self, id: TermId) -> &Info {
        &self.nodes[id.0 as usize].info
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 0
    }

    /// The heap behind all this, as it was told to the budget.
    pub fn memory_bytes(&self) -> usize {
        self.budget.held()
    }
}
