//! Rules → rules without the parts that can never be finished (useless symbols: Hopcroft and Ullman 1979, section 4.4).
//!
//! Masks and their cache keys are computed from the same terms. Without useless symbols neither needs to check for dead
//! ends.

use crate::error::Result;
use crate::grammar::rules::Rules;
use crate::regular::arena::Arena;
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
            let lists = spec.properties.iter_mut().map(|property| &mut property.values);
            let lists = lists.chain(spec.extras.iter_mut().map(|extra| &mut extra.values));
            let mut changed = false;
            for values in lists {
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
        arena.spend(1)?;
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
