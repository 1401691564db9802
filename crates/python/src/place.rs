//! One place of a schema → what it says, if that is plain (see `plain`).

use crate::stock::Stock;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

/// Types, as in `value.py`.
const NULL: u8 = 1;
const FALSE: u8 = 2;
const TRUE: u8 = 4;
pub const WORDS: u8 = NULL | FALSE | TRUE;
pub const INTEGER: u8 = 8;
pub const NUMBER: u8 = 24;
pub const STRING: u8 = 32;
pub const ARRAY: u8 = 64;
pub const OBJECT: u8 = 128;
const ANY: u8 = 255;

/// What a place turned out to be.
pub enum Kind<'py> {
    Anything,
    Reference(Bound<'py, PyString>),
    /// Scalars only, and not all of them are understood here: types that it may have, its content.
    Leaf(u8, Box<[u8]>),
    /// The alternatives of one keyword that stands alone, and the keyword.
    Union(Bound<'py, PyList>, &'static str),
    Case(Box<Case<'py>>),
    Other,
}

/// The conditions of one place, type by type.
#[derive(Default)]
pub struct Case<'py> {
    pub mask: u8,
    /// Whether integers are known by their spelling, as in draft 4.
    pub spelled: bool,
    pub texts: Option<Vec<Box<[u8]>>>,
    pub length: (u64, Option<u64>),
    pub properties: Option<Bound<'py, PyDict>>,
    pub required: Vec<Bound<'py, PyString>>,
    /// What members that have no name must meet; items likewise: nothing said, nothing asked.
    pub rest: Option<Bound<'py, PyAny>>,
    pub members: (u64, Option<u64>),
    pub items: Option<Bound<'py, PyAny>>,
    pub count: (u64, Option<u64>),
    pub unique: bool,
}

/// What a place says under a draft; the root may name itself.
pub fn read<'py>(stock: &Stock, draft: u64, is_root: bool, schema: &Bound<'py, PyDict>) -> Kind<'py> {
    let mut case = Case { mask: ANY, ..Case::default() };
    let (mut said, mut reference, mut union) = (0, None, None);
    // Whether something holds more than scalars, something is for Python, something lists values, bounds a length.
    let (mut deep, mut hard, mut listed, mut bounded) = (false, false, false, false);
    for (keyword, value) in schema.iter() {
        let Ok(keyword) = keyword.downcast_exact::<PyString>() else { return Kind::Other };
        let Ok(keyword) = keyword.to_str() else { return Kind::Other };
        said += 1;
        let fits = match keyword {
            "type" => read_type(&mut case, draft, &value),
            "properties" => {
                deep = true;
                case.properties = value.downcast_into_exact::<PyDict>().ok();
                case.properties.as_ref().is_some_and(is_table)
            }
            "required" => read_keys(&mut case.required, &value),
            "additionalProperties" => {
                deep = true;
                let fits = is_schema(&value);
                case.rest = Some(value);
                fits
            }
            "items" => {
                deep = true;
                let fits = is_schema(&value);
                case.items = Some(value);
                fits
            }
            "enum" | "const" if keyword == "enum" || draft > 4 => {
                hard |= listed;
                listed = true;
                hard |= !read_values(&mut case, keyword == "enum", &value);
                true
            }
            "minLength" | "maxLength" => {
                bounded = true;
                read_count(&mut case.length, keyword == "minLength", &value)
            }
            "minItems" | "maxItems" => read_count(&mut case.count, keyword == "minItems", &value),
            "minProperties" | "maxProperties" => read_count(&mut case.members, keyword == "minProperties", &value),
            "uniqueItems" => {
                let flag = value.downcast_exact::<PyBool>();
                case.unique = flag.as_ref().is_ok_and(|flag| flag.is_true());
                flag.is_ok()
            }
            "$ref" => {
                reference = value.downcast_into_exact::<PyString>().ok();
                reference.is_some()
            }
            "format" | "pattern" | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf"
            | "contentEncoding" | "contentMediaType" => {
                hard = true;
                true
            }
            "anyOf" | "oneOf" | "allOf" => {
                // What must meet several schemas is for the algebra.
                let fits = |list: &Bound<'_, PyList>| list.len() == 1 || !list.is_empty() && keyword != "allOf";
                let keyword = match keyword {
                    "anyOf" => "anyOf",
                    "oneOf" => "oneOf",
                    _ => "allOf",
                };
                union = value.downcast_into_exact().ok().filter(fits).map(|list| (list, keyword));
                union.is_some()
            }
            "$id" | "id" if !is_root => false,
            _ if stock.keywords.contains(keyword) => false,
            _ => {
                said -= 1;
                true
            }
        };
        if !fits {
            return Kind::Other;
        }
    }
    match reference {
        _ if said == 0 => Kind::Anything,
        Some(reference) if said == 1 => Kind::Reference(reference),
        Some(_) => Kind::Other,
        None if union.is_some() => match union {
            Some((list, keyword)) if said == 1 => Kind::Union(list, keyword),
            _ => Kind::Other,
        },
        // Python reads every subschema, also of a type that the value does not have.
        None if deep && hard => Kind::Other,
        None if (case.properties.is_some() || case.rest.is_some()) && case.mask & OBJECT == 0 => Kind::Other,
        None if case.items.is_some() && case.mask & ARRAY == 0 => Kind::Other,
        None if hard || listed && bounded => {
            content(stock, draft, schema).map_or(Kind::Other, |content| Kind::Leaf(case.mask, content))
        }
        None => Kind::Case(Box::new(case)),
    }
}

