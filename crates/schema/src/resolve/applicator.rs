//! Keyword → the parts of its value that are schemas, as far as the drafts agree.

use crate::json::{Key, NodeId, Text, Tree, Value};
use crate::resolve::pointer::escape;

/// The parts of a keyword's value that may be schemas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Holds {
    /// The value itself.
    pub itself: bool,
    /// Its items.
    pub items: bool,
    /// Its members.
    pub members: bool,
}

/// The schemas in a keyword's value; none for keywords of data and for unknown ones.
pub fn holds(keyword: &str) -> Holds {
    match keyword {
        "additionalItems"
        | "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds { itself: true, ..Holds::default() },
        "items" => Holds { itself: true, items: true, members: false },
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds { items: true, ..Holds::default() },
        "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties" | "properties" => {
            Holds { members: true, ..Holds::default() }
        }
        _ => Holds::default(),
    }
}

/// The values that may be schemas directly below another one, with their JSON pointers.
pub fn subschemas(tree: &Tree, schema: NodeId, pointer: &str) -> Vec<(NodeId, String)> {
    let mut found = Vec::new();
    let Some(members) = tree.object(schema) else { return found };
    for member in members.iter() {
        let Key::Text(Text::Unicode(keyword)) = member.key else { continue };
        let holds = holds(keyword);
        match tree.value(member.value) {
            Value::Object(_) if holds.itself => found.push((member.value, format!("{pointer}/{keyword}"))),
            Value::Object(below) if holds.members => found
                .extend(below.iter().map(|below| (below.value, format!("{pointer}/{keyword}/{}", escape(below.key))))),
            Value::Array(items) if holds.items => found
                .extend(items.iter().enumerate().map(|(place, &item)| (item, format!("{pointer}/{keyword}/{place}")))),
            _ => {}
        }
    }
    found
}
