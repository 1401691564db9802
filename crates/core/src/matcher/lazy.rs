//! State × token → mask and next state, computed on demand: one thread at a time computes, every thread may read.
//!
//! An automaton that has grown to its limit of memory is dropped, and a new *epoch* begins with an empty one. The new
//! automaton receives only the positions at which matchers have checkpoints (`Migration`). Every other position has no
//! meaning in the next epoch, so a matcher takes its inputs since its last checkpoint again.

use crate::automaton::distance::Distances;
use crate::automaton::follow_bytes::FollowBytes;
use crate::automaton::machine::Machine;
use crate::automaton::position::{PositionId, DEAD};
use crate::error::Result;
use crate::limits::{Cancellation, Limits};
use crate::mask::mask::Mask;
use crate::mask::masks::Masks;
use crate::mask::shared::SharedMasks;
use crate::regular::id::SpecialId;
use crate::room::masks::{PositionMasks, RoomMasks};
use crate::storage::lock::{generation, Lock};
use crate::vocabulary::vocabulary::Vocabulary;
use rustc_hash::FxHashMap;
use std::sync::{Arc, MutexGuard};

/// The state of a sequence, valid in one epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MatcherState {
    pub position: PositionId,
    /// Whether the text may end here.
    pub accepting: bool,
    /// Whether an end-of-sequence token was taken.
    pub ended: bool,
    /// Whether the position is inside a string of any text: unescaped characters leave the position as it is.
    pub in_text: bool,
}

/// One input of a sequence.
#[derive(Clone, Copy)]
pub(crate) enum Input<'a> {
    Token(u32),
    Text(&'a [u8]),
}

/// Estimated bytes of a mask's or a transition's entry in its table.
const PER_TABLE_ENTRY: usize = 32;

/// The masks and transitions of one epoch. Every thread may read them while another one computes.
#[derive(Default)]
pub(crate) struct EpochTables {
    pub epoch: u64,
    masks: FxHashMap<PositionId, Arc<Mask>>,
    transitions: FxHashMap<(PositionId, u32), MatcherState>,
}

impl EpochTables {
    /// The mask of a position; None if it was not computed in this epoch.
    pub fn mask(&self, epoch: u64, position: PositionId) -> Option<Arc<Mask>> {
        if self.epoch != epoch {
            return None;
        }
        self.masks.get(&position).cloned()
    }

    /// How many transitions the table holds.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.transitions.len()
    }

    /// The state after a token; None if it was not computed in this epoch.
    pub fn next(&self, epoch: u64, position: PositionId, token: u32) -> Option<MatcherState> {
        if self.epoch != epoch {
            return None;
        }
        self.transitions.get(&(position, token)).copied()
    }
}

/// The tables behind a lock that is held for a moment only: no code computes or fails while it holds the lock.
#[derive(Default)]
pub(crate) struct SharedTables(Lock<EpochTables>);

impl SharedTables {
    /// The tables, for reading.
    pub fn read(&self) -> MutexGuard<'_, EpochTables> {
        self.0.lock()
    }

    /// Empty tables for an epoch; returns those of the epoch before.
    pub fn begin_epoch(&self, epoch: u64) -> EpochTables {
        std::mem::replace(&mut *self.0.lock(), EpochTables { epoch, ..EpochTables::default() })
    }

    /// The tables of an epoch, for writing. They are another's in a child of a fork at which a thread held either them or
    /// the automaton; then they begin anew.
    fn write(&self, epoch: u64) -> MutexGuard<'_, EpochTables> {
        let mut tables = self.0.lock();
        if tables.epoch != epoch {
            *tables = EpochTables { epoch, ..EpochTables::default() };
        }
        tables
    }
}

/// The lower bits of an epoch's number count the epochs since the automaton was made.
pub(crate) const EPOCH_BITS: u32 = 32;

/// The epoch of an automaton that is made anew in a child of a fork: no process before this one had it.
pub(crate) fn first_epoch_of_child() -> u64 {
    generation() << EPOCH_BITS
}

/// The automaton of one epoch, with the masks and the transitions computed so far.
pub(crate) struct LazyAutomaton {
    /// The number of the epoch: from 0, or from `first_epoch_of_child`.
    pub epoch: u64,
    /// The automaton over bytes.
    pub machine: Box<Machine>,
    /// Distances to the end of the text, found for this machine.
    pub distances: Distances,
    follow_bytes: FollowBytes,
    masks: Masks,
    room: RoomMasks,
    /// Bytes that this epoch added to the shared tables.
    table_bytes: usize,
}

