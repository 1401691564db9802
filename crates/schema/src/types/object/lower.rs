//! A shape → the node of its objects: named members with their values, and regions of other keys.
//!
//! A constraint that *some* member must break becomes a mark on the values that break it. The node says which marks
//! must come.

use super::mark::{
    clauses_of, engine_bits, marks_of, simplified, too_many, with_marks, MarkClause, Marks, Values, MARKED,
};
use super::region::regions;
use super::shape::{demand, Shape};
use crate::condition::{ConjunctionId, ObjectCondition};
use crate::error::{Error, Result};
use crate::order::orders;
use crate::types::lowering::deeper;
use crate::types::string::spelled;
use crate::types::terms::count;
use crate::types::{Layout, Lowering};
use frisket_core::builder::{ObjectRules, Punctuation};
use frisket_core::regular::term::TermId;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Most marks that an object must have, without those that its required members leave anyway.
const MARKS: u32 = 10;
/// Keywords by which some member must break a condition, the likeliest first.
const SPLITTING: [&str; 7] = ["oneOf", "if", "not", "dependentSchemas", "dependencies", "anyOf", "allOf"];
/// Keywords that constrain members by pattern.
const PATTERNED: [&str; 1] = ["patternProperties"];
/// Properties of one object between two checks of the limits.
const CHECKED: usize = 128;
/// A member by which a document describes itself: it may come first, even where the schema does not name it.
const ABOUT_ITSELF: [&str; 2] = ["$schema", "$id"];

struct Property {
    key: Arc<str>,
    is_required: bool,
    values: Values,
}

struct Extra {
    keys: TermId,
    values: Values,
}

/// The node of the objects that meet all conditions, or None if clearly there are none. Errors: limits.
pub fn lower<L: Lowering>(lowering: &mut L, conditions: &[ObjectCondition]) -> Result<Option<TermId>> {
    let mut shape = Shape::new(lowering, conditions);
    if shape.is_crossed() {
        return Ok(None);
    }
    shape.index(lowering, usize::MAX);
    let node = loop {
        match deeper(lowering, |lowering, layout| object(lowering, layout, &shape)) {
            Err(error) if is_loosened(lowering, &mut shape, &error)? => {}
            made => break made?,
        }
    };
    if let Some(node) = node {
        lowering.note_structural(node);
    }
    Ok(node)
}

/// Whether a shape with too many marks or overlaps goes on without part of its conditions, which are removed.
fn is_loosened<L: Lowering>(lowering: &mut L, shape: &mut Shape, error: &Error) -> Result<bool> {
    if !shape.clauses.is_empty() {
        shape.clauses = Vec::new();
        return lowering.leaves_out(error, &SPLITTING, "too many demands on its members: objects that do not meet it");
    }
    if shape.without_patterns() {
        return lowering.leaves_out(error, &PATTERNED, "too many overlaps: values of members whose names match");
    }
    Ok(false)
}

