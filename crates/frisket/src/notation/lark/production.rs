//! Definitions → rules: terminals, rules of them, and what may stand between terminals.
//!
//! A text is one of the grammar's if some division into terminals is one that the rules allow, as Lark's `dynamic_complete`
//! has it. No lexer chooses the division: a mask must not forbid a text because another reading of its begin was preferred.
//! What is ignored is the longest text of its terminal, as in each of Lark's lexers (`separate`). A lazy rule ends as soon
//! as it can: of its texts the shortest are meant, and `compete` takes from other terminals.

use super::beginning::Beginnings;
use super::competition::compete;
use super::ignored::{separate, Gaps, Lexeme, Separation, Texts};
use super::instance::instances;
use super::lazy::is_lexeme;
use super::lowering::{emit, lower_part};
use super::terminal::check_terminals;
use super::tree::{Definition, Definitions, Id, Module, Node, Ordered};
use super::{Context, Dialect};
use crate::notation::pattern::Regex;
use crate::notation::source::{fail, Read};
use crate::notation::Failure;
use frisket_core::automaton::recognizer::{Allowance, Recognizer};
use frisket_core::builder::Builder;
use frisket_core::error::Error;
use frisket_core::limits::Limits;
use frisket_core::regular::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The rule of ignored text behind a terminal.
const GAP: &str = "%ignore";
/// The rule of the start and the ignored text before its first terminal.
const BEGIN: &str = "%begin";

/// One rule: its name as it is written, its body, and where its definition begins.
#[derive(Clone)]
pub(super) struct Rule {
    pub title: Rc<str>,
    pub body: Id,
    pub at: usize,
}

/// The rules of a grammar.
#[derive(Clone)]
pub(super) struct Rules {
    rules: Ordered<Rule>,
    /// The rule whose texts are the grammar's.
    pub root: Rc<str>,
}

impl Rules {
    pub fn get(&self, name: &str) -> Option<&Rule> {
        self.rules.get(name)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Rc<str>, &Rule)> {
        self.rules.iter()
    }

    pub fn values(&self) -> impl Iterator<Item = &Rule> {
        self.rules.values()
    }

    pub fn define(&mut self, name: Rc<str>, body: Id, at: usize) {
        self.rules.insert(name.clone(), Rule { title: name, body, at });
    }
}

/// One module's definitions as rules. The texts of the grammar are those of `start`.
pub(super) fn rules(cx: &mut Context, builder: &mut Builder, module: &Module, start: &str) -> Read<Rules> {
    check_declared(cx, module)?;
    let instances = instances(cx, builder, module)?;
    let definitions = compete(cx, instances.found, start)?;
    check_terminals(&cx.trees, &definitions)?;
    let rules = Rules { rules: Ordered::default(), root: start.into() };
    let has_gap = !instances.ignored.is_empty();
    let mut maker = Maker { cx, definitions, rules, has_gap, lexemes: Vec::new(), empty: FxHashSet::default() };
    let mut optional = instances.parametric;
    optional.extend(maker.all(module, &instances.ignored, start)?);
    maker.prune(&optional);
    Ok(maker.rules)
}

/// No rule may ask for a terminal that is only declared.
fn check_declared(cx: &Context, module: &Module) -> Read<()> {
    if module.declared.is_empty() {
        return Ok(());
    }
    let bodies = module.definitions.values().map(|definition| definition.body).chain(module.ignored.iter().copied());
    for id in bodies.flat_map(|body| cx.trees.postorder(body)) {
        let Node::Name { name, .. } = cx.trees.node(id) else { continue };
        let declared = module.declared.iter().rev().find(|(known, _)| known == name);
        if let Some((_, at)) = declared.filter(|_| !module.definitions.contains_key(name)) {
            let message =
                format!("the terminal {name} is declared and has no texts: only a lexer of one's own makes it");
            return fail(message, *at, "define it; indentation that is counted is beyond rules");
        }
    }
    Ok(())
}

