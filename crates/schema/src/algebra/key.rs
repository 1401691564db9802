//! Conjunctions that keys must meet (propertyNames) → the keys as a term, and whether a given key meets them.

use super::Expander;
use crate::condition::{Conjunct, ConjunctionId, Types};
use crate::error::{Error, Result};
use crate::types::{string, Terms};
use frisket_core::regular::term::TermId;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

impl Expander<'_> {
    /// The term of the strings that meet a conjunction; None if there are none. Errors: as `expand`.
    pub(super) fn texts_of_keys(&mut self, goal: ConjunctionId) -> Result<Option<TermId>> {
        if let Some(&known) = self.key_texts.get(&goal) {
            return Ok(known);
        }
        let Some(union) = self.looked_into(goal)? else {
            let message = "propertyNames refers to the schema that it stands in";
            return Err(Error::limit(message).at(self.pointer_of(goal)));
        };
        let found = self.texts_of(&union)?;
        self.key_texts.insert(goal, found);
        Ok(found)
    }

    /// Whether a key certainly meets a conjunction or, if `outer`, perhaps meets it; true also while the conjunction is
    /// being expanded. Errors: as `expand`.
    pub(super) fn is_key_of(&mut self, goal: ConjunctionId, key: &str, outer: bool) -> Result<bool> {
        let Some(union) = self.looked_into(goal)? else { return Ok(true) };
        let terms = Terms::new(&mut self.builder);
        for conjunct in union.iter().filter(|conjunct| conjunct.types.has(Types::STRING)) {
            let mut holds = true;
            for condition in &conjunct.strings {
                holds = holds && string::holds(&terms, condition, key, outer)?;
            }
            if holds {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The pointers of `propertyNames` that no string meets, among those that were lowered. `propertyNames: false` is
    /// no mistake and left out.
    pub fn nameless(&self) -> Vec<String> {
        let is_nameless = |goal: &ConjunctionId| !goal.is_nothing() && self.key_texts.get(goal) == Some(&None);
        let names = self.subschemas.names.iter().filter(|(_, goal)| is_nameless(goal));
        names.map(|(pointer, _)| pointer.clone()).collect()
    }

    /// The term of the strings in a union; None if there are none. Errors: limits.
    pub(crate) fn texts_of(&mut self, union: &[Conjunct]) -> Result<Option<TermId>> {
        let terms = Terms::new(&mut self.builder);
        let mut nodes: IndexSet<TermId, FxBuildHasher> = IndexSet::default();
        for conjunct in union.iter().filter(|conjunct| conjunct.types.has(Types::STRING)) {
            nodes.extend(string::lower(&terms, &conjunct.strings)?);
        }
        if nodes.is_empty() {
            return Ok(None);
        }
        let nodes: Vec<TermId> = nodes.into_iter().collect();
        Ok(Some(terms.alt(&nodes)?))
    }
}
