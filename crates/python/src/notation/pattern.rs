//! Text of a pattern in a grammar → what it says, for the common kinds of patterns, as Rust's crate `regex` reads them.

use super::Range;
use crate::pattern::{asserts, node, normal, one_char, Dialect, Parser, Tree};
use frisket_core::error::Result;
use frisket_core::grammar::builder::Builder;
use frisket_core::regular::term::TermId;

/// Characters of ASCII that a class has of which names are made (`measure.py`).
const NAME_CHARS: std::ops::RangeInclusive<u32> = 20..=66;

/// A pattern that asserts nothing, as Rust's crate `regex` reads it.
pub struct Pattern(Tree);

impl Pattern {
    /// The pattern between slashes, with flags of `is`; nothing if Python should read it.
    pub fn rust(pattern: &str, flags: &str) -> Option<Self> {
        if flags.contains(|flag| !matches!(flag, 'i' | 's')) {
            return None;
        }
        let pattern: Vec<char> = pattern.chars().collect();
        let dialect = Dialect::Rust { any_case: flags.contains('i'), dot_all: flags.contains('s') };
        let mut parser = Parser { pattern: &pattern, at: 0, depth: 0, dialect };
        let tree = parser.alternatives()?;
        (parser.at == pattern.len() && !asserts(&tree)).then_some(Pattern(tree))
    }

    /// A text in any case; nothing if Python should read it.
    pub fn any_case(text: &str) -> Option<Self> {
        let mut items = Vec::new();
        for char in text.chars() {
            let cases = folded(vec![(char as u32, char as u32)])?;
            match items.last_mut() {
                Some(Tree::Text(text)) if cases.len() == 1 => text.push(char),
                _ if cases.len() == 1 => items.push(Tree::Text(vec![char])),
                _ => items.push(Tree::Chars(cases)),
            }
        }
        Some(Pattern(Tree::Seq(items)))
    }

    /// The node of the texts that match as a whole.
    pub fn lower(&self, builder: &mut Builder) -> Result<TermId> {
        node(builder, &self.0)
    }

    /// Whether the empty text matches.
    pub fn may_be_empty(&self) -> bool {
        may_be_empty(&self.0)
    }

    /// Whether a text may end with any number of characters that names are made of.
    pub fn ends_in_name(&self) -> bool {
        ends_in_name(&self.0)
    }
}

fn may_be_empty(tree: &Tree) -> bool {
    match tree {
        Tree::Text(_) | Tree::Chars(_) => false,
        Tree::Seq(items) => items.iter().all(may_be_empty),
        Tree::Alt(items) => items.iter().any(may_be_empty),
        Tree::Repeat { item, low, .. } => *low == 0 || may_be_empty(item),
        Tree::Start | Tree::End => true,
    }
}

fn ends_in_name(tree: &Tree) -> bool {
    match tree {
        Tree::Seq(items) => items.last().is_some_and(ends_in_name),
        Tree::Alt(items) => items.iter().any(ends_in_name),
        Tree::Repeat { item, high: None, .. } => one_char(item).is_some_and(|ranges| {
            let ascii = ranges.iter().filter(|range| range.0 < 0x80).map(|range| range.1.min(0x7f) - range.0 + 1);
            NAME_CHARS.contains(&ascii.sum())
        }),
        _ => false,
    }
}

/// The set with all cases of its letters, as Python folds them; nothing of a set that is not of ASCII.
pub fn folded(ranges: Vec<Range>) -> Option<Vec<Range>> {
    if ranges.last().is_some_and(|range| range.1 >= 0x80) {
        return None;
    }
    let mut all = ranges.clone();
    for letter in 'a'..='z' {
        let cases = [letter as u32, letter.to_ascii_uppercase() as u32];
        if cases.iter().any(|case| ranges.iter().any(|range| range.0 <= *case && *case <= range.1)) {
            all.extend(cases.map(|case| (case, case)));
            match letter {
                'k' => all.push((0x212a, 0x212a)),
                's' => all.push((0x17f, 0x17f)),
                'i' => all.push((0x130, 0x131)),
                _ => {}
            }
        }
    }
    Some(normal(all))
}