impl LazyAutomaton {
    /// An automaton with no masks; `special_ids` are the token ids of the grammar's special tokens.
    pub fn new(epoch: u64, machine: Box<Machine>, special_ids: &[u32]) -> Self {
        LazyAutomaton {
            epoch,
            machine,
            distances: Distances::default(),
            follow_bytes: FollowBytes::default(),
            masks: Masks::new(special_ids.to_vec()),
            room: RoomMasks::new(special_ids.to_vec()),
            table_bytes: 0,
        }
    }

    /// The automaton of the next epoch, over a machine that has the positions to take over.
    pub fn next_epoch(&self, machine: Box<Machine>, special_ids: &[u32]) -> Self {
        let mut next = LazyAutomaton::new(self.epoch + 1, machine, special_ids);
        next.masks.composed = self.masks.composed;
        next
    }

    /// Bytes of the machine, of the masks and of this epoch's tables.
    pub fn memory_bytes(&self) -> usize {
        self.machine.memory_bytes() + self.masks.memory_bytes() + self.room.memory_bytes() + self.table_bytes
    }

    /// How many masks were composed, over all epochs.
    pub fn masks_composed(&self) -> usize {
        self.masks.composed
    }

    /// Give the next call its budget. An error if the call is cancelled or no memory is left.
    pub fn begin_call(&mut self, limits: &Limits, cancellations: [Option<Cancellation>; 2]) -> Result<()> {
        let budget = &mut self.machine.arena.terms.budget;
        budget.begin(limits);
        budget.set_cancellations(cancellations);
        budget.reserve(self.masks.memory_bytes() + self.room.memory_bytes() + self.table_bytes);
        budget.check()
    }

    /// The state before any input.
    pub fn start(&self) -> MatcherState {
        self.state(self.machine.start)
    }

    /// The state at a position, before an end token.
    pub fn state(&self, position: PositionId) -> MatcherState {
        let accepting = self.machine.position(position).accepting;
        MatcherState { position, accepting, ended: false, in_text: self.machine.is_in_text(position) }
    }

    /// The mask of a position, from the tables or computed.
    pub fn mask(&mut self, shared: &SharedTables, masks: &SharedMasks, position: PositionId) -> Result<Arc<Mask>> {
        // Another thread may have computed it while this one waited for the automaton.
        if let Some(mask) = shared.read().mask(self.epoch, position) {
            return Ok(mask);
        }
        let mask = self.masks.mask(&mut self.machine, &mut self.follow_bytes, masks, position)?;
        self.table_bytes += PER_TABLE_ENTRY;
        shared.write(self.epoch).masks.insert(position, mask.clone());
        Ok(mask)
    }

    /// The mask of a position without the tokens after which `room` tokens, theirs included, do not finish the text. It
    /// is empty if no token leaves enough.
    pub fn mask_within(
        &mut self,
        shared: &SharedTables,
        masks: &SharedMasks,
        position: PositionId,
        (room, steps): (u32, u64),
    ) -> Result<Arc<Mask>> {
        let mask = self.mask(shared, masks, position)?;
        self.machine.arena.budget.leave(steps);
        let (room_masks, mut source) = self.room_masks(masks);
        room_masks.mask(&mut source, (position, &mask), room)
    }

    /// The first tokens of the closing text of a position; none if it takes more than `room` tokens.
    pub fn closing_mask(&mut self, masks: &SharedMasks, position: PositionId, room: u32) -> Result<Arc<Mask>> {
        let (room_masks, mut source) = self.room_masks(masks);
        room_masks.closing_mask(&mut source, position, room)
    }

    /// The tokens of the closing text of a position; None if no tokens spell it.
    pub fn least_tokens(&mut self, masks: &SharedMasks, position: PositionId) -> Result<Option<u32>> {
        let (room_masks, mut source) = self.room_masks(masks);
        room_masks.least_tokens(&mut source, position)
    }

