//! Objects and arrays of unique items of a file → their specifications.
//!
//! Apart from `read`, because their many fields are checked together.

use crate::error::Result;
use crate::grammar::stored::read::{check, Terms};
use crate::regular::registers::{Clause, Extra, ObjectSpec, Property, PropertyRanges, PropertySet, UniqueSpec, Value};
use crate::regular::term::TermId;

impl Terms<'_> {
    /// An object.
    pub(super) fn object(&mut self) -> Result<TermId> {
        let properties = self.list(Self::property)?;
        let extras = self.list(Self::extra)?;
        let [open, close, colon, comma, empty] = self.punctuation()?;
        let (min, max, required_marks) = (self.file.u32()?, self.file.u32()?, self.file.u64()?);
        let mut clauses =
            self.list(|terms| Ok(Clause { premises: terms.file.u64()?, conclusions: terms.file.u64()? }))?;
        clauses.sort_unstable();
        let implies = self.implications(properties.len())?;
        let mut implied_by: Vec<(u32, u32)> = implies.iter().map(|&(cause, effect)| (effect, cause)).collect();
        implied_by.sort_unstable();
        let earlier = self.earlier(properties.len())?;
        let [any_order, extras_last] = [self.file.bool()?, self.file.bool()?];
        let escapes = self.escapes()?;
        let keys = self.arena.spellings(properties.iter().map(|property| &*property.key), escapes)?;
        let mut spec = ObjectSpec {
            sorted: sorted_spellings(keys)?,
            properties,
            required: PropertySet::new(),
            valued: PropertySet::new(),
            extras,
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
        };
        spec.index_properties();
        self.arena.add_object(spec)
    }

    /// An array of unique items.
    pub(super) fn unique(&mut self) -> Result<TermId> {
        let states = self.list(|terms| {
            let accepting = terms.file.bool()?;
            Ok((accepting, terms.list(|terms| Ok((terms.reference()?, terms.file.u32()?)))?))
        })?;
        check(!states.is_empty(), "has an array without a state")?;
        let (accepting, steps): (Vec<bool>, Vec<Vec<(TermId, u32)>>) = states.into_iter().unzip();
        let known = steps.iter().flatten().all(|&(_, next)| (next as usize) < steps.len());
        check(known, "has a number beyond its list")?;
        let [open, close, comma, empty] = self.punctuation()?;
        let readable = |sign: TermId| !self.arena.info(sign).structural && !self.arena.info(sign).nullable;
        check([open, close, comma, empty].into_iter().all(readable), "has unique items without punctuation")?;
        let (min, max) = self.bounds()?;
        self.arena.add_unique(UniqueSpec { steps, accepting, open, close, comma, empty, min, max, is_empty: false })
    }

    fn property(&mut self) -> Result<Property> {
        let key = self.file.text()?.as_bytes().into();
        Ok(Property { key, required: self.file.bool()?, values: self.values()? })
    }

    fn extra(&mut self) -> Result<Extra> {
        let (keys, values) = (self.text()?, self.values()?);
        let few = self.option(|terms| terms.list(|terms| Ok(terms.file.bytes()?.into())))?;
        let number = self.option(|terms| Ok(terms.file.u64()? as usize))?;
        Ok(Extra { keys, values, few, number })
    }

    fn values(&mut self) -> Result<Vec<Value>> {
        self.list(|terms| Ok(Value { node: terms.reference()?, marks: terms.file.u64()? }))
    }

    /// A list of at most one element.
    fn option<T>(&mut self, each: impl FnMut(&mut Self) -> Result<T>) -> Result<Option<T>> {
        let mut all = self.list(each)?;
        check(all.len() <= 1, "has several values where one may stand")?;
        Ok(all.pop())
    }

    fn punctuation<const N: usize>(&mut self) -> Result<[TermId; N]> {
        let mut punctuation = [crate::regular::term::EMPTY; N];
        for mark in &mut punctuation {
            *mark = self.reference()?;
        }
        Ok(punctuation)
    }

    /// (cause, effect) pairs of properties, sorted.
    fn implications(&mut self, count: usize) -> Result<Vec<(u32, u32)>> {
        let mut pairs = self.list(|terms| Ok((terms.file.u32()?, terms.file.u32()?)))?;
        let known = pairs.iter().all(|&(cause, effect)| (cause.max(effect) as usize) < count);
        check(known, "has a number beyond its list")?;
        pairs.sort_unstable();
        pairs.dedup();
        Ok(pairs)
    }

    /// For each property the properties that must not follow it.
    fn earlier(&mut self, count: usize) -> Result<Vec<PropertyRanges>> {
        let range = |terms: &mut Self| Ok((terms.file.u32()?, terms.file.u32()?));
        let all: Vec<PropertyRanges> = self.list(|terms| Ok(PropertyRanges::from_vec(terms.list(range)?)))?;
        check(all.is_empty() || all.len() == count, "orders other properties than there are")?;
        let is_proper = |(index, ranges): (u32, &PropertyRanges)| {
            ranges.iter().all(|&(start, end)| start < end && end as usize <= count)
                && ranges.is_sorted_by(|one, next| one.1 < next.0)
                && ranges.iter().any(|&(start, end)| (start..end).contains(&index))
        };
        check((0..).zip(&all).all(is_proper), "orders other properties than there are")?;
        Ok(all)
    }
}

/// (spelled key, property), sorted. Errors: a key that is named twice.
fn sorted_spellings(keys: Vec<Vec<u8>>) -> Result<Vec<(Box<[u8]>, u32)>> {
    let mut sorted: Vec<(Box<[u8]>, u32)> = keys.into_iter().map(Vec::into_boxed_slice).zip(0..).collect();
    sorted.sort_unstable();
    check(sorted.is_sorted_by(|one, next| one.0 < next.0), "names a property twice")?;
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_found_by_their_spelled_keys() {
        let sorted = sorted_spellings(["\"b\"", "\"a\\n\""].map(Vec::from).to_vec()).unwrap();
        assert_eq!(sorted, [((*b"\"a\\n\"").into(), 1), ((*b"\"b\"").into(), 0)]);
        assert!(sorted_spellings(["\"a\""; 2].map(Vec::from).to_vec()).is_err());
    }
}
