//! Patterns and formats → conditions on texts and numbers: the interface that the readers of keywords use.
//!
//! The reader knows keywords, not the languages in them, so that each can be tested alone.

use crate::condition::{NumberCondition, StringCondition};
use crate::draft::Draft;
use crate::error::Result;
use frisket_core::regular::term::TermId;

/// A pattern that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// The node of the texts in which it matches somewhere.
    Exact(TermId),
    /// No regular expression: the fault, and what to change.
    Invalid(String, Option<String>),
    /// A regular expression that cannot be enforced exactly, and why.
    Inexact(String),
}

/// A format that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// A format that the options do not assert.
    Annotation,
    /// Conditions on a number.
    Numbers(Vec<NumberCondition>),
    /// A condition on a string, and how it differs from the format, if it does.
    Text(StringCondition, Option<Inexactness>),
}

/// How the node of a format differs from the format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inexactness {
    /// The texts that are left out.
    pub reason: String,
    /// Whether `not` with the format also leaves out texts that only look like it.
    pub narrows_complement: bool,
}

/// The languages of patterns and formats.
///
/// Errors of all calls: limits of the builder.
pub trait Languages {
    /// The texts in which a pattern of ECMA-262 matches somewhere.
    fn pattern(&mut self, pattern: &str) -> Result<Pattern>;

    /// Counts steps and checks the limits, also between the values of one keyword. Errors: a limit is reached.
    fn check(&mut self, _steps: u64) -> Result<()> {
        Ok(())
    }

    /// The texts or numbers of a format.
    fn format(&mut self, name: &str, draft: Draft) -> Result<Format>;

    /// The texts of a value of `contentEncoding` or `contentMediaType`.
    fn content(&mut self, name: &str, draft: Draft) -> Result<Format>;
}
