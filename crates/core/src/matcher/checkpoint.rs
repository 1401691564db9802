//! Steps of a sequence → states that survive into the next epoch.
//!
//! A new epoch receives the positions at checkpoints and nothing else (`automaton::migration`). A matcher then takes again
//! only its inputs since its last checkpoint. Checkpoints are registered with the compiled grammar, where the thread that
//! begins an epoch finds them. No code computes while it holds one of the locks of this file.

use crate::matcher::lazy::MatcherState;
use crate::storage::lock::Lock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// Steps from one checkpoint to the next. In a new epoch a matcher takes at most twice as many inputs again. Chosen
/// without measurement.
pub(crate) const SPACING: usize = 64;

/// One state of a sequence that a new epoch keeps.
#[derive(Clone, Copy)]
pub(crate) struct Checkpoint {
    /// How many inputs were taken before it.
    pub step: usize,
    /// The state after these inputs.
    pub state: MatcherState,
}

/// The checkpoints of one sequence, in one epoch.
#[derive(Clone, Default)]
pub(crate) struct Checkpoints {
    /// The epoch to which the states belong.
    pub epoch: u64,
    /// The registry's clock when the last checkpoint was made: larger is later.
    pub made: u64,
    /// The checkpoints, in ascending order of their steps.
    pub list: Vec<Checkpoint>,
}

impl Checkpoints {
    /// Drop checkpoints that later ones make up for: the further back, the fewer are kept. A rollback by `n` steps takes
    /// few more than `n` inputs again. Of the checkpoints at least `max_rollback` steps back, only the last is kept.
    fn thin_out(&mut self, max_rollback: Option<usize>) {
        let Some(last) = self.list.last().map(|checkpoint| checkpoint.step) else { return };
        let newest = last / SPACING;
        self.list.retain(|checkpoint| {
            let number = checkpoint.step / SPACING;
            newest - number <= 2 << number.trailing_zeros().min(usize::BITS - 2)
        });
        let far = |checkpoint: &Checkpoint| max_rollback.is_some_and(|most| last - checkpoint.step >= most);
        let spare = self.list.iter().rposition(far).unwrap_or(0);
        self.list.drain(..spare);
    }
}

type Slot = Lock<Checkpoints>;

/// The checkpoints of all sequences of a compiled grammar.
#[derive(Default)]
pub(crate) struct Registry {
    slots: Lock<Slots>,
    clock: AtomicU64,
}

#[derive(Default)]
struct Slots {
    /// The slots of all matchers; a slot is freed with its matcher.
    all: Vec<Weak<Slot>>,
    /// Length of `all` at which freed slots are removed.
    capacity: usize,
}

impl Registry {
    /// Call `act` with the checkpoints of every matcher. No checkpoint is made or copied meanwhile.
    pub fn each(&self, mut act: impl FnMut(&Arc<Slot>, &mut Checkpoints)) {
        let slots = self.slots.lock();
        for slot in slots.all.iter().filter_map(Weak::upgrade) {
            act(&slot, &mut slot.lock());
        }
    }

    /// A new slot that holds `content()`. The registry is locked meanwhile, so an epoch sees the slot or comes first.
    fn slot(&self, content: impl FnOnce() -> Checkpoints) -> Arc<Owned> {
        let mut slots = self.slots.lock();
        let slot = Arc::new(Lock::new(content()));
        if slots.all.len() >= slots.capacity {
            slots.all.retain(|slot| slot.strong_count() > 0);
            slots.capacity = 2 * slots.all.len() + 16;
        }
        slots.all.push(Arc::downgrade(&slot));
        Arc::new(Owned(slot))
    }
}

/// A slot as matchers hold it: forks share a slot until one of them makes another checkpoint.
struct Owned(Arc<Slot>);

/// A matcher's handle of its checkpoints.
#[derive(Clone, Default)]
pub(crate) struct Trail {
    owned: Option<Arc<Owned>>,
    /// The step of the last checkpoint.
    last: usize,
}

impl Trail {
    /// Whether a checkpoint is to be made at this step.
    #[inline]
    pub fn is_due(&self, step: usize) -> bool {
        step >= self.last + SPACING
    }

    /// The step of the last checkpoint; 0 if there is none.
    pub fn last(&self) -> usize {
        self.last
    }

    /// Whether the slot holds the checkpoints of this matcher.
    pub fn owns(&self, slot: &Arc<Slot>) -> bool {
        self.owned.as_ref().is_some_and(|owned| Arc::ptr_eq(&owned.0, slot))
    }

    /// The last checkpoint at or before a step. Checkpoints of another epoch are dropped.
    pub fn before(&mut self, epoch: u64, step: usize) -> Option<Checkpoint> {
        let owned = self.owned.as_ref()?;
        let checkpoints = owned.0.lock();
        if checkpoints.epoch != epoch {
            drop(checkpoints);
            *self = Trail::default();
            return None;
        }
        let found = checkpoints.list.iter().rfind(|checkpoint| checkpoint.step <= step).copied();
        self.last = found.map_or(0, |checkpoint| checkpoint.step);
        found
    }

