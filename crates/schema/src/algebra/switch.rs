//! A case of a member's value → the conditions that are still open in it.
//!
//! An `allOf` of many `if`s that compare one member with constants is a switch: a case such as `kind = "a"` decides
//! nearly all of them, while a product compares each with each. In a case, a condition is true, false or unknown
//! (Kleene 1938), since it may test other members, too. `cases` builds switches.

use super::Expander;
use crate::condition::{Conjunct, ConjunctionId, Members, ObjectCondition, SubschemaId, Types};
use crate::read::Applicator;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A set of cases.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Cases(pub Vec<u64>);

impl Cases {
    pub fn none(count: usize) -> Self {
        Cases(vec![0; count.div_ceil(64)])
    }

    pub fn insert(&mut self, case: usize) {
        self.0[case / 64] |= 1 << (case % 64);
    }

    pub fn remove(&mut self, case: usize) {
        self.0[case / 64] &= !(1 << (case % 64));
    }

    pub fn contains(&self, case: usize) -> bool {
        self.0[case / 64] >> (case % 64) & 1 == 1
    }

    fn both(&self, other: &Self) -> Self {
        Cases(self.0.iter().zip(&other.0).map(|(one, other)| one & other).collect())
    }

    fn either(&self, other: &Self) -> Self {
        Cases(self.0.iter().zip(&other.0).map(|(one, other)| one | other).collect())
    }
}

/// The cases in which a condition certainly holds, and those in which it certainly does not.
#[derive(Debug, Clone)]
pub(super) struct Truth {
    pub holds: Cases,
    pub fails: Cases,
}

impl Truth {
    pub fn unknown(count: usize) -> Self {
        Truth { holds: Cases::none(count), fails: Cases::none(count) }
    }

    pub fn always(count: usize) -> Self {
        let mut found = Self::unknown(count);
        (0..count).for_each(|case| found.holds.insert(case));
        found
    }

    pub fn negated(&self) -> Self {
        Truth { holds: self.fails.clone(), fails: self.holds.clone() }
    }

    pub fn and(&self, other: &Self) -> Self {
        Truth { holds: self.holds.both(&other.holds), fails: self.fails.either(&other.fails) }
    }

    pub fn or(&self, other: &Self) -> Self {
        self.negated().and(&other.negated()).negated()
    }

    pub fn at(&self, case: usize) -> Option<bool> {
        match (self.holds.contains(case), self.fails.contains(case)) {
            (false, false) => None,
            (holds, _) => Some(holds),
        }
    }
}

/// The member in one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Member {
    /// The value is no object.
    NoObject,
    /// The object has no such member.
    Absent,
    /// The member meets the conjunction.
    Present(ConjunctionId),
    /// The member meets the conjunction, or is absent.
    Optional(ConjunctionId),
}

/// The cases of one member's value, and the tests that hold in each.
pub(super) struct Switch {
    pub key: Arc<str>,
    pub cases: Vec<Member>,
    /// Tested conjunction → the cases in which it holds.
    pub truths: FxHashMap<ConjunctionId, Truth>,
    /// Constraint on the member → the cases in which it holds.
    pub atoms: FxHashMap<ConjunctionId, Truth>,
    /// The subschemas that have a test, and those that apply such a subschema.
    pub testing: FxHashSet<SubschemaId>,
}

/// A case of a switch; `outer` is the case of an enclosing switch.
#[derive(Clone, Copy)]
pub(super) struct Case<'s> {
    switch: &'s Switch,
    place: usize,
    outer: Option<&'s Case<'s>>,
}

impl<'s> Case<'s> {
    pub fn new(switch: &'s Switch, place: usize, outer: Option<&'s Case<'s>>) -> Self {
        Case { switch, place, outer }
    }

    /// Whether a tested conjunction holds in this case; None if unknown.
    fn truth(&self, of: ConjunctionId) -> Option<bool> {
        let known = self.switch.truths.get(&of).and_then(|truth| truth.at(self.place));
        known.or_else(|| self.outer?.truth(of))
    }

    /// Whether a subschema has tests that this case may decide.
    pub fn concerns(&self, of: SubschemaId) -> bool {
        self.switch.testing.contains(&of) || self.outer.is_some_and(|outer| outer.concerns(of))
    }

    pub fn is_of(&self, key: &str) -> bool {
        &*self.switch.key == key || self.outer.is_some_and(|outer| outer.is_of(key))
    }

    /// The member of the innermost switch.
    pub fn key(&self) -> &Arc<str> {
        &self.switch.key
    }

    /// Whether the member of the innermost switch is absent, or certainly meets a conjunction.
    pub fn grants(&self, asked: ConjunctionId) -> bool {
        match self.switch.cases[self.place] {
            Member::NoObject => false,
            Member::Absent => true,
            Member::Present(_) | Member::Optional(_) => {
                self.switch.atoms.get(&asked).and_then(|truth| truth.at(self.place)) == Some(true)
            }
        }
    }

    /// Whether the object certainly has the member of the innermost switch.
    pub fn is_present(&self) -> bool {
        matches!(self.switch.cases[self.place], Member::Present(_))
    }

