//! Rules → what structural terms begin with, left recursion removed.
//!
//! `first` lists how a term can begin: a head (a regular term, or a key), a call, or a special token, each with the
//! terms that follow it, innermost first. Parts that may be empty are skipped here, once per grammar, so that at run
//! time a call never returns before it has read something. Calls at the beginning then form a graph without cycles,
//! once left recursion is gone: for a strongly connected set of rules A_i with A_j → A_k α_kj and A_j → β_j, the
//! left-linear system A = β + A α has the solution A_i = Σ_k β_k R_ki with R = α*, and R is right-recursive
//! (the matrix form of Greibach's normal form: Rosenkrantz, *Matrix equations and normal forms*, JACM 1967).

use crate::error::{Error, Limit, Result};
use crate::object::{Came, ObjectParts, ObjectSpec, Steps};
use crate::term::{Arena, Term, TermId, EMPTY, EPSILON};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::sync::Arc;

/// Steps of one search for a way to close an object.
const SEARCH: u64 = 1_000_000;

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
    nullable: Vec<bool>,
    productive: Vec<bool>,
    entries: Vec<Arc<Vec<Entry>>>,
    /// Position in an order in which a rule comes before those it may begin with.
    pub(crate) order: Vec<u32>,
    pub(crate) all_productive: bool,
    /// For each object that `prepare` has met whether it matches something.
    objects: Vec<bool>,
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
        self.nullable.get(rule as usize).copied().unwrap_or(false)
    }

    pub(crate) fn body(&self, rule: u32) -> Option<TermId> {
        self.bodies.get(rule as usize).copied().flatten()
    }

    pub(crate) fn entries(&self, rule: u32) -> Arc<Vec<Entry>> {
        self.entries[rule as usize].clone()
    }

    pub(crate) fn nullable(&self, arena: &Arena, id: TermId) -> bool {
        match arena.term(id) {
            Term::Seq(..) => {
                let mut rest = id;
                while let Term::Seq(left, right) = arena.term(rest) {
                    if !self.nullable(arena, *left) {
                        return false;
                    }
                    rest = *right;
                }
                self.nullable(arena, rest)
            }
            Term::Alt(parts) if arena.info(id).structural => parts.iter().any(|&part| self.nullable(arena, part)),
            Term::Repeat { body, min, .. } => *min == 0 || self.nullable(arena, *body),
            Term::Call(rule) => self.nullable.get(*rule as usize).copied().unwrap_or(false),
            _ => arena.info(id).nullable,
        }
    }

    fn productive(&self, arena: &Arena, id: TermId) -> bool {
        match arena.term(id) {
            Term::Empty => false,
            Term::Seq(..) => {
                let mut rest = id;
                while let Term::Seq(left, right) = arena.term(rest) {
                    if !self.productive(arena, *left) {
                        return false;
                    }
                    rest = *right;
                }
                self.productive(arena, rest)
            }
            Term::Alt(parts) if arena.info(id).structural => parts.iter().any(|&part| self.productive(arena, part)),
            Term::Repeat { body, min, .. } if arena.info(id).structural => *min == 0 || self.productive(arena, *body),
            Term::Call(rule) => self.productive[*rule as usize],
            Term::Unique(array) => arena.uniques[*array as usize].may_end(|node| self.productive(arena, node)),
            Term::Object(object) => {
                if let Some(&known) = self.objects.get(*object as usize) {
                    return known;
                }
                let spec = self.pruned(arena, &arena.objects[*object as usize]);
                // Too hard to tell here is told with the steps of a call where the object is entered.
                spec.feasible(&Default::default(), Came::of(&arena.keys), &mut Steps::new(SEARCH)).unwrap_or(true)
            }
            _ => true,
        }
    }

    /// The object without the values that can never be finished.
    fn pruned(&self, arena: &Arena, spec: &Arc<ObjectSpec>) -> Arc<ObjectSpec> {
        // Each value is asked about once: an object in an object in an object would be judged twice as often at every level.
        let lists = spec.properties.iter().map(|property| &property.values);
        let values = lists.chain(spec.extras.iter().map(|extra| &extra.values)).flatten();
        let mut values = values.map(|value| self.productive(arena, value.node));
        let Some(first) = values.by_ref().position(|kept| !kept) else { return spec.clone() };
        let mut kept = vec![true; first];
        kept.push(false);
        kept.extend(values);
        let (mut spec, mut kept) = (ObjectSpec::clone(spec), kept.into_iter());
        let lists = spec.properties.iter_mut().map(|property| &mut property.values);
        for values in lists.chain(spec.extras.iter_mut().map(|extra| &mut extra.values)) {
            values.retain(|_| kept.next().unwrap_or(true));
        }
        spec.take_stock();
        Arc::new(spec)
    }

    /// Least fixpoints of "may be empty" and "matches something".
    pub fn settle(&mut self, arena: &mut Arena) -> Result<()> {
        let bodies = self.resolved()?;
        self.objects.clear();
        self.nullable.resize(bodies.len(), false);
        self.productive = vec![false; bodies.len()];
        loop {
            let mut changed = false;
            for (rule, &body) in bodies.iter().enumerate().rev() {
                if !self.nullable[rule] && self.nullable(arena, body) {
                    self.nullable[rule] = true;
                    changed = true;
                }
                if !self.productive[rule] && self.productive(arena, body) {
                    self.productive[rule] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        self.all_productive = self.productive.iter().all(|&productive| productive);
        Ok(())
    }

    /// Whether the term matches something, once `settle` has run.
    pub fn matches_something(&self, arena: &Arena, id: TermId) -> bool {
        self.productive(arena, id)
    }

    fn resolved(&self) -> Result<Vec<TermId>> {
        let named = self.bodies.iter().zip(&self.names);
        named.map(|(body, name)| body.ok_or_else(|| Error::UndefinedRule(name.clone()).into())).collect()
    }

    /// Prepare for running: prune what cannot be finished, find out how every rule begins, remove left recursion.
    pub fn prepare(&mut self, arena: &mut Arena) -> Result<()> {
        self.settle(arena)?;
        self.judge(arena);
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
        Ok(())
    }

    /// Find out of the objects that are new to rules that are prepared whether they match something.
    pub fn judge(&mut self, arena: &mut Arena) {
        for object in self.objects.len()..arena.objects.len() {
            let spec = self.pruned(arena, &arena.objects[object]);
            let feasible = spec.feasible(&Default::default(), Came::of(&arena.keys), &mut Steps::new(SEARCH));
            // Too hard to tell is neither.
            self.all_productive &= matches!(feasible, Ok(true));
            self.objects.push(!matches!(feasible, Ok(false)));
            if !Arc::ptr_eq(&spec, &arena.objects[object]) {
                *arena.objects.get_mut(object) = spec;
            }
        }
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
            rules.nullable.push(reaches[k][i]);
            rules.productive.push(true);
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
            Term::Seq(left, right) if self.all_productive => {
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
        arena.spend(1)?;
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
                    if self.all_productive || self.productive(arena, right) {
                        rest.push(right);
                        self.collect_first(arena, left, rest, out)?;
                        rest.pop();
                    }
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
                let max = if max == crate::term::MANY { max } else { max - 1 };
                let again = arena.repeat(body, min.saturating_sub(1), max)?;
                if again != EPSILON {
                    rest.push(again);
                }
                self.collect_first(arena, body, rest, out)?;
                if again != EPSILON {
                    rest.pop();
                }
            }
            Term::Call(rule) => {
                if self.all_productive || self.productive[rule as usize] {
                    out.push(entry(First::Call(rule)));
                }
            }
            Term::Special(special) => out.push(entry(First::Special(special))),
            Term::Unique(_) => {
                if self.all_productive || self.productive(arena, id) {
                    out.push(entry(First::Unique(id)));
                }
            }
            // Its first key would be a dead end.
            Term::Object(_) if !self.all_productive && !self.productive(arena, id) => {}
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
        self.structural(Term::Call(rule), 27, &[u128::from(rule)], false)
    }

    pub fn special(&mut self, special: u32) -> Result<TermId> {
        self.structural(Term::Special(special), 28, &[u128::from(special)], false)
    }
}
