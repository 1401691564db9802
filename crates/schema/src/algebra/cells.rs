//! Tests of one member → cells: sets of its values that no test tells apart, and the tests that hold in each.
//!
//! Tests that list constants are split value by value, and languages of strings, such as patterns, by their minterms.
//! Other tests, such as bounds of numbers, split nothing.

use super::lists::{constants, only_lists, Constant};
use super::union::Union;
use super::Expander;
use crate::condition::{Conjunct, ConjunctionId, Matches, StringCondition, SubschemaId, Types};
use crate::error::Result;
use crate::types::{string, Terms};
use frisket_core::regular::term::TermId;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashSet};

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

/// The tests of a member that list constants or are languages of strings. Numbers are indices into `all`.
struct Atoms {
    all: Vec<ConjunctionId>,
    /// The subschema that messages name for the subschemas made here.
    from: SubschemaId,
    /// Listed value → the tests that list it.
    listed: IndexMap<Constant, Vec<usize>, FxBuildHasher>,
    languages: Vec<Language>,
}

/// A test as the types that it allows entirely, and the language of the strings that it allows.
struct Language {
    place: usize,
    types: Types,
    texts: TermId,
}

impl Atoms {
    fn cell(&self, value: ConjunctionId, places: impl IntoIterator<Item = usize>) -> Cell {
        let mut holding: Vec<ConjunctionId> = places.into_iter().map(|place| self.all[place]).collect();
        holding.sort_unstable();
        Cell { value, holding }
    }
}

