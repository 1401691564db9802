//! The plain parts of a JSON Schema → grammar nodes, without a step of Python.
//!
//! Most subschemas state types, members, items, texts or integers, or apply other subschemas to the same value. Where
//! that needs no complement (`union`), they are read here (`place`) and built here (`lower`, `pattern`, `number`). All
//! others go back to Python's `Lowering`, which calls this reader again for the subschemas below. Both sides decide by
//! the subschema alone which of them reads it. A recursion through both therefore ends, with a rule on the side where
//! it began.
//!
//! This reader builds the nodes that `Lowering` would build, node for node; a test compares the two on thousands of
//! schemas. Where that would be hard (deep nesting, a required member that cannot exist, an invalid subschema),
//! `Unplain` ends the attempt, and Python lowers the whole schema, errors included.

use crate::builder::GrammarBuilder;
use crate::grammar::Grammar;
use crate::limit::Limits;
use crate::sorted::is_sorted;
use crate::stock::Stock;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use pyo3::{create_exception, intern};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cell::OnceCell;
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, OnceLock};

create_exception!(frisket._core.front_end, Unplain, PyException, "The schema is for Python to lower, all of it.");

/// The draft of a schema that names none.
const NEWEST: u64 = 2020;
/// Places of a usual schema: what a table needs that never grows.
const PLACES: usize = 56;
/// A place that is being lowered, with its rule once it was met inside itself; one that is done; one for Python.
#[derive(Clone, Copy)]
pub enum Place {
    Active(Option<u32>),
    Done(Option<u32>),
    Python,
}

/// The plain places of one schema: those whose meaning needs no complement of another.
///
/// They are lowered here, node for node as `json_schema.lower.Lowering` would, which lowers all others. Thread-safe as
/// far as its builder is.
#[pyclass(frozen, module = "frisket._core.front_end")]
pub struct Plain {
    /// The builder of the schema's nodes, a fork of the prelude's.
    #[pyo3(get)]
    pub builder: Py<GrammarBuilder>,
    pub stock: Py<Stock>,
    pub root: Py<PyDict>,
    pub draft: u64,
    /// Whether properties are to come in the order of the schema, and that is a tool's, which sorted them.
    #[pyo3(get)]
    is_sorted: bool,
    pub any_order: bool,
    pub about_itself: bool,
    /// Of each place its arrays, its objects, or all of it.
    pub places: Mutex<FxHashMap<(usize, usize), Place>>,
    /// Places looked at to find out what alternatives mean.
    pub looks: AtomicUsize,
    /// Whether there is any reference, once somebody asked.
    pub refers: OnceLock<bool>,
}

#[pymethods]
impl Plain {
    /// (the grammar of a schema, the `Lowering` if there was need of one, whether the schema leaves the order of
    /// properties to be chosen, having been sorted by a tool).
    ///
    /// It is built with a fork of `prelude`. `python` makes the `Lowering` of this and of what is `given`, when it is
    /// needed; that is asked by `from_plain(schema, pointer, levels)`, and returns (node, whether the report has
    /// nothing to say). Raises Unplain where Python should lower the whole schema.
    #[staticmethod]
    #[pyo3(signature = (prelude, stock, root, property_order, python, given, limits, /))]
    fn grammar<'py>(
        prelude: &Bound<'py, GrammarBuilder>,
        stock: Py<Stock>,
        root: &Bound<'py, PyDict>,
        property_order: &str,
        python: &Bound<'py, PyAny>,
        given: &Bound<'py, PyAny>,
        limits: Option<&Bound<'py, Limits>>,
    ) -> PyResult<Made<'py>> {
        let is_sorted = property_order == "schema" && is_sorted(root);
        Plain::made(prelude, stock, root, (property_order, is_sorted), python, given, limits)
    }

    /// (whether the place is plain, its node): what `Lowering` asks of each place.
    fn lower<'py>(
        &self,
        lowering: Bound<'py, PyAny>,
        schema: &Bound<'py, PyDict>,
        pointer: String,
        levels: usize,
    ) -> PyResult<(bool, Option<u32>)> {
        let own = self.walk(schema.py(), &OnceCell::from(lowering), None, pointer, levels).own(schema)?;
        Ok((own.is_some(), own.flatten()))
    }
}

/// A grammar, Python's side if it was needed, whether the schema was sorted by a tool.
type Made<'py> = (Grammar, Option<Bound<'py, PyAny>>, bool);

impl Plain {
    /// `order` is the option, and whether a tool sorted the schema's properties.
    pub fn made<'py>(
        prelude: &Bound<'py, GrammarBuilder>,
        stock: Py<Stock>,
        root: &Bound<'py, PyDict>,
        order: (&str, bool),
        python: &Bound<'py, PyAny>,
        given: &Bound<'py, PyAny>,
        limits: Option<&Bound<'py, Limits>>,
    ) -> PyResult<Made<'py>> {
        let py = root.py();
        let plain = Bound::new(py, Plain::new(prelude, stock, root, order, limits)?)?;
        let this = plain.get();
        let lowering = OnceCell::new();
        let asked = (python, given, &plain);
        let mut walk = this.walk(py, &lowering, Some(asked), String::with_capacity(128), 0);
        let node = walk.any(root)?.ok_or_else(|| Unplain::new_err("nothing can be a document"))?;
        let node = match walk.stock.margins {
            Some((before, after)) => walk.node(|builder| builder.seq(&[before, node, after]))?,
            None => node,
        };
        let grammar = this.builder.bind(py).borrow_mut().build(py, node)?;
        Ok((grammar, lowering.into_inner(), this.is_sorted))
    }

    fn new(
        prelude: &Bound<'_, GrammarBuilder>,
        stock: Py<Stock>,
        root: &Bound<'_, PyDict>,
        (property_order, is_sorted): (&str, bool),
        limits: Option<&Bound<'_, Limits>>,
    ) -> PyResult<Self> {
        let mut builder = prelude.borrow_mut().fork(limits)?;
        if limits.is_some() {
            builder.check(0)?;
        }
        let builder = Py::new(root.py(), builder)?;
        let draft = match root.get_item(intern!(root.py(), "$schema"))? {
            None => NEWEST,
            Some(named) => {
                let named = named.downcast_exact::<PyString>().map_err(|_| Unplain::new_err("a draft of its own"))?;
                let named = named.to_str()?;
                let bare = named.split_once("://").map_or(named, |(_, bare)| bare);
                let known = stock.get().drafts.get(bare.trim_end_matches('#').trim_end_matches('/'));
                *known.ok_or_else(|| Unplain::new_err("a draft of its own"))?
            }
        };
        let stated = property_order == "schema";
        let is_sorted = stated && is_sorted;
        Ok(Plain {
            builder,
            stock,
            root: root.clone().unbind(),
            draft,
            is_sorted,
            any_order: is_sorted || property_order == "any",
            about_itself: stated && !is_sorted,
            places: Mutex::new(FxHashMap::with_capacity_and_hasher(PLACES, FxBuildHasher)),
            looks: AtomicUsize::new(0),
            refers: OnceLock::new(),
        })
    }
}
