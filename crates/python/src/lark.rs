//! A grammar in Lark's notation from Python → its node, or its rules for printers; what is wrong → Python.

use crate::builder::GrammarBuilder;
use crate::error::raise;
use crate::gil::take_turns;
use crate::regex;
use frisket::front_end::Builder;
use frisket::front_end::Limits;
use frisket::front_end::TermId;
use frisket::notation::lark::written::{written, Part};
use frisket::notation::lark::{self, Dialect, Options, Schemas};
use frisket::notation::{Failure, Fault as NotationFault};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

create_exception!(
    frisket._core.front_end,
    Fault,
    PyException,
    "What is wrong with a text: a message, an offset or None, a hint or None, and the kind: syntax, empty or limit."
);

/// Reads schemas with a function of Python: (builder, schema as JSON, offset) → node.
struct InPython<'a, 'py> {
    text: &'a str,
    schema: &'a Bound<'py, PyAny>,
    /// What the function raised last.
    raised: Option<PyErr>,
}

impl InPython<'_, '_> {
    fn called(&self, builder: &mut Builder, schema: &str, at: usize) -> PyResult<TermId> {
        let py = self.schema.py();
        let lent = Bound::new(py, GrammarBuilder::of(std::mem::take(builder)))?;
        let node = self.schema.call1((&lent, schema, offset(self.text, at)));
        *builder = lent.borrow_mut().take()?;
        builder.node(node?.extract()?).map_err(raise)
    }

    /// The exception of a failure.
    fn raise(self, failure: Failure) -> PyErr {
        if let Some(raised) = self.raised {
            return raised;
        }
        let (NotationFault { message, at, hint }, kind) = match failure {
            Failure::Engine(error) => return raise(error),
            Failure::Schema(error) => return raise(error),
            Failure::Unread(fault) => (fault, "syntax"),
            Failure::Empty(fault) => (fault, "empty"),
            Failure::Limit(fault) => (fault, "limit"),
        };
        Fault::new_err((message, at.map(|at| offset(self.text, at)), hint, kind))
    }
}

impl Schemas for InPython<'_, '_> {
    fn builder(&self) -> Builder {
        Builder::new(Limits::default(), None, Some(take_turns))
    }

    fn lower(&mut self, builder: &mut Builder, schema: &str, at: usize) -> Result<TermId, Failure> {
        self.raised = None;
        self.called(builder, schema, at).map_err(|raised| {
            let message = raised.to_string();
            self.raised = Some(raised);
            Failure::Unread(NotationFault { message, at: Some(at), hint: None })
        })
    }
}

/// The characters before a byte.
fn offset(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).chars().count()
}

/// How a text is read in the running Python.
fn options<'o>(py: Python<'_>, start: &'o str, dialect: &str) -> PyResult<Options<'o>> {
    let dialect = match dialect {
        "llguidance" => Dialect::Llguidance,
        "lark" => Dialect::Lark,
        "xgrammar" => Dialect::XGrammar,
        other => return Err(PyValueError::new_err(format!("a dialect of Lark is no {other:?}"))),
    };
    Ok(Options { start, dialect, python: regex::syntax(py, "python", "")? })
}

/// The node of a rule of a grammar in Lark's notation. `schema` makes the node of a JSON Schema that stands at an
/// offset. Raises Fault; what `schema` raises.
#[pyfunction]
pub fn lower_lark(
    builder: &Bound<'_, GrammarBuilder>,
    text: &str,
    start: &str,
    dialect: &str,
    schema: &Bound<'_, PyAny>,
) -> PyResult<u32> {
    let options = options(builder.py(), start, dialect)?;
    let mut schemas = InPython { text, schema, raised: None };
    let mut builder = builder.borrow_mut();
    let lowered = lark::lower(builder.builder()?, text, &options, &mut schemas);
    lowered.map(|node| node.number()).map_err(|failure| schemas.raise(failure))
}

/// (a rule's name, the name as it is written, its offset, its nodes), the root's name.
type Rules<'py> = (Vec<(String, String, usize, Bound<'py, PyList>)>, String);

/// The rules of a grammar in Lark's notation, and the root's name. The builder bears the limits.
///
/// Raises as `lower_lark`.
///
/// Nodes stand in postorder: the name of a class in `notations.production.ast` or Substring, Schema, Nested, and its
/// fields, where a number of nodes stands for those before it.
#[pyfunction]
pub fn read_lark<'py>(
    builder: &Bound<'py, GrammarBuilder>,
    text: &str,
    start: &str,
    dialect: &str,
    schema: &Bound<'_, PyAny>,
) -> PyResult<Rules<'py>> {
    let py = builder.py();
    let options = options(py, start, dialect)?;
    let mut schemas = InPython { text, schema, raised: None };
    let found = written(builder.borrow_mut().builder()?, text, &options, &mut schemas);
    let found = found.map_err(|failure| schemas.raise(failure))?;
    let mut rules = Vec::new();
    for rule in found.rules {
        let nodes = PyList::empty(py);
        for part in rule.nodes {
            nodes.append(described(py, text, part)?)?;
        }
        rules.push((rule.name, rule.title, offset(text, rule.at), nodes));
    }
    Ok((rules, found.root))
}

fn described<'py>(py: Python<'py>, text: &str, part: Part) -> PyResult<Bound<'py, PyAny>> {
    let at = |at| offset(text, at);
    let made = match part {
        Part::Text(text) => ("Text", text).into_pyobject(py)?,
        Part::Chars(ranges) => ("Chars", regex::tuples(py, &ranges)?).into_pyobject(py)?,
        Part::Octets(ranges) => ("Octets", regex::tuples(py, &ranges)?).into_pyobject(py)?,
        Part::Token(name) => ("Token", name).into_pyobject(py)?,
        Part::Call(name, place) => ("Reference", name, at(place)).into_pyobject(py)?,
        Part::Pattern(pattern, flags, dialect, place) => {
            ("Pattern", pattern, flags, at(place), regex::name(dialect)).into_pyobject(py)?
        }
        Part::Substring(chunks, place) => ("Substring", chunks, at(place)).into_pyobject(py)?,
        Part::Schema(schema, place) => ("Schema", schema, at(place)).into_pyobject(py)?,
        Part::Nested(text, place) => ("Nested", text, at(place)).into_pyobject(py)?,
        Part::Seq(count) => ("Seq", count).into_pyobject(py)?,
        Part::Alt(count) => ("Alt", count).into_pyobject(py)?,
        Part::Repeat(low, high) => ("Repeat", low, high).into_pyobject(py)?,
        Part::Both(count, place) => ("Both", count, at(place)).into_pyobject(py)?,
        Part::Complement(place) => ("Complement", at(place)).into_pyobject(py)?,
        Part::Shortest(place) => ("Shortest", at(place)).into_pyobject(py)?,
    };
    Ok(made.into_any())
}

/// A pattern of xgrammar → the same in Python's dialect, with the flag `a`. Raises Fault.
#[pyfunction]
pub fn xgrammar_pattern(pattern: &str) -> PyResult<String> {
    lark::of_xgrammar(pattern)
        .map_err(|flaw| Fault::new_err((flaw.message, flaw.at.map(|at| offset(pattern, at)), flaw.hint, "syntax")))
}
