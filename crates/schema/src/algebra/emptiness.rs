//! Conjunctions, conjuncts, keys → whether they are certainly empty: a search for contradictions, of bounded depth.

use super::Expander;
use crate::condition::{Conjunct, ConjunctionId, StringCondition, Types};
use crate::error::{Error, Result};
use crate::types::number::interval::Interval;
use crate::types::{array, object, string, Terms, DEPTH};
use frisket_core::regular::term::TermId;
use rustc_hash::FxHashMap;

/// Depth of a search that its caller does not bound, in levels of members and items.
pub(super) const FULL_DEPTH: u32 = DEPTH;
/// Most searches inside each other, as expanding a conjunction may search, too. Beyond, the answer is "unknown".
const NESTED: u32 = 6;
/// Most searches for a key that several patterns match; among n patterns, a search counts as 3^(n-2).
const SEARCHES: u64 = 40_000;
/// Conditions that searches read between two checks of the limits.
const READ: u64 = 4_096;
/// Cost of a search for a string, in conditions.
const TEXTS: usize = 16;
/// Cost of a condition in steps of a limit: 0.05 to 0.2 µs.
const STEPS_PER_CONDITION: u64 = 5;

/// Results of the searches of one schema. A search that gives up answers that some value may be left.
#[derive(Debug, Default)]
pub(super) struct Searches {
    empty: FxHashMap<ConjunctionId, bool>,
    /// Conjunction → depth and nesting of the last search that found no contradiction in it.
    inhabited: FxHashMap<ConjunctionId, (u32, u32)>,
    textless: FxHashMap<Vec<StringCondition>, bool>,
    nested: u32,
    key_searches: u64,
    /// Conditions that searches read.
    conditions: u64,
    /// How many of them were counted against the limits.
    counted: u64,
}

impl Expander<'_> {
    /// Whether certainly no value meets a conjunction; false also where the search gives up. Errors: as `expand`.
    pub(super) fn search_contradiction(&mut self, goal: ConjunctionId, depth: u32) -> Result<bool> {
        if goal.is_anything() || goal.is_nothing() {
            return Ok(goal.is_nothing());
        }
        if let Some(&known) = self.searches.empty.get(&goal) {
            return Ok(known);
        }
        let nested = self.searches.nested;
        if nested >= NESTED {
            return Ok(false);
        }
        // A shallower or more deeply nested search finds no more.
        if self.searches.inhabited.get(&goal).is_some_and(|&(deep, inside)| depth <= deep && nested >= inside) {
            return Ok(false);
        }
        let circles = self.circles;
        self.searches.nested += 1;
        let found = self.is_each_empty(goal, depth);
        self.searches.nested = nested;
        let Some(is_empty) = found? else { return Ok(false) };
        if is_empty || (depth >= FULL_DEPTH - 1 && nested == 0) {
            self.searches.empty.insert(goal, is_empty);
        } else if self.circles == circles {
            self.searches.inhabited.insert(goal, (depth, nested));
        }
        Ok(is_empty)
    }

    /// Whether all conjuncts of a conjunction are empty; None where it is being expanded.
    fn is_each_empty(&mut self, goal: ConjunctionId, depth: u32) -> Result<Option<bool>> {
        let Some(union) = self.looked_into(goal)? else { return Ok(None) };
        for conjunct in union.iter() {
            if !self.is_conjunct_empty(conjunct, depth)? {
                return Ok(Some(false));
            }
        }
        Ok(Some(true))
    }

    /// Whether certainly no value is in a conjunct. Errors: limits.
    pub(super) fn is_conjunct_empty(&mut self, conjunct: &Conjunct, depth: u32) -> Result<bool> {
        Ok(!conjunct.types.has(Types::WORDS) && self.types_left(conjunct, depth)?.is_empty())
    }

    /// The types of a conjunct without those of which it certainly has no value. Errors: limits.
    pub(super) fn types_left(&mut self, conjunct: &Conjunct, depth: u32) -> Result<Types> {
        let mut left = conjunct.types;
        self.count_conditions(1 + conjunct.numbers.len())?;
        if left.has(Types::STRING) && self.is_textless(&conjunct.strings)? {
            left = left & !Types::STRING;
        }
        if left.has(Types::NUMBER) && is_numberless(conjunct) {
            left = left & !Types::NUMBER;
        }
        if left.has(Types::ARRAY) && array::is_empty(self, &conjunct.arrays, depth)? {
            left = left & !Types::ARRAY;
        }
        if left.has(Types::OBJECT) && object::is_empty(self, &conjunct.objects, depth)? {
            left = left & !Types::OBJECT;
        }
        Ok(left)
    }

    /// Whether certainly no text is in the intersection of the nodes; `shared` of them are patterns that must all
    /// match. Errors: too many searches; limits.
    pub(super) fn is_without_key(&mut self, nodes: &[TermId], shared: usize) -> Result<bool> {
        let patterns = u32::try_from(shared.saturating_sub(2)).unwrap_or(u32::MAX);
        self.searches.key_searches = self.searches.key_searches.saturating_add(3u64.saturating_pow(patterns));
        if self.searches.key_searches > SEARCHES {
            return Err(Error::limit("key patterns overlap in too many ways to tell them apart"));
        }
        let numbers: Vec<u32> = nodes.iter().map(|node| node.number()).collect();
        let node = self.builder.and(&numbers)?;
        Ok(self.builder.is_empty(node.number())?)
    }

    /// Counts conditions that a search reads, and checks the limits every `READ` of them. Errors: limits.
    pub(super) fn count_conditions(&mut self, conditions: usize) -> Result<()> {
        let searches = &mut self.searches;
        searches.conditions += conditions as u64;
        if searches.conditions > searches.counted + READ {
            let steps = (searches.conditions - searches.counted) * STEPS_PER_CONDITION;
            searches.counted = searches.conditions;
            self.builder.check(steps)?;
        }
        Ok(())
    }

    fn is_textless(&mut self, conditions: &[StringCondition]) -> Result<bool> {
        if conditions.is_empty() {
            return Ok(false);
        }
        if let Some(&known) = self.searches.textless.get(conditions) {
            return Ok(known);
        }
        self.count_conditions(TEXTS + conditions.len())?;
        let found = string::is_empty(&Terms::new(&mut self.builder), conditions)?;
        self.searches.textless.insert(conditions.to_vec(), found);
        Ok(found)
    }
}

fn is_numberless(conjunct: &Conjunct) -> bool {
    !conjunct.numbers.is_empty() && Interval::new(conjunct.types & Types::NUMBER, &conjunct.numbers).is_empty()
}
