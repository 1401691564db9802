//! Members that came × an object → whether it can still be closed, and what must come for that.

use crate::error::{Error, Limit, Result};
use crate::json::object::{has, members, pairs, put, Branches, Came, PropertySet};
use crate::limits::Budget;
use crate::regular::registers::{ObjectSpec, ObjectState, Property};
use crate::regular::term::{TermId, MANY};
use smallvec::{smallvec, SmallVec};
use std::ops::Range;

/// If fewer keys are left, a mask asks which they are.
const SPARE_KEYS: usize = 32;

type Indices = SmallVec<[u32; 8]>;

/// What an object cannot be closed without.
#[derive(Default)]
pub(crate) struct Needs {
    /// Properties, as those that may come: an object has a state for each that came, and a list would be longer.
    must: PropertySet,
    pub may: PropertySet,
    /// Members beside those that must come.
    pub more: u32,
    /// Marks that some members must leave.
    pub marks: u64,
}

impl Needs {
    pub fn must_come(&self, property: u32) -> bool {
        has(&self.must, property)
    }

    /// Whether no property must come.
    pub fn is_done(&self) -> bool {
        self.must.iter().all(|&word| word == 0)
    }

    /// The properties that must come.
    pub fn must(&self) -> impl Iterator<Item = u32> + '_ {
        members(&self.must)
    }

    pub fn memory_bytes(&self) -> usize {
        8 * (self.must.len() + self.may.len())
    }

    pub fn may_come(&self, property: u32) -> bool {
        has(&self.may, property)
    }
}

/// What a state still has to read and may read.
pub(super) struct Outlook {
    pub must: Indices,
    pub may: PropertySet,
}

impl ObjectSpec {
    /// Whether only `required` and one order restrict which properties come.
    pub(crate) fn plain(&self) -> bool {
        !self.any_order && self.earlier.is_empty() && self.unrestricted()
    }

    /// Whether a property has values at all.
    pub(crate) fn may_ever_come(&self, property: u32) -> bool {
        has(&self.valued, property)
    }

    /// Of a plain object the first property that must still come.
    fn required_from(&self, state: &ObjectState) -> Option<usize> {
        (state.next as usize / 64..self.required.len()).find_map(|word| {
            let left = self.required[word] & !self.came(state, word);
            (left != 0).then(|| 64 * word + left.trailing_zeros() as usize)
        })
    }

    /// The properties of a plain object whose turn it is, if they may come at all.
    pub(crate) fn in_turn(&self, state: &ObjectState) -> Range<usize> {
        state.next as usize..self.required_from(state).map_or(self.properties.len(), |last| last + 1)
    }

    /// Whether only `required` and the orders restrict which properties come.
    pub(crate) fn unrestricted(&self) -> bool {
        self.implies.is_empty() && self.required_marks == 0 && self.min == 0 && self.max == MANY
    }

    /// Find out which properties must come and which may, whenever their values have changed.
    pub(crate) fn take_stock(&mut self) {
        let set_of = |is: fn(&Property) -> bool| {
            let chosen = self.properties.chunks(64).map(|chunk| (0..).zip(chunk));
            chosen.map(|chunk| chunk.fold(0, |set, (bit, property)| set | u64::from(is(property)) << bit)).collect()
        };
        [self.required, self.valued] =
            [set_of(|property| property.required), set_of(|property| !property.values.is_empty())];
    }

    /// A word of the set of properties that can no longer come.
    pub(crate) fn came(&self, state: &ObjectState, word: usize) -> u64 {
        let of = |set: &[u64]| set.get(word).copied().unwrap_or(0);
        match (self.any_order, self.earlier.is_empty()) {
            (true, _) => of(&state.seen),
            (false, false) => of(&state.gone),
            (false, true) => match (state.next as usize).saturating_sub(64 * word) {
                below @ 0..64 => (1 << below) - 1,
                _ => u64::MAX,
            },
        }
    }

    fn tracked(&self, index: u32) -> bool {
        self.any_order || !pairs(&self.implies, index).is_empty() || !pairs(&self.implied_by, index).is_empty()
    }

    /// What looking at one state once costs.
    fn weight(&self) -> u64 {
        let few: usize = self.extras.iter().flat_map(|extra| &extra.few).map(Vec::len).sum();
        1 + (self.properties.len() + self.implies.len()) as u64 / 8 + few as u64
    }

