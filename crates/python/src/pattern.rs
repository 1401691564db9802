//! Text of a pattern → the regular node of its texts, for the common kinds of patterns, as ECMA-262 or Rust reads them.
//!
//! Python's front end (notations/regex) reads every pattern and explains each refusal, but takes as long as the rest of
//! a schema. Most patterns consist of characters, classes, groups and counts, with assertions at both ends only. These
//! are read here, to the same node. Any other pattern, and any error, is left to Python.

use crate::notation::pattern::folded;
use crate::notation::rust_class::rust_class;
use crate::notation::{Range, LAST};
use frisket_core::error::Result;
use frisket_core::grammar::builder::Builder;
use frisket_core::regular::term::TermId;

const DIGIT: &[Range] = &[(0x30, 0x39)];
const WORD: &[Range] = &[(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)];
const SPACE: &[Range] = &[
    (0x09, 0x0d),
    (0x20, 0x20),
    (0xa0, 0xa0),
    (0x1680, 0x1680),
    (0x2000, 0x200a),
    (0x2028, 0x2029),
    (0x202f, 0x202f),
    (0x205f, 0x205f),
    (0x3000, 0x3000),
    (0xfeff, 0xfeff),
];
const NEWLINE: &[Range] = &[(0x0a, 0x0a)];
const LINE_END: &[Range] = &[(0x0a, 0x0a), (0x0d, 0x0d), (0x2028, 0x2029)];
/// Groups in groups.
const DEEPEST: usize = 50;

/// Whose classes, escapes and braces are meant.
#[derive(Clone, Copy, PartialEq)]
pub enum Dialect {
    Ecma,
    Rust { any_case: bool, dot_all: bool },
}

/// What a pattern says (ast.py).
pub enum Tree {
    Text(Vec<char>),
    Chars(Vec<Range>),
    Seq(Vec<Tree>),
    Alt(Vec<Tree>),
    Repeat { item: Box<Tree>, low: u32, high: Option<u32>, grouped: bool },
    Start,
    End,
}

/// The node of the texts that match, as a whole or somewhere inside if `search`; nothing if Python should read it.
pub fn lower(builder: &mut Builder, pattern: &str, search: bool) -> Result<Option<TermId>> {
    let pattern: Vec<char> = pattern.chars().collect();
    let mut parser = Parser { pattern: &pattern, at: 0, depth: 0, dialect: Dialect::Ecma };
    match parser.alternatives() {
        Some(tree) if parser.at == pattern.len() => whole(builder, &tree, search),
        _ => Ok(None),
    }
}

// -- lowering -----------------------------------------------------------------------------------------------------
fn whole(builder: &mut Builder, tree: &Tree, search: bool) -> Result<Option<TermId>> {
    if !asserts(tree) {
        let node = node(builder, tree)?;
        if !search {
            return Ok(Some(node));
        }
        let any = builder.any_text()?;
        return builder.cat(&[any.number(), node.number(), any.number()]).map(Some);
    }
    let branches = if let Tree::Alt(items) = tree { items.as_slice() } else { std::slice::from_ref(tree) };
    let mut parts = Vec::with_capacity(branches.len());
    for branch in branches {
        let items = if let Tree::Seq(items) = branch { items.as_slice() } else { std::slice::from_ref(branch) };
        let start = items.iter().take_while(|item| matches!(item, Tree::Start)).count();
        let items = &items[start..];
        let end = items.iter().rev().take_while(|item| matches!(item, Tree::End)).count();
        let items = &items[..items.len() - end];
        if items.iter().any(asserts) {
            return Ok(None);
        }
        let mut nodes = Vec::with_capacity(items.len() + 2);
        if search && start == 0 {
            nodes.push(builder.any_text()?.number());
        }
        for item in items {
            nodes.push(node(builder, item)?.number());
        }
        if search && end == 0 {
            nodes.push(builder.any_text()?.number());
        }
        parts.push(builder.cat(&nodes)?);
    }
    match parts[..] {
        [part] => Ok(Some(part)),
        _ => builder.alt(&parts.iter().map(|part| part.number()).collect::<Vec<_>>()).map(Some),
    }
}

