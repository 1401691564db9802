//! Patterns and formats → their languages, each made once for a builder.

use super::content::CONTENTS;
use super::format::{numbers, KnownFormat, Language, Texts, Written};
use super::shared::{shared, Part};
use super::table::find;
use super::{FormatOptions, Mode};
use crate::condition::{Matches, StringCondition, TextBounds};
use crate::draft::Draft;
use crate::error::{Error, Result};
use crate::read::{Format, Inexactness, Languages, Pattern};
use frisket_core::builder::Builder;
use frisket_core::error::Result as EngineResult;
use frisket_core::limits::Watch;
use frisket_core::regular::term::TermId;
use frisket_core::storage::once::Once;
use frisket_regex::{ascii, is_ecma_regex, Dialect, Error as RegexError, Flaw, Pattern as Regex, Syntax};
use indexmap::IndexMap;
use std::sync::Arc;

/// Most characters of a pattern that a message quotes.
const LONGEST: usize = 60;

/// The languages that patterns and formats asked for, as nodes of one builder.
#[derive(Debug)]
pub struct KnownLanguages {
    options: FormatOptions,
    /// Pattern → its language, in the order of first use.
    patterns: IndexMap<Box<str>, Pattern>,
    formats: IndexMap<(Box<str>, Draft), Format>,
    /// The flag and clock that end the reading of a long pattern.
    watch: Watch,
}

/// [`KnownLanguages`] with the builder that holds their nodes.
pub struct OnBuilder<'a> {
    known: &'a mut KnownLanguages,
    builder: &'a mut Builder,
}

impl KnownLanguages {
    /// An empty table.
    pub fn new(options: FormatOptions) -> Self {
        KnownLanguages { options, patterns: IndexMap::new(), formats: IndexMap::new(), watch: Watch::default() }
    }

    /// Lets a flag or the clock end the reading of the patterns that follow.
    pub fn watched_by(&mut self, watch: Watch) {
        self.watch = watch;
    }

    /// The caller's options for formats.
    pub fn options(&self) -> &FormatOptions {
        &self.options
    }

    /// The languages with their builder, which must be the same one in every call.
    pub fn on<'a>(&'a mut self, builder: &'a mut Builder) -> OnBuilder<'a> {
        OnBuilder { known: self, builder }
    }

    /// The keyword and argument that first asked for a language, for a message: `format date`.
    pub fn language_name(&self, language: &Matches) -> String {
        let is_format = |format: &Format| matches!(format, Format::Text(StringCondition::Matches(matches), _) if matches.node == language.node);
        if let Some(((name, _), _)) = self.formats.iter().find(|(_, format)| is_format(format)) {
            return format!("format {name}");
        }
        let pattern = self.patterns.iter().find(|(_, pattern)| **pattern == Pattern::Exact(language.node));
        pattern.map_or("pattern".into(), |(pattern, _)| {
            // Quoted in ASCII, so that a character is a byte.
            let mut quoted = ascii(pattern);
            quoted.truncate(LONGEST);
            format!("pattern {quoted}")
        })
    }
}

impl Languages for OnBuilder<'_> {
    fn pattern(&mut self, pattern: &str) -> Result<Pattern> {
        if let Some(known) = self.known.patterns.get(pattern) {
            return Ok(known.clone());
        }
        let made = read_pattern(self.builder, pattern, &self.known.watch)?;
        self.known.patterns.insert(pattern.into(), made.clone());
        Ok(made)
    }

    fn check(&mut self, steps: u64) -> Result<()> {
        Ok(self.builder.check(steps)?)
    }

    fn format(&mut self, name: &str, draft: Draft) -> Result<Format> {
        self.asserted(find(name, draft, self.known.options.mode), draft)
    }

    fn content(&mut self, name: &str, draft: Draft) -> Result<Format> {
        let asserts = self.known.options.mode != Mode::Annotate;
        self.asserted(CONTENTS.iter().find(|content| asserts && content.name == name), draft)
    }
}

impl OnBuilder<'_> {
    /// The conditions that a format stands for, made once; without a format, the name is an annotation.
    fn asserted(&mut self, found: Option<&'static KnownFormat>, draft: Draft) -> Result<Format> {
        let Some(found) = found else { return Ok(Format::Annotation) };
        let key = (found.name.into(), draft);
        if let Some(known) = self.known.formats.get(&key) {
            return Ok(known.clone());
        }
        let made = asserted(self.builder, found, &self.known.options)?;
        self.known.formats.insert(key, made.clone());
        Ok(made)
    }
}

/// The conditions that a format stands for under these options.
fn asserted(builder: &mut Builder, found: &'static KnownFormat, options: &FormatOptions) -> EngineResult<Format> {
    let condition = match &found.language {
        Language::Numbers(least, most, are_integers) => {
            return Ok(Format::Numbers(numbers(least, most, *are_integers)))
        }
        Language::Texts(texts) => StringCondition::Matches(matches(builder, found, texts, options)?),
    };
    let inexactness = found
        .left_out
        .map(|left_out| Inexactness { reason: left_out.into(), narrows_complement: found.narrows_complement() });
    Ok(Format::Text(condition, inexactness))
}

