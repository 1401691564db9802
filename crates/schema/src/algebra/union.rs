//! Unions of conjuncts → their union and their intersection, without conjuncts that others cover, within limits.

use super::lists::JoinedLists;
use super::{Expander, Splitting};
use crate::condition::{each_once, Conjunct, ConjunctionId};
use crate::error::{Error, Kind, Result};
use std::rc::Rc;

/// A union of conjuncts, which may overlap.
pub type Union = Rc<[Conjunct]>;

/// Products of more conjuncts than this are searched for contradictions at once.
const CROWD: usize = 6;
/// Conjuncts of a product that are collected before empty ones are dropped.
const FRESH: usize = 4_096;
/// Pairs and conditions that a product reads between two checks of the limits, a step each.
const UNSEEN: usize = 4_096;
/// Most conjuncts of a union in which they are compared with each other.
const COMPARED: usize = 400;
/// From this many conjuncts on, compare hashes before comparing conditions.
const HASHED: usize = 32;
/// Hashes that are made or compared in a step.
const HASHES: usize = 8;
/// Depth of the search for contradictions in a product.
const PRUNING_DEPTH: u32 = 2;
/// Most alternatives of all values together, as a multiple of those that the caller allows one value.
const TOTAL: u64 = 200;

/// The union of these conjuncts.
pub(super) fn union_of<const N: usize>(conjuncts: [Conjunct; N]) -> Union {
    Rc::new(conjuncts)
}

/// Whether a union is one conjunct that allows every value.
pub(super) fn is_whole(union: &[Conjunct]) -> bool {
    matches!(union, [one] if one.is_whole())
}