    pub(super) fn outlook(&self, state: &ObjectState) -> Option<Outlook> {
        let count = self.properties.len() as u32;
        let seen = |index: u32| has(&state.seen, index);
        let left = |set: &PropertySet| -> PropertySet {
            (0..).zip(set).map(|(word, set)| set & !self.came(state, word)).collect()
        };
        let mut may = left(&self.valued);
        if !self.implies.is_empty() {
            // What implies a property that can no longer come cannot come either.
            let mut lost: Vec<u32> = (0..count).filter(|&index| !seen(index) && !has(&may, index)).collect();
            while let Some(index) = lost.pop() {
                for &cause in pairs(&self.implied_by, index) {
                    if has(&may, cause.1) {
                        may[cause.1 as usize >> 6] &= !(1 << (cause.1 & 63));
                        if !seen(cause.1) {
                            lost.push(cause.1);
                        }
                    }
                }
            }
        }
        let mut must: Indices = members(&left(&self.required)).collect();
        if !self.implies.is_empty() {
            let mut forced: PropertySet = smallvec![0; may.len()];
            must.iter().for_each(|&index| put(&mut forced, index));
            let mut causes: Vec<u32> = (0..count).filter(|&index| seen(index) || has(&forced, index)).collect();
            while let Some(index) = causes.pop() {
                for &effect in pairs(&self.implies, index) {
                    if !seen(effect.1) && !has(&forced, effect.1) {
                        put(&mut forced, effect.1);
                        must.push(effect.1);
                        causes.push(effect.1);
                    }
                }
            }
        }
        must.iter().all(|&index| has(&may, index)).then_some(Outlook { must, may })
    }

    /// Whether the object can still be closed in some way; what that costs is taken from `steps`.
    pub(crate) fn feasible(&self, state: &ObjectState, came: Came<'_>, steps: &mut Steps<'_>) -> Result<bool> {
        steps.spend(self.weight())?;
        if state.count > self.max || self.min > self.max {
            return Ok(false);
        }
        let Some(Outlook { must, may }) = self.outlook(state) else { return Ok(false) };
        let least = state.count.saturating_add(must.len() as u32);
        if least > self.max {
            return Ok(false);
        }
        // Keys of which there are few are properties in all but name: each comes once.
        let mut single: Vec<(&[u8], Vec<u64>)> = Vec::new();
        let mut endless = Vec::new();
        for extra in self.extras.iter().filter(|extra| !extra.values.is_empty()) {
            let marks = extra.values.iter().map(|value| value.marks);
            let Some(few) = &extra.few else {
                endless.extend(marks);
                continue;
            };
            for key in few.iter().filter(|key| !came.has(state, key)) {
                match single.iter_mut().find(|(other, _)| *other == &**key) {
                    Some((_, all)) => all.extend(marks.clone()),
                    None => single.push((key, marks.clone().collect())),
                }
            }
        }
        let named: u32 = may.iter().map(|word| word.count_ones()).sum();
        if endless.is_empty() && state.count as usize + named as usize + single.len() < self.min as usize {
            return Ok(false);
        }
        let missing = self.required_marks & !state.marks;
        if self.max != MANY && !self.implies.is_empty() {
            let singles = single.into_iter().map(|(_, marks)| marks).collect();
            let lumps = Lumps { spec: self, state, singles, endless };
            let mut forced: PropertySet = smallvec![0; may.len()];
            must.iter().for_each(|&index| put(&mut forced, index));
            return lumps.fit(Picked { forced, may, ..Picked::default() }, missing, steps);
        }
        if missing == 0 {
            return Ok(true);
        }
        // Who can leave the missing marks: properties that must come anyway cost nothing, others one member each.
        let givers: Vec<(bool, Vec<u64>)> = (0..self.properties.len() as u32)
            .filter(|&index| has(&may, index))
            .map(|index| {
                let values = &self.properties[index as usize].values;
                (must.contains(&index), values.iter().map(|value| value.marks & missing).collect::<Vec<_>>())
            })
            .chain(single.into_iter().map(|(_, marks)| (false, marks.iter().map(|marks| marks & missing).collect())))
            .filter(|(_, marks)| marks.iter().any(|&marks| marks != 0))
            .collect();
        let free: Vec<u64> = endless.into_iter().map(|marks| marks & missing).filter(|&marks| marks != 0).collect();
        covers(missing, &givers, &free, self.max.saturating_sub(least), steps)
    }

    /// What must still come.
    pub(crate) fn needs(&self, state: &ObjectState) -> Needs {
        let Some(Outlook { must: listed, may }) = self.outlook(state) else { return Needs::default() };
        let mut must: PropertySet = smallvec![0; may.len()];
        listed.iter().for_each(|&index| put(&mut must, index));
        let more = self.min.saturating_sub(state.count.saturating_add(listed.len() as u32));
        Needs { must, may, more, marks: self.required_marks & !state.marks }
    }

    pub(crate) fn can_close(&self, state: &ObjectState) -> bool {
        if self.plain() {
            return self.required_from(state).is_none();
        }
        state.count >= self.min
            && state.count <= self.max
            && self.required_marks & !state.marks == 0
            && self.outlook(state).is_some_and(|outlook| outlook.must.is_empty())
    }

