//! Unions, intersections and complements → their normal forms: the tests of `boolean`, apart because of their length.

use super::*;
use crate::regular::fixture::regex;
use crate::regular::id::SpecialId;
use crate::regular::terms::STEPS_PER_TERM;

#[test]
fn only_contained_alternatives_are_dropped() {
    let mut terms = Terms::new();
    let terms = &mut terms;
    let class = |terms: &mut Terms, bytes: &str| terms.class(ByteSet::from_bytes(bytes.bytes())).unwrap();
    let (ab, abc, d) = (class(terms, "ab"), class(terms, "abc"), class(terms, "d"));
    let (some, any, three) =
        (terms.repeat(ab, 1, 2).unwrap(), terms.repeat(abc, 0, MANY).unwrap(), terms.repeat(abc, 3, 3).unwrap());
    let ending = terms.repeat(d, 0, 1).unwrap();
    let all = terms.cat(any, ending).unwrap();
    let mut chained =
        |parts: &[TermId]| parts.iter().rev().try_fold(EPSILON, |rest, &part| terms.cat(part, rest)).unwrap();
    let cases = [
        (chained(&[some, all]), all, true),
        (chained(&[three, some, ab, all]), all, true),
        (chained(&[some, ending]), all, true),
        (chained(&[three, any]), any, true),
        (three, any, true),
        (chained(&[d, all]), all, false),
        (chained(&[some, d, ending]), all, false),
        (chained(&[some, d]), any, false),
    ];
    let texts: Vec<Vec<u8>> = (0..5u32)
        .flat_map(|length| {
            (0..4u32.pow(length))
                .map(move |code| (0..length).map(move |at| b"abcd"[(code >> (2 * at) & 3) as usize]).collect())
        })
        .collect();
    for (place, (part, other_part, dropped)) in cases.into_iter().enumerate() {
        let both = terms.alt(vec![part, other_part]).unwrap();
        assert_eq!(both == other_part, dropped, "{place}");
        for text in &texts {
            let either = terms.matches(part, text).unwrap() || terms.matches(other_part, text).unwrap();
            assert_eq!(terms.matches(both, text).unwrap(), either, "{place} {text:?}");
        }
    }
}

/// The number of operands of a union or an intersection.
fn operands(terms: &Terms, id: TermId) -> usize {
    match terms.term(id) {
        Term::Alt(parts) | Term::And(parts) => parts.len(),
        _ => 1,
    }
}

#[test]
fn a_union_is_flat_and_without_what_adds_nothing() {
    let mut terms = Terms::new();
    let terms = &mut terms;
    let [a, b, c, ab] = ["a*", "b*", "c*", "ab"].map(|pattern| regex(terms, pattern));
    let (one, other) = (terms.alt(vec![a, b]).unwrap(), terms.alt(vec![b, c]).unwrap());
    let all = terms.alt(vec![a, b, c]).unwrap();
    assert_eq!(operands(terms, all), 3);
    for parts in
        [vec![one, c], vec![c, one], vec![one, other], vec![all, b, EMPTY], vec![c, b, a, a], vec![all, EPSILON]]
    {
        assert_eq!(terms.alt(parts.clone()), Ok(all), "{parts:?}");
    }
    assert_eq!((terms.alt(vec![]), terms.alt(vec![EMPTY]), terms.alt(vec![a])), (Ok(EMPTY), Ok(EMPTY), Ok(a)));
    assert_eq!(terms.alt(vec![a, TOP]), Ok(TOP));
    let optional = terms.alt(vec![ab, EPSILON]).unwrap();
    assert!(operands(terms, optional) == 2 && terms.info(optional).nullable);
    let [x, y] = ["x", "y"].map(|pattern| regex(terms, pattern));
    assert_eq!(terms.alt(vec![x, y]).unwrap(), regex(terms, "[xy]"));
}

