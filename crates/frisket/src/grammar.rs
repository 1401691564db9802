//! Text in a notation → Grammar → CompiledGrammar.

use crate::compiled::CompiledGrammar;
use crate::error::{guarded, Error, Result};
use crate::in_time::in_time;
use crate::limits::Limits;
use crate::notation::{self, lark, structural_tag, AbnfValues, EbnfDialect, Failure, Notation};
use crate::options::SchemaOptions;
use crate::report::{Note, Report};
use crate::vocabulary::Vocabulary;
use frisket_core::automaton::recognizer::Recognizer;
use frisket_core::builder::Builder;
use frisket_core::grammar::grammar::Grammar as Rules;
use frisket_core::limits::{Limits as CoreLimits, Watch};
use frisket_core::regular::term::{TermId, EMPTY};
use frisket_regex::{Dialect, Pattern, Syntax};
use frisket_schema::compile::{compile, embed, Compiled, Prelude};
use frisket_schema::json::{parse, parse_watched, Tree};
use frisket_schema::report::report;
use std::sync::Arc;

/// Reads the schemas in Lark with forks of the prelude; nothing where the text has none.
struct Forks<'p>(Option<&'p Prelude>);

impl lark::Schemas for Forks<'_> {
    fn builder(&self) -> Builder {
        self.0.map_or_else(Builder::default, |prelude| prelude.fork(CoreLimits::default(), None))
    }

    fn lower(&mut self, builder: &mut Builder, schema: &str, _: usize) -> std::result::Result<TermId, Failure> {
        let Some(prelude) = self.0 else { return Ok(EMPTY) };
        let tree = Arc::new(parse(schema)?);
        let (given_back, embedded) = embed(std::mem::take(builder), true, tree, None, prelude);
        *builder = given_back;
        Ok(embedded?.root)
    }
}

/// Rules over bytes; knows no tokenizer. Immutable, and shared by threads.
#[derive(Clone)]
pub struct Grammar {
    recognizer: Arc<Recognizer>,
    schema: Option<Arc<Schema>>,
}

/// The schema of a grammar, for its report.
struct Schema {
    tree: Arc<Tree>,
    prelude: Arc<Prelude>,
    notes: Vec<Note>,
}

impl Grammar {
    /// The JSON documents that a schema (an object or a boolean, as JSON text) allows.
    ///
    /// Errors: the schema is wrong, cannot be enforced exactly, or allows nothing; limits. Nothing is fetched: a reference
    /// to another document is an error.
    pub fn from_json_schema(schema: &str, options: &SchemaOptions, limits: &Limits) -> Result<Self> {
        guarded(|| {
            let (text, prelude) = (schema.to_owned(), options.prelude(None)?);
            in_time(&limits.clone().started(), schema.len(), move |_, limits| {
                let (limits, flag) = limits.parts();
                let tree = Arc::new(parse_watched(&text, Watch::new(&limits, flag.clone()))?);
                let Compiled { grammar, notes, .. } = compile(tree.clone(), None, &prelude, limits, flag)?;
                let schema = Some(Arc::new(Schema { tree, prelude, notes }));
                Ok(Grammar { recognizer: Arc::new(Recognizer::new(grammar)), schema })
            })?
        })
    }

    /// The texts that a regular expression of ECMA-262, JavaScript's, matches from beginning to end.
    ///
    /// Errors: a fault, or a part that no regular language expresses exactly, with its offset; limits.
    pub fn from_regex(pattern: &str, limits: &Limits) -> Result<Self> {
        Self::built(limits, None, |builder, watch| {
            builder.check(pattern.len() as u64)?;
            let pattern = Pattern::read_watched(pattern, &Syntax::new(Dialect::Ecma), watch)?;
            Ok(pattern.lower(builder, false)?)
        })
    }

    /// The texts of a rule of a grammar in GBNF, the notation of llama.cpp; as a rule, of the rule `root`.
    ///
    /// Errors: line and column of what is no GBNF; a grammar without any text; limits.
    pub fn from_gbnf(text: &str, root: &str, limits: &Limits) -> Result<Self> {
        Self::from_notation(text, Notation::Gbnf, Some(root), limits)
    }

    /// The texts of a rule of a grammar in EBNF; without `root` of the first rule, in xgrammar's dialect of the rule `root`.
    ///
    /// ```
    /// use frisket::{EbnfDialect, Grammar, Limits};
    /// let names = Grammar::from_ebnf("Name ::= [A-Z] ([a-z] - 'x')*", EbnfDialect::W3c, None, &Limits::default())?;
    /// assert!(names.accepts(b"Ada", &Limits::default())?);
    /// # Ok::<(), Box<frisket::Error>>(())
    /// ```
    ///
    /// Errors: as `from_gbnf`.
    pub fn from_ebnf(text: &str, dialect: EbnfDialect, root: Option<&str>, limits: &Limits) -> Result<Self> {
        Self::from_notation(text, Notation::Ebnf(dialect), root, limits)
    }

