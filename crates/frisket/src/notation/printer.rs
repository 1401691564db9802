//! Rules → the text of an equal grammar in GBNF or in the W3C's EBNF.
//!
//! A construct that the notation lacks (an intersection, bytes that are no characters, a JSON Schema) is refused.

use super::rules::{Part, Rules};
use frisket_core::builder::Builder;
use frisket_core::error::Error;
use frisket_core::production::BodyNode;
use frisket_regex::{is_printable, quoted, Node, LAST};
use rustc_hash::{FxHashMap, FxHashSet};
use std::iter::once;

/// Largest count that is written out as so many items, in a notation without counts.
const MOST_ROUNDS: u32 = 1_000;

/// A notation in which rules are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Printed {
    /// GBNF.
    Gbnf,
    /// EBNF as the W3C writes it.
    W3c,
}

/// Why rules are not written.
#[derive(Debug, PartialEq)]
pub enum Unprinted {
    /// The notation lacks a construct of a rule: the construct in words, and the rule as its grammar writes it.
    Lacking(String, String),
    /// The text is beyond a limit, or the call was cancelled.
    Engine(Box<Error>),
}

/// Why a part of a rule is not written.
enum Stop {
    Lacking(&'static str),
    Engine(Box<Error>),
}

impl From<Box<Error>> for Stop {
    fn from(error: Box<Error>) -> Self {
        Stop::Engine(error)
    }
}

/// How closely a text is joined, from alternatives to a single item: a looser one needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Alt,
    Seq,
    Repeat,
    Item,
}

/// The text of a body; None if nothing matches it.
type Body = Option<(String, Precedence)>;

impl Rules {
    /// All rules that the root needs, the root first. The builder bears the limits.
    pub fn print(&self, builder: &mut Builder, printed: Printed) -> Result<String, Unprinted> {
        let root = self.productions.rule(&self.root);
        let rules = root.map(|root| self.productions.reached(root)).unwrap_or_default();
        let names = self.plain_names(&rules);
        let mut made = String::new();
        for &rule in &rules {
            let said = self.body(builder, rule, &names, printed);
            let (body, _) = said.and_then(|body| body.ok_or(Stop::Lacking("nothing"))).map_err(|stop| match stop {
                Stop::Engine(error) => Unprinted::Engine(error),
                Stop::Lacking(what) => {
                    let notation = if printed == Printed::Gbnf { "GBNF" } else { "EBNF" };
                    Unprinted::Lacking(format!("{notation} cannot say {what}"), self.productions.title(rule).into())
                }
            })?;
            made += &format!("{} ::= {body}\n", names[&rule]);
        }
        Ok(made)
    }

    /// A name for each rule that all notations allow: letters, digits and hyphens.
    fn plain_names(&self, rules: &[u32]) -> FxHashMap<u32, String> {
        let mut taken = FxHashSet::from_iter(["root".to_owned()]);
        let mut found = FxHashMap::default();
        for (place, &rule) in rules.iter().enumerate() {
            if place == 0 {
                found.insert(rule, "root".to_owned());
                continue;
            }
            let words = self.productions.name(rule).split(|char: char| !char.is_ascii_alphanumeric());
            let mut plain = words.filter(|word| !word.is_empty()).collect::<Vec<&str>>().join("-");
            if !plain.starts_with(|char: char| char.is_ascii_alphabetic()) {
                plain.insert_str(0, if plain.is_empty() { "rule" } else { "rule-" });
            }
            let (mut number, mut unique) = (1, plain.clone());
            while !taken.insert(unique.clone()) {
                number += 1;
                unique = format!("{plain}-{number}");
            }
            found.insert(rule, unique);
        }
        found
    }

    /// The body of a rule, or what the notation cannot say.
    fn body(
        &self,
        builder: &mut Builder,
        rule: u32,
        names: &FxHashMap<u32, String>,
        printed: Printed,
    ) -> Result<Body, Stop> {
        let mut made: Vec<Body> = Vec::new();
        for node in self.productions.nodes(rule) {
            let below = made.split_off(made.len() - self.productions.below(node).count());
            let body = match self.productions.node(node) {
                BodyNode::Text(text) => Some(printed.text(text)),
                BodyNode::Chars(ranges) => printed.chars(ranges),
                BodyNode::Octets(ranges) if ranges.iter().all(|&(_, high)| high < 0x80) => {
                    let ranges: Vec<(u32, u32)> = ranges.iter().map(|&(low, high)| (low.into(), high.into())).collect();
                    printed.chars(&ranges)
                }
                BodyNode::Octets(_) => return Err(Stop::Lacking("bytes that are no characters")),
                BodyNode::Token(name) if printed == Printed::Gbnf => Some((name.to_string(), Precedence::Item)),
                BodyNode::Token(_) => return Err(Stop::Lacking("a special token")),
                BodyNode::Call(name, _) => {
                    let rule = self.productions.rule(self.productions.spelled(*name));
                    rule.and_then(|rule| names.get(&rule)).map(|name| (name.clone(), Precedence::Item))
                }
                BodyNode::Leaf(leaf) => match &self.parts[*leaf as usize].0 {
                    Part::Pattern(regex) => match &regex.read {
                        Ok(pattern) => printed.pattern(builder, pattern.tree())?,
                        Err(_) => None,
                    },
                    _ => return Err(Stop::Lacking(OPERATORS)),
                },
                BodyNode::Seq => printed.sequence(below),
                BodyNode::Alt => alternatives(below),
                &BodyNode::Repeat(low, high) => {
                    printed.repeat(builder, below.into_iter().flatten().next(), low, high)?
                }
                BodyNode::Except(_) => printed.difference(below)?,
                BodyNode::Both(_) | BodyNode::Complement(_) | BodyNode::Shortest(_) => {
                    return Err(Stop::Lacking(OPERATORS))
                }
            };
            builder.check(body.as_ref().map_or(0, |(text, _)| text.len() as u64))?;
            made.push(body);
        }
        Ok(made.pop().flatten())
    }
}

