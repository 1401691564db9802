//! Conditions on one type → the node of the JSON texts that meet them.
//!
//! Each folder lowers one type. Constraints on members and items stay numbers until a node is needed: [`Algebra`]
//! computes with the numbers, [`Lowering`] makes their nodes. Both are traits, so that a type is tested without a
//! schema.

pub mod array;
mod layout;
mod lowering;
pub mod number;
pub mod object;
pub mod string;
mod terms;

pub use layout::{free_gap, Layout, Whitespace, INDENTED_LEVELS};
pub use lowering::{Algebra, Lowering, Spelling, DEPTH};
pub use terms::Terms;
