//! Structural tag → the tree of its parts, with the names that places and events have.

use crate::grammar::Grammar;
use std::sync::Arc;

/// A set of texts, as the formats that describe it.
pub enum Part {
    /// Exactly this text.
    Text(Box<str>),
    /// The texts of a grammar in another notation.
    Whole(Whole),
    /// The special token of that name.
    Special(Box<str>),
    /// One part after another.
    Seq(Vec<Arc<Part>>),
    /// Any one of the parts.
    Choice(Vec<Arc<Part>>),
    /// Repetitions of a part.
    Repeat(Repeat),
    /// Any text in which none of these strings occurs.
    FreeText {
        /// Strings that do not occur.
        forbidden: Vec<Box<str>>,
        /// The most characters; None is no limit.
        max_chars: Option<u32>,
    },
    /// Any tokens except special ones; the vocabulary must have these special tokens.
    AnyTokens(Vec<Box<str>>),
    /// Free text with tags in it.
    Tags(Tags),
    /// A part with a name in places and events.
    Label(Box<str>, Arc<Part>),
}

/// The texts of a grammar in another notation.
pub struct Whole {
    /// Its rules.
    pub grammar: Grammar,
    /// The notation.
    pub notation: Inner,
    /// The JSON pointer of the schema, pattern or text in the tag.
    pub pointer: String,
}

/// The notation of a grammar in a structural tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inner {
    /// The documents of a JSON Schema.
    Schema,
    /// The members of an object, one element each.
    Members,
    /// A regular expression of ECMA-262.
    Pattern,
    /// Rules in xgrammar's EBNF.
    Rules,
}

/// `low` to `high` repetitions of a part (None: no limit), with a separator between two of them.
pub struct Repeat {
    /// The part.
    pub item: Arc<Part>,
    /// The fewest repetitions.
    pub low: u32,
    /// The most repetitions.
    pub high: Option<u32>,
    /// The part between two repetitions.
    pub separator: Option<Arc<Part>>,
}

/// Free text with tags in it. A tag is a begin, a text or a special token, and the part after it. A text begins with one
/// of the triggers, which end the free text.
pub struct Tags {
    /// Begins, and the parts behind them.
    pub tags: Vec<(Arc<Part>, Arc<Part>)>,
    /// Texts that end the free text.
    pub triggers: Vec<Box<str>>,
    /// Strings that do not occur in the free text.
    pub forbidden: Vec<Box<str>>,
    /// Whether there is one tag at most, and no text behind it.
    pub is_once: bool,
}
