//! Reasons for which patterns are refused, with their places.

use crate::quote;
use std::borrow::Cow;
use std::fmt;

/// Why a pattern was refused, or what ended its lowering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The dialect does not allow it.
    Syntax(Flaw),
    /// The dialect allows it, but no regular language of bearable size expresses it exactly.
    Irregular(Flaw),
    /// It is beyond a limit of the reader.
    Limit(Flaw),
    /// The builder failed: a limit was reached, or the call was cancelled.
    Engine(Box<frisket_core::error::Error>),
}

/// A fault of a pattern, its place, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The fault, with the pattern quoted where that helps.
    pub message: String,
    /// Characters before the place; None for the whole pattern.
    pub at: Option<usize>,
    /// What to do about it.
    pub hint: Option<Cow<'static, str>>,
}

/// The result of reading or lowering a pattern.
pub type Result<T> = std::result::Result<T, Error>;

impl Flaw {
    /// A flaw at a place.
    pub(crate) fn at(message: impl Into<String>, at: usize, hint: impl Into<Option<&'static str>>) -> Self {
        Flaw { message: message.into(), at: Some(at), hint: hint.into().map(Cow::Borrowed) }
    }

    /// A flaw at a place of a pattern that the message quotes.
    pub(crate) fn of(pattern: &[char], message: &str, at: usize, hint: impl Into<Option<&'static str>>) -> Self {
        Flaw::at(format!("{message} in {}", quote::shortened(pattern)), at, hint)
    }
}

impl From<Box<frisket_core::error::Error>> for Error {
    fn from(error: Box<frisket_core::error::Error>) -> Self {
        Error::Engine(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Engine(error) => error.fmt(f),
            Error::Syntax(flaw) | Error::Irregular(flaw) | Error::Limit(flaw) => match flaw.at {
                Some(at) => write!(f, "{} (offset {at})", flaw.message),
                None => f.write_str(&flaw.message),
            },
        }
    }
}

impl std::error::Error for Error {}
