//! Terms × rules → whether each term is productive (matches something) and whether it is nullable.
//!
//! Both facts are least fixpoints, found by a worklist in linear time (Dowling and Gallier, *Linear-time algorithms for
//! testing the satisfiability of propositional Horn formulae*, 1984). A plain recursion would visit shared parts once
//! per path, which is exponential.

use crate::error::Result;
use crate::json::arena::Arena;
use crate::json::object::{SeenKeys, Steps};
use crate::json::registers::ObjectSpec;
use crate::regular::id::{ObjectId, RuleId};
use crate::regular::term::{Term, TermId, EMPTY};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
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
    /// Facts by term, parts before wholes: a shared prefix, then own terms.
    shared: Arc<[Fact]>,
    terms: Vec<Fact>,
    /// The numbers of rules and terms at the last fixpoint. Rules added later do not change these facts.
    base: (usize, usize),
}

impl Facts {
    /// The facts of a rule; neither if the rule is unknown.
    pub fn of_rule(&self, rule: RuleId) -> Fact {
        self.rules.get(rule.index()).copied().unwrap_or_default()
    }

    /// Adds the facts of a new rule.
    pub fn add_rule(&mut self, fact: Fact) {
        self.rules.push(fact);
    }

    /// The facts of a term, computed from its parts if necessary.
    pub fn of(&self, arena: &Arena, id: TermId) -> Fact {
        match self.get(id.index()) {
            Some(fact) => fact,
            None => self.fact_from_parts(arena, id),
        }
    }

    fn get(&self, place: usize) -> Option<Fact> {
        match place.checked_sub(self.shared.len()) {
            None => Some(self.shared[place]),
            Some(place) => self.terms.get(place).copied(),
        }
    }

    /// The number of terms with stored facts.
    pub fn terms(&self) -> usize {
        self.shared.len() + self.terms.len()
    }

    /// Moves all facts to the shared prefix, so that copies are cheap.
    pub fn share(&mut self) {
        self.shared = (0..self.terms()).filter_map(|place| self.get(place)).collect();
        self.terms = Vec::new();
    }

    fn fact_from_parts(&self, arena: &Arena, id: TermId) -> Fact {
        let info = arena.info(id);
        match arena.term(id) {
            _ if !info.structural => Fact { nullable: info.nullable, productive: id != EMPTY },
            Term::Seq(..) => {
                let (mut all, mut rest) = (ALL, id);
                while let Term::Seq(left, right) = arena.term(rest) {
                    all = conjunction(all, self.of(arena, *left));
                    rest = *right;
                    if all == Fact::default() {
                        return all;
                    }
                    if rest.index() < self.terms() {
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
            _ => Fact { nullable: info.nullable, productive: true },
        }
    }

    /// The facts at the last fixpoint, as a start for a larger set of rules.
    pub fn base(&self) -> Self {
        let (rules, terms) = self.base;
        Facts {
            rules: self.rules[..rules].to_vec(),
            shared: (0..terms).filter_map(|place| self.get(place)).collect(),
            terms: Vec::new(),
            base: self.base,
        }
    }

    /// Computes the least fixpoint over all new terms, for rules with these bodies. Errors: limits.
    pub fn compute(&mut self, arena: &mut Arena, bodies: &[TermId]) -> Result<()> {
        let (known, count) = (self.terms(), arena.len());
        self.rules.resize(bodies.len(), Fact::default());
        let mut users: FxHashMap<TermId, SmallVec<[TermId; 2]>> = FxHashMap::default();
        // Objects and arrays are expensive, so they wait until all cheaper terms are known.
        let (mut light, mut heavy) = (Vec::new(), Vec::new());
        for place in known..count {
            let id = TermId::at(place);
            if !arena.info(id).structural {
                self.terms.push(self.fact_from_parts(arena, id));
                continue;
            }
            self.terms.push(Fact::default());
            let mut parts = 0;
            let mut add_user = |part: TermId| {
                parts += 1;
                if part.index() >= known && arena.info(part).structural {
                    users.entry(part).or_default().push(id);
                }
            };
            match arena.term(id) {
                Term::Call(rule) => bodies.get(rule.index()).copied().into_iter().for_each(add_user),
                _ => arena.visit_parts(id, &mut add_user),
            }
            arena.spend(4 + parts)?;
            match arena.term(id) {
                Term::Object(_) | Term::Unique(_) => heavy.push(id),
                _ => light.push(id),
            }
        }
        // Stacks: the lowest term is taken first, because parts have lower numbers than wholes.
        light.reverse();
        heavy.reverse();
        let (mut waits, below) = (vec![true; count - known], self.shared.len());
        while let Some(id) = light.pop().or_else(|| heavy.pop()) {
            let place = id.index();
            waits[place - known] = false;
            arena.spend(4)?;
            let fact = match *arena.term(id) {
                Term::Object(object) => self.object_fact(arena, object)?,
                Term::Call(rule) => {
                    let fact = bodies.get(rule.index()).map_or_else(Fact::default, |&body| self.of(arena, body));
                    if let Some(slot) = self.rules.get_mut(rule.index()) {
                        *slot = fact;
                    }
                    fact
                }
                _ => self.fact_from_parts(arena, id),
            };
            if fact == self.terms[place - below] {
                continue;
            }
            self.terms[place - below] = fact;
            for &user in users.get(&id).into_iter().flatten() {
                let at = user.index();
                if self.terms[at - below] != ALL && !std::mem::replace(&mut waits[at - known], true) {
                    match arena.term(user) {
                        Term::Object(_) | Term::Unique(_) => heavy.push(user),
                        _ => light.push(user),
                    }
                }
            }
        }
        for (rule, &body) in bodies.iter().enumerate() {
            self.rules[rule] = self.of(arena, body);
        }
        self.base = (bodies.len(), count);
        Ok(())
    }

    /// Whether every term from a place on is productive, except for the empty language.
    pub fn are_all_productive(&self, from: usize) -> bool {
        let is_productive = |place| self.get(place).is_some_and(|fact: Fact| fact.productive);
        (from..self.terms()).all(|place| is_productive(place) || place == EMPTY.index())
    }

    /// The number of terms at the last fixpoint.
    pub fn base_terms(&self) -> usize {
        self.base.1
    }

    /// Computes the facts of new terms in one pass, if no rule is new. Errors: limits.
    pub fn extend(&mut self, arena: &mut Arena) -> Result<()> {
        for place in self.terms()..arena.len() {
            let id = TermId::at(place);
            let fact = match *arena.term(id) {
                Term::Object(object) => self.object_fact(arena, object)?,
                _ => self.fact_from_parts(arena, id),
            };
            self.terms.push(fact);
        }
        Ok(())
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
