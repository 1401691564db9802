//! Shapes of heads whose tokens an index of the vocabulary finds without a walk of the trie.

pub(crate) mod counter_loop;
pub(crate) mod exclusion;
pub(crate) mod literals;
pub(crate) mod occurrence_group;
pub(crate) mod region_scan;
pub(crate) mod trie_path;
