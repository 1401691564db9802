//! Tree with atomic groups → an equivalent tree without them, or a refusal.
//!
//! An atomic group keeps the first match that it finds. Of alternatives, it keeps the first that matches: `(?>a|ab)` is
//! `a`, and `(?>ab|a)` is `ab|a(?!b)`. A greedy loop ends where its item does not match again, a lazy one after its
//! least count. A group whose beginning can match in several ways is refused.

use crate::char_set::CharSet;
use crate::error::{Error, Flaw, Result};
use crate::tree::Node;

/// Most parts that are copied into lookaheads: groups in groups would copy them again and again.
const MOST_COPIED: usize = 20_000;

/// The characters that the text after a node may begin with; None if unknown.
type Follow = Option<CharSet>;

/// An equivalent tree without `Atomic`. Errors: an atomic part whose first match would take too large a lookahead.
pub(crate) fn release(node: Node) -> Result<Node> {
    if node.has(&|node| matches!(node, Node::Atomic { .. })) {
        Release { left: MOST_COPIED, at: 0 }.release(node, Some(CharSet::none()))
    } else {
        Ok(node)
    }
}

struct Release {
    /// Parts that may still be copied.
    left: usize,
    /// The place of the atomic part that is being released.
    at: usize,
}

impl Release {
    fn release(&mut self, node: Node, mut follow: Follow) -> Result<Node> {
        match node {
            Node::Seq(mut items) => {
                for item in items.iter_mut().rev() {
                    let next = followed(item, follow.clone());
                    *item = self.release(std::mem::replace(item, Node::empty()), follow)?;
                    follow = next;
                }
                Ok(Node::Seq(items))
            }
            Node::Atomic { item, at, .. } => {
                let outer = std::mem::replace(&mut self.at, at);
                let item = self.commit(*item, follow)?;
                self.at = outer;
                Ok(item)
            }
            Node::Repeat { ref item, high, .. } => {
                if high != Some(1) {
                    let again = followed(item, follow.clone());
                    follow = again.zip(follow).map(|(again, follow)| again.union(&follow));
                }
                node.with_parts(|item| self.release(item, follow.clone()))
            }
            // Nothing follows the item of a lookahead, any text that of a lookbehind.
            Node::Look { ahead, .. } => node.with_parts(|item| self.release(item, ahead.then(CharSet::none))),
            _ => node.with_parts(|item| self.release(item, follow.clone())),
        }
    }

    /// A node for the first match of the given one alone, without atomic parts.
    fn commit(&mut self, node: Node, follow: Follow) -> Result<Node> {
        match node {
            Node::Seq(mut items) => {
                let Some(last) = items.pop() else { return Ok(Node::empty()) };
                if !items.iter().enumerate().all(|(index, item)| is_settled(item, &items[index + 1..], &last)) {
                    return self.refuse();
                }
                let before = self.release(Node::Seq(items), followed(&last, follow.clone()))?;
                Ok(Node::Seq(vec![before, self.commit(last, follow)?]))
            }
            Node::Alt(items) if Node::Alt(items.clone()).one_char().is_none() => self.first_of(items, follow),
            Node::Repeat { item, low, is_lazy: true, at, .. } => {
                self.commit(Node::Repeat { item, low, high: Some(low), is_lazy: false, at }, follow)
            }
            Node::Repeat { high: Some(0), .. } => Ok(Node::empty()),
            Node::Repeat { ref item, low, high, .. }
                if has_one_way(item) && (Some(low) == high || item.measure().low > 0) =>
            {
                let is_open = Some(low) != high && !is_disjoint(item, &follow);
                let item = item.clone();
                match high {
                    _ if !is_open => self.release(node, follow),
                    None => Ok(Node::Seq(vec![self.release(node, None)?, self.unless(vec![*item])?])),
                    Some(high) => {
                        let item = Box::new(self.release(*item, None)?);
                        let rounds = |low, high| Node::Repeat {
                            item: item.clone(),
                            low,
                            high: Some(high),
                            is_lazy: false,
                            at: self.at,
                        };
                        let (full, fewer) = (rounds(high, high), rounds(low, high - 1));
                        Ok(Node::Alt(vec![full, Node::Seq(vec![fewer, self.unless(vec![*item])?])]))
                    }
                }
            }
            Node::Repeat { item, low: 1, high: Some(1), .. } => self.commit(*item, follow),
            Node::Repeat { item, low: 0, high: Some(1), .. } => self.first_of(vec![*item, Node::empty()], follow),
            Node::Repeat { .. } => self.refuse(),
            Node::Atomic { item, .. } => self.commit(*item, follow),
            _ => self.release(node, follow),
        }
    }