fn object<L: Lowering>(lowering: &mut L, layout: Layout, shape: &Shape) -> Result<Option<TermId>> {
    let marked = shape.marked();
    if marked.len() > MARKED {
        return Err(too_many(lowering, demands(marked.len())));
    }
    let mut clauses = clauses_of(shape, &marked);
    let exact = clauses.iter().fold(0, |all, (premises, _)| all | premises);
    let is_closed = lowering.spelling().closed_objects && shape.closes();
    let any_order = lowering.spelling().any_order;

    let mut properties: Vec<Property> = Vec::new();
    for (place, key) in shape.named().into_iter().enumerate() {
        if place % CHECKED == CHECKED - 1 {
            lowering.builder().check(0)?;
        }
        let asked = shape.at(lowering, &key, false)?;
        let mut admitted = Vec::with_capacity(marked.len());
        for members in &marked {
            admitted.push(demand(lowering, members, &key)?);
        }
        let values = values(lowering, asked, &admitted, exact)?;
        let is_required = shape.required.contains(&key);
        if is_required && values.is_empty() {
            return Ok(None);
        }
        properties.push(Property { key, is_required, values });
    }
    let mut possible = properties.iter().filter(|property| !property.values.is_empty()).count();
    if !properties.is_empty() && marked.is_empty() && !is_closed && lowering.is_root() {
        for key in ABOUT_ITSELF {
            if properties.iter().all(|property| &*property.key != key) {
                let asked = shape.at(lowering, key, false)?;
                let values = values(lowering, asked, &[], 0)?;
                if !values.is_empty() {
                    properties.push(Property { key: key.into(), is_required: false, values });
                }
            }
        }
    }
    let mut extras: Vec<Extra> = Vec::new();
    for region in regions(lowering, shape, is_closed)? {
        let keys = spelled(lowering, region.keys)?;
        if keys != region.keys && lowering.builder().is_empty(keys.number())? {
            continue;
        }
        let values = values(lowering, region.asked, &region.admitted, exact)?;
        if !values.is_empty() {
            extras.push(Extra { keys, values });
        }
    }
    let mut wanted = 0;
    if !clauses.is_empty() {
        let of_properties = properties.iter_mut().map(|one| (Some(&mut one.is_required), &mut one.values));
        let of_extras = extras.iter_mut().map(|extra| (None, &mut extra.values));
        let mut members: Vec<_> = of_properties.chain(of_extras).collect();
        let Some(left) = simplified(&mut members, &clauses) else { return Ok(None) };
        let is_alone = |&&(premises, conclusions): &&MarkClause| premises == 0 && conclusions.count_ones() == 1;
        wanted = left.iter().filter(is_alone).fold(0, |all, (_, conclusions)| all | conclusions);
        clauses = left.into_iter().filter(|(_, conclusions)| conclusions & wanted == 0).collect();
        possible = properties.iter().filter(|property| !property.values.is_empty()).count();
    }
    let marks = wanted | marks_of(&clauses);
    if wanted.count_ones() > MARKS || marks.count_ones() > u64::BITS {
        return Err(too_many(lowering, demands(marks.count_ones() as usize)));
    }
    let bits = |some: Marks| engine_bits(some, marks);
    if (possible as u64) < shape.least {
        if extras.is_empty() {
            return Ok(None);
        }
        // Only a search can tell whether there are enough other keys.
        lowering.note_search();
    }
    lowering.builder().check(0)?;
    let orders = if any_order { Vec::new() } else { stated_orders(shape, &properties) };
    lowering.builder().check(0)?;
    let implies = implies_by_place(shape, &properties);
    let rules = ObjectRules {
        min: count(shape.least),
        max: shape.most.map(count),
        required_marks: bits(wanted),
        clauses: clauses.iter().map(|&(premises, conclusions)| (bits(premises), bits(conclusions))).collect(),
        implies,
        any_order,
        extras_last: true,
        orders,
        free: lowering.spelling().escapes.free,
    };
    let Layout { open_object, close_object, empty_object, colon, comma, .. } = layout;
    let signs = Punctuation { open: open_object, close: close_object, colon, comma, empty: empty_object };
    let numbers = |values: Values| values.into_iter().map(|(node, marks)| (node.number(), bits(marks))).collect();
    let properties = properties.into_iter();
    let properties = properties.map(|one| (one.key.to_string(), one.is_required, numbers(one.values))).collect();
    let extras = extras.into_iter().map(|extra| (extra.keys.number(), numbers(extra.values))).collect();
    Ok(Some(lowering.builder().object(properties, extras, signs, rules)?))
}

/// (cause, effect): the property at the first place needs the one at the second, which is not required anyway.
fn implies_by_place(shape: &Shape, properties: &[Property]) -> Vec<(u32, u32)> {
    if shape.implies.is_empty() {
        return Vec::new();
    }
    let places: FxHashMap<&str, u32> =
        properties.iter().enumerate().map(|(at, property)| (&*property.key, at as u32)).collect();
    let implied = shape.implies.iter().filter(|(_, needs)| !shape.required.contains(needs));
    implied.map(|(key, needs)| (places[&**key], places[&**needs])).collect()
}

/// The orders that the schema states, as lists of places; empty if one list orders all properties.
fn stated_orders(shape: &Shape, properties: &[Property]) -> Vec<Vec<u32>> {
    if has_plain_order(shape, properties) {
        return Vec::new();
    }
    let tables: Vec<Vec<&str>> =
        shape.members.iter().map(|members| members.names.iter().map(|(key, _)| &**key).collect()).collect();
    let required: Vec<&str> = shape.stated.iter().map(|key| &**key).collect();
    let places: Vec<(&str, usize)> = properties.iter().enumerate().map(|(at, one)| (&*one.key, at)).collect();
    let lists = orders(&tables, &required, &places);
    lists.into_iter().map(|list| list.into_iter().map(|place| place as u32).collect()).collect()
}

/// Whether one list names all properties in their order, and `required` keeps that order, too.
fn has_plain_order(shape: &Shape, properties: &[Property]) -> bool {
    let [members] = &shape.members[..] else { return false };
    let mut names = members.names.iter().map(|(key, _)| key);
    let is_listed = names.len() == properties.len()
        && properties.iter().zip(names.clone()).all(|(one, name)| one.key == *name && !name.starts_with('$'));
    is_listed && shape.stated.iter().all(|key| names.any(|name| name == key))
}

/// The values of a member, with their marks.
fn values<L: Lowering>(
    lowering: &mut L,
    asked: ConjunctionId,
    admitted: &[ConjunctionId],
    exact: Marks,
) -> Result<Values> {
    if admitted.is_empty() {
        return Ok(lowering.lower(asked)?.map(|node| (node, 0)).into_iter().collect());
    }
    with_marks(lowering, asked, admitted, exact)
}

fn demands(count: usize) -> String {
    format!("{count} demands on some member at once")
}
