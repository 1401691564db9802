//! Sets of literals ↔ numbers: equal sets have equal numbers.

use crate::condition::{ConjunctionId, SubschemaId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A subschema that a value must meet, or must not meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u32);

impl Literal {
    /// The literal that a value meets the subschema.
    pub fn positive(subschema: SubschemaId) -> Self {
        Literal(2 * subschema.0)
    }

    /// The opposite literal.
    pub fn negated(self) -> Self {
        Literal(self.0 ^ 1)
    }

    /// Whether the value must not meet the subschema.
    pub fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    /// The subschema.
    pub fn subschema(self) -> SubschemaId {
        SubschemaId(self.0 >> 1)
    }
}

/// All conjunctions of one compile.
#[derive(Debug)]
pub struct Conjunctions {
    literals: Vec<Arc<[Literal]>>,
    by_literals: FxHashMap<Arc<[Literal]>, ConjunctionId>,
}

impl Default for Conjunctions {
    fn default() -> Self {
        let none: Arc<[Literal]> = Arc::from([]);
        let by_literals = FxHashMap::from_iter([(none.clone(), ConjunctionId::ANYTHING)]);
        // The second number is the conjunction that nothing meets; its literals are never used.
        Conjunctions { literals: vec![none.clone(), none], by_literals }
    }
}

impl Conjunctions {
    /// The number of a set of literals; `NOTHING` if two of them contradict each other.
    pub fn of(&mut self, mut literals: Vec<Literal>) -> ConjunctionId {
        literals.sort_unstable();
        literals.dedup();
        if literals.windows(2).any(|pair| pair[0].negated() == pair[1]) {
            return ConjunctionId::NOTHING;
        }
        if let Some(&known) = self.by_literals.get(&*literals) {
            return known;
        }
        let conjunction = ConjunctionId(self.literals.len() as u32);
        let literals: Arc<[Literal]> = literals.into();
        self.literals.push(literals.clone());
        self.by_literals.insert(literals, conjunction);
        conjunction
    }

    /// The literals in order; none for the conjunction that nothing meets.
    pub fn literals(&self, conjunction: ConjunctionId) -> Arc<[Literal]> {
        self.literals[conjunction.0 as usize].clone()
    }

    /// The literal of a conjunction that has just one.
    pub fn single(&self, conjunction: ConjunctionId) -> Option<Literal> {
        match *self.literals[conjunction.0 as usize] {
            [literal] => Some(literal),
            _ => None,
        }
    }

    /// The conjunction of both.
    pub fn both(&mut self, left: ConjunctionId, right: ConjunctionId) -> ConjunctionId {
        if left == right || right.is_anything() || left.is_nothing() {
            return left;
        }
        if left.is_anything() || right.is_nothing() {
            return right;
        }
        let joint = self.literals(left).iter().chain(&*self.literals(right)).copied().collect();
        self.of(joint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_literals_have_one_number() {
        let mut all = Conjunctions::default();
        let [a, b] = [1, 2].map(|number| Literal::positive(SubschemaId(number)));
        let both = all.of(vec![b, a, b]);
        assert_eq!(both, all.of(vec![a, b]));
        assert_eq!(*all.literals(both), [a, b]);
        let (left, right) = (all.of(vec![a]), all.of(vec![b]));
        assert_eq!(all.both(right, left), both);
        assert_eq!((all.single(left), all.single(both)), (Some(a), None));
        assert_eq!(all.of(vec![]), ConjunctionId::ANYTHING);
    }

    #[test]
    fn a_literal_beside_its_negation_leaves_nothing() {
        let mut all = Conjunctions::default();
        let a = Literal::positive(SubschemaId(7));
        assert!(a.negated().is_negative() && a.negated().subschema() == SubschemaId(7));
        assert_eq!(all.of(vec![a, a.negated()]), ConjunctionId::NOTHING);
        let (yes, no) = (all.of(vec![a]), all.of(vec![a.negated()]));
        assert_eq!(all.both(yes, no), ConjunctionId::NOTHING);
        assert_eq!(all.both(yes, ConjunctionId::NOTHING), ConjunctionId::NOTHING);
        assert_eq!(all.both(ConjunctionId::ANYTHING, no), no);
    }
}
