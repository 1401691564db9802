//! The one place where the engine's errors become `frisket.errors`.

use frisket_core::error::Error;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

pub fn raise(error: Error) -> PyErr {
    let (class, hint): (&str, &str) = match &error {
        Error::Limit { .. } => {
            ("LimitExceededError", "simplify the schema or grammar: fewer nested counts and intersections")
        }
        Error::Misuse(_) => ("GrammarError", "see the GrammarBuilder's documentation for what may stand where"),
        Error::UndefinedRule(_) => ("GrammarError", "define the rule, or correct its name"),
        Error::Empty => ("EmptyGrammarError", "every rule needs a way to finish"),
        Error::Vocabulary(_) => ("VocabularyError", "use a vocabulary with byte fallback, or allow other text here"),
        Error::Rejected(_) => ("TokenRejectedError", "choose a token whose bit is set in the mask"),
    };
    Python::attach(|py| build(py, class, &error.to_string(), hint).unwrap_or_else(|failure| failure))
}

fn build(py: Python<'_>, class: &str, message: &str, hint: &str) -> PyResult<PyErr> {
    let keywords = PyDict::new(py);
    keywords.set_item("hint", hint)?;
    let value = py.import("frisket.errors")?.getattr(class)?.call((message,), Some(&keywords))?;
    Ok(PyErr::from_value(value))
}

/// A panic is a bug; it becomes an exception of its own and never unwinds into Python's frames.
pub fn bug(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("a bug in frisket: {what}"))
}
