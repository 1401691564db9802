//! type → the types that a value may have.

use super::super::reader::Reader;
use crate::condition::{NumberCondition, Types};
use crate::draft::Draft;
use crate::error::Result;
use crate::json::{NodeId, Text, Value};
use crate::message::quoted;
use crate::similar::closest;

/// Types by their names in other languages.
const ELSEWHERE: [(&str, &str); 12] = [
    ("int", "integer"),
    ("float", "number"),
    ("double", "number"),
    ("str", "string"),
    ("text", "string"),
    ("bool", "boolean"),
    ("dict", "object"),
    ("json_object", "object"),
    ("list", "array"),
    ("tuple", "array"),
    ("none", "null"),
    ("None", "null"),
];

/// The type that a value most likely names, in JSON Schema's words or in those of other languages.
pub fn meant_type(value: Value<'_>) -> Option<&'static str> {
    let Value::String(Text::Unicode(name)) = value else { return None };
    ELSEWHERE
        .iter()
        .find(|(other, _)| *other == name)
        .map(|&(_, meant)| meant)
        .or_else(|| closest(name, Types::names()))
}

/// `type`, and OpenAPI's `nullable` beside it where options say so.
pub fn read_type(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let names = match reader.value(node) {
        Value::Array(names) => names.to_vec(),
        _ => vec![node],
    };
    let mut types = Types::NONE;
    let (mut has_integer, mut has_number) = (false, false);
    for name in names {
        let value = reader.value(name);
        let known = match value {
            Value::String(Text::Unicode(name)) => Types::named(name),
            _ => None,
        };
        let Some(known) = known else {
            let all: Vec<String> = Types::names().map(str::to_owned).collect();
            let error = reader.invalid(keyword, &format!("among {}, not {}", all.join(", "), quoted(value)));
            return Err(match (meant_type(value), value) {
                (Some(meant), _) => error.with_hint(format!("did you mean {meant}?")),
                (None, Value::Foreign(_)) => error.with_hint("write its name in JSON, such as \"string\" for str"),
                (None, _) => error,
            });
        };
        has_integer |= known == Types::INTEGER;
        has_number |= known == Types::NUMBER;
        types = types | known;
    }
    if reader.draft == Draft::Draft4 && has_integer && !has_number {
        // In draft 4, integers are a matter of spelling: 1.0 is none.
        reader.numbers.push(NumberCondition::Plain { positive: true });
    }
    let is_nullable = |reader: &Reader<'_, '_>| {
        reader.get("nullable").is_some_and(|flag| matches!(reader.value(flag), Value::Boolean(true)))
    };
    if reader.subschemas.options().is_nullable && is_nullable(reader) {
        types = types | Types::NULL;
    }
    reader.types = reader.types & types;
    Ok(())
}
