//! Free text of a combination in Python → nodes of its builder.

use crate::builder::{count, GrammarBuilder};
use crate::error::raise;
use crate::integer::Whole;
use crate::limit::Limits;
use crate::rules::Fault;
use frisket::front_end::{Builder, TermId};
use frisket::notation::free_text::{self, Begin, Count, FreeText};
use frisket::notation::Failure;
use pyo3::prelude::*;

/// The begin of a tag, or the end of a text: whether it is a special token, and its text or name.
type Named = (bool, String);

fn begin_of(named: &Named) -> Begin<'_> {
    match named {
        (true, name) => Begin::Special(name),
        (false, text) => Begin::Text(text),
    }
}

fn slices(texts: &[String]) -> Vec<&str> {
    texts.iter().map(|text| &**text).collect()
}

/// The node of a text that contains none of the strings and has `min` to `max` characters, up to and with the first
/// of its ends, if there are any.
///
/// An end is whether it is a special token, and its text or name.
#[pyfunction]
#[pyo3(signature = (builder, ends, forbidden, min, max=None))]
pub fn lower_text(
    builder: &Bound<'_, GrammarBuilder>,
    ends: Option<Vec<Named>>,
    forbidden: Vec<String>,
    min: Whole<u64>,
    max: Option<Whole<u64>>,
) -> PyResult<u32> {
    let named = ends.as_deref().unwrap_or_default();
    let triggers: Vec<&str> = named.iter().filter(|(is_token, _)| !is_token).map(|(_, text)| &**text).collect();
    let (begins, forbidden): (Vec<_>, _) = (named.iter().map(begin_of).collect(), slices(&forbidden));
    let (min_chars, max_chars) = (count(min), max.map(count));
    let text = FreeText { triggers: &triggers, forbidden: &forbidden, min_chars, max_chars };
    made(builder, |builder| match ends {
        Some(_) => free_text::until(builder, &text, &begins),
        None => text.lower(builder),
    })
}

/// The node of texts with tags in between: begins, and the nodes behind them. `max_chars` bounds each text.
#[allow(clippy::too_many_arguments)]
#[pyfunction]
#[pyo3(signature = (builder, tags, triggers, forbidden, max_chars, at_least, at_most, text_after))]
pub fn lower_tags(
    builder: &Bound<'_, GrammarBuilder>,
    tags: Vec<(Named, u32)>,
    triggers: Vec<String>,
    forbidden: Vec<String>,
    max_chars: Option<Whole<u64>>,
    at_least: Whole<u64>,
    at_most: Option<Whole<u64>>,
    text_after: bool,
) -> PyResult<u32> {
    let (triggers, forbidden) = (slices(&triggers), slices(&forbidden));
    let text = FreeText { triggers: &triggers, forbidden: &forbidden, min_chars: 0, max_chars: max_chars.map(count) };
    let number = Count { at_least: count(at_least), at_most: at_most.map(count), text_after };
    made(builder, |builder| {
        let pairs = tags.iter().map(|(begin, node)| Ok((begin_of(begin), builder.node(*node)?)));
        let pairs = pairs.collect::<Result<Vec<_>, Box<frisket::front_end::Error>>>()?;
        text.with_tags(builder, &pairs, number)
    })
}

/// Raises Fault, with the number of a trigger, if this trigger can never be found.
#[pyfunction]
#[pyo3(signature = (triggers, forbidden, limits=None))]
pub fn check_strings(
    triggers: Vec<String>,
    forbidden: Vec<String>,
    limits: Option<&Bound<'_, Limits>>,
) -> PyResult<()> {
    let mut builder = GrammarBuilder::new(limits);
    let checked = free_text::check_strings(builder.builder()?, &slices(&triggers), &slices(&forbidden));
    checked.map_err(|failure| match failure {
        Failure::Engine(error) => raise(error),
        Failure::Schema(error) => raise(error),
        Failure::Unread(fault) | Failure::Limit(fault) | Failure::Empty(fault) => {
            Fault::new_err((fault.message, fault.at, fault.hint, "syntax"))
        }
    })
}

fn made(
    builder: &Bound<'_, GrammarBuilder>,
    make: impl FnOnce(&mut Builder) -> Result<TermId, Box<frisket::front_end::Error>>,
) -> PyResult<u32> {
    make(builder.borrow_mut().builder()?).map(TermId::number).map_err(raise)
}
