//! Back-references → a tree without them: the union over the texts that a group may hold.
//!
//! A sequence in which a group comes before its references is a union over the texts of the group, each in place of the
//! group and of its references: `(a|b)\1` is `aa|bb`. Everything around the sequence stays as it is, so the sequence
//! may be repeated, and alternatives do not multiply each other.

use super::Parser;
use crate::char_set::CharSet;
use crate::error::{Error, Flaw, Result};
use crate::syntax::Dialect;
use crate::tree::Node;
use std::collections::BTreeSet;

/// The message for a reference that stays.
const NOT_REGULAR: &str = "a back-reference is not a regular language";
/// Most texts of a group.
const MOST_TEXTS: usize = 1_000;
/// Most parts of all sequences with texts in place of groups; most characters of the texts of a group.
const MOST_PARTS: usize = 100_000;

/// An expansion of references: the groups that they mean, and the parts that may still be made.
struct Expansion<'a> {
    pattern: &'a [char],
    targets: Vec<Option<usize>>,
    is_ecma: bool,
    left: usize,
}

impl Parser<'_> {
    /// The group that a reference names, counted from 0.
    pub(super) fn group_named(&self, name: &str) -> Option<usize> {
        let number = name.parse().ok().and_then(|number: usize| number.checked_sub(1));
        self.names.get(name).copied().or(number).filter(|&number| number < self.groups.len())
    }

    /// The group that a reference names, if it ends before the reference.
    fn closed_group(&self, name: &str, at: usize) -> Option<usize> {
        self.group_named(name).filter(|&number| self.groups[number] <= at)
    }

    /// The back-reference that begins here.
    pub(super) fn reference(&mut self) -> Result<Node> {
        let at = self.at;
        let (name, end) = if self.starts_with("(?P=") {
            let Some(close) = self.find(')') else { return self.fail("this group is never closed", at, None) };
            (self.text(at + 4, close), close + 1)
        } else if self.peek_at(at + 1) == Some('k') {
            let close = self.find('>').filter(|_| self.peek_at(at + 2) == Some('<'));
            let Some(close) = close else { return self.fail("\\k takes a name", at, None) };
            (self.text(at + 3, close), close + 1)
        } else {
            let end = (at + 1..self.end).find(|&at| !self.pattern[at].is_ascii_digit()).unwrap_or(self.end);
            (self.text(at + 1, end), end)
        };
        // A reference that ignores case may match other texts than its group did.
        self.refers_to_any_case |= self.flags.has('i');
        self.references.push((name, at));
        self.at = end;
        Ok(Node::Reference { index: self.references.len() - 1, at })
    }

    /// A group that begins here and can be referred to.
    pub(super) fn capture(&mut self, at: usize) -> Result<Node> {
        let number = self.groups.len();
        self.groups.push(usize::MAX);
        let item = self.enclosed(at)?;
        self.groups[number] = self.at;
        Ok(if self.may_refer { Node::Group { number, item: Box::new(item) } } else { item })
    }

    /// The tree without references. Errors: references that no regular language expresses.
    pub(super) fn expanded(&self, tree: Node) -> Result<Node> {
        let mut expansion = Expansion {
            pattern: self.pattern,
            targets: self.references.iter().map(|(name, at)| self.closed_group(name, *at)).collect(),
            is_ecma: self.is_ecma(),
            left: MOST_PARTS,
        };
        match self.references.first() {
            // Rust's crate `regex` has none.
            Some((_, at)) if self.syntax.dialect == Dialect::Rust => {
                let hint = "spell out the alternatives";
                Err(Error::Irregular(Flaw::of(self.pattern, NOT_REGULAR, *at, hint)))
            }
            Some((_, at)) if self.refers_to_any_case => expansion.refuse(*at),
            _ => expansion.expand(tree, false),
        }
    }
}

