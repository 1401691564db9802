//! One condition on a number's value, and its complement.

use crate::decimal::Decimal;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A condition on a number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NumberCondition {
    /// At least the bound; more than it if `strict`.
    AtLeast {
        /// The bound.
        bound: Decimal,
        /// Whether the bound itself is outside.
        strict: bool,
    },
    /// At most the bound; less than it if `strict`.
    AtMost {
        /// The bound.
        bound: Decimal,
        /// Whether the bound itself is outside.
        strict: bool,
    },
    /// A multiple of a positive number, or no multiple.
    Multiple {
        /// The number.
        of: Decimal,
        /// Whether multiples are inside.
        positive: bool,
    },
    /// One of the values, or none of them.
    Among {
        /// The values.
        values: Arc<BTreeSet<Decimal>>,
        /// The integers that the schema wrote with a point: a document may write them so.
        pointed: Arc<BTreeSet<Decimal>>,
        /// Whether the values are inside.
        positive: bool,
    },
    /// Spelled with digits only, as an integer of draft 4, or with a point or an exponent.
    Plain {
        /// Whether digits only are inside.
        positive: bool,
    },
}

impl NumberCondition {
    /// The condition to be one of these values.
    pub fn among(values: BTreeSet<Decimal>, pointed: BTreeSet<Decimal>) -> Self {
        NumberCondition::Among { values: Arc::new(values), pointed: Arc::new(pointed), positive: true }
    }

    /// The condition that exactly the other numbers meet.
    pub fn negated(&self) -> Self {
        match self.clone() {
            NumberCondition::AtLeast { bound, strict } => NumberCondition::AtMost { bound, strict: !strict },
            NumberCondition::AtMost { bound, strict } => NumberCondition::AtLeast { bound, strict: !strict },
            NumberCondition::Multiple { of, positive } => NumberCondition::Multiple { of, positive: !positive },
            NumberCondition::Among { values, positive, .. } => {
                NumberCondition::Among { values, pointed: Arc::default(), positive: !positive }
            }
            NumberCondition::Plain { positive } => NumberCondition::Plain { positive: !positive },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_the_complement_of_its_complement() {
        let bound = Decimal::from(5);
        for condition in [
            NumberCondition::AtLeast { bound: bound.clone(), strict: true },
            NumberCondition::AtMost { bound: bound.clone(), strict: false },
            NumberCondition::Multiple { of: bound.clone(), positive: true },
            NumberCondition::among(BTreeSet::from([bound.clone()]), BTreeSet::new()),
            NumberCondition::Plain { positive: true },
        ] {
            assert_ne!(condition.negated(), condition);
            assert_eq!(condition.negated().negated(), condition);
        }
        let least = NumberCondition::AtLeast { bound: bound.clone(), strict: true };
        assert_eq!(least.negated(), NumberCondition::AtMost { bound, strict: false });
    }
}
