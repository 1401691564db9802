//! Keys without a name → regions in which every key meets the same demands.

use super::shape::Shape;
use crate::condition::{ConjunctionId, Members};
use crate::error::{Error, Result};
use crate::types::{Algebra, Terms};
use frisket_core::regular::term::TermId;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::BTreeSet;

/// Regions that overlapping key patterns may cut the keys into.
const REGIONS: usize = 128;

/// Keys that meet the same demands.
pub(super) struct Region {
    /// The regular node of the keys.
    pub keys: TermId,
    /// What their values must meet.
    pub asked: ConjunctionId,
    /// What each of the marked constraints admits.
    pub admitted: Vec<ConjunctionId>,
}

/// The keys without a name, cut into regions; if `closed`, only those that some pattern covers. Errors: limits.
pub(super) fn regions(algebra: &mut impl Algebra, shape: &Shape, closed: bool) -> Result<Vec<Region>> {
    let everything = algebra.builder().any_text()?;
    if !shape.is_patterned {
        let mut asked = ConjunctionId::ANYTHING;
        for members in &shape.members {
            asked = algebra.both(asked, members.rest);
        }
        if closed || asked.is_nothing() {
            return Ok(Vec::new());
        }
        let admitted: Vec<_> = shape.marked().iter().map(|members| members.rest).collect();
        let keys = match shape.names {
            Some(names) => algebra.key_texts(names)?,
            None => Some(everything),
        };
        return Ok(keys.map(|keys| Region { keys, asked, admitted }).into_iter().collect());
    }
    let Some(allowed) = (match shape.names {
        Some(names) => algebra.key_texts(names)?,
        None => Some(everything),
    }) else {
        return Ok(Vec::new());
    };
    let alike = same_demands(algebra, shape)?;
    let mut cut = cut(algebra, allowed, &alike.values().copied().collect())?;
    if closed {
        let patterns = shape.members.iter().flat_map(|members| &members.patterns);
        let covered: BTreeSet<TermId> = patterns.map(|(pattern, _)| alike[pattern]).collect();
        cut.retain(|(_, inside)| !inside.is_disjoint(&covered));
    }
    merged(algebra, shape, closed, allowed, &alike, cut)
}

/// (nodes that the keys are in, patterns among them)
type Piece = (Vec<TermId>, BTreeSet<TermId>);

/// The allowed keys cut by every pattern.
fn cut(algebra: &mut impl Algebra, allowed: TermId, patterns: &IndexSet<TermId, FxBuildHasher>) -> Result<Vec<Piece>> {
    let mut pieces: Vec<Piece> = vec![(vec![allowed], BTreeSet::new())];
    for &pattern in patterns {
        let complement = algebra.builder().not(pattern.number())?;
        let mut split = Vec::new();
        for (nodes, inside) in pieces {
            for (node, is_inside) in [(pattern, true), (complement, false)] {
                let (mut nodes, mut inside) = (nodes.clone(), inside.clone());
                nodes.push(node);
                if is_inside {
                    inside.insert(pattern);
                }
                if !algebra.no_key_is_in(&nodes, inside.len())? {
                    split.push((nodes, inside));
                }
            }
        }
        pieces = split;
        if pieces.len() > REGIONS {
            let error = Error::limit(format!("key patterns overlap in more than {REGIONS} ways"));
            return Err(error.at(algebra.place()));
        }
    }
    Ok(pieces)
}

/// The pieces with the same demands, joined.
fn merged(
    algebra: &mut impl Algebra,
    shape: &Shape,
    closed: bool,
    allowed: TermId,
    alike: &Alike,
    pieces: Vec<Piece>,
) -> Result<Vec<Region>> {
    let everything = algebra.builder().any_text()?;
    let marked = shape.marked();
    let count = pieces.len();
    type Demands = (ConjunctionId, Vec<ConjunctionId>);
    let mut found: IndexMap<Demands, Vec<TermId>, FxBuildHasher> = IndexMap::default();
    for (nodes, inside) in pieces {
        let mut asked = ConjunctionId::ANYTHING;
        for members in &shape.members {
            let more = within(algebra, members, &inside, alike);
            asked = algebra.both(asked, more);
        }
        if asked.is_nothing() {
            continue;
        }
        let admitted = marked.iter().map(|members| within(algebra, members, &inside, alike)).collect();
        let mut trimmed: Vec<TermId> = nodes.into_iter().filter(|&node| node != everything).collect();
        if allowed == everything && inside.is_empty() {
            trimmed.insert(0, everything);
        }
        let keys = if trimmed.is_empty() { everything } else { Terms::new(algebra.builder()).and(&trimmed)? };
        found.entry((asked, admitted)).or_default().push(keys);
    }
    let is_whole = !closed && found.len() == 1 && found.values().all(|keys| keys.len() == count);
    let mut regions = Vec::new();
    for ((asked, admitted), keys) in found {
        let keys = if is_whole { allowed } else { Terms::new(algebra.builder()).alt(&keys)? };
        regions.push(Region { keys, asked, admitted });
    }
    Ok(regions)
}

/// For each key pattern the node that stands for it.
type Alike = IndexMap<TermId, TermId, FxBuildHasher>;

/// Patterns that ask the same of their members are one.
fn same_demands(algebra: &mut impl Algebra, shape: &Shape) -> Result<Alike> {
    type Asked = Vec<(usize, ConjunctionId)>;
    let mut demands: IndexMap<TermId, Asked, FxBuildHasher> = IndexMap::default();
    let marked = shape.marked();
    for (place, members) in shape.members.iter().chain(&marked).enumerate() {
        for &(pattern, asked) in &members.patterns {
            demands.entry(pattern).or_default().push((place, asked));
        }
    }
    let mut groups: IndexMap<&Asked, Vec<TermId>, FxBuildHasher> = IndexMap::default();
    for (pattern, asked) in &demands {
        groups.entry(asked).or_default().push(*pattern);
    }
    let mut found = FxHashMap::default();
    for patterns in groups.values() {
        let node = Terms::new(algebra.builder()).alt(patterns)?;
        found.extend(patterns.iter().map(|&pattern| (pattern, node)));
    }
    Ok(demands.keys().map(|pattern| (*pattern, found[pattern])).collect())
}

/// What constraints ask of a key without a name that is in just these patterns.
fn within(algebra: &mut impl Algebra, members: &Members, inside: &BTreeSet<TermId>, alike: &Alike) -> ConjunctionId {
    let mut found = None;
    for (pattern, asked) in &members.patterns {
        if inside.contains(&alike[pattern]) {
            found = Some(algebra.both(found.unwrap_or(ConjunctionId::ANYTHING), *asked));
        }
    }
    found.unwrap_or(members.rest)
}
