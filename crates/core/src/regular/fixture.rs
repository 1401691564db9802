//! Terms from regular expressions, and the texts of a term, for the tests of the folders that use terms.

use crate::bytes::byteset::ByteSet;
use crate::regular::term::{TermId, EPSILON, MANY};
use crate::regular::terms::Terms;
use regex_syntax::hir::{Class, Hir, HirKind};
use regex_syntax::ParserBuilder;

/// The term of a regular expression over bytes.
pub(crate) fn regex(terms: &mut Terms, pattern: &str) -> TermId {
    let hir = ParserBuilder::new().unicode(false).utf8(false).build().parse(pattern).unwrap();
    of_hir(terms, &hir)
}

fn of_hir(terms: &mut Terms, hir: &Hir) -> TermId {
    let made = match hir.kind() {
        HirKind::Empty => Ok(EPSILON),
        HirKind::Literal(text) => terms.literal(&text.0),
        HirKind::Class(Class::Bytes(class)) => {
            let ranges = class.iter().map(|range| ByteSet::range(range.start(), range.end()));
            terms.class(ranges.fold(ByteSet::EMPTY, |all, range| all.union(&range)))
        }
        HirKind::Class(Class::Unicode(class)) => {
            let ranges: Vec<_> = class.iter().map(|range| (range.start().into(), range.end().into())).collect();
            terms.char_class(&ranges)
        }
        HirKind::Capture(group) => Ok(of_hir(terms, &group.sub)),
        HirKind::Repetition(repetition) => {
            let body = of_hir(terms, &repetition.sub);
            terms.repeat(body, repetition.min, repetition.max.unwrap_or(MANY))
        }
        HirKind::Concat(parts) => parts.iter().rev().try_fold(EPSILON, |rest, part| {
            let part = of_hir(terms, part);
            terms.cat(part, rest)
        }),
        HirKind::Alternation(parts) => {
            let parts: Vec<TermId> = parts.iter().map(|part| of_hir(terms, part)).collect();
            terms.alt(parts)
        }
        kind => unreachable!("no test needs {kind:?}"),
    };
    made.unwrap()
}

/// The term of any of these texts, sorted: a set of words, whatever their number.
pub(crate) fn words(terms: &mut Terms, texts: &[&str]) -> TermId {
    terms.words(texts.iter().map(|text| text.as_bytes().into()).collect()).unwrap()
}

/// The texts over `alphabet` of at most `length` bytes that the term matches, the shortest first.
pub(crate) fn texts(terms: &mut Terms, id: TermId, alphabet: &str, length: usize) -> Vec<String> {
    let (mut found, mut layer) = (Vec::new(), vec![String::new()]);
    for _ in 0..=length {
        found.extend(layer.iter().filter(|text| terms.matches(id, text.as_bytes()).unwrap()).cloned());
        layer = layer.iter().flat_map(|text| alphabet.chars().map(move |next| format!("{text}{next}"))).collect();
    }
    found
}

/// The term after these bytes.
pub(crate) fn after(terms: &mut Terms, id: TermId, read: &[u8]) -> TermId {
    read.iter().fold(id, |id, &byte| terms.derive(id, byte).unwrap())
}

/// The set of these bytes.
pub(crate) fn bytes(bytes: &str) -> ByteSet {
    ByteSet::from_bytes(bytes.bytes())
}
