//! Value of a structural tag × its JSON pointer → the members of a format, each checked, or an error at its place.

use crate::error::{Code, Error, Result};
use frisket_schema::json::{NodeId, Object, Text, Tree, Value};
use frisket_schema::resolve::pointer::escape_str;
use std::rc::Rc;

/// Largest count: the definition of the format gives counts 31 bits.
const LARGEST: u32 = (1 << 31) - 1;
/// Most characters of a value in a message.
const SHOWN: usize = 200;

/// A value of the tag, or the place where one is missing.
#[derive(Clone)]
pub(super) struct Data<'t> {
    tree: &'t Tree,
    node: Option<NodeId>,
    /// JSON pointer of the place.
    pub pointer: String,
    /// The ends of the nearest tag around it.
    pub ends: Rc<[&'t str]>,
}

impl<'t> Data<'t> {
    /// The whole tag.
    pub fn new(tree: &'t Tree) -> Self {
        Data { tree, node: Some(tree.root()), pointer: String::new(), ends: Rc::default() }
    }

    /// The place, without the value.
    pub fn without_value(&self) -> Self {
        Data { node: None, ..self.clone() }
    }

    /// The value within a tag with these ends.
    pub fn within(mut self, ends: Rc<[&'t str]>) -> Self {
        self.ends = ends;
        self
    }

    pub fn tree(&self) -> &'t Tree {
        self.tree
    }

    pub fn node(&self) -> Option<NodeId> {
        self.node
    }

