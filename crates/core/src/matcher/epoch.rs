//! One call of a matcher → its result on the shared automaton, in as many epochs as the limit of memory makes necessary.
//!
//! States of one epoch mean nothing in the next. This file begins epochs when memory is used up, and takes a matcher's
//! inputs again from its last checkpoint; the other files act as if there were one epoch only.

use crate::error::{Error, Limit, Result};
use crate::matcher::checkpoint::Checkpoint;
use crate::matcher::compiled::CompiledGrammar;
use crate::matcher::lazy::{Input, LazyAutomaton, MatcherState};
use crate::matcher::matcher::{Matcher, Taken};

impl Matcher {
    /// The result of `act` on the automaton at the matcher's state, with the budget of one call.
    ///
    /// When memory is used up, a new epoch begins with the checkpoints of all matchers, and `act` runs again. If memory
    /// runs out again, the next epoch begins with this matcher's last checkpoint alone. Further epochs begin only while
    /// each brings the matcher further than the one before. All runs together take the steps of one call.
    pub(super) fn on_automaton<T>(
        &mut self,
        act: impl Fn(&CompiledGrammar, &mut LazyAutomaton, MatcherState) -> Result<T>,
    ) -> Result<T> {
        let compiled = self.compiled.clone();
        let (mut renewals, mut spent) = (0, 0);
        let result = {
            let mut automaton = compiled.automaton()?;
            let flags = [compiled.cancellation.clone(), self.cancellation.clone()];
            let mut began = automaton.begin_call(&compiled.limits, flags.clone());
            let mut furthest = None;
            let result = loop {
                let result = began.and_then(|()| self.states_in(&compiled, &mut automaton)).and_then(|states| {
                    automaton.machine.arena.spend(spent)?;
                    let state = states.as_ref().and_then(|(_, states)| states.last()).copied();
                    let found = act(&compiled, &mut automaton, state.unwrap_or(self.state()))?;
                    Ok((states, found))
                });
                let last = Some(self.trail.last());
                match result {
                    Err(error)
                        if matches!(*error, Error::Limit(Limit::Memory(_))) && (renewals < 2 || last > furthest) =>
                    {
                        spent = automaton.machine.arena.budget.spent_before_failure().max(spent);
                        let alone = renewals > 0;
                        if alone {
                            furthest = last;
                        }
                        let old = match compiled.renew(&mut automaton, &self.trail, flags.clone(), alone) {
                            Ok(old) => old,
                            Err(error) => break Err(error),
                        };
                        renewals += 1;
                        if alone {
                            // The automaton stays locked: no other call may use memory that this one needs.
                            drop(old);
                            began = automaton.machine.arena.budget.check();
                        } else {
                            // The old epoch is freed first, because the new one may grow as large. It is freed without the
                            // lock, so that no thread waits for it.
                            let budget = automaton.machine.arena.budget.clone();
                            drop(automaton);
                            drop(old);
                            automaton = compiled.automaton()?;
                            began = automaton.begin_call(&compiled.limits, flags.clone());
                            began = began.and_then(|()| automaton.machine.arena.budget.resume(&budget));
                        }
                    }
                    result => break result,
                }
            };
            compiled.record(&automaton);
            result.map(|(states, found)| (states, automaton.epoch, found))
        };
        let (states, epoch, found) = result?;
        if let Some((valid_from, states)) = states {
            self.history.truncate(valid_from);
            self.history.extend(states);
            (self.epoch, self.valid_from) = (epoch, valid_from);
        }
        Ok(found)
    }

