//! What the engine refuses → its errors; the Python crate maps each to one class of `frisket.errors`.

use std::fmt;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// A budget ran out.
    Limit(Limit),
    /// The builder was used against its contract.
    Misuse(String),
    /// A rule was declared and never defined.
    UndefinedRule(String),
    /// Nothing can match.
    Empty,
    /// The vocabulary cannot spell the grammar, or is malformed.
    Vocabulary(String),
    /// The thread is in the middle of another call of the same object.
    Reentrant,
    /// The token or text may not come next; what was expected.
    Rejected(String),
    /// The engine contradicts itself: what was cached is not what is composed anew. A bug, found by `verify`.
    Contradiction(String),
}

/// Which budget ran out, and what was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    Steps(u64),
    /// Steps of a front end, in all its reading of one source.
    Build(u64),
    Memory(usize),
    Time(Duration),
    /// Nested expressions.
    Nesting(u32),
    /// Mutually left-recursive rules.
    LeftRecursion(usize),
    /// Items that must come, each different, and of few values.
    DistinctItems(usize),
    /// Values inside an item that must differ from others.
    UniqueDepth(usize),
    /// Bytes of a text's shortest end.
    Completion(u64),
    /// Steps that a matcher may go back.
    Rollback(usize),
    /// Another thread ended the call.
    Cancelled,
}

/// Boxed: every step of a walk returns one, and what fits into two registers is handed on in them.
pub type Result<T> = std::result::Result<T, Box<Error>>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Limit(limit) => limit.fmt(f),
            Error::Misuse(text) | Error::Vocabulary(text) | Error::Rejected(text) | Error::Contradiction(text) => {
                f.write_str(text)
            }
            Error::UndefinedRule(name) => write!(f, "rule {name:?} is used but never defined"),
            Error::Reentrant => f.write_str("a signal's handler called what the call that it interrupts is using"),
            Error::Empty => f.write_str("the grammar matches nothing"),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, given) = match self {
            Limit::Steps(steps) => ("steps of one call", steps.to_string()),
            Limit::Build(steps) => ("steps of a whole build", steps.to_string()),
            Limit::Memory(bytes) => ("memory in bytes", bytes.to_string()),
            Limit::Time(time) => ("seconds of one call", time.as_secs_f64().to_string()),
            Limit::Nesting(depth) => ("nesting of an expression", depth.to_string()),
            Limit::LeftRecursion(rules) => ("mutually left-recursive rules", rules.to_string()),
            Limit::DistinctItems(items) => ("different items that must come", items.to_string()),
            Limit::UniqueDepth(depth) => ("nesting of an item that must be unique", depth.to_string()),
            Limit::Completion(bytes) => ("bytes of a completion", bytes.to_string()),
            Limit::Rollback(steps) => ("steps of a rollback", steps.to_string()),
            Limit::Cancelled => return f.write_str("the call was cancelled from outside"),
        };
        write!(f, "the limit on {what} ({given}) was reached")
    }
}

impl std::error::Error for Error {}
