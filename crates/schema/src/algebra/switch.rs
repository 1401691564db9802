//! Conditions on one member (`if: {properties: {kind: {const: "a"}}}`) → a switch: the cases of the member's value, and
//! the conditions that are still open in each.
//!
//! An `allOf` of many `if`s that compare one member with constants is a switch: a case such as `kind = "a"` decides
//! nearly all of them, while a product compares each with each. In a case, a condition is true, false or unknown
//! (Kleene 1938), since it may test other members, too.

use super::cells::{Cell, Cells};
use super::{Expander, Splitting};
use crate::condition::{Conjunct, ConjunctionId, Members, ObjectCondition, SubschemaId, Types};
use crate::error::Result;
use crate::read::Applicator;
use crate::subschema::Asks;
use crate::types::object::demand;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Fewest different tests of one member that make a switch; with fewer, a product takes no longer.
const MANY: usize = 3;
/// Most subschemas that all searches for tests read.
const WALKED: usize = 1 << 18;
/// Keywords of which a test of a member has one; without them, a switch is not worth its cases.
const TESTING: [&str; 3] = ["const", "enum", "pattern"];

/// The member in one case.
enum Member {
    /// The value is no object.
    NoObject,
    /// The object has no such member.
    Absent,
    /// The member is in the cell.
    Present(Cell),
}

/// The cases of one member's value.
pub(super) struct Switch {
    key: Arc<str>,
    /// How many of the first applicators do not test the member.
    pub untested: usize,
    members: Vec<Member>,
    /// The constraints on the member that hold or fail in each cell.
    decided: FxHashSet<ConjunctionId>,
}

/// A case of a switch; `outer` is the case of an enclosing switch.
pub(super) struct Case<'s> {
    switch: &'s Switch,
    member: &'s Member,
    outer: Option<&'s Case<'s>>,
    /// Subschema with applicators → whether the case meets it.
    known: RefCell<FxHashMap<SubschemaId, Option<bool>>>,
}

/// A truth of three values: None if unknown.
type Truth = Option<bool>;

fn both(one: Truth, other: Truth) -> Truth {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn negated(truth: Truth) -> Truth {
    truth.map(|holds| !holds)
}

impl Switch {
    /// The cases; `outer` is the case of an enclosing switch.
    pub fn cases<'s>(&'s self, outer: Option<&'s Case<'s>>) -> impl ExactSizeIterator<Item = Case<'s>> {
        self.members.iter().map(move |member| Case { switch: self, member, outer, known: RefCell::default() })
    }
}

impl<'s> Case<'s> {
    /// The values of the case.
    pub fn conjunct(&self) -> Conjunct {
        let key = &self.switch.key;
        let with = |asked| ObjectCondition::Members(Members::single(key.clone(), asked));
        match self.member {
            Member::NoObject => Conjunct::of_types(!Types::OBJECT),
            Member::Absent => Conjunct::of_objects(vec![with(ConjunctionId::NOTHING)]),
            Member::Present(cell) => {
                let required = ObjectCondition::Required { keys: Arc::from([key.clone()]), stated: false };
                Conjunct::of_objects(vec![with(cell.value), required])
            }
        }
    }

    /// This case or an enclosing one, of the switch on a member.
    fn of(&self, key: &str) -> Option<&Case<'s>> {
        match *self.switch.key == *key {
            true => Some(self),
            false => self.outer?.of(key),
        }
    }

    /// Whether the member meets a constraint, if it is there.
    fn meets(&self, asked: ConjunctionId) -> Truth {
        match self.member {
            Member::NoObject | Member::Absent => Some(true),
            Member::Present(_) if asked.is_anything() || asked.is_nothing() => Some(asked.is_anything()),
            Member::Present(cell) if cell.holds(asked) => Some(true),
            Member::Present(_) => self.switch.decided.contains(&asked).then_some(false),
        }
    }
}

