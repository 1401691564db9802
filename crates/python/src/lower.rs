//! Cases → their grammar node, type by type, as lower.py, object.py and array.py build it.
//!
//! The last step of the plain reader: what `union` and `case` have computed becomes calls of the grammar builder.

use crate::builder::{array, count};
use crate::case::{listed, Case, Fields, ARRAY, INTEGER, NUMBER, OBJECT, STRING, WORDS};
use crate::demand::{crossed, named, needed, Demand};
use crate::gil::without;
use crate::identity::{identity, Identity};
use crate::number;
use crate::plain::{Unplain, Walk};
use crate::union::Maybe;
use frisket_core::error::Result;
use frisket_core::grammar::builder::{Builder, ObjectRules, Punctuation};
use frisket_core::regular::term::EMPTY;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use rustc_hash::FxHashMap;
use std::collections::{HashMap, HashSet};

/// What a document may say of itself (`ABOUT_ITSELF` in object.py).
const ABOUT_ITSELF: [&str; 2] = ["$schema", "$id"];
/// Key patterns of one place that ask for different things, beyond which Python cuts the keys into regions.
const PATTERNS: usize = 6;

/// Where a case has its signs; numbers need none.
const ARRAYS: usize = 0;
const OBJECTS: usize = 1;
const NUMBERS: usize = 2;

/// (key, whether it is required, values)
pub type Property = (String, bool, Vec<(u32, u64)>);

