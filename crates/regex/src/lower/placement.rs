//! Assertions among parts of a text → parts without assertions that satisfy them.

use super::narrow::Neighbour;
use super::piece::{Edge, Item, Look, Piece};
use super::plain;
use crate::tree::{neighbour, Node};
use frisket_core::builder::Builder;
use frisket_core::error::Error;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::slice::from_ref;

/// Most alternatives, one for each way to place assertions. Beyond this many, the automaton is the better way.
const MOST_ALTERNATIVES: usize = 64;
/// Most parts of a sequence: each assertion takes a pass over the parts around it.
const MOST_PARTS: usize = 500;
/// The deepest nesting of lookarounds: each is placed once for each way to place the one around it.
const DEEPEST_LOOK: usize = 8;
/// Most rounds of a counted loop with assertions that are written out.
const MOST_ROUNDS: u32 = 3;

/// Why assertions were not placed.
pub(super) enum Stop {
    /// The assertion at this place cannot be placed.
    Unplaced(usize),
    /// The builder failed.
    Engine(Box<Error>),
}

impl From<Box<Error>> for Stop {
    fn from(error: Box<Error>) -> Self {
        Stop::Engine(error)
    }
}

/// Sequences of parts and assertions, any of which may match.
pub(super) type Alternatives<'t> = Rc<Vec<Vec<Item<'t>>>>;

type Result<T> = std::result::Result<T, Stop>;

/// Places the assertions of one tree. Results are cached by the addresses of subtrees.
pub(super) struct Placement<'b, 't> {
    pub builder: &'b mut Builder,
    expanded: FxHashMap<*const Node, std::result::Result<Alternatives<'t>, usize>>,
    placed: FxHashMap<*const Node, Option<Piece<'t>>>,
    depth: usize,
}

impl<'b, 't> Placement<'b, 't> {
    pub fn new(builder: &'b mut Builder) -> Self {
        Placement { builder, expanded: FxHashMap::default(), placed: FxHashMap::default(), depth: 0 }
    }

