//! Name of a format → whether it is enforced: what a report asks of those who know formats.

use crate::draft::Draft;

/// What becomes of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormatUse {
    /// It is a condition on numbers, or on texts; how the options bound its texts, if they do.
    Enforced {
        /// Whether it is about numbers.
        is_numeric: bool,
        /// What the options bound of its texts.
        note: Option<String>,
    },
    /// A format of OpenAPI or Pydantic, which the options do not assert.
    OpenApi,
    /// Nobody's.
    Unknown,
}

/// Who knows formats.
pub trait FormatNames {
    /// Whether the options make all formats and contents annotations.
    fn are_annotations(&self) -> bool;

    /// What becomes of a format where the options assert formats.
    fn find(&self, name: &str, draft: Draft) -> FormatUse;

    /// The formats of JSON Schema, in order of their names.
    fn names(&self) -> Vec<&str>;
}
