//! contains with minContains and maxContains → a condition on how many items meet a schema.

use super::super::parsed::Look;
use super::super::reader::Reader;
use crate::condition::ArrayCondition;
use crate::draft::Draft;
use crate::error::Result;
use crate::json::NodeId;

/// `contains`
pub fn read_contains(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let item = reader.below(node, &[keyword])?;
    let (mut least, mut most) = (1, None);
    if reader.draft >= Draft::Draft2019 {
        if let Some(bound) = reader.get("minContains") {
            least = reader.count("minContains", bound)?;
        }
        if let Some(bound) = reader.get("maxContains") {
            most = Some(reader.count("maxContains", bound)?);
        }
    }
    if least > 0 || most.is_some() {
        reader.arrays.push(ArrayCondition::Contains { start: 0, item, least, most, place: Some(reader.of) });
    }
    if reader.draft >= Draft::Draft2020 {
        reader.look(Look::Contained(item));
    }
    Ok(())
}

/// `minContains` and `maxContains` are read with `contains`; alone they have no effect, but must be counts.
pub fn read_bound(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    reader.count(keyword, node).map(|_| ())
}
