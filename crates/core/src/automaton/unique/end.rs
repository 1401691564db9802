//! Open item → whether it can still end as a value that is not excluded.
//!
//! Cheap bounds decide first: many values left, or no excluded value with this prefix. Otherwise exact counts decide,
//! and then a search.

use crate::automaton::frame::FrameId;
use crate::automaton::machine::Machine;
use crate::automaton::position::{Items, Position, Register};
use crate::automaton::unique::abstraction::OpenEnd;
use crate::automaton::unique::analysis::TextCount;
use crate::automaton::unique::COUNT_CAP;
use crate::error::Result;
use crate::json::partial_value::{PartialValueId, NOTHING_READ};
use crate::json::unique::ENUMERATION;
use crate::regular::id::KeySetId;
use crate::regular::term::{Term, TermId, Text, EPSILON};
use rustc_hash::FxHashSet;
use smallvec::smallvec;

impl Machine {
    /// Removes the heads whose items can only end as excluded values.
    pub(crate) fn prune(&mut self, position: &mut Position) -> Result<()> {
        let Register::At(partial) = position.register else { return Ok(()) };
        let mut kept = Items::with_capacity(position.heads.len());
        for &(head, frame) in &position.heads {
            if !self.item_summary(frame).is_open || self.is_viable(head, frame, partial)? {
                kept.push((head, frame));
            }
        }
        if kept.len() < position.heads.len() {
            position.heads = kept;
            self.update_register(position);
        }
        Ok(())
    }

    fn is_viable(&mut self, head: TermId, frame: FrameId, partial: PartialValueId) -> Result<bool> {
        let excluded_bound = self.excluded_bound(frame);
        if self.unique.most_excluded == 0 || self.has_more_values(head, frame, partial, excluded_bound)? {
            return Ok(true);
        }
        if let Some(&is_viable) = self.unique.viable.get(&(head, frame, partial)) {
            return Ok(is_viable);
        }
        let is_viable = match self.is_viable_by_count(head, frame, partial)? {
            Some(is_viable) => is_viable,
            None => self.search(smallvec![(head, frame)], partial, None)?,
        };
        self.arena.budget.grow(40);
        self.unique.viable.insert((head, frame, partial), is_viable);
        Ok(is_viable)
    }

