//! Conjuncts, conjunctions, subschemas → their complements, as unions of conjuncts.

use super::emptiness::FULL_DEPTH;
use super::union::{is_whole, union_of, Union};
use super::{Expander, Splitting};
use crate::condition::{Conjunct, ConjunctionId, Members, ObjectCondition, StringCondition, SubschemaId, Types};
use crate::error::Result;
use crate::read::Applicator;
use crate::types::{array, object};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use std::sync::Arc;

/// Most conjuncts of a small union, which is compared or negated conjunct by conjunct.
const FEW: usize = 6;

/// Constraints on members, by key.
pub(super) type Asked = IndexMap<Arc<str>, ConjunctionId, FxBuildHasher>;

impl Expander<'_> {
    /// The complement of a subschema. Errors: as `expand`.
    pub(super) fn outside_subschema(&mut self, of: SubschemaId) -> Result<Union> {
        if let Some(either) = self.either(of) {
            if let Some(union) = self.union_at_hand(&either)? {
                return self.outside_all(&union);
            }
            return self.outside_each(&either);
        }
        let parsed = self.parsed(of)?;
        let mut found: Union = self.outside(&parsed.conjunct)?.into();
        for alternatives in &parsed.alternatives {
            let others = self.outside_all(alternatives)?;
            found = self.sum([&found, &others])?;
        }
        for applicator in &parsed.applicators {
            let others = self.outside_applicator(applicator)?;
            found = self.sum([&found, &others])?;
        }
        if parsed.has_unevaluated() {
            let mut unevaluated = Vec::new();
            for (conjunct, seen) in self.evaluated_below(&parsed)? {
                for rest in self.unevaluated(of, &parsed, &seen) {
                    let outside: Union = self.outside(&rest)?.into();
                    unevaluated.extend(self.product(&union_of([conjunct.clone()]), &outside)?.iter().cloned());
                }
            }
            found = self.sum([&found, &unevaluated.into()])?;
        }
        Ok(found)
    }

    /// The complement of one conjunct.
    fn outside(&mut self, of: &Conjunct) -> Result<Vec<Conjunct>> {
        let mut found = Vec::new();
        if of.types != Types::ANY {
            found.push(Conjunct::of_types(!of.types));
        }
        found.extend(of.numbers.iter().map(|condition| Conjunct::of_numbers(vec![condition.negated()])));
        let texts = of.strings.iter().flat_map(StringCondition::negated);
        found.extend(texts.map(|condition| Conjunct::of_strings(vec![condition])));
        for condition in &of.arrays {
            found.extend(array::negated(self, condition).into_iter().map(Conjunct::of_arrays));
        }
        let objects = match self.options.splitting {
            Splitting::Clauses => self.outside_as_clauses(&of.objects)?,
            _ => self.outside_objects(&of.objects)?,
        };
        found.extend(objects.into_iter().map(Conjunct::of_objects));
        Ok(found)
    }

    /// The complement of conditions on an object. Some alternatives lack a required key, the others have all of them:
    /// alternatives that overlap less make smaller products.
    fn outside_objects(&mut self, conditions: &[ObjectCondition]) -> Result<Vec<Vec<ObjectCondition>>> {
        let mut needed: Vec<Arc<str>> = Vec::new();
        for condition in conditions {
            if let ObjectCondition::Required { keys, .. } = condition {
                needed.extend(keys.iter().cloned());
            }
        }
        let mut optional = Asked::default();
        let mut others = Vec::with_capacity(conditions.len());
        for condition in conditions {
            others.push(match condition {
                ObjectCondition::Members(members) if !needed.is_empty() => {
                    let (asked, members) = Self::without_required(members, &needed);
                    self.ask(&mut optional, asked);
                    ObjectCondition::Members(members)
                }
                other => other.clone(),
            });
        }
        // The complement of a required `a` that is 1 is one constraint, "no `a`, or one that is not 1", and no split.
        let lacking = |(key, &asked): (&Arc<str>, &ConjunctionId)| {
            vec![ObjectCondition::Members(Members::single(key.clone(), self.subschemas.negated(asked)))]
        };
        let mut found: Vec<Vec<ObjectCondition>> = optional.iter().map(lacking).collect();
        for mut condition in others {
            if let ObjectCondition::Required { keys, .. } = &condition {
                let keys = keys.iter().filter(|key| !optional.contains_key(*key)).cloned().collect();
                condition = ObjectCondition::Required { keys, stated: true };
            }
            for alternative in object::negated(self, &condition)? {
                let mut made = Vec::with_capacity(2);
                if !needed.is_empty() && matches!(alternative[..], [ObjectCondition::Clause(_)]) {
                    made.push(ObjectCondition::Required { keys: needed.clone().into(), stated: false });
                }
                made.extend(alternative);
                found.push(made);
            }
        }
        Ok(found)
    }

    /// `parted` for constraints on a single key; others stay as they are.
    fn without_required(members: &Members, needed: &[Arc<str>]) -> (Asked, Members) {
        if members.only().is_none() {
            return (Asked::default(), members.clone());
        }
        let keys = members.names.iter().map(|(key, _)| key).filter(|key| needed.contains(key));
        super::clause::parted(members, keys)
    }

    /// Adds constraints on members to earlier ones, key by key.
    pub(super) fn ask(&mut self, all: &mut Asked, more: Asked) {
        for (key, asked) in more {
            let before = all.entry(key).or_insert(ConjunctionId::ANYTHING);
            *before = self.subschemas.conjunctions.both(*before, asked);
        }
    }

    /// The complement of a union of conjuncts.
    fn outside_all(&mut self, conjuncts: &[Conjunct]) -> Result<Union> {
        let mut found = union_of([Conjunct::whole()]);
        for conjunct in conjuncts {
            let outside = self.outside(conjunct)?.into();
            found = self.product(&found, &outside)?;
        }
        Ok(found)
    }

    /// The complement of a union of conjunctions.
    fn outside_each(&mut self, goals: &[ConjunctionId]) -> Result<Union> {
        let mut found = union_of([Conjunct::whole()]);
        for &goal in goals {
            found = self.without(&found, goal)?;
        }
        Ok(found)
    }

    /// The part of a union that does not meet a conjunction. A conjunct is split only in the types of which it shares a
    /// value with the conjunction. Errors: as `expand`.
    pub(super) fn without(&mut self, union: &Union, goal: ConjunctionId) -> Result<Union> {
        let outside = self.subschemas.negated(goal);
        if is_whole(union) {
            return self.expand(outside);
        }
        let Some(inside) = self.at_hand(goal)? else {
            let outside = self.expand(outside)?;
            return self.product(union, &outside);
        };
        let (mut kept, mut parted) = (Vec::new(), Vec::new());
        for conjunct in union.iter() {
            let mut shared = Types::NONE;
            for both in inside.iter().filter_map(|other| conjunct.meet(other)) {
                if !(both.types & !shared).is_empty() {
                    shared = shared | self.types_left(&both, FULL_DEPTH)?;
                }
            }
            if !(conjunct.types & !shared).is_empty() {
                kept.push(conjunct.among(!shared));
            }
            if !shared.is_empty() {
                parted.push(conjunct.among(shared));
            }
        }
        let kept: Union = kept.into();
        if parted.is_empty() {
            return Ok(kept);
        }
        let outside = self.expand(outside)?;
        let parted = self.product(&parted.into(), &outside)?;
        if kept.is_empty() {
            return Ok(parted);
        }
        let parted = self.pruned(&parted)?.into();
        let both = self.sum([&kept, &parted])?;
        Ok(self.least(both.to_vec())?.into())
    }

    /// The conjuncts of a union of conjunctions, if they are few and take no product, as the lists of an `enum`.
    fn union_at_hand(&mut self, goals: &[ConjunctionId]) -> Result<Option<Union>> {
        let mut unions = Vec::with_capacity(goals.len());
        for &goal in goals {
            let Some(union) = self.at_hand(goal)? else { return Ok(None) };
            unions.push(union);
        }
        let union = self.sum(&unions)?;
        Ok((union.len() <= FEW).then_some(union))
    }

    fn outside_applicator(&mut self, applicator: &Applicator) -> Result<Union> {
        match applicator {
            Applicator::All(goals) => {
                let outside: Vec<ConjunctionId> = goals.iter().map(|&goal| self.subschemas.negated(goal)).collect();
                self.sum_of(&outside)
            }
            Applicator::Any(goals) => self.outside_each(goals),
            Applicator::One(goals) => {
                let mut found = vec![self.outside_each(goals)?];
                for (place, &one) in goals.iter().enumerate() {
                    for &other in &goals[place + 1..] {
                        let (one, other) = (self.expand(one)?, self.expand(other)?);
                        let both = self.product(&one, &other)?;
                        found.push(self.pruned(&both)?.into());
                    }
                }
                self.sum(&found)
            }
            &Applicator::Not(goal) => self.expand(goal),
            &Applicator::If(condition, then, other) => {
                let missed = self.subschemas.negated(condition);
                let mut halves = Vec::with_capacity(2);
                for (premise, conclusion) in [(condition, then), (missed, other)] {
                    let broken = self.subschemas.negated(conclusion);
                    let (premise, broken) = (self.expand(premise)?, self.expand(broken)?);
                    halves.push(self.product(&premise, &broken)?);
                }
                self.sum(&halves)
            }
        }
    }

    /// The conjuncts of a conjunction, if they are few and are found without a product. A product of unions might have
    /// more conjuncts than the product of their complements.
    fn at_hand(&mut self, goal: ConjunctionId) -> Result<Option<Union>> {
        let Some(literal) = self.subschemas.conjunctions.single(goal) else { return Ok(None) };
        if let Some(known) = self.known(literal) {
            return Ok((known.len() <= FEW).then(|| known.clone()));
        }
        let of = literal.subschema();
        if self.is_open(literal) || literal.is_negative() || self.either(of).is_some() {
            return Ok(None);
        }
        let parsed = self.parsed(of)?;
        if !parsed.is_conjunct() {
            return Ok(None);
        }
        self.expand(goal).map(Some)
    }
}
