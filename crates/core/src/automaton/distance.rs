//! Term, frame → how many bytes a text needs at least until its end: a bound from below, for `completion`.
//!
//! Every term has one, made of its parts' bounds: exact for what is built of literals, classes, concatenation, choice,
//! repetition and rules; too low where parts restrict each other (an intersection, a complement, keys and items that
//! may not repeat, marks). A rule's bound is the least fixpoint over its entries (Knuth, *A generalization of
//! Dijkstra's algorithm*, 1977). But for escapes by number it is never too high, so a best-first search that trusts
//! it ends with a shortest text.

use crate::automaton::machine::{FrameId, Machine, Position, BOTTOM};
use crate::error::Result;
use crate::grammar::rules::First;
use crate::json::object::Needs;
use crate::regular::registers::{ObjectState, Value};
use crate::regular::term::{Spelling, Term, TermId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What cannot be finished with bytes: a special token must come.
pub(crate) const NEVER: u64 = u64::MAX;

/// Longer texts are not told apart: some grammars have none below any number that can be written out.
const MAX_DISTANCE: u64 = 1 << 40;

/// What an escape by number is held to be longer than it is: thousands of them say nothing that raw characters do not
/// say, and each would be a place of its own in a search.
const ESCAPE_PENALTY: u64 = 16;

/// More items that must come are not counted.
const MAX_ITEMS: u32 = 4_096;

fn sum(parts: impl IntoIterator<Item = u64>) -> u64 {
    parts.into_iter().fold(0, |all, part| match (all, part) {
        (NEVER, _) | (_, NEVER) => NEVER,
        _ => (all + part).min(MAX_DISTANCE),
    })
}

fn product(count: u64, part: u64) -> u64 {
    match part {
        NEVER if count > 0 => NEVER,
        _ => part.saturating_mul(count).min(MAX_DISTANCE),
    }
}

/// What is left of `all` difference `part`, at least.
fn difference(all: u64, part: u64) -> u64 {
    if all == NEVER {
        NEVER
    } else {
        all.saturating_sub(part)
    }
}

#[derive(Default)]
pub(crate) struct Distances {
    rules: Vec<u64>,
    is_complete: bool,
    terms: FxHashMap<TermId, u64>,
    frames: FxHashMap<FrameId, u64>,
    members: FxHashMap<u32, Arc<ObjectDistances>>,
    remaining: FxHashMap<(u32, u32), Arc<RemainingMembers>>,
    arrays: FxHashMap<u32, Arc<Vec<Vec<u64>>>>,
}

/// The members of an object, each difference the comma before it.
struct ObjectDistances {
    named: Vec<MemberDistance>,
    others: Vec<MemberDistance>,
    /// For each property, and the end, what those cost from there on that must come if nothing else asks for them.
    required_from: Vec<u64>,
    /// The shortest member of all.
    shortest: u64,
    comma: u64,
    close: u64,
}

struct MemberDistance {
    required: bool,
    key: u64,
    /// Colon and value of each alternative, and the marks it leaves.
    values: Vec<(u64, u64)>,
    /// The shortest of those.
    value: u64,
}

/// What an object still needs.
pub(crate) struct RemainingMembers {
    needs: Needs,
    /// The members that must come, with a comma before each, and the end.
    needed: u64,
    /// Of an object whose members must come if they are required: the first of those that may still come.
    from: Option<u32>,
}

impl RemainingMembers {
    fn must_come(&self, members: &ObjectDistances, index: u32) -> bool {
        match self.from {
            Some(from) => index >= from && members.named[index as usize].required,
            None => self.needs.must_come(index),
        }
    }

    /// Whether no member must come.
    fn is_done(&self, members: &ObjectDistances) -> bool {
        match self.from {
            Some(from) => members.required_from[from as usize] == 0,
            None => self.needs.is_done(),
        }
    }
}

/// A member that comes current.
#[derive(Clone, Copy, PartialEq)]
enum CurrentMember {
    Named(u32),
    Other(u32),
}

impl ObjectDistances {
    fn next_member(&self) -> u64 {
        sum([self.comma, self.shortest])
    }

    /// What looking for the missing marks costs.
    fn mark_cost(&self, needs: &Needs) -> u64 {
        u64::from(needs.marks.count_ones()) * (self.named.len() + self.others.len()) as u64
    }

    /// What it takes at least to leave the marks that are missing, beside what comes anyway: the dearest of them.
    fn mark_distance(&self, needs: &Needs, missing: u64, current: Option<CurrentMember>) -> u64 {
        let mut dearest = 0;
        let mut left = missing;
        while left != 0 {
            let mark = left & left.wrapping_neg();
            left &= !mark;
            let leaves =
                |values: &[(u64, u64)]| values.iter().filter(|value| value.1 & mark != 0).map(|value| value.0).min();
            let mut cheapest = NEVER;
            for (index, member) in (0..).zip(&self.named) {
                if current == Some(CurrentMember::Named(index)) || !needs.may_come(index) {
                    continue;
                }
                if let Some(value) = leaves(&member.values) {
                    let own = if needs.must_come(index) {
                        difference(value, member.value)
                    } else {
                        sum([self.comma, member.key, value])
                    };
                    cheapest = cheapest.min(own);
                }
            }
            for member in &self.others {
                if let Some(value) = leaves(&member.values) {
                    cheapest = cheapest.min(sum([self.comma, member.key, value]));
                }
            }
            dearest = dearest.max(cheapest);
        }
        dearest
    }
}

impl Machine {
    /// The bytes that are needed at least from a position on.
    pub(crate) fn distance_from(&mut self, position: &Position) -> Result<u64> {
        let mut least = NEVER;
        for &(head, frame) in &position.heads {
            least = least.min(self.distance_after(head, head, head, frame)?);
        }
        Ok(least)
    }

    /// The bytes that are needed at least where `inner`, what a head reads, has become `next`.
    pub(crate) fn distance_after(&mut self, head: TermId, inner: TermId, next: TermId, frame: FrameId) -> Result<u64> {
        if !self.distances.is_complete {
            self.compute_rule_distances()?;
        }
        let own = self.distance(next)?;
        // A head that holds its text says itself what follows it.
        let follow = if inner == head { 0 } else { difference(self.distance(head)?, self.distance(inner)?) };
        Ok(sum([own, follow, self.frame_distance(frame)?]))
    }

    fn compute_rule_distances(&mut self) -> Result<()> {
        let count = self.rules().count() as u32;
        self.distances.rules = vec![NEVER; count as usize];
        loop {
            let mut changed = false;
            for rule in (0..count).rev() {
                let mut best = if self.rules().is_nullable_rule(rule) { 0 } else { NEVER };
                let entries = self.rules().entries(rule);
                for entry in entries.iter() {
                    self.arena.spend(1)?;
                    let mut cost = match entry.first {
                        First::Head(term) | First::Unique(term) => self.distance(term)?,
                        First::Call(rule) => self.distances.rules[rule as usize],
                        First::Special(_) => NEVER,
                        First::Replay => 0,
                    };
                    for &part in &entry.rest {
                        cost = sum([cost, self.distance(part)?]);
                    }
                    best = best.min(cost);
                }
                if best < self.distances.rules[rule as usize] {
                    self.distances.rules[rule as usize] = best;
                    changed = true;
                }
            }
            // What was found remaining on bounds of rules that have fallen since.
            let rules = std::mem::take(&mut self.distances.rules);
            self.distances = Distances { rules, ..Distances::default() };
            if !changed {
                self.distances.is_complete = true;
                return Ok(());
            }
        }
    }

    fn frame_distance(&mut self, frame: FrameId) -> Result<u64> {
        if frame == BOTTOM {
            return Ok(0);
        }
        let mut work = vec![frame];
        while let Some(&at) = work.last() {
            self.arena.spend(1)?;
            let members = self.members(at).to_vec();
            let mut least = NEVER;
            let mut ready = true;
            for (term, parent) in members {
                let below = if parent == BOTTOM { Some(0) } else { self.distances.frames.get(&parent).copied() };
                match below {
                    Some(below) => least = least.min(sum([self.distance(term)?, below])),
                    None => {
                        work.push(parent);
                        ready = false;
                    }
                }
            }
            if ready {
                self.arena.budget.grow(24);
                self.distances.frames.insert(at, least);
                work.pop();
            }
        }
        Ok(self.distances.frames[&frame])
    }

    fn distance(&mut self, id: TermId) -> Result<u64> {
        if let Some(&least) = self.distances.terms.get(&id) {
            return Ok(least);
        }
        self.arena.spend(1)?;
        let least = self.compute_distance(id)?;
        self.arena.budget.grow(24);
        self.distances.terms.insert(id, least);
        Ok(least)
    }

    fn compute_distance(&mut self, id: TermId) -> Result<u64> {
        let nullable = self.arena.info(id).nullable;
        let structural = self.arena.info(id).structural;
        let least = match *self.arena.term(id) {
            Term::Empty | Term::Special(_) => NEVER,
            Term::Epsilon => 0,
            Term::Class(_) => 1,
            Term::Literal { literal, position } => {
                self.arena.terms.literals[literal as usize].len() as u64 - u64::from(position)
            }
            Term::Words { set, low, high, depth } => {
                let words = &self.arena.terms.word_sets[set as usize].words[low as usize..high as usize];
                words.iter().map(|word| word.len() as u64 - u64::from(depth)).min().unwrap_or(NEVER)
            }
            Term::Cat(..) | Term::Seq(..) => {
                // Each end of the chain will be asked for: none adds up again what the ends of it have added.
                let (mut chain, mut rest) = (Vec::new(), id);
                while let Term::Cat(left, right) | Term::Seq(left, right) = *self.arena.term(rest) {
                    if self.distances.terms.contains_key(&rest) {
                        break;
                    }
                    chain.push((rest, left));
                    rest = right;
                }
                let mut all = self.distance(rest)?;
                for (end, left) in chain.into_iter().rev() {
                    self.arena.spend(1)?;
                    all = sum([self.distance(left)?, all]);
                    if !structural {
                        all = all.max(u64::from(self.arena.info(end).min_chars));
                    }
                    if end != id {
                        self.arena.budget.grow(24);
                        self.distances.terms.insert(end, all);
                    }
                }
                all
            }
            Term::Alt(ref parts) => {
                let mut least = NEVER;
                for &part in parts.clone().iter() {
                    least = least.min(self.distance(part)?);
                }
                least
            }
            Term::And(ref parts) => {
                let mut least = 0;
                for &part in parts.clone().iter() {
                    least = least.max(self.distance(part)?);
                }
                least
            }
            Term::Keys(_) | Term::Multiple { .. } | Term::Not(_) => u64::from(!nullable),
            Term::Repeat { min: 0, .. } => 0,
            Term::Repeat { body, min, .. } => product(u64::from(min), self.distance(body)?),
            Term::Bounded { body, .. } => self.distance(body)?,
            Term::Quoted { text, state, .. } => {
                // No spelling of a character is shorter than the character.
                let chars = u64::from(self.arena.info(text).min_chars);
                let text = self.distance(text)?;
                let (open, spelled) = match state {
                    Spelling::Start => (1, 0),
                    Spelling::Body => (0, 0),
                    Spelling::Escape => (1, 1),
                    Spelling::Hex { digits, .. } => (4 - u64::from(digits) + ESCAPE_PENALTY, 3),
                    Spelling::LowEscape { .. } => (6, 4),
                    Spelling::LowU { .. } => (5, 4),
                    Spelling::Low { digits, .. } => (4 - u64::from(digits), 4),
                };
                // An open escape is one character.
                let open_chars = u64::from(spelled > 0);
                sum([open, difference(text, spelled).max(chars.saturating_sub(open_chars)), 1])
            }
            Term::Call(rule) => self.distances.rules.get(rule as usize).copied().unwrap_or(0),
            Term::Unique(array) => {
                let spec = self.arena.registers.uniques[array as usize].clone();
                let mut least = NEVER;
                if spec.accepting[0] && spec.min == 0 {
                    least = self.distance(spec.empty)?;
                }
                let open = self.distance(spec.open)?;
                for &(node, next) in &spec.steps[0] {
                    let item = self.distance(node)?;
                    least = least.min(sum([open, item, self.unique_distance(array, next, 1)?]));
                }
                least
            }
            Term::UniqueItem { array, state } => {
                let spec = self.arena.registers.uniques[array as usize].clone();
                let (at, came) = self.arena.registers.unique_states[state as usize].progress();
                let mut least = NEVER;
                for &(node, next) in &spec.steps[at as usize] {
                    let item = self.distance(node)?;
                    least = least.min(sum([item, self.unique_distance(array, next, came + 1)?]));
                }
                least
            }
            Term::UniqueNext { array, state } => {
                let (at, came) = self.arena.registers.unique_states[state as usize].progress();
                self.unique_distance(array, at, came)?
            }
            Term::UniqueEnd { array, state, step, .. } => {
                let (at, came) = self.arena.registers.unique_states[state as usize].progress();
                let next = self.arena.registers.uniques[array as usize].steps[at as usize][step as usize].1;
                self.unique_distance(array, next, came + 1)?
            }
            Term::Object(object) => {
                let spec = self.arena.registers.objects[object as usize].clone();
                let start = ObjectState::default();
                if spec.can_close(&start) {
                    self.distance(spec.empty)?
                } else {
                    let open = self.distance(spec.open)?;
                    let rest = Arc::new(self.compute_remaining_members(object, &start)?);
                    let key = self.key_distance(object, &rest)?;
                    sum([open, key])
                }
            }
            Term::ObjectKey { object, state } => {
                let rest = self.remaining_members(object, state)?;
                self.key_distance(object, &rest)?
            }
            Term::ObjectNext { object, state } => {
                let rest = self.remaining_members(object, state)?;
                self.next_distance(object, &rest, 0)?
            }
            Term::KeyNamed { object, state, low, high, depth } => {
                let spec = self.arena.registers.objects[object as usize].clone();
                let choices = self.arena.choices(object, state)?;
                let mut least = NEVER;
                for (spelling, property) in &spec.sorted[low as usize..high as usize] {
                    if choices.allows(*property) {
                        let letters = spelling.len() as u64 - u64::from(depth);
                        least = least
                            .min(sum([letters, self.member_distance(object, state, CurrentMember::Named(*property))?]));
                    }
                }
                least
            }
            Term::KeyDone { object, state, property } => {
                self.member_distance(object, state, CurrentMember::Named(property))?
            }
            Term::KeyExtra { object, state, extra, inner, .. } => {
                let letters = self.distance(inner)?;
                sum([letters, self.member_distance(object, state, CurrentMember::Other(extra))?])
            }
        };
        Ok(if structural { least } else { least.max(u64::from(self.arena.info(id).min_chars)) })
    }

    /// What follows the items of an array of different items, `came` of them, in one of its states.
    fn unique_distance(&mut self, array: u32, at: u32, came: usize) -> Result<u64> {
        let spec = self.arena.registers.uniques[array as usize].clone();
        let left = (spec.min as usize).saturating_sub(came).min(MAX_ITEMS as usize);
        let table = match self.distances.arrays.get(&array) {
            Some(table) => table.clone(),
            None => {
                let made = Arc::new(self.unique_table(array)?);
                self.arena.budget.grow(made.iter().map(|row| 8 * row.len() + 24).sum::<usize>());
                self.distances.arrays.insert(array, made.clone());
                made
            }
        };
        Ok(table[left.min(table.len() - 1)][at as usize])
    }

    /// By the number of items that must still come, then by state.
    fn unique_table(&mut self, array: u32) -> Result<Vec<Vec<u64>>> {
        let spec = self.arena.registers.uniques[array as usize].clone();
        let (comma, close) = (self.distance(spec.comma)?, self.distance(spec.close)?);
        let mut steps: Vec<Vec<(u64, u32)>> = Vec::with_capacity(spec.steps.len());
        for from in &spec.steps {
            let mut found = Vec::with_capacity(from.len());
            for &(node, next) in from {
                found.push((sum([comma, self.distance(node)?]), next));
            }
            steps.push(found);
        }
        let mut last: Vec<u64> =
            spec.accepting.iter().map(|&accepting| if accepting { close } else { NEVER }).collect();
        loop {
            self.arena.spend(steps.len() as u64)?;
            let mut changed = false;
            for (at, from) in steps.iter().enumerate() {
                for &(cost, next) in from {
                    let through = sum([cost, last[next as usize]]);
                    if through < last[at] {
                        last[at] = through;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let mut table = vec![last];
        for _ in 0..spec.min.min(MAX_ITEMS) {
            self.arena.spend(steps.len() as u64)?;
            let before = &table[table.len() - 1];
            let row = steps
                .iter()
                .map(|from| from.iter().map(|&(cost, next)| sum([cost, before[next as usize]])).min().unwrap_or(NEVER));
            table.push(row.collect());
        }
        Ok(table)
    }

    fn object_distances(&mut self, object: u32) -> Result<Arc<ObjectDistances>> {
        if let Some(members) = self.distances.members.get(&object) {
            return Ok(members.clone());
        }
        let spec = self.arena.registers.objects[object as usize].clone();
        let colon = self.distance(spec.colon)?;
        let mut named = Vec::with_capacity(spec.properties.len());
        for property in &spec.properties {
            let key = property.key.len() as u64 + 2;
            named.push(MemberDistance {
                required: property.required,
                ..self.compute_member(key, colon, &property.values)?
            });
        }
        let mut others = Vec::with_capacity(spec.extras.len());
        for extra in &spec.extras {
            let key = sum([self.distance(extra.keys)?, 2]);
            others.push(self.compute_member(key, colon, &extra.values)?);
        }
        let shortest = named.iter().chain(&others).map(|member| sum([member.key, member.value])).min().unwrap_or(NEVER);
        let (comma, close) = (self.distance(spec.comma)?, self.distance(spec.close)?);
        let mut required_from = vec![0; named.len() + 1];
        for (index, member) in named.iter().enumerate().rev() {
            let own = if member.required { sum([comma, member.key, member.value]) } else { 0 };
            required_from[index] = sum([required_from[index + 1], own]);
        }
        self.arena.budget.grow(100 + 88 * (named.len() + others.len()));
        let members = Arc::new(ObjectDistances { named, others, required_from, shortest, comma, close });
        self.distances.members.insert(object, members.clone());
        Ok(members)
    }

    fn compute_member(&mut self, key: u64, colon: u64, alternatives: &[Value]) -> Result<MemberDistance> {
        let mut values = Vec::with_capacity(alternatives.len());
        for alternative in alternatives {
            values.push((sum([colon, self.distance(alternative.node)?]), alternative.marks));
        }
        let value = values.iter().map(|value| value.0).min().unwrap_or(NEVER);
        Ok(MemberDistance { required: false, key, values, value })
    }

    fn remaining_members(&mut self, object: u32, state: u32) -> Result<Arc<RemainingMembers>> {
        if let Some(rest) = self.distances.remaining.get(&(object, state)) {
            return Ok(rest.clone());
        }
        let before = self.arena.registers.states[state as usize].clone();
        let rest = Arc::new(self.compute_remaining_members(object, &before)?);
        self.arena.budget.grow(120 + rest.needs.memory_bytes());
        self.distances.remaining.insert((object, state), rest.clone());
        Ok(rest)
    }

    fn compute_remaining_members(&mut self, object: u32, state: &ObjectState) -> Result<RemainingMembers> {
        let spec = self.arena.registers.objects[object as usize].clone();
        let members = self.object_distances(object)?;
        if spec.is_sequential() {
            let needed = sum([members.close, members.required_from[state.next as usize]]);
            return Ok(RemainingMembers { needs: Needs::default(), needed, from: Some(state.next) });
        }
        self.arena.spend(1 + spec.properties.len() as u64 / 8)?;
        let needs = spec.needs(state);
        let mut needed = members.close;
        for index in needs.must() {
            let MemberDistance { key, value, .. } = members.named[index as usize];
            needed = sum([needed, members.comma, key, value]);
        }
        Ok(RemainingMembers { needs, needed, from: None })
    }

    /// A comma or the end, and all that follows.
    fn next_distance(&mut self, object: u32, rest: &RemainingMembers, least: u32) -> Result<u64> {
        let members = self.object_distances(object)?;
        self.arena.spend(members.mark_cost(&rest.needs))?;
        let more = product(u64::from(rest.needs.more.max(least)), members.next_member());
        Ok(sum([rest.needed, more.max(members.mark_distance(&rest.needs, rest.needs.marks, None))]))
    }

    /// A key and all that follows it, where a key must come.
    fn key_distance(&mut self, object: u32, rest: &RemainingMembers) -> Result<u64> {
        let members = self.object_distances(object)?;
        let all = self.next_distance(object, rest, u32::from(rest.is_done(&members)))?;
        Ok(difference(all, members.comma))
    }

    /// The colon and the value of a member, and all that follows it.
    fn member_distance(&mut self, object: u32, state: u32, current: CurrentMember) -> Result<u64> {
        let rest = self.remaining_members(object, state)?;
        let members = self.object_distances(object)?;
        self.arena.spend(members.mark_cost(&rest.needs))?;
        let (mut needed, mut more) = (rest.needed, rest.needs.more);
        let member = match current {
            CurrentMember::Named(index) => &members.named[index as usize],
            CurrentMember::Other(index) => &members.others[index as usize],
        };
        match current {
            CurrentMember::Named(index) if rest.must_come(&members, index) => {
                let own = sum([members.comma, member.key, member.value]);
                needed = if own == NEVER { NEVER } else { difference(needed, own) };
            }
            _ => more = more.saturating_sub(1),
        }
        let more = product(u64::from(more), members.next_member());
        let mut least = NEVER;
        for &(value, marks) in &member.values {
            let marks = members.mark_distance(&rest.needs, rest.needs.marks & !marks, Some(current));
            least = least.min(sum([value, needed, more.max(marks)]));
        }
        Ok(least)
    }
}
