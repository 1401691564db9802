//! State of an array with unique items × items that must come → the fewest bytes until its end.
//!
//! A table per array, by missing items and state. Uniqueness itself is ignored, so the bound may be too low.

use crate::automaton::distance::{sum, Distances, MAX_ITEMS, NEVER};
use crate::automaton::machine::Machine;
use crate::error::Result;
use crate::regular::id::ArrayId;
use std::sync::Arc;

impl Distances {
    /// The fewest bytes from between two items to the end of an array, after `came` items and in state `at`.
    pub(super) fn unique_distance(
        &mut self,
        machine: &mut Machine,
        array: ArrayId,
        at: u32,
        came: usize,
    ) -> Result<u64> {
        let spec = machine.arena.registers.uniques[array.index()].clone();
        let left = (spec.min as usize).saturating_sub(came).min(MAX_ITEMS as usize);
        let table = match self.arrays.get(&array) {
            Some(table) => table.clone(),
            None => {
                let made = Arc::new(self.unique_table(machine, array)?);
                machine.arena.budget.grow(made.iter().map(|row| 8 * row.len() + 24).sum::<usize>());
                self.arrays.insert(array, made.clone());
                made
            }
        };
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
        let mut last: Vec<u64> =
            spec.accepting.iter().map(|&accepting| if accepting { close } else { NEVER }).collect();
        loop {
            machine.arena.spend(steps.len() as u64)?;
            let mut changed = false;
            for (at, from) in steps.iter().enumerate() {
                for &(cost, next) in from {
                    let through = sum([cost, last[next as usize]]);
                    if through < last[at] {
                        last[at] = through;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let mut table = vec![last];
        for _ in 0..spec.min.min(MAX_ITEMS) {
            machine.arena.spend(steps.len() as u64)?;
            let before = &table[table.len() - 1];
            let row = steps
                .iter()
                .map(|from| from.iter().map(|&(cost, next)| sum([cost, before[next as usize]])).min().unwrap_or(NEVER));
            table.push(row.collect());
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
