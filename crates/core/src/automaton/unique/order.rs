//! Array → whether every object in its items has one fixed order of members.
//!
//! If so, equal values have equal partial values, and members need no sorting.

use crate::automaton::machine::Machine;
use crate::regular::id::ArrayId;
use crate::regular::term::{Term, TermId};
use rustc_hash::FxHashSet;

impl Machine {
    /// Whether objects in the array's items have a fixed order of members; cached.
    pub(super) fn is_ordered(&mut self, array: ArrayId) -> bool {
        if let Some(&known) = self.unique.ordered.get(&array) {
            return known;
        }
        let items = self.arena.registers.uniques[array.index()].steps.iter().flatten().map(|&(item, _)| item).collect();
        let found = self.are_ordered(items);
        self.arena.budget.grow(16);
        self.unique.ordered.insert(array, found);
        found
    }

    fn are_ordered(&self, mut work: Vec<TermId>) -> bool {
        let mut seen = FxHashSet::default();
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            match *self.arena.term(term) {
                Term::Seq(left, right) | Term::Cat(left, right) => work.extend([left, right]),
                Term::Alt(ref parts) => work.extend(parts.iter()),
                Term::Repeat { body, .. } => work.push(body),
                Term::Call(rule) => work.extend(self.body(rule)),
                Term::Unique(array) => {
                    let spec = &self.arena.registers.uniques[array.index()];
                    work.extend(spec.steps.iter().flatten().map(|&(item, _)| item));
                }
                Term::Object(object) => {
                    let spec = &self.arena.registers.objects[object.index()];
                    let values = spec.properties.iter().flat_map(|property| &property.values);
                    work.extend(values.map(|value| value.node));
                    let others = spec.extras.iter().any(|extra| !extra.values.is_empty());
                    if spec.any_order || !spec.earlier.is_empty() || others {
                        return false;
                    }
                }
                Term::Quoted { .. } | Term::Empty | Term::Epsilon => {}
                Term::Class(set) if !set.contains(b'{') => {}
                Term::Literal { literal, .. } if !self.arena.terms.literals[literal.index()].contains(&b'{') => {}
                Term::Words { set, low, high, .. } => {
                    let words = &self.arena.terms.word_sets[set.index()].words[low as usize..high as usize];
                    if words.iter().any(|word| word.contains(&b'{')) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{alt, bytes, machine, object, rule, seq, string, unique, words};
    use crate::builder::{Builder, ObjectRules};

    fn is_ordered(item: impl FnOnce(&mut Builder) -> TermId) -> bool {
        let mut array = None;
        let mut machine = machine(|builder| {
            let item = item(builder);
            let root = unique(builder, item, 0, None);
            // The outermost array is the last one.
            array = Some(ArrayId::at(builder.arena.registers.uniques.len() - 1));
            root
        });
        let found = machine.is_ordered(array.unwrap());
        assert_eq!(machine.is_ordered(array.unwrap()), found, "from the cache");
        found
    }

    fn members(builder: &mut Builder, any_order: bool, others: bool) -> TermId {
        let one = builder.literal(b"1").unwrap();
        let keys = bytes(builder, b'x', b'z', 1, Some(1));
        let others: &[_] = if others { &[(keys, one)] } else { &[] };
        object(
            builder,
            &[("a", true, one), ("b", true, one)],
            others,
            ObjectRules { any_order, ..ObjectRules::default() },
        )
    }

    #[test]
    fn texts_without_objects_are_ordered() {
        assert!(is_ordered(|builder| string(builder, 0, None)));
        assert!(is_ordered(|builder| words(builder, &["1", "[2]"])));
        assert!(is_ordered(|builder| bytes(builder, b'0', b'9', 1, None)));
        assert!(is_ordered(|builder| builder.literal(b"true").unwrap()));
        assert!(is_ordered(|builder| {
            let item = string(builder, 0, None);
            unique(builder, item, 0, None)
        }));
        assert!(is_ordered(|builder| rule(builder, "rule", |builder, again| {
            let one = builder.literal(b"1").unwrap();
            let more = seq(builder, &[one, again]);
            alt(builder, &[more, one])
        })));
    }

    #[test]
    fn objects_are_ordered_if_their_members_are() {
        assert!(is_ordered(|builder| members(builder, false, false)));
        assert!(!is_ordered(|builder| members(builder, true, false)), "any order");
        assert!(!is_ordered(|builder| members(builder, false, true)), "further keys come in any order");
        assert!(!is_ordered(|builder| {
            let one = builder.literal(b"1").unwrap();
            let rules = ObjectRules { orders: vec![vec![0, 1], vec![0, 2]], ..ObjectRules::default() };
            object(builder, &[("a", true, one), ("b", true, one), ("c", true, one)], &[], rules)
        }));
    }

    #[test]
    fn an_object_anywhere_in_an_item_counts() {
        assert!(!is_ordered(|builder| {
            let inner = members(builder, true, false);
            object(builder, &[("a", true, inner)], &[], ObjectRules::default())
        }));
        assert!(!is_ordered(|builder| {
            let inner = members(builder, true, false);
            unique(builder, inner, 0, None)
        }));
        assert!(!is_ordered(|builder| {
            let (inner, one) = (members(builder, true, false), builder.literal(b"1").unwrap());
            let item = rule(builder, "rule", |builder, _| alt(builder, &[one, inner]));
            builder.repeat(item.number(), 1, Some(2)).unwrap()
        }));
    }

    #[test]
    fn a_brace_in_known_text_counts_as_an_object() {
        assert!(!is_ordered(|builder| words(builder, &["1", "{}"])));
        assert!(!is_ordered(|builder| builder.literal(b"[{}]").unwrap()));
        assert!(!is_ordered(|builder| builder.byte_class(&[(b'z', b'}')]).unwrap()));
        assert!(is_ordered(|builder| builder.byte_class(&[(b'a', b'z')]).unwrap()));
    }
}
