//! Conjunctions → unions of conjuncts, each computed once; references that lead back to a conjunction that is being
//! expanded.

use super::emptiness::Searches;
use super::switch::Switch;
use super::union::{union_of, Union};
use crate::condition::{Conjunct, ConjunctionId, Matches, SubschemaId};
use crate::error::{Error, Kind, Result};
use crate::formats::KnownLanguages;
use crate::message::refers_to_itself;
use crate::read::{read, Applicator, ParsedSchema};
use crate::subschema::{Asks, Literal, Subschemas};
use crate::types;
use frisket_core::builder::Builder;
use frisket_core::regular::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Subschemas that are read between two checks of the limits.
const CHECKED: u32 = 64;

/// How the complement of several conditions on an object is expressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Splitting {
    /// A few alternatives: a required key is missing, or all are there and some member breaks its constraint.
    #[default]
    Together,
    /// Clauses of the object, and no alternatives.
    Clauses,
    /// Like `Together`; keywords that still split a value too far are left out, and reported.
    Loosened,
}

/// How far an expansion may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpansionOptions {
    /// How the complements of conditions on objects are expressed.
    pub splitting: Splitting,
    /// The most alternatives of one value in this attempt.
    pub max_alternatives: u64,
    /// The most alternatives of one value that the caller allows in any attempt.
    pub total: u64,
}

/// The number of one search through subschemas of the same value. A reference back is an endless loop in the same frame
/// (`{"$ref": "#"}`), and a mere circle in another one (`{"items": {"$ref": "#"}}`).
pub(super) type Frame = u32;

/// The state of a literal's expansion.
#[derive(Debug, Clone, Default)]
enum Expansion {
    #[default]
    Unknown,
    /// It is being expanded, in this frame.
    Open(Frame),
    Known(Union),
}

/// The subschemas of one schema and what they mean.
pub struct Expander<'d> {
    /// The builder of the grammar.
    pub builder: Builder,
    /// The subschemas.
    pub subschemas: Subschemas<'d>,
    pub(super) options: ExpansionOptions,
    pub(super) depth: usize,
    /// Alternatives that were made so far.
    pub(super) alternatives: u64,
    pub(super) searches: Searches,
    /// How many searches gave up at a subschema that is being expanded.
    pub(super) circles: u64,
    pub(super) key_texts: FxHashMap<ConjunctionId, Option<TermId>>,
    /// Whether a subschema, or one that it applies to the same value, has oneOf.
    pub(super) splits: FxHashMap<SubschemaId, bool>,
    /// Subschemas that `within` is applying.
    pub(super) applying: FxHashSet<SubschemaId>,
    /// Subschemas that searches for tests of members read.
    pub(super) walked: usize,
    pub(super) switches: FxHashMap<SubschemaId, Option<Rc<Switch>>>,
    /// Applicators that were left out, with the subschema of each.
    pub(super) left_out: FxHashSet<(SubschemaId, Applicator)>,
    languages: KnownLanguages,
    parsed: Vec<Option<Rc<ParsedSchema>>>,
    /// By subschema, the expansions of the subschema and of its complement.
    literals: Vec<[Expansion; 2]>,
    conjunctions: FxHashMap<ConjunctionId, Union>,
    /// Subschemas whose evaluated members and items are being found.
    evaluating: FxHashMap<SubschemaId, Frame>,
    frame: Frame,
    frames: Frame,
}

impl<'d> Expander<'d> {
    /// An expander that has expanded nothing yet.
    pub fn new(
        builder: Builder,
        subschemas: Subschemas<'d>,
        languages: KnownLanguages,
        options: ExpansionOptions,
    ) -> Self {
        Expander {
            builder,
            subschemas,
            options,
            depth: 0,
            alternatives: 0,
            searches: Searches::default(),
            circles: 0,
            key_texts: FxHashMap::default(),
            splits: FxHashMap::default(),
            applying: FxHashSet::default(),
            walked: 0,
            switches: FxHashMap::default(),
            left_out: FxHashSet::default(),
            languages,
            parsed: Vec::new(),
            literals: Vec::new(),
            conjunctions: FxHashMap::default(),
            evaluating: FxHashMap::default(),
            frame: 0,
            frames: 0,
        }
    }

    /// The union of conjuncts that equals a conjunction; the conjuncts may overlap.
    ///
    /// Errors: a schema that is wrong or refers to itself; `Kind::TooManyAlternatives`; limits.
    pub fn expand(&mut self, of: ConjunctionId) -> Result<Union> {
        if of.is_anything() {
            return Ok(union_of([Conjunct::whole()]));
        }
        if of.is_nothing() {
            return Ok(union_of([]));
        }
        if let Some(literal) = self.subschemas.conjunctions.single(of) {
            return self.literal(literal);
        }
        if let Some(known) = self.conjunctions.get(&of) {
            return Ok(known.clone());
        }
        let mut found = union_of([Conjunct::whole()]);
        for &literal in &*self.subschemas.conjunctions.literals(of) {
            let one = self.subschemas.conjunctions.of(vec![literal]);
            found = self.within(&found, one, None)?;
        }
        self.conjunctions.insert(of, found.clone());
        Ok(found)
    }

