//! Position → cache key: positions with equal keys have equal masks, in one grammar or in two.
//!
//! The cache key mirrors the computation of the mask, with hashes in place of token sets. `builder` makes the keys,
//! `lookahead` hashes what tokens can observe behind a head, `object_summary` does so for the states of an object, and
//! `saturated` for heads that count.

pub(crate) mod builder;
pub(crate) mod lookahead;
pub(crate) mod object_summary;
pub(crate) mod saturated;

use crate::mask::exits::Exits;
use crate::storage::hash::Hasher128;

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

/// A hash of what tokens can observe of something, and the nodes at which it ends.
#[derive(Clone)]
pub(crate) struct Lookahead {
    pub(super) hash: u128,
    pub(super) ends: Exits,
}

impl Lookahead {
    pub(super) fn nothing(ends: Exits) -> Self {
        Lookahead { hash: 0, ends }
    }

    /// The lookahead of an alternative of the two.
    pub(super) fn and(self, other: Lookahead) -> Self {
        Lookahead { hash: self.hash.wrapping_add(other.hash), ends: self.ends.union(other.ends) }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Lookahead>() + self.ends.memory_bytes()
    }
}

/// The counts of one head, as far as keys depend on them.
#[derive(Clone, Copy)]
pub(crate) struct Saturated {
    /// The hash of the saturated head; None where the head reads no long token, because then no key asks for it.
    pub(super) hash: Option<u128>,
    /// Whether a count ends between `SHORT_TOKEN_CHARS` characters and the longest token.
    pub(super) far: bool,
}

/// The hash of some parts; `kind` keeps parts of different meaning apart.
fn hashed(kind: u64, parts: &[u128]) -> u128 {
    let mut hash = Hasher128::new(kind);
    parts.iter().for_each(|&part| hash.wide(part));
    hash.finish()
}
