//! Terms × rules → whether each matches something, and whether it may be empty.
//!
//! Both are least fixpoints, found by a worklist in time linear in what the terms are made of (Dowling and Gallier,
//! *Linear-time algorithms for testing the satisfiability of propositional Horn formulae*, 1984). Terms share their
//! parts: a recursion that looks at a part once for each way to it takes twice as long for every level of two references.

use crate::error::Result;
use crate::json::object::{SeenKeys, Steps};
use crate::regular::arena::Arena;
use crate::regular::registers::ObjectSpec;
use crate::regular::term::{Term, TermId, EMPTY};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// Steps of one search for a way to close an object.
const MAX_SEARCH_STEPS: u64 = 1_000_000;

#[derive(Clone, Copy, Default, PartialEq)]
pub(super) struct Fact {
    pub nullable: bool,
    pub productive: bool,
}

const ALL: Fact = Fact { nullable: true, productive: true };

#[derive(Clone, Default)]
pub(super) struct Facts {
    /// By rule.
    rules: Vec<Fact>,
    /// By term, parts before what is made of them: first those that many rules share, then the others.
    shared: Arc<[Fact]>,
    terms: Vec<Fact>,
    /// How many rules and terms there were when the fixpoint was found: rules that are added later do not change it.
    base: (usize, usize),
    /// Objects that were pruned.
    pruned: usize,
}

impl Facts {
    pub fn of_rule(&self, rule: u32) -> Fact {
        self.rules.get(rule as usize).copied().unwrap_or_default()
    }

    pub fn add_rule(&mut self, fact: Fact) {
        self.rules.push(fact);
    }

    /// What is known of a term, or follows from what is known of its parts.
    pub fn of(&self, arena: &Arena, id: TermId) -> Fact {
        match self.get(id.0 as usize) {
            Some(fact) => fact,
            None => self.fact_from_parts(arena, id),
        }
    }

    fn get(&self, place: usize) -> Option<Fact> {
        match place.checked_sub(self.shared.len()) {
            None => Some(self.shared[place]),
            Some(place) => self.terms.get(place).copied(),
        }
    }

    /// How many terms are known.
    pub fn terms(&self) -> usize {
        self.shared.len() + self.terms.len()
    }

    /// What is known is shared from now on by all copies.
    pub fn share(&mut self) {
        self.shared = (0..self.terms()).filter_map(|place| self.get(place)).collect();
        self.terms = Vec::new();
    }

    fn fact_from_parts(&self, arena: &Arena, id: TermId) -> Fact {
        let info = arena.info(id);
        match arena.term(id) {
            _ if !info.structural => Fact { nullable: info.nullable, productive: id != EMPTY },
            Term::Seq(..) => {
                let (mut all, mut rest) = (ALL, id);
                while let Term::Seq(left, right) = arena.term(rest) {
                    all = conjunction(all, self.of(arena, *left));
                    rest = *right;
                    if all == Fact::default() {
                        return all;
                    }
                    if (rest.0 as usize) < self.terms() {
                        break;
                    }
                }
                conjunction(all, self.of(arena, rest))
            }
            Term::Alt(parts) => {
                let mut any = Fact::default();
                for &part in parts.iter() {
                    let Fact { nullable, productive } = self.of(arena, part);
                    any = Fact { nullable: any.nullable || nullable, productive: any.productive || productive };
                    if any == ALL {
                        break;
                    }
                }
                any
            }
            Term::Repeat { min: 0, .. } => ALL,
            Term::Repeat { body, .. } => self.of(arena, *body),
            Term::Call(rule) => self.of_rule(*rule),
            Term::Unique(array) => {
                let productive =
                    arena.registers.uniques[*array as usize].can_end(|node| self.of(arena, node).productive);
                Fact { nullable: false, productive }
            }
            _ => Fact { nullable: info.nullable, productive: true },
        }
    }

    /// What was base, for rules that are these and more.
    pub fn base(&self) -> Self {
        let (rules, terms) = self.base;
        Facts {
            rules: self.rules[..rules].to_vec(),
            shared: (0..terms).filter_map(|place| self.get(place)).collect(),
            terms: Vec::new(),
            base: self.base,
            pruned: self.pruned,
        }
    }

    /// The least fixpoint over all terms that are new, under rules with these bodies.
    pub fn compute(&mut self, arena: &mut Arena, bodies: &[TermId]) -> Result<()> {
        let (known, count) = (self.terms(), arena.len());
        self.rules.resize(bodies.len(), Fact::default());
        let mut users: FxHashMap<TermId, SmallVec<[TermId; 2]>> = FxHashMap::default();
        // Objects take longest: they wait until all their values are known that can be known without them.
        let (mut light, mut heavy) = (Vec::new(), Vec::new());
        for place in known..count {
            let id = TermId(place as u32);
            if !arena.info(id).structural {
                self.terms.push(self.fact_from_parts(arena, id));
                continue;
            }
            self.terms.push(Fact::default());
            let mut parts = 0;
            each_part(arena, bodies, id, |part| {
                parts += 1;
                if part.0 as usize >= known && arena.info(part).structural {
                    users.entry(part).or_default().push(id);
                }
            });
            arena.spend(1 + parts)?;
            match arena.term(id) {
                Term::Object(_) | Term::Unique(_) => heavy.push(id),
                _ => light.push(id),
            }
        }
        // The first to be taken is the lowest: parts come before what is made of them.
        light.reverse();
        heavy.reverse();
        let (mut waits, below) = (vec![true; count - known], self.shared.len());
        while let Some(id) = light.pop().or_else(|| heavy.pop()) {
            let place = id.0 as usize;
            waits[place - known] = false;
            arena.spend(1)?;
            let fact = match *arena.term(id) {
                Term::Object(object) => self.object_fact(arena, object)?,
                Term::Call(rule) => {
                    let fact = bodies.get(rule as usize).map_or_else(Fact::default, |&body| self.of(arena, body));
                    if let Some(slot) = self.rules.get_mut(rule as usize) {
                        *slot = fact;
                    }
                    fact
                }
                _ => self.fact_from_parts(arena, id),
            };
            if fact == self.terms[place - below] {
                continue;
            }
            self.terms[place - below] = fact;
            for &user in users.get(&id).into_iter().flatten() {
                let at = user.0 as usize;
                if self.terms[at - below] != ALL && !std::mem::replace(&mut waits[at - known], true) {
                    match arena.term(user) {
                        Term::Object(_) | Term::Unique(_) => heavy.push(user),
                        _ => light.push(user),
                    }
                }
            }
        }
        for (rule, &body) in bodies.iter().enumerate() {
            self.rules[rule] = self.of(arena, body);
        }
        self.base = (bodies.len(), count);
        Ok(())
    }

