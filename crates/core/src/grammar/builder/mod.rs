//! Nodes → Grammar: what the front ends call.

pub(crate) mod array;
pub(crate) mod fork;
pub(crate) mod object;

use crate::automaton::machine::Machine;
use crate::bytes::byteset::ByteSet;
use crate::error::{Error, Result};
use crate::grammar::grammar::Grammar;
use crate::grammar::rules::Rules;
use crate::limits::{Cancellation, Limits, Pause};
use crate::regular::term::{Arena, Term, TermId, EMPTY, EPSILON, MANY};
use crate::regular::transfer::Cutting;
use fork::Ready;
use std::sync::Arc;

pub use object::ObjectRules;

pub struct Builder {
    /// Boxed, here and in a grammar: it is more than a kilobyte, and goes through many hands.
    arena: Box<Arena>,
    /// Shared by forks until they have rules of their own.
    rules: Arc<Rules>,
    specials: Vec<String>,
    ready: Option<Arc<Ready>>,
    /// Whether nothing was made since the arena became the ground of forks.
    is_ground: bool,
    /// Steps that the front end took between its calls.
    steps: u64,
}

/// The white space and punctuation of one object or array.
#[derive(Clone, Copy)]
pub struct Punctuation {
    pub open: TermId,
    pub close: TermId,
    pub colon: TermId,
    pub comma: TermId,
    pub empty: TermId,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new(Limits::default(), None, None)
    }
}

impl Builder {
    /// `pause` is called now and then in a long call.
    pub fn new(limits: Limits, cancellation: Option<Cancellation>, pause: Option<Pause>) -> Self {
        let mut arena = Box::new(Arena::new());
        arena.budget.heed([cancellation, None]);
        arena.budget.pause_with(pause);
        arena.begin(&limits);
        Builder { arena, rules: Arc::default(), specials: Vec::new(), ready: None, is_ground: false, steps: 0 }
    }

    /// Look at the time, the memory and who may end the build: for what a front end does between two calls. `steps` are
    /// those that it took itself; they add up over the whole build, to as many as one call may take.
    pub fn check(&mut self, steps: u64) -> Result<()> {
        self.steps = self.steps.saturating_add(steps);
        self.arena.budget.afford(self.steps)?;
        self.arena.budget.check()
    }

    pub fn memory_bytes(&self) -> usize {
        self.arena.memory_bytes()
    }

    /// The arena with the steps of one call; the time is that of the whole build.
    fn fresh(&mut self) -> &mut Arena {
        self.arena.budget.renew();
        self.is_ground = false;
        &mut self.arena
    }

    pub fn node(&self, id: u32) -> Result<TermId> {
        if (id as usize) < self.arena.len() {
            Ok(TermId(id))
        } else {
            Err(Error::Misuse(format!("{id} is not a node of this builder")).into())
        }
    }

    fn regular(&self, id: u32) -> Result<TermId> {
        let node = self.node(id)?;
        if self.arena.info(node).structural {
            return Err(Error::Misuse(
                "a structural node (seq, rule, special, object) stands where only a regular one may".into(),
            )
            .into());
        }
        Ok(node)
    }

    fn nodes(&self, ids: &[u32]) -> Result<Vec<TermId>> {
        ids.iter().map(|&id| self.node(id)).collect()
    }

    fn regulars(&self, ids: &[u32]) -> Result<Vec<TermId>> {
        ids.iter().map(|&id| self.regular(id)).collect()
    }

    pub fn literal(&mut self, data: &[u8]) -> Result<TermId> {
        self.fresh().literal(data)
    }

    pub fn words(&mut self, words: Vec<Box<[u8]>>) -> Result<TermId> {
        self.fresh().words(words)
    }

    pub fn byte_class(&mut self, ranges: &[(u8, u8)]) -> Result<TermId> {
        let sets = ranges.iter().filter(|(low, high)| low <= high).map(|&(low, high)| ByteSet::range(low, high));
        let set = sets.fold(ByteSet::EMPTY, |all, set| all.union(&set));
        self.fresh().class(set)
    }

    pub fn char_class(&mut self, ranges: &[(u32, u32)]) -> Result<TermId> {
        self.fresh().char_class(ranges)
    }

    pub fn any_text(&mut self) -> Result<TermId> {
        self.fresh().any_text()
    }

