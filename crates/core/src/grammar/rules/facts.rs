//! Terms × rules → whether each term is productive (matches something) and whether it is nullable.
//!
//! Both facts are least fixpoints, found by a worklist in linear time (Dowling and Gallier, *Linear-time algorithms for
//! testing the satisfiability of propositional Horn formulae*, 1984). A plain recursion would visit shared parts once
//! per path, which is exponential.

use crate::error::Result;
use crate::json::object::{SeenKeys, Steps};
use crate::regular::arena::Arena;
use crate::regular::id::{ObjectId, RuleId};
use crate::regular::registers::ObjectSpec;
use crate::regular::term::{Term, TermId, EMPTY};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// Steps of one search for a way to close an object. Chosen without measurement.
const MAX_SEARCH_STEPS: u64 = 1_000_000;

#[derive(Clone, Copy, Default, PartialEq)]
pub(super) struct Fact {
    pub nullable: bool,
    pub productive: bool,
}

/// The facts of a term of which everything holds.
const ALL: Fact = Fact { nullable: true, productive: true };

#[derive(Clone, Default)]
pub(super) struct Facts {
    /// Facts by rule.
    rules: Vec<Fact>,
    /// Facts by term, parts before wholes: a shared prefix, then own terms.
    shared: Arc<[Fact]>,
    terms: Vec<Fact>,
    /// The numbers of rules and terms at the last fixpoint. Rules added later do not change these facts.
    base: (usize, usize),
    /// The number of objects that were pruned.
    pruned: usize,
}

impl Facts {
    /// The facts of a rule; neither if the rule is unknown.
    pub fn of_rule(&self, rule: RuleId) -> Fact {
        self.rules.get(rule.index()).copied().unwrap_or_default()
    }

    /// Adds the facts of a new rule.
    pub fn add_rule(&mut self, fact: Fact) {
        self.rules.push(fact);
    }

    /// The facts of a term, computed from its parts if necessary.
    pub fn of(&self, arena: &Arena, id: TermId) -> Fact {
        match self.get(id.index()) {
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

    /// The number of terms with stored facts.
    pub fn terms(&self) -> usize {
        self.shared.len() + self.terms.len()
    }

    /// Moves all facts to the shared prefix, so that copies are cheap.
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
                    if rest.index() < self.terms() {
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
                let productive = arena.registers.uniques[array.index()].can_end(|node| self.of(arena, node).productive);
                Fact { nullable: false, productive }
            }
            _ => Fact { nullable: info.nullable, productive: true },
        }
    }

    /// The facts at the last fixpoint, as a start for a larger set of rules.
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

