//! Cases of objects → their grammar node, as object.py builds it: members, regions of keys, implications.

use crate::builder::count;
use crate::case::{Case, Fields};
use crate::demand::{crossed, named, needed, Demand};
use crate::identity::{identity, Identity};
use crate::lower::{punctuation, OBJECTS};
use crate::order::orders;
use crate::plain::Unplain;
use crate::union::Maybe;
use crate::walk::Walk;
use frisket_core::grammar::builder::ObjectRules;
use frisket_core::regular::term::EMPTY;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use rustc_hash::FxHashMap;

/// What a document may say of itself (`ABOUT_ITSELF` in object.py).
const ABOUT_ITSELF: [&str; 2] = ["$schema", "$id"];
/// Key patterns of one place that ask for different things, beyond which Python cuts the keys into regions.
const PATTERNS: usize = 6;

/// (key, whether it is required, values)
pub type Property = (String, bool, Vec<(u32, u64)>);

impl<'py> Walk<'_, 'py> {
    pub(crate) fn object(&mut self, case: &Case<'py>) -> PyResult<Option<u32>> {
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
        for _ in 0..crate::walk::HOPS {
            let Identity::Reference(reference) = &found else { return Ok(found) };
            let Some((target, _)) = self.target(&PyString::new(self.py, reference))? else { break };
            found = identity(self.stock, self.plain.draft, &target);
        }
        Err(Unplain::new_err("references lead to references"))
    }
}