struct Maker<'m, 'c> {
    cx: &'m mut Context<'c>,
    definitions: Definitions,
    rules: Rules,
    has_gap: bool,
    /// Each terminal in a rule as it stands there: with what may be ignored behind, and without.
    lexemes: Vec<(Id, Id)>,
    /// Terminals that may be empty.
    empty: FxHashSet<Rc<str>>,
}

impl Maker<'_, '_> {
    /// Makes all rules. Rules for the begin of texts, which may be empty without error, are the answer.
    fn all(&mut self, module: &Module, ignored: &[Id], start: &str) -> Read<FxHashSet<Rc<str>>> {
        let definitions: Vec<Definition> = self.definitions.values().cloned().collect();
        let is_whole = |definition: &Definition| definition.is_terminal() || definition.attributes.lazy_at.is_some();
        for definition in definitions.iter().filter(|definition| is_whole(definition)) {
            let body = self.whole(definition)?;
            self.define(definition, body);
        }
        let terminals = self.rules.clone();
        if self.has_gap {
            let emitted = emit(&self.cx.trees, terminals.iter(), 0);
            self.empty = emitted.productions.nullable().map(Rc::from).collect();
        }
        for definition in definitions.iter().filter(|definition| !is_whole(definition)) {
            let body = self.tree(definition.body, !definition.attributes.is_terminal)?;
            self.define(definition, body);
        }
        if !self.has_gap {
            return Ok(FxHashSet::default());
        }
        let nodes = ignored.iter().map(|&node| self.tree(node, false)).collect::<Read<Vec<Id>>>()?;
        let once = module.ignores_once.contains(&true);
        let is_first_ignored = self.cx.dialect == Dialect::Lark || module.is_first_ignored;
        match self.separation(&terminals, &nodes, once)? {
            Some(separation) => self.separate(&separation, start, is_first_ignored),
            None => {
                let body = self.cx.trees.alternatives(nodes);
                let body = self.cx.trees.add(Node::Repeat(body, 0, once.then_some(1)), 0);
                self.rules.define(GAP.into(), body, 0);
                self.begin(start, is_first_ignored, None, None, false);
                Ok(FxHashSet::default())
            }
        }
    }

    fn define(&mut self, definition: &Definition, body: Id) {
        let body = self.bounded(definition, body);
        self.rules.define(definition.name.clone(), body, definition.at);
    }

    /// The rule of whole texts, where something may be ignored before the first terminal or at the end alone.
    fn begin(&mut self, start: &str, is_first_ignored: bool, last: Option<Id>, first: Option<Id>, may_be_empty: bool) {
        let Some(at) = self.rules.get(start).map(|rule| rule.at) else { return };
        if !(is_first_ignored || last.is_some() || first.is_some()) {
            return;
        }
        let trees = &mut self.cx.trees;
        let mut body = first.unwrap_or_else(|| trees.name(start.into(), at));
        if let Some(last) = last {
            let last = trees.add(Node::Repeat(last, 0, Some(1)), 0);
            body = trees.add(Node::Seq(vec![body, last]), 0);
        }
        if first.is_some() && may_be_empty {
            let empty = trees.add(Node::Seq(Vec::new()), 0);
            body = trees.add(Node::Alt(vec![empty, body]), 0);
        }
        if is_first_ignored {
            let gap = trees.name(GAP.into(), at);
            body = trees.add(Node::Seq(vec![gap, body]), 0);
        }
        self.rules.rules.insert(BEGIN.into(), Rule { title: start.into(), body, at });
        self.rules.root = BEGIN.into();
    }

