//! Tree × Builder → the regular node of exactly the texts that match.
//!
//! Without assertions a tree maps to nodes one to one. An assertion constrains the text beside it, by intersections. One
//! that looks out of the loop it stands in cannot be placed like this, and goes through an automaton of the whole pattern.

mod assertion;
mod plain;

use crate::automaton::{lower_automaton, Halt, Scope};
use crate::error::{Error, Flaw, Result};
use crate::tree::Node;
use assertion::Stop;
use frisket_core::builder::Builder;
use frisket_core::regular::term::{TermId, EMPTY};

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
    let at = match assertion::part(builder, tree) {
        Ok(node) => return Ok(node),
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
    let at = match assertion::whole(builder, tree, search) {
        Ok(node) => return Ok(node),
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

#[cfg(test)]
mod tests;
