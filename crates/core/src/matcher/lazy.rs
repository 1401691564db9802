//! Place × token → mask and next place, as they are asked for: one thread at a time finds out, all may read it.
//!
//! An automaton that has grown to its limit of memory is thrown away and a new *epoch* begins with one that has learned
//! nothing but the positions at which matchers have checkpoints. All other positions of an epoch mean nothing in the
//! next: a matcher keeps what it has taken since its last checkpoint, and takes it again.

use crate::automaton::machine::{Machine, PositionId, DEAD};
use crate::automaton::migration::Migration;
use crate::error::{Error, Limit, Result};
use crate::limits::{Cancellation, Limits};
use crate::mask::mask::{Mask, Masks};
use crate::mask::shared::SharedMasks;
use crate::matcher::checkpoint::{Registry, Trail};
use crate::regular::arena::Arena;
use crate::vocabulary::vocabulary::Vocabulary;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Where a sequence is, in one epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub position: PositionId,
    /// Whether a text may end here.
    pub accepting: bool,
    /// Whether an end-of-sequence token was taken.
    pub ended: bool,
    /// Whether it is in a string of any text: characters that stand for themselves leave it where it is.
    pub in_text: bool,
}

/// What moves a sequence on.
#[derive(Clone, Copy)]
pub(crate) enum Input<'a> {
    Token(u32),
    Text(&'a [u8]),
}

/// What was found out in one epoch: read by everybody, at any time, without waiting for who finds out more.
#[derive(Default)]
pub(crate) struct Known {
    pub epoch: u64,
    /// By position: nearly every one is asked for its mask.
    masks: Vec<Option<Arc<Mask>>>,
    moves: FxHashMap<(PositionId, u32), Place>,
}

impl Known {
    pub fn mask(&self, epoch: u64, position: PositionId) -> Option<Arc<Mask>> {
        if self.epoch != epoch {
            return None;
        }
        self.masks.get(position.0 as usize).cloned().flatten()
    }

    /// How many bytes more this takes.
    fn put_mask(&mut self, position: PositionId, mask: Arc<Mask>) -> usize {
        let (before, place) = (self.masks.capacity(), position.0 as usize);
        if place >= self.masks.len() {
            self.masks.resize(place + 1, None);
        }
        self.masks[place] = Some(mask);
        (self.masks.capacity() - before) * size_of::<Option<Arc<Mask>>>()
    }

    /// How many steps are known.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    pub fn next(&self, epoch: u64, position: PositionId, token: u32) -> Option<Place> {
        if self.epoch != epoch {
            return None;
        }
        self.moves.get(&(position, token)).copied()
    }
}

/// A shared table with short locks only: nothing is computed, and nothing can fail, while one is held.
#[derive(Default)]
pub(crate) struct Shared(RwLock<Known>);

impl Shared {
    pub fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Known> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct LazyAutomaton {
    pub epoch: u64,
    pub machine: Box<Machine>,
    masks: Masks,
    /// Bytes of what this epoch has made known.
    known: usize,
}

impl LazyAutomaton {
    pub fn new(epoch: u64, machine: Box<Machine>, special_ids: &[u32]) -> Self {
        LazyAutomaton { epoch, machine, masks: Masks::new(special_ids.to_vec()), known: 0 }
    }

    pub fn memory_bytes(&self) -> usize {
        self.machine.memory_bytes() + self.masks.memory_bytes() + self.known
    }

    pub fn masks_composed(&self) -> usize {
        self.masks.composed
    }

    /// Begin the next call. An error if it may not begin: cancelled, or no memory is left.
    pub fn begin(&mut self, limits: &Limits, cancellations: [Option<Cancellation>; 2]) -> Result<()> {
        let budget = &mut self.machine.arena.budget;
        budget.begin(limits);
        budget.set_cancellations(cancellations);
        budget.reserve(self.masks.memory_bytes() + self.known);
        budget.check()
    }

    pub fn start(&self) -> Place {
        self.place(self.machine.start)
    }

    fn place(&self, position: PositionId) -> Place {
        let accepting = self.machine.position(position).accepting;
        Place { position, accepting, ended: false, in_text: self.machine.is_in_text(position) }
    }

    pub fn mask(&mut self, shared: &Shared, masks: &SharedMasks, position: PositionId) -> Result<Arc<Mask>> {
        // Another thread may have been first.
        if let Some(mask) = shared.read().mask(self.epoch, position) {
            return Ok(mask);
        }
        let mask = self.masks.mask(&mut self.machine, masks, position)?;
        self.known += shared.write().put_mask(position, mask.clone());
        Ok(mask)
    }

