//! multipleOf → a condition on a number.

use super::super::reader::Reader;
use crate::condition::NumberCondition;
use crate::error::Result;
use crate::json::NodeId;

/// `multipleOf`
pub fn read_multiple_of(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let of = reader.number(keyword, node)?;
    if of.is_zero() || of.is_negative() {
        return Err(reader.invalid(keyword, "a positive number"));
    }
    reader.numbers.push(NumberCondition::Multiple { of, positive: true });
    Ok(())
}
