//! A conjunction of conditions on arrays → one normal form.

use crate::condition::{ArrayCondition, ConjunctionId, SubschemaId};
use crate::types::Algebra;

/// Bounds on the number of items, from a position on, that meet a conjunction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// The first position that counts.
    pub start: u64,
    /// The conjunction that the counted items meet.
    pub item: ConjunctionId,
    /// The least number of such items.
    pub least: u64,
    /// The most such items.
    pub most: Option<u64>,
    /// The subschema that has the `contains`; None for a complement.
    pub place: Option<SubschemaId>,
}

/// All conditions on an array together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    /// Constraints on items, by position.
    pub prefix: Vec<ConjunctionId>,
    /// The constraint on all later items.
    pub rest: Option<ConjunctionId>,
    /// The least number of items.
    pub least: u64,
    /// The most items.
    pub most: Option<u64>,
    /// Whether all items differ.
    pub is_unique: bool,
    /// The subschema whose `uniqueItems` must fail, so that some items are equal.
    pub repeated: Option<SubschemaId>,
    /// Items that are counted.
    pub counted: Vec<Counted>,
}

impl Shape {
    /// The normal form of a conjunction.
    pub fn new(algebra: &mut impl Algebra, conditions: &[ArrayCondition]) -> Self {
        let mut shape = Shape::default();
        let mut items: Vec<(Vec<ConjunctionId>, ConjunctionId)> = Vec::new();
        for condition in conditions {
            match condition {
                ArrayCondition::Items { prefix, rest } => items.push((prefix.to_vec(), *rest)),
                ArrayCondition::Count { least, most } => shape.bound(*least, *most),
                ArrayCondition::Unique { positive: true, .. } => shape.is_unique = true,
                ArrayCondition::Unique { positive: false, place } => shape.repeated = Some(*place),
                &ArrayCondition::Contains { start, item, least: 0, most: Some(0), .. } => {
                    let before = vec![ConjunctionId::ANYTHING; usize::try_from(start).unwrap_or(usize::MAX)];
                    items.push((before, algebra.negated(item)));
                }
                ArrayCondition::Contains { least: 0, most: None, .. } => {}
                &ArrayCondition::Contains { start, item, least, most, place } => {
                    shape.bound(if least > 0 { start.saturating_add(least) } else { 0 }, None);
                    if item.is_anything() {
                        shape.bound(0, most.map(|most| start.saturating_add(most)));
                    } else {
                        shape.counted.push(Counted { start, item, least, most, place });
                    }
                }
            }
        }
        shape.join(algebra, &items);
        shape
    }

    fn bound(&mut self, least: u64, most: Option<u64>) {
        self.least = self.least.max(least);
        self.most = [self.most, most].into_iter().flatten().min();
    }

    fn join(&mut self, algebra: &mut impl Algebra, items: &[(Vec<ConjunctionId>, ConjunctionId)]) {
        let length = items.iter().map(|(prefix, _)| prefix.len()).max().unwrap_or(0);
        let mut prefix = vec![ConjunctionId::ANYTHING; length];
        let mut all_later = ConjunctionId::ANYTHING;
        for (before, rest) in items {
            all_later = algebra.both(all_later, *rest);
            for (position, item) in prefix.iter_mut().enumerate() {
                *item = algebra.both(*item, *before.get(position).unwrap_or(rest));
            }
        }
        if let Some(most) = self.most.and_then(|most| usize::try_from(most).ok()) {
            prefix.truncate(most);
        }
        if all_later.is_nothing() {
            self.bound(0, Some(prefix.len() as u64));
        }
        if let Some(position) = prefix.iter().position(|item| item.is_nothing()) {
            self.bound(0, Some(position as u64));
            prefix.truncate(position);
        }
        self.prefix = prefix;
        self.rest = Some(all_later);
    }

    /// The constraint on the item at a position.
    pub fn at(&self, position: u64) -> ConjunctionId {
        let listed = usize::try_from(position).ok().and_then(|position| self.prefix.get(position));
        listed.copied().unwrap_or(self.later())
    }

    /// The constraint on every item behind the prefix.
    pub fn later(&self) -> ConjunctionId {
        self.rest.unwrap_or(ConjunctionId::ANYTHING)
    }

    /// Whether there must be more items than there may be.
    pub fn is_crossed(&self) -> bool {
        self.most.is_some_and(|most| most < self.least)
    }
}
