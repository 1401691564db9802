//! Values of members × demands that some member breaks → marks on the values, and what is left to ask of the marks.
//!
//! A value carries a mark for each demand that it breaks. What every object meets, and what none can, is decided here;
//! the rest is for the engine to count.

use crate::condition::ConjunctionId;
use crate::error::{Error, Kind, Result};
use crate::types::{Lowering, DEPTH};
use frisket_core::regular::term::TermId;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Ways to break some of the demands on one member and meet the others.
const WAYS: usize = 256;

/// A set of marks, as bits.
pub(super) type Marks = u64;

/// The alternatives of one member: a node, and the marks that its values leave.
pub(super) type Values = Vec<(TermId, Marks)>;
/// A named member: whether it is required; any other key: none. And its values.
pub(super) type Member<'m> = (Option<&'m mut bool>, &'m mut Values);
/// Values with their marks, made once for each builder.
#[derive(Debug, Clone, Default)]
pub struct MarkedValues(FxHashMap<(ConjunctionId, Vec<ConjunctionId>, u32), Values>);

/// The marks that are left to ask for, or None if no object leaves all of them.
///
/// `members` are the values of each named member with whether it is required, and those of other keys. A member that
/// alone can leave a mark that must come is required from now on. Marks that nothing is left to ask for are taken off.
pub(super) fn simplified(members: &mut [Member<'_>], mut wanted: Marks) -> Option<Marks> {
    loop {
        let reached = members.iter().flat_map(|(_, values)| values.iter()).fold(0, |all, (_, marks)| all | marks);
        let common = |values: &Values| values.iter().fold(reached, |all, (_, marks)| all & marks);
        let needed = members.iter().filter(|(is_required, _)| is_required.as_deref() == Some(&true));
        wanted &= !needed.fold(0, |all, (_, values)| all | common(values));
        if wanted & !reached != 0 {
            return None;
        }
        let mut has_changed = false;
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
    for (_, marks) in members.iter_mut().flat_map(|(_, values)| values.iter_mut()) {
        *marks &= wanted;
    }
    Some(wanted)
}

/// The values that meet a conjunction, each with the demands that it breaks. A value that breaks several at once
/// carries all their marks; one that breaks a demand may lack its mark.
///
/// `admitted` is what each demand admits. Errors: limits.
pub(super) fn with_marks<L: Lowering>(
    lowering: &mut L,
    asked: ConjunctionId,
    admitted: &[ConjunctionId],
) -> Result<Values> {
    if asked.is_nothing() {
        return Ok(Vec::new());
    }
    let key = (asked, admitted.to_vec(), lowering.level());
    if let Some(found) = lowering.marked_values().0.get(&key) {
        return Ok(found.clone());
    }
    let found = marked(lowering, asked, admitted)?;
    lowering.marked_values().0.insert(key, found.clone());
    Ok(found)
}

fn marked<L: Lowering>(lowering: &mut L, asked: ConjunctionId, admitted: &[ConjunctionId]) -> Result<Values> {
    // Marks that every value carries, and the others by what breaks their demand.
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
        let mut found = ways.clone();
        for &(asked, marks) in &ways {
            found.push((lowering.both(asked, outside), marks | several));
        }
        ways.clear();
        for way in found {
            // One constraint alone is known to leave something of the conjunction.
            if first || !lowering.is_empty(way.0, DEPTH)? {
                ways.push(way);
            }
        }
        if ways.len() > WAYS {
            return Err(too_many(lowering, format!("{} demands on one member at once", open.len())));
        }
    }
    let mut found: IndexMap<TermId, Marks, FxBuildHasher> = IndexMap::default();
    for (asked, marks) in ways {
        if let Some(node) = lowering.lower(asked)? {
            *found.entry(node).or_default() |= marks;
        }
    }
    Ok(found.into_iter().collect())
}

/// The error of an object on which the engine cannot keep account of so much.
pub(super) fn too_many<L: Lowering>(lowering: &L, message: String) -> Box<Error> {
    Error::new(Kind::TooManyAlternatives, message).at(lowering.place())
}

#[cfg(test)]
mod tests {
    use super::*;
    use frisket_core::regular::term::EPSILON;

    fn left(members: &[(bool, &[Marks])], wanted: Marks) -> (Option<Marks>, Vec<Vec<Marks>>) {
        let values = |marks: &&[Marks]| marks.iter().map(|&marks| (EPSILON, marks)).collect::<Values>();
        let mut made: Vec<(bool, Values)> = members.iter().map(|(needed, marks)| (*needed, values(marks))).collect();
        let mut given: Vec<Member> = made.iter_mut().map(|(needed, values)| (Some(needed), values)).collect();
        let found = simplified(&mut given, wanted);
        (found, made.iter().map(|(_, values)| values.iter().map(|&(_, marks)| marks).collect()).collect())
    }

    #[test]
    fn what_every_object_meets_is_not_asked_for() {
        assert_eq!(left(&[(true, &[1, 3])], 1), (Some(0), vec![vec![0, 0]]));
        let two: [(bool, &[Marks]); 2] = [(false, &[1, 2]), (false, &[1])];
        assert_eq!(left(&two, 1), (Some(1), vec![vec![1, 0], vec![1]]));
    }

    #[test]
    fn a_member_that_alone_leaves_a_mark_is_required() {
        let mut values: Values = vec![(EPSILON, 1), (EPSILON, 2), (EPSILON, 3)];
        let mut is_required = false;
        let found = simplified(&mut [(Some(&mut is_required), &mut values)], 1);
        assert_eq!((found, is_required, values.len()), (Some(0), true, 2), "with a value that leaves it");
        let mut others: Values = vec![(EPSILON, 1)];
        assert_eq!(simplified(&mut [(None, &mut others)], 1), Some(1), "many keys may leave it");
    }

    #[test]
    fn what_no_object_can_meet_is_found() {
        assert_eq!(left(&[(false, &[2])], 1).0, None);
    }
}
