//! Case → whether it has no value, as the algebra's search for contradictions finds it; nothing if that is not plain.

use crate::case::{listed, product, Case, ARRAY, NUMBER, OBJECT, STRING, WORDS};
use crate::demand::{crossed, needed, Asked, Demand};
use crate::union::Maybe;
use crate::walk::Walk;
use pyo3::prelude::*;
use pyo3::types::PyBool;

/// Searches inside searches: what is looked at may have alternatives to be told apart.
const SEARCHES: usize = 2;

impl<'py> Walk<'_, 'py> {
    /// Whether no value is left, as the algebra's search finds it that looks so deep; nothing if that is not plain.
    pub fn is_void(&mut self, case: &Case<'py>, depth: usize) -> Maybe<bool> {
        if case.mask & WORDS != 0 {
            return Ok(Some(false));
        }
        let mut void = Some(true);
        for (bit, is_any) in [(STRING, case.any_text()), (NUMBER, case.any_number())] {
            if case.mask & bit != 0 {
                if is_any {
                    return Ok(Some(false));
                }
                let found = if bit == STRING { text_is_void(case) } else { number_is_void(case) };
                if found == Some(false) {
                    return Ok(found);
                }
                void = void.and(found);
            }
        }
        if case.mask & ARRAY != 0 {
            let found = self.array_is_void(case, depth)?;
            if found == Some(false) {
                return Ok(found);
            }
            void = void.and(found);
        }
        if case.mask & OBJECT != 0 {
            let found = self.object_is_void(case, depth)?;
            if found == Some(false) {
                return Ok(found);
            }
            void = void.and(found);
        }
        Ok(void)
    }

    fn array_is_void(&mut self, case: &Case<'py>, depth: usize) -> Maybe<bool> {
        let closed = case.items.as_ref().is_some_and(|items| items.downcast_exact::<PyBool>().is_ok());
        let most = if closed { Some(0) } else { case.count.1 };
        if most.is_some_and(|most| most < case.count.0) {
            return Ok(Some(true));
        }
        match &case.items {
            Some(items) if case.count.0 > 0 => self.schema_is_void(items, depth),
            _ => Ok(Some(false)),
        }
    }

    fn object_is_void(&mut self, case: &Case<'py>, depth: usize) -> Maybe<bool> {
        if crossed(case)? {
            return Ok(Some(true));
        }
        let mut void = Some(false);
        let mut alone = Vec::new();
        // Where several schemas meet is where a contradiction would be: the others are looked into last.
        for key in needed(case)?.iter() {
            let found = match self.demand(case, Some(key))? {
                Some(Demand::Anything) => Some(false),
                Some(Demand::Nothing) => Some(true),
                Some(Demand::Several(asked)) => self.demands_are_void(&asked)?,
                Some(Demand::Schema(schema, ..)) => {
                    alone.push(schema);
                    Some(false)
                }
                None => None,
            };
            match found {
                Some(true) => return Ok(found),
                Some(false) => {}
                None => void = None,
            }
        }
        for schema in alone {
            match self.schema_is_void(&schema, depth)? {
                Some(true) => return Ok(Some(true)),
                Some(false) => {}
                None => void = None,
            }
        }
        Ok(void)
    }

    fn schema_is_void(&mut self, schema: &Bound<'py, PyAny>, depth: usize) -> Maybe<bool> {
        if depth == 0 || self.searches == SEARCHES {
            return Ok(None);
        }
        self.searches += 1;
        let union = self.expanded(schema, "", 0);
        self.searches -= 1;
        let Some(union) = union? else { return Ok(None) };
        let mut void = Some(true);
        for case in &union.cases {
            match self.is_void(case, depth - 1)? {
                Some(false) => return Ok(Some(false)),
                found => void = void.and(found),
            }
        }
        Ok(void)
    }

    /// What meets all the schemas.
    pub fn met_by(&mut self, asked: &[Asked<'py>]) -> Maybe<Vec<Case<'py>>> {
        let mut cases = vec![Case::default()];
        for (schema, ..) in asked {
            if self.searches == SEARCHES {
                return Ok(None);
            }
            self.searches += 1;
            let union = self.expanded(schema, "", 0);
            self.searches -= 1;
            let Some(union) = union? else { return Ok(None) };
            let Some(met) = product(cases, union.cases) else { return Ok(None) };
            cases = met;
        }
        Ok(Some(cases))
    }

    /// Whether schemas that all ask something of one member contradict each other; nothing unless that is plain.
    fn demands_are_void(&mut self, asked: &[Asked<'py>]) -> Maybe<bool> {
        let Some(cases) = self.met_by(asked)? else { return Ok(None) };
        let mut void = Some(true);
        for case in &cases {
            match if case.mask == STRING { text_is_void(case) } else { None } {
                Some(false) => return Ok(Some(false)),
                found => void = void.and(found),
            }
        }
        Ok(void)
    }
}

fn text_is_void(case: &Case<'_>) -> Option<bool> {
    let (least, most) = case.length;
    match listed(case) {
        Some(texts) if texts.is_empty() => Some(true),
        Some(_) => case.matches.is_empty().then_some(false),
        None if most.is_some_and(|most| most < least) => Some(true),
        None if case.matches.is_empty() || case.matches.len() == 1 && case.length == (0, None) => Some(false),
        None => None,
    }
}

fn number_is_void(case: &Case<'_>) -> Option<bool> {
    if case.unread.is_some() {
        return None;
    }
    let first = case.low.map(|(low, open)| i128::from(low) + i128::from(open));
    let last = case.high.map(|(high, open)| i128::from(high) - i128::from(open));
    Some(first.zip(last).is_some_and(|(first, last)| last < first))
}
