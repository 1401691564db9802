//! minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf → conditions on a number.

use super::super::reader::Reader;
use crate::condition::NumberCondition;
use crate::decimal::Decimal;
use crate::draft::Draft;
use crate::error::Result;
use crate::json::{NodeId, Value};

/// `minimum` and `maximum`; draft 4 has a flag beside them that makes the bound exclusive.
pub fn read_inclusive(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let flag = if keyword == "minimum" { "exclusiveMinimum" } else { "exclusiveMaximum" };
    let strict = reader.draft == Draft::Draft4
        && reader.get(flag).is_some_and(|flag| matches!(reader.value(flag), Value::Boolean(true)));
    let bound = reader.number(keyword, node)?;
    push(reader, keyword == "minimum", bound, strict);
    Ok(())
}

/// `exclusiveMinimum` and `exclusiveMaximum`: a flag in draft 4, a bound later.
pub fn read_exclusive(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let flag = match reader.value(node) {
        Value::Boolean(flag) => Some(flag),
        _ => None,
    };
    match (reader.draft, flag) {
        (Draft::Draft4, Some(_)) => Ok(()),
        (Draft::Draft4, None) => Err(reader.invalid(keyword, "a boolean in draft 4")),
        (_, Some(flag)) => {
            let other = if keyword == "exclusiveMinimum" { "minimum" } else { "maximum" };
            let instead = match flag {
                true => format!("put the bound of {other} here"),
                false => format!("leave {keyword} out"),
            };
            let draft = r#""$schema": "http://json-schema.org/draft-04/schema#""#;
            let hint = format!("{instead}, or say that this is draft 4: {draft}");
            Err(reader.invalid(keyword, "a number").with_hint(hint))
        }
        (_, None) => {
            let bound = reader.number(keyword, node)?;
            push(reader, keyword == "exclusiveMinimum", bound, true);
            Ok(())
        }
    }
}

fn push(reader: &mut Reader<'_, '_>, is_least: bool, bound: Decimal, strict: bool) {
    reader.numbers.push(match is_least {
        true => NumberCondition::AtLeast { bound, strict },
        false => NumberCondition::AtMost { bound, strict },
    });
}

/// `multipleOf`
pub fn read_multiple_of(reader: &mut Reader<'_, '_>, keyword: &'static str, node: NodeId) -> Result<()> {
    let of = reader.number(keyword, node)?;
    if of.is_zero() || of.is_negative() {
        return Err(reader.invalid(keyword, "a positive number"));
    }
    reader.numbers.push(NumberCondition::Multiple { of, positive: true });
    Ok(())
}
