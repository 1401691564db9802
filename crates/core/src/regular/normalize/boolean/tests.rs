//! Unions, intersections and complements → their normal forms: the tests of `boolean`, apart because of their length.

use super::*;
use crate::regular::arena::STEPS_PER_TERM;
use crate::regular::fixture::{regex, words};
use crate::regular::id::SpecialId;
use crate::regular::term::Info;

#[test]
fn only_contained_alternatives_are_dropped() {
    let mut arena = Arena::new();
    let arena = &mut arena;
    let class = |arena: &mut Arena, bytes: &str| arena.class(ByteSet::from_bytes(bytes.bytes())).unwrap();
    let (ab, abc, d) = (class(arena, "ab"), class(arena, "abc"), class(arena, "d"));
    let (some, any, three) =
        (arena.repeat(ab, 1, 2).unwrap(), arena.repeat(abc, 0, MANY).unwrap(), arena.repeat(abc, 3, 3).unwrap());
    let ending = arena.repeat(d, 0, 1).unwrap();
    let all = arena.cat(any, ending).unwrap();
    let mut chained =
        |parts: &[TermId]| parts.iter().rev().try_fold(EPSILON, |rest, &part| arena.cat(part, rest)).unwrap();
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
        let both = arena.alt(vec![part, other_part]).unwrap();
        assert_eq!(both == other_part, dropped, "{place}");
        for text in &texts {
            let either = arena.matches(part, text).unwrap() || arena.matches(other_part, text).unwrap();
            assert_eq!(arena.matches(both, text).unwrap(), either, "{place} {text:?}");
        }
    }
}

#[test]
fn the_complement_of_all_texts_has_no_text() {
    let mut arena = Arena::new();
    let arena = &mut arena;
    let any = arena.any_text().unwrap();
    let none = arena.not(any).unwrap();
    let letters = arena.class(ByteSet::range(b'a', b'z')).unwrap();
    assert_eq!(arena.and_unchecked(vec![letters, none]).unwrap(), EMPTY);
    let bytes = arena.class(ByteSet::range(b'a', 0xff)).unwrap();
    let left = arena.and_unchecked(vec![bytes, none]).unwrap();
    assert!(arena.matches(left, b"\xff").unwrap() && !arena.matches(left, b"a").unwrap());
}

/// The number of operands of a union or an intersection.
fn operands(arena: &Arena, id: TermId) -> usize {
    match arena.term(id) {
        Term::Alt(parts) | Term::And(parts) => parts.len(),
        _ => 1,
    }
}

#[test]
fn a_union_is_flat_and_without_what_adds_nothing() {
    let mut arena = Arena::new();
    let arena = &mut arena;
    let [a, b, c, ab] = ["a*", "b*", "c*", "ab"].map(|pattern| regex(arena, pattern));
    let (one, other) = (arena.alt(vec![a, b]).unwrap(), arena.alt(vec![b, c]).unwrap());
    let all = arena.alt(vec![a, b, c]).unwrap();
    assert_eq!(operands(arena, all), 3);
    for parts in
        [vec![one, c], vec![c, one], vec![one, other], vec![all, b, EMPTY], vec![c, b, a, a], vec![all, EPSILON]]
    {
        assert_eq!(arena.alt(parts.clone()), Ok(all), "{parts:?}");
    }
    assert_eq!((arena.alt(vec![]), arena.alt(vec![EMPTY]), arena.alt(vec![a])), (Ok(EMPTY), Ok(EMPTY), Ok(a)));
    assert_eq!(arena.alt(vec![a, TOP]), Ok(TOP));
    let optional = arena.alt(vec![ab, EPSILON]).unwrap();
    assert!(operands(arena, optional) == 2 && arena.info(optional).nullable);
    let [x, y] = ["x", "y"].map(|pattern| regex(arena, pattern));
    assert_eq!(arena.alt(vec![x, y]).unwrap(), regex(arena, "[xy]"));
}

