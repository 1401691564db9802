//! Tree with assertions × Builder → the texts that match it, read from the end of the tree to its start.
//!
//! A tail is the language of all that may follow a place, for each class of the character before. A part in front of a
//! tail makes the tail of the place before the part. An assertion about the character before keeps the tails of some
//! classes. A lookahead intersects the tails with what it looks for, or with the complement if it is negative. A lookbehind
//! at several characters does that to the parts in front of it, if these surely hold as many.

use super::plain;
use crate::char_set::CharSet;
use crate::measure::Measure;
use crate::tree::{neighbour, Node, Side};
use frisket_core::builder::Builder;
use frisket_core::error::Error;
use frisket_core::regular::term::{TermId, EMPTY, EPSILON};
use std::slice::from_ref;

/// Most parts with assertions that are read, and read again for each round of a loop: each may be an intersection.
const MOST_PARTS: usize = 500;
/// Most classes of the character before.
const MOST_CLASSES: usize = 16;
/// The deepest nesting of lookarounds.
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

type Result<T> = std::result::Result<T, Stop>;

/// Texts, and their least length: 0 exactly if the empty text is one of them.
#[derive(Clone, Copy)]
struct Texts {
    node: TermId,
    low: u64,
}

impl Texts {
    const NONE: Texts = Texts { node: EMPTY, low: u64::MAX };
    const EMPTY: Texts = Texts { node: EPSILON, low: 0 };
}

/// The texts that may follow a place.
#[derive(Clone)]
struct Tail {
    /// For each class of the character before, and last for the start of the text.
    rests: Vec<Texts>,
    /// Whether more text may follow these texts.
    is_open: bool,
}

impl Tail {
    /// The texts, if they do not depend on the character before.
    fn uniform(&self) -> Option<Texts> {
        let first = self.rests[0];
        self.rests.iter().all(|rest| rest.node == first.node).then_some(first)
    }

    /// The texts at the start of the text.
    fn at_start(&self) -> Texts {
        self.rests[self.rests.len() - 1]
    }
}

/// A part without assertions that look out of it.
struct Part<'t> {
    texts: Texts,
    /// The characters that the texts end with, and perhaps others.
    last: CharSet,
    /// Set if the part is a run of characters of one set: the set's tree, the least and the greatest count.
    run: Option<(&'t Node, u32, Option<u32>)>,
}

/// Places the assertions of one tree.
struct Placement<'b> {
    builder: &'b mut Builder,
    /// Characters that no assertion about the character before tells apart.
    classes: Vec<CharSet>,
    parts: usize,
    depth: usize,
}

/// The node of the texts that match as a whole, or somewhere inside if `search`.
pub(super) fn whole(builder: &mut Builder, tree: &Node, search: bool) -> Result<TermId> {
    let mut placement = Placement::new(builder, tree)?;
    let any = anything();
    let branches = if let Node::Alt(items) = tree { items.as_slice() } else { from_ref(tree) };
    let mut nodes = Vec::with_capacity(branches.len());
    for branch in branches {
        let items = if let Node::Seq(items) = branch { items.as_slice() } else { from_ref(branch) };
        let around = if search { from_ref(&any) } else { &[] };
        let items: Vec<&Node> = around.iter().chain(items).chain(around).collect();
        let end = placement.same(Texts::EMPTY, false);
        nodes.push(placement.sequence(&items, end, true)?.at_start());
    }
    Ok(placement.either(nodes)?.node)
}

/// The node of the texts that match as a whole, where more text may stand on both sides.
pub(super) fn part(builder: &mut Builder, tree: &Node) -> Result<TermId> {
    let mut placement = Placement::new(builder, tree)?;
    let texts = placement.alone(tree)?.uniform().ok_or(Stop::Unplaced(tree.place()))?;
    Ok(texts.node)
}

/// The tree of any text.
fn anything() -> Node {
    Node::Repeat { item: Box::new(Node::Chars(CharSet::all())), low: 0, high: None, is_lazy: false, at: 0 }
}

impl<'b> Placement<'b> {
    fn new(builder: &'b mut Builder, tree: &Node) -> Result<Self> {
        let mut sets = Vec::new();
        sets_before(tree, &mut sets);
        let classes = CharSet::all().split_by(sets.iter(), MOST_CLASSES).ok_or(Stop::Unplaced(tree.place()))?;
        Ok(Placement { builder, classes, parts: 0, depth: 0 })
    }

