//! Calls of a front end → GrammarBuilder → Grammar.
//!
//! Every method converts its arguments, calls the core's builder and raises its errors; nothing is decided here.

use crate::error::raise;
use crate::gil::{briefly_unless_large, take_turns, without};
use crate::grammar::Grammar;
use crate::integer::Whole;
use crate::limit::{given, Limits};
use crate::regex;
use frisket::front_end::regex::Pattern;
use frisket::front_end::schema::compile::Prelude;
use frisket::front_end::schema::member::bounded_text;
use frisket::front_end::schema::types::array::unique_items;
use frisket::front_end::{Builder, Error, ObjectRules, Punctuation, TermId, EMPTY, EPSILON};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::Arc;

/// The result of a call of the core's builder.
type Result<T> = std::result::Result<T, Box<Error>>;
type Values = Vec<(u32, u64)>;

/// Nodes of one grammar. Not thread-safe. An exception of a signal handler (Ctrl-C) ends a long call, too.
#[pyclass(module = "frisket._core")]
pub struct GrammarBuilder {
    /// None once the grammar is built.
    builder: Option<Builder>,
    /// The prelude from which the builder was forked, if it was.
    prelude: Option<Arc<Prelude>>,
}

impl GrammarBuilder {
    /// A builder that has the prelude's nodes.
    pub fn of_prelude(prelude: Arc<Prelude>, limits: &frisket::Limits) -> Self {
        let (limits, cancellation) = limits.parts();
        GrammarBuilder { builder: Some(prelude.fork(limits, cancellation)), prelude: Some(prelude) }
    }

    /// A builder in Python, for a call that takes it out again.
    pub fn of(builder: Builder) -> Self {
        GrammarBuilder { builder: Some(builder), prelude: None }
    }

    /// The builder, for a call that gives it back.
    pub fn take(&mut self) -> PyResult<Builder> {
        self.builder()?;
        Ok(self.builder.take().expect("it is there"))
    }

    /// Takes back the builder that `take` gave.
    pub fn give_back(&mut self, builder: Builder) {
        self.builder = Some(builder);
    }

    /// The prelude whose nodes the builder has.
    pub fn prelude(&self) -> Option<&Arc<Prelude>> {
        self.prelude.as_ref()
    }

    pub fn builder(&mut self) -> PyResult<&mut Builder> {
        self.builder
            .as_mut()
            .ok_or_else(|| raise(Box::new(Error::Misuse("this builder has built its grammar; make a new one".into()))))
    }
}

fn node(made: Result<TermId>) -> PyResult<u32> {
    made.map(|id| id.number()).map_err(raise)
}

#[pymethods]
impl GrammarBuilder {
    #[new]
    #[pyo3(signature = (*, limits=None))]
    pub fn new(limits: Option<&Bound<'_, Limits>>) -> Self {
        let (limits, cancellation) = given(limits).parts();
        GrammarBuilder { builder: Some(Builder::new(limits, cancellation, Some(take_turns))), prelude: None }
    }

    /// A copy: equal nodes have equal ids in both, and either may go on alone.
    #[pyo3(signature = (*, limits=None))]
    pub fn fork(&mut self, limits: Option<&Bound<'_, Limits>>) -> PyResult<Self> {
        let (limits, cancellation) = given(limits).parts();
        let prelude = self.prelude.clone();
        Ok(GrammarBuilder { builder: Some(self.builder()?.fork(limits, cancellation)), prelude })
    }

    /// Raises LimitExceededError if the build is cancelled, late or too large: for the work of a front end between
    /// two calls. The time of a build begins with its first call, or with this.
    ///
    /// `steps`: the front end's own work since its last check, in steps of a limit; they add up over a build.
    /// `memory_bytes`: memory that it has allocated since then and keeps until the build is over.
    #[pyo3(signature = (steps=Whole(0), memory_bytes=Whole(0)), text_signature = "($self, steps=0, memory_bytes=0)")]
    pub fn check(&mut self, steps: Whole<u64>, memory_bytes: Whole<usize>) -> PyResult<()> {
        let builder = self.builder()?;
        builder.hold(memory_bytes.0);
        builder.check(steps.0).map_err(raise)
    }

    /// Matches nothing.
    fn empty(&self) -> u32 {
        EMPTY.number()
    }

