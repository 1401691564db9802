//! Position × tokens left → the tokens of its mask after which the text can end in time, and the number of tokens that is enough.
//!
//! One file, so that the costs of positions are kept and counted in one place.

use crate::automaton::follow_bytes::FollowBytes;
use crate::automaton::machine::Machine;
use crate::automaton::position::PositionId;
use crate::error::Result;
use crate::mask::mask::Mask;
use crate::mask::masks::Masks;
use crate::mask::shared::SharedMasks;
use crate::room::closing::{Closings, UNSPELLABLE};
use crate::room::cost::Costs;
use crate::room::open_key::Twin;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A machine with the masks of its positions.
pub(crate) struct PositionMasks<'a> {
    pub(crate) machine: &'a mut Machine,
    pub(crate) follow_bytes: &'a mut FollowBytes,
    pub(crate) masks: &'a mut Masks,
    pub(crate) shared: &'a SharedMasks,
}

impl PositionMasks<'_> {
    pub(crate) fn of(&mut self, position: PositionId) -> Result<Arc<Mask>> {
        self.masks.mask(self.machine, self.follow_bytes, self.shared, position)
    }
}

/// The masks with room of one machine's positions.
pub(crate) struct RoomMasks {
    closings: Closings,
    costs: FxHashMap<PositionId, Arc<Costs>>,
    bytes: usize,
}

impl RoomMasks {
    /// Nothing is known yet; `special_ids` are the token ids of the grammar's special tokens.
    pub(crate) fn new(special_ids: Vec<u32>) -> Self {
        let closings = Closings::new(special_ids);
        RoomMasks { closings, costs: FxHashMap::default(), bytes: 0 }
    }

    /// Bytes held that the machine's budget does not count.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.bytes
    }

    /// The mask of a position, less the tokens after which the text cannot end within `room` tokens, these included.
    ///
    /// It is empty if the closing text of the position takes more.
    pub(crate) fn mask(
        &mut self,
        source: &mut PositionMasks<'_>,
        (position, mask): (PositionId, &Arc<Mask>),
        room: u32,
    ) -> Result<Arc<Mask>> {
        if self.least_tokens(source, position)?.is_none_or(|tokens| tokens > room) || room == 0 {
            return Ok(Arc::new(Mask::from_tokens(&[])));
        }
        let costs = self.costs(source, (position, mask))?;
        Ok(if costs.ceiling() < room { mask.clone() } else { Arc::new(costs.within(room - 1)) })
    }

    /// The fewest tokens of the closing text of a position; None if no tokens spell it.
    pub(crate) fn least_tokens(&mut self, source: &mut PositionMasks<'_>, position: PositionId) -> Result<Option<u32>> {
        let tokens = self.closings.tokens(source.machine, &source.shared.vocabulary, position)?;
        Ok(Some(tokens).filter(|&tokens| tokens != UNSPELLABLE))
    }

    /// The tokens that begin the closing text of a position and lower its count; none if the text takes more than
    /// `room` tokens.
    pub(crate) fn closing_mask(
        &mut self,
        source: &mut PositionMasks<'_>,
        position: PositionId,
        room: u32,
    ) -> Result<Arc<Mask>> {
        let first = match self.least_tokens(source, position)?.is_some_and(|tokens| tokens <= room) {
            true => self.closings.first_tokens(source.machine, &source.shared.vocabulary, position)?,
            false => Vec::new(),
        };
        Ok(Arc::new(Mask::from_tokens(&first)))
    }

    /// The costs of the tokens of a position's mask.
    pub(crate) fn costs(
        &mut self,
        source: &mut PositionMasks<'_>,
        (position, mask): (PositionId, &Arc<Mask>),
    ) -> Result<Arc<Costs>> {
        if let Some(costs) = self.costs.get(&position) {
            return Ok(costs.clone());
        }
        let vocabulary = &source.shared.vocabulary;
        let costs = match Twin::of(source.machine, position)? {
            Some(twin) => {
                let (own, of) = (twin.completing(source.machine, vocabulary), source.of(twin.position)?);
                let shared = self.costs(source, (twin.position, &of))?;
                let place = (position, &**mask);
                Costs::from_twin(source.machine, &mut self.closings, vocabulary, place, (&shared, &own))?
            }
            None => Costs::of(source.machine, &mut self.closings, vocabulary, (position, mask))?,
        };
        let costs = Arc::new(costs);
        let bytes = costs.memory_bytes() + 32;
        self.bytes += bytes;
        self.costs.insert(position, costs.clone());
        Ok(costs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::bytes;
    use crate::room::fixture::Scene;

    #[test]
    fn a_mask_with_room_is_the_mask_itself_where_all_tokens_fit() {
        let mut scene = Scene::new(&["1", "22"], |builder| bytes(builder, b'0', b'9', 3, Some(3)));
        let at = scene.after("");
        let mask = scene.mask(at);
        let (room, mut source) = scene.parts();
        let within = [0, 1, 2, 3].map(|left| room.mask(&mut source, (at, &mask), left).unwrap());
        assert!(Arc::ptr_eq(&within[3], &mask) && !Arc::ptr_eq(&within[2], &mask));
        assert_eq!(
            room.least_tokens(&mut source, at).unwrap(),
            Some(3),
            "by the shortest bytes, the first of which are tokens: not by 1 and 22"
        );
        assert!(room.memory_bytes() > 0);
        // After "1" the closing text is "11", which takes two tokens.
        assert_eq!(within.map(|mask| scene.tokens(&mask)), [vec![], vec![], vec![], vec![0, 1]]);
    }
}