const OPERATORS: &str = "an intersection, a complement or another notation's grammar";

fn alternatives(below: Vec<Body>) -> Body {
    let mut known: Vec<(String, Precedence)> = below.into_iter().flatten().collect();
    if known.len() < 2 {
        return known.pop();
    }
    let known: Vec<String> = known.into_iter().map(|part| within(part, Precedence::Seq)).collect();
    Some((known.join(" | "), Precedence::Alt))
}

impl Printed {
    fn empty(self) -> (String, Precedence) {
        (if self == Printed::Gbnf { "\"\"" } else { "''" }.into(), Precedence::Item)
    }

    fn text(self, text: &str) -> (String, Precedence) {
        if text.is_empty() {
            return self.empty();
        }
        if self == Printed::Gbnf {
            let escaped: String = text.chars().map(|char| escaped(char.into(), "\"\\")).collect();
            return (format!("\"{escaped}\""), Precedence::Item);
        }
        let is_plain = |char: char| char != '\'' && char != '\u{7f}' && char >= ' ';
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let end = rest.find(|char| !is_plain(char)).unwrap_or(rest.len()).max(first.len_utf8());
            let (run, behind) = rest.split_at(end);
            if is_plain(first) && run.chars().all(is_printable) {
                parts.push(format!("'{run}'"));
            } else {
                parts.extend(run.chars().map(|char| format!("#x{:X}", u32::from(char))));
            }
            rest = behind;
        }
        match &mut parts[..] {
            [part] => (std::mem::take(part), Precedence::Item),
            _ => (format!("({})", parts.join(" ")), Precedence::Item),
        }
    }

    fn chars(self, ranges: &[(u32, u32)]) -> Body {
        let end = |point: u32| match self {
            Printed::Gbnf if point == u32::from('^') => "\\x5e".to_owned(),
            Printed::Gbnf => escaped(point, "[]\\-"),
            Printed::W3c => format!("#x{point:X}"),
        };
        let range = |&(low, high): &(u32, u32)| match low == high {
            true => end(low),
            false => format!("{}-{}", end(low), end(high)),
        };
        match ranges {
            [] => None,
            [(0, LAST)] if self == Printed::Gbnf => Some((".".into(), Precedence::Item)),
            _ => Some((format!("[{}]", ranges.iter().map(range).collect::<String>()), Precedence::Item)),
        }
    }

    fn sequence(self, below: Vec<Body>) -> Body {
        if below.is_empty() {
            return Some(self.empty());
        }
        let mut known = below.into_iter().collect::<Option<Vec<_>>>()?;
        if known.len() == 1 {
            return known.pop();
        }
        let known: Vec<String> = known.into_iter().map(|part| within(part, Precedence::Repeat)).collect();
        Some((known.join(" "), Precedence::Seq))
    }

    fn repeat(self, builder: &mut Builder, item: Body, low: u32, high: Option<u32>) -> Result<Body, Stop> {
        let Some(item) = item.filter(|_| high != Some(0)) else { return Ok((low == 0).then(|| self.empty())) };
        let item = within(item, Precedence::Item);
        let sign = match (low, high) {
            (0, None) => "*",
            (1, None) => "+",
            (0, Some(1)) => "?",
            _ if self == Printed::Gbnf => {
                let counts = match high {
                    Some(high) if high == low => format!("{{{low}}}"),
                    Some(high) => format!("{{{low},{high}}}"),
                    None => format!("{{{low},}}"),
                };
                return Ok(Some((item + &counts, Precedence::Repeat)));
            }
            _ => return written_out(builder, &item, low, high).map(Some),
        };
        Ok(Some((item + sign, Precedence::Repeat)))
    }

    /// The texts of the first body except those of the second.
    fn difference(self, below: Vec<Body>) -> Result<Body, Stop> {
        let mut below = below.into_iter();
        let (item, excluded) = (below.next().flatten(), below.next().flatten());
        let (Some(item), Some(excluded)) = (item.clone(), excluded) else { return Ok(item) };
        if self == Printed::Gbnf {
            return Err(Stop::Lacking("an exception"));
        }
        let sides = [item, excluded].map(|side| within(side, Precedence::Item));
        Ok(Some((format!("({})", sides.join(" - ")), Precedence::Item)))
    }

    /// A pattern, whose depth the reader of patterns bounds.
    fn pattern(self, builder: &mut Builder, node: &Node) -> Result<Body, Stop> {
        let mut of_all =
            |items: &[Node]| items.iter().map(|item| self.pattern(builder, item)).collect::<Result<Vec<Body>, Stop>>();
        match node {
            Node::Text(text) => Ok(Some(self.text(text))),
            Node::Chars(set) => Ok(self.chars(set.ranges())),
            Node::Seq(items) => Ok(self.sequence(of_all(items)?)),
            Node::Alt(items) => Ok(alternatives(of_all(items)?)),
            Node::Repeat { item, low, high, .. } => {
                let item = self.pattern(builder, item)?;
                self.repeat(builder, item, *low, *high)
            }
            _ => Err(Stop::Lacking("an assertion of a pattern")),
        }
    }
}