fn read_type<'py>(case: &mut Case<'py>, draft: u64, value: &Bound<'py, PyAny>) -> bool {
    let mut mask = 0;
    let mut add = |name: &Bound<'py, PyAny>| {
        let bits = match name.downcast_exact::<PyString>().map(|name| name.to_str()) {
            Ok(Ok("null")) => NULL,
            Ok(Ok("boolean")) => FALSE | TRUE,
            Ok(Ok("integer")) => INTEGER,
            Ok(Ok("number")) => NUMBER,
            Ok(Ok("string")) => STRING,
            Ok(Ok("array")) => ARRAY,
            Ok(Ok("object")) => OBJECT,
            _ => return false,
        };
        mask |= bits;
        true
    };
    let fits = match value.downcast_exact::<PyList>() {
        Ok(names) => names.iter().all(|name| add(&name)),
        Err(_) => add(value),
    };
    // Draft 4 knows integers by their spelling.
    case.spelled = draft == 4 && mask & NUMBER == INTEGER;
    case.mask &= mask;
    fits
}

/// What the keywords that count say, if all of that is scalars and lists of them.
fn content(stock: &Stock, draft: u64, schema: &Bound<'_, PyDict>) -> Option<Box<[u8]>> {
    let mut out = vec![draft as u8];
    for (keyword, value) in schema.iter() {
        let keyword = keyword.downcast_exact::<PyString>().ok()?;
        let keyword = keyword.to_str().ok()?;
        if stock.keywords.contains(keyword) {
            write(&mut out, b'k', keyword.as_bytes());
            match value.downcast_exact::<PyList>() {
                Ok(list) => {
                    write(&mut out, b'l', &(list.len() as u64).to_le_bytes());
                    list.iter().try_for_each(|item| scalar(&mut out, &item))?;
                }
                Err(_) => scalar(&mut out, &value)?,
            }
        }
    }
    Some(out.into())
}

fn is_schema(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyDict>() || value.is_exact_instance_of::<PyBool>()
}

/// Whether it maps texts to schemas.
fn is_table(dict: &Bound<'_, PyDict>) -> bool {
    let is_text = |key: &Bound<'_, PyAny>| key.downcast_exact::<PyString>().is_ok_and(|key| key.to_str().is_ok());
    dict.iter().all(|(key, value)| is_text(&key) && is_schema(&value))
}

fn read_keys<'py>(keys: &mut Vec<Bound<'py, PyString>>, value: &Bound<'py, PyAny>) -> bool {
    let Ok(list) = value.downcast_exact::<PyList>() else { return false };
    keys.extend(list.iter().filter_map(|key| key.downcast_into_exact::<PyString>().ok()));
    keys.len() == list.len() && keys.iter().all(|key| key.to_str().is_ok())
}

fn read_count(bounds: &mut (u64, Option<u64>), least: bool, value: &Bound<'_, PyAny>) -> bool {
    if !value.is_exact_instance_of::<PyInt>() {
        return false;
    }
    let Ok(value) = value.extract() else { return false };
    if least {
        bounds.0 = value;
    } else {
        bounds.1 = Some(value);
    }
    true
}

/// Texts and words; false for anything else.
fn read_values<'py>(case: &mut Case<'py>, several: bool, value: &Bound<'py, PyAny>) -> bool {
    let mut texts = Vec::new();
    let mut mask = 0;
    let mut add = |value: &Bound<'py, PyAny>| {
        mask |= match value.downcast_exact::<PyString>().map(|text| text.to_str()) {
            Ok(Ok(text)) => {
                texts.push(text.as_bytes().into());
                STRING
            }
            Ok(Err(_)) => return false,
            Err(_) if value.is_none() => NULL,
            Err(_) => match value.downcast_exact::<PyBool>().map(|flag| flag.is_true()) {
                Ok(true) => TRUE,
                Ok(false) => FALSE,
                Err(_) => return false,
            },
        };
        true
    };
    let fits = match value.downcast_exact::<PyList>() {
        Ok(list) if several => list.iter().all(|value| add(&value)),
        _ => !several && add(value),
    };
    case.mask &= mask;
    case.texts = Some(texts);
    fits
}

fn write(out: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    out.push(tag);
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend(bytes);
}

fn scalar(out: &mut Vec<u8>, value: &Bound<'_, PyAny>) -> Option<()> {
    if let Ok(text) = value.downcast_exact::<PyString>() {
        write(out, b's', text.to_str().ok()?.as_bytes());
    } else if let Ok(flag) = value.downcast_exact::<PyBool>() {
        write(out, b'b', &[u8::from(flag.is_true())]);
    } else if value.is_none() {
        write(out, b'n', &[]);
    } else if value.is_exact_instance_of::<PyInt>() {
        write(out, b'i', &value.extract::<i64>().ok()?.to_le_bytes());
    } else {
        write(out, b'f', &value.downcast_exact::<PyFloat>().ok()?.value().to_bits().to_le_bytes());
    }
    Some(())
}
