//! Position → the shortest path to an end, by A* (Hart, Nilsson, Raphael 1968).
//!
//! The lower bound is `distance`; where the bound is exact, the search walks straight to the end. Bytes that no head
//! tells apart are tried once. After many positions the bound weighs more than the length (weighted A*). The path is then
//! short, but perhaps not shortest. `completion` reads the bytes of a path, and `room/closing` counts its tokens.

use crate::automaton::distance::{Distances, NEVER, SPECIAL_BYTES};
use crate::automaton::machine::Machine;
use crate::automaton::position::{Position, PositionId, DEAD};
use crate::bytes::byteset::{Boundaries, ByteSet};
use crate::error::Result;
use crate::regular::id::SpecialId;
use crate::regular::term::{Term, TermId, EMPTY};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// After this many positions, the search settles for a short path instead of the shortest. Chosen without measurement.
const MAX_SHORTEST_POSITIONS: usize = 20_000;

/// The weight of the bound from then on, relative to the length. Chosen without measurement.
const GREEDY_WEIGHT: u64 = 8;

/// Budget steps per head and interval of bytes that may come next: about 0.2 µs.
const STEPS_PER_CANDIDATE: u64 = 4;

/// Budget steps per position of the search, for closing, comparing and queueing it: about 2 µs.
const STEPS_PER_POSITION: u64 = 96;

/// Candidates per node, about: more where bytes are tried one by one.
const CANDIDATES: usize = 4;
const CANDIDATES_OF_UNIQUE_ITEMS: usize = 24;

/// The most readable bytes, then the next ones; all bytes last.
const READABLE: [(u8, u8); 5] = [(b'a', b'z'), (b'A', b'Z'), (b'0', b'9'), (b' ', b'~'), (0, u8::MAX)];

/// A step of a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Step {
    Byte(u8),
    Special(SpecialId),
    /// Several bytes to a position.
    Jump(PositionId),
}

/// A caller's part in a search.
pub(crate) trait Guide {
    /// Of bytes that are equally near to the end, these are preferred.
    fn preferred(&self) -> &ByteSet;

    /// A position some bytes ahead and the number of these bytes, if no others lead to the end faster.
    fn jump(&mut self, machine: &mut Machine, position: PositionId) -> Result<Option<(PositionId, u64)>>;

    /// The bytes from a position to an end, if a path is known.
    fn known_bytes(&self, position: PositionId) -> Option<u64>;
}

/// The steps of a path, and the last position.
pub(crate) type Path = (Vec<PathStep>, PositionId);

/// A step of a path, with the position before it and its bytes.
pub(crate) struct PathStep {
    pub(crate) position: PositionId,
    pub(crate) step: Step,
    pub(crate) bytes: u64,
}

impl Machine {
    /// A path to the nearest end, or to a position on the way from which the path is known; None if there is no end.
    pub(crate) fn shortest_path(
        &mut self,
        distances: &mut Distances,
        start: PositionId,
        guide: &mut impl Guide,
    ) -> Result<Option<Path>> {
        let (open, reached) = (BinaryHeap::new(), FxHashMap::default());
        let mut search = Search { distances, guide, weight: 1, nodes: Vec::new(), reached, open, order: 0 };
        let found = search.run(self, start);
        self.arena.terms.budget.release(search.nodes.len() * self.bytes_per_node());
        Ok(found?.then(|| search.path()))
    }

    /// Whether items of some array must differ.
    pub(super) fn has_uniques(&self) -> bool {
        !self.arena.registers.uniques.is_empty()
    }

    /// Bytes per node: itself, its entry in the index and its candidates.
    fn bytes_per_node(&self) -> usize {
        let candidates = if self.has_uniques() { CANDIDATES_OF_UNIQUE_ITEMS } else { CANDIDATES };
        size_of::<Node>() + 32 + candidates * size_of::<Candidate>()
    }

    /// The position with the text of its open key forgotten. Positions that differ in nothing else are searched once.
    fn representative(&mut self, id: PositionId) -> Result<PositionId> {
        let position = self.position(id).clone();
        if !position.heads.iter().any(|&(head, _)| matches!(self.arena.term(head), Term::KeyExtra { .. })) {
            return Ok(id);
        }
        let mut representative = Position::clone(&position);
        for (head, _) in &mut representative.heads {
            if let Term::KeyExtra { .. } = self.arena.term(*head) {
                *head = self.arena.forget_text(*head)?;
            }
        }
        representative.heads.sort_unstable();
        Ok(self.intern(representative))
    }
}

