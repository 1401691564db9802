//! Tree → a program of places, each with the places after it.

use super::{Halt, Result, Scope};
use crate::char_set::CharSet;
use crate::tree::{neighbour, Node, Side};
use crate::unicode::class::NEWLINE;

const MOST_PLACES: usize = 600;
const DEEPEST_LOOK: usize = 3;

/// An action, and the places after it.
pub(super) enum Place {
    /// Matches at the end of the text; for a lookbehind, at the position that is asked about.
    End,
    /// Matches whatever follows.
    Accept,
    Char {
        ranges: CharSet,
        next: usize,
    },
    Fork(Vec<usize>),
    /// Holds where the neighbour is in `ranges`, or where there is none if `edge`.
    Neighbour {
        ranges: CharSet,
        edge: bool,
        ahead: bool,
        next: usize,
    },
    /// Begins a lookahead, which runs beside the rest.
    Ahead {
        start: usize,
        negative: bool,
        next: usize,
    },
    /// Asks whether a lookbehind, which has run from the start of the text, holds here.
    Behind {
        tracker: usize,
        negative: bool,
        next: usize,
    },
}

/// A pattern as places.
pub(super) struct Program {
    pub places: Vec<Place>,
    /// The place where each lookbehind begins.
    pub trackers: Vec<usize>,
    pub start: usize,
    /// Whether more text may stand on both sides.
    pub is_part: bool,
}

/// The direction of the lookaround around a place, if there is one.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Nothing,
    Ahead,
    Behind,
}

struct Compiler {
    places: Vec<Place>,
    trackers: Vec<usize>,
    inside: Inside,
    depth: usize,
    is_part: bool,
}

impl Program {
    pub fn new(tree: &Node, scope: Scope) -> Result<Self> {
        let (search, is_part) = (scope == Scope::Search, scope == Scope::Part);
        let mut compiler =
            Compiler { places: Vec::new(), trackers: Vec::new(), inside: Inside::Nothing, depth: 0, is_part };
        let end = compiler.add(if search { Place::Accept } else { Place::End })?;
        let mut start = compiler.compile(tree, end)?;
        if search {
            start = compiler.any_before(start)?;
        }
        // The place that `accept` returns.
        compiler.places.push(Place::Accept);
        Ok(Program { places: compiler.places, trackers: compiler.trackers, start, is_part })
    }

    /// A place that matches whatever follows.
    pub fn accept(&self) -> usize {
        self.places.len() - 1
    }
}

impl Compiler {
    fn add(&mut self, place: Place) -> Result<usize> {
        if self.places.len() >= MOST_PLACES {
            return Err(Halt::TooLarge);
        }
        self.places.push(place);
        Ok(self.places.len() - 1)
    }

    /// A fork to one place; `close_loop` adds a body that comes back to the fork.
    fn loop_to(&mut self, then: usize) -> Result<usize> {
        self.add(Place::Fork(vec![then]))
    }

    fn close_loop(&mut self, fork: usize, body: usize) {
        if let Place::Fork(next) = &mut self.places[fork] {
            next.push(body);
        }
    }

    fn any_before(&mut self, start: usize) -> Result<usize> {
        let fork = self.loop_to(start)?;
        let body = self.add(Place::Char { ranges: CharSet::all(), next: fork })?;
        self.close_loop(fork, body);
        Ok(fork)
    }

    /// The place from which the tree, followed by `then`, is matched.
    fn compile(&mut self, node: &Node, mut then: usize) -> Result<usize> {
        match node {
            Node::Text(text) => {
                for char in text.chars().rev() {
                    then = self.add(Place::Char { ranges: CharSet::one(char as u32), next: then })?;
                }
                Ok(then)
            }
            Node::Chars(ranges) => self.add(Place::Char { ranges: ranges.clone(), next: then }),
            Node::Seq(items) => items.iter().rev().try_fold(then, |then, item| self.compile(item, then)),
            Node::Alt(items) => {
                let starts = items.iter().map(|item| self.compile(item, then)).collect::<Result<_>>()?;
                self.add(Place::Fork(starts))
            }
            Node::Repeat { item, low, high, .. } => self.repeat(item, *low, *high, then),
            Node::Before { ranges, edge, .. } => self.neighbour((ranges.clone(), *edge), false, then),
            Node::After { ranges, edge, .. } => self.neighbour((ranges.clone(), *edge), true, then),
            Node::Boundary { sides, .. } => self.boundary(sides, then),
            Node::FinalNewline { .. } => {
                if self.is_part || self.inside == Inside::Behind {
                    return Err(Halt::TooLarge);
                }
                let end = self.add(Place::End)?;
                let newline = self.add(Place::Char { ranges: CharSet::of(NEWLINE), next: end })?;
                let end = self.add(Place::End)?;
                let start = self.add(Place::Fork(vec![end, newline]))?;
                self.add(Place::Ahead { start, negative: false, next: then })
            }
            Node::Look { item, ahead, negative, .. } => self.look(item, *ahead, *negative, then),
        }
    }

    fn repeat(&mut self, item: &Node, low: u32, high: Option<u32>, mut then: usize) -> Result<usize> {
        if low.max(high.unwrap_or(0)) as usize > MOST_PLACES {
            return Err(Halt::TooLarge);
        }
        match high {
            None => {
                let fork = self.loop_to(then)?;
                let body = self.compile(item, fork)?;
                self.close_loop(fork, body);
                then = fork;
            }
            Some(high) => {
                let end = then;
                for _ in low..high {
                    let body = self.compile(item, then)?;
                    then = self.add(Place::Fork(vec![end, body]))?;
                }
            }
        }
        for _ in 0..low {
            then = self.compile(item, then)?;
        }
        Ok(then)
    }

    fn boundary(&mut self, sides: &[[Side; 2]], then: usize) -> Result<usize> {
        let mut starts = Vec::with_capacity(sides.len());
        for [before, after] in sides {
            let next = self.neighbour(after.clone(), true, then)?;
            starts.push(self.neighbour(before.clone(), false, next)?);
        }
        self.add(Place::Fork(starts))
    }

    fn neighbour(&mut self, (ranges, edge): Side, ahead: bool, next: usize) -> Result<usize> {
        self.add(Place::Neighbour { ranges, edge, ahead, next })
    }

    fn look(&mut self, item: &Node, ahead: bool, negative: bool, next: usize) -> Result<usize> {
        if let Some(side) = neighbour(item, ahead, negative) {
            return self.neighbour(side, ahead, next);
        }
        let outer = self.inside;
        if if ahead { outer == Inside::Behind || self.depth == DEEPEST_LOOK } else { self.is_part } {
            return Err(Halt::TooLarge);
        }
        if ahead {
            self.inside = Inside::Ahead;
            self.depth += 1;
            let accept = self.add(Place::Accept)?;
            let start = self.compile(item, accept)?;
            self.depth -= 1;
            self.inside = outer;
            return self.add(Place::Ahead { start, negative, next });
        }
        self.inside = Inside::Behind;
        let end = self.add(Place::End)?;
        let start = self.compile(item, end)?;
        let start = self.any_before(start)?;
        self.inside = outer;
        self.trackers.push(start);
        self.add(Place::Behind { tracker: self.trackers.len() - 1, negative, next })
    }
}
