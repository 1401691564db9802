//! Grammar → the payload of its file.

use crate::error::{Error, Result};
use crate::grammar::grammar::Grammar;
use crate::grammar::stored::bytes::Writer;
use crate::grammar::stored::character::is_character_class;
use crate::grammar::stored::tag;
use crate::regular::arena::Arena;
use crate::regular::id::{RuleId, WordSetId};
use crate::regular::registers::{Extra, ObjectSpec, Property, UniqueSpec, Value};
use crate::regular::term::{Escapes, Spelling, Term, TermId, EMPTY, EPSILON, TOP};
use rustc_hash::FxHashMap;

/// The payload of a grammar's file. Errors: misuse, if the grammar holds terms that only running automata make.
pub(super) fn payload(grammar: &Grammar) -> Result<Vec<u8>> {
    let (arena, rules, root) = grammar.parts();
    // Rules made by removing left recursion are made again.
    let written = (0..rules.written_count()).map(RuleId::at);
    let bodies: Vec<TermId> = written.clone().map(|rule| rules.body(rule).unwrap_or(EMPTY)).collect();
    let mut terms = Terms::new(arena);
    bodies.iter().chain([&root]).for_each(|&term| terms.collect(term));
    let mut out = Writer::default();
    out.u128(grammar.fingerprint());
    out.list(&grammar.specials, |out, name| out.bytes(name.as_bytes()));
    out.list(written, |out, rule| out.bytes(rules.names[rule.index()].as_bytes()));
    // Normal forms and short cuts of the automaton hold where the arena knows which term any text is.
    out.bool(arena.any_text.is_some());
    out.list(&terms.sets, |out, set| {
        out.list(arena.terms.word_sets[set.index()].words.iter(), |out, word| out.bytes(word));
    });
    out.u32(terms.order.len() as u32);
    for &id in &terms.order {
        terms.write(id, &mut out)?;
    }
    out.list(&bodies, |out, &body| out.u32(terms.place(body)));
    out.u32(terms.place(root));
    Ok(out.finish())
}

/// The terms of a file, with their places.
struct Terms<'a> {
    arena: &'a Arena,
    /// Parts before wholes.
    order: Vec<TermId>,
    places: FxHashMap<TermId, u32>,
    sets: Vec<WordSetId>,
    set_places: FxHashMap<WordSetId, u32>,
}

impl<'a> Terms<'a> {
    /// Every arena begins with the same three terms, which are not written.
    fn new(arena: &'a Arena) -> Self {
        let places = [EMPTY, EPSILON, TOP].map(|id| (id, id.number())).into_iter().collect();
        Terms { arena, order: Vec::new(), places, sets: Vec::new(), set_places: FxHashMap::default() }
    }

    fn place(&self, id: TermId) -> u32 {
        self.places[&id]
    }

    /// Adds a term behind its parts.
    fn collect(&mut self, root: TermId) {
        // An explicit stack, because chains of terms may be deeper than the thread's stack.
        let mut work = vec![(root, false)];
        while let Some((id, ready)) = work.pop() {
            if self.places.contains_key(&id) {
                continue;
            }
            if !ready {
                work.push((id, true));
                self.arena.visit_parts(id, |part| work.push((part, false)));
                continue;
            }
            if let Term::Words { set, .. } = *self.arena.term(id) {
                let next = self.sets.len() as u32;
                if *self.set_places.entry(set).or_insert(next) == next {
                    self.sets.push(set);
                }
            }
            self.places.insert(id, (self.order.len() + TOP.index() + 1) as u32);
            self.order.push(id);
        }
    }

    fn write(&self, id: TermId, out: &mut Writer) -> Result<()> {
        if self.is_character_class(id) {
            out.u8(tag::CHARACTERS);
        }
        match self.arena.term(id) {
            Term::Class(set) => {
                out.u8(tag::CLASS);
                set.0.iter().for_each(|&word| out.u64(word));
            }
            Term::Literal { literal, position } => {
                out.u8(tag::LITERAL);
                out.bytes(&self.arena.terms.literals[literal.index()][*position as usize..]);
            }
            Term::Words { set, low, high, depth } => {
                out.u8(tag::WORDS);
                [self.set_places[set], *low, *high, *depth].into_iter().for_each(|number| out.u32(number));
            }
            Term::Cat(left, right) => self.pair(tag::CAT, *left, *right, out),
            Term::Seq(left, right) => self.pair(tag::SEQ, *left, *right, out),
            Term::Alt(parts) => self.parts(tag::ALT, parts, out),
            Term::And(parts) => self.parts(tag::AND, parts, out),
            Term::Not(inner) => {
                out.u8(tag::NOT);
                self.reference(*inner, out);
            }
            Term::Repeat { body, min, max } => self.counted(tag::REPEAT, *body, [*min, *max], out),
            Term::Bounded { body, min, max } => self.counted(tag::BOUNDED, *body, [*min, *max], out),
            Term::Multiple { of, rest, point } => {
                out.u8(tag::MULTIPLE);
                out.u32(*of);
                out.u32(*rest);
                out.bool(*point);
            }
            Term::Quoted { text, state: Spelling::Start, escapes } => {
                out.u8(tag::QUOTED);
                self.reference(*text, out);
                self.escapes(*escapes, out);
            }
            Term::Call(rule) => {
                out.u8(tag::CALL);
                out.u32(rule.number());
            }
            Term::Special(special) => {
                out.u8(tag::SPECIAL);
                out.u32(special.number());
            }
            Term::Object(object) => {
                out.u8(tag::OBJECT);
                self.object(&self.arena.registers.objects[object.index()], out);
            }
            Term::Unique(array) => {
                out.u8(tag::UNIQUE);
                self.array(&self.arena.registers.uniques[array.index()], out);
            }
            term => return Err(Error::Misuse(format!("{term:?} exists at run time only and is not stored")).into()),
        }
        Ok(())
    }

