//! Tree → the lengths of its texts, in characters, and the characters that they end with.

use crate::char_set::CharSet;
use crate::tree::Node;

/// Lengths and ends of the texts of a tree: exact without assertions. With them, `low` is a lower bound and the others
/// are upper bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measure {
    /// The least length.
    pub low: u64,
    /// The greatest length; None is no limit.
    pub high: Option<u64>,
    /// The characters that texts end with.
    pub last: CharSet,
}

/// ASCII characters of a class that names are made of. A class of digits has fewer, one of strings or comments more.
const NAME_CHARS: std::ops::RangeInclusive<u32> = 20..=66;

impl Measure {
    /// The measure of the empty text alone.
    pub(crate) fn empty() -> Self {
        Measure { low: 0, high: Some(0), last: CharSet::none() }
    }

    /// The measure of texts one after the other.
    pub(crate) fn concatenation(parts: &[Measure]) -> Self {
        let low = parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.low));
        let high = parts.iter().try_fold(0u64, |sum, part| sum.checked_add(part.high?));
        // All parts behind the last one that is never empty may be empty.
        let solid = parts.iter().rposition(|part| part.low > 0).unwrap_or(0);
        let last = CharSet::union_of(parts[solid..].iter().map(|part| &part.last));
        Measure { low, high, last }
    }

    /// The measure of texts of any one of several parts.
    pub(crate) fn union(parts: &[Measure]) -> Self {
        Measure {
            low: parts.iter().map(|part| part.low).min().unwrap_or(0),
            high: parts.iter().try_fold(0, |most: u64, part| Some(most.max(part.high?))),
            last: CharSet::union_of(parts.iter().map(|part| &part.last)),
        }
    }

    /// The measure of `low` to `high` texts in a row.
    pub(crate) fn repeated(self, low: u32, high: Option<u32>) -> Self {
        let most = match (self.high, high) {
            (Some(0), _) => Some(0),
            (Some(length), Some(count)) => length.checked_mul(count.into()),
            _ => None,
        };
        Measure { low: self.low.saturating_mul(low.into()), high: most, ..self }
    }
}

impl Node {
    /// The lengths and ends of the tree's texts.
    pub fn measure(&self) -> Measure {
        match self {
            Node::Text(text) => {
                let count = text.chars().count() as u64;
                let last = text.chars().next_back().map_or(CharSet::none(), |char| CharSet::one(char as u32));
                Measure { low: count, high: Some(count), last }
            }
            Node::Chars(set) => Measure { low: 1, high: Some(1), last: set.clone() },
            Node::Seq(items) => Measure::concatenation(&items.iter().map(Node::measure).collect::<Vec<_>>()),
            Node::Alt(items) => Measure::union(&items.iter().map(Node::measure).collect::<Vec<_>>()),
            Node::Repeat { high: Some(0), .. } => Measure::empty(),
            Node::Repeat { item, low, high, .. } => item.measure().repeated(*low, *high),
            _ => Measure::empty(),
        }
    }

    /// Whether the empty text may match: whether the least length is 0.
    pub fn may_be_empty(&self) -> bool {
        self.measure().low == 0
    }

    /// Whether it is an assertion, which holds no character.
    pub(crate) fn is_assertion(&self) -> bool {
        matches!(self, Node::Before { .. } | Node::After { .. } | Node::Boundary { .. } | Node::Look { .. })
            || matches!(self, Node::FinalNewline { .. })
    }

    /// Whether the tree holds an assertion.
    pub fn asserts(&self) -> bool {
        self.has(&Node::is_assertion)
    }

    /// Whether a text may end with any number of characters that names are made of.
    pub fn ends_in_name(&self) -> bool {
        match self {
            Node::Seq(items) => items.last().is_some_and(Node::ends_in_name),
            Node::Alt(items) => items.iter().any(Node::ends_in_name),
            Node::Repeat { item, high: None, .. } => item.one_char().is_some_and(|set| {
                let ascii = set.intersection(&CharSet::of(&[(0, 0x7f)]));
                NAME_CHARS.contains(&ascii.ranges().iter().map(|range| range.1 - range.0 + 1).sum())
            }),
            _ => false,
        }
    }

    /// The set of characters of a tree whose every text is one character; None for other trees, and some such ones.
    pub(crate) fn one_char(&self) -> Option<CharSet> {
        match self {
            Node::Chars(set) => Some(set.clone()),
            Node::Text(text) => {
                let mut chars = text.chars();
                let first = chars.next()?;
                chars.next().is_none().then(|| CharSet::one(first as u32))
            }
            Node::Seq(items) if items.len() == 1 => items[0].one_char(),
            Node::Alt(items) => {
                let sets = items.iter().map(Node::one_char).collect::<Option<Vec<_>>>()?;
                Some(CharSet::union_of(&sets))
            }
            _ => None,
        }
    }

    /// The place of the first assertion of a tree, as far as one is found.
    pub(crate) fn place(&self) -> usize {
        match self {
            Node::Before { at, .. }
            | Node::After { at, .. }
            | Node::Boundary { at, .. }
            | Node::Look { at, .. }
            | Node::FinalNewline { at } => *at,
            _ => self.parts().iter().find(|part| part.asserts()).map_or(0, Node::place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::parse;
    use crate::syntax::{Dialect, Syntax};

    fn tree(pattern: &str) -> Node {
        parse(pattern, &Syntax::new(Dialect::Python)).unwrap()
    }

    #[test]
    fn lengths_add_up_and_multiply() {
        let cases = [
            ("", 0, Some(0)),
            ("abc", 3, Some(3)),
            ("a|bcd", 1, Some(3)),
            ("a*", 0, None),
            ("(?:ab){2,3}c?", 4, Some(7)),
            ("(?:){2,}", 0, Some(0)),
            ("(?:a*){0}", 0, Some(0)),
            ("(?:a{2147483647}){2147483647}", 2147483647 * 2147483647, Some(2147483647 * 2147483647)),
            ("(?:(?:a{2147483647}){2147483647}){2147483647}", u64::MAX, None),
            ("^a$", 1, Some(1)),
        ];
        for (pattern, low, high) in cases {
            let tree = tree(pattern);
            let measure = tree.measure();
            assert_eq!((measure.low, measure.high), (low, high), "{pattern}");
            assert_eq!(tree.may_be_empty(), low == 0, "{pattern}");
        }
    }

    #[test]
    fn ends_reach_through_what_may_be_empty() {
        for (pattern, last) in [("a?bc*", "bc"), ("a|b", "ab"), ("a*", "a"), ("(?:a?b?)c", "c"), ("ab?c?", "abc")] {
            let set = CharSet::new(last.chars().map(|char| (char as u32, char as u32)).collect());
            assert_eq!(tree(pattern).measure().last, set, "{pattern}");
        }
    }

    #[test]
    fn a_name_ends_in_letters() {
        for (pattern, ends) in
            [("[a-z]+", true), ("x[a-z_]*", true), ("[0-9]+", false), ("[^\"]*", false), ("[a-z]", false)]
        {
            assert_eq!(tree(pattern).ends_in_name(), ends, "{pattern}");
        }
        assert!(tree("a|(?:b)|[c]").one_char().is_some() && tree("a|bc").one_char().is_none());
        assert_eq!((tree("ab^").place(), tree("(?:ab|c(?=d))").place(), tree("ab").place()), (2, 7, 0));
    }
}
