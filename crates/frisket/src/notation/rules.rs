//! The rules of a grammar, as the reader of a notation finds them → a node, or what is wrong with them, and where.

use super::body::Level;
use super::pattern::Regex;
use super::source::{fail, Read, Source};
use super::{lark, Failure, Fault};
use frisket_core::builder::Builder;
use frisket_core::production::{BodyNode, Flaw, Leaf, Productions};
use frisket_core::regular::term::{TermId, EMPTY};
use frisket_regex::Dialect;
use frisket_schema::similar::nearest;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The rules of a grammar, and the one whose texts are the grammar's.
pub struct Rules {
    /// The rules by number.
    pub productions: Productions,
    /// By rule: the byte of the text where it is defined.
    pub places: Vec<usize>,
    /// By leaf: what it says, and the byte where it stands.
    pub parts: Vec<(Part, usize)>,
    /// The name of the rule whose texts are the grammar's.
    pub root: Box<str>,
    /// The option that names the root, for advice.
    option: &'static str,
    /// The length of the text.
    end: usize,
    /// The open groups of the body that is being read.
    pub(super) levels: Vec<Level>,
}

/// What a leaf says: a part that is no production.
#[derive(Clone)]
pub enum Part {
    /// The texts of a pattern.
    Pattern(Rc<Regex>),
    /// Chunks of a text that stand side by side; none, too.
    Substring(Rc<[String]>),
    /// Any text without these strings in it, and without those at its end.
    Free {
        /// The strings that do not occur.
        without: Rc<[String]>,
        /// The strings that do not come last.
        ends: Rc<[String]>,
    },
    /// The documents of a JSON Schema.
    Schema(Rc<str>),
    /// A grammar with names of its own.
    Nested(Rc<lark::Module>),
}

/// Makes the node of a schema or of a grammar within another one, which stands at a byte.
pub(super) type Others<'o> = dyn FnMut(&mut Builder, &Part, usize) -> Read<TermId> + 'o;

impl Rules {
    /// No rules yet, of a text of that length; `option` names the root.
    pub(crate) fn new(option: &'static str, end: usize) -> Self {
        let productions = Productions::default();
        Rules { productions, places: Vec::new(), parts: Vec::new(), root: "".into(), option, end, levels: Vec::new() }
    }

    /// Adds a leaf to the body.
    pub(crate) fn part(&mut self, part: Part, at: usize) {
        let (is_regular, may_be_empty) = match &part {
            Part::Pattern(regex) => (true, regex.may_be_empty()),
            Part::Substring(_) | Part::Free { .. } => (true, true),
            Part::Schema(_) | Part::Nested(_) => (false, true),
        };
        self.parts.push((part, at));
        self.productions.leaf(Leaf { is_regular, may_be_empty, ends_in_name: false, node: None });
    }

    /// Ends a body: it is that of the rule of this name, which is written like `title` at a byte.
    pub(crate) fn define(&mut self, name: &str, title: &str, at: usize) {
        if self.productions.define(name, title) {
            self.places.push(at);
        }
    }

    /// Whether a rule that is defined at a byte has a name of its own.
    pub(super) fn check_new(&self, source: &Source, name: &str, at: usize) -> Read<()> {
        let Some(rule) = self.productions.rule(name) else { return Ok(()) };
        let first = source.place(self.places[rule as usize]);
        fail(format!("the rule {name} is defined twice, first at {first}"), at, "join the bodies with |")
    }

    /// All rules by number.
    pub fn all(&self) -> std::ops::Range<u32> {
        0..self.productions.count() as u32
    }

    fn titles(&self) -> Vec<&str> {
        self.all().map(|rule| self.productions.title(rule)).collect()
    }

    /// The rules that a text of the root may use. Errors: there is no root, a rule is missing or has no text.
    pub(crate) fn check(&self) -> Read<Vec<u32>> {
        self.check_root()?;
        Ok(self.productions.check(&self.root).map_err(|flaw| self.failure(flaw))?.unwrap_or_default())
    }

    /// Whether there is a rule to begin with.
    pub(crate) fn check_root(&self) -> Read<()> {
        let (root, titles) = (&self.root, self.titles());
        if titles.is_empty() {
            return fail("the grammar has no rules", self.end, "");
        }
        if self.productions.rule(root).is_some() {
            return Ok(());
        }
        let is_rule = |title: &&&str| !title.contains(char::is_uppercase);
        let near = nearest(root, titles.iter().copied()).or(titles.iter().find(is_rule).copied()).unwrap_or(titles[0]);
        let mut hint = format!("call a rule {root}, or pass {}=\"{near}\"", self.option);
        if titles.len() > 1 {
            hint = format!("{hint}; the rules are {}", listed(&titles));
        }
        fail(format!("there is no rule {root}"), self.end, hint)
    }

