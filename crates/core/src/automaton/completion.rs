//! Position → the shortest bytes that end the text, by A* (Hart, Nilsson, Raphael 1968).
//!
//! The lower bound is `distance`; where the bound is exact, the search walks straight to the end. Bytes that no head
//! tells apart are tried once. After many positions a second search weighs the bound more than the length (weighted
//! A*). Its text is short, but perhaps not shortest.

use crate::automaton::distance::{Distances, NEVER};
use crate::automaton::machine::Machine;
use crate::automaton::position::{Position, PositionId, DEAD};
use crate::bytes::byteset::Boundaries;
use crate::bytes::utf8::is_unescaped;
use crate::error::{Error, Limit, Result};
use crate::regular::literal::Literal;
use crate::regular::term::{Spelling, Term, TermId, EMPTY, EPSILON, MANY};
use crate::regular::terms::Terms;
use rustc_hash::FxHashMap;
use smallvec::smallvec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// After this many positions, the search settles for a short text instead of the shortest. Chosen without measurement.
const MAX_SHORTEST_POSITIONS: usize = 20_000;

/// Bytes of the longest text that is written out. A longer one raises a limit error.
const MAX_BYTES: u64 = 1 << 22;

/// The weight of the bound in the second search, relative to the length. Chosen without measurement.
const GREEDY_WEIGHT: u64 = 8;

/// A position of the search with the byte and the node that led to it.
struct SearchNode {
    position: PositionId,
    before: u32,
    byte: u8,
    length: u64,
}

/// A step to try next. Ordered by estimated total length, then by progress, then by how readable its byte is.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    total: u64,
    length: Reverse<u64>,
    rank: u8,
    order: u32,
    node: u32,
    byte: u8,
    /// The interval of bytes that this byte stands for.
    span: (u8, u8),
}

/// Budget steps per head and interval of bytes that may come next: about 0.2 µs.
const STEPS_PER_CANDIDATE: u64 = 4;

/// Budget steps per position of the search, for closing, comparing and queueing it: about 2 µs.
const STEPS_PER_POSITION: u64 = 96;

/// Budget steps per byte of the greedy walk, beside those of the position after it.
const STEPS_PER_BYTE: u64 = 4;

/// Candidates per node, about: more where bytes are tried one by one.
const CANDIDATES: usize = 4;
const CANDIDATES_OF_UNIQUE_ITEMS: usize = 24;

impl Machine {
    /// Bytes after which the text may end; None if a special token must come. Errors: a text above `MAX_BYTES`, or
    /// limits of the call.
    pub(crate) fn completion(&mut self, distances: &mut Distances, start: PositionId) -> Result<Option<Vec<u8>>> {
        let position = self.position(start).clone();
        let least = distances.of_position(self, &position)?;
        match least {
            _ if position.accepting => return Ok(Some(Vec::new())),
            NEVER => return Ok(None),
            MAX_BYTES.. => return Err(Error::Limit(Limit::Completion(MAX_BYTES)).into()),
            _ => {}
        }
        if let Some(text) = self.greedy_completion(distances, &position, least)? {
            return Ok(Some(text));
        }
        self.shortest_text(distances, start)
    }

    /// Bytes after which the text may end, searched for; None if there are none.
    pub(crate) fn shortest_text(&mut self, distances: &mut Distances, start: PositionId) -> Result<Option<Vec<u8>>> {
        let found = match self.search_completion(distances, start, 1, MAX_SHORTEST_POSITIONS)? {
            Found::OutOfPatience => self.search_completion(distances, start, GREEDY_WEIGHT, usize::MAX)?,
            found => found,
        };
        Ok(match found {
            Found::Text(text) => Some(text),
            _ => None,
        })
    }

    /// The byte after which the end is nearest, of several the one of lowest `rank`, and the distance after it.
    pub(crate) fn nearest_byte(
        &mut self,
        distances: &mut Distances,
        position: &Position,
        rank: impl Fn(u8) -> u8,
    ) -> Result<Option<(u64, u8)>> {
        let mut best: Option<(u64, u8, u8)> = None;
        self.for_each_candidate(distances, position, &rank, |least, span| {
            if best.is_some_and(|best| best.0 < least) {
                return;
            }
            let byte = most_readable_of(span, &rank);
            if best.is_none_or(|best| (least, rank(byte)) < (best.0, best.1)) {
                best = Some((least, rank(byte), byte));
            }
        })?;
        Ok(best.map(|(least, _, byte)| (least, byte)))
    }

