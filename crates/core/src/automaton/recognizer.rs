//! Grammar × whole text → whether the text is a sentence, or a prefix of one.
//!
//! Recognition needs no vocabulary and no masks, so it stands apart from them. The machine is kept for the next text.

use crate::automaton::machine::Machine;
use crate::automaton::position::DEAD;
use crate::error::{Error, Limit, Result};
use crate::grammar::grammar::Grammar;
use crate::limits::{Cancellation, Limits, Pause};
use crate::storage::exclusive::Exclusive;
use std::sync::Arc;

/// The limits of one reading, and the flag that ends it early.
#[derive(Clone, Default)]
pub struct Allowance {
    /// Steps, memory and time.
    pub limits: Limits,
    /// Ends the reading from another thread.
    pub cancellation: Option<Cancellation>,
    /// Is called now and then during a long reading.
    pub pause: Option<Pause>,
}

/// Whether a text is in the language of a grammar, and whether it is the beginning of one that is.
#[derive(Clone, Copy)]
pub struct Reading {
    /// Whether it is a sentence.
    pub is_sentence: bool,
    /// Whether some sentence begins with it.
    pub is_prefix: bool,
}

/// Reads whole texts by one grammar, one call at a time.
pub struct Recognizer {
    grammar: Arc<Grammar>,
    machine: Exclusive<Option<Box<Machine>>>,
}

impl Recognizer {
    /// A recognizer with an empty cache.
    pub fn new(grammar: Arc<Grammar>) -> Self {
        Recognizer { grammar, machine: Exclusive::default() }
    }

    /// The grammar that the recognizer reads by.
    pub fn grammar(&self) -> &Arc<Grammar> {
        &self.grammar
    }

    /// Bytes of the cached machine; 0 while a call is running.
    pub fn memory_bytes(&self) -> usize {
        let machine = self.machine.try_lock();
        machine.iter().flat_map(|machine| machine.iter()).map(|machine| machine.memory_bytes()).sum()
    }

    /// Whether the text is a sentence, by default limits. `pause` is called now and then during a long call.
    pub fn accepts(&self, data: &[u8], pause: Option<Pause>) -> Result<bool> {
        Ok(self.read(data, &Allowance { pause, ..Allowance::default() })?.is_sentence)
    }

    /// Whether the text is a prefix of a sentence, by default limits.
    pub fn accepts_prefix(&self, data: &[u8], pause: Option<Pause>) -> Result<bool> {
        Ok(self.read(data, &Allowance { pause, ..Allowance::default() })?.is_prefix)
    }

    /// Whether the text is a sentence, and whether it is a prefix of one. Errors: limits.
    pub fn read(&self, data: &[u8], allowance: &Allowance) -> Result<Reading> {
        self.run(allowance, |machine| {
            let id = machine.read(machine.start, data)?;
            Ok(Reading { is_sentence: machine.position(id).accepting, is_prefix: id != DEAD })
        })
    }

    /// The lengths of all prefixes of the text that are sentences, shortest first. Errors: limits.
    pub fn ends(&self, data: &[u8], allowance: &Allowance) -> Result<Vec<usize>> {
        self.run(allowance, |machine| {
            let (mut ends, mut id) = (Vec::new(), machine.start);
            for length in 0..=data.len() {
                if machine.position(id).accepting {
                    ends.push(length);
                }
                if id == DEAD || length == data.len() {
                    break;
                }
                id = machine.read(id, &data[length..=length])?;
            }
            Ok(ends)
        })
    }

