//! Calls of a front end → nodes of a grammar in the making → the grammar.
//!
//! The builder checks arguments and budgets; terms themselves are made by the arena.

pub(crate) mod array;
mod build;
pub(crate) mod embed;
pub(crate) mod fork;
pub(crate) mod object;
mod string;
mod string_rules;

use crate::bytes::byteset::ByteSet;
use crate::error::{Error, Result};
use crate::grammar::rules::Rules;
use crate::json::arena::Arena;
use crate::limits::{Cancellation, Limits, Pause};
use crate::regular::id::SpecialId;
use crate::regular::term::{Term, TermId, EMPTY, EPSILON, MANY};
use crate::regular::transfer::ExportedTerm;
use embed::SharedEmbeddings;
use std::sync::Arc;

/// A grammar in the making. Nodes are numbers that are valid for this builder and its forks.
pub struct Builder {
    /// Boxed, because an arena is more than a kilobyte and changes hands often.
    pub(crate) arena: Box<Arena>,
    /// Shared between forks until one of them adds a rule.
    pub(crate) rules: Arc<Rules>,
    pub(crate) specials: Vec<String>,
    embedded: SharedEmbeddings,
    /// Whether the arena has not grown since it became the shared base of forks.
    is_base: bool,
    /// Steps of the calls so far, and of the front end's own work.
    steps: u64,
    /// The texts that JSON strings may hold, if these are not all.
    pub(crate) string_texts: Option<TermId>,
    /// The texts whose first characters are escaped in JSON strings.
    pub(crate) escaped: TermId,
}

/// The white space and punctuation of one object or array.
#[derive(Clone, Copy)]
pub struct Punctuation {
    /// The opening bracket, with white space.
    pub open: TermId,
    /// The closing bracket, with white space.
    pub close: TermId,
    /// Between a key and its value.
    pub colon: TermId,
    /// Between two members or items.
    pub comma: TermId,
    /// The whole of an empty object or array.
    pub empty: TermId,
}

/// Constraints of an object on its members as a whole.
#[derive(Clone, Default)]
pub struct ObjectRules {
    /// The least number of members.
    pub min: u32,
    /// The most members; None: any number.
    pub max: Option<u32>,
    /// Marks that the members must leave together.
    pub required_marks: u64,
    /// (premises, conclusions): members that leave all marks of the first must leave one mark of the second.
    pub clauses: Vec<(u64, u64)>,
    /// (cause, effect): if the first property comes, the second must come.
    pub implies: Vec<(u32, u32)>,
    /// Whether properties may come in any order.
    pub any_order: bool,
    /// Whether other keys come after the named ones only.
    pub extras_last: bool,
    /// Orders of properties; each list is one order. Without lists, the properties come in the given sequence.
    pub orders: Vec<Vec<u32>>,
    /// Whether keys may be spelled with any escapes.
    pub free: bool,
}

/// A builder that never changes again: several threads may fork it at once.
pub struct BuilderBase(Builder);

impl Default for Builder {
    fn default() -> Self {
        Self::new(Limits::default(), None, None)
    }
}

impl Builder {
    /// An empty builder. `pause` is called now and then during long calls.
    pub fn new(limits: Limits, cancellation: Option<Cancellation>, pause: Option<Pause>) -> Self {
        let mut arena = Box::new(Arena::new());
        arena.budget.set_cancellations([cancellation, None]);
        arena.budget.set_pause(pause);
        arena.begin(&limits);
        Builder {
            arena,
            rules: Arc::default(),
            specials: Vec::new(),
            embedded: SharedEmbeddings::default(),
            is_base: false,
            steps: 0,
            string_texts: None,
            escaped: EMPTY,
        }
    }

    /// Checks the limits between two calls of a front end. `steps` is the front end's own work.
    ///
    /// These steps and those of all calls add up over the build, and their limit is that of one call. Errors: limits,
    /// cancellation.
    pub fn check(&mut self, steps: u64) -> Result<()> {
        self.count(steps);
        self.arena.budget.check_build_steps(self.steps)?;
        self.arena.budget.check()
    }