impl<'py> Walk<'_, 'py> {
    /// One node for a union: what an unconditional case covers is not said twice.
    pub fn union(&mut self, cases: &[Case<'py>]) -> PyResult<Option<u32>> {
        let (mut words, mut nodes) = (0, Vec::new());
        for case in cases {
            words |= case.mask & WORDS;
        }
        if words != 0 {
            nodes.push(self.stock.words[words as usize]);
        }
        for numbers in [INTEGER, NUMBER & !INTEGER, NUMBER] {
            let cases = cases.iter().filter(|case| case.mask & NUMBER == numbers);
            self.parts(cases, NUMBERS, Case::any_number, &mut nodes, |walk, case| walk.number(case))?;
        }
        self.texts(cases, &mut nodes)?;
        let arrays = cases.iter().filter(|case| case.mask & ARRAY != 0);
        self.parts(arrays, ARRAYS, Case::any_array, &mut nodes, |walk, case| walk.array(case))?;
        let objects = cases.iter().filter(|case| case.mask & OBJECT != 0);
        self.parts(objects, OBJECTS, Case::any_object, &mut nodes, |walk, case| walk.object(case))?;
        match nodes[..] {
            [] => Ok(None),
            [node] => Ok(Some(node)),
            _ => self.node(|builder| builder.alt(&nodes)).map(Some),
        }
    }

    /// The nodes of one type, or that of the first case that asks nothing of it.
    fn parts<'a>(
        &mut self,
        cases: impl Iterator<Item = &'a Case<'py>> + Clone,
        kind: usize,
        is_any: impl Fn(&Case<'py>) -> bool,
        nodes: &mut Vec<u32>,
        make: impl Fn(&mut Self, &Case<'py>) -> PyResult<Option<u32>>,
    ) -> PyResult<()>
    where
        'py: 'a,
    {
        if let Some(any) = cases.clone().find(|case| is_any(case)) {
            nodes.extend(make(self, any)?);
            return Ok(());
        }
        for (at, case) in cases.clone().enumerate() {
            // Objects and arrays made alike are two nodes all the same.
            let signs = case.signs.get(kind).filter(|signs| !signs.is_empty());
            if signs.is_some_and(|signs| cases.clone().take(at).any(|before| before.signs[kind] == *signs)) {
                continue;
            }
            let node = make(self, case)?;
            nodes.extend(node.filter(|node| !nodes.contains(node)));
        }
        Ok(())
    }

    fn number(&mut self, case: &Case<'py>) -> PyResult<Option<u32>> {
        let [integers, numbers, spelled] = self.stock.numbers;
        if let Some(place) = &case.unread {
            return self.any(place);
        }
        if let (true, Some(digits)) = (case.low.is_some() || case.high.is_some(), self.stock.digits) {
            return self.make(|builder| number::integers(builder, case.low, case.high, digits));
        }
        Ok(Some(match case.mask & NUMBER {
            INTEGER if case.spelled => spelled,
            INTEGER => integers,
            _ => numbers,
        }))
    }

    /// The part of a place, made once, whether it is met there or as an alternative elsewhere.
    fn once(
        &mut self,
        place: Option<usize>,
        kind: usize,
        make: impl FnOnce(&mut Self) -> PyResult<Option<u32>>,
    ) -> PyResult<Option<u32>> {
        let Some(place) = place else { return make(self) };
        if let Some(node) = self.part(place, kind) {
            return Ok(node);
        }
        let node = make(self)?;
        self.keep_part(place, kind, node);
        Ok(node)
    }

    // -- strings ----------------------------------------------------------------------------------------------
    /// A union of strings, joined before it is quoted.
    fn texts(&mut self, cases: &[Case<'py>], nodes: &mut Vec<u32>) -> PyResult<()> {
        let mut found = Vec::new();
        for case in cases.iter().filter(|case| case.mask & STRING != 0) {
            if case.any_text() {
                nodes.push(self.stock.string);
                return Ok(());
            }
            found.extend(self.text(case)?.filter(|node| !found.contains(node)));
        }
        let free = self.stock.free;
        if !found.is_empty() {
            nodes.push(self.node(|builder| {
                let node = if let [node] = found[..] { node } else { builder.alt(&found)?.number() };
                builder.quoted(node, free)
            })?);
        }
        Ok(())
    }

    /// The regular node of the decoded texts (string.py).
    fn text(&mut self, case: &Case<'py>) -> PyResult<Option<u32>> {
        let (least, most) = case.length;
        if let Some(mut texts) = listed(case) {
            if !case.matches.is_empty() {
                let mut kept = Vec::new();
                for text in texts {
                    let fits = self.make(|builder| {
                        case.matches.iter().try_fold(true, |fits, &node| Ok(fits && builder.accepts(node, &text)?))
                    })?;
                    kept.extend(fits.then_some(text));
                }
                texts = kept;
            }
            if texts.is_empty() {
                return Ok(None);
            }
            // Sorting many of them is one long step.
            let (many, py) = (texts.len() >= 1_000, self.py);
            return self
                .node(|builder| if many { without(py, || builder.words(texts)) } else { builder.words(texts) })
                .map(Some);
        }
        if most.is_some_and(|most| most < least) {
            return Ok(None);
        }
        let node = match case.matches[..] {
            [] => self.stock.texts,
            [node] => node,
            _ => self.node(|builder| builder.and(&case.matches))?,
        };
        if (least, most) == (0, None) {
            return Ok(Some(node));
        }
        self.node(|builder| builder.bounded(node, count(least), most.map(count))).map(Some)
    }

    // -- arrays -----------------------------------------------------------------------------------------------
    fn array(&mut self, case: &Case<'py>) -> PyResult<Option<u32>> {
        if case.any_array() {
            return Ok(Some(self.stock.array));
        }
        self.once(case.places[ARRAYS], ARRAYS, |walk| walk.new_array(case))
    }

    fn new_array(&mut self, case: &Case<'py>) -> PyResult<Option<u32>> {
        let (least, mut most) = case.count;
        if most.is_some_and(|most| most < least) {
            return Ok(None);
        }
        let mut item = None;
        if most != Some(0) {
            item = match &case.items {
                Some(items) => self.below(items, case.pointer.as_deref(), "items", None)?,
                None => Some(self.stock.any),
            };
        }
        if item.is_none() {
            most = Some(0);
            if least > 0 {
                return Ok(None);
            }
        }
        let unique = case.unique && most.is_none_or(|most| most > 1);
        let [.., comma, _, open, close, empty] = self.stock.punctuation;
        let most = most.filter(|_| item.is_some()).map(count);
        self.node(|builder| {
            let signs = punctuation(builder, [open, close, comma, comma, empty])?;
            array(builder, &[], item, signs, count(least), most, unique)
        })
        .map(Some)
    }

    // -- objects ----------------------------------------------------------------------------------------------
    fn object(&mut self, case: &Case<'py>) -> PyResult<Option<u32>> {
        if case.any_object() {
            return Ok(Some(self.stock.object));
        }
        self.once(case.places[OBJECTS], OBJECTS, |walk| walk.new_object(case))
    }

    fn new_object(&mut self, case: &Case<'py>) -> PyResult<Option<u32>> {
        if crossed(case)? {
            return Ok(None);
        }
        let needed = needed(case)?;
        let mut required: FxHashMap<&str, usize> = FxHashMap::default();
        for (rank, key) in needed.iter().enumerate() {
            required.entry(key.to_str()?).or_insert(rank);
        }
        let (least, most) = case.members;
        let keys = named(case)?;
        let mut properties: Vec<Property> = Vec::with_capacity(keys.len());
        let mut possible = 0;
        for key in &keys {
            let demand = self.alone(case, Some(key))?;
            let node = self.member(case, &demand)?;
            let key = key.to_str()?;
            let is_needed = required.contains_key(key);
            possible += u64::from(node.is_some());
            if is_needed && node.is_none() {
                // Python would read no further, having read that all below are schemas; here they are not read yet.
                return Err(Unplain::new_err("a required member cannot be"));
            }
            properties.push((key.to_owned(), is_needed, node.map(|node| (node, 0)).into_iter().collect()));
        }
        let is_document = self.plain.about_itself && self.levels == 1;
        if is_document && !properties.is_empty() && !(self.stock.closed && case.closes()) {
            for key in ABOUT_ITSELF {
                if !properties.iter().any(|(named, ..)| named == key) {
                    let demand = self.alone(case, Some(&PyString::new(self.py, key)))?;
                    if let Some(node) = self.member(case, &demand)? {
                        properties.push((key.to_owned(), false, vec![(node, 0)]));
                    }
                }
            }
        }
        let mut extras = Vec::new();
        for (keys, demand) in self.regions(case)?.ok_or_else(|| Unplain::new_err("its key patterns overlap"))? {
            if let Some(node) = self.member(case, &demand)? {
                extras.push((keys, vec![(node, 0)]));
            }
        }
        if extras.is_empty() && possible < least {
            return Ok(None);
        }
        let any_order = self.plain.any_order;
        let orders = if any_order { Vec::new() } else { orders(case, &properties, &required)? };
        let (free, [open, close, colon, comma, empty, ..]) = (self.stock.free, self.stock.punctuation);
        let mut implies = Vec::new();
        let mut places: FxHashMap<&str, u32> = FxHashMap::default();
        if !case.implies.is_empty() {
            places.extend(properties.iter().zip(0..).map(|((key, ..), place)| (&**key, place)));
        }
        let place = |key: &Bound<'py, PyString>| match places.get(key.to_str()?) {
            Some(&place) => Ok(place),
            None => Err(Unplain::new_err("it is not named")),
        };
        for (key, needs) in &case.implies {
            if !required.contains_key(needs.to_str()?) {
                implies.push((place(key)?, place(needs)?));
            }
        }
        let rules = ObjectRules {
            implies,
            min: count(least),
            max: most.map(count),
            any_order,
            extras_last: true,
            orders,
            free,
            ..ObjectRules::default()
        };
        self.node(|builder| {
            let signs = punctuation(builder, [open, close, colon, comma, empty])?;
            builder.object(properties, extras, signs, rules)
        })
        .map(Some)
    }

    fn alone(&mut self, case: &Case<'py>, key: Option<&Bound<'py, PyString>>) -> PyResult<Demand<'py>> {
        self.demand(case, key)?.ok_or_else(|| Unplain::new_err("a member must meet several schemas"))
    }

    fn member(&mut self, case: &Case<'py>, demand: &Demand<'py>) -> PyResult<Option<u32>> {
        match demand {
            Demand::Anything => Ok(Some(self.stock.any)),
            Demand::Nothing => Ok(None),
            Demand::Schema(schema, at, keyword, key) => {
                let key = key.as_ref().map(|key| key.to_str()).transpose()?;
                self.below(schema, case.fields[*at].pointer.as_deref(), keyword, key)
            }
            Demand::Several(asked) => {
                let mut places = Vec::with_capacity(asked.len());
                for (schema, at, keyword, key) in asked {
                    let around = case.fields[*at].pointer.as_deref().unwrap_or(&self.pointer);
                    places.push((schema, around.to_owned(), *keyword, key));
                }
                self.several(&places)
            }
        }
    }

    /// The keys without a name, cut so that in each region the demands are the same.
    pub fn regions(&mut self, case: &Case<'py>) -> Maybe<Vec<(u32, Demand<'py>)>> {
        let everything = self.stock.texts;
        let patterned = case.fields.iter().find_map(|fields| fields.patterns.as_ref().map(|table| (fields, table)));
        let closed = self.stock.closed && case.closes();
        let Some((fields, table)) = patterned else {
            if closed {
                return Ok(Some(Vec::new()));
            }
            return Ok(self.demand(case, None)?.map(|demand| vec![(everything, demand)]));
        };
        let alike = self.alike(fields, table)?;
        if alike.len() > PATTERNS || case.fields.len() > 1 {
            return Ok(None);
        }
        let mut cut: Vec<(Vec<u32>, Vec<usize>)> = vec![(vec![everything], Vec::new())];
        for (at, &(node, _)) in alike.iter().enumerate() {
            let outside = self.node(|builder| builder.not(node))?;
            let mut split = Vec::new();
            for (conditions, inside) in cut {
                for (condition, is_in) in [(node, true), (outside, false)] {
                    let mut conditions = conditions.clone();
                    conditions.push(condition);
                    if self.node(|builder| builder.and(&conditions))? != EMPTY.number() {
                        let also = is_in.then_some(at);
                        split.push((conditions, inside.iter().copied().chain(also).collect()));
                    }
                }
            }
            cut = split;
        }
        if closed {
            cut.retain(|(_, inside)| !inside.is_empty());
        }
        let mut merged: Vec<(Vec<Identity>, Demand<'py>, Vec<u32>)> = Vec::new();
        let regions = cut.len();
        for (mut conditions, inside) in cut {
            let mut demand = Demand::Anything;
            let schemas: Vec<Demand<'py>> = if inside.is_empty() {
                let rest = fields.rest.iter();
                rest.map(|rest| Demand::Schema(rest.clone(), 0, "additionalProperties", None)).collect()
            } else {
                let asked = inside.iter().map(|&at| alike[at].1.clone());
                asked.map(|(key, schema)| Demand::Schema(schema, 0, "patternProperties", Some(key))).collect()
            };
            let mut identities = Vec::new();
            for schema in schemas {
                if let Demand::Schema(schema, ..) = &schema {
                    identities.push(self.identity(schema)?);
                }
                let Some(joint) = self.joint(demand, schema)? else { return Ok(None) };
                demand = joint;
            }
            identities.retain(|identity| *identity != Identity::Anything);
            if matches!(demand, Demand::Nothing) {
                continue;
            }
            conditions.retain(|&node| node != everything);
            if inside.is_empty() {
                conditions.insert(0, everything);
            }
            let keys = match conditions[..] {
                [] => everything,
                [node] => node,
                _ => self.node(|builder| builder.and(&conditions))?,
            };
            match merged.iter_mut().find(|(known, ..)| *known == identities) {
                Some((.., nodes)) => nodes.push(keys),
                None => merged.push((identities, demand, vec![keys])),
            }
        }
        if let ([(_, _, nodes)], false) = (&merged[..], closed) {
            if nodes.len() == regions {
                return Ok(merged.pop().map(|(_, demand, _)| vec![(everything, demand)]));
            }
        }
        let mut found = Vec::with_capacity(merged.len());
        for (_, demand, nodes) in merged {
            let keys = if let [node] = nodes[..] { node } else { self.node(|builder| builder.alt(&nodes))? };
            found.push((keys, demand));
        }
        Ok(Some(found))
    }

    /// Patterns that ask the same of their members are one: (node, one of them and what it asks).
    #[allow(clippy::type_complexity)]
    fn alike(
        &mut self,
        fields: &Fields<'py>,
        table: &Bound<'py, PyDict>,
    ) -> PyResult<Vec<(u32, (Bound<'py, PyString>, Bound<'py, PyAny>))>> {
        let mut groups: Vec<(Identity, Vec<u32>, (Bound<'py, PyString>, Bound<'py, PyAny>))> = Vec::new();
        for ((pattern, schema), &node) in table.iter().zip(&fields.keys) {
            let identity = self.identity(&schema)?;
            match groups.iter_mut().find(|(known, ..)| *known == identity) {
                Some((_, nodes, _)) => nodes.push(node),
                None => groups.push((identity, vec![node], (pattern.downcast_into_exact()?, schema))),
            }
        }
        let joined = groups.into_iter().map(|(_, nodes, asked)| {
            let node = if let [node] = nodes[..] { node } else { self.node(|builder| builder.alt(&nodes))? };
            Ok((node, asked))
        });
        joined.collect()
    }

    pub fn identity(&self, schema: &Bound<'py, PyAny>) -> PyResult<Identity> {
        let mut found = identity(self.stock, self.plain.draft, schema);
        for _ in 0..crate::plain::HOPS {
            let Identity::Reference(reference) = &found else { return Ok(found) };
            let Some((target, _)) = self.target(&PyString::new(self.py, reference))? else { break };
            found = identity(self.stock, self.plain.draft, &target);
        }
        Err(Unplain::new_err("references lead to references"))
    }
}

