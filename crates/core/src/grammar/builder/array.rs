//! Items → a node for the array: a sequence, or a register where no two may be the same.

use crate::error::{Error, Result};
use crate::grammar::builder::{Builder, Punctuation};
use crate::regular::registers::UniqueSpec;
use crate::regular::term::{TermId, EMPTY, MANY};

impl Builder {
    pub fn array(
        &mut self,
        prefix: &[u32],
        rest: Option<u32>,
        punctuation: Punctuation,
        min: u32,
        max: Option<u32>,
    ) -> Result<TermId> {
        let prefix = self.nodes(prefix)?;
        let rest = rest.map(|rest| self.node(rest)).transpose()?.unwrap_or(EMPTY);
        let Punctuation { open, close, comma, empty, .. } = punctuation;
        let max = max.unwrap_or(MANY);
        if min > max {
            return Ok(EMPTY);
        }
        let arena = self.fresh();
        let fixed = prefix.len() as u32;
        // From the back: what may follow once `at` items have come.
        let mut tail = if max < fixed {
            EMPTY
        } else {
            let more = arena.seq(comma, rest)?;
            let left = if max == MANY { MANY } else { max - fixed };
            let first = if fixed == 0 { 1 } else { 0 };
            let again = arena.repeat(
                more,
                min.saturating_sub(fixed.max(first)),
                left.saturating_sub(u32::from(first == 1 && left != MANY)),
            )?;
            if fixed == 0 && (max == 0 || rest == EMPTY) {
                EMPTY
            } else {
                arena.seq(again, close)?
            }
        };
        if fixed == 0 {
            let items = arena.seq(rest, tail)?;
            tail = arena.seq(open, items)?;
        }
        for at in (0..fixed).rev() {
            // `at + 1` items are there once this one has come.
            let after = at + 1;
            let mut ways = Vec::with_capacity(2);
            if after == fixed {
                ways.push(tail);
                if rest == EMPTY || max == fixed {
                    ways.clear();
                    if min <= after && max >= after {
                        ways.push(close);
                    }
                } else if max < after {
                    ways.clear();
                }
            } else {
                if max > after {
                    ways.push(tail);
                }
                if min <= after && max >= after {
                    ways.push(close);
                }
            }
            let next = arena.alt(ways)?;
            let item = arena.seq(prefix[at as usize], next)?;
            tail = if at == 0 { arena.seq(open, item)? } else { arena.seq(comma, item)? };
        }
        if fixed > 0 && max == 0 {
            tail = EMPTY;
        }
        if min == 0 {
            tail = arena.alt(vec![empty, tail])?;
        }
        Ok(tail)
    }

    /// An array no two of whose items have the same value: an automaton over items, by state whether the array may
    /// end there, and (item, next state).
    pub fn unique_array(
        &mut self,
        states: &[(bool, Vec<(u32, u32)>)],
        punctuation: Punctuation,
        min: u32,
        max: Option<u32>,
    ) -> Result<TermId> {
        let Punctuation { open, close, comma, empty, .. } = punctuation;
        let max = max.unwrap_or(MANY);
        let signs = [open, close, comma, empty];
        if signs.iter().any(|&sign| self.arena.info(sign).structural || self.arena.info(sign).nullable) {
            return Err(Error::Misuse("the punctuation of unique items must be regular and not empty".into()).into());
        }
        let mut steps = Vec::with_capacity(states.len());
        for (_, items) in states {
            let mut made = Vec::with_capacity(items.len());
            for &(item, next) in items {
                if next as usize >= states.len() {
                    return Err(
                        Error::Misuse(format!("an item leads to state {next}, there are {}", states.len())).into()
                    );
                }
                let item = self.node(item)?;
                if item != EMPTY {
                    made.push((item, next));
                }
            }
            steps.push(made);
        }
        if steps.is_empty() || min > max {
            return Ok(EMPTY);
        }
        let accepting = states.iter().map(|&(accepting, _)| accepting).collect();
        self.fresh().add_unique(UniqueSpec {
            steps,
            accepting,
            open,
            close,
            comma,
            empty,
            min,
            max,
            is_unsatisfiable: false,
        })
    }
}
