//! Regular expressions of Python → the crate's patterns, and its results → Python: convert, release the GIL, raise.

use crate::error::raise;
use crate::gil::{briefly, without};
use frisket::front_end::regex::{self, Dialect, Flags, Node, Pattern, Result, Syntax, Version};
use frisket::front_end::{Builder, Once, TermId};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyString};

/// Bytes of a pattern whose parsing takes long enough to release the GIL: about half a millisecond.
const LONG: usize = 1 << 14;

/// The syntax of a dialect in the running Python.
pub fn syntax(py: Python<'_>, dialect: &str, flags: &str) -> PyResult<Syntax> {
    let dialect = match dialect {
        "ecma" => Dialect::Ecma,
        "python" => Dialect::Python,
        "rust" => Dialect::Rust,
        other => return Err(PyValueError::new_err(format!("a dialect is python, ecma or rust, not {other:?}"))),
    };
    let flags = Flags::new(flags).map_err(raise)?;
    Ok(Syntax { flags, python_unicode: version(py)?, named, ..Syntax::new(dialect) })
}

/// The running Python's version of Unicode.
fn version(py: Python<'_>) -> PyResult<Version> {
    static VERSION: Once<Version> = Once::new();
    let find = || -> PyResult<Version> {
        let text: String = py.import("unicodedata")?.getattr("unidata_version")?.extract()?;
        let mut numbers = text.split('.').map_while(|number| number.parse().ok());
        Ok(numbers.next().zip(numbers.next()))
    };
    VERSION.get_or_try_init(find).copied()
}

/// The character of a name, as `unicodedata` has it.
fn named(name: &str) -> Option<char> {
    Python::attach(|py| py.import("unicodedata").ok()?.call_method1("lookup", (name,)).ok()?.extract().ok())
}

/// The text of a pattern. Raises GrammarSyntaxError for half a surrogate pair, which no UTF-8 text holds.
fn text<'a>(pattern: &'a Bound<'_, PyString>) -> PyResult<&'a str> {
    let Err(error) = pattern.to_str() else { return pattern.to_str() };
    let py = pattern.py();
    let at: usize = error.value(py).getattr("start")?.extract()?;
    let quoted = match pattern.len()? {
        0..=60 => pattern.repr()?,
        _ => pattern.get_item(PySlice::new(py, 0, 57, 1))?.add("…")?.repr()?,
    };
    let message = format!("a lone surrogate has no UTF-8 form in {}", quoted.to_str()?);
    Err(raise(regex::Error::Syntax(regex::Flaw { message, at: Some(at), hint: Some("leave it out".into()) })))
}

/// The node that `lower` makes of a pattern, without the GIL if that takes long.
pub fn lowered(
    builder: &mut Builder,
    pattern: &Bound<'_, PyString>,
    syntax: &Syntax,
    lower: impl FnOnce(&Pattern, &mut Builder) -> Result<TermId> + Send,
) -> PyResult<u32> {
    let text = text(pattern)?;
    let read = || lower(&Pattern::read(text, syntax)?, builder);
    let node = if text.len() < LONG { briefly(pattern.py(), read) } else { without(pattern.py(), read) };
    node.map(|node| node.number()).map_err(raise)
}

/// A pattern that was read, with the facts about it that need no builder.
#[pyclass(frozen, module = "frisket._core.front_end")]
pub struct Regex(Node);

#[pymethods]
impl Regex {
    /// Raises GrammarSyntaxError, with the offset, for what is not in the dialect.
    #[new]
    #[pyo3(signature = (pattern, *, dialect, flags=""))]
    fn new(pattern: &Bound<'_, PyString>, dialect: &str, flags: &str) -> PyResult<Self> {
        let syntax = syntax(pattern.py(), dialect, flags)?;
        let text = text(pattern)?;
        regex::parse(text, &syntax).map(Regex).map_err(raise)
    }

    /// The tree: for each node a tuple of the name of its class in `notations.regex.ast` and its fields.
    fn tree<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        described(py, &self.0)
    }

    /// The greatest length of its texts, in characters; None is no limit.
    fn longest(&self) -> Option<u64> {
        self.0.measure().high
    }

    /// Whether the empty text may match.
    fn may_be_empty(&self) -> bool {
        self.0.may_be_empty()
    }
}

fn described<'py>(py: Python<'py>, node: &Node) -> PyResult<Bound<'py, PyAny>> {
    let all = |items: &[Node]| items.iter().map(|item| described(py, item)).collect::<PyResult<Vec<_>>>();
    let made = match node {
        Node::Text(text) => ("Text", text).into_pyobject(py)?,
        Node::Chars(set) => ("Chars", tuples(py, set.ranges())?).into_pyobject(py)?,
        Node::Seq(items) => ("Seq", all(items)?).into_pyobject(py)?,
        Node::Alt(items) => ("Alt", all(items)?).into_pyobject(py)?,
        Node::Repeat { item, low, high, is_lazy, at } => {
            ("Repeat", described(py, item)?, low, high, is_lazy, at).into_pyobject(py)?
        }
        Node::Before { ranges, edge, at } => ("Before", tuples(py, ranges.ranges())?, edge, at).into_pyobject(py)?,
        Node::After { ranges, edge, at } => ("After", tuples(py, ranges.ranges())?, edge, at).into_pyobject(py)?,
        Node::Boundary { at, .. } => ("Boundary", at).into_pyobject(py)?,
        Node::Look { item, ahead, negative, at } => {
            ("Look", described(py, item)?, ahead, negative, at).into_pyobject(py)?
        }
        Node::FinalNewline { at } => ("FinalNewline", at).into_pyobject(py)?,
    };
    Ok(made.into_any())
}

/// Ranges as Python's front ends compare and hash them.
pub fn tuples<'py, T: Copy + IntoPyObject<'py>>(py: Python<'py>, ranges: &[(T, T)]) -> PyResult<Bound<'py, PyAny>> {
    Ok(pyo3::types::PyTuple::new(py, ranges.iter().copied())?.into_any())
}

/// Whether ECMA-262 (with `u`) takes the pattern; back-references are fine here.
#[pyfunction]
pub fn is_ecma_regex(pattern: &Bound<'_, PyString>) -> PyResult<bool> {
    // Half a surrogate pair is in no text of the builder, and so in no pattern.
    let Ok(pattern) = pattern.to_str() else { return Ok(false) };
    regex::is_ecma_regex(pattern).map_err(raise)
}
