//! allOf, anyOf, oneOf, not and if of a subschema → the union of conjuncts that meets them, computed inside the
//! conjuncts that the value must meet anyway.

use super::switch::{Case, Switch};
use super::union::{is_whole, union_of, Union};
use super::{Expander, Splitting};
use crate::condition::{Conjunct, ConjunctionId, SubschemaId};
use crate::error::Result;
use crate::read::{Applicator, ParsedSchema};

/// The keyword of an applicator.
fn keyword(applicator: &Applicator) -> &'static str {
    match applicator {
        Applicator::All(_) => "allOf",
        Applicator::Any(_) => "anyOf",
        Applicator::One(_) => "oneOf",
        Applicator::Not(_) => "not",
        Applicator::If(..) => "if",
    }
}

/// The parts of an applicator that can be left out one by one.
fn parts(applicator: &Applicator) -> Vec<Applicator> {
    match applicator {
        Applicator::All(each) => each.iter().map(|&one| Applicator::All(vec![one])).collect(),
        other => vec![other.clone()],
    }
}

impl Expander<'_> {
    /// The part of `context` that meets a subschema; `case` is one of an enclosing switch. Errors: as `expand`.
    pub(super) fn applied(&mut self, context: &Union, of: SubschemaId, case: Option<&Case<'_>>) -> Result<Union> {
        let parsed = self.parsed(of)?;
        let found = self.own(context, &parsed)?;
        let parts: Vec<Applicator> = parsed.applicators.iter().flat_map(parts).collect();
        let Some(switch) = self.switch(of, &parts, case)? else { return self.applied_parts(found, of, &parts, case) };
        let (untested, tested) = parts.split_at(switch.untested);
        let found = self.applied_parts(found, of, untested, case)?;
        let most = self.options.max_alternatives;
        if self.options.splitting == Splitting::Loosened {
            // All cases together stay within the limit of one value.
            self.options.max_alternatives =
                (self.options.total / switch.cases(None).len() as u64).clamp(1, most.max(1));
        }
        let unions = self.applied_cases(&found, of, tested, &switch, case);
        self.options.max_alternatives = most;
        let unions = unions?;
        // Not counted against the limit: one alternative of each case, and as many as the longest anyOf or oneOf lists.
        let listed = tested.iter().map(|part| match part {
            Applicator::Any(goals) | Applicator::One(goals) => goals.len(),
            Applicator::All(_) | Applicator::Not(_) | Applicator::If(..) => 0,
        });
        let free = unions.len() + listed.max().unwrap_or(0);
        self.sum_of_cases(&unions, free)
    }

    /// The part of a union that meets applicators, as one union for each case of a switch.
    fn applied_cases(
        &mut self,
        found: &Union,
        of: SubschemaId,
        parts: &[Applicator],
        switch: &Switch,
        outer: Option<&Case<'_>>,
    ) -> Result<Vec<Union>> {
        let mut unions = Vec::new();
        for case in switch.cases(outer) {
            let conjunct = case.conjunct();
            let within = self.product(found, &union_of([conjunct.clone()]))?;
            let within = self.pruned(&within)?;
            if !within.is_empty() {
                let met = self.applied_parts(within.into(), of, parts, Some(&case))?;
                // A case names its member only to split: its condition goes last, so that members keep the order of the
                // schema.
                unions.push(met.iter().map(|one| one.with_last(&conjunct.objects)).collect());
            }
        }
        Ok(unions)
    }

    /// The part of a union that meets applicators. Under `Splitting::Loosened`, an applicator that splits the union too
    /// far is left out.
    fn applied_parts(
        &mut self,
        mut found: Union,
        of: SubschemaId,
        parts: &[Applicator],
        case: Option<&Case<'_>>,
    ) -> Result<Union> {
        for part in parts {
            let alternatives = self.alternatives;
            let decided = case.map(|case| self.decided(part, case)).transpose()?;
            let part = decided.as_ref().unwrap_or(part);
            // An applicator that splits one case too far does so in most others, and each attempt takes many steps.
            if !self.left_out.is_empty() && self.left_out.contains(&(of, part.clone())) {
                continue;
            }
            found = match self.meeting(&found, part, case) {
                Err(error) if self.leaves_out(&error) => {
                    self.alternatives = alternatives;
                    self.loosened(found, of, part)?
                }
                met => met?,
            };
        }
        Ok(found)
    }

    /// The part of a union that meets the keywords of a subschema other than its applicators.
    pub(super) fn own(&mut self, context: &Union, parsed: &ParsedSchema) -> Result<Union> {
        let mut found = context.clone();
        if !parsed.conjunct.is_whole() {
            found = self.product(&found, &union_of([parsed.conjunct.clone()]))?;
        }
        for alternatives in &parsed.alternatives {
            found = self.product(&found, &alternatives.clone().into())?;
        }
        Ok(found)
    }

    fn meeting(&mut self, found: &Union, part: &Applicator, case: Option<&Case<'_>>) -> Result<Union> {
        match part {
            Applicator::One(goals) => {
                let exactly = self.each_exactly(found, goals)?;
                self.sum_of_cases(&exactly, exactly.len())
            }
            Applicator::All(each) => {
                let mut found = found.clone();
                for &one in each {
                    found = self.within(&found, one, case)?;
                }
                Ok(found)
            }
            Applicator::Any(_) if found.is_empty() => Ok(found.clone()),
            Applicator::Any(goals) if !is_whole(found) => {
                let unions: Vec<Union> =
                    goals.iter().map(|&goal| self.within(found, goal, case)).collect::<Result<_>>()?;
                let sum = self.sum(&unions)?;
                Ok(self.pruned(&sum)?.into())
            }
            part => {
                let part = self.part(part)?;
                self.product(found, &part)
            }
        }
    }

    /// Leaves out an applicator that splits the union too far, and notes it; oneOf becomes anyOf if that fits.
    fn loosened(&mut self, found: Union, of: SubschemaId, part: &Applicator) -> Result<Union> {
        let mut place = of;
        match part {
            Applicator::One(goals) => match self.meeting(&found, &Applicator::Any(goals.clone()), None) {
                Ok(wider) => {
                    self.leave_out(of, "oneOf", "values that meet several of its alternatives");
                    return Ok(wider);
                }
                Err(error) if self.leaves_out(&error) => {}
                Err(error) => return Err(error),
            },
            Applicator::All(each) => {
                let literals = each.iter().flat_map(|&one| self.subschemas.conjunctions.literals(one).to_vec());
                place = literals.last().map_or(of, |literal| literal.subschema());
            }
            _ => {}
        }
        self.left_out.insert((of, part.clone()));
        let there = self.parsed(place)?;
        let dependent = |keyword: &&&str| matches!(**keyword, "dependentSchemas" | "dependencies");
        let keyword = match keyword(part) {
            "if" if !there.keywords.contains(&"if") => there.keywords.iter().find(dependent).unwrap_or(&"if"),
            keyword => keyword,
        };
        self.leave_out(place, keyword, "values that do not meet it");
        Ok(found)
    }

    /// The part of `context` that meets a conjunction. Alternatives of oneOf are compared inside the context, where
    /// they overlap less. Errors: as `expand`.
    pub(super) fn within(&mut self, context: &Union, goal: ConjunctionId, case: Option<&Case<'_>>) -> Result<Union> {
        if !context.is_empty() && !is_whole(context) {
            if let Some(of) = self.positive_literal(goal) {
                let is_told_apart = case.is_some() && self.applies_more(of)? || self.splits(of)?;
                if is_told_apart && self.applying.insert(of) {
                    let found = self.deeper(|this| this.applied(context, of, case));
                    self.applying.remove(&of);
                    return found;
                }
            }
        }
        let expanded = self.expand(goal)?;
        self.product(context, &expanded)
    }

    /// Whether a subschema has applicators that a case may decide.
    fn applies_more(&mut self, of: SubschemaId) -> Result<bool> {
        let parsed = self.parsed(of)?;
        Ok(!parsed.applicators.is_empty() && !parsed.has_unevaluated())
    }

    /// The subschema of a conjunction that is a single positive literal; None for other conjunctions.
    pub(super) fn positive_literal(&self, goal: ConjunctionId) -> Option<SubschemaId> {
        let literal = self.subschemas.conjunctions.single(goal)?;
        (!literal.is_negative()).then(|| literal.subschema())
    }

    /// Whether the subschema, or one that it applies to the same value, has oneOf.
    fn splits(&mut self, of: SubschemaId) -> Result<bool> {
        if let Some(&known) = self.splits.get(&of) {
            return Ok(known);
        }
        // A reference back to this subschema finds no other oneOf.
        self.splits.insert(of, false);
        if self.either(of).is_some() {
            return Ok(false);
        }
        let parsed = self.parsed(of)?;
        if parsed.has_unevaluated() {
            return Ok(false);
        }
        let found = self.deeper(|this| this.has_one_of(&parsed))?;
        self.splits.insert(of, found);
        Ok(found)
    }

    fn has_one_of(&mut self, parsed: &ParsedSchema) -> Result<bool> {
        for applicator in &parsed.applicators {
            match applicator {
                Applicator::One(_) => return Ok(true),
                Applicator::All(goals) | Applicator::Any(goals) => {
                    for &goal in goals {
                        for literal in &*self.subschemas.conjunctions.literals(goal) {
                            if !literal.is_negative() && self.splits(literal.subschema())? {
                                return Ok(true);
                            }
                        }
                    }
                }
                Applicator::Not(_) | Applicator::If(..) => {}
            }
        }
        Ok(false)
    }

    /// The union that meets an applicator, for a value without other conditions. Errors: as `expand`.
    pub(super) fn part(&mut self, applicator: &Applicator) -> Result<Union> {
        let whole = union_of([Conjunct::whole()]);
        match applicator {
            Applicator::All(goals) => {
                let mut found = whole;
                for &goal in goals {
                    let expanded = self.expand(goal)?;
                    found = self.product(&found, &expanded)?;
                }
                Ok(found)
            }
            Applicator::Any(goals) => self.sum_of(goals),
            Applicator::One(goals) => {
                let exactly = self.each_exactly(&whole, goals)?;
                self.sum(&exactly)
            }
            &Applicator::Not(goal) => {
                let outside = self.subschemas.negated(goal);
                self.expand(outside)
            }
            Applicator::If(_, then, other) if then.is_anything() && other.is_anything() => Ok(whole),
            &Applicator::If(condition, then, other) => self.conditional(condition, then, other),
        }
    }

    fn conditional(&mut self, condition: ConjunctionId, then: ConjunctionId, other: ConjunctionId) -> Result<Union> {
        let missed = self.subschemas.negated(condition);
        if self.options.splitting == Splitting::Clauses {
            let first = self.sum_of(&[missed, then])?;
            let first = self.joined(&first)?;
            let second = self.sum_of(&[condition, other])?;
            let second = self.joined(&second)?;
            if first.len() == 1 && second.len() == 1 {
                return self.product(&first, &second);
            }
        }
        let mut halves = Vec::with_capacity(2);
        for (premise, conclusion) in [(condition, then), (missed, other)] {
            let (premise, conclusion) = (self.expand(premise)?, self.expand(conclusion)?);
            halves.push(self.product(&premise, &conclusion)?);
        }
        self.sum(&halves)
    }
}
