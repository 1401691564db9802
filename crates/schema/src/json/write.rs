//! Value → its text for a message: as JSON, or as Python writes its literals.

use super::text::Text;
use super::tree::{Key, NodeId, Tree, Value};

/// The words and quotes of a language of literals.
struct Style {
    null: &'static str,
    words: [&'static str; 2],
    quoted: fn(&str) -> String,
}

const JSON: Style =
    Style { null: "null", words: ["false", "true"], quoted: |text| serde_json::to_string(text).unwrap_or_default() };
const PYTHON: Style =
    Style { null: "None", words: ["False", "True"], quoted: |text| frisket_regex::quoted(text.chars()) };

impl Tree {
    /// The whole value as JSON, with a blank behind each comma and colon.
    pub fn to_json(&self) -> String {
        self.begun(self.root(), usize::MAX)
    }

    /// The first characters of a value as JSON; `…` stands for the rest.
    pub fn begun(&self, node: NodeId, most: usize) -> String {
        self.written(node, most, &JSON)
    }

    /// The first characters of a value as Python's `repr` writes it; `…` stands for the rest.
    pub fn repr(&self, node: NodeId, most: usize) -> String {
        self.written(node, most, &PYTHON)
    }

    fn written(&self, node: NodeId, most: usize, style: &Style) -> String {
        enum Task<'t> {
            Value(NodeId),
            Key(Key<'t>),
            Sign(&'static str),
        }
        let mut made = String::new();
        let mut tasks = vec![Task::Value(node)];
        // Each character takes a byte at least.
        while let Some(task) = tasks.pop().filter(|_| made.len() <= most.saturating_mul(4)) {
            let value = match task {
                Task::Sign(sign) => {
                    made.push_str(sign);
                    continue;
                }
                Task::Key(key) => {
                    made.push_str(&match key {
                        Key::Text(text) => quoted(text, style),
                        Key::Foreign(name) => name.to_owned(),
                    });
                    continue;
                }
                Task::Value(node) => self.value(node),
            };
            let first = tasks.len();
            match value {
                Value::Null => made.push_str(style.null),
                Value::Boolean(flag) => made.push_str(style.words[usize::from(flag)]),
                Value::Number(text) | Value::NonFinite(text) | Value::Foreign(text) => made.push_str(text),
                Value::String(text) => made.push_str(&quoted(text, style)),
                Value::Array(items) => {
                    made.push('[');
                    for (place, &item) in items.iter().enumerate() {
                        tasks.extend((place > 0).then_some(Task::Sign(", ")));
                        tasks.push(Task::Value(item));
                    }
                    tasks.push(Task::Sign("]"));
                }
                Value::Object(object) => {
                    made.push('{');
                    for (place, member) in object.iter().enumerate() {
                        tasks.extend((place > 0).then_some(Task::Sign(", ")));
                        tasks.extend([Task::Key(member.key), Task::Sign(": "), Task::Value(member.value)]);
                    }
                    tasks.push(Task::Sign("}"));
                }
            }
            tasks[first..].reverse();
        }
        match made.char_indices().nth(most) {
            Some((end, _)) => format!("{} …", &made[..end]),
            None => made,
        }
    }
}

/// A text between quotes; half of a surrogate pair is written as its escape.
fn quoted(text: Text<'_>, style: &Style) -> String {
    match text {
        Text::Unicode(text) => (style.quoted)(text),
        // Such a text holds the escapes already.
        Text::Surrogates(text) => (style.quoted)(text).replace(r"\\ud", r"\ud"),
    }
}

#[cfg(test)]
mod tests {
    use crate::json::parse;

    #[test]
    fn values_are_written_as_json_and_as_python_does() {
        let text = "{\"a\": [1.50, true, null], \"é\\n\\u0001\": {}, \"it's\": \"\\\"\"}";
        let tree = parse(text).unwrap();
        assert_eq!(tree.to_json(), text);
        assert_eq!(tree.repr(tree.root(), 99), "{'a': [1.50, True, None], 'é\\n\\x01': {}, \"it's\": '\"'}");
    }

    #[test]
    fn half_of_a_pair_is_its_escape() {
        let tree = parse(r#"{"\ud800": "a\\\udfff\u00e9"}"#).unwrap();
        assert_eq!(tree.to_json(), r#"{"\ud800": "a\\\udfffé"}"#);
        assert_eq!(tree.repr(tree.root(), 99), r"{'\ud800': 'a\\\udfffé'}");
    }

    #[test]
    fn long_values_are_cut() {
        let tree = parse("[\"ééé\", 2, 3]").unwrap();
        assert_eq!((tree.begun(tree.root(), 4), tree.begun(tree.root(), 13)), ("[\"éé …".into(), tree.to_json()));
        let deep = parse(&("[".repeat(9_000) + &"]".repeat(9_000))).unwrap();
        assert_eq!(deep.begun(deep.root(), 3), "[[[ …");
    }
}
