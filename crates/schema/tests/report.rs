//! Schemas → what became of each keyword, at every place.

use frisket_core::builder::Builder;
use frisket_core::limits::Limits;
use frisket_schema::compile::{self, Prelude};
use frisket_schema::condition::{Matches, StringCondition, SubschemaId};
use frisket_schema::draft::Draft;
use frisket_schema::error::{Kind, Result};
use frisket_schema::formats::{FormatOptions, Mode};
use frisket_schema::json::{parse, Tree};
use frisket_schema::read::{read, Format, Inexactness, Languages, Pattern};
use frisket_schema::report::{entries, report, Entry, Status};
use frisket_schema::resolve::{Documents, Registry};
use frisket_schema::subschema::{Options, Subschemas};
use std::sync::Arc;

/// Patterns that begin with `hard` are not exact, nor is the format `email`.
#[derive(Default)]
struct Words(Builder);

impl Languages for Words {
    fn pattern(&mut self, pattern: &str) -> Result<Pattern> {
        Ok(match pattern.starts_with("hard") {
            true => Pattern::Inexact("it is hard".into()),
            false => Pattern::Exact(self.0.literal(pattern.as_bytes())?),
        })
    }

    fn format(&mut self, name: &str, _: Draft) -> Result<Format> {
        let inexactness = Inexactness { reason: "some".into(), narrows_complement: false };
        let matches = StringCondition::Matches(Matches::exact(self.0.literal(name.as_bytes())?));
        Ok(Format::Text(matches, (name == "email").then_some(inexactness)))
    }

    fn content(&mut self, _: &str, _: Draft) -> Result<Format> {
        Ok(Format::Annotation)
    }
}

/// The entries once every subschema was read but those whose first pointer ends so.
fn entries_of(text: &str, options: Options, unread: &str, registry: Option<&dyn Registry>) -> Vec<Entry> {
    let documents = Documents::new(Arc::new(parse(text).unwrap()), registry).unwrap();
    let mut subschemas = Subschemas::new(documents, options);
    subschemas.root().unwrap();
    let mut words = Words::default();
    let mut is_read = Vec::new();
    while is_read.len() < subschemas.len() {
        let number = SubschemaId(is_read.len() as u32);
        is_read.push(unread.is_empty() || !subschemas.pointer(number).ends_with(unread));
        if is_read[number.0 as usize] {
            read(&mut subschemas, &mut words, number).unwrap();
        }
    }
    entries(&mut subschemas, &FormatOptions::default(), &|number| is_read[number.0 as usize]).unwrap()
}

fn shown(entries: &[Entry]) -> Vec<String> {
    let line = |entry: &Entry| {
        let said = if entry.slips.is_empty() { &entry.note } else { &entry.slips };
        format!("{}#{} {} {said}", entry.pointer, entry.keyword, entry.status.name()).trim_end().to_owned()
    };
    entries.iter().map(line).collect()
}

fn said(text: &str) -> Vec<String> {
    shown(&entries_of(text, Options::default(), "", None))
}

#[test]
fn what_asks_something_is_enforced_and_what_describes_is_not_listed() {
    let schema = r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "t", "type": "object",
                     "properties": {"a": {"description": "d", "minimum": 1}, "b": true}, "$defs": {"x": {"type": "null"}}}"#;
    assert_eq!(said(schema), ["#properties enforced", "#type enforced", "/properties/a#minimum enforced"]);
    assert_eq!(said("true"), [""; 0]);
}

#[test]
fn words_that_are_no_keywords_are_listed_wherever_they_stand() {
    let schema = r#"{"requried": [], "colour": 1, "x-y": 2, "x-guidance": 3, "nullable": true, "discriminator": {}, "contentSchema": {},
                     "$defs": {"x": {"additionalItems": {"Type": 1}, "const": 1}}}"#;
    assert_eq!(
        said(schema),
        [
            "#colour unknown no keyword of any draft",
            "#contentSchema annotation contents are annotated",
            "#discriminator annotation OpenAPI's; the alternatives tell themselves apart",
            "#nullable annotation OpenAPI 3.0's; JSONSchemaOptions(nullable=True) reads it",
            "#requried unknown did you mean required?",
            "#x-guidance unknown options of llguidance, not read here; JSONSchemaOptions has separators, whitespace, relaxed",
            "#x-y annotation an extension",
            "/$defs/x#additionalItems unknown a keyword of draft 4 to 2019-09; this is read as draft 2020-12",
            "/$defs/x/additionalItems#Type unknown did you mean type?",
        ]
    );
    let nullable = Options { is_nullable: true, ..Options::default() };
    let entries = entries_of(r#"{"nullable": true, "items": {"nullable": true, "type": "null"}}"#, nullable, "", None);
    assert_eq!(
        shown(&entries),
        ["#items enforced", "#nullable annotation OpenAPI 3.0's; asks nothing without type", "/items#type enforced"]
    );
}

