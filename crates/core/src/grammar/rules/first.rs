//! Term → how it can begin: a head, a call or a special token, each with the terms that follow it.
//!
//! Parts that may be empty are skipped here, once per grammar. At run time no call returns before it has read something.

use crate::error::Result;
use crate::grammar::rules::Rules;
use crate::json::arena::Arena;
use crate::regular::id::{RuleId, SpecialId};
use crate::regular::term::{Term, TermId, EPSILON, MANY};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// What a term begins with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum First {
    /// A regular term, or a key of an object.
    Head(TermId),
    /// A rule, by its number.
    Call(RuleId),
    /// A special token, by its number.
    Special(SpecialId),
    /// An object or an array of unique items: how it begins depends on what came of it.
    Open(TermId),
}

/// One way to begin a term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Entry {
    /// The beginning.
    pub first: First,
    /// The terms that follow, innermost first.
    pub rest: SmallVec<[TermId; 4]>,
}

impl Rules {
    /// The head and the rest of a term whose beginning is a regular, non-nullable term; None otherwise.
    pub(crate) fn direct_first(&self, arena: &Arena, id: TermId) -> Option<(TermId, Option<TermId>)> {
        match *arena.term(id) {
            Term::Empty | Term::Epsilon => None,
            Term::Seq(left, right) => {
                let info = arena.info(left);
                (!info.structural && !info.nullable).then_some((left, Some(right)))
            }
            _ => (!arena.info(id).structural).then_some((id, None)),
        }
    }

    /// All non-empty beginnings of a term. Errors: limits.
    pub(crate) fn first(&self, arena: &mut Arena, id: TermId) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        self.collect_first(arena, id, &mut SmallVec::new(), &mut entries)?;
        Ok(deduplicate(entries))
    }

    fn collect_first(
        &self,
        arena: &mut Arena,
        id: TermId,
        rest: &mut SmallVec<[TermId; 4]>,
        out: &mut Vec<Entry>,
    ) -> Result<()> {
        // Each level may copy the list of following terms.
        arena.spend(16 + rest.len() as u64)?;
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
                    if !self.is_nullable(arena, left) {
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
                let min = if self.is_nullable(arena, body) { 0 } else { min };
                let max = if max == MANY { max } else { max - 1 };
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
            Term::Unique(_) | Term::Object(_) | Term::ObjectKey { .. } | Term::ObjectNext { .. } => {
                out.push(entry(First::Open(id)));
            }
            _ => out.push(entry(First::Head(id))),
        }
        Ok(())
    }
}

