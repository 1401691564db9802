//! The core's errors → exceptions of `frisket.errors`.
//!
//! The one place where a Rust error becomes a Python exception, so that each carries its code and its hint.

use crate::gil::interruption;
use frisket_core::error::{Error, Limit};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The Python exception of an error. If a signal's handler raised and thereby cancelled the call: what the handler raised.
pub fn raise(error: Box<Error>) -> PyErr {
    let cancelled = matches!(*error, Error::Limit(Limit::Cancelled));
    if let Some(raised) = cancelled.then(interruption).flatten() {
        return raised;
    }
    if let Error::Limit(Limit::Room { least, exact, .. }) = *error {
        return Python::attach(|py| budget(py, &error.to_string(), least, exact).unwrap_or_else(|failure| failure));
    }
    let specials;
    let (class, hint): (&str, &str) = match &*error {
        Error::Contradiction(text) => return bug(text),
        // Python's own buffered files raise the same class.
        Error::Reentrant => return PyRuntimeError::new_err(error.to_string()),
        Error::Forked => ("FrisketError", "make another one in the child: CompiledGrammar.matcher()"),
        Error::Limit(limit) => ("LimitExceededError", relief(limit)),
        Error::Misuse(_) => ("GrammarError", "see the GrammarBuilder's documentation for what may stand where"),
        Error::UndefinedRule(_) => ("GrammarError", "define the rule, or correct its name"),
        Error::Empty => ("EmptyGrammarError", "every rule needs a way to finish"),
        Error::Vocabulary(_) => ("VocabularyError", "use a vocabulary with byte fallback, or allow other text here"),
        Error::NoSpecialToken(_, known) => {
            specials = special_tokens(known);
            ("VocabularyError", &specials)
        }
        Error::Rejected(_) => (
            "TokenRejectedError",
            "Matcher.mask has the tokens that may come next; Matcher.explain says what forbids this one",
        ),
    };
    let code = match *error {
        Error::Forked => Some("forked"),
        _ => cancelled.then_some("cancelled"),
    };
    Python::attach(|py| build(py, class, &error.to_string(), hint, code).unwrap_or_else(|failure| failure))
}

/// The hint of a missing special token: some of those that there are.
fn special_tokens(known: &[String]) -> String {
    const SHOWN: usize = 8;
    if known.is_empty() {
        return "name the vocabulary's special tokens where it is made (special=), or spell the token as text"
            .to_owned();
    }
    let more = if known.len() > SHOWN { ", …" } else { "" };
    format!("its special tokens are {}{more}", known[..known.len().min(SHOWN)].join(", "))
}

/// The Python exception of a pattern's error.
pub fn raise_regex(error: frisket_regex::Error) -> PyErr {
    let (class, flaw) = match error {
        frisket_regex::Error::Engine(error) => return raise(error),
        frisket_regex::Error::Syntax(flaw) | frisket_regex::Error::Irregular(flaw) => ("GrammarSyntaxError", flaw),
        frisket_regex::Error::Limit(flaw) => ("LimitExceededError", flaw),
    };
    let make = |py: Python<'_>| {
        let keywords = PyDict::new(py);
        keywords.set_item("where", flaw.at.map(|at| format!("offset {at}")))?;
        keywords.set_item("hint", flaw.hint.as_deref())?;
        let class = py.import("frisket.errors")?.getattr(class)?;
        Ok(PyErr::from_value(class.call((&flaw.message,), Some(&keywords))?))
    };
    Python::attach(|py| make(py).unwrap_or_else(|failure| failure))
}

/// The hint of an exceeded limit: what would help.
pub fn relief(limit: &Limit) -> &'static str {
    match limit {
        Limit::Steps(_) => "simplify it (fewer nested counts and intersections), or give Limits more steps",
        Limit::Build(_) => {
            "say less (shorter lists, fewer alternatives, patterns that begin with ^), or give Limits more steps"
        }
        Limit::Memory(_) => "simplify it (fewer nested counts, smaller alternatives), or give Limits more memory_bytes",
        Limit::Time(_) => "try again when the machine is less busy, simplify it, or give Limits more seconds",
        Limit::Nesting(_) => "take some of the groups apart: make rules of the inner parts",
        Limit::LeftRecursion(_) => "let the rules begin with something of their own",
        Limit::DistinctItems(_) => "ask for fewer items, or for items of more values",
        Limit::UniqueDepth(_) => "let fewer levels nest in items that must be unique",
        Limit::Completion(_) => "ask again nearer to the end, or let fewer members and items be required",
        Limit::Room { .. } => "give it more tokens",
        Limit::Rollback(_) => "give the matcher a larger max_rollback, or fork it where it may have to go back to",
        Limit::Cancelled => "nothing was changed; the object can be used with another cancellation",
    }
}

/// A BudgetError: `least` tokens would have sufficed, and no fewer if that is `exact`.
fn budget(py: Python<'_>, message: &str, least: Option<u32>, exact: bool) -> PyResult<PyErr> {
    let keywords = PyDict::new(py);
    keywords.set_item("least", least)?;
    keywords.set_item("exact", exact)?;
    let value = py.import("frisket.errors")?.getattr("BudgetError")?.call((message,), Some(&keywords))?;
    Ok(PyErr::from_value(value))
}

/// An instance of a class of `frisket.errors`; `code` replaces the code of the class.
pub fn build(py: Python<'_>, class: &str, message: &str, hint: &str, code: Option<&str>) -> PyResult<PyErr> {
    let keywords = PyDict::new(py);
    if let Some(code) = code {
        keywords.set_item("code", code)?;
    }
    keywords.set_item("hint", hint)?;
    let value = py.import("frisket.errors")?.getattr(class)?.call((message,), Some(&keywords))?;
    Ok(PyErr::from_value(value))
}

/// The exception of a bug in the core, such as a panic, which must not unwind into Python's frames.
pub fn bug(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("a bug in frisket: {what}"))
}
