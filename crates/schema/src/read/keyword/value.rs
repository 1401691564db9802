//! enum, const → the values that a value may be.

use super::super::reader::Reader;
use crate::condition::{
    ArrayCondition, Conjunct, ConjunctionId, MemberConstraints, Members, NumberCondition, ObjectCondition,
    StringCondition, Types,
};
use crate::decimal::Decimal;
use crate::error::{Error, Result};
use crate::json::{Key, NodeId, Value};
use crate::resolve::pointer::escape;
use crate::resolve::Location;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Steps of a limit for each part of a constant that becomes a subschema, which takes 200 bytes and is lowered later.
const STEPS_PER_CONSTANT: u64 = 300;

/// `enum`
pub fn read_enum(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let Value::Array(values) = reader.value(node) else { return Err(reader.invalid(keyword, "an array")) };
    let values = values.to_vec();
    read_values(reader, keyword, &values, true)
}

/// `const`
pub fn read_const(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    read_values(reader, keyword, &[node], true)
}

/// The values of `enum` or `const`; `is_written` is false for parts of values that were checked before.
pub fn read_values(reader: &mut Reader<'_, '_>, keyword: &str, values: &[NodeId], is_written: bool) -> Result<()> {
    if is_written {
        for (place, &value) in values.iter().enumerate() {
            if matches!(reader.value(value), Value::Null | Value::Boolean(_) | Value::String(_)) {
                continue;
            }
            let pointer = reader.pointer(keyword);
            check(reader, value, if keyword == "enum" { format!("{pointer}/{place}") } else { pointer })?;
        }
    }
    let mut types = Types::NONE;
    let mut texts: BTreeSet<Arc<str>> = BTreeSet::new();
    let (mut numbers, mut pointed) = (BTreeSet::<Decimal>::new(), BTreeSet::<Decimal>::new());
    let (mut has_texts, mut composite) = (false, Vec::new());
    for &node in values {
        reader.tick()?;
        match reader.value(node) {
            Value::Null => types = types | Types::NULL,
            Value::Boolean(false) => types = types | Types::FALSE,
            Value::Boolean(true) => types = types | Types::TRUE,
            Value::String(text) => {
                has_texts = true;
                // No document holds half of a surrogate pair.
                texts.extend(text.as_str().map(Arc::from));
            }
            Value::Number(numeral) => {
                let is_pointed = numeral.contains(['.', 'e', 'E']);
                let number = reader.decimal(node)?;
                types = types | if number.is_integer() { Types::INTEGER } else { Types::FRACTION };
                if is_pointed && number.is_integer() {
                    pointed.insert(number.clone());
                }
                numbers.insert(number);
            }
            Value::Array(items) => {
                let items = items.to_vec();
                composite.push(array(reader, &items)?);
            }
            Value::Object(members) => {
                let members = reader.names(members)?;
                composite.push(object(reader, members)?);
            }
            Value::NonFinite(_) | Value::Foreign(_) => {
                // `check` refuses these.
            }
        }
    }
    if has_texts {
        types = types | Types::STRING;
    }
    let numbers = (!numbers.is_empty()).then(|| NumberCondition::among(numbers, pointed));
    let texts = has_texts.then(|| StringCondition::among(texts));
    if composite.is_empty() {
        reader.types = reader.types & types;
        reader.numbers.extend(numbers);
        reader.strings.extend(texts);
        return Ok(());
    }
    let mut alternatives = Vec::new();
    if !types.is_empty() {
        let (numbers, strings) = (numbers.into_iter().collect(), texts.into_iter().collect());
        alternatives.push(Conjunct { numbers, strings, ..Conjunct::of_types(types) });
    }
    alternatives.append(&mut composite);
    reader.parsed.alternatives.push(alternatives);
    Ok(())
}

/// The conjunct of a single array.
fn array(reader: &mut Reader<'_, '_>, items: &[NodeId]) -> Result<Conjunct> {
    let count = items.len() as u64;
    let prefix = items.iter().map(|&item| constant(reader, item)).collect::<Result<_>>()?;
    Ok(Conjunct::of_arrays(vec![
        ArrayCondition::Items { prefix, rest: ConjunctionId::NOTHING },
        ArrayCondition::Count { least: count, most: Some(count) },
    ]))
}

/// The conjunct of a single object.
fn object(reader: &mut Reader<'_, '_>, members: Vec<(Arc<str>, NodeId)>) -> Result<Conjunct> {
    let mut names = Vec::with_capacity(members.len());
    for (name, value) in members {
        names.push((name, constant(reader, value)?));
    }
    let keys = names.iter().map(|(name, _)| name.clone()).collect();
    let members = MemberConstraints { rest: ConjunctionId::NOTHING, ..MemberConstraints::of_names(names) };
    Ok(Conjunct::of_objects(vec![
        ObjectCondition::Members(Members::new(members)),
        ObjectCondition::Required { keys, stated: true },
    ]))
}

fn constant(reader: &mut Reader<'_, '_>, node: NodeId) -> Result<ConjunctionId> {
    reader.tick()?;
    let value = Location { node, ..reader.schema };
    let before = reader.subschemas.len();
    let made = reader.subschemas.constant(reader.of, value);
    reader.steps += STEPS_PER_CONSTANT * (reader.subschemas.len() - before) as u64;
    Ok(made)
}

/// Checks that a value is JSON, with keys that UTF-8 can spell. Strings may hold half of a surrogate pair.
fn check(reader: &mut Reader<'_, '_>, value: NodeId, mut pointer: String) -> Result<()> {
    let mut met = FxHashSet::default();
    // The arrays and objects around a node, each with the index of its next part and the length of its pointer.
    let mut open: Vec<(NodeId, usize, usize)> = Vec::new();
    let mut node = value;
    loop {
        reader.tick()?;
        match reader.value(node) {
            Value::Null | Value::Boolean(_) | Value::String(_) => {}
            Value::Number(_) | Value::NonFinite(_) => {
                reader.decimal(node).map_err(|error| error.at(&*pointer))?;
            }
            Value::Array(_) if met.insert(node) => open.push((node, 0, pointer.len())),
            Value::Object(members) if met.insert(node) => {
                if !members.iter().all(|member| matches!(member.key, Key::Text(text) if text.as_str().is_some())) {
                    reader.names(members).map_err(|error| error.at(&*pointer))?;
                }
                open.push((node, 0, pointer.len()));
            }
            Value::Array(_) | Value::Object(_) => {}
            Value::Foreign(name) => {
                return Err(Error::invalid(format!("a value must be JSON, not {name}"))
                    .at(pointer)
                    .with_hint("JSON has null, booleans, numbers, strings, lists and dicts"));
            }
        }
        node = loop {
            let Some((around, place, length)) = open.last_mut() else { return Ok(()) };
            pointer.truncate(*length);
            let next = match reader.value(*around) {
                Value::Array(items) => items.get(*place).map(|&item| (place.to_string(), item)),
                Value::Object(members) => members.get_at(*place).map(|member| (escape(member.key), member.value)),
                _ => None,
            };
            *place += 1;
            match next {
                Some((token, part)) => {
                    pointer.push('/');
                    pointer += &token;
                    break part;
                }
                None => drop(open.pop()),
            }
        };
    }
}
