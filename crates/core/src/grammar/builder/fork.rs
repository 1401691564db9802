//! Builder → builders that continue from it, one per schema.
//!
//! Work that every fork would repeat is done once before the first fork.

use crate::grammar::builder::embed::SharedEmbeddings;
use crate::grammar::builder::Builder;
use crate::grammar::rules::Rules;
use crate::limits::{Cancellation, Limits};
use crate::regular::id::ObjectId;
use crate::regular::term::{TermId, EPSILON};
use std::sync::Arc;

/// Nodes that are prepared for all forks. A builder may hold many more than any fork will use.
const MAX_WARMED_NODES: usize = 1_000;

/// Code points of the longest token of most large vocabularies, a run of spaces.
const COMMON_LONGEST_TOKEN: u32 = 128;

/// The rules of a builder at its first fork, prepared for all forks that add no rules.
pub(crate) struct PreparedRules {
    /// The number of rules when they were prepared.
    pub count: usize,
    /// None if one of the rules was not defined yet.
    pub rules: Option<Rules>,
}

/// A builder that never changes again: several threads may fork it at once.
pub struct BuilderBase(Builder);

impl BuilderBase {
    /// A builder that continues from this one under its own limits.
    pub fn fork(&self, limits: Limits, cancellation: Option<Cancellation>) -> Builder {
        self.0.branch(limits, cancellation)
    }
}

impl Builder {
    /// A builder that continues from this one under its own limits. Equal nodes keep equal numbers, and the two may
    /// diverge.
    pub fn fork(&mut self, limits: Limits, cancellation: Option<Cancellation>) -> Self {
        self.make_base();
        self.branch(limits, cancellation)
    }

    /// The builder, never to change again, for forks from many threads.
    pub fn into_base(mut self) -> BuilderBase {
        self.make_base();
        BuilderBase(self)
    }

    /// Does what every fork would, unless that was done and nothing changed since.
    fn make_base(&mut self) {
        if !self.is_base {
            self.warm_up();
        }
        let count = self.rules.names.len();
        if self.prepared.as_ref().is_none_or(|prepared| prepared.count != count || prepared.rules.is_none()) {
            let mut rules = Rules::clone(&self.rules);
            let is_ready = rules.prepare(self.begin_call(), None, EPSILON).is_ok();
            rules.share();
            self.prepared = Some(Arc::new(PreparedRules { count, rules: is_ready.then_some(rules) }));
        }
        if !self.is_base {
            self.arena.compact();
            self.is_base = true;
        }
    }

    /// A builder that continues from this one, which is a base.
    fn branch(&self, limits: Limits, cancellation: Option<Cancellation>) -> Self {
        let mut copy = Builder {
            arena: Box::new(self.arena.overlay()),
            rules: self.rules.clone(),
            specials: self.specials.clone(),
            prepared: self.prepared.clone(),
            embedded: SharedEmbeddings::default(),
            is_base: false,
            steps: 0,
            string_texts: self.string_texts,
            escaped: self.escaped,
        };
        copy.arena.budget.reset_held();
        copy.arena.budget.set_cancellations([cancellation, None]);
        copy.arena.begin(&limits);
        copy
    }

    /// Finds out what every copy would: where the regular nodes lead, what they are to tokens, what objects are made of.
    /// As far as it goes: what is not known here is found out there.
    fn warm_up(&mut self) {
        let arena = self.begin_call();
        for object in 0..arena.registers.objects.len().min(MAX_WARMED_NODES) {
            arena.has_usual_separators(ObjectId::at(object));
        }
        let mut next = 0;
        while next < arena.len().min(MAX_WARMED_NODES) {
            let node = TermId::at(next);
            next += 1;
            if arena.info(node).structural {
                continue;
            }
            let counts = arena.info(node).counts;
            arena.first_bytes(node);
            let known = arena.byte_transitions(node).map(drop);
            let clipped = if counts { arena.saturate(node, COMMON_LONGEST_TOKEN).map(drop) } else { Ok(()) };
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
        for number in 0..4 * MAX_WARMED_NODES as u32 {
            builder.literal(&[b"text".as_slice(), &number.to_be_bytes()].concat()).unwrap();
        }
        let before = builder.arena.len();
        builder.fork(Limits::default(), None);
        // Each leads to one node: what is left of it.
        let made = builder.arena.len() - before;
        assert!((MAX_WARMED_NODES / 2..=MAX_WARMED_NODES).contains(&made), "{made}");
    }
    #[test]
    fn what_a_later_fork_prepares_is_under_it_too() {
        let mut builder = Builder::default();
        let (rule, text) = (builder.rule("texts").unwrap(), builder.literal(b"x").unwrap());
        let more = builder.seq(&[rule.number(), text.number()]).unwrap();
        let body = builder.alt(&[text.number(), more.number()]).unwrap();
        builder.fork(Limits::default(), None);
        builder.define(rule.number(), body.number()).unwrap();
        let before = builder.arena.len();
        let fork = builder.fork(Limits::default(), None);
        assert!(builder.arena.len() > before, "to remove left recursion makes terms");
        assert_eq!(fork.arena.len(), builder.arena.len());
    }
}
