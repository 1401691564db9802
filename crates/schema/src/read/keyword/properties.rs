//! properties, patternProperties and additionalProperties, read together → constraints on members.

use super::super::parsed::Look;
use super::super::reader::Reader;
use crate::condition::{ConjunctionId, MemberConstraints, Members, ObjectCondition};
use crate::error::Result;
use crate::json::NodeId;

/// Reads all three keywords at the first of them.
pub fn read_properties(reader: &mut Reader<'_, '_>, _: &'static str, _: NodeId) -> Result<()> {
    if std::mem::replace(&mut reader.has_read_members, true) {
        return Ok(());
    }
    let (mut names, mut patterns, mut is_unknown) = (Vec::new(), Vec::new(), false);
    if let Some(properties) = reader.get("properties") {
        for (key, schema) in reader.mapping("properties", properties)? {
            let conjunction = reader.below(schema, &["properties", &key])?;
            names.push((key, conjunction));
        }
    }
    if let Some(properties) = reader.get("patternProperties") {
        for (pattern, schema) in reader.mapping("patternProperties", properties)? {
            match reader.pattern("patternProperties", &pattern, &[&pattern])? {
                Some(node) => patterns.push((node, reader.below(schema, &["patternProperties", &pattern])?)),
                None => is_unknown = true,
            }
        }
    }
    let additional = match reader.get("additionalProperties") {
        Some(schema) => Some(reader.below(schema, &["additionalProperties"])?),
        None => None,
    };
    let is_closed = additional.is_some();
    // A pattern that is not enforced may cover any member.
    let rest = additional.filter(|_| !is_unknown).unwrap_or(ConjunctionId::ANYTHING);
    let opens = is_closed && reader.subschemas.options().has_closed_objects;
    let lists = !names.is_empty() || !patterns.is_empty();
    let mut members = None;
    if lists || !rest.is_anything() || opens {
        let made = Members::new(MemberConstraints { names, patterns, rest, lists, opens });
        reader.objects.push(ObjectCondition::Members(made.clone()));
        members = Some(made);
    }
    if lists || is_closed {
        reader.look(Look::Members(members, is_closed || is_unknown));
    }
    Ok(())
}
