//! required → the keys that an object must have.

use super::super::reader::Reader;
use crate::condition::ObjectCondition;
use crate::error::Result;
use crate::json::NodeId;

/// `required`
pub fn read_required(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let keys = reader.keys(keyword, node)?;
    if !keys.is_empty() {
        reader.objects.push(ObjectCondition::Required { keys: keys.into(), stated: true });
    }
    Ok(())
}