    /// The applicator without the tests that this case decides: `if` becomes `then` or `else`.
    pub fn decided(&self, applicator: &Applicator) -> Applicator {
        let (nothing, all) = (Applicator::All(vec![ConjunctionId::NOTHING]), Applicator::All(Vec::new()));
        let left = |goals: &[ConjunctionId]| -> Vec<ConjunctionId> {
            goals.iter().copied().filter(|&goal| self.truth(goal) != Some(false)).collect()
        };
        match applicator {
            Applicator::All(_) => applicator.clone(),
            &Applicator::If(condition, then, other) => match self.truth(condition) {
                Some(holds) => Applicator::All(vec![if holds { then } else { other }]),
                None => applicator.clone(),
            },
            &Applicator::Not(goal) => match self.truth(goal) {
                Some(true) => nothing,
                Some(false) => all,
                None => applicator.clone(),
            },
            Applicator::Any(goals) if goals.iter().any(|&goal| self.truth(goal) == Some(true)) => all,
            Applicator::Any(goals) | Applicator::One(goals) => match (left(goals), applicator) {
                (goals, _) if goals.is_empty() => nothing,
                (goals, _) if goals.len() == 1 => Applicator::All(goals),
                (goals, Applicator::One(_)) => Applicator::One(goals),
                (goals, _) => Applicator::Any(goals),
            },
        }
    }
}

impl Switch {
    /// The conjunct of each case.
    pub fn conjuncts(&self) -> impl Iterator<Item = Conjunct> + '_ {
        let with = |asked| ObjectCondition::Members(Members::single(self.key.clone(), asked));
        let required = || ObjectCondition::Required { keys: Arc::from([self.key.clone()]), stated: false };
        self.cases.iter().map(move |case| match *case {
            Member::NoObject => Conjunct::of_types(!Types::OBJECT),
            Member::Absent => Conjunct::of_objects(vec![with(ConjunctionId::NOTHING)]),
            Member::Optional(asked) => Conjunct::of_objects(vec![with(asked)]),
            Member::Present(asked) => Conjunct::of_objects(vec![with(asked), required()]),
        })
    }

    /// Whether an applicator has tests that a case may decide.
    pub fn concerns(&self, expander: &Expander<'_>, applicator: &Applicator) -> bool {
        let within =
            |goal: &ConjunctionId| expander.positive_literal(*goal).is_some_and(|of| self.testing.contains(&of));
        match applicator {
            Applicator::All(goals) => goals.iter().any(within),
            Applicator::Any(goals) => goals.iter().any(|goal| within(goal) || self.truths.contains_key(goal)),
            Applicator::One(goals) => goals.iter().any(|goal| self.truths.contains_key(goal)),
            Applicator::Not(goal) => self.truths.contains_key(goal),
            Applicator::If(condition, then, other) => {
                self.truths.contains_key(condition) || within(then) || within(other)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truth(holds: &[usize], fails: &[usize]) -> Truth {
        let mut found = Truth::unknown(70);
        holds.iter().for_each(|&case| found.holds.insert(case));
        fails.iter().for_each(|&case| found.fails.insert(case));
        found
    }

    #[test]
    fn conditions_have_three_values() {
        let (one, other) = (truth(&[0, 1, 69], &[2]), truth(&[0, 2], &[1, 3]));
        let at = |truth: &Truth| [0, 1, 2, 3, 69].map(|case| truth.at(case));
        assert_eq!(at(&one.and(&other)), [Some(true), Some(false), Some(false), Some(false), None]);
        assert_eq!(at(&one.or(&other)), [Some(true), Some(true), Some(true), None, Some(true)]);
        assert_eq!(at(&one.negated()), [Some(false), Some(false), Some(true), None, Some(false)]);
    }

    #[test]
    fn a_case_decides_what_it_knows() {
        let goal = ConjunctionId;
        let truths = [(goal(2), truth(&[1], &[2])), (goal(3), truth(&[2], &[1]))];
        let (key, cases) = ("k".into(), vec![Member::Absent; 3]);
        let truths = truths.into_iter().collect();
        let switch = Switch { key, cases, truths, atoms: FxHashMap::default(), testing: FxHashSet::default() };
        let in_case = |place, applicator: Applicator| Case::new(&switch, place, None).decided(&applicator);
        let all = |goals: &[u32]| Applicator::All(goals.iter().copied().map(goal).collect());
        assert_eq!(in_case(1, Applicator::If(goal(2), goal(7), goal(8))), all(&[7]));
        assert_eq!(in_case(2, Applicator::If(goal(2), goal(7), goal(8))), all(&[8]));
        let undecided = Applicator::If(goal(2), goal(7), goal(8));
        assert_eq!(in_case(0, undecided.clone()), undecided);
        assert_eq!(in_case(1, Applicator::Not(goal(2))), Applicator::All(vec![ConjunctionId::NOTHING]));
        assert_eq!(in_case(1, Applicator::One(vec![goal(3), goal(9)])), all(&[9]), "what fails is left out");
        assert_eq!(in_case(1, Applicator::Any(vec![goal(2), goal(9)])), all(&[]));
    }
}
