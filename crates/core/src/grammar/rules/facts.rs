//! Terms × rules → whether each term is productive (matches something) and whether it is nullable.
//!
//! Both facts are least fixpoints: all terms are looked at, parts before wholes, until nothing changes. A plain recursion
//! would visit shared parts once per path, which is exponential.

use crate::error::Result;
use crate::json::arena::Arena;
use crate::json::object::{SeenKeys, Steps};
use crate::json::registers::ObjectSpec;
use crate::regular::id::{ObjectId, RuleId};
use crate::regular::term::{Term, TermId, EMPTY};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Steps of one search for a way to close an object. Chosen without measurement.
const MAX_SEARCH_STEPS: u64 = 1_000_000;

#[derive(Clone, Copy, Default, PartialEq)]
pub(super) struct Fact {
    pub nullable: bool,
    pub productive: bool,
}

/// The facts of a term of which everything holds.
const ALL: Fact = Fact { nullable: true, productive: true };

#[derive(Clone, Default)]
pub(super) struct Facts {
    /// Facts by rule.
    rules: Vec<Fact>,
    /// Facts of structural terms other than calls.
    terms: FxHashMap<TermId, Fact>,
}

impl Facts {
    /// The facts of some structural terms, which hold all their parts and the bodies that they call. Errors: limits.
    pub fn compute(arena: &mut Arena, bodies: &[TermId], terms: &[TermId]) -> Result<Self> {
        let is_call = |id: &TermId| matches!(arena.term(*id), Term::Call(_));
        let unknown = terms.iter().filter(|id| !is_call(id)).map(|&id| (id, Fact::default())).collect();
        let mut facts = Facts { rules: vec![Fact::default(); bodies.len()], terms: unknown };
        let mut is_new = true;
        while std::mem::take(&mut is_new) {
            for &id in terms {
                arena.spend(4)?;
                let known = facts.of(arena, id);
                let fact = match *arena.term(id) {
                    _ if known == ALL => continue,
                    // An object is never nullable.
                    Term::Object(_) if known.productive => continue,
                    Term::Object(object) => facts.object_fact(arena, object)?,
                    Term::Call(rule) => facts.of(arena, bodies[rule.index()]),
                    _ => facts.fact_from_parts(arena, id),
                };
                is_new |= fact != known;
                match *arena.term(id) {
                    Term::Call(rule) => facts.rules[rule.index()] = fact,
                    _ => drop(facts.terms.insert(id, fact)),
                }
            }
        }
        Ok(facts)
    }

    /// The facts of a rule; neither if no text leads to the rule.
    pub fn of_rule(&self, rule: RuleId) -> Fact {
        self.rules.get(rule.index()).copied().unwrap_or_default()
    }

    /// Adds the facts of a new rule.
    pub fn add_rule(&mut self, fact: Fact) {
        self.rules.push(fact);
    }

    /// The facts of a term, computed from its parts if necessary.
    pub fn of(&self, arena: &Arena, id: TermId) -> Fact {
        let info = arena.info(id);
        match self.terms.get(&id) {
            _ if !info.structural => Fact { nullable: info.nullable, productive: id != EMPTY },
            Some(&known) => known,
            None => self.fact_from_parts(arena, id),
        }
    }

    fn fact_from_parts(&self, arena: &Arena, id: TermId) -> Fact {
        match arena.term(id) {
            Term::Seq(..) => {
                let (mut all, mut rest) = (ALL, id);
                while let Term::Seq(left, right) = arena.term(rest) {
                    all = conjunction(all, self.of(arena, *left));
                    rest = *right;
                    if all == Fact::default() {
                        return all;
                    }
                    if self.terms.contains_key(&rest) {
                        break;
                    }
                }
                conjunction(all, self.of(arena, rest))
            }
            Term::Alt(parts) => {
                let mut any = Fact::default();
                for &part in parts.iter() {
                    let Fact { nullable, productive } = self.of(arena, part);
                    any = Fact { nullable: any.nullable || nullable, productive: any.productive || productive };
                    if any == ALL {
                        break;
                    }
                }
                any
            }
            Term::Repeat { min: 0, .. } => ALL,
            Term::Repeat { body, .. } => self.of(arena, *body),
            Term::Call(rule) => self.of_rule(*rule),
            Term::Unique(array) => {
                let spec = &arena.registers.uniques[array.index()];
                let productive = spec.can_end(0, 0, |node| self.of(arena, node).productive);
                Fact { nullable: false, productive }
            }
            _ => Fact { nullable: arena.info(id).nullable, productive: true },
        }
    }

    /// The facts of an object: whether productive values can close it. If the search exceeds its steps, the object
    /// counts as productive, and the automaton decides on entering it.
    fn object_fact(&mut self, arena: &mut Arena, object: ObjectId) -> Result<Fact> {
        let known = arena.registers.objects[object.index()].clone();
        arena.spend(1 + known.properties.len() as u64 / 8)?;
        let is_there = |node: TermId| self.of(arena, node).productive;
        // A required property without a value decides without a search.
        if known.properties.iter().any(|each| each.required && !each.values.iter().any(|value| is_there(value.node))) {
            return Ok(Fact::default());
        }
        let spec = self.prune_object(arena, object).map_or(known, Arc::new);
        let mut steps = Steps::new(&mut arena.terms.budget, MAX_SEARCH_STEPS);
        let productive = match spec.is_feasible(&Default::default(), SeenKeys::of(&arena.terms.keys), &mut steps) {
            Err(_) if steps.is_exhausted() => true,
            is_feasible => is_feasible?,
        };
        Ok(Fact { nullable: false, productive })
    }

    /// The object without its unproductive values; None if it has none of them.
    fn prune_object(&self, arena: &Arena, object: ObjectId) -> Option<ObjectSpec> {
        let spec = &arena.registers.objects[object.index()];
        let is_there = |node: TermId| self.of(arena, node).productive;
        if spec.values().flatten().all(|value| is_there(value.node)) {
            return None;
        }
        let mut spec = ObjectSpec::clone(spec);
        for values in spec.values_mut() {
            values.retain(|value| is_there(value.node));
        }
        spec.index_properties();
        Some(spec)
    }
}

fn conjunction(one: Fact, other: Fact) -> Fact {
    Fact { nullable: one.nullable && other.nullable, productive: one.productive && other.productive }
}

#[cfg(test)]
mod tests;
