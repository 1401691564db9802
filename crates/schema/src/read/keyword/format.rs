//! format → conditions on a text or a number, where the options assert formats.

use super::super::language::Format;
use super::super::reader::Reader;
use crate::error::Result;
use crate::json::{NodeId, Value};

/// `format`
pub fn read_format(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let Value::String(name) = reader.value(node) else { return Err(reader.invalid(keyword, "a string")) };
    let name = name.to_string();
    let format = reader.languages.format(&name, reader.draft)?;
    assert_format(reader, keyword, &name, format);
    Ok(())
}

/// Adds the conditions of a format, and notes how they differ from it.
pub(super) fn assert_format(reader: &mut Reader<'_, '_>, keyword: &str, name: &str, format: Format) {
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