#[test]
fn what_asks_nothing_without_another_keyword_is_an_annotation() {
    let schema = r#"{"then": {"type": "null"}, "maxContains": 1, "not": {"type": "null"}}"#;
    assert_eq!(
        said(schema),
        [
            "#maxContains annotation asks nothing without contains",
            "#not enforced",
            "#then annotation asks nothing without if",
            "/not#type enforced"
        ],
        "what is below `then` says the same as what is below `not`, but nobody looked into it"
    );
    let schema = r##"{"$schema": "http://json-schema.org/draft-04/schema#", "exclusiveMinimum": true,
                     "additionalItems": {}, "items": {"$ref": "#", "minimum": 1}}"##;
    assert_eq!(
        said(schema),
        [
            "#additionalItems annotation asks nothing without a list of items",
            "#exclusiveMinimum annotation asks nothing without minimum",
            "#items enforced",
            "/items#$ref enforced",
            "/items#minimum annotation up to draft 7 nothing counts beside $ref",
        ]
    );
}

#[test]
fn formats_are_enforced_or_say_why_not() {
    let schema = r#"{"properties": {"a": {"format": "time"}, "b": {"format": "int32", "type": ["string", "null"]},
        "c": {"format": "Emial"}, "d": {"format": "password"}, "e": {"format": "time", "type": "integer"},
        "f": {"format": "int32"}, "g": {"format": "colour"}}}"#;
    assert_eq!(
        said(schema)[1..],
        [
            "/properties/a#format enforced a second has at most 9 digits after the point",
            "/properties/b#format annotation int32: it says something of numbers, and there can be none",
            "/properties/b#type enforced",
            "/properties/c#format annotation Emial: no format of JSON Schema; did you mean email?",
            "/properties/d#format annotation password: a format of OpenAPI or Pydantic; formats=\"openapi\" enforces it",
            "/properties/e#format annotation time: it says something of texts, and there can be none",
            "/properties/e#type enforced",
            "/properties/f#format enforced",
            "/properties/g#format annotation colour: no format of JSON Schema",
        ]
    );
}

#[test]
fn formats_and_contents_are_annotations_if_the_options_say_so() {
    let text =
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "format": "time", "contentEncoding": "base64"}"#;
    let documents = Documents::new(Arc::new(parse(text).unwrap()), None).unwrap();
    let mut subschemas = Subschemas::new(documents, Options::default());
    subschemas.root().unwrap();
    let entries =
        entries(&mut subschemas, &FormatOptions { mode: Mode::Annotate, ..FormatOptions::default() }, &|_| true)
            .unwrap();
    assert_eq!(
        shown(&entries),
        [
            "#contentEncoding annotation contents are annotations, as the options say",
            "#format annotation time: formats are annotations, as the options say",
        ]
    );
}

#[test]
fn keywords_are_enforced_at_every_place_that_says_the_same() {
    let big = r#"{"type": "object", "properties": {"x": {"minLength": 2}, "y": {"enum": [1]}}}"#;
    let schema = format!(r#"{{"anyOf": [{big}, {{"items": {big}}}], "title": "t"}}"#);
    let entries = said(&schema);
    for around in ["/anyOf/0", "/anyOf/1/items"] {
        for keyword in ["#type", "#properties", "/properties/x#minLength", "/properties/y#enum"] {
            assert!(entries.contains(&format!("{around}{keyword} enforced")), "{around}{keyword}: {entries:?}");
        }
    }
}

#[test]
fn what_no_value_comes_to_is_not_enforced() {
    let schema = r#"{"properties": {"a": {"items": {"minimum": 1}}, "b": {"minimum": 2, "Type": 0}}}"#;
    let entries = entries_of(schema, Options::default(), "/b", None);
    assert_eq!(
        shown(&entries),
        [
            "#properties enforced",
            "/properties/a#items enforced",
            "/properties/a/items#minimum enforced",
            "/properties/b#Type unknown did you mean type?"
        ]
    );
}

#[test]
fn what_is_omitted_is_loosened_at_every_place_that_says_the_same() {
    let hard = r#"{"pattern": "hard", "patternProperties": {"hard/a": true, "b": {}}}"#;
    let schema = format!(
        r#"{{"properties": {{"a": {hard}, "b": {hard}, "c": {{"$ref": "x.json"}}}},
                              "items": {{"items": {{"$ref": "x.json"}}}}, "contains": {{"items": {{"$ref": "x.json"}}}}}}"#
    );
    let entries = entries_of(&schema, Options::default(), "", None);
    let loosened: Vec<_> = entries.iter().filter(|entry| !entry.slips.is_empty()).cloned().collect();
    let hard = "loosened it is hard; any text could slip through";
    let missing = "loosened x.json is not among the documents given; pass a registry that holds it";
    let expected = [
        format!("/contains/items#$ref {missing}"),
        format!("/items/items#$ref {missing}"),
        format!("/properties/a#pattern {hard}"),
        format!("/properties/a/patternProperties/hard/a#patternProperties {hard}"),
        format!("/properties/b#pattern {hard}"),
        format!("/properties/b/patternProperties/hard/a#patternProperties {hard}"),
        format!("/properties/c#$ref {missing}"),
    ];
    assert_eq!(shown(&loosened), expected);
    let enforced = shown(&entries);
    assert!(enforced.contains(&"/properties/b#patternProperties enforced".to_owned()));
    assert!(!enforced.contains(&"/properties/b#pattern enforced".to_owned()));
}

