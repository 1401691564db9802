//! unevaluatedProperties, unevaluatedItems → constraints on the members and items that no other keyword evaluates.

use super::super::reader::Reader;
use crate::condition::{ConjunctionId, MemberConstraints, Members, ObjectCondition};
use crate::error::Result;
use crate::json::NodeId;

/// `unevaluatedProperties`
pub fn read_properties(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let conjunction = reader.below(node, &[keyword])?;
    reader.parsed.unevaluated_properties = Some(conjunction);
    if conjunction == ConjunctionId::ANYTHING && reader.subschemas.options().has_closed_objects {
        let opens = MemberConstraints { opens: true, ..MemberConstraints::of_names(Vec::new()) };
        reader.objects.push(ObjectCondition::Members(Members::new(opens)));
    }
    Ok(())
}

/// `unevaluatedItems`
pub fn read_items(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    reader.parsed.unevaluated_items = Some(reader.below(node, &[keyword])?);
    Ok(())
}
