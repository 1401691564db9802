//! References → the schemas that they mean, in the schema's own document and in a registry's.

use frisket_core::storage::lock::Lock;
use frisket_schema::draft::Draft;
use frisket_schema::error::Result;
use frisket_schema::json::{parse, Tree};
use frisket_schema::resolve::{Documents, Registry};
use std::sync::Arc;

/// Documents by URI, and which URIs were asked for.
#[derive(Default)]
struct Texts(Vec<(&'static str, &'static str)>, Lock<Vec<String>>);

impl Registry for Texts {
    fn document(&self, uri: &str) -> Result<Option<Arc<Tree>>> {
        self.1.lock().push(uri.into());
        self.0.iter().find(|(known, _)| *known == uri).map(|(_, text)| parse(text).map(Arc::new)).transpose()
    }
}

/// The target of a reference from the root: (pointer, base URI, draft).
fn target(schema: &str, registry: &Texts, reference: &str) -> Option<(String, String, Draft)> {
    let mut documents = Documents::new(Arc::new(parse(schema).unwrap()), Some(registry)).unwrap();
    let target = documents.resolve(reference, documents.root()).unwrap()?;
    let resource = documents.resource(target.resource);
    Some((target.pointer.to_string(), resource.uri.to_string(), resource.draft))
}

#[test]
fn pointers_and_anchors_lead_into_the_own_document() {
    let schema = r#"{"$defs": {"a/b": {"$anchor": "x"}, "c~d%": {"allOf": [true, {"$dynamicAnchor": "y"}]}}}"#;
    let none = Texts::default();
    for (reference, pointer) in [
        ("#", Some("")),
        ("#/$defs/a~1b", Some("/$defs/a~1b")),
        ("#/$defs/c~0d%25/allOf/1", Some("/$defs/c~0d%/allOf/1")),
        ("#x", Some("/$defs/a~1b")),
        ("#y", Some("/$defs/c~0d%/allOf/1")),
        ("#z", None),
        ("#/$defs/none", None),
        ("#/$defs/c~0d%25/allOf/2", None),
        ("#/$defs/c~0d%25/allOf/x", None),
        ("other.json", None),
    ] {
        let found = target(schema, &none, reference);
        assert_eq!(found.as_ref().map(|(pointer, _, _)| &**pointer), pointer, "{reference}");
    }
}

#[test]
fn a_schema_that_names_itself_is_the_base_of_what_is_below() {
    let schema = r##"{"$id": "http://x.org/a/root.json", "$defs": {
        "b": {"$id": "b.json", "$defs": {"c": {"$anchor": "c"}}},
        "old": {"$schema": "http://json-schema.org/draft-07/schema#", "$id": "old.json", "$defs": {"d": {"$id": "#d"}}}}}"##;
    let none = Texts::default();
    let at = |pointer: &str, uri: &str, draft| Some((pointer.to_owned(), format!("http://x.org/a/{uri}"), draft));
    assert_eq!(target(schema, &none, "b.json"), at("/$defs/b", "b.json", Draft::Draft2020));
    assert_eq!(target(schema, &none, "b.json#c"), at("/$defs/b/$defs/c", "b.json", Draft::Draft2020));
    assert_eq!(target(schema, &none, "#/$defs/b/$defs/c"), at("/$defs/b/$defs/c", "b.json", Draft::Draft2020));
    assert_eq!(target(schema, &none, "#c"), None, "the anchor is the inner resource's");
    assert_eq!(target(schema, &none, "old.json#d"), at("/$defs/old/$defs/d", "old.json", Draft::Draft7));
}

#[test]
fn documents_of_the_registry_are_asked_for_once() {
    let texts = vec![("http://x.org/a", r#"{"$schema": "http://json-schema.org/draft-06/schema", "not": {}}"#)];
    let registry = Texts(texts, Lock::default());
    let schema = Arc::new(parse(r#"{"$id": "http://x.org/"}"#).unwrap());
    let mut documents = Documents::new(schema, Some(&registry)).unwrap();
    for _ in 0..2 {
        let target = documents.resolve("a#/not", documents.root()).unwrap().unwrap();
        assert_eq!(&*target.pointer, "http://x.org/a#/not");
        assert_eq!(documents.resource(target.resource).draft, Draft::Draft6);
        assert_eq!(documents.resolve("none", documents.root()).unwrap(), None);
    }
    assert_eq!(*registry.1.lock(), ["http://x.org/a", "http://x.org/none"]);
}

#[test]
fn metaschemas_give_the_draft_and_may_leave_validation_out() {
    let registry = Texts(
        vec![
            (
                "http://x.org/meta",
                r#"{"$schema": "https://json-schema.org/draft/2019-09/schema", "$vocabulary": {"x": true}}"#,
            ),
            ("http://x.org/round", r#"{"$schema": "http://x.org/about"}"#),
            ("http://x.org/about", r#"{"$schema": "http://x.org/round"}"#),
        ],
        Lock::default(),
    );
    let root = |schema: &str| {
        let documents = Documents::new(Arc::new(parse(schema).unwrap()), Some(&registry)).unwrap();
        let root = documents.resource(documents.root());
        (root.draft, root.has_validation)
    };
    assert_eq!(root(r#"{"$schema": "http://x.org/meta"}"#), (Draft::Draft2019, false));
    assert_eq!(root(r#"{"$schema": "http://x.org/round"}"#), (Draft::Draft2020, true), "a circle names no draft");
    assert_eq!(root(r#"{"$schema": "http://json-schema.org/draft-04/schema#"}"#), (Draft::Draft4, true));
    assert_eq!(root("true"), (Draft::Draft2020, true));
}
