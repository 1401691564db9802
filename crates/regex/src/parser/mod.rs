//! Text of a pattern → its tree: one parser, three dialects.
//!
//! Recursion follows the groups, whose depth is limited: a pattern of any length ends in a tree or in an error.

mod class;
mod escape;
mod group;
mod reference;

use crate::char_set::CharSet;
use crate::error::{Error, Flaw, Result};
use crate::syntax::{Dialect, Flags, Syntax};
use crate::tree::Node;
use crate::unicode::class::{ECMA_LINE_END, NEWLINE};
use crate::unicode::fold;
use frisket_core::limits::Watch;
use rustc_hash::FxHashSet;

/// The deepest nesting of groups. Each takes some kilobytes of the stack, here and in every later pass over the tree.
pub const DEEPEST: usize = 50;
/// The largest count of a quantifier.
pub const LARGEST_COUNT: u64 = (1 << 31) - 1;
/// Parts of a branch between two checks of flag and clock, some 100 µs.
const CHECKED: u32 = 1024;
/// Most characters of the counts in braces, braces and comma included.
const LONGEST_COUNTS: usize = 64;

/// Most characters of a pattern. A tree takes some 120 bytes a character.
const LONGEST: usize = 1_000_000;

/// The tree of a pattern. Errors: the first place that the dialect does not allow, or that is no regular language.
pub fn parse(pattern: &str, syntax: &Syntax) -> Result<Node> {
    parse_watched(pattern, syntax, &Watch::default())
}

/// As [`parse`]; a flag or the clock may end it. Errors: those of `parse`, cancellation, time.
pub fn parse_watched(pattern: &str, syntax: &Syntax, watch: &Watch) -> Result<Node> {
    let chars: Vec<char> = pattern.chars().collect();
    if chars.len() > LONGEST {
        let message = format!("the pattern has {} characters, and {LONGEST} are read at most", chars.len());
        return Err(Error::Limit(Flaw { message, at: None, hint: Some("write it as a grammar with rules".into()) }));
    }
    Parser::new(&chars, syntax, watch).whole()
}

/// Reads a pattern from left to right, under the flags that hold at each place.
struct Parser<'a> {
    pattern: &'a [char],
    syntax: &'a Syntax,
    flags: Flags,
    at: usize,
    /// The end of the part that is read: the `$` that ends a terminal is left out.
    end: usize,
    depth: usize,
    /// The last place at which flags for the whole pattern may stand.
    head: usize,
    /// How many capturing groups began so far.
    groups: usize,
    names: FxHashSet<String>,
    /// Name or number, and place, of each back-reference.
    references: Vec<(String, usize)>,
    watch: &'a Watch,
}

type Counts = (u64, Option<u64>);

impl<'a> Parser<'a> {
    fn new(pattern: &'a [char], syntax: &'a Syntax, watch: &'a Watch) -> Self {
        let (mut at, mut end) = (0, pattern.len());
        if syntax.dialect == Dialect::Rust {
            // A terminal matches as a whole, so `^` and `$` at its ends are left out.
            let slashes = pattern.iter().rev().skip(1).take_while(|char| **char == '\\').count();
            end -= usize::from(pattern.last() == Some(&'$') && slashes % 2 == 0);
            at = usize::from(pattern.first() == Some(&'^') && end > 0);
        }
        Parser {
            pattern,
            syntax,
            flags: syntax.flags,
            at,
            end,
            depth: 0,
            head: at,
            groups: 0,
            names: FxHashSet::default(),
            references: Vec::new(),
            watch,
        }
    }

    fn whole(&mut self) -> Result<Node> {
        let node = self.alternatives()?;
        if self.at < self.end {
            return self.fail("unbalanced )", self.at, None);
        }
        self.check_references()?;
        Ok(node)
    }

    fn fail<T>(&self, message: &str, at: usize, hint: impl Into<Option<&'static str>>) -> Result<T> {
        Err(Error::Syntax(Flaw::of(self.pattern, message, at, hint)))
    }

    fn is_ecma(&self) -> bool {
        self.syntax.is_ecma()
    }

    fn peek(&self) -> Option<char> {
        self.peek_at(self.at)
    }

