//! Conditions on one member (`if: {properties: {kind: {const: "a"}}}`) → a switch: the cases of the member's value, and
//! the conditions that hold in each.

use super::switch::{Case, Cases, Member, Switch, Truth};
use super::{Expander, Splitting};
use crate::condition::{Conjunct, ConjunctionId, Members, ObjectCondition, SubschemaId, Types};
use crate::error::Result;
use crate::json::{Key, Text, Value};
use crate::read::Applicator;
use crate::resolve::Location;
use crate::subschema::Asks;
use crate::types::object::demand;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::rc::Rc;
use std::sync::Arc;

/// Fewest different tests of one member that make a switch; with fewer, a product takes no longer.
const MANY: usize = 3;
/// Most subschemas that a search for tests reads.
const WALKED: usize = 4_096;
/// Keywords of which a test of a member has one; without them, a switch is not worth its cases.
const TESTING: [&str; 3] = ["const", "enum", "pattern"];

/// The tests of a subschema and of those that it applies to the same value: alternatives of anyOf and oneOf, conditions
/// of not and if.
#[derive(Default)]
struct Tests {
    /// Each test, and the subschema that it stands in.
    tested: Vec<(ConjunctionId, SubschemaId)>,
    /// Subschema → the one that applies it.
    above: FxHashMap<SubschemaId, SubschemaId>,
}

