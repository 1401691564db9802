//! Properties × further keys × constraints → the node of an object.
//!
//! Objects have the most arguments of all nodes; checking them fills this file.

use crate::error::{Error, Result};
use crate::grammar::builder::{Builder, Punctuation};
use crate::json::object::earlier_properties;
use crate::regular::json_string::encode;
use crate::regular::registers::PropertySet;
use crate::regular::registers::{Clause, Extra, ObjectSpec, Property, Value};
use crate::regular::term::{TermId, EMPTY, MANY};

/// Constraints of an object on its members as a whole.
#[derive(Clone, Default)]
pub struct ObjectRules {
    /// The least number of members.
    pub min: u32,
    /// The most members; None: any number.
    pub max: Option<u32>,
    /// Marks that the members must leave together.
    pub required_marks: u64,
    /// (premises, conclusions): members that leave all marks of the first must leave one mark of the second.
    pub clauses: Vec<(u64, u64)>,
    /// (cause, effect): if the first property comes, the second must come.
    pub implies: Vec<(u32, u32)>,
    /// Whether properties may come in any order.
    pub any_order: bool,
    /// Whether other keys come after the named ones only.
    pub extras_last: bool,
    /// Orders of properties; each list is one order. Without lists, the properties come in the given sequence.
    pub orders: Vec<Vec<u32>>,
    /// Whether keys may be spelled with any escapes.
    pub free: bool,
}

impl Builder {
    fn values(&self, values: Vec<(u32, u64)>) -> Result<Vec<Value>> {
        let made = values.into_iter().map(|(node, marks)| Ok(Value { node: self.node(node)?, marks }));
        made.filter(|value| !matches!(value, Ok(Value { node: EMPTY, .. }))).collect()
    }

    #[allow(clippy::type_complexity)]
    /// The node of an object from named properties (key, is required, alternatives) and further keys (language,
    /// alternatives). An alternative is a value node with the marks that it leaves. Errors: misuse, limits.
    pub fn object(
        &mut self,
        properties: Vec<(String, bool, Vec<(u32, u64)>)>,
        extras: Vec<(u32, Vec<(u32, u64)>)>,
        punctuation: Punctuation,
        rules: ObjectRules,
    ) -> Result<TermId> {
        let count = properties.len() as u32;
        if let Some(&(a, b)) = rules.implies.iter().find(|&&(a, b)| a >= count || b >= count) {
            return Err(Error::Misuse(format!("implies names property {}, there are {count}", a.max(b))).into());
        }
        let mut named = Vec::with_capacity(properties.len());
        for (key, required, values) in properties {
            named.push(Property { key: key.into_bytes().into(), required, values: self.values(values)? });
        }
        let mut sorted: Vec<(Box<[u8]>, u32)> = Vec::with_capacity(named.len());
        for (index, property) in named.iter().enumerate() {
            sorted.push((encode(&property.key).into(), index as u32));
        }
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(
                Error::Misuse(format!("property {} is named twice", String::from_utf8_lossy(&pair[0].0))).into()
            );
        }
        let mut others = Vec::with_capacity(extras.len());
        for (keys, values) in extras {
            let values = self.values(values)?;
            let keys = self.regular(keys)?;
            let mut keys = self.allowed_texts(keys)?;
            let arena = self.begin_call();
            if !arena.info(keys).utf8 {
                let any = arena.any_text()?;
                keys = arena.and(vec![any, keys])?;
            }
            if !named.is_empty() && keys != EMPTY {
                let taken = arena.words(named.iter().map(|property| property.key.clone()).collect())?;
                let free = arena.not(taken)?;
                keys = arena.and(vec![keys, free])?;
            }
            if keys == EMPTY || values.is_empty() {
                continue;
            }
            let mut few = None;
            if rules.min > 0 || rules.required_marks != 0 || !rules.clauses.is_empty() {
                let texts = arena.enumerate(keys, rules.min as usize + 64)?;
                few = texts.map(|texts| texts.into_iter().map(Vec::into_boxed_slice).collect());
            }
            let bounded = arena.info(keys).max_chars != MANY;
            let number = if bounded { Some(arena.enumerate(keys, 64)?.map_or(64, |texts| texts.len())) } else { None };
            others.push(Extra { keys, values, few, number });
        }
        let ObjectRules { min, max, required_marks, clauses, implies, any_order, extras_last, orders, free } = rules;
        let earlier = if any_order || orders.is_empty() {
            Vec::new()
        } else if orders.iter().flatten().any(|&index| index >= count) {
            return Err(Error::Misuse(format!("an order names a property beyond the {count} there are")).into());
        } else {
            earlier_properties(count, &orders)
                .ok_or_else(|| Error::Misuse("the orders contradict each other".into()))?
        };
        let Punctuation { open, close, colon, comma, empty } = punctuation;
        let max = max.unwrap_or(MANY);
        // A clause whose conclusion is a premise holds of every object.
        let clauses = clauses.into_iter().filter(|(premises, conclusions)| premises & conclusions == 0);
        let mut clauses: Vec<Clause> =
            clauses.map(|(premises, conclusions)| Clause { premises, conclusions }).collect();
        clauses.sort_unstable();
        clauses.dedup();
        let mut implies = implies;
        implies.sort_unstable();
        implies.dedup();
        let mut implied_by: Vec<(u32, u32)> = implies.iter().map(|&(cause, effect)| (effect, cause)).collect();
        implied_by.sort_unstable();
        let mut spec = ObjectSpec {
            properties: named,
            required: PropertySet::new(),
            valued: PropertySet::new(),
            extras: others,
            open,
            close,
            colon,
            comma,
            empty,
            min,
            max,
            required_marks,
            clauses,
            implies,
            implied_by,
            any_order,
            extras_last,
            earlier,
            free,
            sorted,
        };
        spec.index_properties();
        self.begin_call().add_object(spec)
    }
}
