//! contentEncoding, contentMediaType → conditions on a text: draft 7 asserts contents, later drafts annotate them.

use super::super::reader::Reader;
use crate::condition::{Matches, StringCondition};
use crate::error::Result;
use crate::json::{NodeId, Text, Value};

/// `contentEncoding`
pub fn read_encoding(reader: &mut Reader<'_, '_>, _: &'static str, node: NodeId) -> Result<()> {
    if let Value::String(Text::Unicode("base64")) = reader.value(node) {
        if let Some(node) = reader.languages.base64()? {
            reader.strings.push(StringCondition::Matches(Matches::exact(node)));
        }
    }
    Ok(())
}

/// `contentMediaType`
pub fn read_media_type(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    if !matches!(reader.value(node), Value::String(Text::Unicode("application/json"))) {
        return Ok(());
    }
    let Some(json) = reader.languages.json()? else { return Ok(()) };
    if reader.get("contentEncoding").is_none() {
        reader.strings.push(StringCondition::Nested(json));
        return Ok(());
    }
    let slips = "JSON inside an encoded string is not enforced; any text slips through";
    reader.subschemas.omit(reader.pointer(keyword), keyword, slips.into());
    Ok(())
}