    fn peek_at(&self, at: usize) -> Option<char> {
        if at < self.end {
            Some(self.pattern[at])
        } else {
            None
        }
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(index, char)| self.peek_at(self.at + index) == Some(char))
    }

    fn take(&mut self, text: &str) -> bool {
        let taken = self.starts_with(text);
        self.at += if taken { text.chars().count() } else { 0 };
        taken
    }

    /// The place of the next such character, from here on.
    fn find(&self, wanted: char) -> Option<usize> {
        (self.at..self.end).find(|&at| self.pattern[at] == wanted)
    }

    fn text(&self, from: usize, to: usize) -> String {
        self.pattern[from..to].iter().collect()
    }

    /// The set, with all cases of its letters if the flags say so.
    fn folded(&self, set: CharSet) -> CharSet {
        if !self.flags.has('i') {
            set
        } else if self.flags.has('a') {
            fold::ascii(&set)
        } else if self.is_ecma() || self.has_rust_classes() {
            fold::simple(&set)
        } else {
            fold::python(&set, self.syntax.unicode())
        }
    }

    // -- structure ----------------------------------------------------------------------------------------------------
    fn alternatives(&mut self) -> Result<Node> {
        let mut branches = vec![self.sequence()?];
        while self.take("|") {
            branches.push(self.sequence()?);
        }
        Ok(if branches.len() == 1 { branches.remove(0) } else { Node::Alt(branches) })
    }

    fn sequence(&mut self) -> Result<Node> {
        let mut items: Vec<Node> = Vec::new();
        let mut text = String::new();
        let mut parts = 0u32;
        while let Some(char) = self.peek() {
            parts += 1;
            if parts.is_multiple_of(CHECKED) {
                self.watch.check()?;
            }
            if matches!(char, '|' | ')') {
                break;
            }
            if matches!(char, '*' | '+' | '?' | '{') {
                if let Some(counts) = self.counts()? {
                    let item = match text.pop() {
                        Some(last) => {
                            end_text(&mut items, &mut text);
                            Node::Text(last.into())
                        }
                        None => match items.pop() {
                            Some(last) => last,
                            None => return self.fail("nothing to repeat", self.at, None),
                        },
                    };
                    items.push(self.quantified(item, counts)?);
                    continue;
                }
            }
            match self.atom(char)? {
                None => {}
                Some(Node::Chars(set)) => match set.single().and_then(char::from_u32) {
                    Some(char) => text.push(char),
                    None => {
                        end_text(&mut items, &mut text);
                        items.push(Node::Chars(set));
                    }
                },
                Some(node) => {
                    end_text(&mut items, &mut text);
                    items.push(node);
                }
            }
        }
        end_text(&mut items, &mut text);
        Ok(if items.len() == 1 { items.remove(0) } else { Node::Seq(items) })
    }

    /// The bounds of the quantifier that begins here; None for a brace that is an ordinary character.
    fn counts(&self) -> Result<Option<Counts>> {
        match self.peek() {
            Some('*') => return Ok(Some((0, None))),
            Some('+') => return Ok(Some((1, None))),
            Some('?') => return Ok(Some((0, Some(1)))),
            _ => {}
        }
        let longest = self.end.min(self.at + LONGEST_COUNTS);
        let close = (self.at..longest).find(|&at| self.pattern[at] == '}');
        let body = close.map_or(String::new(), |close| self.text(self.at + 1, close));
        let (low, high) = body.split_once(',').map_or((body.as_str(), None), |(low, high)| (low, Some(high)));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_open = low.is_empty() && (self.is_ecma() || high.is_none());
        if is_open || !is_number(low) || !is_number(high.unwrap_or_default()) {
            return if self.syntax.is_strict { self.fail("a lone brace", self.at, None) } else { Ok(None) };
        }
        // A number that does not fit has more digits than any limit.
        let number = |text: &str| text.parse().unwrap_or(if text.is_empty() { 0 } else { u64::MAX });
        let low_count = number(low);
        Ok(Some(match high {
            None => (low_count, Some(low_count)),
            Some("") => (low_count, None),
            Some(high) => (low_count, Some(number(high))),
        }))
    }

    fn quantified(&mut self, item: Node, (low, high): Counts) -> Result<Node> {
        let at = self.at;
        self.at = match self.pattern[at] {
            '{' => self.find('}').map_or(self.end, |close| close + 1),
            _ => at + 1,
        };
        if low.max(high.unwrap_or(0)) > LARGEST_COUNT {
            let message = format!("more than {LARGEST_COUNT} repetitions");
            return Err(Error::Limit(Flaw::of(self.pattern, &message, at, "leave the upper bound out")));
        }
        if let Some(high) = high.filter(|high| *high < low) {
            return self.fail(&format!("{{{low},{high}}}: the smaller count comes first"), at, None);
        }
        match &item {
            Node::Before { .. } | Node::After { .. } | Node::Boundary { .. } | Node::FinalNewline { .. } => {
                return self.fail("nothing to repeat: an assertion has no width", at, None);
            }
            Node::Look { .. } if self.syntax.is_strict => {
                return self.fail("nothing to repeat: an assertion has no width", at, None);
            }
            Node::Repeat { .. } => return self.fail("a quantifier after a quantifier", at, None),
            _ => {}
        }
        let is_lazy = self.take("?");
        if !is_lazy && !self.is_ecma() && self.starts_with("+") {
            return self.gives_nothing_back("a possessive quantifier", at);
        }
        if matches!(item, Node::Look { .. }) {
            // The result is no repetition, so a second quantifier is refused here.
            if self.peek().is_some_and(|char| "*+?{".contains(char)) && self.counts()?.is_some() {
                return self.fail("a quantifier after a quantifier", self.at, None);
            }
            return Ok(if low > 0 { item } else { Node::empty() });
        }
        // Both are at most `LARGEST_COUNT`.
        let (low, high) = (low as u32, high.map(|high| high as u32));
        Ok(Node::Repeat { item: Box::new(item), low, high, is_lazy, at })
    }

    /// Refuses a construct that keeps its first match: the texts of what follows depend on the order of the search.
    fn gives_nothing_back<T>(&self, construct: &str, at: usize) -> Result<T> {
        let hint = "use the ordinary group or quantifier, and say with (?!…) what may not follow it";
        Err(Error::Irregular(Flaw::of(
            self.pattern,
            &format!("{construct} depends on the order of a search"),
            at,
            hint,
        )))
    }

    /// The item that begins here; None for flags, comments and white space without a meaning.
    fn atom(&mut self, char: char) -> Result<Option<Node>> {
        let at = self.at;
        if self.flags.has('x') {
            if matches!(char, ' ' | '\t' | '\n' | '\r' | '\x0c' | '\x0b') {
                self.at += 1;
                return Ok(None);
            }
            if char == '#' {
                self.at = self.find('\n').map_or(self.end, |line| line + 1);
                return Ok(None);
            }
        }
        match char {
            '\\' => return self.escape().map(Some),
            '(' => return self.group(),
            _ => self.at += 1,
        }
        Ok(Some(match char {
            '[' => self.char_class()?,
            '.' if self.flags.has('s') => Node::Chars(CharSet::all()),
            '.' => Node::Chars(self.line_end().complement()),
            '^' => {
                let ranges = if self.flags.has('m') { self.line_end() } else { CharSet::none() };
                Node::Before { ranges, edge: true, at }
            }
            '$' if self.flags.has('m') => Node::After { ranges: self.line_end(), edge: true, at },
            '$' if self.syntax.dialect != Dialect::Python => Node::After { ranges: CharSet::none(), edge: true, at },
            '$' => Node::FinalNewline { at },
            ']' | '}' | '{' if self.syntax.is_strict => return self.fail(&format!("a lone {char}"), at, None),
            _ => self.char(char as u32),
        }))
    }

    fn line_end(&self) -> CharSet {
        CharSet::of(if self.is_ecma() { ECMA_LINE_END } else { NEWLINE })
    }

    fn char(&self, point: u32) -> Node {
        Node::Chars(self.folded(CharSet::one(point)))
    }
}

fn end_text(items: &mut Vec<Node>, text: &mut String) {
    if !text.is_empty() {
        items.push(Node::Text(std::mem::take(text)));
    }
}

#[cfg(test)]
mod tests;