impl Expander<'_> {
    /// The union of unions. Errors: too many alternatives; limits.
    pub(super) fn sum<'u>(&mut self, unions: impl IntoIterator<Item = &'u Union>) -> Result<Union> {
        let (mut joined, mut count) = (JoinedLists::default(), 0);
        for conjunct in unions.into_iter().flat_map(|union| union.iter()) {
            joined.add(conjunct);
            count += 1;
            if count % UNSEEN == 0 {
                self.builder.check(0)?;
            }
        }
        let found = each_once(joined.conjuncts());
        if count > 1 && !self.is_list(found.len()) {
            self.spend(found.len())?;
        }
        Ok(found.into())
    }

    /// The union of cases, which add up and do not multiply: the first `free` alternatives are not counted. Errors: too
    /// many alternatives; limits.
    pub(super) fn sum_of_cases(&mut self, cases: &[Union], free: usize) -> Result<Union> {
        let mut joined = JoinedLists::default();
        cases.iter().flat_map(|union| union.iter()).for_each(|conjunct| joined.add(conjunct));
        let found = each_once(joined.conjuncts());
        if !self.is_list(found.len()) {
            self.spend(found.len().saturating_sub(free))?;
        }
        Ok(found.into())
    }

    /// Whether a list of this many alternatives is not counted. Under `Loosened`, leaving out such a list, which is no
    /// product, would lose more than it saves.
    fn is_list(&self, count: usize) -> bool {
        self.options.splitting == Splitting::Loosened && count as u64 <= self.options.total
    }

    /// The union of conjunctions. Errors: as `expand`.
    pub(super) fn sum_of(&mut self, conjunctions: &[ConjunctionId]) -> Result<Union> {
        let unions: Vec<Union> = conjunctions.iter().map(|&of| self.expand(of)).collect::<Result<_>>()?;
        self.sum(&unions)
    }

    /// The intersection of two unions. Errors: too many alternatives; limits.
    pub(super) fn product(&mut self, left: &Union, right: &Union) -> Result<Union> {
        if is_whole(left) {
            return Ok(right.clone());
        }
        if is_whole(right) {
            return Ok(left.clone());
        }
        let (mut left, mut right) = (left.clone(), right.clone());
        if self.options.splitting == Splitting::Clauses {
            (left, right) = (self.joined(&left)?, self.joined(&right)?);
        }
        let (mut kept, mut fresh, mut steps) = (Vec::new(), Vec::new(), 0);
        for one in left.iter() {
            let before = fresh.len();
            fresh.extend(right.iter().filter_map(|other| one.meet(other)));
            steps += right.len() + fresh[before..].iter().map(Conjunct::condition_count).sum::<usize>();
            if steps > UNSEEN {
                self.builder.check(std::mem::take(&mut steps) as u64)?;
            }
            if fresh.len() > FRESH {
                kept.extend(self.pruned(&each_once(std::mem::take(&mut fresh)))?);
                kept = each_once(kept);
                self.check_count(kept.len())?;
            }
        }
        let mut found = each_once(fresh);
        if kept.len() + found.len() > CROWD {
            kept.extend(self.pruned(&found)?);
            found = self.least(kept)?;
        }
        self.spend(found.len())?;
        Ok(found.into())
    }

    /// The conjuncts without those that another one with fewer conditions covers. Errors: limits.
    pub(super) fn least(&mut self, conjuncts: Vec<Conjunct>) -> Result<Vec<Conjunct>> {
        if !(2..=COMPARED).contains(&conjuncts.len()) {
            return Ok(conjuncts);
        }
        let mut by_demands: Vec<usize> = (0..conjuncts.len()).collect();
        by_demands.sort_by_key(|&place| conjuncts[place].condition_count());
        let demands: Option<Vec<Vec<u64>>> =
            (conjuncts.len() >= HASHED).then(|| conjuncts.iter().map(Conjunct::demands).collect());
        let may_cover = |wider: usize, place: usize| {
            let within = |demands: &Vec<Vec<u64>>| {
                demands[wider].iter().all(|demand| demands[place].binary_search(demand).is_ok())
            };
            demands.as_ref().is_none_or(within)
        };
        let (mut kept, mut steps): (Vec<usize>, _) = (Vec::new(), 0);
        for place in by_demands {
            steps += (kept.len() + conjuncts[place].condition_count()) / HASHES;
            if steps > UNSEEN {
                self.builder.check(std::mem::take(&mut steps) as u64)?;
            }
            let covers = |&wider: &usize| may_cover(wider, place) && conjuncts[wider].covers(&conjuncts[place]);
            if !kept.iter().any(covers) {
                kept.push(place);
            }
        }
        let mut is_kept = vec![false; conjuncts.len()];
        kept.into_iter().for_each(|place| is_kept[place] = true);
        Ok(conjuncts.into_iter().zip(is_kept).filter_map(|(conjunct, is_kept)| is_kept.then_some(conjunct)).collect())
    }

    /// The conjuncts without empty ones, each without the types of which it certainly has no value. Errors: limits.
    pub(super) fn pruned(&mut self, conjuncts: &[Conjunct]) -> Result<Vec<Conjunct>> {
        let mut found = Vec::with_capacity(conjuncts.len());
        for conjunct in conjuncts {
            let types = self.types_left(conjunct, PRUNING_DEPTH)?;
            if !types.is_empty() {
                found.push(conjunct.among(types));
            }
        }
        Ok(found)
    }

    /// Counts alternatives. Errors: too many of them, for this value or for all; limits.
    pub(super) fn spend(&mut self, count: usize) -> Result<()> {
        self.check_count(count)?;
        self.alternatives += count as u64;
        self.builder.check(0)?;
        let total = self.options.total.saturating_mul(TOTAL);
        if self.alternatives > total {
            let message = format!("the schema splits into more than {total} alternatives in all");
            return Err(Error::new(Kind::TooManyAlternatives { in_all: true }, message).at(self.current()));
        }
        Ok(())
    }

    /// Errors if these are too many alternatives of one value.
    fn check_count(&self, count: usize) -> Result<()> {
        let most = self.options.max_alternatives;
        if count as u64 <= most {
            return Ok(());
        }
        let message = format!("one value splits into more than {most} alternatives");
        Err(Error::new(Kind::TooManyAlternatives { in_all: false }, message).at(self.current()))
    }
}
