//! Node of a schema → a hash of its keywords without annotations, and whether these depend on the schema's place.
//!
//! Generated schemas repeat constraints in full: on a member and the pattern that covers it, in a base and its
//! extension. Schemas of equal hash become one subschema.

use crate::error::Result;
use crate::json::{Key, NodeId, Text, Tree};
use crate::read::is_keyword;
use crate::resolve::applicator::{each_part, Step};
use frisket_core::limits::Watch;
use frisket_core::storage::hash::Hasher128;
use std::cell::Cell;

/// The content of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// No keyword with an effect.
    Nothing,
    /// Equal to every schema of this hash, wherever it stands.
    Free(u128),
    /// Equal to every schema of this hash in the same resource, on which its references depend.
    Bound(u128),
    /// Equal to no other schema: it has an identifier, or refers dynamically.
    Own,
}

/// Keywords that make a schema equal to no other one.
const OWN: [&str; 9] = [
    "$id",
    "id",
    "$schema",
    "$anchor",
    "$dynamicAnchor",
    "$recursiveAnchor",
    "$dynamicRef",
    "$recursiveRef",
    "$vocabulary",
];

/// Hashes of the schemas of one document, each made once.
#[derive(Debug, Default)]
pub struct Contents {
    /// Node → the index of its content; `UNKNOWN` if that was not computed.
    places: Vec<u32>,
    contents: Vec<Content>,
}

const UNKNOWN: u32 = u32::MAX;

/// Schemas between two checks of flag and clock, some 100 µs.
const CHECKED: usize = 64;

impl Contents {
    /// The content of a schema; for a node that is no object, the hash of its value. Errors: cancellation, time.
    pub fn of(&mut self, tree: &Tree, schema: NodeId, watch: &Watch) -> Result<Content> {
        self.places.resize(tree.len(), UNKNOWN);
        // A schema stays on the stack below its parts, and is hashed once they are known.
        let mut stack = vec![(schema, false)];
        while let Some((next, has_parts)) = stack.pop() {
            if self.known(next).is_some() {
                continue;
            }
            if !has_parts {
                let before = stack.len();
                stack.push((next, true));
                parts(tree, next, |part| {
                    if self.known(part).is_none() {
                        stack.push((part, false));
                    }
                });
                if stack.len() > before + 1 {
                    continue;
                }
                stack.pop();
            }
            let content = self.hash(tree, next);
            self.places[next.place()] = self.contents.len() as u32;
            self.contents.push(content);
            if self.contents.len().is_multiple_of(CHECKED) {
                watch.check()?;
            }
        }
        Ok(self.known(schema).expect("the loop ends with the schema itself"))
    }

    fn known(&self, node: NodeId) -> Option<Content> {
        self.contents.get(self.places[node.place()] as usize).copied()
    }

    /// The content of a schema whose parts are known.
    fn hash(&self, tree: &Tree, schema: NodeId) -> Content {
        let Some(members) = tree.object(schema) else { return Content::Free(tree.hash(schema)) };
        let mut hash = Hasher128::new(20);
        let (mut said, is_bound) = (0u64, Cell::new(false));
        let known = |part| self.known(part).expect("parts come before what they are parts of");
        let part = |hash: &mut Hasher128, part: NodeId| match known(part) {
            Content::Nothing => {
                hash.word(1);
                true
            }
            Content::Free(content) => {
                hash.word(2);
                hash.wide(content);
                true
            }
            Content::Bound(content) => {
                is_bound.set(true);
                hash.word(3);
                hash.wide(content);
                true
            }
            Content::Own => false,
        };
        let mut is_own = false;
        for member in members.iter() {
            let Key::Text(Text::Unicode(keyword)) = member.key else { continue };
            is_own |= (keyword.starts_with('$') || keyword == "id") && OWN.contains(&keyword);
            // OpenAPI's `nullable` changes the meaning of `type` under an option.
            if keyword == "nullable" {
                hash.wide(tree.hash(member.value));
            }
            if !is_keyword(keyword) {
                continue;
            }
            said += 1;
            hash.bytes(keyword.as_bytes());
            let (mut parts, mut is_free) = (0, true);
            each_part(tree, keyword, member.value, |below, step| {
                parts += 1;
                match step {
                    Step::Itself => hash.word(4),
                    Step::Item(_) => hash.word(5),
                    Step::Member(Key::Text(Text::Unicode(name))) => hash.bytes(name.as_bytes()),
                    Step::Member(_) => is_free = false,
                }
                is_free = is_free && part(&mut hash, below);
            });
            match parts {
                0 => hash.wide(tree.hash(member.value)),
                parts => hash.word(parts),
            }
            is_own |= !is_free;
            is_bound.set(is_bound.get() || keyword == "$ref");
        }
        hash.word(said);
        match (said, is_bound.get()) {
            (0, _) => Content::Nothing,
            _ if is_own => Content::Own,
            (_, true) => Content::Bound(hash.finish()),
            (_, false) => Content::Free(hash.finish()),
        }
    }
}

/// Calls `found` with each schema in the keywords of a schema.
fn parts(tree: &Tree, schema: NodeId, mut found: impl FnMut(NodeId)) {
    for member in tree.object(schema).iter().flat_map(|members| members.iter()) {
        let Key::Text(Text::Unicode(keyword)) = member.key else { continue };
        if is_keyword(keyword) {
            each_part(tree, keyword, member.value, |part, _| found(part));
        }
    }
}
