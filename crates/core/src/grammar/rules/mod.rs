//! Rules → what structural terms begin with, left recursion removed.
//!
//! `first` lists how a term can begin: a head (a regular term, or a key), a call, or a special token, each with the
//! terms that follow it, innermost first. Parts that may be empty are skipped here, once per grammar, so that at run
//! time a call never returns before it has read something. Calls at the beginning then form a graph without cycles,
//! once left recursion is gone: for a strongly connected set of rules A_i with A_j → A_k α_kj and A_j → β_j, the
//! left-linear system A = β + A α has the solution A_i = Σ_k β_k R_ki with R = α*, and R is right-recursive
//! (the matrix form of Greibach's normal form: Rosenkrantz, *Matrix equations and normal forms*, JACM 1967).

pub(crate) mod facts;
pub(crate) mod trim;

use crate::error::{Error, Limit, Result};
use crate::json::object::ObjectParts;
use crate::regular::arena::Arena;
use crate::regular::term::{Term, TermId, EMPTY, EPSILON};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::sync::Arc;

use facts::{Fact, Facts};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum First {
    Head(TermId),
    Call(u32),
    Special(u32),
    /// A key of an object some of whose keys are not known: only an exact replay can tell.
    Ask,
    /// An array of different items: what it begins with depends on the values that may come (`unique`).
    Unique(TermId),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Entry {
    pub first: First,
    /// What follows, innermost first.
    pub rest: SmallVec<[TermId; 4]>,
}

#[derive(Clone, Default)]
pub struct Rules {
    pub names: Vec<String>,
    bodies: Vec<Option<TermId>>,
    facts: Facts,
    entries: Vec<Arc<Vec<Entry>>>,
    /// Position in an order in which a rule comes before those it may begin with.
    pub(crate) order: Vec<u32>,
    /// Whether every term of the rules matches something, so that there is nothing to trim.
    is_trim: bool,
}

impl Rules {
    pub fn declare(&mut self, name: &str) -> u32 {
        self.names.push(name.to_owned());
        self.bodies.push(None);
        self.bodies.len() as u32 - 1
    }

    pub fn define(&mut self, rule: u32, body: TermId) -> Result<()> {
        match self.bodies.get_mut(rule as usize) {
            Some(slot @ None) => {
                *slot = Some(body);
                Ok(())
            }
            Some(_) => Err(Error::Misuse(format!("rule {:?} is defined twice", self.names[rule as usize])).into()),
            None => Err(Error::Misuse("not a rule".into()).into()),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn may_be_empty(&self, rule: u32) -> bool {
        self.facts.of_rule(rule).nullable
    }

    pub(crate) fn body(&self, rule: u32) -> Option<TermId> {
        self.bodies.get(rule as usize).copied().flatten()
    }

    pub(crate) fn entries(&self, rule: u32) -> Arc<Vec<Entry>> {
        self.entries[rule as usize].clone()
    }

    fn resolved(&self) -> Result<Vec<TermId>> {
        let named = self.bodies.iter().zip(&self.names);
        named.map(|(body, name)| body.ok_or_else(|| Error::UndefinedRule(name.clone()).into())).collect()
    }

    /// What holds of a term under the rules, as far as `settle` or `prepare` has seen them.
    fn fact(&self, arena: &Arena, id: TermId) -> Fact {
        self.facts.of(arena, id)
    }

    pub(crate) fn nullable(&self, arena: &Arena, id: TermId) -> bool {
        self.fact(arena, id).nullable
    }

    /// Whether the term matches something, once `settle` has run.
    pub fn matches_something(&self, arena: &Arena, id: TermId) -> bool {
        self.fact(arena, id).productive
    }

    /// Find out which terms match something and which may be empty. `ready` are rules that were prepared before any of
    /// these were added: what holds under them holds here.
    pub fn settle(&mut self, arena: &mut Arena, ready: Option<&Rules>) -> Result<()> {
        let bodies = self.resolved()?;
        self.facts = ready.map_or_else(Facts::default, |ready| ready.facts.settled());
        self.facts.settle(arena, &bodies)
    }

    /// What is known of terms is shared from now on by all copies of these rules.
    pub fn share(&mut self) {
        self.facts.share();
    }

    /// Prepare for running: leave out what cannot be finished, find out how every rule begins, remove left recursion.
    /// Returns the root without what cannot be finished.
    pub fn prepare(&mut self, arena: &mut Arena, ready: Option<&Rules>, root: TermId) -> Result<TermId> {
        self.settle(arena, ready)?;
        self.facts.prune(arena);
        let settled = ready.map_or(0, |ready| ready.facts.settled_terms());
        self.is_trim = self.facts.are_all_productive(settled) && ready.is_none_or(|ready| ready.is_trim);
        let root = self.trim(arena, root)?;
        let bodies = self.resolved()?;
        for &body in &bodies {
            let entries = self.first(arena, body)?;
            self.entries.push(Arc::new(entries));
        }
        let components = self.components();
        for component in &components {
            if component.len() > 1 || self.begins(component[0]).any(|callee| callee == component[0]) {
                self.straighten(arena, component)?;
            }
        }
        let order = self.components().into_iter().flatten();
        self.order = vec![0; self.entries.len()];
        // Components come callees first.
        for (place, rule) in order.enumerate() {
            self.order[rule as usize] = u32::MAX - place as u32;
        }
        self.facts.judge(arena)?;
        Ok(root)
    }

    /// Find out the same of the terms that are new to rules that are prepared. Returns the root without what cannot be
    /// finished.
    pub fn judge(&mut self, arena: &mut Arena, root: TermId) -> Result<TermId> {
        let known = self.facts.terms();
        self.facts.judge(arena)?;
        self.is_trim &= self.facts.are_all_productive(known);
        self.trim(arena, root)
    }

    fn begins(&self, rule: u32) -> impl Iterator<Item = u32> + '_ {
        self.entries[rule as usize].iter().filter_map(|entry| match entry.first {
            First::Call(callee) => Some(callee),
            _ => None,
        })
    }

    /// Strongly connected components of "may begin with", callees first (Tarjan 1972, without recursion).
    fn components(&self) -> Vec<Vec<u32>> {
        let count = self.entries.len();
        let (mut index, mut low) = (vec![u32::MAX; count], vec![0u32; count]);
        let (mut on_stack, mut stack, mut out) = (vec![false; count], Vec::new(), Vec::new());
        let mut counter = 0;
        for root in 0..count as u32 {
            let mut work = vec![(root, None::<std::vec::IntoIter<u32>>)];
            while let Some((rule, callees)) = work.last_mut() {
                let at = *rule as usize;
                if callees.is_none() {
                    if index[at] != u32::MAX {
                        work.pop();
                        continue;
                    }
                    (index[at], low[at]) = (counter, counter);
                    counter += 1;
                    stack.push(*rule);
                    on_stack[at] = true;
                    *callees = Some(self.begins(*rule).collect::<Vec<_>>().into_iter());
                }
                let next = callees.as_mut().and_then(|callees| callees.next());
                match next {
                    Some(callee) if index[callee as usize] == u32::MAX => work.push((callee, None)),
                    Some(callee) if on_stack[callee as usize] => low[at] = low[at].min(index[callee as usize]),
                    Some(_) => {}
                    None => {
                        let rule = *rule;
                        work.pop();
                        if let Some((caller, _)) = work.last() {
                            low[*caller as usize] = low[*caller as usize].min(low[at]);
                        }
                        if low[at] == index[at] {
                            let split = stack.iter().rposition(|&other| other == rule).unwrap_or(0);
                            let component: Vec<u32> = stack.split_off(split);
                            component.iter().for_each(|&member| on_stack[member as usize] = false);
                            out.push(component);
                        }
                    }
                }
            }
        }
        out
    }

    /// Solve the left-linear system of one component (see the head of this file).
    fn straighten(&mut self, arena: &mut Arena, component: &[u32]) -> Result<()> {
        let size = component.len();
        if size > 64 {
            return Err(Error::Limit(Limit::LeftRecursion(64)).into());
        }
        let place: FxHashMap<u32, usize> = component.iter().enumerate().map(|(at, &rule)| (rule, at)).collect();
        // steps[k]: (j, alpha) for every A_j → A_k alpha.
        let mut steps: Vec<Vec<(usize, TermId)>> = vec![Vec::new(); size];
        let mut bases: Vec<Vec<Entry>> = vec![Vec::new(); size];
        for (j, &rule) in component.iter().enumerate() {
            for entry in self.entries(rule).iter() {
                match entry.first {
                    First::Call(callee) if place.contains_key(&callee) => {
                        let mut alpha = EPSILON;
                        for &part in entry.rest.iter().rev() {
                            alpha = arena.seq(part, alpha)?;
                        }
                        steps[place[&callee]].push((j, alpha));
                    }
                    _ => bases[j].push(entry.clone()),
                }
            }
        }
        let reach = |from: usize| {
            let mut seen = vec![false; size];
            let mut work = vec![from];
            while let Some(at) = work.pop() {
                if !std::mem::replace(&mut seen[at], true) {
                    work.extend(steps[at].iter().filter(|(_, alpha)| self.nullable(arena, *alpha)).map(|&(j, _)| j));
                }
            }
            seen
        };
        let reaches: Vec<Vec<bool>> = (0..size).map(reach).collect();
        let rest_rule = |rules: &mut Self, k: usize, i: usize| {
            let name = format!("{}/{}", rules.names[component[k] as usize], rules.names[component[i] as usize]);
            let rule = rules.declare(&name);
            rules.bodies[rule as usize] = Some(EMPTY);
            rules.facts.add_rule(Fact { nullable: reaches[k][i], productive: true });
            rules.entries.push(Arc::default());
            rule
        };
        let mut rests = vec![vec![0u32; size]; size];
        for (k, row) in rests.iter_mut().enumerate() {
            for (i, cell) in row.iter_mut().enumerate() {
                *cell = rest_rule(self, k, i);
            }
        }
        let mut calls = vec![vec![EMPTY; size]; size];
        for (k, row) in calls.iter_mut().enumerate() {
            for (i, cell) in row.iter_mut().enumerate() {
                *cell = arena.call(rests[k][i])?;
            }
        }
        for k in 0..size {
            for i in 0..size {
                let mut entries = Vec::new();
                for l in (0..size).filter(|&l| reaches[k][l]) {
                    for &(j, alpha) in &steps[l] {
                        for mut entry in self.first(arena, alpha)? {
                            entry.rest.push(calls[j][i]);
                            entries.push(entry);
                        }
                    }
                }
                self.entries[rests[k][i] as usize] = Arc::new(deduplicated(entries));
            }
        }
        for (i, &rule) in component.iter().enumerate() {
            let mut entries = Vec::new();
            for (k, base) in bases.iter().enumerate() {
                for entry in base {
                    let mut entry = entry.clone();
                    entry.rest.push(calls[k][i]);
                    entries.push(entry);
                }
            }
            self.entries[rule as usize] = Arc::new(deduplicated(entries));
        }
        Ok(())
    }

    /// The head with which a term begins, and what follows, where one look says so.
    pub(crate) fn plain_first(&self, arena: &Arena, id: TermId) -> Option<(TermId, Option<TermId>)> {
        match *arena.term(id) {
            Term::Empty | Term::Epsilon => None,
            Term::Seq(left, right) => {
                let info = arena.info(left);
                (!info.structural && !info.nullable).then_some((left, Some(right)))
            }
            _ => (!arena.info(id).structural).then_some((id, None)),
        }
    }

    /// How a term can begin, not counting the empty text.
    pub(crate) fn first(&self, arena: &mut Arena, id: TermId) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        self.collect_first(arena, id, &mut SmallVec::new(), &mut entries)?;
        Ok(deduplicated(entries))
    }

    fn collect_first(
        &self,
        arena: &mut Arena,
        id: TermId,
        rest: &mut SmallVec<[TermId; 4]>,
        out: &mut Vec<Entry>,
    ) -> Result<()> {
        // An entry may be made, with a copy of all that follows.
        arena.spend(8 + rest.len() as u64)?;
        let entry = |first| {
            let rest = rest.iter().rev().copied().collect();
            Entry { first, rest }
        };
        match *arena.term(id) {
            Term::Empty | Term::Epsilon => {}
            Term::Seq(..) => {
                let mut id = id;
                while let Term::Seq(left, right) = *arena.term(id) {
                    arena.spend(1)?;
                    rest.push(right);
                    self.collect_first(arena, left, rest, out)?;
                    rest.pop();
                    if !self.nullable(arena, left) {
                        return Ok(());
                    }
                    id = right;
                }
                self.collect_first(arena, id, rest, out)?;
            }
            Term::Alt(ref parts) if arena.info(id).structural => {
                for part in parts.clone().iter() {
                    self.collect_first(arena, *part, rest, out)?;
                }
            }
            Term::Repeat { body, min, max } if arena.info(id).structural => {
                let min = if self.nullable(arena, body) { 0 } else { min };
                let max = if max == crate::regular::term::MANY { max } else { max - 1 };
                let again = arena.repeat(body, min.saturating_sub(1), max)?;
                if again != EPSILON {
                    rest.push(again);
                }
                self.collect_first(arena, body, rest, out)?;
                if again != EPSILON {
                    rest.pop();
                }
            }
            Term::Call(rule) => out.push(entry(First::Call(rule))),
            Term::Special(special) => out.push(entry(First::Special(special))),
            Term::Unique(_) => out.push(entry(First::Unique(id))),
            Term::Object(_) | Term::ObjectNext { .. } => {
                let ObjectParts { end, next } = arena.object_parts(id)?;
                if let Some(end) = end {
                    self.collect_first(arena, end, rest, out)?;
                }
                if let Some((before, key)) = next {
                    let next = arena.seq(before, key)?;
                    self.collect_first(arena, next, rest, out)?;
                }
            }
            Term::ObjectKey { object, state } => {
                if arena.asks_for_keys(object, state)? {
                    out.push(entry(First::Ask));
                    return Ok(());
                }
                for (head, follow) in arena.key_heads(object, state)? {
                    let mut entry = Entry { first: First::Head(head), rest: rest.iter().rev().copied().collect() };
                    if let Some(follow) = follow {
                        entry.rest.insert(0, follow);
                    }
                    out.push(entry);
                }
            }
            _ => out.push(entry(First::Head(id))),
        }
        Ok(())
    }
}

fn deduplicated(entries: Vec<Entry>) -> Vec<Entry> {
    // Few are compared with each other; a table would cost more.
    if entries.len() <= 8 {
        let mut kept: Vec<Entry> = Vec::with_capacity(entries.len());
        for entry in entries {
            if !kept.contains(&entry) {
                kept.push(entry);
            }
        }
        return kept;
    }
    let mut seen = FxHashSet::default();
    entries.into_iter().filter(|entry| seen.insert(entry.clone())).collect()
}

impl Arena {
    pub fn call(&mut self, rule: u32) -> Result<TermId> {
        self.intern_structural(Term::Call(rule), 27, &[u128::from(rule)], false)
    }

    pub fn special(&mut self, special: u32) -> Result<TermId> {
        self.intern_structural(Term::Special(special), 28, &[u128::from(special)], false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::builder::Builder;
    use crate::limits::Limits;

    /// What rules begin with and how much follows, where `make` is given two rules and says what they are.
    fn begins(make: impl Fn(&mut Builder, u32, u32) -> [u32; 2]) -> [Vec<(First, usize)>; 2] {
        let mut builder = Builder::default();
        let [one, two] = ["one", "two"].map(|name| builder.rule(name).unwrap().0);
        let bodies = make(&mut builder, one, two);
        builder.define(one, bodies[0]).unwrap();
        builder.define(two, bodies[1]).unwrap();
        let machine = builder.build(one).unwrap().machine(&Limits::default(), [None, None], None).unwrap();
        [0, 1].map(|rule| {
            let entries = machine.rules().entries(rule);
            entries.iter().map(|entry| (entry.first, entry.rest.len())).collect()
        })
    }

    fn heads(found: &[(First, usize)]) -> Vec<usize> {
        assert!(found.iter().all(|(first, _)| matches!(first, First::Head(_))), "{found:?}");
        found.iter().map(|&(_, rest)| rest).collect()
    }

    #[test]
    fn a_rule_begins_with_what_is_read_never_with_the_empty_text() {
        // one = "x" two | ε, two = one "y" one
        let [one, two] = begins(|builder, one, two| {
            let [x, y] = [&b"x"[..], b"y"].map(|text| builder.literal(text).unwrap().0);
            let more = builder.seq(&[x, two]).unwrap().0;
            let first = builder.alt(&[more, crate::regular::term::EPSILON.0]).unwrap().0;
            [first, builder.seq(&[one, y, one]).unwrap().0]
        });
        assert_eq!(heads(&one), [1]);
        // One calls, and as it may be empty the rest is a beginning, too.
        assert!(matches!(two[..], [(First::Call(0), 1), (First::Head(_), 1)]), "{two:?}");
    }

    #[test]
    fn a_repetition_begins_with_what_is_repeated_and_goes_on_with_the_rest() {
        let counted = |min, max| {
            let [one, _] = begins(|builder, _, _| {
                let (x, special) = (builder.literal(b"x").unwrap().0, builder.special("<s>").unwrap().0);
                let item = builder.seq(&[special, x]).unwrap().0;
                [builder.repeat(item, min, max).unwrap().0, x]
            });
            one
        };
        assert_eq!(counted(0, Some(1)), [(First::Special(0), 1)]);
        assert_eq!(counted(1, Some(3)), [(First::Special(0), 2)]);
        assert_eq!(counted(2, None), [(First::Special(0), 2)]);
    }

    #[test]
    fn left_recursion_is_gone() {
        // one = two "x" | "a", two = one "y" | "b": each begins with what the other does.
        let found = begins(|builder, one, two| {
            let [x, y, a, b] = [&b"x"[..], b"y", b"a", b"b"].map(|text| builder.literal(text).unwrap().0);
            let (first, second) = (builder.seq(&[two, x]).unwrap().0, builder.seq(&[one, y]).unwrap().0);
            [builder.alt(&[first, a]).unwrap().0, builder.alt(&[second, b]).unwrap().0]
        });
        assert_eq!(found.each_ref().map(|found| heads(found).len()), [2, 2]);
    }

    #[test]
    fn callees_come_before_callers() {
        let entry = |callee| Entry { first: First::Call(callee), rest: SmallVec::new() };
        let rules = |calls: &[&[u32]]| Rules {
            entries: calls.iter().map(|calls| Arc::new(calls.iter().map(|&callee| entry(callee)).collect())).collect(),
            ..Rules::default()
        };
        assert_eq!(rules(&[&[1, 2], &[2], &[]]).components(), [[2], [1], [0]]);
        let mut circles = rules(&[&[1], &[2, 3], &[0], &[4], &[3, 4], &[]]).components();
        circles.iter_mut().for_each(|component| component.sort_unstable());
        assert_eq!(circles, [vec![3, 4], vec![0, 1, 2], vec![5]]);
    }

    #[test]
    fn beginnings_are_listed_once() {
        let entry = |head, rest: &[u32]| Entry {
            first: First::Head(TermId(head)),
            rest: rest.iter().map(|&term| TermId(term)).collect(),
        };
        for many in [1, 9] {
            let entries: Vec<Entry> =
                (0..many).flat_map(|head| [entry(head, &[1]), entry(head, &[2]), entry(head, &[1])]).collect();
            let expected: Vec<Entry> = (0..many).flat_map(|head| [entry(head, &[1]), entry(head, &[2])]).collect();
            assert_eq!(deduplicated(entries), expected);
        }
    }
}