    /// Whether the term's texts are whole characters, and not because its parts' are.
    fn is_character_class(&self, id: TermId) -> bool {
        let is_text = |part: &TermId| self.arena.info(*part).utf8;
        let derived = match self.arena.term(id) {
            Term::Alt(parts) => parts.iter().all(is_text),
            Term::Cat(left, right) => is_text(left) && is_text(right),
            _ => true,
        };
        !derived && is_text(&id) && is_character_class(self.arena, id)
    }

    fn escapes(&self, escapes: Escapes, out: &mut Writer) {
        out.bool(escapes.free);
        self.reference(escapes.escaped, out);
    }

    fn reference(&self, id: TermId, out: &mut Writer) {
        out.u32(self.place(id));
    }

    fn pair(&self, kind: u8, left: TermId, right: TermId, out: &mut Writer) {
        out.u8(kind);
        self.reference(left, out);
        self.reference(right, out);
    }

    fn parts(&self, kind: u8, parts: &[TermId], out: &mut Writer) {
        out.u8(kind);
        out.list(parts, |out, &part| self.reference(part, out));
    }

    fn counted(&self, kind: u8, body: TermId, bounds: [u32; 2], out: &mut Writer) {
        out.u8(kind);
        self.reference(body, out);
        bounds.into_iter().for_each(|bound| out.u32(bound));
    }

    fn values(&self, values: &[Value], out: &mut Writer) {
        out.list(values, |out, value| {
            self.reference(value.node, out);
            out.u64(value.marks);
        });
    }

    /// What is not derived from the rest: `required`, `valued`, `implied_by` and `sorted` are.
    fn object(&self, spec: &ObjectSpec, out: &mut Writer) {
        out.list(&spec.properties, |out, Property { key, required, values }| {
            out.bytes(key);
            out.bool(*required);
            self.values(values, out);
        });
        out.list(&spec.extras, |out, Extra { keys, values, few, number }| {
            self.reference(*keys, out);
            self.values(values, out);
            out.list(few, |out, few| out.list(few, |out, key| out.bytes(key)));
            out.list(number, |out, &number| out.u64(number as u64));
        });
        let signs = [spec.open, spec.close, spec.colon, spec.comma, spec.empty];
        signs.into_iter().for_each(|sign| self.reference(sign, out));
        out.u32(spec.min);
        out.u32(spec.max);
        out.u64(spec.required_marks);
        out.list(&spec.clauses, |out, clause| {
            out.u64(clause.premises);
            out.u64(clause.conclusions);
        });
        out.list(&spec.implies, |out, &(cause, effect)| {
            out.u32(cause);
            out.u32(effect);
        });
        out.list(&spec.earlier, |out, ranges| {
            out.list(ranges, |out, &(start, end)| {
                out.u32(start);
                out.u32(end);
            });
        });
        [spec.any_order, spec.extras_last].into_iter().for_each(|flag| out.bool(flag));
        self.escapes(spec.escapes, out);
    }

    /// `is_empty` is not written: no term of a built grammar needs an array that cannot end.
    fn array(&self, spec: &UniqueSpec, out: &mut Writer) {
        out.list(spec.steps.iter().zip(&spec.accepting), |out, (steps, &accepting)| {
            out.bool(accepting);
            out.list(steps, |out, &(item, next)| {
                self.reference(item, out);
                out.u32(next);
            });
        });
        [spec.open, spec.close, spec.comma, spec.empty].into_iter().for_each(|sign| self.reference(sign, out));
        out.u32(spec.min);
        out.u32(spec.max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::builder::Builder;

    #[test]
    fn only_what_the_root_needs_is_written_and_each_term_once() {
        let mut builder = Builder::default();
        let [one, _unused] = [&b"one"[..], b"unused"].map(|text| builder.literal(text).unwrap());
        let root = builder.cat(&[one.number(), one.number()]).unwrap();
        let file = payload(&builder.build(root.number()).unwrap()).unwrap();
        let count = |text: &[u8]| file.windows(text.len()).filter(|window| *window == text).count();
        assert_eq!((count(b"unused"), count(b"one")), (0, 1));
    }
}
