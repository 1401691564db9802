//! properties, patternProperties, additionalProperties, propertyNames, required, dependentRequired, dependentSchemas,
//! dependencies, unevaluatedProperties → conditions on an object.

use super::super::parsed::{Applicator, Look};
use super::super::reader::Reader;
use crate::condition::{Conjunct, ConjunctionId, MemberConstraints, Members, ObjectCondition};
use crate::error::Result;
use crate::json::{NodeId, Text, Value};
use std::sync::Arc;

/// `properties`, `patternProperties` and `additionalProperties`: all are read at the first of them.
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

/// `propertyNames`
pub fn read_property_names(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let name = reader.below(node, &[keyword])?;
    if !name.is_anything() {
        let pointer = reader.pointer(keyword);
        reader.subschemas.names.push((pointer, name));
        reader.objects.push(ObjectCondition::Names(name));
    }
    Ok(())
}

/// Advice for `required: true` beside a `type`, as in draft 3 and OpenAPI's parameters.
const NAMES_IT: &str = "leave it out here; the object around it lists the names: \"required\": [\"name\", …]";

/// `required`
pub fn read_required(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    if let Value::Boolean(_) = reader.value(node) {
        return Err(reader.invalid(keyword, "an array of names").with_hint(NAMES_IT));
    }
    let keys = reader.keys(keyword, node)?;
    if !keys.is_empty() {
        reader.objects.push(ObjectCondition::Required { keys: keys.into(), stated: true });
    }
    Ok(())
}

/// `dependentRequired`
pub fn read_dependent_required(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    for (key, needs) in reader.mapping(keyword, node)? {
        let needs = reader.keys(keyword, needs)?;
        need_keys(reader, &key, needs);
    }
    Ok(())
}

/// `dependentSchemas`
pub fn read_dependent_schemas(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    for (key, schema) in reader.mapping(keyword, node)? {
        let needs = reader.below(schema, &[keyword, &key])?;
        need_schema(reader, key, needs);
    }
    Ok(())
}

/// `dependencies`: a key, keys or a schema.
pub fn read_dependencies(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    for (key, needs) in reader.mapping(keyword, node)? {
        match reader.value(needs) {
            Value::Array(_) => {
                let needs = reader.keys(keyword, needs)?;
                need_keys(reader, &key, needs);
            }
            Value::String(Text::Unicode(other)) => {
                let other = other.into();
                need_keys(reader, &key, vec![other]);
            }
            _ => {
                let needs = reader.below(needs, &[keyword, &key])?;
                need_schema(reader, key, needs);
            }
        }
    }
    Ok(())
}

fn need_keys(reader: &mut Reader<'_, '_>, key: &Arc<str>, needs: Vec<Arc<str>>) {
    let needs = needs.into_iter().filter(|other| other != key);
    reader.objects.extend(needs.map(|needs| ObjectCondition::Implies { key: key.clone(), needs }));
}

fn need_schema(reader: &mut Reader<'_, '_>, key: Arc<str>, needs: ConjunctionId) {
    if needs.is_nothing() {
        reader.objects.push(ObjectCondition::Members(Members::single(key, ConjunctionId::NOTHING)));
    } else if !needs.is_anything() {
        let present = Conjunct::of_objects(vec![ObjectCondition::Required { keys: Arc::from([key]), stated: true }]);
        let present = reader.subschemas.in_conjunct(reader.of, present);
        reader.parsed.applicators.push(Applicator::If(present, needs, ConjunctionId::ANYTHING));
    }
}

/// `unevaluatedProperties`
pub fn read_unevaluated(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let conjunction = reader.below(node, &[keyword])?;
    reader.parsed.unevaluated_properties = Some(conjunction);
    if conjunction == ConjunctionId::ANYTHING && reader.subschemas.options().has_closed_objects {
        let opens = MemberConstraints { opens: true, ..MemberConstraints::of_names(Vec::new()) };
        reader.objects.push(ObjectCondition::Members(Members::new(opens)));
    }
    Ok(())
}
