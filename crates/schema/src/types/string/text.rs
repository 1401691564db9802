//! Conditions on a string's decoded text → a regular node.

use crate::condition::StringCondition;
use crate::types::Terms;
use frisket_core::error::Result;
use frisket_core::regular::term::TermId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The node that stands for a language.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// A subset: texts that certainly meet the conditions.
    Inner,
    /// The texts that documents may hold.
    Written,
    /// A superset: no other text meets the conditions.
    Outer,
}

/// The texts that conditions list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// All of them, in order; None if no condition lists any.
    pub texts: Option<Vec<Arc<str>>>,
    /// The number of other conditions.
    pub others: usize,
}

/// Whether certainly no text meets the conditions. Errors: limits of the builder.
pub fn is_empty(terms: &Terms<'_>, conditions: &[StringCondition]) -> Result<bool> {
    if conditions.is_empty() {
        return Ok(false);
    }
    let Listed { texts, others } = listed(terms, conditions, true)?;
    if let Some(texts) = texts {
        return Ok(texts.is_empty());
    }
    let (least, most) = bounds(conditions);
    if most.is_some_and(|most| most < least) {
        return Ok(true);
    }
    if others < 2 {
        return Ok(false);
    }
    if contradict(conditions) {
        return Ok(true);
    }
    let is_narrowed = |condition: &StringCondition| matches!(condition, StringCondition::Matches(matches) if matches.bounds.is_some());
    if conditions.iter().any(is_narrowed) {
        return terms.is_empty(joined(terms, conditions, Side::Outer)?);
    }
    lower(terms, conditions)?.map_or(Ok(true), |node| terms.is_empty(node))
}

/// The node of the decoded texts that meet the conditions, or None if clearly there are none. Errors:
/// limits of the builder.
///
/// ```
/// use frisket_core::builder::Builder;
/// use frisket_schema::condition::StringCondition;
/// use frisket_schema::types::{string, Terms};
///
/// let mut builder = Builder::default();
/// let short = StringCondition::Length { least: 0, most: Some(2) };
/// let node = string::lower(&Terms::new(&mut builder), &[short]).unwrap().unwrap().number();
/// assert!(builder.accepts(node, "né".as_bytes()).unwrap() && !builder.accepts(node, b"nay").unwrap());
/// ```
pub fn lower(terms: &Terms<'_>, conditions: &[StringCondition]) -> Result<Option<TermId>> {
    if conditions.is_empty() {
        return terms.any_text().map(Some);
    }
    if let [StringCondition::Matches(matches)] = conditions {
        if matches.positive {
            return Ok(Some(matches.written.unwrap_or(matches.node)));
        }
    }
    if let Some(texts) = listed(terms, conditions, false)?.texts {
        return if texts.is_empty() {
            Ok(None)
        } else {
            terms.words(texts.iter().map(|text| text.as_bytes())).map(Some)
        };
    }
    let (least, most) = bounds(conditions);
    if most.is_some_and(|most| most < least) || contradict(conditions) {
        return Ok(None);
    }
    let is_written = |condition: &StringCondition| matches!(condition, StringCondition::Matches(matches) if matches.positive && matches.written.is_some());
    if conditions.iter().any(is_written) {
        let node = joined(terms, conditions, Side::Written)?;
        if !terms.is_empty(node)? {
            return Ok(Some(node));
        }
    }
    joined(terms, conditions, Side::Inner).map(Some)
}

/// The texts that some condition lists and that certainly meet all others; if `outer`, that may meet them. Errors:
/// limits of the builder.
pub fn listed(terms: &Terms<'_>, conditions: &[StringCondition], outer: bool) -> Result<Listed> {
    let mut values: Option<Arc<BTreeSet<Arc<str>>>> = None;
    let mut others = 0;
    for condition in conditions {
        match condition {
            StringCondition::Among { values: more, positive: true } => {
                values = Some(match values {
                    None => more.clone(),
                    Some(before) => Arc::new(before.intersection(more).cloned().collect()),
                });
            }
            condition => others += usize::from(!is_trivial(condition)),
        }
    }
    let Some(values) = values else { return Ok(Listed { texts: None, others }) };
    let mut texts = Vec::new();
    for (place, value) in values.iter().enumerate() {
        terms.look(place)?;
        let mut fits = true;
        for condition in conditions {
            fits = fits && (others == 0 || holds(terms, condition, value, outer)?);
        }
        texts.extend(fits.then(|| value.clone()));
    }
    Ok(Listed { texts: Some(texts), others })
}

/// Whether a text certainly meets a condition; if `outer`, whether it may. Errors: limits of the builder.
pub fn holds(terms: &Terms<'_>, condition: &StringCondition, text: &str, outer: bool) -> Result<bool> {
    Ok(match condition {
        StringCondition::Length { least, most } => {
            let length = text.chars().count() as u64;
            *least <= length && most.is_none_or(|most| length <= most)
        }
        StringCondition::Among { values, positive } => values.contains(text) == *positive,
        StringCondition::Matches(matches) => {
            let node = terms.with(|builder| matches.bound(builder, outer))?;
            terms.accepts(node, text)? == matches.positive
        }
    })
}

fn is_trivial(condition: &StringCondition) -> bool {
    *condition == StringCondition::Length { least: 0, most: None }
}