#[test]
fn a_format_that_is_not_whole_is_narrowed_and_not_enforced() {
    let entries = said(r#"{"items": {"format": "email"}, "contains": {"format": "email"}}"#);
    assert_eq!(
        entries,
        [
            "#contains enforced",
            "#items enforced",
            "/contains#format narrowed email: some",
            "/items#format narrowed email: some"
        ]
    );
}

/// One other document.
struct Other(&'static str);

impl Registry for Other {
    fn document(&self, uri: &str) -> Result<Option<Arc<Tree>>> {
        Ok((uri == "other.json").then(|| Arc::new(parse(self.0).unwrap())))
    }
}

#[test]
fn references_lead_to_places_of_their_documents() {
    let other = Other(r#"{"$defs": {"a": {"type": "null", "Type": 0}}}"#);
    let schema =
        r##"{"items": {"$ref": "other.json#/$defs/a"}, "contains": {"$ref": "#/$defs/b"}, "$defs": {"b": true}}"##;
    let entries = entries_of(schema, Options::default(), "", Some(&other));
    assert_eq!(
        shown(&entries),
        [
            "#contains enforced",
            "#items enforced",
            "/contains#$ref enforced",
            "/items#$ref enforced",
            "other.json#/$defs/a#Type unknown did you mean type?",
            "other.json#/$defs/a#type enforced",
        ]
    );
}

#[test]
fn dynamic_references_are_followed_with_their_scopes() {
    let schema = r##"{"$id": "https://a.b/tree", "$dynamicAnchor": "node", "type": "object",
                     "properties": {"below": {"$dynamicRef": "#node"}}}"##;
    let entries = entries_of(schema, Options { has_scopes: true, ..Options::default() }, "", None);
    assert_eq!(shown(&entries), ["#properties enforced", "#type enforced", "/properties/below#$dynamicRef enforced"]);
}

fn compiled(text: &str, options: compile::Options) -> Result<Vec<Entry>> {
    let prelude = Prelude::new(options, None)?;
    report(Arc::new(parse(text)?), None, &prelude, Limits::default(), None)
}

#[test]
fn a_compile_enforces_what_a_value_can_come_to() {
    let schema = r#"{"type": "string", "minLength": 1, "items": {"minimum": 1, "Type": 1}, "format": "date-time"}"#;
    let entries = compiled(schema, compile::Options::default()).unwrap();
    assert_eq!(
        shown(&entries),
        [
            "#format enforced a second has at most 9 digits after the point",
            "#items enforced",
            "#minLength enforced",
            "#type enforced",
            "/items#Type unknown did you mean type?"
        ]
    );
}

#[test]
fn a_refused_schema_has_a_report_if_it_is_relaxed() {
    let schema =
        r#"{"properties": {"a": {"pattern": "(a+)\\1", "maxLength": 2}, "b": {"pattern": "(a+)\\1", "maxLength": 2}}}"#;
    let refused = compiled(schema, compile::Options::default()).unwrap_err();
    assert!(matches!(refused.kind, Kind::Unsupported(_)));
    let entries = compiled(schema, compile::Options { relaxed: true, ..compile::Options::default() }).unwrap();
    let loosened: Vec<_> = entries.iter().filter(|entry| entry.status == Status::Loosened).collect();
    let places: Vec<_> = loosened.iter().map(|entry| (&*entry.pointer, &*entry.keyword)).collect();
    assert_eq!(places, [("/properties/a", "pattern"), ("/properties/b", "pattern")]);
    assert_eq!(entries.iter().filter(|entry| entry.status == Status::Enforced).count(), 3);
}
