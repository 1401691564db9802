//! Pushes of values, outermost first → a tree.
//!
//! The parser and the language bindings build trees by the same calls.

use super::text::Text;
use super::tree::{Key, MemberAt, Node, NodeId, Slice, TextAt, Tree, ValueAt};
use crate::error::{Error, Result};
use frisket_core::limits::{sort_by, Watch};
use frisket_core::storage::hash::Hasher128;

/// The deepest nesting of arrays and objects. Every loop over a tree keeps its own stack, so this bounds memory only.
pub const MAX_DEPTH: u32 = 10_000;

/// Bytes of compact JSON for each value, the median of MaskBench's schemas.
const BYTES_PER_NODE: usize = 16;
/// Most bytes of text for which room is reserved ahead.
const LARGEST_RESERVE: usize = 1 << 20;

/// Nodes between two checks of flag and clock, some 100 µs.
const CHECKED: u32 = 1024;

/// Builds a tree from pushes: scalars, `begin_array` … `end`, `begin_object`, `key`, value, … `end`.
///
/// ```
/// use frisket_schema::json::{Text, TreeBuilder, Value};
///
/// let mut builder = TreeBuilder::default();
/// builder.begin_object()?;
/// builder.key(Text::Unicode("minimum"))?;
/// builder.number("1.50")?;
/// builder.end()?;
/// let tree = builder.finish();
/// let minimum = tree.object(tree.root()).unwrap().get("minimum").unwrap();
/// assert!(matches!(tree.value(minimum), Value::Number("1.50")));
/// # Ok::<(), Box<frisket_schema::error::Error>>(())
/// ```
///
/// Panics if the pushes are no value: `end` without a begin, a member without a key, nothing at all.
#[derive(Debug)]
pub struct TreeBuilder {
    tree: Tree,
    open: Vec<Open>,
    /// Parts of the arrays and objects that are open, the innermost last.
    parts: Vec<MemberAt>,
    /// Levels below each node, for nodes that are pushed again.
    heights: Vec<u32>,
    key: Option<TextAt>,
    done: Option<NodeId>,
    watch: Watch,
}

/// An array or object that is still open.
#[derive(Debug)]
struct Open {
    is_object: bool,
    first_part: usize,
    height: u32,
}

/// The key in the entry of an item.
const NO_KEY: TextAt = TextAt::Foreign(Slice { start: 0, end: 0 });

impl Default for TreeBuilder {
    fn default() -> Self {
        let tree = Tree {
            nodes: Vec::new(),
            texts: String::new(),
            items: Vec::new(),
            members: Vec::new(),
            by_key: Vec::new(),
            is_shared: false,
            has_foreign_keys: false,
            has_ids: false,
            root: NodeId(0),
        };
        let (open, parts, heights) = (Vec::new(), Vec::new(), Vec::new());
        TreeBuilder { tree, open, parts, heights, key: None, done: None, watch: Watch::default() }
    }
}

impl TreeBuilder {
    /// Reserves room for the tree of a value of so many bytes of compact JSON, up to a bound.
    pub fn reserve(&mut self, bytes: usize) {
        let bytes = bytes.min(LARGEST_RESERVE);
        let nodes = bytes / BYTES_PER_NODE;
        self.tree.texts.reserve(bytes);
        self.tree.nodes.reserve(nodes);
        self.heights.reserve(nodes);
        self.tree.members.reserve(nodes);
        self.tree.by_key.reserve(nodes);
    }

    /// Lets a flag or the clock end the pushes that follow, with an error.
    pub fn watched_by(&mut self, watch: Watch) {
        self.watch = watch;
    }

    /// null
    pub fn null(&mut self) -> Result<NodeId> {
        self.add(ValueAt::Null, 0)
    }

    /// false or true
    pub fn boolean(&mut self, flag: bool) -> Result<NodeId> {
        self.add(ValueAt::Boolean(flag), 0)
    }

    /// A number, as JSON writes it.
    pub fn number(&mut self, numeral: &str) -> Result<NodeId> {
        let at = self.store(numeral)?;
        self.add(ValueAt::Number(at), 0)
    }

    /// A number that JSON lacks, such as NaN, by its name.
    pub fn non_finite(&mut self, name: &str) -> Result<NodeId> {
        let at = self.store(name)?;
        self.add(ValueAt::NonFinite(at), 0)
    }

    /// A string.
    pub fn string(&mut self, text: Text<'_>) -> Result<NodeId> {
        let at = self.store_text(text)?;
        self.add(ValueAt::String(at), 0)
    }

