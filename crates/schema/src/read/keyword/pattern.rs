//! pattern → a condition on a text.

use super::super::reader::Reader;
use crate::condition::{Matches, StringCondition};
use crate::error::Result;
use crate::json::{NodeId, Value};

/// `pattern`
pub fn read_pattern(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let Value::String(pattern) = reader.value(node) else {
        return Err(reader.invalid(keyword, "a regular expression"));
    };
    let pattern = pattern.to_string();
    if let Some(node) = reader.pattern(keyword, &pattern, &[])? {
        reader.strings.push(StringCondition::Matches(Matches::exact(node)));
    }
    Ok(())
}
