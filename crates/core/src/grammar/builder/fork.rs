//! A builder → builders that go on from it: what all of them would find out is found out once, before the first.

use crate::grammar::builder::Builder;
use crate::grammar::rules::Rules;
use crate::limits::{Cancellation, Limits};
use crate::regular::term::{TermId, EPSILON};
use crate::vocabulary::long_tokens::SHORT_TOKEN_CHARS;
use std::sync::Arc;

/// So many nodes of what all forks have are looked at for them: a builder may hold far more than any fork will ask about.
const REHEARSED: usize = 1_000;

/// Code points of the longest token of most large vocabularies: a run of spaces.
const USUAL_LONGEST: u32 = 128;

/// The rules of a builder that was forked, prepared for all forks that will have no others.
pub(crate) struct Ready {
    /// How many they were.
    pub count: usize,
    /// Nothing if one of them was not defined yet.
    pub rules: Option<Rules>,
}

impl Builder {
    /// A copy with limits of its own: equal nodes have equal ids in both, and either may go on alone.
    pub fn fork(&mut self, limits: Limits, cancellation: Option<Cancellation>) -> Self {
        if !self.is_ground {
            self.rehearse();
        }
        let count = self.rules.names.len();
        if self.ready.as_ref().is_none_or(|ready| ready.count != count || ready.rules.is_none()) {
            let mut rules = Rules::clone(&self.rules);
            let is_ready = rules.prepare(self.fresh(), None, EPSILON).is_ok();
            rules.share();
            self.ready = Some(Arc::new(Ready { count, rules: is_ready.then_some(rules) }));
        }
        if !self.is_ground {
            self.arena.compact();
            self.is_ground = true;
        }
        let mut copy = Builder {
            arena: Box::new(self.arena.overlay()),
            rules: self.rules.clone(),
            specials: self.specials.clone(),
            ready: self.ready.clone(),
            is_ground: false,
            steps: 0,
        };
        copy.arena.budget.reset_held();
        copy.arena.budget.set_cancellations([cancellation, None]);
        copy.arena.begin(&limits);
        copy
    }

    /// Finds out what every copy would: where the regular nodes lead, what they are to tokens, what objects are made of.
    /// As far as it goes: what is not known here is found out there.
    fn rehearse(&mut self) {
        let arena = self.fresh();
        for object in 0..arena.registers.objects.len().min(REHEARSED) {
            arena.is_usual(object as u32);
        }
        let mut next = 0;
        while next < arena.len().min(REHEARSED) {
            let node = TermId(next as u32);
            next += 1;
            if arena.info(node).structural {
                continue;
            }
            let counts = arena.info(node).counts;
            arena.first_bytes(node);
            let known = arena.byte_transitions(node).map(drop);
            let clipped = [SHORT_TOKEN_CHARS, USUAL_LONGEST]
                .into_iter()
                .filter(|_| counts)
                .try_for_each(|reach| arena.saturate(node, reach).map(drop));
            if known.and(clipped).is_err() {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_of_many_nodes_looks_at_some_of_them() {
        let mut builder = Builder::default();
        for number in 0..4 * REHEARSED as u32 {
            builder.literal(&[b"text".as_slice(), &number.to_be_bytes()].concat()).unwrap();
        }
        let before = builder.arena.len();
        builder.fork(Limits::default(), None);
        // Each leads to one node: what is left of it.
        let made = builder.arena.len() - before;
        assert!((REHEARSED / 2..=REHEARSED).contains(&made), "{made}");
    }
    #[test]
    fn what_a_later_fork_prepares_is_under_it_too() {
        let mut builder = Builder::default();
        let (rule, text) = (builder.rule("texts").unwrap(), builder.literal(b"x").unwrap());
        let more = builder.seq(&[rule.0, text.0]).unwrap();
        let body = builder.alt(&[text.0, more.0]).unwrap();
        builder.fork(Limits::default(), None);
        builder.define(rule.0, body.0).unwrap();
        let before = builder.arena.len();
        let fork = builder.fork(Limits::default(), None);
        assert!(builder.arena.len() > before, "to remove left recursion makes terms");
        assert_eq!(fork.arena.len(), builder.arena.len());
    }
}
