//! Tree × Builder → the regular node of exactly the texts that match.
//!
//! Without assertions a tree maps to nodes one to one. An assertion constrains the text beside it: one about the next
//! or the previous character narrows its neighbour; a lookahead is an intersection with the rest of the text, a
//! lookbehind one with the text so far, and a negative one is an intersection with the complement. An assertion that
//! looks out of the loop it stands in cannot be placed like this, and goes through an automaton of the whole pattern.

mod look;
mod narrow;
mod piece;
mod placement;
mod plain;

use crate::automaton::{lower_automaton, Halt, Scope};
use crate::error::{Error, Flaw, Result};
use crate::tree::Node;
use frisket_core::builder::Builder;
use frisket_core::regular::term::{TermId, EMPTY};
use piece::Edge;
use placement::{Placement, Stop};

/// The node of the texts that match as a whole, or somewhere inside if `search`. Errors: assertions that no regular
/// language of bearable size expresses, limits, cancellation.
pub(crate) fn lower(builder: &mut Builder, tree: &Node, search: bool) -> Result<TermId> {
    if tree.asserts() {
        return whole(builder, tree, search);
    }
    let node = plain::lower(builder, tree)?;
    if !search {
        return Ok(node);
    }
    let any = builder.any_text()?.number();
    Ok(builder.cat(&[any, node.number(), any])?)
}

/// The node of the texts that match as a whole, where more text may stand on both sides. Errors: as for `lower`, and an
/// assertion that looks at the text outside.
pub(crate) fn lower_part(builder: &mut Builder, tree: &Node) -> Result<TermId> {
    if !tree.asserts() {
        return Ok(plain::lower(builder, tree)?);
    }
    let mut placement = Placement::new(builder);
    let placed = placement.alternatives(tree).and_then(|all| placement.resolve(&all, Edge::Unknown, Edge::Unknown));
    let at = match placed {
        Ok(piece) => return Ok(piece.node),
        Err(Stop::Engine(error)) => return Err(Error::Engine(error)),
        Err(Stop::Unplaced(at)) => at,
    };
    match lower_automaton(builder, tree, Scope::Part) {
        Err(Halt::Engine(error)) => Err(Error::Engine(error)),
        // A terminal that never matches is taken for a mistake.
        Ok(node) if node != EMPTY => Ok(node),
        _ => Err(Error::Irregular(Flaw::at(
            "this assertion may look at the text beside it, and a terminal has only its own",
            at,
            "leave it out, or say what the terminal is not with & and ~",
        ))),
    }
}

/// The node of a tree with assertions.
fn whole(builder: &mut Builder, tree: &Node, search: bool) -> Result<TermId> {
    if let Some(direct) = anchored(builder, tree, search)? {
        return Ok(direct);
    }
    let mut placement = Placement::new(builder);
    let at = match placement.whole(tree, search) {
        Ok(piece) => return Ok(piece.node),
        Err(Stop::Engine(error)) => return Err(Error::Engine(error)),
        Err(Stop::Unplaced(at)) => at,
    };
    lower_automaton(builder, tree, if search { Scope::Search } else { Scope::Whole }).map_err(|halt| match halt {
        Halt::Engine(error) => Error::Engine(error),
        Halt::TooLarge => Error::Irregular(Flaw::at(
            "this assertion looks out of the loop it stands in, or too many stand beside it, to be exact",
            at,
            "move it out of the loop, or shorten what it looks at",
        )),
    })
}

/// The common case: assertions are only `^` at the start and `$` at the end of top-level alternatives.
fn anchored(builder: &mut Builder, tree: &Node, search: bool) -> Result<Option<TermId>> {
    let branches = match tree {
        Node::Alt(items) => items.as_slice(),
        _ => std::slice::from_ref(tree),
    };
    let mut parts = Vec::with_capacity(branches.len());
    for branch in branches {
        let items = match branch {
            Node::Seq(items) => items.as_slice(),
            _ => std::slice::from_ref(branch),
        };
        let start = items.iter().take_while(|item| item.is_start()).count();
        let items = &items[start..];
        let is_final = |item: &&Node| item.is_end() || matches!(item, Node::FinalNewline { .. });
        let end = items.iter().rev().take_while(is_final).count();
        let (inner, ends) = items.split_at(items.len() - end);
        if inner.iter().any(Node::asserts) {
            return Ok(None);
        }
        let mut nodes = Vec::with_capacity(inner.len() + 2);
        if search && start == 0 {
            nodes.push(builder.any_text()?.number());
        }
        for item in inner {
            nodes.push(plain::lower(builder, item)?.number());
        }
        if search && ends.is_empty() {
            nodes.push(builder.any_text()?.number());
        } else if search && !ends.iter().any(Node::is_end) {
            let newline = builder.literal(b"\n")?;
            nodes.push(builder.repeat(newline.number(), 0, Some(1))?.number());
        }
        parts.push(builder.cat(&nodes)?.number());
    }
    match parts[..] {
        [_] => Ok(Some(builder.node(parts[0])?)),
        _ => Ok(Some(builder.alt(&parts)?)),
    }
}

#[cfg(test)]
mod tests;
