//! A shape → the node of its arrays.

use super::contains;
use super::shape::Shape;
use crate::condition::ArrayCondition;
use crate::error::Result;
use crate::types::lowering::deeper;
use crate::types::terms::count;
use crate::types::{Layout, Lowering};
use frisket_core::builder::{Builder, Punctuation};
use frisket_core::error::Result as EngineResult;
use frisket_core::regular::term::TermId;

/// The node of the arrays that meet all conditions, or None if clearly there are none. Errors: limits.
pub fn lower<L: Lowering>(lowering: &mut L, conditions: &[ArrayCondition]) -> Result<Option<TermId>> {
    let mut shape = Shape::new(lowering, conditions);
    if shape.most.is_none() {
        let needed: u64 = shape.counted.iter().map(|counted| counted.start.saturating_add(counted.least)).sum();
        shape.most = lowering.spelling().max_items.map(|most| most.max(shape.least).max(needed));
    }
    if shape.is_crossed() {
        return Ok(None);
    }
    if let Some(place) = shape.repeated {
        if shape.most.is_some_and(|most| most < 2) {
            return Ok(None);
        }
        lowering.note_unsupported(Some(place), "uniqueItems", "that some items are equal cannot be enforced")?;
    }
    let node = match shape.counted[..] {
        [] => deeper(lowering, |lowering, layout| sequence(lowering, layout, &shape))?,
        _ => contains::lower(lowering, &shape)?,
    };
    if let Some(node) = node {
        lowering.note_structural(node);
    }
    Ok(node)
}

/// Items by position, then any number of others.
fn sequence<L: Lowering>(lowering: &mut L, layout: Layout, shape: &Shape) -> Result<Option<TermId>> {
    let mut prefix = Vec::with_capacity(shape.prefix.len());
    let mut most = shape.most;
    for &item in &shape.prefix {
        match lowering.lower(item)? {
            Some(node) => prefix.push(node.number()),
            None => {
                most = Some(prefix.len() as u64);
                break;
            }
        }
    }
    let length = prefix.len() as u64;
    let mut rest = None;
    if most.is_none_or(|most| most > length) {
        rest = lowering.lower(shape.later())?;
        most = if rest.is_none() { Some(length) } else { most };
    }
    if most.is_some_and(|most| most < shape.least) {
        return Ok(None);
    }
    let is_unique = shape.is_unique && most.is_none_or(|most| most > 1);
    if is_unique {
        lowering.note_search();
    }
    let kept = most.filter(|&most| rest.is_some() || most < length).map(count);
    let (rest, least) = (rest.map(TermId::number), count(shape.least));
    let signs = punctuation(layout);
    let builder = lowering.builder();
    Ok(Some(match is_unique {
        true => unique_items(builder, &prefix, rest, signs, least, kept)?,
        false => builder.array(&prefix, rest, signs, least, kept)?,
    }))
}

/// The node of arrays of unique items: those of `prefix` by position, then any number of `rest`.
pub fn unique_items(
    builder: &mut Builder,
    prefix: &[u32],
    rest: Option<u32>,
    signs: Punctuation,
    least: u32,
    most: Option<u32>,
) -> EngineResult<TermId> {
    let step = |(position, &item): (usize, &u32)| (true, vec![(item, position as u32 + 1)]);
    let mut states: Vec<(bool, Vec<(u32, u32)>)> = prefix.iter().enumerate().map(step).collect();
    let last = states.len() as u32;
    states.push((true, rest.map(|rest| (rest, last)).into_iter().collect()));
    builder.unique_array(&states, signs, least, most)
}

/// The punctuation of arrays.
pub(super) fn punctuation(layout: Layout) -> Punctuation {
    let Layout { open_array, close_array, empty_array, comma, .. } = layout;
    Punctuation { open: open_array, close: close_array, colon: comma, comma, empty: empty_array }
}