    /// The matcher's states in the automaton's epoch, from its last checkpoint on, and the step of that checkpoint. None
    /// if the states that the matcher holds are of that epoch.
    fn states_in(
        &mut self,
        compiled: &CompiledGrammar,
        automaton: &mut LazyAutomaton,
    ) -> Result<Option<(usize, Vec<MatcherState>)>> {
        if self.epoch == automaton.epoch {
            return Ok(None);
        }
        let from = self.trail.before(automaton.epoch, self.steps());
        let Checkpoint { step: since, mut state } = from.unwrap_or(Checkpoint { step: 0, state: automaton.start() });
        let again = &self.taken[since..];
        let mut states = Vec::with_capacity(again.len() + 1);
        states.push(state);
        let texts = again.iter().filter(|taken| matches!(taken, Taken::Text)).count();
        let mut texts = self.texts[self.texts.len() - texts..].iter();
        for (step, taken) in (since + 1..).zip(again) {
            // Each input was once within the budget of a call of its own.
            automaton.machine.arena.budget.renew();
            let input = match taken {
                Taken::Token(token) if state.in_text && compiled.vocabulary().is_text(*token) => None,
                Taken::Token(token) => Some(Input::Token(*token)),
                Taken::Text => Some(Input::Text(texts.next().map_or(b"", |text| text))),
            };
            if let Some(input) = input {
                state = compiled.step(automaton, state, input)?.unwrap_or(state);
            }
            states.push(state);
            if self.trail.is_due(step) {
                self.trail.add(&compiled.checkpoints, automaton.epoch, Checkpoint { step, state }, self.max_rollback);
            }
        }
        automaton.machine.arena.budget.renew();
        Ok(Some((since, states)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::checkpoint::SPACING;
    use crate::matcher::fixture::{begin_epoch, bits, known_steps, object_of_any_keys, take_members};
    use std::sync::Arc;

    #[test]
    fn in_a_new_epoch_a_window_is_taken_again() {
        let compiled = object_of_any_keys();
        let mut matchers: Vec<Matcher> = (0..4).map(|_| compiled.matcher(None, None)).collect();
        for (number, matcher) in matchers.iter_mut().enumerate() {
            take_members(matcher, number, 3_000);
        }
        let held = compiled.memory_bytes();
        let before: Vec<Vec<u32>> = matchers.iter_mut().map(bits).collect();
        // The second new epoch begins before any matcher was used in the first.
        begin_epoch(&compiled);
        begin_epoch(&compiled);
        for (matcher, before) in matchers.iter_mut().zip(before) {
            let already = known_steps(&compiled);
            assert_eq!(bits(matcher), before);
            assert!(known_steps(&compiled) - already <= 2 * SPACING);
        }
        assert!(compiled.memory_bytes() < held / 2, "{held} bytes, then {}", compiled.memory_bytes());
        for (number, matcher) in matchers.iter_mut().enumerate() {
            let mut other = compiled.matcher(None, None);
            take_members(&mut other, number, 2_500);
            let back = matcher.steps() - other.steps();
            begin_epoch(&compiled);
            assert!(matcher.rollback(back).unwrap());
            let already = known_steps(&compiled);
            assert_eq!(bits(matcher), bits(&mut other.clone()));
            assert!(known_steps(&compiled) - already <= 2 * back + 3 * SPACING);
        }
    }

    #[test]
    fn of_matchers_that_are_gone_nothing_is_taken_over() {
        let compiled = object_of_any_keys();
        let first = compiled.memory_bytes();
        let mut matchers: Vec<Matcher> = (0..4).map(|_| compiled.matcher(None, None)).collect();
        for (number, matcher) in matchers.iter_mut().enumerate() {
            take_members(matcher, number, 1_000);
        }
        let live = |compiled: &Arc<CompiledGrammar>| {
            begin_epoch(compiled);
            let held = compiled.automaton().unwrap().memory_bytes();
            held - first
        };
        let four = live(&compiled);
        let fork = matchers[0].clone();
        assert!(live(&compiled) <= four, "a fork has what its origin has");
        matchers.truncate(1);
        let one = live(&compiled);
        assert!(one > 0 && one < four / 2, "{one} bytes of one matcher, {four} of four");
        drop((matchers, fork));
        assert!(live(&compiled) < one / 4);
    }

    #[test]
    fn in_a_new_epoch_texts_and_tokens_are_taken_again_in_order() {
        let compiled = object_of_any_keys();
        let (mut mixed, mut plain) = (compiled.matcher(None, None), compiled.matcher(None, None));
        for text in ["{\"", "ab", "\":1,\"c", "\""] {
            mixed.advance_bytes(text.as_bytes()).unwrap();
            mixed.advance_bytes(b"").unwrap();
            text.bytes().for_each(|byte| plain.advance(byte.into()).unwrap());
        }
        mixed.advance(u32::from(b':')).unwrap();
        plain.advance(u32::from(b':')).unwrap();
        let before = bits(&mut plain);
        for epoch in 1..=3 {
            begin_epoch(&compiled);
            assert_eq!(compiled.epoch(), epoch);
            assert_eq!((bits(&mut mixed), bits(&mut plain)), (before.clone(), before.clone()));
            assert_eq!(mixed.state().position, plain.state().position);
            assert_eq!((mixed.epoch, plain.epoch), (epoch, epoch));
            assert!(mixed.cached_mask().is_some(), "what was found out in this epoch is known");
            assert!(mixed.rollback(1).unwrap() && mixed.try_advance(u32::from(b':')).unwrap());
        }
    }
}
