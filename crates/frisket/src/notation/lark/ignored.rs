//! Ignored terminals × the terminals beside them → what may stand between two: each ignored text is the longest there.
//!
//! `#[^\n]*` before `b` goes on up to the end of the line, and `b` is part of it. A gap between two terminals ends where
//! nothing that may follow makes its last ignored text longer. Which gaps those are depends on the terminal: a comment may
//! stand before a line's end, and not before a word.
//!
//! Gaps are sorted by what would make their last text longer, which is a state of its terminal's automaton. The gaps of one
//! kind are a regular language: the equations of a right-linear grammar are solved by elimination (Arden 1961).

use super::automaton::Automaton;
use super::lowering::lower_part;
use super::production::Rules;
use super::tree::{Id, Node, Trees};
use super::Context;
use crate::notation::source::Read;
use frisket_core::builder::Builder;
use frisket_core::regular::term::{TermId, EMPTY, EPSILON};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Most pairs of states that are searched for the end of a longer ignored text.
const MOST_PAIRS: usize = 4_096;

/// A language, both as a tree and as a node of the builder that compares languages.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Texts {
    pub tree: Id,
    pub node: TermId,
}

/// A terminal in a rule.
pub(super) struct Lexeme {
    pub texts: Texts,
    /// Its first bytes where it is no regular language.
    pub begins: Option<Vec<u8>>,
}

/// The gaps between terminals.
pub(super) struct Separation {
    /// Behind any terminal.
    pub common: Id,
    /// Each terminal with the gaps that only it may have before it; nothing for one without such gaps.
    pub lexemes: Vec<Option<Id>>,
    /// Further gaps at the end of a text.
    pub last: Option<Id>,
}

/// What the gaps are.
pub(super) enum Gaps {
    /// Any ignored texts.
    Any,
    Apart(Separation),
    /// The end of an ignored text depends on more than the next terminal, or its terminal is too large.
    Inexact,
}

/// Ends a computation that would not be exact.
macro_rules! exact {
    ($value:expr) => {
        match $value {
            Some(value) => value,
            None => return Ok(None),
        }
    };
}

/// The gaps between the terminals, which may call the rules of `terminals`.
pub(super) fn separate(
    cx: &mut Context,
    builder: &mut Builder,
    terminals: &Rules,
    ignored: &[Id],
    lexemes: &[Lexeme],
    once: bool,
) -> Read<Gaps> {
    let byte = builder.byte_class(&[(0, 255)])?;
    let any = builder.repeat(byte.number(), 0, None)?;
    let some = builder.repeat(byte.number(), 1, None)?;
    let mut work = Work { cx, builder, terminals, any, some, steps: FxHashMap::default() };
    Ok(work.separate(ignored, lexemes, once)?.unwrap_or(Gaps::Inexact))
}

/// Decides about languages with the nodes of one builder. Nothing is the answer of its methods where it cannot be exact.
struct Work<'w, 'c> {
    cx: &'w mut Context<'c>,
    builder: &'w mut Builder,
    terminals: &'w Rules,
    any: TermId,
    some: TermId,
    steps: FxHashMap<TermId, Steps>,
}

/// Ranges of bytes that a node's texts begin with, each with the node of what follows.
type Steps = Rc<[(u8, u8, TermId)]>;

/// Ignored texts, and what makes them longer.
type Kind = (Texts, TermId);