    /// The gaps between terminals in which each ignored text is the longest; nothing if they are any ignored texts.
    fn separation(&mut self, terminals: &Rules, ignored: &[Id], once: bool) -> Read<Option<Separation>> {
        let mut builder = self.cx.schemas.builder();
        let lexemes = self.lexemes.clone();
        let cx = &mut *self.cx;
        let mut separated = || {
            let mut known: FxHashMap<Rc<str>, TermId> = FxHashMap::default();
            let lexemes = lexemes.iter().map(|&(_, tree)| texts(cx, &mut builder, terminals, &mut known, tree));
            let lexemes = lexemes.collect::<Read<Vec<Lexeme>>>()?;
            separate(cx, &mut builder, terminals, ignored, &lexemes, once)
        };
        match separated() {
            Ok(Gaps::Apart(separation)) => Ok(Some(separation)),
            Ok(Gaps::Any) => Ok(None),
            Ok(Gaps::Inexact) => fail(
                "what follows an ignored text decides in more than one place where it ends",
                0,
                r"let each ignored text end by itself, or go on with one kind of character, as /[ \t]+/ does",
            ),
            Err(Failure::Engine(error)) if !matches!(*error, Error::Misuse(_)) => Err(Failure::Engine(error)),
            // The grammar itself is refused, with a better place.
            Err(_) => Ok(None),
        }
    }

    /// Puts the gaps where they belong: behind all terminals, before some, and at the end.
    fn separate(&mut self, separation: &Separation, start: &str, is_first_ignored: bool) -> Read<FxHashSet<Rc<str>>> {
        self.rules.define(GAP.into(), separation.common, 0);
        let mut plain = FxHashMap::default();
        for (&(lexeme, node), changed) in self.lexemes.iter().zip(&separation.lexemes) {
            let gap = self.cx.trees.below(lexeme)[1];
            plain.insert(lexeme, self.cx.trees.add(Node::Seq(vec![node, gap]), 0));
            if let Some(changed) = changed {
                self.cx.trees.set(lexeme, Node::Seq(vec![*changed, gap]));
            }
        }
        let mut beginnings = Beginnings::new(&self.cx.trees, &mut self.rules, &plain)?;
        let may_be_empty = beginnings.empty.contains(start);
        let is_first_told = may_be_empty || separation.lexemes.iter().any(Option::is_some);
        let has_first = !is_first_ignored && is_first_told && self.definitions.contains_key(start);
        let first = has_first.then(|| beginnings.rule(&mut self.cx.trees, start));
        let made = beginnings.made.into_values().collect();
        self.begin(start, is_first_ignored, separation.last, first, may_be_empty);
        Ok(made)
    }

    /// The node, and what may be ignored behind; nothing is ignored behind the empty text, which is no terminal.
    fn with_gap(&mut self, node: Id, at: usize, may_be_empty: bool) -> Id {
        if !self.has_gap {
            return node;
        }
        let trees = &mut self.cx.trees;
        let gap = trees.name(GAP.into(), at);
        let mut solid = node;
        if may_be_empty {
            let byte = trees.add(Node::Octets(Rc::new([(0, 255)])), 0);
            let some = trees.add(Node::Repeat(byte, 1, None), 0);
            solid = trees.add(Node::Both(vec![node, some]), at);
        }
        let lexeme = trees.add(Node::Seq(vec![solid, gap]), 0);
        self.lexemes.push((lexeme, solid));
        if !may_be_empty {
            return lexeme;
        }
        let empty = trees.add(Node::Seq(Vec::new()), 0);
        let nothing = trees.add(Node::Both(vec![node, empty]), at);
        trees.add(Node::Alt(vec![lexeme, nothing]), 0)
    }

    /// The body of a rule, each terminal with what may be ignored behind; or the texts of a terminal or a part of one.
    fn tree(&mut self, body: Id, in_rule: bool) -> Read<Id> {
        let mut made: Vec<Id> = Vec::new();
        let mut agenda = vec![(body, false)];
        while let Some((id, is_left)) = agenda.pop() {
            let below = self.cx.trees.below(id);
            if in_rule && is_lexeme(&self.cx.trees, &self.definitions, id) {
                made.push(self.lexeme(id)?);
            } else if is_left || below.is_empty() {
                let below = made.split_off(made.len() - below.len());
                made.push(self.node(id, below, in_rule)?);
            } else {
                agenda.push((id, true));
                agenda.extend(self.cx.trees.below(id).iter().rev().map(|&child| (child, false)));
            }
        }
        Ok(made.pop().unwrap_or(body))
    }

