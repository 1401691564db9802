//! Alternatives of oneOf → for each one the values that meet it and no other alternative, as conjuncts.

use super::emptiness::FULL_DEPTH;
use super::lists::{constants, Constant};
use super::union::{is_whole, Union};
use super::Expander;
use crate::condition::{Conjunct, ConjunctionId, Types};
use crate::error::Result;
use rustc_hash::FxHashMap;

/// From this number of alternatives on, most of them are excluded in one step instead of one by one.
const CROWD: usize = 8;

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
        let mut others = others.to_vec();
        if others.len() >= CROWD {
            (found, others) = self.without_most(&found, &others)?;
        }
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
    fn without_most(&mut self, found: &Union, others: &[ConjunctionId]) -> Result<(Union, Vec<ConjunctionId>)> {
        let [conjunct] = &found[..] else { return Ok((found.clone(), others.to_vec())) };
        let (mut excluding, mut left) = (Vec::new(), Vec::new());
        let known = if conjunct.types == Types::OBJECT { self.known_of(conjunct) } else { None };
        for &other in others {
            let other = known.as_ref().map_or(Ok(other), |known| self.residual_beside(other, known))?;
            let inside = self.expand(other)?;
            let contradicts = match (&known, &inside[..]) {
                (Some(known), [only]) if only.types.has(Types::OBJECT) => self.contradicts(known, only)?,
                _ => None,
            };
            if contradicts.map_or_else(|| self.are_disjoint(found, &inside), Ok)? {
                continue;
            }
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
