//! minLength, maxLength, minItems, maxItems, minProperties, maxProperties → bounds on the number of characters, items
//! or members.

use super::super::reader::Reader;
use crate::condition::{ArrayCondition, ObjectCondition, StringCondition};
use crate::error::Result;
use crate::json::NodeId;

/// One bound. A minimum of 0 is no condition.
pub fn read_count(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let count = reader.count(keyword, node)?;
    let (least, most) = if keyword.starts_with("min") { (count, None) } else { (0, Some(count)) };
    if least == 0 && most.is_none() {
        return Ok(());
    }
    match &keyword[3..] {
        "Length" => reader.strings.push(StringCondition::Length { least, most }),
        "Items" => reader.arrays.push(ArrayCondition::Count { least, most }),
        _ => reader.objects.push(ObjectCondition::Count { least, most }),
    }
    Ok(())
}
