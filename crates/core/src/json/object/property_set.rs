//! Property index → bit of a set.
//!
//! Sets of properties are small bit vectors, and every state of an object holds some.

use crate::regular::registers::PropertySet;

/// Whether the set has the property of an index.
pub(crate) fn contains(set: &[u64], index: u32) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn set(indices: &[u32]) -> PropertySet {
        let mut set = PropertySet::new();
        indices.iter().for_each(|&index| put(&mut set, index));
        set
    }

    #[test]
    fn a_set_has_what_was_put_into_it_and_grows_by_words() {
        let all = [0, 1, 63, 64, 127, 128];
        let made = set(&all);
        assert_eq!(made.len(), 3);
        assert!((0..300).all(|index| contains(&made, index) == all.contains(&index)));
        assert_eq!((set(&[63]).len(), set(&[64]).len()), (1, 2));
        assert!(!contains(&set(&[]), 0));
        let mut small = set(&[64]);
        put(&mut small, 3);
        assert_eq!(small[..], [8, 1], "a lower property makes the set no shorter");
    }

    #[test]
    fn members_come_ascending() {
        assert_eq!(members(&set(&[130, 0, 64, 63, 5])).collect::<Vec<_>>(), [0, 5, 63, 64, 130]);
        assert_eq!(members(&[0, 0]).next(), None);
    }

    #[test]
    fn two_sets_intersect_in_a_member_other_than_the_own_one() {
        let one = set(&[3, 70]);
        assert!(intersects(&one, &set(&[3]), 0, 9));
        assert!(!intersects(&one, &set(&[3]), 0, 3), "the own member does not count");
        assert!(intersects(&one, &set(&[3, 70]), 0, 3));
        assert!(!intersects(&one, &set(&[70]), 0, 70));
        assert!(intersects(&one, &set(&[70]), 0, 6), "the own member counts in its word only");
        assert!(!intersects(&one, &set(&[4, 71]), 0, 0));
        assert!(!intersects(&one, &set(&[3]), 1, 9), "words before the first one are known to be disjoint");
        assert!(!intersects(&set(&[]), &one, 0, 9));
    }
}
