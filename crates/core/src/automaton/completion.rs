//! Position → the shortest bytes that end the text.
//!
//! The bytes are those of a shortest path, on which runs of bytes without a choice are one step. Long texts then take
//! few positions.

use crate::automaton::distance::{Distances, NEVER};
use crate::automaton::machine::Machine;
use crate::automaton::position::PositionId;
use crate::automaton::shortest_path::{most_readable, Guide, Step};
use crate::bytes::byteset::ByteSet;
use crate::bytes::utf8::UNESCAPED_ASCII;
use crate::error::{Error, Limit, Result};
use crate::regular::literal::Literal;
use crate::regular::term::{Spelling, Term, TermId, EMPTY, EPSILON, MANY};
use crate::regular::terms::Terms;
use smallvec::smallvec;
use std::sync::Arc;

/// Bytes of the longest text that is written out. A longer one raises a limit error.
const MAX_BYTES: u64 = 1 << 22;

/// Runs of bytes as jumps, and no known paths.
struct Runs;

impl Guide for Runs {
    fn preferred(&self) -> &ByteSet {
        &ByteSet::FULL
    }

    fn jump(&self, machine: &mut Machine, position: PositionId) -> Result<Option<(PositionId, u64)>> {
        Ok(machine.run(position)?.map(|(text, next)| (next, text.len() as u64)))
    }

    fn is_known(&self, _: PositionId) -> bool {
        false
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
        let Some((path, _)) = self.shortest_path(distances, start, &Runs)? else { return Ok(None) };
        let mut text = Vec::new();
        for (position, step) in path {
            match step {
                Step::Byte(byte) => text.push(byte),
                Step::Jump(_) => text.extend(self.run(position)?.into_iter().flat_map(|(run, _)| run)),
                Step::Special(_) => return Ok(None),
            }
        }
        Ok(Some(text))
    }

    /// Bytes that come next without a choice, and the position after them; None where there is a choice.
    fn run(&mut self, id: PositionId) -> Result<Option<(Vec<u8>, PositionId)>> {
        let position = self.position(id).clone();
        let Some(head) = position.only_head().filter(|_| !self.has_uniques()) else { return Ok(None) };
        let (first, behind) = match *self.arena.term(head) {
            Term::Cat(first, behind) => (first, behind),
            _ => (head, EPSILON),
        };
        let (text, next) = match *self.arena.term(first) {
            Term::Quoted { text: inner, state: Spelling::Body, escapes } => {
                let Some((run, after)) = Run::of(&mut self.arena, inner)? else { return Ok(None) };
                // An escaped text may begin in the run and end behind it.
                if escapes.escaped != EMPTY && after != EPSILON {
                    return Ok(None);
                }
                self.arena.spend(run.len() as u64 / 8)?;
                let bytes: Vec<u8> = run.bytes().collect();
                let spelled = self.arena.spellings([&*bytes].into_iter(), escapes)?;
                let text = spelled.iter().flat_map(|spelled| &spelled[1..spelled.len() - 1]).copied().collect();
                let rest = self.arena.quoted_state(after, Spelling::Body, escapes)?;
                (text, self.arena.cat(rest, behind)?)
            }
            Term::KeyNamed { object, state, low, high, depth } if high - low == 1 => {
                let (spelling, property) = &self.arena.registers.objects[object.index()].sorted[low as usize];
                let (text, property) = (spelling[depth as usize..].to_vec(), *property);
                (text, self.arena.key_done(object, state, property)?)
            }
            _ => {
                let Some((run, after)) = Run::of(&mut self.arena, head)? else { return Ok(None) };
                self.arena.spend(run.len() as u64 / 8)?;
                (run.bytes().collect(), after)
            }
        };
        let next = self.close_heads(smallvec![(next, position.heads[0].1)], position.register)?;
        Ok(Some((text, self.intern(next))))
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
                let Some(byte) = byte_to(terms, body, |body, next| body == next)? else { return Ok(None) };
                let max = if max == MANY { MANY } else { max - min };
                Some((Run::Repeated(byte, min), terms.bounded(body, 0, max)?))
            }
            Term::Repeat { body, min: min @ 2.., max } => {
                let Some(byte) = byte_to(terms, body, |_, next| next == EPSILON)? else { return Ok(None) };
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
fn byte_to(terms: &mut Terms, id: TermId, is_target: impl Fn(TermId, TermId) -> bool) -> Result<Option<u8>> {
    let moves = terms.byte_transitions(id)?;
    let leading = moves.iter().filter(|&&(_, _, next)| is_target(id, next));
    let bytes = leading.fold(ByteSet::EMPTY, |all, &(low, high, _)| all.union(&ByteSet::range(low, high)));
    Ok(most_readable(&bytes.intersection(&UNESCAPED_ASCII)).map(|(_, byte)| byte))
}

/// The number of bytes that sorted words share from an offset on.
fn common_prefix(words: &[Box<[u8]>], from: usize) -> usize {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return 0 };
    first[from..].iter().zip(&last[from..]).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests;
