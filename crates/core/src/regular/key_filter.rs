//! Set of keys × language → the keys of the set that are in the language.
//!
//! An object uses it to tell which keys that came a group of unnamed properties could repeat.

use crate::error::Result;
use crate::regular::id::KeySetId;
use crate::regular::key_set::NO_KEYS;
use crate::regular::term::{TermId, EMPTY};
use crate::regular::terms::Terms;

/// Bytes of a key that are compared with a language. Longer keys count as members. Chosen without measurement.
const MAX_FILTERED_BYTES: u32 = 256;

impl Terms {
    /// A superset of the keys of `set` that are in `language`; exact for keys of at most `MAX_FILTERED_BYTES`.
    pub(crate) fn filter_keys(&mut self, set: KeySetId, language: TermId) -> Result<KeySetId> {
        self.filter_keys_up_to(set, language, MAX_FILTERED_BYTES)
    }

    fn filter_keys_up_to(&mut self, set: KeySetId, language: TermId, most_bytes: u32) -> Result<KeySetId> {
        if set == NO_KEYS || language == EMPTY {
            return Ok(NO_KEYS);
        }
        if self.is_cofinite(language) || most_bytes == 0 {
            return Ok(set);
        }
        if let Some(&known) = self.filtered_keys.get(&(set, language)) {
            return Ok(known);
        }
        let mut children = Vec::new();
        let all: Vec<(u8, KeySetId)> = self.keys.children(set).collect();
        for (byte, rest) in all {
            let next = self.derive(language, byte)?;
            match self.filter_keys_up_to(rest, next, most_bytes - 1)? {
                NO_KEYS => {}
                kept => children.push((byte, kept)),
            }
        }
        let empty = self.keys.has_empty(set) && self.info(language).nullable;
        let kept = self.keys.intern_node(empty, children, &mut self.budget);
        self.filtered_keys.insert((set, language), kept, &mut self.budget);
        Ok(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::fixture::regex;

    fn set(terms: &mut Terms, texts: &[&str]) -> KeySetId {
        let add = |set, text: &&str| terms.keys.with(set, text.as_bytes(), &mut terms.budget);
        texts.iter().fold(NO_KEYS, add)
    }

    #[test]
    fn the_keys_of_the_language_are_kept() {
        let mut terms = Terms::new();
        let all = set(&mut terms, &["", "a", "ab", "abc", "b", "é"]);
        for (pattern, kept) in [
            ("ab?", &["a", "ab"][..]),
            ("[ab]*", &["", "a", "ab", "b"]),
            ("", &[""]),
            ("x", &[]),
            ("abcd", &[]),
            ("é|abc", &["abc", "é"]),
        ] {
            let language = regex(&mut terms, pattern);
            let kept = set(&mut terms, kept);
            assert_eq!(terms.filter_keys(all, language), Ok(kept), "{pattern}");
            assert_eq!(terms.filter_keys(all, language), Ok(kept), "{pattern}, from the memo");
        }
        assert_eq!(terms.filter_keys(all, EMPTY), Ok(NO_KEYS));
        assert_eq!(terms.filter_keys(NO_KEYS, EMPTY), Ok(NO_KEYS));
    }

    #[test]
    fn of_a_long_key_only_the_beginning_is_compared() {
        let key = |length: u32| "a".repeat(length as usize);
        for (key, is_kept) in [
            (key(MAX_FILTERED_BYTES - 1), false),
            (key(MAX_FILTERED_BYTES), true),
            (format!("x{}", key(MAX_FILTERED_BYTES)), false),
        ] {
            let mut terms = Terms::new();
            let language = regex(&mut terms, "a*b");
            let one = set(&mut terms, &[&key]);
            let kept = if is_kept { one } else { NO_KEYS };
            assert_eq!(terms.filter_keys(one, language), Ok(kept), "{} bytes", key.len());
        }
    }
}
