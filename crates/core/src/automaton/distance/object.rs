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

/// Distances of the parts of one object.
pub(super) struct ObjectDistances {
    /// The properties, then the groups of other properties.
    members: Vec<MemberDistance>,
    /// The number of properties.
    properties: usize,
    /// By property: the sum of all required members from that property on, and of the closing bracket.
    required_from: Vec<u64>,
    /// The shortest member.
    shortest: u64,
    comma: u64,
    close: u64,
}

/// Distances of a member with the comma before it.
struct MemberDistance {
    /// Bytes of comma and key.
    key: u64,
    /// For each alternative: bytes of colon and value, and its marks.
    values: Vec<(u64, u64)>,
    /// The minimum of `values`.
    value: u64,
    /// `key` and `value`.
    all: u64,
    required: bool,
}

/// Members that an object in one state still needs.
pub(super) struct RemainingMembers {
    needs: Needs,
    /// Bytes of the required members and of the closing bracket.
    needed: u64,
    /// The next property in order, for objects that only `required` restricts.
    from: Option<u32>,
}

impl ObjectDistances {
    /// Whether the member of a place must still come.
    fn is_required(&self, rest: &RemainingMembers, place: usize) -> bool {
        match rest.from {
            Some(from) => place >= from as usize && self.members[place].required,
            None => place < self.properties && rest.needs.is_required(place as u32),
        }
    }

    /// A lower bound of the bytes of further members that leave the missing marks. Each missing set of marks costs its
    /// cheapest member. The bound is the sum over sets that share no member, or the largest cost if that is more.
    fn mark_distance(&self, rest: &RemainingMembers, current: Option<(usize, u64)>) -> u64 {
        let (place_of_current, coming) = current.map_or((usize::MAX, 0), |current| current);
        let (mut dearest, mut summed) = (0, 0);
        let mut serving = vec![false; self.members.len()];
        for &marks in rest.needs.marks.iter().filter(|&marks| marks & coming == 0) {
            let mut cheapest = NEVER;
            let mut servants = Vec::new();
            for (place, member) in self.members.iter().enumerate() {
                let is_property = place < self.properties;
                if is_property && (place == place_of_current || !rest.needs.is_possible(place as u32)) {
                    continue;
                }
                let leaving = member.values.iter().filter(|value| value.1 & marks != 0);
                let Some(value) = leaving.map(|value| value.0).min() else { continue };
                let own = match self.is_required(rest, place) {
                    true => difference(value, member.value),
                    false => sum([member.key, value]),
                };
                cheapest = cheapest.min(own);
                servants.push(place);
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
        let [comma, colon, close] = [spec.comma, spec.colon, spec.close].map(|part| self.distance(machine, part));
        let (comma, colon, close) = (comma?, colon?, close?);
        let properties = spec.properties.len();
        let mut keys = vec![0; properties];
        // No spelling of a key is shorter than the one without free escapes.
        spec.sorted.iter().for_each(|(spelled, index)| keys[*index as usize] = spelled.len() as u64);
        for extra in &spec.extras {
            keys.push(sum([self.distance(machine, extra.keys)?, 2]));
        }
        let mut members = Vec::with_capacity(keys.len());
        for (place, (key, alternatives)) in keys.into_iter().zip(spec.values()).enumerate() {
            let mut values = Vec::with_capacity(alternatives.len());
            for &Value { node, marks } in alternatives {
                values.push((sum([colon, self.distance(machine, node)?]), marks));
            }
            let value = values.iter().map(|value| value.0).min().unwrap_or(NEVER);
            let (key, required) = (sum([comma, key]), place < properties && spec.properties[place].required);
            members.push(MemberDistance { key, values, value, all: sum([key, value]), required });
        }
        let shortest = members.iter().map(|member| member.all).min().unwrap_or(NEVER);
        let mut required_from = vec![close; properties + 1];
        for (place, member) in members[..properties].iter().enumerate().rev() {
            required_from[place] = sum([required_from[place + 1], if member.required { member.all } else { 0 }]);
        }
        machine.arena.budget.grow(100 + 96 * members.len());
        let found = Arc::new(ObjectDistances { members, properties, required_from, shortest, comma, close });
        self.members.insert(object, found.clone());
        Ok(found)
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
        let found = self.object_distances(machine, object)?;
        if spec.is_sequential() {
            let needed = found.required_from[state.next as usize];
            return Ok(RemainingMembers { needs: Needs::default(), needed, from: Some(state.next) });
        }
        machine.arena.spend(1 + spec.properties.len() as u64 / 8)?;
        let needs = spec.needs(state);
        let required = needs.required().map(|index| found.members[index as usize].all);
        let needed = required.fold(found.close, |all, member| sum([all, member]));
        Ok(RemainingMembers { needs, needed, from: None })
    }

    /// The fewest bytes from between two members, or from the end of one that is read, to the end of the object. The
    /// member that is read has a place and leaves marks. At least `least` more members come.
    pub(super) fn next_distance(
        &mut self,
        machine: &mut Machine,
        object: ObjectId,
        rest: &RemainingMembers,
        current: Option<(usize, u64)>,
        least: u32,
    ) -> Result<u64> {
        let found = self.object_distances(machine, object)?;
        machine.arena.spend((rest.needs.marks.len() * found.members.len()) as u64)?;
        let (mut needed, mut more) = (rest.needed, rest.needs.more.max(least));
        match current {
            Some((place, _)) if found.is_required(rest, place) => {
                let own = found.members[place].all;
                needed = if own == NEVER { NEVER } else { difference(needed, own) };
            }
            Some(_) => more = more.saturating_sub(1),
            None => {}
        }
        let more = product(u64::from(more), found.shortest);
        Ok(sum([needed, more.max(found.mark_distance(rest, current))]))
    }

    /// The fewest bytes from the start of a key to the end of the object.
    pub(super) fn key_distance(
        &mut self,
        machine: &mut Machine,
        object: ObjectId,
        rest: &RemainingMembers,
    ) -> Result<u64> {
        let found = self.object_distances(machine, object)?;
        let is_done = rest.needed == found.close;
        Ok(difference(self.next_distance(machine, object, rest, None, u32::from(is_done))?, found.comma))
    }

    /// The fewest bytes from the colon of a member to the end of the object.
    pub(super) fn member_distance(
        &mut self,
        machine: &mut Machine,
        object: ObjectId,
        state: ObjectStateId,
        place: usize,
    ) -> Result<u64> {
        let rest = self.remaining_members(machine, object, state)?;
        let found = self.object_distances(machine, object)?;
        let mut least = NEVER;
        for &(value, marks) in &found.members[place].values {
            let behind = self.next_distance(machine, object, &rest, Some((place, marks)), 0)?;
            least = least.min(sum([value, behind]));
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
