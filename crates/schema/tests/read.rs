//! Subschemas → facts: which subschemas are one, where errors are, what is left out.

use frisket_core::builder::Builder;
use frisket_schema::condition::{ConjunctionId, ObjectCondition, SubschemaId, Types};
use frisket_schema::draft::Draft;
use frisket_schema::error::Result;
use frisket_schema::json::parse;
use frisket_schema::read::{read, Applicator, Format, Inexactness, Languages, ParsedSchema, Pattern};
use frisket_schema::resolve::Documents;
use frisket_schema::subschema::{Options, Subschemas};
use std::sync::Arc;

/// `bad` is no pattern and `hard` no exact one; formats are inexact. With the steps that were taken.
#[derive(Default)]
struct Words(Builder, u64);

impl Languages for Words {
    fn check(&mut self, steps: u64) -> Result<()> {
        self.1 += steps;
        Ok(())
    }

    fn pattern(&mut self, pattern: &str) -> Result<Pattern> {
        Ok(match pattern {
            "bad" => Pattern::Invalid("it is bad".into(), None),
            "hard" => Pattern::Inexact("it is hard".into()),
            _ => Pattern::Exact(self.0.literal(pattern.as_bytes())?),
        })
    }

    fn format(&mut self, name: &str, _: Draft) -> Result<Format> {
        let inexactness = Inexactness { reason: "some".into(), narrows_complement: true };
        let matches = frisket_schema::condition::Matches::exact(self.0.literal(name.as_bytes())?);
        Ok(Format::Text(frisket_schema::condition::StringCondition::Matches(matches), Some(inexactness)))
    }

    fn content(&mut self, _: &str, _: Draft) -> Result<Format> {
        Ok(Format::Annotation)
    }
}

/// Every subschema that a schema leads to, read.
fn all(text: &str, options: Options) -> Result<(Subschemas<'static>, Vec<ParsedSchema>)> {
    let mut subschemas = Subschemas::new(Documents::new(Arc::new(parse(text)?), None)?, options);
    let mut words = Words::default();
    subschemas.root()?;
    let mut parsed = Vec::new();
    while parsed.len() < subschemas.len() {
        parsed.push(read(&mut subschemas, &mut words, SubschemaId(parsed.len() as u32))?);
    }
    Ok((subschemas, parsed))
}

fn pointers(text: &str) -> Vec<String> {
    let (subschemas, parsed) = all(text, Options::default()).unwrap();
    (0..parsed.len()).map(|number| subschemas.pointer(SubschemaId(number as u32))).collect()
}

#[test]
fn subschemas_that_say_the_same_are_one() {
    let schema = r##"{"properties": {
        "a": {"title": "one", "items": {"type": "string"}}, "b": {"items": {"type": "string", "description": "x"}},
        "c": {"$ref": "#/$defs/d"}, "e": {"$ref": "#/$defs/f", "title": "y"}, "g": {}, "h": {"title": "z"}},
        "$defs": {"d": {"$ref": "#/$defs/f"}, "f": {"items": {"type": "string"}}}}"##;
    assert_eq!(pointers(schema), ["", "/properties/a", "/properties/a/items"]);
    let kept = r##"{"properties": {"a": {"type": "string"}, "b": {"$id": "x", "type": "string"}}}"##;
    assert_eq!(pointers(kept).len(), 3, "one of them names itself");
}

