//! Part of a tree → a tree of its own, for a schema that stands inside another value.

use super::build::TreeBuilder;
use super::tree::{Key, NodeId, Tree, Value};
use crate::error::Result;
use rustc_hash::FxHashMap;

/// Parts that are still to be pushed, the innermost last.
enum Task<'t> {
    Value(NodeId),
    Member(Key<'t>, NodeId),
    End(NodeId),
}

impl Tree {
    /// The tree of a node alone.
    ///
    /// ```
    /// use frisket_schema::json::parse;
    ///
    /// let tree = parse("{\"a\": [1, {\"b\": null}]}")?;
    /// let inner = tree.object(tree.root()).unwrap().get("a").unwrap();
    /// assert_eq!(tree.copy(inner)?.to_json(), "[1, {\"b\": null}]");
    /// # Ok::<(), Box<frisket_schema::error::Error>>(())
    /// ```
    ///
    /// Errors: it is larger than 4 GB, which no part of a tree is.
    pub fn copy(&self, node: NodeId) -> Result<Tree> {
        let mut builder = TreeBuilder::default();
        builder.copy(self, node)?;
        Ok(builder.finish())
    }
}

impl TreeBuilder {
    /// Pushes a key.
    pub fn copied_key(&mut self, key: Key<'_>) -> Result<()> {
        match key {
            Key::Text(text) => self.key(text),
            Key::Foreign(name) => self.foreign_key(name),
        }
    }

    /// Pushes a node of another tree, with all below it; a node that stands at several places does so here, too.
    pub fn copy(&mut self, tree: &Tree, node: NodeId) -> Result<()> {
        let mut known: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        let mut tasks = vec![Task::Value(node)];
        while let Some(task) = tasks.pop() {
            let node = match task {
                Task::End(node) => {
                    let made = self.end()?;
                    if tree.is_shared() {
                        known.insert(node, made);
                    }
                    continue;
                }
                Task::Member(key, node) => {
                    self.copied_key(key)?;
                    node
                }
                Task::Value(node) => node,
            };
            if let Some(&made) = known.get(&node) {
                self.shared(made)?;
                continue;
            }
            match tree.value(node) {
                Value::Null => self.null()?,
                Value::Boolean(flag) => self.boolean(flag)?,
                Value::Number(numeral) => self.number(numeral)?,
                Value::NonFinite(name) => self.non_finite(name)?,
                Value::String(text) => self.string(text)?,
                Value::Foreign(name) => self.foreign(name)?,
                Value::Array(items) => {
                    self.begin_array()?;
                    tasks.push(Task::End(node));
                    tasks.extend(items.iter().rev().map(|&item| Task::Value(item)));
                    continue;
                }
                Value::Object(object) => {
                    self.begin_object()?;
                    tasks.push(Task::End(node));
                    tasks.extend(object.iter().rev().map(|member| Task::Member(member.key, member.value)));
                    continue;
                }
            };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{parse, Text};

    #[test]
    fn a_part_has_the_content_of_its_node() {
        let tree = parse(r#"[0, {"a": ["\ud800", -1.50, true, {}], "b": null}]"#).unwrap();
        let inner = tree.array(tree.root()).unwrap()[1];
        let copy = tree.copy(inner).unwrap();
        assert_eq!(copy.hash(copy.root()), tree.hash(inner));
        assert_eq!(copy.len(), 7);
    }

    #[test]
    fn nodes_at_several_places_are_copied_once() {
        let mut builder = TreeBuilder::default();
        builder.begin_array().unwrap();
        let mut node = builder.string(Text::Unicode("x")).unwrap();
        for _ in 0..40 {
            builder.begin_array().unwrap();
            builder.shared(node).unwrap();
            builder.shared(node).unwrap();
            node = builder.end().unwrap();
        }
        builder.end().unwrap();
        let tree = builder.finish();
        let last = *tree.array(tree.root()).unwrap().last().unwrap();
        let copy = tree.copy(last).unwrap();
        assert_eq!(copy.hash(copy.root()), tree.hash(last));
        assert!(copy.len() < 100);
    }
}
