//! Rules that begin with each other → equivalent rules that do not.
//!
//! For a strongly connected set of rules A_i with A_j → A_k α_kj and A_j → β_j, the left-linear system A = β + A α has
//! the solution A_i = Σ_k β_k R_ki with R = α*, and R is right-recursive (the matrix form of Greibach's normal form:
//! Rosenkrantz, *Matrix equations and normal forms*, JACM 1967).

use crate::error::{Error, Limit, Result};
use crate::grammar::rules::facts::Fact;
use crate::grammar::rules::first::deduplicate;
use crate::grammar::rules::{Entry, First, Rules};
use crate::json::arena::Arena;
use crate::regular::id::RuleId;
use crate::regular::term::{TermId, EMPTY, EPSILON};
use crate::regular::transfer::postorder;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

impl Rules {
    /// The rules that a rule may begin with.
    pub(super) fn first_callees(&self, rule: RuleId) -> impl Iterator<Item = RuleId> + '_ {
        self.entries[rule.index()].iter().filter_map(|entry| match entry.first {
            First::Call(callee) => Some(callee),
            _ => None,
        })
    }

    /// Strongly connected components of "may begin with", callees first (Kosaraju and Sharir 1981).
    pub(super) fn components(&self) -> Vec<Vec<RuleId>> {
        let rules = || (0..self.entries.len()).map(RuleId::at);
        let mut callers = vec![Vec::new(); self.entries.len()];
        for rule in rules() {
            self.first_callees(rule).for_each(|callee| callers[callee.index()].push(rule));
        }
        let order = postorder(rules(), |_| false, |rule, visit| self.first_callees(rule).for_each(visit));
        // The rules that lead to the last one of the order, and to which it leads, are those that call it in some way.
        let (mut met, mut components) = (FxHashSet::default(), Vec::new());
        for &rule in order.iter().rev() {
            let callers =
                |rule: RuleId, visit: &mut dyn FnMut(RuleId)| callers[rule.index()].iter().copied().for_each(visit);
            let component = postorder([rule], |other| met.contains(&other), callers);
            met.extend(component.iter().copied());
            components.extend((!component.is_empty()).then_some(component));
        }
        components.reverse();
        components
    }

    /// Solves the left-linear system of one component, as the head of this file describes. Errors: more than 64 rules,
    /// limits.
    pub(super) fn remove_left_recursion(&mut self, arena: &mut Arena, component: &[RuleId]) -> Result<()> {
        let size = component.len();
        if size > 64 {
            return Err(Error::Limit(Limit::LeftRecursion(64)).into());
        }
        let place: FxHashMap<RuleId, usize> = component.iter().enumerate().map(|(at, &rule)| (rule, at)).collect();
        // steps[k] lists (j, alpha) for every A_j → A_k alpha.
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
                    work.extend(steps[at].iter().filter(|(_, alpha)| self.is_nullable(arena, *alpha)).map(|&(j, _)| j));
                }
            }
            seen
        };
        let reaches: Vec<Vec<bool>> = (0..size).map(reach).collect();
        // The rule R_ki has the number `first + k * size + i`.
        let first = self.bodies.len();
        let mut calls = vec![vec![EMPTY; size]; size];
        for (k, row) in calls.iter_mut().enumerate() {
            for (i, call) in row.iter_mut().enumerate() {
                let names = [k, i].map(|at| &*self.names[component[at].index()]).join("/");
                let rule = self.declare(&names);
                self.bodies[rule.index()] = Some(EMPTY);
                self.facts.add_rule(Fact { nullable: reaches[k][i], productive: true });
                self.entries.push(Arc::default());
                *call = arena.call(rule)?;
            }
        }
        for place in 0..size * size {
            let (k, i) = (place / size, place % size);
            let mut entries = Vec::new();
            for l in (0..size).filter(|&l| reaches[k][l]) {
                for &(j, alpha) in &steps[l] {
                    for mut entry in self.first(arena, alpha)? {
                        entry.rest.push(calls[j][i]);
                        entries.push(entry);
                    }
                }
            }
            self.entries[first + place] = Arc::new(deduplicate(entries));
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
            self.entries[rule.index()] = Arc::new(deduplicate(entries));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::recognizer::Recognizer;
    use crate::builder::Builder;
    use crate::grammar::fixture::{literal, rules};

    /// The recognizer of the first of these rules.
    fn recognizer(bodies: &[(&str, &[&str])]) -> Recognizer {
        let mut builder = Builder::default();
        let first = rules(&mut builder, bodies)[0];
        Recognizer::new(builder.build(first.number()).unwrap())
    }

    fn check(bodies: &[(&str, &[&str])], texts: &[(&str, bool)]) {
        let recognizer = recognizer(bodies);
        for &(text, expected) in texts {
            assert_eq!(recognizer.accepts(text.as_bytes(), None), Ok(expected), "{text:?} by {bodies:?}");
            assert!(
                !expected
                    || (0..=text.len()).all(|end| recognizer.accepts_prefix(&text.as_bytes()[..end], None).unwrap())
            );
        }
    }

    #[test]
    fn a_sum_is_a_sum_and_a_term() {
        check(
            &[("E", &["E + T", "T"]), ("T", &["T * F", "F"]), ("F", &["( E )", "x"])],
            &[
                ("x", true),
                ("x+x*x+x", true),
                ("(x+x)*x", true),
                ("x+", false),
                ("+x", false),
                ("(x", false),
                ("", false),
            ],
        );
    }

    #[test]
    fn rules_may_begin_with_each_other() {
        check(
            &[("A", &["B x", "a"]), ("B", &["A y", "b"])],
            &[("a", true), ("bx", true), ("ayx", true), ("bxyx", true), ("b", false), ("ay", false), ("axy", false)],
        );
        check(
            &[("A", &["B x", "C y", "a"]), ("B", &["C z", "b"]), ("C", &["A w", "c"])],
            &[("cy", true), ("bx", true), ("czx", true), ("awy", true), ("awzx", true), ("cx", false), ("awx", false)],
        );
    }

    #[test]
    fn what_precedes_a_recursive_call_may_be_empty() {
        check(
            &[("A", &["N A x", "y"]), ("N", &["n", ""])],
            &[("y", true), ("yx", true), ("nyx", true), ("nnyxx", true), ("nyxx", true), ("ny", false), ("x", false)],
        );
    }

    #[test]
    fn what_follows_a_recursive_call_may_be_empty() {
        // A reaches B by an empty rest, so what follows B follows A, too.
        check(
            &[("A", &["B N", "a"]), ("B", &["A", "B x", "b"]), ("N", &["n", ""])],
            &[
                ("a", true),
                ("ax", true),
                ("axn", true),
                ("an", true),
                ("bx", true),
                ("bxxn", true),
                ("anx", true),
                ("nx", false),
            ],
        );
    }

    #[test]
    fn a_rule_that_calls_itself_only_is_left_with_its_other_alternatives() {
        check(&[("A", &["A", "a", "A b"])], &[("a", true), ("ab", true), ("abb", true), ("b", false), ("", false)]);
        check(&[("A", &["A A", "a"])], &[("a", true), ("aa", true), ("aaaa", true), ("", false)]);
        check(&[("A", &["A A", "a", ""])], &[("", true), ("a", true), ("aaa", true), ("b", false)]);
    }

    /// The result for `size` rules that call each other in a cycle: each is the next rule and `x`, or `y`.
    fn circle(size: usize) -> Result<()> {
        let mut builder = Builder::default();
        let [x, y] = ["x", "y"].map(|text| literal(&mut builder, text).number());
        let rules: Vec<u32> = (0..size).map(|_| builder.rule("rule").unwrap().number()).collect();
        for (place, &rule) in rules.iter().enumerate() {
            let more = builder.seq(&[rules[(place + 1) % size], x])?;
            let body = builder.alt(&[more.number(), y])?;
            builder.define(rule, body.number())?;
        }
        builder.build(rules[0]).map(|_| ())
    }

    #[test]
    fn as_many_as_64_rules_may_be_left_recursive_together() {
        assert_eq!(circle(64), Ok(()));
        assert_eq!(circle(65).map_err(|error| *error), Err(Error::Limit(Limit::LeftRecursion(64))));
    }
}
