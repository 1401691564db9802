//! Calls of a front end → GrammarBuilder → Grammar.
//!
//! Every method converts its arguments, calls the core's builder and raises its errors; nothing is decided here.

use crate::argument;
use crate::error::raise;
use crate::gil::{briefly_unless_large, take_turns, without};
use crate::grammar::Grammar;
use crate::limit::{given, Limits};
use crate::regex;
use frisket_core::error::{Error, Result};
use frisket_core::grammar::builder::{Builder, ObjectRules, Punctuation};
use frisket_core::limits::{self, Cancellation};
use frisket_core::regular::term::TermId;
use frisket_regex::Pattern;
use frisket_schema::compile::Prelude;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::sync::Arc;

type Values = Vec<(u32, u64)>;
type Steps = Vec<(u32, u32)>;

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
    pub fn of_prelude(prelude: Arc<Prelude>, limits: limits::Limits, cancellation: Option<Cancellation>) -> Self {
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
            .ok_or_else(|| raise(Error::Misuse("this builder has built its grammar; make a new one".into()).into()))
    }
}

fn node(made: Result<TermId>) -> PyResult<u32> {
    made.map(|id| id.number()).map_err(raise)
}

#[pymethods]
impl GrammarBuilder {
    #[new]
    #[pyo3(signature = (*, limits=None))]
    fn new(limits: Option<&Bound<'_, Limits>>) -> Self {
        let (limits, cancellation) = given(limits);
        GrammarBuilder { builder: Some(Builder::new(limits, cancellation, Some(take_turns))), prelude: None }
    }

    /// A copy: equal nodes have equal ids in both, and either may go on alone.
    #[pyo3(signature = (*, limits=None))]
    pub fn fork(&mut self, limits: Option<&Bound<'_, Limits>>) -> PyResult<Self> {
        let (limits, cancellation) = given(limits);
        let prelude = self.prelude.clone();
        Ok(GrammarBuilder { builder: Some(self.builder()?.fork(limits, cancellation)), prelude })
    }

    /// Raises LimitExceededError if the build is cancelled, late or too large: for the work of a front end between
    /// two calls. The time of a build begins with its first call, or with this.
    ///
    /// `steps`: the front end's own work since its last check, in steps of a limit; they add up over a build.
    /// `memory_bytes`: memory that it has allocated since then and keeps until the build is over.
    #[pyo3(signature = (steps=0, memory_bytes=0))]
    pub fn check(
        &mut self,
        #[pyo3(from_py_with = argument::steps)] steps: u64,
        #[pyo3(from_py_with = argument::memory_bytes)] memory_bytes: usize,
    ) -> PyResult<()> {
        let builder = self.builder()?;
        builder.hold(memory_bytes);
        builder.check(steps).map_err(raise)
    }

    /// Matches nothing.
    fn empty(&self) -> u32 {
        frisket_core::regular::term::EMPTY.number()
    }

