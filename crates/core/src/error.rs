//! What the engine can refuse; the Python crate maps each to one class of `frisket.errors`.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// A budget ran out: which one, and what was given.
    Limit { what: &'static str, given: u64 },
    /// The builder was used against its contract.
    Misuse(String),
    /// A rule was declared and never defined.
    UndefinedRule(String),
    /// Nothing can match.
    Empty,
    /// The vocabulary cannot spell the grammar, or is malformed.
    Vocabulary(String),
    /// The token or text may not come next; what was expected.
    Rejected(String),
}

pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Limit { what, given } => write!(f, "the limit on {what} ({given}) was reached"),
            Error::Misuse(text) | Error::Vocabulary(text) | Error::Rejected(text) => f.write_str(text),
            Error::UndefinedRule(name) => write!(f, "rule {name:?} is used but never defined"),
            Error::Empty => f.write_str("the grammar matches nothing"),
        }
    }
}

impl std::error::Error for Error {}
