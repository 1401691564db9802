//! Circles, levels and limits of the algebra.

use frisket_core::builder::Builder;
use frisket_core::limits::{Cancellation, Limits};
use frisket_schema::algebra::{Expander, ExpansionOptions, Splitting};
use frisket_schema::condition::{Conjunct, Types};
use frisket_schema::error::{Error, Kind, Result};
use frisket_schema::formats::{FormatOptions, KnownLanguages};
use frisket_schema::json::parse;
use frisket_schema::resolve::Documents;
use frisket_schema::subschema::{Options, Subschemas};
use frisket_schema::types::{Algebra, DEPTH};
use std::sync::Arc;

const OPTIONS: ExpansionOptions =
    ExpansionOptions { splitting: Splitting::Together, max_alternatives: 4_000, total: 4_000 };

fn over(builder: Builder, schema: &str, options: ExpansionOptions) -> Expander<'static> {
    let documents = Documents::new(Arc::new(parse(schema).unwrap()), None).unwrap();
    let languages = KnownLanguages::new(FormatOptions::default());
    Expander::new(builder, Subschemas::new(documents, Options::default()), languages, options)
}

fn expanded_with(schema: &str, options: ExpansionOptions) -> Result<Vec<Conjunct>> {
    let mut expander = over(Builder::default(), schema, options);
    let root = expander.subschemas.root()?;
    Ok(expander.expand(root)?.to_vec())
}

fn expanded(schema: &str) -> Result<Vec<Conjunct>> {
    expanded_with(schema, OPTIONS)
}

/// A chain of references, each beside keywords of its own: no schema is deep in the text.
fn chain(levels: usize, keyword: &str) -> String {
    let link = |level: usize| format!(r##""{level}": {{{keyword}: [{{"$ref": "#/$defs/{}"}}]}}"##, level + 1);
    let links: Vec<String> = (0..levels).map(link).collect();
    format!(r##"{{"$ref": "#/$defs/0", "$defs": {{{}, "{levels}": {{"type": "null"}}}}}}"##, links.join(","))
}

#[test]
fn a_subschema_that_waits_for_itself_is_an_error_with_its_place() {
    for (schema, place) in [
        (r##"{"allOf": [{"$ref": "#"}]}"##, ""),
        (r##"{"not": {"not": {"$ref": "#"}}}"##, ""),
        (
            r##"{"type": "object", "anyOf": [{"type": "null"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"oneOf": [{"$ref": "#/$defs/a"}, true]}}}"##,
            "/$defs/a",
        ),
        (
            r##"{"unevaluatedItems": false, "allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, true]}}}"##,
            "/$defs/a",
        ),
    ] {
        let error = expanded(schema).expect_err(schema);
        assert_eq!((&error.kind, error.place.as_deref()), (&Kind::Invalid, Some(place)), "{schema}");
        assert_eq!(error.message, "the schema refers to itself without looking into the value");
        assert!(error.hint.is_some());
    }
}

#[test]
fn a_subschema_below_itself_is_none() {
    let schema = r##"{"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}},
        "oneOf": [{"properties": {"a": {"$ref": "#"}}, "required": ["a", "b"]}, {"required": ["c"]}, {"type": "null"}]}"##;
    assert_eq!(expanded(schema).unwrap().len(), 2, "null is no object");
    // No finite value meets the schema. The search comes to a circle and gives up, so that a rule may say it.
    let mut expander = over(Builder::default(), schema, OPTIONS);
    let root = expander.subschemas.root().unwrap();
    assert_eq!(expander.is_empty(root, DEPTH), Ok(false));
}

#[test]
fn a_failed_expansion_leaves_nothing_open() {
    let mut expander = over(Builder::default(), r##"{"allOf": [{"$ref": "#"}, {"type": "null"}]}"##, OPTIONS);
    let root = expander.subschemas.root().unwrap();
    let first = expander.expand(root).unwrap_err();
    assert_eq!(expander.expand(root), Err(first), "no circle of another search");
    assert_eq!(expander.current(), "");
}

#[test]
fn ten_thousand_levels_take_no_stack_of_the_caller() {
    let small = std::thread::Builder::new().stack_size(256 * 1024);
    let test = || {
        for keyword in [
            r#""allOf""#,
            r#""anyOf""#,
            r#""oneOf""#,
            r#""type": ["null", "string"], "allOf""#,
            r#""type": ["null", "string"], "maxLength": 3, "anyOf""#,
            r#""unevaluatedItems": false, "allOf""#,
        ] {
            let found = expanded(&chain(9_990, keyword)).unwrap();
            assert_eq!(found.iter().map(|one| one.types).collect::<Vec<_>>(), [Types::NULL], "{keyword}");
        }
        let error = expanded(&chain(10_010, r#""allOf""#)).unwrap_err();
        assert_eq!(error.kind, Kind::Limit);
        assert!(error.message.starts_with("the schema nests too deep"), "{error}");
    };
    small.spawn(test).unwrap().join().unwrap();
}

fn alternatives(count: usize) -> String {
    let each: Vec<String> = (0..count).map(|number| format!(r#"{{"minItems": {number}}}"#)).collect();
    format!(r#"{{"items": {{"type": "null"}}, "anyOf": [{}]}}"#, each.join(","))
}

#[test]
fn one_value_may_split_so_far_in_an_attempt() {
    let options = ExpansionOptions { max_alternatives: 8, ..OPTIONS };
    assert_eq!(expanded_with(&alternatives(8), options).unwrap().len(), 8);
    let error = expanded_with(&alternatives(9), options).unwrap_err();
    assert!(matches!(error.kind, Kind::TooManyAlternatives { .. }));
    assert_eq!((error.code(), error.place.as_deref()), ("limit", Some("")));
    let loosened = ExpansionOptions { splitting: Splitting::Loosened, total: 8, ..options };
    let mut expander = over(Builder::default(), &alternatives(9), loosened);
    let root = expander.subschemas.root().unwrap();
    assert_eq!(expander.expand(root).unwrap().len(), 1);
    assert_eq!(expander.subschemas.omissions[0].pointer, "/anyOf");
}

#[test]
fn a_schema_may_split_so_far_in_all() {
    let options = ExpansionOptions { total: 1, ..OPTIONS };
    assert!(expanded_with(&alternatives(90), options).is_ok());
    let Error { kind, message, .. } = *expanded_with(&alternatives(201), options).unwrap_err();
    assert_eq!(
        (kind, &*message),
        (Kind::TooManyAlternatives { in_all: true }, "the schema splits into more than 200 alternatives in all")
    );
}

#[test]
fn a_cancelled_build_ends_an_expansion() {
    let cancellation = Cancellation::default();
    let builder = Builder::new(Limits::default(), Some(cancellation.clone()), None);
    let mut expander = over(builder, &alternatives(3), OPTIONS);
    let root = expander.subschemas.root().unwrap();
    cancellation.cancel();
    assert!(matches!(expander.expand(root).unwrap_err().kind, Kind::Engine(_)));
}