    /// A value that is no JSON, by the name of its type.
    pub fn foreign(&mut self, name: &str) -> Result<NodeId> {
        let at = self.store(name)?;
        self.add(ValueAt::Foreign(at), 0)
    }

    /// A value that was pushed before: in other languages, one value may stand at several places.
    pub fn shared(&mut self, node: NodeId) -> Result<NodeId> {
        self.check_depth(self.heights[node.0 as usize])?;
        self.tree.is_shared = true;
        self.place(node);
        Ok(node)
    }

    /// Begins an array; its items follow.
    pub fn begin_array(&mut self) -> Result<()> {
        self.begin(false)
    }

    /// Begins an object; its members follow, each a key and a value. Members of one name have the place of the first
    /// and the value of the last.
    pub fn begin_object(&mut self) -> Result<()> {
        self.begin(true)
    }

    /// The name of the next member.
    pub fn key(&mut self, text: Text<'_>) -> Result<()> {
        self.tree.has_ids |= matches!(text, Text::Unicode("$id" | "id"));
        self.key = Some(self.store_text(text)?);
        Ok(())
    }

    /// The key of the next member, if it is no string, as an error should show it.
    pub fn foreign_key(&mut self, name: &str) -> Result<()> {
        let at = self.store(name)?;
        self.tree.has_foreign_keys = true;
        self.key = Some(TextAt::Foreign(at));
        Ok(())
    }

    /// Ends the innermost array or object.
    pub fn end(&mut self) -> Result<NodeId> {
        let open = self.open.pop().expect("an end needs a begin");
        let value = match open.is_object {
            true => ValueAt::Object(self.members(open.first_part)?),
            false => {
                let start = self.tree.items.len() as u32;
                self.tree.items.extend(self.parts[open.first_part..].iter().map(|part| part.value));
                ValueAt::Array(Slice { start, end: self.tree.items.len() as u32 })
            }
        };
        self.parts.truncate(open.first_part);
        let waiting = self.parts.pop().expect("a begin leaves its key");
        if self.is_in_object() == Some(true) {
            self.key = Some(waiting.key);
        }
        self.add(value, open.height + 1)
    }

    /// The tree of everything pushed.
    pub fn finish(mut self) -> Tree {
        assert!(self.open.is_empty(), "an array or object has no end");
        self.tree.root = self.done.expect("a tree needs a value");
        self.tree
    }

    /// Whether the innermost open value is an object; None if nothing is open.
    pub(super) fn is_in_object(&self) -> Option<bool> {
        self.open.last().map(|open| open.is_object)
    }

    pub(super) fn begin(&mut self, is_object: bool) -> Result<()> {
        self.check_depth(1)?;
        let key =
            if self.is_in_object() == Some(true) { self.key.take().expect("a member needs a key") } else { NO_KEY };
        // The key is kept below the parts of its value until the value ends.
        self.parts.push(MemberAt { key, value: NodeId(0) });
        self.open.push(Open { is_object, first_part: self.parts.len(), height: 0 });
        Ok(())
    }

    /// Moves the members from `first` on into the tree, without repeated names.
    fn members(&mut self, first: usize) -> Result<Slice> {
        let TreeBuilder { tree, parts, watch, .. } = self;
        let parts = &mut parts[first..];
        let start = tree.members.len() as u32;
        let mut order = std::mem::take(&mut tree.by_key);
        let sorted = order.len();
        order.extend(0..parts.len() as u32);
        let key = |place: u32| parts[place as usize].key;
        // Equal names stay in their order.
        let compare = |left: &u32, right: &u32| tree.compare_keys(key(*left), key(*right)).then(left.cmp(right));
        sort_by(&mut order[sorted..], &compare, &mut || watch.check())?;
        if order[sorted..].windows(2).any(|pair| is_same_name(tree, key(pair[0]), key(pair[1]))) {
            let kept = without_duplicates(tree, parts, &order[sorted..]);
            order.truncate(sorted);
            order.extend(kept);
        } else {
            tree.members.extend_from_slice(parts);
        }
        tree.by_key = order;
        Ok(Slice { start, end: tree.members.len() as u32 })
    }

    fn add(&mut self, value: ValueAt, height: u32) -> Result<NodeId> {
        if self.tree.nodes.len() >= u32::MAX as usize {
            return Err(too_large());
        }
        let node = NodeId(self.tree.nodes.len() as u32);
        if node.0.is_multiple_of(CHECKED) {
            self.watch.check()?;
        }
        let hash = self.content_hash(value);
        self.tree.nodes.push(Node { value, hash });
        self.heights.push(height);
        self.place(node);
        Ok(node)
    }