    /// Counts bytes that the front end holds until the build is over against the limit of memory, at the next check.
    pub fn hold(&mut self, bytes: usize) {
        let budget = &mut self.arena.terms.budget;
        budget.grow(bytes.min(usize::MAX - budget.held()));
    }

    /// Bytes that the builder holds.
    pub fn memory_bytes(&self) -> usize {
        self.arena.memory_bytes()
    }

    /// Counts steps of a front end and of the call before, which ends here.
    fn count(&mut self, steps: u64) {
        self.steps = self.steps.saturating_add(steps).saturating_add(self.arena.budget.spent());
        self.arena.budget.renew();
    }

    /// The arena with a fresh step budget for one call. The time budget is that of the whole build.
    pub(crate) fn begin_call(&mut self) -> &mut Arena {
        self.count(0);
        self.is_base = false;
        &mut self.arena
    }

    /// The node of a number. Errors: misuse, if this builder has no such node.
    pub fn node(&self, id: u32) -> Result<TermId> {
        if (id as usize) < self.arena.len() {
            Ok(TermId::new(id))
        } else {
            Err(Error::Misuse(format!("{id} is not a node of this builder")).into())
        }
    }

    /// The node of a number, if the node is regular. Errors: misuse.
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

    /// The nodes of these numbers. Errors: misuse.
    pub(crate) fn nodes(&self, ids: &[u32]) -> Result<Vec<TermId>> {
        ids.iter().map(|&id| self.node(id)).collect()
    }

    fn regulars(&self, ids: &[u32]) -> Result<Vec<TermId>> {
        ids.iter().map(|&id| self.regular(id)).collect()
    }

    /// A node that matches exactly these bytes.
    pub fn literal(&mut self, data: &[u8]) -> Result<TermId> {
        self.begin_call().literal(data)
    }

    /// A node that matches any of these byte strings.
    pub fn words(&mut self, words: Vec<Box<[u8]>>) -> Result<TermId> {
        self.begin_call().words(words)
    }

    /// A node that matches one byte of these inclusive ranges.
    pub fn byte_class(&mut self, ranges: &[(u8, u8)]) -> Result<TermId> {
        let sets = ranges.iter().filter(|(low, high)| low <= high).map(|&(low, high)| ByteSet::range(low, high));
        let set = sets.fold(ByteSet::EMPTY, |all, set| all.union(&set));
        self.begin_call().class(set)
    }

    /// A node that matches one UTF-8 character of these inclusive ranges of code points.
    pub fn char_class(&mut self, ranges: &[(u32, u32)]) -> Result<TermId> {
        self.begin_call().char_class(ranges)
    }

    /// A node that matches every valid UTF-8 text.
    pub fn any_text(&mut self) -> Result<TermId> {
        self.begin_call().any_text()
    }

    /// The concatenation of regular nodes.
    pub fn cat(&mut self, ids: &[u32]) -> Result<TermId> {
        let nodes = self.regulars(ids)?;
        let arena = self.begin_call();
        nodes.iter().rev().try_fold(EPSILON, |rest, &node| arena.cat(node, rest))
    }

    /// The union of nodes.
    pub fn alt(&mut self, ids: &[u32]) -> Result<TermId> {
        let nodes = self.nodes(ids)?;
        self.begin_call().alt(nodes)
    }

    /// A node repeated `min` to `max` times; without `max`, without bound.
    pub fn repeat(&mut self, id: u32, min: u32, max: Option<u32>) -> Result<TermId> {
        let node = self.node(id)?;
        let max = max.unwrap_or(MANY);
        if min > max {
            return Ok(EMPTY);
        }
        self.begin_call().repeat(node, min, max)
    }

    /// Digits whose number is a multiple of `of`, which is not zero. With `point`, points may stand between the digits.
    pub fn multiple(&mut self, of: u32, point: bool) -> Result<TermId> {
        self.begin_call().multiple(of, point)
    }

    /// The intersection of regular nodes.
    pub fn and(&mut self, ids: &[u32]) -> Result<TermId> {
        let nodes = self.regulars(ids)?;
        self.begin_call().and(nodes)
    }

