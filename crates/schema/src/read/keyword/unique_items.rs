//! uniqueItems → a condition on an array.

use super::super::reader::Reader;
use crate::condition::ArrayCondition;
use crate::error::Result;
use crate::json::{NodeId, Value};

/// `uniqueItems`; false is no condition.
pub fn read_unique_items(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    match reader.value(node) {
        Value::Boolean(true) => reader.arrays.push(ArrayCondition::Unique { positive: true, place: reader.of }),
        Value::Boolean(false) => {}
        _ => return Err(reader.invalid(keyword, "a boolean")),
    }
    Ok(())
}
