//! Steps of a sequence → positions that survive into the next epoch.
//!
//! A new epoch receives the positions at checkpoints and nothing else (`automaton::migration`). A matcher then takes again
//! only its inputs since its last checkpoint. Taking all inputs again would cost up to 12 µs and 1,400 bytes for each byte
//! of a text whose keys or items must differ.

use crate::automaton::position::PositionId;
use crate::storage::lock::Lock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// Steps from one checkpoint to the next. In a new epoch a matcher takes fewer inputs again.
pub(crate) const SPACING: usize = 64;

/// A position of a sequence that a new epoch takes over. Forks share it.
pub(crate) struct Checkpoint {
    /// How many inputs were taken before it.
    pub step: usize,
    /// The epoch in which `position` has its number. Only the thread that holds the automaton reads or changes the two.
    epoch: AtomicU64,
    position: AtomicU32,
}

impl Checkpoint {
    /// The number of its position in an epoch; None if that epoch did not take it over.
    pub fn position(&self, epoch: u64) -> Option<PositionId> {
        let is_known = self.epoch.load(Ordering::Relaxed) == epoch;
        is_known.then(|| PositionId::new(self.position.load(Ordering::Relaxed)))
    }

    /// Give the position the number that it has in the next epoch.
    pub fn move_to(&self, epoch: u64, position: PositionId) {
        self.epoch.store(epoch, Ordering::Relaxed);
        self.position.store(position.number(), Ordering::Relaxed);
    }
}

/// The checkpoints of all matchers of a compiled grammar, in the order in which they were made.
#[derive(Default)]
pub(crate) struct Registry(Lock<Vec<Weak<Checkpoint>>>);

impl Registry {
    /// The checkpoints that matchers keep, the latest first.
    pub fn latest_first(&self) -> Vec<Arc<Checkpoint>> {
        self.0.lock().iter().rev().filter_map(Weak::upgrade).collect()
    }

    fn add(&self, checkpoint: &Arc<Checkpoint>) {
        let mut all = self.0.lock();
        if all.len() == all.capacity() {
            all.retain(|checkpoint| checkpoint.strong_count() > 0);
            // Room for as many again, so that dropped checkpoints are rarely looked for.
            let kept = all.len();
            all.reserve(kept + 16);
        }
        all.push(Arc::downgrade(checkpoint));
    }
}

/// The checkpoints of one sequence, in ascending order of their steps: the further back, the fewer. A rollback by `n`
/// steps takes few more than `n` inputs again.
#[derive(Clone, Default)]
pub(crate) struct Trail(Vec<Arc<Checkpoint>>);

impl Trail {
    /// Whether a checkpoint is to be made at this step.
    #[inline]
    pub fn is_due(&self, step: usize) -> bool {
        step >= self.last_step() + SPACING
    }

    /// The step of the last checkpoint; 0 if there is none.
    #[inline]
    pub fn last_step(&self) -> usize {
        self.0.last().map_or(0, |checkpoint| checkpoint.step)
    }

    /// The checkpoints, the latest first.
    pub fn latest_first(&self) -> impl Iterator<Item = Arc<Checkpoint>> + '_ {
        self.0.iter().rev().cloned()
    }

    /// The step and the position of the last checkpoint. Drops checkpoints that the epoch did not take over.
    pub fn last_in(&mut self, epoch: u64) -> Option<(usize, PositionId)> {
        self.0.retain(|checkpoint| checkpoint.position(epoch).is_some());
        let last = self.0.last()?;
        Some((last.step, last.position(epoch)?))
    }

    /// Make a checkpoint at a step, whose position has this number in this epoch.
    #[cold]
    pub fn add(&mut self, registry: &Registry, step: usize, epoch: u64, position: PositionId) {
        let newest = step / SPACING;
        self.0.retain(|checkpoint| {
            let number = checkpoint.step / SPACING;
            newest - number <= 2 << number.trailing_zeros()
        });
        let position = AtomicU32::new(position.number());
        let checkpoint = Arc::new(Checkpoint { step, epoch: AtomicU64::new(epoch), position });
        registry.add(&checkpoint);
        self.0.push(checkpoint);
    }

    /// Drop the checkpoints after a step.
    pub fn truncate(&mut self, step: usize) {
        self.0.retain(|checkpoint| checkpoint.step <= step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(found: impl IntoIterator<Item = Arc<Checkpoint>>) -> Vec<usize> {
        found.into_iter().map(|checkpoint| checkpoint.step).collect()
    }

    fn add(trail: &mut Trail, registry: &Registry, step: usize, epoch: u64) {
        trail.add(registry, step, epoch, PositionId::at(step));
    }

    #[test]
    fn the_further_back_the_fewer() {
        let registry = Registry::default();
        let mut trail = Trail::default();
        for number in 1..=1_000 {
            let newest = number * SPACING;
            assert!(trail.is_due(newest) && !trail.is_due(newest - 1));
            add(&mut trail, &registry, newest, 0);
            for step in (SPACING..=newest).step_by(SPACING / 4) {
                let again = step - trail.0.iter().rfind(|kept| kept.step <= step).map_or(0, |kept| kept.step);
                assert!(again <= 2 * (newest - step) + SPACING, "from {newest} back to {step}: {again}");
            }
        }
        let kept = steps(trail.latest_first());
        assert!(kept.len() < 40 && steps(registry.latest_first()) == kept);
        assert!(registry.0.lock().capacity() < 200, "dropped checkpoints leave the registry");
        trail.truncate(kept[0] - 1);
        assert_eq!((trail.last_step(), steps(registry.latest_first())), (kept[1], kept[1..].to_vec()));
    }

    #[test]
    fn forks_part_where_one_goes_on_or_back() {
        let registry = Registry::default();
        let mut trail = Trail::default();
        (1..=2).for_each(|number| add(&mut trail, &registry, number * SPACING, 0));
        let (mut on, mut back) = (trail.clone(), trail.clone());
        assert_eq!(registry.latest_first().len(), 2, "a fork has what its origin has");
        add(&mut on, &registry, 3 * SPACING, 0);
        back.truncate(SPACING + 1);
        let last = [&on, &trail, &back].map(|trail| trail.last_step() / SPACING);
        assert_eq!((last, registry.latest_first().len()), ([3, 2, 1], 3));
        drop((on, trail));
        assert_eq!(steps(registry.latest_first()), [SPACING]);
    }

    #[test]
    fn a_checkpoint_is_known_in_the_epoch_that_took_it_over() {
        let registry = Registry::default();
        let mut trail = Trail::default();
        (1..=2).for_each(|number| add(&mut trail, &registry, number * SPACING, 3));
        assert_eq!(trail.last_in(3), Some((2 * SPACING, PositionId::at(2 * SPACING))));
        trail.0[0].move_to(4, PositionId::at(7));
        assert_eq!(trail.last_in(4), Some((SPACING, PositionId::at(7))));
        assert_eq!((trail.last_in(5), trail.last_step()), (None, 0));
    }
}