    pub fn cat(&mut self, ids: &[u32]) -> Result<TermId> {
        let nodes = self.regulars(ids)?;
        let arena = self.fresh();
        nodes.iter().rev().try_fold(EPSILON, |rest, &node| arena.cat(node, rest))
    }

    pub fn alt(&mut self, ids: &[u32]) -> Result<TermId> {
        let nodes = self.nodes(ids)?;
        self.fresh().alt(nodes)
    }

    pub fn repeat(&mut self, id: u32, min: u32, max: Option<u32>) -> Result<TermId> {
        let node = self.node(id)?;
        let max = max.unwrap_or(MANY);
        if min > max {
            return Ok(EMPTY);
        }
        self.fresh().repeat(node, min, max)
    }

    /// Digits, and points between them if `point`, that read as one number are a multiple of a number other than zero.
    pub fn multiple(&mut self, of: u32, point: bool) -> Result<TermId> {
        self.fresh().multiple(of, point)
    }

    pub fn and(&mut self, ids: &[u32]) -> Result<TermId> {
        let nodes = self.regulars(ids)?;
        self.fresh().and(nodes)
    }

    pub fn not(&mut self, id: u32) -> Result<TermId> {
        let node = self.regular(id)?;
        self.fresh().not(node)
    }

    pub fn bounded(&mut self, id: u32, min: u32, max: Option<u32>) -> Result<TermId> {
        let mut node = self.regular(id)?;
        let arena = self.fresh();
        if !arena.info(node).utf8 {
            let any = arena.any_text()?;
            node = arena.and(vec![any, node])?;
        }
        arena.bounded(node, min, max.unwrap_or(MANY))
    }

    pub fn quoted(&mut self, id: u32, free: bool) -> Result<TermId> {
        let node = self.regular(id)?;
        self.fresh().quoted(node, free)
    }

    /// A regular node, to be planted in other builders; nothing if it is none.
    pub fn cut(&self, id: u32) -> Result<Option<Cutting>> {
        Ok(self.arena.cut(self.node(id)?))
    }

    pub fn plant(&mut self, cutting: &Cutting) -> Result<TermId> {
        self.fresh().plant(cutting)
    }

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

    pub fn accepts(&mut self, id: u32, data: &[u8]) -> Result<bool> {
        let node = self.regular(id)?;
        self.fresh().matches(node, data)
    }

    pub fn enumerate(&mut self, id: u32, limit: usize) -> Result<Option<Vec<Vec<u8>>>> {
        let node = self.regular(id)?;
        self.fresh().enumerate(node, limit)
    }

    pub fn disjoint(&mut self, left: u32, right: u32) -> Result<bool> {
        Ok(self.and(&[left, right])? == EMPTY)
    }

    pub fn seq(&mut self, ids: &[u32]) -> Result<TermId> {
        let nodes = self.nodes(ids)?;
        let arena = self.fresh();
        nodes.iter().rev().try_fold(EPSILON, |rest, &node| arena.seq(node, rest))
    }

    pub fn rule(&mut self, name: &str) -> Result<TermId> {
        let rule = Arc::make_mut(&mut self.rules).declare(name);
        self.fresh().call(rule)
    }

    pub fn define(&mut self, rule: u32, body: u32) -> Result<()> {
        let (rule, body) = (self.node(rule)?, self.node(body)?);
        match *self.arena.term(rule) {
            Term::Call(rule) => Arc::make_mut(&mut self.rules).define(rule, body),
            _ => Err(Error::Misuse("only what rule() returned can be defined".into()).into()),
        }
    }

    pub fn special(&mut self, name: &str) -> Result<TermId> {
        let index = match self.specials.iter().position(|other| other == name) {
            Some(index) => index,
            None => {
                self.specials.push(name.to_owned());
                self.specials.len() - 1
            }
        };
        self.fresh().special(index as u32)
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
        self.arena.budget.heed([None, None]);
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
        for array in 0..arena.uniques.len() {
            if !arena.uniques[array].void && !machine.can_begin(array as u32)? {
                Arc::make_mut(arena.uniques.get_mut(array)).void = true;
                found = true;
            }
        }
        if !found {
            return Ok((rules, root));
        }
        rules = written.clone();
    }
}
