//! Conditions on an object → whether they certainly contradict each other.

use super::shape::{demand, Keys, Shape};
use crate::condition::{Clause, Members, ObjectCondition};
use crate::error::Result;
use crate::types::Algebra;

/// Cost of sorting the conditions of an object, in conditions read.
const READING: usize = 32;

/// Whether certainly no object meets the conditions, looking `depth` levels down. Errors: limits.
pub fn is_empty(algebra: &mut impl Algebra, conditions: &[ObjectCondition], depth: u32) -> Result<bool> {
    if conditions.is_empty() {
        return Ok(false);
    }
    let mut shape = Shape::new(algebra, conditions);
    if shape.is_crossed() {
        return Ok(true);
    }
    shape.index(algebra, shape.required.len());
    algebra.count_work(READING + shape.required.len() * shape.tables())?;
    let below = depth.checked_sub(1);
    for key in &shape.required {
        let asked = shape.at(algebra, key, true)?;
        if asked.is_nothing() {
            return Ok(true);
        }
        if let Some(below) = below {
            if algebra.is_empty(asked, below)? {
                return Ok(true);
            }
        }
    }
    let Some(below) = below.filter(|_| !shape.clauses.is_empty()) else {
        return Ok(false);
    };
    let named = shape.named();
    for Clause { premises, conclusions } in &shape.clauses {
        let mut contradicts = true;
        for members in premises.iter() {
            contradicts = contradicts && breaks_surely(algebra, &shape, members, below)?;
        }
        for members in conclusions.iter() {
            contradicts = contradicts && !is_breakable(algebra, &shape, members, &named, below)?;
        }
        if contradicts {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether some required member certainly breaks the constraints.
fn breaks_surely(algebra: &mut impl Algebra, shape: &Shape, members: &Members, depth: u32) -> Result<bool> {
    for (key, admitted) in &members.names {
        if !admitted.is_anything() && shape.required.contains(key) {
            let asked = shape.at(algebra, key, false)?;
            let both = algebra.both(asked, *admitted);
            if algebra.is_empty(both, depth)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether some member might break the constraints.
fn is_breakable(
    algebra: &mut impl Algebra,
    shape: &Shape,
    members: &Members,
    named: &Keys,
    depth: u32,
) -> Result<bool> {
    let others = named.iter().filter(|key| members.named(key).is_none());
    // Constraints on named members only are broken by these members only.
    let says_more = !members.patterns.is_empty() || !members.rest.is_anything();
    for key in members.names.iter().map(|(key, _)| key).chain(others.filter(|_| says_more)) {
        let asked = shape.at(algebra, key, true)?;
        let admitted = demand(algebra, members, key)?;
        let outside = algebra.negated(admitted);
        let both = algebra.both(asked, outside);
        if !algebra.is_empty(both, depth)? {
            return Ok(true);
        }
    }
    if !says_more {
        return Ok(false);
    }
    if !members.patterns.is_empty() || shape.members.iter().any(|members| !members.patterns.is_empty()) {
        return Ok(true);
    }
    let mut asked = algebra.negated(members.rest);
    for members in &shape.members {
        asked = algebra.both(asked, members.rest);
    }
    Ok(!algebra.is_empty(asked, depth)?)
}