impl Work<'_, '_> {
    fn separate(&mut self, ignored: &[Id], lexemes: &[Lexeme], once: bool) -> Read<Option<Gaps>> {
        let mut kinds = Vec::new();
        for &tree in ignored {
            kinds.extend(exact!(self.kinds(tree)?));
        }
        let kinds = self.merged(kinds)?;
        let mut gaps = Vec::new();
        for tree in exact!(self.gaps(&kinds, once)?) {
            gaps.push(Texts { tree, node: self.lowered(tree)? });
        }
        let mut behind = Vec::new();
        for lexeme in lexemes {
            let mut left = Vec::new();
            for &(_, rest) in &kinds {
                left.push(exact!(self.without(lexeme, rest)?));
            }
            behind.push(left);
        }
        let is_common = |number: usize| {
            behind
                .iter()
                .zip(lexemes)
                .all(|(left, lexeme): (&Vec<Option<Texts>>, _)| left[number] == Some(lexeme.texts))
        };
        let (mut common, mut others): (Vec<usize>, Vec<usize>) =
            (0..kinds.len()).partition(|&number| is_common(number));
        let nodes: Vec<u32> = common.iter().map(|&number| gaps[number].node.number()).collect();
        let shared = self.builder.alt(&[&[EPSILON.number()], &*nodes].concat())?;
        let all: Vec<u32> = kinds.iter().map(|(texts, _)| texts.node.number()).collect();
        let all = self.builder.alt(&all)?;
        let everything = self.builder.repeat(all.number(), 0, once.then_some(1))?;
        if self.is_within(everything, shared)? {
            return Ok(Some(Gaps::Any));
        }
        for number in others.clone() {
            let longer = self.builder.cat(&[shared.number(), gaps[number].node.number()])?;
            if !self.is_within(longer, gaps[number].node)? {
                (common, others) = (Vec::new(), (0..kinds.len()).collect());
                break;
            }
        }
        let empty = self.cx.trees.add(Node::Seq(Vec::new()), 0);
        let shared: Vec<Id> = common.iter().map(|&number| gaps[number].tree).collect();
        let common = self.cx.trees.either(&[&[empty], &*shared].concat());
        let before = lexemes.iter().zip(&behind).map(|(lexeme, left)| {
            let gaps = others.iter().map(|&number| (gaps[number].tree, left[number]));
            before(&mut self.cx.trees, lexeme.texts, gaps)
        });
        let lexemes = before.collect();
        let last: Vec<Id> = others.iter().map(|&number| gaps[number].tree).collect();
        let last = (!last.is_empty()).then(|| self.cx.trees.either(&last));
        Ok(Some(Gaps::Apart(Separation { common, lexemes, last })))
    }

    fn lowered(&mut self, tree: Id) -> Read<TermId> {
        lower_part(self.cx, self.builder, self.terminals, tree)
    }

    fn is_within(&mut self, inner: TermId, outer: TermId) -> Read<bool> {
        let outside = self.builder.not(outer.number())?;
        Ok(self.builder.disjoint(inner.number(), outside.number())?)
    }

    /// The texts of an ignored terminal by what makes them longer.
    fn kinds(&mut self, tree: Id) -> Read<Option<Vec<Kind>>> {
        let whole = self.lowered(tree)?;
        let is_solid = !self.builder.accepts(whole.number(), b"")?;
        let node = if is_solid { whole } else { self.builder.and(&[whole.number(), self.some.number()])? };
        let automaton = exact!(Automaton::new(self.builder, node)?);
        let mut found: Vec<(TermId, Vec<usize>)> = Vec::new();
        for &state in &automaton.accepting {
            let rest = self.builder.and(&[automaton.states[state].number(), self.some.number()])?;
            match found.iter_mut().find(|(known, _)| *known == rest) {
                Some((_, states)) => states.push(state),
                None => found.push((rest, vec![state])),
            }
        }
        if let ([(rest, _)], true) = (&*found, is_solid) {
            return Ok(Some(vec![(Texts { tree, node }, *rest)]));
        }
        let mut kinds = Vec::new();
        for (rest, states) in found {
            let tree = automaton.tree(&mut self.cx.trees, &states);
            kinds.push((Texts { tree, node: self.lowered(tree)? }, rest));
        }
        Ok(Some(kinds))
    }

