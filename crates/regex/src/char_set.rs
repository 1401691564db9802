//! Code points → sets of them, with the algebra of sets.
//!
//! A set is a sorted list of disjoint, non-adjacent inclusive ranges, so equal sets are equal values. Surrogates may be
//! members: a pattern can name them, and no text holds them.

use std::sync::Arc;

/// Inclusive code points.
pub type Range = (u32, u32);

/// The last code point.
pub const LAST: u32 = 0x10_ffff;

/// A set of code points; a clone shares its ranges.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CharSet(Arc<[Range]>);

impl CharSet {
    /// The set of these ranges, in any order and overlapping as they may.
    pub fn new(mut ranges: Vec<Range>) -> Self {
        ranges.sort_unstable();
        ranges.dedup_by(|next, last| {
            let joined = next.0 <= last.1.saturating_add(1);
            if joined {
                last.1 = last.1.max(next.1);
            }
            joined
        });
        CharSet(ranges.into())
    }

    /// The set of ranges that are sorted, disjoint and not adjacent.
    pub(crate) fn of(ranges: &[Range]) -> Self {
        debug_assert!(ranges.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0));
        CharSet(ranges.into())
    }

    /// No code point.
    pub fn none() -> Self {
        CharSet::of(&[])
    }

    /// Every code point.
    pub fn all() -> Self {
        CharSet::of(&[(0, LAST)])
    }

    /// One code point.
    pub fn one(point: u32) -> Self {
        CharSet::of(&[(point, point)])
    }

    /// The ranges, in order.
    pub fn ranges(&self) -> &[Range] {
        &self.0
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The only member, if there is exactly one.
    pub fn single(&self) -> Option<u32> {
        match *self.0 {
            [(low, high)] if low == high => Some(low),
            _ => None,
        }
    }

    /// Whether the code point is a member.
    pub fn contains(&self, point: u32) -> bool {
        let index = self.0.partition_point(|range| range.1 < point);
        self.0.get(index).is_some_and(|range| range.0 <= point)
    }

    /// Code points in either set.
    #[must_use]
    pub fn union(&self, other: &CharSet) -> CharSet {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            _ => CharSet::new([&*self.0, &*other.0].concat()),
        }
    }

    /// Code points in any of the sets.
    pub fn union_of<'a>(sets: impl IntoIterator<Item = &'a CharSet>) -> CharSet {
        CharSet::new(sets.into_iter().flat_map(|set| set.0.iter().copied()).collect())
    }

    /// Code points not in the set.
    #[must_use]
    pub fn complement(&self) -> CharSet {
        let mut outside = Vec::with_capacity(self.0.len() + 1);
        let mut start = 0;
        for &(low, high) in &*self.0 {
            if low > start {
                outside.push((start, low - 1));
            }
            start = high + 1;
        }
        if start <= LAST {
            outside.push((start, LAST));
        }
        CharSet(outside.into())
    }

    /// Code points in both sets.
    #[must_use]
    pub fn intersection(&self, other: &CharSet) -> CharSet {
        let mut shared = Vec::new();
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let (Some(&&one), Some(&&two)) = (left.peek(), right.peek()) {
            let (low, high) = (one.0.max(two.0), one.1.min(two.1));
            if low <= high {
                shared.push((low, high));
            }
            if one.1 < two.1 {
                left.next();
            } else {
                right.next();
            }
        }
        CharSet(shared.into())
    }

    /// Code points in this set and not in the other.
    #[must_use]
    pub fn difference(&self, other: &CharSet) -> CharSet {
        self.intersection(&other.complement())
    }

    /// The coarsest classes of code points that no set tells apart; None for more than `most`.
    pub(crate) fn split_by<'a>(&self, sets: impl Iterator<Item = &'a CharSet>, most: usize) -> Option<Vec<CharSet>> {
        let mut sets: Vec<&CharSet> = sets.collect();
        sets.sort_unstable();
        sets.dedup();
        let mut classes = vec![self.clone()];
        for set in sets {
            let split = |class: &CharSet| [class.intersection(set), class.difference(set)];
            classes = classes.iter().flat_map(split).filter(|class| !class.is_empty()).collect();
            if classes.len() > most {
                return None;
            }
        }
        Some(classes)
    }

    /// Whether no code point is in both sets.
    pub fn is_disjoint(&self, other: &CharSet) -> bool {
        self.intersection(other).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(bits: u32, offset: u32) -> CharSet {
        CharSet::new((0..8).rev().filter(|at| bits >> at & 1 == 1).map(|at| (offset + at, offset + at)).collect())
    }

    fn bits(set: &CharSet, offset: u32) -> u32 {
        (0..8).filter(|at| set.contains(offset + at)).map(|at| 1 << at).sum()
    }

    #[test]
    fn the_algebra_is_that_of_sets() {
        for offset in [0, LAST - 7] {
            for one in 0..256 {
                for other in (0..256).step_by(7) {
                    let (left, right) = (set(one, offset), set(other, offset));
                    assert_eq!(bits(&left.union(&right), offset), one | other);
                    assert_eq!(bits(&left.intersection(&right), offset), one & other);
                    assert_eq!(bits(&left.difference(&right), offset), one & !other);
                    assert_eq!(left.is_disjoint(&right), one & other == 0);
                    assert_eq!(left == right, one == other);
                    assert_eq!(CharSet::union_of([&left, &right]), left.union(&right));
                }
                let left = set(one, offset);
                assert_eq!(left.complement().complement(), left);
                assert_eq!(left.union(&left.complement()), CharSet::all());
                assert!(left.ranges().windows(2).all(|pair| pair[0].1 + 1 < pair[1].0));
                assert_eq!(left.single().is_some(), one.count_ones() == 1);
            }
        }
    }

    #[test]
    fn ranges_that_touch_are_one() {
        assert_eq!(CharSet::new(vec![(5, 6), (1, 2), (3, 3)]).ranges(), [(1, 3), (5, 6)]);
        assert_eq!(CharSet::new(vec![(0, LAST), (7, 9)]), CharSet::all());
        assert!(CharSet::none().is_empty() && CharSet::all().complement().is_empty());
    }
}
