//! Rules, objects and arrays → what is known of them: the tests of `facts`, apart because of their length.

use super::*;
use crate::builder::{Builder, ObjectRules};
use crate::grammar::fixture::{braces, brackets, literal, object, rules};
use crate::grammar::rules::Rules;
use crate::regular::term::EPSILON;

/// (nullable, productive) of the node that `make` makes of the calls of these rules.
fn facts(bodies: &[(&str, &[&str])], make: impl Fn(&mut Builder, &[TermId]) -> TermId) -> (bool, bool) {
    let mut builder = Builder::default();
    let calls = rules(&mut builder, bodies);
    let node = make(&mut builder, &calls);
    let mut rules = Rules::clone(&builder.rules);
    rules.compute_facts(&mut builder.arena, None).unwrap();
    (rules.is_nullable(&builder.arena, node), rules.matches_something(&builder.arena, node))
}

/// The bodies of a rule: the empty text, and nothing at all.
const NULL: &[&str] = &[""];
const NOTHING: &[&str] = &[];

#[test]
fn a_rule_matches_what_some_way_through_the_rules_ends_with() {
    for (bodies, nullable, productive) in [
        (&[("A", &["A"][..])][..], false, false),
        (&[("A", &["x A"])], false, false),
        (&[("A", &["x A", ""])], true, true),
        (&[("A", &["x A", "y"])], false, true),
        (&[("A", &["B"]), ("B", &["A"])], false, false),
        (&[("A", &["B x"]), ("B", &["A y"])], false, false),
        (&[("A", &["B B"]), ("B", &["x A", ""])], true, true),
        (&[("A", &["x B", ""]), ("B", &["A A"])], true, true),
        (&[("A", &["B x"]), ("B", &["A y", "z"])], false, true),
    ] {
        assert_eq!(facts(bodies, |_, calls| calls[0]), (nullable, productive), "{bodies:?}");
    }
}

#[test]
fn a_sequence_needs_all_of_its_parts_and_a_union_one() {
    for (body, nullable, productive) in [
        (&["N D"][..], false, false),
        (&["D N"], false, false),
        (&["N X D"], false, false),
        (&["N N"], true, true),
        (&["N X"], false, true),
        (&["X N"], false, true),
        (&["N", "D"], true, true),
        (&["D", "N"], true, true),
        (&["X", "D"], false, true),
        (&["X", "N"], true, true),
        (&["D", "D D"], false, false),
    ] {
        let bodies = [("A", body), ("N", NULL), ("D", NOTHING), ("X", &["x"])];
        assert_eq!(facts(&bodies, |_, calls| calls[0]), (nullable, productive), "{body:?}");
    }
    let special = facts(&[], |builder, _| builder.special("<s>").unwrap());
    assert_eq!(special, (false, true));
}

#[test]
fn a_repetition_that_may_stay_away_matches_the_empty_text() {
    for (min, body, expected) in [(0, NOTHING, true), (1, NOTHING, false), (1, NULL, true), (2, NOTHING, false)] {
        let found = facts(&[("A", body)], |builder, calls| builder.repeat(calls[0].number(), min, Some(3)).unwrap());
        assert_eq!(found, (expected, expected), "{min} {body:?}");
    }
}

/// An object whose property has the value `value`.
fn object_of(builder: &mut Builder, value: TermId, required: bool) -> TermId {
    let punctuation = braces(builder);
    let named = vec![("a".to_owned(), required, vec![(value.number(), 0)])];
    builder.object(named, Vec::new(), punctuation, ObjectRules::default()).unwrap()
}

#[test]
fn an_object_matches_something_if_what_it_requires_does() {
    for (body, required, expected) in
        [(NULL, true, true), (NULL, false, true), (NOTHING, true, false), (NOTHING, false, true)]
    {
        let found = facts(&[("A", body)], |builder, calls| object_of(builder, calls[0], required));
        assert_eq!(found, (false, expected), "{body:?} {required}");
    }
}

#[test]
fn an_object_of_objects_ends_if_the_member_may_stay_away_or_be_another_value() {
    for (required, other, expected) in [(true, NOTHING, false), (false, NOTHING, true), (true, &["x"][..], true)] {
        let found = facts(&[("other", other)], |builder, calls| {
            let rule = builder.rule("rule").unwrap();
            let object = object_of(builder, rule, required);
            let body = builder.alt(&[object, calls[0]].map(TermId::number)).unwrap();
            builder.define(rule.number(), body.number()).unwrap();
            object
        });
        assert_eq!(found, (false, expected), "{required} {other:?}");
    }
}

#[test]
fn an_array_matches_something_if_its_items_do() {
    for (body, accepting, expected) in
        [(NULL, false, true), (NOTHING, false, false), (NOTHING, true, true), (NULL, true, true)]
    {
        let found = facts(&[("A", body)], |builder, calls| {
            let punctuation = brackets(builder);
            let states = [(accepting, vec![(calls[0].number(), 1)]), (true, vec![])];
            builder.unique_array(&states, punctuation, 0, None).unwrap()
        });
        assert_eq!(found, (false, expected), "{body:?} {accepting}");
    }
}

/// The facts of all terms of a builder, with one rule of this body; and the call of the rule.
fn computed(builder: &mut Builder, body: TermId) -> (Facts, TermId) {
    let rule = builder.rule("rule").unwrap();
    let mut facts = Facts::default();
    facts.compute(&mut builder.arena, &[body]).unwrap();
    (facts, rule)
}