    /// The complement of a regular node with respect to all byte strings.
    pub fn not(&mut self, id: u32) -> Result<TermId> {
        let node = self.regular(id)?;
        self.begin_call().not(node)
    }

    /// The UTF-8 texts of a regular node that have `min` to `max` characters.
    pub fn bounded(&mut self, id: u32, min: u32, max: Option<u32>) -> Result<TermId> {
        let mut node = self.regular(id)?;
        let arena = self.begin_call();
        if !arena.info(node).utf8 {
            let any = arena.any_text()?;
            node = arena.and(vec![any, node])?;
        }
        arena.bounded(node, min, max.unwrap_or(MANY))
    }

    /// A regular node in a form that other builders can import; None for structural nodes.
    pub fn export(&self, id: u32) -> Result<Option<ExportedTerm>> {
        self.arena.terms.export(self.node(id)?)
    }

    /// The node that another builder exported.
    pub fn import(&mut self, exported: &ExportedTerm) -> Result<TermId> {
        self.begin_call().import(exported)
    }

    /// Whether a regular node matches these bytes.
    pub fn accepts(&mut self, id: u32, data: &[u8]) -> Result<bool> {
        let node = self.regular(id)?;
        self.begin_call().matches(node, data)
    }

    /// The Brzozowski derivative of a regular node: the rest of each of its texts that begins with these bytes.
    pub fn after(&mut self, id: u32, data: &[u8]) -> Result<TermId> {
        let node = self.regular(id)?;
        let arena = self.begin_call();
        data.iter().try_fold(node, |term, &byte| arena.derive(term, byte))
    }

    /// The ranges of bytes that texts of a regular node begin with, each with the node of what may stand behind them.
    pub fn steps(&mut self, id: u32) -> Result<Vec<(u8, u8, TermId)>> {
        let node = self.regular(id)?;
        Ok(self.begin_call().byte_transitions(node)?.into_vec())
    }

    /// All texts of a regular node; None if there are more than `limit`.
    pub fn enumerate(&mut self, id: u32, limit: usize) -> Result<Option<Vec<Vec<u8>>>> {
        let node = self.regular(id)?;
        self.begin_call().enumerate(node, limit)
    }

    /// The nonempty cells of the Venn diagram of regular nodes: each is a set of nodes, by their places in order, such
    /// that some text is in exactly these. None if there are more than `limit` sets, or too many to find.
    pub fn minterms(&mut self, ids: &[u32], limit: usize) -> Result<Option<Vec<Vec<u32>>>> {
        let nodes = self.regulars(ids)?;
        self.begin_call().minterms(&nodes, limit)
    }

    /// Whether two regular nodes have no text in common.
    pub fn disjoint(&mut self, left: u32, right: u32) -> Result<bool> {
        Ok(self.and(&[left, right])? == EMPTY)
    }

    /// The concatenation of nodes that may be structural.
    pub fn seq(&mut self, ids: &[u32]) -> Result<TermId> {
        let nodes = self.nodes(ids)?;
        let arena = self.begin_call();
        nodes.iter().rev().try_fold(EPSILON, |rest, &node| arena.seq(node, rest))
    }

    /// A node that calls a new rule, to be defined later by `define`.
    pub fn rule(&mut self, name: &str) -> Result<TermId> {
        let rule = Arc::make_mut(&mut self.rules).declare(name);
        self.begin_call().call(rule)
    }

    /// Gives a rule its body. Errors: misuse, if the rule is defined already or the node is no rule.
    pub fn define(&mut self, rule: u32, body: u32) -> Result<()> {
        let (rule, body) = (self.node(rule)?, self.node(body)?);
        match *self.arena.term(rule) {
            Term::Call(rule) => Arc::make_mut(&mut self.rules).define(rule, body),
            _ => Err(Error::Misuse("only what rule() returned can be defined".into()).into()),
        }
    }

