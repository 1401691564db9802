//! The data of terms: regular languages of bytes, and structural terms that refer to rules, objects and arrays.
//!
//! Types only; `terms` interns terms and `normalize` makes them. A state of the automaton is a term.
//!
//! Terms are keyed by a 128-bit hash of their content that is equal in all arenas, so facts learned under one grammar
//! apply under others.
//!
//! Invariant: every term other than `Empty` matches some text, so no state is a dead end. `And`, `Not` and `Bounded` are
//! checked by `emptiness` when they are made; all other terms are nonempty by construction.

use crate::bytes::byteset::ByteSet;
use crate::regular::id::{
    ArrayId, ArrayStateId, KeySetId, LiteralId, ObjectId, ObjectStateId, RuleId, SpecialId, TextId, WordSetId,
};
use crate::storage::id::id;
use smallvec::SmallVec;
use std::sync::Arc;

id! {
    /// The number of a term in its arena.
    pub struct TermId;
}

/// The operands of a union or an intersection; rarely more than eight.
pub type Parts = SmallVec<[TermId; 8]>;

/// An unbounded count.
pub const MANY: u32 = u32::MAX;

/// The position inside the spelling of a JSON string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spelling {
    /// Before the opening quote.
    Start,
    /// Between characters, or inside the UTF-8 of one.
    Body,
    /// After a backslash.
    Escape,
    /// After `\u` and `digits` hexadecimal digits of the given value.
    Hex {
        /// Digits read.
        digits: u8,
        /// The value of these digits.
        value: u16,
    },
    /// After a high surrogate: a backslash must follow.
    LowEscape {
        /// The high surrogate.
        high: u16,
    },
    /// After a high surrogate and a backslash: `u` must follow.
    LowU {
        /// The high surrogate.
        high: u16,
    },
    /// After a high surrogate, `\u` and `digits` hexadecimal digits of the given value.
    Low {
        /// The high surrogate.
        high: u16,
        /// Digits read.
        digits: u8,
        /// The value of these digits.
        value: u16,
    },
}

/// How the characters of JSON strings may be spelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Escapes {
    /// Whether any escapes are allowed; otherwise each text has one spelling.
    pub free: bool,
    /// Texts that no spelling contains: where a text contains one, its first character is escaped. `EMPTY` if
    /// there are none.
    pub escaped: TermId,
}

impl Escapes {
    /// One spelling for each text, with escapes where JSON asks for them.
    pub const CANONICAL: Escapes = Escapes { free: false, escaped: EMPTY };
}

impl From<bool> for Escapes {
    /// Escapes of no further texts; any escapes if `free`.
    fn from(free: bool) -> Self {
        Escapes { free, ..Escapes::CANONICAL }
    }
}

/// A term. Numbers other than ids refer to `Terms` and `json::Registers` of the arena.
#[derive(Clone, Default, Debug)]
pub enum Term {
    /// No text.
    #[default]
    Empty,
    /// The empty text.
    Epsilon,
    /// The texts of one byte of the set.
    Class(ByteSet),
    /// The suffix of a literal from `position`.
    Literal {
        /// The literal.
        literal: LiteralId,
        /// Bytes before the suffix.
        position: u32,
    },
    /// The words `low..high` of a sorted set, without their first `depth` bytes.
    Words {
        /// The set of words.
        set: WordSetId,
        /// The first word or candidate.
        low: u32,
        /// One past the last word or candidate.
        high: u32,
        /// Bytes read.
        depth: u32,
    },
    /// The keys of a key set.
    Keys(KeySetId),
    /// Concatenation.
    Cat(TermId, TermId),
    /// Union of sorted operands.
    Alt(Box<[TermId]>),
    /// Intersection of sorted operands.
    And(Box<[TermId]>),
    /// Complement.
    Not(TermId),
    /// `min` to `max` copies of `body`.
    Repeat {
        /// The repeated or bounded language.
        body: TermId,
        /// The fewest.
        min: u32,
        /// The most; `MANY` if unbounded.
        max: u32,
    },
    /// The texts of `body` with `min` to `max` code points.
    Bounded {
        /// The repeated or bounded language.
        body: TermId,
        /// The fewest.
        min: u32,
        /// The most; `MANY` if unbounded.
        max: u32,
    },
    /// Digits that complete a number of remainder `rest` to a multiple of `of`; points between them are skipped if `point`.
    Multiple {
        /// The divisor.
        of: u32,
        /// The remainder so far.
        rest: u32,
        /// Whether points are skipped.
        point: bool,
    },
    /// The rest of the JSON strings whose decoded text is in `text`, closing quote included.
    Quoted {
        /// The decoded texts.
        text: TermId,
        /// The position in the spelling.
        state: Spelling,
        /// How characters may be spelled.
        escapes: Escapes,
    },

