//! A matcher's state → the text that likely comes next: the forced bytes, with white space as elsewhere in the text.
//!
//! JSON lets a writer choose the blanks around punctuation, so few bytes of a document are forced. With guessed blanks,
//! all bytes between two values become a draft; the caller checks it, as any draft.

use crate::automaton::machine::Machine;
use crate::automaton::position::{PositionId, DEAD};
use crate::error::Result;
use crate::matcher::matcher::Matcher;
use crate::matcher::next_bytes::live_bytes;

/// Bytes at the end of the text that show how it uses white space.
const LOOK_BACK: usize = 2048;

/// From this many possible letters on, a string counts as free; a list of names begins with fewer letters.
const FREE_LETTERS: usize = 40;

/// The most continuations that are listed, and the most bytes of each.
const BEGINNINGS: usize = 16;
const BEGINNING_BYTES: usize = 12;

/// The text that likely comes next.
#[derive(Debug, Default, PartialEq)]
pub struct Likely {
    /// Its bytes.
    pub text: Vec<u8>,
    /// Beginnings of the text behind it: the split into tokens depends on them.
    pub beginnings: Vec<Vec<u8>>,
}

impl Matcher {
    /// The text that likely comes next, at most about `most` bytes of it.
    pub fn likely(&mut self, most: usize) -> Result<Likely> {
        self.check_cancelled()?;
        if self.ended() {
            return Ok(Likely::default());
        }
        let written = self.last_bytes(LOOK_BACK);
        self.on_automaton(|_, automaton, state| {
            let machine = &mut automaton.machine;
            let mut all = written.clone();
            let mut id = state.position;
            while all.len() < written.len() + most {
                let Some((more, next)) = likely_step(machine, id, &all)? else { break };
                all.extend(more);
                id = next;
            }
            let text = all.split_off(written.len());
            let beginnings = if text.is_empty() { Vec::new() } else { beginnings(machine, id)? };
            Ok(Likely { text, beginnings })
        })
    }

    /// The last bytes of the text so far: at least `most`, or all of them.
    fn last_bytes(&self, most: usize) -> Vec<u8> {
        let (mut pieces, mut count) = (Vec::new(), 0);
        for taken in self.taken.iter().rev() {
            let piece = self.bytes_of(taken).unwrap_or_default();
            count += piece.len();
            pieces.push(piece);
            if count >= most {
                break;
            }
        }
        pieces.into_iter().rev().flatten().copied().collect()
    }
}

/// The next bytes of the likely text and the position after them; only blanks if several bytes may follow these.
fn likely_step(machine: &mut Machine, id: PositionId, written: &[u8]) -> Result<Option<(Vec<u8>, PositionId)>> {
    let position = machine.position(id);
    if position.accepting || !position.specials.is_empty() {
        return Ok(None);
    }
    let live = live_bytes(machine, id)?;
    let mut others = (0..=255u8).filter(|&byte| live[byte as usize] && !is_blank(byte));
    let (first, is_only) = (others.next(), others.next().is_none());
    let mut blanks = (0..=255u8).filter(|&byte| live[byte as usize] && is_blank(byte));
    let more = match (first, blanks.next()) {
        (Some(byte), None) if is_only => vec![byte],
        (None, Some(blank)) if blanks.next().is_none() => return Ok(Some((vec![blank], machine.step(id, blank)?))),
        (Some(byte), Some(_)) if is_only => {
            let mut more = usual_blanks(written, Some(byte));
            more.push(byte);
            more
        }
        (Some(_), Some(_)) => usual_blanks(written, None),
        _ => Vec::new(),
    };
    if more.is_empty() {
        return Ok(None);
    }
    let mut next = id;
    for &byte in &more {
        next = machine.step(next, byte)?;
        if next == DEAD {
            return Ok(None);
        }
    }
    Ok(Some((more, next)))
}

/// The blanks that are usual at the end of a text, before `next` if that byte is known: those at the last such place,
/// or else those that Python's `json.dumps` writes; without the blanks that the text ends with already.
fn usual_blanks(written: &[u8], next: Option<u8>) -> Vec<u8> {
    let end = written.iter().rposition(|&byte| !is_blank(byte)).map_or(0, |last| last + 1);
    let (before, begun) = written.split_at(end);
    let usual = match (before.last(), next) {
        (Some(b':'), _) => after_colon(before),
        (Some(b','), _) => after_comma(before),
        (Some(&opener @ (b'{' | b'[')), _) if is_broken(before, opener) => line(before, 1),
        (_, Some(b'}')) if is_broken(before, b'{') => line(before, -1),
        (_, Some(b']')) if is_broken(before, b'[') => line(before, -1),
        _ => Vec::new(),
    };
    usual.strip_prefix(begun).map(<[u8]>::to_vec).unwrap_or_default()
}

fn after_colon(before: &[u8]) -> Vec<u8> {
    // In a string a colon rarely follows a quote.
    last_place(before, |left, byte| byte == b':' && left == Some(b'"')).map_or_else(|| b" ".to_vec(), <[u8]>::to_vec)
}