    /// The texts of a rule of a grammar in ABNF (RFC 5234, RFC 7405); without `root` of the first rule.
    ///
    /// ```
    /// use frisket::{AbnfValues, Grammar, Limits};
    /// let date = "date = 4DIGIT \"-\" 2DIGIT ; DIGIT is a core rule";
    /// let dates = Grammar::from_abnf(date, AbnfValues::Characters, None, &Limits::default())?;
    /// assert!(dates.accepts(b"2026-11", &Limits::default())?);
    /// # Ok::<(), Box<frisket::Error>>(())
    /// ```
    ///
    /// Errors: as `from_gbnf`.
    pub fn from_abnf(text: &str, values: AbnfValues, root: Option<&str>, limits: &Limits) -> Result<Self> {
        Self::from_notation(text, Notation::Abnf(values), root, limits)
    }

    fn from_notation(text: &str, notation: Notation, root: Option<&str>, limits: &Limits) -> Result<Self> {
        Self::from_rules(text, &notation::Options { notation, root, python: Syntax::new(Dialect::Python) }, limits)
    }

    /// The texts of the root of a grammar.
    pub(crate) fn from_rules(text: &str, options: &notation::Options, limits: &Limits) -> Result<Self> {
        let has_schema = matches!(options.notation, Notation::Lark(_)) && text.contains("%json");
        let prelude = has_schema.then(|| SchemaOptions::default().prelude(None)).transpose()?;
        let prelude = prelude.as_deref();
        Self::built(limits, prelude, |builder, _| {
            let lowered =
                notation::read(builder, text, options, &mut Forks(prelude), |builder, read| read.lower(builder));
            lowered.map_err(|failure| Error::of_notation(failure, text))
        })
    }

    /// The texts of a structural tag: the JSON in requests to vLLM and SGLang.
    ///
    /// Both kinds are read: `format`, and the older `structures` with `triggers`. `options` apply to the schemas inside; by
    /// default JSON may have any white space and escapes, as the definition of the format says.
    ///
    /// ```
    /// use frisket::{Grammar, Limits};
    /// let format = r#"{"type": "tag", "begin": "<n>", "content": {"type": "regex", "pattern": "[0-9]+"}, "end": "</n>"}"#;
    /// let tag = format!(r#"{{"type": "structural_tag", "format": {format}}}"#);
    /// let grammar = Grammar::from_structural_tag(&tag, None, &Limits::default())?;
    /// assert!(grammar.accepts(b"<n>42</n>", &Limits::default())?);
    /// # Ok::<(), Box<frisket::Error>>(())
    /// ```
    ///
    /// Errors: the JSON pointer of what is wrong or cannot be exact; limits.
    pub fn from_structural_tag(tag: &str, options: Option<&SchemaOptions>, limits: &Limits) -> Result<Self> {
        guarded(|| {
            let (text, options) = (tag.to_owned(), options.cloned());
            in_time(&limits.clone().started(), tag.len(), move |_, limits| {
                let tree = structural_tag::parse(&text, &limits)?;
                let python = Syntax::new(Dialect::Python);
                let settings = structural_tag::Settings { options, limits, registry: None, python };
                Ok(structural_tag::read(&tree, &settings)?.0)
            })?
        })
    }

    /// The texts of a rule of a grammar in Lark's notation, as llguidance reads it; as a rule, of the rule `start`.
    ///
    /// `%json {…}` stands for the documents of a schema, as `from_json_schema` reads it without options.
    ///
    /// Errors: line and column of what is no Lark or not exact; a schema that is wrong or cannot be enforced exactly; a
    /// grammar without any text; limits.
    pub fn from_lark(text: &str, start: &str, limits: &Limits) -> Result<Self> {
        Self::from_notation(text, Notation::Lark(lark::Dialect::Llguidance), Some(start), limits)
    }

    /// Exactly one of the texts. Errors: there are none; limits.
    pub fn from_choices<T: AsRef<str>>(texts: &[T], limits: &Limits) -> Result<Self> {
        Self::built(limits, None, |builder, _| {
            let length: usize = texts.iter().map(|text| text.as_ref().len() + 10).sum();
            builder.check(length as u64)?;
            Ok(builder.words(texts.iter().map(|text| text.as_ref().as_bytes().into()).collect())?)
        })
    }