#[test]
fn new_terms_extend_known_facts() {
    let mut builder = Builder::default();
    let text = literal(&mut builder, "x");
    let (mut facts, rule) = computed(&mut builder, text);
    let count = builder.arena.len();
    assert_eq!((facts.terms(), facts.base_terms()), (count, count));
    assert!(facts.of_rule(RuleId::new(0)).productive && !facts.of_rule(RuleId::new(1)).productive);
    let dead = object_of(&mut builder, EMPTY, true);
    let alive = builder.seq(&[rule, rule].map(TermId::number)).unwrap();
    assert!(facts.of(&builder.arena, alive).productive, "computed from its parts until it is stored");
    facts.extend(&mut builder.arena).unwrap();
    assert_eq!((facts.terms(), facts.base_terms()), (builder.arena.len(), count));
    assert!(facts.of(&builder.arena, dead) == Fact::default());
    assert!(facts.of(&builder.arena, alive) == Fact { nullable: false, productive: true });
    assert!(!facts.are_all_productive(count) && facts.are_all_productive(dead.index() + 1));
    assert!(!facts.are_all_productive(0));
    let base = facts.base();
    assert_eq!((base.terms(), base.base_terms()), (count, count));
}

#[test]
fn a_term_that_is_known_before_its_parts_is_looked_at_again() {
    for kind in 0..5 {
        for body_is_dead in [false, true] {
            let mut builder = Builder::default();
            // Terms below these are a shared prefix of facts.
            let dead = rules(&mut builder, &[("dead", NOTHING)])[0].number();
            let mut prepared = Rules::clone(&builder.rules);
            prepared.compute_facts(&mut builder.arena, None).unwrap();
            let (late, x) = (builder.rule("late").unwrap(), literal(&mut builder, "x").number());
            let call = late.number();
            let punctuation = brackets(&mut builder);
            let early = match kind {
                0 => builder.seq(&[call, x]).unwrap(),
                1 => builder.alt(&[call, dead]).unwrap(),
                2 => builder.repeat(call, 1, Some(3)).unwrap(),
                3 => object_of(&mut builder, late, true),
                _ => builder.unique_array(&[(false, vec![(call, 1)]), (true, vec![])], punctuation, 0, None).unwrap(),
            };
            let value = if body_is_dead { dead } else { x };
            let value = builder.node(value).unwrap();
            let body = object_of(&mut builder, value, true);
            builder.define(call, body.number()).unwrap();
            let mut all = Rules::clone(&builder.rules);
            all.compute_facts(&mut builder.arena, Some(&prepared)).unwrap();
            assert_eq!(all.matches_something(&builder.arena, early), !body_is_dead, "{kind}");
        }
    }
}

#[test]
fn a_call_has_the_facts_of_its_rule() {
    let mut arena = Arena::new();
    let mut facts = Facts::default();
    facts.compute(&mut arena, &[TermId::new(1)]).unwrap();
    facts.add_rule(Fact { nullable: true, productive: false });
    let calls = [0, 1, 2].map(|rule| arena.call(RuleId::new(rule)).unwrap());
    let found = calls.map(|call| facts.of(&arena, call));
    assert!(found == [ALL, Fact { nullable: true, productive: false }, Fact::default()]);
    assert!(facts.are_all_productive(0), "but for the empty language");
}

#[test]
fn shared_facts_are_the_same_facts() {
    let mut builder = Builder::default();
    let dead = object_of(&mut builder, EMPTY, true);
    let (mut facts, _) = computed(&mut builder, EMPTY);
    let terms = facts.terms();
    let all = |facts: &Facts| -> Vec<(bool, bool)> {
        let all = (0..terms).map(|place| facts.of(&builder.arena, TermId::at(place)));
        all.map(|Fact { nullable, productive }| (nullable, productive)).collect()
    };
    let before = all(&facts);
    facts.share();
    assert_eq!((all(&facts), facts.terms()), (before.clone(), terms));
    assert_eq!((facts.shared.len(), facts.terms.len()), (terms, 0));
    facts.share();
    assert_eq!(all(&facts), before);
    assert!(!before[dead.index()].1);
}

#[test]
fn objects_lose_values_that_match_nothing() {
    let mut builder = Builder::default();
    let [dead, text] = [builder.rule("dead").unwrap().number(), literal(&mut builder, "x").number()];
    builder.define(dead, dead).unwrap();
    let punctuation = braces(&mut builder);
    let any = builder.any_text().unwrap().number();
    let named = vec![("a".to_owned(), false, vec![(dead, 1), (text, 2)]), ("b".to_owned(), false, vec![(dead, 0)])];
    let extras = vec![(any, vec![(dead, 0), (text, 4)])];
    builder.object(named, extras, punctuation, ObjectRules::default()).unwrap();
    object(&mut builder, &[("c", true)], &[], ObjectRules::default());
    Rules::clone(&builder.rules).prepare(&mut builder.arena, None, EPSILON).unwrap();
    let objects = &builder.arena.registers.objects;
    let marks = |values: &[crate::json::registers::Value]| values.iter().map(|value| value.marks).collect::<Vec<_>>();
    let pruned = &objects[0];
    assert_eq!(pruned.properties.iter().map(|property| marks(&property.values)).collect::<Vec<_>>(), [vec![2], vec![]]);
    assert_eq!(marks(&pruned.extras[0].values), [4]);
    assert_eq!(pruned.valued[..], [0b01], "the sets of properties follow");
    assert_eq!(objects[1].properties[0].values.len(), 1);
}
