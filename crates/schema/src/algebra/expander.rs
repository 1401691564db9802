//! Conjunctions → unions of conjuncts, each found once, and the circles that stand in the way.

use crate::condition::{Conjunct, ConjunctionId, SubschemaId};
use crate::error::Result;
use crate::formats::KnownLanguages;
use crate::read::{read, ParsedSchema};
use crate::subschema::Subschemas;
use crate::types;
use frisket_core::grammar::builder::Builder;
use frisket_core::regular::term::TermId;
use std::rc::Rc;

/// Conjuncts whose union is meant; they may overlap.
pub type Union = Rc<[Conjunct]>;

/// How an object is described that must not meet several demands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Splitting {
    /// Some member breaks them: one alternative, where others ask for these members.
    #[default]
    Together,
    /// One member or the other breaks them: less, where nobody asks for these members.
    Apart,
    /// What holds of some objects only is a condition of the object, and no alternative at all.
    Clauses,
    /// As `Together`; what splits too far for all that is left out, and noted.
    Loosened,
}

/// How far an expansion may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpansionOptions {
    /// How objects are described.
    pub splitting: Splitting,
    /// The most alternatives of one value in this attempt.
    pub max_alternatives: u64,
    /// The most alternatives of one value that the caller allows in any attempt.
    pub total: u64,
}

/// The subschemas of one schema and what they mean.
pub struct Expander<'d> {
    /// The builder of the grammar.
    pub builder: Builder,
    /// The subschemas.
    pub subschemas: Subschemas<'d>,
    pub(super) options: ExpansionOptions,
    pub(super) depth: usize,
    languages: KnownLanguages,
    parsed: Vec<Option<Rc<ParsedSchema>>>,
}

impl<'d> Expander<'d> {
    /// Nothing expanded yet.
    pub fn new(
        builder: Builder,
        subschemas: Subschemas<'d>,
        languages: KnownLanguages,
        options: ExpansionOptions,
    ) -> Self {
        Expander { builder, subschemas, options, depth: 0, languages, parsed: Vec::new() }
    }

    /// The conjuncts whose union a conjunction is; they may overlap.
    ///
    /// Errors: a schema that is wrong or refers to itself; `Kind::TooManyAlternatives`; limits.
    pub fn expand(&mut self, _of: ConjunctionId) -> Result<Union> {
        todo!()
    }

    /// What a subschema says, read once. Errors: a schema that is wrong; limits.
    pub fn parsed(&mut self, of: SubschemaId) -> Result<Rc<ParsedSchema>> {
        let place = of.0 as usize;
        if let Some(Some(known)) = self.parsed.get(place) {
            return Ok(known.clone());
        }
        let found = Rc::new(read(&mut self.subschemas, &mut self.languages.on(&mut self.builder), of)?);
        if self.parsed.len() <= place {
            self.parsed.resize(place + 1, None);
        }
        self.parsed[place] = Some(found.clone());
        Ok(found)
    }

    /// The pointer of a conjunction, for messages: that of its last literal.
    pub fn pointer_of(&self, of: ConjunctionId) -> String {
        let literals = self.subschemas.conjunctions.literals(of);
        literals.last().map(|literal| self.subschemas.pointer(literal.subschema())).unwrap_or_default()
    }

    /// The pointer of the subschema that is being expanded; empty if none is.
    pub fn current(&self) -> String {
        todo!()
    }

    /// What searches for contradictions took so far, in steps of a limit.
    pub fn steps(&self) -> u64 {
        todo!()
    }

    /// How objects are described in this attempt.
    pub fn options(&self) -> &ExpansionOptions {
        &self.options
    }
}

impl types::Algebra for Expander<'_> {
    fn builder(&mut self) -> &mut Builder {
        &mut self.builder
    }

    fn both(&mut self, left: ConjunctionId, right: ConjunctionId) -> ConjunctionId {
        self.subschemas.conjunctions.both(left, right)
    }

    fn negated(&mut self, of: ConjunctionId) -> ConjunctionId {
        self.subschemas.negated(of)
    }

    fn is_empty(&mut self, _of: ConjunctionId, _depth: u32) -> Result<bool> {
        todo!()
    }

    fn key_texts(&mut self, _of: ConjunctionId) -> Result<Option<TermId>> {
        todo!()
    }

    fn key_fits(&mut self, _of: ConjunctionId, _key: &str, _outer: bool) -> Result<bool> {
        todo!()
    }

    fn no_key_is_in(&mut self, _nodes: &[TermId], _shared: usize) -> Result<bool> {
        todo!()
    }

    fn count_work(&mut self, _conditions: usize) -> Result<()> {
        todo!()
    }

    fn place(&self) -> String {
        self.current()
    }

    fn pointer(&self, subschema: SubschemaId) -> String {
        self.subschemas.pointer(subschema)
    }
}