impl Expander<'_> {
    /// The switch on the member that applicators of a subschema test most often; None with few tests. Errors: as
    /// `expand`.
    pub(super) fn switch(
        &mut self,
        of: SubschemaId,
        parts: &[Applicator],
        case: Option<&Case<'_>>,
    ) -> Result<Option<Rc<Switch>>> {
        if parts.is_empty() || self.options.splitting == Splitting::Clauses {
            return Ok(None);
        }
        let found = match self.switches.get(&of) {
            Some(known) => known.clone(),
            None => {
                let found = self.switch_of(of, parts)?.map(Rc::new);
                self.switches.insert(of, found.clone());
                found
            }
        };
        Ok(found.filter(|switch| case.is_none_or(|case| case.of(&switch.key).is_none())))
    }

    fn switch_of(&mut self, of: SubschemaId, parts: &[Applicator]) -> Result<Option<Switch>> {
        let mut met = FxHashSet::default();
        let Some(tests) = self.tests(parts, &mut met)? else { return Ok(None) };
        // The constraints on members in tests, each with the first applicator that has it.
        let mut constraints: IndexMap<Members, usize, FxBuildHasher> = IndexMap::default();
        for &(goal, part) in &tests {
            for members in self.constraints_of(goal)? {
                constraints.entry(members).or_insert(part);
            }
        }
        let mut asked: IndexMap<&Arc<str>, FxHashSet<ConjunctionId>, FxBuildHasher> = IndexMap::default();
        for (key, goal) in constraints.keys().flat_map(|members| &members.names) {
            if self.is_test(*goal) {
                asked.entry(key).or_default().insert(*goal);
            }
        }
        let most = asked.values().map(FxHashSet::len).max().unwrap_or(0);
        let Some((&key, _)) = asked.iter().find(|(_, asked)| asked.len() >= MANY && asked.len() == most) else {
            // Those below have no more tests.
            self.switches.extend(met.into_iter().map(|below| (below, None)));
            return Ok(None);
        };
        let untested = constraints.iter().filter(|(members, _)| members.named(key).is_some());
        let untested = untested.map(|(_, &part)| part).min().unwrap_or(0);
        // All constraints on the member, of all tests.
        let mut atoms: IndexSet<ConjunctionId, FxBuildHasher> = IndexSet::default();
        for members in constraints.keys() {
            let asked = demand(self, members, key)?;
            if !asked.is_anything() && !asked.is_nothing() {
                atoms.insert(asked);
            }
        }
        let Some(Cells { all, decided }) = self.cells(of, &atoms.into_iter().collect::<Vec<_>>())? else {
            return Ok(None);
        };
        let mut members = vec![Member::NoObject, Member::Absent];
        members.extend(all.into_iter().map(Member::Present));
        Ok(Some(Switch { key: key.clone(), untested, members, decided }))
    }

    /// The tests of applicators, and of those of the subschemas that they apply to the same value: alternatives of anyOf
    /// and oneOf, conditions of not and if. Each has the index of the applicator; `met` has these
    /// subschemas. None if they are too many.
    fn tests(
        &mut self,
        parts: &[Applicator],
        met: &mut FxHashSet<SubschemaId>,
    ) -> Result<Option<Vec<(ConjunctionId, usize)>>> {
        let mut found = Vec::new();
        for (place, part) in parts.iter().enumerate() {
            let mut stack = vec![part.clone()];
            while let Some(next) = stack.pop() {
                let (tested, below) = match next {
                    Applicator::All(goals) => (Vec::new(), goals),
                    Applicator::Any(goals) => (goals.clone(), goals),
                    Applicator::One(goals) => (goals, Vec::new()),
                    Applicator::Not(goal) => (vec![goal], Vec::new()),
                    Applicator::If(condition, then, other) => (vec![condition], vec![then, other]),
                };
                found.extend(tested.into_iter().map(|goal| (goal, place)));
                for goal in below.into_iter().rev() {
                    let Some(of) = self.positive_literal(goal) else { continue };
                    if !met.insert(of) {
                        continue;
                    }
                    self.walked += 1;
                    if self.walked > WALKED {
                        return Ok(None);
                    }
                    let parsed = self.parsed(of)?;
                    self.count_conditions(1 + parsed.applicators.len())?;
                    stack.extend(parsed.applicators.iter().rev().cloned());
                }
            }
        }
        Ok(Some(found))
    }

    /// The constraints on members in a condition and in all subschemas that it applies to the same value.
    fn constraints_of(&mut self, goal: ConjunctionId) -> Result<Vec<Members>> {
        let mut found = Vec::new();
        let mut stack = vec![goal];
        let mut met = FxHashSet::default();
        while let Some(goal) = stack.pop() {
            for literal in self.subschemas.conjunctions.literals(goal).iter() {
                if !met.insert(literal.subschema()) || self.walked > WALKED {
                    continue;
                }
                self.walked += 1;
                let parsed = self.parsed(literal.subschema())?;
                found.extend(parsed.conjunct.objects.iter().filter_map(|condition| match condition {
                    ObjectCondition::Members(members) => Some(members.clone()),
                    _ => None,
                }));
                stack.extend(parsed.applicators.iter().flat_map(Applicator::goals));
            }
        }
        Ok(found)
    }

    /// Whether the conjunction is one subschema of the document, with const, enum or pattern.
    fn is_test(&self, asked: ConjunctionId) -> bool {
        let Some(literal) = self.subschemas.conjunctions.single(asked) else { return false };
        let Asks::Schema(schema) = self.subschemas.get(literal.subschema()).asks else { return false };
        let members = self.subschemas.documents.object(schema);
        members.is_some_and(|members| TESTING.iter().any(|keyword| members.get(keyword).is_some()))
    }

    /// The applicator without the tests that a case decides: `if` becomes `then` or `else`. Errors: as `expand`.
    pub(super) fn decided(&mut self, applicator: &Applicator, case: &Case<'_>) -> Result<Applicator> {
        let (nothing, all) = (Applicator::All(vec![ConjunctionId::NOTHING]), Applicator::All(Vec::new()));
        Ok(match applicator {
            Applicator::All(_) => applicator.clone(),
            &Applicator::If(condition, then, other) => match self.truth(case, condition)? {
                Some(holds) => Applicator::All(vec![if holds { then } else { other }]),
                None => applicator.clone(),
            },
            &Applicator::Not(goal) => match self.truth(case, goal)? {
                Some(holds) if holds => nothing,
                Some(_) => all,
                None => applicator.clone(),
            },
            Applicator::Any(goals) | Applicator::One(goals) => {
                let is_any = matches!(applicator, Applicator::Any(_));
                let mut left = Vec::new();
                for &goal in goals {
                    match self.truth(case, goal)? {
                        Some(true) if is_any => return Ok(all),
                        Some(false) => {}
                        _ => left.push(goal),
                    }
                }
                match left.len() {
                    0 => nothing,
                    1 => Applicator::All(left),
                    _ if is_any => Applicator::Any(left),
                    _ => Applicator::One(left),
                }
            }
        })
    }

    /// Whether the values of a case meet a conjunction; None also if some do.
    fn truth(&mut self, case: &Case<'_>, goal: ConjunctionId) -> Result<Truth> {
        let mut found = Some(!goal.is_nothing());
        for literal in self.subschemas.conjunctions.literals(goal).iter() {
            let truth = self.deeper(|this| this.truth_of(case, literal.subschema()))?;
            found = both(found, if literal.is_negative() { negated(truth) } else { truth });
        }
        Ok(found)
    }

    fn truth_of(&mut self, case: &Case<'_>, of: SubschemaId) -> Result<Truth> {
        let parsed = self.parsed(of)?;
        self.count_conditions(1 + parsed.conjunct.objects.len())?;
        let is_more = !parsed.alternatives.is_empty() || parsed.has_unevaluated();
        let mut found = both(self.truth_of_conjunct(case, &parsed.conjunct)?, if is_more { None } else { Some(true) });
        if parsed.applicators.is_empty() || found == Some(false) {
            return Ok(found);
        }
        if let Some(&known) = case.known.borrow().get(&of) {
            return Ok(known);
        }
        // A reference back to the subschema finds it unknown.
        case.known.borrow_mut().insert(of, None);
        for applicator in &parsed.applicators {
            let truth =
                match applicator {
                    Applicator::All(goals) => goals
                        .iter()
                        .try_fold(Some(true), |all, &goal| self.truth(case, goal).map(|one| both(all, one)))?,
                    Applicator::Any(goals) => negated(goals.iter().try_fold(Some(true), |none, &goal| {
                        self.truth(case, goal).map(|one| both(none, negated(one)))
                    })?),
                    Applicator::One(_) => None,
                    &Applicator::Not(goal) => negated(self.truth(case, goal)?),
                    &Applicator::If(condition, then, other) => match self.truth(case, condition)? {
                        Some(holds) => self.truth(case, if holds { then } else { other })?,
                        None => None,
                    },
                };
            found = both(found, truth);
        }
        case.known.borrow_mut().insert(of, found);
        Ok(found)
    }

    fn truth_of_conjunct(&mut self, case: &Case<'_>, of: &Conjunct) -> Result<Truth> {
        if matches!(case.member, Member::NoObject) {
            let others = of.types & !Types::OBJECT;
            let is_unconditional = others == !Types::OBJECT && of.condition_count() == of.objects.len();
            return Ok((others.is_empty() || is_unconditional).then_some(is_unconditional));
        }
        let mut found = Some(of.types.has(Types::OBJECT));
        for condition in &of.objects {
            let truth = match condition {
                ObjectCondition::Members(members) => self.truth_of_members(case, members)?,
                ObjectCondition::Required { keys, .. } => {
                    let is_present = |key: &Arc<str>| match case.of(key)?.member {
                        Member::Present(_) => Some(true),
                        Member::Absent => Some(false),
                        Member::NoObject => None,
                    };
                    keys.iter().map(is_present).reduce(both).unwrap_or(Some(true))
                }
                _ => None,
            };
            found = both(found, truth);
        }
        Ok(found)
    }

    fn truth_of_members(&mut self, case: &Case<'_>, members: &Members) -> Result<Truth> {
        let is_open = members.patterns.is_empty() && members.rest.is_anything();
        let asked = members.names.iter().filter(|(_, asked)| !asked.is_anything());
        let mut found =
            asked.fold(if is_open { Some(true) } else { None }, |all, (key, _)| both(all, case.of(key).map(|_| true)));
        let mut next = Some(case);
        while let Some(case) = next {
            found = both(found, case.meets(demand(self, members, &case.switch.key)?));
            next = case.outer;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_have_three_values() {
        let values = [Some(true), Some(false), None];
        let all = values.map(|one| values.map(|other| both(one, other)));
        assert_eq!(all, [values, [Some(false); 3], [None, Some(false), None]]);
        assert_eq!(values.map(negated), [Some(false), Some(true), None]);
    }
}
