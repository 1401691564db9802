//! Term → its saturated term, and its closed region.
//!
//! Plain data, so that the table of terms need not know the analyses that fill it.

use crate::bytes::byteset::ByteSet;
use crate::bytes::char_class::CharClass;
use crate::regular::term::TermId;
use crate::storage::layered::{layered, Table};

layered! {
    /// Terms with saturated counters.
    #[derive(Default)]
    pub(crate) struct Saturation {
        /// (term, horizon) → the term with saturated counters.
        pub(super) terms: Table<(TermId, u32), TermId>,
        /// Saturated intersection → whether every reachable state can end soon.
        pub(super) near_end_everywhere: Table<TermId, bool>,
    }
}

/// States that are closed under a class of characters.
pub(crate) struct ClosedRegion {
    pub(super) states: Vec<TermId>,
    /// The characters that lead from every state of the region to a state of the region.
    pub class: CharClass,
    /// The bytes that some state of the region can read.
    pub next_bytes: ByteSet,
}
