//! What JSON's terms refer to by number: states of objects and of unique arrays, sets of keys, texts of open keys.
//!
//! Plain data. What they mean is in `json`, and how they move from state to state.

use crate::regular::key_set::KeySets;
use crate::regular::term::TermId;
use crate::storage::layered::{layered, List, Table};
use smallvec::SmallVec;
use std::sync::Arc;

/// Places of properties, as bits: most objects have no more than one word of them.
pub(crate) type PropertySet = SmallVec<[u64; 1]>;

layered! {
    /// Registers of one arena, each kind by its numbers.
    pub(crate) struct Registers {
        pub(crate) keys: KeySets,
        pub(crate) objects: List<Arc<ObjectSpec>>,
        pub(crate) states: List<Arc<ObjectState>>,
        pub(crate) state_ids: Table<(u32, Arc<ObjectState>), u32>,
        pub(crate) uniques: List<Arc<UniqueSpec>>,
        pub(crate) unique_states: List<UniqueState>,
        pub(crate) unique_state_ids: Table<(u32, UniqueState), u32>,
        pub(crate) choice_memo: Table<(u32, u32), Arc<Choices>>,
        /// Keys and a language → those that are in it (`keyset`).
        pub(crate) filtered_keys: Table<(u32, TermId), u32>,
        /// (parent, byte) of every text that an open key has spelled.
        pub(crate) texts: List<(u32, u8)>,
        pub(crate) text_ids: Table<(u32, u8), u32>,
        /// What opens an object, what comes between two members and behind a key → whether they are as usual (`look`).
        pub(crate) usual: Table<[TermId; 3], bool>,
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub node: TermId,
    pub marks: u64,
}

#[derive(Clone, Debug)]
pub struct Property {
    /// The decoded key.
    pub key: Box<[u8]>,
    pub required: bool,
    /// Alternatives; none: the property is forbidden.
    pub values: Vec<Value>,
}

#[derive(Clone, Debug)]
pub struct Extra {
    /// The decoded keys, the named ones left out.
    pub keys: TermId,
    pub values: Vec<Value>,
    /// The keys one by one, where they are few and their number matters.
    pub few: Option<Vec<Box<[u8]>>>,
    /// How many keys there are, where they may be used up.
    pub number: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct ObjectSpec {
    pub properties: Vec<Property>,
    /// Those that must come, and those that may, if it is their turn: found by `take_stock`.
    pub(crate) required: PropertySet,
    pub(crate) valued: PropertySet,
    pub extras: Vec<Extra>,
    pub open: TermId,
    pub close: TermId,
    pub colon: TermId,
    pub comma: TermId,
    pub empty: TermId,
    pub min: u32,
    pub max: u32,
    pub required_marks: u64,
    /// (cause, effect), sorted.
    pub implies: Vec<(u32, u32)>,
    /// (effect, cause), sorted.
    pub implied_by: Vec<(u32, u32)>,
    pub any_order: bool,
    pub extras_last: bool,
    /// For each property those that may not come after it, itself among them; empty: the order is that of the list.
    pub earlier: Vec<PropertySet>,
    pub free: bool,
    /// (spelling with quotes, property), sorted by spelling.
    pub sorted: Vec<(Box<[u8]>, u32)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct ObjectState {
    /// The first property that may still come, where the order is the schema's.
    pub(crate) next: u32,
    /// Properties that came, as far as any rule asks.
    pub(crate) seen: PropertySet,
    /// Properties that came or that one which came must not precede, where there are several orders.
    pub(crate) gone: PropertySet,
    pub(crate) count: u32,
    pub(crate) marks: u64,
    /// Decoded keys beside the named ones, as a set (`keyset`).
    pub(crate) keys: u32,
    /// What a mask's state does not know of the keys that came (see `mask`).
    pub(crate) hidden: Hidden,
}

/// A mask stands for many positions that differ in the text of an open key; past that key, what do they share?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) enum Hidden {
    #[default]
    Nothing,
    /// One key, which may not come again: nothing else depends on it.
    Key,
    /// What may come next.
    Choice,
}

/// The keys that may come next.
pub(crate) struct Choices {
    pub named: Vec<u32>,
    pub allowed: PropertySet,
    /// (extra, the quoted keys that are still free).
    pub extras: Vec<(u32, TermId)>,
}

/// An automaton over items, with the punctuation around them.
#[derive(Clone, Debug)]
pub struct UniqueSpec {
    /// By state: (item, next state).
    pub steps: Vec<Vec<(TermId, u32)>>,
    pub accepting: Vec<bool>,
    pub open: TermId,
    pub close: TermId,
    pub comma: TermId,
    pub empty: TermId,
    pub min: u32,
    pub max: u32,
    /// Whether there are too few values to end it.
    pub void: bool,
}

/// How far an array has come: a few numbers, for the values that came share what they have in common with those of the
/// states before (`keyset`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct UniqueState {
    pub(crate) at: u32,
    /// How many values came.
    pub(crate) count: u32,
    /// The texts of their values, as a set.
    pub(crate) came: u32,
    /// Of a state for masks, which stands for many: what is told of their values.
    pub(crate) abstracted: Option<Abstracted>,
}

/// What the states that have one mask have in common, beside their place and the count as far as tokens can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Abstracted {
    /// At most so many values came, or will have within a token.
    pub(crate) most: u32,
    /// How many values are left, as far as tokens can tell; `MANY` if they cannot be used up within one.
    pub(crate) left: u32,
}