    /// Runs one search and releases its memory from the budget afterwards.
    fn search_completion(
        &mut self,
        distances: &mut Distances,
        start: PositionId,
        weight: u64,
        max_positions: usize,
    ) -> Result<Found> {
        let mut open = BinaryHeap::new();
        let mut nodes = Vec::new();
        let found = self.search_positions(distances, start, weight, max_positions, &mut nodes, &mut open);
        self.arena.terms.budget.release(nodes.len() * self.bytes_per_node());
        found
    }

    /// Whether items of some array must differ.
    fn has_uniques(&self) -> bool {
        !self.arena.registers.uniques.is_empty()
    }

    /// Bytes per node: itself, its entry in the index and its candidates.
    fn bytes_per_node(&self) -> usize {
        let candidates = if self.has_uniques() { CANDIDATES_OF_UNIQUE_ITEMS } else { CANDIDATES };
        size_of::<SearchNode>() + 32 + candidates * size_of::<Candidate>()
    }

    /// The text that takes the byte with the lowest bound at each step; None if some step does not lower the bound.
    fn greedy_completion(
        &mut self,
        distances: &mut Distances,
        start: &Position,
        mut least: u64,
    ) -> Result<Option<Vec<u8>>> {
        if self.has_uniques() {
            return Ok(None);
        }
        let (mut position, mut text) = (start.clone(), Vec::new());
        // A byte takes up to six bytes as an escape. A longer text shows that the bound was too low.
        let most = 8 * least + 1_024;
        while !position.accepting {
            if text.len() as u64 > most {
                return Ok(None);
            }
            self.arena.spend(STEPS_PER_BYTE)?;
            if let Some((next, count)) = self.run(&position, &mut text)? {
                position = next;
                if position.accepting {
                    break;
                }
                let left = distances.of_position(self, &position)?;
                // A key may require other keys (`dependentRequired`), which the bound did not count.
                if left.saturating_add(count) > least {
                    return Ok(None);
                }
                least = left;
                continue;
            }
            let nearest = self.nearest_byte(distances, &position, rank)?;
            let Some((left, byte)) = nearest.filter(|&(left, _)| left < least) else { return Ok(None) };
            position = self.step_uncached(&position.heads, position.register, byte)?;
            text.push(byte);
            least = left;
        }
        Ok(Some(text))
    }

    /// Appends a forced run of bytes in one step. Returns the position after it, and the length of the run without its
    /// escapes, because the bound does not count escapes; None where there is a choice.
    fn run(&mut self, position: &Position, text: &mut Vec<u8>) -> Result<Option<(Position, u64)>> {
        let [(head, frame)] = position.heads[..] else { return Ok(None) };
        if !position.specials.is_empty() || position.needs_replay {
            return Ok(None);
        }
        let (first, behind) = match *self.arena.term(head) {
            Term::Cat(first, behind) => (first, behind),
            _ => (head, EPSILON),
        };
        let (next, count) = match *self.arena.term(first) {
            Term::Quoted { text: inner, state: Spelling::Body, escapes } => {
                let Some((run, after)) = Run::of(&mut self.arena, inner)? else { return Ok(None) };
                // An escaped text may begin in the run and end behind it.
                if escapes.escaped != EMPTY && after != EPSILON {
                    return Ok(None);
                }
                self.arena.spend(run.len() as u64 / 8)?;
                let bytes: Vec<u8> = run.bytes().collect();
                let spelled = self.arena.spellings([&*bytes].into_iter(), escapes)?;
                text.extend(spelled.iter().flat_map(|spelled| &spelled[1..spelled.len() - 1]));
                let rest = self.arena.quoted_state(after, Spelling::Body, escapes)?;
                (self.arena.cat(rest, behind)?, run.len())
            }
            Term::KeyNamed { object, state, low, high, depth } if high - low == 1 => {
                let (spelling, property) = &self.arena.registers.objects[object.index()].sorted[low as usize];
                let (rest, property) = (&spelling[depth as usize..], *property);
                text.extend_from_slice(rest);
                let count = rest.len();
                (self.arena.key_done(object, state, property)?, count)
            }
            _ => {
                let Some((run, after)) = Run::of(&mut self.arena, head)? else { return Ok(None) };
                self.arena.spend(run.len() as u64 / 8)?;
                text.extend(run.bytes());
                (after, run.len())
            }
        };
        let position = self.close_heads(smallvec![(next, frame)], position.register)?;
        Ok(Some((position, count as u64)))
    }

