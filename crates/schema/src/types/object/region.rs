//! Keys without a name → regions whose keys have the same constraints.

use super::shape::Shape;
use crate::condition::{ConjunctionId, Members};
use crate::error::{Error, Kind, Result};
use crate::types::{Algebra, Terms, DEPTH};
use frisket_core::regular::term::TermId;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Most regions into which overlapping key patterns may cut the keys.
const REGIONS: usize = 128;

/// Keys with the same constraints.
pub(super) struct Region {
    /// The regular node of the keys.
    pub keys: TermId,
    /// The constraint on their values.
    pub asked: ConjunctionId,
    /// The values that each of the marked constraints admits.
    pub admitted: Vec<ConjunctionId>,
}

/// The keys without a name, cut into regions; if `closed`, only those that match some pattern. Errors: limits.
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
    let (alike, demands) = same_demands(algebra, shape)?;
    let (mut pieces, has_valueless) = cut(algebra, shape, allowed, &alike, &demands)?;
    if closed {
        let patterns = shape.members.iter().flat_map(|members| &members.patterns);
        let covered: BTreeSet<TermId> = patterns.map(|(pattern, _)| alike[pattern]).collect();
        pieces.retain(|(_, inside)| !inside.is_disjoint(&covered));
    }
    merged(algebra, shape, closed || has_valueless, allowed, &alike, pieces)
}

/// (nodes whose intersection is the keys, the patterns among them)
type Piece = (Vec<TermId>, BTreeSet<TermId>);

/// The allowed keys, cut by every pattern, without those that can have no value; and whether there were such keys.
fn cut<A: Algebra>(
    algebra: &mut A,
    shape: &Shape,
    allowed: TermId,
    alike: &Alike,
    demands: &Demands,
) -> Result<(Vec<Piece>, bool)> {
    // A pattern need not cut the keys of a stronger one, whose constraints imply its own. The strongest come first.
    let mut implied: FxHashMap<TermId, FxHashSet<TermId>> = FxHashMap::default();
    for (&pattern, asked) in demands {
        let mut weaker = FxHashSet::default();
        for (&other, less) in demands.iter().filter(|(other, _)| **other != pattern) {
            if implies(algebra, asked, less)? {
                weaker.insert(other);
            }
        }
        implied.insert(pattern, weaker);
    }
    let mut patterns: Vec<TermId> = demands.keys().copied().collect();
    patterns.sort_by_key(|pattern| std::cmp::Reverse(implied[pattern].len()));
    let is_implied =
        |pattern: TermId, inside: &BTreeSet<TermId>| inside.iter().any(|stronger| implied[stronger].contains(&pattern));
    let mut overlaps: FxHashSet<(TermId, TermId)> = FxHashSet::default();
    for (place, &one) in patterns.iter().enumerate() {
        for &other in &patterns[..place] {
            if !is_keyless(algebra, &[one, other], 2)? {
                overlaps.extend([(one, other), (other, one)]);
            }
        }
    }
    let meets = |pattern: TermId, inside: &BTreeSet<TermId>| {
        inside.iter().all(|&other| pattern == other || overlaps.contains(&(pattern, other)))
    };
    // A pattern that is disjoint from one of a piece, or weaker, need not be excluded from the piece.
    let nodes = |algebra: &mut A, inside: &BTreeSet<TermId>, patterns: &[TermId]| -> Result<Vec<TermId>> {
        let mut found = vec![allowed];
        for &pattern in patterns {
            if inside.contains(&pattern) {
                found.push(pattern);
            } else if meets(pattern, inside) && !is_implied(pattern, inside) {
                found.push(complement(algebra, pattern)?);
            }
        }
        Ok(found)
    };
    let (mut pieces, mut has_valueless) = (vec![BTreeSet::new()], false);
    for (place, &pattern) in patterns.iter().enumerate() {
        let mut split = Vec::new();
        for without in pieces {
            if !meets(pattern, &without) || is_implied(pattern, &without) {
                split.push(without);
                continue;
            }
            let mut with = without.clone();
            with.insert(pattern);
            if with.len() > 1 && is_valueless(algebra, shape, &with, alike)? {
                has_valueless = true;
            } else {
                let keys = nodes(algebra, &with, &patterns[..=place])?;
                if !is_keyless(algebra, &keys, with.len())? {
                    split.push(with);
                }
            }
            // Whether some key is outside all patterns is searched once, at the end.
            let keys = nodes(algebra, &without, &patterns[..=place])?;
            if without.is_empty() || !is_keyless(algebra, &keys, without.len())? {
                split.push(without);
            }
        }
        pieces = split;
        if pieces.len() > REGIONS {
            let error = Error::limit(format!("key patterns overlap in more than {REGIONS} ways"));
            return Err(overlapping(algebra, error));
        }
    }
    let mut found = Vec::with_capacity(pieces.len());
    for inside in pieces {
        let keys = nodes(algebra, &inside, &patterns)?;
        if !inside.is_empty() || !is_keyless(algebra, &keys, 0)? {
            found.push((keys, inside));
        }
    }
    Ok((found, has_valueless))
}

