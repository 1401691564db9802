//! Numbers inside structural terms → what they stand for: object and array states, texts of open keys.
//!
//! Plain data, in the tables of one arena; `object` and `unique` define the behaviour.

use crate::regular::id::{ArrayId, ArrayStateId, KeySetId, ObjectId, ObjectStateId, TextId};
use crate::regular::term::{Escapes, TermId};
use crate::storage::layered::{layered, List, Table};
use smallvec::SmallVec;
use std::sync::Arc;

/// A set of properties by index, as bits; most objects need one word.
pub(crate) type PropertySet = SmallVec<[u64; 1]>;

/// Properties as ranges of their indices, ascending and apart: those before one in the order of the list are one range.
pub(crate) type PropertyRanges = SmallVec<[(u32, u32); 1]>;

layered! {
    /// The tables of one arena, each by its own numbers.
    #[derive(Default)]
    pub(crate) struct Registers {
        /// By the number in `Term::Object`.
        pub(crate) objects: List<Arc<ObjectSpec>>,
        /// States of objects.
        pub(crate) states: List<Arc<ObjectState>>,
        /// (object, state) → number of the state.
        pub(crate) state_ids: Table<(ObjectId, Arc<ObjectState>), ObjectStateId>,
        /// By the number in `Term::Unique`.
        pub(crate) uniques: List<Arc<UniqueSpec>>,
        /// States of arrays of unique items.
        pub(crate) unique_states: List<UniqueState>,
        /// (array, state) → number of the state.
        pub(crate) unique_state_ids: Table<(ArrayId, UniqueState), ArrayStateId>,
        /// (object, state) → the keys that can come next.
        pub(crate) choice_memo: Table<(ObjectId, ObjectStateId), Arc<Choices>>,
        /// (parent text, last byte); text 0 is empty.
        pub(crate) texts: List<(TextId, u8)>,
        /// (parent text, byte) → text.
        pub(crate) text_ids: Table<(TextId, u8), TextId>,
        /// [opening, comma, colon] of an object → whether their bytes are those that `KeyPrefixes` assumes around keys.
        pub(crate) standard_punctuation: Table<[TermId; 3], bool>,
    }
}

/// The empty text of an open key.
pub(crate) const NO_TEXT: TextId = TextId::new(0);

/// The value of a property, one of several alternatives.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// The language of the value.
    pub node: TermId,
    /// Marks (bits) that the state gains with this alternative.
    pub marks: u64,
}

/// A named property of an object.
#[derive(Clone, Debug)]
pub struct Property {
    /// The decoded key.
    pub key: Box<[u8]>,
    /// Whether the object must have the property.
    pub required: bool,
    /// Alternatives; without any, the property is forbidden.
    pub values: Vec<Value>,
}

/// A group of properties that are not named.
#[derive(Clone, Debug)]
pub struct Extra {
    /// The decoded keys, without the named ones.
    pub keys: TermId,
    /// Alternatives of the value.
    pub values: Vec<Value>,
    /// The keys, if they are few and their number matters.
    pub few: Option<Vec<Box<[u8]>>>,
    /// The number of keys, if they can be used up.
    pub number: Option<usize>,
}

/// A condition on the marks of an object: once its members left all `premises`, they must leave one of `conclusions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Clause {
    /// Marks that together ask for a conclusion; without any, the conclusion is asked for anyway.
    pub premises: u64,
    /// Marks of which one must be there at the end; without any, the premises must not all be there.
    pub conclusions: u64,
}

/// An object: its properties, their order, and the punctuation between them.
#[derive(Clone, Debug)]
pub struct ObjectSpec {
    /// Named properties, in the order of the schema.
    pub properties: Vec<Property>,
    /// The required properties.
    pub(crate) required: PropertySet,
    /// The properties that are not forbidden.
    pub(crate) valued: PropertySet,
    /// Groups of other properties.
    pub extras: Vec<Extra>,
    /// The opening brace.
    pub open: TermId,
    /// The closing brace.
    pub close: TermId,
    /// The separator between a key and its value.
    pub colon: TermId,
    /// The separator between members.
    pub comma: TermId,
    /// The spelling without any member.
    pub empty: TermId,
    /// The fewest members.
    pub min: u32,
    /// The most members; `MANY` if unbounded.
    pub max: u32,
    /// Marks that the object needs at its end.
    pub required_marks: u64,
    /// Conditions on its marks at its end, sorted.
    pub clauses: Vec<Clause>,
    /// (cause, effect) pairs of properties, sorted: the effect must come if the cause comes.
    pub implies: Vec<(u32, u32)>,
    /// (effect, cause) pairs, sorted.
    pub implied_by: Vec<(u32, u32)>,
    /// Whether properties may come in any order.
    pub any_order: bool,
    /// Whether extra properties come after the named ones.
    pub extras_last: bool,
    /// For each property the properties that must not follow it, itself included; empty if the order is that of the list.
    pub earlier: Vec<PropertyRanges>,
    /// How keys may be spelled.
    pub escapes: Escapes,
    /// (spelled key with quotes, property), sorted.
    pub sorted: Vec<(Box<[u8]>, u32)>,
}

/// The progress of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct ObjectState {
    /// The first property that can still come, in the order of the schema.
    pub(crate) next: u32,
    /// The properties that came, as far as any rule depends on them.
    pub(crate) seen: PropertySet,
    /// With several orders: the properties that came or can no longer come.
    pub(crate) gone: PropertySet,
    /// Members so far.
    pub(crate) count: u32,
    /// Marks gained so far.
    pub(crate) marks: u64,
    /// The decoded keys that came and are not named, as a key set.
    pub(crate) keys: KeySetId,
    /// The unknown part of a state that stands for several positions.
    pub(crate) hidden: Hidden,
}

/// The unknown part, behind the key, of a state that stands for positions with different open keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) enum Hidden {
    #[default]
    Nothing,
    /// One key, which must not come again; nothing else depends on it.
    Key,
    /// Which keys can come next.
    Choice,
}

/// The keys that can come next.
pub(crate) struct Choices {
    /// The named properties.
    pub named: Vec<u32>,
    /// The named properties, as a set.
    pub allowed: PropertySet,
    /// (index of the extra, its quoted keys that did not come yet).
    pub extras: Vec<(u32, TermId)>,
}

/// An array of unique items: an automaton over items, with the punctuation around them.
#[derive(Clone, Debug)]
pub struct UniqueSpec {
    /// By state: (item, next state).
    pub steps: Vec<Vec<(TermId, u32)>>,
    /// By state: whether the array can end.
    pub accepting: Vec<bool>,
    /// The opening bracket.
    pub open: TermId,
    /// The closing bracket.
    pub close: TermId,
    /// The separator between items.
    pub comma: TermId,
    /// The spelling without any item or member.
    pub empty: TermId,
    /// The fewest items.
    pub min: u32,
    /// The most items; `MANY` if unbounded.
    pub max: u32,
    /// Whether there are too few values to end the array.
    pub is_empty: bool,
}

/// The progress of an array of unique items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct UniqueState {
    /// The state of the automaton over items.
    pub(crate) at: u32,
    /// How many values came.
    pub(crate) count: u32,
    /// The canonical texts of the items so far, as a key set.
    pub(crate) came: KeySetId,
    /// For a state that stands for several positions: what is known of their items.
    pub(crate) abstracted: Option<Abstracted>,
}

/// The common facts of the array states that share a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Abstracted {
    /// An upper bound on the items so far, including those within the next token.
    pub(crate) most: u32,
    /// The values left, as far as tokens can tell; `MANY` if one token cannot use them up.
    pub(crate) left: u32,
}
