//! Faults that several modules find → one wording for each.

use crate::algebra::depth::LEVELS;
use crate::error::Error;
use crate::json::Value;

/// The error of a schema that applies itself to the same value.
pub(crate) fn refers_to_itself(pointer: String) -> Box<Error> {
    Error::invalid("the schema refers to itself without looking into the value").at(pointer)
}

/// The error of a schema with too many levels.
pub(crate) fn too_deep(pointer: String) -> Box<Error> {
    Error::limit(format!("the schema nests too deep: {LEVELS} levels of schemas are the limit"))
        .at(pointer)
        .with_hint("name inner schemas in $defs and refer to them")
}

/// The error of a name that is no string.
pub(crate) fn no_name(name: &str) -> Box<Error> {
    Error::invalid(format!("a name must be a string, not {name}")).with_hint("JSON has no others")
}

/// The kind of a value, for a message.
pub(crate) fn shown<'v>(value: Value<'v>) -> &'v str {
    match value {
        Value::Null => "null",
        Value::Boolean(_) => "a boolean",
        Value::Number(_) | Value::NonFinite(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
        Value::Foreign(name) => name,
    }
}

/// A value as a message shows it: short strings and numbers themselves, other values by their kind.
pub(crate) fn quoted(value: Value<'_>) -> String {
    match value {
        Value::String(text) if text.to_string().chars().count() <= 60 => format!("'{text}'"),
        Value::Number(numeral) if numeral.len() <= 60 => numeral.into(),
        Value::Boolean(flag) => flag.to_string(),
        other => shown(other).into(),
    }
}