    /// The place after an input, if it may come.
    pub fn take(
        &mut self,
        shared: &Shared,
        vocabulary: &Vocabulary,
        special_ids: &[u32],
        place: Place,
        input: Input<'_>,
    ) -> Result<Option<Place>> {
        let token = match input {
            Input::Token(token) => token,
            Input::Text(_) if place.ended => return Ok(None),
            Input::Text(text) => {
                let position = self.machine.read(place.position, text)?;
                return Ok((position != DEAD).then(|| self.place(position)));
            }
        };
        let is_eos = vocabulary.eos.binary_search(&token).is_ok();
        if place.ended {
            return Ok(is_eos.then_some(place));
        }
        let mut position = DEAD;
        let special = special_ids.iter().position(|&id| id == token);
        if let Some(special) = special {
            position = self.machine.step_special(place.position, special as u32)?;
        }
        if special.is_none() || position == DEAD && is_eos {
            if let Some(bytes) = vocabulary.token(token) {
                position = self.machine.read(place.position, bytes)?;
            }
        }
        let next = if position != DEAD {
            self.place(position)
        } else if is_eos && place.accepting {
            Place { ended: true, ..place }
        } else {
            return Ok(None);
        };
        self.known += 32;
        shared.write().moves.insert((place.position, token), next);
        Ok(Some(next))
    }

    /// The positions at checkpoints of this epoch, those first without which the most would have to be taken again: of
    /// each matcher the last one, of the matcher whose trail it is before those of others. `alone`: nothing else.
    pub fn checkpoints(&self, registry: &Registry, trail: &Trail, alone: bool) -> Vec<PositionId> {
        let mut found = Vec::new();
        // What came of such items is not copied: their matchers take all again.
        if !self.machine.arena.registers.uniques.is_empty() {
            return Vec::new();
        }
        registry.each(|slot, checkpoints| {
            let own = trail.is(slot);
            if checkpoints.epoch != self.epoch || alone && !own {
                return;
            }
            let kept = if alone { 1 } else { usize::MAX };
            for (rank, checkpoint) in checkpoints.list.iter().rev().take(kept).enumerate() {
                found.push((rank, !own, Reverse(checkpoints.made), checkpoint.place.position));
            }
        });
        found.sort_unstable();
        found.into_iter().map(|(.., position)| position).collect()
    }

