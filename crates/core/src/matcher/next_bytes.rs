//! Position → the bytes that may come next, as ranges and in words.

use crate::automaton::machine::Machine;
use crate::automaton::position::{PositionId, Register, DEAD};
use crate::error::Result;

/// Byte ranges in words, for an error message.
pub(super) fn shown(ranges: &[(u8, u8)]) -> String {
    let show = |byte: u8| match byte {
        0x21..=0x7e => (byte as char).to_string(),
        b' ' => "a space".into(),
        b'\n' => "a line break".into(),
        _ => format!("byte {byte:#04x}"),
    };
    let parts: Vec<String> = ranges
        .iter()
        .map(|&(low, high)| if low == high { show(low) } else { format!("{}–{}", show(low), show(high)) })
        .collect();
    parts.join(", ")
}

/// The first `limit` ranges of bytes that may come next, disjoint and ascending.
pub(super) fn next_byte_ranges(machine: &mut Machine, id: PositionId, limit: usize) -> Result<Vec<(u8, u8)>> {
    let live = live_bytes(machine, id)?;
    let mut ranges: Vec<(u8, u8)> = Vec::new();
    for byte in (0..=255u8).filter(|&byte| live[byte as usize]) {
        let full = ranges.len() == limit;
        match ranges.last_mut() {
            Some((_, high)) if *high + 1 == byte => *high = byte,
            _ if full => break,
            _ => ranges.push((byte, byte)),
        }
    }
    Ok(ranges)
}

/// Which bytes may come next.
pub(super) fn live_bytes(machine: &mut Machine, id: PositionId) -> Result<[bool; 256]> {
    let position = machine.position(id).clone();
    let mut live = [false; 256];
    for &(head, _) in &position.heads {
        for (low, high, _) in machine.arena.byte_transitions(head)? {
            live[usize::from(low)..=usize::from(high)].fill(true);
        }
    }
    if position.register != Register::Closed {
        // An item that must differ from others may go on with fewer bytes than its head reads.
        for byte in (0..=255u8).filter(|&byte| live[byte as usize]).collect::<Vec<_>>() {
            live[byte as usize] = machine.step(id, byte)? != DEAD;
        }
    }
    Ok(live)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::machine;

    #[test]
    fn ranges_are_disjoint_and_as_many_as_are_asked_for() {
        let mut machine = machine(|builder| builder.byte_class(&[(1, 2), (3, 4), (9, 9), (255, 255)]).unwrap());
        let start = machine.start;
        assert_eq!(next_byte_ranges(&mut machine, start, 9).unwrap(), [(1, 4), (9, 9), (255, 255)]);
        assert_eq!(next_byte_ranges(&mut machine, start, 2).unwrap(), [(1, 4), (9, 9)]);
        assert_eq!(live_bytes(&mut machine, start).unwrap().iter().filter(|&&live| live).count(), 6);
    }
}