/// A position of the search with the step and the node that led to it.
struct Node {
    position: PositionId,
    before: u32,
    step: Step,
    length: u64,
    /// A lower bound of the bytes to the end.
    least: u64,
}

/// A step to try next. Ordered by estimated total length, then by progress, then by how readable its byte is.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    total: u64,
    length: Reverse<u64>,
    rank: u8,
    order: u32,
    node: u32,
    step: Step,
    /// The interval of bytes that the byte of the step stands for.
    span: (u8, u8),
    /// A lower bound of the bytes to the end after the step.
    least: u64,
}

/// The interval of a step that stands for itself alone.
const ALONE: (u8, u8) = (1, 0);

struct Search<'a, G> {
    distances: &'a mut Distances,
    guide: &'a mut G,
    /// The weight of the bound relative to the length.
    weight: u64,
    nodes: Vec<Node>,
    reached: FxHashMap<PositionId, u64>,
    open: BinaryHeap<Reverse<Candidate>>,
    order: u32,
}

impl<G: Guide> Search<'_, G> {
    /// Whether a path was found; its last node is then the last one.
    fn run(&mut self, machine: &mut Machine, start: PositionId) -> Result<bool> {
        let position = machine.position(start).clone();
        let least = self.distances.of_position(machine, &position)?;
        let first = Node { position: start, before: 0, step: Step::Jump(start), length: 0, least };
        let mut is_found = self.visit(machine, first)?;
        while !is_found {
            let Some(Reverse(next)) = self.open.pop() else { break };
            machine.arena.spend(STEPS_PER_POSITION)?;
            let Candidate { node: before, step, span: (low, high), length: Reverse(length), least, .. } = next;
            let from = self.nodes[before as usize].position;
            let position = match step {
                Step::Byte(byte) => machine.step(from, byte)?,
                Step::Special(special) => machine.step_special(from, special)?,
                Step::Jump(position) => position,
            };
            if position != DEAD {
                is_found = self.visit(machine, Node { position, before, step, length, least })?;
                continue;
            }
            // The byte repeated a key or an item. The other bytes of the interval may be fine.
            for byte in (low..=high).filter(|&byte| step != Step::Byte(byte)) {
                self.push_byte((byte, byte), before, length, least);
            }
        }
        Ok(is_found)
    }

    /// Adds a node, unless its position was reached by a path as short, and the steps from it. Whether it is an end.
    fn visit(&mut self, machine: &mut Machine, node: Node) -> Result<bool> {
        let known_bytes = self.guide.known_bytes(node.position);
        // While the bound was right, a known path is taken at once. Later, shorter paths are tried before.
        if let (Some(bytes), Some(start)) = (known_bytes, self.nodes.first()) {
            if bytes > node.least && node.length + node.least > start.least {
                self.push(node.step, (ALONE, 0), node.before, node.length, bytes);
                return Ok(false);
            }
        }
        let known = self.reached.entry(machine.representative(node.position)?).or_insert(u64::MAX);
        if *known <= node.length {
            return Ok(false);
        }
        *known = node.length;
        let Node { position: id, length, least, .. } = node;
        self.nodes.push(node);
        let bytes = machine.bytes_per_node();
        machine.arena.budget.grow(bytes);
        let position = machine.position(id).clone();
        if position.accepting || known_bytes.is_some() {
            return Ok(true);
        }
        if self.nodes.len() == MAX_SHORTEST_POSITIONS {
            self.weight = GREEDY_WEIGHT;
            let open = std::mem::take(&mut self.open).into_iter();
            let total = |next: &Candidate| next.length.0 + GREEDY_WEIGHT * next.least;
            self.open = open.map(|Reverse(next)| Reverse(Candidate { total: total(&next), ..next })).collect();
        }
        let node = self.nodes.len() as u32 - 1;
        if let Some((next, bytes)) = self.guide.jump(machine, id)? {
            let after = machine.position(next).clone();
            let least = self.distances.of_position(machine, &after)?;
            if least < NEVER {
                self.push(Step::Jump(next), (ALONE, 0), node, length + bytes, least);
            }
            return Ok(false);
        }
        // The only byte that may come needs no bound.
        if let Some(byte) = position.only_head().and_then(|head| machine.arena.first_bytes(head).single()) {
            self.push_byte((byte, byte), node, length + 1, least.saturating_sub(1));
            return Ok(false);
        }
        for &(special, frame) in &position.specials {
            let least = self.distances.after_special(machine, frame)?;
            if least < NEVER {
                self.push(Step::Special(special), (ALONE, 0), node, length + SPECIAL_BYTES, least - SPECIAL_BYTES);
            }
        }
        self.push_bytes(machine, &position, node, length + 1)?;
        Ok(false)
    }

    /// Queues each interval of bytes that no head tells apart.
    fn push_bytes(&mut self, machine: &mut Machine, position: &Position, node: u32, length: u64) -> Result<()> {
        // A head that holds its text distinguishes all bytes; the inner term does not.
        let inner_of = |machine: &Machine, head: TermId| machine.arena.open_key(head).map_or(head, |(inner, _)| inner);
        let mut boundaries = Boundaries::default();
        for &(head, _) in &position.heads {
            let inner = inner_of(machine, head);
            boundaries.merge(&machine.arena.boundaries(inner));
        }
        let has_uniques = machine.has_uniques();
        for (low, high) in boundaries.intervals(0, u8::MAX) {
            let mut least = NEVER;
            for &(head, frame) in &position.heads {
                machine.arena.spend(STEPS_PER_CANDIDATE)?;
                let inner = inner_of(machine, head);
                let next = machine.arena.derive(inner, low)?;
                if next != EMPTY {
                    least = least.min(self.distances.after(machine, head, inner, next, frame)?);
                }
            }
            if least < NEVER {
                let taken = self.push_byte((low, high), node, length, least);
                if has_uniques {
                    for byte in (low..=high).filter(|&byte| byte != taken && ends_an_item(byte)) {
                        self.push_byte((byte, byte), node, length, least);
                    }
                }
            }
        }
        Ok(())
    }

    /// Queues the most readable byte of an interval, which is returned.
    fn push_byte(&mut self, span: (u8, u8), node: u32, length: u64, least: u64) -> u8 {
        let others = || most_readable(span, &ByteSet::FULL).map(|(rank, byte)| (rank + READABLE.len() as u8, byte));
        let (rank, byte) = most_readable(span, self.guide.preferred()).or_else(others).unwrap_or_default();
        self.push(Step::Byte(byte), (span, rank), node, length, least);
        byte
    }

    fn push(&mut self, step: Step, (span, rank): ((u8, u8), u8), node: u32, length: u64, least: u64) {
        self.order += 1;
        let (total, order) = (length + self.weight * least, self.order);
        self.open.push(Reverse(Candidate { total, length: Reverse(length), rank, order, node, step, span, least }));
    }

    /// The steps to the last node.
    fn path(&self) -> Path {
        let last = self.nodes.len() - 1;
        let (mut steps, mut at) = (Vec::new(), last);
        while at != 0 {
            let Node { before, step, length, .. } = self.nodes[at];
            at = before as usize;
            let Node { position, length: start, .. } = self.nodes[at];
            steps.push(PathStep { position, step, bytes: length - start });
        }
        steps.reverse();
        (steps, self.nodes[last].position)
    }
}