    fn lexeme(&mut self, id: Id) -> Read<Id> {
        if matches!(self.cx.trees.node(id), Node::Text { text, .. } if text.is_empty()) {
            return Ok(self.cx.trees.add(Node::Seq(Vec::new()), 0));
        }
        let node = self.tree(id, false)?;
        Ok(self.with_gap(node, self.cx.trees.at(id), self.has_gap && self.may_be_empty(id)))
    }

    fn node(&mut self, id: Id, below: Vec<Id>, in_rule: bool) -> Read<Id> {
        let at = self.cx.trees.at(id);
        let capital = "name a terminal, whose first letter is a capital";
        Ok(match self.cx.trees.node(id) {
            Node::Text { text, .. } if text.is_empty() => self.cx.trees.add(Node::Seq(Vec::new()), 0),
            Node::Text { text, any_case: true } => {
                let regex = Regex::any_case(text, self.cx.dialect, &self.cx.python);
                self.cx.trees.add(Node::Regex(Rc::new(regex)), at)
            }
            Node::Regex(regex) if regex.is_shortest => self.cx.trees.add(Node::Shortest(id), at),
            Node::Special(_) | Node::Schema(_) | Node::Nested(..) => self.with_gap(id, at, false),
            Node::Not(_) if in_rule => return fail("~ stands before terminals only", at, capital),
            Node::Both(_) if in_rule => return fail("& stands between terminals only", at, capital),
            Node::Cut { lazy, before_end, .. } => {
                let (lazy, before_end) = (lazy.clone(), *before_end);
                self.cut(below[0], &lazy, before_end, at)?
            }
            _ => self.cx.trees.with_below(id, below),
        })
    }

    fn cut(&mut self, item: Id, lazy: &[Rc<str>], before_end: bool, at: usize) -> Read<Id> {
        let mut items = vec![item];
        for name in lazy {
            let Some(definition) = self.definitions.get(name).cloned() else { continue };
            let whole = self.whole(&definition)?;
            let trees = &mut self.cx.trees;
            let byte = trees.add(Node::Octets(Rc::new([(0, 255)])), 0);
            let behind = trees.add(Node::Repeat(byte, u32::from(before_end), None), 0);
            let longer = trees.add(Node::Seq(vec![whole, behind]), 0);
            items.push(trees.add(Node::Not(longer), at));
        }
        Ok(self.cx.trees.add(Node::Both(items), at))
    }

    /// The texts of a terminal, or of a lazy rule without what may be ignored behind.
    fn whole(&mut self, definition: &Definition) -> Read<Id> {
        let Some(lazy_at) = definition.attributes.lazy_at else {
            let found = self.tree(definition.body, false)?;
            let is_shortest = self.holds_inside(definition);
            return Ok(if is_shortest { self.cx.trees.add(Node::Shortest(found), definition.at) } else { found });
        };
        if let Some(ending) = definition.attributes.ending {
            let (body, ending) = (self.tree(definition.body, false)?, self.tree(ending, false)?);
            let found = self.cx.trees.add(Node::Seq(vec![body, ending]), 0);
            return Ok(self.cx.trees.add(Node::Shortest(found), lazy_at));
        }
        let mut items = self.cx.trees.items(definition.body);
        match items.last() {
            // No text holds a special token, so that there is one place where the rule can end.
            Some(&token) if matches!(self.cx.trees.node(token), Node::Special(_)) => {
                items.pop();
                let mut made = items.into_iter().map(|item| self.tree(item, false)).collect::<Read<Vec<Id>>>()?;
                made.push(token);
                Ok(self.cx.trees.add(Node::Seq(made), 0))
            }
            _ => {
                let found = self.tree(definition.body, false)?;
                Ok(self.cx.trees.add(Node::Shortest(found), lazy_at))
            }
        }
    }

    /// Whether the insides of a string, as the library has them, are a part of the terminal.
    fn holds_inside(&self, definition: &Definition) -> bool {
        let trees = &self.cx.trees;
        trees.postorder(definition.body).into_iter().any(|id| match trees.node(id) {
            Node::Name { name, .. } => self
                .definitions
                .get(name)
                .is_some_and(|called| matches!(trees.node(called.body), Node::Regex(regex) if regex.is_inside)),
            _ => false,
        })
    }

