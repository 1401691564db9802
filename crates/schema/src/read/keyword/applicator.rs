//! $ref, allOf, anyOf, oneOf, not, if → applicators: other schemas that the same value must meet.

use super::super::parsed::Applicator;
use super::super::reader::Reader;
use crate::condition::ConjunctionId;
use crate::error::Result;
use crate::json::{NodeId, Value};

/// `$ref`, `$dynamicRef` and `$recursiveRef`.
pub fn read_reference(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let Value::String(reference) = reader.value(node) else { return Err(reader.invalid(keyword, "a URI reference")) };
    let reference = reference.to_string();
    let target = reader.subschemas.referred(reader.of, keyword, &reference)?;
    reader.parsed.applicators.push(Applicator::All(vec![target]));
    Ok(())
}

/// `allOf`, `anyOf` and `oneOf`; of a single alternative, `oneOf` says what `allOf` does.
pub fn read_schemas(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let schemas = reader.schemas(keyword, node)?;
    let kind = match keyword {
        "anyOf" => Applicator::Any,
        "oneOf" if schemas.len() > 1 => Applicator::One,
        _ => Applicator::All,
    };
    reader.parsed.applicators.push(kind(schemas));
    Ok(())
}

/// `not`
pub fn read_not(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let excluded = reader.below(node, &[keyword])?;
    reader.parsed.applicators.push(Applicator::Not(excluded));
    Ok(())
}

/// `if` with `then` and `else`, if they are there.
pub fn read_if(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let mut branches = [ConjunctionId::ANYTHING; 2];
    for (branch, name) in branches.iter_mut().zip(["then", "else"]) {
        if let Some(schema) = reader.get(name) {
            *branch = reader.below(schema, &[name])?;
        }
    }
    let condition = reader.below(node, &[keyword])?;
    reader.parsed.applicators.push(Applicator::If(condition, branches[0], branches[1]));
    Ok(())
}

/// `then` and `else` are read with `if`; alone they have no effect.
pub fn read_branch(_: &mut Reader<'_, '_>, _: &'static str, _: NodeId) -> Result<()> {
    Ok(())
}