    /// Adds a node to the innermost open array or object.
    fn place(&mut self, node: NodeId) {
        let height = self.heights[node.0 as usize];
        match self.open.last_mut() {
            None => assert!(self.done.replace(node).is_none(), "a tree has one value"),
            Some(open) => {
                open.height = open.height.max(height);
                let key = if open.is_object { self.key.take().expect("a member needs a key") } else { NO_KEY };
                self.parts.push(MemberAt { key, value: node });
            }
        }
    }

    fn content_hash(&self, value: ValueAt) -> u128 {
        let tree = &self.tree;
        let kind = match value {
            ValueAt::Null => 1,
            ValueAt::Boolean(flag) => 2 + u64::from(flag),
            ValueAt::Number(_) => 4,
            ValueAt::NonFinite(_) => 5,
            ValueAt::String(_) => 6,
            ValueAt::Array(_) => 7,
            ValueAt::Object(_) => 8,
            ValueAt::Foreign(_) => 9,
        };
        let mut hash = Hasher128::new(kind);
        match value {
            ValueAt::Null | ValueAt::Boolean(_) => {}
            ValueAt::Number(at) | ValueAt::NonFinite(at) | ValueAt::Foreign(at) => {
                hash.bytes(&tree.texts.as_bytes()[at.start as usize..at.end as usize]);
            }
            ValueAt::String(at) => hash_key(&mut hash, tree.key(at)),
            ValueAt::Array(at) => {
                hash.word(u64::from(at.end - at.start));
                tree.items[at.start as usize..at.end as usize].iter().for_each(|&item| hash.wide(tree.hash(item)));
            }
            ValueAt::Object(at) => {
                hash.word(u64::from(at.end - at.start));
                for member in &tree.members[at.start as usize..at.end as usize] {
                    hash_key(&mut hash, tree.key(member.key));
                    hash.wide(tree.hash(member.value));
                }
            }
        }
        hash.finish()
    }

    fn check_depth(&self, below: u32) -> Result<()> {
        if self.open.len() as u32 + below > MAX_DEPTH {
            return Err(Error::limit(format!("the schema nests deeper than {MAX_DEPTH} levels"))
                .with_hint("name inner schemas in $defs and refer to them"));
        }
        Ok(())
    }

    fn store(&mut self, text: &str) -> Result<Slice> {
        let start = self.tree.texts.len();
        if start + text.len() > u32::MAX as usize {
            return Err(too_large());
        }
        self.tree.texts.push_str(text);
        Ok(Slice { start: start as u32, end: self.tree.texts.len() as u32 })
    }

    fn store_text(&mut self, text: Text<'_>) -> Result<TextAt> {
        match text {
            Text::Unicode(text) => self.store(text).map(TextAt::Unicode),
            Text::Surrogates(text) => self.store(text).map(TextAt::Surrogates),
        }
    }
}

/// Moves members into the tree, each name once: at its first place, with its last value. Returns their order by name.
fn without_duplicates(tree: &mut Tree, parts: &mut [MemberAt], order: &[u32]) -> Vec<u32> {
    let key = |place: u32| parts[place as usize].key;
    let groups: Vec<(u32, u32)> = order
        .chunk_by(|&left, &right| is_same_name(tree, key(left), key(right)))
        .map(|group| (group[0], group[group.len() - 1]))
        .collect();
    let mut places = vec![None; parts.len()];
    for &(kept, last) in &groups {
        places[kept as usize] = Some(0);
        parts[kept as usize].value = parts[last as usize].value;
    }
    let start = tree.members.len() as u32;
    for (part, place) in parts.iter().zip(&mut places).filter(|(_, place)| place.is_some()) {
        *place = Some(tree.members.len() as u32 - start);
        tree.members.push(*part);
    }
    groups.iter().filter_map(|&(kept, _)| places[kept as usize]).collect()
}

/// Whether two keys are the same string. Keys that are no strings differ by values that the tree does not have, so none
/// are.
fn is_same_name(tree: &Tree, left: TextAt, right: TextAt) -> bool {
    tree.compare_keys(left, right).is_eq() && !matches!(left, TextAt::Foreign(_))
}

fn hash_key(hash: &mut Hasher128, key: Key<'_>) {
    match key {
        Key::Text(Text::Unicode(text)) => {
            hash.word(0);
            hash.bytes(text.as_bytes());
        }
        Key::Text(Text::Surrogates(text)) => {
            hash.word(1);
            hash.bytes(text.as_bytes());
        }
        Key::Foreign(name) => {
            hash.word(2);
            hash.bytes(name.as_bytes());
        }
    }
}

pub(super) fn too_large() -> Box<Error> {
    Error::limit("the schema is larger than 4 GB").with_hint("a schema of this size describes data; let it hold less")
}
