//! Definitions × lazy rules → definitions in which a lazy rule ends the other terminals that may stand in its place.
//!
//! Free text and a lazy rule that waits for `<tool>` may begin at one place, as in `(tool_call)* text`. Once `<tool>` is
//! there, the text is the lazy rule's: the other terminal has only texts in which the lazy rule would not have ended.
//!
//! What may begin at one place is found along each rule: the alternatives of a choice, the next round of a repetition and
//! what follows it, the rules that are called there. Calls are replaced by bodies where lazy rules meet what follows.
//!
//! A rule that calls itself is copied instead. What comes behind its left-recursive calls is not compared with what
//! follows the rule.
//!
//! Source: github.com/guidance-ai/llguidance, docs/syntax.md, "Lazy lexemes" and "Tool calling".

use super::lazy::{Beginning, Lazy};
use super::tree::{Definition, Definitions, Id, Node};
use super::{Context, Dialect};
use crate::notation::source::{fail, Read};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Nodes that replacing calls and alternatives may make.
const MOST: usize = 20_000;
/// A repetition with an upper bound is written out as far as this where lazy rules meet it.
const MOST_ROUNDS: u32 = 16;
/// Parts beside a lazy rule that stand one behind or below the other: each one is a call on the stack.
const DEEPEST: usize = 1_000;
/// Patterns that xgrammar takes for free text.
const FREE_TEXT: [&str; 5] = [r"(.|\n)*", r"(\n|.)*", r"(?:.|\n)*", r"(?:\n|.)*", "(?s:.*)"];

/// Items that were rewritten, and the lazy rules that may begin where they end.
struct Part {
    node: Id,
    open: Lazy,
}

/// The definitions with lazy rules set against other terminals; those without lazy rules stay as they are.
pub(super) fn compete(cx: &mut Context, mut known: Definitions, start: &str) -> Read<Definitions> {
    let has_lazy = known.values().any(|found| super::lazy::is_lazy(&cx.trees, found));
    if !has_lazy || !known.contains_key(start) {
        return Ok(known);
    }
    if cx.dialect == Dialect::XGrammar {
        stand_alone(cx, &mut known, start);
    }
    for definition in known.values() {
        if cx.trees.depth(definition.body) > DEEPEST {
            return too_deep(definition.at);
        }
    }
    let beginning = Beginning::new(&cx.trees, known);
    let copied = Definitions::default();
    let mut competition = Competition { cx, beginning, made: 0, depth: 0, copies: FxHashMap::default(), copied, at: 0 };
    let names: Vec<Rc<str>> = competition.beginning.known.iter().map(|(name, _)| name.clone()).collect();
    let mut found = Definitions::default();
    for name in names {
        let Some(mut definition) = competition.beginning.known.get(&name).cloned() else { continue };
        if !(definition.is_terminal() || definition.attributes.lazy_at.is_some()) {
            competition.at = definition.at;
            definition.body = competition.sequence(&[definition.body], &Lazy::new(), &Lazy::new())?.node;
        }
        found.insert(name, definition);
    }
    for (name, definition) in competition.copied.iter() {
        found.insert(name.clone(), definition.clone());
    }
    Ok(found)
}

fn too_deep<T>(at: usize) -> Read<T> {
    fail("groups beside a lazy rule nest too deep", at, "name some of them")
}

/// xgrammar: where free text up to a mark is all there is, the mark may be missing.
fn stand_alone(cx: &mut Context, known: &mut Definitions, start: &str) {
    let called = known.get(start).and_then(|start| match cx.trees.node(start.body) {
        Node::Name { name, .. } => known.get(name).map(|called| (start.body, called)),
        _ => None,
    });
    let Some((body, called)) = called.filter(|(_, called)| called.attributes.lazy_at.is_some()) else { return };
    let text = cx.trees.items(called.body).first().copied().unwrap_or(called.body);
    if is_free_text(cx, known, text) {
        let body = cx.trees.add(Node::Alt(vec![body, text]), 0);
        if let Some(start) = known.get_mut(start) {
            start.body = body;
        }
    }
}

fn is_free_text(cx: &Context, known: &Definitions, mut node: Id) -> bool {
    loop {
        match cx.trees.node(node) {
            Node::Name { name, .. } => match known.get(name).filter(|called| called.is_terminal()) {
                Some(called) => node = called.body,
                None => return false,
            },
            Node::Regex(regex) => {
                let is_any = regex.pattern == ".*" && regex.flags.contains('s');
                return is_any || FREE_TEXT.contains(&&*regex.pattern);
            }
            _ => return false,
        }
    }
}

/// Rewrites bodies.
struct Competition<'r, 'c> {
    cx: &'r mut Context<'c>,
    beginning: Beginning,
    made: usize,
    depth: usize,
    /// Rules that call themselves, as they are beside lazy rules.
    copies: FxHashMap<(Rc<str>, Lazy, Lazy), Rc<str>>,
    copied: Definitions,
    /// The rule that is rewritten, for errors.
    at: usize,
}

impl Competition<'_, '_> {
    fn first(&self, node: Id) -> Lazy {
        self.beginning.first(&self.cx.trees, node)
    }

