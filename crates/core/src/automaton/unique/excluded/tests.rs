//! Small arrays of different items → the values that the next item may not have.

use super::*;
use crate::automaton::fixture::{machine, state_after, string, unique, words};
use crate::builder::Builder;
use crate::grammar::fixture::brackets;

const ARRAY: ArrayId = ArrayId::new(0);

/// Whether the array may end in a state, and the words of each item with its next state. No words stand for any string.
type State<'a> = (bool, &'a [(&'a [&'a str], u32)]);

/// An array over an automaton of items.
fn array(states: &[State], min: u32, max: Option<u32>) -> Box<Machine> {
    machine(|builder| {
        let states: Vec<_> = states
            .iter()
            .map(|(accepting, items)| {
                let items = items.iter().map(|&(list, next)| match list {
                    [] => (string(builder, 0, None).number(), next),
                    list => (words(builder, list).number(), next),
                });
                (*accepting, items.collect())
            })
            .collect();
        let punctuation = brackets(builder);
        builder.unique_array(&states, punctuation, min, max).unwrap()
    })
}

/// The excluded texts among some candidates; None if the item may not come.
fn excluded(machine: &mut Machine, at: u32, came: &[&str], step: u32) -> Option<Vec<&'static str>> {
    let state = state_after(machine, at, came);
    let found = machine.excluded(ARRAY, state, step).unwrap();
    assert_eq!(machine.excluded(ARRAY, state, step).unwrap(), found, "from the cache");
    let keys = &machine.arena.terms.keys;
    let candidates = ["1 ", "2 ", "3 ", "4 ", "\"a\""];
    let list = |set| candidates.into_iter().filter(|text| keys.contains(set, text.as_bytes())).collect::<Vec<_>>();
    let list = found.map(list);
    if let (Some(set), Some(list)) = (found, &list) {
        assert_eq!(keys.count(set), list.len(), "no other texts");
    }
    list
}

#[test]
fn one_kind_of_items_excludes_the_values_that_came() {
    let mut machine = array(&[(true, &[(&["1", "2", "3"], 0)])], 2, Some(3));
    assert_eq!(excluded(&mut machine, 0, &[], 0), Some(vec![]));
    assert_eq!(excluded(&mut machine, 0, &["1 ", "3 "], 0), Some(vec!["1 ", "3 "]));
    assert_eq!(machine.unique.most_excluded, 2);
    assert_eq!(excluded(&mut machine, 0, &["1 ", "2 ", "3 "], 0), None, "the array is full");
    let mut unbounded = array(&[(true, &[(&["1", "2"], 0)])], 0, None);
    assert_eq!(excluded(&mut unbounded, 0, &["1 "], 0), Some(vec!["1 "]));
    assert_eq!(excluded(&mut unbounded, 0, &["1 ", "2 "], 0), None, "no value is left");
}

#[test]
fn an_array_needs_as_many_values_as_items() {
    for (min, begins) in [(2, true), (3, true), (4, false)] {
        let mut builder = Builder::default();
        let item = words(&mut builder, &["1", "2", "3.0", "3"]);
        let array = unique(&mut builder, item, min, None);
        assert_eq!(builder.is_empty(array.number()).unwrap(), !begins, "{min} items of the values 1, 2 and 3");
    }
}

#[test]
fn a_value_that_a_later_item_needs_is_kept_for_it() {
    let mut pair = array(&[(false, &[(&["1", "2"], 1)]), (false, &[(&["1"], 2)]), (true, &[])], 0, None);
    assert_eq!(excluded(&mut pair, 0, &[], 0), Some(vec!["1 "]));
    assert_eq!(excluded(&mut pair, 1, &["2 "], 0), Some(vec!["2 "]));
    let mut chain = array(
        &[(false, &[(&["1", "2"], 1)]), (false, &[(&["2", "3"], 2)]), (false, &[(&["3"], 3)]), (true, &[])],
        0,
        None,
    );
    assert_eq!(excluded(&mut chain, 0, &[], 0), Some(vec!["2 ", "3 "]));
    assert_eq!(excluded(&mut chain, 1, &["1 "], 0), Some(vec!["1 ", "3 "]));
    let mut optional = array(&[(false, &[(&["1", "2"], 1)]), (true, &[(&["1"], 1)])], 0, None);
    assert_eq!(excluded(&mut optional, 0, &[], 0), Some(vec![]), "the array may end before the item that wants 1");
}

#[test]
fn a_minimum_makes_later_items_needed() {
    let both: &[(&[&str], u32)] = &[(&["1", "2"], 0), (&["3"], 0)];
    let mut three = array(&[(true, both)], 3, None);
    assert_eq!(excluded(&mut three, 0, &[], 0), Some(vec![]));
    assert_eq!(excluded(&mut three, 0, &["3 ", "1 "], 1), None, "3 came, and no other value is of that kind");
    assert_eq!(excluded(&mut three, 0, &["3 ", "1 "], 0), Some(vec!["1 ", "3 "]));
    assert_eq!(excluded(&mut three, 0, &["1 ", "2 ", "3 "], 0), None);
}

#[test]
fn an_item_comes_only_if_the_array_can_end_within_its_bounds() {
    let strings: [State; 3] = [(true, &[(&["1", "2"], 1)]), (false, &[(&[], 2)]), (true, &[])];
    let numbers: [State; 3] = [(true, &[(&["1", "2"], 1)]), (false, &[(&["3"], 2)]), (true, &[])];
    for states in [strings, numbers] {
        for (max, comes) in [(1, false), (2, true)] {
            let mut machine = array(&states, 0, Some(max));
            assert_eq!(excluded(&mut machine, 0, &[], 0).is_some(), comes, "at most {max} items");
        }
    }
}

#[test]
fn a_matching_gives_every_item_its_own_value() {
    let values: Vec<Value> = ["1 ", "2 ", "3 "].map(|text| Value::from(text.as_bytes())).to_vec();
    for (items, expected) in [
        (&[][..], true),
        (&[&[0, 1][..], &[0]], true),
        (&[&[0, 1], &[0, 2], &[0]], true),
        (&[&[0, 1], &[0, 1], &[0, 1]], false),
        (&[&[0, 1], &[1, 2], &[0, 2]], true),
        (&[&[0, 1], &[1], &[0]], false),
        (&[&[2]], true),
        (&[&[]], false),
    ] {
        let mut matching = Matching::default();
        let item = |item: &&[usize]| Arc::new(item.iter().map(|&value| values[value].clone()).collect());
        assert_eq!(items.iter().map(item).all(|item| matching.add(item)), expected, "{items:?}");
    }
}

#[test]
fn more_required_items_than_the_limit_are_refused() {
    let build = |min| {
        let mut builder = Builder::default();
        let [one, two] = [["1"], ["2"]].map(|list| words(&mut builder, &list).number());
        let punctuation = brackets(&mut builder);
        let array = builder.unique_array(&[(true, vec![(one, 0), (two, 0)])], punctuation, min, None).unwrap();
        builder.build(array.number()).err().map(|error| *error)
    };
    let most = MAX_MISSING_ITEMS as u32;
    assert_eq!(build(2), None);
    assert_eq!(build(most + 1), Some(Error::Empty), "one item comes first");
    assert_eq!(build(most + 2), Some(Error::Limit(Limit::DistinctItems(MAX_MISSING_ITEMS))));
}
