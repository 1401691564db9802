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

/// The way from a keyword's value to a schema in it.
#[derive(Debug, Clone, Copy)]
pub enum Step<'t> {
    /// The value is the schema.
    Itself,
    /// The item at a place.
    Item(usize),
    /// The member of a name.
    Member(Key<'t>),
}

impl Step<'_> {
    /// The JSON pointer of the schema; `keyword` is that of the keyword.
    pub fn pointer(self, keyword: String) -> String {
        match self {
            Step::Itself => keyword,
            Step::Item(place) => format!("{keyword}/{place}"),
            Step::Member(name) => format!("{keyword}/{}", escape(name)),
        }
    }
}

/// Calls `found` with each schema in a keyword's value.
pub fn each_part<'t>(tree: &'t Tree, keyword: &str, value: NodeId, mut found: impl FnMut(NodeId, Step<'t>)) {
    let holds = holds(keyword);
    match tree.value(value) {
        Value::Object(_) if holds.itself => found(value, Step::Itself),
        Value::Object(members) if holds.members => {
            members.iter().for_each(|member| found(member.value, Step::Member(member.key)));
        }
        Value::Array(items) if holds.items => {
            items.iter().enumerate().for_each(|(place, &item)| found(item, Step::Item(place)));
        }
        _ => {}
    }
}

/// The values that may be schemas directly below another one, with their JSON pointers.
pub fn subschemas(tree: &Tree, schema: NodeId, pointer: &str) -> Vec<(NodeId, String)> {
    let mut found = Vec::new();
    for member in tree.object(schema).iter().flat_map(|members| members.iter()) {
        let Key::Text(Text::Unicode(keyword)) = member.key else { continue };
        each_part(tree, keyword, member.value, |part, step| {
            found.push((part, step.pointer(format!("{pointer}/{keyword}"))));
        });
    }
    found
}
