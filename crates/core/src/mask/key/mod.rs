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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::id::NodeId;

    #[test]
    fn a_packed_key_is_smaller_and_the_same() {
        for key in [None, Some(0), Some(1), Some(u128::MAX)] {
            assert_eq!(MaskKey::from(PackedKey::from(key)), key);
        }
        const { assert!(size_of::<PackedKey>() == 24 && size_of::<MaskKey>() == 32) };
    }

    #[test]
    fn a_hash_of_parts_depends_on_their_kind_order_and_number() {
        let all = [
            hashed(1, &[]),
            hashed(2, &[]),
            hashed(1, &[0]),
            hashed(1, &[0, 0]),
            hashed(1, &[7, 9]),
            hashed(1, &[9, 7]),
            hashed(2, &[7, 9]),
        ];
        for (at, hash) in all.iter().enumerate() {
            assert!(!all[..at].contains(hash), "{at}");
        }
        assert_eq!(hashed(1, &[7, 9]), all[4]);
    }

    #[test]
    fn alternatives_add_their_hashes_and_unite_their_ends() {
        let at = |node| Exits::at(NodeId::new(node));
        let one = Lookahead { hash: u128::MAX, ends: at(1) };
        let other = Lookahead { hash: 3, ends: at(2) };
        let (both, swapped) = (one.clone().and(other.clone()), other.and(one.clone()));
        assert_eq!((both.hash, both.ends.len()), (2, 2));
        assert_eq!((swapped.hash, swapped.ends.hash()), (2, both.ends.hash()));
        let same = one.clone().and(Lookahead::nothing(Exits::NOWHERE));
        assert_eq!((same.hash, same.ends.hash()), (one.hash, one.ends.hash()));
    }

    #[test]
    fn a_lookahead_counts_itself_and_its_ends() {
        let nowhere = Lookahead::nothing(Exits::NOWHERE);
        assert_eq!(nowhere.memory_bytes(), size_of::<Lookahead>());
        let ends = Exits::at(NodeId::new(1));
        let bytes = ends.memory_bytes();
        assert!(bytes > 0);
        assert_eq!(Lookahead::nothing(ends).memory_bytes(), size_of::<Lookahead>() + bytes);
    }
}
