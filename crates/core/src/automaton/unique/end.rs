//! An open item → whether it can end as a value that it need not avoid: at once where much may still come, or where no value
//! to be avoided begins like it; otherwise by a search.

use crate::automaton::machine::{FrameId, Items, Machine, Position};
use crate::automaton::unique::min_values::AHEAD;
use crate::automaton::unique::{Register, PLENTY, PROBE};
use crate::error::Result;
use crate::json::partial_value::Place;
use crate::regular::term::{Term, TermId, Text, EPSILON};
use rustc_hash::FxHashSet;
use smallvec::smallvec;

impl Machine {
    /// Leave out what can only end as a value to be avoided.
    pub(crate) fn prune(&mut self, position: &mut Position) -> Result<()> {
        let Register::At(reading) = position.register else { return Ok(()) };
        let mut kept = Items::with_capacity(position.heads.len());
        for &(head, frame) in &position.heads {
            if !self.openness(frame).open || self.lives(head, frame, reading)? {
                kept.push((head, frame));
            }
        }
        if kept.len() < position.heads.len() {
            position.heads = kept;
            self.update_register(position);
        }
        Ok(())
    }

    fn lives(&mut self, head: TermId, frame: FrameId, reading: u32) -> Result<bool> {
        if self.known.most_excluded == 0 || self.has_enough_values(head, frame)? && !self.is_zero(reading) {
            return Ok(true);
        }
        if let Some(&lives) = self.known.living.get(&(head, frame, reading)) {
            return Ok(lives);
        }
        let lives = match self.counted(head, frame, reading)? {
            Some(lives) => lives,
            None => self.search(smallvec![(head, frame)], reading, None)?,
        };
        self.arena.budget.grow(40);
        self.known.living.insert((head, frame, reading), lives);
        Ok(lives)
    }

    /// Whether a numeral is open that is zero whatever follows.
    pub(super) fn is_zero(&self, reading: u32) -> bool {
        self.known.partial_values.place(reading).is_zero()
    }

