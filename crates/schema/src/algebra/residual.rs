//! A conjunction and known conditions of the same object → its residual, the conjunction without conditions that follow
//! from the known ones.
//!
//! oneOf takes the complement of each alternative, and a complement has a conjunct for each condition. If residuals
//! have one condition each, a product of hundreds of unions is one conjunct.

use super::emptiness::FULL_DEPTH;
use super::switch::Case;
use super::Expander;
use crate::condition::{Conjunct, ConjunctionId, MemberConstraints, Members, ObjectCondition};
use crate::error::Result;
use crate::types::object::Shape;
use std::sync::Arc;

/// The conditions that an object is known to meet.
pub(super) struct Known {
    shape: Shape,
    keys: Vec<Arc<str>>,
    /// The constraint on members that `keys` does not name.
    rest: ConjunctionId,
}

impl Expander<'_> {
    /// The residual of a conjunction in a case of a switch. Errors: as `expand`.
    pub(super) fn residual_in_case(&mut self, goal: ConjunctionId, case: &Case<'_>) -> Result<ConjunctionId> {
        let grants = |_: &mut Self, key: Option<&Arc<str>>, asked| Ok(key == Some(case.key()) && case.grants(asked));
        let Some(mut left) = self.residual(goal, std::slice::from_ref(case.key()), grants)? else { return Ok(goal) };
        if case.is_present() {
            for condition in &mut left.objects {
                if let ObjectCondition::Required { keys, .. } = condition {
                    *keys = keys.iter().filter(|key| *key != case.key()).cloned().collect();
                }
            }
            let is_idle = |condition: &ObjectCondition| matches!(condition, ObjectCondition::Required { keys, .. } if keys.is_empty());
            left.objects.retain(|condition| !is_idle(condition));
        }
        Ok(self.in_conjunct(goal, left))
    }

    /// The residual of a conjunction beside known conditions. Errors: as `expand`.
    pub(super) fn residual_beside(&mut self, goal: ConjunctionId, known: &Known) -> Result<ConjunctionId> {
        let grants = |this: &mut Self, key: Option<&Arc<str>>, asked| {
            let given = match key {
                Some(key) => known.shape.at(this, key, true)?,
                None => known.rest,
            };
            let conjunctions = &this.subschemas.conjunctions;
            let (given_literals, asked_literals) = (conjunctions.literals(given), conjunctions.literals(asked));
            let holds = |literal| given_literals.binary_search(literal).is_ok();
            Ok(given.is_nothing() || (!asked.is_nothing() && asked_literals.iter().all(holds)))
        };
        let left = self.residual(goal, &known.keys, grants)?;
        Ok(left.map_or(goal, |left| self.in_conjunct(goal, left)))
    }

    fn in_conjunct(&mut self, goal: ConjunctionId, conjunct: Conjunct) -> ConjunctionId {
        match self.positive_literal(goal) {
            Some(of) => self.subschemas.in_conjunct(of, conjunct),
            None => goal,
        }
    }

    /// The conditions on objects of a conjunct; None if it has patternProperties or propertyNames.
    pub(super) fn known_of(&mut self, conjunct: &Conjunct) -> Option<Known> {
        let mut shape = Shape::new(self, &conjunct.objects);
        if shape.is_patterned || shape.names.is_some() {
            return None;
        }
        let keys: Vec<Arc<str>> = shape.named().into_iter().collect();
        let mut rest = ConjunctionId::ANYTHING;
        for members in &shape.members {
            rest = self.subschemas.conjunctions.both(rest, members.rest);
        }
        shape.index(self, usize::MAX);
        Some(Known { shape, keys, rest })
    }

    /// Whether known conditions contradict a conjunct of objects; None if it has conditions beside those on named
    /// members.
    pub(super) fn contradicts(&mut self, known: &Known, conjunct: &Conjunct) -> Result<Option<bool>> {
        let mut required: Vec<&Arc<str>> = Vec::new();
        for condition in &conjunct.objects {
            match condition {
                ObjectCondition::Required { keys, .. } => required.extend(keys.iter()),
                ObjectCondition::Members(members) if members.patterns.is_empty() && members.rest.is_anything() => {}
                _ => return Ok(None),
            }
        }
        for key in &required {
            if known.shape.at(self, key, true)?.is_nothing() {
                return Ok(Some(true));
            }
        }
        for condition in &conjunct.objects {
            let ObjectCondition::Members(members) = condition else { continue };
            for (key, asked) in members.names.iter().filter(|(_, asked)| !asked.is_anything()) {
                if known.shape.required.contains(key) || required.contains(&key) {
                    let given = known.shape.at(self, key, true)?;
                    let both = self.subschemas.conjunctions.both(given, *asked);
                    if self.search_contradiction(both, FULL_DEPTH)? {
                        return Ok(Some(true));
                    }
                }
            }
        }
        Ok(Some(false))
    }

    /// A conjunction's conjunct without the constraints on members that `grants` says to hold. `grants` is asked for
    /// each key of `keys` and of the conjunct, and with None for the other members together. None if no constraint is
    /// granted, or the conjunction is no single conjunct.
    fn residual(
        &mut self,
        goal: ConjunctionId,
        keys: &[Arc<str>],
        mut grants: impl FnMut(&mut Self, Option<&Arc<str>>, ConjunctionId) -> Result<bool>,
    ) -> Result<Option<Conjunct>> {
        let Some(of) = self.positive_literal(goal) else { return Ok(None) };
        let parsed = self.parsed(of)?;
        if !parsed.applicators.is_empty() || !parsed.alternatives.is_empty() || parsed.has_unevaluated() {
            return Ok(None);
        }
        let (mut left, mut is_less) = (parsed.conjunct.clone(), false);
        for condition in &mut left.objects {
            let ObjectCondition::Members(members) = &*condition else { continue };
            if !members.patterns.is_empty() {
                continue;
            }
            let mut constraints = MemberConstraints::clone(members);
            if !members.rest.is_anything() {
                let others = keys.iter().filter(|key| members.named(key).is_none());
                constraints.names.extend(others.map(|key| (key.clone(), members.rest)));
            }
            let mut is_granted = false;
            for (key, asked) in &mut constraints.names {
                if !asked.is_anything() && grants(self, Some(key), *asked)? {
                    (*asked, is_granted) = (ConjunctionId::ANYTHING, true);
                }
            }
            if !members.rest.is_anything() && grants(self, None, members.rest)? {
                (constraints.rest, is_granted) = (ConjunctionId::ANYTHING, true);
            }
            if is_granted {
                *condition = ObjectCondition::Members(Members::new(constraints));
                is_less = true;
            }
        }
        Ok(is_less.then_some(left))
    }
}