    fn search_positions(
        &mut self,
        distances: &mut Distances,
        start: PositionId,
        weight: u64,
        max_positions: usize,
        nodes: &mut Vec<SearchNode>,
        open: &mut BinaryHeap<Reverse<Candidate>>,
    ) -> Result<Found> {
        nodes.push(SearchNode { position: start, before: 0, byte: 0, length: 0 });
        self.arena.terms.budget.grow(self.bytes_per_node());
        let mut reached: FxHashMap<PositionId, u64> = FxHashMap::default();
        reached.insert(start, 0);
        let mut order = 0;
        self.push_candidates(distances, nodes, 0, weight, open, &mut order)?;
        while let Some(Reverse(next)) = open.pop() {
            let Candidate { node, byte, span: (low, high), total, length, .. } = next;
            self.arena.spend(STEPS_PER_POSITION)?;
            let before = nodes[node as usize].position;
            let position = self.step(before, byte)?;
            if position == DEAD {
                // The byte repeated a key or an item. The other bytes of the interval may be fine.
                for byte in (low..=high).filter(|&other| other != byte) {
                    order += 1;
                    let span = (byte, byte);
                    open.push(Reverse(Candidate { total, length, rank: rank(byte), order, node, byte, span }));
                }
                continue;
            }
            let length = length.0;
            let representative = self.representative(position)?;
            match reached.get_mut(&representative) {
                Some(known) if *known <= length => continue,
                Some(known) => *known = length,
                None => {
                    reached.insert(representative, length);
                }
            }
            nodes.push(SearchNode { position, before: node, byte, length });
            self.arena.terms.budget.grow(self.bytes_per_node());
            let at = nodes.len() as u32 - 1;
            if self.position(position).accepting {
                return Ok(Found::Text(text_of(nodes, at)));
            }
            if nodes.len() > max_positions {
                return Ok(Found::OutOfPatience);
            }
            self.push_candidates(distances, nodes, at, weight, open, &mut order)?;
        }
        Ok(Found::Nothing)
    }

    /// The position with the text of its open key forgotten. Positions that differ in nothing else are searched once.
    fn representative(&mut self, id: PositionId) -> Result<PositionId> {
        let position = self.position(id).clone();
        let mut representative = (*position).clone();
        let mut key = false;
        for (head, _) in &mut representative.heads {
            if let Term::KeyExtra { .. } = self.arena.term(*head) {
                *head = self.arena.forget_text(*head)?;
                key = true;
            }
        }
        if !key {
            return Ok(id);
        }
        representative.heads.sort_unstable();
        Ok(self.intern(representative))
    }

    /// Queues every byte that may come after a node.
    fn push_candidates(
        &mut self,
        distances: &mut Distances,
        nodes: &[SearchNode],
        node: u32,
        weight: u64,
        open: &mut BinaryHeap<Reverse<Candidate>>,
        order: &mut u32,
    ) -> Result<()> {
        let SearchNode { position, length, .. } = nodes[node as usize];
        let position = self.position(position).clone();
        let length = length + 1;
        self.for_each_candidate(distances, &position, rank, |least, span| {
            *order += 1;
            let byte = most_readable_of(span, rank);
            open.push(Reverse(Candidate {
                total: length + weight * least,
                length: Reverse(length),
                rank: rank(byte),
                order: *order,
                node,
                byte,
                span,
            }));
        })?;
        Ok(())
    }

    /// Calls `tell` with the bound and the interval, for each interval of equivalent bytes.
    fn for_each_candidate(
        &mut self,
        distances: &mut Distances,
        position: &Position,
        rank: impl Fn(u8) -> u8,
        mut tell: impl FnMut(u64, (u8, u8)),
    ) -> Result<()> {
        // A head that holds its text distinguishes all bytes; the inner term does not.
        let inner_of = |machine: &Machine, head: TermId| machine.arena.open_key(head).map_or(head, |(inner, _)| inner);
        let mut boundaries = Boundaries::default();
        for &(head, _) in &position.heads {
            let inner = inner_of(self, head);
            boundaries.merge(&self.arena.boundaries(inner));
        }
        let has_uniques = self.has_uniques();
        for (byte, high) in boundaries.intervals(0, u8::MAX) {
            let mut least = NEVER;
            for &(head, frame) in &position.heads {
                self.arena.spend(STEPS_PER_CANDIDATE)?;
                let inner = inner_of(self, head);
                let next = self.arena.derive(inner, byte)?;
                if next != EMPTY {
                    least = least.min(distances.after(self, head, inner, next, frame)?);
                }
            }
            if least < NEVER {
                tell(least, (byte, high));
                if has_uniques {
                    let readable = most_readable_of((byte, high), &rank);
                    let others = (byte..=high).filter(|&other| other != readable && ends_an_item(other));
                    others.for_each(|other| tell(least, (other, other)));
                }
            }
        }
        Ok(())
    }
}

