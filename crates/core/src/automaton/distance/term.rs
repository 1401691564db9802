//! Term → the fewest bytes of its texts, a bound from below.
//!
//! One case per kind of term. Objects and arrays of unique items have bounds of their own (`object`, `array`).

use crate::automaton::distance::object::CurrentMember;
use crate::automaton::distance::{difference, product, sum, Distances, ESCAPE_PENALTY, NEVER};
use crate::automaton::machine::Machine;
use crate::error::Result;
use crate::regular::registers::ObjectState;
use crate::regular::term::{Spelling, Term, TermId};
use std::sync::Arc;

impl Distances {
    /// The distance of a term whose distance is not cached.
    pub(super) fn compute_distance(&mut self, machine: &mut Machine, id: TermId) -> Result<u64> {
        let nullable = machine.arena.info(id).nullable;
        let structural = machine.arena.info(id).structural;
        let least = match *machine.arena.term(id) {
            Term::Empty | Term::Special(_) => NEVER,
            Term::Epsilon => 0,
            Term::Class(_) => 1,
            Term::Literal { literal, position } => {
                machine.arena.terms.literals[literal.index()].len() as u64 - u64::from(position)
            }
            Term::Words { set, low, high, depth } => {
                let words = &machine.arena.terms.word_sets[set.index()].words[low as usize..high as usize];
                words.iter().map(|word| word.len() as u64 - u64::from(depth)).min().unwrap_or(NEVER)
            }
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
                    if !structural {
                        all = all.max(u64::from(machine.arena.info(end).min_chars));
                    }
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
            Term::And(ref parts) => {
                let mut least = 0;
                for &part in parts.clone().iter() {
                    least = least.max(self.distance(machine, part)?);
                }
                least
            }
            Term::Keys(_) | Term::Multiple { .. } | Term::Not(_) => u64::from(!nullable),
            Term::Repeat { min: 0, .. } => 0,
            Term::Repeat { body, min, .. } => product(u64::from(min), self.distance(machine, body)?),
            Term::Bounded { body, .. } => self.distance(machine, body)?,
            Term::Quoted { text, state, .. } => {
                // Every spelling of a character has at least one byte per character.
                let chars = u64::from(machine.arena.info(text).min_chars);
                let text = self.distance(machine, text)?;
                let (open, spelled) = match state {
                    Spelling::Start => (1, 0),
                    Spelling::Body => (0, 0),
                    Spelling::Escape => (1, 1),
                    Spelling::Hex { digits, .. } => (4 - u64::from(digits) + ESCAPE_PENALTY, 3),
                    Spelling::LowEscape { .. } => (6, 4),
                    Spelling::LowU { .. } => (5, 4),
                    Spelling::Low { digits, .. } => (4 - u64::from(digits), 4),
                };
                // An open escape counts as one character.
                let open_chars = u64::from(spelled > 0);
                sum([open, difference(text, spelled).max(chars.saturating_sub(open_chars)), 1])
            }
            Term::Call(rule) => self.rules.get(rule.index()).copied().unwrap_or(0),
            Term::Unique(array) => {
                let spec = machine.arena.registers.uniques[array.index()].clone();
                let mut least = NEVER;
                if spec.accepting[0] && spec.min == 0 {
                    least = self.distance(machine, spec.empty)?;
                }
                let open = self.distance(machine, spec.open)?;
                for &(node, next) in &spec.steps[0] {
                    let item = self.distance(machine, node)?;
                    least = least.min(sum([open, item, self.unique_distance(machine, array, next, 1)?]));
                }
                least
            }
            Term::UniqueItem { array, state } => {
                let spec = machine.arena.registers.uniques[array.index()].clone();
                let (at, came) = machine.arena.registers.unique_states[state.index()].progress();
                let mut least = NEVER;
                for &(node, next) in &spec.steps[at as usize] {
                    let item = self.distance(machine, node)?;
                    least = least.min(sum([item, self.unique_distance(machine, array, next, came + 1)?]));
                }
                least
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
                    let key = self.key_distance(machine, object, &rest)?;
                    sum([open, key])
                }
            }
            Term::ObjectKey { object, state } => {
                let rest = self.remaining_members(machine, object, state)?;
                self.key_distance(machine, object, &rest)?
            }
            Term::ObjectNext { object, state } => {
                let rest = self.remaining_members(machine, object, state)?;
                self.next_distance(machine, object, &rest, 0)?
            }
            Term::KeyNamed { object, state, low, high, depth } => {
                let spec = machine.arena.registers.objects[object.index()].clone();
                let choices = machine.arena.choices(object, state)?;
                let mut least = NEVER;
                for (spelling, property) in &spec.sorted[low as usize..high as usize] {
                    if choices.allows(*property) {
                        let letters = spelling.len() as u64 - u64::from(depth);
                        least = least.min(sum([
                            letters,
                            self.member_distance(machine, object, state, CurrentMember::Named(*property))?,
                        ]));
                    }
                }
                least
            }
            Term::KeyDone { object, state, property } => {
                self.member_distance(machine, object, state, CurrentMember::Named(property))?
            }
            Term::KeyExtra { object, state, extra, inner, .. } => {
                let letters = self.distance(machine, inner)?;
                sum([letters, self.member_distance(machine, object, state, CurrentMember::Other(extra))?])
            }
        };
        Ok(if structural { least } else { least.max(u64::from(machine.arena.info(id).min_chars)) })
    }
}
