//! Grammar → printout: what the lines of each kind of node say.

use crate::builder::{Builder, ObjectRules};
use crate::grammar::fixture::{braces, brackets, literal, members, object};

fn dump(make: impl FnOnce(&mut Builder) -> u32) -> String {
    let mut builder = Builder::default();
    let root = make(&mut builder);
    builder.build(root).unwrap().dump()
}

#[test]
fn rules_are_defined_in_the_order_of_their_first_mention() {
    let text = dump(|builder| {
        let [late, early] = ["late", "early\n"].map(|name| builder.rule(name).unwrap().number());
        let [x, y] = ["x", "y"].map(|text| literal(builder, text).number());
        let more = builder.seq(&[x, late]).unwrap().number();
        builder.define(early, more).unwrap();
        builder.define(late, y).unwrap();
        builder.seq(&[early, y, late]).unwrap().number()
    });
    assert_eq!(text, "root = rule_1 'y' rule_2\n\n# early\\n\nrule_1 = 'x' rule_2\n\n# late\nrule_2 = 'y'\n");
}

#[test]
fn alternatives_are_sorted_by_their_text() {
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let text = dump(|builder| {
            let special = builder.special("<s>").unwrap().number();
            let mut parts = order.map(|place| {
                let text = literal(builder, ["aa", "bb", "cc"][place]).number();
                builder.seq(&[text, special]).unwrap().number()
            });
            parts.rotate_left(1);
            builder.alt(&parts).unwrap().number()
        });
        assert_eq!(text, "root = 'aa' special('<s>') | 'bb' special('<s>') | 'cc' special('<s>')\n");
    }
}

#[test]
fn a_long_term_has_a_line_for_each_part_and_a_part_used_twice_a_definition() {
    let of = |length: usize, count: usize| {
        dump(|builder| {
            let word = builder.words(vec![vec![b'x'; length].into(), b"y"[..].into()]).unwrap().number();
            let special = builder.special("<s>").unwrap().number();
            builder.seq(&vec![[word, special]; count].concat()).unwrap().number()
        })
    };
    // A union of two words takes 'x…' | 'y': length + 8 characters.
    assert_eq!(of(3, 2), "root = ('xxx' | 'y') special('<s>') ('xxx' | 'y') special('<s>')\n");
    assert!(of(8, 2).starts_with("root = ('xxxxxxxx' | 'y') special"), "16 characters are written at every use");
    assert!(of(9, 2).starts_with("root = term_1 special"), "17 are not");
    assert!(of(92, 1).starts_with("root =\n  ('xxx"), "100 characters fill a line");
    assert!(of(93, 1).starts_with("root = term_1 special"), "101 have a definition");
    let named = of(20, 2);
    assert!(named.starts_with("root = term_1 special('<s>') term_1 special('<s>')\n\nterm_1 = 'xxxx"), "{named}");
    let long = of(3, 5);
    assert!(long.starts_with("root =\n  ('xxx' | 'y')\n  special('<s>')\n"), "{long}");
}

#[test]
fn a_line_is_as_long_as_its_parts_are() {
    let calls = |count: usize| {
        dump(|builder| {
            let rule = crate::grammar::fixture::rules(builder, &[("A", &["x"])])[0].number();
            builder.seq(&vec![rule; count]).unwrap().number()
        })
    };
    assert!(calls(10).starts_with("root = rule_1 rule_1"), "ten names and their spaces fill a line");
    assert!(calls(11).starts_with("root =\n  rule_1\n"));
    let quoted = |length: usize| {
        dump(|builder| {
            let words = builder.words(vec![vec![b'x'; length].into(), b"y"[..].into()]).unwrap().number();
            builder.quoted(words, false).unwrap().number()
        })
    };
    assert!(quoted(84).starts_with("root = string('xxx"), "92 characters of the words, 8 around them");
    assert!(quoted(85).starts_with("root =\n  string('xxx"));
}

#[test]
fn a_string_shows_what_it_escapes() {
    let text = dump(|builder| {
        builder.escape_in_strings(&["<t>", "</t>"]).unwrap();
        let any = builder.any_text().unwrap().number();
        builder.quoted(any, false).unwrap().number()
    });
    assert_eq!(text, "root = string(any_text, escaped '</t>' | '<t>')\n");
}

#[test]
fn an_object_lists_its_members_and_what_restricts_them() {
    let text = dump(|builder| {
        let rules = ObjectRules {
            min: 1,
            max: Some(3),
            required_marks: 0b10,
            implies: vec![(0, 1)],
            any_order: true,
            ..ObjectRules::default()
        };
        let [one, two] = ["1", "2"].map(|text| literal(builder, text).number());
        let named = vec![
            ("a".to_owned(), true, vec![(two, 0b10), (one, 0)]),
            ("b".to_owned(), false, vec![(one, 0)]),
            ("c".to_owned(), false, vec![]),
        ];
        let keys = crate::regular::fixture::regex(&mut builder.arena, "[x-z]").number();
        let punctuation = braces(builder);
        builder.object(named, vec![(keys, vec![(one, 0)])], punctuation, rules).unwrap().number()
    });
    assert_eq!(
        text,
        "root = object_1

object_1 = object of members in any order, layout_1, others between them, {1,3} of them, marked 1
  required 'a': '1' | '2' (marks 1), with 'b'
  optional 'b': '1'
  optional 'c': nothing
  other [x-z]: '1'

layout_1 =
  open '{'
  close '}'
  comma ','
  none '{}'
  colon ':'
"
    );
}

#[test]
fn the_order_of_members_is_told() {
    let of = |rules: ObjectRules| dump(|builder| object(builder, &members(&["a", "b"]), &[], rules).number());
    let listed = of(ObjectRules::default());
    assert!(listed.contains("object of members in this order, layout_1\n"), "{listed}");
    let several = of(ObjectRules { orders: vec![vec![1, 0]], ..ObjectRules::default() });
    assert!(several.contains("in an order of several, layout_1\n"), "{several}");
    assert!(several.contains("optional 'a': '1', after 'b'\n") && several.contains("optional 'b': '1'\n"), "{several}");
    let last = |extras_last| {
        let rules = ObjectRules { extras_last, ..ObjectRules::default() };
        dump(|builder| object(builder, &[], &["[x-z]"], rules).number()).contains("others between them")
    };
    assert!(last(false) && !last(true));
}

#[test]
fn an_array_lists_its_states() {
    let text = dump(|builder| {
        let digits = crate::regular::fixture::regex(&mut builder.arena, "[0-9]").number();
        let punctuation = brackets(builder);
        let states = [(false, vec![(digits, 1)]), (true, vec![(digits, 1)])];
        builder.unique_array(&states, punctuation, 0, Some(4)).unwrap().number()
    });
    let expected = "root = array_1

array_1 = array of different items, layout_1, {0,4} of them
  state 0
    [0-9] → state 1
  state 1 may end
    [0-9] → state 1

layout_1 =
  open '['
  close ']'
  comma ','
  none '[]'
";
    assert_eq!(text, expected);
}

#[test]
fn objects_of_one_structure_are_one_definition() {
    let text = dump(|builder| {
        let [one, other] = [(); 2].map(|()| object(builder, &members(&["a"]), &[], ObjectRules::default()).number());
        builder.seq(&[one, other]).unwrap().number()
    });
    assert!(text.starts_with("root = object_1 object_1\n") && !text.contains("object_2"), "{text}");
}
