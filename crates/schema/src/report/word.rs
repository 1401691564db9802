//! Words without an effect → the reason, or the known word that may be meant.

use crate::read::{keyword_names, METADATA};
use crate::similar::closest;

/// The reason why a word that looks like a condition has no effect.
pub(super) fn annotation(word: &str) -> Option<&'static str> {
    Some(match word {
        "contentEncoding" => "contents are annotated; draft 7 asserts base64",
        "contentMediaType" => "contents are annotated; draft 7 asserts application/json",
        "contentSchema" => "contents are annotated",
        "discriminator" => "OpenAPI's; the alternatives tell themselves apart",
        _ => return None,
    })
}

/// The keyword that another one needs to have an effect.
pub(super) fn needed(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "then" | "else" => "if",
        "minContains" | "maxContains" => "contains",
        _ => return None,
    })
}

/// The word of JSON Schema that an unknown one may be meant for.
pub(super) fn meant(word: &str) -> Option<&'static str> {
    let mut known: Vec<&'static str> = keyword_names().chain(METADATA).collect();
    known.sort_unstable();
    closest(word, known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_may_be_meant_for_a_keyword_or_metadata() {
        assert_eq!(meant("requried"), Some("required"));
        assert_eq!(meant("min_length"), Some("minLength"));
        assert_eq!(meant("Description"), Some("description"));
        assert_eq!(meant("$ID"), Some("id"));
        assert_eq!(meant("colour"), None);
    }
}
