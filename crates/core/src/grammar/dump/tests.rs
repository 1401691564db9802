//! Grammar → printout: what the lines of each kind of node say.

use crate::builder::{Builder, ObjectRules};
use crate::grammar::fixture::{braces, brackets, literal};

fn dump(make: impl FnOnce(&mut Builder) -> u32) -> String {
    let mut builder = Builder::default();
    let root = make(&mut builder);
    builder.build(root).unwrap().dump()
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
  required 'a': '2' (marks 1) | '1', with 'b'
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
