//! Parts of a text as nodes → their concatenation, union, repetition, intersection.

use super::placement::Placement;
use crate::char_set::CharSet;
use crate::measure::Measure;
use crate::tree::Node;
use frisket_core::error::Result;
use frisket_core::regular::term::{TermId, EMPTY, EPSILON};

/// A part of the text. The least length of `size` is 0 exactly if the part may be empty.
#[derive(Clone)]
pub(super) struct Piece<'t> {
    pub node: TermId,
    pub size: Measure,
    /// Whether it is any text at all.
    pub is_anything: bool,
    /// Set if the part is a run of characters of one set: the set's tree, the least and the greatest count.
    pub run: Option<(&'t Node, u32, Option<u32>)>,
}

/// A part of the text, or an assertion between two parts.
#[derive(Clone)]
pub(super) enum Item<'t> {
    Piece(Piece<'t>),
    Before { ranges: CharSet, edge: bool, at: usize },
    After { ranges: CharSet, edge: bool, at: usize },
    Look(Look<'t>),
    FinalNewline { at: usize },
}

/// A lookahead or lookbehind at more than one character.
#[derive(Clone, Copy)]
pub(super) struct Look<'t> {
    pub item: &'t Node,
    pub ahead: bool,
    pub negative: bool,
    pub at: usize,
}

impl<'t> Item<'t> {
    pub fn piece(&self) -> Option<&Piece<'t>> {
        match self {
            Item::Piece(piece) => Some(piece),
            _ => None,
        }
    }

    pub fn is_piece(&self) -> bool {
        self.piece().is_some()
    }

    /// Whether it is a part that is never empty.
    pub fn is_solid(&self) -> bool {
        self.piece().is_some_and(|piece| piece.size.low > 0)
    }
}

/// The text beyond the parts on one side.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    /// The text begins or ends there.
    Text,
    /// There may be more text.
    Unknown,
}

impl<'t> Piece<'t> {
    pub fn new(node: TermId, size: Measure) -> Self {
        Piece { node, size, is_anything: false, run: None }
    }
}

impl<'t> Placement<'_, 't> {
    pub(super) fn anything(&mut self) -> Result<Piece<'t>> {
        let all = CharSet::all();
        let size = Measure { low: 0, high: None, first: all.clone(), last: all };
        Ok(Piece { is_anything: true, ..Piece::new(self.builder.any_text()?, size) })
    }

    pub(super) fn repeated(&mut self, piece: Piece<'t>, low: u32, high: Option<u32>) -> Result<Piece<'t>> {
        let node = self.builder.repeat(piece.node.number(), low, high)?;
        Ok(Piece::new(node, piece.size.repeated(low, high)))
    }

    pub(super) fn either(&mut self, mut pieces: Vec<Piece<'t>>) -> Result<Piece<'t>> {
        if pieces.is_empty() {
            return Ok(Piece::new(EMPTY, Measure::nothing()));
        }
        if pieces.len() == 1 {
            return Ok(pieces.remove(0));
        }
        let node = self.builder.alt(&numbers(&pieces))?;
        Ok(Piece::new(node, Measure::union(&sizes(pieces))))
    }

    pub(super) fn join(&mut self, mut pieces: Vec<Piece<'t>>) -> Result<Piece<'t>> {
        if pieces.is_empty() {
            return Ok(Piece::new(EPSILON, Measure::empty()));
        }
        if pieces.len() == 1 {
            return Ok(pieces.remove(0));
        }
        let node = self.builder.cat(&numbers(&pieces))?;
        Ok(Piece::new(node, Measure::concatenation(&sizes(pieces))))
    }

    /// The texts of a piece that are in a language, or not in it if `negative`.
    pub(super) fn constrained(&mut self, piece: Piece<'t>, language: TermId, negative: bool) -> Result<Piece<'t>> {
        let wanted = if negative { self.builder.not(language.number())? } else { language };
        let node = match piece.is_anything && !negative {
            true => wanted,
            false => self.builder.and(&[piece.node.number(), wanted.number()])?,
        };
        self.checked(node, piece.size)
    }

    /// A piece whose least length is 0 only if it may be empty.
    pub(super) fn checked(&mut self, node: TermId, mut size: Measure) -> Result<Piece<'t>> {
        if size.low == 0 && !self.builder.accepts(node.number(), b"")? {
            size.low = 1;
        }
        Ok(Piece::new(node, size))
    }
}

fn numbers(pieces: &[Piece]) -> Vec<u32> {
    pieces.iter().map(|piece| piece.node.number()).collect()
}

fn sizes(pieces: Vec<Piece>) -> Vec<Measure> {
    pieces.into_iter().map(|piece| piece.size).collect()
}