#[test]
fn all_valid_texts_contain_every_other_regular_text() {
    let mut arena = Arena::new();
    let arena = &mut arena;
    let any = arena.any_text().unwrap();
    let (letters, half) = (regex(arena, "[a-z]*"), regex(arena, "[a-\\xff]x"));
    let special = arena.special(SpecialId::new(0)).unwrap();
    assert_eq!(arena.alt(vec![letters, any]), Ok(any));
    for other in [half, special] {
        let both = arena.alt(vec![other, any, letters]).unwrap();
        assert_eq!(operands(arena, both), 2);
    }
}

#[test]
fn a_union_has_every_length_if_those_of_its_parts_touch() {
    let mut arena = Arena::new();
    for (pattern, expected) in [
        ("a{1,2}|b{3,5}", (1, 5, true)),
        ("a{1,2}|b{4,5}", (1, 5, false)),
        ("a{1,5}|b{2,3}", (1, 5, true)),
        ("a{1,5}|b{2,3}|c{6,7}", (1, 7, true)),
        ("(aaa){1,2}|b{3,6}", (3, 6, false)),
    ] {
        let id = regex(&mut arena, pattern);
        let Info { min_chars, max_chars, exact, depth, .. } = *arena.info(id);
        assert_eq!((min_chars, max_chars, exact), expected, "{pattern}");
        assert!(depth == 2 || pattern.starts_with('('));
    }
}

#[test]
fn four_literals_are_a_set_of_words_and_three_are_not() {
    let mut arena = Arena::new();
    let texts = ["ab", "cd", "ef", "gh"];
    let [three, four, more] = ["ab|cd|ef", "ab|cd|ef|gh", "ab|cd|ef|gh|x*"].map(|pattern| regex(&mut arena, pattern));
    assert_eq!(words(&mut arena, &texts), four);
    assert_eq!([three, more].map(|id| operands(&arena, id)), [3, 2]);
    for text in texts.into_iter().chain(["xx", ""]) {
        assert_eq!(arena.matches(more, text.as_bytes()), Ok(true), "{text}");
    }
}

#[test]
fn counters_merge_if_they_count_one_thing_before_one_rest_and_touch() {
    let mut arena = Arena::new();
    let arena = &mut arena;
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
        let terms: Vec<TermId> = parts.iter().map(|pattern| regex(arena, pattern)).collect();
        let union = arena.alt(terms).unwrap();
        match merged {
            Some(pattern) => assert_eq!(regex(arena, pattern), union, "{parts:?}"),
            None => assert_eq!(operands(arena, union), parts.len(), "{parts:?}"),
        }
    }
    let beside = ["(ab){1,2}", "(ab){3,4}", "(cd){1,2}", "(ab){6,7}", "xy"].map(|pattern| regex(arena, pattern));
    let union = arena.alt(beside.to_vec()).unwrap();
    assert_eq!(operands(arena, union), 4, "only two of them touch");
    let special = arena.special(SpecialId::new(0)).unwrap();
    let counted = [(2, 3), (4, 5)].map(|(min, max)| arena.repeat(special, min, max).unwrap());
    let union = arena.alt(counted.to_vec()).unwrap();
    assert_eq!(operands(arena, union), 2, "structural repetitions stay");
}

#[test]
fn an_intersection_is_flat_and_without_what_excludes_nothing() {
    let mut arena = Arena::new();
    let arena = &mut arena;
    let [a, b, c] = ["[ab]*a", "[abc]*a", "[abd]*a"].map(|pattern| regex(arena, pattern));
    let (one, other) = (arena.and_unchecked(vec![a, b]).unwrap(), arena.and_unchecked(vec![b, c]).unwrap());
    let all = arena.and_unchecked(vec![a, b, c]).unwrap();
    assert_eq!(operands(arena, all), 3);
    for parts in [vec![one, c], vec![one, other], vec![all, TOP, a], vec![c, a, b, b]] {
        assert_eq!(arena.and_unchecked(parts.clone()), Ok(all), "{parts:?}");
    }
    assert_eq!((arena.and_unchecked(vec![]), arena.and_unchecked(vec![a, TOP])), (Ok(TOP), Ok(a)));
    assert_eq!(arena.and_unchecked(vec![a, EMPTY, b]), Ok(EMPTY));
    let star = regex(arena, "x*");
    assert_eq!(
        (arena.and_unchecked(vec![star, EPSILON]), arena.and_unchecked(vec![a, EPSILON])),
        (Ok(EPSILON), Ok(EMPTY))
    );
    let any = arena.any_text().unwrap();
    let half = regex(arena, "[a-\\xff]x");
    assert_eq!((arena.and_unchecked(vec![any, a]), arena.and_unchecked(vec![any])), (Ok(a), Ok(any)));
    let valid = arena.and_unchecked(vec![any, half]).unwrap();
    assert!(operands(arena, valid) == 2 && arena.info(valid).utf8);
}

