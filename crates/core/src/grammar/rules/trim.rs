//! Rules → rules without the parts that can never be finished (useless symbols: Hopcroft and Ullman 1979, section 4.4).
//!
//! Masks and their cache keys are computed from the same terms. Without useless symbols neither needs to check for dead
//! ends.

use crate::error::Result;
use crate::grammar::rules::Rules;
use crate::json::arena::Arena;
use crate::regular::term::{Term, TermId, EMPTY, EPSILON};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Trimmed versions of terms.
type Trimmed = FxHashMap<TermId, TermId>;

impl Rules {
    /// Trims the rules, all objects and arrays, and the root. Returns the trimmed root.
    pub(super) fn trim(&mut self, arena: &mut Arena, root: TermId) -> Result<TermId> {
        if self.is_trimmed {
            return Ok(root);
        }
        let mut known = Trimmed::default();
        for rule in 0..self.bodies.len() {
            if let Some(body) = self.bodies[rule] {
                self.bodies[rule] = Some(self.trim_term(arena, body, &mut known)?);
            }
        }
        for object in 0..arena.registers.objects.len() {
            let mut spec = (*arena.registers.objects[object]).clone();
            let mut changed = false;
            for values in spec.values_mut() {
                for value in values.iter_mut() {
                    let node = self.trim_term(arena, value.node, &mut known)?;
                    changed |= node != value.node;
                    value.node = node;
                }
                values.retain(|value| value.node != EMPTY);
            }
            if changed {
                spec.index_properties();
                *arena.registers.objects.get_mut(object) = Arc::new(spec);
            }
        }
        for array in 0..arena.registers.uniques.len() {
            let mut spec = (*arena.registers.uniques[array]).clone();
            let mut changed = false;
            for (node, _) in spec.steps.iter_mut().flatten() {
                let trim_term = self.trim_term(arena, *node, &mut known)?;
                changed |= trim_term != *node;
                *node = trim_term;
            }
            if changed {
                *arena.registers.uniques.get_mut(array) = Arc::new(spec);
            }
        }
        self.trim_term(arena, root, &mut known)
    }

    fn trim_term(&self, arena: &mut Arena, id: TermId, known: &mut Trimmed) -> Result<TermId> {
        if !arena.info(id).structural {
            return Ok(id);
        }
        if let Some(&trim_term) = known.get(&id) {
            return Ok(trim_term);
        }
        arena.spend(4)?;
        let trim_term = match *arena.term(id) {
            _ if !self.matches_something(arena, id) => EMPTY,
            Term::Seq(..) => {
                let (mut parts, mut rest) = (Vec::new(), id);
                while let Term::Seq(left, right) = *arena.term(rest) {
                    parts.push(left);
                    rest = right;
                }
                parts.push(rest);
                let mut seq = EPSILON;
                for part in parts.into_iter().rev() {
                    let part = self.trim_term(arena, part, known)?;
                    seq = arena.seq(part, seq)?;
                }
                seq
            }
            Term::Alt(ref parts) => {
                let mut parts = parts.to_vec();
                for part in &mut parts {
                    *part = self.trim_term(arena, *part, known)?;
                }
                arena.alt(parts)?
            }
            Term::Repeat { body, min, max } => match self.trim_term(arena, body, known)? {
                EMPTY => EPSILON,
                body => arena.repeat(body, min, max)?,
            },
            _ => id,
        };
        known.insert(id, trim_term);
        Ok(trim_term)
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
        let root = rules.prepare(&mut builder.arena, None, root).unwrap();
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
