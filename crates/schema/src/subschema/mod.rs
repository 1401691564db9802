//! Documents → subschemas by number, and conjunctions of them: the constraint on one value.
//!
//! Subschemas of equal content are one, so that equal literals of a conjunction merge and opposite ones contradict each
//! other.
//!
//! ```text
//! content       node → a hash of its keywords, without annotations
//! conjunction   sets of literals ↔ numbers
//! origin        the place where a subschema was found first → its JSON pointer
//! table         subschemas: made from schemas, references and other subschemas
//! place         places of schemas → the subschemas that they were read as, for a report
//! ```

mod conjunction;
mod content;
mod origin;
mod place;
mod table;

pub use conjunction::{Conjunctions, Literal};
pub use place::Place;
pub use table::{Asks, Omission, Options, Subschema, Subschemas};
