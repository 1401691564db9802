//! Conditions on a string → JSON strings with the escapes of the options, or an error with the keywords that reach a
//! limit.

use super::literal::{single_quoted, Literals};
use super::text::{listed, lower};
use crate::condition::StringCondition;
use crate::error::{Error, Result};
use crate::types::{Lowering, Terms};
use frisket_core::error::{Error as EngineError, Limit, Result as EngineResult};
use frisket_core::regular::term::TermId;

/// The letters of all escapes.
const LETTERS: &str = "bfnrtu\"\\";

/// How characters of a string may be spelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Escapes {
    /// Whether every escape of RFC 8259 may be used; otherwise each text has one spelling.
    pub free: bool,
    /// The letters that may follow a backslash. A character that needs another one occurs only in texts that a schema
    /// lists.
    pub letters: String,
}

impl Default for Escapes {
    fn default() -> Self {
        Escapes { free: false, letters: LETTERS.to_owned() }
    }
}

/// The node of the strings that meet all conditions, or None if clearly there are none. Errors: limits.
pub fn quoted<L: Lowering>(lowering: &mut L, conditions: &[StringCondition]) -> Result<Option<TermId>> {
    let free = lowering.spelling().escapes.free;
    let Some(texts) = texts(lowering, conditions)? else { return Ok(None) };
    if conditions.len() > 1 {
        lowering.note_search();
    }
    let double = lowering.builder().quoted(texts.number(), free)?;
    match lowering.spelling().literals {
        Literals::Json => Ok(Some(double)),
        Literals::Python => {
            let forbidden = lowering.spelling().forbidden_texts.clone();
            let terms = Terms::new(lowering.builder());
            let nodes: Vec<_> = [double].into_iter().chain(single_quoted(&terms, conditions, &forbidden)?).collect();
            Ok(Some(terms.alt(&nodes)?))
        }
    }
}

/// The nodes of a union of strings, joined before they are quoted. Errors: limits.
pub fn quoted_union<L: Lowering>(lowering: &mut L, alternatives: &[&[StringCondition]]) -> Result<Vec<TermId>> {
    let mut nodes = Vec::new();
    for conditions in alternatives {
        nodes.extend(texts(lowering, conditions)?.filter(|node| !nodes.contains(node)));
    }
    if nodes.is_empty() {
        return Ok(nodes);
    }
    let free = lowering.spelling().escapes.free;
    let joined = Terms::new(lowering.builder()).alt(&nodes)?;
    Ok(vec![lowering.builder().quoted(joined.number(), free)?])
}

/// The node of the decoded texts that the escapes of the options can spell.
fn texts<L: Lowering>(lowering: &mut L, conditions: &[StringCondition]) -> Result<Option<TermId>> {
    let made = {
        let terms = Terms::new(lowering.builder());
        lower(&terms, conditions).and_then(|node| Ok((node, listed(&terms, conditions, false)?.texts.is_some())))
    };
    match made {
        Err(error) => Err(located(lowering, error, conditions)),
        Ok((Some(node), false)) => spelled(lowering, node).map(Some),
        Ok((node, _)) => Ok(node),
    }
}

/// The texts, of some that no schema lists, that the escapes of the options can spell. Errors: limits.
pub fn spelled<L: Lowering>(lowering: &mut L, texts: TermId) -> Result<TermId> {
    let letters = &lowering.spelling().escapes.letters;
    if LETTERS.chars().all(|letter| letters.contains(letter)) {
        return Ok(texts);
    }
    let kept: Vec<u8> =
        (0..=255).filter(|&byte| escape_of(byte).is_none_or(|letter| letters.contains(letter))).collect();
    let terms = Terms::new(lowering.builder());
    let spell = || -> EngineResult<TermId> { terms.and(&[texts, terms.repeat(terms.bytes(&kept)?, 0, None)?]) };
    let node = spell()?;
    lowering.note_search();
    Ok(node)
}

/// The letter of the escape that a byte of a text needs.
fn escape_of(byte: u8) -> Option<char> {
    match byte {
        b'"' | b'\\' => Some(byte.into()),
        0x08 => Some('b'),
        b'\t' => Some('t'),
        b'\n' => Some('n'),
        0x0C => Some('f'),
        b'\r' => Some('r'),
        _ => (byte < 0x20).then_some('u'),
    }
}

/// The error of a limit that conditions reach, with its place in the schema and their keywords.
fn located<L: Lowering>(lowering: &L, error: Box<EngineError>, conditions: &[StringCondition]) -> Box<Error> {
    if !matches!(*error, EngineError::Limit(limit) if limit != Limit::Cancelled) {
        return error.into();
    }
    let mut asked: Vec<String> = Vec::new();
    for condition in conditions {
        let name = name_of(lowering, condition);
        if !asked.contains(&name) {
            asked.push(name);
        }
    }
    let excludes = |condition: &StringCondition| matches!(condition, StringCondition::Matches(one) if !one.positive);
    let hint = match conditions.iter().any(excludes) {
        true => "anyOf, unlike oneOf, lets a text meet several alternatives",
        false => "drop one of them",
    };
    let mut located: Box<Error> = error.into();
    located.message = format!("a text that meets {}: {}", asked.join(", "), located.message);
    located.hint = Some(located.hint.map_or_else(|| hint.to_owned(), |more| format!("{hint}; or {more}")));
    located.at(lowering.place())
}

/// A condition on a text as a message names it: by its keyword.
fn name_of<L: Lowering>(lowering: &L, condition: &StringCondition) -> String {
    let (name, positive) = match condition {
        StringCondition::Length { most: None, .. } => ("minLength".to_owned(), true),
        StringCondition::Length { least: 0, .. } => ("maxLength".to_owned(), true),
        StringCondition::Length { .. } => ("minLength and maxLength".to_owned(), true),
        StringCondition::Among { positive, .. } => ("enum".to_owned(), *positive),
        StringCondition::Matches(matches) => (lowering.language_name(matches), matches.positive),
    };
    if positive {
        name
    } else {
        format!("not {name}")
    }
}