/// The entries without repetitions, in order of first occurrence.
pub(super) fn deduplicate(entries: Vec<Entry>) -> Vec<Entry> {
    // Pairwise comparison is faster than a table for short lists.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, ObjectRules};
    use crate::grammar::fixture::{brackets, literal, object};
    use crate::regular::term::EMPTY;

    /// A builder whose rule 0 matches ε or "r", and the node that calls it.
    fn builder() -> (Builder, TermId) {
        let mut builder = Builder::default();
        let rule = builder.rule("rule").unwrap();
        let r = literal(&mut builder, "r");
        let body = builder.alt(&[r.number(), EPSILON.number()]).unwrap();
        builder.define(rule.number(), body.number()).unwrap();
        (builder, rule)
    }

    /// The beginnings of a node, each with the terms that follow.
    fn first(builder: &mut Builder, id: TermId) -> Vec<(First, Vec<TermId>)> {
        let mut rules = Rules::clone(&builder.rules);
        rules.compute_facts(&mut builder.arena, None).unwrap();
        let entries = rules.first(&mut builder.arena, id).unwrap();
        entries.into_iter().map(|entry| (entry.first, entry.rest.to_vec())).collect()
    }

    const CALL: First = First::Call(RuleId::new(0));
    const SPECIAL: First = First::Special(SpecialId::new(0));

    #[test]
    fn a_sequence_begins_with_its_first_part_and_with_the_next_one_if_that_may_be_empty() {
        let (mut builder, rule) = builder();
        let [x, y] = ["x", "y"].map(|text| literal(&mut builder, text));
        let special = builder.special("<s>").unwrap();
        let mut seq =
            |parts: &[TermId]| builder.seq(&parts.iter().map(|part| part.number()).collect::<Vec<_>>()).unwrap();
        let (plain, optional, marked, last) =
            (seq(&[x, special, y]), seq(&[rule, x, y]), seq(&[special, x]), seq(&[rule, rule]));
        let tail = |builder: &mut Builder, parts: [TermId; 2]| builder.seq(&parts.map(TermId::number)).unwrap();
        let (behind_x, xy) = (tail(&mut builder, [special, y]), tail(&mut builder, [x, y]));
        assert_eq!(first(&mut builder, plain), [(First::Head(x), vec![behind_x])]);
        assert_eq!(first(&mut builder, optional), [(CALL, vec![xy]), (First::Head(x), vec![y])]);
        assert_eq!(first(&mut builder, marked), [(SPECIAL, vec![x])]);
        assert_eq!(first(&mut builder, last), [(CALL, vec![rule]), (CALL, vec![])]);
        assert_eq!(first(&mut builder, EMPTY), []);
        assert_eq!(first(&mut builder, EPSILON), []);
        assert_eq!(first(&mut builder, x), [(First::Head(x), vec![])]);
    }

    #[test]
    fn what_follows_is_listed_innermost_first() {
        let (mut builder, rule) = builder();
        let [x, y] = ["x", "y"].map(|text| literal(&mut builder, text));
        let special = builder.special("<s>").unwrap();
        let inner = builder.seq(&[rule, x].map(TermId::number)).unwrap();
        let either = builder.alt(&[inner, special].map(TermId::number)).unwrap();
        let whole = builder.seq(&[either, y].map(TermId::number)).unwrap();
        let mut found = first(&mut builder, whole);
        found.sort_by_key(|(_, rest)| rest.len());
        assert_eq!(found.len(), 3);
        assert_eq!(found[2], (CALL, vec![x, y]));
        assert!(found[..2].contains(&(SPECIAL, vec![y])) && found[..2].contains(&(First::Head(x), vec![y])));
    }

    #[test]
    fn a_repetition_goes_on_with_one_copy_less() {
        let (mut builder, rule) = builder();
        let special = builder.special("<s>").unwrap();
        let mut repeat = |node: TermId, min, max| builder.repeat(node.number(), min, max).unwrap();
        let cases = [
            (repeat(special, 2, Some(3)), Some(repeat(special, 1, Some(2)))),
            (repeat(special, 0, Some(2)), Some(repeat(special, 0, Some(1)))),
            (repeat(special, 0, Some(1)), None),
            (repeat(special, 1, None), Some(repeat(special, 0, None))),
            (repeat(special, 0, None), Some(repeat(special, 0, None))),
        ];
        for (node, again) in cases {
            assert_eq!(first(&mut builder, node), [(SPECIAL, again.into_iter().collect())], "{again:?}");
        }
        // If a copy may be empty, none of those that follow must come.
        let (node, again) =
            (builder.repeat(rule.number(), 3, Some(5)).unwrap(), builder.repeat(rule.number(), 0, Some(4)).unwrap());
        assert_eq!(first(&mut builder, node), [(CALL, vec![again])]);
    }

    #[test]
    fn a_regular_term_is_one_head_whatever_it_is_made_of() {
        let (mut builder, _) = builder();
        for pattern in ["(ab)*|cd", "(ab){2,3}", "a?b"] {
            let id = crate::regular::fixture::regex(&mut builder.arena, pattern);
            assert_eq!(first(&mut builder, id), [(First::Head(id), vec![])], "{pattern}");
        }
    }

    #[test]
    fn what_follows_a_repetition_follows_without_it() {
        let (mut builder, _) = builder();
        let (special, x) = (builder.special("<s>").unwrap(), literal(&mut builder, "x"));
        let many = builder.repeat(special.number(), 0, None).unwrap();
        let whole = builder.seq(&[many, x].map(TermId::number)).unwrap();
        assert_eq!(first(&mut builder, whole), [(SPECIAL, vec![many, x]), (First::Head(x), vec![])]);
    }

    #[test]
    fn the_one_regular_beginning_of_a_term_is_known_without_a_list() {
        let (mut builder, rule) = builder();
        let [x, y] = ["x", "yy"].map(|text| literal(&mut builder, text));
        let optional = builder.repeat(y.number(), 0, Some(1)).unwrap();
        let mut seq = |parts: [TermId; 2]| builder.seq(&parts.map(TermId::number)).unwrap();
        let (direct, nullable, called) = (seq([x, rule]), seq([optional, rule]), seq([rule, x]));
        let rules = Rules::default();
        for (id, expected) in [
            (EMPTY, None),
            (EPSILON, None),
            (x, Some((x, None))),
            (optional, Some((optional, None))),
            (direct, Some((x, Some(rule)))),
            (nullable, None),
            (called, None),
            (rule, None),
        ] {
            assert_eq!(rules.direct_first(&builder.arena, id), expected, "{:?}", builder.arena.term(id));
        }
    }

    #[test]
    fn an_object_or_an_array_of_unique_items_begins_as_a_whole() {
        let (mut builder, _) = builder();
        let node = object(&mut builder, &[("a", false)], &[], ObjectRules::default());
        assert_eq!(first(&mut builder, node), [(First::Open(node), vec![])]);
        let (one, punctuation) = (literal(&mut builder, "1").number(), brackets(&mut builder));
        let array = builder.unique_array(&[(true, vec![(one, 0)])], punctuation, 0, None).unwrap();
        assert_eq!(first(&mut builder, array), [(First::Open(array), vec![])]);
    }
}
