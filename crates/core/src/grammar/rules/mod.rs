//! Names × bodies → rules that are ready to run: trimmed, free of left recursion, with the FIRST entries of each rule.
//!
//! Without left recursion, calls at the beginning of rules form an acyclic graph. Its topological order lets the
//! automaton enter every called rule once per position.

pub(crate) mod facts;
pub(crate) mod first;
pub(crate) mod left_recursion;
pub(crate) mod trim;

use crate::error::{Error, Result};
use crate::json::arena::Arena;
use crate::regular::id::RuleId;
use crate::regular::term::TermId;
use std::sync::Arc;

use facts::{Fact, Facts};
pub use first::{Entry, First};

#[derive(Clone, Default)]
/// The rules of a grammar, before and after preparation.
pub struct Rules {
    /// The name of each rule, by its number.
    pub names: Vec<String>,
    bodies: Vec<Option<TermId>>,
    facts: Facts,
    entries: Vec<Arc<Vec<Entry>>>,
    /// Ranks in a topological order: a rule comes before the rules that it may begin with.
    pub(crate) order: Vec<u32>,
    /// Whether every term is productive, so that trimming would change nothing.
    is_trimmed: bool,
}

impl Rules {
    /// The number of a new rule without a body. Names need not be unique.
    pub fn declare(&mut self, name: &str) -> RuleId {
        self.names.push(name.to_owned());
        self.bodies.push(None);
        RuleId::at(self.bodies.len() - 1)
    }

    /// Gives a rule its body. Errors: misuse, if the rule is defined already or unknown.
    pub fn define(&mut self, rule: RuleId, body: TermId) -> Result<()> {
        match self.bodies.get_mut(rule.index()) {
            Some(slot @ None) => {
                *slot = Some(body);
                Ok(())
            }
            Some(_) => Err(Error::Misuse(format!("rule {:?} is defined twice", self.names[rule.index()])).into()),
            None => Err(Error::Misuse("not a rule".into()).into()),
        }
    }

    /// The number of rules, counting those made by removing left recursion.
    pub(crate) fn count(&self) -> usize {
        self.entries.len()
    }

    /// Whether the rule matches the empty text.
    pub(crate) fn is_nullable_rule(&self, rule: RuleId) -> bool {
        self.facts.of_rule(rule).nullable
    }

    /// The body of a rule; None if it is not defined.
    pub(crate) fn body(&self, rule: RuleId) -> Option<TermId> {
        self.bodies.get(rule.index()).copied().flatten()
    }

    /// The beginnings of a prepared rule.
    pub(crate) fn entries(&self, rule: RuleId) -> Arc<Vec<Entry>> {
        self.entries[rule.index()].clone()
    }

    fn defined_bodies(&self) -> Result<Vec<TermId>> {
        let named = self.bodies.iter().zip(&self.names);
        named.map(|(body, name)| body.ok_or_else(|| Error::UndefinedRule(name.clone()).into())).collect()
    }

    /// The facts of a term under the rules, once `compute_facts` or `prepare` has run.
    fn fact(&self, arena: &Arena, id: TermId) -> Fact {
        self.facts.of(arena, id)
    }

    /// Whether the term matches the empty text under the rules.
    pub(crate) fn is_nullable(&self, arena: &Arena, id: TermId) -> bool {
        self.fact(arena, id).nullable
    }

    /// Whether the term is productive, once `compute_facts` has run.
    pub fn matches_something(&self, arena: &Arena, id: TermId) -> bool {
        self.fact(arena, id).productive
    }

    /// Computes which terms are productive and which are nullable. `prepared` are rules prepared earlier that these
    /// rules extend: their facts stay valid. Errors: limits, undefined rules.
    pub fn compute_facts(&mut self, arena: &mut Arena, prepared: Option<&Rules>) -> Result<()> {
        let bodies = self.defined_bodies()?;
        self.facts = prepared.map_or_else(Facts::default, |prepared| prepared.facts.base());
        self.facts.compute(arena, &bodies)
    }

    /// Shares all facts between the copies of these rules.
    pub fn share(&mut self) {
        self.facts.share();
    }

    /// Prepares the rules for running: trims them, computes their entries, removes left recursion. Returns the trimmed
    /// root. Errors: limits, undefined rules.
    pub fn prepare(&mut self, arena: &mut Arena, prepared: Option<&Rules>, root: TermId) -> Result<TermId> {
        self.compute_facts(arena, prepared)?;
        let known = prepared.map_or(0, |prepared| prepared.facts.base_terms());
        self.is_trimmed = self.facts.are_all_productive(known) && prepared.is_none_or(|prepared| prepared.is_trimmed);
        let root = self.trim(arena, root)?;
        let bodies = self.defined_bodies()?;
        for &body in &bodies {
            let entries = self.first(arena, body)?;
            self.entries.push(Arc::new(entries));
        }
        let components = self.components();
        for component in &components {
            if component.len() > 1 || self.first_callees(component[0]).any(|callee| callee == component[0]) {
                self.remove_left_recursion(arena, component)?;
            }
        }
        let order = self.components().into_iter().flatten();
        self.order = vec![0; self.entries.len()];
        // `components` lists callees first.
        for (place, rule) in order.enumerate() {
            self.order[rule.index()] = u32::MAX - place as u32;
        }
        self.facts.extend(arena)?;
        Ok(root)
    }

    /// Extends the facts of prepared rules to terms that are new. Returns the trimmed root. Errors: limits.
    pub fn extend_facts(&mut self, arena: &mut Arena, root: TermId) -> Result<TermId> {
        let known = self.facts.terms();
        self.facts.extend(arena)?;
        self.is_trimmed &= self.facts.are_all_productive(known);
        self.trim(arena, root)
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    use smallvec::SmallVec;

    #[test]
    fn callees_come_before_callers() {
        let entry = |callee| Entry { first: First::Call(callee), rest: SmallVec::new() };
        let rules = |calls: &[&[u32]]| Rules {
            entries: calls
                .iter()
                .map(|calls| Arc::new(calls.iter().map(|&callee| entry(RuleId::new(callee))).collect()))
                .collect(),
            ..Rules::default()
        };
        let components = |calls: &[&[u32]]| {
            let mut components = rules(calls).components();
            components.iter_mut().for_each(|component| component.sort_unstable());
            components.iter().map(|component| component.iter().map(|rule| rule.number()).collect()).collect()
        };
        let found: Vec<Vec<u32>> = components(&[&[1, 2], &[2], &[]]);
        assert_eq!(found, [[2], [1], [0]]);
        let circles = components(&[&[1], &[2, 3], &[0], &[4], &[3, 4], &[]]);
        assert_eq!(circles, [vec![3, 4], vec![0, 1, 2], vec![5]]);
    }
}