    /// Matches the empty text.
    fn epsilon(&self) -> u32 {
        EPSILON.number()
    }

    /// Exactly these bytes.
    fn literal(&mut self, data: &[u8]) -> PyResult<u32> {
        node(self.builder()?.literal(data))
    }

    /// Any one of many literals (an enum, a key set); 100,000 of them are fine.
    fn words(&mut self, py: Python<'_>, words: Vec<Vec<u8>>) -> PyResult<u32> {
        let builder = self.builder()?;
        let words: Vec<Box<[u8]>> = words.into_iter().map(Vec::into_boxed_slice).collect();
        // Sorting many of them is one long step.
        let made = if words.len() < 1_000 { builder.words(words) } else { without(py, || builder.words(words)) };
        node(made)
    }

    /// One byte in any of the inclusive ranges.
    fn byte_class(&mut self, ranges: Whole<Vec<(u8, u8)>>) -> PyResult<u32> {
        node(self.builder()?.byte_class(&ranges.0))
    }

    /// One code point (surrogates excluded), as UTF-8, in any of the inclusive ranges.
    fn char_class(&mut self, ranges: Whole<Vec<(u32, u32)>>) -> PyResult<u32> {
        node(self.builder()?.char_class(&ranges.0))
    }

    /// Concatenation of regular nodes. Structural nodes: use `seq`.
    fn cat(&mut self, nodes: Whole<Vec<u32>>) -> PyResult<u32> {
        node(self.builder()?.cat(&nodes.0))
    }

    /// Union; of regular or structural nodes.
    fn alt(&mut self, nodes: Whole<Vec<u32>>) -> PyResult<u32> {
        node(self.builder()?.alt(&nodes.0))
    }

    /// `node`{min,max}; of a regular or structural node. Counts are made when reached: 10,000 compiles as 10.
    #[pyo3(name = "repeat", signature = (node, min, max=None))]
    fn repeated(&mut self, node: Whole<u32>, min: Whole<u64>, max: Option<Whole<u64>>) -> PyResult<u32> {
        self::node(self.builder()?.repeat(node.0, count(min), max.map(count)))
    }

    /// Intersection of regular nodes.
    fn and_(&mut self, nodes: Whole<Vec<u32>>) -> PyResult<u32> {
        node(self.builder()?.and(&nodes.0))
    }

    /// Complement of a regular node among ALL byte strings (intersect with `any_text()` for valid UTF-8).
    #[pyo3(name = "not_")]
    fn complement(&mut self, node: Whole<u32>) -> PyResult<u32> {
        self::node(self.builder()?.not(node.0))
    }

    /// Every valid UTF-8 text (control characters and quotes included), the empty one too.
    fn any_text(&mut self) -> PyResult<u32> {
        node(self.builder()?.any_text())
    }

    /// The texts of a regular node that have `min` to `max` code points.
    #[pyo3(name = "bounded", signature = (node, min, max))]
    fn bounded(&mut self, node: Whole<u32>, min: Whole<u64>, max: Option<Whole<u64>>) -> PyResult<u32> {
        self::node(self.builder()?.bounded(node.0, count(min), max.map(count)))
    }

    /// The JSON strings, quotes included, whose DECODED text (UTF-8) is in the node; `raw` takes rules, too.
    ///
    /// `raw`: one spelling per text: raw UTF-8, two-character escapes for `" \ \b \f \n \r \t`, lower-case
    /// `\u00xx` for the other control characters. `free`: every spelling of RFC 8259
    /// (`\/`, `\u0061`, surrogate pairs).
    #[pyo3(signature = (node, escapes="raw"))]
    fn quoted(&mut self, node: Whole<u32>, escapes: &str) -> PyResult<u32> {
        let free = is_free(escapes)?;
        self::node(self.builder()?.quoted(node.0, free))
    }

    /// The regular node of the texts that a pattern matches: as a whole, or somewhere inside if `search`.
    /// `dialect` is python, ecma or rust, `flags` letters of `imsxar`. Raises GrammarSyntaxError with the offset.
    #[pyo3(signature = (pattern, *, dialect, search=false, flags=""))]
    fn regex(&mut self, pattern: &Bound<'_, PyString>, dialect: &str, search: bool, flags: &str) -> PyResult<u32> {
        let syntax = regex::syntax(pattern.py(), dialect, flags)?;
        regex::lowered(self.builder()?, pattern, &syntax, |pattern, builder| pattern.lower(builder, search))
    }

