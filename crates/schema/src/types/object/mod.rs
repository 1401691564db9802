//! Conditions on an object → the node of the JSON objects that meet them.
//!
//! ```text
//! shape      conditions → sorted by kind, and their joint constraint on each member
//! region     keys without a name → regions whose keys have the same constraints
//! mark       values × constraints that some member must break → marks on the values
//! lower      a shape → its node
//! emptiness  conditions → whether they contradict each other
//! negation   a condition → its complement
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
pub use shape::{demand, Keys, Shape};
