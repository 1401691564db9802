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
    pub(crate) fn needed_marks(&self, marks: u64) -> SmallVec<[u64; 2]> {
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
