//! Conditions on an array → whether they certainly contradict each other.

use super::shape::Shape;
use crate::condition::ArrayCondition;
use crate::error::Result;
use crate::types::Algebra;

/// Whether certainly no array meets the conditions, looking `depth` levels down. Errors: limits.
pub fn is_empty(algebra: &mut impl Algebra, conditions: &[ArrayCondition], depth: u32) -> Result<bool> {
    if conditions.is_empty() {
        return Ok(false);
    }
    let shape = Shape::new(algebra, conditions);
    if shape.is_crossed() || (shape.is_unique && shape.repeated.is_some()) {
        return Ok(true);
    }
    if shape.repeated.is_some() && shape.most.is_some_and(|most| most < 2) {
        return Ok(true);
    }
    let Some(below) = depth.checked_sub(1) else { return Ok(false) };
    // Required items behind the prefix have one constraint, so one of them is checked for all.
    for position in 0..shape.least.min(shape.prefix.len() as u64 + 1) {
        if algebra.is_empty(shape.at(position), below)? {
            return Ok(true);
        }
    }
    if !shape.prefix.is_empty() {
        return Ok(false);
    }
    for counted in shape.counted.iter().filter(|counted| counted.least > 0) {
        let both = algebra.both(shape.later(), counted.item);
        if algebra.is_empty(both, below)? {
            return Ok(true);
        }
    }
    Ok(false)
}
