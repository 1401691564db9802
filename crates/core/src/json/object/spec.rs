//! Object specification → its keys by spelling, its implications by property, its orders as ranges of predecessors.
//!
//! Queries of the immutable part of an object; `state` holds what changes as members come.

use crate::error::Result;
use crate::json::object::property_set::unite;
use crate::json::registers::{Extra, ObjectSpec, Property, PropertyRanges, Value};
use crate::limits::Budget;
use crate::regular::term::TermId;
use smallvec::smallvec;

impl ObjectSpec {
    /// Bytes that the specification holds.
    pub(super) fn memory_bytes(&self) -> usize {
        let property = |one: &Property| 2 * one.key.len() + size_of_val(&one.values[..]);
        let extra = |one: &Extra| {
            let few: usize = one.few.iter().flatten().map(|key| size_of_val(key) + key.len()).sum();
            size_of_val(&one.values[..]) + few
        };
        let ranges = |one: &PropertyRanges| if one.spilled() { size_of_val(&one[..]) } else { 0 };
        size_of::<Self>()
            + size_of_val(&self.properties[..])
            + self.properties.iter().map(property).sum::<usize>()
            + size_of_val(&self.sorted[..])
            + size_of_val(&self.extras[..])
            + self.extras.iter().map(extra).sum::<usize>()
            + size_of_val(&self.clauses[..])
            + 2 * size_of_val(&self.implies[..])
            + size_of_val(&self.earlier[..])
            + self.earlier.iter().map(ranges).sum::<usize>()
    }

    /// The alternatives of each property, then of each group of other properties.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Vec<Value>> {
        let named = self.properties.iter().map(|property| &property.values);
        named.chain(self.extras.iter().map(|extra| &extra.values))
    }

    /// `values`, to be changed; `index_properties` must follow.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Vec<Value>> {
        let named = self.properties.iter_mut().map(|property| &mut property.values);
        named.chain(self.extras.iter_mut().map(|extra| &mut extra.values))
    }

    /// All nodes that the object is made of.
    pub(crate) fn nodes_mut(&mut self) -> impl Iterator<Item = &mut TermId> {
        let signs = [&mut self.open, &mut self.close, &mut self.colon, &mut self.comma, &mut self.empty];
        let named = self.properties.iter_mut().flat_map(|property| &mut property.values);
        let others = self.extras.iter_mut().flat_map(|extra| {
            let values = extra.values.iter_mut().map(|value| &mut value.node);
            values.chain([&mut extra.keys])
        });
        let values = named.map(|value| &mut value.node).chain(others);
        values.chain(signs).chain([&mut self.escapes.escaped])
    }

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

/// Steps of one place in an order.
const STEPS_OF_AN_ORDER: u64 = 4;

/// For each property: the properties that may not come after it. None if the orders contradict each other. Errors: limits;
/// in an order that mixes that of the list, each property may have many ranges.
pub(crate) fn earlier_properties(
    count: u32,
    orders: &[Vec<u32>],
    budget: &mut Budget,
) -> Result<Option<Vec<PropertyRanges>>> {
    let mut found: Vec<PropertyRanges> = (0..count).map(|index| smallvec![(index, index + 1)]).collect();
    let mut grown = 0;
    for order in orders {
        let mut came = PropertyRanges::new();
        for &index in order {
            budget.spend(STEPS_OF_AN_ORDER + came.len() as u64)?;
            budget.grow(size_of_val(&came[..]));
            grown += size_of_val(&came[..]);
            unite(&mut found[index as usize], &came);
            unite(&mut came, &[(index, index + 1)]);
        }
    }
    // The caller reports the memory of the ranges that it keeps.
    budget.release(grown);
    let rises = |order: &Vec<u32>| order.is_sorted_by(|one, next| one < next);
    Ok((orders.iter().all(rises) || has_common_order(count, orders)).then_some(found))
}

/// Whether the properties can come in an order that agrees with all of these (Kahn 1962): a cycle leaves some unvisited.
fn has_common_order(count: u32, orders: &[Vec<u32>]) -> bool {
    let mut waits = vec![0u32; count as usize];
    let mut after = vec![Vec::new(); count as usize];
    for pair in orders.iter().flat_map(|order| order.windows(2)) {
        waits[pair[1] as usize] += 1;
        after[pair[0] as usize].push(pair[1]);
    }
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
    done == count
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::limits::Limits;

    /// For each property those that may not follow it.
    fn earlier(count: u32, orders: &[&[u32]]) -> Option<Vec<Vec<u32>>> {
        let orders: Vec<Vec<u32>> = orders.iter().map(|order| order.to_vec()).collect();
        let found = earlier_properties(count, &orders, &mut Budget::default()).unwrap()?;
        Some(found.iter().map(|ranges| ranges.iter().flat_map(|&(start, end)| start..end).collect()).collect())
    }

    #[test]
    fn an_order_of_many_that_is_not_that_of_the_list_is_bounded() {
        let limits = Limits { steps: 100_000, memory: 1_000_000, ..Limits::default() };
        let made = |order: Vec<u32>| {
            let mut budget = Budget::default();
            budget.begin(&limits);
            earlier_properties(order.len() as u32, &[order], &mut budget).map(|found| found.unwrap().len())
        };
        assert_eq!(made((0..20_000).collect()).unwrap(), 20_000, "one range each");
        assert_eq!(made((0..20_000).rev().collect()).unwrap(), 20_000, "one range each, in the other direction");
        let mixed: Vec<u32> =
            (0..10_000).map(|index| 2 * index).chain((0..10_000).map(|index| 2 * index + 1)).collect();
        assert!(made(mixed).is_err());
    }

    #[test]
    fn orders_that_run_in_a_circle_contradict_each_other() {
        assert_eq!(earlier(3, &[&[0, 1], &[1, 0]]), None);
        assert_eq!(earlier(3, &[&[0, 1], &[1, 2], &[2, 0]]), None);
        assert!(earlier(3, &[&[0, 1], &[1, 2], &[0, 2]]).is_some());
        assert!(earlier(2, &[&[0, 1], &[0, 1]]).is_some(), "the same order twice is one");
    }
}
