//! Back-references → one tree for each text that their groups may hold.
//!
//! A group that every match passes once, before its references, holds one text. The pattern then is the union, over the
//! texts of the group, of the pattern with that text in place of the group and of its references.

use super::Parser;
use crate::char_set::CharSet;
use crate::error::Result;
use crate::syntax::Dialect;
use crate::tree::Node;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Texts that the groups of all references may hold, in all combinations.
const MOST_TEXTS: usize = 1_000;
/// Characters of these texts, and of the patterns that are read with them.
const MOST_CHARS: usize = 500_000;

/// A capturing group.
#[derive(Default)]
pub(super) struct Group {
    /// The branches of alternatives around it, the outermost first.
    pub branches: Vec<u32>,
    /// How many groups had begun when it ended.
    pub last: usize,
    /// Its end; None while it is open.
    pub close: Option<usize>,
    /// Whether a match may pass it more than once, or not at all.
    pub is_repeated: bool,
    /// What it holds, if that was wanted.
    pub node: Option<Node>,
}

/// A back-reference.
pub(super) struct Reference {
    /// The group's name or number.
    pub name: String,
    pub at: usize,
    /// The branches of alternatives around it, the outermost first.
    pub branches: Vec<u32>,
}

impl Parser<'_> {
    /// The group that a reference names, counted from 0.
    pub(super) fn group_named(&self, name: &str) -> Option<usize> {
        let number = name.parse().ok().and_then(|number: usize| number.checked_sub(1));
        self.names.get(name).copied().or(number).filter(|&number| number < self.groups.len())
    }

    /// The back-reference that begins here; any node that may be repeated does where its text is not known.
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
        if !self.syntax.is_strict && (self.syntax.dialect == Dialect::Rust || self.flags.has('i')) {
            return self.irregular(at);
        }
        let text = self.group_named(&name).and_then(|group| self.texts.get(&group));
        let node = text.map_or(Node::Chars(CharSet::all()), |text| of_text(text));
        self.references.push(Reference { name, at, branches: self.branches.clone() });
        self.at = end;
        Ok(node)
    }

    /// A group that begins here and can be referred to.
    pub(super) fn capture(&mut self, at: usize) -> Result<Node> {
        let number = self.groups.len();
        self.groups.push(Group { branches: self.branches.clone(), ..Group::default() });
        let node = self.enclosed(at)?;
        let last = self.groups.len();
        let group = &mut self.groups[number];
        (group.last, group.close) = (last, Some(self.at));
        group.node = self.wanted.contains(&number).then(|| node.clone());
        Ok(self.texts.get(&number).map_or(node, |text| of_text(text)))
    }

    /// A match may pass the groups from this one on more than once, or not at all.
    pub(super) fn repeat_groups(&mut self, first: usize) {
        self.groups[first..].iter_mut().for_each(|group| group.is_repeated = true);
    }

    /// The tree of the pattern that was read, if it has references. Errors: references that no regular language says.
    pub(super) fn expanded(&self) -> Result<Node> {
        let mut groups = BTreeSet::new();
        for reference in &self.references {
            groups.insert(self.only_group(reference).map_or_else(|| self.irregular(reference.at), Ok)?);
        }
        let last = &self.references[self.references.len() - 1];
        let inside = |outer: usize, inner: usize| outer < inner && inner < self.groups[outer].last;
        if groups.iter().any(|&outer| groups.iter().any(|&inner| inside(outer, inner))) {
            return self.irregular(last.at);
        }
        let mut reader = Parser::new(self.pattern, self.syntax, self.watch);
        reader.wanted.clone_from(&groups);
        reader.whole()?;
        let mut combinations: Vec<FxHashMap<usize, String>> = vec![FxHashMap::default()];
        for &group in &groups {
            let held = reader.groups[group].node.as_ref().and_then(texts);
            let Some(held) = held.filter(|held| self.are_few(held.len() * combinations.len())) else {
                return self.irregular(last.at);
            };
            let with = |known: &FxHashMap<usize, String>, text: &String| {
                known.iter().map(|(&group, text)| (group, text.clone())).chain([(group, text.clone())]).collect()
            };
            combinations = combinations.iter().flat_map(|known| held.iter().map(|text| with(known, text))).collect();
        }
        let tree = |texts| {
            let mut parser = Parser::new(self.pattern, self.syntax, self.watch);
            parser.texts = texts;
            parser.whole()
        };
        combinations.into_iter().map(tree).collect::<Result<Vec<_>>>().map(Node::Alt)
    }

    fn are_few(&self, combinations: usize) -> bool {
        combinations <= MOST_TEXTS && combinations * self.pattern.len() <= MOST_CHARS
    }

    /// The group of a reference, if every match that comes to the reference passed the group once.
    fn only_group(&self, reference: &Reference) -> Option<usize> {
        let number = self.group_named(&reference.name)?;
        let group = &self.groups[number];
        let mut around = group.branches.iter().filter(|branch| self.choices.contains(branch));
        let is_passed = around.all(|branch| reference.branches.contains(branch));
        (is_passed && !group.is_repeated && group.close? <= reference.at).then_some(number)
    }

    fn irregular<T>(&self, at: usize) -> Result<T> {
        let hint = "spell out the alternatives; or let its group come once, before it, with at most 1,000 texts";
        self.fail("a back-reference is not a regular language", at, hint)
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
    (texts.len() <= MOST_TEXTS && texts.iter().map(String::len).sum::<usize>() <= MOST_CHARS).then_some(texts)
}