impl Expander<'_> {
    /// The cells of a member under these tests; None if the tests give no cell, or too many. Errors: as `expand`.
    pub(super) fn cells(&mut self, from: SubschemaId, all: Vec<ConjunctionId>) -> Result<Option<Cells>> {
        let mut atoms = self.atoms(from, all)?;
        let texts: Vec<u32> = atoms.languages.iter().map(|language| language.texts.number()).collect();
        let most = usize::try_from(self.options.total).unwrap_or(usize::MAX);
        let minterms = self.builder.minterms(&texts, most)?.unwrap_or_else(|| {
            atoms.languages.clear();
            Vec::new()
        });
        // For each listed value, the languages that hold it.
        let mut within = Vec::with_capacity(atoms.listed.len());
        for value in atoms.listed.keys() {
            within.push(self.languages_of(value, &atoms.languages)?);
        }

        let mut all = Vec::new();
        let outside_lists = self.add_lists(&mut all, &atoms, &within)?;
        let outside_languages = self.add_languages(&mut all, &atoms, &within, &minterms, outside_lists)?;
        if all.is_empty() || all.len() as u64 > self.options.total {
            return Ok(None);
        }
        let outside = self.subschemas.conjunctions.both(outside_lists, outside_languages);
        all.push(atoms.cell(outside, []));
        let decided = atoms.listed.values().flatten().copied();
        let decided = decided.chain(atoms.languages.iter().map(|language| language.place));
        let decided = decided.map(|place| atoms.all[place]).collect();
        Ok(Some(Cells { all, decided }))
    }

    fn atoms(&mut self, from: SubschemaId, all: Vec<ConjunctionId>) -> Result<Atoms> {
        let (mut listed, mut languages) = (IndexMap::default(), Vec::new());
        for (place, &atom) in all.iter().enumerate() {
            let Some(union) = self.looked_into(atom)? else { continue };
            if let Some(values) = constants(&union).filter(|_| only_lists(&union)) {
                values.into_iter().for_each(|value| listed.entry(value).or_insert_with(Vec::new).push(place));
            } else if let Some((types, texts)) = self.language(&union)? {
                languages.push(Language { place, types, texts });
            }
        }
        Ok(Atoms { all, from, listed, languages })
    }

    /// A union as the types that it allows entirely, and the language of its strings; None if it has other conditions,
    /// or strings that no term gives exactly.
    fn language(&mut self, union: &Union) -> Result<Option<(Types, TermId)>> {
        let is_exact = |condition: &StringCondition| match condition {
            StringCondition::Matches(matches) => matches.bounds.is_none() && matches.written.is_none(),
            StringCondition::Length { .. } | StringCondition::Among { .. } => true,
        };
        let (mut types, mut texts) = (Types::NONE, Vec::new());
        for conjunct in union.iter() {
            if conjunct.condition_count() > conjunct.strings.len() || !conjunct.strings.iter().all(is_exact) {
                return Ok(None);
            }
            types = types | conjunct.types & !Types::STRING;
            if conjunct.types.has(Types::STRING) {
                texts.extend(string::lower(&Terms::new(&mut self.builder), &conjunct.strings)?);
            }
        }
        Ok(Some((types, Terms::new(&mut self.builder).alt(&texts)?)))
    }

    /// The languages that hold a listed value.
    fn languages_of(&mut self, value: &Constant, languages: &[Language]) -> Result<Vec<u32>> {
        let mut found = Vec::new();
        for (at, language) in (0..).zip(languages) {
            let holds = match value {
                Constant::Text(text) => Terms::new(&mut self.builder).accepts(language.texts, text)?,
                other => language.types.has(type_of(other)),
            };
            found.extend(holds.then_some(at));
        }
        Ok(found)
    }

    /// Adds a cell for each group of listed values that are in the same lists and languages: of `[1, 2]` and `[1, 3]`,
    /// the cells are 1, 2 and 3. A cell is the intersection of its lists and languages, without others that overlap the
    /// first of them. Returns the complement of all lists.
    fn add_lists(&mut self, found: &mut Vec<Cell>, atoms: &Atoms, within: &[Vec<u32>]) -> Result<ConjunctionId> {
        let mut groups: IndexSet<Vec<usize>, FxBuildHasher> = IndexSet::default();
        for (lists, within) in atoms.listed.values().zip(within) {
            let languages = within.iter().map(|&at| atoms.languages[at as usize].place);
            groups.insert(lists.iter().copied().chain(languages).collect());
        }
        let mut sharing: IndexMap<usize, IndexSet<usize, FxBuildHasher>, FxBuildHasher> = IndexMap::default();
        for group in &groups {
            self.count_conditions(group.len() * group.len())?;
            group.iter().for_each(|&place| sharing.entry(place).or_default().extend(group));
        }
        for group in groups {
            let mut cell = ConjunctionId::ANYTHING;
            for &place in &group {
                cell = self.subschemas.conjunctions.both(cell, atoms.all[place]);
            }
            for &place in sharing[&group[0]].iter().filter(|place| !group.contains(place)) {
                let outside = self.subschemas.negated(atoms.all[place]);
                cell = self.subschemas.conjunctions.both(cell, outside);
            }
            found.push(atoms.cell(cell, group));
        }
        let lists: IndexSet<usize, FxBuildHasher> = atoms.listed.values().flatten().copied().collect();
        let lists: Vec<ConjunctionId> = lists.into_iter().map(|place| atoms.all[place]).collect();
        let lists = self.subschemas.either(atoms.from, &lists);
        Ok(self.subschemas.negated(lists))
    }

    /// Adds a cell for each minterm of the languages, and for each group of types that the same languages allow,
    /// without the listed values. Returns the complement of all languages.
    fn add_languages(
        &mut self,
        found: &mut Vec<Cell>,
        atoms: &Atoms,
        within: &[Vec<u32>],
        minterms: &[Vec<u32>],
        outside_lists: ConjunctionId,
    ) -> Result<ConjunctionId> {
        let Atoms { from, languages, .. } = atoms;
        if languages.is_empty() {
            return Ok(ConjunctionId::ANYTHING);
        }
        let (mut listed_texts, mut listed_types) = (FxHashSet::default(), Types::NONE);
        for (value, within) in atoms.listed.keys().zip(within) {
            match value {
                Constant::Text(_) => _ = listed_texts.insert(within),
                other => listed_types = listed_types | type_of(other),
            }
        }
        let places =
            |minterm: &[u32]| -> Vec<usize> { minterm.iter().map(|&at| languages[at as usize].place).collect() };
        let mut of_language: Vec<Vec<usize>> = vec![Vec::new(); languages.len()];
        for (number, minterm) in minterms.iter().enumerate() {
            minterm.iter().for_each(|&at| of_language[at as usize].push(number));
        }
        for minterm in minterms {
            let Some(rarest) = minterm.iter().map(|&at| &of_language[at as usize]).min_by_key(|of| of.len()) else {
                continue;
            };
            let mut beside: IndexSet<u32, FxBuildHasher> = IndexSet::default();
            rarest.iter().for_each(|&number| beside.extend(&minterms[number]));
            self.count_conditions(rarest.iter().map(|&number| minterms[number].len()).sum())?;
            beside.retain(|at| !minterm.contains(at));
            let texts = |at: &u32| languages[*at as usize].texts;
            let mut conditions: Vec<_> = minterm.iter().map(|at| in_language(texts(at), true)).collect();
            if !beside.is_empty() {
                let beside: Vec<TermId> = beside.iter().map(texts).collect();
                conditions.push(in_language(Terms::new(&mut self.builder).alt(&beside)?, false));
            }
            let mut cell = self.subschemas.in_conjunct(*from, Conjunct::of_strings(conditions));
            if listed_texts.contains(minterm) {
                cell = self.subschemas.conjunctions.both(cell, outside_lists);
            }
            found.push(atoms.cell(cell, places(minterm)));
        }
        let mut types_within: IndexMap<Vec<u32>, Types, FxBuildHasher> = IndexMap::default();
        for of in TYPES {
            let within =
                (0..).zip(languages).filter(|(_, language)| language.types.has(of)).map(|(at, _)| at).collect();
            let types = types_within.entry(within).or_insert(Types::NONE);
            *types = *types | of;
        }
        let mut outside = Conjunct::of_types(Types::STRING);
        for (within, types) in &types_within {
            if within.is_empty() {
                outside.types = outside.types | *types;
                continue;
            }
            let mut cell = self.subschemas.in_conjunct(*from, Conjunct::of_types(*types));
            if types.has(listed_types) {
                cell = self.subschemas.conjunctions.both(cell, outside_lists);
            }
            found.push(atoms.cell(cell, places(within)));
        }
        let texts: Vec<TermId> = languages.iter().map(|language| language.texts).collect();
        outside.strings.push(in_language(Terms::new(&mut self.builder).alt(&texts)?, false));
        Ok(self.subschemas.in_conjunct(*from, outside))
    }
}

/// The type of a listed value.
fn type_of(value: &Constant) -> Types {
    match value {
        Constant::Text(_) => Types::STRING,
        Constant::Word(word) => *word,
        Constant::Number(number) if number.is_integer() => Types::INTEGER,
        Constant::Number(_) => Types::FRACTION,
    }
}

fn in_language(texts: TermId, positive: bool) -> StringCondition {
    StringCondition::Matches(Matches { positive, ..Matches::exact(texts) })
}