    /// The expansion of the conjunction on a member or an item; None if it is being expanded, which is a circle and no
    /// endless loop. Errors: as `expand`.
    pub(super) fn looked_into(&mut self, of: ConjunctionId) -> Result<Option<Union>> {
        let before = self.frame;
        self.frames += 1;
        self.frame = self.frames;
        let found = self.expand(of);
        self.frame = before;
        match found {
            Err(error) if error.kind == Kind::Circle => {
                self.circles += 1;
                Ok(None)
            }
            found => found.map(Some),
        }
    }

    /// The expansion of a literal, if it is known already.
    pub(super) fn known(&self, literal: Literal) -> Option<&Union> {
        match self.expansion(literal) {
            Some(Expansion::Known(known)) => Some(known),
            _ => None,
        }
    }

    /// Whether a literal is being expanded.
    pub(super) fn is_open(&self, literal: Literal) -> bool {
        matches!(self.expansion(literal), Some(Expansion::Open(_)))
    }

    fn expansion(&self, literal: Literal) -> Option<&Expansion> {
        let both = self.literals.get(literal.subschema().0 as usize)?;
        Some(&both[usize::from(literal.is_negative())])
    }

    fn set(&mut self, literal: Literal, expansion: Expansion) {
        let place = literal.subschema().0 as usize;
        if self.literals.len() <= place {
            self.literals.resize_with(place + 1, Default::default);
        }
        self.literals[place][usize::from(literal.is_negative())] = expansion;
    }

    fn literal(&mut self, literal: Literal) -> Result<Union> {
        let of = literal.subschema();
        match self.expansion(literal) {
            Some(Expansion::Known(known)) => return Ok(known.clone()),
            Some(&Expansion::Open(frame)) => return Err(self.circle(of, frame)),
            Some(Expansion::Unknown) | None => {}
        }
        self.set(literal, Expansion::Open(self.frame));
        let found = self.deeper(|this| if literal.is_negative() { this.negative(of) } else { this.positive(of) });
        self.set(literal, found.as_ref().map_or(Expansion::Unknown, |found| Expansion::Known(found.clone())));
        found
    }

    /// The error of a reference to a subschema that is being expanded in `frame`: a loop in the present frame, or a circle.
    fn circle(&self, of: SubschemaId, frame: Frame) -> Box<Error> {
        if frame != self.frame {
            return Error::new(Kind::Circle, String::new());
        }
        refers_to_itself(self.subschemas.pointer(of))
            .with_hint("a reference may lead back to its own place only from inside properties, items and the like")
    }

    /// The result of a call about a subschema. Errors: those of the call; a circle if the call comes back to the
    /// subschema.
    pub(super) fn once<T>(&mut self, of: SubschemaId, call: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if let Some(&frame) = self.evaluating.get(&of) {
            return Err(self.circle(of, frame));
        }
        self.evaluating.insert(of, self.frame);
        let found = call(self);
        self.evaluating.remove(&of);
        found
    }

    fn positive(&mut self, of: SubschemaId) -> Result<Union> {
        if let Some(either) = self.either(of) {
            return self.sum_of(&either);
        }
        let parsed = self.parsed(of)?;
        if parsed.has_unevaluated() {
            match self.evaluated(of) {
                Ok(found) => return Ok(found.into_iter().map(|(conjunct, _)| conjunct).collect()),
                Err(error) if self.leaves_out(&error) => {
                    self.leave_out(of, "unevaluatedProperties", "members that no keyword looked at");
                }
                Err(error) => return Err(error),
            }
        }
        if parsed.is_conjunct() {
            return Ok(union_of([parsed.conjunct.clone()]));
        }
        self.applied(&union_of([Conjunct::whole()]), of, None)
    }

    fn negative(&mut self, of: SubschemaId) -> Result<Union> {
        match self.outside_subschema(of) {
            Err(error) if self.leaves_out(&error) => {
                self.leave_out(of, "not", "values of what is excluded");
                Ok(union_of([Conjunct::whole()]))
            }
            found => found,
        }
    }

    /// Whether this attempt leaves out the keyword that ended in this error.
    pub fn leaves_out(&self, error: &Error) -> bool {
        self.options.splitting == Splitting::Loosened && matches!(error.kind, Kind::TooManyAlternatives { .. })
    }

