//! Patterns and formats → their languages, each made once for a builder.

use super::FormatOptions;
use crate::condition::{Matches, Nested};
use crate::draft::Draft;
use crate::error::{Error, Result};
use crate::read::{Format, Languages, Pattern};
use frisket_core::grammar::builder::Builder;
use frisket_core::regular::term::TermId;
use frisket_regex::{is_ecma_regex, Dialect, Error as RegexError, Flaw, Pattern as Regex, Syntax};
use rustc_hash::FxHashMap;

/// Characters of a message that names a pattern.
const NAMED: usize = "pattern ".len() + 60;

/// The languages of one builder, and of its forks, that were asked for.
#[derive(Debug)]
pub struct KnownLanguages {
    options: FormatOptions,
    patterns: FxHashMap<Box<str>, Pattern>,
}

/// [`KnownLanguages`] with the builder that holds their nodes.
pub struct OnBuilder<'a> {
    known: &'a mut KnownLanguages,
    builder: &'a mut Builder,
}

impl KnownLanguages {
    /// None yet.
    pub fn new(options: FormatOptions) -> Self {
        KnownLanguages { options, patterns: FxHashMap::default() }
    }

    /// What the caller says of formats.
    pub fn options(&self) -> &FormatOptions {
        &self.options
    }

    /// The keyword with its argument that asks for a language, as a message names it.
    pub fn name_of(&self, language: &Matches) -> String {
        let is_meant = |known: &Pattern| *known == Pattern::Exact(language.node);
        let patterns = self.patterns.iter().filter(|(_, known)| is_meant(known)).map(|(pattern, _)| pattern);
        match patterns.min() {
            Some(pattern) => format!("pattern '{}'", pattern.escape_debug()).chars().take(NAMED).collect(),
            None => "pattern".to_owned(),
        }
    }

    /// The languages with their builder: always the one that they were first asked on, or a fork of it.
    pub fn on<'a>(&'a mut self, builder: &'a mut Builder) -> OnBuilder<'a> {
        OnBuilder { known: self, builder }
    }
}

impl Languages for OnBuilder<'_> {
    fn pattern(&mut self, pattern: &str) -> Result<Pattern> {
        if let Some(known) = self.known.patterns.get(pattern) {
            return Ok(known.clone());
        }
        let made = read_pattern(self.builder, pattern)?;
        self.known.patterns.insert(pattern.into(), made.clone());
        Ok(made)
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

/// The texts in which an ECMA-262 pattern finds a match.
fn read_pattern(builder: &mut Builder, pattern: &str) -> Result<Pattern> {
    let lowered = Regex::read(pattern, &Syntax::new(Dialect::Ecma)).and_then(|read| read.lower(builder, true));
    match lowered {
        Ok(node) => Ok(Pattern::Exact(node)),
        Err(RegexError::Syntax(Flaw { message, hint, .. })) => match is_ecma_regex(pattern) {
            Ok(true) => Ok(Pattern::Inexact(message)),
            Ok(false) => Ok(Pattern::Invalid(message, hint.map(Into::into))),
            Err(error) => Err(Error::limit(error.to_string())),
        },
        Err(RegexError::Limit(flaw)) => Ok(Pattern::Inexact(flaw.message)),
        Err(RegexError::Engine(error)) => {
            // Who cancels, or has no more time, is not told of a pattern that cannot be exact.
            builder.check(0)?;
            Ok(Pattern::Inexact(error.to_string()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_exact_invalid_or_beyond_regular_languages() {
        let (mut known, mut builder) = (KnownLanguages::new(FormatOptions::default()), Builder::default());
        let mut languages = known.on(&mut builder);
        let Pattern::Exact(node) = languages.pattern("^a+").unwrap() else { panic!("regular") };
        assert_eq!(languages.pattern("^a+"), Ok(Pattern::Exact(node)));
        let Pattern::Invalid(message, hint) = languages.pattern("a(b").unwrap() else { panic!("no pattern") };
        assert_eq!(message, "this group is never closed in 'a(b'");
        assert_eq!(hint, None);
        assert!(matches!(languages.pattern(r"(a)\1").unwrap(), Pattern::Inexact(_)));
        assert!(builder.accepts(node.number(), b"ab").unwrap() && !builder.accepts(node.number(), b"ba").unwrap());
    }
}