/// Bytes that come one after another.
enum Run {
    Spelled(Arc<Literal>, usize),
    /// A prefix that sorted words share: the words, the first word, its offset and the length.
    Shared(Arc<[Box<[u8]>]>, usize, usize, usize),
    Repeated(u8, u32),
}

impl Run {
    /// The bytes that a regular term forces next and the term after them. For counted characters: the required ones,
    /// each the most readable.
    fn of(terms: &mut Terms, id: TermId) -> Result<Option<(Run, TermId)>> {
        Ok(match *terms.term(id) {
            Term::Literal { literal, position } => {
                Some((Run::Spelled(terms.literals[literal.index()].clone(), position as usize), EPSILON))
            }
            Term::Words { set, low, high, depth } => {
                let words = terms.word_sets[set.index()].words.clone();
                let count = common_prefix(&words[low as usize..high as usize], depth as usize);
                if count < 2 {
                    return Ok(None);
                }
                let after = terms.words_rest(set, low, high, depth + count as u32)?;
                Some((Run::Shared(words, low as usize, depth as usize, count), after))
            }
            Term::Bounded { body, min: min @ 2.., max } if terms.info(body).nullable => {
                let Some(byte) = most_readable(terms, body, |body, next| body == next)? else { return Ok(None) };
                let max = if max == MANY { MANY } else { max - min };
                Some((Run::Repeated(byte, min), terms.bounded(body, 0, max)?))
            }
            Term::Repeat { body, min: min @ 2.., max } => {
                let Some(byte) = most_readable(terms, body, |_, next| next == EPSILON)? else { return Ok(None) };
                let max = if max == MANY { MANY } else { max - min };
                Some((Run::Repeated(byte, min), terms.repeat(body, 0, max)?))
            }
            Term::Cat(left, right) => match Run::of(terms, left)? {
                Some((run, after)) => Some((run, terms.cat(after, right)?)),
                None => None,
            },
            _ => None,
        })
    }

    fn len(&self) -> usize {
        match self {
            Run::Spelled(text, from) => text.len() - from,
            Run::Shared(_, _, _, count) => *count,
            Run::Repeated(_, count) => *count as usize,
        }
    }

    fn bytes(&self) -> impl Iterator<Item = u8> + '_ {
        (0..self.len()).map(|at| match self {
            Run::Spelled(text, from) => text[from + at],
            Run::Shared(words, word, from, _) => words[*word][from + at],
            Run::Repeated(byte, _) => *byte,
        })
    }
}

/// The most readable ASCII byte that leads from a term to a target which `is_target` accepts.
fn most_readable(terms: &mut Terms, id: TermId, is_target: impl Fn(TermId, TermId) -> bool) -> Result<Option<u8>> {
    let moves = terms.byte_transitions(id)?;
    let leading = moves.iter().filter(|&&(_, _, next)| is_target(id, next));
    let bytes = leading.flat_map(|&(low, high, _)| low..=high).filter(|&byte| byte < 0x80 && is_unescaped(byte));
    Ok(bytes.min_by_key(|&byte| rank(byte)))
}

/// The number of bytes that sorted words share from an offset on.
fn common_prefix(words: &[Box<[u8]>], from: usize) -> usize {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return 0 };
    first[from..].iter().zip(&last[from..]).take_while(|(one, other)| one == other).count()
}

enum Found {
    Text(Vec<u8>),
    Nothing,
    /// The search visited `max_positions` without reaching an end.
    OutOfPatience,
}

/// Bytes that are tried one by one in a grammar with unique items: two of them may end different items, although no
/// head tells them apart.
fn ends_an_item(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'j')
}

/// The byte of lowest `rank` in an interval.
fn most_readable_of((low, high): (u8, u8), rank: impl Fn(u8) -> u8) -> u8 {
    (low..=high).min_by_key(|&byte| rank(byte)).unwrap_or(low)
}

/// How readable a byte is; lower comes first, 4 last.
pub(crate) fn rank(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        0x20..=0x7e => 3,
        _ => 4,
    }
}

fn text_of(nodes: &[SearchNode], mut at: u32) -> Vec<u8> {
    let mut text = Vec::new();
    while at != 0 {
        let node = &nodes[at as usize];
        text.push(node.byte);
        at = node.before;
    }
    text.reverse();
    text
}

#[cfg(test)]
mod tests;
