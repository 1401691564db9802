//! Whether a term matches anything: the question that keeps masks free of dead ends.

use crate::error::Result;
use crate::term::{Arena, Spelling, Term, TermId, DERIVATION, EMPTY};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

impl Arena {
    /// The term, or `EMPTY` if it matches nothing.
    pub(crate) fn checked(&mut self, id: TermId) -> Result<TermId> {
        Ok(if self.live(id)? { id } else { EMPTY })
    }

    /// Known without a search, if it is known.
    fn plainly_live(&mut self, id: TermId) -> Option<bool> {
        if let Some(&live) = self.live.get(&id) {
            return Some(live);
        }
        match *self.term(id) {
            Term::Empty => Some(false),
            Term::And(ref parts) if !self.info(id).nullable => {
                let parts = parts.clone();
                self.lack_a_byte(&parts).then_some(false)
            }
            Term::Not(_) if !self.info(id).nullable => None,
            // Lengths without gaps: that the bounds meet was seen when the term was made.
            Term::Bounded { body, .. } if !self.info(id).nullable => {
                (self.info(body).exact && !self.info(body).searched).then_some(true)
            }
            _ => Some(true),
        }
    }

    /// Over derivatives, the most promising first, until a state is known to be live. What lies on the way to it is live,
    /// and if none is found all that was seen is dead.
    pub(crate) fn live(&mut self, start: TermId) -> Result<bool> {
        if let Some(live) = self.plainly_live(start) {
            return Ok(live);
        }
        let mut parent: FxHashMap<TermId, TermId> = FxHashMap::default();
        parent.insert(start, start);
        // Of equal promise what was found last: depth first.
        let mut open = BinaryHeap::from([(Reverse(0), 0, start)]);
        let mut found = None;
        'search: while let Some((_, _, id)) = open.pop() {
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
                        let seen = parent.len();
                        parent.entry(next).or_insert(id);
                        if parent.len() > seen {
                            open.push((Reverse(self.distance(next)), seen, next));
                        }
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
                self.live.insert(id, true, &mut self.budget);
                if parent[&id] == id {
                    return Ok(true);
                }
                id = parent[&id];
            },
            None => {
                parent.into_keys().for_each(|id| self.live.insert(id, false, &mut self.budget));
                Ok(false)
            }
        }
    }

    /// How far a term is from its end, roughly: the bytes of a shortest text, where the operands of an intersection do
    /// not help each other. Whatever reads on in one of them is then a step forward.
    fn distance(&mut self, id: TermId) -> u32 {
        if let Some(&distance) = self.distances.get(&id) {
            return distance;
        }
        let nullable = self.info(id).nullable;
        let distance = match *self.term(id) {
            _ if nullable => 0,
            Term::Literal { literal, position } => self.literals[literal as usize].len() as u32 - position,
            Term::Words { set, low, high, depth } => {
                let words = &self.word_sets[set as usize].words[low as usize..high as usize];
                words.iter().map(|word| word.len() as u32 - depth).min().unwrap_or(0)
            }
            Term::Cat(..) => {
                let (mut all, mut rest) = (0u32, id);
                while let Term::Cat(left, right) = *self.term(rest) {
                    all = all.saturating_add(self.distance(left));
                    rest = right;
                }
                all.saturating_add(self.distance(rest))
            }
            Term::Alt(ref parts) => {
                let parts = parts.clone();
                parts.iter().map(|&part| self.distance(part)).min().unwrap_or(0)
            }
            Term::And(ref parts) => {
                let parts = parts.clone();
                parts.iter().fold(0, |all: u32, &part| all.saturating_add(self.distance(part)))
            }
            Term::Repeat { body, min, .. } => self.distance(body).saturating_mul(min),
            Term::Bounded { body, min, .. } => self.distance(body).max(min),
            Term::Quoted { text, state: Spelling::Body, .. } => self.distance(text).saturating_add(1),
            _ => 1,
        };
        self.distances.insert(id, distance, &mut self.budget);
        distance
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