    /// Add a checkpoint of a matcher that goes back by at most `max_rollback` steps. Nothing is added if the existing
    /// checkpoints are of another epoch.
    pub fn add(&mut self, registry: &Registry, epoch: u64, checkpoint: Checkpoint, max_rollback: Option<usize>) {
        let own = self.own(registry, epoch);
        let mut checkpoints = own.0.lock();
        if checkpoints.epoch != epoch {
            return;
        }
        checkpoints.made = registry.clock.fetch_add(1, Ordering::Relaxed);
        checkpoints.list.push(checkpoint);
        checkpoints.thin_out(max_rollback);
        drop(checkpoints);
        self.last = checkpoint.step;
    }

    /// Drop the checkpoints after a step.
    pub fn truncate(&mut self, registry: &Registry, step: usize) {
        if step >= self.last {
            return;
        }
        if step < SPACING {
            *self = Trail::default();
            return;
        }
        let own = self.own(registry, 0);
        let mut checkpoints = own.0.lock();
        checkpoints.list.retain(|checkpoint| checkpoint.step <= step);
        self.last = checkpoints.list.last().map_or(0, |checkpoint| checkpoint.step);
    }

    /// The slot of this matcher alone: a slot shared with forks is copied first.
    fn own(&mut self, registry: &Registry, epoch: u64) -> Arc<Owned> {
        match &self.owned {
            Some(owned) if Arc::strong_count(owned) == 1 => owned.clone(),
            shared => {
                let content = || match shared {
                    Some(shared) => shared.0.lock().clone(),
                    None => Checkpoints { epoch, ..Checkpoints::default() },
                };
                let own = registry.slot(content);
                self.owned = Some(own.clone());
                own
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::position::PositionId;

    fn checkpoint(step: usize) -> Checkpoint {
        let state = MatcherState { position: PositionId::at(step), accepting: false, ended: false, in_text: false };
        Checkpoint { step, state }
    }

    fn steps(registry: &Registry) -> Vec<Vec<usize>> {
        let mut found = Vec::new();
        registry.each(|_, checkpoints| found.push(checkpoints.list.iter().map(|checkpoint| checkpoint.step).collect()));
        found
    }

    #[test]
    fn the_further_back_the_fewer() {
        let registry = Registry::default();
        let mut trail = Trail::default();
        for number in 1..=1_000 {
            let newest = number * SPACING;
            assert!(trail.is_due(newest) && !trail.is_due(newest - 1));
            trail.add(&registry, 0, checkpoint(newest), None);
            for step in (SPACING..=newest).step_by(SPACING / 4) {
                let again = step - trail.clone().before(0, step).map_or(0, |found| found.step);
                assert!(again <= 2 * (newest - step) + SPACING, "from {newest} back to {step}: {again}");
            }
        }
        assert!(steps(&registry)[0].len() < 40);
    }

    #[test]
    fn where_nobody_goes_back_far_the_far_ones_are_left_out() {
        let registry = Registry::default();
        let mut trail = Trail::default();
        (1..=100).for_each(|number| trail.add(&registry, 0, checkpoint(number * SPACING), Some(SPACING + 1)));
        assert_eq!(steps(&registry), [[98 * SPACING, 99 * SPACING, 100 * SPACING]]);
    }

    #[test]
    fn forks_part_where_one_goes_on_or_back() {
        let registry = Registry::default();
        let mut trail = Trail::default();
        (1..=3).for_each(|number| trail.add(&registry, 0, checkpoint(number * SPACING), None));
        let (mut on, mut back) = (trail.clone(), trail.clone());
        assert_eq!(steps(&registry).len(), 1);
        on.add(&registry, 0, checkpoint(4 * SPACING), None);
        back.truncate(&registry, 2 * SPACING + 1);
        assert_eq!(back.before(0, usize::MAX).map(|found| found.step), Some(2 * SPACING));
        assert_eq!(on.before(0, usize::MAX).map(|found| found.step), Some(4 * SPACING));
        assert_eq!(trail.before(0, usize::MAX).map(|found| found.step), Some(3 * SPACING));
        assert_eq!(steps(&registry).len(), 3);
        drop((on, back));
        assert_eq!(steps(&registry).len(), 1);
    }

    #[test]
    fn those_of_another_epoch_are_no_use() {
        let registry = Registry::default();
        let mut trail = Trail::default();
        trail.add(&registry, 3, checkpoint(SPACING), None);
        trail.add(&registry, 4, checkpoint(2 * SPACING), None);
        assert_eq!(steps(&registry), [[SPACING]]);
        assert!(trail.before(4, usize::MAX).is_none());
        assert!(trail.is_due(SPACING) && steps(&registry).is_empty());
    }
}