    /// A node that matches the special token of this name.
    pub fn special(&mut self, name: &str) -> Result<TermId> {
        let index = match self.specials.iter().position(|other| other == name) {
            Some(index) => index,
            None => {
                self.specials.push(name.to_owned());
                self.specials.len() - 1
            }
        };
        self.begin_call().special(SpecialId::at(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::time::Duration;

    #[test]
    fn a_node_is_a_number_of_this_builder() {
        let mut builder = Builder::default();
        let node = builder.literal(b"ab").unwrap();
        let count = builder.arena.len() as u32;
        assert_eq!(builder.node(node.number()), Ok(node));
        assert!(builder.node(count - 1).is_ok());
        assert_eq!(builder.node(count).unwrap_err().to_string(), format!("{count} is not a node of this builder"));
        assert!(builder.nodes(&[0, 1, count]).is_err() && builder.nodes(&[0, 1]).is_ok());
    }

    #[test]
    fn structural_nodes_do_not_stand_where_only_regular_ones_may() {
        let mut builder = Builder::default();
        let special = builder.special("<s>").unwrap().number();
        let text = builder.literal(b"ab").unwrap().number();
        let refused = [
            builder.cat(&[text, special]).map(drop),
            builder.and(&[special]).map(drop),
            builder.not(special).map(drop),
            builder.bounded(special, 0, None).map(drop),
            builder.restrict_strings(special),
            builder.accepts(special, b"").map(drop),
            builder.enumerate(special, 9).map(drop),
            builder.disjoint(text, special).map(drop),
        ];
        for result in refused {
            assert!(result.unwrap_err().to_string().starts_with("a structural node"));
        }
        assert!(builder.seq(&[text, special]).is_ok() && builder.alt(&[text, special]).is_ok());
        assert!(builder.repeat(special, 0, None).is_ok());
        assert!(builder.export(special).unwrap().is_none() && builder.export(text).unwrap().is_some());
    }

    #[test]
    fn rules_and_special_tokens_are_numbered_and_rules_defined_once() {
        let mut builder = Builder::default();
        let [one, other] = ["a", "a"].map(|name| builder.rule(name).unwrap().number());
        assert_ne!(one, other, "names need not be unique");
        assert_eq!(builder.rules.names, ["a", "a"]);
        builder.define(one, EPSILON.number()).unwrap();
        assert_eq!(builder.define(one, EMPTY.number()).unwrap_err().to_string(), "rule \"a\" is defined twice");
        let error = builder.define(EPSILON.number(), one).unwrap_err();
        assert_eq!(error.to_string(), "only what rule() returned can be defined");
        let specials = ["<a>", "<b>", "<a>"].map(|name| builder.special(name).unwrap());
        assert!(specials[0] == specials[2] && specials[0] != specials[1]);
        assert_eq!(builder.specials, ["<a>", "<b>"]);
    }

    #[test]
    fn each_call_has_its_own_steps_and_the_build_adds_up_all_of_them() {
        let limits = Limits { steps: 1_000, ..Limits::default() };
        let mut builder = Builder::new(limits, None, None);
        assert!(builder.check(1_000).is_ok() && builder.check(0).is_ok());
        assert!(builder.check(1).is_err());
        let mut builder = Builder::new(limits, None, None);
        let any = builder.not(EMPTY.number()).unwrap().number();
        let mut call = |byte| {
            let byte = builder.literal(&[byte]).unwrap().number();
            let holding = builder.cat(&[any, byte, any]).unwrap().number();
            let without = builder.not(holding).unwrap().number();
            builder.and(&[any, without]).is_ok() && builder.is_empty(without).is_ok() && builder.check(0).is_ok()
        };
        let found = (0..u8::MAX).map(&mut call).position(|is_ok| !is_ok);
        assert!(found.is_some_and(|calls| calls > 0), "{found:?}");
        for (time, is_over) in [(Duration::ZERO, true), (Duration::from_secs(1_000), false)] {
            let mut builder = Builder::new(Limits { time: Some(time), ..Limits::default() }.started(), None, None);
            assert_eq!(builder.check(0).is_err(), is_over, "{time:?}");
        }
        let cancellation = Cancellation::default();
        let mut builder = Builder::new(Limits::default(), Some(cancellation.clone()), None);
        assert!(builder.check(0).is_ok());
        cancellation.cancel();
        assert!(builder.check(0).is_err());
    }
}
