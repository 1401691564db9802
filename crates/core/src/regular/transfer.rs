//! A regular term of one arena → a cutting → the same term in others: what one grammar made, the next one has.
//!
//! Terms are keyed by a hash of their content that does not depend on the arena, so planting is one look-up for each
//! term that is there already, and a copy of it and what is known of it where it is not: no normalising, no searches.

use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::literal::Literal;
use crate::regular::term::{Info, Term, TermId, WordSet};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The terms that a regular term is made of, children first; ids are places in this list.
pub struct ExportedTerm {
    terms: Vec<(Term, Info)>,
    literals: Vec<Arc<Literal>>,
    word_sets: Vec<WordSet>,
}

impl ExportedTerm {
    /// The heap behind it, roughly.
    pub fn bytes(&self) -> usize {
        let literals = self.literals.iter().map(|literal| literal.memory_bytes());
        let words = self.word_sets.iter().flat_map(|set| set.words.iter()).map(|word| word.len() + 24);
        self.terms.len() * (size_of::<Term>() + size_of::<Info>() + 16) + literals.sum::<usize>() + words.sum::<usize>()
    }
}

impl Arena {
    /// Nothing for a structural term: its objects and rules are those of one arena.
    pub fn export(&self, root: TermId) -> Option<ExportedTerm> {
        if self.info(root).structural {
            return None;
        }
        let mut cutting = ExportedTerm { terms: Vec::new(), literals: Vec::new(), word_sets: Vec::new() };
        let mut places: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut work = vec![(root, false)];
        while let Some((id, ready)) = work.pop() {
            if places.contains_key(&id) {
                continue;
            }
            if !ready {
                work.push((id, true));
                children(self.term(id), |child| work.push((child, false)));
                continue;
            }
            let mut term = self.term(id).clone();
            match &mut term {
                Term::Literal { literal, .. } => {
                    cutting.literals.push(self.terms.literals[*literal as usize].clone());
                    *literal = cutting.literals.len() as u32 - 1;
                }
                Term::Words { set, .. } => {
                    cutting.word_sets.push(self.terms.word_sets[*set as usize].clone());
                    *set = cutting.word_sets.len() as u32 - 1;
                }
                _ => renumber(&mut term, |child| places[&child]),
            }
            places.insert(id, TermId(cutting.terms.len() as u32));
            cutting.terms.push((term, *self.info(id)));
        }
        Some(cutting)
    }

    pub fn import(&mut self, cutting: &ExportedTerm) -> Result<TermId> {
        let known = |arena: &Self, info: &Info| arena.by_hash(info.hash);
        if let Some(root) = cutting.terms.last().and_then(|(_, info)| known(self, info)) {
            return Ok(root);
        }
        let mut ids: Vec<TermId> = Vec::with_capacity(cutting.terms.len());
        for (term, info) in &cutting.terms {
            if let Some(id) = known(self, info) {
                ids.push(id);
                continue;
            }
            self.spend(1)?;
            let mut term = term.clone();
            match &mut term {
                Term::Literal { literal, .. } => {
                    let data = cutting.literals[*literal as usize].clone();
                    self.budget.grow(data.memory_bytes());
                    self.terms.literals.push(data, &mut self.budget);
                    *literal = self.terms.literals.len() as u32 - 1;
                }
                Term::Words { set, .. } => {
                    // The words themselves are shared.
                    self.terms.word_sets.push(cutting.word_sets[*set as usize].clone(), &mut self.budget);
                    *set = self.terms.word_sets.len() as u32 - 1;
                }
                _ => renumber(&mut term, |child| ids[child.0 as usize]),
            }
            ids.push(self.push(term, *info, info.hash));
        }
        Ok(ids.last().copied().unwrap_or(crate::regular::term::EMPTY))
    }
}

/// The terms that a term is made of.
pub(crate) fn children(term: &Term, mut visit: impl FnMut(TermId)) {
    match term {
        Term::Cat(left, right) | Term::Seq(left, right) => [*left, *right].into_iter().for_each(visit),
        Term::Alt(parts) | Term::And(parts) => parts.iter().copied().for_each(visit),
        Term::Not(one)
        | Term::Repeat { body: one, .. }
        | Term::Bounded { body: one, .. }
        | Term::Quoted { text: one, .. }
        | Term::KeyExtra { inner: one, .. } => visit(*one),
        _ => {}
    }
}

/// The same with other ids for those.
pub(crate) fn renumber(term: &mut Term, place: impl Fn(TermId) -> TermId) {
    match term {
        Term::Cat(left, right) | Term::Seq(left, right) => (*left, *right) = (place(*left), place(*right)),
        Term::Alt(parts) | Term::And(parts) => {
            parts.iter_mut().for_each(|part| *part = place(*part));
            // Sets are kept in the order of their arena.
            parts.sort_unstable();
        }
        Term::Not(one)
        | Term::Repeat { body: one, .. }
        | Term::Bounded { body: one, .. }
        | Term::Quoted { text: one, .. }
        | Term::KeyExtra { inner: one, .. } => *one = place(*one),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn arena() -> Arena {
        let mut arena = Arena::new();
        arena.begin(&Limits::default());
        arena
    }

    #[test]
    fn what_is_planted_is_what_would_have_been_made() -> Result<()> {
        let make = |arena: &mut Arena| -> Result<TermId> {
            let words = arena.words(vec![b"one"[..].into(), b"two"[..].into(), b"three"[..].into()])?;
            let any = arena.any_text()?;
            let literal = arena.literal(b"once more")?;
            let longer = arena.cat(literal, any)?;
            let either = arena.alt(vec![words, longer])?;
            let bounded = arena.bounded(either, 4, 30)?;
            arena.quoted(bounded, false)
        };
        let mut here = arena();
        let made = make(&mut here)?;
        let cutting = here.export(made).expect("it is regular");
        let mut there = arena();
        // Another history gives other ids.
        there.literal(b"something else")?;
        let before = there.len();
        let planted = there.import(&cutting)?;
        assert!(there.len() - before < here.len(), "only what is left of the making is copied");
        assert_eq!({ there.info(planted).hash }, { here.info(made).hash });
        assert_eq!(there.import(&cutting)?, planted);
        assert_eq!(make(&mut there)?, planted);
        for (text, accepted) in [(&b"\"three\""[..], true), (b"\"one\"", false), (b"\"once more or less\"", true)] {
            assert_eq!(there.matches(planted, text)?, accepted);
        }
        Ok(())
    }

    #[test]
    fn structural_terms_stay_where_they_are() -> Result<()> {
        let mut arena = arena();
        let call = arena.call(0)?;
        assert!(arena.export(call).is_none());
        Ok(())
    }
}
