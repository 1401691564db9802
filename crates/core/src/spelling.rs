//! Sorted texts × a trie → the nodes they lead to, without a state for each beginning.

use crate::error::Result;
use crate::trie::Trie;

/// Goes down the trie from a node along all texts at once, of which `depth` bytes are read already. `enter` is told each
/// node, the texts that lead through it and how much of them is read there, and says whether to go on below.
pub(crate) fn along<T>(
    trie: &Trie,
    node: u32,
    texts: &[T],
    depth: usize,
    bytes: &impl Fn(&T) -> &[u8],
    enter: &mut impl FnMut(u32, &[T], usize) -> Result<bool>,
) -> Result<()> {
    if let [text] = texts {
        let mut place = node;
        for (at, &byte) in bytes(text).iter().enumerate().skip(depth) {
            match trie.child(place, byte) {
                Some(child) => place = child,
                None => break,
            }
            if !enter(place, texts, at + 1)? || trie.end(place) == place + 1 {
                break;
            }
        }
        return Ok(());
    }
    let at = |text: &T| bytes(text).get(depth).copied();
    let mut rest = texts;
    while let Some(first) = rest.first() {
        let Some(byte) = at(first) else {
            rest = &rest[1..];
            continue;
        };
        let (here, after) = rest.split_at(rest.partition_point(|text| at(text) == Some(byte)));
        rest = after;
        if let Some(child) = trie.child(node, byte) {
            if enter(child, here, depth + 1)? && trie.end(child) > child + 1 {
                along(trie, child, here, depth + 1, bytes, enter)?;
            }
        }
    }
    Ok(())
}
