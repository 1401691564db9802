//! The core's errors → exceptions of `frisket.errors`.
//!
//! The one place where a Rust error becomes a Python exception, so that each carries its code and its hint.

use crate::gil::interruption;
use frisket::Code;
use frisket_core::error::{Error, Limit};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The Python exception of an error. If a signal's handler raised, which cancels the call, its exception.
pub fn raise(error: Box<Error>) -> PyErr {
    let cancelled = matches!(*error, Error::Limit(Limit::Cancelled));
    if let Some(raised) = cancelled.then(interruption).flatten() {
        return raised;
    }
    if let Error::Limit(Limit::Room { least, .. }) = *error {
        return Python::attach(|py| budget(py, &error.to_string(), least).unwrap_or_else(|failure| failure));
    }
    match *error {
        Error::Contradiction(ref text) => bug(text),
        // Python's own buffered files raise the same class.
        Error::Reentrant => PyRuntimeError::new_err(error.to_string()),
        _ => exception(error.into()),
    }
}

/// The Python exception of a pattern's error.
pub fn raise_regex(error: frisket_regex::Error) -> PyErr {
    match error {
        frisket_regex::Error::Engine(error) => raise(error),
        error => exception(error.into()),
    }
}

/// The Python exception of an error of the crate `frisket`, with advice in the words of Python where they differ.
#[allow(clippy::boxed_local)]
pub fn exception(error: Box<frisket::Error>) -> PyErr {
    let (class, hint) = match error.code() {
        Code::SchemaInvalid => ("InvalidSchemaError", None),
        Code::SchemaUnsupported => ("UnsupportedSchemaError", None),
        Code::SchemaUnsatisfiable => ("UnsatisfiableSchemaError", None),
        Code::Grammar => ("GrammarError", None),
        Code::GrammarSyntax => ("GrammarSyntaxError", None),
        Code::GrammarEmpty => ("EmptyGrammarError", None),
        Code::Vocabulary => ("VocabularyError", None),
        Code::Limit | Code::Cancelled => ("LimitExceededError", None),
        Code::TokenRejected => (
            "TokenRejectedError",
            Some("Matcher.mask has the tokens that may come next; Matcher.explain says what forbids this one"),
        ),
        Code::Forked => ("FrisketError", Some("make another one in the child: CompiledGrammar.matcher()")),
        _ => return bug(error.message()),
    };
    let make = |py: Python<'_>| {
        let keywords = PyDict::new(py);
        if matches!(error.code(), Code::Cancelled | Code::Forked) {
            keywords.set_item("code", error.code().name())?;
        }
        keywords.set_item("where", error.place())?;
        keywords.set_item("hint", hint.or(error.hint()))?;
        if !error.places().is_empty() {
            keywords.set_item("places", error.places().to_vec())?;
        }
        let class = py.import("frisket.errors")?.getattr(class)?;
        Ok(PyErr::from_value(class.call((error.message(),), Some(&keywords))?))
    };
    Python::attach(|py| make(py).unwrap_or_else(|failure| failure))
}

/// A BudgetError: `least` tokens would have sufficed.
fn budget(py: Python<'_>, message: &str, least: Option<u32>) -> PyResult<PyErr> {
    let keywords = PyDict::new(py);
    keywords.set_item("least", least)?;
    let value = py.import("frisket.errors")?.getattr("BudgetError")?.call((message,), Some(&keywords))?;
    Ok(PyErr::from_value(value))
}

/// An instance of a class of `frisket.errors`.
pub fn build(py: Python<'_>, class: &str, message: &str, hint: &str) -> PyResult<PyErr> {
    let keywords = PyDict::new(py);
    keywords.set_item("hint", hint)?;
    let value = py.import("frisket.errors")?.getattr(class)?.call((message,), Some(&keywords))?;
    Ok(PyErr::from_value(value))
}

/// The exception of a bug in the core, such as a panic, which must not unwind into Python's frames.
pub fn bug(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("a bug in frisket: {what}"))
}