    /// As `regex`, where more text may stand on both sides; an assertion about that is refused.
    #[pyo3(signature = (pattern, *, dialect="python", flags=""))]
    fn regex_part(&mut self, pattern: &Bound<'_, PyString>, dialect: &str, flags: &str) -> PyResult<u32> {
        let syntax = regex::syntax(pattern.py(), dialect, flags)?;
        regex::lowered(self.builder()?, pattern, &syntax, Pattern::lower_part)
    }

    /// A regular node's texts with the marker that ends them: no text contains the marker or a forbidden string.
    /// Without a marker, nothing limits the text.
    #[pyo3(signature = (node, marker, forbidden=vec![]), text_signature = "($self, node, marker, forbidden=[])")]
    fn bounded_text(&mut self, node: Whole<u32>, marker: &str, forbidden: Vec<String>) -> PyResult<u32> {
        let forbidden: Vec<&str> = forbidden.iter().map(|text| &**text).collect();
        let builder = self.builder()?;
        let text = builder.node(node.0).map_err(raise)?;
        self::node(bounded_text(builder, text, marker, &forbidden))
    }

    /// Whether the node (regular, or structural with all its rules defined) matches nothing.
    ///
    /// Raises LimitExceededError if that takes too long to find out.
    fn is_empty(&mut self, node: Whole<u32>) -> PyResult<bool> {
        self.builder()?.is_empty(node.0).map_err(raise)
    }

    /// Whether a REGULAR node matches exactly these bytes.
    fn accepts(&mut self, node: Whole<u32>, data: &[u8]) -> PyResult<bool> {
        self.builder()?.accepts(node.0, data).map_err(raise)
    }

    /// Concatenation of regular or structural nodes; each part keeps its own cached masks (prefer it in JSON).
    fn seq(&mut self, nodes: Whole<Vec<u32>>) -> PyResult<u32> {
        node(self.builder()?.seq(&nodes.0))
    }

    /// Declare a rule and return the node that calls it (define it later: recursion).
    fn rule(&mut self, name: &str) -> PyResult<u32> {
        node(self.builder()?.rule(name))
    }

    /// Set the body of a rule; once for each rule.
    fn define(&mut self, rule: Whole<u32>, body: Whole<u32>) -> PyResult<()> {
        self.builder()?.define(rule.0, body.0).map_err(raise)
    }

