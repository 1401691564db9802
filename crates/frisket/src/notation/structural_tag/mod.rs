//! Structural tag, a JSON value in requests to vLLM and SGLang → its parts → a grammar.
//!
//! A `format` is a tree of formats; each kind describes texts. A format that has no end of its own, such as free text,
//! contains no string that ends the nearest tag around it. Older requests list `structures` and `triggers` instead.
//!
//! value  a value of the tag, and errors at its place    reader   formats → parts
//! part   the tree of parts                              tags     formats of tags → parts
//! style  how models write the members of an object      members  an object's schema in a style → rules
//! lower  parts → a node
//!
//! Source: xgrammar 0.2, docs/structural_tag (structural_tag.md and advanced_usage.md).

mod lower;
mod members;
mod part;
mod reader;
mod style;
mod tags;
mod value;

pub use part::{Inner, Part, Repeat, Tags, Whole};

use crate::error::{Error, Result};
use crate::grammar::Grammar;
use crate::limits::Limits;
use crate::options::SchemaOptions;
use frisket_core::builder::Builder;
use frisket_core::limits::Watch;
use frisket_regex::Syntax;
use frisket_schema::compile::{compile, Prelude};
use frisket_schema::error::Error as SchemaError;
use frisket_schema::json::{parse_watched, Text, Tree, Value};
use frisket_schema::resolve::Registry;
use lower::Lowering;
use reader::Reader;
use std::sync::Arc;
use value::Data;

/// How a structural tag is read.
pub struct Settings<'r> {
    /// The options for the schemas inside; None: any white space and escapes, as the definition of the format says.
    pub options: Option<SchemaOptions>,
    /// The limits of each grammar inside, and of the whole.
    pub limits: Limits,
    /// The documents that references in schemas may lead to.
    pub registry: Option<&'r dyn Registry>,
    /// How the running Python reads patterns.
    pub python: Syntax,
}

/// A JSON text as a tree; its errors name the structural tag.
pub fn parse(text: &str, limits: &Limits) -> Result<Tree> {
    let (limits, flag) = limits.parts();
    parse_watched(text, Watch::new(&limits, flag)).map_err(unread)
}

/// The error of a tag that is no JSON.
pub fn unread(error: Box<SchemaError>) -> Box<Error> {
    Error::of_value(error, "the structural tag")
}

/// The grammar of a structural tag, and its parts, which name places of its texts.
///
/// Errors: GrammarSyntax, with the JSON pointer, for a tag that is wrong or not exact; limits.
pub fn read(tree: &Tree, settings: &Settings) -> Result<(Grammar, Arc<Part>)> {
    let mut reader = Reader::new(settings);
    let part = reader.document(&Data::new(tree))?;
    let (limits, flag) = settings.limits.parts();
    let mut builder = match reader.prelude {
        Some(prelude) => prelude.fork(limits, flag),
        None => Builder::new(limits, flag, settings.limits.between()),
    };
    let root = Lowering::new(&mut builder).node(&part)?;
    Ok((Grammar::of_rules(builder.build(root.number())?), part))
}

/// The grammar of the documents of a schema, which stands in the tag as a value or as JSON text.
fn documents(schema: &Data, prelude: &Prelude, settings: &Settings) -> Result<Grammar> {
    let (limits, flag) = settings.limits.parts();
    let tree = match (schema.value(), schema.node()) {
        (Value::String(Text::Unicode(text)), _) => parse_watched(text, Watch::new(&limits, flag.clone()))?,
        (_, Some(node)) => schema.tree().copy(node)?,
        (_, None) => return schema.fail("there is no schema", ""),
    };
    let compiled = compile(Arc::new(tree), settings.registry, prelude, limits, flag)?;
    Ok(Grammar::of_rules(compiled.grammar))
}
