//! Properties × further keys × constraints → the node of an object.
//!
//! Objects have the most arguments of all nodes; checking them fills this file.

use crate::builder::{Builder, ObjectRules, Punctuation};
use crate::error::{Error, Result};
use crate::json::object::earlier_properties;
use crate::json::registers::PropertySet;
use crate::json::registers::{Clause, Extra, ObjectSpec, Property, Value};
use crate::limits::sort_by;
use crate::regular::term::{Escapes, TermId, EMPTY, MANY};

/// Properties between two checks of the limits: they take some 50 µs.
const CHECKED: usize = 512;

impl Builder {
    fn values(&self, values: Vec<(u32, u64)>) -> Result<Vec<Value>> {
        let made = values.into_iter().map(|(node, marks)| Ok(Value { node: self.node(node)?, marks }));
        made.filter(|value| !matches!(value, Ok(Value { node: EMPTY, .. }))).collect()
    }

    /// How the keys of an object are spelled.
    fn key_escapes(&mut self, named: &[Property], extras: &[(u32, Vec<(u32, u64)>)], free: bool) -> Result<Escapes> {
        if self.escaped == EMPTY {
            return Ok(free.into());
        }
        let mut languages =
            vec![self.begin_call().words(named.iter().map(|property| property.key.clone()).collect())?];
        for &(keys, _) in extras {
            languages.push(self.regular(keys)?);
        }
        for language in languages {
            let escapes = self.escapes_of(language, free)?;
            if escapes.escaped != EMPTY {
                return Ok(escapes);
            }
        }
        Ok(free.into())
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
        for (place, (key, required, values)) in properties.into_iter().enumerate() {
            if place % CHECKED == CHECKED - 1 {
                self.check(0)?;
            }
            named.push(Property { key: key.into_bytes().into(), required, values: self.values(values)? });
        }
        let escapes = self.key_escapes(&named, &extras, rules.free)?;
        let mut sorted: Vec<(Box<[u8]>, u32)> = Vec::with_capacity(named.len());
        for (place, properties) in named.chunks(CHECKED).enumerate() {
            if place > 0 {
                self.check(0)?;
            }
            let keys = properties.iter().map(|property| &*property.key);
            let spelled = self.arena.spellings(keys, escapes)?.into_iter().map(Vec::into_boxed_slice);
            sorted.extend(spelled.zip((place * CHECKED) as u32..));
        }
        sort_by(&mut sorted, &Ord::cmp, &mut || self.check(0))?;
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
        let ObjectRules { min, max, required_marks, clauses, implies, any_order, extras_last, orders, free: _ } = rules;
        let earlier = if any_order || orders.is_empty() {
            Vec::new()
        } else if orders.iter().flatten().any(|&index| index >= count) {
            return Err(Error::Misuse(format!("an order names a property beyond the {count} there are")).into());
        } else {
            earlier_properties(count, &orders, &mut self.begin_call().budget)?
                .ok_or_else(|| Error::Misuse("the orders contradict each other".into()))?
        };
        let Punctuation { open, close, colon, comma, empty } = punctuation;
        let max = max.unwrap_or(MANY);
        // A clause is always true if one of its conclusions is also a premise.
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
            escapes,
            sorted,
        };
        spec.index_properties();
        self.begin_call().add_object(spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::fixture::{braces, literal, members, object, spec};
    use crate::regular::fixture::texts;
    use crate::regular::term::Term;

    fn rules(min: u32) -> ObjectRules {
        ObjectRules { min, any_order: true, ..ObjectRules::default() }
    }

    #[test]
    fn other_keys_are_valid_texts_that_no_property_has() {
        let mut builder = Builder::default();
        let node = object(&mut builder, &members(&["x", "yy"]), &["[xy\\xff]{1,2}"], ObjectRules::default());
        let Term::Object(id) = *builder.arena.term(node) else { unreachable!() };
        let keys = builder.arena.registers.objects[id.index()].extras[0].keys;
        assert_eq!(texts(&mut builder.arena, keys, "xy", 3), ["y", "xx", "xy", "yx"]);
        assert!(!builder.accepts(keys.number(), b"\xff").unwrap());
        assert!(builder.arena.info(keys).utf8);
        let none = spec(&members(&["x"]), &["x"], ObjectRules::default());
        assert!(none.extras.is_empty(), "no key is left");
    }

    #[test]
    fn few_keys_are_listed_where_their_number_matters() {
        let few = |keys: &str, rules: ObjectRules| {
            let extra = &spec(&[], &[keys], rules).extras[0];
            (extra.few.as_ref().map(Vec::len), extra.number)
        };
        assert_eq!(few("[x-z]", rules(0)), (None, Some(3)));
        assert_eq!(few("[x-z]", rules(1)), (Some(3), Some(3)));
        let marked = ObjectRules { required_marks: 1, ..rules(0) };
        assert_eq!(few("[x-z]", marked), (Some(3), Some(3)));
        assert_eq!(few("[x-z]*", rules(1)), (None, None), "without a bound on their length, keys are not used up");
        assert_eq!(few("[a-z]{2}", rules(0)), (None, Some(64)), "counting ends at 64");
        // 16 × 4 = 64 keys are listed for one member, and one more for two members.
        assert_eq!(few("[a-p][a-d]", rules(1)), (Some(64), Some(64)));
        assert_eq!(few("[a-p][a-d]|xx|yy", rules(1)).0, None);
        assert_eq!(few("[a-p][a-d]|xx|yy", rules(2)).0, Some(66));
    }

    #[test]
    fn contradictions_and_unknown_properties_are_misuse() {
        let message = |named: &[&str], rules: ObjectRules| {
            let mut builder = Builder::default();
            let (one, punctuation) = (literal(&mut builder, "1").number(), braces(&mut builder));
            let named = named.iter().map(|&key| (key.to_owned(), false, vec![(one, 0)])).collect();
            builder.object(named, Vec::new(), punctuation, rules).err().map(|error| error.to_string())
        };
        let implies = |pair| ObjectRules { implies: vec![pair], ..ObjectRules::default() };
        assert_eq!(message(&["a", "b"], implies((2, 0))).unwrap(), "implies names property 2, there are 2");
        assert_eq!(message(&["a", "b"], implies((1, 2))).unwrap(), "implies names property 2, there are 2");
        assert_eq!(message(&["a", "b"], implies((1, 0))), None);
        assert_eq!(message(&["a", "a"], ObjectRules::default()).unwrap(), "property \"a\" is named twice");
        let orders = |orders: Vec<Vec<u32>>| ObjectRules { orders, ..ObjectRules::default() };
        assert_eq!(
            message(&["a", "b"], orders(vec![vec![2]])).unwrap(),
            "an order names a property beyond the 2 there are"
        );
        assert_eq!(
            message(&["a", "b"], orders(vec![vec![0, 1], vec![1, 0]])).unwrap(),
            "the orders contradict each other"
        );
        assert_eq!(message(&["a", "b"], orders(vec![vec![1, 0]])), None);
        let any = ObjectRules { any_order: true, ..orders(vec![vec![0, 1], vec![1, 0]]) };
        assert_eq!(message(&["a", "b"], any), None, "where any order will do, none contradicts");
    }
}
