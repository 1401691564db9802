//! Grammar × Vocabulary → CompiledGrammar → Matcher.

use crate::builder::Grammar;
use crate::error::{Error, Result};
use crate::machine::{Machine, PositionId, DEAD};
use crate::mask::{Mask, Masks};
use crate::term::EMPTY;
use crate::vocabulary::{lock, Vocabulary};
use std::sync::{Arc, Mutex};

/// Elementary steps that one call of a matcher may take.
pub const CALL_FUEL: u64 = 50_000_000;

/// More forced text than this comes in pieces.
const FORCED_LIMIT: usize = 4096;

/// A grammar over a vocabulary: one lazy automaton, shared by all its matchers.
pub struct CompiledGrammar {
    pub vocabulary: Arc<Vocabulary>,
    special_ids: Vec<u32>,
    state: Mutex<(Machine, Masks)>,
    start: PositionId,
}

impl CompiledGrammar {
    pub fn new(grammar: &Grammar, vocabulary: Arc<Vocabulary>) -> Result<Arc<Self>> {
        let mut special_ids = Vec::with_capacity(grammar.specials.len());
        for name in &grammar.specials {
            match vocabulary.special_id(name) {
                Some(id) => special_ids.push(id),
                None => return Err(Error::Vocabulary(format!("the vocabulary has no special token {name:?}"))),
            }
        }
        let mut machine = grammar.machine()?;
        let start = machine.start;
        let first = machine.position(start).clone();
        if !first.accepting && first.specials.is_empty() {
            let spans = next_bytes(&mut machine, start, 256)?;
            if !spans.iter().any(|&(low, high)| vocabulary.begins_between(low, high)) {
                return Err(Error::Vocabulary(format!(
                    "no token of the vocabulary begins as the grammar must: {}",
                    shown(&spans[..spans.len().min(12)])
                )));
            }
        }
        let masks = Masks::new(special_ids.clone());
        Ok(Arc::new(CompiledGrammar { vocabulary, special_ids, state: Mutex::new((machine, masks)), start }))
    }

    pub fn memory_bytes(&self) -> usize {
        let state = lock(&self.state);
        state.0.memory_bytes() + state.1.memory_bytes()
    }

    pub fn matcher(self: &Arc<Self>) -> Matcher {
        Matcher { compiled: self.clone(), history: vec![Place { position: self.start, ended: false }] }
    }

    fn mask(&self, position: PositionId) -> Result<Arc<Mask>> {
        let mut state = lock(&self.state);
        if let Some(mask) = state.1.known(position) {
            return Ok(mask.clone());
        }
        let (machine, masks) = &mut *state;
        machine.refuel(CALL_FUEL)?;
        masks.mask(machine, &self.vocabulary, position)
    }

    fn with<T>(&self, act: impl FnOnce(&mut Machine) -> Result<T>) -> Result<T> {
        let mut state = lock(&self.state);
        state.0.refuel(CALL_FUEL)?;
        act(&mut state.0)
    }
}

#[derive(Clone, Copy)]
struct Place {
    position: PositionId,
    /// Whether an end-of-sequence token was taken.
    ended: bool,
}

/// One sequence's position, and every one before it.
#[derive(Clone)]
pub struct Matcher {
    compiled: Arc<CompiledGrammar>,
    history: Vec<Place>,
}

impl Matcher {
    pub fn compiled(&self) -> &Arc<CompiledGrammar> {
        &self.compiled
    }

    fn place(&self) -> Place {
        self.history[self.history.len() - 1]
    }

    pub fn steps(&self) -> usize {
        self.history.len() - 1
    }

    pub fn ended(&self) -> bool {
        self.place().ended
    }

    pub fn can_end(&self) -> bool {
        let place = self.place();
        place.ended || lock(&self.compiled.state).0.position(place.position).accepting
    }

    /// Write the mask: one bit per token, `mask_words` words.
    pub fn fill(&self, out: &mut [u32]) -> Result<()> {
        let place = self.place();
        let vocabulary = &self.compiled.vocabulary;
        if place.ended {
            out.fill(0);
            for &id in &vocabulary.eos {
                out[id as usize >> 5] |= 1 << (id & 31);
            }
            return Ok(());
        }
        let mask = self.compiled.mask(place.position)?;
        if mask.is_empty() && !self.can_end() {
            return Err(Error::Vocabulary(format!(
                "no token of the vocabulary can spell what must come next: {}",
                self.expected()?
            )));
        }
        mask.write(out);
        Ok(())
    }

    /// The place after a token, if it may come.
    fn after(&self, place: Place, token: u32) -> Result<Option<Place>> {
        let vocabulary = &self.compiled.vocabulary;
        let is_eos = vocabulary.eos.binary_search(&token).is_ok();
        if place.ended {
            return Ok(is_eos.then_some(place));
        }
        let position = self.compiled.with(|machine| {
            if let Some(special) = self.compiled.special_ids.iter().position(|&id| id == token) {
                let next = machine.step_special(place.position, special as u32)?;
                if next != DEAD || !is_eos {
                    return Ok(next);
                }
            }
            let Some(bytes) = vocabulary.token(token) else { return Ok(DEAD) };
            follow(machine, place.position, bytes)
        })?;
        if position != DEAD {
            return Ok(Some(Place { position, ended: false }));
        }
        let accepting = is_eos && lock(&self.compiled.state).0.position(place.position).accepting;
        Ok(accepting.then_some(Place { ended: true, ..place }))
    }

