//! Conjunctions → nodes: one node for each, a rule where it recurses.

use super::part::PartKey;
use crate::algebra::depth::{with_stack, LEVELS};
use crate::algebra::Expander;
use crate::condition::ConjunctionId;
use crate::error::Result;
use crate::message::too_deep;
use crate::options::{Options, PropertyOrder, Spacing};
use crate::types::number::NumeralParts;
use crate::types::object::MarkedValues;
use crate::types::{free_gap, Layout, Spelling, Terms, Whitespace, INDENTED_LEVELS};
use frisket_core::builder::Builder;
use frisket_core::error::Result as EngineResult;
use frisket_core::regular::term::{TermId, EMPTY, EPSILON};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// Most levels in one expression. The engine bounds the depth of an expression, and each rule begins a new one.
const SHALLOW: usize = 64;
/// Nodes between two checks of the limits.
const CHECKED: usize = 128;
/// Steps that a node counts against the limits.
const STEPS_PER_NODE: u64 = 1000;

/// A conjunction and the level at which it is laid out.
pub(super) type Place = (ConjunctionId, u32);

/// Nodes that were made, by conjunction or part. The tables of a prelude serve all schemas with its options, so their
/// only conjunction is [`ConjunctionId::ANYTHING`].
#[derive(Debug, Clone, Default)]
pub struct Tables {
    pub(super) layouts: Vec<Layout>,
    pub(super) nodes: FxHashMap<Place, Option<TermId>>,
    pub(super) parts: FxHashMap<PartKey, Option<TermId>>,
    pub(super) numerals: NumeralParts,
    /// The nodes that are not regular, so that no regular operation takes them.
    pub(super) structural: FxHashSet<TermId>,
}

/// Lowers the conjunctions of one schema to nodes.
pub struct Lowerer<'d> {
    /// Expands conjunctions.
    pub expander: Expander<'d>,
    pub(super) spelling: Spelling,
    whitespace: Whitespace,
    /// Whether documents keep the order of properties that the schema states.
    pub(super) keeps_order: bool,
    has_margins: (bool, bool),
    /// Whether the layout of a value depends on its level.
    is_indented: bool,
    pub(super) level: u32,
    above: Vec<u32>,
    pub(super) tables: Tables,
    /// The conjunctions that are being lowered, the innermost last; with a rule if one was met inside itself.
    pub(super) active: IndexMap<Place, Option<TermId>, FxBuildHasher>,
    /// Whether only a search can tell whether some node is empty: a rule calls itself, or a regular language or a set
    /// of keys might be too small.
    pub(super) needs_search: bool,
    pub(super) marked: MarkedValues,
}

impl<'d> Lowerer<'d> {
    /// A lowerer that has made only the nodes of `tables`. `is_sorted` says whether a tool sorted the schema's
    /// properties.
    pub fn new(expander: Expander<'d>, options: &Options, is_sorted: bool, tables: Tables) -> Self {
        let mut spelling = options.spelling();
        spelling.any_order |= is_sorted && options.property_order == PropertyOrder::Schema;
        Lowerer {
            expander,
            keeps_order: options.property_order == PropertyOrder::Schema && !spelling.any_order,
            spelling,
            whitespace: options.layout(),
            has_margins: (options.whitespace == Spacing::Free, options.leading_space),
            is_indented: options.is_indented(),
            level: 0,
            above: Vec::new(),
            tables,
            active: IndexMap::default(),
            needs_search: false,
            marked: MarkedValues::default(),
        }
    }

    /// The expander, and the nodes that were made.
    pub(crate) fn into_parts(self) -> (Expander<'d>, Tables) {
        (self.expander, self.tables)
    }

    /// The node of whole documents. Errors: no document is valid; a schema that is wrong; limits.
    pub fn document(&mut self, of: ConjunctionId) -> Result<TermId> {
        match self.node(of)? {
            Some(node) if !(self.needs_search && self.expander.builder.is_empty(node.number())?) => {
                Ok(self.with_margins(node)?)
            }
            _ => Err(self.no_document(of)?),
        }
    }