    /// A node for the first match of the first alternative that matches.
    fn first_of(&mut self, items: Vec<Node>, follow: Follow) -> Result<Node> {
        let mut ways = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let rivals: Vec<Node> = items[..index].iter().filter(|other| !are_apart(other, item)).cloned().collect();
            let mut way = self.commit(item.clone(), follow.clone())?;
            if !rivals.is_empty() {
                way = Node::Seq(vec![self.unless(rivals)?, way]);
            }
            ways.push(way);
            if item.may_be_empty() && !item.asserts() {
                break;
            }
        }
        Ok(Node::Alt(ways))
    }

    /// A lookahead that holds where none of these matches.
    fn unless(&mut self, items: Vec<Node>) -> Result<Node> {
        let Some(left) = self.left.checked_sub(items.iter().map(size).sum()) else { return self.refuse() };
        self.left = left;
        let item = Box::new(self.release(Node::Alt(items), Some(CharSet::none()))?);
        Ok(Node::Look { item, ahead: true, negative: true, at: self.at })
    }

    fn refuse<T>(&self) -> Result<T> {
        Err(Error::Irregular(Flaw::at(
            "an atomic group or possessive quantifier that changes what can match",
            self.at,
            "use the ordinary group or quantifier",
        )))
    }
}

fn followed(item: &Node, follow: Follow) -> Follow {
    if item.is_end() {
        return Some(CharSet::none());
    }
    if item.asserts() {
        return None;
    }
    let measure = item.measure();
    if measure.low > 0 {
        return Some(measure.first);
    }
    follow.map(|follow| follow.union(&measure.first))
}

/// Whether an item of a sequence can match in one way only before the rest matches, which is never empty.
fn is_settled(item: &Node, rest: &[Node], last: &Node) -> bool {
    let follow =
        || rest.iter().rev().fold(followed(last, Some(CharSet::none())), |follow, item| followed(item, follow));
    let is_solid = || rest.iter().chain([last]).any(|item| item.measure().low > 0);
    has_one_way(item) || matches!(item, Node::Repeat { item, .. } if is_solid() && is_disjoint(item, &follow()))
}

/// Whether the node can match in at most one way at a place, whatever follows.
fn has_one_way(node: &Node) -> bool {
    match node {
        Node::Seq(items) => match items.split_last() {
            Some((last, items)) => {
                has_one_way(last)
                    && items.iter().enumerate().all(|(index, item)| is_settled(item, &items[index + 1..], last))
            }
            None => true,
        },
        Node::Alt(items) => {
            node.one_char().is_some()
                || items
                    .iter()
                    .enumerate()
                    .all(|(index, item)| has_one_way(item) && items[..index].iter().all(|other| are_apart(other, item)))
        }
        Node::Repeat { item, low, high, .. } => Some(*low) == *high && has_one_way(item),
        _ => true,
    }
}

/// Whether the text after a loop cannot begin with a character that begins the loop's item.
fn is_disjoint(item: &Node, follow: &Follow) -> bool {
    let measure = item.measure();
    let is_apart = follow.as_ref().is_some_and(|follow| measure.first.is_disjoint(follow));
    is_apart && measure.low > 0 && has_one_way(item)
}

/// Whether no text begins with texts of both nodes.
fn are_apart(one: &Node, other: &Node) -> bool {
    let (one, other) = (one.measure(), other.measure());
    one.low > 0 && other.low > 0 && one.first.is_disjoint(&other.first)
}

fn size(node: &Node) -> usize {
    1 + node.parts().iter().map(size).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::parse;
    use crate::syntax::{Dialect, Syntax};

    fn released(pattern: &str) -> Result<Node> {
        release(parse(pattern, &Syntax::new(Dialect::Python)).unwrap())
    }

    #[test]
    fn what_cannot_give_back_anything_of_use_becomes_the_ordinary_group() {
        for pattern in
            ["a*+b", "(?>a+)b", "(?>abc)", "(?>a{3})a", r"[a-c]++\Z", "(?:a++b)*", "x(?>[ab])y", "a*+", "a?+b?"]
        {
            let tree = released(pattern).unwrap();
            assert!(!tree.has(&|node| matches!(node, Node::Atomic { .. } | Node::Look { .. })), "{pattern}");
        }
    }

    #[test]
    fn what_can_becomes_a_lookahead() {
        for (pattern, same) in [
            ("(?>ab|a)b", "(?:ab|(?!ab)a)b"),
            ("a*+a", "a*(?!a)a"),
            ("(?>a{1,3})a", "(?:a{3}|a{1,2}(?!a))a"),
            ("(?>a*?)b", "b"),
            ("(?>(?:ab|c)+)a", "(?:ab|c)+(?!ab|c)a"),
        ] {
            let texts = |pattern: &str| {
                let mut builder = frisket_core::builder::Builder::default();
                let pattern = crate::Pattern::read(pattern, &Syntax::new(Dialect::Python)).unwrap();
                let node = pattern.lower(&mut builder, false).unwrap();
                ["a", "b", "ab", "aa", "aaa", "aaaa", "abb", "abca", "aba", "ca"]
                    .map(|text| builder.accepts(node.number(), text.as_bytes()).unwrap())
            };
            assert_eq!(texts(pattern), texts(same), "{pattern}");
        }
    }

    #[test]
    fn what_matches_in_several_ways_on_its_way_is_refused() {
        let deep = "(?>".repeat(40) + "a?" + &"b)?".repeat(40);
        for (pattern, at) in [("(?>a*b*)", 0), ("c(?>(?:a|ab)*)b", 1), ("(?>(?:ab?)*c)", 0), (&deep, 0)] {
            let refused = released(pattern);
            assert!(matches!(refused, Err(Error::Irregular(Flaw { at: Some(place), .. })) if place == at), "{pattern}");
        }
    }
}
