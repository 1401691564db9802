//! State of an object → the fewest bytes until its end.
//!
//! Required members are summed. The larger of two bounds is added: one for the minimal count, one for missing marks.

use crate::automaton::distance::{difference, product, sum, Distances, NEVER};
use crate::automaton::machine::Machine;
use crate::error::Result;
use crate::json::object::Needs;
use crate::json::registers::{ObjectState, Value};
use crate::regular::id::{ObjectId, ObjectStateId};
use std::sync::Arc;

/// Distances of the parts of one object. A member's distance excludes its comma.
pub(super) struct ObjectDistances {
    named: Vec<MemberDistance>,
    others: Vec<MemberDistance>,
    /// By property: the sum of all required members from that property on, with commas.
    required_from: Vec<u64>,
    /// The shortest member.
    shortest: u64,
    comma: u64,
    close: u64,
}

struct MemberDistance {
    required: bool,
    key: u64,
    /// For each alternative: bytes of colon and value, and its marks.
    values: Vec<(u64, u64)>,
    /// The minimum of `values`.
    value: u64,
}

/// Members that an object in one state still needs.
pub(super) struct RemainingMembers {
    needs: Needs,
    /// Bytes of the required members with a comma each, and of the closing bracket.
    needed: u64,
    /// The next property in order, for objects that only `required` restricts.
    from: Option<u32>,
}

impl RemainingMembers {
    fn is_required(&self, members: &ObjectDistances, index: u32) -> bool {
        match self.from {
            Some(from) => index >= from && members.named[index as usize].required,
            None => self.needs.is_required(index),
        }
    }

    /// Whether no property is required any more.
    fn is_done(&self, members: &ObjectDistances) -> bool {
        match self.from {
            Some(from) => members.required_from[from as usize] == 0,
            None => self.needs.is_done(),
        }
    }
}

/// The member that is being read.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum CurrentMember {
    Named(u32),
    Other(u32),
}

impl ObjectDistances {
    fn next_member(&self) -> u64 {
        sum([self.comma, self.shortest])
    }

    /// Budget steps of one call of `mark_distance`.
    fn mark_cost(&self, needs: &Needs) -> u64 {
        (needs.marks.len() * (self.named.len() + self.others.len())) as u64
    }

    /// A lower bound of the bytes of further members that leave the missing marks. Each missing set of marks costs its
    /// cheapest member. The bound is the sum over sets that share no member, or the largest cost if that is more.
    fn mark_distance(&self, needs: &Needs, coming: u64, current: Option<CurrentMember>) -> u64 {
        let (mut dearest, mut summed) = (0, 0);
        let mut serving = vec![false; self.named.len() + self.others.len()];
        for &marks in needs.marks.iter().filter(|&marks| marks & coming == 0) {
            let leaves =
                |values: &[(u64, u64)]| values.iter().filter(|value| value.1 & marks != 0).map(|value| value.0).min();
            let mut cheapest = NEVER;
            let mut servants = Vec::new();
            for (index, member) in (0..).zip(&self.named) {
                if current == Some(CurrentMember::Named(index)) || !needs.is_possible(index) {
                    continue;
                }
                if let Some(value) = leaves(&member.values) {
                    let own = if needs.is_required(index) {
                        difference(value, member.value)
                    } else {
                        sum([self.comma, member.key, value])
                    };
                    cheapest = cheapest.min(own);
                    servants.push(index as usize);
                }
            }
            for (place, member) in (self.named.len()..).zip(&self.others) {
                if let Some(value) = leaves(&member.values) {
                    cheapest = cheapest.min(sum([self.comma, member.key, value]));
                    servants.push(place);
                }
            }
            dearest = dearest.max(cheapest);
            if servants.iter().all(|&place| !serving[place]) {
                summed = sum([summed, cheapest]);
            }
            servants.iter().for_each(|&place| serving[place] = true);
        }
        dearest.max(summed)
    }
}

