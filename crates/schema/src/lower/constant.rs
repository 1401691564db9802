//! One JSON value → the node of the documents that spell it.
//!
//! A constant may be most of a schema, and the algebra has no conditions to read in it: a subschema for each part would
//! take ten times as long as this walk.

use super::Lowerer;
use crate::condition::ConjunctionId;
use crate::error::{Error, Kind, Result};
use crate::json::{Key, NodeId, Object, Text, Tree, Value};
use crate::resolve::Location;
use crate::types::Layout;
use frisket_core::error::{Error as EngineError, Limit, Result as EngineResult};
use frisket_core::grammar::builder::{Builder, ObjectRules, Punctuation};
use frisket_core::regular::term::TermId;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Levels of one walk. Deeper values become rules level by level, since the engine bounds how deep an expression nests.
const DEEPEST: usize = 32;
/// Steps of a limit that a part costs. The walk itself is paid for by who read the value.
const STEPS_PER_PART: u64 = 100;
/// Parts between two looks at the limits.
const CHECKED: u64 = 256;

/// The outcome of a value: left to the algebra; or its node, None if no document spells it.
enum Made {
    Unread,
    Node(Option<TermId>),
}

struct Walk<'w, 'd> {
    lowerer: &'w mut Lowerer<'d>,
    /// The conjunction that asks for the whole value.
    of: ConjunctionId,
    value: Location,
    tree: Arc<Tree>,
    layout: Layout,
    /// Arrays and objects by content, with the parts that they spell.
    known: FxHashMap<u128, (Option<TermId>, u64)>,
    /// Parts since the limits were last looked at.
    unchecked: u64,
    /// Parts so far. An array is one expression with its items, however often they are shared: their parts count each
    /// time. An object is an expression of its own, and counts once.
    spelled: u64,
}

impl Lowerer<'_> {
    /// The node of the value that a conjunction asks for, an inner None if no document spells it; None if the algebra is
    /// to read it. Errors: limits.
    pub(super) fn constant(&mut self, of: ConjunctionId, value: Location) -> Result<Option<Option<TermId>>> {
        let tree = self.expander.subschemas.documents.shared_tree(value);
        let is_composite = match tree.value(value.node) {
            Value::Number(numeral) if !self.reads(numeral) => return Ok(None),
            Value::NonFinite(_) | Value::Foreign(_) => return Ok(None),
            Value::String(Text::Surrogates(_)) => return Ok(None),
            Value::Array(_) | Value::Object(_) => true,
            _ => false,
        };
        let layout = self.layout()?;
        let known = FxHashMap::default();
        let mut walk = Walk { lowerer: self, of, value, tree, layout, known, unchecked: 0, spelled: 0 };
        let made = walk.node(value.node, 0).and_then(|made| walk.charge().map(|()| made));
        match made {
            Ok(Made::Unread) => Ok(None),
            Ok(Made::Node(node)) => {
                self.tables.structural.extend(node.filter(|_| is_composite));
                Ok(Some(node))
            }
            Err(error) => Err(self.located(error, of)),
        }
    }

    /// Whether a numeral is digits that only digits can spell.
    fn reads(&self, numeral: &str) -> bool {
        !self.spelling.numbers.free && numeral.parse::<i64>().is_ok()
    }

    /// The limit that a constant reached, where in the schema.
    fn located(&self, mut error: Box<Error>, of: ConjunctionId) -> Box<Error> {
        let is_limit = matches!(error.kind, Kind::Limit | Kind::Engine(EngineError::Limit(_)));
        if !is_limit
            || error.place.is_some()
            || matches!(error.kind, Kind::Engine(EngineError::Limit(Limit::Cancelled)))
        {
            return error;
        }
        error.message = format!("a value of const or enum: {}", error.message);
        error.at(self.expander.pointer_of(of))
    }
}

impl Walk<'_, '_> {
    fn node(&mut self, node: NodeId, depth: usize) -> Result<Made> {
        self.spell(1)?;
        let tree = self.tree.clone();
        match tree.value(node) {
            Value::Null => self.word("null"),
            Value::Boolean(flag) => self.word(if flag { "true" } else { "false" }),
            Value::String(Text::Unicode(text)) => {
                let free = self.lowerer.spelling.escapes.free;
                self.made(|builder| {
                    let node = builder.words(vec![text.as_bytes().into()])?;
                    builder.quoted(node.number(), free)
                })
            }
            Value::Number(numeral) if self.lowerer.reads(numeral) => match numeral {
                "0" | "-0" => self.made(|builder| builder.words(vec![(*b"-0").into(), (*b"0").into()])),
                _ => self.word(numeral),
            },
            Value::Array(_) | Value::Object(_) if depth == DEEPEST => Ok(Made::Unread),
            Value::Array(items) => self.once(node, |walk| walk.array(items, depth)),
            Value::Object(members) => {
                let before = self.spelled;
                self.once(node, |walk| {
                    let made = walk.object(members, depth);
                    walk.spelled = before;
                    made
                })
            }
            _ => self.scalar(node),
        }
    }

