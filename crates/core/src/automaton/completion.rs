//! Position → the shortest bytes that end the text.
//!
//! The bytes are those of a shortest path, on which runs of bytes without a choice are one step. Long texts then take
//! few positions.

use crate::automaton::distance::{Distances, NEVER};
use crate::automaton::machine::Machine;
use crate::automaton::position::{Position, PositionId};
use crate::automaton::shortest_path::{most_readable, Guide, PathStep, Step};
use crate::bytes::byteset::ByteSet;
use crate::bytes::utf8::UNESCAPED_ASCII;
use crate::error::{Error, Limit, Result};
use crate::regular::term::{Spelling, Term, TermId, EMPTY, EPSILON, MANY};
use crate::regular::terms::Terms;
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// Bytes of the longest text that is written out. A longer one raises a limit error.
const MAX_BYTES: u64 = 1 << 22;

/// Steps of the budget per run of bytes, beside those of its bytes.
const STEPS_PER_RUN: u64 = 16;

/// Characters of a counted run; more are no part of a text that is written out.
const MAX_RUN: u32 = MAX_BYTES as u32;

/// The runs of bytes at which a search jumps, by the position before them.
#[derive(Default)]
struct Runs {
    texts: FxHashMap<PositionId, Vec<u8>>,
}

impl Guide for Runs {
    fn preferred(&self) -> &ByteSet {
        &ByteSet::FULL
    }

    fn jump(&mut self, machine: &mut Machine, position: PositionId) -> Result<Option<(PositionId, u64)>> {
        let mut text = Vec::new();
        let mut at = Position::clone(machine.position(position));
        while !at.accepting && !machine.has_uniques() {
            let Some((run, next)) = machine.run(&at)? else { break };
            machine.arena.spend(STEPS_PER_RUN + run.len() as u64 / 8)?;
            text.extend(run);
            at = next;
        }
        if text.is_empty() {
            return Ok(None);
        }
        let (next, bytes) = (machine.intern(at), text.len() as u64);
        self.texts.insert(position, text);
        Ok(Some((next, bytes)))
    }

    fn known_bytes(&self, _: PositionId) -> Option<u64> {
        None
    }
}

impl Machine {
    /// Bytes after which the text may end; None if a special token must come. Errors: a text above `MAX_BYTES`, or
    /// limits of the call.
    pub(crate) fn completion(&mut self, distances: &mut Distances, start: PositionId) -> Result<Option<Vec<u8>>> {
        let position = self.position(start).clone();
        match distances.of_position(self, &position)? {
            NEVER => return Ok(None),
            MAX_BYTES.. => return Err(Error::Limit(Limit::Completion(MAX_BYTES)).into()),
            _ => {}
        }
        let mut runs = Runs::default();
        let Some((path, _)) = self.shortest_path(distances, start, &mut runs)? else { return Ok(None) };
        let mut text = Vec::new();
        for PathStep { position, step, .. } in path {
            match step {
                Step::Byte(byte) => text.push(byte),
                Step::Jump(_) => text.extend(&runs.texts[&position]),
                Step::Special(_) => return Ok(None),
            }
        }
        Ok(Some(text))
    }