/// A repetition as so many items.
fn written_out(builder: &mut Builder, item: &str, low: u32, high: Option<u32>) -> Result<(String, Precedence), Stop> {
    if low.max(high.unwrap_or(0)) > MOST_ROUNDS {
        return Err(Stop::Lacking("more than 1,000 rounds"));
    }
    builder.check(u64::from(low.max(high.unwrap_or(0))) * item.len() as u64)?;
    let Some(high) = high else {
        return Ok((format!("{}{item}+", format!("{item} ").repeat(low as usize - 1)), Precedence::Seq));
    };
    let mut rest = String::new();
    for _ in low..high {
        rest = if rest.is_empty() { format!("{item}?") } else { format!("({item} {rest})?") };
    }
    let mut items = vec![item; low as usize];
    items.extend(Some(&*rest).filter(|rest| !rest.is_empty()));
    Ok((items.join(" "), Precedence::Seq))
}

fn within((text, precedence): (String, Precedence), least: Precedence) -> String {
    if precedence >= least {
        text
    } else {
        format!("({text})")
    }
}

/// A character in GBNF, where those of `special` stand behind a backslash.
fn escaped(point: u32, special: &str) -> String {
    match char::from_u32(point) {
        Some(char) if special.contains(char) => format!("\\{char}"),
        Some('\\') => "\\".into(),
        Some(char) => {
            let shown = quoted(once(char));
            shown[1..shown.len() - 1].into()
        }
        None => format!("\\u{point:04x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{rules_of, EbnfDialect, Notation, Options};
    use super::*;
    use frisket_regex::{Dialect, Syntax};

    fn printed(text: &str, dialect: EbnfDialect, printed: Printed) -> Result<String, String> {
        let options = Options { notation: Notation::Ebnf(dialect), root: None, python: Syntax::new(Dialect::Python) };
        let rules = rules_of(&mut Builder::default(), text, &options).unwrap();
        rules.print(&mut Builder::default(), printed).map_err(|unprinted| match unprinted {
            Unprinted::Lacking(message, _) => message,
            Unprinted::Engine(error) => error.to_string(),
        })
    }

    fn gbnf(text: &str) -> Result<String, String> {
        printed(text, EbnfDialect::W3c, Printed::Gbnf)
    }

    fn w3c(text: &str) -> Result<String, String> {
        printed(text, EbnfDialect::XGrammar, Printed::W3c)
    }

    #[test]
    fn gbnf_has_escapes_and_counts() {
        assert_eq!(gbnf("a ::= ('x' | 'y')+ 'z'*"), Ok("root ::= (\"x\" | \"y\")+ \"z\"*\n".into()));
        assert_eq!(gbnf("a ::= '\\\"' #xA0 [#x5B-^]"), Ok("root ::= \"\\\\\\\"\" \"\\xa0\" [\\[-\\x5e]\n".into()));
        assert_eq!(gbnf("a ::= _b\n_b ::= ''"), Ok("root ::= b\nb ::= \"\"\n".into()));
        assert_eq!(gbnf("a ::= 'x' - 'y'"), Err("GBNF cannot say an exception".into()));
    }

    #[test]
    fn w3c_writes_repetitions_out() {
        assert_eq!(w3c("root ::= \"a\"{2,4}"), Ok("root ::= 'a' 'a' ('a' 'a'?)?\n".into()));
        assert_eq!(w3c("root ::= \"a\"{2,} \"b\"{0}"), Ok("root ::= ('a' 'a'+) ''\n".into()));
        assert_eq!(w3c("root ::= \"it's\" [^a]"), Ok("root ::= ('it' #x27 's') [#x0-#x60#x62-#x10FFFF]\n".into()));
        assert_eq!(w3c("root ::= \"a\"{2000}"), Err("EBNF cannot say more than 1,000 rounds".into()));
        assert_eq!(w3c("root ::= Regex(\"a|b+\")"), Ok("root ::= 'a' | 'b'+\n".into()));
        let nested = format!("root ::= {}\"a\"{}", "(".repeat(4), "{1000})".repeat(4));
        assert!(w3c(&nested).unwrap_err().contains("limit"));
        assert_eq!(w3c("root[lazy] ::= \"a\""), Err(format!("EBNF cannot say {OPERATORS}")));
    }
}
