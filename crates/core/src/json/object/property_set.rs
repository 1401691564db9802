//! Property index → bit of a set.
//!
//! Sets of properties are small bit vectors, and every state of an object holds some.

use crate::regular::registers::PropertySet;

/// Whether the set has the property of an index.
pub(super) fn contains(set: &[u64], index: u32) -> bool {
    set.get(index as usize >> 6).is_some_and(|word| word >> (index & 63) & 1 == 1)
}

/// The members of a set, ascending.
pub(super) fn members(set: &[u64]) -> impl Iterator<Item = u32> + '_ {
    (0..).zip(set).flat_map(|(word, &bits)| {
        let mut left = bits;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            Some(64 * word + bit)
        })
    })
}

/// Whether two sets share a member other than `index`. Words before `from` are known to be disjoint.
pub(super) fn intersects(left: &[u64], right: &[u64], from: usize, index: u32) -> bool {
    left.iter().zip(right).enumerate().skip(from).any(|(word, (a, b))| {
        let own = if word == index as usize >> 6 { 1 << (index & 63) } else { 0 };
        a & b & !own != 0
    })
}

/// Adds a property to the set.
pub(super) fn put(set: &mut PropertySet, index: u32) {
    let word = index as usize >> 6;
    if set.len() <= word {
        set.resize(word + 1, 0);
    }
    set[word] |= 1 << (index & 63);
}
