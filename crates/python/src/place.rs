//! One subschema → its conditions and what it applies to the same value, if it is plain (`plain` says what that means).

use crate::case::{
    higher, lower, Case, Fields, Implied, ANY, ARRAY, FALSE, INTEGER, NULL, NUMBER, OBJECT, STRING, TRUE,
};
use crate::identity::{content, identity, says_nothing, Sign};
use crate::stock::Stock;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList, PyString};

/// What a place turned out to be.
pub enum Kind<'py> {
    Anything,
    Reference(Bound<'py, PyString>),
    /// Scalars only, not all of which are cheap to make something of, and their content.
    Leaf(Box<Case<'py>>, Box<[u8]>),
    Case(Box<Case<'py>>),
    /// Conditions of its own, and what else the same value must meet, in the order of the document.
    Applied(Box<Case<'py>>, Vec<Part<'py>>),
    Other,
}

/// What is applied to the same value.
pub enum Part<'py> {
    Reference(Bound<'py, PyString>),
    /// And the keyword: oneOf of one schema, too.
    All(Bound<'py, PyList>, &'static str),
    Any(Bound<'py, PyList>),
    One(Bound<'py, PyList>),
}

/// The node of a place that says what type a value has and nothing else, as most do.
pub fn bare(stock: &Stock, draft: u64, schema: &Bound<'_, PyDict>) -> Option<u32> {
    let mut node = None;
    for (keyword, value) in schema.iter() {
        match keyword.downcast_exact::<PyString>().ok()?.to_str().ok()? {
            "type" => {
                node = Some(match value.downcast_exact::<PyString>().ok()?.to_str().ok()? {
                    "string" => stock.string,
                    "integer" => stock.numbers[if draft == 4 { 2 } else { 0 }],
                    "number" => stock.numbers[1],
                    "boolean" => stock.words[(FALSE | TRUE) as usize],
                    "array" => stock.array,
                    "object" => stock.object,
                    _ => return None,
                });
            }
            "description" | "title" | "default" => {}
            "$id" | "id" => return None,
            keyword if stock.keywords.contains_key(keyword) => return None,
            _ => {}
        }
    }
    node
}

/// The name by which a schema is a document of its own, if it has one: a fragment names a place of the one around it.
pub fn name<'py>(draft: u64, schema: &Bound<'py, PyDict>) -> Option<Bound<'py, PyString>> {
    let py = schema.py();
    let keyword = if draft == 4 { intern!(py, "id") } else { intern!(py, "$id") };
    let name = schema.get_item(keyword).ok()??.downcast_into::<PyString>().ok()?;
    let is_fragment = name.to_str().is_ok_and(|name| name.is_empty() || name.starts_with('#'));
    // Up to draft 7 nothing counts beside a reference.
    let counts = draft >= 2019 || matches!(schema.contains(intern!(py, "$ref")), Ok(false));
    (counts && !is_fragment).then_some(name)
}

/// What a place says under a draft; nothing is read of one that `is_apart`, if it has a name.
pub fn read<'py>(
    stock: &Stock,
    draft: u64,
    is_apart: impl Fn(&Bound<'py, PyDict>) -> bool,
    schema: &Bound<'py, PyDict>,
) -> Kind<'py> {
    let mut case = Case::default();
    let mut fields = Fields::default();
    let mut parts = Vec::new();
    let (mut said, mut reference) = (0, None);
    // Whether something holds more than scalars, something is for Python, something lists values, or more than texts.
    let (mut deep, mut unread, mut listed, mut unknown, mut bounded) = (false, false, false, false, false);
    for (keyword, value) in schema.iter() {
        let Ok(keyword) = keyword.downcast_exact::<PyString>() else { return Kind::Other };
        let Ok(keyword) = keyword.to_str() else { return Kind::Other };
        said += 1;
        let fits = match keyword {
            "type" => read_type(&mut case, draft, &value),
            "properties" | "patternProperties" => {
                deep = true;
                let table = value.downcast_into_exact::<PyDict>().ok();
                let fits = table.as_ref().is_some_and(is_table);
                let table = table.filter(|table| !table.is_empty());
                if keyword == "properties" {
                    fields.names = table;
                } else {
                    fields.patterns = table;
                }
                fits
            }
            "required" => read_keys(&mut case.required, &value),
            "dependencies" | "dependentRequired" if keyword == "dependencies" || draft >= 2019 => {
                deep = true;
                read_implied(&mut case.implies, keyword == "dependencies", &value).is_some()
            }
            "additionalProperties" => {
                deep = true;
                let fits = is_schema(&value);
                fields.opens = stock.closed;
                fields.rest = Some(value).filter(|value| !says_nothing(stock, value));
                fits
            }
            "items" => {
                deep = true;
                let fits = is_schema(&value);
                case.items = Some(value).filter(|value| !says_nothing(stock, value));
                fits
            }
            // Beside items that are no list it means nothing.
            "additionalItems" => true,
            "enum" | "const" if keyword == "enum" || draft > 4 => {
                unread |= listed;
                listed = true;
                unknown |= !read_values(&mut case, keyword == "enum", &value);
                true
            }
            "minLength" | "maxLength" => read_count(&mut case.length, keyword == "minLength", &value),
            "minItems" | "maxItems" => read_count(&mut case.count, keyword == "minItems", &value),
            "minProperties" | "maxProperties" => read_count(&mut case.members, keyword == "minProperties", &value),
            "uniqueItems" => {
                let flag = value.downcast_exact::<PyBool>();
                case.unique = flag.as_ref().is_ok_and(|flag| flag.is_true());
                flag.is_ok()
            }
            "pattern" | "format" => match value.downcast_into_exact::<PyString>() {
                Ok(value) => {
                    let integers = value.to_str().ok().and_then(|name| stock.integers.get(name));
                    match integers.filter(|_| keyword == "format") {
                        Some(&(least, most)) => {
                            bounded = true;
                            case.low = higher(case.low, Some((least, false)));
                            case.high = lower(case.high, Some((most, false)));
                        }
                        None => case.asked.push((keyword == "pattern", value)),
                    }
                    true
                }
                Err(_) => false,
            },
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                bounded = true;
                unread |= !read_bound(&mut case, draft, schema, keyword, &value);
                true
            }
            "multipleOf" | "contentEncoding" | "contentMediaType" => {
                unread = true;
                true
            }
            "$ref" => {
                reference = value.downcast_into_exact::<PyString>().ok();
                parts.extend(reference.clone().map(Part::Reference));
                reference.is_some()
            }
            "anyOf" | "oneOf" | "allOf" => match value.downcast_into_exact::<PyList>() {
                Ok(list) if !list.is_empty() => {
                    parts.push(match keyword {
                        "anyOf" => Part::Any(list),
                        "oneOf" if list.len() > 1 => Part::One(list),
                        "oneOf" => Part::All(list, "oneOf"),
                        _ => Part::All(list, "allOf"),
                    });
                    true
                }
                _ => false,
            },
            "$id" | "id" if is_apart(schema) => false,
            _ if stock.keywords.contains_key(keyword) => false,
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
        _ if said == 0 => return Kind::Anything,
        Some(reference) if said == 1 => return Kind::Reference(reference),
        // Up to draft 7 nothing counts beside a reference.
        Some(reference) if draft <= 7 => return Kind::Applied(Box::default(), vec![Part::Reference(reference)]),
        _ => {}
    }
    if fields.asks() {
        case.fields.push(fields);
    }
    let place = schema.as_ptr() as usize;
    case.places = [(!case.any_array()).then_some(place), (!case.any_object()).then_some(place)];
    // Numbers that are no integers have bounds that Python reads.
    match case.mask & NUMBER {
        INTEGER if stock.digits.is_some() => {}
        0 => (case.low, case.high) = (None, None),
        _ => unread |= bounded,
    }
    if unknown {
        unread = true;
        case.mask = ANY;
    }
    if unread {
        case.unread = Some(schema.clone());
    }
    // Python reads every subschema, also of a type that the value does not have.
    let idle = case.mask & OBJECT == 0 && !case.fields.is_empty() || case.mask & ARRAY == 0 && case.items.is_some();
    if idle {
        if case.fields.iter().any(|fields| fields.patterns.is_some())
            || !subschemas(&case).all(|schema| is_inert(&schema))
        {
            return Kind::Other;
        }
        case.fields.retain(|_| case.mask & OBJECT != 0);
        case.items = case.items.filter(|_| case.mask & ARRAY != 0);
    }
    match (parts.is_empty(), deep, unread) {
        (_, true, true) | (false, _, true) => Kind::Other,
        (false, _, false) => Kind::Applied(Box::new(case), parts),
        (true, false, _) if unread || bounded || !case.asked.is_empty() => match content(stock, draft, schema) {
            Some(content) => Kind::Leaf(Box::new(case), content),
            None => Kind::Other,
        },
        _ => Kind::Case(Box::new(case)),
    }
}

/// What stands directly below the place.
pub fn subschemas<'a, 'py>(case: &'a Case<'py>) -> impl Iterator<Item = Bound<'py, PyAny>> + 'a {
    let tables = case.fields.iter().flat_map(|fields| fields.names.iter().chain(&fields.patterns));
    let rests = case.fields.iter().filter_map(|fields| fields.rest.clone());
    tables.flat_map(|table| table.values()).chain(rests).chain(case.items.clone())
}

/// Whether nothing comes of looking at the place without reading what it says: it leads nowhere and has no name.
fn is_inert(schema: &Bound<'_, PyAny>) -> bool {
    let Ok(dict) = schema.downcast_exact::<PyDict>() else { return true };
    let py = schema.py();
    let leads = [intern!(py, "$ref"), intern!(py, "$id"), intern!(py, "id")];
    leads.iter().all(|keyword| matches!(dict.contains(keyword), Ok(false)))
}

/// What a place says of arrays and of objects, in order.
pub fn signs(stock: &Stock, draft: u64, schema: &Bound<'_, PyDict>, case: &Case<'_>) -> [Vec<Sign>; 2] {
    let (mut arrays, mut objects) = (Vec::new(), Vec::new());
    let own = || identity(stock, draft, schema);
    let add = |signs: &mut Vec<Sign>, sign: Sign| {
        if !signs.contains(&sign) {
            signs.push(sign);
        }
    };
    for key in schema.keys() {
        let Ok(key) = key.downcast_exact::<PyString>() else { continue };
        match key.to_str().unwrap_or_default() {
            "items" => arrays.extend(case.items.iter().map(|items| Sign::Demands(identity(stock, draft, items)))),
            "minItems" if case.count.0 > 0 => arrays.push(Sign::Least(case.count.0)),
            "maxItems" => arrays.extend(case.count.1.map(Sign::Most)),
            "uniqueItems" if case.unique => arrays.push(Sign::Unique(own())),
            "properties" | "patternProperties" | "additionalProperties" if !case.fields.is_empty() => {
                add(&mut objects, Sign::Demands(own()));
            }
            "required" if !case.required.is_empty() => {
                let mut keys: Vec<String> = Vec::with_capacity(case.required.len());
                for key in &case.required {
                    let key = key.to_string();
                    if !keys.contains(&key) {
                        keys.push(key);
                    }
                }
                objects.push(Sign::Required(keys));
            }
            "dependencies" | "dependentRequired" if !case.implies.is_empty() => {
                let pairs = case.implies.iter().map(|(key, needs)| (key.to_string(), needs.to_string()));
                add(&mut objects, Sign::Implies(pairs.collect()));
            }
            "minProperties" if case.members.0 > 0 => objects.push(Sign::Least(case.members.0)),
            "maxProperties" => objects.extend(case.members.1.map(Sign::Most)),
            _ => {}
        }
    }
    [arrays, objects]
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

/// Keys that ask for other keys; nothing for what asks for schemas.
fn read_implied<'py>(implies: &mut Vec<Implied<'py>>, single: bool, value: &Bound<'py, PyAny>) -> Option<()> {
    for (key, demand) in value.downcast_exact::<PyDict>().ok()?.iter() {
        let key = key.downcast_into_exact::<PyString>().ok()?;
        let mut needs = Vec::new();
        match demand.downcast_into_exact::<PyString>() {
            Ok(text) if single => needs.push(text),
            Ok(_) => return None,
            Err(other) => read_keys(&mut needs, &other.into_inner()).then_some(())?,
        }
        let name = key.to_str().ok()?;
        for (at, other) in needs.iter().enumerate() {
            let other = other.to_str().ok()?;
            if other != name && !needs[..at].iter().any(|before| before.to_str().is_ok_and(|before| before == other)) {
                implies.push((key.clone(), needs[at].clone()));
            }
        }
    }
    Some(())
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

/// A bound that is an integer, or what draft 4 says of one; false for anything else.
fn read_bound(
    case: &mut Case<'_>,
    draft: u64,
    schema: &Bound<'_, PyDict>,
    keyword: &str,
    value: &Bound<'_, PyAny>,
) -> bool {
    let is_flag = |value: &Bound<'_, PyAny>| value.downcast_exact::<PyBool>().is_ok_and(|flag| flag.is_true());
    let exclusive = matches!(keyword, "exclusiveMinimum" | "exclusiveMaximum");
    if exclusive && draft == 4 {
        return value.is_exact_instance_of::<PyBool>();
    }
    if !value.is_exact_instance_of::<PyInt>() {
        return false;
    }
    let Ok(value) = value.extract::<i64>() else { return false };
    let is_low = matches!(keyword, "minimum" | "exclusiveMinimum");
    let flag = if is_low { "exclusiveMinimum" } else { "exclusiveMaximum" };
    let open = exclusive || draft == 4 && matches!(schema.get_item(flag), Ok(Some(flag)) if is_flag(&flag));
    if is_low {
        case.low = higher(case.low, Some((value, open)));
    } else {
        case.high = lower(case.high, Some((value, open)));
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