    /// The piece of a whole text, or of a text with a match somewhere inside if `search`.
    pub fn whole(&mut self, tree: &'t Node, search: bool) -> Result<Piece<'t>> {
        let mut alternatives = self.alternatives(tree)?;
        if search {
            let anything = Item::Piece(self.anything()?);
            let around = |items: &Vec<_>| [from_ref(&anything), &items[..], from_ref(&anything)].concat();
            alternatives = Rc::new(alternatives.iter().map(around).collect());
        }
        self.resolve(&alternatives, Edge::Text, Edge::Text)
    }

    // -- tree → alternatives ------------------------------------------------------------------------------------------

    /// The alternatives of a tree; computed once.
    pub fn alternatives(&mut self, node: &'t Node) -> Result<Alternatives<'t>> {
        let key = std::ptr::from_ref(node);
        if let Some(known) = self.expanded.get(&key) {
            return known.clone().map_err(Stop::Unplaced);
        }
        let known = match self.expand(node) {
            Ok(alternatives) => Ok(Rc::new(alternatives)),
            Err(Stop::Unplaced(at)) => Err(at),
            Err(stop) => return Err(stop),
        };
        self.expanded.insert(key, known.clone());
        known.map_err(Stop::Unplaced)
    }

    fn expand(&mut self, node: &'t Node) -> Result<Vec<Vec<Item<'t>>>> {
        if !node.asserts() {
            let run = match node {
                Node::Chars(_) => Some((node, 1, Some(1))),
                Node::Repeat { item, low, high, .. } if *high != Some(0) && item.one_char().is_some() => {
                    Some((&**item, *low, *high))
                }
                _ => None,
            };
            let piece = Piece::new(plain::lower(self.builder, node)?, node.measure());
            return Ok(vec![vec![Item::Piece(Piece { run, ..piece })]]);
        }
        match node {
            Node::Seq(items) => self.sequences(&items.iter().collect::<Vec<_>>()),
            Node::Alt(items) => {
                let mut branches = Vec::new();
                for item in items {
                    branches.extend(self.alternatives(item)?.iter().cloned());
                }
                match self.resolve(&branches, Edge::Unknown, Edge::Unknown) {
                    Ok(piece) => Ok(vec![vec![Item::Piece(piece)]]),
                    Err(Stop::Unplaced(_)) => bounded(branches, node),
                    Err(stop) => Err(stop),
                }
            }
            Node::Repeat { item, low, high, .. } => {
                if let Some(local) = self.local(item)? {
                    return Ok(vec![vec![Item::Piece(self.repeated(local, *low, *high)?)]]);
                }
                let Some(high) = high.filter(|high| *high <= MOST_ROUNDS) else {
                    return Err(Stop::Unplaced(item.place()));
                };
                let mut rounds = Vec::new();
                for count in *low..=high {
                    rounds.extend(self.sequences(&vec![&**item; count as usize])?);
                }
                bounded(rounds, node)
            }
            Node::Boundary { sides, at } => Ok(sides
                .iter()
                .map(|[(before, is_start), (after, is_end)]| {
                    let before = Item::Before { ranges: before.clone(), edge: *is_start, at: *at };
                    vec![before, Item::After { ranges: after.clone(), edge: *is_end, at: *at }]
                })
                .collect()),
            Node::Look { item, ahead, negative, at } => match neighbour(item, *ahead, *negative) {
                Some((ranges, edge)) if *ahead => Ok(vec![vec![Item::After { ranges, edge, at: *at }]]),
                Some((ranges, edge)) => Ok(vec![vec![Item::Before { ranges, edge, at: *at }]]),
                None => Ok(vec![vec![Item::Look(Look { item, ahead: *ahead, negative: *negative, at: *at })]]),
            },
            Node::Before { ranges, edge, at } => {
                Ok(vec![vec![Item::Before { ranges: ranges.clone(), edge: *edge, at: *at }]])
            }
            Node::After { ranges, edge, at } => {
                Ok(vec![vec![Item::After { ranges: ranges.clone(), edge: *edge, at: *at }]])
            }
            Node::FinalNewline { at } => Ok(vec![vec![Item::FinalNewline { at: *at }]]),
            _ => Err(Stop::Unplaced(node.place())),
        }
    }

    fn sequences(&mut self, items: &[&'t Node]) -> Result<Vec<Vec<Item<'t>>>> {
        let mut flat = Vec::new();
        flatten(items, &mut flat);
        let mut total = 1usize;
        let mut parts = Vec::with_capacity(flat.len());
        for part in flat {
            let part = self.alternatives(part)?;
            total = total.saturating_mul(part.len());
            parts.push(part);
        }
        if total > MOST_ALTERNATIVES || parts.len() > MOST_PARTS {
            let asserting = items.iter().find(|item| item.asserts());
            return Err(Stop::Unplaced(asserting.map_or(0, |item| item.place())));
        }
        let mut ways = vec![Vec::new()];
        for part in parts {
            ways = ways.iter().flat_map(|way| part.iter().map(|items| [&way[..], items].concat())).collect();
        }
        Ok(ways)
    }

    /// The piece of a tree whose assertions do not look outside it; None if one does.
    pub fn local(&mut self, node: &'t Node) -> Result<Option<Piece<'t>>> {
        let key = std::ptr::from_ref(node);
        if let Some(known) = self.placed.get(&key) {
            return Ok(known.clone());
        }
        let resolved = self.alternatives(node).and_then(|all| self.resolve(&all, Edge::Unknown, Edge::Unknown));
        let placed = match resolved {
            Ok(piece) => Some(piece),
            Err(Stop::Unplaced(_)) => None,
            Err(stop) => return Err(stop),
        };
        self.placed.insert(key, placed.clone());
        Ok(placed)
    }

    // -- alternatives → one piece -------------------------------------------------------------------------------------

    /// One piece for all alternatives.
    pub fn resolve(&mut self, alternatives: &[Vec<Item<'t>>], left: Edge, right: Edge) -> Result<Piece<'t>> {
        if self.depth == DEEPEST_LOOK {
            return Err(Stop::Unplaced(0));
        }
        self.depth += 1;
        let settled = self.settled(alternatives, left, right);
        self.depth -= 1;
        Ok(self.either(settled?)?)
    }

    fn settled(&mut self, alternatives: &[Vec<Item<'t>>], left: Edge, right: Edge) -> Result<Vec<Piece<'t>>> {
        let mut pieces = Vec::new();
        let mut waiting: Vec<_> = alternatives.iter().rev().cloned().collect();
        while let Some(items) = waiting.pop() {
            if waiting.len() + pieces.len() > 4 * MOST_ALTERNATIVES {
                return Err(Stop::Unplaced(0));
            }
            let more = match self.place_before(&items, left)? {
                None => self.place_after(&items, right)?,
                some => some,
            };
            match more {
                Some(more) => waiting.extend(more.into_iter().rev()),
                None => {
                    let placed = self.place_looks(items, left, right)?;
                    pieces.push(self.join(placed)?);
                }
            }
        }
        Ok(pieces)
    }

    /// Places the first assertion about the previous character; None if there is none.
    fn place_before(&mut self, items: &[Item<'t>], left: Edge) -> Result<Option<Vec<Vec<Item<'t>>>>> {
        let found = items.iter().enumerate().find_map(|(index, item)| match item {
            Item::Before { ranges, edge, at } => Some((index, ranges, *edge, *at)),
            _ => None,
        });
        let Some((index, ranges, at_edge, at)) = found else { return Ok(None) };
        let head: Vec<_> = items[..index].iter().rev().cloned().collect();
        let ways = self.narrow(&head, Neighbour { ranges, at_edge, edge: left, ahead: false, at })?;
        let rest = &items[index + 1..];
        Ok(Some(ways.into_iter().map(|way| way.into_iter().rev().chain(rest.iter().cloned()).collect()).collect()))
    }

    /// Places the last assertion about the next character; None if there is none.
    fn place_after(&mut self, items: &[Item<'t>], right: Edge) -> Result<Option<Vec<Vec<Item<'t>>>>> {
        let found = items.iter().enumerate().rev().find_map(|(index, item)| match item {
            Item::After { ranges, edge, at } => Some((index, ranges, *edge, *at)),
            _ => None,
        });
        let Some((index, ranges, at_edge, at)) = found else { return Ok(None) };
        let ways = self.narrow(&items[index + 1..], Neighbour { ranges, at_edge, edge: right, ahead: true, at })?;
        Ok(Some(ways.into_iter().map(|way| [&items[..index], &way].concat()).collect()))
    }
}

/// The items, with nested sequences opened, so that an assertion meets the nearest part alone.
fn flatten<'t>(items: &[&'t Node], flat: &mut Vec<&'t Node>) {
    for item in items {
        match item {
            Node::Seq(items) => flatten(&items.iter().collect::<Vec<_>>(), flat),
            _ => flat.push(item),
        }
    }
}

fn bounded<'t>(alternatives: Vec<Vec<Item<'t>>>, node: &Node) -> Result<Vec<Vec<Item<'t>>>> {
    if alternatives.len() > MOST_ALTERNATIVES {
        Err(Stop::Unplaced(node.place()))
    } else {
        Ok(alternatives)
    }
}
