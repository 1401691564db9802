//! Conditions on a string → its literals in single quotes, for documents that are Python instead of JSON.

use super::text::listed;
use crate::condition::StringCondition;
use crate::types::Terms;
use frisket_core::error::Result;
use frisket_core::regular::term::TermId;
use frisket_regex::quoted;

/// The language of literals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Literals {
    /// JSON.
    #[default]
    Json,
    /// Python: None, False and True; strings also in single quotes, if any text is allowed or all are listed.
    Python,
}

impl Literals {
    /// The words for null, false and true.
    pub fn words(self) -> [&'static str; 3] {
        match self {
            Literals::Json => ["null", "false", "true"],
            Literals::Python => ["None", "False", "True"],
        }
    }
}

/// The node of Python's literals in single quotes, of any text or of the texts that conditions list. None for other
/// conditions. Errors: limits of the builder.
pub(super) fn single_quoted(
    terms: &Terms<'_>,
    conditions: &[StringCondition],
    forbidden: &[String],
) -> Result<Option<TermId>> {
    if conditions.is_empty() {
        return any_single_quoted(terms, forbidden).map(Some);
    }
    let texts = listed(terms, conditions, false)?.texts.unwrap_or_default();
    let is_allowed = |text: &str| !forbidden.iter().any(|word| text.contains(&**word));
    let literals: Vec<String> = texts.iter().filter(|text| is_allowed(text)).map(|text| quoted(text.chars())).collect();
    if literals.is_empty() {
        return Ok(None);
    }
    terms.words(literals).map(Some)
}

/// Printable ASCII and all beyond as they are, and the usual escapes.
fn any_single_quoted(terms: &Terms<'_>, forbidden: &[String]) -> Result<TermId> {
    let plain = terms.with(|builder| builder.char_class(&[(0x20, 0x26), (0x28, 0x5B), (0x5D, 0x10FFFF)]))?;
    let escaped = terms.words("'\\nrtbf".chars().map(|letter| format!("\\{letter}")))?;
    let mut inside = terms.repeat(terms.alt(&[plain, escaped])?, 0, None)?;
    if !forbidden.is_empty() {
        inside = terms.free_of(inside, forbidden)?;
    }
    let quote = terms.literal("'")?;
    terms.cat(&[quote, inside, quote])
}

#[cfg(test)]
mod tests {
    use super::*;
    use frisket_core::builder::Builder;
    use std::sync::Arc;

    fn accepted<'t>(conditions: &[StringCondition], forbidden: &[&str], texts: &[&'t str]) -> Vec<&'t str> {
        let mut builder = Builder::default();
        let terms = Terms::new(&mut builder);
        let forbidden: Vec<String> = forbidden.iter().map(|&text| text.to_owned()).collect();
        let Some(node) = single_quoted(&terms, conditions, &forbidden).unwrap() else { return Vec::new() };
        texts.iter().copied().filter(|text| terms.accepts(node, text).unwrap()).collect()
    }

    #[test]
    fn any_text_stands_in_single_quotes() {
        let texts = ["'a\"b'", r"'it\'s\n'", "'it's'", "'a\nb'", r"'\d'", "'é😀'", "\"a\"", "'</s>'"];
        assert_eq!(accepted(&[], &[], &texts), ["'a\"b'", r"'it\'s\n'", "'é😀'", "'</s>'"]);
        assert_eq!(accepted(&[], &["</s>"], &texts), ["'a\"b'", r"'it\'s\n'", "'é😀'"]);
    }

    #[test]
    fn listed_texts_are_written_as_repr_does() {
        let listed = [StringCondition::among(["it's", "a\n", "</s>"].map(Arc::from))];
        let texts = ["\"it's\"", r"'it\'s'", r"'a\n'", "'</s>'", "'b'"];
        assert_eq!(accepted(&listed, &["</s>"], &texts), ["\"it's\"", r"'a\n'"]);
        assert_eq!(accepted(&[StringCondition::Length { least: 1, most: None }], &[], &["'a'"]), [""; 0]);
    }
}