#[test]
fn counters_merge_if_they_count_one_thing_before_one_rest_and_touch() {
    let mut terms = Terms::new();
    let terms = &mut terms;
    for (parts, merged) in [
        (&["(ab){1,2}x", "(ab){3,5}x"][..], Some("(ab){1,5}x")),
        (&["(ab){3,5}x", "(ab){1,2}x"], Some("(ab){1,5}x")),
        (&["(ab){1,4}", "(ab){2,3}"], Some("(ab){1,4}")),
        (&["(ab){1,2}", "(ab){3,4}", "(ab){5,6}"], Some("(ab){1,6}")),
        (&["(ab){1,2}", "(ab){2,}"], Some("(ab)+")),
        (&["(ab){1,2}x", "(ab){4,5}x"], None),
        (&["(ab){1,2}x", "(ab){3,5}y"], None),
        (&["(ab){1,2}x", "(cd){3,5}x"], None),
    ] {
        let ids: Vec<TermId> = parts.iter().map(|pattern| regex(terms, pattern)).collect();
        let union = terms.alt(ids).unwrap();
        match merged {
            Some(pattern) => assert_eq!(regex(terms, pattern), union, "{parts:?}"),
            None => assert_eq!(operands(terms, union), parts.len(), "{parts:?}"),
        }
    }
    let beside = ["(ab){1,2}", "(ab){3,4}", "(cd){1,2}", "(ab){6,7}", "xy"].map(|pattern| regex(terms, pattern));
    let union = terms.alt(beside.to_vec()).unwrap();
    assert_eq!(operands(terms, union), 4, "only two of them touch");
    let special = terms.special(SpecialId::new(0)).unwrap();
    let counted = [(2, 3), (4, 5)].map(|(min, max)| terms.repeat(special, min, max).unwrap());
    let union = terms.alt(counted.to_vec()).unwrap();
    assert_eq!(operands(terms, union), 2, "structural repetitions stay");
}

#[test]
fn an_intersection_is_flat_and_without_what_excludes_nothing() {
    let mut terms = Terms::new();
    let terms = &mut terms;
    let [a, b, c] = ["[ab]*a", "[abc]*a", "[abd]*a"].map(|pattern| regex(terms, pattern));
    let (one, other) = (terms.and_unchecked(vec![a, b]).unwrap(), terms.and_unchecked(vec![b, c]).unwrap());
    let all = terms.and_unchecked(vec![a, b, c]).unwrap();
    assert_eq!(operands(terms, all), 3);
    for parts in [vec![one, c], vec![one, other], vec![all, TOP, a], vec![c, a, b, b]] {
        assert_eq!(terms.and_unchecked(parts.clone()), Ok(all), "{parts:?}");
    }
    assert_eq!((terms.and_unchecked(vec![]), terms.and_unchecked(vec![a, TOP])), (Ok(TOP), Ok(a)));
    assert_eq!(terms.and_unchecked(vec![a, EMPTY, b]), Ok(EMPTY));
    let star = regex(terms, "x*");
    assert_eq!(
        (terms.and_unchecked(vec![star, EPSILON]), terms.and_unchecked(vec![a, EPSILON])),
        (Ok(EPSILON), Ok(EMPTY))
    );
    let any = terms.any_text().unwrap();
    let half = regex(terms, "[a-\\xff]x");
    assert_eq!((terms.and_unchecked(vec![any, a]), terms.and_unchecked(vec![any])), (Ok(a), Ok(any)));
    let valid = terms.and_unchecked(vec![any, half]).unwrap();
    assert!(operands(terms, valid) == 2 && terms.info(valid).utf8);
}

#[test]
fn each_of_many_operands_is_paid_for() {
    let cost = |join: fn(&mut Terms, Vec<TermId>) -> Result<TermId>, count: u64| {
        let mut terms = Terms::new();
        let parts = (0..count as u8).map(|letter| regex(&mut terms, &format!("{}*", char::from(b'a' + letter))));
        let parts = parts.collect();
        let before = terms.budget.spent();
        join(&mut terms, parts).unwrap();
        terms.budget.spent() - before
    };
    for count in [2, 16, 17] {
        let union = cost(|terms, parts| terms.alt(parts), count);
        assert_eq!(union, STEPS_PER_ALTERNATIVE * count + STEPS_PER_TERM);
        let intersection = cost(|terms, parts| terms.and_unchecked(parts), count);
        assert_eq!(intersection, STEPS_PER_OPERAND * count + STEPS_PER_TERM);
    }
}
