//! Object specification → its keys by spelling, its implications by property, its orders as sets of predecessors.
//!
//! Queries of the immutable part of an object; `state` holds what changes as members come.

use crate::json::object::property_set::put;
use crate::regular::registers::{ObjectSpec, PropertySet};

impl ObjectSpec {
    /// The bytes at a depth of a range of the sorted spellings, each once, ascending.
    pub(crate) fn key_bytes(&self, low: u32, high: u32, depth: u32) -> impl Iterator<Item = u8> + '_ {
        let mut keys = &self.sorted[low as usize..high as usize];
        let at = move |key: &(Box<[u8]>, u32)| key.0.get(depth as usize).copied();
        std::iter::from_fn(move || {
            let byte = at(keys.first()?);
            keys = &keys[keys.partition_point(|key| at(key) <= byte)..];
            Some(byte)
        })
        .flatten()
    }
}

/// The pairs that begin with `first`, of a sorted list.
pub(super) fn pairs_from(sorted: &[(u32, u32)], first: u32) -> &[(u32, u32)] {
    let from = sorted.partition_point(|pair| pair.0 < first);
    let to = sorted.partition_point(|pair| pair.0 <= first);
    &sorted[from..to]
}

/// For each property: the set of properties that may not come after it. None if the orders contradict each other.
pub(crate) fn earlier_properties(count: u32, orders: &[Vec<u32>]) -> Option<Vec<PropertySet>> {
    let mut found = vec![PropertySet::new(); count as usize];
    (0..count).for_each(|index| put(&mut found[index as usize], index));
    let mut waits = vec![0u32; count as usize];
    let mut after = vec![Vec::new(); count as usize];
    for order in orders {
        let mut came = PropertySet::new();
        for (place, &index) in order.iter().enumerate() {
            let own = &mut found[index as usize];
            own.resize(own.len().max(came.len()), 0);
            own.iter_mut().zip(&came).for_each(|(own, came)| *own |= came);
            put(&mut came, index);
            if place > 0 {
                waits[index as usize] += 1;
                after[order[place - 1] as usize].push(index);
            }
        }
    }
    // Kahn's topological sort (1962): a cycle leaves some property unvisited.
    let mut ready: Vec<u32> = (0..count).filter(|&index| waits[index as usize] == 0).collect();
    let mut done = 0;
    while let Some(index) = ready.pop() {
        done += 1;
        for &next in &after[index as usize] {
            waits[next as usize] -= 1;
            if waits[next as usize] == 0 {
                ready.push(next);
            }
        }
    }
    (done == count).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::fixture::{members, spec};
    use crate::json::object::property_set::contains;

    #[test]
    fn keys_go_on_with_the_bytes_of_their_spellings() {
        let spec = spec(&members(&["b", "ab", "a", "\""]), &[], Default::default());
        // Sorted: `"\""`, `"a"`, `"ab"`, `"b"`.
        let at = |low, high, depth| spec.key_bytes(low, high, depth).map(char::from).collect::<String>();
        assert_eq!(
            (at(0, 4, 0), at(0, 4, 1), at(1, 3, 2), at(0, 1, 2)),
            ("\"".into(), "\\ab".into(), "\"b".into(), "\"".into())
        );
        assert_eq!((at(1, 3, 1), at(2, 4, 1), at(2, 2, 0)), ("a".into(), "ab".into(), "".into()));
        assert_eq!(at(1, 3, 3), "\"", "a spelling that has ended has no byte");
        assert_eq!(at(1, 2, 3), "");
    }

    #[test]
    fn pairs_are_those_of_one_property() {
        let pairs = [(0, 3), (1, 0), (1, 2), (3, 1)];
        for (first, expected) in [(0, &pairs[..1]), (1, &pairs[1..3]), (2, &[]), (3, &pairs[3..]), (4, &[])] {
            assert_eq!(pairs_from(&pairs, first), expected);
        }
    }

    /// For each property those that may not follow it.
    fn earlier(count: u32, orders: &[&[u32]]) -> Option<Vec<Vec<u32>>> {
        let orders: Vec<Vec<u32>> = orders.iter().map(|order| order.to_vec()).collect();
        let found = earlier_properties(count, &orders)?;
        Some(found.iter().map(|set| (0..count).filter(|&index| contains(set, index)).collect()).collect())
    }

    #[test]
    fn what_precedes_a_property_in_an_order_may_not_follow_it() {
        assert_eq!(earlier(3, &[]).unwrap(), [[0], [1], [2]]);
        assert_eq!(earlier(3, &[&[2, 0]]).unwrap(), [vec![0, 2], vec![1], vec![2]]);
        assert_eq!(earlier(3, &[&[0, 1, 2]]).unwrap(), [vec![0], vec![0, 1], vec![0, 1, 2]]);
        assert_eq!(earlier(3, &[&[0, 2], &[1, 2]]).unwrap(), [vec![0], vec![1], vec![0, 1, 2]]);
        let many = earlier(130, &[&[129, 64, 0]]).unwrap();
        assert_eq!((&many[0], &many[64], &many[129]), (&vec![0, 64, 129], &vec![64, 129], &vec![129]));
    }

    #[test]
    fn orders_that_run_in_a_circle_contradict_each_other() {
        assert_eq!(earlier(3, &[&[0, 1], &[1, 0]]), None);
        assert_eq!(earlier(3, &[&[0, 1], &[1, 2], &[2, 0]]), None);
        assert!(earlier(3, &[&[0, 1], &[1, 2], &[0, 2]]).is_some());
        assert!(earlier(2, &[&[0, 1], &[0, 1]]).is_some(), "the same order twice is one");
    }
}
