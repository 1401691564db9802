//! contentEncoding, contentMediaType → conditions on a text: draft 7 asserts contents, later drafts annotate them.

use super::super::language::Format;
use super::super::reader::Reader;
use super::format::assert_format;
use crate::error::Result;
use crate::json::{NodeId, Text, Value};

/// `contentEncoding` and `contentMediaType`
pub fn read_content(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let Value::String(Text::Unicode(name)) = reader.value(node) else { return Ok(()) };
    let name = name.to_owned();
    let content = reader.languages.content(&name, reader.draft)?;
    if content != Format::Annotation && keyword == "contentMediaType" && reader.get("contentEncoding").is_some() {
        let slips = "JSON inside an encoded string is not enforced; any text slips through";
        reader.subschemas.omit(reader.pointer(keyword), keyword, slips.into());
        return Ok(());
    }
    assert_format(reader, keyword, &name, content);
    Ok(())
}
