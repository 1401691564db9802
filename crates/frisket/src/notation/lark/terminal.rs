//! Definitions → nothing, or an error at a terminal or lazy rule that is no single regular language.

use super::tree::{is_terminal, Definition, Definitions, Node, Trees};
use crate::notation::source::{fail, Read};
use rustc_hash::FxHashSet;

/// Checks that terminals and lazy rules are made of terminals alone, and that no terminal holds itself.
pub(super) fn check_terminals(trees: &Trees, definitions: &Definitions) -> Read<()> {
    for definition in definitions.values() {
        check_parts(trees, definition)?;
    }
    check_recursion(trees, definitions)
}

/// A terminal or lazy rule may refer to terminals only.
fn check_parts(trees: &Trees, definition: &Definition) -> Read<()> {
    let attributes = &definition.attributes;
    let is_lazy = attributes.lazy_at.is_some() || attributes.is_terminal;
    if !(definition.is_terminal() || is_lazy) {
        return Ok(());
    }
    let what = if definition.is_terminal() { "a terminal" } else { "a lazy rule" };
    let last = trees.items(definition.body).last().copied();
    for id in trees.postorder(definition.body) {
        let name = match trees.node(id) {
            Node::Name { name, .. } if !is_terminal(name) => {
                let message = format!("{what} calls no rules, and {name} is one");
                return fail(message, trees.at(id), "begin its name with a capital");
            }
            Node::Special(_) if is_lazy && Some(id) == last && attributes.ending.is_none() => continue,
            Node::Special(_) => "a special token",
            Node::Schema(_) => "%json",
            Node::Nested(..) => "%lark",
            _ => continue,
        };
        let hint = "begin the definition's name with a small letter";
        return fail(format!("{name} stands in rules only"), trees.at(id), hint);
    }
    Ok(())
}

/// No terminal may lead back to itself.
fn check_recursion(trees: &Trees, definitions: &Definitions) -> Read<()> {
    let mut done = FxHashSet::default();
    for (first, definition) in definitions.iter().filter(|(name, _)| is_terminal(name)) {
        let (mut path, mut on_path) = (Vec::new(), FxHashSet::default());
        let mut agenda = vec![(first.clone(), definition.at, false)];
        while let Some((name, at, is_left)) = agenda.pop() {
            if is_left {
                path.pop();
                on_path.remove(&name);
                done.insert(name);
            } else if on_path.contains(&name) {
                let begin = path.iter().position(|known| *known == name).unwrap_or(0);
                let circle: Vec<&str> = path[begin..].iter().chain([&name]).map(|name| &**name).collect();
                let message = format!("the terminal {name} holds itself: {}", circle.join(" → "));
                return fail(message, at, "only rules may be recursive");
            } else if !done.contains(&name) {
                let Some(definition) = definitions.get(&name) else { continue };
                path.push(name.clone());
                on_path.insert(name.clone());
                agenda.push((name, at, true));
                for id in trees.postorder(definition.body) {
                    if let Node::Name { name, .. } = trees.node(id) {
                        agenda.push((name.clone(), trees.at(id), false));
                    }
                }
            }
        }
    }
    Ok(())
}