    /// The node of exactly the root's texts.
    pub(crate) fn lower_with(&mut self, builder: &mut Builder, others: &mut Others) -> Read<TermId> {
        let reached = self.check()?;
        let mut leaves = Vec::new();
        for node in reached.iter().flat_map(|&rule| self.productions.nodes(rule)) {
            if let BodyNode::Leaf(leaf) = *self.productions.node(node) {
                leaves.push((leaf, self.parts[leaf as usize].clone()));
            }
        }
        // What other notations say comes before any rule: they may ask whether it is empty.
        for (leaf, (part, at)) in &leaves {
            let node = match part {
                Part::Pattern(_) => continue,
                Part::Substring(chunks) => lower_substring(builder, chunks)?,
                Part::Free { without, ends } => lower_free(builder, without, ends)?,
                Part::Schema(_) | Part::Nested(_) => others(builder, part, *at)?,
            };
            self.productions.give(*leaf, node, false);
        }
        let mut known: FxHashMap<(&str, &str, Dialect), TermId> = FxHashMap::default();
        for (leaf, (part, at)) in &leaves {
            let Part::Pattern(regex) = part else { continue };
            let refused = |error: frisket_regex::Error| match error {
                frisket_regex::Error::Engine(error) => Failure::Engine(error),
                frisket_regex::Error::Limit(flaw) => Failure::Limit(of_flaw(flaw, regex, *at)),
                frisket_regex::Error::Syntax(flaw) | frisket_regex::Error::Irregular(flaw) => {
                    Failure::Unread(of_flaw(flaw, regex, *at))
                }
            };
            let pattern = regex.read.as_ref().map_err(|error| refused(error.clone()))?;
            let key = (&*regex.pattern, &*regex.flags, regex.dialect);
            let node = match known.get(&key) {
                Some(&node) => node,
                None => pattern.lower_part(builder).map_err(refused)?,
            };
            known.insert(key, node);
            self.productions.give(*leaf, node, pattern.tree().ends_in_name());
        }
        self.productions.lower(builder, &reached).map_err(|flaw| self.failure(flaw))
    }

    /// The failure of a flaw, with its place.
    fn failure(&self, flaw: Flaw) -> Failure {
        // Nodes that stand in no text are at 0, where no operator and no call can be.
        let of = |message: String, at: usize, hint: String| Fault {
            message,
            at: Some(at).filter(|&at| at > 0),
            hint: Some(hint.into()).filter(|hint: &std::borrow::Cow<str>| !hint.is_empty()),
        };
        let textless = |name: &str, why: &str, hint: &str| {
            let rule = self.productions.rule(name);
            let title = rule.map_or(name, |rule| self.productions.title(rule));
            let at = rule.map(|rule| self.places[rule as usize]);
            Fault { at, ..of(format!("the rule {title} matches nothing{why}"), 0, hint.into()) }
        };
        let irregular = "regular parts, and here a rule calls itself or names a token";
        match flaw {
            Flaw::Engine(error) => Failure::Engine(error),
            Flaw::Undefined(name, at) => {
                let near = nearest(&name, self.all().map(|rule| self.productions.name(rule)));
                let hint = match near.and_then(|near| self.productions.rule(near)) {
                    Some(rule) => format!("is it {}?", self.productions.title(rule)),
                    None => format!("the rules are {}", listed(&self.titles())),
                };
                Failure::Unread(of(format!("there is no rule {name}"), at as usize, hint))
            }
            Flaw::Textless(name, in_cycle, is_root) => {
                let fault = match in_cycle {
                    true => {
                        let why = ": each of its texts would hold another one";
                        textless(&name, why, "give it an alternative that ends")
                    }
                    false => textless(&name, "", "leave it out"),
                };
                if is_root {
                    Failure::Empty(fault)
                } else {
                    Failure::Unread(fault)
                }
            }
            Flaw::Excluded(name) => {
                Failure::Empty(textless(&name, "", "what is asked of its texts excludes all of them"))
            }
            Flaw::Irregular(at) => {
                Failure::Unread(of(format!("this is exact only of {irregular}"), at as usize, String::new()))
            }
            Flaw::IrregularException(at) => {
                let hint = "exclude characters or words, not whole constructs";
                Failure::Unread(of(format!("an exception is exact only between {irregular}"), at as usize, hint.into()))
            }
            Flaw::EmptyException(at) => {
                Failure::Unread(of("the exception leaves nothing".into(), at as usize, "exclude less".into()))
            }
        }
    }
}

