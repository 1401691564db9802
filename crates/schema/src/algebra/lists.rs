//! Conjuncts that only list values (`enum: ["a", "b"]`) → one conjunct with all values, or the values one by one.

use crate::condition::{Conjunct, NumberCondition, StringCondition, Types};
use crate::decimal::Decimal;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A union of conjuncts. All conjuncts that list strings only, and allow the same other types, become one; so do those
/// that list numbers only.
///
/// An `anyOf` of thousands of constants thus becomes one `enum`, not thousands of alternatives.
#[derive(Default)]
pub(super) struct JoinedLists {
    conjuncts: Vec<Conjunct>,
    /// The conjuncts that only list values: their types, the type of the values, and the index.
    lists: Vec<(Types, Listed, usize)>,
}

impl JoinedLists {
    pub(super) fn add(&mut self, conjunct: &Conjunct) {
        if let Some(listed) = listed(conjunct) {
            let same = |&&(types, what, _): &&(Types, Listed, usize)| (types, what) == (conjunct.types, listed);
            if let Some(&(_, _, place)) = self.lists.iter().find(same) {
                return take_in(&mut self.conjuncts[place], conjunct);
            }
            self.lists.push((conjunct.types, listed, self.conjuncts.len()));
        }
        self.conjuncts.push(conjunct.clone());
    }

    pub(super) fn conjuncts(self) -> Vec<Conjunct> {
        self.conjuncts
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Listed {
    Texts,
    Numbers,
}

/// The type of the values that the only condition of a conjunct lists.
fn listed(conjunct: &Conjunct) -> Option<Listed> {
    match (&conjunct.strings[..], &conjunct.numbers[..]) {
        _ if conjunct.condition_count() != 1 => None,
        ([StringCondition::Among { positive: true, .. }], []) => Some(Listed::Texts),
        ([], [NumberCondition::Among { positive: true, .. }]) => Some(Listed::Numbers),
        _ => None,
    }
}

/// Adds the values of another list to those of a conjunct.
fn take_in(into: &mut Conjunct, other: &Conjunct) {
    if let ([StringCondition::Among { values, .. }], [StringCondition::Among { values: more, .. }]) =
        (&mut into.strings[..], &other.strings[..])
    {
        Arc::make_mut(values).extend(more.iter().cloned());
    }
    if let (
        [NumberCondition::Among { values, pointed, .. }],
        [NumberCondition::Among { values: more, pointed: more_pointed, .. }],
    ) = (&mut into.numbers[..], &other.numbers[..])
    {
        Arc::make_mut(values).extend(more.iter().cloned());
        Arc::make_mut(pointed).extend(more_pointed.iter().cloned());
    }
}

/// A value that is no array and no object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Constant {
    Word(Types),
    Text(Arc<str>),
    Number(Decimal),
}

/// The values that conjuncts list, without duplicates; None if some conjunct lists none. Other conditions are ignored.
pub(super) fn constants(conjuncts: &[Conjunct]) -> Option<Vec<Constant>> {
    let mut found: IndexSet<Constant, FxBuildHasher> = IndexSet::default();
    for conjunct in conjuncts {
        if conjunct.types.has(Types::ARRAY | Types::OBJECT) {
            return None;
        }
        let words = [Types::NULL, Types::FALSE, Types::TRUE].into_iter();
        found.extend(words.filter(|&word| conjunct.types.has(word)).map(Constant::Word));
        if conjunct.types.has(Types::STRING) {
            found.extend(listed_texts(&conjunct.strings)?.iter().cloned().map(Constant::Text));
        }
        if conjunct.types.has(Types::NUMBER) {
            let listed = conjunct.numbers.iter().find_map(|condition| match condition {
                NumberCondition::Among { values, positive: true, .. } => Some(values),
                _ => None,
            });
            found.extend(listed?.iter().cloned().map(Constant::Number));
        }
    }
    Some(found.into_iter().collect())
}

/// The strings that the first list among these conditions holds.
pub(super) fn listed_texts(conditions: &[StringCondition]) -> Option<&Arc<BTreeSet<Arc<str>>>> {
    conditions.iter().find_map(|condition| match condition {
        StringCondition::Among { values, positive: true } => Some(values),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(values: &[&str]) -> Conjunct {
        Conjunct::of_strings(vec![StringCondition::among(values.iter().map(|&value| value.into()))])
    }

    fn joined(conjuncts: &[Conjunct]) -> Vec<Conjunct> {
        let mut lists = JoinedLists::default();
        conjuncts.iter().for_each(|conjunct| lists.add(conjunct));
        lists.conjuncts()
    }

    #[test]
    fn lists_of_equal_types_are_one() {
        let nullable = Conjunct { types: Types::STRING | Types::NULL, ..texts(&["b"]) };
        let short = Conjunct::of_strings(vec![StringCondition::Length { least: 0, most: Some(1) }]);
        let given = [texts(&["b"]), short.clone(), texts(&["a", "b"]), nullable.clone(), texts(&["c"])];
        assert_eq!(joined(&given), [texts(&["a", "b", "c"]), short, nullable]);
    }

    #[test]
    fn a_list_beside_another_condition_stays() {
        let mut bounded = texts(&["a"]);
        bounded.strings.push(StringCondition::Length { least: 1, most: None });
        let excluded = Conjunct::of_strings(texts(&["a"]).strings[0].negated());
        let given = [bounded, excluded.clone(), excluded, texts(&["b"])];
        assert_eq!(joined(&given), given);
    }
}
