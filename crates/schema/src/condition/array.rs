//! One condition on an array.

use super::{ConjunctionId, SubschemaId};
use std::sync::Arc;

/// A condition on an array.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ArrayCondition {
    /// Constraints on items: on those at the beginning by position, and on all later ones.
    Items {
        /// By position.
        prefix: Arc<[ConjunctionId]>,
        /// The constraint on all later items.
        rest: ConjunctionId,
    },
    /// `least` to `most` items; without `most`, any number above.
    Count {
        /// The least number of items.
        least: u64,
        /// The most items.
        most: Option<u64>,
    },
    /// No two items are equal, or some are.
    Unique {
        /// Whether all items differ.
        positive: bool,
        /// The subschema whose keyword asks for it, for messages.
        place: SubschemaId,
    },
    /// From a position on, `least` to `most` items meet a conjunction.
    Contains {
        /// The first position that counts.
        start: u64,
        /// The conjunction that the counted items meet.
        item: ConjunctionId,
        /// The least number of such items.
        least: u64,
        /// The most such items.
        most: Option<u64>,
        /// The subschema whose keyword asks for it; None for a complement.
        place: Option<SubschemaId>,
    },
}