#[test]
fn parts_of_constants_are_conjunctions_of_their_own() {
    let (_, parsed) = all(r#"{"enum": [[1, {"a": [1]}], "x"]}"#, Options::default()).unwrap();
    assert_eq!(parsed[0].alternatives[0].len(), 2);
    assert_eq!(parsed[0].alternatives[0][0].types, Types::STRING, "scalars come first");
    assert_eq!(parsed.len(), 4, "1 is one constant, and so are the object and the array in it");
}

#[test]
fn parts_of_constants_take_steps_when_they_become_subschemas() {
    let steps = |text| {
        let mut subschemas = Subschemas::new(Documents::new(Arc::new(parse(text)?), None)?, Options::default());
        let mut words = Words::default();
        subschemas.root()?;
        read(&mut subschemas, &mut words, SubschemaId(0))?;
        Result::Ok((words.1, subschemas.len()))
    };
    assert_eq!(
        steps(r#"{"enum": [[1, 2, 1], {"a": 2, "b": [3]}]}"#),
        Ok((3 * 300, 1 + 3)),
        "1 and 2 are one part each"
    );
    assert_eq!(steps(r#"{"enum": [1, "a", null]}"#), Ok((0, 1)));
    let many = (0..1_000).map(|part| part.to_string()).collect::<Vec<_>>().join(",");
    assert_eq!(steps(&format!(r#"{{"const": [{many}]}}"#)), Ok((1_000 * 300, 1_001)));
}

#[test]
fn complements_and_unions_are_conjunctions() {
    let (mut subschemas, _) = all(r#"{"type": "string"}"#, Options::default()).unwrap();
    let root = subschemas.root().unwrap();
    let outside = subschemas.negated(root);
    assert_eq!(subschemas.conjunctions.both(root, outside), ConjunctionId::NOTHING);
    assert_eq!(subschemas.negated(ConjunctionId::ANYTHING), ConjunctionId::NOTHING);
    assert_eq!(subschemas.negated(outside), root);
    assert_eq!(subschemas.either(SubschemaId(0), &[ConjunctionId::NOTHING, root, root]), root);
    assert_eq!(subschemas.either(SubschemaId(0), &[root, ConjunctionId::ANYTHING]), ConjunctionId::ANYTHING);
    let either = subschemas.either(SubschemaId(0), &[root, outside]);
    let literal = subschemas.conjunctions.single(either).unwrap();
    let parsed = read(&mut subschemas, &mut Words::default(), literal.subschema()).unwrap();
    assert_eq!(parsed.applicators, [Applicator::Any(vec![root, outside])]);
}

#[test]
fn a_wrong_keyword_is_told_of_at_its_place() {
    for (schema, place, message) in [
        (r#"{"items": {"minLength": -1}}"#, "/items/minLength", "minLength must be a non-negative integer"),
        (r#"{"not": {"multipleOf": 0}}"#, "/not/multipleOf", "multipleOf must be a positive number"),
        (
            r#"{"type": "int"}"#,
            "/type",
            "type must be among null, boolean, integer, number, string, array, object, not 'int'",
        ),
        (r#"{"properties": {"a/b": 1}}"#, "/properties/a~1b", "a schema is an object or a boolean, not a number"),
        (r#"{"allOf": []}"#, "/allOf", "allOf must be a non-empty array of schemas"),
        (
            r#"{"required": ["\ud800"]}"#,
            "/required",
            "the name '\\ud800' has a lone surrogate, which UTF-8 cannot spell",
        ),
        (
            r##"{"$ref": "#/$defs/b", "$defs": {"b": {"$ref": "#/$defs/b"}}}"##,
            "/$defs/b",
            "the schema refers to itself without looking into the value",
        ),
        (
            r##"{"not": {"$ref": "#/$defs/adress"}, "$defs": {"address": {}}}"##,
            "/not/$ref",
            "'#/$defs/adress' leads nowhere",
        ),
        (r#"{"pattern": "bad"}"#, "/pattern", "not a regular expression: it is bad"),
        (
            r#"{"pattern": "a\ud800"}"#,
            "/pattern",
            r"not a regular expression: a lone surrogate has no UTF-8 form in 'a\ud800'",
        ),
        (r#"{"patternProperties": {"bad": true}}"#, "/patternProperties/bad", "not a regular expression: it is bad"),
        (r#"{"enum": [1, [1e99999]]}"#, "/enum/1/0", "a number has more than 2000 digits before or behind its point"),
        (
            r#"{"const": [[2, {"a": 1}], [{"b/": [true, 1e99999]}, 1e99998]]}"#,
            "/const/1/0/b~1/1",
            "a number has more than 2000 digits before or behind its point",
        ),
    ] {
        let error = all(schema, Options::default()).err().expect(schema);
        assert_eq!((&*error.message, error.place.as_deref()), (message, Some(place)));
        assert!(error.hint.is_some(), "{schema}");
    }
    let typo = all(r##"{"$ref": "#/$defs/adress", "$defs": {"address": {}}}"##, Options::default()).err().unwrap();
    assert_eq!(typo.hint.as_deref(), Some("did you mean #/$defs/address?"));
}

#[test]
fn what_cannot_be_exact_is_noted() {
    let schema = r#"{"pattern": "hard", "format": "sound", "patternProperties": {"hard": {}}, "additionalProperties": false,
        "items": {"$ref": "http://x.org/none"}}"#;
    let (subschemas, parsed) = all(schema, Options::default()).unwrap();
    let omitted: Vec<_> = subschemas.omissions.iter().map(|omission| &*omission.pointer).collect();
    assert_eq!(omitted, ["/pattern", "/patternProperties/hard", "/items/$ref"]);
    assert_eq!(subschemas.narrowed.len(), 1);
    assert!(subschemas.narrowed[0].slips.starts_with("sound: some; where it must not hold"));
    assert!(parsed[0].conjunct.objects.is_empty(), "a pattern that is not enforced may cover any member");
}

#[test]
fn options_change_what_a_schema_means() {
    let nullable = r#"{"type": "string", "nullable": true}"#;
    let of = |options| all(nullable, options).unwrap().1.remove(0).conjunct.types;
    assert_eq!(of(Options::default()), Types::STRING);
    assert_eq!(of(Options { is_nullable: true, ..Options::default() }), Types::STRING | Types::NULL);
    let open = r#"{"properties": {"a": true}, "additionalProperties": true}"#;
    let opens = |options| match &all(open, options).unwrap().1[0].conjunct.objects[..] {
        [ObjectCondition::Members(members)] => members.opens,
        other => panic!("{other:?}"),
    };
    assert!(!opens(Options::default()));
    assert!(opens(Options { has_closed_objects: true, ..Options::default() }));
}

#[test]
fn dynamic_references_ask_for_scopes_and_then_follow_them() {
    let schema = r##"{"$id": "http://x.org/a", "$ref": "b", "$defs": {"own": {"$dynamicAnchor": "t", "type": "null"},
        "b": {"$id": "b", "items": {"$dynamicRef": "#t"}, "$defs": {"t": {"$dynamicAnchor": "t", "type": "string"}}}}}"##;
    let error = all(schema, Options::default()).err().unwrap();
    assert_eq!(error.code(), "schema-needs-scopes");
    let (subschemas, parsed) = all(schema, Options { has_scopes: true, ..Options::default() }).unwrap();
    let place = |number: usize| subschemas.pointer(SubschemaId(number as u32));
    let types: Vec<_> = parsed.iter().enumerate().map(|(at, parsed)| (place(at), parsed.conjunct.types)).collect();
    assert!(types.contains(&("/$defs/own".into(), Types::NULL)), "{types:?}");
    assert!(types.iter().all(|(_, types)| *types != Types::STRING));
}

#[test]
fn ten_thousand_levels_of_schemas_take_no_stack() {
    let depth = 9_999;
    let nested = format!("{}{{\"type\":\"null\"}}{}", "{\"not\":".repeat(depth), "}".repeat(depth));
    assert_eq!(all(&nested, Options::default()).unwrap().1.len(), depth + 1);
}