    /// Whether the item can end as another value, decided by counts; None if counts cannot decide.
    fn is_viable_by_count(&mut self, head: TermId, frame: FrameId, partial: PartialValueId) -> Result<Option<bool>> {
        let ends = self.open_ends([frame].into_iter());
        let mut has_conflicts = false;
        for &end in &ends {
            has_conflicts |= end.0 == ENUMERATION || self.conflict_count(end, partial)? > 0;
        }
        match ends[..] {
            _ if !has_conflicts => Ok(Some(true)),
            [end] if end.0 != ENUMERATION && self.is_item_frame(frame) => match self.excluded_cursor(end, partial)? {
                Some(cursor) if cursor.is_exact => self.can_avoid(end, head, cursor.set),
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Whether the frame continues with the end of an item and nothing else.
    pub(super) fn is_item_frame(&self, frame: FrameId) -> bool {
        matches!(*self.members(frame), [(term, _)] if matches!(self.arena.term(term), Term::UniqueEnd { .. }))
    }

    /// Whether an item can end as a value outside `set`, whose members all begin like the item; None if counts cannot
    /// decide.
    pub(super) fn can_avoid(
        &mut self,
        (array, state, step, _): OpenEnd,
        head: TermId,
        set: KeySetId,
    ) -> Result<Option<bool>> {
        let item = self.arena.registers.item_of_step(array, state, step);
        if self.arena.info(head).structural || !self.is_one_to_one(item)? {
            return Ok(None);
        }
        let excluded = self.arena.terms.keys.count(set) as u32;
        let TextCount { least, is_exact } = self.text_count(head)?;
        // Every value that came is a text of this head if the array has one kind of item.
        let is_known = is_exact && self.arena.registers.uniques[array.index()].only_item().is_some();
        Ok(match least {
            // One spare value, because -0 and 0 are two texts of one value.
            _ if least > excluded + 1 => Some(true),
            _ if least <= excluded && is_known => Some(false),
            _ => None,
        })
    }

    /// Whether more values may still come than can be excluded.
    pub(crate) fn has_enough_values(&mut self, head: TermId, frame: FrameId) -> Result<bool> {
        let excluded_bound = self.excluded_bound(frame);
        self.has_more_values(head, frame, NOTHING_READ, excluded_bound)
    }

    /// Whether surely more than `most` values may still come.
    fn has_more_values(&mut self, head: TermId, frame: FrameId, partial: PartialValueId, most: u32) -> Result<bool> {
        // A numeral that is zero stays zero, whatever digits of an exponent follow.
        let is_zero = self.unique.partial_values.lexer_state(partial).is_zero();
        Ok(most == 0 || !is_zero && self.min_values(head)? > most || self.frame_min_values(frame)? > most)
    }

    /// Whether more values may come in a frame than can be excluded, without looking at the head.
    pub(crate) fn has_enough_values_in_frame(&mut self, frame: FrameId) -> Result<bool> {
        Ok(self.frame_min_values(frame)? > self.excluded_bound(frame))
    }

    /// Whether more values may come after the end of a head than can be excluded, wherever the head ends.
    pub(crate) fn has_enough_values_after_end(&mut self, head: TermId, frame: FrameId) -> Result<bool> {
        if self.has_enough_values_in_frame(frame)? {
            return Ok(true);
        }
        let Term::KeyExtra { .. } = self.arena.term(head) else { return Ok(false) };
        let excluded_bound = self.excluded_bound(frame);
        let key = self.arena.replace_open_key(head, EPSILON, Text::Unknown)?;
        Ok(match self.arena.continuation(key)? {
            Some(member) => self.min_values(member)? > excluded_bound,
            None => false,
        })
    }

    /// The number of excluded values that may begin like the item; `COUNT_CAP` if the item may not come at all.
    pub(super) fn conflict_count(&mut self, end: OpenEnd, partial: PartialValueId) -> Result<u32> {
        let cursor = self.excluded_cursor(end, partial)?;
        Ok(cursor.map_or(COUNT_CAP, |cursor| self.arena.terms.keys.count(cursor.set) as u32))
    }

    /// Whether some text leads out of all open items. With `most`: whether more than `most` values end here. Searches
    /// by iterative deepening.
    pub(super) fn search(&mut self, start: Items, partial: PartialValueId, most: Option<usize>) -> Result<bool> {
        let (mut length, mut room) = (24usize, 1_000usize);
        loop {
            let mut cut = false;
            let mut seen: FxHashSet<(Items, PartialValueId)> = FxHashSet::default();
            let mut work = vec![(start.clone(), partial, 0usize)];
            while let Some((heads, partial, read)) = work.pop() {
                if read >= length || seen.len() > room {
                    cut = true;
                    continue;
                }
                for &(head, frame) in &heads {
                    let most = most.map_or_else(|| self.excluded_bound(frame), |most| most as u32);
                    if self.has_more_values(head, frame, partial, most)? {
                        return Ok(true);
                    }
                }
                let mut bytes = [false; 256];
                for &(head, _) in &heads {
                    for (low, high, _) in self.arena.byte_transitions(head)? {
                        (low..=high).for_each(|byte| bytes[byte as usize] = true);
                    }
                }
                // A stack: the last byte is tried first. Closing bytes are tried first and white space last.
                let blank = *b"\t\n\r ";
                let last = *b"\"]}";
                let others = (0..=255u8).rev().filter(|byte| !blank.contains(byte) && !last.contains(byte));
                let order = blank.into_iter().chain(others).chain(last);
                for byte in order.filter(|&byte| bytes[byte as usize]) {
                    self.arena.spend(4)?;
                    let next = self.step_uncached(&heads, Register::At(partial), byte)?;
                    match most {
                        None => {
                            let outside = |&(_, frame): &(TermId, FrameId)| !self.item_summary(frame).is_open;
                            if next.accepting || next.heads.iter().any(outside) || !next.specials.is_empty() {
                                return Ok(true);
                            }
                        }
                        Some(most) => {
                            if self.unique.found.len() > most {
                                return Ok(true);
                            }
                        }
                    }
                    if let (Register::At(partial), false) = (next.register, next.heads.is_empty()) {
                        if seen.insert((next.heads.clone(), partial)) {
                            self.arena.spend(16)?;
                            work.push((next.heads, partial, read + 1));
                        }
                    }
                }
            }
            if !cut {
                return Ok(false);
            }
            (length, room) = (length.saturating_mul(2), room.saturating_mul(4));
        }
    }
}
