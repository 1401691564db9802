//! Fault of a schema → one error with code, place and hint, whatever module found it.
//!
//! One type for the crate, so that each binding maps errors once.

use std::fmt;

/// Which class of `frisket.errors` an error becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// The text is not JSON, or the JSON is no schema.
    Invalid,
    /// Places that cannot be enforced exactly, each with what could slip through.
    Unsupported(Vec<(String, String)>),
    /// No value is valid.
    Unsatisfiable,
    /// A dynamic reference was met where dynamic scopes are not kept: read the schema again with them.
    NeedsScopes,
    /// A value splits further than this attempt allows: another `Splitting` may need fewer alternatives, or leave
    /// keywords out.
    TooManyAlternatives {
        /// Whether all values together split too far: then only an attempt that leaves keywords out is worth its time.
        in_all: bool,
    },
    /// A search for a contradiction came to a subschema that is being expanded; the algebra answers "unknown" then.
    Circle,
    /// A limit was reached.
    Limit,
    /// The engine refused: limits of the builder, and cancellation.
    Engine(frisket_core::error::Error),
}

/// Why a schema has no grammar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The class of the error.
    pub kind: Kind,
    /// The fault, in words.
    pub message: String,
    /// A JSON pointer into the schema, or `line:column` in its text.
    pub place: Option<String>,
    /// Advice on what to change.
    pub hint: Option<String>,
}

/// The result of a call; the error is boxed, since most results are small.
pub type Result<T> = std::result::Result<T, Box<Error>>;

impl Error {
    /// An error of a kind, without a place and a hint.
    pub fn new(kind: Kind, message: impl Into<String>) -> Box<Self> {
        Box::new(Error { kind, message: message.into(), place: None, hint: None })
    }

    /// The schema is not valid.
    pub fn invalid(message: impl Into<String>) -> Box<Self> {
        Self::new(Kind::Invalid, message)
    }

    /// A limit was reached.
    pub fn limit(message: impl Into<String>) -> Box<Self> {
        Self::new(Kind::Limit, message)
    }

    /// This error at a place.
    pub fn at(mut self: Box<Self>, place: impl Into<String>) -> Box<Self> {
        self.place = Some(place.into());
        self
    }

    /// This error with a hint.
    pub fn with_hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        self.hint = Some(hint.into());
        self
    }

    /// The stable code, as `frisket.errors` has it.
    pub fn code(&self) -> &'static str {
        match self.kind {
            Kind::Invalid => "schema-invalid",
            Kind::Unsupported(_) => "schema-unsupported",
            Kind::Unsatisfiable => "schema-unsatisfiable",
            Kind::NeedsScopes => "schema-needs-scopes",
            Kind::Circle => "schema-circle",
            Kind::TooManyAlternatives { .. } | Kind::Limit => "limit",
            Kind::Engine(_) => "engine",
        }
    }
}

impl From<Box<frisket_core::error::Error>> for Box<Error> {
    fn from(error: Box<frisket_core::error::Error>) -> Self {
        Error::new(Kind::Engine((*error).clone()), error.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.place.iter().try_for_each(|place| write!(f, " (at {place})"))?;
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_where_and_what_to_do() {
        let error = Error::invalid("type must be a string").at("/type").with_hint("correct it");
        assert_eq!(error.to_string(), "type must be a string (at /type); correct it");
        assert_eq!(error.code(), "schema-invalid");
        assert_eq!(Error::limit("too deep").to_string(), "too deep");
    }

    #[test]
    fn an_error_of_the_engine_keeps_its_limit() {
        let limit = frisket_core::error::Limit::Build(7);
        let error: Box<Error> = Box::new(frisket_core::error::Error::Limit(limit)).into();
        assert_eq!(error.kind, Kind::Engine(frisket_core::error::Error::Limit(limit)));
        assert_eq!(error.message, "the limit on steps of a whole build (7) was reached");
    }
}
