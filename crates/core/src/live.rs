//! Whether a term matches anything: the question that keeps masks free of dead ends.

use crate::error::Result;
use crate::term::{Arena, Term, TermId, DERIVATION, EMPTY};
use rustc_hash::FxHashMap;

impl Arena {
    /// The term, or `EMPTY` if it matches nothing.
    pub(crate) fn checked(&mut self, id: TermId) -> Result<TermId> {
        Ok(if self.live(id)? { id } else { EMPTY })
    }

    /// Known without a search, if it is known.
    fn plainly_live(&self, id: TermId) -> Option<bool> {
        if let Some(&live) = self.live.get(&id) {
            return Some(live);
        }
        match *self.term(id) {
            Term::Empty => Some(false),
            Term::And(_) | Term::Not(_) if !self.info(id).nullable => None,
            // Lengths without gaps: that the bounds meet was seen when the term was made.
            Term::Bounded { body, .. } if !self.info(id).nullable => {
                (self.info(body).exact && !self.info(body).searched).then_some(true)
            }
            _ => Some(true),
        }
    }

    /// Depth first over derivatives until a state is known to be live. What lies on the way to it is live, and if
    /// none is found all that was seen is dead.
    pub(crate) fn live(&mut self, start: TermId) -> Result<bool> {
        if let Some(live) = self.plainly_live(start) {
            return Ok(live);
        }
        let mut parent: FxHashMap<TermId, TermId> = FxHashMap::default();
        parent.insert(start, start);
        let mut stack = vec![start];
        let mut found = None;
        'search: while let Some(id) = stack.pop() {
            let cuts = self.cuts(id);
            let mut byte = 0u8;
            loop {
                let (_, high) = cuts.interval(byte);
                self.spend(DERIVATION)?;
                let next = self.derive_now(id, byte, false)?;
                match self.plainly_live(next) {
                    Some(true) => {
                        found = Some(id);
                        break 'search;
                    }
                    Some(false) => {}
                    None => {
                        parent.entry(next).or_insert_with(|| {
                            stack.push(next);
                            id
                        });
                    }
                }
                match high.checked_add(1) {
                    Some(next) => byte = next,
                    None => break,
                }
            }
        }
        match found {
            Some(mut id) => loop {
                self.budget.grow(16);
                self.live.insert(id, true);
                if parent[&id] == id {
                    return Ok(true);
                }
                id = parent[&id];
            },
            None => {
                self.budget.grow(16 * parent.len());
                self.live.extend(parent.into_keys().map(|id| (id, false)));
                Ok(false)
            }
        }
    }

    /// Whether the regular term matches exactly these bytes.
    pub fn matches(&mut self, mut id: TermId, data: &[u8]) -> Result<bool> {
        for &byte in data {
            id = self.derive(id, byte)?;
        }
        Ok(self.info(id).nullable)
    }

    /// All texts of a regular term, shortest first, or None if there are more than `limit`.
    pub fn enumerate(&mut self, id: TermId, limit: usize) -> Result<Option<Vec<Vec<u8>>>> {
        if self.is_cofinite(id) {
            return Ok(None);
        }
        let mut texts = Vec::new();
        let mut layer = vec![(Vec::new(), id)];
        while !layer.is_empty() {
            let mut next_layer = Vec::new();
            for (text, id) in layer {
                if self.info(id).nullable {
                    texts.push(text.clone());
                }
                // Every prefix in a layer leads to a text of its own.
                if texts.len() + next_layer.len() > limit {
                    return Ok(None);
                }
                for byte in self.may(id).iter() {
                    let next = self.derive(id, byte)?;
                    if next != EMPTY {
                        // A text takes memory, whatever its derivatives cost.
                        self.spend(4 * DERIVATION)?;
                        let mut longer: Vec<u8> = text.clone();
                        longer.push(byte);
                        next_layer.push((longer, next));
                        if texts.len() + next_layer.len() > limit {
                            return Ok(None);
                        }
                    }
                }
            }
            layer = next_layer;
        }
        Ok(Some(texts))
    }
}
