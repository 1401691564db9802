//! Automaton × Builder → the node of its texts, by eliminating the states one by one, the cheapest first.

use super::minimal::Row;
use super::{Halt, Result};
use frisket_core::builder::Builder;
use frisket_core::regular::term::{TermId, EMPTY, EPSILON};
use std::collections::BTreeSet;

const MOST_PATHS: usize = 5_000;

/// Edges to states, each with the node of its texts, in the order in which they were made.
type Edges = Vec<(usize, TermId)>;

/// The node of the automaton's texts.
pub(super) fn eliminate(builder: &mut Builder, rows: Vec<Row>) -> Result<TermId> {
    // Two more states: a source before the start, and a sink behind the accepting states.
    let (source, sink) = (rows.len(), rows.len() + 1);
    let mut edges: Vec<Edges> = Vec::with_capacity(rows.len() + 2);
    for row in &rows {
        let mut out = Edges::new();
        for (to, set) in &row.edges {
            out.push((*to, builder.char_class(set.ranges())?));
        }
        if row.accepts {
            out.push((sink, EPSILON));
        }
        edges.push(out);
    }
    edges.push(vec![(0, EPSILON)]);
    edges.push(Edges::new());
    let mut into: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); edges.len()];
    for (state, out) in edges.iter().enumerate() {
        for &(to, _) in out {
            into[to].insert(state);
        }
    }
    let mut waiting: BTreeSet<usize> = (0..rows.len()).collect();
    let mut paths = 0;
    while let Some(&state) = waiting.iter().min_by_key(|&&state| (into[state].len() * edges[state].len(), state)) {
        waiting.remove(&state);
        let mut out = std::mem::take(&mut edges[state]);
        let around = match out.iter().position(|edge| edge.0 == state) {
            Some(index) => Some(builder.repeat(out.remove(index).1.number(), 0, None)?),
            None => None,
        };
        paths += into[state].len() * out.len();
        if paths > MOST_PATHS {
            return Err(Halt::TooLarge);
        }
        let mut sources = std::mem::take(&mut into[state]);
        sources.remove(&state);
        // The source comes first: it is before every state of the automaton.
        let sources =
            sources.iter().rev().filter(|&&from| from == source).chain(sources.iter().filter(|&&from| from != source));
        for &from in sources {
            let Some(index) = edges[from].iter().position(|edge| edge.0 == state) else { continue };
            let enter = edges[from].remove(index).1;
            for &(to, leave) in &out {
                let path: Vec<u32> =
                    [Some(enter), around, Some(leave)].iter().flatten().map(|node| node.number()).collect();
                let path = builder.cat(&path)?;
                match edges[from].iter().position(|edge| edge.0 == to) {
                    Some(known) => {
                        let both = builder.alt(&[edges[from][known].1.number(), path.number()])?;
                        edges[from][known].1 = both;
                    }
                    None => edges[from].push((to, path)),
                }
                into[to].insert(from);
            }
        }
        for (to, _) in &out {
            into[*to].remove(&state);
        }
    }
    Ok(edges[source].iter().find(|edge| edge.0 == sink).map_or(EMPTY, |edge| edge.1))
}
