//! Term → the fewest bytes of its texts, a bound from below.
//!
//! One case per kind of term. Objects and arrays of unique items have bounds of their own (`object`, `array`).

use crate::automaton::distance::object::CurrentMember;
use crate::automaton::distance::{difference, product, sum, ESCAPE_PENALTY, NEVER};
use crate::automaton::machine::Machine;
use crate::error::Result;
use crate::regular::registers::ObjectState;
use crate::regular::term::{Spelling, Term, TermId};
use std::sync::Arc;

impl Machine {
    /// The distance of a term whose distance is not cached.
    pub(super) fn compute_distance(&mut self, id: TermId) -> Result<u64> {
        let nullable = self.arena.info(id).nullable;
        let structural = self.arena.info(id).structural;
        let least = match *self.arena.term(id) {
            Term::Empty | Term::Special(_) => NEVER,
            Term::Epsilon => 0,
            Term::Class(_) => 1,
            Term::Literal { literal, position } => {
                self.arena.terms.literals[literal.index()].len() as u64 - u64::from(position)
            }
            Term::Words { set, low, high, depth } => {
                let words = &self.arena.terms.word_sets[set.index()].words[low as usize..high as usize];
                words.iter().map(|word| word.len() as u64 - u64::from(depth)).min().unwrap_or(NEVER)
            }
            Term::Cat(..) | Term::Seq(..) => {
                // Every suffix of the chain is cached, so a long chain is summed once.
                let (mut chain, mut rest) = (Vec::new(), id);
                while let Term::Cat(left, right) | Term::Seq(left, right) = *self.arena.term(rest) {
                    if self.distances.terms.contains_key(&rest) {
                        break;
                    }
                    chain.push((rest, left));
                    rest = right;
                }
                let mut all = self.distance(rest)?;
                for (end, left) in chain.into_iter().rev() {
                    self.arena.spend(1)?;
                    all = sum([self.distance(left)?, all]);
                    if !structural {
                        all = all.max(u64::from(self.arena.info(end).min_chars));
                    }
                    if end != id {
                        self.arena.budget.grow(24);
                        self.distances.terms.insert(end, all);
                    }
                }
                all
            }
            Term::Alt(ref parts) => {
                let mut least = NEVER;
                for &part in parts.clone().iter() {
                    least = least.min(self.distance(part)?);
                }
                least
            }
            Term::And(ref parts) => {
                let mut least = 0;
                for &part in parts.clone().iter() {
                    least = least.max(self.distance(part)?);
                }
                least
            }
            Term::Keys(_) | Term::Multiple { .. } | Term::Not(_) => u64::from(!nullable),
            Term::Repeat { min: 0, .. } => 0,
            Term::Repeat { body, min, .. } => product(u64::from(min), self.distance(body)?),
            Term::Bounded { body, .. } => self.distance(body)?,
            Term::Quoted { text, state, .. } => {
                // Every spelling of a character has at least one byte per character.
                let chars = u64::from(self.arena.info(text).min_chars);
                let text = self.distance(text)?;
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
            Term::Call(rule) => self.distances.rules.get(rule.index()).copied().unwrap_or(0),
            Term::Unique(array) => {
                let spec = self.arena.registers.uniques[array.index()].clone();
                let mut least = NEVER;
                if spec.accepting[0] && spec.min == 0 {
                    least = self.distance(spec.empty)?;
                }
                let open = self.distance(spec.open)?;
                for &(node, next) in &spec.steps[0] {
                    let item = self.distance(node)?;
                    least = least.min(sum([open, item, self.unique_distance(array, next, 1)?]));
                }
                least
            }
            Term::UniqueItem { array, state } => {
                let spec = self.arena.registers.uniques[array.index()].clone();
                let (at, came) = self.arena.registers.unique_states[state.index()].progress();
                let mut least = NEVER;
                for &(node, next) in &spec.steps[at as usize] {
                    let item = self.distance(node)?;
                    least = least.min(sum([item, self.unique_distance(array, next, came + 1)?]));
                }
                least
            }
            Term::UniqueNext { array, state } => {
                let (at, came) = self.arena.registers.unique_states[state.index()].progress();
                self.unique_distance(array, at, came)?
            }
            Term::UniqueEnd { array, state, step, .. } => {
                let (at, came) = self.arena.registers.unique_states[state.index()].progress();
                let next = self.arena.registers.uniques[array.index()].steps[at as usize][step as usize].1;
                self.unique_distance(array, next, came + 1)?
            }
            Term::Object(object) => {
                let spec = self.arena.registers.objects[object.index()].clone();
                let start = ObjectState::default();
                if spec.can_close(&start) {
                    self.distance(spec.empty)?
                } else {
                    let open = self.distance(spec.open)?;
                    let rest = Arc::new(self.compute_remaining_members(object, &start)?);
                    let key = self.key_distance(object, &rest)?;
                    sum([open, key])
                }
            }
            Term::ObjectKey { object, state } => {
                let rest = self.remaining_members(object, state)?;
                self.key_distance(object, &rest)?
            }
            Term::ObjectNext { object, state } => {
                let rest = self.remaining_members(object, state)?;
                self.next_distance(object, &rest, 0)?
            }
            Term::KeyNamed { object, state, low, high, depth } => {
                let spec = self.arena.registers.objects[object.index()].clone();
                let choices = self.arena.choices(object, state)?;
                let mut least = NEVER;
                for (spelling, property) in &spec.sorted[low as usize..high as usize] {
                    if choices.allows(*property) {
                        let letters = spelling.len() as u64 - u64::from(depth);
                        least = least
                            .min(sum([letters, self.member_distance(object, state, CurrentMember::Named(*property))?]));
                    }
                }
                least
            }
            Term::KeyDone { object, state, property } => {
                self.member_distance(object, state, CurrentMember::Named(property))?
            }
            Term::KeyExtra { object, state, extra, inner, .. } => {
                let letters = self.distance(inner)?;
                sum([letters, self.member_distance(object, state, CurrentMember::Other(extra))?])
            }
        };
        Ok(if structural { least } else { least.max(u64::from(self.arena.info(id).min_chars)) })
    }
}