    /// The special token of that name in the vocabulary (`<|eot_id|>`); it never matches text.
    fn special(&mut self, name: &str) -> PyResult<u32> {
        node(self.builder()?.special(name))
    }

    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (properties, extras, *, open, close, colon, comma, empty, min_properties=Whole(0),
        max_properties=None, required_marks=Whole(0), clauses=Whole(vec![]), implies=Whole(vec![]), any_order=false,
        extras_last=true, orders=Whole(vec![]), escapes="raw"),
        text_signature = "($self, properties, extras, *, open, close, colon, comma, empty, min_properties=0, \
        max_properties=None, required_marks=0, clauses=..., implies=..., any_order=False, extras_last=True, orders=..., \
        escapes='raw')")]
    /// A JSON object; keys are compared by decoded value and never repeat.
    ///
    /// `properties`: (key, required, values); in this order unless `any_order`, or unless `orders` gives lists of
    /// indices: then two properties keep an order only if some list names both. `extras`: (regular node of decoded
    /// keys, values) for all other keys; the named keys are excluded from extras automatically, overlaps between
    /// extras are unions. `values`: alternatives (value node, marks): `marks` is a bit set; the object may close only
    /// when the union of the marks of its members contains `required_marks` (existential constraints such as
    /// "some property matching /x/ has a value in S"). `clauses`: pairs of mark sets: if the members leave all marks of
    /// the first, they must leave one of the second. `implies`: pairs of indices into `properties`: if the first is
    /// present so must the second be. `open`, `close`, `colon`, `comma` are nodes with their white space: text is
    /// `open key colon value comma key colon value close`, or `empty` for the object without members.
    /// A property whose values are all empty (unsatisfiable) is forbidden. At most 64 marks.
    fn object(
        &mut self,
        properties: Whole<Vec<(String, bool, Values)>>,
        extras: Whole<Vec<(u32, Values)>>,
        open: Whole<u32>,
        close: Whole<u32>,
        colon: Whole<u32>,
        comma: Whole<u32>,
        empty: Whole<u32>,
        min_properties: Whole<u64>,
        max_properties: Option<Whole<u64>>,
        required_marks: Whole<u64>,
        clauses: Whole<Vec<(u64, u64)>>,
        implies: Whole<Vec<(u32, u32)>>,
        any_order: bool,
        extras_last: bool,
        orders: Whole<Vec<Vec<u32>>>,
        escapes: &str,
    ) -> PyResult<u32> {
        let rules = ObjectRules {
            min: count(min_properties),
            max: max_properties.map(count),
            required_marks: required_marks.0,
            clauses: clauses.0,
            implies: implies.0,
            any_order,
            extras_last,
            orders: orders.0,
            free: is_free(escapes)?,
        };
        let builder = self.builder()?;
        let punctuation = punctuation(builder, [open.0, close.0, colon.0, comma.0, empty.0])?;
        node(builder.object(properties.0, extras.0, punctuation, rules))
    }

    /// A JSON array: items in `prefix` by position, then any number of `rest` (None: no further items).
    ///
    /// `unique`: no two items have the same value (1 == 1.0, key order ignored), whatever nodes they are; items must
    /// be JSON texts, the punctuation regular and not empty.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (prefix, rest, *, open, close, comma, empty, min_items=Whole(0), max_items=None, unique=false),
        text_signature = "($self, prefix, rest, *, open, close, comma, empty, min_items=0, max_items=None, unique=False)")]
    fn array(
        &mut self,
        prefix: Whole<Vec<u32>>,
        rest: Option<Whole<u32>>,
        open: Whole<u32>,
        close: Whole<u32>,
        comma: Whole<u32>,
        empty: Whole<u32>,
        min_items: Whole<u64>,
        max_items: Option<Whole<u64>>,
        unique: bool,
    ) -> PyResult<u32> {
        let builder = self.builder()?;
        let punctuation = punctuation(builder, [open.0, close.0, comma.0, comma.0, empty.0])?;
        let (rest, min, max) = (rest.map(|rest| rest.0), count(min_items), max_items.map(count));
        node(match unique {
            true => unique_items(builder, &prefix.0, rest, punctuation, min, max),
            false => builder.array(&prefix.0, rest, punctuation, min, max),
        })
    }

    /// Exactly the texts of a built grammar, whichever builder made it.
    fn embed(&mut self, grammar: &Grammar) -> PyResult<u32> {
        node(self.builder()?.embed(grammar.0.rules()))
    }

    /// Freeze. Raises EmptyGrammarError if nothing can match, GrammarError if a rule is not defined.
    pub fn build(&mut self, py: Python<'_>, root: Whole<u32>) -> PyResult<Grammar> {
        let builder = self.builder()?;
        builder.node(root.0).map_err(raise)?;
        let builder = self.builder.take().unwrap_or_default();
        let held = builder.memory_bytes();
        let built = briefly_unless_large(py, held, || builder.build(root.0));
        built.map(|rules| Grammar(frisket::Grammar::of_rules(rules))).map_err(raise)
    }
}

/// A count cut to 32 bits: no text is that long.
pub fn count(value: Whole<u64>) -> u32 {
    u32::try_from(value.0).unwrap_or(u32::MAX - 1)
}

fn punctuation(builder: &Builder, nodes: [u32; 5]) -> PyResult<Punctuation> {
    let mut made = [EMPTY; 5];
    for (slot, id) in made.iter_mut().zip(nodes) {
        *slot = builder.node(id).map_err(raise)?;
    }
    let [open, close, colon, comma, empty] = made;
    Ok(Punctuation { open, close, colon, comma, empty })
}

/// Whether every escape of JSON may be used, as `escapes` says.
fn is_free(escapes: &str) -> PyResult<bool> {
    match escapes {
        "raw" => Ok(false),
        "free" => Ok(true),
        other => Err(PyValueError::new_err(format!("escapes is \"raw\" or \"free\", not {other:?}"))),
    }
}
