//! Built grammar → the node of its texts in another builder.
//!
//! Regular terms are found by the hash of their content. Rules, objects and arrays have numbers of their own in each
//! arena and are made anew. Forks of one builder share the terms below the fork: those are embedded once for all.

use crate::builder::Builder;
use crate::error::Result;
use crate::grammar::grammar::Grammar;
use crate::grammar::rules::Rules;
use crate::json::arena::Arena;
use crate::json::registers::{ObjectSpec, UniqueSpec};
use crate::regular::term::{Term, TermId, EMPTY};
use crate::regular::terms::Node;
use crate::regular::transfer::postorder;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Terms of a grammar → the same terms in the builder.
type Embedded = FxHashMap<TermId, TermId>;

/// The terms that a builder embedded from the arenas below forks, by the fork's base: all grammars on it share them.
#[derive(Default)]
pub(crate) struct SharedEmbeddings(Vec<(Arc<[Node]>, Embedded)>);

impl Builder {
    /// The node of exactly the texts of a built grammar. Errors: limits.
    pub fn embed(&mut self, grammar: &Grammar) -> Result<TermId> {
        self.begin_call();
        let (source, rules, root) = grammar.parts();
        let base = source.terms.nodes.base();
        let is_own_base = Arc::ptr_eq(base, self.arena.terms.nodes.base());
        let place = self.embedded.0.iter().position(|(other, _)| Arc::ptr_eq(other, base));
        let shared = place.map_or_else(Embedded::default, |place| self.embedded.0.swap_remove(place).1);
        // A special token that no text reaches is still one that the vocabulary must have.
        for name in &grammar.specials {
            self.special(name)?;
        }
        let copies = Copies { base: base.len() as u32, is_own_base, shared, own: Embedded::default() };
        let specials = &grammar.specials;
        let mut embedding = Embedding { builder: self, source, rules, specials, copies, undefined: Vec::new() };
        let made = embedding.whole(root);
        let Embedding { copies, undefined, .. } = embedding;
        if made.is_ok() {
            self.embedded.0.push((base.clone(), copies.shared));
        }
        for (call, _) in undefined {
            // After an error the new rules have no bodies. With empty ones, the builder can still build other grammars.
            self.define(call.number(), EMPTY.number())?;
        }
        made
    }
}

struct Embedding<'a> {
    builder: &'a mut Builder,
    source: &'a Arena,
    rules: &'a Rules,
    specials: &'a [String],
    copies: Copies,
    /// Calls of rules of the builder that have no body yet, with the bodies in the source.
    undefined: Vec<(TermId, TermId)>,
}

/// The terms that are in the builder already.
struct Copies {
    /// Terms below this number are shared with the other grammars of one base.
    base: u32,
    /// Whether the builder stands on that base, too: these terms then have the same numbers.
    is_own_base: bool,
    shared: Embedded,
    own: Embedded,
}

impl Copies {
    fn known(&self, id: TermId) -> Option<TermId> {
        match id.number() < self.base {
            true if self.is_own_base => Some(id),
            true => self.shared.get(&id).copied(),
            false => self.own.get(&id).copied(),
        }
    }

    fn of(&self, id: TermId) -> TermId {
        self.known(id).expect("parts come before what is made of them")
    }

    fn insert(&mut self, id: TermId, made: TermId) {
        let table = if id.number() < self.base { &mut self.shared } else { &mut self.own };
        table.insert(id, made);
    }
}

