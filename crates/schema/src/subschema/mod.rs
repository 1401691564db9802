//! Documents → subschemas by number, and conjunctions of them: what one value must meet.
//!
//! Subschemas that say the same are one where their content shows it, so that literals of a conjunction meet and cancel.
//!
//! ```text
//! content       node → a hash of what its keywords say, without annotations
//! conjunction   sets of literals ↔ numbers
//! origin        where a subschema was found first
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
