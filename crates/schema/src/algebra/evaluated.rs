//! A subschema with unevaluatedProperties or unevaluatedItems → conjuncts, each with the members and items that its
//! keywords evaluate.

use super::union::{union_of, Union};
use super::Expander;
use crate::condition::{
    ArrayCondition, Conjunct, ConjunctionId, MemberConstraints, Members, ObjectCondition, SubschemaId, Types,
};
use crate::error::Result;
use crate::read::{Applicator, Evaluated, ParsedSchema};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// Conjuncts, each with the members and items that it evaluates.
pub(super) type EvaluatedUnion = Vec<(Conjunct, Evaluated)>;

/// Depth of the search for contradictions in the intersection of two conjuncts.
const MEETING_DEPTH: u32 = 1;

/// The conjuncts of a union, none of which evaluates members or items.
fn unseen(union: &Union) -> EvaluatedUnion {
    union.iter().map(|conjunct| (conjunct.clone(), Evaluated::default())).collect()
}

fn whole() -> EvaluatedUnion {
    vec![(Conjunct::whole(), Evaluated::default())]
}

/// The evaluated members and items, with those that the subschema's own unevaluated* keywords evaluate.
fn after(parsed: &ParsedSchema, seen: &Evaluated) -> Evaluated {
    let rest = Evaluated {
        all_members: parsed.unevaluated_properties.is_some(),
        all_items: parsed.unevaluated_items.is_some(),
        ..Evaluated::default()
    };
    rest.union(seen)
}