    /// The value; null where one is missing.
    pub fn value(&self) -> Value<'t> {
        self.node.map_or(Value::Null, |node| self.tree.value(node))
    }

    pub fn object(&self) -> Option<Object<'t>> {
        self.node.and_then(|node| self.tree.object(node))
    }

    /// The text of a string, unless it has half of a surrogate pair.
    pub fn str(&self) -> Option<&'t str> {
        self.node.and_then(|node| self.tree.str(node))
    }

    pub fn is_null(&self) -> bool {
        matches!(self.value(), Value::Null)
    }

    pub fn has(&self, key: &str) -> bool {
        self.object().is_some_and(|object| object.get(key).is_some())
    }

    /// The member of a name, or its place.
    pub fn get(&self, key: &str) -> Self {
        let node = self.object().and_then(|object| object.get(key));
        self.below(node, key)
    }

    /// The place of an item or member with a value.
    pub fn below(&self, node: Option<NodeId>, step: &str) -> Self {
        let pointer = format!("{}/{}", self.pointer, escape_str(step));
        Data { tree: self.tree, node, pointer, ends: self.ends.clone() }
    }

    /// The items of an array; None for other values.
    pub fn items(&self) -> Option<Vec<Self>> {
        let items = self.node.and_then(|node| self.tree.array(node))?;
        Some(items.iter().enumerate().map(|(at, &item)| self.below(Some(item), &at.to_string())).collect())
    }

    /// The error of the place. An empty hint is none.
    pub fn error(&self, message: impl Into<String>, hint: &str) -> Box<Error> {
        let error = Error::new(Code::GrammarSyntax, message).at(Some(self.pointer.clone()));
        if hint.is_empty() {
            error
        } else {
            error.with_hint(hint)
        }
    }

    /// As `error`, as the answer of a reader.
    pub fn fail<T>(&self, message: impl Into<String>, hint: &str) -> Result<T> {
        Err(self.error(message, hint))
    }

    /// The name of the value's type, as Python has it.
    pub fn kind(&self) -> &'t str {
        match self.value() {
            Value::Null => "null",
            Value::Boolean(_) => "bool",
            Value::Number(numeral) if is_whole(numeral) => "int",
            Value::Number(_) | Value::NonFinite(_) => "float",
            Value::String(_) => "str",
            Value::Array(_) => "list",
            Value::Object(_) => "dict",
            Value::Foreign(name) => name,
        }
    }

    /// The value, as Python writes it.
    pub fn shown(&self) -> String {
        self.node.map_or_else(|| "None".to_owned(), |node| self.tree.repr(node, SHOWN))
    }

    /// Whether the value counts as false in Python.
    pub fn is_false(&self) -> bool {
        match self.value() {
            Value::Null | Value::Boolean(false) => true,
            Value::Number(numeral) => numeral.parse() == Ok(0.0),
            Value::String(text) => text == Text::Unicode(""),
            Value::Array(items) => items.is_empty(),
            Value::Object(object) => object.is_empty(),
            _ => false,
        }
    }

    /// The text of a string; None for other values. Errors: half of a surrogate pair.
    pub fn given_text(&self) -> Result<Option<&'t str>> {
        match self.value() {
            Value::String(Text::Unicode(text)) => Ok(Some(text)),
            Value::String(_) => self.fail("a lone surrogate has no UTF-8 form", "leave it out"),
            _ => Ok(None),
        }
    }

    /// The text under a key.
    pub fn text(&self, key: &str) -> Result<&'t str> {
        let found = self.get(key);
        match found.given_text()? {
            Some(text) => Ok(text),
            None => found.fail(format!("{key} is a text, got {}", found.kind()), ""),
        }
    }

    /// The items of the list under a key.
    pub fn list(&self, key: &str) -> Result<Vec<Self>> {
        let found = self.get(key);
        found.items().ok_or_else(|| found.error(format!("{key} is a list, got {}", found.kind()), ""))
    }

    /// The items of the list under a key; none if it is missing.
    fn list_if_given(&self, key: &str) -> Result<Vec<Self>> {
        if self.get(key).is_null() {
            Ok(Vec::new())
        } else {
            self.list(key)
        }
    }

    /// The distinct texts under a key, none of which is empty; none if the key is missing.
    pub fn strings(&self, key: &str) -> Result<Vec<&'t str>> {
        let mut found = Vec::new();
        for item in self.list_if_given(key)? {
            match item.given_text()?.filter(|text| !text.is_empty()) {
                Some(text) => found.push(text),
                None => return item.fail("expected a text that is not empty", ""),
            }
        }
        Ok(distinct(found))
    }

    /// The count under a key.
    pub fn count(&self, key: &str) -> Result<u32> {
        let found = self.get(key);
        let number = match found.value() {
            Value::Number(numeral) if is_whole(numeral) => numeral.parse::<i64>().ok(),
            _ => None,
        };
        let count = number.and_then(|number| u32::try_from(number).ok()).filter(|&count| count <= LARGEST);
        count.ok_or_else(|| {
            let got = found.shown();
            found.error(format!("{key} is an integer from 0 to 2,147,483,647, got {got}"), "")
        })
    }

    /// The count under a key; None if it is missing.
    pub fn count_if_given(&self, key: &str) -> Result<Option<u32>> {
        if self.get(key).is_null() {
            Ok(None)
        } else {
            self.count(key).map(Some)
        }
    }

    /// The flag under a key; `usual` if it is missing.
    pub fn flag(&self, key: &str, usual: bool) -> Result<bool> {
        let found = self.get(key);
        match found.value() {
            Value::Boolean(flag) => Ok(flag),
            _ if found.node.is_none() => Ok(usual),
            _ => found.fail(format!("{key} is true or false, got {}", found.kind()), ""),
        }
    }

    /// The name of the special token that the value is: its text, or its number in brackets.
    pub fn token(&self) -> Result<Box<str>> {
        if let Some(text) = self.given_text()?.filter(|text| !text.is_empty()) {
            return Ok(text.into());
        }
        match self.value() {
            Value::Number("-0") => Ok("<[0]>".into()),
            Value::Number(numeral) if is_whole(numeral) && !numeral.starts_with('-') => {
                Ok(format!("<[{numeral}]>").into())
            }
            _ => {
                let got = self.shown();
                self.fail(format!("a token is the text or the number of a special token, got {got}"), "")
            }
        }
    }

    /// The names of the tokens under a key; none if it is missing.
    pub fn tokens(&self, key: &str) -> Result<Vec<Box<str>>> {
        self.list_if_given(key)?.iter().map(Self::token).collect()
    }
}

/// Whether a numeral is an integer of Python's.
fn is_whole(numeral: &str) -> bool {
    !numeral.contains(['.', 'e', 'E'])
}

/// The items, each at its first place.
pub(super) fn distinct<T: PartialEq + Eq + std::hash::Hash + Copy>(items: Vec<T>) -> Vec<T> {
    let mut seen = std::collections::HashSet::new();
    items.into_iter().filter(|&item| seen.insert(item)).collect()
}
