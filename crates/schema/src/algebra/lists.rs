//! Conjuncts that ask for nothing but one of some values → one list of all of them.

use crate::condition::{Conjunct, NumberCondition, StringCondition, Types};
use std::sync::Arc;

/// The same union, with one conjunct in place of all that list texts, or numbers, beside the same types.
///
/// `anyOf` of thousands of constants is an `enum`, not thousands of alternatives.
pub(super) fn with_joined_lists(conjuncts: Vec<Conjunct>) -> Vec<Conjunct> {
    let mut firsts: Vec<(Types, Listed, usize)> = Vec::new();
    let mut found: Vec<Conjunct> = Vec::with_capacity(conjuncts.len());
    for conjunct in conjuncts {
        let Some(listed) = listed(&conjunct) else {
            found.push(conjunct);
            continue;
        };
        match firsts.iter().find(|(types, what, _)| (*types, *what) == (conjunct.types, listed)) {
            Some(&(_, _, first)) => take_in(&mut found[first], &conjunct),
            None => {
                firsts.push((conjunct.types, listed, found.len()));
                found.push(conjunct);
            }
        }
    }
    found
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

    #[test]
    fn lists_of_equal_types_are_one() {
        let nullable = Conjunct { types: Types::STRING | Types::NULL, ..texts(&["b"]) };
        let short = Conjunct::of_strings(vec![StringCondition::Length { least: 0, most: Some(1) }]);
        let given = vec![texts(&["b"]), short.clone(), texts(&["a", "b"]), nullable.clone(), texts(&["c"])];
        assert_eq!(with_joined_lists(given), [texts(&["a", "b", "c"]), short, nullable]);
    }

    #[test]
    fn a_list_beside_another_condition_stays() {
        let mut bounded = texts(&["a"]);
        bounded.strings.push(StringCondition::Length { least: 1, most: None });
        let excluded = Conjunct::of_strings(texts(&["a"]).strings[0].negated());
        let given = vec![bounded, excluded.clone(), excluded, texts(&["b"])];
        assert_eq!(with_joined_lists(given.clone()), given);
    }
}
