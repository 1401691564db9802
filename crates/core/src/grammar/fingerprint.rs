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
    use super::*;
    use crate::builder::{Builder, ObjectRules, Punctuation};
    use crate::grammar::fixture::{braces, brackets, literal};

    fn fingerprint(make: impl FnOnce(&mut Builder) -> u32) -> u128 {
        let mut builder = Builder::default();
        let root = make(&mut builder);
        builder.build(root).unwrap().fingerprint()
    }

    fn all_differ(fingerprints: &[u128]) {
        for (place, one) in fingerprints.iter().enumerate() {
            let equal = fingerprints[..place].iter().position(|other| other == one);
            assert_eq!(equal, None, "{place} equals another");
        }
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
    fn objects_of_an_alternative_may_be_made_in_any_order() {
        let [one, other] = [["a", "b"], ["b", "a"]].map(|keys| {
            fingerprint(|builder| {
                let objects = keys
                    .map(|key| crate::grammar::fixture::object(builder, &[(key, true)], &[], ObjectRules::default()));
                builder.alt(&objects.map(TermId::number)).unwrap().number()
            })
        });
        assert_eq!(one, other);
    }

    #[test]
    fn terms_of_different_structure_have_different_fingerprints() {
        let of = |shape: usize| {
            fingerprint(|builder| {
                let [x, y] = ["x", "y"].map(|text| literal(builder, text).number());
                let [s, t] = ["<s>", "<t>"].map(|name| builder.special(name).unwrap().number());
                let made = match shape {
                    0 => builder.seq(&[s, x, y]),
                    1 => builder.seq(&[s, y, x]),
                    2 => builder.seq(&[t, x, y]),
                    3 => builder.seq(&[x, s, y]),
                    4 => builder.alt(&[s, x]),
                    5 => builder.alt(&[s, y]),
                    6 => builder.alt(&[s, t]),
                    7 => builder.repeat(s, 1, Some(2)),
                    8 => builder.repeat(s, 2, Some(2)),
                    9 => builder.repeat(s, 1, Some(3)),
                    10 => builder.repeat(s, 1, None),
                    11 => builder.repeat(t, 1, Some(2)),
                    12 => builder.seq(&[s, t]),
                    13 => builder.seq(&[t, s]),
                    14 => Ok(builder.node(s).unwrap()),
                    15 => builder.literal(b"x"),
                    _ => builder.literal(b"xy"),
                };
                made.unwrap().number()
            })
        };
        all_differ(&(0..17).map(of).collect::<Vec<_>>());
        assert_eq!(of(3), of(3));
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

    #[test]
    fn every_rule_counts_and_so_does_its_number() {
        let of = |bodies: [&str; 2], root: usize| {
            fingerprint(|builder| {
                let rules = ["one", "two"].map(|name| builder.rule(name).unwrap().number());
                for (rule, text) in rules.into_iter().zip(bodies) {
                    let body = literal(builder, text).number();
                    builder.define(rule, body).unwrap();
                }
                rules[root]
            })
        };
        all_differ(&[of(["a", "b"], 0), of(["a", "b"], 1), of(["b", "a"], 0), of(["a", "c"], 0), of(["c", "b"], 0)]);
    }

    /// Texts with their marks.
    type Values = Vec<(&'static str, u64)>;

    /// The parts of an object.
    struct Parts {
        named: Vec<(&'static str, bool, Values)>,
        others: Vec<(&'static str, Values)>,
        punctuation: [&'static str; 5],
        rules: ObjectRules,
        /// The text that strings and keys escape.
        escaped: &'static str,
    }

    fn object(change: impl FnOnce(&mut Parts)) -> u128 {
        let rules = ObjectRules { min: 1, max: Some(5), required_marks: 1, any_order: true, ..ObjectRules::default() };
        let named = vec![("a", false, vec![("1", 1), ("2", 1)]), ("b", false, vec![("1", 0)])];
        let others = vec![("[x-z]", vec![("3", 0)])];
        let mut parts = Parts { named, others, punctuation: ["{", "}", ":", ",", "{}"], rules, escaped: "q" };
        change(&mut parts);
        fingerprint(|builder| {
            builder.escape_in_strings(&[parts.escaped]).unwrap();
            let mut values = |all: Vec<(&str, u64)>| -> Vec<(u32, u64)> {
                all.into_iter().map(|(text, marks)| (literal(builder, text).number(), marks)).collect()
            };
            let named =
                parts.named.into_iter().map(|(key, required, all)| (key.into(), required, values(all))).collect();
            let others: Vec<_> = parts.others.into_iter().map(|(keys, all)| (keys, values(all))).collect();
            let others = others
                .into_iter()
                .map(|(keys, all)| (crate::regular::fixture::regex(&mut builder.arena, keys).number(), all))
                .collect();
            let [open, close, colon, comma, empty] = parts.punctuation.map(|text| literal(builder, text));
            let punctuation = Punctuation { open, close, colon, comma, empty };
            builder.object(named, others, punctuation, parts.rules).unwrap().number()
        })
    }

    #[test]
    fn every_part_of_an_object_counts() {
        let mut all = vec![
            object(|_| {}),
            object(|parts| parts.named[0].0 = "c"),
            object(|parts| parts.named[0].1 = true),
            object(|parts| parts.named[0].2[0].0 = "4"),
            object(|parts| parts.named[0].2[1].1 = 0),
            object(|parts| parts.named[0].2.truncate(1)),
            object(|parts| parts.named.truncate(1)),
            object(|parts| parts.named.swap(0, 1)),
            object(|parts| parts.others[0].0 = "[v-z]"),
            object(|parts| parts.others[0].0 = "[x-z]*"),
            object(|parts| parts.others[0].1[0].0 = "4"),
            object(|parts| parts.others[0].1[0].1 = 1),
            object(|parts| parts.others.clear()),
            object(|parts| parts.rules.min = 2),
            object(|parts| parts.rules.max = Some(4)),
            object(|parts| parts.rules.max = None),
            object(|parts| parts.rules.required_marks = 0),
            object(|parts| parts.rules.implies = vec![(0, 1)]),
            object(|parts| parts.rules.implies = vec![(1, 0)]),
            object(|parts| parts.rules.implies = vec![(1, 1)]),
            object(|parts| parts.rules.any_order = false),
            object(|parts| parts.rules.extras_last = true),
            object(|parts| parts.rules.free = true),
            object(|parts| parts.escaped = "y"),
            object(|parts| parts.escaped = "x"),
            object(|parts| (parts.rules.any_order, parts.rules.orders) = (false, vec![vec![0, 1]])),
            object(|parts| (parts.rules.any_order, parts.rules.orders) = (false, vec![vec![1, 0]])),
        ];
        all.extend((0..5).map(|sign| object(|parts| parts.punctuation[sign] = "%%")));
        all_differ(&all);
        assert_eq!(all[0], object(|_| {}));
    }

    /// The parts of an array of unique items.
    struct Items {
        states: Vec<(bool, Vec<(u32, u32)>)>,
        punctuation: Punctuation,
        min: u32,
        max: Option<u32>,
    }

    fn array(change: impl FnOnce(&mut Items, TermId)) -> u128 {
        fingerprint(|builder| {
            let [one, two, other] =
                ["[0-4]", "[5-9]", "[ab]"].map(|digits| crate::regular::fixture::regex(&mut builder.arena, digits));
            let states = vec![(true, vec![(one.number(), 1)]), (true, vec![(two.number(), 0)])];
            let mut items = Items { states, punctuation: brackets(builder), min: 0, max: Some(3) };
            change(&mut items, other);
            builder.unique_array(&items.states, items.punctuation, items.min, items.max).unwrap().number()
        })
    }

    #[test]
    fn every_part_of_an_array_counts() {
        all_differ(&[
            array(|_, _| {}),
            array(|items, _| items.states[0].0 = false),
            array(|items, _| items.states[1].0 = false),
            array(|items, other| items.states[0].1[0].0 = other.number()),
            array(|items, _| items.states[0].1[0].1 = 0),
            array(|items, other| items.states[0].1.push((other.number(), 1))),
            array(|items, other| items.punctuation.open = other),
            array(|items, other| items.punctuation.close = other),
            array(|items, other| items.punctuation.comma = other),
            array(|items, other| items.punctuation.empty = other),
            array(|items, _| items.min = 1),
            array(|items, _| items.max = Some(2)),
            array(|items, _| items.max = None),
        ]);
        // The colon of an array is never read.
        assert_eq!(array(|_, _| {}), array(|items, other| items.punctuation.colon = other));
    }

    #[test]
    fn an_object_inside_counts_wherever_it_stands() {
        let nested = |keys: [&str; 2]| {
            fingerprint(|builder| {
                let mut objects = keys.map(|key| {
                    let (punctuation, one) = (braces(builder), literal(builder, "1").number());
                    let named = vec![(key.to_owned(), false, vec![(one, 0)])];
                    builder.object(named, Vec::new(), punctuation, ObjectRules::default()).unwrap().number()
                });
                let special = builder.special("<s>").unwrap().number();
                objects[1] = builder.repeat(objects[1], 0, None).unwrap().number();
                builder.seq(&[objects[0], special, objects[1]]).unwrap().number()
            })
        };
        all_differ(&[nested(["a", "b"]), nested(["b", "a"]), nested(["a", "a"]), nested(["b", "b"])]);
        assert_eq!(nested(["a", "b"]), nested(["a", "b"]));
    }
}
