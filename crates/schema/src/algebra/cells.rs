//! Tests of one member → cells: sets of its values that no test tells apart, and the tests that hold in each.
//!
//! A test allows some types entirely, a language of strings, and numbers of a list. Strings are split by the minterms of
//! the languages, and listed numbers one by one. Other tests, such as bounds of numbers, split nothing.

use super::union::Union;
use super::Expander;
use crate::condition::{Conjunct, ConjunctionId, Matches, NumberCondition, StringCondition, SubschemaId, Types};
use crate::decimal::Decimal;
use crate::error::Result;
use crate::types::{string, Terms};
use frisket_core::regular::term::TermId;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::collections::BTreeSet;

/// The types other than strings, one by one.
const TYPES: [Types; 7] =
    [Types::NULL, Types::FALSE, Types::TRUE, Types::INTEGER, Types::FRACTION, Types::ARRAY, Types::OBJECT];

/// A set of a member's values that no test tells apart.
pub(super) struct Cell {
    pub value: ConjunctionId,
    /// The tests that hold in it, sorted.
    holding: Vec<ConjunctionId>,
}

impl Cell {
    /// Whether a test holds in the cell.
    pub fn holds(&self, test: ConjunctionId) -> bool {
        self.holding.binary_search(&test).is_ok()
    }
}

/// The cells of a member, and the tests that hold or fail in each.
pub(super) struct Cells {
    pub all: Vec<Cell>,
    pub decided: FxHashSet<ConjunctionId>,
}

/// A test as the types that it allows entirely, the strings and the numbers that it allows.
struct Test {
    of: ConjunctionId,
    types: Types,
    texts: TermId,
    numbers: BTreeSet<Decimal>,
}

impl Test {
    fn allows(&self, number: &Decimal) -> bool {
        self.numbers.contains(number) || self.types.has(type_of(number))
    }
}

