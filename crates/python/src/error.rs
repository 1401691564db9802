//! Errors of the crate `frisket` → exceptions of `frisket.errors`, each with its code, its place and its hint.

use crate::gil::interruption;
use frisket::{Code, Error};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The Python exception of an error, with advice in the words of Python where they differ. If a signal's handler raised,
/// which cancels the call, its exception.
pub fn raise(error: impl Into<Box<Error>>) -> PyErr {
    let error = error.into();
    let (class, hint) = match error.code() {
        Code::SchemaInvalid => ("InvalidSchemaError", None),
        Code::SchemaUnsupported => ("UnsupportedSchemaError", None),
        Code::SchemaUnsatisfiable => ("UnsatisfiableSchemaError", None),
        Code::Grammar => ("GrammarError", None),
        Code::GrammarSyntax => ("GrammarSyntaxError", None),
        Code::GrammarEmpty => ("EmptyGrammarError", None),
        Code::Vocabulary => ("VocabularyError", None),
        Code::Limit | Code::Cancelled => ("LimitExceededError", None),
        Code::Budget => ("BudgetError", None),
        Code::TokenRejected => (
            "TokenRejectedError",
            Some("Matcher.mask has the tokens that may come next; Matcher.explain says what forbids this one"),
        ),
        Code::Forked => ("FrisketError", Some("make another one in the child: CompiledGrammar.matcher()")),
        Code::Environment => ("FrisketError", None),
        Code::Misuse => return PyValueError::new_err(error.message().to_owned()),
        // A bug. Python's own buffered files, too, raise this where a signal's handler interrupts a call.
        _ => return PyRuntimeError::new_err(error.message().to_owned()),
    };
    let interrupted = (error.code() == Code::Cancelled).then(interruption).flatten();
    interrupted.unwrap_or_else(|| Python::attach(|py| made(py, &error, class, hint).unwrap_or_else(|failure| failure)))
}

fn made(py: Python<'_>, error: &Error, class: &str, hint: Option<&str>) -> PyResult<PyErr> {
    let keywords = PyDict::new(py);
    if matches!(error.code(), Code::Cancelled | Code::Forked | Code::Environment) {
        keywords.set_item("code", error.code().name())?;
    }
    if error.code() == Code::Budget {
        keywords.set_item("least", error.least())?;
    } else {
        keywords.set_item("where", error.place())?;
        keywords.set_item("hint", hint.or(error.hint()))?;
    }
    if !error.places().is_empty() {
        keywords.set_item("places", error.places().to_vec())?;
    }
    build(py, class, error.message(), &keywords)
}

/// An instance of a class of `frisket.errors`.
pub fn build(py: Python<'_>, class: &str, message: &str, keywords: &Bound<'_, PyDict>) -> PyResult<PyErr> {
    let value = py.import("frisket.errors")?.getattr(class)?.call((message,), Some(keywords))?;
    Ok(PyErr::from_value(value))
}
