//! Conditions on an object ↔ clauses over its members; complements and unions of clauses are clauses again.
//!
//! "Some member breaks these constraints" is a literal. The complement of "has a, and no member breaks F" is one clause
//! of two literals, but two conjuncts. As clauses, conditions that an object may meet or not add up and do not
//! multiply.

use super::complement::Asked;
use super::union::Union;
use super::Expander;
use crate::condition::{
    each_once, Clause, Conjunct, ConjunctionId, MemberConstraints, Members, ObjectCondition, Types,
};
use crate::error::Result;
use crate::types::object;
use std::sync::Arc;

/// Most clauses of a union: more of them cost an object more than the conjuncts that they replace.
const CLAUSES: usize = 16;

/// Most literals of a clause: an object keeps no more marks.
const LITERALS: usize = object::MARKED;

/// Splits constraints in two: those on the keys of `needed`, and the rest.
pub(super) fn parted<'k>(members: &Members, needed: impl IntoIterator<Item = &'k Arc<str>>) -> (Asked, Members) {
    let asks =
        |key: &Arc<str>| members.named(key).filter(|asked| !asked.is_anything()).map(|asked| (key.clone(), asked));
    let asked: Asked = needed.into_iter().filter_map(asks).collect();
    if !members.patterns.is_empty() || asked.is_empty() {
        return (Asked::default(), members.clone());
    }
    let left = |(key, goal): &(Arc<str>, ConjunctionId)| {
        (key.clone(), if asked.contains_key(key) { ConjunctionId::ANYTHING } else { *goal })
    };
    let names = members.names.iter().map(left).collect();
    let others = Members::new(MemberConstraints { names, ..(**members).clone() });
    (asked, others)
}

/// Equal constraints for all that restrict a single key alike.
fn literal(members: &Members) -> Members {
    members.only().map_or_else(|| members.clone(), |(key, asked)| Members::single(key.clone(), asked))
}

impl Expander<'_> {
    /// A conjunction of conditions as clauses, and the conditions that are no clauses.
    fn clauses_of<'c>(
        &mut self,
        conditions: impl IntoIterator<Item = &'c ObjectCondition>,
    ) -> (Vec<Clause>, Vec<&'c ObjectCondition>) {
        let conditions: Vec<&ObjectCondition> = conditions.into_iter().collect();
        let required = conditions.iter().filter_map(|condition| match condition {
            ObjectCondition::Required { keys, .. } => Some(keys.iter()),
            _ => None,
        });
        let needed: Vec<&Arc<str>> = each_once(required.flatten());
        let (mut found, mut others, mut asked) = (Vec::new(), Vec::new(), Asked::default());
        for condition in conditions {
            match condition {
                ObjectCondition::Members(members) => {
                    let (own, members) = parted(members, needed.iter().copied());
                    self.ask(&mut asked, own);
                    if !members.is_trivial() {
                        found.push(Clause::met(literal(&members)));
                    }
                }
                ObjectCondition::Implies { key, needs } => {
                    let [premise, conclusion] = [key, needs].map(|key| Members::absent(key.clone()));
                    found.extend(Clause::of([premise], [conclusion]));
                }
                ObjectCondition::Clause(clause) => found.push(clause.clone()),
                ObjectCondition::Required { .. } => {}
                other => others.push(other),
            }
        }
        // A required key and the constraint on its value are one literal.
        for key in needed {
            let goal = asked.get(key).copied().unwrap_or(ConjunctionId::ANYTHING);
            found.push(Clause::broken(Members::single(key.clone(), self.subschemas.negated(goal))));
        }
        (each_once(found), others)
    }

    /// The complement of a conjunction as a union of conjunctions, mostly a single clause. Errors: limits.
    pub(super) fn outside_as_clauses(&mut self, conditions: &[ObjectCondition]) -> Result<Vec<Vec<ObjectCondition>>> {
        let (clauses, others) = self.clauses_of(conditions);
        let mut found = Vec::new();
        for other in others {
            found.extend(object::negated(self, other)?);
        }
        let (mut premises, mut conclusions) = (Vec::new(), Vec::new());
        for clause in clauses {
            if clause.literals().count() > 1 {
                found.push(clause.negated());
            } else {
                // The complement of a single literal is the opposite literal; all of these are one clause.
                premises.extend(clause.conclusions.iter().cloned());
                conclusions.extend(clause.premises.iter().cloned());
            }
        }
        if !premises.is_empty() || !conclusions.is_empty() {
            let whole = Clause::of(premises, conclusions);
            found.push(whole.map(|clause| clause.condition()).into_iter().collect());
        }
        Ok(found)
    }

    /// The same union with its conjuncts of objects joined to one, if few clauses express them. Errors: limits.
    pub(super) fn joined(&mut self, union: &Union) -> Result<Union> {
        let inside: Vec<&[ObjectCondition]> =
            union.iter().filter(|one| one.types.has(Types::OBJECT)).map(|one| &one.objects[..]).collect();
        if union.len() < 2 || inside.is_empty() {
            return Ok(union.clone());
        }
        let Some(objects) = self.union_of_objects(&inside) else { return Ok(union.clone()) };
        let beside = union.iter().filter(|one| !(one.types & !Types::OBJECT).is_empty());
        let mut found = self.least(each_once(beside.map(|one| one.among(!Types::OBJECT))))?;
        // Conditions are kept by type, so a conjunct of other types can hold the objects, too.
        match found.first_mut() {
            Some(first) => {
                first.types = first.types | Types::OBJECT;
                first.objects = objects;
            }
            None => found.push(Conjunct::of_objects(objects)),
        }
        Ok(found.into())
    }

    /// One conjunction that is the union of these conjunctions; None if it takes too many clauses.
    fn union_of_objects(&mut self, conjunctions: &[&[ObjectCondition]]) -> Option<Vec<ObjectCondition>> {
        if conjunctions.iter().any(|conditions| conditions.is_empty()) {
            return Some(Vec::new());
        }
        let (first, later) = conjunctions.split_first()?;
        let is_common = |condition: &&ObjectCondition| later.iter().all(|other| other.contains(condition));
        let mut common: Vec<ObjectCondition> = first.iter().filter(is_common).cloned().collect();
        let mut found: Option<Vec<Clause>> = None;
        for conditions in conjunctions {
            let (clauses, others) = self.clauses_of(conditions.iter().filter(|one| !common.contains(one)));
            if !others.is_empty() {
                return None;
            }
            let joint = match found {
                None => clauses,
                Some(before) => {
                    let pairs = before.iter().flat_map(|left| clauses.iter().map(move |right| left.either(right)));
                    let joint = each_once(pairs.flatten());
                    if joint.len() > CLAUSES || joint.iter().any(|clause| clause.literals().count() > LITERALS) {
                        return None;
                    }
                    joint
                }
            };
            found = Some(joint);
        }
        common.extend(found.iter().flatten().map(Clause::condition));
        Some(common)
    }
}