/// The most readable byte of an interval that `bytes` holds, with its rank; lower ranks come first.
pub(super) fn most_readable((low, high): (u8, u8), bytes: &ByteSet) -> Option<(u8, u8)> {
    let first = |(from, to): (u8, u8)| (low.max(from)..=high.min(to)).find(|&byte| bytes.contains(byte));
    (0..).zip(READABLE).find_map(|(rank, range)| Some((rank, first(range)?)))
}

/// Bytes that are tried one by one in a grammar with unique items: two of them may end different items, although no
/// head tells them apart.
fn ends_an_item(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'j')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{after, alt, machine};

    /// One known path.
    struct Known(PositionId, u64);

    impl Guide for Known {
        fn preferred(&self) -> &ByteSet {
            &ByteSet::FULL
        }

        fn jump(&mut self, _: &mut Machine, _: PositionId) -> Result<Option<(PositionId, u64)>> {
            Ok(None)
        }

        fn known_bytes(&self, position: PositionId) -> Option<u64> {
            (position == self.0).then_some(self.1)
        }
    }

    #[test]
    fn a_known_path_ends_a_search_unless_the_bound_was_too_low_and_another_is_shorter() {
        let mut machine = machine(|builder| {
            let texts = [b"ab".as_slice(), b"xyz"].map(|text| builder.literal(text).unwrap());
            alt(builder, &texts)
        });
        let [a, x] = [b"a", b"x"].map(|text| after(&mut machine, text));
        // (known position, bytes behind it, steps of the path)
        for (known, bytes, steps) in [(a, 1, 1), (a, 9, 1), (x, 2, 2), (DEAD, 0, 2)] {
            let start = machine.start;
            let found = machine.shortest_path(&mut Distances::default(), start, &mut Known(known, bytes)).unwrap();
            let (path, end) = found.unwrap();
            assert_eq!((path.len(), end == known), (steps, steps == 1), "{bytes}");
        }
    }
}