    /// The node of an array or object; of equal ones, the same.
    fn once(&mut self, node: NodeId, make: impl FnOnce(&mut Self) -> Result<Made>) -> Result<Made> {
        let content = self.tree.hash(node);
        if let Some(&(known, parts)) = self.known.get(&content) {
            self.spell(parts)?;
            return Ok(Made::Node(known));
        }
        let before = self.spelled;
        let made = make(self)?;
        if let Made::Node(made) = made {
            self.known.insert(content, (made, self.spelled - before));
        }
        Ok(made)
    }

    fn array(&mut self, list: &[NodeId], depth: usize) -> Result<Made> {
        let mut items = Vec::with_capacity(list.len());
        for &item in list {
            match self.node(item, depth + 1)? {
                Made::Node(Some(node)) => items.push(node.number()),
                other => return Ok(other),
            }
        }
        let Layout { open_array: open, close_array: close, comma, empty_array: empty, .. } = self.layout;
        let signs = Punctuation { open, close, colon: comma, comma, empty };
        self.made(|builder| builder.array(&items, None, signs, items.len() as u32, None))
    }

    fn object(&mut self, members: Object<'_>, depth: usize) -> Result<Made> {
        let mut properties = Vec::with_capacity(members.len());
        for member in members.iter() {
            let Key::Text(Text::Unicode(key)) = member.key else { return Ok(Made::Unread) };
            match self.node(member.value, depth + 1)? {
                Made::Node(Some(node)) => properties.push((key.to_owned(), true, vec![(node.number(), 0)])),
                other => return Ok(other),
            }
        }
        let Layout { open_object: open, close_object: close, colon, comma, empty_object: empty, .. } = self.layout;
        let signs = Punctuation { open, close, colon, comma, empty };
        let any_order = self.lowerer.spelling.any_order;
        let orders = if any_order { Vec::new() } else { orders_of(members) };
        let free = self.lowerer.spelling.escapes.free;
        let rules = ObjectRules { any_order, extras_last: true, orders, free, ..ObjectRules::default() };
        self.made(|builder| builder.object(properties, Vec::new(), signs, rules))
    }

    /// The node of a number that has several spellings, or of a text that has none.
    fn scalar(&mut self, node: NodeId) -> Result<Made> {
        let literal = self.lowerer.expander.subschemas.conjunctions.single(self.of);
        let Some(literal) = literal else { return Ok(Made::Unread) };
        let value = Location { node, ..self.value };
        let asked = self.lowerer.expander.subschemas.constant(literal.subschema(), value);
        let place = (asked, self.lowerer.level);
        match self.lowerer.tables.nodes.get(&place) {
            Some(&known) => Ok(Made::Node(known)),
            None => self.lowerer.expanded(place).map(Made::Node),
        }
    }

    fn word(&mut self, word: &str) -> Result<Made> {
        self.made(|builder| builder.words(vec![word.as_bytes().into()]))
    }

    fn made(&mut self, call: impl FnOnce(&mut Builder) -> EngineResult<TermId>) -> Result<Made> {
        Ok(Made::Node(Some(call(&mut self.lowerer.expander.builder)?)))
    }

    fn spell(&mut self, parts: u64) -> Result<()> {
        self.spelled += parts;
        self.unchecked += parts;
        if self.unchecked < CHECKED {
            return Ok(());
        }
        self.charge()
    }

    fn charge(&mut self) -> Result<()> {
        let steps = STEPS_PER_PART * std::mem::take(&mut self.unchecked);
        Ok(self.lowerer.expander.builder.check(steps)?)
    }
}

/// Which members keep an order, as lists of their places: names that begin with `$` come wherever.
fn orders_of(members: Object<'_>) -> Vec<Vec<u32>> {
    let is_about = |key: Key<'_>| matches!(key, Key::Text(Text::Unicode(text)) if text.starts_with('$'));
    let is_about: Vec<bool> = members.iter().map(|member| is_about(member.key)).collect();
    let (singles, chain): (Vec<u32>, Vec<u32>) =
        (0..is_about.len() as u32).partition(|place| is_about[*place as usize]);
    if singles.is_empty() {
        return Vec::new();
    }
    std::iter::once(chain).chain(singles.into_iter().map(|place| vec![place])).collect()
}
