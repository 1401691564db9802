//! Finished conditions on one type → the node of the JSON texts that meet them.
//!
//! Each folder lowers one type. What members and items must meet stays a number until the node is needed: [`Algebra`]
//! says what the number means, [`Lowering`] makes its node. Both are traits, so that a type is tested without a schema.

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
