//! State of an array with unique items × items that must come → the fewest bytes until its end.
//!
//! A table per array, by missing items and state. Uniqueness itself is ignored, so the bound may be too low.

use crate::automaton::distance::{sum, Distances, MAX_ITEMS, NEVER};
use crate::automaton::machine::Machine;
use crate::error::Result;
use crate::regular::id::ArrayId;
use std::sync::Arc;

impl Distances {
    /// The fewest bytes from the start of an item to the end of an array, after `came` items and in state `at`.
    pub(super) fn item_distance(
        &mut self,
        machine: &mut Machine,
        array: ArrayId,
        (at, came): (u32, usize),
    ) -> Result<u64> {
        let spec = machine.arena.registers.uniques[array.index()].clone();
        let mut least = NEVER;
        for &(node, next) in &spec.steps[at as usize] {
            let item = self.distance(machine, node)?;
            least = least.min(sum([item, self.unique_distance(machine, array, next, came + 1)?]));
        }
        Ok(least)
    }

    /// The fewest bytes from between two items to the end of an array, after `came` items and in state `at`.
    pub(super) fn unique_distance(
        &mut self,
        machine: &mut Machine,
        array: ArrayId,
        at: u32,
        came: usize,
    ) -> Result<u64> {
        let table = match self.arrays.get(&array) {
            Some(table) => table.clone(),
            None => {
                let made = Arc::new(self.unique_table(machine, array)?);
                machine.arena.budget.grow(made.iter().map(|row| 8 * row.len() + 24).sum::<usize>());
                self.arrays.insert(array, made.clone());
                made
            }
        };
        let left = (machine.arena.registers.uniques[array.index()].min as usize).saturating_sub(came);
        Ok(table[left.min(table.len() - 1)][at as usize])
    }

    /// Bounds for every state, by the number of items that must still come: Bellman-Ford over the automaton of items.
    fn unique_table(&mut self, machine: &mut Machine, array: ArrayId) -> Result<Vec<Vec<u64>>> {
        let spec = machine.arena.registers.uniques[array.index()].clone();
        let (comma, close) = (self.distance(machine, spec.comma)?, self.distance(machine, spec.close)?);
        let mut steps: Vec<Vec<(u64, u32)>> = Vec::with_capacity(spec.steps.len());
        for from in &spec.steps {
            let mut found = Vec::with_capacity(from.len());
            for &(node, next) in from {
                found.push((sum([comma, self.distance(machine, node)?]), next));
            }
            steps.push(found);
        }
        // The bounds of each state by those behind one more item.
        let mut before = |behind: &[u64]| -> Result<Vec<u64>> {
            machine.arena.spend(steps.len() as u64)?;
            let least =
                |from: &Vec<(u64, u32)>| from.iter().map(|&(cost, next)| sum([cost, behind[next as usize]])).min();
            Ok(steps.iter().map(|from| least(from).unwrap_or(NEVER)).collect())
        };
        let mut last: Vec<u64> = spec.accepting.iter().map(|&ends| if ends { close } else { NEVER }).collect();
        loop {
            let longer = before(&last)?;
            let shortest: Vec<u64> = last.iter().zip(longer).map(|(&known, found)| known.min(found)).collect();
            if shortest == last {
                break;
            }
            last = shortest;
        }
        let mut table = vec![last];
        for _ in 0..spec.min.min(MAX_ITEMS) {
            table.push(before(&table[table.len() - 1])?);
        }
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{after, bytes, machine, unique};

    fn distance(machine: &mut Machine, text: &str) -> u64 {
        let id = after(machine, text.as_bytes());
        let position = machine.position(id).clone();
        Distances::default().of_position(machine, &position).unwrap()
    }

    #[test]
    fn an_array_needs_its_missing_items_with_a_comma_each() {
        let mut machine = machine(|builder| {
            let item = bytes(builder, b'0', b'9', 2, Some(2));
            unique(builder, item, 3, None)
        });
        for (text, expected) in [
            ("", 10),
            ("[", 9),
            ("[1", 8),
            ("[12", 7),
            ("[12,", 6),
            ("[12,34", 4),
            ("[12,34,56", 1),
            ("[12,34,56,7", 2),
        ] {
            assert_eq!(distance(&mut machine, text), expected, "{text}");
        }
    }
}
