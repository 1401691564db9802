//! A schema inside an API's envelope (`{"name": …, "schema": {…}}`) → an error that says where the schema is.
//!
//! To JSON Schema an envelope is unknown keywords: it would allow any JSON, and only the report would show it.

use crate::error::{Error, Result};
use crate::json::{Key, Object, Text, Tree, Value};
use crate::read::is_keyword;

/// Envelopes: members that all must be there, the path of the schema inside, and advice on what else reads the
/// envelope.
const ENVELOPES: &[(&[&str], &[&str], &str)] = &[
    (&["json_schema"], &["json_schema", "schema"], ""),
    (&["name", "schema"], &["schema"], ""),
    (&["function"], &["function", "parameters"], TOOLS),
    (&["name", "parameters"], &["parameters"], TOOLS),
    (&["name", "input_schema"], &["input_schema"], TOOLS),
    (&["name", "inputSchema"], &["inputSchema"], TOOLS),
];
const TOOLS: &str = "; Grammar.from_tools reads tools";
/// The values of `type` in an envelope.
const TYPES: [&str; 3] = ["json_schema", "function", "custom"];

/// Refuses a schema whose root is an envelope.
pub(crate) fn check(schema: &Tree) -> Result<()> {
    let Some(root) = schema.object(schema.root()) else { return Ok(()) };
    if !root.iter().all(|member| says_nothing(member.key, schema.value(member.value))) {
        return Ok(());
    }
    if root.get("openapi").is_some() {
        return Err(Error::invalid("an OpenAPI document is no schema, but holds some")
            .with_hint("add \"$ref\": \"#/components/schemas/NAME\" to it, with the name of one"));
    }
    let held = ENVELOPES
        .iter()
        .find(|(names, path, _)| names.iter().all(|name| root.get(name).is_some()) && holds_object(schema, root, path));
    match held {
        Some((_, path, others)) => {
            Err(Error::invalid("an object that holds a schema is no schema: any JSON would be valid")
                .with_hint(format!("pass what stands at /{}{others}", path.join("/"))))
        }
        None => Ok(()),
    }
}

/// Whether a member is no keyword of JSON Schema, or a `type` that only envelopes have.
fn says_nothing(key: Key<'_>, value: Value<'_>) -> bool {
    let Key::Text(Text::Unicode(name)) = key else { return true };
    match (name, value) {
        ("type", Value::String(Text::Unicode(name))) => TYPES.contains(&name),
        _ => name != "$schema" && !is_keyword(name),
    }
}

/// Whether a path leads to an object.
fn holds_object(schema: &Tree, root: Object<'_>, path: &[&str]) -> bool {
    let below = path.iter().try_fold(root, |object, name| schema.object(object.get(name)?));
    below.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn hint(schema: &str) -> Option<String> {
        check(&parse(schema).unwrap()).err().and_then(|error| error.hint)
    }

    #[test]
    fn an_envelope_says_where_its_schema_is() {
        let inner = r#"{"type": "object"}"#;
        for (envelope, place) in [
            (
                format!(r#"{{"type": "json_schema", "json_schema": {{"name": "x", "schema": {inner}}}}}"#),
                "/json_schema/schema",
            ),
            (format!(r#"{{"name": "x", "schema": {inner}, "strict": true}}"#), "/schema"),
            (
                format!(r#"{{"type": "function", "function": {{"name": "x", "parameters": {inner}}}}}"#),
                "/function/parameters",
            ),
            (format!(r#"{{"type": "function", "name": "x", "parameters": {inner}}}"#), "/parameters"),
            (format!(r#"{{"name": "x", "input_schema": {inner}, "description": "y"}}"#), "/input_schema"),
            (format!(r#"{{"name": "x", "inputSchema": {inner}}}"#), "/inputSchema"),
            (
                format!(r#"{{"openapi": "3.1.0", "components": {{"schemas": {{"X": {inner}}}}}}}"#),
                "#/components/schemas/NAME",
            ),
        ] {
            assert!(hint(&envelope).is_some_and(|hint| hint.contains(place)), "{envelope}");
        }
    }

    #[test]
    fn what_asks_something_of_documents_is_a_schema() {
        for schema in [
            "true",
            "{}",
            r#"{"title": "any JSON", "name": "x"}"#,
            r#"{"type": "object", "name": "x", "schema": {}}"#,
            r#"{"properties": {"name": {}}, "name": "x", "parameters": {}}"#,
            r##"{"$ref": "#/components/schemas/X", "openapi": "3.1.0", "components": {"schemas": {"X": {}}}}"##,
            r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "name": "x", "schema": {}}"#,
            r#"{"name": "x", "schema": "y"}"#,
            r#"{"function": {"parameters": []}}"#,
        ] {
            assert_eq!(hint(schema), None, "{schema}");
        }
    }
}
