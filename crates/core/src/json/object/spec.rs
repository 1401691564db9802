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