impl Expander<'_> {
    /// The switch on the member that a subschema tests most often; None with few tests. Errors: as `expand`.
    pub(super) fn switch(&mut self, of: SubschemaId, case: Option<&Case<'_>>) -> Result<Option<Rc<Switch>>> {
        if self.options.splitting == Splitting::Clauses {
            return Ok(None);
        }
        let found = match self.switches.get(&of) {
            Some(known) => known.clone(),
            None => {
                let found = self.switch_of(of)?.map(Rc::new);
                self.switches.insert(of, found.clone());
                found
            }
        };
        Ok(found.filter(|switch| case.is_none_or(|case| !case.is_of(&switch.key))))
    }

    fn switch_of(&mut self, of: SubschemaId) -> Result<Option<Switch>> {
        let parsed = self.parsed(of)?;
        if !self.compares_often(&parsed.applicators) {
            return Ok(None);
        }
        let Some(tests) = self.tests(of)? else { return Ok(None) };
        let mut constraints: IndexSet<Members, FxBuildHasher> = IndexSet::default();
        for &(goal, _) in &tests.tested {
            constraints.extend(self.constraints_of(goal)?);
        }
        let mut asked: IndexMap<Arc<str>, FxHashSet<ConjunctionId>, FxBuildHasher> = IndexMap::default();
        for (key, goal) in constraints.iter().flat_map(|members| &members.names) {
            if self.is_test(*goal) {
                asked.entry(key.clone()).or_default().insert(*goal);
            }
        }
        let most = asked.iter().map(|(_, asked)| asked.len()).max().unwrap_or(0);
        let Some((key, _)) = asked.into_iter().find(|(_, asked)| asked.len() >= MANY && asked.len() == most) else {
            return Ok(None);
        };
        // All conditions on the member, of all tests.
        let mut atoms: IndexSet<ConjunctionId, FxBuildHasher> = IndexSet::default();
        for members in &constraints {
            let asked = demand(self, members, &key)?;
            if !asked.is_anything() && !asked.is_nothing() {
                atoms.insert(asked);
            }
        }
        self.switch_on(key, &tests, &atoms)
    }

    /// The tests of a subschema; None if it applies too many subschemas.
    fn tests(&mut self, of: SubschemaId) -> Result<Option<Tests>> {
        let mut found = Tests::default();
        let mut stack = vec![of];
        let mut met = FxHashSet::from_iter([of]);
        while let Some(next) = stack.pop() {
            if met.len() > WALKED {
                return Ok(None);
            }
            let parsed = self.parsed(next)?;
            self.count_conditions(1 + parsed.applicators.len())?;
            let mut below = Vec::new();
            for applicator in &parsed.applicators {
                match applicator {
                    Applicator::All(goals) => below.extend(goals),
                    Applicator::Any(goals) => {
                        found.tested.extend(goals.iter().map(|&goal| (goal, next)));
                        below.extend(goals);
                    }
                    Applicator::One(goals) => found.tested.extend(goals.iter().map(|&goal| (goal, next))),
                    &Applicator::Not(goal) => found.tested.push((goal, next)),
                    &Applicator::If(condition, then, other) => {
                        found.tested.push((condition, next));
                        below.extend([then, other]);
                    }
                }
            }
            for goal in below.into_iter().rev() {
                let Some(sub) = self.positive_literal(goal) else { continue };
                if met.insert(sub) {
                    found.above.insert(sub, next);
                    stack.push(sub);
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
                if !met.insert(literal.subschema()) || met.len() > WALKED {
                    continue;
                }
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
        self.compares(schema)
    }

    fn compares(&self, schema: Location) -> bool {
        let members = self.subschemas.documents.object(schema);
        members.is_some_and(|members| TESTING.iter().any(|keyword| members.get(keyword).is_some()))
    }

    /// Whether applicators compare some member with constants or patterns at least `MANY` times. Only the JSON below
    /// them is searched, and no reference followed, so that no subschema is parsed before a value needs it.
    fn compares_often(&self, applicators: &[Applicator]) -> bool {
        let goals = applicators.iter().flat_map(Applicator::goals);
        let literals = goals.flat_map(|goal| self.subschemas.conjunctions.literals(goal).to_vec());
        let mut stack: Vec<Location> = Vec::new();
        for literal in literals {
            if let Asks::Schema(schema) = self.subschemas.get(literal.subschema()).asks {
                stack.push(schema);
            }
        }
        let documents = &self.subschemas.documents;
        let (mut counts, mut looked): (FxHashMap<String, usize>, _) = (FxHashMap::default(), 0);
        while let Some(schema) = stack.pop().filter(|_| looked < WALKED) {
            looked += 1;
            let Some(members) = documents.object(schema) else { continue };
            let at = |node| Location { node, ..schema };
            for member in members.iter() {
                let Key::Text(Text::Unicode(keyword)) = member.key else { continue };
                match (keyword, documents.value(at(member.value))) {
                    ("properties", Value::Object(properties)) => {
                        for property in properties.iter().filter(|property| self.compares(at(property.value))) {
                            let Key::Text(key) = property.key else { continue };
                            let count = counts.entry(key.to_string()).or_default();
                            *count += 1;
                            if *count >= MANY {
                                return true;
                            }
                        }
                    }
                    ("allOf" | "anyOf" | "oneOf", Value::Array(items)) => stack.extend(items.iter().copied().map(at)),
                    ("if" | "then" | "else" | "not", _) => stack.push(at(member.value)),
                    _ => {}
                }
            }
        }
        false
    }

    /// The switch on a member, with a case for each cell of its values.
    fn switch_on(
        &mut self,
        key: Arc<str>,
        tests: &Tests,
        atoms: &IndexSet<ConjunctionId, FxBuildHasher>,
    ) -> Result<Option<Switch>> {
        let Some(cells) = self.cells(tests.tested[0].1, atoms.iter().copied().collect())? else { return Ok(None) };
        let mut cases = vec![Member::NoObject, Member::Absent];
        cases.extend(cells.values.iter().map(|&value| Member::Present(value)));
        let mut search =
            Truths { key: key.clone(), count: cases.len(), atoms: cells.truths, known: FxHashMap::default() };
        let mut truths = FxHashMap::default();
        for &(goal, _) in &tests.tested {
            if let Entry::Vacant(entry) = truths.entry(goal) {
                let truth = self.truth(&mut search, goal)?;
                if truth.holds.0.iter().chain(&truth.fails.0).any(|&cases| cases != 0) {
                    entry.insert(truth);
                }
            }
        }
        // Merges the case of an absent member with a cell, mostly the last one, that no test tells apart from it.
        let is_as_absent = |case: &usize| truths.values().all(|truth: &Truth| truth.at(*case) == truth.at(1));
        if let Some(case) = (2..cases.len()).rev().find(is_as_absent) {
            if let Member::Present(value) = cases[case] {
                cases[case] = Member::Optional(value);
                cases[1] = Member::Present(ConjunctionId::NOTHING);
            }
        }
        let mut testing = FxHashSet::default();
        for (_, holder) in tests.tested.iter().filter(|(goal, _)| truths.contains_key(goal)) {
            let mut next = Some(*holder);
            while let Some(of) = next.filter(|&of| testing.insert(of)) {
                next = tests.above.get(&of).copied();
            }
        }
        Ok(Some(Switch { key, cases, truths, atoms: search.atoms, testing }))
    }

    /// The cases in which a conjunction certainly holds, and those in which it certainly fails.
    fn truth(&mut self, search: &mut Truths, goal: ConjunctionId) -> Result<Truth> {
        let mut found = Truth::always(search.count);
        if goal.is_nothing() {
            return Ok(found.negated());
        }
        for literal in self.subschemas.conjunctions.literals(goal).iter() {
            let truth = self.deeper(|this| this.truth_of(search, literal.subschema()))?;
            found = found.and(&if literal.is_negative() { truth.negated() } else { truth });
        }
        Ok(found)
    }

    fn truth_of(&mut self, search: &mut Truths, of: SubschemaId) -> Result<Truth> {
        if let Some(known) = search.known.get(&of) {
            return Ok(known.clone());
        }
        let unknown = Truth::unknown(search.count);
        search.known.insert(of, unknown.clone());
        let parsed = self.parsed(of)?;
        self.count_conditions(search.count)?;
        let mut found = self.truth_of_conjunct(search, &parsed.conjunct)?;
        if !parsed.alternatives.is_empty() || parsed.has_unevaluated() {
            found = found.and(&unknown);
        }
        for applicator in &parsed.applicators {
            let truth = match applicator {
                Applicator::All(goals) => goals.iter().try_fold(Truth::always(search.count), |all, &goal| {
                    self.truth(search, goal).map(|one| all.and(&one))
                })?,
                Applicator::Any(goals) => {
                    goals.iter().try_fold(Truth::always(search.count).negated(), |any, &goal| {
                        self.truth(search, goal).map(|one| any.or(&one))
                    })?
                }
                Applicator::One(_) => unknown.clone(),
                &Applicator::Not(goal) => self.truth(search, goal)?.negated(),
                &Applicator::If(condition, then, other) => {
                    let condition = self.truth(search, condition)?;
                    let (then, other) = (self.truth(search, then)?, self.truth(search, other)?);
                    condition.and(&then).or(&condition.negated().and(&other))
                }
            };
            found = found.and(&truth);
        }
        search.known.insert(of, found.clone());
        Ok(found)
    }

    /// The cases in which every value meets a conjunct, and those in which none does.
    fn truth_of_conjunct(&mut self, search: &Truths, of: &Conjunct) -> Result<Truth> {
        let count = search.count;
        let mut found = Truth::always(count);
        let others = of.types & !Types::OBJECT;
        let mut no_object = Truth::always(count);
        if others.is_empty() {
            no_object.holds = Cases::none(count);
            no_object.fails.insert(0);
        } else if others != !Types::OBJECT || of.condition_count() > of.objects.len() {
            no_object.holds = Cases::none(count);
        }
        if !of.types.has(Types::OBJECT) {
            found = found.negated();
        }
        for condition in &of.objects {
            let truth = match condition {
                ObjectCondition::Members(members) => {
                    let asked = demand(self, members, &search.key)?;
                    let mut truth = match search.atoms.get(&asked) {
                        _ if asked.is_anything() => Truth::always(count),
                        _ if asked.is_nothing() => Truth::always(count).negated(),
                        Some(known) => known.clone(),
                        None => Truth::unknown(count),
                    };
                    truth.fails.remove(1);
                    truth.holds.insert(1);
                    if asks_of_others(members, &search.key) {
                        truth.holds = Cases::none(count);
                    }
                    truth
                }
                ObjectCondition::Required { keys, .. } => {
                    let mut truth = Truth::always(count);
                    if keys.contains(&search.key) {
                        truth.holds.remove(1);
                        truth.fails.insert(1);
                    }
                    if keys.iter().any(|key| *key != search.key) {
                        truth.holds = Cases::none(count);
                    }
                    truth
                }
                _ => Truth::unknown(count),
            };
            found = found.and(&truth);
        }
        // Case 0 is a value that is no object: only the conditions on other types decide it.
        for (mine, theirs) in [(&mut found.holds, &no_object.holds), (&mut found.fails, &no_object.fails)] {
            mine.remove(0);
            if theirs.contains(0) {
                mine.insert(0);
            }
        }
        Ok(found)
    }
}

/// A search for the cases in which conditions hold, and its results.
struct Truths {
    key: Arc<str>,
    count: usize,
    /// Constraint on the member → the cases in which it holds.
    atoms: FxHashMap<ConjunctionId, Truth>,
    known: FxHashMap<SubschemaId, Truth>,
}

/// Whether constraints restrict members other than this one.
fn asks_of_others(members: &Members, key: &str) -> bool {
    !members.rest.is_anything()
        || !members.patterns.is_empty()
        || members.names.iter().any(|(name, asked)| **name != *key && !asked.is_anything())
}
