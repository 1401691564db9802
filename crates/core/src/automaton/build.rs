//! Builder → Grammar: the checks of what was built that need an automaton.
//!
//! Whether an array of different items has enough values to end is seen by running it, so these checks stand above the
//! builder, in its second half.

use crate::automaton::machine::Machine;
use crate::error::{Error, Result};
use crate::grammar::builder::Builder;
use crate::grammar::grammar::Grammar;
use crate::grammar::rules::Rules;
use crate::regular::arena::Arena;
use crate::regular::term::{TermId, EMPTY};
use std::sync::Arc;

impl Builder {
    pub fn is_empty(&mut self, id: u32) -> Result<bool> {
        let node = self.node(id)?;
        if self.arena.info(node).structural {
            if self.arena.may_lack_values() {
                let mut arena = self.arena.clone();
                arena.budget.renew();
                return match prepared(&mut arena, Rules::clone(&self.rules), None, node) {
                    Err(error) if *error == Error::Empty => Ok(true),
                    made => made.map(|_| false),
                };
            }
            self.fresh();
            let ready = self.ready.as_ref().and_then(|ready| ready.rules.as_ref());
            Arc::make_mut(&mut self.rules).settle(&mut self.arena, ready)?;
            return Ok(!self.rules.matches_something(&self.arena, node));
        }
        Ok(node == EMPTY)
    }

    pub fn build(mut self, root: u32) -> Result<Arc<Grammar>> {
        let root = self.node(root)?;
        self.arena.budget.renew();
        self.arena.budget.check()?;
        let ready = self.ready.as_ref().filter(|_| !self.arena.may_lack_values());
        let (rules, root) = match ready.and_then(|ready| Some((ready.count, ready.rules.as_ref()?))) {
            Some((count, ready)) if count == self.rules.names.len() => {
                let mut rules = ready.clone();
                let root = rules.judge(&mut self.arena, root)?;
                if !rules.matches_something(&self.arena, root) {
                    return Err(Error::Empty.into());
                }
                (rules, root)
            }
            ready => {
                let rules = Arc::unwrap_or_clone(self.rules);
                prepared(&mut self.arena, rules, ready.map(|(_, ready)| ready), root)?
            }
        };
        self.arena.freeze();
        self.arena.budget.set_cancellations([None, None]);
        Ok(Grammar::new(self.arena, rules, root, self.specials))
    }
}

/// The rules and the root, ready to run: arrays of different items that have too few values to end are left out.
fn prepared(arena: &mut Arena, mut rules: Rules, ready: Option<&Rules>, root: TermId) -> Result<(Rules, TermId)> {
    let written = arena.may_lack_values().then(|| rules.clone());
    loop {
        let root = rules.prepare(arena, ready, root)?;
        if !rules.matches_something(arena, root) {
            return Err(Error::Empty.into());
        }
        let Some(written) = &written else { return Ok((rules, root)) };
        let mut machine = Machine::new(Arena::clone(arena), Arc::new(rules.clone()), root)?;
        let mut found = false;
        for array in 0..arena.registers.uniques.len() {
            if !arena.registers.uniques[array].is_unsatisfiable && !machine.can_begin(array as u32)? {
                Arc::make_mut(arena.registers.uniques.get_mut(array)).is_unsatisfiable = true;
                found = true;
            }
        }
        if !found {
            return Ok((rules, root));
        }
        rules = written.clone();
    }
}
