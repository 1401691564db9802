//! Conditions of one value, type by type; conditions × conditions → the conditions of a value that meets both.
//!
//! The Rust side of `Case` in value.py: the data of the reader's algebra of schemas, apart from its operations.

use crate::identity::Sign;
use crate::number;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::collections::HashSet;
use std::rc::Rc;

/// Types, as in `value.py`.
pub const NULL: u8 = 1;
pub const FALSE: u8 = 2;
pub const TRUE: u8 = 4;
pub const WORDS: u8 = NULL | FALSE | TRUE;
pub const INTEGER: u8 = 8;
pub const NUMBER: u8 = 24;
pub const STRING: u8 = 32;
pub const ARRAY: u8 = 64;
pub const OBJECT: u8 = 128;
pub const ANY: u8 = 255;

/// Products above this size are searched for contradictions.
const CROWD: usize = 6;

/// The conditions of one place, type by type; what a `Case` of value.py is to the algebra.
#[derive(Clone)]
pub struct Case<'py> {
    pub mask: u8,
    /// Whether integers are known by their spelling, as in draft 4.
    pub spelled: bool,
    /// Bounds of integers.
    pub low: Option<number::Bound>,
    pub high: Option<number::Bound>,
    /// The place, if it says what only Python reads.
    pub unread: Option<Bound<'py, PyDict>>,
    pub texts: Option<Vec<Box<[u8]>>>,
    pub length: (u64, Option<u64>),
    /// Whether it is a pattern or a format, and which; once they are read, their nodes.
    pub asked: Vec<(bool, Bound<'py, PyString>)>,
    pub matches: Vec<u32>,
    /// Whether a node is not all of a format's texts (`Stock.cut`).
    pub cut: bool,
    pub fields: Vec<Fields<'py>>,
    pub required: Vec<Bound<'py, PyString>>,
    /// If the first key is there, so is the second.
    pub implies: Vec<Implied<'py>>,
    pub members: (u64, Option<u64>),
    /// What items must meet; nothing said, nothing asked.
    pub items: Option<Bound<'py, PyAny>>,
    pub count: (u64, Option<u64>),
    pub unique: bool,
    /// The pointer of the items' place, if that is not the place being read.
    pub pointer: Option<Rc<str>>,
    /// What is said of arrays and of objects, in order, where alternatives are to be told apart.
    pub signs: [Vec<Sign>; 2],
    /// The places that alone say something of arrays and of objects.
    pub places: [Option<usize>; 2],
}

pub type Implied<'py> = (Bound<'py, PyString>, Bound<'py, PyString>);

/// Demands on members by key, of one place.
#[derive(Clone, Default)]
pub struct Fields<'py> {
    pub names: Option<Bound<'py, PyDict>>,
    pub patterns: Option<Bound<'py, PyDict>>,
    /// The nodes of the patterns, once they are read.
    pub keys: Vec<u32>,
    /// What members must meet that neither names nor patterns cover; nothing said, nothing asked.
    pub rest: Option<Bound<'py, PyAny>>,
    /// Whether the place says what they must meet, where that keeps the object open.
    pub opens: bool,
    /// As of a case.
    pub pointer: Option<Rc<str>>,
}

impl Fields<'_> {
    /// Whether they say anything.
    pub fn asks(&self) -> bool {
        self.names.is_some() || self.patterns.is_some() || self.rest.is_some() || self.opens
    }
}

impl Default for Case<'_> {
    fn default() -> Self {
        Case {
            mask: ANY,
            spelled: false,
            low: None,
            high: None,
            unread: None,
            texts: None,
            length: (0, None),
            asked: Vec::new(),
            matches: Vec::new(),
            cut: false,
            fields: Vec::new(),
            required: Vec::new(),
            implies: Vec::new(),
            members: (0, None),
            items: None,
            count: (0, None),
            unique: false,
            pointer: None,
            signs: [Vec::new(), Vec::new()],
            places: [None, None],
        }
    }
}

impl Case<'_> {
    pub fn any_number(&self) -> bool {
        !self.spelled && self.unread.is_none() && self.low.is_none() && self.high.is_none()
    }

    pub fn any_text(&self) -> bool {
        self.texts.is_none() && self.length == (0, None) && self.asked.is_empty() && self.matches.is_empty()
    }

    /// Whether members are listed, and nothing says what others must meet.
    pub fn closes(&self) -> bool {
        let opens = self.fields.iter().any(|fields| fields.opens || fields.rest.is_some());
        !opens && self.fields.iter().any(|fields| fields.names.is_some() || fields.patterns.is_some())
    }

    /// Whether more is asked of a text than a format of which not all texts are written.
    pub fn cuts_too_much(&self) -> bool {
        self.cut && (self.texts.is_some() || self.length != (0, None) || self.matches.len() > 1)
    }

    pub fn any_array(&self) -> bool {
        self.items.is_none() && self.count == (0, None) && !self.unique
    }

    pub fn any_object(&self) -> bool {
        self.fields.is_empty() && self.required.is_empty() && self.implies.is_empty() && self.members == (0, None)
    }

    pub fn anything(&self) -> bool {
        self.mask == ANY && self.any_number() && self.any_text() && self.any_array() && self.any_object()
    }
}

/// The texts that a case lists, of those that meet its lengths.
pub fn listed(case: &Case<'_>) -> Option<Vec<Box<[u8]>>> {
    let (least, most) = case.length;
    let fits = |text: &[u8]| {
        let chars = text.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u64;
        chars >= least && most.is_none_or(|most| chars <= most)
    };
    case.texts.as_ref().map(|texts| texts.iter().filter(|text| fits(text)).cloned().collect())
}