    /// The kinds, with kinds of an equal rest merged.
    fn merged(&mut self, kinds: Vec<Kind>) -> Read<Vec<Kind>> {
        let mut found: Vec<(TermId, Vec<Texts>)> = Vec::new();
        for (texts, rest) in kinds {
            match found.iter_mut().find(|(known, _)| *known == rest) {
                Some((_, some)) => some.push(texts),
                None => found.push((rest, vec![texts])),
            }
        }
        let mut merged = Vec::new();
        for (rest, some) in found {
            let tree = self.cx.trees.either(&some.iter().map(|texts| texts.tree).collect::<Vec<_>>());
            let nodes: Vec<u32> = some.iter().map(|texts| texts.node.number()).collect();
            merged.push((Texts { tree, node: self.builder.alt(&nodes)? }, rest));
        }
        Ok(merged)
    }

    /// The gaps that end with a text of each kind.
    fn gaps(&mut self, kinds: &[Kind], once: bool) -> Read<Option<Vec<Id>>> {
        let mut begins: Vec<Id> = kinds.iter().map(|(texts, _)| texts.tree).collect();
        if once {
            return Ok(Some(begins));
        }
        let mut steps: FxHashMap<(usize, usize), Id> = FxHashMap::default();
        for (last, &(_, rest)) in kinds.iter().enumerate() {
            for (number, &(texts, _)) in kinds.iter().enumerate() {
                if let Some(left) = exact!(self.without(&Lexeme { texts, begins: None }, rest)?) {
                    steps.insert((last, number), left.tree);
                }
            }
        }
        for kind in (0..kinds.len()).rev() {
            for to in 0..kind {
                let Some(&step) = steps.get(&(kind, to)) else { continue };
                let way = self.ended(begins[kind], kind, &steps, Some(step));
                begins[to] = self.cx.trees.either(&[begins[to], way]);
                for start in 0..kind {
                    let Some(&first) = steps.get(&(start, kind)) else { continue };
                    let way = self.ended(first, kind, &steps, Some(step));
                    let way = match steps.get(&(start, to)) {
                        Some(&known) => self.cx.trees.either(&[known, way]),
                        None => way,
                    };
                    steps.insert((start, to), way);
                }
            }
        }
        let mut found: Vec<Id> = Vec::new();
        for (kind, &begin) in begins.iter().enumerate() {
            let mut ways = vec![begin];
            for (start, &before) in found.iter().enumerate() {
                if let Some(&step) = steps.get(&(start, kind)) {
                    ways.push(self.cx.trees.joined(vec![before, step]));
                }
            }
            let ways = self.cx.trees.either(&ways);
            found.push(self.ended(ways, kind, &steps, None));
        }
        Ok(Some(found))
    }

    /// A tree, further texts of a kind, and a step behind them.
    fn ended(&mut self, tree: Id, kind: usize, steps: &FxHashMap<(usize, usize), Id>, step: Option<Id>) -> Id {
        let mut items = vec![tree];
        if let Some(&around) = steps.get(&(kind, kind)) {
            items.push(self.cx.trees.add(Node::Repeat(around, 0, None), 0));
        }
        items.extend(step);
        self.cx.trees.joined(items)
    }

    /// The texts of a terminal that make no ignored text before them longer; nothing within if all do.
    #[allow(clippy::option_option)]
    fn without(&mut self, lexeme: &Lexeme, rest: TermId) -> Read<Option<Option<Texts>>> {
        if rest == EMPTY {
            return Ok(Some(Some(lexeme.texts)));
        }
        if let Some(begins) = &lexeme.begins {
            return self.without_first(lexeme.texts, begins, rest);
        }
        let node = lexeme.texts.node;
        if self.common_steps(node, rest)?.is_empty() {
            return Ok(Some(Some(lexeme.texts)));
        }
        let longer = self.builder.cat(&[rest.number(), self.any.number()])?;
        if self.builder.disjoint(node.number(), longer.number())? {
            return Ok(self.has_known_end(node, rest)?.then_some(Some(lexeme.texts)));
        }
        let shorter = self.builder.not(longer.number())?;
        let left = self.builder.and(&[node.number(), shorter.number()])?;
        if left == EMPTY {
            return Ok(Some(None));
        }
        if !self.has_known_end(left, rest)? {
            return Ok(None);
        }
        if let Some(automaton) = Automaton::new(self.builder, left)? {
            let tree = automaton.tree(&mut self.cx.trees, &automaton.accepting);
            return Ok(Some(Some(Texts { tree, node: left })));
        }
        let automaton = exact!(Automaton::new(self.builder, longer)?);
        let excluded = automaton.tree(&mut self.cx.trees, &automaton.accepting);
        let excluded = self.cx.trees.add(Node::Not(excluded), 0);
        let tree = self.cx.trees.add(Node::Both(vec![lexeme.texts.tree, excluded]), 0);
        Ok(Some(Some(Texts { tree, node: left })))
    }