impl Embedding<'_> {
    fn whole(&mut self, root: TermId) -> Result<TermId> {
        let node = self.term(root)?;
        while let Some(&(call, body)) = self.undefined.last() {
            let rules = self.undefined.len();
            let body = self.term(body)?;
            self.undefined.remove(rules - 1);
            self.builder.define(call.number(), body.number())?;
        }
        Ok(node)
    }

    fn term(&mut self, root: TermId) -> Result<TermId> {
        let structural_parts = |id: TermId, visit: &mut dyn FnMut(TermId)| {
            if self.source.info(id).structural {
                self.source.visit_parts(id, visit);
            }
        };
        let order = postorder([root], |id| self.copies.known(id).is_some(), structural_parts);
        for id in order {
            let made = match self.source.info(id).structural {
                true => self.made(id)?,
                false => self.builder.arena.copy(self.source, id)?,
            };
            self.copies.insert(id, made);
        }
        Ok(self.copies.of(root))
    }

    /// The copy of a structural term whose parts are copied.
    fn made(&mut self, id: TermId) -> Result<TermId> {
        let source = self.source;
        match *source.term(id) {
            Term::Call(rule) => {
                let call = self.builder.rule(&self.rules.names[rule.index()])?;
                self.undefined.push((call, self.rules.body(rule).unwrap_or(EMPTY)));
                Ok(call)
            }
            Term::Special(special) => self.builder.special(&self.specials[special.index()]),
            Term::Object(object) => {
                let mut spec = ObjectSpec::clone(&source.registers.objects[object.index()]);
                spec.nodes_mut().for_each(|node| *node = self.copies.of(*node));
                self.builder.arena.add_object(spec)
            }
            Term::Unique(array) => {
                let mut spec = UniqueSpec::clone(&source.registers.uniques[array.index()]);
                spec.nodes_mut().for_each(|node| *node = self.copies.of(*node));
                self.builder.arena.add_unique(spec)
            }
            ref term => {
                let made = self.builder.arena.with_parts(term, |part| self.copies.of(part))?;
                Ok(made.unwrap_or_else(|| unreachable!("{term:?} exists at run time only")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::recognizer::Recognizer;
    use crate::builder::ObjectRules;
    use crate::grammar::fixture::{brackets, literal, object};
    use crate::limits::Limits;

    /// list = item list | "z", with an object, an array of unique items and a special token.
    fn grammar() -> Arc<Grammar> {
        let mut builder = Builder::default();
        let list = builder.rule("list").unwrap();
        let value = object(&mut builder, &[("a", true)], &["[x-z]*"], ObjectRules::default());
        let digit = builder.byte_class(&[(b'0', b'9')]).unwrap();
        let punctuation = brackets(&mut builder);
        let array = builder.unique_array(&[(true, vec![(digit.number(), 0)])], punctuation, 0, None).unwrap();
        let special = builder.special("<s>").unwrap();
        let marked = builder.seq(&[special.number(), array.number()]).unwrap();
        let many = builder.repeat(marked.number(), 0, Some(3)).unwrap();
        let end = literal(&mut builder, "z");
        let more = builder.seq(&[value.number(), many.number(), list.number()]).unwrap();
        let body = builder.alt(&[more.number(), end.number()]).unwrap();
        builder.define(list.number(), body.number()).unwrap();
        let root = builder.seq(&[list.number(), digit.number()]).unwrap();
        builder.build(root.number()).unwrap()
    }

    #[test]
    fn an_embedded_grammar_is_the_same_grammar() {
        let source = grammar();
        let mut builder = Builder::default();
        let node = builder.embed(&source).unwrap();
        let copy = builder.build(node.number()).unwrap();
        assert_eq!(copy.fingerprint(), source.fingerprint());
        assert_eq!(copy.specials, source.specials);
        let recognizer = Recognizer::new(copy);
        for (text, expected) in
            [("z1", true), ("{\"a\":1}z1", true), ("{\"a\":1,\"x\":1}{\"a\":1}z1", true), ("z", false)]
        {
            assert_eq!(recognizer.accepts(text.as_bytes(), None), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_forks_share_is_embedded_once() {
        let mut base = Builder::default();
        let [word, suffix] = ["shared word", "shared suffix"].map(|text| literal(&mut base, text).number());
        let shared = base.seq(&[suffix, word, suffix]).unwrap().number();
        let forks = ["1", "2"].map(|own| {
            let mut fork = base.fork(Limits::default(), None);
            let own = literal(&mut fork, own).number();
            let root = fork.seq(&[own, shared]).unwrap();
            fork.build(root.number()).unwrap()
        });
        // Into another builder, and into a fork of the same one, where shared terms keep their numbers.
        for mut builder in [Builder::default(), base.fork(Limits::default(), None)] {
            let before = builder.arena.len();
            let first = builder.embed(&forks[0]).unwrap();
            let made = builder.arena.len() - before;
            let second = builder.embed(&forks[1]).unwrap();
            assert!(builder.arena.len() - before - made <= made && first != second);
            assert_eq!(builder.embedded.0.len(), 1);
            let both = builder.alt(&[first.number(), second.number()]).unwrap();
            let recognizer = Recognizer::new(builder.build(both.number()).unwrap());
            for (text, expected) in [("1", true), ("2", true), ("3", false)] {
                let text = format!("{text}shared suffixshared wordshared suffix");
                assert_eq!(recognizer.accepts(text.as_bytes(), None), Ok(expected), "{text}");
            }
        }
    }

    #[test]
    fn after_an_error_the_builder_still_builds_what_does_not_need_the_copy() {
        let source = grammar();
        let mut failed = 0;
        for steps in 1..80 {
            let mut builder = Builder::default();
            let y = literal(&mut builder, "y").number();
            builder.arena.begin(&Limits { steps, ..Limits::default() });
            failed += u32::from(builder.embed(&source).is_err());
            builder.arena.begin(&Limits::default());
            assert_eq!(builder.build(y).map(drop), Ok(()), "{steps}");
        }
        assert!(failed > 0);
    }
}
