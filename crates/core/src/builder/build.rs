//! Builder → Grammar: the checks that need a running automaton.
//!
//! Whether an array has enough different values is known only by running it.

use crate::automaton::machine::Machine;
use crate::builder::Builder;
use crate::error::{Error, Result};
use crate::grammar::grammar::Grammar;
use crate::grammar::rules::Rules;
use crate::json::arena::Arena;
use crate::regular::id::ArrayId;
use crate::regular::term::{TermId, EMPTY};
use std::sync::Arc;

impl Builder {
    /// Whether no text matches a node. Errors: limits, undefined rules.
    pub fn is_empty(&mut self, id: u32) -> Result<bool> {
        let node = self.node(id)?;
        if !self.arena.info(node).structural {
            return Ok(node == EMPTY);
        }
        if self.arena.registers.can_lack_values() {
            let mut arena = self.arena.clone();
            arena.budget.renew();
            return match prepare_rules(&mut arena, Rules::clone(&self.rules), node) {
                Err(error) if *error == Error::Empty => Ok(true),
                made => made.map(|_| false),
            };
        }
        self.begin_call();
        Ok(!self.rules.has_text(&mut self.arena, node)?)
    }

    /// The finished grammar with the given root. Errors: `Empty` if no text matches, limits, undefined rules.
    pub fn build(mut self, root: u32) -> Result<Arc<Grammar>> {
        let root = self.node(root)?;
        self.arena.budget.renew();
        self.arena.budget.check()?;
        let (rules, root) = prepare_rules(&mut self.arena, Arc::unwrap_or_clone(self.rules), root)?;
        self.arena.freeze();
        self.arena.budget.set_cancellations([None, None]);
        Ok(Grammar::new(self.arena, rules, root, self.specials))
    }
}

/// Prepares the rules and the root. Arrays with too few different values are removed, until none is left.
fn prepare_rules(arena: &mut Arena, mut rules: Rules, root: TermId) -> Result<(Rules, TermId)> {
    // A preparation adds terms to the rules, and the next one would take them for calls of undefined rules. Each one
    // therefore begins with the original arena and rules.
    let mut written = arena.registers.can_lack_values().then(|| (arena.clone(), rules.clone()));
    loop {
        let root = rules.prepare(arena, root)?;
        if !rules.matches_something(arena, root) {
            return Err(Error::Empty.into());
        }
        let Some((written_arena, written_rules)) = &mut written else { return Ok((rules, root)) };
        let mut machine = Machine::new(Arena::clone(arena), Arc::new(rules.clone()), root)?;
        let mut found = false;
        for array in 0..arena.registers.uniques.len() {
            if !arena.registers.uniques[array].is_empty && !machine.can_begin(ArrayId::at(array))? {
                Arc::make_mut(written_arena.registers.uniques.get_mut(array)).is_empty = true;
                found = true;
            }
        }
        if !found {
            return Ok((rules, root));
        }
        let before = std::mem::replace(arena, written_arena.clone());
        arena.budget.continue_call(&before.budget)?;
        rules = written_rules.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{alt, bytes, rule, seq, unique};

    /// An array of `items` different letters out of three, and "!".
    fn array(builder: &mut Builder, items: u32) -> TermId {
        let letter = bytes(builder, b'a', b'c', 1, Some(1));
        let array = unique(builder, letter, items, None);
        let end = builder.literal(b"!").unwrap();
        seq(builder, &[array, end])
    }

    #[test]
    fn a_node_is_empty_if_no_text_matches() {
        let mut builder = Builder::default();
        let letter = builder.literal(b"a").unwrap();
        let endless = rule(&mut builder, "endless", |builder, endless| seq(builder, &[letter, endless]));
        let ends = rule(&mut builder, "ends", |builder, ends| {
            let more = seq(builder, &[letter, ends]);
            alt(builder, &[more, letter])
        });
        for (node, empty) in [(EMPTY, true), (letter, false), (endless, true), (ends, false)] {
            assert_eq!(builder.is_empty(node.number()), Ok(empty), "{:?}", builder.arena.term(node));
        }
    }

    #[test]
    fn only_a_missing_text_makes_a_node_empty_no_other_error() {
        let mut builder = Builder::default();
        let few = array(&mut builder, 4);
        let undefined = builder.rule("later").unwrap();
        let either = alt(&mut builder, &[few, undefined]);
        let error = builder.is_empty(either.number()).unwrap_err();
        assert_eq!(*error, Error::UndefinedRule("later".into()));
    }

    #[test]
    fn numbers_of_other_builders_and_undefined_rules_are_refused() {
        let error = Builder::default().build(1_000).err().unwrap();
        assert_eq!(*error, Error::Misuse("1000 is not a node of this builder".into()));
        let mut builder = Builder::default();
        let undefined = builder.rule("later").unwrap();
        let error = builder.build(undefined.number()).err().unwrap();
        assert_eq!(*error, Error::UndefinedRule("later".into()));
    }
}