pub fn node(builder: &mut Builder, tree: &Tree) -> Result<TermId> {
    match tree {
        Tree::Text(text) => builder.literal(text.iter().collect::<String>().as_bytes()),
        Tree::Chars(ranges) => builder.char_class(ranges),
        Tree::Seq(items) => {
            let nodes = items.iter().map(|item| Ok(node(builder, item)?.number())).collect::<Result<Vec<_>>>()?;
            builder.cat(&nodes)
        }
        Tree::Alt(items) => {
            if let Some(ranges) = one_char(tree) {
                return builder.char_class(&ranges);
            }
            let text = |item: &Tree| match item {
                Tree::Text(text) => Some(text.iter().collect::<String>().into_bytes().into_boxed_slice()),
                _ => None,
            };
            if let Some(words) = items.iter().map(text).collect() {
                return builder.words(words);
            }
            let nodes = items.iter().map(|item| Ok(node(builder, item)?.number())).collect::<Result<Vec<_>>>()?;
            builder.alt(&nodes)
        }
        Tree::Repeat { item, low, high, .. } => {
            let item = node(builder, item)?;
            builder.repeat(item.number(), *low, *high)
        }
        // Never here: `whole` lowers what asserts nothing.
        Tree::Start | Tree::End => builder.cat(&[]),
    }
}

pub fn asserts(tree: &Tree) -> bool {
    match tree {
        Tree::Text(_) | Tree::Chars(_) => false,
        Tree::Seq(items) | Tree::Alt(items) => items.iter().any(asserts),
        Tree::Repeat { item, .. } => asserts(item),
        Tree::Start | Tree::End => true,
    }
}

/// The set of a tree whose every text is one character, if it is plainly so.
pub fn one_char(tree: &Tree) -> Option<Vec<Range>> {
    match tree {
        Tree::Chars(ranges) => Some(ranges.clone()),
        Tree::Text(text) if text.len() == 1 => Some(vec![(text[0] as u32, text[0] as u32)]),
        Tree::Seq(items) if items.len() == 1 => one_char(&items[0]),
        Tree::Alt(items) => {
            let sets: Option<Vec<Vec<Range>>> = items.iter().map(one_char).collect();
            Some(normal(sets?.concat()))
        }
        _ => None,
    }
}

/// Sorted, disjoint and not adjacent.
pub fn normal(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_unstable();
    ranges.dedup_by(|next, last| {
        let joined = next.0 <= last.1 + 1;
        if joined {
            last.1 = last.1.max(next.1);
        }
        joined
    });
    ranges
}

pub fn complement(ranges: &[Range]) -> Vec<Range> {
    let mut outside = Vec::with_capacity(ranges.len() + 1);
    let mut start = 0;
    for &(low, high) in ranges {
        if low > start {
            outside.push((start, low - 1));
        }
        start = high + 1;
    }
    if start <= LAST {
        outside.push((start, LAST));
    }
    outside
}

// -- parsing ------------------------------------------------------------------------------------------------------
/// Nothing is the answer of all its methods to what Python should read.
pub struct Parser<'a> {
    pub pattern: &'a [char],
    pub at: usize,
    pub depth: usize,
    pub dialect: Dialect,
}

