//! Text in a notation → productions, for the common kinds of grammars.
//!
//! Python's front ends (notations) read every grammar and explain each refusal, but take longer than all that follows.
//! Common parts of grammars are read here, to the same rules. Any other text, and any error, is left to Python.

pub mod blank;
pub mod gbnf;
pub mod lark;
pub mod pattern;

use frisket_core::error::Error;
use frisket_core::grammar::builder::Builder;
use frisket_core::production::{BodyNode, Flaw, Leaf, Productions};
use frisket_core::regular::term::{TermId, EMPTY};
use pattern::Pattern;

/// Rules, and the patterns in them by the numbers of their leaves.
#[derive(Default)]
pub struct Rules {
    pub productions: Productions,
    patterns: Vec<(u32, Pattern)>,
    /// By pattern: whether Python should read the grammar if one of its texts begins with white space. May be shorter.
    solid: Vec<bool>,
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

impl Rules {
    /// The node of the root; nothing if Python should read the grammar.
    fn lower(mut self, builder: &mut Builder, root: &str) -> Result<Option<TermId>, Box<Error>> {
        let Ok(Some(reached)) = self.productions.check(root) else { return Ok(None) };
        for (number, (leaf, pattern)) in self.patterns.iter().enumerate() {
            let node = pattern.lower(builder)?;
            if self.solid.get(number) == Some(&true) {
                for blank in blank::BLANKS {
                    if builder.after(node.number(), &[blank])? != EMPTY {
                        return Ok(None);
                    }
                }
            }
            self.productions.give(*leaf, node, pattern.ends_in_name());
        }
        match self.productions.lower(builder, &reached) {
            Ok(node) => Ok(Some(node)),
            Err(Flaw::Engine(error)) => Err(error),
            Err(_) => Ok(None),
        }
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

    /// The number of some decimal digits.
    fn number(&mut self) -> Option<u32> {
        self.take_while(|char| char.is_ascii_digit()).parse().ok()
    }

    /// The character that some hexadecimal digits say.
    fn hexadecimal(&mut self, length: usize) -> Option<char> {
        let digits =
            self.rest().get(..length).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        self.at += length;
        char::from_u32(u32::from_str_radix(digits, 16).ok()?)
    }
}
