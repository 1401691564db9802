//! A grammar in Lark's notation → its rules, node by node, for those who write them in another notation.

use super::production::{rules, Rules};
use super::source::Source;
use super::tree::{Id, Node};
use super::{lowering, parser, Context, Options, Schemas};
use crate::notation::Failure;
use frisket_core::builder::Builder;
use frisket_regex::Dialect;

/// The rules of a grammar.
pub struct Written {
    /// The rules by name.
    pub rules: Vec<Rule>,
    /// The name of the rule whose texts are the grammar's.
    pub root: String,
}

/// One rule.
pub struct Rule {
    /// The name by which rules call it.
    pub name: String,
    /// The name as it is written.
    pub title: String,
    /// The byte of the text where it is defined.
    pub at: usize,
    /// The nodes of its body, each one after those below it.
    pub nodes: Vec<Part>,
}

/// One node of a body. Places are bytes of the text.
pub enum Part {
    /// These characters, one after the other.
    Text(String),
    /// One code point in any of the ranges.
    Chars(Vec<(u32, u32)>),
    /// One byte in any of the ranges.
    Octets(Vec<(u8, u8)>),
    /// The special token of that name.
    Token(String),
    /// A call of a rule.
    Call(String, usize),
    /// The texts of a pattern, with its flags, in a dialect.
    Pattern(String, String, Dialect, usize),
    /// Runs of chunks that stand side by side.
    Substring(Vec<String>, usize),
    /// The documents of a JSON Schema.
    Schema(String, usize),
    /// The texts of a grammar with names of its own.
    Nested(String, usize),
    /// So many nodes, one after the other.
    Seq(usize),
    /// Any one of so many nodes.
    Alt(usize),
    /// The node so many times at least and at most.
    Repeat(u32, Option<u32>),
    /// The texts that all of so many nodes have.
    Both(usize, usize),
    /// The byte strings that are no text of the node.
    Complement(usize),
    /// The texts of the node that do not begin with a shorter one.
    Shortest(usize),
}

/// The rules of a grammar in Lark's notation; the builder bears the limits.
pub fn written(
    builder: &mut Builder,
    text: &str,
    options: &Options,
    schemas: &mut dyn Schemas,
) -> Result<Written, Failure> {
    let mut cx = Context::new(text, options, schemas);
    let module = parser::parse(&mut cx, &mut Source::new(text))?;
    let rules = rules(&mut cx, builder, &module, options.start)?;
    lowering::check_root(&cx, &rules)?;
    Ok(of_rules(&cx, &rules))
}

fn of_rules(cx: &Context, rules: &Rules) -> Written {
    let rule = |name: &str, title: &str, at, body| Rule {
        name: name.into(),
        title: title.into(),
        at,
        nodes: cx.trees.postorder(body).into_iter().map(|id| part(cx, id)).collect(),
    };
    let written = rules.iter().map(|(name, found)| rule(name, &found.title, found.at, found.body)).collect();
    Written { rules: written, root: rules.root.to_string() }
}

fn part(cx: &Context, id: Id) -> Part {
    let (at, count) = (cx.trees.at(id), cx.trees.below(id).len());
    match cx.trees.node(id) {
        Node::Text { text, .. } => Part::Text(text.to_string()),
        Node::Chars(ranges) => Part::Chars(ranges.to_vec()),
        Node::Octets(ranges) => Part::Octets(ranges.to_vec()),
        Node::Special(name) => Part::Token(name.to_string()),
        Node::Name { name, .. } => Part::Call(name.to_string(), at),
        Node::Regex(regex) => Part::Pattern(regex.pattern.clone(), regex.flags.clone(), regex.dialect, at),
        Node::Substring(chunks) => Part::Substring(chunks.to_vec(), at),
        Node::Schema(schema) => Part::Schema(schema.to_string(), at),
        Node::Nested(_, text) => Part::Nested(text.to_string(), at),
        Node::Seq(_) | Node::If(..) => Part::Seq(count),
        Node::Alt(_) => Part::Alt(count),
        Node::Repeat(_, low, high) => Part::Repeat(*low, *high),
        Node::Both(_) | Node::Cut { .. } => Part::Both(count, at),
        Node::Not(_) => Part::Complement(at),
        Node::Shortest(_) => Part::Shortest(at),
    }
}
