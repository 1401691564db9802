//! dependentRequired, dependentSchemas, dependencies → conditions on objects that have a member.

use super::super::parsed::Applicator;
use super::super::reader::Reader;
use crate::condition::{Conjunct, ConjunctionId, Members, ObjectCondition};
use crate::error::Result;
use crate::json::{NodeId, Text, Value};
use std::sync::Arc;

/// `dependentRequired`
pub fn read_required(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    for (key, needs) in reader.mapping(keyword, node)? {
        let needs = reader.keys(keyword, needs)?;
        need_keys(reader, &key, needs);
    }
    Ok(())
}

/// `dependentSchemas`
pub fn read_schemas(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
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
