//! Text in a notation → productions, for the common kinds of grammars.
//!
//! Notations that engines hand over as text are read here: GBNF as a whole, Lark's in its common parts. The Python package
//! reads a text again that is refused here: its readers (`frisket/notations`) know all of Lark and explain each refusal.

mod blank;
pub mod gbnf;
pub mod lark;
mod library;
mod pattern;

use frisket_core::error::Error;
use frisket_core::grammar::builder::Builder;
use frisket_core::production::{BodyNode, Flaw, Leaf, Productions};
use frisket_core::regular::term::{TermId, EMPTY};
use frisket_schema::compile::{embed, Prelude};
use frisket_schema::json::parse;
use pattern::Pattern;
use serde_json::value::RawValue;
use std::sync::Arc;

/// The reason why a text has no node.
#[derive(Debug)]
pub enum Failure {
    /// The builder failed: a limit, or a cancellation.
    Engine(Box<Error>),
    /// The text is no grammar in the notation, or beyond this reader.
    Unread(Fault),
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
    pub hint: Option<&'static str>,
}

impl Fault {
    fn new(message: impl Into<String>, at: impl Into<Option<usize>>, hint: impl Into<Option<&'static str>>) -> Self {
        Fault { message: message.into(), at: at.into(), hint: hint.into() }
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

impl From<Flaw> for Failure {
    fn from(flaw: Flaw) -> Self {
        let matches_nothing = |name: String| format!("the rule {name} matches nothing");
        let at = |at: u32| Some(at as usize).filter(|&at| at > 0);
        match flaw {
            Flaw::Engine(error) => Failure::Engine(error),
            Flaw::Undefined(name, place) => Failure::Unread(Fault::new(
                format!("there is no rule {name}"),
                at(place),
                "define it, or correct its name",
            )),
            Flaw::Textless(name, in_cycle, is_root) => {
                let (why, hint) = match in_cycle {
                    true => (": each of its texts would hold another one", "give it an alternative that ends"),
                    false => ("", "leave it out"),
                };
                let fault = Fault::new(matches_nothing(name) + why, None, hint);
                if is_root {
                    Failure::Empty(fault)
                } else {
                    Failure::Unread(fault)
                }
            }
            Flaw::Excluded(name) => Failure::Empty(Fault::new(
                matches_nothing(name),
                None,
                "what is asked of its texts excludes all of them",
            )),
            Flaw::Irregular(place) | Flaw::IrregularException(place) => {
                let message = "this is exact only of regular parts, and here a rule calls itself or names a token";
                Failure::Unread(Fault::new(message, at(place), None))
            }
            Flaw::EmptyException(place) => {
                Failure::Unread(Fault::new("the exception leaves nothing", at(place), "exclude less"))
            }
        }
    }
}

/// Rules, and the patterns in them by the numbers of their leaves.
#[derive(Default)]
struct Rules<'a> {
    productions: Productions,
    patterns: Vec<(u32, Pattern)>,
    /// By pattern: whether the grammar is beyond this reader if one of its texts begins with white space. May be shorter.
    solid: Vec<bool>,
    /// JSON Schemas by the numbers of their leaves.
    schemas: Vec<(u32, &'a str)>,
    /// The groups that are open, the body itself first.
    levels: Vec<Level>,
}

/// An open group, and what was read of it: complete alternatives, operands of `&`, and items of the alternative under way.
#[derive(Default)]
struct Level {
    bracket: char,
    alternatives: u32,
    conjuncts: u32,
    items: u32,
    /// Negations that wait for their operand.
    negations: u32,
    /// Whether the last item has no count yet.
    may_repeat: bool,
}

impl<'a> Rules<'a> {
    /// The node of the root. `prelude` is that of the schemas, of which the builder is a fork.
    fn lower(mut self, builder: &mut Builder, root: &str, prelude: Option<&Prelude>) -> Result<TermId, Failure> {
        let no_root =
            || Failure::Unread(Fault::new(format!("there is no rule {root}"), None, "name the rule to begin with"));
        let reached = self.productions.check(root)?.ok_or_else(no_root)?;
        for (number, (leaf, pattern)) in self.patterns.iter().enumerate() {
            let node = pattern.lower(builder)?;
            if self.solid.get(number) == Some(&true) {
                for blank in blank::BLANKS {
                    if builder.after(node.number(), &[blank])? != EMPTY {
                        let message = "a terminal begins with white space, which is ignored as well";
                        return Err(Failure::Unread(Fault::new(message, None, lark::BEYOND)));
                    }
                }
            }
            self.productions.give(*leaf, node, pattern.ends_in_name());
        }
        if let Some(prelude) = prelude {
            for &(leaf, schema) in &self.schemas {
                let tree = Arc::new(parse(schema)?);
                let (given_back, embedded) = embed(std::mem::take(builder), true, tree, None, prelude);
                *builder = given_back;
                self.productions.give(leaf, embedded?.root, false);
            }
        }
        Ok(self.productions.lower(builder, &reached)?)
    }

    fn level(&mut self) -> Option<&mut Level> {
        self.levels.last_mut()
    }

    fn leaf(&mut self, node: BodyNode) {
        self.productions.add(node, 0);
    }

    fn pattern(&mut self, pattern: Pattern) {
        let leaf = Leaf { is_regular: true, may_be_empty: pattern.may_be_empty(), ends_in_name: false, node: None };
        let leaf = self.productions.leaf(leaf);
        self.patterns.push((leaf, pattern));
    }

    fn schema(&mut self, schema: &'a str) {
        let leaf = Leaf { is_regular: false, may_be_empty: false, ends_in_name: false, node: None };
        let leaf = self.productions.leaf(leaf);
        self.schemas.push((leaf, schema));
    }

    /// The node that was added last is an item.
    fn item(&mut self) -> Option<()> {
        let level = self.levels.last_mut()?;
        for _ in 0..std::mem::take(&mut level.negations) {
            self.productions.add(BodyNode::Complement(0), 1);
        }
        level.items += 1;
        level.may_repeat = true;
        Some(())
    }

    fn repeat(&mut self, low: u32, high: Option<u32>) -> Option<()> {
        let level = self.levels.last_mut()?;
        self.productions.add(BodyNode::Repeat(low, high), 1);
        level.may_repeat = false;
        (level.items > 0).then_some(())
    }

    fn open(&mut self, bracket: char) {
        self.levels.push(Level { bracket, ..Level::default() });
    }

    /// Ends the operand of `&` under way; nothing if an operand is missing.
    fn conjoin(&mut self) -> Option<()> {
        let level = self.levels.last_mut()?;
        if level.items == 0 || level.negations > 0 {
            return None;
        }
        (level.conjuncts, level.may_repeat) = (level.conjuncts + 1, false);
        let items = std::mem::take(&mut level.items);
        self.join(BodyNode::Seq, items);
        Some(())
    }

    fn end_alternative(&mut self) -> Option<()> {
        let level = self.levels.last_mut()?;
        let (items, conjuncts) = (std::mem::take(&mut level.items), std::mem::take(&mut level.conjuncts));
        if level.negations > 0 || (conjuncts > 0 && items == 0) {
            return None;
        }
        (level.alternatives, level.may_repeat) = (level.alternatives + 1, false);
        self.join(BodyNode::Seq, items);
        if conjuncts > 0 {
            self.productions.add(BodyNode::Both(0), conjuncts + 1);
        }
        Some(())
    }

    /// Ends the innermost group, which is now one node.
    fn close(&mut self) -> Option<()> {
        self.end_alternative()?;
        let level = self.levels.pop()?;
        self.join(BodyNode::Alt, level.alternatives);
        Some(())
    }

    /// The last nodes as one; a single one stays as it is.
    fn join(&mut self, node: BodyNode, count: u32) {
        if count != 1 {
            self.productions.add(node, count);
        }
    }
}

/// A place in a text.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += char.len_utf8();
        Some(char)
    }

    fn take(&mut self, wanted: &str) -> bool {
        let taken = self.rest().starts_with(wanted);
        self.at += if taken { wanted.len() } else { 0 };
        taken
    }

    /// The text up to the first character that is not wanted, which may be empty.
    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|char| !wanted(char)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// Skips the rest of a line.
    fn skip_line(&mut self) {
        self.take_while(|char| !matches!(char, '\r' | '\n'));
    }

    /// The JSON value that comes next, as it is written.
    fn json(&mut self) -> Option<&'a str> {
        let mut values = serde_json::Deserializer::from_str(self.rest()).into_iter::<&RawValue>();
        let value = values.next()?.ok()?;
        self.at += values.byte_offset();
        Some(value.get())
    }

    /// The number of some decimal digits.
    fn number(&mut self) -> Option<u32> {
        self.take_while(|char| char.is_ascii_digit()).parse().ok()
    }

    /// The character of `length` hexadecimal digits.
    fn hexadecimal(&mut self, length: usize) -> Option<char> {
        let digits =
            self.rest().get(..length).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        self.at += length;
        char::from_u32(u32::from_str_radix(digits, 16).ok()?)
    }
}
