//! Members that may still come × missing marks and implications → whether some choice of members fits the bounds.
//!
//! Only this part of feasibility is a search with exponential worst case, so it alone counts its own steps.

use crate::error::{Error, Limit, Result};
use crate::json::object::property_set::{contains, put};
use crate::json::object::spec::pairs_from;
use crate::json::registers::{ObjectSpec, ObjectState, PropertySet};
use crate::limits::Budget;
use smallvec::smallvec;

/// The search for a choice of properties that respects implications, leaves the missing marks and fits the member
/// count. Needed only where the count is bounded above: otherwise all possible members can come.
pub(super) struct ImplicationSearch<'a> {
    pub(super) spec: &'a ObjectSpec,
    pub(super) state: &'a ObjectState,
    /// The marks of each key that comes from a small set.
    pub(super) singles: Vec<Vec<u64>>,
    /// The marks of all other keys.
    pub(super) endless: Vec<u64>,
}

#[derive(Clone, Default)]
pub(super) struct Selection {
    /// Chosen properties, closed under implication.
    pub(super) forced: PropertySet,
    pub(super) may: PropertySet,
    /// Properties whose value was chosen for its marks.
    pub(super) spent: PropertySet,
    pub(super) singles: Vec<bool>,
    pub(super) others: u32,
}

