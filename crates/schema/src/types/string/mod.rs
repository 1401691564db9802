//! Conditions on a string → the node of the JSON strings that meet them.
//!
//! ```text
//! text     conditions on the decoded text → its regular node, whether it is empty, which texts it lists
//! quoted   conditions                     → JSON strings, with the escapes that the options have
//! literal  conditions                     → literals of a language other than JSON
//! ```

mod literal;
mod quoted;
mod text;

pub use literal::Literals;
pub use quoted::{quoted, quoted_union, spelled, Escapes};
pub use text::{holds, is_empty, listed, lower, Listed};