    /// `without`, decided by the first byte alone.
    #[allow(clippy::option_option)]
    fn without_first(&mut self, texts: Texts, begins: &[u8], rest: TermId) -> Read<Option<Option<Texts>>> {
        let steps = self.steps(rest)?;
        let common =
            begins.iter().filter(|&byte| steps.iter().any(|(low, high, _)| (low..=high).contains(&byte))).count();
        if common == 0 {
            return Ok(Some(Some(texts)));
        }
        let mut are_all = common == begins.len();
        for &byte in begins {
            are_all = are_all && self.builder.accepts(rest.number(), &[byte])?;
        }
        Ok(are_all.then_some(None))
    }

    fn steps(&mut self, node: TermId) -> Read<Steps> {
        if let Some(steps) = self.steps.get(&node) {
            return Ok(steps.clone());
        }
        let found: Steps = self.builder.steps(node.number())?.into();
        self.steps.insert(node, found.clone());
        Ok(found)
    }

    /// The nodes of what follows in the texts of two nodes behind each byte that texts of both begin with.
    fn common_steps(&mut self, one: TermId, other: TermId) -> Read<Vec<(TermId, TermId)>> {
        let (one, other) = (self.steps(one)?, self.steps(other)?);
        let mut found = Vec::new();
        let (mut ones, mut others) = (one.iter().peekable(), other.iter().peekable());
        while let (Some(&&(low, high, left)), Some(&&(other_low, other_high, right))) = (ones.peek(), others.peek()) {
            if low <= other_high && other_low <= high {
                found.push((left, right));
            }
            if high <= other_high {
                ones.next();
            }
            if other_high <= high {
                others.next();
            }
        }
        Ok(found)
    }

    /// Whether no text of the node ends before it is known if it makes the ignored text longer.
    fn has_known_end(&mut self, node: TermId, rest: TermId) -> Read<bool> {
        let mut agenda = vec![(node, rest)];
        let mut seen: FxHashSet<(TermId, TermId)> = agenda.iter().copied().collect();
        while let Some((texts, longer)) = agenda.pop() {
            for (left, further) in self.common_steps(texts, longer)? {
                if self.builder.accepts(left.number(), b"")? || seen.len() > MOST_PAIRS {
                    return Ok(false);
                }
                if seen.insert((left, further)) {
                    agenda.push((left, further));
                }
            }
        }
        Ok(true)
    }
}

/// A terminal, by itself or behind gaps with what is left of it there.
fn before(trees: &mut Trees, texts: Texts, gaps: impl Iterator<Item = (Id, Option<Texts>)>) -> Option<Id> {
    let (mut whole, mut parts) = (Vec::new(), vec![texts.tree]);
    for (gap, left) in gaps {
        match left {
            Some(left) if left == texts => whole.push(gap),
            Some(left) => parts.push(trees.add(Node::Seq(vec![gap, left.tree]), 0)),
            None => {}
        }
    }
    if !whole.is_empty() {
        let gap = trees.either(&whole);
        parts.push(trees.add(Node::Seq(vec![gap, texts.tree]), 0));
    }
    (parts.len() > 1).then(|| trees.add(Node::Alt(parts), 0))
}
