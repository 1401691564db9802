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
use crate::regular::term::{Term, TermId};
use crate::regular::transfer::postorder;
use std::sync::Arc;

use facts::Facts;
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

    /// Whether the term matches the empty text, in prepared rules.
    pub(crate) fn is_nullable(&self, arena: &Arena, id: TermId) -> bool {
        self.facts.of(arena, id).nullable
    }

    /// Whether the term is productive, in prepared rules.
    pub fn matches_something(&self, arena: &Arena, id: TermId) -> bool {
        self.facts.of(arena, id).productive
    }

    /// Whether some text matches a term. Errors: limits, undefined rules.
    pub fn has_text(&self, arena: &mut Arena, root: TermId) -> Result<bool> {
        let terms = self.reached(arena, root);
        Ok(Facts::compute(arena, &self.defined_bodies()?, &terms)?.of(arena, root).productive)
    }

    /// The structural terms that a root leads to, parts before wholes and bodies before calls where no cycle prevents it.
    fn reached(&self, arena: &Arena, root: TermId) -> Vec<TermId> {
        let is_regular = |id| !arena.info(id).structural;
        postorder([root], is_regular, |id, visit| match *arena.term(id) {
            Term::Call(rule) => self.body(rule).into_iter().for_each(visit),
            _ => arena.visit_parts(id, visit),
        })
    }

    /// Prepares what the root leads to: trims it, computes the entries of its rules, removes left recursion. Returns the
    /// trimmed root. Errors: limits, undefined rules.
    pub fn prepare(&mut self, arena: &mut Arena, mut root: TermId) -> Result<TermId> {
        let mut terms = self.reached(arena, root);
        self.facts = Facts::compute(arena, &self.defined_bodies()?, &terms)?;
        if terms.iter().any(|&id| !self.matches_something(arena, id)) {
            root = self.trim(arena, &terms, root)?;
            terms = self.reached(arena, root);
            self.facts = Facts::compute(arena, &self.defined_bodies()?, &terms)?;
        }
        self.entries = vec![Arc::default(); self.bodies.len()];
        for id in terms {
            let Term::Call(rule) = *arena.term(id) else { continue };
            let Some(body) = self.body(rule) else { continue };
            self.entries[rule.index()] = Arc::new(self.first(arena, body)?);
        }
        for component in self.components() {
            if component.len() > 1 || self.first_callees(component[0]).any(|callee| callee == component[0]) {
                self.remove_left_recursion(arena, &component)?;
            }
        }
        self.order = vec![0; self.entries.len()];
        // `components` lists callees first.
        for (place, rule) in self.components().into_iter().flatten().enumerate() {
            self.order[rule.index()] = u32::MAX - place as u32;
        }
        Ok(root)
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
        assert_eq!(circles, [vec![5], vec![3, 4], vec![0, 1, 2]]);
    }
}
