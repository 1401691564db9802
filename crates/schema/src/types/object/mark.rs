//! Values of members × constraints that some member must break → marks on the values, and clauses over the marks.
//!
//! A value carries a mark for each constraint that it breaks. Clauses that every object meets, or none, are decided
//! here; the engine checks the others.

use super::shape::Shape;
use crate::condition::{ConjunctionId, Members};
use crate::error::{Error, Kind, Result};
use crate::types::{Lowering, DEPTH};
use frisket_core::regular::term::TermId;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Most ways in which one member breaks some constraints and meets the others.
const WAYS: usize = 256;

/// A set of marks, as bits. The engine has bits for half as many, as most are decided before.
pub(super) type Marks = u128;

/// Most constraints of one object that need a mark.
pub const MARKED: usize = Marks::BITS as usize;
/// The alternatives of one member: a node, and the marks that its values leave.
pub(super) type Values = Vec<(TermId, Marks)>;
/// The values of a member, and whether it is required; None for keys without a name.
pub(super) type Member<'m> = (Option<&'m mut bool>, &'m mut Values);
/// (premises, conclusions): all marks of the first imply one of the second.
pub(super) type MarkClause = (Marks, Marks);

/// Values with their marks, made once for each builder.
#[derive(Debug, Clone, Default)]
pub struct MarkedValues(FxHashMap<(ConjunctionId, Vec<ConjunctionId>, Marks, u32), Values>);

/// The clauses of a shape over marks; the place of a constraint in `marked` is its mark.
pub(super) fn clauses_of(shape: &Shape, marked: &[Members]) -> Vec<MarkClause> {
    let bit = |members: &Members| {
        marked.iter().position(|other| other == members).and_then(|at| (1 as Marks).checked_shl(at as u32)).unwrap_or(0)
    };
    let bits = |some: &[Members]| some.iter().fold(0, |bits, members| bits | bit(members));
    shape.clauses.iter().map(|clause| (bits(&clause.premises), bits(&clause.conclusions))).collect()
}

/// The clauses that are left to check, or None if no object meets them. Removes values that no object can have.
///
/// If a mark must come and only one named member can leave it, that member becomes required. Marks that no clause has
/// any more are removed from the values.
pub(super) fn simplified(members: &mut [Member<'_>], clauses: &[MarkClause]) -> Option<Vec<MarkClause>> {
    let mut clauses: IndexSet<MarkClause, FxBuildHasher> = clauses.iter().copied().collect();
    loop {
        let reached = members.iter().flat_map(|(_, values)| values.iter()).fold(0, |all, (_, marks)| all | marks);
        let common = |values: &Values| values.iter().fold(reached, |all, (_, marks)| all & marks);
        let needed = members.iter().filter(|(is_required, _)| is_required.as_deref() == Some(&true));
        let sure = needed.fold(0, |all, (_, values)| all | common(values));
        let left =
            clauses.iter().filter(|&&(premises, conclusions)| premises & !reached == 0 && conclusions & sure == 0);
        clauses = left.map(|&(premises, conclusions)| (premises & !sure, conclusions & reached)).collect();
        if clauses.contains(&(0, 0)) {
            return None;
        }
        let bans = |&&(premises, conclusions): &&MarkClause| conclusions == 0 && premises.count_ones() == 1;
        let banned = clauses.iter().filter(bans).fold(0, |all, (premises, _)| all | premises);
        let is_unit = |&&(premises, conclusions): &&MarkClause| premises == 0 && conclusions.count_ones() == 1;
        let wanted = clauses.iter().filter(is_unit).fold(0, |all, (_, conclusions)| all | conclusions);
        let mut has_changed = banned != 0;
        for (is_required, values) in members.iter_mut() {
            values.retain(|(_, marks)| marks & banned == 0);
            if is_required.as_deref() == Some(&true) && values.is_empty() {
                return None;
            }
        }
        for mark in (0..Marks::BITS).map(|bit| 1 << bit).filter(|mark| wanted & mark != 0) {
            let leaves_it = |values: &Values| values.iter().any(|(_, marks)| marks & mark != 0);
            let mut givers = members.iter_mut().filter(|(_, values)| leaves_it(values));
            if let (Some((Some(is_required), values)), None) = (givers.next(), givers.next()) {
                **is_required = true;
                values.retain(|(_, marks)| marks & mark != 0);
                has_changed = true;
            }
        }
        if !has_changed {
            break;
        }
    }
    let kept = marks_of(clauses.iter());
    for (_, marks) in members.iter_mut().flat_map(|(_, values)| values.iter_mut()) {
        *marks &= kept;
    }
    Some(clauses.into_iter().collect())
}

/// All marks in clauses.
pub(super) fn marks_of<'c>(clauses: impl IntoIterator<Item = &'c MarkClause>) -> Marks {
    clauses.into_iter().fold(0, |all, (premises, conclusions)| all | premises | conclusions)
}

/// A set of marks as bits of the engine: unchanged if these suffice for `all`, otherwise renumbered.
pub(super) fn engine_bits(marks: Marks, all: Marks) -> u64 {
    match u64::try_from(all) {
        Ok(_) => marks as u64,
        Err(_) => {
            let places = (0..Marks::BITS).filter(|place| all >> place & 1 == 1);
            places.enumerate().fold(0, |bits, (bit, place)| bits | ((marks >> place & 1) as u64) << bit)
        }
    }
}

