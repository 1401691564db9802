//! Lookaheads and lookbehinds among parts of a text → intersections of the parts that they look at.

use super::piece::{Edge, Item, Look, Piece};
use super::placement::{Placement, Stop};
use std::rc::Rc;
use std::slice::from_ref;

type Result<T> = std::result::Result<T, Stop>;

impl<'t> Placement<'_, 't> {
    /// Turns lookbehinds, left to right, and then lookaheads, right to left, into constraints on pieces; returns the
    /// pieces.
    pub(super) fn place_looks(&mut self, mut items: Vec<Item<'t>>, left: Edge, right: Edge) -> Result<Vec<Piece<'t>>> {
        while let Some((index, look)) = items.iter().enumerate().find_map(|(index, item)| match item {
            Item::Look(look) if !look.ahead => Some((index, *look)),
            _ => None,
        }) {
            items = self.place_behind(&items[..index], look, &items[index + 1..], left, right)?;
        }
        while let Some(index) = items.iter().rposition(|item| !item.is_piece()) {
            let tail: Vec<Piece> = items[index + 1..].iter().filter_map(Item::piece).cloned().collect();
            let assertion = items[index].clone();
            items.truncate(index);
            let placed = match assertion {
                Item::FinalNewline { at } => self.before_final_newline(tail, right, at)?,
                Item::Look(look) => {
                    let is_at_start = left == Edge::Text && !items.iter().any(Item::is_piece);
                    self.place_ahead(tail, look, right, is_at_start)?
                }
                // Unreachable: assertions about a neighbour are placed before.
                Item::Before { at, .. } | Item::After { at, .. } => return Err(Stop::Unplaced(at)),
                Item::Piece(piece) => vec![piece],
            };
            items.extend(placed.into_iter().map(Item::Piece));
        }
        Ok(items.iter().filter_map(Item::piece).cloned().collect())
    }

    fn before_final_newline(&mut self, tail: Vec<Piece<'t>>, right: Edge, at: usize) -> Result<Vec<Piece<'t>>> {
        if right == Edge::Unknown {
            return Err(Stop::Unplaced(at));
        }
        if tail.is_empty() {
            return Ok(Vec::new());
        }
        let piece = self.join(tail)?;
        let newline = self.builder.literal(b"\n")?;
        let newline = self.builder.repeat(newline.number(), 0, Some(1))?;
        Ok(vec![self.constrained(piece, newline, false)?])
    }

    fn place_ahead(
        &mut self,
        tail: Vec<Piece<'t>>,
        look: Look<'t>,
        right: Edge,
        is_at_start: bool,
    ) -> Result<Vec<Piece<'t>>> {
        let width = look.item.measure().high;
        if let Some(count) = enough(tail.iter(), width) {
            if let Some(body) = self.local(look.item)? {
                let any = self.builder.any_text()?;
                let wanted = self.builder.cat(&[body.node.number(), any.number()])?;
                let near = self.join(tail[..count].to_vec())?;
                let mut placed = vec![self.constrained(near, wanted, look.negative)?];
                placed.extend_from_slice(&tail[count..]);
                return Ok(placed);
            }
        }
        if right == Edge::Unknown {
            return Err(Stop::Unplaced(look.at));
        }
        let anything = Item::Piece(self.anything()?);
        let body = self.alternatives(look.item)?;
        let body: Vec<_> = body.iter().map(|items| [&items[..], from_ref(&anything)].concat()).collect();
        let left = if is_at_start { Edge::Text } else { Edge::Unknown };
        let language = self.resolve(&body, left, Edge::Text)?;
        let near = self.join(tail)?;
        Ok(vec![self.constrained(near, language.node, look.negative)?])
    }

    fn place_behind(
        &mut self,
        head: &[Item<'t>],
        look: Look<'t>,
        tail: &[Item<'t>],
        left: Edge,
        right: Edge,
    ) -> Result<Vec<Item<'t>>> {
        let free = head.iter().rev().take_while(|item| item.is_piece()).count();
        let (far, near) = head.split_at(head.len() - free);
        let pieces: Vec<Piece> = near.iter().filter_map(Item::piece).cloned().collect();
        if let Some(count) = enough(pieces.iter().rev(), look.item.measure().high) {
            if let Some(body) = self.local(look.item)? {
                let any = self.builder.any_text()?;
                let wanted = self.builder.cat(&[any.number(), body.node.number()])?;
                let near = self.join(pieces[pieces.len() - count..].to_vec())?;
                let piece = Item::Piece(self.constrained(near, wanted, look.negative)?);
                return Ok([&head[..head.len() - count], &[piece], tail].concat());
            }
        }
        // Before the near pieces, only assertions at the very start may stand: they look at the whole text all the
        // same.
        let looks_on = |item: &Item| matches!(item, Item::Look(_) | Item::FinalNewline { .. });
        if left == Edge::Unknown || !far.iter().all(looks_on) {
            return Err(Stop::Unplaced(look.at));
        }
        let anything = Item::Piece(self.anything()?);
        let body = self.alternatives(look.item)?;
        let body: Rc<Vec<_>> = Rc::new(body.iter().map(|items| [from_ref(&anything), &items[..]].concat()).collect());
        let right = if tail.iter().any(Item::is_piece) { Edge::Unknown } else { right };
        let language = self.resolve(&body, Edge::Text, right)?;
        let near = self.join(pieces)?;
        let piece = Item::Piece(self.constrained(near, language.node, look.negative)?);
        Ok([far, &[piece], tail].concat())
    }
}

/// The number of nearest pieces that surely hold `width` characters; None if all of them may hold fewer.
fn enough<'a, 't: 'a>(pieces: impl Iterator<Item = &'a Piece<'t>>, width: Option<u64>) -> Option<usize> {
    let width = width?;
    let mut total = 0u64;
    for (index, piece) in pieces.enumerate() {
        total = total.saturating_add(piece.size.low);
        if total >= width {
            return Some(index + 1);
        }
    }
    (width == 0).then_some(0)
}