impl Distances {
    fn object_distances(&mut self, machine: &mut Machine, object: ObjectId) -> Result<Arc<ObjectDistances>> {
        if let Some(members) = self.members.get(&object) {
            return Ok(members.clone());
        }
        let spec = machine.arena.registers.objects[object.index()].clone();
        let colon = self.distance(machine, spec.colon)?;
        let mut named = Vec::with_capacity(spec.properties.len());
        // No spelling of a key is shorter than the one without free escapes.
        let mut keys = vec![0; spec.properties.len()];
        spec.sorted.iter().for_each(|(spelled, index)| keys[*index as usize] = spelled.len() as u64);
        for (property, key) in spec.properties.iter().zip(keys) {
            named.push(MemberDistance {
                required: property.required,
                ..self.compute_member(machine, key, colon, &property.values)?
            });
        }
        let mut others = Vec::with_capacity(spec.extras.len());
        for extra in &spec.extras {
            let key = sum([self.distance(machine, extra.keys)?, 2]);
            others.push(self.compute_member(machine, key, colon, &extra.values)?);
        }
        let shortest = named.iter().chain(&others).map(|member| sum([member.key, member.value])).min().unwrap_or(NEVER);
        let (comma, close) = (self.distance(machine, spec.comma)?, self.distance(machine, spec.close)?);
        let mut required_from = vec![0; named.len() + 1];
        for (index, member) in named.iter().enumerate().rev() {
            let own = if member.required { sum([comma, member.key, member.value]) } else { 0 };
            required_from[index] = sum([required_from[index + 1], own]);
        }
        machine.arena.budget.grow(100 + 88 * (named.len() + others.len()));
        let members = Arc::new(ObjectDistances { named, others, required_from, shortest, comma, close });
        self.members.insert(object, members.clone());
        Ok(members)
    }

    fn compute_member(
        &mut self,
        machine: &mut Machine,
        key: u64,
        colon: u64,
        alternatives: &[Value],
    ) -> Result<MemberDistance> {
        let mut values = Vec::with_capacity(alternatives.len());
        for alternative in alternatives {
            values.push((sum([colon, self.distance(machine, alternative.node)?]), alternative.marks));
        }
        let value = values.iter().map(|value| value.0).min().unwrap_or(NEVER);
        Ok(MemberDistance { required: false, key, values, value })
    }

    /// The needs of an object in a state; cached.
    pub(super) fn remaining_members(
        &mut self,
        machine: &mut Machine,
        object: ObjectId,
        state: ObjectStateId,
    ) -> Result<Arc<RemainingMembers>> {
        if let Some(rest) = self.remaining.get(&(object, state)) {
            return Ok(rest.clone());
        }
        let before = machine.arena.registers.states[state.index()].clone();
        let rest = Arc::new(self.compute_remaining_members(machine, object, &before)?);
        machine.arena.budget.grow(120 + rest.needs.memory_bytes());
        self.remaining.insert((object, state), rest.clone());
        Ok(rest)
    }

    /// The needs of an object in a state.
    pub(super) fn compute_remaining_members(
        &mut self,
        machine: &mut Machine,
        object: ObjectId,
        state: &ObjectState,
    ) -> Result<RemainingMembers> {
        let spec = machine.arena.registers.objects[object.index()].clone();
        let members = self.object_distances(machine, object)?;
        if spec.is_sequential() {
            let needed = sum([members.close, members.required_from[state.next as usize]]);
            return Ok(RemainingMembers { needs: Needs::default(), needed, from: Some(state.next) });
        }
        machine.arena.spend(1 + spec.properties.len() as u64 / 8)?;
        let needs = spec.needs(state);
        let mut needed = members.close;
        for index in needs.required() {
            let MemberDistance { key, value, .. } = members.named[index as usize];
            needed = sum([needed, members.comma, key, value]);
        }
        Ok(RemainingMembers { needs, needed, from: None })
    }

    /// The fewest bytes from between two members to the end of the object, with at least `least` more members.
    pub(super) fn next_distance(
        &mut self,
        machine: &mut Machine,
        object: ObjectId,
        rest: &RemainingMembers,
        least: u32,
    ) -> Result<u64> {
        let members = self.object_distances(machine, object)?;
        machine.arena.spend(members.mark_cost(&rest.needs))?;
        let more = product(u64::from(rest.needs.more.max(least)), members.next_member());
        Ok(sum([rest.needed, more.max(members.mark_distance(&rest.needs, 0, None))]))
    }

    /// The fewest bytes from the start of a key to the end of the object.
    pub(super) fn key_distance(
        &mut self,
        machine: &mut Machine,
        object: ObjectId,
        rest: &RemainingMembers,
    ) -> Result<u64> {
        let members = self.object_distances(machine, object)?;
        let all = self.next_distance(machine, object, rest, u32::from(rest.is_done(&members)))?;
        Ok(difference(all, members.comma))
    }

