//! Schema → whether a tool sorted its properties; lists of properties → the orders that they state together.
//!
//! JSON leaves the order of an object's members open, and many tools sort them. The author's order is lost then, and an
//! order that nobody chose would only push a model off its own.

use crate::json::{Key, NodeId, Text, Tree, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bits of chance beyond which names are sorted on purpose: n names have n! orders, and one in 2^20 is alphabetical.
const CERTAIN_BITS: f64 = 20.0;

/// Keywords whose values are data, not schemas.
const DATA: [&str; 5] = ["const", "default", "enum", "example", "examples"];

/// Whether the names of every `properties` are in alphabetical order, and too many for that to be chance.
///
/// ```
/// use frisket_schema::{json::parse, order::is_sorted};
/// assert!(!is_sorted(&parse(r#"{"properties": {"answer": {}, "reason": {}}}"#)?));
/// # Ok::<(), Box<frisket_schema::error::Error>>(())
/// ```
pub fn is_sorted(tree: &Tree) -> bool {
    let mut bits = 0.0;
    let mut met: FxHashSet<NodeId> = FxHashSet::default();
    let mut is_new = |node| !tree.is_shared() || met.insert(node);
    let mut stack = vec![tree.root()];
    while let Some(node) = stack.pop() {
        match tree.value(node) {
            Value::Array(items) if is_new(node) => stack.extend(items),
            Value::Object(members) if is_new(node) => {
                for member in members.iter() {
                    // A key with half of a surrogate pair is no keyword of data.
                    let keyword = match member.key {
                        Key::Text(Text::Unicode(keyword)) => keyword,
                        Key::Text(Text::Surrogates(_)) => "",
                        Key::Foreign(_) => continue,
                    };
                    if keyword == "properties" && tree.object(member.value).is_some() {
                        match sorted_bits(tree, member.value) {
                            Some(more) => bits += more,
                            None => return false,
                        }
                    }
                    if !DATA.contains(&keyword) {
                        stack.push(member.value);
                    }
                }
            }
            _ => {}
        }
    }
    bits >= CERTAIN_BITS
}

/// The bits that tell apart all orders of the names; None if these are not in alphabetical order.
fn sorted_bits(tree: &Tree, properties: NodeId) -> Option<f64> {
    let members = tree.object(properties)?;
    let mut last = "";
    let mut bits = 0.0;
    if members.len() < 2 {
        return Some(bits);
    }
    for (at, member) in members.iter().enumerate() {
        let Key::Text(Text::Unicode(name)) = member.key else { return None };
        if name < last {
            return None;
        }
        last = name;
        bits += f64::log2(at as f64 + 1.0);
    }
    Some(bits)
}

/// The orders that properties must keep, as lists of their places; none if one list orders all of them.
///
/// Each of the `tables` (one for each `properties`) orders only its own names, so names of another branch may stand
/// between them. A table that `required` contradicts orders nothing: a tool sorted it, or the schema states both
/// orders. Names that begin with `$` are metadata of the document, which writers put first, last or where they please.
///
/// `places` has each name's place, in the order of places.
///
/// ```
/// use frisket_schema::order::orders;
/// let places = [("a", 0), ("c", 1), ("b", 2)];
/// assert_eq!(orders(&[vec!["a", "c"], vec!["b"]], &[], &places), [vec![0, 1], vec![2]]);
/// assert_eq!(orders(&[vec!["a", "b"]], &["b", "a"], &[("a", 0), ("b", 1)]), [[0], [1]]);
/// ```
pub fn orders(tables: &[Vec<&str>], required: &[&str], places: &[(&str, usize)]) -> Vec<Vec<usize>> {
    let rank: FxHashMap<&str, usize> = required.iter().enumerate().map(|(at, &key)| (key, at)).collect();
    let place: FxHashMap<&str, usize> = places.iter().copied().collect();
    let mut lists: Vec<Vec<usize>> = Vec::new();
    let mut named: FxHashSet<&str> = FxHashSet::default();
    // Whether the order of the places agrees with all lists so far, as it mostly does. If so, no other order is looked
    // for.
    let mut rises = true;
    for table in tables {
        let names: Vec<&str> = table.iter().copied().filter(|name| !name.starts_with('$')).collect();
        if names.iter().filter_map(|name| rank.get(name)).is_sorted() {
            let mut chain: Vec<usize> = names.iter().map(|name| place[name]).collect();
            let mut chain_rises = rises && chain.is_sorted();
            let repeats = names.iter().any(|name| named.contains(name));
            if !chain_rises && repeats && !has_common_order(&[&lists[..], &[chain.clone()]].concat()) {
                chain = names.iter().filter(|name| !named.contains(*name)).map(|name| place[name]).collect();
                chain_rises = rises && chain.is_sorted();
            }
            rises = chain_rises;
            lists.push(chain);
        }
        named.extend(names);
    }
    if lists.iter().any(|chain| chain.len() == places.len()) {
        return Vec::new();
    }
    let listed: FxHashSet<usize> = lists.iter().flatten().copied().collect();
    lists.extend(places.iter().filter(|(_, place)| !listed.contains(place)).map(|&(_, place)| vec![place]));
    lists
}

/// Whether some order agrees with all lists (Kahn 1962).
fn has_common_order(lists: &[Vec<usize>]) -> bool {
    let mut waits: FxHashMap<usize, usize> = lists.iter().flatten().map(|&place| (place, 0)).collect();
    let mut after: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for pair in lists.iter().flat_map(|chain| chain.windows(2)) {
        *waits.entry(pair[1]).or_default() += 1;
        after.entry(pair[0]).or_default().push(pair[1]);
    }
    let mut ready: Vec<usize> = waits.iter().filter(|(_, count)| **count == 0).map(|(&place, _)| place).collect();
    let mut done = 0;
    while let Some(place) = ready.pop() {
        done += 1;
        for later in after.get(&place).into_iter().flatten() {
            let count = waits.entry(*later).or_default();
            *count -= 1;
            if *count == 0 {
                ready.push(*later);
            }
        }
    }
    done == waits.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn sorted(text: &str) -> bool {
        is_sorted(&parse(text).unwrap())
    }

    #[test]
    fn ten_sorted_names_are_no_chance_and_one_other_order_is_a_statement() {
        let names = |names: &str| names.chars().map(|name| format!("\"{name}\":1")).collect::<Vec<_>>().join(",");
        let ten = names("abcdefghij");
        assert!(sorted(&format!("{{\"properties\":{{{ten}}}}}")));
        assert!(!sorted(&format!("{{\"properties\":{{{}}}}}", names("abcdefgh"))));
        assert!(!sorted(&format!("{{\"properties\":{{{ten}}},\"items\":[{{\"properties\":{{{}}}}}]}}", names("ba"))));
        assert!(sorted(&format!("{{\"properties\":{{{ten}}},\"enum\":[{{\"properties\":{{{}}}}}]}}", names("ba"))));
        let half = names("abcdefg");
        assert!(
            sorted(&format!("{{\"properties\":{{{half}}},\"not\":{{\"properties\":{{{half}}}}}}}")),
            "chances multiply"
        );
    }

    #[test]
    fn tables_order_their_own_names() {
        let of = |tables: &[&str], required: &str, places: &str| {
            let names = |text: &str| -> Vec<String> { text.chars().map(String::from).collect() };
            let (tables, required, places): (Vec<Vec<String>>, _, _) =
                (tables.iter().map(|table| names(table)).collect(), names(required), names(places));
            let tables: Vec<Vec<&str>> =
                tables.iter().map(|table| table.iter().map(|name| &**name).collect()).collect();
            let required: Vec<&str> = required.iter().map(|name| &**name).collect();
            let places: Vec<(&str, usize)> = places.iter().enumerate().map(|(at, name)| (&**name, at)).collect();
            orders(&tables, &required, &places)
        };
        assert_eq!(of(&["abc"], "", "abc"), Vec::<Vec<usize>>::new(), "one list of all is the order of the places");
        assert_eq!(of(&["ab", "bc"], "", "abc"), [vec![0, 1], vec![1, 2]]);
        assert_eq!(of(&["ab", "ca"], "", "abc"), [vec![0, 1], vec![2, 0]], "c, a, b agrees with both");
        assert_eq!(of(&["ab", "bca"], "", "abc"), [vec![0, 1], vec![2]], "no order agrees with both");
        assert_eq!(of(&["$ab"], "", "$ab"), [vec![1, 2], vec![0]]);
        assert_eq!(of(&["abc"], "ca", "abc"), [[0], [1], [2]], "required contradicts the table");
    }
}
