//! pattern → a condition on a text.

use super::super::reader::Reader;
use crate::condition::{Matches, StringCondition};
use crate::error::{Error, Result};
use crate::json::{NodeId, Value};
use crate::message::quoted;

/// `pattern`
pub fn read_pattern(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let value = reader.value(node);
    let Value::String(pattern) = value else {
        return Err(reader.invalid(keyword, "a regular expression"));
    };
    let Some(pattern) = pattern.as_str() else {
        let pattern = quoted(value);
        let message = format!("not a regular expression: a lone surrogate has no UTF-8 form in {pattern}");
        return Err(Error::invalid(message).at(reader.pointer(keyword)).with_hint("leave it out"));
    };
    let pattern = pattern.to_owned();
    if let Some(node) = reader.pattern(keyword, &pattern, &[])? {
        reader.strings.push(StringCondition::Matches(Matches::exact(node)));
    }
    Ok(())
}