    pub(super) fn after(&self, state: &ObjectState, index: Option<u32>, marks: u64) -> ObjectState {
        let mut next = state.clone();
        match index {
            Some(index) => {
                if let Some(earlier) = self.earlier.get(index as usize) {
                    let words = next.gone.len().max(earlier.len());
                    next.gone.resize(words, 0);
                    next.gone.iter_mut().zip(earlier).for_each(|(gone, earlier)| *gone |= earlier);
                } else if !self.any_order {
                    next.next = index + 1;
                }
                if self.tracked(index) {
                    put(&mut next.seen, index);
                }
            }
            None if !self.any_order && self.extras_last && self.earlier.is_empty() => {
                next.next = self.properties.len() as u32;
            }
            None if !self.any_order && self.extras_last => {
                (0..self.properties.len() as u32).for_each(|index| put(&mut next.gone, index));
            }
            None => {}
        }
        // A count beyond every bound says nothing more.
        let cap = if self.max == MANY { self.min } else { MANY };
        next.count = (state.count + 1).min(cap);
        next.marks = (state.marks | marks) & self.required_marks;
        next
    }

    /// The values that keep the object feasible, each with the state after it.
    pub(super) fn members(
        &self,
        state: &ObjectState,
        index: u32,
        came: Came<'_>,
        steps: &mut Steps<'_>,
    ) -> Result<Branches> {
        let values = &self.properties[index as usize].values;
        let next = values.iter().map(|value| (value.node, self.after(state, Some(index), value.marks)));
        self.only_feasible(next, came, steps)
    }

    fn only_feasible(
        &self,
        next: impl Iterator<Item = (TermId, ObjectState)>,
        came: Came<'_>,
        steps: &mut Steps<'_>,
    ) -> Result<Branches> {
        if self.unrestricted() {
            // Who asks has seen that it may come in its turn: everything else stays as it was.
            return Ok(next.collect());
        }
        let mut kept = Branches::new();
        for (node, after) in next {
            if self.feasible(&after, came, steps)? {
                kept.push((node, after));
            }
        }
        Ok(kept)
    }

    /// The same for a key beside the named ones, which the states do not know yet: `came` does, if it matters.
    pub(super) fn others(
        &self,
        state: &ObjectState,
        extra: u32,
        came: Came<'_>,
        steps: &mut Steps<'_>,
    ) -> Result<Branches> {
        let values = &self.extras[extra as usize].values;
        let next = values.iter().map(|value| (value.node, self.after(state, None, value.marks)));
        self.only_feasible(next, came, steps)
    }

    /// Whether what may follow a key depends on which it is.
    pub(super) fn counts_keys(&self, came: usize) -> bool {
        // One token may spell a few keys more.
        let scarce = |number| number < came + SPARE_KEYS;
        self.extras.iter().any(|extra| extra.few.is_some() || extra.number.is_some_and(scarce))
    }
}

/// Properties that imply each other come in lumps: whether some of them have a number between the bounds, and leave the
/// marks that are missing. Only where the number is bounded above: otherwise all that may come can come.
struct Lumps<'a> {
    spec: &'a ObjectSpec,
    state: &'a ObjectState,
    /// The marks of each key of which there are few.
    singles: Vec<Vec<u64>>,
    /// The marks of all other keys.
    endless: Vec<u64>,
}

#[derive(Clone, Default)]
struct Picked {
    /// Properties that come, with all that they imply.
    forced: PropertySet,
    may: PropertySet,
    /// Properties whose value was chosen for its marks.
    spent: PropertySet,
    singles: Vec<bool>,
    others: u32,
}

