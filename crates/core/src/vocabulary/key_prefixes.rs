//! Token texts → what they hold behind the quote that opens a key.
//!
//! What follows a value depends on the members that came, on those that may come, and on the same of every object around
//! it. But a token that ends a value hardly goes on behind the quote of the next key: nearly all it can see is whether
//! the object may be closed and whether another member may come.

use crate::bytes::byteset::ByteSet;

/// Of quotes that stand behind one of `BEFORE`.
pub(crate) struct KeyPrefixes {
    /// The first bytes behind them.
    pub bytes: ByteSet,
    /// The keys that are read to their end, sorted; they are few and short.
    pub whole: Vec<Vec<u8>>,
    /// The first bytes of those.
    pub firsts: ByteSet,
    /// Whether some token goes on behind a key and its colon: into the value.
    pub crosses: bool,
}

/// With what ends that which comes before a key, with what begins that which comes behind it, and white space.
pub(crate) const BEFORE: &[u8] = b"{, \t\n\r";
pub(crate) const BEHIND: &[u8] = b": \t\n\r";

impl KeyPrefixes {
    /// Of the tokens that hold a quote.
    pub fn of<'a>(texts: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut found =
            KeyPrefixes { bytes: ByteSet::EMPTY, whole: Vec::new(), firsts: ByteSet::EMPTY, crosses: false };
        for text in texts {
            for (place, pair) in text.windows(2).enumerate() {
                if pair[1] == b'"' && BEFORE.contains(&pair[0]) {
                    found.look_at(&text[place + 2..]);
                }
            }
        }
        found.whole.sort_unstable();
        found.whole.dedup();
        found.firsts = ByteSet::of(found.whole.iter().filter_map(|key| key.first().copied()));
        found
    }

    fn look_at(&mut self, key: &[u8]) {
        let Some(&first) = key.first() else { return };
        self.bytes = self.bytes.union(&ByteSet::range(first, first));
        let Some(end) = end_of(key) else { return };
        let quoted = [b"\"", &key[..=end]].concat();
        // What is no JSON string is no key.
        let Ok(says) = serde_json::from_slice::<String>(&quoted) else { return };
        self.whole.push(says.into_bytes());
        let behind = &key[end + 1..];
        self.crosses |= behind.iter().position(|byte| !BEHIND.contains(byte)).is_some_and(|count| count > 0);
    }

    /// Whether one of these is a key that tokens read to its end.
    pub fn hold_one_of<'a>(&self, keys: impl IntoIterator<Item = &'a [u8]>) -> bool {
        let most = self.whole.iter().map(Vec::len).max();
        keys.into_iter().any(|key| {
            Some(key.len()) <= most && self.whole.binary_search_by(|whole| whole.as_slice().cmp(key)).is_ok()
        })
    }
}

/// The place of the quote that ends a string.
fn end_of(string: &[u8]) -> Option<usize> {
    let mut escaped = false;
    string.iter().position(|&byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}
