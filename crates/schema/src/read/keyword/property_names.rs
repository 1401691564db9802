//! propertyNames → a condition on all keys of an object.

use super::super::reader::Reader;
use crate::condition::ObjectCondition;
use crate::error::Result;
use crate::json::NodeId;

/// `propertyNames`
pub fn read_property_names(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let name = reader.below(node, &[keyword])?;
    if !name.is_anything() {
        let pointer = reader.pointer(keyword);
        reader.subschemas.names.push((pointer, name));
        reader.objects.push(ObjectCondition::Names(name));
    }
    Ok(())
}
