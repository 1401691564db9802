//! Grammar → a hash that is equal for grammars of equal structure, whatever the order in which their nodes were made.
//!
//! Regular terms already have a hash of their content. Structural terms are hashed here, with rules by number. Tests
//! compare two ways of lowering a schema by this hash.

use crate::grammar::grammar::Grammar;
use crate::json::arena::Arena;
use crate::json::registers::{ObjectSpec, UniqueSpec};
use crate::regular::id::RuleId;
use crate::regular::term::{Term, TermId, EMPTY};
use crate::regular::transfer::postorder;
use crate::storage::hash::Hasher128;
use rustc_hash::FxHashMap;

impl Grammar {
    /// A hash of the structure of the root and of every rule.
    pub fn fingerprint(&self) -> u128 {
        let (arena, rules, root) = self.parts();
        let mut fingerprints = Fingerprints { arena, specials: &self.specials, known: FxHashMap::default() };
        let mut all = Hasher128::new(0);
        all.wide(fingerprints.of(root));
        for rule in (0..rules.names.len()).map(RuleId::at) {
            all.wide(rules.body(rule).map_or(0, |body| fingerprints.of(body)));
        }
        all.finish()
    }
}

/// Structural hashes of the terms of one grammar.
struct Fingerprints<'a> {
    arena: &'a Arena,
    specials: &'a [String],
    known: FxHashMap<TermId, u128>,
}

impl Fingerprints<'_> {
    /// The structural hash of a term.
    fn of(&mut self, root: TermId) -> u128 {
        let is_known = |id| self.known(id).is_some();
        for id in postorder([root], is_known, |id, visit| self.arena.visit_parts(id, visit)) {
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
        let mut parts = Vec::new();
        arena.visit_parts(id, |part| parts.push(self.part(part)));
        let form = match arena.term(id) {
            Term::Seq(..) => "seq".to_owned(),
            Term::Alt(_) => {
                parts.sort_unstable();
                "alt".to_owned()
            }
            Term::Repeat { min, max, .. } => format!("repeat {min} {max}"),
            Term::Object(object) => {
                let mut spec = ObjectSpec::clone(&arena.registers.objects[object.index()]);
                spec.nodes_mut().for_each(|node| *node = EMPTY);
                format!("{spec:?}")
            }
            Term::Unique(array) => {
                let mut spec = UniqueSpec::clone(&arena.registers.uniques[array.index()]);
                spec.nodes_mut().for_each(|node| *node = EMPTY);
                format!("{spec:?}")
            }
            Term::Special(special) => format!("special {}", self.specials[special.index()]),
            // Calls are hashed by rule number. Other structural terms exist only at run time.
            term => format!("{term:?}"),
        };
        let mut hash = Hasher128::new(1);
        hash.bytes(form.as_bytes());
        parts.into_iter().for_each(|part| hash.wide(part));
        hash.finish()
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
