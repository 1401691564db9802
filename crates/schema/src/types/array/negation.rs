//! A condition on an array → its complement.

use crate::condition::{ArrayCondition, ConjunctionId};
use crate::types::Algebra;

/// The complement, as a union of conjunctions.
pub fn negated(algebra: &mut impl Algebra, condition: &ArrayCondition) -> Vec<Vec<ArrayCondition>> {
    match condition {
        &ArrayCondition::Count { least, most } => {
            let count = |(least, most)| vec![ArrayCondition::Count { least, most }];
            outside(least, most).into_iter().map(count).collect()
        }
        &ArrayCondition::Unique { positive, place } => {
            vec![vec![ArrayCondition::Unique { positive: !positive, place }]]
        }
        &ArrayCondition::Contains { start, item, least, most, place } => {
            let contains = |(least, most)| vec![ArrayCondition::Contains { start, item, least, most, place }];
            outside(least, most).into_iter().map(contains).collect()
        }
        ArrayCondition::Items { prefix, rest } => {
            let mut found = Vec::new();
            for (position, item) in prefix.iter().enumerate().filter(|(_, item)| !item.is_anything()) {
                let mut wrong = vec![ConjunctionId::ANYTHING; position];
                wrong.push(algebra.negated(*item));
                let wrong = ArrayCondition::Items { prefix: wrong.into(), rest: ConjunctionId::ANYTHING };
                found.push(vec![wrong, ArrayCondition::Count { least: position as u64 + 1, most: None }]);
            }
            let start = prefix.len() as u64;
            if rest.is_nothing() {
                found.push(vec![ArrayCondition::Count { least: start + 1, most: None }]);
            } else if !rest.is_anything() {
                let item = algebra.negated(*rest);
                found.push(vec![ArrayCondition::Contains { start, item, least: 1, most: None, place: None }]);
            }
            found
        }
    }
}

/// The ranges of counts below and above a range.
pub(crate) fn outside(least: u64, most: Option<u64>) -> Vec<(u64, Option<u64>)> {
    let fewer = least.checked_sub(1).map(|most| (0, Some(most)));
    let more = most.and_then(|most| most.checked_add(1)).map(|least| (least, None));
    fewer.into_iter().chain(more).collect()
}