    fn is_empty(&self, node: Id) -> bool {
        self.beginning.is_empty(&self.cx.trees, node)
    }

    fn is_lazy(&self, name: &str) -> bool {
        self.beginning.known.get(name).is_some_and(|found| super::lazy::is_lazy(&self.cx.trees, found))
    }

    fn called(&self, name: &str) -> Option<&Definition> {
        self.beginning.known.get(name)
    }

    /// The items one after the other. `rivals` may begin where the first one does, `follow` behind the last one.
    fn sequence(&mut self, items: &[Id], rivals: &Lazy, follow: &Lazy) -> Read<Part> {
        self.made += 1;
        if self.made > MOST {
            return fail("lazy rules meet too many others", self.at, "give the lazy rules places of their own");
        }
        if self.depth > DEEPEST {
            return too_deep(self.at);
        }
        self.depth += 1;
        let part = self.rewritten(items, rivals, follow);
        self.depth -= 1;
        part
    }

    fn rewritten(&mut self, items: &[Id], rivals: &Lazy, follow: &Lazy) -> Read<Part> {
        let Some((&item, rest)) = items.split_first() else {
            return Ok(Part { node: self.cx.trees.add(Node::Seq(Vec::new()), 0), open: rivals.clone() });
        };
        let mut after = self.beginning.first_of(&self.cx.trees, rest);
        if rest.iter().all(|&item| self.is_empty(item)) {
            after.extend(follow.iter().cloned());
        }
        let node = self.cx.trees.node(item).clone();
        if let Node::Seq(inner) = node {
            return self.sequence(&[&inner, rest].concat(), rivals, follow);
        }
        let none = Lazy::new();
        if self.beginning.is_lexeme(&self.cx.trees, item) && !self.is_empty(item) {
            let cut = self.cut(item, rivals);
            let rest = self.sequence(rest, &none, follow)?;
            return Ok(self.joined(cut, rest));
        }
        match node {
            Node::Alt(branches) => return self.choice(&branches, rest, rivals, follow, &after),
            Node::Repeat(body, low, high) => {
                return self.repetition((item, body, low, high), rest, rivals, follow, &after);
            }
            Node::Name { name, .. } if self.must_open(item, &name, rivals, &after) => {
                if !self.beginning.recursive.contains(&name) {
                    let body = self.called(&name).map_or(item, |called| called.body);
                    return self.sequence(&[&[body], rest].concat(), rivals, follow);
                }
                let copy = self.copy(item, &name, rivals, &after)?;
                let rest = self.sequence(rest, &none, follow)?;
                return Ok(self.joined(copy, rest));
            }
            _ => {}
        }
        let open = if self.is_empty(item) { rivals } else { &none };
        let rest = self.sequence(rest, open, follow)?;
        Ok(self.joined(item, rest))
    }

    /// Whether a call must be replaced by the rule's body: lazy rules meet at its begin, within or at its end.
    fn must_open(&self, item: Id, name: &Rc<str>, rivals: &Lazy, after: &Lazy) -> bool {
        if self.beginning.recursive.contains(name) {
            return !rivals.is_empty() || (!self.first(item).is_empty() && self.is_empty(item));
        }
        !rivals.is_empty() || !after.is_empty() || self.beginning.holds_lazy.contains(name)
    }

    /// A call of a rule like the one that is called, as it is where the rivals may begin, too.
    fn copy(&mut self, item: Id, name: &Rc<str>, rivals: &Lazy, after: &Lazy) -> Read<Id> {
        let at = self.cx.trees.at(item);
        let key = (name.clone(), rivals.clone(), after.clone());
        if let Some(copy) = self.copies.get(&key) {
            return Ok(self.cx.trees.name(copy.clone(), at));
        }
        let mut title = format!("{name} beside {}", listed(rivals));
        if self.copied.contains_key(&*title) {
            title = format!("{title} before {}", listed(after));
        }
        let title: Rc<str> = title.into();
        self.copies.insert(key, title.clone());
        let Some(mut definition) = self.called(name).cloned() else { return Ok(item) };
        definition.name = title.clone();
        self.copied.insert(title.clone(), definition.clone());
        let part = self.sequence(&[definition.body], rivals, after)?;
        if !part.open.is_empty() {
            let message = format!("a lazy rule may stand beside {name}, which calls itself, and behind its end, too");
            return fail(message, at, "put a text between them, or write the repetition with *");
        }
        definition.body = part.node;
        self.copied.insert(title.clone(), definition);
        Ok(self.cx.trees.name(title, at))
    }

    fn joined(&mut self, node: Id, rest: Part) -> Part {
        let items = self.cx.trees.items(rest.node);
        let node = match items.is_empty() {
            true => node,
            false => self.cx.trees.add(Node::Seq([&[node], &*items].concat()), 0),
        };
        Part { node, open: rest.open }
    }

