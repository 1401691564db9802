//! Unions of conjuncts → nodes, type by type.

use super::Lowerer;
use crate::condition::{ArrayCondition, Conjunct, NumberCondition, ObjectCondition, StringCondition, Types};
use crate::error::Result;
use crate::types::number::{self, interval, NumberError, TooManyRemainders};
use crate::types::{array, object, string, Lowering, Terms};
use frisket_core::regular::term::TermId;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::hash::Hash;

/// The conditions of one type, and all else on which their node depends.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum PartKey {
    Words(Types),
    Number(Types, Vec<NumberCondition>),
    String(Vec<StringCondition>),
    /// The level, and the conditions.
    Array(u32, Vec<ArrayCondition>),
    /// The level, whether the object is the document itself, and the conditions.
    Object(u32, bool, Vec<ObjectCondition>),
}

impl Lowerer<'_> {
    /// One node for a union. Where a conjunct has all values of a type, other alternatives of that type are left out.
    pub(crate) fn union(&mut self, conjuncts: &[Conjunct]) -> Result<Option<TermId>> {
        let nodes = self.nodes(conjuncts)?;
        if let [] | [_] = nodes[..] {
            return Ok(nodes.first().copied());
        }
        let node = Terms::new(&mut self.expander.builder).alt(&nodes)?;
        if nodes.iter().any(|node| self.tables.structural.contains(node)) {
            self.tables.structural.insert(node);
        }
        Ok(Some(node))
    }

    /// The nodes of a union, type by type. Integers, fractions and both are separate types.
    fn nodes(&mut self, conjuncts: &[Conjunct]) -> Result<Vec<TermId>> {
        let mut nodes: IndexSet<TermId, FxBuildHasher> = IndexSet::default();
        let words = conjuncts.iter().fold(Types::NONE, |all, conjunct| all | conjunct.types & Types::WORDS);
        if !words.is_empty() {
            nodes.insert(self.words(words)?);
        }
        for types in [Types::INTEGER, Types::FRACTION, Types::NUMBER] {
            let numbers = conjuncts.iter().filter(|conjunct| conjunct.types & Types::NUMBER == types);
            for conditions in alternatives(numbers.map(|conjunct| &conjunct.numbers[..])) {
                nodes.extend(self.numbers(types, conditions)?);
            }
        }
        let of = |types| conjuncts.iter().filter(move |conjunct| conjunct.types.has(types));
        match alternatives(of(Types::STRING).map(|conjunct| &conjunct.strings[..]))[..] {
            [] => {}
            [conditions] => nodes.extend(self.strings(conditions)?),
            ref several => nodes.extend(string::quoted_union(self, several)?),
        }
        for conditions in alternatives(of(Types::ARRAY).map(|conjunct| &conjunct.arrays[..])) {
            nodes.extend(self.arrays(conditions)?);
        }
        for conditions in alternatives(of(Types::OBJECT).map(|conjunct| &conjunct.objects[..])) {
            nodes.extend(self.objects(conditions)?);
        }
        Ok(nodes.into_iter().collect())
    }

    /// The node of one type's conditions, made once.
    fn part(&mut self, key: PartKey, make: impl FnOnce(&mut Self) -> Result<Option<TermId>>) -> Result<Option<TermId>> {
        if let Some(&known) = self.tables.parts.get(&key) {
            return Ok(known);
        }
        let node = make(self)?;
        self.tables.parts.insert(key, node);
        Ok(node)
    }

    fn words(&mut self, types: Types) -> Result<TermId> {
        let key = PartKey::Words(types);
        if let Some(&Some(known)) = self.tables.parts.get(&key) {
            return Ok(known);
        }
        let words = [Types::NULL, Types::FALSE, Types::TRUE].into_iter().zip(self.spelling.literals.words());
        let words = words.filter(|&(one, _)| types.has(one)).map(|(_, word)| word);
        let node = Terms::new(&mut self.expander.builder).words(words)?;
        self.tables.parts.insert(key, Some(node));
        Ok(node)
    }

    fn numbers(&mut self, types: Types, conditions: &[NumberCondition]) -> Result<Option<TermId>> {
        self.part(PartKey::Number(types, conditions.to_vec()), |lowerer| match lowerer.numerals(types, conditions) {
            Ok(node) => Ok(node),
            Err(NumberError::Engine(error)) => Err(error.into()),
            Err(NumberError::TooManyRemainders(error)) => {
                lowerer.note_remainders(&error);
                let is_kept = |condition: &&NumberCondition| !matches!(condition, NumberCondition::Multiple { .. });
                let kept: Vec<_> = conditions.iter().filter(is_kept).cloned().collect();
                match lowerer.numerals(types, &kept) {
                    Ok(node) => Ok(node),
                    Err(NumberError::Engine(error)) => Err(error.into()),
                    Err(NumberError::TooManyRemainders(_)) => unreachable!("no multiple is asked for"),
                }
            }
        })
    }

    fn numerals(&mut self, types: Types, conditions: &[NumberCondition]) -> number::Result<Option<TermId>> {
        let terms = Terms::new(&mut self.expander.builder);
        number::lower(&terms, self.spelling.numbers, types, conditions, &mut self.tables.numerals)
    }

    /// Notes a `multipleOf` that is left out, since it takes too many states.
    fn note_remainders(&mut self, error: &TooManyRemainders) {
        let [divisor, most, listed] = [error.divisor.to_string(), error.most.to_string(), interval::LISTED.to_string()]
            .map(|digits| grouped(&digits));
        let slips = format!(
            "divisibility by {divisor} takes a state for each remainder, more than {most}, unless bounds leave at most \
             {listed} multiples; numbers that are no multiples could slip through"
        );
        let pointer = self.active_pointer() + "/multipleOf";
        self.expander.subschemas.omit(pointer, "multipleOf", slips);
    }

    fn strings(&mut self, conditions: &[StringCondition]) -> Result<Option<TermId>> {
        self.part(PartKey::String(conditions.to_vec()), |lowerer| string::quoted(lowerer, conditions))
    }

    fn arrays(&mut self, conditions: &[ArrayCondition]) -> Result<Option<TermId>> {
        self.part(PartKey::Array(self.level, conditions.to_vec()), |lowerer| array::lower(lowerer, conditions))
    }

    fn objects(&mut self, conditions: &[ObjectCondition]) -> Result<Option<TermId>> {
        let key = PartKey::Object(self.level, self.is_root(), conditions.to_vec());
        self.part(key, |lowerer| object::lower(lowerer, conditions))
    }
}

/// The different alternatives, or the empty one alone if some alternative has no condition.
fn alternatives<'c, C: Eq + Hash>(all: impl Iterator<Item = &'c [C]>) -> Vec<&'c [C]> {
    let found: IndexSet<&[C], FxBuildHasher> = all.collect();
    match found.contains(&[][..]) {
        true => vec![&[]],
        false => found.into_iter().collect(),
    }
}

/// The digits of a number in groups of three: `1,234`.
fn grouped(digits: &str) -> String {
    let mut found = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            found.push(',');
        }
        found.push(digit);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        let shown = ["1", "123", "1234", "123456", "1234567"].map(grouped);
        assert_eq!(shown, ["1", "123", "1,234", "123,456", "1,234,567"]);
    }
}