    /// The body restricted by the rule's attributes.
    fn bounded(&mut self, definition: &Definition, mut body: Id) -> Id {
        let (attributes, at) = (definition.attributes, definition.at);
        if let Some(most) = attributes.max_chars {
            let any = self.cx.trees.add(Node::Chars(Rc::new([(0, frisket_regex::LAST)])), 0);
            let any = self.cx.trees.add(Node::Repeat(any, 0, Some(most)), 0);
            body = self.cx.trees.add(Node::Both(vec![body, any]), at);
        }
        match attributes.lazy_at.is_some() || attributes.is_terminal {
            true => self.with_gap(body, at, false),
            false => body,
        }
    }

    /// False only if a terminal that a rule names certainly does not match the empty text.
    fn may_be_empty(&self, mut id: Id) -> bool {
        while let Node::Cut { item, .. } = self.cx.trees.node(id) {
            id = *item;
        }
        match self.cx.trees.node(id) {
            Node::Name { name, .. } => self.empty.contains(name),
            Node::Regex(regex) => regex.may_be_empty(),
            Node::Substring(_) | Node::Not(_) => true,
            _ => false,
        }
    }

    /// Drops calls of some rules that have no text: their conditions say so.
    fn prune(&mut self, optional: &FxHashSet<Rc<str>>) {
        if optional.is_empty() {
            return;
        }
        let emitted = emit(&self.cx.trees, self.rules.iter(), 0);
        let with_text: FxHashSet<&str> = emitted.productions.with_text().collect();
        let empty: FxHashSet<&Rc<str>> = optional.iter().filter(|name| !with_text.contains(&***name)).collect();
        if empty.is_empty() {
            return;
        }
        for rule in self.rules.rules.values_mut() {
            let mut made: FxHashMap<Id, Id> = FxHashMap::default();
            for id in self.cx.trees.postorder(rule.body) {
                let new = match self.cx.trees.node(id) {
                    Node::Name { name, .. } if empty.contains(name) => self.cx.trees.add(Node::Alt(Vec::new()), 0),
                    _ => {
                        let below = self.cx.trees.below(id).iter().map(|child| made[child]).collect();
                        self.cx.trees.with_below(id, below)
                    }
                };
                made.insert(id, new);
            }
            rule.body = made[&rule.body];
        }
    }
}

/// The texts of a terminal in a rule, and where they are no regular language the bytes that they begin with. `known` are
/// the nodes of terminals by name.
fn texts(
    cx: &mut Context,
    builder: &mut Builder,
    terminals: &Rules,
    known: &mut FxHashMap<Rc<str>, TermId>,
    tree: Id,
) -> Read<Lexeme> {
    let name = match cx.trees.node(tree) {
        Node::Name { name, .. } => Some(name.clone()),
        _ => None,
    };
    let node = match name.as_ref().and_then(|name| known.get(name)) {
        Some(&node) => node,
        None => lower_part(cx, builder, terminals, tree)?,
    };
    known.extend(name.map(|name| (name, node)));
    let begins = match cx.trees.node(tree) {
        // No byte is part of a special token.
        Node::Special(_) => Some(Vec::new()),
        Node::Schema(_) | Node::Nested(..) => Some(first_bytes(builder, node)?),
        _ => None,
    };
    Ok(Lexeme { texts: Texts { tree, node }, begins })
}

/// The bytes that texts of a node begin with.
fn first_bytes(builder: &mut Builder, node: TermId) -> Read<Vec<u8>> {
    let grammar = builder.fork(Limits::default(), None).build(node.number())?;
    let recognizer = Recognizer::new(grammar);
    let mut found = Vec::new();
    for byte in 0..=u8::MAX {
        if recognizer.read(&[byte], &Allowance::default())?.is_prefix {
            found.push(byte);
        }
    }
    Ok(found)
}