    /// The terminal without the texts in which a rival would have ended.
    fn cut(&mut self, item: Id, rivals: &Lazy) -> Id {
        let (mut rivals, mut before_end) = (rivals.clone(), false);
        if let Node::Name { name, .. } = self.cx.trees.node(item) {
            before_end = self.is_lazy(name);
            rivals.remove(name);
        }
        let is_exempt = self.cx.dialect == Dialect::XGrammar && !is_free_text(self.cx, &self.beginning.known, item);
        if rivals.is_empty() || is_exempt {
            return item;
        }
        let at = self.cx.trees.at(item);
        self.cx.trees.add(Node::Cut { item, lazy: rivals.into_iter().collect(), before_end }, at)
    }

    fn choice(&mut self, branches: &[Id], rest: &[Id], rivals: &Lazy, follow: &Lazy, after: &Lazy) -> Read<Part> {
        let firsts: Vec<Lazy> = branches
            .iter()
            .map(|&branch| {
                let first = self.first(branch);
                if self.is_empty(branch) {
                    union(&first, after)
                } else {
                    first
                }
            })
            .collect();
        let mut parts = Vec::new();
        for (number, &branch) in branches.iter().enumerate() {
            let others = firsts.iter().enumerate().filter(|&(place, _)| place != number);
            let others = others.fold(rivals.clone(), |others, (_, first)| union(&others, first));
            let part = self.sequence(&[branch], &others, after)?;
            parts.push((branch, others, part));
        }
        if parts.iter().all(|(branch, _, part)| !self.is_empty(*branch) && part.open.is_empty()) {
            let tail = self.sequence(rest, &Lazy::new(), follow)?;
            let node = self.cx.trees.add(Node::Alt(parts.iter().map(|(_, _, part)| part.node).collect()), 0);
            return Ok(self.joined(node, tail));
        }
        // The rest depends on the alternative: it is written behind each.
        let (mut nodes, mut open) = (Vec::new(), Lazy::new());
        for (branch, others, _) in parts {
            let part = self.sequence(&[&[branch], rest].concat(), &others, follow)?;
            nodes.push(part.node);
            open.extend(part.open);
        }
        Ok(Part { node: self.cx.trees.add(Node::Alt(nodes), 0), open })
    }

    fn repetition(
        &mut self,
        (item, body, low, high): (Id, Id, u32, Option<u32>),
        rest: &[Id],
        rivals: &Lazy,
        follow: &Lazy,
        after: &Lazy,
    ) -> Read<Part> {
        let begins = self.first(body);
        let is_met = !(begins.is_empty() && rivals.is_empty() && after.is_empty());
        if !is_met && !self.reaches_lazy(body) {
            let rest = self.sequence(rest, &Lazy::new(), follow)?;
            return Ok(self.joined(item, rest));
        }
        if low > MOST_ROUNDS || high.is_some_and(|high| high > MOST_ROUNDS) {
            return fail("lazy rules meet a repetition with large counts", self.at, "write * or +");
        }
        if low > 0 {
            let less = self.cx.trees.add(Node::Repeat(body, low - 1, high.map(|high| high.saturating_sub(1))), 0);
            return self.sequence(&[&[body, less], rest].concat(), rivals, follow);
        }
        if let Some(high) = high {
            let mut branches = Vec::new();
            if high > 0 {
                let mut more = vec![body];
                if high > 1 {
                    more.push(self.cx.trees.add(Node::Repeat(body, 0, Some(high - 1)), 0));
                }
                more.extend_from_slice(rest);
                branches.push(self.cx.trees.add(Node::Seq(more), 0));
            }
            branches.push(self.cx.trees.add(Node::Seq(rest.to_vec()), 0));
            let choice = self.cx.trees.add(Node::Alt(branches), 0);
            return self.sequence(&[choice], rivals, follow);
        }
        let around = union(&begins, after);
        let round = self.sequence(&[body], after, &around)?;
        if !round.open.is_subset(&begins) {
            return fail("lazy rules meet a repetition within a repetition", self.at, "write one repetition");
        }
        let repeated = self.cx.trees.add(Node::Repeat(round.node, 0, None), 0);
        if rivals.is_empty() {
            let rest = self.sequence(rest, &begins, follow)?;
            return Ok(self.joined(repeated, rest));
        }
        let none = self.sequence(rest, &union(rivals, &begins), follow)?;
        let head = self.sequence(&[body], &union(rivals, after), &around)?;
        let tail = self.sequence(rest, &begins, follow)?;
        let tail = self.joined(repeated, tail);
        let some = self.joined(head.node, tail);
        let node = self.cx.trees.add(Node::Alt(vec![none.node, some.node]), 0);
        Ok(Part { node, open: union(&none.open, &some.open) })
    }

    fn reaches_lazy(&self, body: Id) -> bool {
        self.cx.trees.postorder(body).into_iter().any(|id| match self.cx.trees.node(id) {
            Node::Name { name, .. } => self.beginning.holds_lazy.contains(name) || self.is_lazy(name),
            _ => false,
        })
    }
}

fn union(one: &Lazy, other: &Lazy) -> Lazy {
    one.union(other).cloned().collect()
}

fn listed(names: &Lazy) -> String {
    names.iter().map(|name| &**name).collect::<Vec<_>>().join(", ")
}
