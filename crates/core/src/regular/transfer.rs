//! Regular term of one arena → `ExportedTerm` → the same term in other arenas.
//!
//! Terms are keyed by a hash of their content that is equal in all arenas. An import therefore looks up each term, and
//! copies term and facts if it is missing: without normalisation and without searches.

use crate::error::Result;
use crate::regular::id::{LiteralId, WordSetId};
use crate::regular::literal::Literal;
use crate::regular::term::{Info, Term, TermId, WordSet};
use crate::regular::terms::Terms;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A term with the terms it is made of, children first; ids are indexes of this list.
pub struct ExportedTerm {
    terms: Vec<(Term, Info)>,
    literals: Vec<Arc<Literal>>,
    word_sets: Vec<WordSet>,
}

impl ExportedTerm {
    /// Estimated heap bytes.
    pub fn memory_bytes(&self) -> usize {
        let literals = self.literals.iter().map(|literal| literal.memory_bytes());
        let words = self.word_sets.iter().flat_map(|set| set.words.iter()).map(|word| word.len() + 24);
        self.terms.len() * (size_of::<Term>() + size_of::<Info>() + 16) + literals.sum::<usize>() + words.sum::<usize>()
    }
}

impl Terms {
    /// The term with its parts, or `None` for a structural term, whose rules and objects belong to one arena.
    pub fn export(&self, root: TermId) -> Option<ExportedTerm> {
        if self.info(root).structural {
            return None;
        }
        let mut exported = ExportedTerm { terms: Vec::new(), literals: Vec::new(), word_sets: Vec::new() };
        let mut places: FxHashMap<TermId, TermId> = FxHashMap::default();
        for id in postorder(root, |_| false, |id, visit| children(self.term(id), visit)) {
            let mut term = self.term(id).clone();
            match &mut term {
                Term::Literal { literal, .. } => {
                    exported.literals.push(self.literals[literal.index()].clone());
                    *literal = LiteralId::at(exported.literals.len() - 1);
                }
                Term::Words { set, .. } => {
                    exported.word_sets.push(self.word_sets[set.index()].clone());
                    *set = WordSetId::at(exported.word_sets.len() - 1);
                }
                _ => renumber(&mut term, |child| places[&child]),
            }
            places.insert(id, TermId::at(exported.terms.len()));
            exported.terms.push((term, *self.info(id)));
        }
        Some(exported)
    }
}

impl Terms {
    /// The id of an exported term here. Errors if the budget ends.
    pub fn import(&mut self, exported: &ExportedTerm) -> Result<TermId> {
        let known = |terms: &Self, info: &Info| terms.by_hash(info.hash);
        if let Some(root) = exported.terms.last().and_then(|(_, info)| known(self, info)) {
            return Ok(root);
        }
        let mut ids: Vec<TermId> = Vec::with_capacity(exported.terms.len());
        for (term, info) in &exported.terms {
            if let Some(id) = known(self, info) {
                ids.push(id);
                continue;
            }
            self.spend(1)?;
            let mut term = term.clone();
            match &mut term {
                Term::Literal { literal, .. } => *literal = self.push_literal(&exported.literals[literal.index()]),
                Term::Words { set, .. } => *set = self.push_word_set(&exported.word_sets[set.index()]),
                _ => renumber(&mut term, |child| ids[child.index()]),
            }
            ids.push(self.push(term, *info, info.hash));
        }
        Ok(ids.last().copied().unwrap_or(crate::regular::term::EMPTY))
    }
}

impl Terms {
    /// The copy of a regular term of another arena that is not here yet; `copied` knows its parts here.
    pub(crate) fn copy_regular(&mut self, source: &Terms, id: TermId, copied: impl Fn(TermId) -> TermId) -> TermId {
        let (mut term, info) = (source.term(id).clone(), *source.info(id));
        match &mut term {
            Term::Literal { literal, .. } => *literal = self.same_literal(source, *literal),
            Term::Words { set, .. } => *set = self.same_word_set(source, *set),
            _ => renumber(&mut term, copied),
        }
        self.push(term, info, info.hash)
    }

    /// The number of a literal of another arena: the same if both share it.
    fn same_literal(&mut self, source: &Terms, literal: LiteralId) -> LiteralId {
        let data = &source.literals[literal.index()];
        let is_shared = literal.index() < self.literals.len() && Arc::ptr_eq(&self.literals[literal.index()], data);
        if is_shared {
            literal
        } else {
            self.push_literal(data)
        }
    }