/// The first ten names.
pub(super) fn listed(names: &[&str]) -> String {
    let more = names.len().saturating_sub(10);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    names[..names.len().min(10)].join(", ") + &more
}

/// The fault of a pattern that stands at a byte.
fn of_flaw(flaw: frisket_regex::Flaw, regex: &Regex, at: usize) -> Fault {
    // Only Rust's patterns are read as they are written.
    let before = flaw.at.filter(|_| regex.dialect == Dialect::Rust);
    let inside = before.map(|count| 1 + regex.pattern.chars().take(count).map(char::len_utf8).sum::<usize>());
    Fault { message: flaw.message, at: Some(at + inside.unwrap_or(0)), hint: flaw.hint }
}

/// The node of all runs of chunks that follow each other, the empty one too.
///
/// A run is a beginning of a rest of the chunks. Each rest is a chunk and the next rest, which shares its node.
fn lower_substring(builder: &mut Builder, chunks: &[String]) -> Read<TermId> {
    let mut rest = builder.literal(b"")?;
    let mut nodes = vec![rest.number()];
    for chunk in chunks.iter().rev() {
        let chunk = builder.literal(chunk.as_bytes())?;
        let longer = builder.cat(&[chunk.number(), rest.number()])?;
        rest = builder.repeat(longer.number(), 0, Some(1))?;
        nodes.push(rest.number());
    }
    Ok(builder.alt(&nodes)?)
}

/// The node of all texts without some strings in it, and without others at its end.
fn lower_free(builder: &mut Builder, without: &[String], ends: &[String]) -> Read<TermId> {
    let mut nodes = vec![builder.any_text()?.number()];
    let everything = builder.not(EMPTY.number())?.number();
    for (strings, is_inside) in [(without, true), (ends, false)] {
        if strings.is_empty() {
            continue;
        }
        let words = builder.words(strings.iter().map(|string| string.as_bytes().into()).collect())?.number();
        let found = [everything, words, everything];
        let found = builder.cat(&found[..2 + usize::from(is_inside)])?;
        nodes.push(builder.not(found.number())?.number());
    }
    Ok(builder.and(&nodes)?)
}

#[cfg(test)]
mod tests {
    use super::super::{rules_of, EbnfDialect, Notation, Options};
    use super::*;
    use frisket_core::automaton::recognizer::{Allowance, Recognizer};
    use frisket_regex::Syntax;

    fn failure(text: &str) -> Failure {
        let mut builder = Builder::default();
        let options =
            Options { notation: Notation::Ebnf(EbnfDialect::W3c), root: None, python: Syntax::new(Dialect::Python) };
        let rules = rules_of(&mut builder, text, &options);
        let lowered = rules.and_then(|mut rules| rules.lower_with(&mut builder, &mut |_, _, _| unreachable!()));
        lowered.unwrap_err()
    }

    fn fault(text: &str) -> (String, Option<usize>, String) {
        match failure(text) {
            Failure::Unread(fault) => (fault.message, fault.at, fault.hint.unwrap_or_default().into()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn flaws_have_a_place_and_advice() {
        let undefined = |hint: &str| ("there is no rule tow".to_owned(), Some(6), hint.to_owned());
        assert_eq!(fault("a ::= tow two ::= 'b'"), undefined("is it two?"));
        assert_eq!(fault("a ::= tow"), undefined("the rules are a"));
        assert_eq!(fault("a ::= 'x'? | b\nb ::= 'x' b").1, Some(15));
        assert_eq!(fault("a ::= 'x' - 'x'"), ("the exception leaves nothing".into(), Some(10), "exclude less".into()));
        assert_eq!(fault("a ::= 'x' a? - 'x'").1, Some(13));
        assert!(matches!(failure("a ::= a"), Failure::Empty(Fault { at: Some(0), .. })));
    }

    #[test]
    fn many_names_are_cut() {
        assert_eq!(listed(&["a", "b"]), "a, b");
        assert_eq!(listed(&["a"; 12]), "a, a, a, a, a, a, a, a, a, a and 2 more");
    }

    #[test]
    fn free_text_has_none_of_the_strings() {
        let mut builder = Builder::default();
        let (without, ends) = (["<a>".to_owned()], ["<".to_owned()]);
        let node = lower_free(&mut builder, &without, &ends).unwrap();
        let recognizer = Recognizer::new(builder.build(node.number()).unwrap());
        let accepts = |text: &str| recognizer.read(text.as_bytes(), &Allowance::default()).unwrap().is_sentence;
        assert_eq!(["", "a<a", "a<a>b", "a<"].map(accepts), [true, true, false, false]);
    }
}