/// Which properties keep an order (order.py).
fn orders(case: &Case<'_>, properties: &[Property], required: &FxHashMap<&str, usize>) -> PyResult<Vec<Vec<u32>>> {
    let mut named = case.fields.iter().filter_map(|fields| fields.names.as_ref());
    if let (Some(names), None) = (named.next(), named.next()) {
        // The names of one place are the first properties.
        let whole = names.len() == properties.len() && !properties.iter().any(|(key, ..)| key.starts_with('$'));
        if whole && properties.iter().filter_map(|(key, ..)| required.get(key.as_str())).is_sorted() {
            return Ok(Vec::new());
        }
        let is_chained = |place: &u32| !properties[*place as usize].0.starts_with('$');
        let chain: Vec<u32> = (0..names.len() as u32).filter(is_chained).collect();
        let ranks = chain.iter().filter_map(|&place| required.get(properties[place as usize].0.as_str()));
        let is_listed = ranks.is_sorted();
        if is_listed && chain.len() == properties.len() {
            return Ok(Vec::new());
        }
        let is_single = |place: &u32| !is_listed || chain.binary_search(place).is_err();
        let singles: Vec<u32> = (0..properties.len() as u32).filter(is_single).collect();
        let lists = is_listed.then_some(chain).into_iter();
        return Ok(lists.chain(singles.into_iter().map(|place| vec![place])).collect());
    }
    let places: HashMap<&str, u32> =
        properties.iter().enumerate().map(|(at, (key, ..))| (key.as_str(), at as u32)).collect();
    let mut lists: Vec<Vec<u32>> = Vec::new();
    let mut before: HashSet<u32> = HashSet::default();
    // The order of the places agrees with all lists so far, as it mostly does: then no other one is looked for.
    let mut rising = true;
    for names in case.fields.iter().flat_map(|fields| &fields.names) {
        let keys = names.keys();
        let mut table = Vec::with_capacity(keys.len());
        let mut ranks = Vec::new();
        for key in &keys {
            let key = key.downcast_exact::<PyString>()?.to_str()?;
            if !key.starts_with('$') {
                table.push(places[key]);
                ranks.extend(required.get(key).copied());
            }
        }
        if ranks.is_sorted() {
            let mut chain = table.clone();
            let mut rises = rising && chain.is_sorted();
            if !rises && table.iter().any(|place| before.contains(place)) && !is_acyclic(&lists, &chain) {
                chain.retain(|place| !before.contains(place));
                rises = rising && chain.is_sorted();
            }
            rising = rises;
            lists.push(chain);
        }
        before.extend(table);
    }
    if lists.iter().any(|list| list.len() == properties.len()) {
        return Ok(Vec::new());
    }
    let listed: HashSet<u32> = lists.iter().flatten().copied().collect();
    lists.extend((0..properties.len() as u32).filter(|place| !listed.contains(place)).map(|place| vec![place]));
    Ok(lists)
}

