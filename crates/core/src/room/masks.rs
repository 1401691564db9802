//! Position × tokens left → its mask as far as these tokens finish the text, and the fewest tokens that do.
//!
//! One file, so that the costs of positions are kept and counted in one place.

use crate::automaton::machine::Machine;
use crate::automaton::position::PositionId;
use crate::error::Result;
use crate::mask::mask::Mask;
use crate::room::closing::{Closings, UNSPELLABLE};
use crate::room::cost::Costs;
use crate::vocabulary::vocabulary::Vocabulary;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Fewest tokens until a text may end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Least {
    /// As many tokens suffice; None if the tokens of the vocabulary cannot spell an end.
    pub count: Option<u32>,
    /// Whether no fewer do.
    pub exact: bool,
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
        RoomMasks { closings: Closings::new(special_ids), costs: FxHashMap::default(), bytes: 0 }
    }

    /// Bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.closings.memory_bytes() + self.bytes
    }

    /// The costs of the tokens of `mask`, which is the mask of `position`.
    pub(crate) fn costs(
        &mut self,
        machine: &mut Machine,
        vocabulary: &Vocabulary,
        (position, mask): (PositionId, &Mask),
    ) -> Result<Arc<Costs>> {
        if let Some(costs) = self.costs.get(&position) {
            return Ok(costs.clone());
        }
        let costs = Arc::new(Costs::of(machine, &mut self.closings, vocabulary, (position, mask))?);
        let bytes = costs.memory_bytes() + 32;
        machine.arena.budget.grow(bytes);
        self.bytes += bytes;
        self.costs.insert(position, costs.clone());
        Ok(costs)
    }

    /// The fewest tokens after which the text of a position may end, where `mask` is its mask.
    pub(crate) fn least(
        &mut self,
        machine: &mut Machine,
        vocabulary: &Vocabulary,
        (position, mask): (PositionId, &Mask),
    ) -> Result<Least> {
        if machine.position(position).accepting {
            return Ok(Least { count: Some(0), exact: true });
        }
        let costs = self.costs(machine, vocabulary, (position, mask))?;
        Ok(match costs.least() {
            None | Some(UNSPELLABLE) => Least { count: None, exact: false },
            // One token suffices, or it does not and two do.
            Some(after) => Least { count: Some(after + 1), exact: after < 2 },
        })
    }
}
