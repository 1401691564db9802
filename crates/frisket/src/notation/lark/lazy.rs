//! Definitions → which lazy rules may begin a text of a node, and which nodes may have no terminal at all.

use super::tree::{Definition, Definitions, Id, Node, Trees};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Names of lazy rules.
pub(super) type Lazy = BTreeSet<Rc<str>>;

type Names = FxHashSet<Rc<str>>;

/// Whether a rule ends at a text that others may go on behind; a special token is none.
pub(super) fn is_lazy(trees: &Trees, definition: &Definition) -> bool {
    let items = trees.items(definition.body);
    let ends_in_token = definition.attributes.ending.is_none()
        && items.last().is_some_and(|&last| matches!(trees.node(last), Node::Special(_)));
    definition.attributes.lazy_at.is_some() && !ends_in_token
}

/// What may begin the texts of the rules of a grammar. Bodies are no deeper than a stack.
pub(super) struct Beginning {
    pub known: Definitions,
    /// Rules that may have no terminal at all.
    empty: Names,
    /// The lazy rules that may begin each rule.
    begins: FxHashMap<Rc<str>, Lazy>,
    /// Rules that call themselves.
    pub recursive: Names,
    /// Rules below which a lazy rule is called.
    pub holds_lazy: Names,
}

impl Beginning {
    pub fn new(trees: &Trees, known: Definitions) -> Self {
        let rules: Vec<(Rc<str>, Id)> = known
            .iter()
            .filter(|(_, definition)| !definition.is_lexeme())
            .map(|(name, definition)| (name.clone(), definition.body))
            .collect();
        let (empty, begins) = (Names::default(), FxHashMap::default());
        let mut made = Beginning { known, empty, begins, recursive: Names::default(), holds_lazy: Names::default() };
        // In turns from either end, so that chains of calls take no more passes than they have turns.
        let (mut has_changed, mut order) = (true, (0..rules.len()).collect::<Vec<_>>());
        while has_changed {
            has_changed = false;
            order.reverse();
            for (name, body) in order.iter().map(|&place| &rules[place]) {
                let (begins, is_empty) = (made.first(trees, *body), made.is_empty(trees, *body));
                if is_empty && made.empty.insert(name.clone()) {
                    has_changed = true;
                }
                if made.begins.get(name).is_none_or(|known| *known != begins) {
                    has_changed |= made.begins.insert(name.clone(), begins.clone()).is_some() || !begins.is_empty();
                }
            }
        }
        let calls: FxHashMap<Rc<str>, Names> =
            rules.iter().map(|(name, body)| (name.clone(), made.called(trees, *body))).collect();
        let holds: Names = rules
            .iter()
            .filter(|(_, body)| made.names(trees, *body).iter().any(|name| made.is_lazy(trees, name)))
            .map(|(name, _)| name.clone())
            .collect();
        for (name, _) in &rules {
            let reached = reached(&calls, name);
            if reached.contains(name) {
                made.recursive.insert(name.clone());
            }
            if holds.contains(name) || reached.iter().any(|name| holds.contains(name)) {
                made.holds_lazy.insert(name.clone());
            }
        }
        made
    }

    fn is_lazy(&self, trees: &Trees, name: &str) -> bool {
        self.known.get(name).is_some_and(|found| is_lazy(trees, found))
    }

    fn names(&self, trees: &Trees, body: Id) -> Vec<Rc<str>> {
        let name = |id| match trees.node(id) {
            Node::Name { name, .. } => Some(name.clone()),
            _ => None,
        };
        trees.postorder(body).into_iter().filter_map(name).collect()
    }

    /// The rules that a body calls, terminals aside.
    fn called(&self, trees: &Trees, body: Id) -> Names {
        let is_rule = |name: &Rc<str>| self.known.get(name).is_some_and(|found| !found.is_lexeme());
        self.names(trees, body).into_iter().filter(is_rule).collect()
    }

    /// Whether a node is one terminal where a rule's body names it.
    pub fn is_lexeme(&self, trees: &Trees, node: Id) -> bool {
        is_lexeme(trees, &self.known, node)
    }

    /// The lazy rules that may begin a text of a node.
    pub fn first(&self, trees: &Trees, node: Id) -> Lazy {
        match trees.node(node) {
            Node::Name { name, .. } if self.is_lazy(trees, name) => Lazy::from([name.clone()]),
            Node::Name { name, .. } => self.begins.get(name).cloned().unwrap_or_default(),
            _ if self.is_lexeme(trees, node) => Lazy::new(),
            Node::Seq(items) => self.first_of(trees, items),
            _ => trees.below(node).iter().flat_map(|&child| self.first(trees, child)).collect(),
        }
    }

    /// The lazy rules that may begin a text of items that stand one after the other.
    pub fn first_of(&self, trees: &Trees, items: &[Id]) -> Lazy {
        let mut found = Lazy::new();
        for &item in items {
            found.extend(self.first(trees, item));
            if !self.is_empty(trees, item) {
                break;
            }
        }
        found
    }

    /// Whether a node may have no terminal at all.
    pub fn is_empty(&self, trees: &Trees, node: Id) -> bool {
        match trees.node(node) {
            Node::Name { name, .. } => self.empty.contains(name),
            Node::Text { text, .. } => text.is_empty(),
            Node::Seq(items) => items.iter().all(|&item| self.is_empty(trees, item)),
            Node::Alt(items) => items.iter().any(|&item| self.is_empty(trees, item)),
            Node::Repeat(item, low, _) => *low == 0 || self.is_empty(trees, *item),
            _ => false,
        }
    }
}

/// Whether a node is one terminal where a rule's body names it.
pub(super) fn is_lexeme(trees: &Trees, known: &Definitions, mut node: Id) -> bool {
    while let Node::Not(item) = trees.node(node) {
        node = *item;
    }
    match trees.node(node) {
        Node::Name { name, .. } => known.get(name).is_some_and(Definition::is_lexeme),
        Node::Text { .. } | Node::Chars(_) | Node::Regex(_) | Node::Substring(_) | Node::Cut { .. } => true,
        _ => false,
    }
}

/// The rules that are called below a rule, however far.
fn reached(calls: &FxHashMap<Rc<str>, Names>, name: &Rc<str>) -> Names {
    let (mut found, mut agenda) = (Names::default(), vec![name.clone()]);
    while let Some(name) = agenda.pop() {
        for called in calls.get(&name).into_iter().flatten() {
            if found.insert(called.clone()) {
                agenda.push(called.clone());
            }
        }
    }
    found
}