    /// Bytes that come next without a choice and the position after them; None where there is a choice.
    fn run(&mut self, position: &Position) -> Result<Option<(Vec<u8>, Position)>> {
        let Some(head) = position.only_head() else { return Ok(None) };
        let (first, behind) = match *self.arena.term(head) {
            Term::Cat(first, behind) => (first, behind),
            _ => (head, EPSILON),
        };
        let run = match *self.arena.term(first) {
            Term::Quoted { text: inner, state: Spelling::Body, escapes } => match run_of(&mut self.arena, inner)? {
                // An escaped text may begin in the run and end behind it.
                Some((run, after)) if escapes.escaped == EMPTY || after == EPSILON => {
                    let spelled = self.arena.spellings([&*run].into_iter(), escapes)?;
                    let text = spelled.iter().flat_map(|spelled| &spelled[1..spelled.len() - 1]).copied().collect();
                    let rest = self.arena.quoted_state(after, Spelling::Body, escapes)?;
                    Some((text, self.arena.cat(rest, behind)?))
                }
                _ => None,
            },
            Term::KeyNamed { object, state, low, high, depth } if high - low == 1 => {
                let (spelling, property) = &self.arena.registers.objects[object.index()].sorted[low as usize];
                let (text, property) = (spelling[depth as usize..].to_vec(), *property);
                Some((text, self.arena.key_done(object, state, property)?))
            }
            _ => run_of(&mut self.arena, head)?,
        };
        let (text, next) = match (run, self.arena.first_bytes(head).single()) {
            (Some(run), _) => run,
            (None, Some(byte)) => (vec![byte], self.arena.derive(head, byte)?),
            (None, None) => return Ok(None),
        };
        if next == EMPTY {
            return Ok(None);
        }
        let next = self.close_heads(smallvec![(next, position.heads[0].1)], position.register)?;
        Ok(Some((text, next)))
    }
}

/// The bytes that a regular term forces next and the term after them. For counted characters: the required ones, each
/// the most readable.
fn run_of(terms: &mut Terms, id: TermId) -> Result<Option<(Vec<u8>, TermId)>> {
    Ok(match *terms.term(id) {
        Term::Literal { literal, position } => {
            let text = terms.literals[literal.index()][position as usize..].to_vec();
            Some((text, EPSILON))
        }
        Term::Words { set, low, high, depth } => {
            let words = terms.word_sets[set.index()].words.clone();
            let words = &words[low as usize..high as usize];
            let count = common_prefix(words, depth as usize);
            if count < 2 {
                return Ok(None);
            }
            let after = terms.words_rest(set, low, high, depth + count as u32)?;
            Some((words[0][depth as usize..][..count].to_vec(), after))
        }
        Term::Bounded { body, min: min @ 2..MAX_RUN, max } if terms.info(body).nullable => {
            let Some(byte) = byte_to(terms, body, |body, next| body == next)? else { return Ok(None) };
            let max = if max == MANY { MANY } else { max - min };
            Some((vec![byte; min as usize], terms.bounded(body, 0, max)?))
        }
        Term::Repeat { body, min: min @ 2..MAX_RUN, max } => {
            let text = match run_of(terms, body)? {
                Some((text, EPSILON)) if text.len() as u64 * u64::from(min) < MAX_BYTES => text,
                _ => match byte_to(terms, body, |_, next| next == EPSILON)? {
                    Some(byte) => vec![byte],
                    None => return Ok(None),
                },
            };
            let max = if max == MANY { MANY } else { max - min };
            Some((text.repeat(min as usize), terms.repeat(body, 0, max)?))
        }
        Term::Cat(left, right) => match run_of(terms, left)? {
            Some((run, after)) => Some((run, terms.cat(after, right)?)),
            None => None,
        },
        _ => None,
    })
}

/// The most readable ASCII byte that leads from a term to a target which `is_target` accepts.
fn byte_to(terms: &mut Terms, id: TermId, is_target: impl Fn(TermId, TermId) -> bool) -> Result<Option<u8>> {
    let moves = terms.byte_transitions(id)?;
    let leading = moves.iter().filter(|&&(_, _, next)| is_target(id, next));
    let bytes = leading.fold(ByteSet::EMPTY, |all, &(low, high, _)| all.union(&ByteSet::range(low, high)));
    Ok(most_readable((0, u8::MAX), &bytes.intersection(&UNESCAPED_ASCII)).map(|(_, byte)| byte))
}

/// The number of bytes that sorted words share from an offset on.
fn common_prefix(words: &[Box<[u8]>], from: usize) -> usize {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return 0 };
    first[from..].iter().zip(&last[from..]).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests;
