//! Position × vocabulary → which tokens may come next.
//!
//! `composer` makes a mask of what each head does alone (`head_mask`) and of what its frame returns to. `key` finds masks
//! that an equal position has; `accelerate` replaces walks of the trie by look-ups in indexes of the vocabulary.

pub(crate) mod accelerate;
pub(crate) mod accumulator;
pub(crate) mod composer;
pub(crate) mod dfa_cache;
pub(crate) mod draft;
pub(crate) mod exits;
pub(crate) mod head_mask;
pub(crate) mod key;
pub mod mask;
pub(crate) mod merged_trie;
pub mod shared;
pub mod verify;
pub(crate) mod walk;