    /// The node of a conjunction at the present level, or None if clearly no value meets it.
    pub(super) fn node(&mut self, of: ConjunctionId) -> Result<Option<TermId>> {
        let place = (of, self.level);
        if let Some(&known) = self.tables.nodes.get(&place) {
            return Ok(known);
        }
        if let Some(rule) = self.active.get(&place) {
            return match *rule {
                Some(rule) => Ok(Some(rule)),
                None => self.recursion(place).map(Some),
            };
        }
        self.expanded(place)
    }

    /// The rule of a conjunction that was met inside itself.
    fn recursion(&mut self, place: Place) -> Result<TermId> {
        let pointer = self.expander.pointer_of(place.0);
        let rule = self.expander.builder.rule(if pointer.is_empty() { "document" } else { &pointer })?;
        self.active.insert(place, Some(rule));
        self.tables.structural.insert(rule);
        self.needs_search = true;
        Ok(rule)
    }

    /// Expands and lowers a conjunction whose node is not known.
    fn expanded(&mut self, place: Place) -> Result<Option<TermId>> {
        if self.active.len() > LEVELS {
            return Err(too_deep(self.expander.pointer_of(place.0)));
        }
        self.active.insert(place, None);
        let made = with_stack(|| {
            let conjuncts = self.expander.expand(place.0)?;
            self.union(&conjuncts)
        });
        let mut rule = self.active.pop().and_then(|(_, rule)| rule);
        let node = match made {
            Ok(node) => node,
            Err(error) => {
                if let Some(rule) = rule {
                    // Another attempt with the same builder may follow, and no grammar is built while a rule is
                    // undefined.
                    self.expander.builder.define(rule.number(), EMPTY.number())?;
                }
                return Err(error);
            }
        };
        let is_structural = node.is_some_and(|node| self.tables.structural.contains(&node));
        if rule.is_none() && is_structural && self.active.len() % SHALLOW == SHALLOW - 1 {
            let level = self.expander.builder.rule("a level of many")?;
            self.tables.structural.insert(level);
            rule = Some(level);
        }
        if let Some(rule) = rule {
            self.expander.builder.define(rule.number(), node.unwrap_or(EMPTY).number())?;
        }
        let node = node.map(|node| rule.unwrap_or(node));
        self.tables.nodes.insert(place, node);
        if self.tables.nodes.len().is_multiple_of(CHECKED) {
            self.expander.builder.check(CHECKED as u64 * STEPS_PER_NODE)?;
        }
        Ok(node)
    }

    /// The place being lowered, as a JSON pointer.
    pub(super) fn active_pointer(&self) -> String {
        self.active.last().map(|(&(of, _), _)| self.expander.pointer_of(of)).unwrap_or_default()
    }

    /// The punctuation of the present level.
    pub(super) fn layout(&mut self) -> Result<Layout> {
        for depth in self.tables.layouts.len() as u32..=self.level {
            let layout = Layout::new(&Terms::new(&mut self.expander.builder), &self.whitespace, depth)?;
            self.tables.layouts.push(layout);
        }
        Ok(self.tables.layouts[self.level as usize])
    }

    /// Enters the level of members or items, and returns the layout of the level left.
    pub(super) fn descend(&mut self) -> Result<Layout> {
        let layout = self.layout()?;
        if self.is_indented {
            self.above.push(self.level);
            self.level = (self.level + 1).min(INDENTED_LEVELS);
        }
        Ok(layout)
    }

    /// Leaves the level that was entered last.
    pub(super) fn ascend(&mut self) {
        if let Some(level) = self.above.pop() {
            self.level = level;
        }
    }

    fn with_margins(&mut self, node: TermId) -> EngineResult<TermId> {
        let Some((before, after)) = margins(&mut self.expander.builder, &self.whitespace, self.has_margins)? else {
            return Ok(node);
        };
        self.expander.builder.seq(&[before.number(), node.number(), after.number()])
    }
}

/// The white space before and after a document, if there may be any.
fn margins(
    builder: &mut Builder,
    whitespace: &Whitespace,
    (is_free, has_leading_space): (bool, bool),
) -> EngineResult<Option<(TermId, TermId)>> {
    let terms = Terms::new(builder);
    if let (true, Whitespace::Free(most)) = (is_free, whitespace) {
        let gap = free_gap(&terms, *most)?;
        return Ok(Some((gap, gap)));
    }
    if has_leading_space {
        return Ok(Some((terms.optional(terms.literal(" ")?)?, EPSILON)));
    }
    Ok(None)
}
