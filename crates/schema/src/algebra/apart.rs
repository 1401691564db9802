//! Alternatives of oneOf → for each one the values that meet it and no other alternative, as conjuncts.

use super::emptiness::FULL_DEPTH;
use super::lists::{constants, Constant};
use super::union::{is_whole, Union};
use super::Expander;
use crate::condition::{Conjunct, ConjunctionId, MemberConstraints, Members, ObjectCondition, Types};
use crate::error::Result;
use crate::types::object::{Keys, Shape};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The conditions that an object is known to meet.
struct Known {
    shape: Shape,
    keys: Keys,
    /// The constraint on members that `keys` does not name.
    rest: ConjunctionId,
}

impl Known {
    /// The conditions of a conjunct of objects; None if it has patternProperties or propertyNames, or allows other types.
    fn of(expander: &mut Expander<'_>, conjunct: &Conjunct) -> Option<Self> {
        let mut shape = Shape::new(expander, &conjunct.objects);
        if conjunct.types != Types::OBJECT || shape.is_patterned || shape.names.is_some() {
            return None;
        }
        let conjunctions = &mut expander.subschemas.conjunctions;
        let rests = shape.members.iter().map(|members| members.rest);
        let rest = rests.fold(ConjunctionId::ANYTHING, |all, rest| conjunctions.both(all, rest));
        let keys = shape.named();
        shape.index(expander, usize::MAX);
        Some(Known { shape, keys, rest })
    }
}

