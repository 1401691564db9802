//! items, prefixItems, additionalItems, contains, minContains, maxContains, uniqueItems, unevaluatedItems → conditions on
//! an array.

use super::super::parsed::Look;
use super::super::reader::Reader;
use crate::condition::{ArrayCondition, ConjunctionId};
use crate::draft::Draft;
use crate::error::Result;
use crate::json::{NodeId, Value};

/// The `$schema` of the last draft in which `items` may be an array.
const OLDER: &str = r#""$schema": "https://json-schema.org/draft/2019-09/schema""#;

/// `items`, `prefixItems` and `additionalItems`: all are read at the first of them.
pub fn read_items(reader: &mut Reader<'_, '_>, _: &'static str, _: NodeId) -> Result<()> {
    if std::mem::replace(&mut reader.has_read_items, true) {
        return Ok(());
    }
    let (mut prefix, mut rest) = (Vec::new(), None);
    let items = reader.get("items");
    let array = items.and_then(|items| match reader.value(items) {
        Value::Array(items) => Some(items.to_vec()),
        _ => None,
    });
    if reader.draft >= Draft::Draft2020 {
        if let Some(schemas) = reader.get("prefixItems") {
            prefix = reader.schemas("prefixItems", schemas)?;
        }
        if array.is_some() {
            let expected = "a schema (2020-12 writes prefixItems for an array of schemas)";
            let hint = format!("call it prefixItems, or say which draft it is: {OLDER}");
            return Err(reader.invalid("items", expected).with_hint(hint));
        }
    }
    if let Some(array) = array {
        for (place, &schema) in array.iter().enumerate() {
            prefix.push(reader.below(schema, &["items", &place.to_string()])?);
        }
        if let Some(additional) = reader.get("additionalItems") {
            rest = Some(reader.below(additional, &["additionalItems"])?);
        }
    } else if let Some(items) = items {
        rest = Some(reader.below(items, &["items"])?);
    }
    if !prefix.is_empty() || rest.is_some() {
        reader.look(Look::Items(prefix.len(), rest.is_some()));
    }
    let rest = rest.unwrap_or(ConjunctionId::ANYTHING);
    if !rest.is_anything() || prefix.iter().any(|item| !item.is_anything()) {
        reader.arrays.push(ArrayCondition::Items { prefix: prefix.into(), rest });
    }
    Ok(())
}

/// `contains`
pub fn read_contains(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let item = reader.below(node, &[keyword])?;
    let (mut least, mut most) = (1, None);
    if reader.draft >= Draft::Draft2019 {
        if let Some(bound) = reader.get("minContains") {
            least = reader.count("minContains", bound)?;
        }
        if let Some(bound) = reader.get("maxContains") {
            most = Some(reader.count("maxContains", bound)?);
        }
    }
    if least > 0 || most.is_some() {
        reader.arrays.push(ArrayCondition::Contains { start: 0, item, least, most, place: Some(reader.of) });
    }
    if reader.draft >= Draft::Draft2020 {
        reader.look(Look::Contained(item));
    }
    Ok(())
}

/// `minContains` and `maxContains` are read with `contains`; alone they have no effect, but must be counts.
pub fn read_bound(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    reader.count(keyword, node).map(|_| ())
}

/// `uniqueItems`; false is no condition.
pub fn read_unique_items(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    match reader.value(node) {
        Value::Boolean(true) => reader.arrays.push(ArrayCondition::Unique { positive: true, place: reader.of }),
        Value::Boolean(false) => {}
        _ => return Err(reader.invalid(keyword, "a boolean")),
    }
    Ok(())
}

/// `unevaluatedItems`
pub fn read_unevaluated(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    reader.parsed.unevaluated_items = Some(reader.below(node, &[keyword])?);
    Ok(())
}