    /// A tail of these texts, whatever the character before.
    fn same(&self, texts: Texts, is_open: bool) -> Tail {
        Tail { rests: vec![texts; self.classes.len() + 1], is_open }
    }

    /// The tail before a tree after which unknown text follows.
    fn alone(&mut self, tree: &Node) -> Result<Tail> {
        let end = self.same(Texts::EMPTY, true);
        self.before(tree, end, false)
    }

    /// The tail before a node, by the tail after it. `is_first`: whether the text starts with the node.
    fn before(&mut self, node: &Node, tail: Tail, is_first: bool) -> Result<Tail> {
        if !node.asserts() {
            let measure = node.measure();
            let run = match node {
                Node::Chars(_) => Some((node, 1, Some(1))),
                Node::Repeat { item, low, high, .. } if *high != Some(0) && item.one_char().is_some() => {
                    Some((&**item, *low, *high))
                }
                _ => None,
            };
            let texts = Texts { node: plain::lower(self.builder, node)?, low: measure.low };
            return self.follow(&Part { texts, last: measure.last, run }, &tail);
        }
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return Err(Stop::Unplaced(node.place()));
        }
        match node {
            Node::Seq(items) => self.sequence(&items.iter().collect::<Vec<_>>(), tail, is_first),
            Node::Alt(items) => {
                let tails = items.iter().map(|item| self.before(item, tail.clone(), is_first));
                let tails = tails.collect::<Result<Vec<_>>>()?;
                self.union(&tails)
            }
            Node::Repeat { item, low, high, .. } => self.repetition(item, *low, *high, tail),
            Node::Before { ranges, edge, .. } => Ok(self.behind_char(&(ranges.clone(), *edge), tail)),
            Node::After { ranges, edge, at } => self.ahead_char(&(ranges.clone(), *edge), tail, *at),
            Node::Boundary { sides, at } => {
                let place = |[before, after]: &[Side; 2]| {
                    let tail = self.behind_char(before, tail.clone());
                    self.ahead_char(after, tail, *at)
                };
                let tails = sides.iter().map(place).collect::<Result<Vec<_>>>()?;
                self.union(&tails)
            }
            Node::FinalNewline { at } => {
                let newline = self.builder.literal(b"\n")?;
                let wanted = self.builder.repeat(newline.number(), 0, Some(1))?;
                let wanted = self.same(Texts { node: wanted, low: 0 }, false);
                self.ahead(&wanted, None, false, tail, *at)
            }
            Node::Look { item, ahead, negative, at } => match neighbour(item, *ahead, *negative) {
                Some(side) if *ahead => self.ahead_char(&side, tail, *at),
                Some(side) => Ok(self.behind_char(&side, tail)),
                None if *ahead => {
                    let any = Texts { node: self.builder.any_text()?, low: 0 };
                    let any = self.same(any, tail.is_open);
                    let wanted = self.inside(item, any)?;
                    self.ahead(&wanted, item.measure().high, *negative, tail, *at)
                }
                None => self.behind(&[node], tail, is_first).map(|(tail, _)| tail),
            },
            _ => Err(Stop::Unplaced(node.place())),
        }
    }

    /// The tail before a lookaround's item.
    fn inside(&mut self, item: &Node, tail: Tail) -> Result<Tail> {
        if self.depth == DEEPEST_LOOK {
            return Err(Stop::Unplaced(item.place()));
        }
        self.depth += 1;
        let found = self.before(item, tail, false);
        self.depth -= 1;
        found
    }

    fn sequence(&mut self, items: &[&Node], mut tail: Tail, is_first: bool) -> Result<Tail> {
        let mut end = items.len();
        while end > 0 {
            if end.is_multiple_of(plain::CHECKED) {
                self.builder.check(0)?;
            }
            if looks_behind(items[end - 1]) {
                (tail, end) = self.behind(&items[..end], tail, is_first)?;
            } else {
                end -= 1;
                tail = self.before(items[end], tail, is_first && end == 0)?;
            }
        }
        Ok(tail)
    }

    fn repetition(&mut self, item: &Node, low: u32, high: Option<u32>, tail: Tail) -> Result<Tail> {
        match self.alone(item).map(|tail| tail.uniform()) {
            Ok(Some(texts)) => {
                let node = self.builder.repeat(texts.node.number(), low, high)?;
                let texts = Texts { node, low: texts.low.saturating_mul(low.into()) };
                return self.follow(&Part { texts, last: item.measure().last, run: None }, &tail);
            }
            Ok(None) | Err(Stop::Unplaced(_)) => {}
            Err(stop) => return Err(stop),
        }
        let Some(high) = high.filter(|high| *high <= MOST_ROUNDS) else { return Err(Stop::Unplaced(item.place())) };
        let mut rounds = tail.clone();
        for count in (0..high).rev() {
            let more = self.before(item, rounds, false)?;
            rounds = if count < low { more } else { self.union(&[tail.clone(), more])? };
        }
        Ok(rounds)
    }

    /// The tail before a part.
    fn follow(&mut self, part: &Part, tail: &Tail) -> Result<Tail> {
        if let Some(rest) = tail.uniform() {
            let texts = self.concatenation(part.texts, rest)?;
            return Ok(self.same(texts, tail.is_open));
        }
        // Classes with equal rests stay together.
        let mut ends: Vec<(Texts, Vec<CharSet>)> = Vec::new();
        for (class, rest) in self.classes.iter().zip(&tail.rests) {
            let last = class.intersection(&part.last);
            if last.is_empty() || rest.node == EMPTY {
                continue;
            }
            match ends.iter_mut().find(|(known, _)| known.node == rest.node) {
                Some((_, all)) => all.push(last),
                None => ends.push((*rest, vec![last])),
            }
        }
        let mut found = Vec::with_capacity(ends.len());
        for (rest, last) in ends {
            let texts = self.ending(part, &CharSet::union_of(&last))?;
            found.push(self.concatenation(texts, rest)?);
        }
        let found = self.either(found)?;
        if part.texts.low > 0 {
            return Ok(self.same(found, tail.is_open));
        }
        let rests = tail.rests.iter().map(|rest| self.either(vec![found, *rest])).collect::<Result<_>>()?;
        Ok(Tail { rests, is_open: tail.is_open })
    }

    /// The texts of a part that end with one of these characters.
    fn ending(&mut self, part: &Part, last: &CharSet) -> Result<Texts> {
        if *last == part.last && part.texts.low > 0 {
            return Ok(part.texts);
        }
        let char = plain::chars(self.builder, last)?.number();
        let low = part.texts.low.max(1);
        let node = if let Some((item, low, high)) = part.run {
            let item = plain::lower(self.builder, item)?;
            let rest = self.builder.repeat(item.number(), low.saturating_sub(1), high.map(|high| high - 1))?;
            self.builder.cat(&[rest.number(), char])?
        } else {
            let any = self.builder.any_text()?;
            let texts = self.builder.cat(&[any.number(), char])?;
            self.builder.and(&[part.texts.node.number(), texts.number()])?
        };
        Ok(Texts { node, low })
    }

    /// The tail before an assertion about the character before.
    fn behind_char(&self, (ranges, edge): &Side, mut tail: Tail) -> Tail {
        let holds = self.classes.iter().map(|class| !class.is_disjoint(ranges)).chain([*edge]);
        for (rest, holds) in tail.rests.iter_mut().zip(holds) {
            if !holds {
                *rest = Texts::NONE;
            }
        }
        tail
    }

    /// The tail before an assertion about the character after.
    fn ahead_char(&mut self, (ranges, edge): &Side, tail: Tail, at: usize) -> Result<Tail> {
        let mut wanted = vec![if *edge { Texts::EMPTY } else { Texts::NONE }];
        if !ranges.is_empty() {
            let (char, any) = (plain::chars(self.builder, ranges)?, self.builder.any_text()?);
            wanted.push(Texts { node: self.builder.cat(&[char.number(), any.number()])?, low: 1 });
        }
        let wanted = self.either(wanted)?;
        let wanted = self.same(wanted, false);
        self.ahead(&wanted, Some(1), false, tail, at)
    }

    /// The tail before a lookahead for the texts `wanted`, which depend on `width` characters at most.
    fn ahead(&mut self, wanted: &Tail, width: Option<u64>, negative: bool, mut tail: Tail, at: usize) -> Result<Tail> {
        let any = self.builder.any_text()?;
        for (rest, wanted) in tail.rests.iter_mut().zip(&wanted.rests) {
            if rest.node == EMPTY {
                continue;
            }
            if tail.is_open && width.is_none_or(|width| width > rest.low) {
                return Err(Stop::Unplaced(at));
            }
            let wanted = if negative { self.builder.not(wanted.node.number())? } else { wanted.node };
            let node = if rest.node == any && !negative {
                wanted
            } else {
                self.builder.and(&[rest.node.number(), wanted.number()])?
            };
            *rest = self.checked(node, rest.low)?;
        }
        Ok(tail)
    }

    /// The tail before the assertions that the items end with, some of them lookbehinds, and the parts in front of them;
    /// and how many items are left.
    fn behind(&mut self, items: &[&Node], mut tail: Tail, is_first: bool) -> Result<(Tail, usize)> {
        let place = items.iter().rposition(|item| !item.is_assertion()).map_or(0, |last| last + 1);
        let (before, assertions) = items.split_at(place);
        // All of them look at one place of the text, in whatever order.
        let (looks, others): (Vec<&Node>, Vec<&Node>) = assertions.iter().partition(|item| looks_behind(item));
        for other in others {
            tail = self.before(other, tail, false)?;
        }
        let parts = before.iter().rev().take_while(|item| !item.asserts()).count();
        let (before, parts) = before.split_at(before.len() - parts);
        let is_first = before.last().map_or(is_first, |item| item.is_start());
        let mut nodes = Vec::with_capacity(parts.len() + looks.len());
        for part in parts {
            nodes.push(plain::lower(self.builder, part)?.number());
        }
        let measure = Measure::concatenation(&parts.iter().map(|part| part.measure()).collect::<Vec<_>>());
        let mut wanted = vec![self.builder.cat(&nodes)?.number()];
        let char = Node::Chars(CharSet::all());
        let any = Texts { node: self.builder.any_text()?, low: 0 };
        let any = Part { texts: any, last: CharSet::all(), run: Some((&char, 0, None)) };
        for look in looks {
            let Node::Look { item, negative, at, .. } = look else { continue };
            let end = self.same(Texts::EMPTY, true);
            let found = self.inside(item, end)?;
            let is_near = item.measure().high.is_some_and(|width| width <= measure.low);
            if !(is_first || is_near && found.uniform().is_some()) {
                return Err(Stop::Unplaced(*at));
            }
            let texts = self.follow(&any, &found)?.at_start().node;
            wanted.push(if *negative { self.builder.not(texts.number())? } else { texts }.number());
        }
        let node = self.builder.and(&wanted)?;
        let texts = self.checked(node, measure.low)?;
        Ok((self.follow(&Part { texts, last: measure.last, run: None }, &tail)?, before.len()))
    }

    /// Texts of at least this length, of which the empty one may be none.
    fn checked(&mut self, node: TermId, low: u64) -> Result<Texts> {
        let is_solid = low == 0 && !self.builder.accepts(node.number(), b"")?;
        Ok(Texts { node, low: low.max(is_solid.into()) })
    }

    fn concatenation(&mut self, texts: Texts, rest: Texts) -> Result<Texts> {
        let node = self.builder.cat(&[texts.node.number(), rest.node.number()])?;
        Ok(Texts { node, low: texts.low.saturating_add(rest.low) })
    }

    fn either(&mut self, mut all: Vec<Texts>) -> Result<Texts> {
        all.retain(|texts| texts.node != EMPTY);
        match all[..] {
            [] => Ok(Texts::NONE),
            [texts] => Ok(texts),
            _ => {
                let node = self.builder.alt(&all.iter().map(|texts| texts.node.number()).collect::<Vec<_>>())?;
                Ok(Texts { node, low: all.iter().map(|texts| texts.low).min().unwrap_or(0) })
            }
        }
    }

    fn union(&mut self, tails: &[Tail]) -> Result<Tail> {
        let places = 0..self.classes.len() + 1;
        let rests = places.map(|place| self.either(tails.iter().map(|tail| tail.rests[place]).collect()));
        Ok(Tail { rests: rests.collect::<Result<_>>()?, is_open: tails.iter().any(|tail| tail.is_open) })
    }
}

/// Whether it is a lookbehind at more than one character.
fn looks_behind(node: &Node) -> bool {
    matches!(node, Node::Look { item, ahead: false, negative, .. } if neighbour(item, false, *negative).is_none())
}

/// The sets of all assertions about the character before.
fn sets_before(node: &Node, sets: &mut Vec<CharSet>) {
    match node {
        Node::Before { ranges, .. } => sets.push(ranges.clone()),
        Node::Boundary { sides, .. } => sets.extend(sides.iter().map(|[before, _]| before.0.clone())),
        Node::Look { item, ahead: false, negative, .. } => {
            sets.extend(neighbour(item, false, *negative).map(|side| side.0));
        }
        _ => {}
    }
    node.parts().iter().for_each(|part| sets_before(part, sets));
}
