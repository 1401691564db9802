//! Patterns and formats → conditions, made once for each text.
//!
//! Only patterns are read here so far; every format is an annotation.

use crate::condition::Nested;
use crate::draft::Draft;
use crate::error::{Error, Result};
use crate::read::{Format, Languages, Pattern};
use frisket_core::grammar::builder::Builder;
use frisket_core::regular::term::TermId;
use frisket_regex::{is_ecma_regex, Dialect, Flaw, Syntax};
use rustc_hash::FxHashMap;

/// Which formats are asserted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Those of the drafts.
    #[default]
    Assert,
    /// None.
    Annotate,
    /// Those of OpenAPI, too.
    OpenApi,
    /// Those of OpenAPI, as Python's libraries read them.
    Python,
}

/// What the caller wants of formats.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FormatOptions {
    /// Which formats are asserted.
    pub mode: Mode,
    /// Digits.
    pub max_integer_digits: u32,
    /// Digits.
    pub max_second_digits: u32,
}

/// Patterns that were read.
pub struct KnownLanguages {
    patterns: FxHashMap<String, Pattern>,
}

/// The languages over a builder.
pub struct OnBuilder<'a> {
    known: &'a mut KnownLanguages,
    builder: &'a mut Builder,
}

impl KnownLanguages {
    /// Nothing read yet.
    pub fn new(_: FormatOptions) -> Self {
        KnownLanguages { patterns: FxHashMap::default() }
    }

    /// The languages as nodes of a builder, always the same one.
    pub fn on<'a>(&'a mut self, builder: &'a mut Builder) -> OnBuilder<'a> {
        OnBuilder { known: self, builder }
    }
}

impl Languages for OnBuilder<'_> {
    fn pattern(&mut self, pattern: &str) -> Result<Pattern> {
        if let Some(known) = self.known.patterns.get(pattern) {
            return Ok(known.clone());
        }
        let found = read_pattern(self.builder, pattern)?;
        self.known.patterns.insert(pattern.into(), found.clone());
        Ok(found)
    }

    fn format(&mut self, _: &str, _: Draft) -> Result<Format> {
        Ok(Format::Annotation)
    }

    fn base64(&mut self) -> Result<Option<TermId>> {
        Ok(None)
    }

    fn json(&mut self) -> Result<Option<Nested>> {
        Ok(None)
    }
}

fn read_pattern(builder: &mut Builder, pattern: &str) -> Result<Pattern> {
    let lowered =
        frisket_regex::Pattern::read(pattern, &Syntax::new(Dialect::Ecma)).and_then(|read| read.lower(builder, true));
    Ok(match lowered {
        Ok(node) => Pattern::Exact(node),
        Err(frisket_regex::Error::Syntax(Flaw { message, hint, .. })) if !is_ecma_regex(pattern).unwrap_or(false) => {
            Pattern::Invalid(message, hint.map(Into::into))
        }
        Err(frisket_regex::Error::Syntax(flaw) | frisket_regex::Error::Limit(flaw)) => Pattern::Inexact(flaw.message),
        Err(frisket_regex::Error::Engine(error)) => {
            // Whoever cancels, or has no more time, is not told of a pattern that cannot be exact.
            builder.check(0).map_err(Box::<Error>::from)?;
            Pattern::Inexact(error.to_string())
        }
    })
}
