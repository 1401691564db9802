//! Built grammar → the node of its texts in another builder.
//!
//! Regular terms are found by the hash of their content. Rules, objects and arrays have numbers of their own in each
//! arena and are made anew. Forks of one builder share the terms below the fork: those are embedded once for all.

use crate::error::Result;
use crate::grammar::builder::Builder;
use crate::grammar::grammar::Grammar;
use crate::grammar::rules::Rules;
use crate::regular::arena::{Arena, Node};
use crate::regular::registers::{Extra, ObjectSpec, UniqueSpec, Value};
use crate::regular::term::{Term, TermId, EMPTY};
use crate::regular::transfer::children;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Terms of a grammar → the same terms in the builder.
type Embedded = FxHashMap<TermId, TermId>;

/// What a builder embedded of terms that several grammars share, by their common base.
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
            // After an error: the builder can still build what does not call them.
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
        // An explicit stack, because chains of terms may be deeper than the thread's stack.
        let mut work = vec![(root, false)];
        while let Some((id, ready)) = work.pop() {
            if self.copies.known(id).is_some() {
                continue;
            }
            let info = self.source.info(id);
            let found = if info.structural { None } else { self.builder.arena.terms.by_hash(info.hash) };
            let made = match found {
                Some(found) => found,
                None if !ready => {
                    work.push((id, true));
                    self.each_part(id, |part| work.push((part, false)));
                    continue;
                }
                None => self.made(id)?,
            };
            self.copies.insert(id, made);
        }
        Ok(self.copies.of(root))
    }

    fn each_part(&self, id: TermId, mut visit: impl FnMut(TermId)) {
        let registers = &self.source.registers;
        match self.source.term(id) {
            Term::Object(object) => {
                let spec = &registers.objects[object.index()];
                let lists = spec.properties.iter().map(|property| &property.values);
                lists
                    .chain(spec.extras.iter().map(|extra| &extra.values))
                    .flatten()
                    .for_each(|value| visit(value.node));
                spec.extras.iter().for_each(|extra| visit(extra.keys));
                [spec.open, spec.close, spec.colon, spec.comma, spec.empty].into_iter().for_each(visit);
            }
            Term::Unique(array) => {
                let spec = &registers.uniques[array.index()];
                spec.steps.iter().flatten().for_each(|&(item, _)| visit(item));
                [spec.open, spec.close, spec.comma, spec.empty].into_iter().for_each(visit);
            }
            term => children(term, visit),
        }
    }

    /// The copy of a term whose parts are copied.
    fn made(&mut self, id: TermId) -> Result<TermId> {
        let source = self.source;
        if !source.info(id).structural {
            return self.builder.arena.copy_regular(source, id, |part| self.copies.of(part));
        }
        match *source.term(id) {
            Term::Seq(left, right) => {
                let (left, right) = (self.copies.of(left), self.copies.of(right));
                self.builder.arena.seq(left, right)
            }
            Term::Alt(ref parts) => {
                let parts: Vec<TermId> = parts.iter().map(|&part| self.copies.of(part)).collect();
                self.builder.arena.alt(parts)
            }
            Term::Repeat { body, min, max } => {
                let body = self.copies.of(body);
                self.builder.arena.repeat(body, min, max)
            }
            Term::Call(rule) => {
                let call = self.builder.rule(&self.rules.names[rule.index()])?;
                self.undefined.push((call, self.rules.body(rule).unwrap_or(EMPTY)));
                Ok(call)
            }
            Term::Special(special) => self.builder.special(&self.specials[special.index()]),
            Term::Object(object) => {
                let spec = self.object(&source.registers.objects[object.index()]);
                self.builder.arena.add_object(spec)
            }
            Term::Unique(array) => {
                let spec = self.array(&source.registers.uniques[array.index()]);
                self.builder.arena.add_unique(spec)
            }
            ref term => unreachable!("{term:?} exists at run time only"),
        }
    }

    fn values(&self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|value| Value { node: self.copies.of(value.node), ..*value }).collect()
    }

    fn object(&self, spec: &ObjectSpec) -> ObjectSpec {
        let mut spec = spec.clone();
        for property in &mut spec.properties {
            property.values = self.values(&property.values);
        }
        for Extra { keys, values, .. } in &mut spec.extras {
            (*keys, *values) = (self.copies.of(*keys), self.values(values));
        }
        for mark in [&mut spec.open, &mut spec.close, &mut spec.colon, &mut spec.comma, &mut spec.empty] {
            *mark = self.copies.of(*mark);
        }
        spec
    }

    fn array(&self, spec: &UniqueSpec) -> UniqueSpec {
        let mut spec = spec.clone();
        for (item, _) in spec.steps.iter_mut().flatten() {
            *item = self.copies.of(*item);
        }
        for mark in [&mut spec.open, &mut spec.close, &mut spec.comma, &mut spec.empty] {
            *mark = self.copies.of(*mark);
        }
        spec
    }
}
