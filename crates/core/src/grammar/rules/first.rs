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
pub(super) fn deduplicate(mut entries: Vec<Entry>) -> Vec<Entry> {
    let mut seen = FxHashSet::default();
    entries.retain(|entry| seen.insert(entry.clone()));
    entries
}