fn matches(
    builder: &mut Builder,
    format: &'static KnownFormat,
    texts: &'static Texts,
    options: &FormatOptions,
) -> EngineResult<Matches> {
    let for_python = options.mode.is_python();
    let node = shared(builder, format.key(Part::Inner(for_python)), |terms| texts.node.make(terms, for_python))?;
    let make_written = |written: &Written| {
        shared(builder, format.key(Part::Written(*options)), |terms| (written.node)(terms, options))
    };
    let written = texts.written.as_ref().map(make_written).transpose()?;
    let is_bounded = texts.outer.is_some() || for_python && texts.python_narrows;
    let bounds = is_bounded.then(|| Arc::new(Bounds { format, texts, outer: Once::new() }) as Arc<dyn TextBounds>);
    Ok(Matches { node, positive: true, written, bounds })
}

/// A superset of a format's texts, made once and on demand.
///
/// Only negations and searches for contradictions need the node, and some take longer to make than all the rest of a
/// schema. The node belongs to one builder.
struct Bounds {
    format: &'static KnownFormat,
    texts: &'static Texts,
    outer: Once<TermId>,
}

impl TextBounds for Bounds {
    fn outer(&self, builder: &mut Builder) -> EngineResult<TermId> {
        if let Some(&known) = self.outer.get() {
            return Ok(known);
        }
        let made = match self.texts.outer {
            Some(outer) => shared(builder, self.format.key(Part::Outer), outer)?,
            None => shared(builder, self.format.key(Part::Inner(false)), |terms| self.texts.node.make(terms, false))?,
        };
        Ok(*self.outer.get_or_init(|| made))
    }
}

/// The texts in which an ECMA-262 pattern finds a match.
fn read_pattern(builder: &mut Builder, pattern: &str, watch: &Watch) -> Result<Pattern> {
    let read = Regex::read_watched(pattern, &Syntax::new(Dialect::Ecma), watch);
    let lowered = read.and_then(|read| read.lower(builder, true));
    match lowered {
        Ok(node) => Ok(Pattern::Exact(node)),
        Err(RegexError::Syntax(Flaw { message, hint, .. })) => match is_ecma_regex(pattern) {
            Ok(true) => Ok(Pattern::Inexact(message)),
            Ok(false) => Ok(Pattern::Invalid(message, hint.map(Into::into))),
            Err(error) => Err(Error::limit(error.to_string())),
        },
        Err(RegexError::Limit(flaw) | RegexError::Irregular(flaw)) => Ok(Pattern::Inexact(flaw.message)),
        Err(RegexError::Engine(error)) => {
            // Cancellation and the end of the time are errors of their own, and no fault of the pattern.
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
        assert!(matches!(languages.pattern(r"(a+)\1").unwrap(), Pattern::Inexact(_)));
        assert!(builder.accepts(node.number(), b"ab").unwrap() && !builder.accepts(node.number(), b"ba").unwrap());
    }

    fn asked(known: &mut KnownLanguages, builder: &mut Builder, name: &str) -> Matches {
        match known.on(builder).format(name, Draft::Draft2020).unwrap() {
            Format::Text(StringCondition::Matches(matches), _) => matches,
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn modes_assert_what_they_say() {
        let of = |mode, name| {
            let (mut known, mut builder) =
                (KnownLanguages::new(FormatOptions { mode, ..FormatOptions::default() }), Builder::default());
            let mut languages = known.on(&mut builder);
            let contents = ["base64", "application/json"]
                .map(|name| languages.content(name, Draft::Draft7).unwrap() != Format::Annotation);
            (languages.format(name, Draft::Draft2020).unwrap() != Format::Annotation, contents)
        };
        assert_eq!(of(Mode::Annotate, "date"), (false, [false, false]));
        assert_eq!(of(Mode::Assert, "date"), (true, [true, true]));
        assert_eq!(of(Mode::Assert, "byte"), (false, [true, true]));
        assert_eq!(of(Mode::Python, "byte"), (true, [true, true]));
    }

    #[test]
    fn languages_are_named_by_who_asked_first() {
        let (mut known, mut builder) = (KnownLanguages::new(FormatOptions::default()), Builder::default());
        let date = asked(&mut known, &mut builder, "date");
        let pattern = "é".repeat(20);
        let Pattern::Exact(node) = known.on(&mut builder).pattern(&pattern).unwrap() else { panic!("regular") };
        assert_eq!(known.language_name(&date), "format date");
        assert_eq!(known.language_name(&Matches::exact(node)), format!("pattern '{}\\xe", "\\xe9".repeat(14)));
        assert_eq!(known.language_name(&Matches::exact(TermId::new(0))), "pattern");
    }
}