    /// Computes the least fixpoint over all new terms, for rules with these bodies. Errors: limits.
    pub fn compute(&mut self, arena: &mut Arena, bodies: &[TermId]) -> Result<()> {
        let (known, count) = (self.terms(), arena.len());
        self.rules.resize(bodies.len(), Fact::default());
        let mut users: FxHashMap<TermId, SmallVec<[TermId; 2]>> = FxHashMap::default();
        // Objects and arrays are expensive, so they wait until all cheaper terms are known.
        let (mut light, mut heavy) = (Vec::new(), Vec::new());
        for place in known..count {
            let id = TermId::at(place);
            if !arena.info(id).structural {
                self.terms.push(self.fact_from_parts(arena, id));
                continue;
            }
            self.terms.push(Fact::default());
            let mut parts = 0;
            each_part(arena, bodies, id, |part| {
                parts += 1;
                if part.index() >= known && arena.info(part).structural {
                    users.entry(part).or_default().push(id);
                }
            });
            arena.spend(1 + parts)?;
            match arena.term(id) {
                Term::Object(_) | Term::Unique(_) => heavy.push(id),
                _ => light.push(id),
            }
        }
        // Stacks: the lowest term is taken first, because parts have lower numbers than wholes.
        light.reverse();
        heavy.reverse();
        let (mut waits, below) = (vec![true; count - known], self.shared.len());
        while let Some(id) = light.pop().or_else(|| heavy.pop()) {
            let place = id.index();
            waits[place - known] = false;
            arena.spend(1)?;
            let fact = match *arena.term(id) {
                Term::Object(object) => self.object_fact(arena, object)?,
                Term::Call(rule) => {
                    let fact = bodies.get(rule.index()).map_or_else(Fact::default, |&body| self.of(arena, body));
                    if let Some(slot) = self.rules.get_mut(rule.index()) {
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
                let at = user.index();
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

    /// Removes unproductive values from all new objects.
    pub fn prune(&mut self, arena: &mut Arena) {
        for object in self.pruned..arena.registers.objects.len() {
            if let Some(spec) = self.prune_object(arena, ObjectId::at(object)) {
                *arena.registers.objects.get_mut(object) = Arc::new(spec);
            }
        }
        self.pruned = arena.registers.objects.len();
    }

    /// Whether every term from a place on is productive, except for the empty language.
    pub fn are_all_productive(&self, from: usize) -> bool {
        let is_productive = |place| self.get(place).is_some_and(|fact: Fact| fact.productive);
        (from..self.terms()).all(|place| is_productive(place) || place == EMPTY.index())
    }

    /// The number of terms at the last fixpoint.
    pub fn base_terms(&self) -> usize {
        self.base.1
    }

    /// Computes the facts of new terms in one pass, if no rule is new. Objects lose their unproductive values. Errors:
    /// limits.
    pub fn extend(&mut self, arena: &mut Arena) -> Result<()> {
        for place in self.terms()..arena.len() {
            let id = TermId::at(place);
            let fact = match *arena.term(id) {
                Term::Object(object) => {
                    let fact = self.object_fact(arena, object)?;
                    if let Some(spec) = self.prune_object(arena, object) {
                        *arena.registers.objects.get_mut(object.index()) = Arc::new(spec);
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

    /// The facts of an object: whether productive values can close it. If the search exceeds its steps, the object
    /// counts as productive, and the automaton decides on entering it.
    fn object_fact(&mut self, arena: &mut Arena, object: ObjectId) -> Result<Fact> {
        let known = arena.registers.objects[object.index()].clone();
        arena.spend(1 + known.properties.len() as u64 / 8)?;
        let is_there = |node: TermId| self.of(arena, node).productive;
        // A required property without a value decides without a search.
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

    /// The object without its unproductive values; None if it has none of them.
    fn prune_object(&self, arena: &Arena, object: ObjectId) -> Option<ObjectSpec> {
        let spec = &arena.registers.objects[object.index()];
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

/// Calls `act` with each direct part of a structural term.
fn each_part(arena: &Arena, bodies: &[TermId], id: TermId, mut act: impl FnMut(TermId)) {
    match arena.term(id) {
        Term::Seq(left, right) => [*left, *right].into_iter().for_each(act),
        Term::Alt(parts) => parts.iter().copied().for_each(act),
        Term::Repeat { body, .. } => act(*body),
        Term::Call(rule) => bodies.get(rule.index()).copied().into_iter().for_each(act),
        Term::Unique(array) => {
            arena.registers.uniques[array.index()].steps.iter().flatten().for_each(|&(node, _)| act(node));
        }
        Term::Object(object) => {
            let spec = &arena.registers.objects[object.index()];
            let lists = spec.properties.iter().map(|property| &property.values);
            lists.chain(spec.extras.iter().map(|extra| &extra.values)).flatten().for_each(|value| act(value.node));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::builder::{Builder, ObjectRules};
    use crate::grammar::fixture::{braces, brackets, literal, object, rules};
    use crate::grammar::rules::Rules;

    /// (nullable, productive) of the node that `make` makes of the calls of these rules.
    fn facts(bodies: &[(&str, &[&str])], make: impl Fn(&mut Builder, &[TermId]) -> TermId) -> (bool, bool) {
        let mut builder = Builder::default();
        let calls = rules(&mut builder, bodies);
        let node = make(&mut builder, &calls);
        let mut rules = Rules::clone(&builder.rules);
        rules.compute_facts(&mut builder.arena, None).unwrap();
        (rules.is_nullable(&builder.arena, node), rules.matches_something(&builder.arena, node))
    }

    /// The bodies of a rule: the empty text, and nothing at all.
    const NULL: &[&str] = &[""];
    const NOTHING: &[&str] = &[];

    #[test]
    fn a_rule_matches_what_some_way_through_the_rules_ends_with() {
        for (bodies, nullable, productive) in [
            (&[("A", &["A"][..])][..], false, false),
            (&[("A", &["x A"])], false, false),
            (&[("A", &["x A", ""])], true, true),
            (&[("A", &["x A", "y"])], false, true),
            (&[("A", &["B"]), ("B", &["A"])], false, false),
            (&[("A", &["B x"]), ("B", &["A y"])], false, false),
            (&[("A", &["B B"]), ("B", &["x A", ""])], true, true),
            (&[("A", &["x B", ""]), ("B", &["A A"])], true, true),
            (&[("A", &["B x"]), ("B", &["A y", "z"])], false, true),
        ] {
            assert_eq!(facts(bodies, |_, calls| calls[0]), (nullable, productive), "{bodies:?}");
        }
    }

    #[test]
    fn a_sequence_needs_all_of_its_parts_and_a_union_one() {
        for (body, nullable, productive) in [
            (&["N D"][..], false, false),
            (&["D N"], false, false),
            (&["N X D"], false, false),
            (&["N N"], true, true),
            (&["N X"], false, true),
            (&["X N"], false, true),
            (&["N", "D"], true, true),
            (&["D", "N"], true, true),
            (&["X", "D"], false, true),
            (&["X", "N"], true, true),
            (&["D", "D D"], false, false),
        ] {
            let bodies = [("A", body), ("N", NULL), ("D", NOTHING), ("X", &["x"])];
            assert_eq!(facts(&bodies, |_, calls| calls[0]), (nullable, productive), "{body:?}");
        }
        let special = facts(&[], |builder, _| builder.special("<s>").unwrap());
        assert_eq!(special, (false, true));
    }

    #[test]
    fn a_repetition_that_may_stay_away_matches_the_empty_text() {
        for (min, body, expected) in [(0, NOTHING, true), (1, NOTHING, false), (1, NULL, true), (2, NOTHING, false)] {
            let found =
                facts(&[("A", body)], |builder, calls| builder.repeat(calls[0].number(), min, Some(3)).unwrap());
            assert_eq!(found, (expected, expected), "{min} {body:?}");
        }
    }

    /// An object whose property has the value `value`.
    fn object_of(builder: &mut Builder, value: TermId, required: bool) -> TermId {
        let punctuation = braces(builder);
        let named = vec![("a".to_owned(), required, vec![(value.number(), 0)])];
        builder.object(named, Vec::new(), punctuation, ObjectRules::default()).unwrap()
    }

    #[test]
    fn an_object_matches_something_if_what_it_requires_does() {
        for (body, required, expected) in
            [(NULL, true, true), (NULL, false, true), (NOTHING, true, false), (NOTHING, false, true)]
        {
            let found = facts(&[("A", body)], |builder, calls| object_of(builder, calls[0], required));
            assert_eq!(found, (false, expected), "{body:?} {required}");
        }
    }

    #[test]
    fn an_object_of_objects_ends_if_the_member_may_stay_away_or_be_another_value() {
        for (required, other, expected) in [(true, NOTHING, false), (false, NOTHING, true), (true, &["x"][..], true)] {
            let found = facts(&[("other", other)], |builder, calls| {
                let rule = builder.rule("rule").unwrap();
                let object = object_of(builder, rule, required);
                let body = builder.alt(&[object, calls[0]].map(TermId::number)).unwrap();
                builder.define(rule.number(), body.number()).unwrap();
                object
            });
            assert_eq!(found, (false, expected), "{required} {other:?}");
        }
    }

    #[test]
    fn an_array_matches_something_if_its_items_do() {
        for (body, accepting, expected) in
            [(NULL, false, true), (NOTHING, false, false), (NOTHING, true, true), (NULL, true, true)]
        {
            let found = facts(&[("A", body)], |builder, calls| {
                let punctuation = brackets(builder);
                let states = [(accepting, vec![(calls[0].number(), 1)]), (true, vec![])];
                builder.unique_array(&states, punctuation, 0, None).unwrap()
            });
            assert_eq!(found, (false, expected), "{body:?} {accepting}");
        }
    }

    /// The facts of all terms of a builder, with one rule of this body; and the call of the rule.
    fn computed(builder: &mut Builder, body: TermId) -> (Facts, TermId) {
        let rule = builder.rule("rule").unwrap();
        let mut facts = Facts::default();
        facts.compute(&mut builder.arena, &[body]).unwrap();
        (facts, rule)
    }

    #[test]
    fn new_terms_extend_known_facts() {
        let mut builder = Builder::default();
        let text = literal(&mut builder, "x");
        let (mut facts, rule) = computed(&mut builder, text);
        let count = builder.arena.len();
        assert_eq!((facts.terms(), facts.base_terms()), (count, count));
        assert!(facts.of_rule(RuleId::new(0)).productive && !facts.of_rule(RuleId::new(1)).productive);
        let dead = object_of(&mut builder, EMPTY, true);
        let alive = builder.seq(&[rule, rule].map(TermId::number)).unwrap();
        assert!(facts.of(&builder.arena, alive).productive, "computed from its parts until it is stored");
        facts.extend(&mut builder.arena).unwrap();
        assert_eq!((facts.terms(), facts.base_terms()), (builder.arena.len(), count));
        assert!(facts.of(&builder.arena, dead) == Fact::default());
        assert!(facts.of(&builder.arena, alive) == Fact { nullable: false, productive: true });
        assert!(!facts.are_all_productive(count) && facts.are_all_productive(dead.index() + 1));
        assert!(!facts.are_all_productive(0));
        let base = facts.base();
        assert_eq!((base.terms(), base.base_terms()), (count, count));
    }

    #[test]
    fn all_terms_but_the_empty_language_may_be_productive() {
        let mut builder = Builder::default();
        let text = literal(&mut builder, "x");
        let (facts, _) = computed(&mut builder, text);
        assert!(facts.are_all_productive(0));
    }

    #[test]
    fn shared_facts_are_the_same_facts() {
        let mut builder = Builder::default();
        let dead = object_of(&mut builder, EMPTY, true);
        let (mut facts, _) = computed(&mut builder, EMPTY);
        let terms = facts.terms();
        let all = |facts: &Facts| -> Vec<(bool, bool)> {
            let all = (0..terms).map(|place| facts.of(&builder.arena, TermId::at(place)));
            all.map(|Fact { nullable, productive }| (nullable, productive)).collect()
        };
        let before = all(&facts);
        facts.share();
        assert_eq!((all(&facts), facts.terms()), (before.clone(), terms));
        facts.share();
        assert_eq!(all(&facts), before);
        assert!(!before[dead.index()].1);
    }

    #[test]
    fn objects_lose_values_that_match_nothing() {
        let mut builder = Builder::default();
        let [dead, text] = [builder.rule("dead").unwrap().number(), literal(&mut builder, "x").number()];
        builder.define(dead, dead).unwrap();
        let punctuation = braces(&mut builder);
        let any = builder.any_text().unwrap().number();
        let named = vec![("a".to_owned(), false, vec![(dead, 1), (text, 2)]), ("b".to_owned(), false, vec![(dead, 0)])];
        let extras = vec![(any, vec![(dead, 0), (text, 4)])];
        builder.object(named, extras, punctuation, ObjectRules::default()).unwrap();
        object(&mut builder, &[("c", true)], &[], ObjectRules::default());
        let mut facts = Facts::default();
        let body = builder.node(dead).unwrap();
        facts.compute(&mut builder.arena, &[body]).unwrap();
        facts.prune(&mut builder.arena);
        let objects = &builder.arena.registers.objects;
        let marks =
            |values: &[crate::regular::registers::Value]| values.iter().map(|value| value.marks).collect::<Vec<_>>();
        let pruned = &objects[0];
        assert_eq!(
            pruned.properties.iter().map(|property| marks(&property.values)).collect::<Vec<_>>(),
            [vec![2], vec![]]
        );
        assert_eq!(marks(&pruned.extras[0].values), [4]);
        assert_eq!(pruned.valued[..], [0b01], "the sets of properties follow");
        assert_eq!(objects[1].properties[0].values.len(), 1);
    }
}