/// The values that meet a conjunction, each with marks for the constraints that it breaks. A value that breaks several
/// carries all their marks.
///
/// `admitted` has the values that each constraint admits. A value that breaks a constraint may lack its mark, unless
/// that is among `exact`. Errors: limits.
pub(super) fn with_marks<L: Lowering>(
    lowering: &mut L,
    asked: ConjunctionId,
    admitted: &[ConjunctionId],
    exact: Marks,
) -> Result<Values> {
    if asked.is_nothing() {
        return Ok(Vec::new());
    }
    let key = (asked, admitted.to_vec(), exact, lowering.level());
    if let Some(found) = lowering.marked_values().0.get(&key) {
        return Ok(found.clone());
    }
    let found = marked(lowering, asked, admitted, exact)?;
    lowering.marked_values().0.insert(key, found.clone());
    Ok(found)
}

fn marked<L: Lowering>(
    lowering: &mut L,
    asked: ConjunctionId,
    admitted: &[ConjunctionId],
    exact: Marks,
) -> Result<Values> {
    // The marks that every value carries; and for each other mark, the values that break its constraint.
    let mut free: Marks = 0;
    let mut open: IndexMap<ConjunctionId, Marks, FxBuildHasher> = IndexMap::default();
    for (number, &admits) in admitted.iter().enumerate() {
        let outside = lowering.negated(admits);
        let breaking = lowering.both(asked, outside);
        if outside.is_nothing() || lowering.is_empty(breaking, DEPTH)? {
            continue;
        }
        let meeting = lowering.both(asked, admits);
        if outside.is_anything() || lowering.is_empty(meeting, DEPTH)? {
            free |= 1 << number;
        } else {
            *open.entry(outside).or_default() |= 1 << number;
        }
    }
    let mut ways = vec![(asked, free)];
    for (&outside, &several) in &open {
        let first = ways.len() == 1;
        let mut found = Vec::new();
        for &(asked, marks) in &ways {
            let inside = if several & exact == 0 { ConjunctionId::ANYTHING } else { lowering.negated(outside) };
            found.push((lowering.both(asked, inside), marks));
        }
        for &(asked, marks) in &ways {
            found.push((lowering.both(asked, outside), marks | several));
        }
        ways.clear();
        for way in found {
            // A single constraint is known to leave values on either side.
            if first || !lowering.is_empty(way.0, DEPTH)? {
                ways.push(way);
            }
        }
        if ways.len() > WAYS {
            return Err(too_many(lowering, format!("{} demands on one member at once", open.len())));
        }
    }
    let mut found: IndexMap<(TermId, Marks), Marks, FxBuildHasher> = IndexMap::default();
    for (asked, marks) in ways {
        if let Some(node) = lowering.lower(asked)? {
            *found.entry((node, marks & exact)).or_default() |= marks;
        }
    }
    Ok(found.into_iter().map(|((node, _), marks)| (node, marks)).collect())
}

/// The error of an object that needs too many marks.
pub(super) fn too_many<L: Lowering>(lowering: &L, message: String) -> Box<Error> {
    Error::new(Kind::TooManyAlternatives { in_all: false }, message).at(lowering.place())
}

#[cfg(test)]
mod tests {
    use super::*;
    use frisket_core::regular::term::EPSILON;

    fn left(members: &[(bool, &[Marks])], clauses: &[MarkClause]) -> (Option<Vec<MarkClause>>, Vec<Vec<Marks>>) {
        let values = |marks: &&[Marks]| marks.iter().map(|&marks| (EPSILON, marks)).collect::<Values>();
        let mut made: Vec<(bool, Values)> = members.iter().map(|(needed, marks)| (*needed, values(marks))).collect();
        let mut given: Vec<Member> = made.iter_mut().map(|(needed, values)| (Some(needed), values)).collect();
        let found = simplified(&mut given, clauses);
        (found, made.iter().map(|(_, values)| values.iter().map(|&(_, marks)| marks).collect()).collect())
    }

    #[test]
    fn what_every_object_meets_is_not_asked_for() {
        assert_eq!(left(&[(true, &[1, 3])], &[(0, 1)]), (Some(vec![]), vec![vec![0, 0]]));
        let two: [(bool, &[Marks]); 2] = [(false, &[1, 2]), (false, &[1])];
        assert_eq!(left(&two, &[(0, 1)]), (Some(vec![(0, 1)]), vec![vec![1, 0], vec![1]]));
        assert_eq!(left(&[(true, &[1]), (false, &[2, 0])], &[(1, 2)]).0, Some(vec![]), "one member alone can");
    }

    #[test]
    fn a_member_that_alone_leaves_a_mark_is_required() {
        let mut values: Values = vec![(EPSILON, 1), (EPSILON, 2), (EPSILON, 3)];
        let mut is_required = false;
        let found = simplified(&mut [(Some(&mut is_required), &mut values)], &[(0, 1)]);
        assert_eq!((found, is_required, values.len()), (Some(vec![]), true, 2), "with a value that leaves it");
        let mut others: Values = vec![(EPSILON, 1)];
        assert_eq!(simplified(&mut [(None, &mut others)], &[(0, 1)]), Some(vec![(0, 1)]), "many keys may leave it");
    }

    #[test]
    fn what_no_object_can_meet_is_found() {
        assert_eq!(left(&[(false, &[2])], &[(0, 1)]).0, None);
        assert_eq!(left(&[(true, &[1])], &[(1, 0)]).0, None);
        let (clauses, values) = left(&[(false, &[1, 2])], &[(1, 0)]);
        assert_eq!((clauses, values), (Some(vec![]), vec![vec![0]]), "the value that leaves mark 1 is taken out");
        assert_eq!(left(&[(true, &[1]), (false, &[])], &[(1, 0)]).0, None);
    }

    #[test]
    fn marks_are_renumbered_only_where_the_engine_has_too_few_bits() {
        assert_eq!(engine_bits(0b1010, 0b1110), 0b1010);
        let far: Marks = 1 << 100;
        assert_eq!(engine_bits(far | 2, far | 6), 0b101);
        assert_eq!(engine_bits(4, far | 6), 0b010);
    }
}
