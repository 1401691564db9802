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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    fn grammar(format: &str) -> Result<Grammar> {
        let tag = format!(r#"{{"type": "structural_tag", "format": {format}}}"#);
        Grammar::from_structural_tag(&tag, None, &Limits::default())
    }

    /// The texts that are in a format, of those that stand before `|`; and none of those that stand after it.
    fn check(format: &str, inside: &[&str], outside: &[&str]) {
        let grammar = grammar(format).unwrap();
        let accepts = |text: &&&str| grammar.accepts(text.as_bytes(), &Limits::default()).unwrap();
        assert_eq!(inside.iter().find(|text| !accepts(text)), None, "{format}");
        assert_eq!(outside.iter().find(accepts), None, "{format}");
    }

    const TAGS: &str = r#"[{"begin": "<f=a>", "content": {"type": "const_string", "value": "1"}, "end": "</f>"},
        {"begin": "<f=ab>", "content": {"type": "any_text"}, "end": ["</f>", "."]}]"#;

    #[test]
    fn formats_are_texts() {
        let tags = |kind: &str, more: &str| format!(r#"{{"type": "{kind}", "tags": {TAGS}, {more}}}"#);
        check(
            &tags("triggered_tags", r#""triggers": ["<f="], "excludes": ["no"]"#),
            &["", "n<f=a>1</f>o", "<f=ab>no.x"],
            &["no", "<f=a>2</f>", "<f=ab>x"],
        );
        check(
            &tags("tags_with_separator", r#""separator": ",", "at_least_one": true"#),
            &["<f=a>1</f>,<f=ab>x."],
            &["", "<f=a>1</f>,"],
        );
        check(r#"{"type": "grammar", "grammar": "root ::= \"(\" root \")\" | \"x\""}"#, &["((x))"], &["(x"]);
        check(
            r#"{"type": "repeat", "min": 1, "max": 2, "content": {"type": "regex", "pattern": "a"}}"#,
            &["aa"],
            &[""],
        );
        check(r#"{"type": "dispatch", "rules": [["@", {"type": "regex", "pattern": "1"}]]}"#, &["a@1@1", ""], &["@"]);
    }

    #[test]
    fn members_are_elements() {
        let schema = r#"{"properties": {"n": {"type": "integer"}, "o": {"type": "object", "properties": {"s": {}}}}}"#;
        let format = |style: &str| format!(r#"{{"type": "json_schema", "style": "{style}", "json_schema": {schema}}}"#);
        check(
            &format("qwen_xml"),
            &["", "<parameter=n>7</parameter>\n<parameter=o>{}</parameter>"],
            &["<parameter=n>x"],
        );
        let [n, o, s] = ["n", "o", "s"].map(|key| (format!("]<]minimax[>[<{key}>"), format!("]<]minimax[>[</{key}>")));
        let nested = format!("{}{}a{}{}", o.0, s.0, s.1, o.1);
        check(&format("minimax_m3_xml"), &[&nested, &format!("{}7{}", n.0, n.1)], &[&format!("{}{{}}{}", o.0, o.1)]);
    }

    #[test]
    fn errors_have_pointers() {
        let error =
            grammar(r#"{"type": "or", "elements": [{"type": "json_schema", "json_schema": {"items": {"type": 3}}}]}"#)
                .err()
                .unwrap();
        assert_eq!(error.code(), Code::GrammarSyntax);
        assert_eq!(error.place(), Some("/format/elements/0/json_schema/items/type"));
        let error = grammar(r#"{"type": "regex", "pattern": "("}"#).err().unwrap();
        assert_eq!(error.place(), Some("/format/pattern"));
        assert!(error.message().ends_with("(at offset 0)"), "{error}");
        let deep = "{\"type\": \"star\", \"content\": ".repeat(400) + "1" + &"}".repeat(400);
        assert_eq!(grammar(&deep).err().map(|error| error.code()), Some(Code::Limit));
    }

    #[test]
    fn a_part_that_stands_twice_is_one() {
        let tree = parse(
            &format!(
                r#"{{"type": "structural_tag", "format": {{"type": "triggered_tags", "triggers": ["<"], "tags": {TAGS}, "at_least_one": true}}}}"#
            ),
            &Limits::default(),
        );
        let python = Syntax::new(frisket_regex::Dialect::Python);
        let settings = Settings { options: None, limits: Limits::default(), registry: None, python };
        let (_, part) = read(&tree.unwrap(), &settings).unwrap();
        let Part::Seq(items) = &*part else { panic!("a tag, and then free text") };
        let (Part::Choice(first), Part::Tags(rest)) = (&*items[0], &*items[1]) else { panic!("a tag comes first") };
        let Part::Seq(tag) = &*first[1] else { panic!("a begin, and a part behind it") };
        assert!(Arc::ptr_eq(&tag[1], &rest.tags[1].1));
    }
}