    /// Begin a new epoch: positions are copied to the new machine as long as it holds no more than `most` bytes. What the
    /// old one held is handed out, to be dropped where nobody waits for it. An error if the call was cancelled: then all
    /// is as it was.
    pub fn renew(
        &mut self,
        shared: &Shared,
        registry: &Registry,
        (ground, mut machine): (&Arena, Box<Machine>),
        positions: &[PositionId],
        (special_ids, most): (&[u32], usize),
    ) -> Result<impl Sized> {
        let mut migration = Migration::new(ground, &self.machine, &mut machine);
        for &position in positions {
            if migration.held() > most {
                break;
            }
            match migration.copy(position) {
                Ok(()) => {}
                Err(error) if matches!(*error, Error::Limit(Limit::Cancelled)) => return Err(error),
                // Whose position is missing takes all again.
                Err(_) => break,
            }
        }
        let copies = migration.into_positions();
        machine.arena.budget.renew();
        let mut next = LazyAutomaton::new(self.epoch + 1, machine, special_ids);
        next.masks.composed = self.masks.composed;
        registry.each(|_, checkpoints| {
            let known = checkpoints.epoch == self.epoch;
            checkpoints.list.retain_mut(|checkpoint| match copies.get(&checkpoint.place.position) {
                Some(&copy) if known => {
                    checkpoint.place.position = copy;
                    true
                }
                _ => false,
            });
            checkpoints.epoch = next.epoch;
        });
        let known = std::mem::replace(&mut *shared.write(), Known { epoch: next.epoch, ..Known::default() });
        Ok((std::mem::replace(self, next), known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::builder::Builder;
    use crate::matcher::checkpoint::{Checkpoint, SPACING};

    #[test]
    fn what_was_known_in_an_epoch_is_not_in_the_next() {
        let place = Place { position: PositionId(7), accepting: true, ended: false, in_text: false };
        let mut known = Known { epoch: 3, ..Known::default() };
        known.put_mask(place.position, Arc::new(Mask::of(&[5])));
        known.moves.insert((place.position, 5), place);
        assert_eq!(known.next(3, place.position, 5), Some(place));
        assert!(known.mask(3, place.position).is_some());
        for other in [2, 4] {
            assert_eq!(known.next(other, place.position, 5), None);
            assert!(known.mask(other, place.position).is_none());
        }
    }

    /// "ab" or the special token, over a, b, ab, "x" that is the end, another end, and the special token.
    fn automaton() -> (LazyAutomaton, SharedMasks, Shared) {
        let mut builder = Builder::default();
        let (text, special) = (builder.literal(b"ab").unwrap(), builder.special("<s>").unwrap());
        let root = builder.alt(&[text.0, special.0]).unwrap();
        let grammar = builder.build(root.0).unwrap();
        let machine = grammar.machine(&Limits::default(), [None, None], None).unwrap();
        let tokens = [&b"a"[..], b"b", b"ab", b"x"].map(|text| Some(text.into()));
        let tokens = tokens.into_iter().chain([None, None]).collect();
        let vocabulary = SharedMasks::of(Vocabulary::new(tokens, vec![("<s>".into(), 5)], vec![3, 4], 6).unwrap());
        (LazyAutomaton::new(0, machine, &[5]), vocabulary, Shared::default())
    }

    #[test]
    fn tokens_lead_on_and_ends_end() {
        let (mut automaton, vocabulary, shared) = automaton();
        let start = automaton.start();
        let mut take = |place, input| automaton.take(&shared, &vocabulary.vocabulary, &[5], place, input).unwrap();
        for (token, follows) in [(0, true), (1, false), (2, true), (3, false), (4, false), (5, true)] {
            let next = take(start, Input::Token(token));
            assert_eq!(next.is_some(), follows, "token {token}");
            assert_eq!(next.is_some_and(|next| next.accepting), token == 2 || token == 5);
        }
        let whole = take(start, Input::Token(2)).unwrap();
        let half = take(start, Input::Token(0)).unwrap();
        assert_eq!(take(half, Input::Token(1)), Some(whole));
        assert_eq!(take(start, Input::Text(b"ab")), Some(whole));
        assert_eq!(take(start, Input::Text(b"b")), None);
        assert_eq!(take(whole, Input::Token(0)), None);
        for end in [3, 4] {
            let ended = take(whole, Input::Token(end)).unwrap();
            assert_eq!(ended, Place { ended: true, ..whole });
            // OccurrenceGroup the end only ends come, and change nothing.
            assert_eq!(
                [3, 4, 0, 5].map(|token| take(ended, Input::Token(token)).is_some()),
                [true, true, false, false]
            );
            assert_eq!(take(ended, Input::Text(b"")), None);
        }
    }

    #[test]
    fn what_is_found_out_is_counted_and_known() {
        let (mut automaton, vocabulary, shared) = automaton();
        let start = automaton.start();
        let parts = |automaton: &LazyAutomaton| {
            assert_eq!(
                automaton.memory_bytes(),
                automaton.machine.memory_bytes() + automaton.masks.memory_bytes() + automaton.known
            );
            automaton.known
        };
        assert_eq!(parts(&automaton), 0);
        let mask = automaton.mask(&shared, &vocabulary, start.position).unwrap();
        let masks = parts(&automaton);
        assert_eq!(masks, shared.read().masks.capacity() * 8);
        assert!(automaton.masks.memory_bytes() > 0);
        assert!(shared.read().mask(0, start.position).is_some_and(|known| Arc::ptr_eq(&known, &mask)));
        let next = automaton.take(&shared, &vocabulary.vocabulary, &[5], start, Input::Token(0)).unwrap();
        assert_eq!(parts(&automaton), masks + 32);
        assert_eq!(shared.read().next(0, start.position, 0), next);
        automaton.take(&shared, &vocabulary.vocabulary, &[5], start, Input::Token(1)).unwrap();
        assert_eq!((parts(&automaton), shared.read().len()), (masks + 32, 1), "what is refused is not kept");
        // The next call may not begin where what is held fills the memory.
        let held = automaton.memory_bytes();
        let limits = |memory| Limits { memory, ..Limits::default() };
        assert!(automaton.begin(&limits(held - 1), [None, None]).is_err());
        assert!(automaton.begin(&limits(held + 4_096), [None, None]).is_ok());
    }

    #[test]
    fn of_checkpoints_the_last_come_first_and_the_own_before_others() {
        let (automaton, ..) = automaton();
        let registry = Registry::default();
        let mut trails = [Trail::default(), Trail::default(), Trail::default()];
        for step in 1..=2u32 {
            for (number, trail) in (0..).zip(&mut trails) {
                let place = Place { position: PositionId(10 * number + step), ..automaton.start() };
                let checkpoint = Checkpoint { step: step as usize * SPACING, place };
                trail.add(&registry, 0, checkpoint, None);
            }
        }
        let mut late = Trail::default();
        late.add(&registry, 7, Checkpoint { step: SPACING, place: automaton.start() }, None);
        let found = |trail: &Trail, alone| {
            automaton.checkpoints(&registry, trail, alone).into_iter().map(|position| position.0).collect::<Vec<_>>()
        };
        // By rank from the last one on, and those that were made later before others.
        assert_eq!(found(&Trail::default(), false), [22, 12, 2, 21, 11, 1]);
        assert_eq!(found(&trails[0], false), [2, 22, 12, 1, 21, 11]);
        assert_eq!(found(&trails[1], true), [12]);
        assert!(found(&late, true).is_empty(), "another epoch's mean nothing");
    }

    #[test]
    fn a_new_epoch_knows_its_number_and_what_was_composed() {
        let (mut automaton, vocabulary, shared) = automaton();
        let start = automaton.start();
        automaton.mask(&shared, &vocabulary, start.position).unwrap();
        let composed = automaton.masks_composed();
        let (mut other, ..) = self::automaton();
        let machine = std::mem::replace(&mut other.machine, self::automaton().0.machine);
        let ground = crate::regular::arena::Arena::new();
        drop(automaton.renew(&shared, &Registry::default(), (&ground, machine), &[], (&[5], usize::MAX)).unwrap());
        assert_eq!((automaton.epoch, shared.read().epoch), (1, 1));
        assert_eq!((automaton.masks_composed(), composed), (1, 1));
        assert!(shared.read().mask(1, start.position).is_none() && shared.read().len() == 0);
    }
}