    /// The fewest bytes from the colon of a member to the end of the object.
    pub(super) fn member_distance(
        &mut self,
        machine: &mut Machine,
        object: ObjectId,
        state: ObjectStateId,
        current: CurrentMember,
    ) -> Result<u64> {
        let rest = self.remaining_members(machine, object, state)?;
        let members = self.object_distances(machine, object)?;
        machine.arena.spend(members.mark_cost(&rest.needs))?;
        let (mut needed, mut more) = (rest.needed, rest.needs.more);
        let member = match current {
            CurrentMember::Named(index) => &members.named[index as usize],
            CurrentMember::Other(index) => &members.others[index as usize],
        };
        match current {
            CurrentMember::Named(index) if rest.is_required(&members, index) => {
                let own = sum([members.comma, member.key, member.value]);
                needed = if own == NEVER { NEVER } else { difference(needed, own) };
            }
            _ => more = more.saturating_sub(1),
        }
        let more = product(u64::from(more), members.next_member());
        let mut least = NEVER;
        for &(value, marks) in &member.values {
            let marks = members.mark_distance(&rest.needs, marks, Some(current));
            least = least.min(sum([value, needed, more.max(marks)]));
        }
        Ok(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{after, bytes, machine, object};
    use crate::builder::{Builder, ObjectRules};
    use crate::grammar::fixture::braces;
    use crate::regular::term::TermId;

    /// The fewest bytes after each text.
    fn check(make: impl FnOnce(&mut Builder) -> TermId, cases: &[(&str, u64)]) {
        let mut machine = machine(make);
        let mut distances = Distances::default();
        for &(text, expected) in cases {
            let id = after(&mut machine, text.as_bytes());
            let position = machine.position(id).clone();
            assert_eq!(distances.of_position(&mut machine, &position).unwrap(), expected, "after {text}");
        }
    }

    fn numbers(builder: &mut Builder) -> [TermId; 2] {
        [b"1".as_slice(), b"22"].map(|text| builder.literal(text).unwrap())
    }

    #[test]
    fn members_in_order_cost_what_the_required_ones_cost() {
        let make = |builder: &mut Builder| {
            let [one, two] = numbers(builder);
            let members = [("a", true, one), ("bb", false, one), ("c", true, two)];
            object(builder, &members, &[], ObjectRules::default())
        };
        let cases = [
            ("", 14), // {"a":1,"c":22}
            ("{", 13),
            ("{\"", 12),
            ("{\"a\"", 10),
            ("{\"a\":", 9),
            ("{\"a\":1", 8),
            ("{\"a\":1,\"b", 12), // b":1,"c":22}
            ("{\"a\":1,\"bb\":1,", 7),
            ("{\"a\":1,\"c\":2", 2),
            ("{\"a\":1,\"c\":22", 1),
        ];
        check(make, &cases);
    }

    #[test]
    fn a_least_number_of_members_costs_the_shortest_ones() {
        let make = |builder: &mut Builder| {
            let [one, two] = numbers(builder);
            let keys = bytes(builder, b'x', b'z', 1, Some(3));
            let rules = ObjectRules { min: 3, any_order: true, ..ObjectRules::default() };
            object(builder, &[("a", false, two)], &[(keys, one)], rules)
        };
        let cases = [
            ("", 19), // {"x":1,"y":1,"z":1}
            ("{\"x\":1", 13),
            ("{\"x\":1,", 12),
            ("{\"x\":1,\"a\":22", 7),
            ("{\"x\":1,\"y\":1,\"z\":1", 1),
            ("{\"x\":1,\"y\":1,\"z\":1,", 7), // "xx":1}
        ];
        check(make, &cases);
    }

    /// An object of "a" and further members. (value of "a", mark of it) and (further value, mark of it)
    fn marked(
        builder: &mut Builder,
        required: bool,
        needed: u64,
        own: &[(&str, u64)],
        others: &[(&str, u64)],
    ) -> TermId {
        let mut values = |list: &[(&str, u64)]| -> Vec<(u32, u64)> {
            list.iter().map(|&(text, marks)| (builder.literal(text.as_bytes()).unwrap().number(), marks)).collect()
        };
        let (own, others) = (values(own), values(others));
        let keys = bytes(builder, b'x', b'z', 1, Some(1)).number();
        let punctuation = braces(builder);
        let named = vec![("a".to_owned(), required, own)];
        let others = vec![(keys, others)];
        let rules = ObjectRules { required_marks: needed, any_order: true, ..ObjectRules::default() };
        builder.object(named, others, punctuation, rules).unwrap()
    }

    #[test]
    fn a_missing_mark_costs_the_cheapest_member_that_leaves_it() {
        // {"a":2} without marks; with one, "x":1 comes cheaper than the long value.
        let (own, others) = ([("2", 0), ("333333333", 1)], [("1", 1), ("2", 0)]);
        check(|builder| marked(builder, true, 0, &own, &others), &[("", 7), ("{\"a\":2", 1)]);
        check(
            |builder| marked(builder, true, 1, &own, &others),
            &[("", 13), ("{\"a\":2", 7), ("{\"a\":333333333", 1), ("{\"a\":3", 9), ("{\"x\":1", 7), ("{\"x\":2", 13)],
        );
    }
}
