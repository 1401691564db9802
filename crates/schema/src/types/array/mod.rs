//! Conditions on an array → the node of the JSON arrays that meet them.
//!
//! ```text
//! shape      conditions → one normal form
//! lower      a shape    → its node
//! contains   a shape with counted items → an automaton over items
//! emptiness  conditions → whether they contradict each other
//! negation   a condition → its complement
//! ```

mod contains;
mod emptiness;
mod lower;
mod negation;
mod shape;

pub use emptiness::is_empty;
pub use lower::{lower, unique_items};
pub use negation::negated;
pub(crate) use negation::outside;
pub use shape::{Counted, Shape};
