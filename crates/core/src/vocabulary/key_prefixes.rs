//! Token texts → the beginnings of JSON keys that they hold behind an opening quote.
//!
//! The tokens that follow a value depend on the members still allowed, here and in every enclosing object. But hardly any
//! token reads on behind the quote of the next key. Most masks therefore depend only on whether the object may close and
//! whether another member may come.

use crate::bytes::byteset::ByteSet;

/// The key beginnings of one vocabulary, counting quotes that stand behind a byte of `BEFORE`.
pub(crate) struct KeyPrefixes {
    /// The first bytes behind such quotes.
    pub bytes: ByteSet,
    /// The keys that some token reads completely, decoded and sorted; few and short.
    pub whole: Vec<Vec<u8>>,
    /// The first bytes of `whole`.
    pub firsts: ByteSet,
    /// Whether some token reads a key, its colon and the beginning of the value.
    pub crosses: bool,
}

/// The bytes that can precede a key: punctuation and white space.
pub(crate) const BEFORE: &[u8] = b"{, \t\n\r";
/// The bytes that can follow a key.
pub(crate) const BEHIND: &[u8] = b": \t\n\r";

impl KeyPrefixes {
    /// The key beginnings of the tokens that hold a quote.
    pub fn new<'a>(texts: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut found =
            KeyPrefixes { bytes: ByteSet::EMPTY, whole: Vec::new(), firsts: ByteSet::EMPTY, crosses: false };
        for text in texts {
            for (place, pair) in text.windows(2).enumerate() {
                if pair[1] == b'"' && BEFORE.contains(&pair[0]) {
                    found.record(&text[place + 2..]);
                }
            }
        }
        found.whole.sort_unstable();
        found.whole.dedup();
        found.firsts = ByteSet::from_bytes(found.whole.iter().filter_map(|key| key.first().copied()));
        found
    }

    /// Records what a token holds behind an opening quote.
    fn record(&mut self, key: &[u8]) {
        let Some(&first) = key.first() else { return };
        self.bytes = self.bytes.union(&ByteSet::range(first, first));
        let string = [b"\"", key].concat();
        let mut strings = serde_json::Deserializer::from_slice(&string).into_iter::<String>();
        // A string that is malformed or has no end is no key.
        let Some(Ok(text)) = strings.next() else { return };
        self.whole.push(text.into_bytes());
        let behind = &string[strings.byte_offset()..];
        self.crosses |= behind.iter().position(|byte| !BEHIND.contains(byte)).is_some_and(|count| count > 0);
    }

    /// Whether one of `keys` is in `whole`.
    pub fn has_any<'a>(&self, keys: impl IntoIterator<Item = &'a [u8]>) -> bool {
        let most = self.whole.iter().map(Vec::len).max();
        keys.into_iter().any(|key| {
            Some(key.len()) <= most && self.whole.binary_search_by(|whole| whole.as_slice().cmp(key)).is_ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (first bytes, whole keys, their first bytes, whether a token reads on into a value)
    fn of(tokens: &[&str]) -> (String, Vec<String>, String, bool) {
        let found = KeyPrefixes::new(tokens.iter().map(|text| text.as_bytes()));
        let text = |bytes: &ByteSet| bytes.iter().map(char::from).collect::<String>();
        let whole = found.whole.iter().map(|key| String::from_utf8(key.clone()).unwrap()).collect();
        (text(&found.bytes), whole, text(&found.firsts), found.crosses)
    }

    fn nothing() -> (String, Vec<String>, String, bool) {
        (String::new(), vec![], String::new(), false)
    }

    #[test]
    fn a_key_begins_behind_punctuation_or_white_space_and_a_quote() {
        for before in ["{", ",", " ", "\t", "\n", "\r", "x,"] {
            assert_eq!(of(&[&format!("{before}\"ab")]), ("a".into(), vec![], String::new(), false), "{before:?}");
        }
        for token in ["\"ab", "x\"ab", ":\"ab", "[\"ab", ",\"", "{", ""] {
            assert_eq!(of(&[token]), nothing(), "{token:?}");
        }
        assert_eq!(of(&["{\"ab", ",\"ba", ", \"c"]).0, "abc");
    }

    #[test]
    fn a_key_that_a_token_reads_to_its_end_is_whole() {
        let (bytes, whole, firsts, crosses) = of(&["{\"cd\"", ",\"ab\":", ",\"ab\" :\n", ",\"xy", ",\"\""]);
        assert_eq!((&*bytes, &*firsts, crosses), ("\"acx", "ac", false));
        assert_eq!(whole, ["", "ab", "cd"], "sorted, each once");
        assert_eq!(of(&[",\"a\",\"b\""]).1, ["a", "b"], "two in one token");
    }

    #[test]
    fn a_token_crosses_a_key_if_a_value_begins_behind_its_colon() {
        assert!(of(&[",\"a\":1"]).3);
        assert!(of(&[",\"a\": \""]).3);
        assert!(of(&[",\"a\"", ",\"b\" 1"]).3);
        assert!(!of(&[",\"a\""]).3);
        assert!(!of(&[",\"a\": "]).3);
        assert!(!of(&[",\"a\"x:1"]).3, "no key ends so");
    }
}
