//! Token of a path ↔ its spelling in a JSON pointer (RFC 6901).

use crate::json::Key;
use std::borrow::Cow;

/// A name as a pointer spells it; a lone surrogate appears as its escape.
pub fn escape(key: Key<'_>) -> String {
    match key {
        Key::Text(text) => escape_str(&text.to_string()).into_owned(),
        Key::Foreign(name) => escape_str(name).into_owned(),
    }
}

/// A text as a pointer spells it.
pub fn escape_str(token: &str) -> Cow<'_, str> {
    match token.contains(['~', '/']) {
        true => Cow::Owned(token.replace('~', "~0").replace('/', "~1")),
        false => Cow::Borrowed(token),
    }
}

/// The token that a pointer spells.
pub fn unescape(token: &str) -> Cow<'_, str> {
    match token.contains('~') {
        true => Cow::Owned(token.replace("~1", "/").replace("~0", "~")),
        false => Cow::Borrowed(token),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Text;

    #[test]
    fn tokens_come_back_from_their_spelling() {
        for token in ["", "a", "a/b", "~", "~1", "/~0/"] {
            assert_eq!(unescape(&escape_str(token)), token);
        }
        assert_eq!(escape(Key::Text(Text::Surrogates("\\ud800/"))), "\\ud800~1");
    }
}