    // Structural terms from here on: they refer to rules, objects and arrays, and `automaton` expands them.
    /// Inside a named key of an object: the candidates `low..high` of the object's sorted spellings, after `depth` bytes.
    KeyNamed {
        /// The object.
        object: ObjectId,
        /// The state of the object or array.
        state: ObjectStateId,
        /// The first word or candidate.
        low: u32,
        /// One past the last word or candidate.
        high: u32,
        /// Bytes read.
        depth: u32,
    },
    /// Behind the closing quote of a named key.
    KeyDone {
        /// The object.
        object: ObjectId,
        /// The state of the object or array.
        state: ObjectStateId,
        /// The property.
        property: u32,
    },
    /// Inside another key; `text` is the beginning of that key, which is kept so that the key cannot come again.
    KeyExtra {
        /// The object.
        object: ObjectId,
        /// The state of the object or array.
        state: ObjectStateId,
        /// The group of extra properties.
        extra: u32,
        /// The rest of the quoted keys.
        inner: TermId,
        /// The text read so far.
        text: Text,
    },
    /// Concatenation of structural terms.
    Seq(TermId, TermId),
    /// A call of a rule.
    Call(RuleId),
    /// A special token.
    Special(SpecialId),
    /// An array of unique items.
    Unique(ArrayId),
    /// Before an item of such an array.
    UniqueItem {
        /// The array.
        array: ArrayId,
        /// The state of the object or array.
        state: ArrayStateId,
    },
    /// Behind an item that began at the partial value `start`.
    UniqueEnd {
        /// The array.
        array: ArrayId,
        /// The state of the object or array.
        state: ArrayStateId,
        /// The step of the array's automaton.
        step: u32,
        /// The partial value at the beginning of the item; in an abstracted state, a bound on the values to avoid.
        start: u32,
    },
    /// Behind an item: a separator or the end.
    UniqueNext {
        /// The array.
        array: ArrayId,
        /// The state of the object or array.
        state: ArrayStateId,
    },
    /// An object.
    Object(ObjectId),
    /// Before a key of an object.
    ObjectKey {
        /// The object.
        object: ObjectId,
        /// The state of the object or array.
        state: ObjectStateId,
    },
    /// Behind a member: a separator or the end.
    ObjectNext {
        /// The object.
        object: ObjectId,
        /// The state of the object or array.
        state: ObjectStateId,
    },
}

/// The text of an open key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Text {
    /// A number in `Registers::texts`.
    Known(TextId),
    /// Any of several texts: the state stands for several positions.
    Unknown,
}

/// Facts about a term, computed when it is made; `Terms::push` sets `hash` and `counts`.
///
/// Packed to 32 bytes: with the 16-byte alignment of `u128`, it and its term would take 80 bytes in place of 72.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C, packed(8))]
pub struct Info {
    /// The hash of the content.
    pub hash: u128,
    /// A lower bound on the code points of a text.
    pub min_chars: u32,
    /// An upper bound on the code points of a text; `MANY` if there is none.
    pub max_chars: u32,
    /// Nesting of the term.
    pub depth: u16,
    /// Whether both bounds are attained and every count between them occurs.
    pub exact: bool,
    /// Whether the empty text matches.
    pub nullable: bool,
    /// Whether the term contains calls, objects, unique arrays or special tokens.
    pub structural: bool,
    /// Whether all texts are valid UTF-8, whole characters only.
    pub utf8: bool,
    /// Whether the term contains `And`, `Not` or `Bounded`, whose emptiness takes a search.
    pub searched: bool,
    /// Whether the term contains a counter that `saturate` could reduce.
    pub counts: bool,
}

/// Sorted words with the facts that all of them share.
#[derive(Clone)]
pub(crate) struct WordSet {
    /// The words, sorted.
    pub words: Arc<[Box<[u8]>]>,
    /// The hash of all words.
    pub(super) hash: u128,
    /// Whether all words are valid UTF-8.
    pub(super) utf8: bool,
    /// Code points of the longest word.
    pub(super) most: u32,
}

/// The term of no text.
pub const EMPTY: TermId = TermId::new(0);
/// The term of the empty text.
pub const EPSILON: TermId = TermId::new(1);
/// The term of all byte strings.
pub const TOP: TermId = TermId::new(2);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::fixture::regex;
    use crate::regular::terms::Terms;

    #[test]
    fn equal_terms_of_different_arenas_have_equal_hashes() {
        let (mut one, mut other) = (Terms::new(), Terms::new());
        regex(&mut other, "something else");
        let patterns = ["(ab|c)*d", "[a-f]{2,5}", "abc", "a|bc|de|fg|hi"];
        for pattern in patterns {
            let (here, there) = (regex(&mut one, pattern), regex(&mut other, pattern));
            assert_ne!(here, there, "numbers are those of the terms");
            assert_eq!({ one.info(here).hash }, { other.info(there).hash });
        }
        let hashes: std::collections::HashSet<u128> =
            patterns.map(|pattern| regex(&mut one, pattern)).into_iter().map(|id| one.info(id).hash).collect();
        assert_eq!(hashes.len(), patterns.len());
    }

    #[test]
    fn the_facts_of_a_term_are_packed() {
        // 16 bytes of hash, 2 counts of 4 bytes, one of 2 and 6 flags.
        assert_eq!(size_of::<Info>(), 32);
        assert!(size_of::<Term>() <= 40, "{} bytes", size_of::<Term>());
    }
}