/// Whether a text must be in a language and outside it. The bounds of a narrowed language would leave that open.
fn contradict(conditions: &[StringCondition]) -> bool {
    let nodes = |wanted: bool| {
        conditions.iter().filter_map(move |condition| match condition {
            StringCondition::Matches(matches) if matches.positive == wanted => Some(matches.node),
            _ => None,
        })
    };
    nodes(true).any(|node| nodes(false).any(|other| node == other))
}

/// The least and the greatest number of characters.
fn bounds(conditions: &[StringCondition]) -> (u64, Option<u64>) {
    let (mut least, mut most) = (0, None);
    for condition in conditions {
        if let StringCondition::Length { least: low, most: high } = condition {
            least = least.max(*low);
            most = [most, *high].into_iter().flatten().min();
        }
    }
    (least, most)
}

/// The node of the texts that meet all conditions, none of which lists texts.
fn joined(terms: &Terms<'_>, conditions: &[StringCondition], side: Side) -> Result<TermId> {
    let (mut nodes, mut complements) = (Vec::new(), Vec::new());
    for condition in conditions {
        match condition {
            StringCondition::Matches(matches) => {
                let node = terms.with(|builder| matches.bound(builder, side == Side::Outer))?;
                if !matches.positive {
                    complements.push(terms.not(node)?);
                } else {
                    nodes.push(matches.written.filter(|_| side == Side::Written).unwrap_or(node));
                }
            }
            StringCondition::Among { values, .. } => {
                complements.push(terms.not(terms.words(values.iter().map(|value| value.as_bytes()))?)?);
            }
            StringCondition::Length { .. } => {}
        }
    }
    if nodes.is_empty() {
        nodes.push(terms.any_text()?);
    }
    nodes.extend(complements);
    let node = terms.and(&nodes)?;
    match bounds(conditions) {
        (0, None) => Ok(node),
        (least, most) => terms.bounded(node, least, most),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::{Matches, TextBounds};
    use frisket_core::builder::Builder;

    /// A language of digits: the texts of two digits are known, and one to three digits are its superset.
    struct Digits;

    impl TextBounds for Digits {
        fn outer(&self, builder: &mut Builder) -> Result<TermId> {
            digits(&Terms::new(builder), 1, 3)
        }
    }

    fn digits(terms: &Terms<'_>, least: u32, most: u32) -> Result<TermId> {
        terms.repeat(terms.byte_range(b'0', b'9')?, least, most)
    }

    fn narrowed(terms: &Terms<'_>, positive: bool) -> StringCondition {
        let node = digits(terms, 2, 2).unwrap();
        let written = Some(terms.literal("12").unwrap());
        StringCondition::Matches(Matches { node, positive, written, bounds: Some(Arc::new(Digits)) })
    }

    fn length(least: u64, most: u64) -> StringCondition {
        StringCondition::Length { least, most: Some(most) }
    }

    #[test]
    fn of_a_narrowed_language_what_is_written_comes_first() {
        let mut builder = Builder::default();
        let terms = Terms::new(&mut builder);
        let accepts = |conditions: &[StringCondition], text: &str| {
            let node = lower(&terms, conditions).unwrap().unwrap();
            terms.accepts(node, text).unwrap()
        };
        let (inside, outside) = (narrowed(&terms, true), narrowed(&terms, false));
        assert!(accepts(std::slice::from_ref(&inside), "12") && !accepts(std::slice::from_ref(&inside), "34"));
        assert!(accepts(&[inside.clone(), length(2, 5)], "12") && !accepts(&[inside.clone(), length(2, 5)], "34"));
        let other =
            StringCondition::Matches(Matches { positive: false, ..Matches::exact(terms.literal("12").unwrap()) });
        assert!(accepts(&[inside.clone(), other], "34"), "what is written is excluded: then any known text will do");
        // Only texts outside the superset certainly are outside: none of one to three digits.
        for (text, expected) in [("123", false), ("1234", true), ("", true), ("34", false)] {
            assert_eq!(accepts(std::slice::from_ref(&outside), text), expected, "{text}");
        }
        assert_eq!(lower(&terms, &[inside, outside]), Ok(None));
    }

    #[test]
    fn single_texts_of_a_narrowed_language_are_judged_by_its_nodes() {
        let mut builder = Builder::default();
        let terms = Terms::new(&mut builder);
        let inside = narrowed(&terms, true);
        let holds = |text: &str, outer| holds(&terms, &inside, text, outer).unwrap();
        assert_eq!((holds("1", false), holds("12", false), holds("123", false)), (false, true, false));
        assert!(holds("123", true) && !holds("1234", true));
        let texts = StringCondition::among(["1", "12", "123", "x"].map(Arc::from));
        let texts = |outer| listed(&terms, &[texts.clone(), inside.clone()], outer).unwrap();
        assert_eq!(texts(false).texts.unwrap(), ["12"].map(Arc::from));
        assert_eq!(texts(true).texts.unwrap(), ["1", "12", "123"].map(Arc::from));
        assert_eq!(texts(true).others, 1);
    }

    #[test]
    fn contradictions_are_found_and_doubts_are_none() {
        let mut builder = Builder::default();
        let terms = Terms::new(&mut builder);
        let (inside, outside) = (narrowed(&terms, true), narrowed(&terms, false));
        for (conditions, expected) in [
            (vec![], false),
            (vec![length(3, 2)], true),
            (vec![inside.clone(), length(4, 9)], true),
            (vec![inside.clone(), length(3, 9)], false),
            (vec![inside.clone(), outside], true),
        ] {
            assert_eq!(is_empty(&terms, &conditions), Ok(expected), "{conditions:?}");
        }
    }
}
