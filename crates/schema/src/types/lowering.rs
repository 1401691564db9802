//! Traits through which the types reach the rest of the compiler, and the caller's options for spellings.

use super::layout::Layout;
use super::number::Notation;
use super::object::MarkedValues;
use super::string::{Escapes, Literals};
use crate::condition::{ConjunctionId, Matches, SubschemaId};
use crate::error::{Error, Result};
use frisket_core::builder::Builder;
use frisket_core::regular::term::TermId;

/// Depth of a search for contradictions, in levels of members and items: enough for every discriminator seen so far.
pub const DEPTH: u32 = 4;

/// Computes with conjunctions. Every method that can fail does so with limits, cancellation or a schema that is wrong.
pub trait Algebra {
    /// The builder of the grammar.
    fn builder(&mut self) -> &mut Builder;

    /// The conjunction of both.
    fn both(&mut self, left: ConjunctionId, right: ConjunctionId) -> ConjunctionId;

    /// The complement.
    fn negated(&mut self, of: ConjunctionId) -> ConjunctionId;

    /// Whether certainly no value meets the conjunction, looking `depth` levels down; false also if the search gives
    /// up.
    fn is_empty(&mut self, of: ConjunctionId, depth: u32) -> Result<bool>;

    /// The term of the keys that, as strings, meet the conjunction; None if there are none.
    fn key_texts(&mut self, of: ConjunctionId) -> Result<Option<TermId>>;

    /// Whether a key certainly meets the conjunction; if `outer`, whether it may.
    fn key_fits(&mut self, of: ConjunctionId, key: &str, outer: bool) -> Result<bool>;

    /// Whether certainly no key is in all these nodes; `shared` of them are patterns that must match.
    fn no_key_is_in(&mut self, nodes: &[TermId], shared: usize) -> Result<bool>;

    /// Counts conditions that a search for a contradiction reads, so that limits end it.
    fn count_work(&mut self, conditions: usize) -> Result<()>;

    /// The JSON pointer of the subschema being read, for messages.
    fn place(&self) -> String;

    /// The JSON pointer of a subschema.
    fn pointer(&self, subschema: SubschemaId) -> String;
}

/// Makes nodes of conjunctions.
pub trait Lowering: Algebra {
    /// How documents are spelled.
    fn spelling(&self) -> &Spelling;

    /// The node of a conjunction at the present level, or None if clearly no value meets it.
    fn lower(&mut self, of: ConjunctionId) -> Result<Option<TermId>>;

    /// Enters the level of members or items, and returns the layout of the level left.
    fn enter(&mut self) -> Result<Layout>;

    /// Leaves the level that `enter` entered last.
    fn leave(&mut self);

    /// The number of levels above, if layouts differ by level; otherwise 0.
    fn level(&self) -> u32;

    /// Whether the document itself is being lowered, in the order that its schema states.
    fn is_root(&self) -> bool;

    /// Notes a keyword that is left out, and which values could slip through.
    fn note_unsupported(&mut self, place: Option<SubschemaId>, keyword: &str, slips: &str) -> Result<()>;

    /// Notes that a node is structural, that is not regular: no regular operation may take it.
    fn note_structural(&mut self, node: TermId);

    /// Notes that only a search can tell whether a node is empty.
    fn note_search(&mut self);

    /// The keyword and argument that ask for a language, for a message.
    fn language_name(&self, language: &Matches) -> String;

    /// The cache of values with their marks.
    fn marked_values(&mut self) -> &mut MarkedValues;

    /// Whether a value is lowered without the conditions that ended in an error. If so, notes the first of `keywords`
    /// that the schema has, with the values that could slip through.
    fn leaves_out(&mut self, error: &Error, keywords: &[&'static str], slips: &str) -> Result<bool>;
}

/// The caller's options for the spelling of values.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spelling {
    /// The spellings of numbers.
    pub numbers: Notation,
    /// The spellings of strings.
    pub escapes: Escapes,
    /// The language of literals.
    pub literals: Literals,
    /// Texts that no string spells as they are. The builder keeps them out of JSON strings.
    pub forbidden_texts: Vec<String>,
    /// The most items of an array whose schema gives no number; more if the schema needs more.
    pub max_items: Option<u64>,
    /// Whether members come in any order.
    pub any_order: bool,
    /// Whether objects have only listed members where the schema says nothing of others.
    pub closed_objects: bool,
}

/// The result of a call one level down, with the layout of the present level.
pub(super) fn deeper<L: Lowering, T>(lowering: &mut L, call: impl FnOnce(&mut L, Layout) -> Result<T>) -> Result<T> {
    let layout = lowering.enter()?;
    let made = call(lowering, layout);
    lowering.leave();
    made
}
