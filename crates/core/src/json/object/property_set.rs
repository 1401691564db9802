//! Property index → bit of a set, or range of indices.
//!
//! Sets of properties are small bit vectors, and every state of an object holds some.

use crate::bytes::byteset::ones;
use crate::json::registers::{PropertyRanges, PropertySet};

/// Whether the set has the property of an index.
pub(crate) fn contains(set: &[u64], index: u32) -> bool {
    set.get(index as usize >> 6).is_some_and(|word| word >> (index & 63) & 1 == 1)
}

/// The members of a set, ascending.
pub(super) fn members(set: &[u64]) -> impl Iterator<Item = u32> + '_ {
    (0..).zip(set).flat_map(|(word, &bits)| ones(bits).map(move |bit| 64 * word + bit))
}

/// Whether the ranges hold one of some properties, which are ascending, other than `index`.
pub(super) fn intersects(ranges: &[(u32, u32)], properties: &[u32], index: u32) -> bool {
    ranges.iter().any(|&(start, end)| {
        let from = properties.partition_point(|&property| property < start);
        properties[from..].iter().take_while(|&&property| property < end).any(|&property| property != index)
    })
}

/// Adds the properties of the ranges to the set.
pub(super) fn put_ranges(set: &mut PropertySet, ranges: &[(u32, u32)]) {
    let Some(&(_, end)) = ranges.last() else { return };
    set.resize(set.len().max(end.div_ceil(64) as usize), 0);
    ranges.iter().flat_map(|&range| words(range)).for_each(|(word, bits)| set[word] |= bits);
}

/// The words of a range, each with the bits of the range in it.
fn words((start, end): (u32, u32)) -> impl Iterator<Item = (usize, u64)> {
    (start >> 6..end.div_ceil(64)).map(move |word| {
        let below = 64 * word;
        let (low, high) = (start.max(below) - below, end.min(below + 64) - below);
        (word as usize, u64::MAX >> (64 - (high - low)) << low)
    })
}

/// Adds the properties of one list of ranges to another one.
pub(super) fn unite(ranges: &mut PropertyRanges, others: &[(u32, u32)]) {
    ranges.extend_from_slice(others);
    ranges.sort_unstable();
    ranges.dedup_by(|next, last| {
        let touches = next.0 <= last.1;
        if touches {
            last.1 = last.1.max(next.1);
        }
        touches
    });
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
    fn a_set_takes_the_properties_of_ranges() {
        let bounds = [0, 1, 5, 63, 64, 65, 128, 130];
        let ranges = bounds.iter().flat_map(|&start| bounds.iter().map(move |&end| (start, end)));
        for (start, end) in ranges.filter(|(start, end)| start < end) {
            let mut made = set(&[2, 200]);
            put_ranges(&mut made, &[(start, end), (131, 133)]);
            let is_in =
                |index| index == 2 || index == 200 || (start..end).contains(&index) || (131..133).contains(&index);
            assert!((0..300).all(|index| contains(&made, index) == is_in(index)), "{start}..{end}");
            for index in 0..140 {
                assert_eq!(intersects(&[(start, end)], &[index], 999), (start..end).contains(&index));
            }
        }
        let mut made = set(&[]);
        put_ranges(&mut made, &[]);
        assert!(made.is_empty());
    }

    #[test]
    fn ranges_that_touch_are_one() {
        let united = |one: &[(u32, u32)], other: &[(u32, u32)]| {
            let mut made = PropertyRanges::from_slice(one);
            unite(&mut made, other);
            made.to_vec()
        };
        assert_eq!(united(&[(0, 2)], &[(2, 3)]), [(0, 3)]);
        assert_eq!(united(&[(0, 2)], &[(3, 4)]), [(0, 2), (3, 4)]);
        assert_eq!(united(&[(0, 9), (20, 30)], &[(1, 2), (9, 21)]), [(0, 30)]);
        assert_eq!(united(&[], &[(7, 8)]), [(7, 8)]);
        assert_eq!(united(&[(5, 6), (8, 9)], &[(0, 1), (6, 8)]), [(0, 1), (5, 9)]);
    }
}
