//! Position in a string that must be unique → classes of tokens whose closing texts take equally many tokens.
//!
//! The automaton remembers the bytes of keys and unique items, so each token leads to a position of its own there. Such
//! positions differ only in the strings that would repeat an earlier one. A token whose bytes occur in no earlier
//! string and in no closing text repeats none, so the cost of one token holds for its whole class.

use crate::automaton::machine::Machine;
use crate::automaton::position::{Position, PositionId, Register, DEAD};
use crate::bytes::utf8::is_unescaped;
use crate::error::Result;
use crate::regular::id::KeySetId;
use crate::regular::term::{Spelling, Term, Text};
use crate::room::closing::Closings;
use crate::room::open_key::is_behind_unknown_key;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::vocabulary::Vocabulary;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// Stands between two texts that are searched for tokens: no token contains this byte beside others.
const BORDER: u8 = 0xff;

/// Tokens that lead to one abstract position.
struct Class {
    cost: u32,
    /// Tokens whose bytes occur in the closing text.
    repeated: FxHashSet<u32>,
}

/// (token, cost) for the tokens of whole unescaped characters that `is_left` accepts, if their class tells the cost.
pub(crate) fn alike(
    machine: &mut Machine,
    closings: &mut Closings,
    vocabulary: &Vocabulary,
    position: PositionId,
    is_left: impl Fn(u32) -> bool,
) -> Result<Vec<(u32, u32)>> {
    let mut found = Vec::new();
    let Some(strings) = strings_to_avoid(machine, &machine.position(position).clone()) else { return Ok(found) };
    let start = machine.abstracted(position)?;
    let repeated = tokens_within(vocabulary, &strings);
    let mut classes: FxHashMap<PositionId, Class> = FxHashMap::default();
    let trie = &vocabulary.trie;
    // The subtrees above the node: one past the last node, and the position at the top.
    let mut above = vec![(trie.end(NodeId::ROOT), start)];
    let mut node = NodeId::ROOT.next();
    while node.index() < trie.len() {
        machine.arena.spend(1)?;
        while above.last().is_some_and(|&(end, _)| end <= node) {
            above.pop();
        }
        let from = above.last().map_or(start, |&(_, position)| position);
        let byte = trie.byte(node);
        let after = if is_unescaped(byte) { machine.step(from, byte)? } else { DEAD };
        if after == DEAD {
            node = trie.end(node);
            continue;
        }
        for &token in trie.tokens_at(node) {
            if !is_left(token) || repeated.contains(&token) || !vocabulary.is_text(token) {
                continue;
            }
            if let Entry::Vacant(entry) = classes.entry(after) {
                if is_uncertain(machine, after) {
                    continue;
                }
                let exact = machine.read(position, vocabulary.token(token).unwrap_or_default())?;
                if exact == DEAD {
                    continue;
                }
                let cost = closings.tokens(machine, vocabulary, exact)?;
                let mut repeated = tokens_within(vocabulary, &closings.bytes(exact));
                repeated.remove(&token);
                entry.insert(Class { cost, repeated });
            }
            let class = &classes[&after];
            if !class.repeated.contains(&token) {
                found.push((token, class.cost));
            }
        }
        above.push((trie.end(node), after));
        node = node.next();
    }
    Ok(found)
}

/// The tokens whose bytes occur in a text.
fn tokens_within(vocabulary: &Vocabulary, text: &[u8]) -> FxHashSet<u32> {
    let mut found = FxHashSet::default();
    for from in 0..text.len() {
        let mut node = NodeId::ROOT;
        for &byte in &text[from..] {
            let Some(child) = vocabulary.trie.child(node, byte) else { break };
            node = child;
            found.extend(vocabulary.trie.tokens_at(node));
        }
    }
    found
}

/// The strings that the open string of a position may repeat, one after another; None where no open string is
/// remembered, or where an escape is open.
fn strings_to_avoid(machine: &Machine, position: &Position) -> Option<Vec<u8>> {
    let mut sets: Vec<KeySetId> = match position.register {
        Register::Closed => Vec::new(),
        _ => machine.values_around_string(position)?,
    };
    let mut is_remembered = position.register != Register::Closed;
    for &(head, _) in &position.heads {
        let Term::KeyExtra { state, inner, text, .. } = *machine.arena.term(head) else { continue };
        let is_between = matches!(*machine.arena.term(inner), Term::Quoted { state: Spelling::Body, .. });
        if !is_between || matches!(text, Text::Unknown) {
            return None;
        }
        is_remembered = true;
        sets.push(machine.arena.registers.states[state.index()].keys);
    }
    if !is_remembered || position.needs_replay {
        return None;
    }
    let mut found = Vec::new();
    sets.sort_unstable();
    sets.dedup();
    for text in sets.into_iter().flat_map(|set| machine.arena.terms.keys.texts(set)) {
        found.push(BORDER);
        found.extend(text);
    }
    Some(found)
}

/// Whether the continuations of an abstract position depend on the values or keys that it leaves out.
fn is_uncertain(machine: &Machine, id: PositionId) -> bool {
    let position = machine.position(id);
    position.crosses_item || position.depends_on_value || is_behind_unknown_key(machine, id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{object, string, unique};
    use crate::builder::{Builder, ObjectRules};
    use crate::regular::term::TermId;
    use crate::room::fixture::Scene;

    const TOKENS: [&str; 11] = ["{", "}", "\"", ":", "1", "a", "b", "bc", ",", "[", "]"];

    /// The tokens with the costs of their classes.
    fn costs(make: impl FnOnce(&mut Builder) -> TermId, text: &str) -> Vec<(u32, u32)> {
        let mut scene = Scene::new(&TOKENS, make);
        let at = scene.after(text);
        let mut closings = Closings::new(Vec::new());
        let vocabulary = &scene.shared.vocabulary;
        let mut found = alike(&mut scene.machine, &mut closings, vocabulary, at, |_| true).unwrap();
        found.sort_unstable();
        found
    }

    fn two_members(builder: &mut Builder) -> TermId {
        let (keys, one) = (builder.any_text().unwrap(), builder.literal(b"1").unwrap());
        object(builder, &[], &[(keys, one)], ObjectRules { min: 2, ..ObjectRules::default() })
    }

    #[test]
    fn characters_of_a_key_cost_alike_unless_an_earlier_key_or_the_closing_text_has_them() {
        let found = costs(two_members, "{\"");
        // The closing text is `":1,"":1}`. Tokens that occur in it are left out, except the first one of the class.
        let tokens: Vec<u32> = found.iter().map(|&(token, _)| token).collect();
        assert!([5, 6, 7].iter().all(|token| tokens.contains(token)), "{found:?}");
        assert!(found.iter().all(|&(_, cost)| cost == 9), "{found:?}");
        let tokens: Vec<u32> = costs(two_members, "{\"abc\":1,\"x").into_iter().map(|(token, _)| token).collect();
        assert!([5, 6, 7].iter().all(|token| !tokens.contains(token)) && tokens.contains(&9), "{tokens:?}");
    }

    #[test]
    fn outside_strings_that_are_remembered_there_are_no_classes() {
        let items = |builder: &mut Builder| {
            let item = string(builder, 0, None);
            unique(builder, item, 0, None)
        };
        for text in ["", "[", "[\"x\"", "[\"\\"] {
            assert!(costs(items, text).is_empty(), "after {text}");
        }
        assert!(costs(items, "[\"bc\",\"").contains(&(5, 2)), "a letter, then `\"]`");
        assert!(costs(two_members, "{\"x\":").is_empty());
    }
}
