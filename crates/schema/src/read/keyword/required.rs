//! required → the keys that an object must have.

use super::super::reader::Reader;
use crate::condition::ObjectCondition;
use crate::error::Result;
use crate::json::{NodeId, Value};

/// Advice for `required: true` beside a `type`, as in draft 3 and OpenAPI's parameters.
const NAMES_IT: &str = "leave it out here; the object around it lists the names: \"required\": [\"name\", …]";

/// `required`
pub fn read_required(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    if let Value::Boolean(_) = reader.value(node) {
        return Err(reader.invalid(keyword, "an array of names").with_hint(NAMES_IT));
    }
    let keys = reader.keys(keyword, node)?;
    if !keys.is_empty() {
        reader.objects.push(ObjectCondition::Required { keys: keys.into(), stated: true });
    }
    Ok(())
}