    pub fn try_advance(&mut self, token: u32) -> Result<bool> {
        let next = self.after(self.place(), token)?;
        self.history.extend(next);
        Ok(next.is_some())
    }

    pub fn advance(&mut self, token: u32) -> Result<()> {
        if self.try_advance(token)? {
            return Ok(());
        }
        let shown = match self.compiled.vocabulary.token(token) {
            Some(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
            None => "a special or unknown token".into(),
        };
        Err(Error::Rejected(format!("token {token}, {shown}, may not come next; expected {}", self.expected()?)))
    }

    pub fn advance_bytes(&mut self, data: &[u8]) -> Result<()> {
        let place = self.place();
        let next =
            if place.ended { DEAD } else { self.compiled.with(|machine| follow(machine, place.position, data))? };
        if next == DEAD {
            let shown = String::from_utf8_lossy(data);
            return Err(Error::Rejected(format!(
                "the text {shown:?} may not come next; expected {}",
                self.expected()?
            )));
        }
        self.history.push(Place { position: next, ended: false });
        Ok(())
    }

    /// How many leading tokens would be accepted.
    pub fn validate(&self, tokens: &[u32]) -> Result<usize> {
        let mut place = self.place();
        for (count, &token) in tokens.iter().enumerate() {
            match self.after(place, token)? {
                Some(next) => place = next,
                None => return Ok(count),
            }
        }
        Ok(tokens.len())
    }

    /// The text that must come next.
    pub fn forced_bytes(&self) -> Result<Vec<u8>> {
        let place = self.place();
        if place.ended {
            return Ok(Vec::new());
        }
        self.compiled.with(|machine| {
            let mut id = place.position;
            let mut forced = Vec::new();
            while forced.len() < FORCED_LIMIT {
                let position = machine.position(id).clone();
                if position.accepting || !position.specials.is_empty() {
                    break;
                }
                let next = next_bytes(machine, id, 2)?;
                let [(low, high)] = next[..] else { break };
                if low != high {
                    break;
                }
                forced.push(low);
                id = machine.step(id, low)?;
            }
            Ok(forced)
        })
    }

    /// What may come next, for people.
    pub fn expected(&self) -> Result<String> {
        let place = self.place();
        if place.ended {
            return Ok("nothing: the sequence has ended".into());
        }
        self.compiled.with(|machine| {
            let position = machine.position(place.position).clone();
            let spans = next_bytes(machine, place.position, 12)?;
            let mut parts = vec![shown(&spans)];
            if !position.specials.is_empty() {
                parts.push("a special token".into());
            }
            if position.accepting {
                parts.push("the end".into());
            }
            parts.retain(|part| !part.is_empty());
            Ok(parts.join(", "))
        })
    }

    /// Back to before the last `steps` advances; false if there were not so many.
    pub fn rollback(&mut self, steps: usize) -> bool {
        let enough = steps < self.history.len();
        if enough {
            self.history.truncate(self.history.len() - steps);
        }
        enough
    }

    pub fn reset(&mut self) {
        self.history.truncate(1);
    }
}

fn follow(machine: &mut Machine, mut id: PositionId, bytes: &[u8]) -> Result<PositionId> {
    for &byte in bytes {
        id = machine.step(id, byte)?;
        if id == DEAD {
            break;
        }
    }
    Ok(id)
}

fn shown(spans: &[(u8, u8)]) -> String {
    let show = |byte: u8| match byte {
        0x21..=0x7e => (byte as char).to_string(),
        b' ' => "a space".into(),
        b'\n' => "a line break".into(),
        _ => format!("byte {byte:#04x}"),
    };
    let parts: Vec<String> = spans
        .iter()
        .map(|&(low, high)| if low == high { show(low) } else { format!("{}–{}", show(low), show(high)) })
        .collect();
    parts.join(", ")
}

/// The first spans of bytes that may come next, disjoint and ascending.
fn next_bytes(machine: &mut Machine, id: PositionId, limit: usize) -> Result<Vec<(u8, u8)>> {
    let position = machine.position(id).clone();
    let mut live = [false; 256];
    for &(head, _) in &position.heads {
        let cuts = machine.arena.cuts(head);
        let mut byte = 0u8;
        loop {
            let (low, high) = cuts.interval(byte);
            if !(low..=high).all(|byte| live[byte as usize]) && machine.arena.derive(head, byte)? != EMPTY {
                (low..=high).for_each(|byte| live[byte as usize] = true);
            }
            match high.checked_add(1) {
                Some(next) => byte = next,
                None => break,
            }
        }
    }
    let mut spans: Vec<(u8, u8)> = Vec::new();
    for byte in (0..=255u8).filter(|&byte| live[byte as usize]) {
        let full = spans.len() == limit;
        match spans.last_mut() {
            Some((_, high)) if *high + 1 == byte => *high = byte,
            _ if full => break,
            _ => spans.push((byte, byte)),
        }
    }
    Ok(spans)
}