    /// Matches the empty text.
    fn epsilon(&self) -> u32 {
        frisket_core::regular::term::EPSILON.number()
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
    fn byte_class(&mut self, #[pyo3(from_py_with = argument::byte_ranges)] ranges: Vec<(u8, u8)>) -> PyResult<u32> {
        node(self.builder()?.byte_class(&ranges))
    }

    /// One code point (surrogates excluded), as UTF-8, in any of the inclusive ranges.
    fn char_class(&mut self, #[pyo3(from_py_with = argument::char_ranges)] ranges: Vec<(u32, u32)>) -> PyResult<u32> {
        node(self.builder()?.char_class(&ranges))
    }

    /// Concatenation of regular nodes. Structural nodes: use `seq`.
    fn cat(&mut self, #[pyo3(from_py_with = argument::nodes)] nodes: Vec<u32>) -> PyResult<u32> {
        node(self.builder()?.cat(&nodes))
    }

    /// Union; of regular or structural nodes.
    fn alt(&mut self, #[pyo3(from_py_with = argument::nodes)] nodes: Vec<u32>) -> PyResult<u32> {
        node(self.builder()?.alt(&nodes))
    }

    /// `node`{min,max}; of a regular or structural node. Counts are made when reached: 10,000 compiles as 10.
    #[pyo3(name = "repeat", signature = (node, min, max=None))]
    fn repeated(
        &mut self,
        #[pyo3(from_py_with = argument::node)] node: u32,
        #[pyo3(from_py_with = argument::min)] min: u64,
        #[pyo3(from_py_with = argument::max)] max: Option<u64>,
    ) -> PyResult<u32> {
        self::node(self.builder()?.repeat(node, count(min), max.map(count)))
    }

    /// Digits (or the empty text) whose number is a multiple of `of`; if `point`, points among them are ignored.
    #[pyo3(signature = (of, *, point))]
    fn multiple(&mut self, #[pyo3(from_py_with = argument::of)] of: u32, point: bool) -> PyResult<u32> {
        node(self.builder()?.multiple(of, point))
    }

    /// Intersection of regular nodes.
    fn and_(&mut self, #[pyo3(from_py_with = argument::nodes)] nodes: Vec<u32>) -> PyResult<u32> {
        node(self.builder()?.and(&nodes))
    }

    /// Complement of a regular node among ALL byte strings (intersect with `any_text()` for valid UTF-8).
    #[pyo3(name = "not_")]
    fn complement(&mut self, #[pyo3(from_py_with = argument::node)] node: u32) -> PyResult<u32> {
        self::node(self.builder()?.not(node))
    }

    /// Every valid UTF-8 text (control characters and quotes included), the empty one too.
    fn any_text(&mut self) -> PyResult<u32> {
        node(self.builder()?.any_text())
    }

    /// The texts of a regular node that have `min` to `max` code points.
    #[pyo3(name = "bounded", signature = (node, min, max))]
    fn bounded(
        &mut self,
        #[pyo3(from_py_with = argument::node)] node: u32,
        #[pyo3(from_py_with = argument::min)] min: u64,
        #[pyo3(from_py_with = argument::max)] max: Option<u64>,
    ) -> PyResult<u32> {
        self::node(self.builder()?.bounded(node, count(min), max.map(count)))
    }

    /// From now on, JSON strings and the keys of `extras` hold texts of this regular node only, in forks too.
    fn restrict_strings(&mut self, #[pyo3(from_py_with = argument::node)] node: u32) -> PyResult<()> {
        self.builder()?.restrict_strings(node).map_err(raise)
    }

    /// The JSON strings, quotes included, whose DECODED text (UTF-8) is in the node; `raw` takes rules, too.
    ///
    /// `raw`: one spelling per text: raw UTF-8, two-character escapes for `" \ \b \f \n \r \t`, lower-case
    /// `\u00xx` for the other control characters. `free`: every spelling of RFC 8259
    /// (`\/`, `\u0061`, surrogate pairs).
    #[pyo3(signature = (node, escapes="raw"))]
    fn quoted(&mut self, #[pyo3(from_py_with = argument::node)] node: u32, escapes: &str) -> PyResult<u32> {
        let free = argument::is_free(escapes)?;
        self::node(self.builder()?.quoted(node, free))
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

    /// Whether the node (regular, or structural with all its rules defined) matches nothing.
    ///
    /// Raises LimitExceededError if that takes too long to find out.
    fn is_empty(&mut self, #[pyo3(from_py_with = argument::node)] node: u32) -> PyResult<bool> {
        self.builder()?.is_empty(node).map_err(raise)
    }

    /// Whether a REGULAR node matches exactly these bytes.
    fn accepts(&mut self, #[pyo3(from_py_with = argument::node)] node: u32, data: &[u8]) -> PyResult<bool> {
        self.builder()?.accepts(node, data).map_err(raise)
    }

    /// The REGULAR node of the texts that may follow these bytes in the texts of a REGULAR node.
    fn after(&mut self, #[pyo3(from_py_with = argument::node)] node: u32, data: &[u8]) -> PyResult<u32> {
        self::node(self.builder()?.after(node, data))
    }

    /// The places, in the list, of the REGULAR nodes that match exactly these bytes.
    fn accepting(
        &mut self,
        #[pyo3(from_py_with = argument::nodes)] nodes: Vec<u32>,
        data: &[u8],
    ) -> PyResult<Vec<usize>> {
        let builder = self.builder()?;
        let mut found = Vec::new();
        for (at, node) in nodes.into_iter().enumerate() {
            if builder.accepts(node, data).map_err(raise)? {
                found.push(at);
            }
        }
        Ok(found)
    }

    /// All texts of a REGULAR node in order of length then bytes, or None if there are more than `limit`.
    #[pyo3(name = "enumerate")]
    fn enumerated<'py>(
        &mut self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::node)] node: u32,
        #[pyo3(from_py_with = argument::limit)] limit: usize,
    ) -> PyResult<Option<Vec<Bound<'py, PyBytes>>>> {
        let texts = self.builder()?.enumerate(node, limit).map_err(raise)?;
        Ok(texts.map(|texts| texts.iter().map(|text| PyBytes::new(py, text)).collect()))
    }

    /// Whether two REGULAR nodes share no text.
    fn disjoint(
        &mut self,
        #[pyo3(from_py_with = argument::left)] left: u32,
        #[pyo3(from_py_with = argument::right)] right: u32,
    ) -> PyResult<bool> {
        self.builder()?.disjoint(left, right).map_err(raise)
    }

    /// Concatenation of regular or structural nodes; each part keeps its own cached masks (prefer it in JSON).
    fn seq(&mut self, #[pyo3(from_py_with = argument::nodes)] nodes: Vec<u32>) -> PyResult<u32> {
        node(self.builder()?.seq(&nodes))
    }

    /// Declare a rule and return the node that calls it (define it later: recursion).
    fn rule(&mut self, name: &str) -> PyResult<u32> {
        node(self.builder()?.rule(name))
    }

    /// Set the body of a rule; once for each rule.
    fn define(
        &mut self,
        #[pyo3(from_py_with = argument::rule)] rule: u32,
        #[pyo3(from_py_with = argument::body)] body: u32,
    ) -> PyResult<()> {
        self.builder()?.define(rule, body).map_err(raise)
    }

    /// The special token of that name in the vocabulary (`<|eot_id|>`); it never matches text.
    fn special(&mut self, name: &str) -> PyResult<u32> {
        node(self.builder()?.special(name))
    }

    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (properties, extras, *, open, close, colon, comma, empty, min_properties=0, max_properties=None,
        required_marks=0, clauses=Vec::new(), implies=Vec::new(), any_order=false, extras_last=true,
        orders=Vec::new(), escapes="raw"))]
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
        #[pyo3(from_py_with = argument::properties)] properties: Vec<(String, bool, Values)>,
        #[pyo3(from_py_with = argument::extras)] extras: Vec<(u32, Values)>,
        #[pyo3(from_py_with = argument::open)] open: u32,
        #[pyo3(from_py_with = argument::close)] close: u32,
        #[pyo3(from_py_with = argument::colon)] colon: u32,
        #[pyo3(from_py_with = argument::comma)] comma: u32,
        #[pyo3(from_py_with = argument::empty)] empty: u32,
        #[pyo3(from_py_with = argument::min_properties)] min_properties: u64,
        #[pyo3(from_py_with = argument::max_properties)] max_properties: Option<u64>,
        #[pyo3(from_py_with = argument::required_marks)] required_marks: u64,
        #[pyo3(from_py_with = argument::clauses)] clauses: Vec<(u64, u64)>,
        #[pyo3(from_py_with = argument::implies)] implies: Vec<(u32, u32)>,
        any_order: bool,
        extras_last: bool,
        #[pyo3(from_py_with = argument::orders)] orders: Vec<Vec<u32>>,
        escapes: &str,
    ) -> PyResult<u32> {
        let rules = ObjectRules {
            min: count(min_properties),
            max: max_properties.map(count),
            required_marks,
            clauses,
            implies,
            any_order,
            extras_last,
            orders,
            free: argument::is_free(escapes)?,
        };
        let builder = self.builder()?;
        let punctuation = punctuation(builder, [open, close, colon, comma, empty])?;
        node(builder.object(properties, extras, punctuation, rules))
    }

    /// A JSON array: items in `prefix` by position, then any number of `rest` (None: no further items).
    ///
    /// `unique`: no two items have the same value (1 == 1.0, key order ignored), whatever nodes they are; items must
    /// be JSON texts, the punctuation regular and not empty.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (prefix, rest, *, open, close, comma, empty, min_items=0, max_items=None, unique=false))]
    fn array(
        &mut self,
        #[pyo3(from_py_with = argument::prefix)] prefix: Vec<u32>,
        #[pyo3(from_py_with = argument::rest)] rest: Option<u32>,
        #[pyo3(from_py_with = argument::open)] open: u32,
        #[pyo3(from_py_with = argument::close)] close: u32,
        #[pyo3(from_py_with = argument::comma)] comma: u32,
        #[pyo3(from_py_with = argument::empty)] empty: u32,
        #[pyo3(from_py_with = argument::min_items)] min_items: u64,
        #[pyo3(from_py_with = argument::max_items)] max_items: Option<u64>,
        unique: bool,
    ) -> PyResult<u32> {
        let builder = self.builder()?;
        let punctuation = punctuation(builder, [open, close, comma, comma, empty])?;
        let (min, max) = (count(min_items), max_items.map(count));
        node(array(builder, &prefix, rest, punctuation, min, max, unique))
    }

    /// A JSON array of different items that an automaton reads: `states[i]` is whether the array may end there and
    /// the items that may come, each (node, next state); the first state is 0.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (states, *, open, close, comma, empty, min_items=0, max_items=None))]
    fn unique_array(
        &mut self,
        #[pyo3(from_py_with = argument::states)] states: Vec<(bool, Steps)>,
        #[pyo3(from_py_with = argument::open)] open: u32,
        #[pyo3(from_py_with = argument::close)] close: u32,
        #[pyo3(from_py_with = argument::comma)] comma: u32,
        #[pyo3(from_py_with = argument::empty)] empty: u32,
        #[pyo3(from_py_with = argument::min_items)] min_items: u64,
        #[pyo3(from_py_with = argument::max_items)] max_items: Option<u64>,
    ) -> PyResult<u32> {
        let builder = self.builder()?;
        let punctuation = punctuation(builder, [open, close, comma, comma, empty])?;
        node(builder.unique_array(&states, punctuation, count(min_items), max_items.map(count)))
    }

    /// Exactly the texts of a built grammar, whichever builder made it.
    fn embed(&mut self, grammar: &Grammar) -> PyResult<u32> {
        node(self.builder()?.embed(grammar.rules()))
    }

    /// Freeze. Raises EmptyGrammarError if nothing can match, GrammarError if a rule is not defined.
    pub fn build(&mut self, py: Python<'_>, #[pyo3(from_py_with = argument::root)] root: u32) -> PyResult<Grammar> {
        let builder = self.builder()?;
        builder.node(root).map_err(raise)?;
        let builder = self.builder.take().unwrap_or_default();
        let held = builder.memory_bytes();
        let built = briefly_unless_large(py, held, || builder.build(root));
        built.map(Grammar::new).map_err(raise)
    }
}

/// A count cut to 32 bits: no text is that long.
pub fn count(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX - 1)
}

fn punctuation(builder: &Builder, nodes: [u32; 5]) -> PyResult<Punctuation> {
    let mut made = [frisket_core::regular::term::EMPTY; 5];
    for (slot, id) in made.iter_mut().zip(nodes) {
        *slot = builder.node(id).map_err(raise)?;
    }
    let [open, close, colon, comma, empty] = made;
    Ok(Punctuation { open, close, colon, comma, empty })
}

/// An array of items by position, then any number of `rest`; if `unique`, no two have the same value.
fn array(
    builder: &mut Builder,
    prefix: &[u32],
    rest: Option<u32>,
    punctuation: Punctuation,
    min: u32,
    max: Option<u32>,
    unique: bool,
) -> Result<TermId> {
    if !unique {
        return builder.array(prefix, rest, punctuation, min, max);
    }
    let mut states: Vec<(bool, Vec<(u32, u32)>)> =
        prefix.iter().enumerate().map(|(at, &item)| (true, vec![(item, at as u32 + 1)])).collect();
    let last = states.len() as u32;
    states.push((true, rest.map(|rest| (rest, last)).into_iter().collect()));
    builder.unique_array(&states, punctuation, min, max)
}