    /// Leave out of the objects the values that can never be finished.
    pub fn prune(&mut self, arena: &mut Arena) {
        for object in self.pruned..arena.registers.objects.len() {
            if let Some(spec) = self.prune_object(arena, object as u32) {
                *arena.registers.objects.get_mut(object) = Arc::new(spec);
            }
        }
        self.pruned = arena.registers.objects.len();
    }

    /// Whether every term from this place on matches something, but the one that stands for nothing.
    pub fn are_all_productive(&self, from: usize) -> bool {
        let is_productive = |place| self.get(place).is_some_and(|fact: Fact| fact.productive);
        (from..self.terms()).all(|place| is_productive(place) || place == EMPTY.0 as usize)
    }

    /// How many terms the fixpoint was found for.
    pub fn base_terms(&self) -> usize {
        self.base.1
    }

    /// The facts of terms that are new while no rule is: each once, after its parts. Objects lose the values that cannot
    /// be finished.
    pub fn extend(&mut self, arena: &mut Arena) -> Result<()> {
        for place in self.terms()..arena.len() {
            let id = TermId(place as u32);
            let fact = match *arena.term(id) {
                Term::Object(object) => {
                    let fact = self.object_fact(arena, object)?;
                    if let Some(spec) = self.prune_object(arena, object) {
                        *arena.registers.objects.get_mut(object as usize) = Arc::new(spec);
                    }
                    fact
                }
                _ => self.fact_from_parts(arena, id),
            };
            self.terms.push(fact);
        }
        self.pruned = arena.registers.objects.len();
        Ok(())
    }

    /// Whether the object can be closed with values that can be finished. If that is too hard to tell here, it is told
    /// with the steps of a call where the object is entered.
    fn object_fact(&mut self, arena: &mut Arena, object: u32) -> Result<Fact> {
        let known = arena.registers.objects[object as usize].clone();
        arena.spend(1 + known.properties.len() as u64 / 8)?;
        let is_there = |node: TermId| self.of(arena, node).productive;
        // Without one of them there is nothing to search, as often as the others are looked at.
        if known.properties.iter().any(|each| each.required && !each.values.iter().any(|value| is_there(value.node))) {
            return Ok(Fact::default());
        }
        let spec = self.prune_object(arena, object).map_or(known, Arc::new);
        let mut steps = Steps::new(&mut arena.budget, MAX_SEARCH_STEPS);
        let productive = match spec.is_feasible(&Default::default(), SeenKeys::of(&arena.registers.keys), &mut steps) {
            Err(_) if steps.is_exhausted() => true,
            is_feasible => is_feasible?,
        };
        Ok(Fact { nullable: false, productive })
    }

    /// The object without the values that can never be finished; None if it has none of those.
    fn prune_object(&self, arena: &Arena, object: u32) -> Option<ObjectSpec> {
        let spec = &arena.registers.objects[object as usize];
        let is_there = |node: TermId| self.of(arena, node).productive;
        let lists = spec.properties.iter().map(|property| &property.values);
        let mut values = lists.chain(spec.extras.iter().map(|extra| &extra.values)).flatten();
        if values.all(|value| is_there(value.node)) {
            return None;
        }
        let mut spec = ObjectSpec::clone(spec);
        let lists = spec.properties.iter_mut().map(|property| &mut property.values);
        for values in lists.chain(spec.extras.iter_mut().map(|extra| &mut extra.values)) {
            values.retain(|value| is_there(value.node));
        }
        spec.index_properties();
        Some(spec)
    }
}

fn conjunction(one: Fact, other: Fact) -> Fact {
    Fact { nullable: one.nullable && other.nullable, productive: one.productive && other.productive }
}

/// What a structural term is made of.
fn each_part(arena: &Arena, bodies: &[TermId], id: TermId, mut act: impl FnMut(TermId)) {
    match arena.term(id) {
        Term::Seq(left, right) => [*left, *right].into_iter().for_each(act),
        Term::Alt(parts) => parts.iter().copied().for_each(act),
        Term::Repeat { body, .. } => act(*body),
        Term::Call(rule) => bodies.get(*rule as usize).copied().into_iter().for_each(act),
        Term::Unique(array) => {
            arena.registers.uniques[*array as usize].steps.iter().flatten().for_each(|&(node, _)| act(node));
        }
        Term::Object(object) => {
            let spec = &arena.registers.objects[*object as usize];
            let lists = spec.properties.iter().map(|property| &property.values);
            lists.chain(spec.extras.iter().map(|extra| &extra.values)).flatten().for_each(|value| act(value.node));
        }
        _ => {}
    }
}