/// The same of the required members of one constant, as they stand there.
pub fn orders_of(properties: &[Property]) -> Vec<Vec<u32>> {
    let is_chained = |place: &u32| !properties[*place as usize].0.starts_with('$');
    let (chain, singles): (Vec<u32>, Vec<u32>) = (0..properties.len() as u32).partition(is_chained);
    if singles.is_empty() {
        return Vec::new();
    }
    std::iter::once(chain).chain(singles.into_iter().map(|place| vec![place])).collect()
}

/// Whether some order agrees with all the lists and one more.
fn is_acyclic(lists: &[Vec<u32>], chain: &[u32]) -> bool {
    let mut before: HashMap<u32, HashSet<u32>> = HashMap::default();
    for list in lists.iter().map(Vec::as_slice).chain([chain]) {
        for &place in list {
            before.entry(place).or_default();
        }
        for pair in list.windows(2) {
            before.entry(pair[1]).or_default().insert(pair[0]);
        }
    }
    while !before.is_empty() {
        let ready: Vec<u32> = before.iter().filter(|(_, waits)| waits.is_empty()).map(|(&place, _)| place).collect();
        if ready.is_empty() {
            return false;
        }
        before.retain(|place, _| !ready.contains(place));
        before.values_mut().for_each(|waits| waits.retain(|place| !ready.contains(place)));
    }
    true
}

pub fn punctuation(builder: &Builder, [open, close, colon, comma, empty]: [u32; 5]) -> Result<Punctuation> {
    let node = |id| builder.node(id);
    Ok(Punctuation {
        open: node(open)?,
        close: node(close)?,
        colon: node(colon)?,
        comma: node(comma)?,
        empty: node(empty)?,
    })
}