impl Parser<'_> {
    fn is_rust(&self) -> bool {
        self.dialect != Dialect::Ecma
    }

    /// The set in all cases that the flags ask for.
    fn in_cases(&self, ranges: Vec<Range>) -> Option<Vec<Range>> {
        match self.dialect {
            Dialect::Rust { any_case: true, .. } => folded(ranges),
            _ => Some(ranges),
        }
    }

    fn peek(&self) -> Option<char> {
        self.pattern.get(self.at).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let taken = self.peek() == Some(wanted);
        self.at += usize::from(taken);
        taken
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    pub fn alternatives(&mut self) -> Option<Tree> {
        let mut branches = vec![self.sequence()?];
        while self.take('|') {
            branches.push(self.sequence()?);
        }
        Some(if branches.len() == 1 { branches.remove(0) } else { Tree::Alt(branches) })
    }

    fn sequence(&mut self) -> Option<Tree> {
        let mut items: Vec<Tree> = Vec::new();
        let mut text: Vec<char> = Vec::new();
        while let Some(char) = self.peek() {
            let item = match char {
                '|' | ')' => break,
                '*' | '+' | '?' | '{' => match self.counts()? {
                    Some((low, high)) => {
                        let item = match text.pop() {
                            Some(last) => Tree::Text(vec![last]),
                            None => items.pop()?,
                        };
                        if matches!(item, Tree::Start | Tree::End | Tree::Repeat { grouped: false, .. }) {
                            return None;
                        }
                        self.take('?'); // lazy or not, the texts are the same
                        Tree::Repeat { item: Box::new(item), low, high, grouped: false }
                    }
                    None => {
                        self.at += 1;
                        text.push(char);
                        continue;
                    }
                },
                '\\' | '(' | '[' | '.' | '^' | '$' => {
                    self.at += 1;
                    match self.atom(char)? {
                        Tree::Chars(ranges) if ranges.len() == 1 && ranges[0].0 == ranges[0].1 => {
                            text.push(char::from_u32(ranges[0].0)?);
                            continue;
                        }
                        item => item,
                    }
                }
                _ => {
                    self.at += 1;
                    let ranges = self.in_cases(vec![(char as u32, char as u32)])?;
                    if ranges.len() == 1 {
                        text.push(char);
                        continue;
                    }
                    Tree::Chars(ranges)
                }
            };
            if !text.is_empty() {
                items.push(Tree::Text(std::mem::take(&mut text)));
            }
            items.push(item);
        }
        if !text.is_empty() {
            items.push(Tree::Text(text));
        }
        Some(if items.len() == 1 { items.remove(0) } else { Tree::Seq(items) })
    }

    /// The bounds of the quantifier that begins here; an inner nothing for a brace that stands for itself.
    #[allow(clippy::type_complexity)]
    fn counts(&mut self) -> Option<Option<(u32, Option<u32>)>> {
        let counts = match self.peek()? {
            '*' => (0, None),
            '+' => (1, None),
            '?' => (0, Some(1)),
            _ => {
                let rest = &self.pattern[self.at + 1..];
                let length = rest.iter().take_while(|&&char| char.is_ascii_digit() || char == ',').count();
                let body: String = rest[..length].iter().collect();
                let (low, high) = body.split_once(',').unwrap_or((&body, &body));
                if rest.get(length) != Some(&'}') || low.is_empty() || high.contains(',') {
                    return (!self.is_rust()).then_some(None);
                }
                // What is written with so many digits has a limit of its own.
                if body.len() > 20 {
                    return None;
                }
                let number = |text: &str| text.parse::<u32>().ok().filter(|&count| count < 1 << 31);
                let high = if high.is_empty() { None } else { Some(number(high)?) };
                let low = number(low)?;
                if high.is_some_and(|high| high < low) {
                    return None;
                }
                self.at += body.len() + 1;
                (low, high)
            }
        };
        self.at += 1;
        Some(Some(counts))
    }

    fn atom(&mut self, char: char) -> Option<Tree> {
        match char {
            // At the edge of a terminal they say nothing, elsewhere they are for Python.
            '^' | '$' if self.is_rust() => None,
            '^' => Some(Tree::Start),
            '$' => Some(Tree::End),
            '.' => Some(Tree::Chars(match self.dialect {
                Dialect::Ecma => complement(LINE_END),
                Dialect::Rust { dot_all: true, .. } => vec![(0, LAST)],
                Dialect::Rust { .. } => complement(NEWLINE),
            })),
            '[' => self.class(),
            '(' => self.group(),
            _ => {
                let set = self.class_escape();
                Some(Tree::Chars(match set {
                    Some(ranges) => ranges,
                    None => {
                        let point = self.character(false)?;
                        self.in_cases(vec![(point, point)])?
                    }
                }))
            }
        }
    }

    fn group(&mut self) -> Option<Tree> {
        if self.take('?') && !self.take(':') {
            return None;
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut tree = self.alternatives()?;
        self.depth -= 1;
        if let Tree::Repeat { grouped, .. } = &mut tree {
            *grouped = true;
        }
        self.take(')').then_some(tree)
    }

    /// The set of `\d` and its like, after the backslash; nothing, and nothing taken, if it is none.
    fn class_escape(&mut self) -> Option<Vec<Range>> {
        let char = self.peek()?;
        let set = match char {
            'd' | 'w' | 's' | 'D' | 'W' | 'S' if self.is_rust() => rust_class(char.to_ascii_lowercase()),
            'd' | 'D' => DIGIT,
            'w' | 'W' => WORD,
            's' | 'S' => SPACE,
            _ => return None,
        };
        self.at += 1;
        Some(if char.is_uppercase() { complement(set) } else { set.to_vec() })
    }

    /// The character that an escape stands for, after the backslash.
    fn character(&mut self, in_class: bool) -> Option<u32> {
        match self.next()? {
            'n' => Some(10),
            'r' => Some(13),
            't' => Some(9),
            'f' => Some(12),
            'v' => Some(11),
            'b' if in_class && !self.is_rust() => Some(8),
            '0' if self.is_rust() => None,
            '0' if !self.peek().is_some_and(|char| char.is_ascii_digit()) => Some(0),
            'x' => self.hexadecimal(2),
            // Surrogates, alone or in pairs, are Python's.
            'u' if self.peek() != Some('{') => self.hexadecimal(4).filter(|point| char::from_u32(*point).is_some()),
            char if char.is_ascii_alphanumeric() || (self.is_rust() && !char.is_ascii()) => None,
            char => Some(char as u32),
        }
    }

    fn hexadecimal(&mut self, length: usize) -> Option<u32> {
        (0..length).try_fold(0, |number, _| Some(number * 16 + self.next()?.to_digit(16)?))
    }

    fn class(&mut self) -> Option<Tree> {
        let negative = self.take('^');
        if self.is_rust() && self.peek() == Some(']') {
            return None;
        }
        let mut ranges: Vec<Range> = Vec::new();
        while !self.take(']') {
            let low = self.member()?;
            let is_range = self.peek() == Some('-') && self.pattern.get(self.at + 1).is_some_and(|&char| char != ']');
            if is_range {
                self.at += 1;
                let high = self.member()?;
                // A range between sets is a sign of its own.
                let (&[(low, end)], &[(start, high)]) = (&low[..], &high[..]) else { return None };
                if low != end || start != high || high < low {
                    return None;
                }
                ranges.push((low, high));
            } else {
                ranges.extend(low);
            }
        }
        let ranges = self.in_cases(normal(ranges))?;
        Some(Tree::Chars(if negative { complement(&ranges) } else { ranges }))
    }

    fn member(&mut self) -> Option<Vec<Range>> {
        let char = self.next()?;
        match char {
            '\\' => match self.class_escape() {
                Some(set) => Some(set),
                None => self.character(true).map(|point| vec![(point, point)]),
            },
            '[' if self.is_rust() || self.peek() == Some(':') => None,
            '&' | '-' | '~' if self.is_rust() && self.peek() == Some(char) => None,
            _ => Some(vec![(char as u32, char as u32)]),
        }
    }
}
