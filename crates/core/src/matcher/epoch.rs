//! One call of a matcher → its result on the shared automaton, in as many epochs as the limit of memory makes necessary.
//!
//! States of one epoch mean nothing in the next. This file begins epochs when memory is used up, and takes a matcher's
//! inputs again from its last checkpoint; the other files act as if there were one epoch only.

use crate::error::{Error, Limit, Result};
use crate::matcher::compiled::CompiledGrammar;
use crate::matcher::lazy::{Input, LazyAutomaton, MatcherState};
use crate::matcher::matcher::{Matcher, Taken};

impl Matcher {
    /// The result of `act` on the automaton at the matcher's state, with the budget of one call.
    ///
    /// When memory is used up, a new epoch begins with the checkpoints of all matchers, and `act` runs again. If memory
    /// runs out again, the next epoch begins with this matcher's last checkpoint alone. Further epochs begin only while each
    /// brings the matcher further than the one before.
    pub(super) fn on_automaton<T>(
        &mut self,
        act: impl Fn(&CompiledGrammar, &mut LazyAutomaton, MatcherState) -> Result<T>,
    ) -> Result<T> {
        let compiled = self.compiled.clone();
        let flags = [compiled.cancellation.clone(), self.cancellation.clone()];
        let mut automaton = compiled.automaton()?;
        let mut rooms = [compiled.limits.memory / 4 * 3, 0].into_iter();
        let mut reached = 0;
        let mut begun = automaton.begin_call(&compiled.limits, flags.clone());
        let result = loop {
            let entered = begun.and_then(|()| self.enter_epoch(&compiled, &mut automaton));
            let result = entered.and_then(|()| act(&compiled, &mut automaton, self.state()));
            if !result.as_ref().is_err_and(|error| matches!(**error, Error::Limit(Limit::Memory(_)))) {
                break result;
            }
            let room = match rooms.next() {
                Some(room) => room,
                None if self.trail.last_step() > reached => 0,
                None => break result,
            };
            reached = self.trail.last_step();
            begun = compiled.begin_epoch(&mut automaton, &self.trail, room, flags.clone()).map(drop);
        };
        compiled.record(&automaton);
        result
    }

    /// Take the inputs since the last checkpoint again, unless the matcher's states are those of the automaton's epoch.
    fn enter_epoch(&mut self, compiled: &CompiledGrammar, automaton: &mut LazyAutomaton) -> Result<()> {
        if self.epoch == automaton.epoch {
            return Ok(());
        }
        let last = self.trail.last_in(automaton.epoch);
        let (since, position) = last.unwrap_or((0, automaton.machine.start));
        let mut state = automaton.state(position);
        let again = &self.taken[since..];
        let mut states = Vec::with_capacity(again.len() + 1);
        states.push(state);
        for (step, taken) in (since + 1..).zip(again) {
            // Each input was once within the budget of a call of its own.
            automaton.machine.arena.budget.renew();
            let input = match taken {
                Taken::Token(token) if state.in_text && compiled.vocabulary().is_text(*token) => None,
                Taken::Token(token) => Some(Input::Token(*token)),
                Taken::Text(text) => Some(Input::Text(text)),
            };
            if let Some(input) = input {
                state = compiled.step(automaton, state, input)?.unwrap_or(state);
            }
            states.push(state);
            if self.trail.is_due(step) && !state.ended {
                self.trail.add(&compiled.checkpoints, step, automaton.epoch, state.position);
            }
        }
        automaton.machine.arena.budget.renew();
        self.history.truncate(since);
        self.history.extend(states);
        (self.epoch, self.valid_from) = (automaton.epoch, since);
        Ok(())
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
        let mut matchers: Vec<Matcher> = (0..4).map(|_| compiled.matcher(None)).collect();
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
            let mut other = compiled.matcher(None);
            take_members(&mut other, number, 2_500);
            let back = matcher.steps() - other.steps();
            begin_epoch(&compiled);
            assert!(matcher.rollback(back));
            let already = known_steps(&compiled);
            assert_eq!(bits(matcher), bits(&mut other.clone()));
            assert!(known_steps(&compiled) - already <= 2 * back + 3 * SPACING);
        }
    }

    #[test]
    fn of_matchers_that_are_gone_nothing_is_taken_over() {
        let compiled = object_of_any_keys();
        let held = |compiled: &Arc<CompiledGrammar>| {
            begin_epoch(compiled);
            let automaton = compiled.automaton().unwrap();
            automaton.memory_bytes()
        };
        let empty = held(&compiled);
        let live = |compiled: &Arc<CompiledGrammar>| held(compiled) - empty;
        let mut matchers: Vec<Matcher> = (0..4).map(|_| compiled.matcher(None)).collect();
        for (number, matcher) in matchers.iter_mut().enumerate() {
            take_members(matcher, number, 1_000);
        }
        let four = live(&compiled);
        let fork = matchers[0].clone();
        assert!(live(&compiled) <= four, "a fork has what its origin has");
        matchers.truncate(1);
        let one = live(&compiled);
        assert!(one > 0 && one < four, "{one} bytes of one matcher, {four} of four");
        drop((matchers, fork));
        assert_eq!(live(&compiled), 0);
    }

    #[test]
    fn in_a_new_epoch_texts_and_tokens_are_taken_again_in_order() {
        let compiled = object_of_any_keys();
        let (mut mixed, mut plain) = (compiled.matcher(None), compiled.matcher(None));
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
            assert!(mixed.rollback(1) && mixed.try_advance(u32::from(b':')).unwrap());
        }
    }
}
