//! Position × tokens left → the tokens of its mask after which the text can end in time, and the fewest tokens needed.
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
use crate::room::cost::{Costs, Successors};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The fewest tokens until a text may end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Least {
    /// This many tokens suffice; None if the tokens of the vocabulary cannot spell an end.
    pub count: Option<u32>,
    /// Whether fewer tokens never suffice.
    pub exact: bool,
}

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
    leasts: FxHashMap<PositionId, Least>,
    bytes: usize,
}

impl RoomMasks {
    /// Nothing is known yet; `special_ids` are the token ids of the grammar's special tokens.
    pub(crate) fn new(special_ids: Vec<u32>) -> Self {
        let closings = Closings::new(special_ids);
        RoomMasks { closings, costs: FxHashMap::default(), leasts: FxHashMap::default(), bytes: 0 }
    }

    /// Bytes held that the machine's budget does not count.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.bytes
    }

    /// The mask of a position, less the tokens after which the text cannot end within `room` tokens, these included.
    ///
    /// It is empty if there are no such tokens.
    pub(crate) fn mask(
        &mut self,
        source: &mut PositionMasks<'_>,
        (position, mask): (PositionId, &Arc<Mask>),
        room: u32,
    ) -> Result<Arc<Mask>> {
        let Some(left) = room.checked_sub(1) else { return Ok(Arc::new(Mask::from_tokens(&[]))) };
        let costs = self.costs(source, (position, mask))?;
        Ok(match costs.cheapest() {
            _ if costs.ceiling() <= left => mask.clone(),
            Some(least) if least > left => {
                // All closing texts take too many tokens; some other text may take fewer.
                let found = self.search(source, position, least.saturating_add(1))?;
                let mut firsts = found.firsts;
                firsts.sort_unstable();
                firsts.dedup();
                Arc::new(Mask::from_tokens(if found.count <= room { &firsts } else { &[] }))
            }
            _ => Arc::new(costs.within(left)),
        })
    }

    /// The fewest tokens of the closing text of a position; None if no tokens spell it.
    pub(crate) fn closing(&mut self, source: &mut PositionMasks<'_>, position: PositionId) -> Result<Option<u32>> {
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
        let first = match self.closing(source, position)?.is_some_and(|tokens| tokens <= room) {
            true => self.closings.first_tokens(source.machine, &source.shared.vocabulary, position)?,
            false => Vec::new(),
        };
        Ok(Arc::new(Mask::from_tokens(&first)))
    }

    /// The fewest tokens after which the text may end at a position, whose mask is `mask`.
    pub(crate) fn least_tokens(
        &mut self,
        source: &mut PositionMasks<'_>,
        (position, mask): (PositionId, &Arc<Mask>),
    ) -> Result<Least> {
        if let Some(&least) = self.leasts.get(&position) {
            return Ok(least);
        }
        let least = match self.costs(source, (position, mask))?.cheapest() {
            _ if source.machine.position(position).accepting => Least { count: Some(0), exact: true },
            None => Least { count: None, exact: false },
            Some(after) => {
                let found = self.search(source, position, after.saturating_add(1))?;
                Least { count: Some(found.count).filter(|&count| count != UNSPELLABLE), exact: found.exact }
            }
        };
        self.bytes += 24;
        self.leasts.insert(position, least);
        Ok(least)
    }

    /// The positions after the tokens of a position; None if it allows more than `most` tokens.
    pub(crate) fn successors(
        &mut self,
        source: &mut PositionMasks<'_>,
        position: PositionId,
        most: usize,
    ) -> Result<Option<Successors>> {
        let mask = source.of(position)?;
        Successors::of(source.machine, &mut self.closings, &source.shared.vocabulary, (position, &mask), most)
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
        let costs = match source.machine.key_twin(position)? {
            Some(twin) => {
                let (own, of) = (source.machine.completing(&twin, vocabulary), source.of(twin.position)?);
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
        assert_eq!(room.least_tokens(&mut source, (at, &mask)).unwrap(), Least { count: Some(2), exact: true });
        assert_eq!(
            room.closing(&mut source, at).unwrap(),
            Some(3),
            "by the shortest bytes, the first of which are tokens"
        );
        assert!(room.memory_bytes() > 0);
        // After "1" the closing text is "11", which takes two tokens.
        assert_eq!(within.map(|mask| scene.tokens(&mask)), [vec![], vec![], vec![1], vec![0, 1]]);
    }
}
