//! Position × vocabulary → which tokens may come next.
//!
//! `masks` finds the mask of a position or composes it: `head_mask` says what each head does alone, `composer` joins the
//! heads with what their frames return to. `key` finds masks that an equal position has; `accelerate` replaces walks of the
//! trie by look-ups in indexes of the vocabulary; `draft` corrects masks for unique items.

pub(crate) mod accelerate;
pub(crate) mod accumulator;
pub(crate) mod composer;
pub(crate) mod dfa_cache;
pub(crate) mod draft;
pub(crate) mod exits;
pub mod feasible;
#[cfg(test)]
pub(crate) mod fixture;
pub(crate) mod head_mask;
pub(crate) mod head_masks;
pub(crate) mod key;
pub mod mask;
pub mod masks;
pub(crate) mod merged_exits;
pub(crate) mod resolve;
pub mod shared;
pub(crate) mod strategy;
pub(crate) mod sweep;
pub mod verify;
pub(crate) mod walk;
pub(crate) mod walk_cache;

pub use accelerate::ACCELERATORS;
