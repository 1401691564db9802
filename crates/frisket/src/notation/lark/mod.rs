//! Lark's notation → productions → a node.
//!
//! source       white space, names and numbers        tree         what a text says, and the rules that are made of it
//! literal      texts, patterns, tokens, JSON        library      the terminals of `common`
//! parameter    functions of a rule's parameter
//! expression   the body of a definition             parser       definitions and directives
//! instance     templates, parameters → plain        terminal     what must be one regular language
//! lazy         where lazy rules may begin           competition  lazy rules beside other terminals
//! production   definitions → rules                  ignored      what may stand between terminals
//! automaton    a regular node → a tree              beginning    what a text may begin with
//! lowering     rules → a node

mod automaton;
mod beginning;
mod competition;
mod expression;
mod ignored;
mod instance;
mod lazy;
mod library;
mod literal;
mod lowering;
mod parameter;
mod parser;
mod production;
mod source;
mod terminal;
#[cfg(test)]
mod tests;
mod tree;

use super::source::{Read, Source};
use super::{Failure, Rules};
use frisket_core::builder::Builder;
use frisket_core::regular::term::TermId;
use frisket_regex::Syntax;
use tree::Trees;

pub(super) use lowering::lower_other;
pub use tree::Module;

/// The implementation whose reading of Lark's notation applies where implementations differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// llguidance's: patterns of Rust's crate `regex`, and the most constructs.
    Llguidance,
    /// That of the package `lark`: patterns of Python.
    Lark,
    /// xgrammar's: patterns of ECMAScript with classes of ASCII.
    XGrammar,
}

/// How a text is read.
#[derive(Clone, Copy)]
pub struct Options<'o> {
    /// The rule whose texts are the grammar's.
    pub start: &'o str,
    /// Whose Lark it is.
    pub dialect: Dialect,
    /// How Python reads patterns: its version of Unicode, and names of characters.
    pub python: Syntax,
}

/// Reads the JSON Schemas in a text.
pub trait Schemas {
    /// A builder like that of the grammar, for questions about its parts.
    fn builder(&self) -> Builder;

    /// The node of a schema's documents. The schema is JSON, and stands at a byte of the text.
    fn lower(&mut self, builder: &mut Builder, schema: &str, at: usize) -> Result<TermId, Failure>;
}

/// What all steps of one reading share.
pub(crate) struct Context<'c> {
    text: &'c str,
    dialect: Dialect,
    python: Syntax,
    schemas: &'c mut dyn Schemas,
    trees: Trees,
}

impl<'c> Context<'c> {
    fn new(text: &'c str, options: &Options, schemas: &'c mut dyn Schemas) -> Self {
        Context { text, dialect: options.dialect, python: options.python, schemas, trees: Trees::default() }
    }
}

/// The rules of a grammar in Lark's notation, and what their parts refer to. The builder bears the limits.
pub(super) fn read<'c>(
    builder: &mut Builder,
    text: &'c str,
    options: &Options,
    schemas: &'c mut dyn Schemas,
) -> Read<(Context<'c>, Rules)> {
    let mut cx = Context::new(text, options, schemas);
    let module = parser::parse(&mut cx, &mut Source::new(text)?)?;
    let rules = lowering::read_module(&mut cx, builder, &module, options.start)?;
    Ok((cx, rules))
}
