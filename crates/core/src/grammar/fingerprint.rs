//! Grammar → a hash that is equal for grammars of equal structure, whatever the order in which their nodes were made.
//!
//! Regular terms already have a hash of their content. Structural terms are hashed here, with rules by number. Tests
//! compare two ways of lowering a schema by this hash.

use crate::grammar::grammar::Grammar;
use crate::regular::arena::Arena;
use crate::regular::id::RuleId;
use crate::regular::registers::Value;
use crate::regular::term::{Term, TermId};
use crate::storage::hash::Hasher128;
use rustc_hash::FxHashMap;

impl Grammar {
    /// A hash of the structure of the root and of every rule.
    pub fn fingerprint(&self) -> u128 {
        let (_, rules, root) = self.parts();
        let mut fingerprints = self.fingerprints();
        let mut all = Hasher128::new(0);
        all.wide(fingerprints.of(root));
        for rule in (0..rules.names.len()).map(RuleId::at) {
            all.wide(rules.body(rule).map_or(0, |body| fingerprints.of(body)));
        }
        all.finish()
    }

    /// An empty cache of structural hashes for this grammar.
    pub(crate) fn fingerprints(&self) -> Fingerprints<'_> {
        Fingerprints { arena: self.ground(), specials: &self.specials, known: FxHashMap::default() }
    }
}

/// Structural hashes of the terms of one grammar.
pub(crate) struct Fingerprints<'a> {
    arena: &'a Arena,
    specials: &'a [String],
    known: FxHashMap<TermId, u128>,
}

impl Fingerprints<'_> {
    /// The structural hash of a term.
    pub fn of(&mut self, id: TermId) -> u128 {
        let info = self.arena.info(id);
        if !info.structural {
            return info.hash;
        }
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        let arena = self.arena;
        let mut hash = Hasher128::new(1);
        match arena.term(id) {
            Term::Seq(..) => {
                hash.word(2);
                let mut rest = id;
                while let Term::Seq(left, right) = arena.term(rest) {
                    hash.wide(self.of(*left));
                    rest = *right;
                }
                hash.wide(self.of(rest));
            }
            Term::Alt(parts) => {
                hash.word(3);
                let mut fingerprints: Vec<u128> = parts.iter().map(|&part| self.of(part)).collect();
                fingerprints.sort_unstable();
                fingerprints.into_iter().for_each(|print| hash.wide(print));
            }
            Term::Repeat { body, min, max } => {
                hash.word(4);
                hash.word(u64::from(*min) << 32 | u64::from(*max));
                hash.wide(self.of(*body));
            }
            Term::Object(object) => {
                let spec = &arena.registers.objects[object.index()];
                hash.word(5);
                for property in &spec.properties {
                    hash.bytes(&property.key);
                    hash.word(u64::from(property.required));
                    self.values(&mut hash, &property.values);
                }
                hash.word(u64::MAX);
                for extra in &spec.extras {
                    hash.wide(self.of(extra.keys));
                    hash.word(extra.number.map_or(u64::MAX, |number| number as u64));
                    extra.few.iter().flatten().for_each(|key| hash.bytes(key));
                    self.values(&mut hash, &extra.values);
                }
                for sign in [spec.open, spec.close, spec.colon, spec.comma, spec.empty] {
                    hash.wide(self.of(sign));
                }
                let flags = [spec.any_order, spec.extras_last, spec.free].map(u8::from);
                hash.bytes(&flags);
                hash.word(u64::from(spec.min) << 32 | u64::from(spec.max));
                hash.word(spec.required_marks);
                for clause in &spec.clauses {
                    hash.word(u64::MAX);
                    hash.word(clause.premises);
                    hash.word(clause.conclusions);
                }
                for &(cause, effect) in &spec.implies {
                    hash.word(u64::from(cause) << 32 | u64::from(effect));
                }
                for gone in &spec.earlier {
                    hash.word(gone.len() as u64);
                    gone.iter().for_each(|&word| hash.word(word));
                }
            }
            Term::Unique(array) => {
                let spec = &arena.registers.uniques[array.index()];
                hash.word(7);
                for (steps, &accepting) in spec.steps.iter().zip(&spec.accepting) {
                    hash.word(steps.len() as u64 * 2 + u64::from(accepting));
                    for &(item, next) in steps {
                        hash.wide(self.of(item));
                        hash.word(u64::from(next));
                    }
                }
                for sign in [spec.open, spec.close, spec.comma, spec.empty] {
                    hash.wide(self.of(sign));
                }
                hash.word(u64::from(spec.min) << 32 | u64::from(spec.max));
                hash.word(u64::from(spec.is_empty));
            }
            Term::Special(special) => {
                hash.word(8);
                hash.bytes(self.specials[special.index()].as_bytes());
            }
            // Calls are hashed by rule number. Other structural terms exist only at run time.
            _ => hash.wide(info.hash),
        }
        let print = hash.finish();
        self.known.insert(id, print);
        print
    }

    fn values(&mut self, hash: &mut Hasher128, values: &[Value]) {
        hash.word(values.len() as u64);
        for value in values {
            hash.wide(self.of(value.node));
            hash.word(value.marks);
        }
    }
}
