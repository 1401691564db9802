//! Term → the fewest bytes of its texts, a bound from below.
//!
//! One case per kind of structural term; `regular/distance` knows the others. Objects and arrays of unique items have bounds
//! of their own (`object`, `array`).

use crate::automaton::distance::{product, sum, Distances, NEVER};
use crate::automaton::machine::Machine;
use crate::error::Result;
use crate::json::registers::{ObjectState, UniqueState};
use crate::regular::term::{Term, TermId};
use std::sync::Arc;

impl Distances {
    /// The distance of a structural term whose distance is not cached.
    pub(super) fn compute_distance(&mut self, machine: &mut Machine, id: TermId) -> Result<u64> {
        Ok(match *machine.arena.term(id) {
            Term::Special(_) => self.special,
            Term::Cat(..) | Term::Seq(..) => {
                // Every suffix of the chain is cached, so a long chain is summed once.
                let (mut chain, mut rest) = (Vec::new(), id);
                while let Term::Cat(left, right) | Term::Seq(left, right) = *machine.arena.term(rest) {
                    if self.terms.contains_key(&rest) {
                        break;
                    }
                    chain.push((rest, left));
                    rest = right;
                }
                let mut all = self.distance(machine, rest)?;
                for (end, left) in chain.into_iter().rev() {
                    machine.arena.spend(1)?;
                    all = sum([self.distance(machine, left)?, all]);
                    if end != id {
                        machine.arena.budget.grow(24);
                        self.terms.insert(end, all);
                    }
                }
                all
            }
            Term::Alt(ref parts) => {
                let mut least = NEVER;
                for &part in parts.clone().iter() {
                    least = least.min(self.distance(machine, part)?);
                }
                least
            }
            Term::Repeat { min: 0, .. } => 0,
            Term::Repeat { body, min, .. } => product(u64::from(min), self.distance(machine, body)?),
            Term::Call(rule) => self.rules.get(rule.index()).copied().unwrap_or(0),
            Term::Unique(array) => {
                let spec = machine.arena.registers.uniques[array.index()].clone();
                let open = self.distance(machine, spec.open)?;
                let items = sum([open, self.item_distance(machine, array, UniqueState::default().progress())?]);
                match spec.accepting[0] && spec.min == 0 {
                    true => items.min(self.distance(machine, spec.empty)?),
                    false => items,
                }
            }
            Term::UniqueItem { array, state } => {
                self.item_distance(machine, array, machine.arena.registers.unique_states[state.index()].progress())?
            }
            Term::UniqueNext { array, state } => {
                let (at, came) = machine.arena.registers.unique_states[state.index()].progress();
                self.unique_distance(machine, array, at, came)?
            }
            Term::UniqueEnd { array, state, step, .. } => {
                let (at, came) = machine.arena.registers.unique_states[state.index()].progress();
                let next = machine.arena.registers.uniques[array.index()].steps[at as usize][step as usize].1;
                self.unique_distance(machine, array, next, came + 1)?
            }
            Term::Object(object) => {
                let spec = machine.arena.registers.objects[object.index()].clone();
                let start = ObjectState::default();
                if spec.can_close(&start) {
                    self.distance(machine, spec.empty)?
                } else {
                    let open = self.distance(machine, spec.open)?;
                    let rest = Arc::new(self.compute_remaining_members(machine, object, &start)?);
                    sum([open, self.key_distance(machine, object, &rest)?])
                }
            }
            Term::ObjectKey { object, state } => {
                let rest = self.remaining_members(machine, object, state)?;
                self.key_distance(machine, object, &rest)?
            }
            Term::ObjectNext { object, state } => {
                let rest = self.remaining_members(machine, object, state)?;
                self.next_distance(machine, object, &rest, None, 0)?
            }
            Term::KeyNamed { object, state, low, high, depth } => {
                let spec = machine.arena.registers.objects[object.index()].clone();
                let choices = machine.arena.choices(object, state)?;
                let mut least = NEVER;
                for (spelling, property) in &spec.sorted[low as usize..high as usize] {
                    if choices.allows(*property) {
                        let letters = spelling.len() as u64 - u64::from(depth);
                        let member = self.member_distance(machine, object, state, *property as usize)?;
                        least = least.min(sum([letters, member]));
                    }
                }
                least
            }
            Term::KeyDone { object, state, property } => {
                self.member_distance(machine, object, state, property as usize)?
            }
            Term::KeyExtra { object, state, extra, inner, .. } => {
                let letters = self.distance(machine, inner)?;
                let place = machine.arena.registers.objects[object.index()].properties.len() + extra as usize;
                sum([letters, self.member_distance(machine, object, state, place)?])
            }
            ref term => unreachable!("not a structural term: {term:?}"),
        })
    }
}
