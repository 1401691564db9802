//! Tests of one member → cells: values of the member that no test tells apart, and the tests that hold there.
//!
//! Lists are told apart value by value, languages of texts by their minterms. What is neither is compared with each cell.

use super::emptiness::FULL_DEPTH;
use super::lists::{constants, only_lists, Constant};
use super::switch::Truth;
use super::union::Union;
use super::Expander;
use crate::condition::{Conjunct, ConjunctionId, Matches, StringCondition, SubschemaId, Types};
use crate::error::Result;
use crate::types::{string, Terms};
use frisket_core::regular::term::TermId;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// Tests that are neither lists nor languages; each is compared with each.
const OTHERS: usize = 64;
/// The types other than strings, one by one.
const TYPES: [Types; 7] =
    [Types::NULL, Types::FALSE, Types::TRUE, Types::INTEGER, Types::FRACTION, Types::ARRAY, Types::OBJECT];

/// Values of a member that no test tells apart, and by what tests ask of it where it holds.
pub(super) struct Cells {
    pub values: Vec<ConjunctionId>,
    /// By what is asked of the member; the first two cases are those without the member.
    pub truths: FxHashMap<ConjunctionId, Truth>,
}

/// The tests of a member, by the ways in which it is told apart; tests by their places.
struct Atoms {
    all: Vec<ConjunctionId>,
    /// The subschema that invented ones are said to stand in.
    from: SubschemaId,
    /// By value, the lists that hold it.
    listed: IndexMap<Constant, Vec<usize>, FxBuildHasher>,
    languages: Vec<Language>,
    others: Vec<usize>,
}

/// The types all of whose values meet a test, and the strings that do.
struct Language {
    place: usize,
    types: Types,
    texts: TermId,
}

/// Cells, and by cell the places of the tests that hold in it: no other list or language does.
#[derive(Default)]
struct Found {
    values: Vec<ConjunctionId>,
    holding: Vec<Vec<usize>>,
}

impl Found {
    fn add(&mut self, value: ConjunctionId, holding: Vec<usize>) {
        self.values.push(value);
        self.holding.push(holding);
    }
}