impl Expansion<'_> {
    /// The node without references. `is_ordered` says that the order of its matches counts, so that no text may be
    /// tried out of turn.
    fn expand(&mut self, node: Node, is_ordered: bool) -> Result<Node> {
        let is_ordered = is_ordered
            || match node {
                // ECMA-262 matches a lookbehind from its end on.
                Node::Look { ahead, .. } => !ahead && self.is_ecma,
                _ => false,
            };
        match node {
            Node::Reference { at, .. } => self.refuse(at),
            Node::Group { item, .. } => self.expand(*item, is_ordered),
            Node::Seq(mut items) => {
                while let Some((first, group)) = self.first_referred(&items) {
                    let Some((last, at)) = self.last_reference(&items, first) else { break };
                    let held = held(&items[first], group).filter(|_| !is_ordered).and_then(texts);
                    let Some(held) = held else { return self.refuse(at) };
                    let mut ways = Vec::with_capacity(held.len());
                    for text in &held {
                        let way = items[first..=last].iter().map(|item| self.with_text(item.clone(), group, text));
                        let way = way.collect::<Option<_>>().map_or_else(|| self.refuse(at), Ok)?;
                        ways.push(self.expand(Node::Seq(way), is_ordered)?);
                    }
                    // A group without texts never matches.
                    let union = if ways.is_empty() { Node::Chars(CharSet::none()) } else { Node::Alt(ways) };
                    items.splice(first..=last, [union]);
                }
                Node::Seq(items).with_parts(|item| self.expand(item, is_ordered))
            }
            _ => node.with_parts(|item| self.expand(item, is_ordered)),
        }
    }

    /// The first item with a group that a later item refers to, and the innermost such group in it.
    fn first_referred(&self, items: &[Node]) -> Option<(usize, usize)> {
        items.iter().enumerate().find_map(|(index, item)| {
            let mut groups = Vec::new();
            passed_groups(item, &mut groups);
            let is_referred = |&&group: &&usize| items[index + 1..].iter().any(|item| self.refers(item, &[group]));
            Some((index, *groups.iter().rfind(is_referred)?))
        })
    }

    /// The last item that refers to a group of the items from the first to itself, and the place of a reference.
    fn last_reference(&self, items: &[Node], first: usize) -> Option<(usize, usize)> {
        let mut last = first;
        loop {
            let mut groups = Vec::new();
            items[first..=last].iter().for_each(|item| all_groups(item, &mut groups));
            match items.iter().rposition(|item| self.refers(item, &groups)) {
                Some(further) if further > last => last = further,
                _ => break,
            }
        }
        let place = |node: &Node| place(node);
        items[first + 1..=last].iter().find_map(place).map(|at| (last, at))
    }

    fn refers(&self, node: &Node, groups: &[usize]) -> bool {
        node.has(&|node| match node {
            Node::Reference { index, .. } => self.targets[*index].is_some_and(|group| groups.contains(&group)),
            _ => false,
        })
    }

    /// The node with a text in place of a group and its references; None if that makes too many parts.
    fn with_text(&mut self, node: Node, group: usize, text: &str) -> Option<Node> {
        self.left = self.left.checked_sub(1)?;
        match node {
            Node::Group { number, .. } if number == group => Some(of_text(text)),
            Node::Reference { index, .. } if self.targets[index] == Some(group) => Some(of_text(text)),
            _ => node.with_parts(|part| self.with_text(part, group, text).ok_or(())).ok(),
        }
    }

    fn refuse<T>(&self, at: usize) -> Result<T> {
        let hint = "spell out the alternatives; or let its group come once, before it, with at most 1,000 texts";
        Err(Error::Irregular(Flaw::of(self.pattern, NOT_REGULAR, at, hint)))
    }
}

/// The groups that every match of the node passes once, outer ones first.
fn passed_groups(node: &Node, found: &mut Vec<usize>) {
    if let Node::Group { number, .. } = node {
        found.push(*number);
    }
    if matches!(node, Node::Group { .. } | Node::Seq(_)) {
        node.parts().iter().for_each(|part| passed_groups(part, found));
    }
}

fn all_groups(node: &Node, found: &mut Vec<usize>) {
    if let Node::Group { number, .. } = node {
        found.push(*number);
    }
    node.parts().iter().for_each(|part| all_groups(part, found));
}

/// The node inside a group.
fn held(node: &Node, group: usize) -> Option<&Node> {
    match node {
        Node::Group { number, item } if *number == group => Some(item),
        _ => node.parts().iter().find_map(|part| held(part, group)),
    }
}

fn place(node: &Node) -> Option<usize> {
    match node {
        Node::Reference { at, .. } => Some(*at),
        _ => node.parts().iter().find_map(place),
    }
}

fn of_text(text: &str) -> Node {
    match text {
        "" => Node::empty(),
        text => Node::Text(text.to_owned()),
    }
}

/// The texts of a tree, if they are few.
fn texts(node: &Node) -> Option<BTreeSet<String>> {
    match node {
        Node::Text(text) => Some([text.clone()].into()),
        Node::Chars(set) => {
            let count: u64 = set.ranges().iter().map(|range| u64::from(range.1 - range.0) + 1).sum();
            let points = || set.ranges().iter().flat_map(|range| range.0..=range.1);
            (count <= MOST_TEXTS as u64).then(|| points().filter_map(char::from_u32).map(String::from).collect())
        }
        Node::Group { item, .. } => texts(item),
        Node::Seq(items) => {
            items.iter().try_fold([String::new()].into(), |before, item| joined(&before, &texts(item)?))
        }
        Node::Alt(items) => {
            let mut found = BTreeSet::new();
            for item in items {
                found.append(&mut texts(item)?);
            }
            bounded(found)
        }
        Node::Repeat { item, low, high, .. } => {
            let item = texts(item)?;
            let mut last: BTreeSet<String> = [String::new()].into();
            let mut found = if *low == 0 { last.clone() } else { BTreeSet::new() };
            for count in 1..=(*high)? {
                let next = joined(&last, &item)?;
                if next == last {
                    return bounded(&found | &next);
                }
                last = next;
                if count >= *low {
                    found = bounded(&found | &last)?;
                }
            }
            Some(found)
        }
        _ => None,
    }
}

fn joined(left: &BTreeSet<String>, right: &BTreeSet<String>) -> Option<BTreeSet<String>> {
    if left.len() * right.len() > MOST_TEXTS {
        return None;
    }
    bounded(left.iter().flat_map(|left| right.iter().map(move |right| format!("{left}{right}"))).collect())
}

fn bounded(texts: BTreeSet<String>) -> Option<BTreeSet<String>> {
    (texts.len() <= MOST_TEXTS && texts.iter().map(String::len).sum::<usize>() <= MOST_PARTS).then_some(texts)
}
