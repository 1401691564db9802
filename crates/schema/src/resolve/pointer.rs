//! Token of a path ↔ its spelling in a JSON pointer (RFC 6901); pointer → node.

use crate::json::{Key, NodeId, Tree, Value};
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

/// The node at a pointer; None if there is none.
///
/// ```
/// use frisket_schema::json::parse;
/// use frisket_schema::resolve::pointer::follow;
///
/// let tree = parse("{\"a/b\": [1, true]}")?;
/// assert_eq!(follow(&tree, "/a~1b/1").map(|node| tree.begun(node, 9)).as_deref(), Some("true"));
/// # Ok::<(), Box<frisket_schema::error::Error>>(())
/// ```
pub fn follow(tree: &Tree, pointer: &str) -> Option<NodeId> {
    pointer.split('/').skip(1).try_fold(tree.root(), |node, token| step(tree, node, &unescape(token)))
}

/// The member of an object, or the item of an array, that a token names; None if there is none.
pub fn step(tree: &Tree, node: NodeId, token: &str) -> Option<NodeId> {
    match tree.value(node) {
        Value::Array(items) if token.bytes().all(|byte| byte.is_ascii_digit()) => {
            items.get(token.parse::<usize>().ok()?).copied()
        }
        Value::Object(members) => members.get(token),
        _ => None,
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
