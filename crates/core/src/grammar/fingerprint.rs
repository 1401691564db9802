//! Grammar → a hash that is equal for grammars of equal structure, whatever the order in which their nodes were made.
//!
//! Regular terms already have a hash of their content. Structural terms are hashed here, with rules by number. Tests
//! compare two ways of lowering a schema by this hash.

use crate::grammar::grammar::Grammar;
use crate::json::arena::Arena;
use crate::json::registers::Value;
use crate::regular::id::RuleId;
use crate::regular::term::{Term, TermId, EMPTY};
use crate::regular::transfer::postorder;
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
    pub fn of(&mut self, root: TermId) -> u128 {
        let is_known = |id| self.known(id).is_some();
        for id in postorder(root, is_known, |id, visit| self.arena.visit_parts(id, visit)) {
            let print = self.of_known_parts(id);
            self.known.insert(id, print);
        }
        self.part(root)
    }

    fn known(&self, id: TermId) -> Option<u128> {
        let info = self.arena.info(id);
        if info.structural {
            self.known.get(&id).copied()
        } else {
            Some(info.hash)
        }
    }

    /// The hash of a part of a term. Parts are hashed before the term.
    fn part(&self, id: TermId) -> u128 {
        self.known(id).expect("parts come before what is made of them")
    }

    /// The structural hash of a structural term whose parts are known.
    fn of_known_parts(&self, id: TermId) -> u128 {
        let arena = self.arena;
        let mut hash = Hasher128::new(1);
        match arena.term(id) {
            Term::Seq(left, right) => {
                hash.word(2);
                hash.wide(self.part(*left));
                hash.wide(self.part(*right));
            }
            Term::Alt(parts) => {
                hash.word(3);
                let mut fingerprints: Vec<u128> = parts.iter().map(|&part| self.part(part)).collect();
                fingerprints.sort_unstable();
                fingerprints.into_iter().for_each(|print| hash.wide(print));
            }
            Term::Repeat { body, min, max } => {
                hash.word(4);
                hash.word(u64::from(*min) << 32 | u64::from(*max));
                hash.wide(self.part(*body));
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
                    hash.wide(self.part(extra.keys));
                    hash.word(extra.number.map_or(u64::MAX, |number| number as u64));
                    extra.few.iter().flatten().for_each(|key| hash.bytes(key));
                    self.values(&mut hash, &extra.values);
                }
                for sign in [spec.open, spec.close, spec.colon, spec.comma, spec.empty] {
                    hash.wide(self.part(sign));
                }
                let flags = [spec.any_order, spec.extras_last, spec.escapes.free].map(u8::from);
                hash.bytes(&flags);
                if spec.escapes.escaped != EMPTY {
                    hash.wide(self.part(spec.escapes.escaped));
                }
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
                for ranges in &spec.earlier {
                    hash.word(ranges.len() as u64);
                    ranges.iter().for_each(|&(start, end)| hash.word(u64::from(start) << 32 | u64::from(end)));
                }
            }
            Term::Unique(array) => {
                let spec = &arena.registers.uniques[array.index()];
                hash.word(7);
                for (steps, &accepting) in spec.steps.iter().zip(&spec.accepting) {
                    hash.word(steps.len() as u64 * 2 + u64::from(accepting));
                    for &(item, next) in steps {
                        hash.wide(self.part(item));
                        hash.word(u64::from(next));
                    }
                }
                for sign in [spec.open, spec.close, spec.comma, spec.empty] {
                    hash.wide(self.part(sign));
                }
                hash.word(u64::from(spec.min) << 32 | u64::from(spec.max));
                hash.word(u64::from(spec.is_empty));
            }
            Term::Special(special) => {
                hash.word(8);
                hash.bytes(self.specials[special.index()].as_bytes());
            }
            // Calls are hashed by rule number. Other structural terms exist only at run time.
            _ => hash.wide(arena.info(id).hash),
        }
        hash.finish()
    }

    fn values(&self, hash: &mut Hasher128, values: &[Value]) {
        hash.word(values.len() as u64);
        for value in values {
            hash.wide(self.part(value.node));
            hash.word(value.marks);
        }
    }
}

#[cfg(test)]
mod tests {

    use crate::builder::Builder;
    use crate::grammar::fixture::literal;

    fn fingerprint(make: impl FnOnce(&mut Builder) -> u32) -> u128 {
        let mut builder = Builder::default();
        let root = make(&mut builder);
        builder.build(root).unwrap().fingerprint()
    }

    #[test]
    fn the_order_in_which_nodes_are_made_does_not_matter() {
        let mut made = [false, true].map(|reversed| {
            fingerprint(|builder| {
                let mut texts = ["a", "b", "c"];
                if reversed {
                    texts.reverse();
                    builder.literal(b"something else").unwrap();
                }
                let mut nodes = texts.map(|text| literal(builder, text).number());
                if reversed {
                    nodes.reverse();
                }
                let [a, b, c] = nodes;
                let special = builder.special("<s>").unwrap().number();
                let seq = builder.seq(&[a, special, c]).unwrap().number();
                let parts = if reversed { [b, seq] } else { [seq, b] };
                builder.alt(&parts).unwrap().number()
            })
        });
        made.sort_unstable();
        assert_eq!(made[0], made[1]);
    }

    #[test]
    fn special_tokens_count_by_name_not_by_number() {
        let of = |names: &[&str]| {
            fingerprint(|builder| {
                let made: Vec<u32> = names.iter().map(|name| builder.special(name).unwrap().number()).collect();
                made[made.len() - 1]
            })
        };
        assert_eq!(of(&["<s>"]), of(&["<other>", "<s>"]));
        assert_ne!(of(&["<s>"]), of(&["<t>"]));
    }
}