/// Whether the constraints of one pattern imply those of another one.
fn implies(algebra: &mut impl Algebra, asked: &[Demand], less: &[Demand]) -> Result<bool> {
    for &(place, weaker) in less {
        let Some(&(_, stronger)) = asked.iter().find(|(other, _)| *other == place) else { return Ok(false) };
        let outside = algebra.negated(weaker);
        let both = algebra.both(stronger, outside);
        if !algebra.is_empty(both, DEPTH)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn complement(algebra: &mut impl Algebra, pattern: TermId) -> Result<TermId> {
    Ok(algebra.builder().not(pattern.number())?)
}

/// Whether certainly no key is in all the nodes; `shared` of them are patterns that must match.
fn is_keyless(algebra: &mut impl Algebra, nodes: &[TermId], shared: usize) -> Result<bool> {
    algebra.no_key_is_in(nodes, shared).map_err(|error| overlapping(algebra, error))
}

/// Whether certainly no value meets the constraints of these patterns together.
fn is_valueless(algebra: &mut impl Algebra, shape: &Shape, inside: &BTreeSet<TermId>, alike: &Alike) -> Result<bool> {
    let mut asked = ConjunctionId::ANYTHING;
    for (pattern, more) in shape.members.iter().flat_map(|members| &members.patterns) {
        if inside.contains(&alike[pattern]) {
            asked = algebra.both(asked, *more);
        }
    }
    algebra.is_empty(asked, DEPTH)
}

/// Turns the error of too many overlaps into one that may be loosened; other errors stay as they are.
fn overlapping(algebra: &impl Algebra, mut error: Box<Error>) -> Box<Error> {
    if error.kind == Kind::Limit {
        error.kind = Kind::TooManyAlternatives { in_all: false };
        return error.at(algebra.place());
    }
    error
}

/// Joins the pieces with the same constraints. `is_partial` says whether they lack some allowed keys.
fn merged(
    algebra: &mut impl Algebra,
    shape: &Shape,
    is_partial: bool,
    allowed: TermId,
    alike: &Alike,
    pieces: Vec<Piece>,
) -> Result<Vec<Region>> {
    let everything = algebra.builder().any_text()?;
    let marked = shape.marked();
    let count = pieces.len();
    type Asked = (ConjunctionId, Vec<ConjunctionId>);
    let mut found: IndexMap<Asked, Vec<TermId>, FxBuildHasher> = IndexMap::default();
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
    let is_whole = !is_partial && found.len() == 1 && found.values().all(|keys| keys.len() == count);
    let mut regions = Vec::new();
    for ((asked, admitted), keys) in found {
        let keys = if is_whole { allowed } else { Terms::new(algebra.builder()).alt(&keys)? };
        regions.push(Region { keys, asked, admitted });
    }
    Ok(regions)
}

/// Key pattern → the node that stands for it and for all patterns with the same constraints.
type Alike = IndexMap<TermId, TermId, FxBuildHasher>;
/// (index of member constraints, their constraint on members whose keys match)
type Demand = (usize, ConjunctionId);
/// Node that stands for patterns → their constraints.
type Demands = IndexMap<TermId, Vec<Demand>, FxBuildHasher>;

/// Joins patterns with the same constraints to one node.
fn same_demands(algebra: &mut impl Algebra, shape: &Shape) -> Result<(Alike, Demands)> {
    let mut demands: Demands = IndexMap::default();
    let marked = shape.marked();
    for (place, members) in shape.members.iter().chain(&marked).enumerate() {
        for &(pattern, asked) in &members.patterns {
            demands.entry(pattern).or_default().push((place, asked));
        }
    }
    let mut groups: IndexMap<&Vec<Demand>, Vec<TermId>, FxBuildHasher> = IndexMap::default();
    for (pattern, asked) in &demands {
        groups.entry(asked).or_default().push(*pattern);
    }
    let (mut nodes, mut by_node) = (FxHashMap::default(), Demands::default());
    for (&asked, patterns) in &groups {
        let node = Terms::new(algebra.builder()).alt(patterns)?;
        nodes.extend(patterns.iter().map(|&pattern| (pattern, node)));
        by_node.entry(node).or_default().extend(asked.iter().copied());
    }
    Ok((demands.keys().map(|pattern| (*pattern, nodes[pattern])).collect(), by_node))
}

/// The constraint on a key without a name that matches these patterns and no others.
fn within(algebra: &mut impl Algebra, members: &Members, inside: &BTreeSet<TermId>, alike: &Alike) -> ConjunctionId {
    let mut found = None;
    for (pattern, asked) in &members.patterns {
        if inside.contains(&alike[pattern]) {
            found = Some(algebra.both(found.unwrap_or(ConjunctionId::ANYTHING), *asked));
        }
    }
    found.unwrap_or(members.rest)
}
