//! Rules → rules without the parts that can never be finished (useless symbols: Hopcroft and Ullman 1979, section 4.4).
//!
//! Masks and their cache keys are computed from the same terms. Without useless symbols neither needs to check for dead
//! ends.

use crate::error::Result;
use crate::grammar::rules::Rules;
use crate::json::arena::Arena;
use crate::regular::term::{Term, TermId, EMPTY};
use crate::regular::transfer::{children, postorder};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Trimmed versions of terms.
type Trimmed = FxHashMap<TermId, TermId>;

impl Rules {
    /// Trims what these structural terms and the root are made of, in place where that is a rule, an object or an array.
    /// Returns the trimmed root.
    pub(super) fn trim(&mut self, arena: &mut Arena, terms: &[TermId], root: TermId) -> Result<TermId> {
        let mut known = Trimmed::default();
        for &id in terms {
            match *arena.term(id) {
                Term::Call(rule) => {
                    if let Some(body) = self.body(rule) {
                        self.bodies[rule.index()] = Some(self.trim_term(arena, body, &mut known)?);
                    }
                }
                Term::Object(object) => {
                    let mut spec = (*arena.registers.objects[object.index()]).clone();
                    for values in spec.values_mut() {
                        for value in values.iter_mut() {
                            value.node = self.trim_term(arena, value.node, &mut known)?;
                        }
                        values.retain(|value| value.node != EMPTY);
                    }
                    spec.index_properties();
                    *arena.registers.objects.get_mut(object.index()) = Arc::new(spec);
                }
                Term::Unique(array) => {
                    let mut spec = (*arena.registers.uniques[array.index()]).clone();
                    for (node, _) in spec.steps.iter_mut().flatten() {
                        *node = self.trim_term(arena, *node, &mut known)?;
                    }
                    *arena.registers.uniques.get_mut(array.index()) = Arc::new(spec);
                }
                _ => {}
            }
        }
        self.trim_term(arena, root, &mut known)
    }

    fn trim_term(&self, arena: &mut Arena, root: TermId, known: &mut Trimmed) -> Result<TermId> {
        let is_known = |id| !arena.info(id).structural || known.contains_key(&id);
        for id in postorder([root], is_known, |id, visit| children(arena.term(id), visit)) {
            arena.spend(4)?;
            let term = arena.term(id).clone();
            let trimmed = match self.matches_something(arena, id) {
                true => arena.with_parts(&term, |part| known.get(&part).copied().unwrap_or(part))?.unwrap_or(id),
                false => EMPTY,
            };
            known.insert(id, trimmed);
        }
        Ok(known.get(&root).copied().unwrap_or(root))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, ObjectRules};
    use crate::grammar::fixture::{braces, brackets, literal};

    /// A builder with a rule `dead` that matches nothing, the special token `<s>` and the text y.
    fn builder() -> (Builder, [u32; 3]) {
        let mut builder = Builder::default();
        let dead = builder.rule("dead").unwrap().number();
        builder.define(dead, dead).unwrap();
        let special = builder.special("<s>").unwrap().number();
        let y = literal(&mut builder, "y").number();
        (builder, [dead, special, y])
    }

    /// The trimmed root, with the rules and the arena.
    fn trimmed(mut builder: Builder, root: u32) -> (u32, Rules, Box<Arena>) {
        let mut rules = Rules::clone(&builder.rules);
        let root = builder.node(root).unwrap();
        let root = rules.prepare(&mut builder.arena, root).unwrap();
        (root.number(), rules, builder.arena)
    }

    fn seq(builder: &mut Builder, parts: &[u32]) -> u32 {
        builder.seq(parts).unwrap().number()
    }

    #[test]
    fn values_and_items_are_trimmed() {
        let (mut builder, [dead, special, y]) = builder();
        let (kept, lost) = (seq(&mut builder, &[special, y]), seq(&mut builder, &[special, dead]));
        let value = builder.alt(&[kept, lost]).unwrap().number();
        let (braces, brackets) = (braces(&mut builder), brackets(&mut builder));
        let any = builder.any_text().unwrap().number();
        let named =
            vec![("a".to_owned(), false, vec![(value, 1), (lost, 2)]), ("b".to_owned(), false, vec![(lost, 0)])];
        let object = builder.object(named, vec![(any, vec![(value, 0)])], braces, ObjectRules::default()).unwrap();
        let array = builder.unique_array(&[(true, vec![(value, 0)])], brackets, 0, None).unwrap();
        let root = seq(&mut builder, &[object.number(), array.number()]);
        let (_, _, arena) = trimmed(builder, root);
        let spec = &arena.registers.objects[0];
        let values: Vec<Vec<(u32, u64)>> = spec
            .properties
            .iter()
            .map(|property| property.values.iter().map(|value| (value.node.number(), value.marks)).collect())
            .collect();
        assert_eq!(values, [vec![(kept, 1)], vec![]]);
        assert_eq!(spec.extras[0].values[0].node.number(), kept);
        assert_eq!(spec.valued[..], [1]);
        assert_eq!(arena.registers.uniques[0].steps[0][0].0.number(), kept);
    }
}