    fn room_masks<'a>(&'a mut self, shared: &'a SharedMasks) -> (&'a mut RoomMasks, PositionMasks<'a>) {
        let (machine, follow_bytes, masks) = (&mut *self.machine, &mut self.follow_bytes, &mut self.masks);
        (&mut self.room, PositionMasks { machine, follow_bytes, masks, shared })
    }

    /// The state after an input; None if the input may not come.
    pub fn step(
        &mut self,
        shared: &SharedTables,
        vocabulary: &Vocabulary,
        special_ids: &[u32],
        state: MatcherState,
        input: Input<'_>,
    ) -> Result<Option<MatcherState>> {
        let token = match input {
            Input::Token(token) => token,
            Input::Text(_) if state.ended => return Ok(None),
            Input::Text(text) => {
                let position = self.machine.read(state.position, text)?;
                return Ok((position != DEAD).then(|| self.state(position)));
            }
        };
        let is_eos = vocabulary.eos.binary_search(&token).is_ok();
        if state.ended {
            return Ok(is_eos.then_some(state));
        }
        let mut position = DEAD;
        let special = special_ids.iter().position(|&id| id == token);
        if let Some(special) = special {
            position = self.machine.step_special(state.position, SpecialId::at(special))?;
        }
        if special.is_none() || position == DEAD && is_eos {
            if let Some(bytes) = vocabulary.token(token) {
                position = self.machine.read(state.position, bytes)?;
            }
        }
        let next = if position != DEAD {
            self.state(position)
        } else if is_eos && state.accepting {
            MatcherState { ended: true, ..state }
        } else {
            return Ok(None);
        };
        self.table_bytes += PER_TABLE_ENTRY;
        shared.write(self.epoch).transitions.insert((state.position, token), next);
        Ok(Some(next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;

    /// "ab" or the special token, over a, b, ab, "x" that is the end, another end, and the special token.
    fn automaton() -> (LazyAutomaton, SharedMasks, SharedTables) {
        let mut builder = Builder::default();
        let (text, special) = (builder.literal(b"ab").unwrap(), builder.special("<s>").unwrap());
        let root = builder.alt(&[text.number(), special.number()]).unwrap();
        let grammar = builder.build(root.number()).unwrap();
        let machine = Machine::of(&grammar, &Limits::default(), [None, None], None).unwrap();
        let tokens = [&b"a"[..], b"b", b"ab", b"x"].map(|text| Some(text.into()));
        let tokens = tokens.into_iter().chain([None, None]).collect();
        let vocabulary = SharedMasks::of(Vocabulary::new(tokens, vec![("<s>".into(), 5)], vec![3, 4], 6).unwrap());
        (LazyAutomaton::new(0, machine, &[5]), vocabulary, SharedTables::default())
    }

    #[test]
    fn what_is_found_out_is_counted_and_known() {
        let (mut automaton, vocabulary, shared) = automaton();
        let start = automaton.start();
        let parts = |automaton: &LazyAutomaton| {
            assert_eq!(
                automaton.memory_bytes(),
                automaton.machine.memory_bytes() + automaton.masks.memory_bytes() + automaton.table_bytes
            );
            automaton.table_bytes
        };
        assert_eq!(parts(&automaton), 0);
        let mask = automaton.mask(&shared, &vocabulary, start.position).unwrap();
        let masks = parts(&automaton);
        assert_eq!(masks, PER_TABLE_ENTRY);
        assert!(automaton.masks.memory_bytes() > 0);
        assert!(shared.read().mask(0, start.position).is_some_and(|known| Arc::ptr_eq(&known, &mask)));
        let next = automaton.step(&shared, &vocabulary.vocabulary, &[5], start, Input::Token(0)).unwrap();
        assert_eq!(parts(&automaton), 2 * PER_TABLE_ENTRY);
        assert_eq!(shared.read().next(0, start.position, 0), next);
        automaton.step(&shared, &vocabulary.vocabulary, &[5], start, Input::Token(1)).unwrap();
        assert_eq!((parts(&automaton), shared.read().len()), (2 * PER_TABLE_ENTRY, 1), "what is refused is not kept");
        // The next call must not begin if the automaton already fills the memory.
        let held = automaton.memory_bytes();
        let limits = |memory| Limits { memory, ..Limits::default() };
        assert!(automaton.begin_call(&limits(held - 1), [None, None]).is_err());
        assert!(automaton.begin_call(&limits(held + 4_096), [None, None]).is_ok());
    }
}
