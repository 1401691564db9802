//! Calls of a front end → GrammarBuilder → Grammar.

use crate::ahead::make_ready;
use crate::allocator::{self, Held};
use crate::error::raise;
use crate::gil::{briefly_unless_large, pause, take_turns, without};
use crate::limit::{given, Limits};
use crate::matcher::{CompiledGrammar, Vocabulary};
use crate::pattern;
use frisket_core::builder::{Builder, ObjectRules, Punctuation};
use frisket_core::error::{Error, Result};
use frisket_core::matcher as core;
use frisket_core::term::TermId;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

type Values = Vec<(u32, u64)>;
type Steps = Vec<(u32, u32)>;

#[pyclass(module = "frisket._core")]
pub struct GrammarBuilder(Option<Builder>);

impl GrammarBuilder {
    pub fn builder(&mut self) -> PyResult<&mut Builder> {
        self.0
            .as_mut()
            .ok_or_else(|| raise(Error::Misuse("this builder has built its grammar; make a new one".into()).into()))
    }
}

fn node(made: Result<TermId>) -> PyResult<u32> {
    made.map(|id| id.0).map_err(raise)
}

fn is_free(escapes: &str) -> PyResult<bool> {
    match escapes {
        "raw" => Ok(false),
        "free" => Ok(true),
        other => Err(PyValueError::new_err(format!("escapes is \"raw\" or \"free\", not {other:?}"))),
    }
}

#[pymethods]
impl GrammarBuilder {
    #[new]
    #[pyo3(signature = (*, limits=None))]
    fn new(limits: Option<&Bound<'_, Limits>>) -> Self {
        let (limits, cancellation) = given(limits);
        make_ready();
        GrammarBuilder(Some(Builder::new(limits, cancellation, Some(take_turns))))
    }

    #[pyo3(signature = (*, limits=None))]
    pub fn fork(&mut self, limits: Option<&Bound<'_, Limits>>) -> PyResult<Self> {
        let (limits, cancellation) = given(limits);
        make_ready();
        Ok(GrammarBuilder(Some(self.builder()?.fork(limits, cancellation))))
    }

    pub fn check(&mut self) -> PyResult<()> {
        self.builder()?.check().map_err(raise)
    }

    fn empty(&self) -> u32 {
        frisket_core::term::EMPTY.0
    }

    fn epsilon(&self) -> u32 {
        frisket_core::term::EPSILON.0
    }

    fn literal(&mut self, data: &[u8]) -> PyResult<u32> {
        node(self.builder()?.literal(data))
    }

    fn words(&mut self, py: Python<'_>, words: Vec<Vec<u8>>) -> PyResult<u32> {
        let builder = self.builder()?;
        let words: Vec<Box<[u8]>> = words.into_iter().map(Vec::into_boxed_slice).collect();
        // Sorting many of them is one long step.
        let made = if words.len() < 1_000 { builder.words(words) } else { without(py, || builder.words(words)) };
        node(made)
    }

    fn byte_class(&mut self, ranges: Vec<(u8, u8)>) -> PyResult<u32> {
        node(self.builder()?.byte_class(&ranges))
    }

    fn char_class(&mut self, ranges: Vec<(u32, u32)>) -> PyResult<u32> {
        node(self.builder()?.char_class(&ranges))
    }

    fn cat(&mut self, nodes: Vec<u32>) -> PyResult<u32> {
        node(self.builder()?.cat(&nodes))
    }

    fn alt(&mut self, nodes: Vec<u32>) -> PyResult<u32> {
        node(self.builder()?.alt(&nodes))
    }

    #[pyo3(name = "repeat", signature = (node, min, max=None))]
    fn repeated(&mut self, node: u32, min: u64, max: Option<u64>) -> PyResult<u32> {
        self::node(self.builder()?.repeat(node, count(min), max.map(count)))
    }

    #[pyo3(signature = (of, *, point))]
    fn multiple(&mut self, of: u32, point: bool) -> PyResult<u32> {
        node(self.builder()?.multiple(of, point))
    }

    fn and_(&mut self, nodes: Vec<u32>) -> PyResult<u32> {
        node(self.builder()?.and(&nodes))
    }

    #[pyo3(name = "not_")]
    fn complement(&mut self, node: u32) -> PyResult<u32> {
        self::node(self.builder()?.not(node))
    }

    fn any_text(&mut self) -> PyResult<u32> {
        node(self.builder()?.any_text())
    }

