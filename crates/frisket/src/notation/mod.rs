//! Text in a notation → rules → a node.
//!
//! source   the text, and errors with places     body      the items of a rule's body
//! rules    what all notations become            pattern   patterns, in the dialect of their engine
//! gbnf     GBNF                                 xgrammar  what xgrammar adds to it
//! w3c, iso EBNF                                 abnf      ABNF
//! lark     Lark's notation                      printer   rules → their text in another notation
//!
//! open_rules      rules × a text so far → those that are open at its end
//! structural_tag  structural tags, whose parts may be schemas, patterns and rules
//! free_text       free text up to a trigger → its node

mod abnf;
mod body;
pub mod free_text;
mod gbnf;
mod iso;
pub mod lark;
mod open_rules;
mod pattern;
pub mod printer;
pub mod rules;
mod source;
pub mod structural_tag;
mod w3c;
mod xgrammar;

use frisket_core::automaton::recognizer::Allowance;
use frisket_core::builder::Builder;
use frisket_core::error::Error;
use frisket_core::regular::term::TermId;
use frisket_regex::Syntax;
use rules::{Others, Part, Rules};
use source::Source;
use std::borrow::Cow;

/// Limit steps per byte of a text, and per byte of Lark.
const STEPS_PER_BYTE: u64 = 1;
const LARK_STEPS_PER_BYTE: u64 = 5;

/// The reason why a text has no node.
#[derive(Debug)]
pub enum Failure {
    /// The builder failed: a limit, or a cancellation.
    Engine(Box<Error>),
    /// The text is no grammar in the notation.
    Unread(Fault),
    /// A part of the text is beyond a limit of its reader.
    Limit(Fault),
    /// The rules have no text.
    Empty(Fault),
    /// A schema in the text has no node.
    Schema(Box<frisket_schema::error::Error>),
}

/// A fault of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The fault, in words.
    pub message: String,
    /// The byte of the text; None for the whole text.
    pub at: Option<usize>,
    /// Advice on what to write instead.
    pub hint: Option<Cow<'static, str>>,
}

impl Fault {
    fn new(message: impl Into<String>, at: impl Into<Option<usize>>, hint: impl Into<Option<&'static str>>) -> Self {
        Fault { message: message.into(), at: at.into(), hint: hint.into().map(Cow::Borrowed) }
    }
}

impl From<Box<Error>> for Failure {
    fn from(error: Box<Error>) -> Self {
        Failure::Engine(error)
    }
}

impl From<Box<frisket_schema::error::Error>> for Failure {
    fn from(error: Box<frisket_schema::error::Error>) -> Self {
        Failure::Schema(error)
    }
}

/// A notation whose texts are rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// GBNF, llama.cpp's.
    Gbnf,
    /// EBNF.
    Ebnf(EbnfDialect),
    /// ABNF.
    Abnf(AbnfValues),
    /// Lark's notation.
    Lark(lark::Dialect),
}

/// Whose EBNF a text is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EbnfDialect {
    /// The W3C's: `name ::= "a"* [a-z]`.
    W3c,
    /// That of ISO 14977: `name = {"a"}, letter;`.
    Iso,
    /// That of xgrammar: GBNF with options of rules, and macros.
    XGrammar,
}

/// The meaning of numbers in ABNF.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AbnfValues {
    /// Characters of Unicode.
    Characters,
    /// Bytes of UTF-8.
    Bytes,
}

/// How a text is read.
#[derive(Clone, Copy)]
pub struct Options<'o> {
    /// The notation of the text.
    pub notation: Notation,
    /// The rule whose texts are the grammar's; None: that of the notation, or the first one.
    pub root: Option<&'o str>,
    /// How the running Python reads patterns.
    pub python: Syntax,
}

/// A text that was read.
pub struct Reading<'r> {
    /// Its rules.
    pub rules: &'r mut Rules,
    others: &'r mut Others<'r>,
}

impl Reading<'_> {
    /// The node of exactly the root's texts.
    pub fn lower(self, builder: &mut Builder) -> Result<TermId, Failure> {
        self.rules.lower_with(builder, self.others)
    }

    /// The names of the rules that are open at the end of a text so far, from the root inwards.
    pub fn open_rules(self, text: &[u8], allowance: &Allowance) -> Result<Vec<String>, Failure> {
        open_rules::open_rules(self.rules, self.others, text, allowance)
    }
}

/// Reads a text, and does something with its rules. The builder bears the limits.
pub fn read<R>(
    builder: &mut Builder,
    text: &str,
    options: &Options,
    schemas: &mut dyn lark::Schemas,
    then: impl FnOnce(&mut Builder, Reading) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let Notation::Lark(dialect) = options.notation else {
        builder.check(STEPS_PER_BYTE * text.len() as u64)?;
        let mut rules = rules_of(builder, text, options)?;
        let others = &mut |_: &mut Builder, _: &Part, at| source::fail("there is no other notation here", at, "");
        return then(builder, Reading { rules: &mut rules, others });
    };
    builder.check(LARK_STEPS_PER_BYTE * text.len() as u64)?;
    let options = lark::Options { start: options.root.unwrap_or("start"), dialect, python: options.python };
    let (mut cx, mut rules) = lark::read(builder, text, &options, schemas)?;
    let others = &mut |builder: &mut Builder, part: &Part, at| lark::lower_other(&mut cx, builder, part, at);
    then(builder, Reading { rules: &mut rules, others })
}

/// The rules of a text that is no Lark.
fn rules_of(builder: &mut Builder, text: &str, options: &Options) -> Result<Rules, Failure> {
    let (source, rules) = (Source::new(text)?, Rules::new("root", text.len()));
    let python = &options.python;
    let (mut rules, usual) = match options.notation {
        Notation::Ebnf(EbnfDialect::W3c) => (w3c::read(source, rules)?, None),
        Notation::Ebnf(EbnfDialect::Iso) => (iso::read(source, rules)?, None),
        Notation::Abnf(values) => (abnf::read(source, rules, values)?, None),
        notation => {
            let is_xgrammar = notation == Notation::Ebnf(EbnfDialect::XGrammar);
            (gbnf::Reader { source, rules, builder, python, is_xgrammar }.read()?, Some("root"))
        }
    };
    rules.root = match options.root.or(usual) {
        // Names in ABNF have no case.
        Some(root) if matches!(options.notation, Notation::Abnf(_)) => root.to_lowercase().into(),
        Some(root) => root.into(),
        None => rules.all().next().map_or("", |first| rules.productions.name(first)).into(),
    };
    Ok(rules)
}

#[cfg(test)]
mod tests;
