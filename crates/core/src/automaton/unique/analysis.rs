//! Machine → what was found out about its values, frames and items: memos, and the bounds that masks set.
//!
//! Data only. The machine holds it, and the modules beside this one fill it.

use crate::automaton::frame::FrameId;
use crate::json::partial_value::{PartialValueId, PartialValues};
use crate::regular::id::{ArrayId, ArrayStateId, KeySetId, WordSetId};
use crate::regular::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The set of texts that an item may not have; None if no item may come.
pub(super) type Excluded = Option<KeySetId>;

/// The canonical text of a value.
pub(super) type Value = Arc<[u8]>;

/// All values of an item.
pub(super) type Values = Arc<Vec<Value>>;

/// Caches of everything found out about values, frames and items of one machine.
#[derive(Default)]
pub(crate) struct UniqueAnalysis {
    pub(super) partial_values: PartialValues,
    pub(super) excluded: FxHashMap<(ArrayId, ArrayStateId, u32), Excluded>,
    pub(super) item_values: FxHashMap<(TermId, bool), ItemValues>,
    pub(super) in_progress: Vec<TermId>,
    /// How often a result relied on a count in progress. Such results are not cached.
    pub(super) assumptions: u64,
    pub(super) min_values: FxHashMap<TermId, u32>,
    pub(super) text_counts: FxHashMap<(TermId, u32), TextCount>,
    pub(super) word_values: FxHashMap<(WordSetId, u32, u32), WordValues>,
    pub(super) canonical: FxHashMap<TermId, bool>,
    pub(super) ordered: FxHashMap<ArrayId, bool>,
    pub(super) frame_min_values: FxHashMap<FrameId, u32>,
    pub(super) viable: FxHashMap<(TermId, FrameId, PartialValueId), bool>,
    pub(super) most_excluded: u32,
    /// Canonical texts of the values that the current enumeration collected (`ENUMERATION`).
    pub(super) found: FxHashSet<Vec<u8>>,
    /// Upper bound of the items that one token may span.
    pub(crate) max_token_items: u32,
}

impl UniqueAnalysis {
    /// Raises the bounds to those of another machine, whose positions are about to be copied.
    pub(crate) fn expect_values_of(&mut self, other: &UniqueAnalysis) {
        self.most_excluded = self.most_excluded.max(other.most_excluded);
        self.max_token_items = self.max_token_items.max(other.max_token_items);
    }
}

/// The values of one item, as far as they were asked for.
pub(super) struct ItemValues {
    /// None if there are more than `asked`.
    pub(super) values: Option<Values>,
    pub(super) asked: usize,
}

/// The number of texts of a term.
#[derive(Clone, Copy)]
pub(super) struct TextCount {
    /// A lower bound, at most `COUNT_CAP`.
    pub(super) least: u32,
    /// Whether the bound is the number.
    pub(super) is_exact: bool,
}

/// The values of some words.
#[derive(Clone, Copy)]
pub(super) struct WordValues {
    pub(super) count: u32,
    /// Whether every word is spelled as its canonical value. The word 1.0 is not, even if no other word says 1.
    pub(super) are_canonical: bool,
}