    /// Notes a keyword that is not enforced because it splits a value too far.
    pub(super) fn leave_out(&mut self, of: SubschemaId, keyword: &str, slips: &str) {
        let mut pointer = self.subschemas.pointer(of);
        if !pointer.ends_with(&format!("/{keyword}")) {
            pointer = format!("{pointer}/{keyword}");
        }
        self.subschemas.omit(pointer, keyword, format!("too many alternatives: {slips}"));
    }

    /// The conjunctions of a subschema that is no part of the document but their union; None for other subschemas.
    pub(super) fn either(&self, of: SubschemaId) -> Option<std::sync::Arc<[ConjunctionId]>> {
        match &self.subschemas.get(of).asks {
            Asks::Either(conjunctions) => Some(conjunctions.clone()),
            _ => None,
        }
    }

    /// The parsed keywords of a subschema, read once. Errors: a schema that is wrong; limits.
    pub fn parsed(&mut self, of: SubschemaId) -> Result<Rc<ParsedSchema>> {
        let place = of.0 as usize;
        if let Some(Some(known)) = self.parsed.get(place) {
            return Ok(known.clone());
        }
        if of.0 % CHECKED == CHECKED - 1 {
            self.builder.check(0)?;
        }
        let found = Rc::new(read(&mut self.subschemas, &mut self.languages.on(&mut self.builder), of)?);
        if self.parsed.len() <= place {
            self.parsed.resize(place + 1, None);
        }
        self.parsed[place] = Some(found.clone());
        Ok(found)
    }

    /// The builder, the subschemas, and by number the keywords of the subschemas that were read.
    pub fn into_parts(self) -> (Builder, Subschemas<'d>, Vec<Option<Rc<ParsedSchema>>>) {
        (self.builder, self.subschemas, self.parsed)
    }

    /// The keyword and argument that ask for a language, for a message.
    pub fn language_name(&self, language: &Matches) -> String {
        self.languages.language_name(language)
    }

    /// The pointer of a conjunction, for messages: that of its last literal.
    pub fn pointer_of(&self, of: ConjunctionId) -> String {
        let literals = self.subschemas.conjunctions.literals(of);
        literals.last().map(|literal| self.subschemas.pointer(literal.subschema())).unwrap_or_default()
    }

    /// The pointer of the subschema that is being expanded; empty if none is.
    pub fn current(&self) -> String {
        let open = self.literals.iter().rposition(|[positive, _]| matches!(positive, Expansion::Open(_)));
        open.map(|place| self.subschemas.pointer(SubschemaId(place as u32))).unwrap_or_default()
    }

    /// The keywords of the subschemas at a pointer, and of all that they apply to the same value.
    pub fn keywords_at(&self, pointer: &str) -> Vec<&'static str> {
        let read = |of: SubschemaId| self.parsed.get(of.0 as usize).and_then(Option::as_ref);
        let mut stack: Vec<SubschemaId> = (0..self.parsed.len() as u32).map(SubschemaId).collect();
        stack.retain(|&of| read(of).is_some() && self.subschemas.pointer(of) == pointer);
        let mut met: FxHashSet<SubschemaId> = stack.iter().copied().collect();
        let mut found = Vec::new();
        while let Some(parsed) = stack.pop().and_then(read) {
            found.extend(
                parsed.keywords.iter().filter(|keyword| !found.contains(*keyword)).copied().collect::<Vec<_>>(),
            );
            let goals = parsed.applicators.iter().flat_map(Applicator::goals);
            for literal in goals.flat_map(|goal| self.subschemas.conjunctions.literals(goal).to_vec()) {
                let of = literal.subschema();
                if read(of).is_some() && met.insert(of) {
                    stack.push(of);
                }
            }
        }
        found
    }

    /// How many alternatives were made so far.
    pub fn alternatives(&self) -> u64 {
        self.alternatives
    }

    /// How far this expansion may go.
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

    fn is_empty(&mut self, of: ConjunctionId, depth: u32) -> Result<bool> {
        self.search_contradiction(of, depth)
    }

    fn key_texts(&mut self, of: ConjunctionId) -> Result<Option<TermId>> {
        self.texts_of_keys(of)
    }

    fn key_fits(&mut self, of: ConjunctionId, key: &str, outer: bool) -> Result<bool> {
        self.is_key_of(of, key, outer)
    }

    fn no_key_is_in(&mut self, nodes: &[TermId], shared: usize) -> Result<bool> {
        self.is_without_key(nodes, shared)
    }

    fn count_work(&mut self, conditions: usize) -> Result<()> {
        self.count_conditions(conditions)
    }

    fn place(&self) -> String {
        self.current()
    }

    fn pointer(&self, subschema: SubschemaId) -> String {
        self.subschemas.pointer(subschema)
    }
}