impl ImplicationSearch<'_> {
    /// Whether the selection can be completed to a valid set of members. Errors: limits.
    pub(super) fn is_satisfiable(&self, selection: Selection, missing: u64, steps: &mut Steps<'_>) -> Result<bool> {
        steps.spend(self.spec.step_cost())?;
        let forced: u32 = selection.forced.iter().map(|word| word.count_ones()).sum();
        let count = self.state.count.saturating_add(forced).saturating_add(selection.others);
        if count > self.spec.max {
            return Ok(false);
        }
        if missing != 0 {
            return self.can_leave_mark(selection, missing, steps);
        }
        let spare = self.singles.len() - selection.singles.iter().filter(|&&used| used).count();
        if !self.endless.is_empty() || count as usize + spare >= self.spec.min as usize {
            return Ok(true);
        }
        // Too few members: the next property comes with its implications, or is excluded with everything that implies
        // it.
        let more = |index: &u32| contains(&selection.may, *index) && !contains(&selection.forced, *index);
        let Some(index) = (0..self.spec.properties.len() as u32).find(more) else { return Ok(false) };
        let mut with = selection.clone();
        self.add_closure(&mut with.forced, index, &self.spec.implies);
        let mut gone: PropertySet = smallvec![0; selection.may.len()];
        self.add_closure(&mut gone, index, &self.spec.implied_by);
        let mut without = selection;
        without.may.iter_mut().zip(&gone).for_each(|(may, gone)| *may &= !gone);
        Ok(self.is_satisfiable(with, 0, steps)? || self.is_satisfiable(without, 0, steps)?)
    }

    /// Whether some member can leave the lowest missing mark and the rest can be completed.
    fn can_leave_mark(&self, selection: Selection, missing: u64, steps: &mut Steps<'_>) -> Result<bool> {
        let mark = missing & missing.wrapping_neg();
        for (index, property) in self.spec.properties.iter().enumerate() {
            let index = index as u32;
            if !contains(&selection.may, index) || contains(&selection.spent, index) {
                continue;
            }
            for value in property.values.iter().filter(|value| value.marks & mark != 0) {
                let mut next = selection.clone();
                self.add_closure(&mut next.forced, index, &self.spec.implies);
                put(&mut next.spent, index);
                if self.is_satisfiable(next, missing & !value.marks, steps)? {
                    return Ok(true);
                }
            }
        }
        for (place, marks) in self.singles.iter().enumerate() {
            if selection.singles.get(place) == Some(&true) {
                continue;
            }
            for given in marks.iter().filter(|&&given| given & mark != 0) {
                let mut next = selection.clone();
                next.singles.resize(self.singles.len(), false);
                next.singles[place] = true;
                next.others += 1;
                if self.is_satisfiable(next, missing & !given, steps)? {
                    return Ok(true);
                }
            }
        }
        for given in self.endless.iter().filter(|&&given| given & mark != 0) {
            let next = Selection { others: selection.others + 1, ..selection.clone() };
            if self.is_satisfiable(next, missing & !given, steps)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds a property and everything reachable from it. Properties that already came are left out.
    fn add_closure(&self, set: &mut PropertySet, index: u32, along: &[(u32, u32)]) {
        let mut open = vec![index];
        while let Some(index) = open.pop() {
            if contains(set, index) || contains(&self.state.seen, index) {
                continue;
            }
            put(set, index);
            open.extend(pairs_from(along, index).iter().map(|pair| pair.1));
        }
    }
}

/// Whether the givers can leave all missing marks: each giver once, with one of its alternatives.
pub(super) fn can_cover(
    missing: u64,
    givers: &[(bool, Vec<u64>)],
    free: &[u64],
    budget: u32,
    steps: &mut Steps<'_>,
) -> Result<bool> {
    if missing == 0 {
        return Ok(true);
    }
    steps.spend(1 + givers.len() as u64)?;
    let reach = givers.iter().flat_map(|(_, marks)| marks).chain(free).fold(0, |all, marks| all | marks);
    if missing & !reach != 0 {
        return Ok(false);
    }
    // With members to spare, givers without a choice are taken at once. Only the others are searched.
    if budget as usize >= givers.len() + missing.count_ones() as usize {
        let has_no_choice = |marks: &[u64]| marks.iter().filter(|&&marks| marks & missing != 0).count() == 1;
        if givers.iter().any(|(_, marks)| has_no_choice(marks)) {
            let (sure, open): (Vec<_>, Vec<_>) = givers.iter().cloned().partition(|(_, marks)| has_no_choice(marks));
            let given = sure.iter().flat_map(|(_, marks)| marks).fold(0, |all, marks| all | marks);
            return can_cover(missing & !given, &open, free, budget - sure.len() as u32, steps);
        }
    }
    if let Some(((costless, marks), rest)) = givers.split_first() {
        if let Some(after) = if *costless { Some(budget) } else { budget.checked_sub(1) } {
            for given in marks.iter().filter(|&&given| given & missing != 0) {
                if can_cover(missing & !given, rest, free, after, steps)? {
                    return Ok(true);
                }
            }
        }
        return can_cover(missing, rest, free, budget, steps);
    }
    for given in free.iter().filter(|&&given| budget > 0 && given & missing != 0) {
        if can_cover(missing & !given, &[], free, budget - 1, steps)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The step budget of one search, charged to the budget of the call.
pub(crate) struct Steps<'a> {
    budget: &'a mut Budget,
    left: u64,
}

/// Steps of the budget per look of a search over sets of members, which copies sets, beside its own: about 0.4 µs.
const BUDGET_STEPS: u64 = 8;

impl<'a> Steps<'a> {
    /// At most `most` steps, and no more than the budget of the call has.
    pub fn new(budget: &'a mut Budget, most: u64) -> Self {
        Steps { budget, left: most }
    }

    /// Whether the search used up its own share while the call's budget lasts.
    pub fn is_exhausted(&self) -> bool {
        self.left == 0
    }

    /// Charges steps. Errors: the search's own limit, or the limits of the call.
    pub(super) fn spend(&mut self, amount: u64) -> Result<()> {
        self.budget.spend(BUDGET_STEPS + amount)?;
        self.left = self.left.saturating_sub(amount);
        match self.left {
            0 => Err(Error::Limit(Limit::Steps(amount)).into()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_covered_by_some_choice_for_each_giver() {
        let can_cover = |missing, givers: &[(bool, &[u64])], free: &[u64], budget| {
            let givers: Vec<_> = givers.iter().map(|&(costless, marks)| (costless, marks.to_vec())).collect();
            can_cover(missing, &givers, free, budget, &mut Steps::new(&mut Budget::default(), u64::MAX)).unwrap()
        };
        assert!(can_cover(0, &[], &[], 0));
        assert!(!can_cover(1, &[], &[2], 9) && can_cover(1, &[], &[1], 1) && !can_cover(1, &[], &[1], 0));
        assert!(can_cover(0b11, &[], &[1, 2], 2) && !can_cover(0b11, &[], &[1, 2], 1) && can_cover(0b11, &[], &[3], 1));
        assert!(can_cover(1, &[(true, &[1])], &[], 0), "what must come anyway costs nothing");
        assert!(!can_cover(1, &[(false, &[1])], &[], 0) && can_cover(1, &[(false, &[1])], &[], 1));
        assert!(!can_cover(0b11, &[(true, &[1, 2])], &[], 9), "each gives one of its alternatives");
        assert!(can_cover(0b11, &[(true, &[1, 2]), (true, &[1])], &[], 0));
        assert!(can_cover(0b11, &[(true, &[1, 2]), (false, &[1])], &[], 1));
        assert!(!can_cover(0b11, &[(true, &[1, 2]), (false, &[1])], &[], 0));
        assert!(can_cover(0b111, &[(false, &[1, 2]), (false, &[2, 4])], &[1], 3));
        assert!(!can_cover(0b111, &[(false, &[1, 2]), (false, &[2, 4])], &[1], 2));
        assert!(can_cover(0b111, &[(false, &[1, 2]), (false, &[6, 4])], &[1], 2));
        // With members to spare, too.
        assert!(can_cover(0b111, &[(false, &[1, 2]), (false, &[1]), (false, &[4])], &[], 9));
        assert!(!can_cover(0b111, &[(false, &[1, 2]), (false, &[2]), (false, &[2])], &[], 9));
        let alike: [(bool, &[u64]); 3] = [(false, &[1]), (false, &[1]), (false, &[1])];
        assert!(
            can_cover(0b11111, &alike, &[2, 4, 8, 16], 8),
            "eight may come: three that give one mark, four for the rest"
        );
        assert!(can_cover(0b11111, &alike, &[2, 4, 8, 16], 5) && !can_cover(0b11111, &alike, &[2, 4, 8, 16], 4));
    }

    #[test]
    fn a_search_ends_with_its_own_steps_or_those_of_the_call() {
        let mut budget = Budget::default();
        let mut steps = Steps::new(&mut budget, 3);
        assert!(steps.spend(2).is_ok() && !steps.is_exhausted());
        assert!(steps.spend(1).is_err() && steps.is_exhausted());
        let mut steps = Steps::new(&mut budget, 2);
        assert!(steps.spend(5).is_err() && steps.is_exhausted());
    }
}
