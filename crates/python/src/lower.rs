//! Cases → their grammar node, type by type, as lower.py, string.py and array.py build it; objects are in `object`.
//!
//! The last step of the plain reader: what `union` and `case` have computed becomes calls of the grammar builder.

use crate::builder::count;
use crate::case::{listed, Case, ARRAY, INTEGER, NUMBER, OBJECT, STRING, WORDS};
use crate::gil::without;
use crate::number;
use crate::walk::Walk;
use frisket_core::error::Result;
use frisket_core::grammar::builder::{Builder, Punctuation};
use frisket_core::regular::term::TermId;
use pyo3::prelude::*;

/// Where a case has its signs; numbers need none.
const ARRAYS: usize = 0;
pub(crate) const OBJECTS: usize = 1;
const NUMBERS: usize = 2;

impl<'py> Walk<'_, 'py> {
    /// One node for a union: what an unconditional case covers is not said twice.
    pub fn union(&mut self, cases: &[Case<'py>]) -> PyResult<Option<u32>> {
        let (mut words, mut nodes) = (0, Vec::new());
        for case in cases {
            words |= case.mask & WORDS;
        }
        if words != 0 {
            nodes.push(self.stock.words[words as usize]);
        }
        for numbers in [INTEGER, NUMBER & !INTEGER, NUMBER] {
            let cases = cases.iter().filter(|case| case.mask & NUMBER == numbers);
            self.parts(cases, NUMBERS, Case::any_number, &mut nodes, |walk, case| walk.number(case))?;
        }
        self.texts(cases, &mut nodes)?;
        let arrays = cases.iter().filter(|case| case.mask & ARRAY != 0);
        self.parts(arrays, ARRAYS, Case::any_array, &mut nodes, |walk, case| walk.array(case))?;
        let objects = cases.iter().filter(|case| case.mask & OBJECT != 0);
        self.parts(objects, OBJECTS, Case::any_object, &mut nodes, |walk, case| walk.object(case))?;
        match nodes[..] {
            [] => Ok(None),
            [node] => Ok(Some(node)),
            _ => self.node(|builder| builder.alt(&nodes)).map(Some),
        }
    }

    /// The nodes of one type, or that of the first case that asks nothing of it.
    fn parts<'a>(
        &mut self,
        cases: impl Iterator<Item = &'a Case<'py>> + Clone,
        kind: usize,
        is_any: impl Fn(&Case<'py>) -> bool,
        nodes: &mut Vec<u32>,
        make: impl Fn(&mut Self, &Case<'py>) -> PyResult<Option<u32>>,
    ) -> PyResult<()>
    where
        'py: 'a,
    {
        if let Some(any) = cases.clone().find(|case| is_any(case)) {
            nodes.extend(make(self, any)?);
            return Ok(());
        }
        for (at, case) in cases.clone().enumerate() {
            // Objects and arrays made alike are two nodes all the same.
            let signs = case.signs.get(kind).filter(|signs| !signs.is_empty());
            if signs.is_some_and(|signs| cases.clone().take(at).any(|before| before.signs[kind] == *signs)) {
                continue;
            }
            let node = make(self, case)?;
            nodes.extend(node.filter(|node| !nodes.contains(node)));
        }
        Ok(())
    }

    fn number(&mut self, case: &Case<'py>) -> PyResult<Option<u32>> {
        let [integers, numbers, spelled] = self.stock.numbers;
        if let Some(place) = &case.unread {
            return self.any(place);
        }
        if let (true, Some(digits)) = (case.low.is_some() || case.high.is_some(), self.stock.digits) {
            return self.make(|builder| number::integers(builder, case.low, case.high, digits));
        }
        Ok(Some(match case.mask & NUMBER {
            INTEGER if case.spelled => spelled,
            INTEGER => integers,
            _ => numbers,
        }))
    }

    /// The part of a place, made once, whether it is met there or as an alternative elsewhere.
    pub(crate) fn once(
        &mut self,
        place: Option<usize>,
        kind: usize,
        make: impl FnOnce(&mut Self) -> PyResult<Option<u32>>,
    ) -> PyResult<Option<u32>> {
        let Some(place) = place else { return make(self) };
        if let Some(node) = self.part(place, kind) {
            return Ok(node);
        }
        let node = make(self)?;
        self.keep_part(place, kind, node);
        Ok(node)
    }

    // -- strings ----------------------------------------------------------------------------------------------
    /// A union of strings, joined before it is quoted.
    fn texts(&mut self, cases: &[Case<'py>], nodes: &mut Vec<u32>) -> PyResult<()> {
        let mut found = Vec::new();
        for case in cases.iter().filter(|case| case.mask & STRING != 0) {
            if case.any_text() {
                nodes.push(self.stock.string);
                return Ok(());
            }
            found.extend(self.text(case)?.filter(|node| !found.contains(node)));
        }
        let free = self.stock.free;
        if !found.is_empty() {
            nodes.push(self.node(|builder| {
                let node = if let [node] = found[..] { node } else { builder.alt(&found)?.number() };
                builder.quoted(node, free)
            })?);
        }
        Ok(())
    }

    /// The regular node of the decoded texts (string.py).
    fn text(&mut self, case: &Case<'py>) -> PyResult<Option<u32>> {
        let (least, most) = case.length;
        if let Some(mut texts) = listed(case) {
            if !case.matches.is_empty() {
                let mut kept = Vec::new();
                for text in texts {
                    let fits = self.make(|builder| {
                        case.matches.iter().try_fold(true, |fits, &node| Ok(fits && builder.accepts(node, &text)?))
                    })?;
                    kept.extend(fits.then_some(text));
                }
                texts = kept;
            }
            if texts.is_empty() {
                return Ok(None);
            }
            // Sorting many of them is one long step.
            let (many, py) = (texts.len() >= 1_000, self.py);
            return self
                .node(|builder| if many { without(py, || builder.words(texts)) } else { builder.words(texts) })
                .map(Some);
        }
        if most.is_some_and(|most| most < least) {
            return Ok(None);
        }
        let node = match case.matches[..] {
            [] => self.stock.texts,
            [node] => node,
            _ => self.node(|builder| builder.and(&case.matches))?,
        };
        if (least, most) == (0, None) {
            return Ok(Some(node));
        }
        self.node(|builder| builder.bounded(node, count(least), most.map(count))).map(Some)
    }

    // -- arrays -----------------------------------------------------------------------------------------------
    fn array(&mut self, case: &Case<'py>) -> PyResult<Option<u32>> {
        if case.any_array() {
            return Ok(Some(self.stock.array));
        }
        self.once(case.places[ARRAYS], ARRAYS, |walk| walk.new_array(case))
    }

    fn new_array(&mut self, case: &Case<'py>) -> PyResult<Option<u32>> {
        let (least, mut most) = case.count;
        if most.is_some_and(|most| most < least) {
            return Ok(None);
        }
        let mut item = None;
        if most != Some(0) {
            item = match &case.items {
                Some(items) => self.below(items, case.pointer.as_deref(), "items", None)?,
                None => Some(self.stock.any),
            };
        }
        if item.is_none() {
            most = Some(0);
            if least > 0 {
                return Ok(None);
            }
        }
        let unique = case.unique && most.is_none_or(|most| most > 1);
        let [.., comma, _, open, close, empty] = self.stock.punctuation;
        let most = most.filter(|_| item.is_some()).map(count);
        self.node(|builder| {
            let signs = punctuation(builder, [open, close, comma, comma, empty])?;
            array(builder, &[], item, signs, count(least), most, unique)
        })
        .map(Some)
    }
}

pub fn punctuation(builder: &Builder, [open, close, colon, comma, empty]: [u32; 5]) -> Result<Punctuation> {
    let node = |id| builder.node(id);
    Ok(Punctuation {
        open: node(open)?,
        close: node(close)?,
        colon: node(colon)?,
        comma: node(comma)?,
        empty: node(empty)?,
    })
}

/// Items by position and then any number of `rest`, where `unique` no two of the same value.
pub fn array(
    builder: &mut Builder,
    prefix: &[u32],
    rest: Option<u32>,
    punctuation: Punctuation,
    min: u32,
    max: Option<u32>,
    unique: bool,
) -> Result<TermId> {
    if !unique {
        return builder.array(prefix, rest, punctuation, min, max);
    }
    let mut states: Vec<(bool, Vec<(u32, u32)>)> =
        prefix.iter().enumerate().map(|(at, &item)| (true, vec![(item, at as u32 + 1)])).collect();
    let last = states.len() as u32;
    states.push((true, rest.map(|rest| (rest, last)).into_iter().collect()));
    builder.unique_array(&states, punctuation, min, max)
}
