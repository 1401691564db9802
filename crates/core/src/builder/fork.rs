//! Builder → builders that continue from it, one per schema.
//!
//! The terms made before the first fork are frozen, and all forks share them.

use crate::builder::embed::SharedEmbeddings;
use crate::builder::{Builder, BuilderBase};
use crate::limits::{Cancellation, Limits};

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

    /// Freezes the arena, unless nothing changed since that was done.
    fn make_base(&mut self) {
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
