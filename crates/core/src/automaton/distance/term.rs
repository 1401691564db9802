//! Term → the fewest bytes of its texts, a bound from below.
//!
//! One case per kind of term. Objects and arrays of unique items have bounds of their own (`object`, `array`).

use crate::automaton::distance::object::CurrentMember;
use crate::automaton::distance::{difference, product, sum, Distances, ESCAPE_PENALTY, NEVER};
use crate::automaton::machine::Machine;
use crate::error::Result;
use crate::json::registers::ObjectState;
use crate::regular::term::{Spelling, Term, TermId};
use std::sync::Arc;

impl Distances {
    /// The distance of a term whose distance is not cached.
    pub(super) fn compute_distance(&mut self, machine: &mut Machine, id: TermId) -> Result<u64> {
        let nullable = machine.arena.info(id).nullable;
        let structural = machine.arena.info(id).structural;
        let least = match *machine.arena.term(id) {
            Term::Empty => NEVER,
            Term::Special(_) => self.special,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{bytes, machine, string, words};
    use crate::builder::Builder;
    use crate::regular::term::EMPTY;

    /// The fewest bytes of a term after each of these texts.
    fn check(make: impl FnOnce(&mut Builder) -> TermId, cases: &[(&str, u64)]) {
        let mut root = EMPTY;
        let mut machine = machine(|builder| {
            root = make(builder);
            root
        });
        for &(text, expected) in cases {
            let term = text.bytes().fold(root, |term, byte| machine.arena.derive(term, byte).unwrap());
            assert_ne!(term, EMPTY, "after {text}");
            assert_eq!(Distances::default().distance(&mut machine, term).unwrap(), expected, "after {text}");
        }
    }

    #[test]
    fn a_text_is_as_far_as_its_bytes() {
        check(|builder| builder.literal(b"abc").unwrap(), &[("", 3), ("a", 2), ("abc", 0)]);
        check(|builder| words(builder, &["abc", "abde", "x"]), &[("", 1), ("a", 2), ("abd", 1)]);
        check(|builder| bytes(builder, b'a', b'z', 1, Some(1)), &[("", 1), ("q", 0)]);
        let mut machine = machine(|builder| builder.literal(b"x").unwrap());
        assert_eq!(Distances::default().distance(&mut machine, EMPTY).unwrap(), NEVER);
    }

    #[test]
    fn parts_are_added_and_the_shortest_alternative_counts() {
        let make = |builder: &mut Builder| {
            let pair = builder.literal(b"ab").unwrap();
            let pairs = builder.repeat(pair.number(), 3, Some(5)).unwrap();
            let digits = bytes(builder, b'0', b'9', 2, None);
            let long = builder.cat(&[pairs.number(), digits.number()]).unwrap();
            let other = bytes(builder, b'x', b'z', 9, None);
            builder.alt(&[long.number(), other.number()]).unwrap()
        };
        check(make, &[("", 8), ("a", 7), ("ababab", 2), ("ababab1", 1), ("ababab12", 0), ("x", 8)]);
        check(|builder| bytes(builder, b'0', b'9', 0, Some(3)), &[("", 0)]);
    }

    #[test]
    fn a_string_needs_its_quotes_and_a_byte_per_character() {
        check(|builder| string(builder, 2, Some(5)), &[("", 4), ("\"", 3), ("\"a", 2), ("\"ab", 1), ("\"ab\"", 0)]);
        let known = |builder: &mut Builder| {
            let text = builder.literal("é!".as_bytes()).unwrap();
            builder.quoted(text.number(), true).unwrap()
        };
        check(known, &[("", 5), ("\"", 4), ("\"é", 2)]);
    }

    #[test]
    fn an_open_escape_counts_the_digits_that_it_lacks() {
        let strings = |builder: &mut Builder| string(builder, 0, None);
        let cases = [
            ("\"\\", 2),
            ("\"\\u", 5 + ESCAPE_PENALTY),
            ("\"\\u00", 3 + ESCAPE_PENALTY),
            ("\"\\ud83d", 7),
            ("\"\\ud83d\\", 6),
            ("\"\\ud83d\\u", 5),
            ("\"\\ud83d\\ude", 3),
            ("\"\\ud83d\\ude00", 1),
        ];
        check(strings, &cases);
        let two = |builder: &mut Builder| string(builder, 2, None);
        check(two, &[("\"\\", 3), ("\"\\u0", 5 + ESCAPE_PENALTY), ("\"\\ud83d\\u", 6)]);
    }
}