impl Expander<'_> {
    /// The cells of a member under these tests; None if the tests give no cell, or too many. Messages name `from` for
    /// the subschemas made here. Errors: as `expand`.
    pub(super) fn cells(&mut self, from: SubschemaId, all: &[ConjunctionId]) -> Result<Option<Cells>> {
        let mut tests = Vec::with_capacity(all.len());
        for &of in all {
            let Some(union) = self.looked_into(of)? else { continue };
            tests.extend(self.test(of, &union)?);
        }
        let texts: Vec<TermId> = tests.iter().map(|test| test.texts).collect();
        let most = usize::try_from(self.options.total).unwrap_or(usize::MAX);
        let numbers: Vec<u32> = texts.iter().map(|texts| texts.number()).collect();
        let Some(minterms) = self.builder.minterms(&numbers, most)? else { return Ok(None) };
        let mut outside = Conjunct::of_strings(vec![in_language(Terms::new(&mut self.builder).alt(&texts)?, false)]);
        let mut found = Vec::new();
        self.add_texts(&mut found, from, &tests, &minterms)?;
        self.add_others(&mut found, from, &tests, &mut outside)?;
        if found.is_empty() || found.len() > most {
            return Ok(None);
        }
        found.push(Cell { value: self.subschemas.in_conjunct(from, outside), holding: Vec::new() });
        Ok(Some(Cells { all: found, decided: tests.iter().map(|test| test.of).collect() }))
    }

    /// A test; None if it has conditions other than lists of numbers and languages that a term gives exactly.
    fn test(&mut self, of: ConjunctionId, union: &Union) -> Result<Option<Test>> {
        let is_exact = |condition: &StringCondition| match condition {
            StringCondition::Matches(matches) => matches.bounds.is_none() && matches.written.is_none(),
            StringCondition::Length { .. } | StringCondition::Among { .. } => true,
        };
        let (mut types, mut texts, mut numbers) = (Types::NONE, Vec::new(), BTreeSet::new());
        for conjunct in union.iter() {
            let Conjunct { arrays, objects, strings, .. } = conjunct;
            if !arrays.is_empty() || !objects.is_empty() || !strings.iter().all(is_exact) {
                return Ok(None);
            }
            types = types | conjunct.types & !(Types::STRING | Types::NUMBER);
            match &conjunct.numbers[..] {
                [] => types = types | conjunct.types & Types::NUMBER,
                [NumberCondition::Among { values, positive: true, .. }] => {
                    numbers.extend(values.iter().filter(|value| conjunct.types.has(type_of(value))).cloned());
                }
                _ => return Ok(None),
            }
            if conjunct.types.has(Types::STRING) {
                texts.extend(string::lower(&Terms::new(&mut self.builder), strings)?);
            }
        }
        let texts = Terms::new(&mut self.builder).alt(&texts)?;
        Ok(Some(Test { of, types, texts, numbers }))
    }

    /// Adds a cell for each minterm of the languages. A cell is the intersection of its tests, without the languages
    /// that overlap the rarest of them.
    fn add_texts(
        &mut self,
        found: &mut Vec<Cell>,
        from: SubschemaId,
        tests: &[Test],
        minterms: &[Vec<u32>],
    ) -> Result<()> {
        let mut of_test: Vec<Vec<usize>> = vec![Vec::new(); tests.len()];
        for (number, minterm) in minterms.iter().enumerate() {
            minterm.iter().for_each(|&at| of_test[at as usize].push(number));
        }
        for minterm in minterms {
            let Some(rarest) = minterm.iter().map(|&at| &of_test[at as usize]).min_by_key(|of| of.len()) else {
                continue;
            };
            let mut beside: IndexSet<u32, FxBuildHasher> = IndexSet::default();
            rarest.iter().for_each(|&number| beside.extend(&minterms[number]));
            self.count_conditions(rarest.iter().map(|&number| minterms[number].len()).sum())?;
            beside.retain(|at| !minterm.contains(at));
            let mut conjunct = Conjunct::of_types(Types::STRING);
            if !beside.is_empty() {
                let beside: Vec<TermId> = beside.iter().map(|&at| tests[at as usize].texts).collect();
                conjunct.strings.push(in_language(Terms::new(&mut self.builder).alt(&beside)?, false));
            }
            let holding = minterm.iter().map(|&at| &tests[at as usize]).collect();
            self.add(found, from, holding, conjunct);
        }
        Ok(())
    }

    /// Adds a cell for each group of listed numbers, and of types, that the same tests allow. Values that no test allows
    /// become part of `outside`.
    fn add_others(
        &mut self,
        found: &mut Vec<Cell>,
        from: SubschemaId,
        tests: &[Test],
        outside: &mut Conjunct,
    ) -> Result<()> {
        let listed: BTreeSet<&Decimal> = tests.iter().flat_map(|test| &test.numbers).collect();
        self.count_conditions(listed.len() * tests.len())?;
        let mut groups: IndexMap<Vec<usize>, BTreeSet<Decimal>, FxBuildHasher> = IndexMap::default();
        let places = |allows: &dyn Fn(&Test) -> bool| -> Vec<usize> {
            (0..tests.len()).filter(|&place| allows(&tests[place])).collect()
        };
        for &number in &listed {
            groups.entry(places(&|test| test.allows(number))).or_default().insert(number.clone());
        }
        for (holding, values) in groups {
            let conjunct = Conjunct::of_numbers(vec![NumberCondition::among(values, BTreeSet::new())]);
            self.add(found, from, holding.iter().map(|&place| &tests[place]).collect(), conjunct);
        }
        let among = || NumberCondition::among(listed.iter().copied().cloned().collect(), BTreeSet::new());
        let unlisted = (!listed.is_empty()).then(|| among().negated());
        let mut types_of: IndexMap<Vec<usize>, Types, FxBuildHasher> = IndexMap::default();
        for of in TYPES {
            let types = types_of.entry(places(&|test| test.types.has(of))).or_insert(Types::NONE);
            *types = *types | of;
        }
        for (holding, types) in types_of {
            let numbers = unlisted.iter().filter(|_| types.has(Types::NUMBER)).cloned().collect();
            if holding.is_empty() {
                (outside.types, outside.numbers) = (outside.types | types, numbers);
            } else {
                let conjunct = Conjunct { numbers, ..Conjunct::of_types(types) };
                self.add(found, from, holding.iter().map(|&place| &tests[place]).collect(), conjunct);
            }
        }
        Ok(())
    }

    /// Adds the values of a conjunct that meet all of these tests.
    fn add(&mut self, found: &mut Vec<Cell>, from: SubschemaId, tests: Vec<&Test>, within: Conjunct) {
        let is_within = |test: &&Test| test.types.is_empty() && test.numbers.is_empty();
        let needs_conjunct = within != Conjunct::of_types(Types::STRING) || !tests.iter().any(is_within);
        let mut value = match needs_conjunct {
            true => self.subschemas.in_conjunct(from, within),
            false => ConjunctionId::ANYTHING,
        };
        let mut holding: Vec<ConjunctionId> = tests.iter().map(|test| test.of).collect();
        for &test in &holding {
            value = self.subschemas.conjunctions.both(value, test);
        }
        holding.sort_unstable();
        found.push(Cell { value, holding });
    }
}

fn type_of(number: &Decimal) -> Types {
    if number.is_integer() {
        Types::INTEGER
    } else {
        Types::FRACTION
    }
}

fn in_language(texts: TermId, positive: bool) -> StringCondition {
    StringCondition::Matches(Matches { positive, ..Matches::exact(texts) })
}