fn after_comma(before: &[u8]) -> Vec<u8> {
    let ends_value = |byte: u8| matches!(byte, b'"' | b'}' | b']' | b'0'..=b'9' | b'e' | b'l');
    match last_place(before, |left, byte| byte == b',' && left.is_some_and(ends_value)) {
        Some(blanks) if blanks.contains(&b'\n') => line(before, 0),
        Some(blanks) => blanks.to_vec(),
        None if is_broken(before, b'{') => line(before, 0),
        None => after_colon(before),
    }
}

/// Whether a line break follows the last bracket of this kind; if there is no such bracket, whether there is any.
fn is_broken(before: &[u8], opener: u8) -> bool {
    last_place(before, |_, byte| byte == opener).map_or(before.contains(&b'\n'), |blanks| blanks.contains(&b'\n'))
}

/// The blanks after the last byte that `is_place` accepts, before the final byte; `is_place` takes the byte on the left
/// and the byte.
fn last_place(before: &[u8], is_place: impl Fn(Option<u8>, u8) -> bool) -> Option<&[u8]> {
    let last = before.len().checked_sub(1)?;
    let place = (0..last).rev().find(|&at| is_place(at.checked_sub(1).map(|left| before[left]), before[at]))?;
    let rest = &before[place + 1..];
    Some(&rest[..rest.iter().take_while(|&&byte| is_blank(byte)).count()])
}

/// A line break, and the indentation of the last line changed by `levels`.
fn line(before: &[u8], levels: i8) -> Vec<u8> {
    let indentation = |from: usize| before[from..].iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
    let start = |at: Option<usize>| at.map_or(0, |at| at + 1);
    let current = start(before.iter().rposition(|&byte| byte == b'\n'));
    let first = before.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
    let mut blanks = before[current..][..indentation(current)].to_vec();
    let level = first.map_or(&b"  "[..], |first| &before[first..][..indentation(first)]);
    match levels {
        1 => blanks.extend(level),
        -1 => blanks.truncate(blanks.len().saturating_sub(level.len())),
        _ => {}
    }
    blanks.insert(0, b'\n');
    blanks
}

/// Beginnings of the texts that may follow, one of each kind.
fn beginnings(machine: &mut Machine, id: PositionId) -> Result<Vec<Vec<u8>>> {
    let live = live_bytes(machine, id)?;
    let is_live = |byte: &u8| live[*byte as usize];
    if (0..=255u8).filter(is_live).filter(u8::is_ascii_alphabetic).count() >= FREE_LETTERS {
        return Ok(vec![b"a".to_vec()]);
    }
    let digit = [b'1'].into_iter().chain(b'0'..=b'9').find(is_live);
    let is_usual = |byte: &u8| byte.is_ascii_alphabetic() || matches!(*byte, b'"' | b'{' | b'[' | 0x80..);
    let mut firsts: Vec<u8> = (0..=255u8).filter(is_live).filter(is_usual).chain(digit).collect();
    if firsts.is_empty() {
        firsts = (0..=255u8).filter(is_live).filter(|&byte| !is_blank(byte)).collect();
    }
    firsts.truncate(BEGINNINGS);
    let mut found = Vec::new();
    for first in firsts {
        let (mut beginning, mut next) = (vec![first], machine.step(id, first)?);
        while next != DEAD && beginning.len() < BEGINNING_BYTES {
            let Some((more, after)) = likely_step(machine, next, &beginning)? else { break };
            beginning.extend(more);
            next = after;
        }
        found.push(beginning);
    }
    Ok(found)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usual(written: &str, next: Option<char>) -> String {
        String::from_utf8(usual_blanks(written.as_bytes(), next.map(|next| next as u8))).unwrap()
    }

    #[test]
    fn blanks_are_those_of_the_same_place_before() {
        for (written, next, expected) in [
            ("", '{', ""),
            ("{", '"', ""),
            ("{\"a\":", '"', " "),
            ("{\"a\":1,\"b\":", '1', ""),
            ("{\"a:b\": \"c:d\",", '"', " "),
            ("{\"a\":1,", '"', ""),
            ("{\"a\": 1,  \"b\": 2,", '"', "  "),
            ("[\"a, b\"", ',', ""),
            ("[\"a,b\",", '"', " "),
            ("{\n  \"a\": 1,", '"', "\n  "),
            ("{\n  \"a\": 1,\n ", '"', " "),
            ("{\n  \"a\": 1,\n   ", '"', ""),
            ("{\n\t\"a\": {", '"', "\n\t\t"),
            ("{\n  \"a\": [", '1', "\n    "),
            ("{\n  \"a\": [1, 2], \"b\": [", '1', ""),
            ("{\n  \"a\": 1", '}', "\n"),
            ("{\n  \"a\": {\n    \"b\": 1\n", '}', "  "),
            ("{\n  \"a\": [1", ']', ""),
            ("{\"a\": 1", '}', ""),
        ] {
            assert_eq!(usual(written, Some(next)), expected, "{written}");
        }
        assert_eq!(usual("{\"a\":", None), " ");
    }
}
