//! pattern, format, contentEncoding, contentMediaType → conditions on a text, or on a number that a format is about.

use super::super::language::Format;
use super::super::reader::Reader;
use crate::condition::{Matches, StringCondition};
use crate::error::{Error, Result};
use crate::json::{NodeId, Text, Value};
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

/// `format`
pub fn read_format(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let Value::String(name) = reader.value(node) else { return Err(reader.invalid(keyword, "a string")) };
    let name = name.to_string();
    let format = reader.languages.format(&name, reader.draft)?;
    assert_format(reader, keyword, &name, format);
    Ok(())
}

/// Adds the conditions of a format, and notes how they differ from it.
fn assert_format(reader: &mut Reader<'_, '_>, keyword: &str, name: &str, format: Format) {
    match format {
        Format::Annotation => {}
        Format::Numbers(conditions) => reader.numbers.extend(conditions),
        Format::Text(condition, inexactness) => {
            reader.strings.push(condition);
            if let Some(inexactness) = inexactness {
                reader.subschemas.narrow(reader.pointer(keyword), keyword, name, &inexactness);
            }
        }
    }
}

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
