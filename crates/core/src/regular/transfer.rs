//! Regular term of one arena → the same term in another one.
//!
//! Terms are keyed by a hash of their content that is equal in all arenas. A copy therefore looks up each term, and
//! takes term and facts if it is missing: without normalisation and without searches.

use crate::error::Result;
use crate::regular::id::{LiteralId, WordSetId};
use crate::regular::literal::Literal;
use crate::regular::term::{Parts, Term, TermId, WordSet};
use crate::regular::terms::Terms;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;
use std::sync::Arc;

/// A regular term in an arena that holds nothing else.
pub struct ExportedTerm {
    terms: Terms,
    root: TermId,
}

impl Terms {
    /// The term in an arena of its own, or `None` for a structural term, whose rules and objects belong to one arena.
    /// Errors if the budget of that arena ends.
    pub fn export(&self, root: TermId) -> Result<Option<ExportedTerm>> {
        if self.info(root).structural {
            return Ok(None);
        }
        let mut terms = Terms::new();
        let root = terms.copy(self, root)?;
        Ok(Some(ExportedTerm { terms, root }))
    }

    /// The id of an exported term here. Errors if the budget ends.
    pub fn import(&mut self, exported: &ExportedTerm) -> Result<TermId> {
        self.copy(&exported.terms, exported.root)
    }

    /// The term here that equals a regular term of another arena. Errors if the budget ends.
    pub(crate) fn copy(&mut self, source: &Terms, root: TermId) -> Result<TermId> {
        let here = |terms: &Self, id: TermId| terms.by_hash(source.info(id).hash);
        // What is here is found whole.
        let order = postorder([root], |id| here(self, id).is_some(), |id, visit| children(source.term(id), visit));
        let mut copied: FxHashMap<TermId, TermId> = FxHashMap::default();
        for id in order {
            children(source.term(id), |part| copied.extend(here(self, part).map(|found| (part, found))));
            self.spend(1)?;
            self.copy_regular(source, id, |part| copied[&part]);
        }
        Ok(here(self, root).expect("the root is here or was copied"))
    }

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

    /// A concatenation, union, intersection or repetition with other parts, in normal form; `None` for other terms.
    pub(crate) fn with_parts(&mut self, term: &Term, part: impl Fn(TermId) -> TermId) -> Result<Option<TermId>> {
        let of = |parts: &[TermId]| parts.iter().map(|&one| part(one)).collect::<Parts>();
        let made = match *term {
            Term::Cat(left, right) => self.cat(part(left), part(right)),
            Term::Seq(left, right) => self.seq(part(left), part(right)),
            Term::Alt(ref parts) => self.alt(of(parts)),
            Term::And(ref parts) => self.and(of(parts)),
            Term::Repeat { body, min, max } => self.repeat(part(body), min, max),
            _ => return Ok(None),
        };
        made.map(Some)
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

/// The unknown ones among some roots and what they lead to, each after its parts where no cycle prevents it.
///
/// The stack is explicit, because chains of terms may be deeper than the thread's stack.
pub(crate) fn postorder<T: Copy + Eq + Hash>(
    roots: impl IntoIterator<Item = T>,
    is_known: impl Fn(T) -> bool,
    parts: impl Fn(T, &mut dyn FnMut(T)),
) -> Vec<T> {
    let mut work: Vec<(T, bool)> = roots.into_iter().map(|root| (root, false)).collect();
    let (mut order, mut met) = (Vec::new(), FxHashSet::default());
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
        let exported = here.export(made)?.expect("it is regular");
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
