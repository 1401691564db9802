//! Parts of a text beside an assertion about one character → the parts that satisfy it.

use super::piece::{Edge, Item, Piece};
use super::placement::{Placement, Stop};
use super::plain;
use crate::char_set::CharSet;
use crate::measure::Measure;
use frisket_core::error::Result;
use frisket_core::regular::term::EPSILON;

/// An assertion that the nearest character is in `ranges` or, if `at_edge`, that there is none.
#[derive(Clone, Copy)]
pub(super) struct Neighbour<'a> {
    pub ranges: &'a CharSet,
    pub at_edge: bool,
    /// The text beyond all items.
    pub edge: Edge,
    /// Whether the items come after the assertion.
    pub ahead: bool,
    pub at: usize,
}

impl<'t> Placement<'_, 't> {
    /// The alternatives of `items`, nearest first, whose nearest character satisfies the assertion.
    pub(super) fn narrow(
        &mut self,
        items: &[Item<'t>],
        wanted: Neighbour,
    ) -> std::result::Result<Vec<Vec<Item<'t>>>, Stop> {
        if wanted.ranges.is_empty() {
            if !wanted.at_edge {
                return Ok(Vec::new());
            }
            if wanted.edge == Edge::Unknown {
                return Err(Stop::Unplaced(wanted.at));
            }
            let is_beside_text = items.iter().any(Item::is_solid);
            let rest = || items.iter().filter(|item| !item.is_piece()).cloned().collect();
            return Ok(if is_beside_text { Vec::new() } else { vec![rest()] });
        }
        let near = items.iter().take_while(|item| item.is_piece()).count();
        let near = items[..near].iter().position(Item::is_solid).map_or(near, |solid| solid + 1);
        let (near, rest) = items.split_at(near);
        let is_solid = near.last().is_some_and(Item::is_solid);
        let is_all = !is_solid && rest.is_empty();
        if is_all && wanted.edge == Edge::Unknown {
            return Err(Stop::Unplaced(wanted.at));
        }
        let near: Vec<Piece> = near.iter().filter_map(Item::piece).cloned().collect();
        let filled = self.nearest(&near, wanted)?;
        let with_rest = |piece| std::iter::once(Item::Piece(piece)).chain(rest.iter().cloned()).collect();
        if is_solid {
            return Ok(filled.map(with_rest).into_iter().collect());
        }
        if is_all {
            return Ok(match filled {
                None if wanted.at_edge => vec![Vec::new()],
                None => Vec::new(),
                Some(piece) if !wanted.at_edge => vec![vec![Item::Piece(piece)]],
                Some(piece) => {
                    let node = self.builder.alt(&[EPSILON.number(), piece.node.number()])?;
                    vec![vec![Item::Piece(Piece::new(node, Measure { low: 0, ..piece.size }))]]
                }
            });
        }
        // All near pieces may be empty, and another assertion stands before the piece that decides.
        let skipped = rest.iter().position(Item::is_piece).unwrap_or(rest.len());
        let (skipped, beyond) = rest.split_at(skipped);
        let beyond = self.narrow(beyond, wanted)?.into_iter().map(|part| [skipped, &part].concat());
        Ok(filled.map(with_rest).into_iter().chain(beyond).collect())
    }

    /// The texts of pieces, nearest first, whose nearest character is wanted. It is that of the first piece or, if this
    /// is empty, of the second, and so on.
    fn nearest(&mut self, near: &[Piece<'t>], wanted: Neighbour) -> Result<Option<Piece<'t>>> {
        let mut ways = Vec::new();
        for (index, piece) in near.iter().enumerate() {
            if let Some(filled) = self.filled(piece, wanted)? {
                let mut pieces = vec![filled];
                pieces.extend_from_slice(&near[index + 1..]);
                if !wanted.ahead {
                    pieces.reverse();
                }
                ways.push(self.join(pieces)?);
            }
        }
        if ways.is_empty() {
            Ok(None)
        } else {
            self.either(ways).map(Some)
        }
    }

    /// The texts of a piece whose first (last) character is wanted; None if there are none.
    fn filled(&mut self, piece: &Piece<'t>, wanted: Neighbour) -> Result<Option<Piece<'t>>> {
        let ends = if wanted.ahead { &piece.size.first } else { &piece.size.last };
        let shared = ends.intersection(wanted.ranges);
        if shared.is_empty() {
            return Ok(None);
        }
        if shared == *ends && piece.size.low > 0 {
            return Ok(Some(piece.clone()));
        }
        let builder = &mut *self.builder;
        let char = plain::chars(builder, &shared)?.number();
        let mut size = Measure { low: piece.size.low.max(1), ..piece.size.clone() };
        *(if wanted.ahead { &mut size.first } else { &mut size.last }) = shared;
        let around = |rest| if wanted.ahead { [char, rest] } else { [rest, char] };
        let node = if let Some((item, low, high)) = piece.run {
            let item = plain::lower(builder, item)?;
            let rest = builder.repeat(item.number(), low.saturating_sub(1), high.map(|high| high - 1))?;
            builder.cat(&around(rest.number()))?
        } else {
            let any = builder.any_text()?;
            let texts = builder.cat(&around(any.number()))?;
            if piece.is_anything {
                texts
            } else {
                builder.and(&[piece.node.number(), texts.number()])?
            }
        };
        Ok(Some(Piece::new(node, size)))
    }
}
