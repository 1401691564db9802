//! Builder → builders that continue from it, one per schema.
//!
//! Work that every fork would repeat is done once before the first fork.

use crate::builder::embed::SharedEmbeddings;
use crate::builder::{Builder, BuilderBase, PreparedRules};
use crate::grammar::rules::Rules;
use crate::limits::{Cancellation, Limits};
use crate::regular::term::EPSILON;
use std::sync::Arc;

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
}

#[cfg(test)]
mod tests {
    use super::*;

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
