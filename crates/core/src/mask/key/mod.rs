//! Position → cache key: positions with equal keys have equal masks, in one grammar or in two.
//!
//! The cache key mirrors the computation of the mask, with hashes in place of token sets. `builder` makes the keys,
//! `lookahead` hashes what tokens can observe behind a head, `object_summary` does so for the states of an object, and
//! `saturated` for heads that count.

pub(crate) mod builder;
pub(crate) mod lookahead;
pub(crate) mod object_summary;
pub(crate) mod saturated;

use crate::storage::hash::Hasher128;

pub(crate) use builder::{KeyBuilder, KeyParts, OwnPart};
pub(crate) use lookahead::Lookahead;

/// A key of a mask, or of a part of one. None if a hash cannot tell everything that the mask depends on.
pub(crate) type MaskKey = Option<u128>;

/// Terms within terms, and frames below frames, are followed to this depth; deeper positions get no key. Chosen without
/// measurement.
const DEPTH: u32 = 64;

/// A `MaskKey` in 24 bytes rather than 32.
#[derive(Clone, Copy)]
#[repr(C, packed(8))]
struct PackedKey {
    hash: u128,
    known: bool,
}

impl From<MaskKey> for PackedKey {
    fn from(key: MaskKey) -> Self {
        PackedKey { hash: key.unwrap_or(0), known: key.is_some() }
    }
}

impl From<PackedKey> for MaskKey {
    fn from(PackedKey { hash, known }: PackedKey) -> Self {
        known.then_some(hash)
    }
}

/// The hash of some parts; `kind` keeps parts of different meaning apart.
fn hashed(kind: u64, parts: &[u128]) -> u128 {
    let mut hash = Hasher128::new(kind);
    parts.iter().for_each(|&part| hash.wide(part));
    hash.finish()
}