#[test]
fn lengths_that_exclude_each_other_leave_nothing() {
    let mut arena = Arena::new();
    for (one, other, is_empty) in
        [("[ab]{1,2}", "[ac]{3,4}", true), ("[ab]{1,2}", "[ac]{2,3}", false), ("[ab]{3}", "[ac]{3}", false)]
    {
        let parts = [one, other].map(|pattern| regex(&mut arena, pattern));
        let both = arena.and_unchecked(parts.to_vec()).unwrap();
        assert_eq!(both == EMPTY, is_empty, "{one} {other}");
        assert!(
            is_empty
                || arena.info(both).depth == 1 + parts.map(|part| arena.info(part).depth).into_iter().max().unwrap()
        );
    }
}

#[test]
fn a_complement_that_excludes_nothing_here_is_dropped() {
    let mut arena = Arena::new();
    let arena = &mut arena;
    let [kept, apart, near, star, other_star] = ["ab*", "cd", "ac", "a*", "b*"].map(|pattern| regex(arena, pattern));
    let [not_apart, not_near, not_kept, not_other] =
        [apart, near, kept, other_star].map(|id| arena.not_unchecked(id).unwrap());
    assert_eq!(arena.and_unchecked(vec![kept, not_apart]), Ok(kept), "no text begins alike");
    assert_eq!(arena.and_unchecked(vec![kept, not_kept]), Ok(EMPTY));
    assert_eq!(arena.and_unchecked(vec![star, not_apart]), Ok(star), "the empty text is excluded by none");
    for parts in [vec![kept, not_near], vec![star, not_other], vec![not_apart, not_near]] {
        let both = arena.and_unchecked(parts.clone()).unwrap();
        assert_eq!(operands(arena, both), 2, "{parts:?}");
    }
}

#[test]
fn a_complement_of_a_complement_is_the_term() {
    let mut arena = Arena::new();
    let ab = regex(&mut arena, "(ab)*");
    let not = arena.not_unchecked(ab).unwrap();
    assert_eq!((arena.not_unchecked(not), arena.not(not)), (Ok(ab), Ok(ab)));
    assert_eq!((arena.not(EMPTY), arena.not(TOP)), (Ok(TOP), Ok(EMPTY)));
    assert_eq!(arena.info(not).depth, arena.info(ab).depth + 1);
    assert!(!arena.info(not).nullable && arena.info(ab).nullable);
}

#[test]
fn each_of_many_operands_is_paid_for() {
    let cost = |join: fn(&mut Arena, Vec<TermId>) -> Result<TermId>, count: u64| {
        let mut arena = Arena::new();
        let parts = (0..count as u8).map(|letter| regex(&mut arena, &format!("{}*", char::from(b'a' + letter))));
        let parts = parts.collect();
        let before = arena.budget.spent();
        join(&mut arena, parts).unwrap();
        arena.budget.spent() - before
    };
    for count in [2, 16, 17] {
        let union = cost(|arena, parts| arena.alt(parts), count);
        assert_eq!(union, STEPS_PER_ALTERNATIVE * count + STEPS_PER_TERM);
        let intersection = cost(|arena, parts| arena.and_unchecked(parts), count);
        assert_eq!(intersection, STEPS_PER_OPERAND * count + STEPS_PER_TERM);
    }
}
