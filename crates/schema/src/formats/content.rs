//! contentMediaType: application/json → the JSON strings whose text is a JSON document (RFC 8259).

use super::format::NestedTexts;
use super::spelling::{Spelling, LAST};
use crate::json;
use crate::types::Terms;
use frisket_core::error::Result;
use frisket_core::regular::term::TermId;

/// The texts that are JSON documents. None is empty.
pub(super) static JSON: NestedTexts =
    NestedTexts { build: |terms, free, _| json_strings(terms, free), check: |text| json::parse(text).is_ok() };

fn json_strings(terms: &Terms<'_>, free: bool) -> Result<TermId> {
    let spelling = Spelling::new(terms, free);
    let text = |text: &str| spelling.text(text);
    let seq = |nodes: &[TermId]| {
        terms.with(|builder| builder.seq(&nodes.iter().map(|node| node.number()).collect::<Vec<_>>()))
    };
    let gap = terms.repeat(spelling.any_of(" \t\n\r")?, 0, None)?;
    let string = string(terms, &spelling)?;
    let words = [text("null")?, text("true")?, text("false")?];
    let scalar = terms.alt(&[words[0], words[1], words[2], number(terms, &spelling)?, string])?;
    let value = terms.with(|builder| builder.rule("JSON in a string"))?;
    let comma = terms.cat(&[gap, text(",")?, gap])?;
    let member = seq(&[terms.cat(&[string, gap, text(":")?, gap])?, value])?;
    let mut kinds = vec![scalar];
    for (opening, item, closing) in [("[", value, "]"), ("{", member, "}")] {
        let closing = terms.cat(&[gap, text(closing)?])?;
        let items = seq(&[item, terms.repeat(seq(&[comma, item])?, 0, None)?])?;
        let inside = terms.alt(&[closing, seq(&[gap, items, closing])?])?;
        kinds.push(seq(&[text(opening)?, inside])?);
    }
    let kinds = terms.alt(&kinds)?;
    terms.with(|builder| builder.define(value.number(), kinds.number()))?;
    let quote = terms.literal("\"")?;
    seq(&[terms.cat(&[quote, gap])?, value, terms.cat(&[gap, quote])?])
}

fn number(terms: &Terms<'_>, spelling: &Spelling<'_, '_>) -> Result<TermId> {
    let digit = spelling.chars(&[(0x30, 0x39)])?;
    let further = terms.repeat(digit, 0, None)?;
    let whole = terms.alt(&[spelling.text("0")?, terms.cat(&[spelling.chars(&[(0x31, 0x39)])?, further])?])?;
    let digits = terms.repeat(digit, 1, None)?;
    let part = terms.cat(&[spelling.text(".")?, digits])?;
    let sign = terms.repeat(spelling.any_of("+-")?, 0, 1)?;
    let exponent = terms.cat(&[spelling.any_of("eE")?, sign, digits])?;
    let minus = terms.repeat(spelling.text("-")?, 0, 1)?;
    terms.cat(&[minus, whole, terms.repeat(part, 0, 1)?, terms.repeat(exponent, 0, 1)?])
}

fn string(terms: &Terms<'_>, spelling: &Spelling<'_, '_>) -> Result<TermId> {
    let hexadecimal = spelling.chars(&[(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)])?;
    let point = terms.cat(&[spelling.text("u")?, terms.repeat(hexadecimal, 4, 4)?])?;
    let escaped = terms.alt(&[spelling.any_of("\"\\/bfnrt")?, point])?;
    let escaped = terms.cat(&[spelling.text("\\")?, escaped])?;
    let plain = spelling.chars(&[(0x20, 0x21), (0x23, 0x5B), (0x5D, 0xD7FF), (0xE000, LAST)])?;
    let quote = spelling.text("\"")?;
    terms.cat(&[quote, terms.repeat(terms.alt(&[plain, escaped])?, 0, None)?, quote])
}
