//! The alternatives of `oneOf` → their union, if no two of them share a value.
//!
//! `oneOf` of overlapping alternatives needs complements, which Python's algebra computes; this file handles the rest.

use crate::case::{listed, meet, product, same, Case, Met, OBJECT, STRING};
use crate::demand::{needed, Demand};
use crate::union::{Maybe, Union, DEPTH, MANY, PRUNED};
use crate::walk::Walk;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::collections::{HashMap, HashSet};

impl<'py> Walk<'_, 'py> {
    /// oneOf, if no two alternatives share a value.
    pub fn one(&mut self, around: Vec<Case<'py>>, branches: Vec<Union<'py>>) -> Maybe<Vec<Case<'py>>> {
        let is_first = matches!(&around[..], [case] if case.anything());
        let mut lists = Vec::with_capacity(branches.len());
        for branch in &branches {
            let Some(met) = product(around.clone(), branch.cases.clone()) else { return Ok(None) };
            if !is_first {
                for case in &met {
                    match self.is_void(case, PRUNED)? {
                        Some(false) => {}
                        None if case.mask == OBJECT => {}
                        _ => return Ok(None),
                    }
                }
            }
            lists.push(met);
        }
        // More are for Python, which also has better ways for so many than to compare each with each.
        let counts = [lists.iter().map(Vec::len).sum(), branches.iter().map(|branch| branch.cases.len()).sum()];
        if counts.iter().any(|&count: &usize| count > MANY) {
            return Ok(None);
        }
        if self.discriminated(&lists)? {
            return Ok(Some(lists.concat()));
        }
        let alone = alone(&branches);
        for (at, list) in lists.iter().enumerate() {
            for (other, branch) in branches.iter().enumerate() {
                if other == at || is_first && other < at || alone[at] && alone[other] {
                    continue;
                }
                for (case, beside) in list.iter().flat_map(|case| branch.cases.iter().map(move |other| (case, other))) {
                    let both = match meet(case, beside) {
                        Met::Nothing => continue,
                        Met::Case(both) => both,
                        Met::Unknown => return Ok(None),
                    };
                    if self.is_void(&both, DEPTH)? != Some(true) {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(Some(lists.concat()))
    }

    /// Whether some required member has different texts in all alternatives: no pair need be compared.
    fn discriminated(&mut self, lists: &[Vec<Case<'py>>]) -> PyResult<bool> {
        let [[first], _, _, ..] = &lists.iter().map(Vec::as_slice).collect::<Vec<_>>()[..] else { return Ok(false) };
        'keys: for key in needed(first)?.iter() {
            let mut seen = HashSet::new();
            for list in lists {
                let [case] = &list[..] else { return Ok(false) };
                if case.mask != OBJECT || !needed(case)?.iter().any(|needed| same(needed, key)) {
                    continue 'keys;
                }
                let Some(texts) = self.texts_of(case, key)? else { continue 'keys };
                for text in texts {
                    if !seen.insert(text) {
                        continue 'keys;
                    }
                }
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// The texts that are all a member can be, or more than these; nothing if they are not listed.
    fn texts_of(&mut self, case: &Case<'py>, key: &Bound<'py, PyString>) -> Maybe<Vec<Box<[u8]>>> {
        let cases = match self.demand(case, Some(key))? {
            Some(Demand::Schema(schema, at, keyword, key)) => self.met_by(&[(schema, at, keyword, key)])?,
            Some(Demand::Several(asked)) => self.met_by(&asked)?,
            _ => None,
        };
        Ok(match cases.as_deref() {
            Some([case]) if case.mask == STRING => listed(case),
            _ => None,
        })
    }
}

/// Which alternatives list their texts, none of which another one lists.
fn alone(branches: &[Union<'_>]) -> Vec<bool> {
    let mut lists: HashMap<&[u8], usize> = HashMap::new();
    let texts = |case: &Case<'_>| case.mask == STRING && case.texts.is_some();
    let mut alone: Vec<bool> = branches.iter().map(|branch| branch.cases.iter().all(texts)).collect();
    for (at, branch) in branches.iter().enumerate().filter(|(_, branch)| branch.cases.iter().all(texts)) {
        for text in branch.cases.iter().flat_map(|case| &case.texts).flatten() {
            let first = *lists.entry(text).or_insert(at);
            if first != at {
                (alone[first], alone[at]) = (false, false);
            }
        }
    }
    alone
}