    /// The grammar of the node that `lower` makes in a builder, which is new or a fork of the prelude's.
    fn built(
        limits: &Limits,
        prelude: Option<&Prelude>,
        lower: impl FnOnce(&mut Builder, &Watch) -> Result<TermId>,
    ) -> Result<Self> {
        guarded(|| {
            let ((limits, flag), pause) = (limits.parts(), limits.between());
            let limits = limits.started();
            let watch = Watch::new(&limits, flag.clone());
            let mut builder = match prelude {
                Some(prelude) => prelude.fork(limits, flag),
                None => Builder::new(limits, flag, pause),
            };
            let root = lower(&mut builder, &watch)?;
            let grammar = builder.build(root.number())?;
            Ok(Grammar::of_rules(grammar))
        })
    }

    /// The grammar over a vocabulary; takes microseconds, as masks are composed on demand. `limits` are those of this
    /// call and of each call of its matchers.
    ///
    /// Errors: no token begins as the grammar must, or it lacks a special token of the grammar; limits.
    pub fn compile(&self, vocabulary: &Vocabulary, limits: &Limits) -> Result<CompiledGrammar> {
        guarded(|| CompiledGrammar::new(self.recognizer.grammar(), vocabulary, limits))
    }

    /// Whether the text is a whole sentence; special tokens cannot be written. Errors: limits.
    pub fn accepts(&self, text: &[u8], limits: &Limits) -> Result<bool> {
        guarded(|| Ok(self.recognizer.read(text, &limits.allowance())?.is_sentence))
    }

    /// Whether some sentence begins with the text. Errors: limits.
    pub fn accepts_prefix(&self, text: &[u8], limits: &Limits) -> Result<bool> {
        guarded(|| Ok(self.recognizer.read(text, &limits.allowance())?.is_prefix))
    }

    /// The lengths of all beginnings of the text that are whole sentences, shortest first. Errors: limits.
    pub fn ends(&self, text: &[u8], limits: &Limits) -> Result<Vec<usize>> {
        guarded(|| Ok(self.recognizer.ends(text, &limits.allowance())?))
    }

    /// The grammar that a builder has built.
    #[doc(hidden)]
    pub fn of_rules(rules: Arc<Rules>) -> Self {
        Grammar { recognizer: Arc::new(Recognizer::new(rules)), schema: None }
    }

    /// The rules, as builders embed them.
    #[doc(hidden)]
    pub fn rules(&self) -> &Arc<Rules> {
        self.recognizer.grammar()
    }

    /// The outcome for each keyword of the schema; None for other notations. The schema is read again for it.
    pub fn report(&self) -> Result<Option<Report>> {
        let Some(schema) = &self.schema else { return Ok(None) };
        guarded(|| {
            // The schema was compiled within its limits already.
            let (limits, _) = Limits::default().steps(u64::MAX >> 1).parts();
            let entries = report(schema.tree.clone(), None, &schema.prelude, limits, None)?;
            Ok(Some(Report { entries, notes: schema.notes.clone() }))
        })
    }

    /// Bytes that the grammar takes.
    pub fn memory_bytes(&self) -> usize {
        self.recognizer.grammar().memory_bytes() + self.recognizer.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    fn lark(text: &str) -> Result<Grammar> {
        Grammar::from_lark(text, "start", &Limits::default())
    }

    #[test]
    fn a_schema_in_lark_is_that_schema() {
        let schema =
            r##"{"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"maximum": 9, "type": "integer"}}}"##;
        let whole = lark(&format!("%llguidance {{}}\nstart: %json {schema}")).unwrap();
        let parts = lark(&format!("start: (\"<\" %json {schema} \">\" | NO)+ // end\nNO: \"no\"")).unwrap();
        for (text, is_whole, is_part) in
            [("[1, -2]", true, false), ("[10]", false, false), ("<[9]>no<[]>", false, true)]
        {
            let accepts = |grammar: &Grammar| grammar.accepts(text.as_bytes(), &Limits::default()).unwrap();
            assert_eq!((accepts(&whole), accepts(&parts)), (is_whole, is_part), "{text}");
        }
    }

    #[test]
    fn a_schema_in_lark_that_is_refused_says_where() {
        let error = |text: &str| lark(text).err().map(|error| (error.code(), error.place().unwrap_or("").to_owned()));
        let of = |code, place: &str| Some((code, place.to_owned()));
        assert_eq!(error("start: %json {\"items\": {\"type\": \"int\"}}"), of(Code::SchemaInvalid, "/items/type"));
        assert_eq!(error("start: \"a\" %json {\"not\": {}}"), of(Code::SchemaUnsatisfiable, ""));
        assert_eq!(error("start: %json {\"type\": }"), of(Code::GrammarSyntax, "1:23"));
        assert_eq!(error("start: A\nA: %json {}"), of(Code::GrammarSyntax, "2:4"));
    }
}
