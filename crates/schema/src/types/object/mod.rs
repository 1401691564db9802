//! Conditions on an object → the node of the JSON objects that meet them.
//!
//! ```text
//! shape      conditions → sorted by kind; what they ask of each member together
//! region     keys without a name → regions in which every key meets the same demands
//! mark       values × demands that some member breaks → marks on the values
//! lower      a shape → its node
//! emptiness  conditions → whether they contradict each other
//! negation   a condition → the conditions that just the other objects meet
//! ```

mod emptiness;
mod lower;
mod mark;
mod negation;
mod region;
mod shape;

pub use emptiness::is_empty;
pub use lower::lower;
pub use mark::{MarkedValues, MARKED};
pub use negation::negated;
pub use shape::{demand, Clause, Shape};