    #[pyo3(name = "bounded", signature = (node, min, max))]
    fn bounded(&mut self, node: u32, min: u64, max: Option<u64>) -> PyResult<u32> {
        self::node(self.builder()?.bounded(node, count(min), max.map(count)))
    }

    #[pyo3(signature = (node, escapes="raw"))]
    fn quoted(&mut self, node: u32, escapes: &str) -> PyResult<u32> {
        let free = is_free(escapes)?;
        self::node(self.builder()?.quoted(node, free))
    }

    #[pyo3(signature = (pattern, *, search))]
    fn pattern(&mut self, pattern: &Bound<'_, PyString>, search: bool) -> PyResult<Option<u32>> {
        let Ok(pattern) = pattern.to_str() else { return Ok(None) };
        let node = pattern::lower(self.builder()?, pattern, search).map_err(raise)?;
        Ok(node.map(|node| node.0))
    }

    fn is_empty(&mut self, node: u32) -> PyResult<bool> {
        self.builder()?.is_empty(node).map_err(raise)
    }

    fn accepts(&mut self, node: u32, data: &[u8]) -> PyResult<bool> {
        self.builder()?.accepts(node, data).map_err(raise)
    }

    fn accepting(&mut self, nodes: Vec<u32>, data: &[u8]) -> PyResult<Vec<usize>> {
        let builder = self.builder()?;
        let mut found = Vec::new();
        for (at, node) in nodes.into_iter().enumerate() {
            if builder.accepts(node, data).map_err(raise)? {
                found.push(at);
            }
        }
        Ok(found)
    }

    #[pyo3(name = "enumerate")]
    fn enumerated<'py>(
        &mut self,
        py: Python<'py>,
        node: u32,
        limit: usize,
    ) -> PyResult<Option<Vec<Bound<'py, PyBytes>>>> {
        let texts = self.builder()?.enumerate(node, limit).map_err(raise)?;
        Ok(texts.map(|texts| texts.iter().map(|text| PyBytes::new(py, text)).collect()))
    }

    fn disjoint(&mut self, left: u32, right: u32) -> PyResult<bool> {
        self.builder()?.disjoint(left, right).map_err(raise)
    }

    fn seq(&mut self, nodes: Vec<u32>) -> PyResult<u32> {
        node(self.builder()?.seq(&nodes))
    }

    fn rule(&mut self, name: &str) -> PyResult<u32> {
        node(self.builder()?.rule(name))
    }

    fn define(&mut self, rule: u32, body: u32) -> PyResult<()> {
        self.builder()?.define(rule, body).map_err(raise)
    }

    fn special(&mut self, name: &str) -> PyResult<u32> {
        node(self.builder()?.special(name))
    }

    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (properties, extras, *, open, close, colon, comma, empty, min_properties=0, max_properties=None,
        required_marks=0, implies=Vec::new(), any_order=false, extras_last=true, orders=Vec::new(), escapes="raw"))]
    fn object(
        &mut self,
        properties: Vec<(String, bool, Values)>,
        extras: Vec<(u32, Values)>,
        open: u32,
        close: u32,
        colon: u32,
        comma: u32,
        empty: u32,
        min_properties: u64,
        max_properties: Option<u64>,
        required_marks: u64,
        implies: Vec<(u32, u32)>,
        any_order: bool,
        extras_last: bool,
        orders: Vec<Vec<u32>>,
        escapes: &str,
    ) -> PyResult<u32> {
        let rules = ObjectRules {
            min: count(min_properties),
            max: max_properties.map(count),
            required_marks,
            implies,
            any_order,
            extras_last,
            orders,
            free: is_free(escapes)?,
        };
        let builder = self.builder()?;
        let punctuation = punctuation(builder, [open, close, colon, comma, empty])?;
        node(builder.object(properties, extras, punctuation, rules))
    }

    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (prefix, rest, *, open, close, comma, empty, min_items=0, max_items=None, unique=false))]
    fn array(
        &mut self,
        prefix: Vec<u32>,
        rest: Option<u32>,
        open: u32,
        close: u32,
        comma: u32,
        empty: u32,
        min_items: u64,
        max_items: Option<u64>,
        unique: bool,
    ) -> PyResult<u32> {
        let builder = self.builder()?;
        let punctuation = punctuation(builder, [open, close, comma, comma, empty])?;
        let (min, max) = (count(min_items), max_items.map(count));
        node(array(builder, &prefix, rest, punctuation, min, max, unique))
    }

    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (states, *, open, close, comma, empty, min_items=0, max_items=None))]
    fn unique_array(
        &mut self,
        states: Vec<(bool, Steps)>,
        open: u32,
        close: u32,
        comma: u32,
        empty: u32,
        min_items: u64,
        max_items: Option<u64>,
    ) -> PyResult<u32> {
        let builder = self.builder()?;
        let punctuation = punctuation(builder, [open, close, comma, comma, empty])?;
        node(builder.unique_array(&states, punctuation, count(min_items), max_items.map(count)))
    }

    pub fn build(&mut self, py: Python<'_>, root: u32) -> PyResult<Grammar> {
        let builder = self.builder()?;
        builder.node(root).map_err(raise)?;
        let builder = self.0.take().unwrap_or_default();
        let held = builder.memory_bytes();
        let built = briefly_unless_large(py, held, || builder.build(root));
        built.map(|grammar| Grammar(Held::new(grammar))).map_err(|error| {
            allocator::dropped(held);
            raise(error)
        })
    }
}

