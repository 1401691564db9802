//! Term → what is known of the steps from it.
//!
//! Plain data, so that the table of terms need not know how steps are computed.

use crate::bytes::byteset::{Boundaries, ByteSet};
use crate::regular::term::TermId;
use crate::storage::layered::{layered, IdMap};
use smallvec::SmallVec;

/// (first byte, last byte, derivative by each byte between).
pub(crate) type Edge = (u8, u8, TermId);
/// Disjoint edges, sorted.
pub(crate) type Edges = SmallVec<[Edge; 4]>;

layered! {
    /// What is known of the steps from a term.
    #[derive(Default)]
    pub(crate) struct Derivatives {
        /// Cached derivatives.
        pub(super) edges: IdMap<Edges>,
        /// Memo of `Terms::boundaries`.
        pub(super) boundaries: IdMap<Boundaries>,
        /// Memo of `Terms::first_bytes`.
        pub(super) first_bytes: IdMap<ByteSet>,
    }
}