pub enum Met<'py> {
    Nothing,
    Case(Box<Case<'py>>),
    Unknown,
}

pub fn product<'py>(left: Vec<Case<'py>>, right: Vec<Case<'py>>) -> Option<Vec<Case<'py>>> {
    if matches!(&left[..], [case] if case.anything()) {
        return Some(right);
    }
    if matches!(&right[..], [case] if case.anything()) {
        return Some(left);
    }
    let mut found = Vec::new();
    for (case, other) in left.iter().flat_map(|case| right.iter().map(move |other| (case, other))) {
        match meet(case, other) {
            Met::Nothing => {}
            Met::Case(both) => found.push(*both),
            Met::Unknown => return None,
        }
    }
    (found.len() <= CROWD).then_some(found)
}

pub fn meet<'py>(left: &Case<'py>, right: &Case<'py>) -> Met<'py> {
    let mask = left.mask & right.mask;
    if mask == 0 {
        return Met::Nothing;
    }
    let mut both = left.clone();
    both.mask = mask;
    if mask & NUMBER != 0 {
        both.spelled |= right.spelled;
        both.low = higher(left.low, right.low);
        both.high = lower(left.high, right.high);
        let unread = left.unread.as_ref().or(right.unread.as_ref());
        if let Some(unread) = unread {
            let (reader, other) = if left.unread.is_some() { (left, right) } else { (right, left) };
            let asks = other.unread.is_some() || other.low.is_some() || other.high.is_some();
            if asks || other.spelled != reader.spelled || reader.mask != mask {
                return Met::Unknown;
            }
            both.unread = Some(unread.clone());
        }
    } else {
        (both.unread, both.low, both.high) = (None, None, None);
    }
    if mask & STRING != 0 {
        both.length = narrower(left.length, right.length);
        both.texts = match (&left.texts, &right.texts) {
            (Some(texts), Some(others)) => {
                let others: HashSet<&[u8]> = others.iter().map(|text| &**text).collect();
                Some(texts.iter().filter(|text| others.contains(&***text)).cloned().collect())
            }
            (texts, others) => texts.clone().or_else(|| others.clone()),
        };
        for &node in &right.matches {
            if !both.matches.contains(&node) {
                both.matches.push(node);
            }
        }
        both.cut |= right.cut;
        if both.cuts_too_much() {
            return Met::Unknown;
        }
    }
    if mask & ARRAY != 0 {
        both.places[0] = sole(left, right, 0, Case::any_array);
        both.count = narrower(left.count, right.count);
        both.unique |= right.unique;
        match (&left.items, &right.items) {
            (Some(items), Some(others)) if !items.is(others) => return Met::Unknown,
            (None, Some(items)) => {
                both.items = Some(items.clone());
                both.pointer.clone_from(&right.pointer);
            }
            _ => {}
        }
        joined(&mut both.signs[0], &right.signs[0]);
    } else {
        both.items = None;
        both.signs[0].clear();
    }
    if mask & OBJECT != 0 {
        both.places[1] = sole(left, right, 1, Case::any_object);
        both.members = narrower(left.members, right.members);
        both.fields.extend(right.fields.iter().cloned());
        both.required.extend(right.required.iter().cloned());
        for pair in &right.implies {
            let is_same = |(key, needs): &Implied<'py>| same(key, &pair.0) && same(needs, &pair.1);
            if !both.implies.iter().any(is_same) {
                both.implies.push(pair.clone());
            }
        }
        joined(&mut both.signs[1], &right.signs[1]);
    } else {
        both.signs[1].clear();
        both.fields.clear();
        both.required.clear();
        both.implies.clear();
    }
    Met::Case(Box::new(both))
}

/// The place that says all there is of a type, if one does.
fn sole<'py>(left: &Case<'py>, right: &Case<'py>, kind: usize, is_any: fn(&Case<'py>) -> bool) -> Option<usize> {
    match (left.places[kind], right.places[kind]) {
        (_, place) if is_any(left) => place,
        (place, _) if is_any(right) => place,
        (place, other) => place.filter(|_| place == other),
    }
}

pub fn same(left: &Bound<'_, PyString>, right: &Bound<'_, PyString>) -> bool {
    left.to_str().is_ok_and(|left| right.to_str().is_ok_and(|right| left == right))
}

fn joined(signs: &mut Vec<Sign>, others: &[Sign]) {
    for sign in others {
        if !signs.contains(sign) {
            signs.push(sign.clone());
        }
    }
}

fn narrower(left: (u64, Option<u64>), right: (u64, Option<u64>)) -> (u64, Option<u64>) {
    let most = match (left.1, right.1) {
        (Some(most), Some(other)) => Some(most.min(other)),
        (most, other) => most.or(other),
    };
    (left.0.max(right.0), most)
}

/// The bound from below that asks for more.
pub fn higher(bound: Option<number::Bound>, other: Option<number::Bound>) -> Option<number::Bound> {
    bound.max(other)
}

/// The bound from above that asks for more.
pub fn lower(bound: Option<number::Bound>, other: Option<number::Bound>) -> Option<number::Bound> {
    let tighter = |bound: number::Bound, other: number::Bound| {
        if (other.0, !other.1) < (bound.0, !bound.1) {
            other
        } else {
            bound
        }
    };
    match (bound, other) {
        (Some(bound), Some(other)) => Some(tighter(bound, other)),
        (bound, other) => bound.or(other),
    }
}
