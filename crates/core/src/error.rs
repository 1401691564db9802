//! The errors of the core; the Python crate maps each variant to a class of `frisket.errors`.
//!
//! One enum for all folders, so that the mapping is total and a test can walk it.

use std::fmt;
use std::time::Duration;

/// The reason why a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// A limit was reached.
    Limit(Limit),
    /// The builder was used against its contract.
    Misuse(String),
    /// A rule was declared and never defined.
    UndefinedRule(String),
    /// The grammar matches nothing.
    Empty,
    /// The vocabulary is malformed, or its tokens cannot produce the grammar's texts.
    Vocabulary(String),
    /// The grammar names a special token (first field) that the vocabulary lacks; the second field lists those it has.
    NoSpecialToken(String, Vec<String>),
    /// The thread called an object that it already holds for another call.
    Reentrant,
    /// Another thread was calling the object when its process forked this one.
    Forked,
    /// The token or text cannot come next; the text says what was expected.
    Rejected(String),
    /// A cached result differs from a recomputed one: a bug, found by `verify`.
    Contradiction(String),
}

/// The limit that was reached, with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Elementary steps of one call.
    Steps(u64),
    /// Elementary steps of a front end, over all its calls for one source.
    Build(u64),
    /// Bytes of memory.
    Memory(usize),
    /// Duration of one call.
    Time(Duration),
    /// Nesting of expressions.
    Nesting(u32),
    /// Mutually left-recursive rules.
    LeftRecursion(usize),
    /// Required items that must differ and have few values.
    DistinctItems(usize),
    /// Nesting of values inside an item that must be unique.
    UniqueDepth(usize),
    /// Bytes of the shortest completion.
    Completion(u64),
    /// The tokens left do not suffice to finish the text.
    Room {
        /// Tokens that are left.
        room: u32,
        /// A number of tokens that is enough; None if the vocabulary cannot spell the text to its end.
        least: Option<u32>,
    },
    /// Another thread cancelled the call.
    Cancelled,
}

/// The result of a call. The error is boxed, so that a `Result` of a small value fits two registers.
pub type Result<T> = std::result::Result<T, Box<Error>>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Limit(limit) => limit.fmt(f),
            Error::Misuse(text) | Error::Vocabulary(text) | Error::Rejected(text) | Error::Contradiction(text) => {
                f.write_str(text)
            }
            Error::UndefinedRule(name) => write!(f, "rule {name:?} is used but never defined"),
            Error::NoSpecialToken(name, _) => write!(f, "the vocabulary has no special token {name:?}"),
            Error::Reentrant => f.write_str("a signal's handler called what the call that it interrupts is using"),
            Error::Forked => {
                f.write_str("another thread was in a call of this object when its process forked this one")
            }
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
            Limit::Room { room, least: Some(least) } => {
                return write!(f, "{room} tokens are left, and the shortest known end of the text takes {least}");
            }
            Limit::Room { room, least: None } => {
                return write!(f, "{room} tokens are left, and the vocabulary cannot spell a short end of the text");
            }
            Limit::Cancelled => return f.write_str("the call was cancelled from outside"),
        };
        write!(f, "the limit on {what} ({given}) was reached")
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_says_what_it_limits_and_its_value() {
        for (limit, what) in [
            (Limit::Steps(7), "steps of one call (7)"),
            (Limit::Build(7), "steps of a whole build (7)"),
            (Limit::Memory(7), "memory in bytes (7)"),
            (Limit::Time(Duration::from_millis(1_500)), "seconds of one call (1.5)"),
            (Limit::Nesting(7), "nesting of an expression (7)"),
            (Limit::LeftRecursion(7), "mutually left-recursive rules (7)"),
            (Limit::DistinctItems(7), "different items that must come (7)"),
            (Limit::UniqueDepth(7), "nesting of an item that must be unique (7)"),
            (Limit::Completion(7), "bytes of a completion (7)"),
        ] {
            let text = format!("the limit on {what} was reached");
            assert_eq!(limit.to_string(), text);
            assert_eq!(Error::Limit(limit).to_string(), text, "an error says what its limit says");
        }
        assert_eq!(Limit::Cancelled.to_string(), "the call was cancelled from outside");
    }

    #[test]
    fn a_result_of_a_small_value_fits_two_registers() {
        assert!(size_of::<Result<u64>>() <= 2 * size_of::<usize>());
    }
}