    /// Whether the item can end as another value, if counts of texts and values tell.
    fn counted(&mut self, head: TermId, frame: FrameId, reading: u32) -> Result<Option<bool>> {
        let ends = self.open_ends([frame].into_iter());
        let mut hindered = false;
        for &(array, state, step, start) in &ends {
            hindered |= array == PROBE || self.hindering(array, state, step, start, reading)? > 0;
        }
        if !hindered {
            return Ok(Some(true));
        }
        match (&ends[..], self.members(frame)) {
            (&[(array, state, step, start)], &[(term, _)]) if array != PROBE => {
                let direct = matches!(self.arena.term(term), Term::UniqueEnd { .. });
                let rest = self.rest_of_item(array, state, step, start, reading)?;
                match direct && rest.exact {
                    true => self.leaves(array, state, step, head, rest.set),
                    false => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// Whether so many values may still come that they cannot all have to be avoided.
    pub(crate) fn has_enough_values(&mut self, head: TermId, frame: FrameId) -> Result<bool> {
        let demand = self.demand(frame);
        Ok(demand == 0 || self.min_values(head)? > demand || self.frame_min_values(frame)? > demand)
    }

    /// Whether what follows a head leaves so many values, wherever the head ends.
    pub(crate) fn has_enough_values_behind(&mut self, head: TermId, frame: FrameId) -> Result<bool> {
        if self.has_enough_values_after(frame)? {
            return Ok(true);
        }
        let Term::KeyExtra { .. } = self.arena.term(head) else { return Ok(false) };
        let demand = self.demand(frame);
        let key = self.arena.replace_open_key(head, EPSILON, Text::Unknown)?;
        Ok(match self.arena.bound(key)? {
            Some(member) => self.min_values(member)? > demand,
            None => false,
        })
    }

    /// The same of a head of which nothing is said.
    pub(crate) fn has_enough_values_after(&mut self, frame: FrameId) -> Result<bool> {
        let demand = self.demand(frame);
        Ok(demand == 0 || self.frame_min_values(frame)? > demand)
    }

    /// Whether that is so wherever a token may lead within the head; of zeros with an exponent the caller takes care.
    pub(crate) fn is_insensitive(&mut self, head: TermId, frame: FrameId) -> Result<bool> {
        let demand = self.demand(frame);
        self.is_insensitive_to(head, demand)
    }

    pub(super) fn is_insensitive_to(&mut self, head: TermId, demand: u32) -> Result<bool> {
        if let Some(&steady) = self.known.insensitive.get(&(head, demand)) {
            return Ok(steady);
        }
        let language = self.arena.open_key(head).map_or(head, |(inner, _)| inner);
        let (text, numeral) = match *self.arena.term(language) {
            Term::Quoted { text, .. } => (Some(text), false),
            _ => (Some(language).filter(|&language| self.is_numeral_head(language)), true),
        };
        let mut steady = text.is_some();
        let unending = !numeral && text.is_some_and(|text| self.is_unending(text));
        if let (Some(text), false) = (text, unending) {
            let mut seen = FxHashSet::default();
            let mut work = vec![text];
            while let Some(state) = work.pop() {
                if !seen.insert(state) {
                    continue;
                }
                let values = if numeral { self.numerals(state)? } else { self.texts(state, AHEAD)? };
                if seen.len() > 64 || values <= demand {
                    steady = false;
                    break;
                }
                work.extend(self.arena.byte_transitions(state)?.iter().map(|&(_, _, target)| target));
            }
        }
        self.known.insensitive.insert((head, demand), steady);
        Ok(steady)
    }

    /// How many values to be avoided may begin like the item.
    pub(super) fn hindering(&mut self, array: u32, state: u32, step: u32, start: u32, reading: u32) -> Result<usize> {
        if self.excluded(array, state, step)?.is_none() {
            return Ok(PLENTY as usize);
        }
        let rest = self.rest_of_item(array, state, step, start, reading)?;
        Ok(self.arena.registers.keys.count(rest.set))
    }

    /// Whether some text leads out of all open items; or, counting, whether more than so many values end here.
    pub(super) fn search(&mut self, start: Items, reading: u32, most: Option<usize>) -> Result<bool> {
        let (mut length, mut room) = (24usize, 1_000usize);
        loop {
            let mut cut = false;
            let mut seen: FxHashSet<(Items, u32)> = FxHashSet::default();
            let mut work = vec![(start.clone(), reading, 0usize)];
            while let Some((heads, reading, read)) = work.pop() {
                if read >= length || seen.len() > room {
                    cut = true;
                    continue;
                }
                let place = self.known.partial_values.place(reading);
                for &(head, frame) in &heads {
                    let demand = most.map_or_else(|| self.demand(frame), |most| most as u32);
                    if demand < PLENTY && self.rich(head, frame, place, demand)? {
                        return Ok(true);
                    }
                }
                let mut bytes = [false; 256];
                for &(head, _) in &heads {
                    for (low, high, _) in self.arena.byte_transitions(head)? {
                        (low..=high).for_each(|byte| bytes[byte as usize] = true);
                    }
                }
                // Last in, first out: what closes is tried first, white space last.
                let blank = *b"\t\n\r ";
                let last = *b"\"]}";
                let plain = (0..=255u8).rev().filter(|byte| !blank.contains(byte) && !last.contains(byte));
                let order = blank.into_iter().chain(plain).chain(last);
                for byte in order.filter(|&byte| bytes[byte as usize]) {
                    self.arena.spend(4)?;
                    let next = self.moved(&heads, Register::At(reading), byte)?;
                    match most {
                        None => {
                            let outside = |&(_, frame): &(TermId, FrameId)| !self.openness(frame).open;
                            if next.accepting || next.heads.iter().any(outside) || !next.specials.is_empty() {
                                return Ok(true);
                            }
                        }
                        Some(most) => {
                            if self.known.found.len() > most {
                                return Ok(true);
                            }
                        }
                    }
                    if let (Register::At(reading), false) = (next.register, next.heads.is_empty()) {
                        if seen.insert((next.heads.clone(), reading)) {
                            self.arena.spend(16)?;
                            work.push((next.heads, reading, read + 1));
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

    fn rich(&mut self, head: TermId, frame: FrameId, place: Place, demand: u32) -> Result<bool> {
        let zero = place.is_zero();
        if !zero && self.min_values(head)? > demand || self.frame_min_values(frame)? > demand {
            return Ok(true);
        }
        // Numerals of one length differ in value, unless they are exponents of zero.
        Ok(!zero && matches!(place, Place::Number { .. }) && self.numerals(head)? > demand)
    }
}
