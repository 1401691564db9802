//! Clauses over marks × members that may still come → whether some choice of members meets all clauses.
//!
//! Clauses make feasibility a satisfiability problem: a member may help one clause and open another. The search
//! propagates what is certain, then branches on open clauses (Davis, Logemann and Loveland 1962).

use crate::bytes::byteset::ones;
use crate::error::Result;
use crate::json::object::property_set::{contains, members, put};
use crate::json::object::spec::pairs_from;
use crate::json::object::steps::Steps;
use crate::json::registers::{Clause, ObjectSpec, ObjectState, PropertySet};
use smallvec::{smallvec, SmallVec};

impl Clause {
    /// Whether all premises came and no conclusion did.
    pub(super) fn is_open(&self, marks: u64) -> bool {
        self.premises & !marks == 0 && self.conclusions & marks == 0
    }
}

impl ObjectSpec {
    /// The marks that a state must remember.
    pub(super) fn tracked_marks(&self) -> u64 {
        let of = |all, clause: &Clause| all | clause.premises | clause.conclusions;
        self.clauses.iter().fold(self.required_marks, of)
    }

    /// Sets of missing marks; every completion leaves one mark of each set.
    pub(super) fn needed_marks(&self, marks: u64) -> SmallVec<[u64; 2]> {
        self.all_clauses().filter(|clause| clause.is_open(marks)).map(|clause| clause.conclusions).collect()
    }

    /// The clauses, and each required mark as a clause without a premise.
    fn all_clauses(&self) -> impl Iterator<Item = Clause> + '_ {
        let required = ones(self.required_marks).map(|mark| Clause { premises: 0, conclusions: 1 << mark });
        required.chain(self.clauses.iter().copied())
    }
}

/// The search for members that meet the clauses of an object, with its required and implied properties and its counts.
pub(super) struct ClauseSearch<'a> {
    pub(super) spec: &'a ObjectSpec,
    pub(super) state: &'a ObjectState,
    /// The marks of each key that comes from a small set.
    pub(super) singles: Vec<Vec<u64>>,
    /// The marks of all other keys.
    pub(super) endless: Vec<u64>,
}

/// The members chosen so far, and those that are left to choose from.
#[derive(Clone)]
struct Choice {
    /// Properties that may come and are not chosen.
    may: PropertySet,
    /// The properties of `may` that must come.
    must: PropertySet,
    /// Keys from small sets that are left.
    singles: Vec<bool>,
    /// Members that came or are chosen.
    count: u32,
    /// Their marks.
    marks: u64,
}

impl Choice {
    /// How many properties must come.
    fn needed(&self) -> u32 {
        self.must.iter().map(|word| word.count_ones()).sum()
    }
}

/// A source of further members, from which the search takes one for the marks that it leaves.
#[derive(Clone, Copy)]
enum Source {
    Property(u32),
    Single(usize),
    Endless,
}

