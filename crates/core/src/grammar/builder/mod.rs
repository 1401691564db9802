//! Nodes → Grammar: what the front ends call.

pub(crate) mod array;
pub(crate) mod fork;
pub(crate) mod object;

use crate::bytes::byteset::ByteSet;
use crate::error::{Error, Result};
use crate::grammar::rules::Rules;
use crate::limits::{Cancellation, Limits, Pause};
use crate::regular::arena::Arena;
use crate::regular::term::{Term, TermId, EMPTY, EPSILON, MANY};
use crate::regular::transfer::ExportedTerm;
use fork::Ready;
use std::sync::Arc;

pub use object::ObjectRules;

pub struct Builder {
    /// Boxed, here and in a grammar: it is more than a kilobyte, and goes through many hands.
    pub(crate) arena: Box<Arena>,
    /// Shared by forks until they have rules of their own.
    pub(crate) rules: Arc<Rules>,
    pub(crate) specials: Vec<String>,
    pub(crate) ready: Option<Arc<Ready>>,
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
        arena.budget.set_cancellations([cancellation, None]);
        arena.budget.set_pause(pause);
        arena.begin(&limits);
        Builder { arena, rules: Arc::default(), specials: Vec::new(), ready: None, is_ground: false, steps: 0 }
    }

    /// Look at the time, the memory and who may end the build: for what a front end does between two calls. `steps` are
    /// those that it took itself; they add up over the whole build, to as many as one call may take.
    pub fn check(&mut self, steps: u64) -> Result<()> {
        self.steps = self.steps.saturating_add(steps);
        self.arena.budget.check_build_steps(self.steps)?;
        self.arena.budget.check()
    }

    pub fn memory_bytes(&self) -> usize {
        self.arena.memory_bytes()
    }

    /// The arena with the steps of one call; the time is that of the whole build.
    pub(crate) fn fresh(&mut self) -> &mut Arena {
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

    pub(crate) fn regular(&self, id: u32) -> Result<TermId> {
        let node = self.node(id)?;
        if self.arena.info(node).structural {
            return Err(Error::Misuse(
                "a structural node (seq, rule, special, object) stands where only a regular one may".into(),
            )
            .into());
        }
        Ok(node)
    }

    pub(crate) fn nodes(&self, ids: &[u32]) -> Result<Vec<TermId>> {
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
    pub fn export(&self, id: u32) -> Result<Option<ExportedTerm>> {
        Ok(self.arena.export(self.node(id)?))
    }

    pub fn import(&mut self, cutting: &ExportedTerm) -> Result<TermId> {
        self.fresh().import(cutting)
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
}
