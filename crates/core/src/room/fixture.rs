//! A grammar over a few tokens → its positions with their costs, for the tests of this folder.

use crate::automaton::fixture::{after, machine};
use crate::automaton::follow_bytes::FollowBytes;
use crate::automaton::machine::Machine;
use crate::automaton::position::PositionId;
use crate::builder::Builder;
use crate::mask::mask::Mask;
use crate::mask::masks::Masks;
use crate::mask::shared::SharedMasks;
use crate::regular::term::TermId;
use crate::room::masks::{PositionMasks, RoomMasks};
use crate::vocabulary::vocabulary::Vocabulary;
use std::sync::Arc;

/// A machine and a vocabulary, with the masks and costs computed so far.
pub(crate) struct Scene {
    pub(crate) machine: Box<Machine>,
    pub(crate) shared: SharedMasks,
    masks: Masks,
    follow_bytes: FollowBytes,
    pub(crate) room: RoomMasks,
}

impl Scene {
    /// The grammar of `make` over these tokens and an end.
    pub(crate) fn new(texts: &[&str], make: impl FnOnce(&mut Builder) -> TermId) -> Self {
        let tokens = texts.iter().map(|text| Some(text.as_bytes().into())).chain([None]).collect();
        let end = texts.len() as u32;
        let vocabulary = Vocabulary::new(tokens, Vec::new(), vec![end], texts.len() + 1).unwrap();
        Scene {
            machine: machine(make),
            shared: SharedMasks::of(vocabulary),
            masks: Masks::new(Vec::new()),
            follow_bytes: FollowBytes::default(),
            room: RoomMasks::new(Vec::new()),
        }
    }

    /// The position after a text.
    pub(crate) fn after(&mut self, text: &str) -> PositionId {
        after(&mut self.machine, text.as_bytes())
    }

    /// The masks with room, and the masks of the machine's positions.
    pub(crate) fn parts(&mut self) -> (&mut RoomMasks, PositionMasks<'_>) {
        let (machine, follow_bytes, masks) = (&mut *self.machine, &mut self.follow_bytes, &mut self.masks);
        (&mut self.room, PositionMasks { machine, follow_bytes, masks, shared: &self.shared })
    }

    /// The mask of a position.
    pub(crate) fn mask(&mut self, position: PositionId) -> Arc<Mask> {
        self.parts().1.of(position).unwrap()
    }

    /// The tokens that a mask allows, ascending.
    pub(crate) fn tokens(&self, mask: &Mask) -> Vec<u32> {
        (0..self.shared.vocabulary.size() as u32).filter(|&token| mask.allows(token)).collect()
    }
}
