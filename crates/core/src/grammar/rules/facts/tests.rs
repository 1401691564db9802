//! Rules, objects and arrays → what is known of them: the tests of `facts`, apart because of their length.

use super::*;
use crate::builder::{Builder, ObjectRules};
use crate::grammar::fixture::{braces, brackets, literal, rules};
use crate::grammar::rules::Rules;

/// (nullable, productive) of the node that `make` makes of the calls of these rules.
fn facts(bodies: &[(&str, &[&str])], make: impl Fn(&mut Builder, &[TermId]) -> TermId) -> (bool, bool) {
    let mut builder = Builder::default();
    let calls = rules(&mut builder, bodies);
    let node = make(&mut builder, &calls);
    let rules = Rules::clone(&builder.rules);
    let terms = rules.reached(&builder.arena, node);
    let found = Facts::compute(&mut builder.arena, &rules.defined_bodies().unwrap(), &terms).unwrap();
    let Fact { nullable, productive } = found.of(&builder.arena, node);
    (nullable, productive)
}

/// The bodies of a rule without any text.
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

/// An object whose property has the value `value`.
fn object_of(builder: &mut Builder, value: TermId, required: bool) -> TermId {
    let punctuation = braces(builder);
    let named = vec![("a".to_owned(), required, vec![(value.number(), 0)])];
    builder.object(named, Vec::new(), punctuation, ObjectRules::default()).unwrap()
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
fn a_term_that_is_known_before_its_parts_is_looked_at_again() {
    for kind in 0..5 {
        for body_is_dead in [false, true] {
            let mut builder = Builder::default();
            let dead = rules(&mut builder, &[("dead", NOTHING)])[0].number();
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
            assert_eq!(builder.is_empty(early.number()), Ok(body_is_dead), "{kind}");
        }
    }
}