impl Drop for GrammarBuilder {
    fn drop(&mut self) {
        let held = self.0.as_ref().map_or(0, Builder::memory_bytes);
        drop(self.0.take());
        allocator::dropped(held);
    }
}

/// Items by position and then any number of `rest`, where `unique` no two of the same value.
pub fn array(
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
    let mut states: Vec<(bool, Steps)> =
        prefix.iter().enumerate().map(|(at, &item)| (true, vec![(item, at as u32 + 1)])).collect();
    let last = states.len() as u32;
    states.push((true, rest.map(|rest| (rest, last)).into_iter().collect()));
    builder.unique_array(&states, punctuation, min, max)
}

/// Counts beyond 32 bits are as good as unbounded: no text is that long.
pub fn count(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX - 1)
}

fn punctuation(builder: &Builder, nodes: [u32; 5]) -> PyResult<Punctuation> {
    let mut made = [frisket_core::term::EMPTY; 5];
    for (slot, id) in made.iter_mut().zip(nodes) {
        *slot = builder.node(id).map_err(raise)?;
    }
    let [open, close, colon, comma, empty] = made;
    Ok(Punctuation { open, close, colon, comma, empty })
}

#[pyclass(frozen, module = "frisket._core")]
pub struct Grammar(Held<frisket_core::grammar::Grammar>);

impl Grammar {
    pub fn weight(&self) -> usize {
        self.0.memory_bytes()
    }
}

#[pymethods]
impl Grammar {
    #[pyo3(signature = (vocabulary, *, limits=None, grammar=None))]
    fn compile(
        &self,
        py: Python<'_>,
        vocabulary: &Bound<'_, PyAny>,
        limits: Option<Bound<'_, Limits>>,
        grammar: Option<Py<PyAny>>,
    ) -> PyResult<CompiledGrammar> {
        let vocabulary = match vocabulary.downcast::<Vocabulary>() {
            Ok(vocabulary) => vocabulary.get().clone(),
            Err(_) => {
                let inner = vocabulary.getattr(intern!(py, "_core"));
                let inner = inner.ok().and_then(|inner| inner.downcast_into::<Vocabulary>().ok());
                let kind = vocabulary.get_type();
                let wanted = || PyTypeError::new_err(format!("a grammar is compiled for a Vocabulary, not for {kind}"));
                inner.ok_or_else(wanted)?.get().clone()
            }
        };
        let (bounds, cancellation) = given(limits.as_ref());
        let inner = vocabulary.inner();
        let compile = || core::CompiledGrammar::with_limits(&self.0, inner, bounds, cancellation, Some(pause));
        briefly_unless_large(py, self.weight(), compile)
            .map(|compiled| CompiledGrammar::new(compiled, vocabulary, limits.map(Bound::unbind), grammar))
            .map_err(raise)
    }

    #[getter]
    fn node_count(&self) -> usize {
        self.0.node_count()
    }

    #[getter]
    fn fingerprint(&self) -> u128 {
        self.0.fingerprint()
    }

    #[getter]
    fn memory_bytes(&self) -> usize {
        self.0.memory_bytes()
    }

    fn accepts(&self, py: Python<'_>, data: &[u8]) -> PyResult<bool> {
        without(py, || self.0.accepts(data, Some(pause))).map_err(raise)
    }

    fn accepts_prefix(&self, py: Python<'_>, data: &[u8]) -> PyResult<bool> {
        without(py, || self.0.accepts_prefix(data, Some(pause))).map_err(raise)
    }
}
