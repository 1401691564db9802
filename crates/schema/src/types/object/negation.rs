//! A condition on an object → its complement.

use crate::condition::{Clause, ConjunctionId, MemberConstraints, Members, ObjectCondition};
use crate::error::Result;
use crate::types::array::outside;
use crate::types::Algebra;
use std::sync::Arc;

/// The complement, as a union of conjunctions. Errors: limits.
pub fn negated(algebra: &mut impl Algebra, condition: &ObjectCondition) -> Result<Vec<Vec<ObjectCondition>>> {
    Ok(match condition {
        ObjectCondition::Required { keys, .. } => keys.iter().map(|key| vec![lacks(key)]).collect(),
        &ObjectCondition::Count { least, most } => {
            let count = |(least, most)| vec![ObjectCondition::Count { least, most }];
            outside(least, most).into_iter().map(count).collect()
        }
        ObjectCondition::Implies { key, needs } => vec![vec![has(key), lacks(needs)]],
        ObjectCondition::Names(of) => {
            // These are the keys of the complement: for a narrowed format, fewer than the complement of its keys.
            let outside = algebra.negated(*of);
            let broken = |texts| {
                let patterns = vec![(texts, ConjunctionId::NOTHING)];
                let constraints = MemberConstraints { patterns, ..MemberConstraints::of_names(Vec::new()) };
                vec![ObjectCondition::Clause(Clause::broken(Members::new(constraints)))]
            };
            algebra.key_texts(outside)?.map(broken).into_iter().collect()
        }
        ObjectCondition::Clause(clause) => vec![clause.negated()],
        ObjectCondition::Members(members) if members.is_trivial() => Vec::new(),
        ObjectCondition::Members(members) => match members.only() {
            Some((key, asked)) => {
                let other = Members::single(key.clone(), algebra.negated(asked));
                vec![vec![has(key), ObjectCondition::Members(other)]]
            }
            None => vec![vec![ObjectCondition::Clause(Clause::broken(members.clone()))]],
        },
    })
}

fn has(key: &Arc<str>) -> ObjectCondition {
    ObjectCondition::Required { keys: Arc::from([key.clone()]), stated: true }
}

fn lacks(key: &Arc<str>) -> ObjectCondition {
    ObjectCondition::Members(Members::absent(key.clone()))
}
