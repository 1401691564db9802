//! Regular languages of bytes: terms, their derivatives, and whether they are empty.
//!
//! A state of the automaton is a term, and a step is its derivative by a byte.

pub mod arena;
pub(crate) mod closed_region;
pub(crate) mod derivative;
pub(crate) mod emptiness;
pub(crate) mod json_string;
pub(crate) mod key_set;
pub(crate) mod literal;
pub(crate) mod normalize;
pub(crate) mod registers;
pub(crate) mod saturate;
pub mod term;
pub mod transfer;
pub(crate) mod transitions;