impl Expander<'_> {
    /// The conjuncts of a subschema, each with the members and items that it evaluates. Conjuncts that evaluate
    /// different ones are disjoint. Errors: as `expand`.
    pub(super) fn evaluated(&mut self, of: SubschemaId) -> Result<EvaluatedUnion> {
        let parsed = self.parsed(of)?;
        let below = self.once(of, |this| this.deeper(|this| this.evaluated_below(&parsed)))?;
        let mut found = Vec::with_capacity(below.len());
        for (conjunct, seen) in below {
            let mut union = union_of([conjunct]);
            for rest in self.unevaluated(of, &parsed, &seen) {
                union = self.product(&union, &union_of([rest]))?;
            }
            let seen = after(&parsed, &seen);
            found.extend(union.iter().map(|conjunct| (conjunct.clone(), seen.clone())));
        }
        Ok(found)
    }

    /// As `evaluated`, without the constraints of the subschema's own unevaluated* keywords.
    pub(super) fn evaluated_below(&mut self, parsed: &ParsedSchema) -> Result<EvaluatedUnion> {
        let seen = parsed.evaluated();
        let own = self.own(&union_of([Conjunct::whole()]), parsed)?;
        let mut found: EvaluatedUnion = own.iter().map(|conjunct| (conjunct.clone(), seen.clone())).collect();
        for applicator in &parsed.applicators {
            let part = self.evaluated_part(applicator)?;
            found = self.met(&found, &part)?;
        }
        Ok(found)
    }

    /// The constraints of unevaluatedProperties and unevaluatedItems on the members and items that `seen` does not
    /// name.
    pub(super) fn unevaluated(&mut self, of: SubschemaId, parsed: &ParsedSchema, seen: &Evaluated) -> Vec<Conjunct> {
        let mut found = Vec::with_capacity(2);
        if let Some(rest) = parsed.unevaluated_properties.filter(|rest| !seen.all_members && !rest.is_anything()) {
            let names = seen.names.iter().map(|name| (name.clone(), ConjunctionId::ANYTHING)).collect();
            let patterns = seen.patterns.iter().map(|&pattern| (pattern, ConjunctionId::ANYTHING)).collect();
            let members = Members::new(MemberConstraints { patterns, rest, ..MemberConstraints::of_names(names) });
            let objects = vec![ObjectCondition::Members(members)];
            found.push(Conjunct { objects, ..Conjunct::of_types(Types::ANY) });
        }
        if let Some(rest) = parsed.unevaluated_items.filter(|rest| !seen.all_items && !rest.is_anything()) {
            let mut contained: Vec<ConjunctionId> = seen.contained.iter().copied().collect();
            contained.sort_by_cached_key(|&goal| self.subschemas.conjunctions.literals(goal));
            contained.insert(0, rest);
            let rest = self.subschemas.either(of, &contained);
            let prefix = vec![ConjunctionId::ANYTHING; seen.prefix].into();
            let arrays = vec![ArrayCondition::Items { prefix, rest }];
            found.push(Conjunct { arrays, ..Conjunct::of_types(Types::ANY) });
        }
        found
    }

    fn evaluated_part(&mut self, applicator: &Applicator) -> Result<EvaluatedUnion> {
        let goals = match applicator {
            Applicator::All(goals) => {
                let mut found = whole();
                for &goal in goals {
                    let one = self.evaluated_goal(goal)?;
                    found = self.met(&found, &one)?;
                }
                return Ok(found);
            }
            Applicator::Not(_) => return Ok(unseen(&self.part(applicator)?)),
            Applicator::Any(goals) | Applicator::One(goals) => goals.clone(),
            &Applicator::If(condition, then, other) => vec![condition, then, other],
        };
        let branches: Vec<EvaluatedUnion> =
            goals.iter().map(|&goal| self.evaluated_goal(goal)).collect::<Result<_>>()?;
        let nothing = Evaluated::default();
        if branches.iter().flatten().all(|(_, seen)| *seen == nothing) {
            return Ok(unseen(&self.part(applicator)?));
        }
        match applicator {
            Applicator::Any(_) => self.evaluated_any(&goals, &branches),
            Applicator::One(_) => self.evaluated_one(&goals, &branches),
            _ => {
                let missed = self.missed(goals[0])?;
                let mut found = self.met(&branches[0], &branches[1])?;
                found.extend(self.met(&missed, &branches[2])?);
                Ok(found)
            }
        }
    }

    /// The conjuncts of anyOf. A value is told apart by the alternatives that it meets, as each of them evaluates
    /// members.
    fn evaluated_any(&mut self, goals: &[ConjunctionId], branches: &[EvaluatedUnion]) -> Result<EvaluatedUnion> {
        let (mut found, mut failed) = (Vec::new(), whole());
        for (&goal, branch) in goals.iter().zip(branches) {
            let missed = self.missed(goal)?;
            let either: EvaluatedUnion = branch.iter().chain(&missed).cloned().collect();
            found = self.met(&found, &either)?;
            found.extend(self.met(&failed, branch)?);
            failed = self.met(&failed, &missed)?;
        }
        Ok(found)
    }

    fn evaluated_one(&mut self, goals: &[ConjunctionId], branches: &[EvaluatedUnion]) -> Result<EvaluatedUnion> {
        let mut found = Vec::new();
        for (chosen, branch) in branches.iter().enumerate() {
            let mut others = whole();
            for (_, &goal) in goals.iter().enumerate().filter(|&(place, _)| place != chosen) {
                let missed = self.missed(goal)?;
                others = self.met(&others, &missed)?;
            }
            found.extend(self.met(branch, &others)?);
        }
        Ok(found)
    }

    /// The complement of a conjunction; it evaluates nothing.
    fn missed(&mut self, goal: ConjunctionId) -> Result<EvaluatedUnion> {
        let outside = self.subschemas.negated(goal);
        Ok(unseen(&self.expand(outside)?))
    }

    fn evaluated_goal(&mut self, goal: ConjunctionId) -> Result<EvaluatedUnion> {
        match self.positive_literal(goal).filter(|&of| self.either(of).is_none()) {
            Some(of) => self.evaluated(of),
            None => Ok(unseen(&self.expand(goal)?)),
        }
    }

    /// The intersection of two lists of conjuncts; each result evaluates what both operands evaluate.
    fn met(&mut self, left: &EvaluatedUnion, right: &EvaluatedUnion) -> Result<EvaluatedUnion> {
        let mut found: IndexSet<(Conjunct, Evaluated), FxBuildHasher> = IndexSet::default();
        for (conjunct, seen) in left {
            for (other, also) in right {
                let Some(both) = conjunct.meet(other) else { continue };
                if !self.is_conjunct_empty(&both, MEETING_DEPTH)? {
                    found.insert((both, seen.clone().union(also)));
                }
            }
        }
        self.spend(found.len())?;
        Ok(found.into_iter().collect())
    }
}
