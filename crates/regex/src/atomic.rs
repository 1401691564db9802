//! Tree with atomic groups → the tree without them that means the same, or a refusal.

use crate::char_set::CharSet;
use crate::error::{Error, Flaw, Result};
use crate::tree::Node;

/// The characters that what comes next may begin with; None if an assertion comes next.
type Follow = Option<CharSet>;

/// The same language without `Atomic`. An atomic part may go when it has one way to match, or when it repeats a
/// character that nothing after it could take in its place. Errors: an atomic part that is neither.
pub(crate) fn release(node: Node) -> Result<Node> {
    if has_atomic(&node) {
        released(node, Some(CharSet::none()))
    } else {
        Ok(node)
    }
}

fn has_atomic(node: &Node) -> bool {
    match node {
        Node::Atomic { .. } => true,
        Node::Seq(items) | Node::Alt(items) => items.iter().any(has_atomic),
        Node::Repeat { item, .. } | Node::Look { item, .. } => has_atomic(item),
        _ => false,
    }
}

fn released(node: Node, mut follow: Follow) -> Result<Node> {
    Ok(match node {
        Node::Seq(items) => {
            let mut made = Vec::with_capacity(items.len());
            for item in items.into_iter().rev() {
                let next = followed(&item, follow.clone());
                made.push(released(item, follow)?);
                follow = next;
            }
            made.reverse();
            Node::Seq(made)
        }
        Node::Alt(items) => {
            Node::Alt(items.into_iter().map(|item| released(item, follow.clone())).collect::<Result<_>>()?)
        }
        Node::Repeat { item, low, high, at } => {
            if high.is_none_or(|high| high > 1) {
                let again = followed(&item, follow.clone());
                follow = again.zip(follow).map(|(again, follow)| again.union(&follow));
            }
            Node::Repeat { item: Box::new(released(*item, follow)?), low, high, at }
        }
        Node::Look { item, ahead, negative, at } => {
            Node::Look { item: Box::new(released(*item, Some(CharSet::none()))?), ahead, negative, at }
        }
        Node::Atomic { item, at, .. } => {
            let inner = if item.asserts() { None } else { follow.clone() };
            let item = released(*item, inner)?;
            if !has_one_way(&item) && !follow.is_some_and(|follow| is_disjoint(&item, &follow)) {
                return Err(Error::Syntax(Flaw::at(
                    "an atomic group or possessive quantifier that changes what can match",
                    at,
                    "use the ordinary group or quantifier",
                )));
            }
            item
        }
        _ => node,
    })
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

fn has_one_way(node: &Node) -> bool {
    match node {
        Node::Seq(items) => items.iter().all(has_one_way),
        Node::Repeat { item, low, high, .. } => Some(*low) == *high && has_one_way(item),
        Node::Text(_) => true,
        _ => node.one_char().is_some(),
    }
}

fn is_disjoint(node: &Node, follow: &CharSet) -> bool {
    match node {
        Node::Seq(items) => matches!(&items[..], [item @ Node::Repeat { .. }] if is_disjoint(item, follow)),
        Node::Repeat { item, .. } => item.one_char().is_some_and(|set| set.is_disjoint(follow)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::parse;
    use crate::syntax::{Dialect, Syntax};

    #[test]
    fn what_cannot_give_back_anything_of_use_is_released() {
        for pattern in ["a*+b", "(?>a+)b", "(?>abc)", "(?>a{3})a", r"[a-c]++\Z", "(?:a++b)*", "x(?>[ab])y", "a*+"] {
            let tree = release(parse(pattern, &Syntax::new(Dialect::Python)).unwrap()).unwrap();
            assert!(!has_atomic(&tree), "{pattern}");
        }
        for (pattern, at) in [("(?>ab|a)b", 0), ("a*+a", 1), ("(?:ba++)*(?=c)c", 5), ("(?:a++)*", 4), ("(?>a*b*)", 0)] {
            let refused = release(parse(pattern, &Syntax::new(Dialect::Python)).unwrap());
            assert!(matches!(refused, Err(Error::Syntax(Flaw { at: Some(place), .. })) if place == at), "{pattern}");
        }
    }
}
