//! Tree without assertions → the node of the texts that match it, part by part.

use crate::char_set::CharSet;
use crate::tree::Node;
use frisket_core::builder::Builder;
use frisket_core::error::{Error, Result};
use frisket_core::regular::term::TermId;

/// Parts of a pattern between two checks of the limits, some 100 µs.
pub(super) const CHECKED: usize = 512;

/// The node of a tree that asserts nothing. Errors: limits, misuse.
pub(super) fn lower(builder: &mut Builder, tree: &Node) -> Result<TermId> {
    match tree {
        Node::Text(text) => builder.literal(text.as_bytes()),
        Node::Chars(set) => chars(builder, set),
        Node::Seq(items) => {
            let nodes = all(builder, items)?;
            builder.cat(&nodes)
        }
        Node::Alt(items) => {
            if let Some(set) = tree.one_char() {
                return chars(builder, &set);
            }
            let text = |item: &Node| match item {
                Node::Text(text) => Some(text.as_bytes().into()),
                _ => None,
            };
            if let Some(words) = items.iter().map(text).collect() {
                return builder.words(words);
            }
            let nodes = all(builder, items)?;
            builder.alt(&nodes)
        }
        Node::Repeat { item, low, high, .. } => {
            let item = lower(builder, item)?;
            builder.repeat(item.number(), *low, *high)
        }
        _ => Err(Error::Misuse("an assertion is no text".into()).into()),
    }
}

/// The node of one character of a set.
pub(super) fn chars(builder: &mut Builder, set: &CharSet) -> Result<TermId> {
    builder.char_class(set.ranges())
}

fn all(builder: &mut Builder, items: &[Node]) -> Result<Vec<u32>> {
    let mut nodes = Vec::with_capacity(items.len());
    for (place, item) in items.iter().enumerate() {
        if place % CHECKED == CHECKED - 1 {
            builder.check(0)?;
        }
        nodes.push(lower(builder, item)?.number());
    }
    Ok(nodes)
}