impl Expander<'_> {
    /// For each alternative of oneOf, the part of `context` that meets it and no other alternative. Alternatives whose
    /// constants no other one lists (`const: "a"` beside `const: "b"`) are not compared with each other. Errors: as
    /// `expand`.
    pub(super) fn each_exactly(&mut self, context: &Union, goals: &[ConjunctionId]) -> Result<Vec<Union>> {
        let mut listed = Vec::with_capacity(goals.len());
        for &goal in goals {
            listed.push(constants(&self.expand(goal)?));
        }
        let mut counts: FxHashMap<&Constant, usize> = FxHashMap::default();
        for value in listed.iter().flatten().flatten() {
            *counts.entry(value).or_default() += 1;
        }
        let is_alone = |values: &Option<Vec<Constant>>| {
            values.as_ref().is_some_and(|values| values.iter().all(|value| counts[value] == 1))
        };
        let alone: Vec<bool> = listed.iter().map(is_alone).collect();
        let among = |is_compared: &dyn Fn(usize) -> bool| -> Vec<ConjunctionId> {
            (0..goals.len()).filter(|&place| is_compared(place)).map(|place| goals[place]).collect()
        };
        let beside_alone = among(&|place| !alone[place]);
        let others = |chosen: usize| match alone[chosen] {
            true => beside_alone.clone(),
            false => among(&|place| place != chosen),
        };
        goals.iter().enumerate().map(|(chosen, &goal)| self.exactly(context, goal, &others(chosen))).collect()
    }

    /// The part of `context` that meets one alternative and no other one.
    ///
    /// Keywords beside oneOf often make the alternatives disjoint: they require `kind`, and each alternative gives it
    /// another constant.
    fn exactly(&mut self, context: &Union, chosen: ConjunctionId, others: &[ConjunctionId]) -> Result<Union> {
        let expanded = self.expand(chosen)?;
        let mut found = self.product(context, &expanded)?;
        if context.is_empty() {
            return Ok(found);
        }
        if !is_whole(context) {
            found = self.pruned(&found)?.into();
        }
        let (mut found, others) = self.without_most(&found, others)?;
        for other in others {
            let excluded = self.expand(other)?;
            if !self.are_disjoint(&found, &excluded)? {
                let left = self.without(&found, other)?;
                let pruned = self.pruned(&left)?;
                found = self.least(pruned)?.into();
            }
        }
        Ok(found)
    }

    /// Excludes from a single conjunct, in one intersection, all conjunctions whose complement is a single conjunct.
    /// Returns the rest of it, and the conjunctions that are still to be excluded.
    ///
    /// The complement of a conjunction has a conjunct for each condition. Conditions that follow from the single conjunct
    /// are left out before, so that a product of hundreds of unions is mostly one conjunct.
    fn without_most(&mut self, found: &Union, others: &[ConjunctionId]) -> Result<(Union, Vec<ConjunctionId>)> {
        let [conjunct] = &found[..] else { return Ok((found.clone(), others.to_vec())) };
        let (mut excluding, mut left) = (Vec::new(), Vec::new());
        let known = Known::of(self, conjunct);
        for &other in others {
            let Some(other) = self.beside(other, found, known.as_ref())? else { continue };
            let outside = self.subschemas.negated(other);
            let outside = self.expand(outside)?;
            let mut meeting = outside.iter().filter(|one| one.types.has(conjunct.types));
            match (meeting.next(), meeting.next()) {
                (Some(one), None) => excluding.push(one.clone()),
                _ => left.push(other),
            }
        }
        let found: Vec<Conjunct> = conjunct.meet_all(&excluding).into_iter().collect();
        Ok((self.pruned(&found)?.into(), left))
    }

    /// A conjunction without the conditions on objects that follow from known ones; None if it is disjoint from `found`,
    /// which meets them. Errors: as `expand`.
    fn beside(&mut self, goal: ConjunctionId, found: &Union, known: Option<&Known>) -> Result<Option<ConjunctionId>> {
        let single = self.positive_literal(goal).map(|of| self.parsed(of).map(|parsed| (of, parsed))).transpose()?;
        let single = single.filter(|(_, parsed)| parsed.is_conjunct());
        let Some(((of, parsed), known)) = single.zip(known) else {
            let inside = self.expand(goal)?;
            return Ok((!self.are_disjoint(found, &inside)?).then_some(goal));
        };
        let mut left = parsed.conjunct.clone();
        let mut required: FxHashSet<Arc<str>> = known.shape.required.iter().cloned().collect();
        for condition in &mut left.objects {
            let ObjectCondition::Required { keys, stated } = condition else { continue };
            for key in keys.iter().filter(|key| !known.shape.required.contains(*key)) {
                if known.shape.at(self, key, true)?.is_nothing() {
                    return Ok(None);
                }
                required.insert(key.clone());
            }
            let keys = keys.iter().filter(|key| !known.shape.required.contains(*key)).cloned().collect();
            *condition = ObjectCondition::Required { keys, stated: *stated };
        }
        for condition in &mut left.objects {
            let ObjectCondition::Members(members) = &*condition else { continue };
            if !members.patterns.is_empty() {
                continue;
            }
            let mut constraints = MemberConstraints::clone(members);
            if !members.rest.is_anything() {
                let others = known.keys.iter().filter(|key| members.named(key).is_none());
                constraints.names.extend(others.map(|key| (key.clone(), members.rest)));
            }
            for (key, asked) in &mut constraints.names {
                let given = known.shape.at(self, key, true)?;
                if self.follows(*asked, given) {
                    *asked = ConjunctionId::ANYTHING;
                } else if required.contains(key) {
                    let both = self.subschemas.conjunctions.both(given, *asked);
                    if self.search_contradiction(both, FULL_DEPTH)? {
                        return Ok(None);
                    }
                }
            }
            if self.follows(members.rest, known.rest) {
                constraints.rest = ConjunctionId::ANYTHING;
            }
            *condition = ObjectCondition::Members(Members::new(constraints));
        }
        left.objects.retain(|condition| match condition {
            ObjectCondition::Required { keys, .. } => !keys.is_empty(),
            _ => true,
        });
        if left == parsed.conjunct {
            return Ok(Some(goal));
        }
        Ok(Some(self.subschemas.in_conjunct(of, left)))
    }

    /// Whether each literal of a conjunction is one of another conjunction.
    fn follows(&self, asked: ConjunctionId, given: ConjunctionId) -> bool {
        let conjunctions = &self.subschemas.conjunctions;
        let given_literals = conjunctions.literals(given);
        let holds = |literal| given_literals.binary_search(literal).is_ok();
        given.is_nothing() || (!asked.is_nothing() && conjunctions.literals(asked).iter().all(holds))
    }

    /// Whether certainly no value is in both unions.
    fn are_disjoint(&mut self, left: &[Conjunct], right: &[Conjunct]) -> Result<bool> {
        for one in left {
            for other in right {
                if let Some(both) = one.meet(other) {
                    if !self.is_conjunct_empty(&both, FULL_DEPTH)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }
}