impl Lumps<'_> {
    fn fit(&self, picked: Picked, missing: u64, steps: &mut Steps<'_>) -> Result<bool> {
        steps.spend(self.spec.weight())?;
        let forced: u32 = picked.forced.iter().map(|word| word.count_ones()).sum();
        let count = self.state.count.saturating_add(forced).saturating_add(picked.others);
        if count > self.spec.max {
            return Ok(false);
        }
        if missing != 0 {
            return self.leave(picked, missing, steps);
        }
        let spare = self.singles.len() - picked.singles.iter().filter(|&&used| used).count();
        if !self.endless.is_empty() || count as usize + spare >= self.spec.min as usize {
            return Ok(true);
        }
        // Too few so far: the next property comes with what it implies, or stays away with what implies it.
        let more = |index: &u32| has(&picked.may, *index) && !has(&picked.forced, *index);
        let Some(index) = (0..self.spec.properties.len() as u32).find(more) else { return Ok(false) };
        let mut with = picked.clone();
        self.follow(&mut with.forced, index, &self.spec.implies);
        let mut gone: PropertySet = smallvec![0; picked.may.len()];
        self.follow(&mut gone, index, &self.spec.implied_by);
        let mut without = picked;
        without.may.iter_mut().zip(&gone).for_each(|(may, gone)| *may &= !gone);
        Ok(self.fit(with, 0, steps)? || self.fit(without, 0, steps)?)
    }

    /// The lowest missing mark, left by whoever can.
    fn leave(&self, picked: Picked, missing: u64, steps: &mut Steps<'_>) -> Result<bool> {
        let mark = missing & missing.wrapping_neg();
        for (index, property) in self.spec.properties.iter().enumerate() {
            let index = index as u32;
            if !has(&picked.may, index) || has(&picked.spent, index) {
                continue;
            }
            for value in property.values.iter().filter(|value| value.marks & mark != 0) {
                let mut next = picked.clone();
                self.follow(&mut next.forced, index, &self.spec.implies);
                put(&mut next.spent, index);
                if self.fit(next, missing & !value.marks, steps)? {
                    return Ok(true);
                }
            }
        }
        for (place, marks) in self.singles.iter().enumerate() {
            if picked.singles.get(place) == Some(&true) {
                continue;
            }
            for given in marks.iter().filter(|&&given| given & mark != 0) {
                let mut next = picked.clone();
                next.singles.resize(self.singles.len(), false);
                next.singles[place] = true;
                next.others += 1;
                if self.fit(next, missing & !given, steps)? {
                    return Ok(true);
                }
            }
        }
        for given in self.endless.iter().filter(|&&given| given & mark != 0) {
            let next = Picked { others: picked.others + 1, ..picked.clone() };
            if self.fit(next, missing & !given, steps)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Add a property and all that follow from it; those that came already are no members to come.
    fn follow(&self, set: &mut PropertySet, index: u32, along: &[(u32, u32)]) {
        let mut open = vec![index];
        while let Some(index) = open.pop() {
            if has(set, index) || has(&self.state.seen, index) {
                continue;
            }
            put(set, index);
            open.extend(pairs(along, index).iter().map(|pair| pair.1));
        }
    }
}

/// Whether the givers can leave all missing marks, each giver once and with one of its alternatives.
fn covers(missing: u64, givers: &[(bool, Vec<u64>)], free: &[u64], budget: u32, steps: &mut Steps<'_>) -> Result<bool> {
    if missing == 0 {
        return Ok(true);
    }
    steps.spend(1 + givers.len() as u64)?;
    let reach = givers.iter().flat_map(|(_, marks)| marks).chain(free).fold(0, |all, marks| all | marks);
    if missing & !reach != 0 {
        return Ok(false);
    }
    // With members to spare, who has no choice to make is taken at once; a search is left for the others.
    if budget as usize >= givers.len() + missing.count_ones() as usize {
        let settled = |marks: &[u64]| marks.iter().filter(|&&marks| marks & missing != 0).count() == 1;
        if givers.iter().any(|(_, marks)| settled(marks)) {
            let (sure, open): (Vec<_>, Vec<_>) = givers.iter().cloned().partition(|(_, marks)| settled(marks));
            let given = sure.iter().flat_map(|(_, marks)| marks).fold(0, |all, marks| all | marks);
            return covers(missing & !given, &open, free, budget - sure.len() as u32, steps);
        }
    }
    if let Some(((costless, marks), rest)) = givers.split_first() {
        if let Some(after) = if *costless { Some(budget) } else { budget.checked_sub(1) } {
            for given in marks.iter().filter(|&&given| given & missing != 0) {
                if covers(missing & !given, rest, free, after, steps)? {
                    return Ok(true);
                }
            }
        }
        return covers(missing, rest, free, budget, steps);
    }
    for given in free.iter().filter(|&&given| budget > 0 && given & missing != 0) {
        if covers(missing & !given, &[], free, budget - 1, steps)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The steps of a search, paid as they are taken.
pub(crate) struct Steps<'a> {
    budget: &'a mut Budget,
    left: u64,
}

impl<'a> Steps<'a> {
    /// At most `most` of those that are left in the budget.
    pub fn new(budget: &'a mut Budget, most: u64) -> Self {
        Steps { budget, left: most }
    }

    /// Whether the search took more than its own share, while the budget would go on.
    pub fn is_tired(&self) -> bool {
        self.left == 0
    }

    fn spend(&mut self, amount: u64) -> Result<()> {
        self.budget.spend(amount)?;
        self.left = self.left.saturating_sub(amount);
        match self.left {
            0 => Err(Error::Limit(Limit::Steps(amount)).into()),
            _ => Ok(()),
        }
    }
}