impl ClauseSearch<'_> {
    /// Whether properties of `may`, all of `must` among them, and further keys can close the object. Errors: limits.
    pub(super) fn is_satisfiable(&self, must: &[u32], may: PropertySet, steps: &mut Steps<'_>) -> Result<bool> {
        let mut listed: PropertySet = smallvec![0; may.len()];
        must.iter().for_each(|&index| put(&mut listed, index));
        let singles = vec![true; self.singles.len()];
        let (count, marks) = (self.state.count, self.state.marks);
        let choice = Choice { may, must: listed, singles, count, marks };
        Ok(self.is_greedily_completable(choice.clone(), steps)? || self.is_completable(choice, steps)?)
    }

    /// Whether a greedy choice of members can close the object: it mostly can, and the full search is expensive.
    fn is_greedily_completable(&self, mut choice: Choice, steps: &mut Steps<'_>) -> Result<bool> {
        loop {
            steps.spend(self.spec.step_cost())?;
            if choice.count > self.spec.max {
                return Ok(false);
            }
            let new = |marks: u64| (marks & !choice.marks).count_ones();
            let open = self.spec.all_clauses().find(|clause| clause.is_open(choice.marks));
            let member = if let Some(open) = open {
                let sources = self.sources(&choice, 0).into_iter();
                sources.filter(|(_, marks)| marks & open.conclusions != 0).min_by_key(|&(_, marks)| new(marks))
            } else if self.spec.clauses.is_empty() {
                // No member can open a clause, so only the number of members matters.
                let count = choice.count.saturating_add(choice.needed());
                return Ok((self.spec.min..=self.spec.max).contains(&count));
            } else if let Some(index) = members(&choice.must).next() {
                let values = self.values(index).map(|marks| (Source::Property(index), marks));
                values.min_by_key(|&(_, marks)| new(marks))
            } else {
                return Ok(choice.count >= self.spec.min);
            };
            let Some((source, marks)) = member else { return Ok(false) };
            choice = self.with(&choice, source, marks);
        }
    }

    fn is_completable(&self, mut choice: Choice, steps: &mut Steps<'_>) -> Result<bool> {
        steps.spend(self.spec.step_cost())?;
        let Some(banned) = self.propagate(&mut choice, steps)? else { return Ok(false) };
        if choice.count.saturating_add(choice.needed()) > self.spec.max {
            return Ok(false);
        }
        if let Some(open) = self.spec.all_clauses().find(|clause| clause.is_open(choice.marks)) {
            // Some member must leave a conclusion.
            for (source, marks) in self.sources(&choice, banned) {
                if marks & open.conclusions != 0 && self.is_completable(self.with(&choice, source, marks), steps)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        if let Some(index) = self.next_required(&choice) {
            // A value that leaves nothing new opens no clause, so it is tried first.
            let mut values: Vec<u64> = self.values(index).filter(|marks| marks & banned == 0).collect();
            values.sort_unstable_by_key(|marks| (marks & !choice.marks).count_ones());
            for marks in values {
                if self.is_completable(self.with(&choice, Source::Property(index), marks), steps)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        self.has_enough_members(choice, banned, steps)
    }

    /// Whether members can be added up to the least number, where no clause is open and no property must come.
    fn has_enough_members(&self, choice: Choice, banned: u64, steps: &mut Steps<'_>) -> Result<bool> {
        let fewest = self.spec.min;
        let sources = self.sources(&choice, banned);
        let leaves_nothing = |marks: u64| marks & !choice.marks == 0;
        if choice.count >= fewest
            || sources.iter().any(|&(source, marks)| matches!(source, Source::Endless) && leaves_nothing(marks))
        {
            return Ok(true);
        }
        let Some(&(source, _)) = sources.first() else { return Ok(false) };
        for &(other, marks) in &sources {
            let same = match (source, other) {
                (Source::Property(one), Source::Property(other)) => one == other,
                (Source::Single(one), Source::Single(other)) => one == other,
                (Source::Endless, Source::Endless) => true,
                _ => false,
            };
            if same && self.is_completable(self.with(&choice, source, marks), steps)? {
                return Ok(true);
            }
        }
        let mut without = choice;
        match source {
            Source::Property(index) => self.drop_property(&mut without, index),
            Source::Single(place) => without.singles[place] = false,
            // Endless keys come last: nothing else is left.
            Source::Endless => return Ok(false),
        }
        self.is_completable(without, steps)
    }

    /// Drops members that no completion has; the marks that none may leave, or None if there is no completion.
    fn propagate(&self, choice: &mut Choice, steps: &mut Steps<'_>) -> Result<Option<u64>> {
        let mut banned = 0;
        loop {
            steps.spend(1 + self.spec.clauses.len() as u64 / 8)?;
            let reach = self.sources(choice, banned).iter().fold(choice.marks, |all, &(_, marks)| all | marks);
            let before = banned;
            for clause in self.spec.all_clauses().filter(|clause| clause.conclusions & reach == 0) {
                let left = clause.premises & !choice.marks;
                match left.count_ones() {
                    0 => return Ok(None),
                    1 => banned |= left,
                    _ => {}
                }
            }
            let valueless: Vec<u32> =
                members(&choice.may).filter(|&index| self.values(index).all(|marks| marks & banned != 0)).collect();
            valueless.iter().for_each(|&index| self.drop_property(choice, index));
            if members(&choice.must).any(|index| !contains(&choice.may, index)) {
                return Ok(None);
            }
            if banned == before && valueless.is_empty() {
                return Ok(Some(banned));
            }
        }
    }

    /// The property that must come and has the fewest values.
    fn next_required(&self, choice: &Choice) -> Option<u32> {
        members(&choice.must).min_by_key(|&index| self.values(index).count())
    }

    fn values(&self, index: u32) -> impl Iterator<Item = u64> + '_ {
        self.spec.properties[index as usize].values.iter().map(|value| value.marks)
    }

    /// The members that may come, each with the marks that it leaves.
    fn sources(&self, choice: &Choice, banned: u64) -> Vec<(Source, u64)> {
        let properties = members(&choice.may)
            .flat_map(|index| self.values(index).map(move |marks| (Source::Property(index), marks)));
        let singles = (0..).zip(&self.singles).filter(|&(place, _)| choice.singles[place]);
        let singles = singles.flat_map(|(place, all)| all.iter().map(move |&marks| (Source::Single(place), marks)));
        let endless = self.endless.iter().map(|&marks| (Source::Endless, marks));
        properties.chain(singles).chain(endless).filter(|&(_, marks)| marks & banned == 0).collect()
    }

    /// The choice with one more member, and with the properties that this member implies.
    fn with(&self, choice: &Choice, source: Source, marks: u64) -> Choice {
        let mut next = choice.clone();
        next.count = next.count.saturating_add(1);
        next.marks |= marks;
        match source {
            Source::Property(index) => {
                take(&mut next.may, index);
                take(&mut next.must, index);
                let mut causes = vec![index];
                while let Some(cause) = causes.pop() {
                    for &(_, effect) in pairs_from(&self.spec.implies, cause) {
                        // A property that came or is chosen is no longer in `may`.
                        if contains(&next.may, effect) && !contains(&next.must, effect) {
                            put(&mut next.must, effect);
                            causes.push(effect);
                        }
                    }
                }
            }
            Source::Single(place) => next.singles[place] = false,
            Source::Endless => {}
        }
        next
    }

    /// Takes out a property and all that imply it.
    fn drop_property(&self, choice: &mut Choice, index: u32) {
        let mut lost = vec![index];
        while let Some(index) = lost.pop() {
            if contains(&choice.may, index) {
                take(&mut choice.may, index);
                lost.extend(pairs_from(&self.spec.implied_by, index).iter().map(|pair| pair.1));
            }
        }
    }
}

fn take(set: &mut PropertySet, index: u32) {
    set[index as usize >> 6] &= !(1 << (index & 63));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, ObjectRules};
    use crate::grammar::fixture::{braces, literal};
    use crate::limits::Budget;
    use crate::regular::term::{Term, MANY};

    /// For each property whether it is required, and the marks of its values.
    type Properties<'a> = &'a [(bool, &'a [u64])];

    /// An object with these properties; `rules` of marks, counts and implications as they stand, satisfiable or not.
    fn spec(properties: Properties, rules: ObjectRules) -> ObjectSpec {
        let mut builder = Builder::default();
        let texts = ["0", "1", "2", "3"].map(|text| literal(&mut builder, text).number());
        let named = (0..).zip(properties).map(|(number, &(required, values)): (u32, _)| {
            (number.to_string(), required, texts.into_iter().zip(values.iter().copied()).collect())
        });
        let (named, punctuation) = (named.collect(), braces(&mut builder));
        let any_order = ObjectRules { any_order: true, ..ObjectRules::default() };
        let node = builder.object(named, Vec::new(), punctuation, any_order).unwrap();
        let Term::Object(object) = *builder.arena.term(node) else { unreachable!() };
        let clauses = rules.clauses.into_iter().map(|(premises, conclusions)| Clause { premises, conclusions });
        ObjectSpec {
            min: rules.min,
            max: rules.max.unwrap_or(MANY),
            required_marks: rules.required_marks,
            clauses: clauses.collect(),
            implied_by: rules.implies.iter().map(|&(cause, effect)| (effect, cause)).collect(),
            implies: rules.implies,
            ..(*builder.arena.registers.objects[object.index()]).clone()
        }
    }

    /// Whether an object without members can be closed, with other keys from small sets and other keys without end.
    fn is_satisfiable(spec: &ObjectSpec, singles: &[Vec<u64>], endless: &[u64]) -> bool {
        let state = ObjectState::default();
        let search = ClauseSearch { spec, state: &state, singles: singles.to_vec(), endless: endless.to_vec() };
        let must: Vec<u32> = closed(spec, members(&spec.required).collect());
        search.is_satisfiable(&must, spec.valued.clone(), &mut Steps::new(&mut Budget::default(), u64::MAX)).unwrap()
    }

    /// Some properties and all that they imply.
    fn closed(spec: &ObjectSpec, mut chosen: Vec<u32>) -> Vec<u32> {
        let mut at = 0;
        while at < chosen.len() {
            let effects = pairs_from(&spec.implies, chosen[at]).iter().map(|pair| pair.1);
            let new: Vec<u32> = effects.filter(|effect| !chosen.contains(effect)).collect();
            chosen.extend(new);
            at += 1;
        }
        chosen
    }

    /// The same by trying all choices; endless keys come up to four times.
    fn is_satisfiable_by_trial(spec: &ObjectSpec, singles: &[Vec<u64>], endless: &[u64]) -> bool {
        let count = spec.properties.len() as u32;
        let optional = |values: &[u64]| std::iter::once(None).chain(values.iter().copied().map(Some)).collect();
        let mut slots: Vec<Vec<Option<u64>>> = (0..count)
            .map(|index| {
                optional(&spec.properties[index as usize].values.iter().map(|value| value.marks).collect::<Vec<_>>())
            })
            .collect();
        slots.extend(singles.iter().map(|values| optional(values)));
        slots.extend([(); 4].map(|()| optional(endless)));
        let mut numbers = vec![0; slots.len()];
        loop {
            let chosen: Vec<Option<u64>> =
                slots.iter().zip(&numbers).map(|(slot, &number): (_, &usize)| slot[number]).collect();
            let came: Vec<u32> = (0..count).filter(|&index| chosen[index as usize].is_some()).collect();
            let all = closed(spec, came.clone());
            let marks = chosen.iter().flatten().fold(0, |all, marks| all | marks);
            let members_count = chosen.iter().flatten().count() as u32;
            if all.len() == came.len()
                && members(&spec.required).all(|index| came.contains(&index))
                && (spec.min..=spec.max).contains(&members_count)
                && spec.all_clauses().all(|clause| !clause.is_open(marks))
            {
                return true;
            }
            let Some(place) = (0..slots.len()).find(|&place| numbers[place] + 1 < slots[place].len()) else {
                return false;
            };
            numbers[..place].fill(0);
            numbers[place] += 1;
        }
    }

    #[test]
    fn a_clause_is_open_if_its_premises_came_and_no_conclusion_did() {
        let clause = Clause { premises: 0b011, conclusions: 0b1100 };
        for (marks, open) in [(0, false), (0b001, false), (0b011, true), (0b111, false), (0b1011, false)] {
            assert_eq!(clause.is_open(marks), open, "{marks:b}");
        }
        assert!(Clause { premises: 0, conclusions: 1 }.is_open(2));
    }

    #[test]
    fn a_state_remembers_marks_of_clauses_and_needs_what_is_open() {
        let rules = ObjectRules { required_marks: 0b1, clauses: vec![(0b10, 0b1100)], ..ObjectRules::default() };
        let spec = spec(&[(false, &[0b1, 0b10, 0b100])], rules);
        assert_eq!(spec.tracked_marks(), 0b1111);
        let needed = |marks| spec.needed_marks(marks).to_vec();
        assert_eq!([needed(0), needed(0b10), needed(0b110)], [vec![0b1], vec![0b1, 0b1100], vec![0b1]]);
        assert_eq!(needed(0b101), [0; 0]);
    }

    #[test]
    fn one_member_may_open_what_only_another_closes() {
        // An object whose members leave mark 0 must have a member that leaves mark 1.
        let rules = || ObjectRules { clauses: vec![(0b1, 0b10)], ..ObjectRules::default() };
        assert!(!is_satisfiable(&spec(&[(true, &[0b1])], rules()), &[], &[]));
        assert!(is_satisfiable(&spec(&[(true, &[0b1, 0])], rules()), &[], &[]), "another value leaves nothing");
        assert!(is_satisfiable(&spec(&[(true, &[0b1]), (false, &[0b10])], rules()), &[], &[]));
        let few = ObjectRules { max: Some(1), ..rules() };
        assert!(!is_satisfiable(&spec(&[(true, &[0b1]), (false, &[0b10])], few), &[], &[]), "one member is too few");
        assert!(is_satisfiable(&spec(&[(true, &[0b1])], rules()), &[vec![0b10]], &[]));
        assert!(is_satisfiable(&spec(&[(true, &[0b1])], rules()), &[], &[0b10]));
    }

    #[test]
    fn a_search_finds_what_trial_finds() {
        let mut seed = 7_u64;
        let mut below = move |most: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % most
        };
        let mut satisfiable = 0;
        for _ in 0..600 {
            let values: Vec<Vec<u64>> =
                (0..1 + below(3)).map(|_| (0..1 + below(2)).map(|_| below(16) & below(16)).collect()).collect();
            let properties: Vec<(bool, &[u64])> = values.iter().map(|values| (below(3) == 0, &values[..])).collect();
            let count = properties.len() as u64;
            let min = below(4) as u32;
            let rules = ObjectRules {
                min,
                max: (below(2) == 0).then(|| min + below(3) as u32),
                required_marks: below(16) & below(16) & below(16),
                clauses: (0..below(4)).map(|_| (below(16) & below(16), below(16) & below(16))).collect(),
                implies: (0..below(2)).map(|_| (below(count) as u32, below(count) as u32)).collect(),
                ..ObjectRules::default()
            };
            let spec = spec(&properties, rules);
            let singles: Vec<Vec<u64>> = (0..below(2)).map(|_| vec![below(16), below(16)]).collect();
            let endless: Vec<u64> = (0..below(2)).map(|_| below(16) & below(16)).collect();
            let found = is_satisfiable(&spec, &singles, &endless);
            assert_eq!(found, is_satisfiable_by_trial(&spec, &singles, &endless), "{spec:?} {singles:?} {endless:?}");
            satisfiable += u32::from(found);
        }
        assert!((100..500).contains(&satisfiable), "{satisfiable}");
    }
}
