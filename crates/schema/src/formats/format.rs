//! One format: its language, and how exact the nodes are that are made of it.

use super::options::FormatOptions;
use super::shared::{Key, Part};
use crate::condition::NumberCondition;
use crate::decimal::Decimal;
use crate::types::Terms;
use frisket_core::error::{Error, Result};
use frisket_core::regular::term::TermId;
use frisket_regex::{Dialect, Error as RegexError, Pattern, Syntax};

/// Who defines a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Vocabulary {
    /// JSON Schema; also the integers of OpenAPI, which are asserted in any JSON Schema.
    JsonSchema,
    /// OpenAPI or Pydantic, whose names are annotations in plain JSON Schema.
    OpenApi,
}

/// One value of `format`.
#[derive(Debug)]
pub struct KnownFormat {
    /// The value.
    pub name: &'static str,
    /// Who defines the name.
    pub vocabulary: Vocabulary,
    /// Texts of the format that its nodes leave out, in words; None if there are none. The nodes never hold other
    /// texts.
    pub left_out: Option<&'static str>,
    pub(super) language: Language,
}

/// The values of a format.
#[derive(Debug)]
pub(super) enum Language {
    /// A regular language.
    Texts(Texts),
    /// Numbers between two numerals; only integers where the flag is set.
    Numbers(&'static str, &'static str, bool),
}

/// Texts of a format, as regular nodes.
#[derive(Debug)]
pub(super) struct Texts {
    /// The texts of the format, all or a part; with the flag, only those that Python's types can hold.
    pub node: Node,
    /// A bound on the texts in documents. Texts that a schema lists or excludes are checked against `node`.
    pub written: Option<Written>,
    /// A superset of the format's texts, if `node` holds only a part of them.
    pub outer: Option<fn(&Terms<'_>) -> Result<TermId>>,
    /// Whether `node` for Python holds only a part of what Python's types do; `node` for all is then the superset.
    pub python_narrows: bool,
}

/// How a node is made.
#[derive(Debug)]
pub(super) enum Node {
    /// By an ECMA-262 pattern that matches whole texts.
    Pattern(fn() -> String),
    /// By a function; its flag asks for what Python's types can hold.
    Made(fn(&Terms<'_>, bool) -> Result<TermId>),
}

/// The texts in documents of a format whose texts may be of any length.
#[derive(Debug)]
pub(super) struct Written {
    /// The node of these texts.
    pub node: fn(&Terms<'_>, &FormatOptions) -> Result<TermId>,
    /// The bounds of the options, for the report.
    pub note: fn(&FormatOptions) -> String,
}

impl Texts {
    /// The texts of a node that holds all of the format.
    pub const fn exact(node: Node) -> Self {
        Texts { node, written: None, outer: None, python_narrows: false }
    }
}

impl Node {
    /// The node. Errors: limits.
    pub fn make(&self, terms: &Terms<'_>, for_python: bool) -> Result<TermId> {
        match self {
            Node::Pattern(pattern) => matching(terms, &pattern()),
            Node::Made(make) => make(terms, for_python),
        }
    }
}

impl KnownFormat {
    /// A format of JSON Schema whose node holds just its texts.
    pub(super) const fn exact(name: &'static str, node: Node) -> Self {
        Self::texts(name, Texts::exact(node))
    }

    /// A format of JSON Schema.
    pub(super) const fn texts(name: &'static str, texts: Texts) -> Self {
        KnownFormat { name, vocabulary: Vocabulary::JsonSchema, left_out: None, language: Language::Texts(texts) }
    }

    /// This format with some of its texts left out.
    pub(super) const fn without(self, left_out: &'static str) -> Self {
        KnownFormat { left_out: Some(left_out), ..self }
    }

    /// This format as one of OpenAPI or Pydantic.
    pub(super) const fn of_openapi(self) -> Self {
        KnownFormat { vocabulary: Vocabulary::OpenApi, ..self }
    }

    /// Whether the nodes hold all of the format.
    pub fn is_exact(&self) -> bool {
        self.left_out.is_none()
    }

    /// Whether the values are numbers; otherwise they are texts.
    pub fn is_numeric(&self) -> bool {
        matches!(self.language, Language::Numbers(..))
    }

    /// The bounds of the options on texts that documents may hold, for the report.
    pub fn note(&self, options: &FormatOptions) -> Option<String> {
        match &self.language {
            Language::Texts(Texts { written: Some(written), .. }) => Some((written.note)(options)),
            _ => None,
        }
    }

    /// The key by which one of its nodes is shared.
    pub(super) fn key(&self, part: Part) -> Key {
        (self.name, self.is_exact(), part)
    }

    /// Whether `not` with this format also leaves out texts that only look like it.
    pub(super) fn narrows_complement(&self) -> bool {
        matches!(&self.language, Language::Texts(Texts { outer: Some(_), .. }))
    }
}

/// The conditions on a number between two numerals, and on an integer where the flag is set.
pub(super) fn numbers(least: &str, most: &str, are_integers: bool) -> Vec<NumberCondition> {
    let bound = |numeral: &str| Decimal::parse(numeral).unwrap_or_else(|_| Decimal::zero());
    let mut found = vec![
        NumberCondition::AtLeast { bound: bound(least), strict: false },
        NumberCondition::AtMost { bound: bound(most), strict: false },
    ];
    if are_integers {
        found.push(NumberCondition::Multiple { of: Decimal::one(), positive: true });
    }
    found
}

/// The node of the texts that a pattern of this crate, in ECMA-262, matches as a whole. Errors: limits.
pub(super) fn matching(terms: &Terms<'_>, pattern: &str) -> Result<TermId> {
    let syntax = Syntax::new(Dialect::Ecma);
    let made = Pattern::read(pattern, &syntax).and_then(|read| terms.with(|builder| read.lower(builder, false)));
    made.map_err(|error| match error {
        RegexError::Engine(error) => error,
        error => Box::new(Error::Contradiction(format!("the pattern of a format is wrong: {error}"))),
    })
}
