//! Places that name the same properties → the orders in which these may come, as order.py decides.

use crate::case::Case;
use crate::object::Property;
use pyo3::prelude::*;
use pyo3::types::PyString;
use rustc_hash::FxHashMap;
use std::collections::{HashMap, HashSet};

/// Which properties keep an order (order.py).
pub fn orders(case: &Case<'_>, properties: &[Property], required: &FxHashMap<&str, usize>) -> PyResult<Vec<Vec<u32>>> {
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