    /// Runs a call on the machine, which is kept for the next one.
    fn run<T>(&self, allowance: &Allowance, call: impl FnOnce(&mut Machine) -> Result<T>) -> Result<T> {
        let mut held = self.machine.take(allowance.pause)?;
        let (limits, cancellations) = (&allowance.limits, [allowance.cancellation.clone(), None]);
        // No position outlives its text, so a new machine may start at any text.
        let machine = match held.take().filter(|machine| machine.memory_bytes() <= limits.memory) {
            Some(machine) => held.insert(machine),
            None => held.insert(Machine::of(&self.grammar, limits, cancellations.clone(), allowance.pause)?),
        };
        machine.arena.budget.set_pause(allowance.pause);
        machine.arena.budget.set_cancellations(cancellations);
        machine.begin(limits);
        let done = machine.arena.budget.check().and_then(|()| call(machine));
        if matches!(&done, Err(error) if matches!(**error, Error::Limit(Limit::Memory(_)))) {
            // Other texts rarely need so much memory.
            *held = None;
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{bytes, seq};
    use crate::builder::Builder;

    /// a (b c)*, or x* if `nullable`.
    fn recognizer(nullable: bool) -> Recognizer {
        let mut builder = Builder::default();
        let a = builder.literal(b"a").unwrap();
        let two = builder.literal(b"bc").unwrap();
        let more = builder.repeat(two.number(), 0, None).unwrap();
        let root = if nullable { bytes(&mut builder, b'x', b'x', 0, None) } else { seq(&mut builder, &[a, more]) };
        Recognizer::new(builder.build(root.number()).unwrap())
    }

    #[test]
    fn the_ends_are_the_lengths_of_all_prefixes_that_are_sentences() {
        let (some, any) = (recognizer(false), recognizer(true));
        for (text, ends) in
            [("", vec![]), ("a", vec![1]), ("abcbc", vec![1, 3, 5]), ("abcx", vec![1, 3]), ("x", vec![])]
        {
            assert_eq!(some.ends(text.as_bytes(), &Allowance::default()).unwrap(), ends, "{text}");
        }
        assert_eq!(any.ends(b"", &Allowance::default()).unwrap(), [0]);
        assert_eq!(any.ends(b"xxy", &Allowance::default()).unwrap(), [0, 1, 2]);
    }

    #[test]
    fn the_machine_is_kept_unless_it_took_too_much_memory() {
        let recognizer = recognizer(false);
        assert_eq!(recognizer.memory_bytes(), 0);
        recognizer.accepts(b"abc", None).unwrap();
        let held = recognizer.memory_bytes();
        assert!(held > 0);
        recognizer.accepts(b"abc", None).unwrap();
        assert_eq!(recognizer.memory_bytes(), held, "the second reading finds all steps");
        let failing =
            |limit| recognizer.run(&Allowance::default(), |_| Err::<(), _>(Error::Limit(limit).into())).unwrap_err();
        assert_eq!(*failing(Limit::Steps(1)), Error::Limit(Limit::Steps(1)));
        assert_eq!(recognizer.memory_bytes(), held);
        assert_eq!(*failing(Limit::Memory(1)), Error::Limit(Limit::Memory(1)));
        assert_eq!(recognizer.memory_bytes(), 0);
        assert_eq!(recognizer.accepts(b"abc", None), Ok(true), "the next call begins anew");
    }

    #[test]
    fn a_reading_obeys_the_limits_and_the_cancellation_that_it_was_given() {
        let recognizer = recognizer(false);
        let few = Allowance { limits: Limits { steps: 1, ..Limits::default() }, ..Allowance::default() };
        let error = |allowance: &Allowance| *recognizer.read(b"abcbc", allowance).err().unwrap();
        assert_eq!(error(&few), Error::Limit(Limit::Steps(1)));
        let cancellation = Cancellation::default();
        let allowance = Allowance { cancellation: Some(cancellation.clone()), ..Allowance::default() };
        assert!(recognizer.read(b"abcbc", &allowance).is_ok_and(|reading| reading.is_sentence));
        cancellation.cancel();
        assert_eq!(error(&allowance), Error::Limit(Limit::Cancelled));
        assert_eq!(recognizer.accepts(b"abcbc", None), Ok(true), "the next reading has limits of its own");
    }
}
