//! Conjuncts that ask for nothing but one of some values → one list of all of them.

use crate::condition::{Conjunct, NumberCondition, StringCondition, Types};
use std::sync::Arc;

/// Conjuncts whose union is meant, with one in place of all that list texts, or numbers, beside the same types.
///
/// `anyOf` of thousands of constants is an `enum`, not thousands of alternatives.
#[derive(Default)]
pub(super) struct JoinedLists {
    conjuncts: Vec<Conjunct>,
    /// Which conjuncts are lists.
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

/// What the only condition of a conjunct lists.
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
