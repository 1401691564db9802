//! Tree × Builder → a regular node by way of a deterministic automaton: slow, general, bounded.
//!
//! Lookarounds may stand anywhere, in loops too. A state is a set of branches. A branch is a place in the pattern and
//! the lookaheads that are still being checked beside it. A lookahead is a state of its own, and a negative one fails
//! where that state matches. The automaton is minimized, and its states are eliminated one by one, which leaves a node.
//!
//! Sources: Kleene, *Representation of events in nerve nets* (1956), for the elimination; Moore, *Gedanken-experiments on
//! sequential machines* (1956), for the minimization.

mod eliminate;
mod machine;
mod minimal;
mod program;

use crate::tree::Node;
use frisket_core::builder::Builder;
use frisket_core::error::Error;
use frisket_core::regular::term::TermId;

/// Why there is no automaton.
pub(crate) enum Halt {
    /// It would be too large, or the tree has parts that this automaton cannot express.
    TooLarge,
    /// The builder failed.
    Engine(Box<Error>),
}

impl From<Box<Error>> for Halt {
    fn from(error: Box<Error>) -> Self {
        Halt::Engine(error)
    }
}

type Result<T> = std::result::Result<T, Halt>;

/// The texts that an automaton accepts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Texts that match as a whole.
    Whole,
    /// Texts with a match somewhere inside.
    Search,
    /// Parts of a text that match as a whole; more text may stand on both sides.
    Part,
}

/// The node of the texts that match the tree.
pub(crate) fn lower_automaton(builder: &mut Builder, tree: &Node, scope: Scope) -> Result<TermId> {
    let program = program::Program::new(tree, scope)?;
    let table = machine::Machine::new(builder, &program)?.table()?;
    eliminate::eliminate(builder, minimal::minimize(table)?)
}