impl Expander<'_> {
    /// The values of a member, told apart by what tests ask of it; None where these are no lists or patterns. Errors:
    /// as `expand`.
    pub(super) fn cells(&mut self, from: SubschemaId, all: Vec<ConjunctionId>) -> Result<Option<Cells>> {
        let mut atoms = self.atoms(from, all)?;
        let texts: Vec<u32> = atoms.languages.iter().map(|language| language.texts.number()).collect();
        let most = usize::try_from(self.options.total).unwrap_or(usize::MAX);
        let minterms = self.builder.minterms(&texts, most)?.unwrap_or_else(|| {
            atoms.others.extend(atoms.languages.drain(..).map(|language| language.place));
            Vec::new()
        });
        atoms.others.truncate(OTHERS);
        // By listed value, the languages that hold it, as a minterm.
        let mut within = Vec::with_capacity(atoms.listed.len());
        for value in atoms.listed.keys() {
            within.push(self.languages_of(value, &atoms.languages)?);
        }

        let mut found = Found::default();
        let outside_lists = self.add_lists(&mut found, &atoms, &within)?;
        let outside_languages = self.add_languages(&mut found, &atoms, &within, &minterms, outside_lists)?;
        let outside = self.subschemas.conjunctions.both(outside_lists, outside_languages);
        let outside_others = self.add_others(&mut found, &atoms, [outside_lists, outside_languages])?;
        if found.values.is_empty() || found.values.len() as u64 > self.options.total {
            return Ok(None);
        }
        found.add(self.subschemas.conjunctions.both(outside, outside_others), Vec::new());
        self.truths_of_cells(&atoms, &found).map(|truths| Some(Cells { values: found.values, truths }))
    }

    fn atoms(&mut self, from: SubschemaId, all: Vec<ConjunctionId>) -> Result<Atoms> {
        let (mut listed, mut languages, mut others) = (IndexMap::default(), Vec::new(), Vec::new());
        for (place, &atom) in all.iter().enumerate() {
            let Some(union) = self.looked_into(atom)? else { continue };
            if let Some(values) = constants(&union).filter(|_| only_lists(&union)) {
                values.into_iter().for_each(|value| listed.entry(value).or_insert_with(Vec::new).push(place));
            } else if let Some((types, texts)) = self.language(&union)? {
                languages.push(Language { place, types, texts });
            } else {
                others.push(place);
            }
        }
        Ok(Atoms { all, from, listed, languages, others })
    }

    /// The types and the texts of a union, if these are known exactly, and of other types all values are in it or none.
    fn language(&mut self, union: &Union) -> Result<Option<(Types, TermId)>> {
        let is_exact = |condition: &StringCondition| match condition {
            StringCondition::Matches(matches) => matches.bounds.is_none() && matches.written.is_none(),
            StringCondition::Nested(_) => false,
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

    /// Adds the cells of listed values: those in the same lists and languages are one cell, that is all that these have,
    /// but for what others share with the first list. Returns what is outside all lists.
    fn add_lists(&mut self, found: &mut Found, atoms: &Atoms, within: &[Vec<u32>]) -> Result<ConjunctionId> {
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
            found.add(cell, group);
        }
        let lists: IndexSet<usize, FxBuildHasher> = atoms.listed.values().flatten().copied().collect();
        let lists: Vec<ConjunctionId> = lists.into_iter().map(|place| atoms.all[place]).collect();
        let lists = self.subschemas.either(atoms.from, &lists);
        Ok(self.subschemas.negated(lists))
    }

    /// Adds the cells of languages: a minterm each, and the types in which the same ones hold, all without listed values.
    /// Returns what is outside all languages.
    fn add_languages(
        &mut self,
        found: &mut Found,
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
        let places = |minterm: &[u32]| minterm.iter().map(|&at| languages[at as usize].place).collect();
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
            found.add(cell, places(minterm));
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
            found.add(cell, places(within));
        }
        let texts: Vec<TermId> = languages.iter().map(|language| language.texts).collect();
        outside.strings.push(in_language(Terms::new(&mut self.builder).alt(&texts)?, false));
        Ok(self.subschemas.in_conjunct(*from, outside))
    }

    /// Adds the cells of other tests that share nothing with each other, without what is in a list or language. Returns
    /// what is outside all of them.
    fn add_others(&mut self, found: &mut Found, atoms: &Atoms, outside: [ConjunctionId; 2]) -> Result<ConjunctionId> {
        let mut disjoint: Vec<ConjunctionId> = Vec::new();
        for &place in &atoms.others {
            let mut is_disjoint = true;
            for &other in &disjoint {
                is_disjoint = is_disjoint && self.excludes(atoms.all[place], other)?;
            }
            if is_disjoint {
                disjoint.push(atoms.all[place]);
            }
        }
        for &atom in &disjoint {
            let mut cell = atom;
            for outside in outside {
                let inside = self.subschemas.negated(outside);
                if !self.excludes(atom, inside)? {
                    cell = self.subschemas.conjunctions.both(cell, outside);
                }
            }
            found.add(cell, Vec::new());
        }
        let disjoint = self.subschemas.either(atoms.from, &disjoint);
        Ok(self.subschemas.negated(disjoint))
    }

    /// In which cells tests hold.
    fn truths_of_cells(&mut self, atoms: &Atoms, found: &Found) -> Result<FxHashMap<ConjunctionId, Truth>> {
        let count = found.values.len() + 2;
        let mut fails = Truth::always(count).negated();
        (0..2).for_each(|case| fails.fails.remove(case));
        let told = atoms.listed.values().flatten().copied();
        let told = told.chain(atoms.languages.iter().map(|language| language.place));
        let mut truths: FxHashMap<ConjunctionId, Truth> = told.map(|place| (atoms.all[place], fails.clone())).collect();
        for (case, holding) in (2..).zip(&found.holding) {
            for &place in holding {
                if let Some(truth) = truths.get_mut(&atoms.all[place]) {
                    truth.fails.remove(case);
                    truth.holds.insert(case);
                }
            }
        }
        for &place in &atoms.others {
            let atom = atoms.all[place];
            let mut truth = Truth::unknown(count);
            let outside = self.subschemas.negated(atom);
            for (case, &value) in (2..).zip(&found.values) {
                if self.excludes(value, atom)? {
                    truth.fails.insert(case);
                } else if self.excludes(value, outside)? {
                    truth.holds.insert(case);
                }
            }
            truths.insert(atom, truth);
        }
        Ok(truths)
    }

    /// Whether certainly no value meets both conjunctions.
    fn excludes(&mut self, one: ConjunctionId, other: ConjunctionId) -> Result<bool> {
        let both = self.subschemas.conjunctions.both(one, other);
        self.search_contradiction(both, FULL_DEPTH)
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