    /// The number of a set of words of another arena: the same if both share it.
    fn same_word_set(&mut self, source: &Terms, set: WordSetId) -> WordSetId {
        let data = &source.word_sets[set.index()];
        let at = set.index();
        let is_shared = at < self.word_sets.len() && Arc::ptr_eq(&self.word_sets[at].words, &data.words);
        if is_shared {
            set
        } else {
            self.push_word_set(data)
        }
    }

    /// The number of a literal that another arena holds, too.
    fn push_literal(&mut self, literal: &Arc<Literal>) -> LiteralId {
        self.budget.grow(literal.memory_bytes());
        self.literals.push(literal.clone(), &mut self.budget);
        LiteralId::at(self.literals.len() - 1)
    }

    /// The number of a set of words that another arena holds, too; the words are shared.
    fn push_word_set(&mut self, set: &WordSet) -> WordSetId {
        self.word_sets.push(set.clone(), &mut self.budget);
        WordSetId::at(self.word_sets.len() - 1)
    }
}

/// The terms below a root that are not known, and the root, each after its parts.
///
/// The stack is explicit, because chains of terms may be deeper than the thread's stack.
pub(crate) fn postorder(
    root: TermId,
    is_known: impl Fn(TermId) -> bool,
    parts: impl Fn(TermId, &mut dyn FnMut(TermId)),
) -> Vec<TermId> {
    let (mut order, mut met, mut work) = (Vec::new(), FxHashSet::default(), vec![(root, false)]);
    while let Some((id, is_ready)) = work.pop() {
        if is_ready {
            order.push(id);
        } else if !is_known(id) && met.insert(id) {
            work.push((id, true));
            parts(id, &mut |part| work.push((part, false)));
        }
    }
    order
}

/// Calls `visit` with each direct part of a term.
pub(crate) fn children(term: &Term, mut visit: impl FnMut(TermId)) {
    match term {
        Term::Cat(left, right) | Term::Seq(left, right) => [*left, *right].into_iter().for_each(visit),
        Term::Alt(parts) | Term::And(parts) => parts.iter().copied().for_each(visit),
        Term::Not(one)
        | Term::Repeat { body: one, .. }
        | Term::Bounded { body: one, .. }
        | Term::KeyExtra { inner: one, .. } => visit(*one),
        Term::Quoted { text, escapes, .. } => [*text, escapes.escaped].into_iter().for_each(visit),
        _ => {}
    }
}

/// Replaces the ids of a term's direct parts.
pub(crate) fn renumber(term: &mut Term, place: impl Fn(TermId) -> TermId) {
    match term {
        Term::Cat(left, right) | Term::Seq(left, right) => (*left, *right) = (place(*left), place(*right)),
        Term::Alt(parts) | Term::And(parts) => {
            parts.iter_mut().for_each(|part| *part = place(*part));
            // Unions and intersections are sorted by the ids of their arena.
            parts.sort_unstable();
        }
        Term::Not(one)
        | Term::Repeat { body: one, .. }
        | Term::Bounded { body: one, .. }
        | Term::KeyExtra { inner: one, .. } => *one = place(*one),
        Term::Quoted { text, escapes, .. } => (*text, escapes.escaped) = (place(*text), place(escapes.escaped)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn terms() -> Terms {
        let mut terms = Terms::new();
        terms.begin(&Limits::default());
        terms
    }

    #[test]
    fn an_imported_term_equals_one_made_here() -> Result<()> {
        let make = |terms: &mut Terms| -> Result<TermId> {
            let words = terms.words(vec![b"one"[..].into(), b"two"[..].into(), b"three"[..].into()])?;
            let any = terms.any_text()?;
            let literal = terms.literal(b"once more")?;
            let longer = terms.cat(literal, any)?;
            let either = terms.alt(vec![words, longer])?;
            let bounded = terms.bounded(either, 4, 30)?;
            terms.quoted(bounded, false)
        };
        let mut here = terms();
        let made = make(&mut here)?;
        let exported = here.export(made).expect("it is regular");
        let mut there = terms();
        // Terms made before give the others different ids.
        there.literal(b"something else")?;
        let before = there.len();
        let imported = there.import(&exported)?;
        assert!(there.len() - before < here.len(), "only what is left of the making is copied");
        assert_eq!({ there.info(imported).hash }, { here.info(made).hash });
        assert_eq!(there.import(&exported)?, imported);
        assert_eq!(make(&mut there)?, imported);
        for (text, accepted) in [(&b"\"three\""[..], true), (b"\"one\"", false), (b"\"once more or less\"", true)] {
            assert_eq!(there.matches(imported, text)?, accepted);
        }
        Ok(())
    }
}
