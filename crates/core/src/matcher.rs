//! Grammar × Vocabulary → CompiledGrammar → Matcher.

use crate::automaton::{Automaton, Input, Place, Shared};
use crate::byteset::ByteSet;
use crate::cache::lock;
use crate::error::{Error, Limit, Result};
use crate::grammar::Grammar;
use crate::limit::{Cancellation, Limits, Pause};
use crate::machine::{Machine, PositionId, DEAD};
use crate::mask::Mask;
use crate::term::EMPTY;
use crate::unique::Register;
use crate::vocabulary::Vocabulary;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// More forced text than this comes in pieces: where a text may be read in many ways, each byte takes longer than the
/// last, and a thousand of them a moment, four thousand seconds.
const FORCED_LIMIT: usize = 1024;

/// A grammar over a vocabulary: one lazy automaton, shared by all its matchers.
pub struct CompiledGrammar {
    pub vocabulary: Arc<Vocabulary>,
    pub limits: Limits,
    cancellation: Option<Cancellation>,
    /// Called now and then where a call takes long, and before it waits for another.
    pause: Option<Pause>,
    grammar: Arc<Grammar>,
    special_ids: Vec<u32>,
    start: Place,
    known: Shared,
    automaton: Mutex<Automaton>,
    /// As of the last call that found something out.
    memory: AtomicUsize,
    composed: AtomicUsize,
}

impl CompiledGrammar {
    pub fn new(grammar: &Arc<Grammar>, vocabulary: Arc<Vocabulary>) -> Result<Arc<Self>> {
        Self::with_limits(grammar, vocabulary, Limits::default(), None, None)
    }

    pub fn with_limits(
        grammar: &Arc<Grammar>,
        vocabulary: Arc<Vocabulary>,
        limits: Limits,
        cancellation: Option<Cancellation>,
        pause: Option<Pause>,
    ) -> Result<Arc<Self>> {
        let mut special_ids = Vec::with_capacity(grammar.specials.len());
        for name in &grammar.specials {
            match vocabulary.special_id(name) {
                Some(id) => special_ids.push(id),
                None => return Err(Error::Vocabulary(format!("the vocabulary has no special token {name:?}")).into()),
            }
        }
        let mut machine = grammar.machine(&limits, [cancellation.clone(), None], pause)?;
        let first = machine.position(machine.start).clone();
        let all = vocabulary.begins == ByteSet::FULL;
        if !all && !first.accepting && first.specials.is_empty() {
            let start = machine.start;
            let spans = next_bytes(&mut machine, start, 256)?;
            if !spans.iter().any(|&(low, high)| vocabulary.begins_between(low, high)) {
                return Err(Error::Vocabulary(format!(
                    "no token of the vocabulary begins as the grammar must: {}",
                    shown(&spans[..spans.len().min(12)])
                ))
                .into());
            }
        }
        match machine.arena.prepare(&vocabulary) {
            // What is not found out now is found out when it is asked for.
            Ok(()) => {}
            Err(error) if matches!(*error, Error::Limit(Limit::Steps(_))) => {}
            Err(error) => return Err(error),
        }
        if machine.memory_bytes() > limits.memory {
            return Err(Error::Limit(Limit::Memory(limits.memory)).into());
        }
        let automaton = Automaton::new(0, machine, &special_ids);
        Ok(Arc::new(CompiledGrammar {
            vocabulary,
            limits,
            cancellation,
            pause,
            grammar: grammar.clone(),
            special_ids,
            start: automaton.start(),
            known: Shared::default(),
            memory: AtomicUsize::new(automaton.memory_bytes()),
            composed: AtomicUsize::default(),
            automaton: Mutex::new(automaton),
        }))
    }

    pub fn memory_bytes(&self) -> usize {
        self.memory.load(Ordering::Relaxed)
    }

    /// How many masks were composed; all others were known, of this grammar or another.
    pub fn masks_composed(&self) -> usize {
        self.composed.load(Ordering::Relaxed)
    }

    /// How often the automaton was thrown away because it had grown too large.
    pub fn epoch(&self) -> u64 {
        self.known.read().epoch
    }

    fn automaton(&self) -> MutexGuard<'_, Automaton> {
        self.automaton.try_lock().unwrap_or_else(|_| {
            self.pause.map(|pause| pause());
            lock(&self.automaton)
        })
    }

    pub fn matcher(self: &Arc<Self>, cancellation: Option<Cancellation>) -> Matcher {
        Matcher {
            compiled: self.clone(),
            cancellation,
            epoch: 0,
            history: vec![self.start],
            taken: Vec::new(),
            texts: Vec::new(),
        }
    }
}

#[derive(Clone, Copy)]
enum Taken {
    Token(u32),
    /// The next of the texts.
    Text,
}

/// One sequence's position, and every one before it.
#[derive(Clone)]
pub struct Matcher {
    compiled: Arc<CompiledGrammar>,
    cancellation: Option<Cancellation>,
    /// The epoch of the automaton that the places belong to.
    epoch: u64,
    /// The start, and the place after everything that was taken.
    history: Vec<Place>,
    taken: Vec<Taken>,
    texts: Vec<Arc<[u8]>>,
}

impl Matcher {
    pub fn compiled(&self) -> &Arc<CompiledGrammar> {
        &self.compiled
    }

    fn place(&self) -> Place {
        self.history[self.history.len() - 1]
    }

    pub fn steps(&self) -> usize {
        self.taken.len()
    }

    pub fn ended(&self) -> bool {
        self.place().ended
    }

    pub fn can_end(&self) -> bool {
        let place = self.place();
        place.ended || place.accepting
    }

    /// Act on the automaton at the matcher's place, with the budget of one call. When memory is used up, a new epoch
    /// begins and the call is made again, once.
    fn find_out<T>(&mut self, act: impl Fn(&CompiledGrammar, &mut Automaton, Place) -> Result<T>) -> Result<T> {
        let compiled = self.compiled.clone();
        let mut retired = None;
        let result = {
            let mut automaton = compiled.automaton();
            let cancellations = || [compiled.cancellation.clone(), self.cancellation.clone()];
            let mut began = automaton.begin(&compiled.limits, cancellations());
            let result = loop {
                let result = began.and_then(|()| self.places_in(&compiled, &mut automaton)).and_then(|places| {
                    let place = places.as_ref().and_then(|places| places.last()).copied();
                    let found = act(&compiled, &mut automaton, place.unwrap_or(self.place()))?;
                    Ok((places, found))
                });
                match result {
                    Err(error) if retired.is_none() && matches!(*error, Error::Limit(Limit::Memory(_))) => {
                        let budget = automaton.machine.arena.budget.clone();
                        match compiled.grammar.machine(&compiled.limits, cancellations(), compiled.pause) {
                            Ok(machine) => {
                                retired = Some(automaton.renew(&compiled.known, machine, &compiled.special_ids))
                            }
                            Err(error) => break Err(error),
                        }
                        began = automaton.machine.arena.budget.resume(&budget);
                    }
                    result => break result,
                }
            };
            compiled.memory.store(automaton.memory_bytes(), Ordering::Relaxed);
            compiled.composed.store(automaton.masks_composed(), Ordering::Relaxed);
            result.map(|(places, found)| (places, automaton.epoch, found))
        };
        drop(retired);
        let (places, epoch, found) = result?;
        if let Some(places) = places {
            self.history = places;
            self.epoch = epoch;
        }
        Ok(found)
    }

    /// The places of this automaton, if the matcher's are of another epoch: everything is taken again.
    fn places_in(&self, compiled: &CompiledGrammar, automaton: &mut Automaton) -> Result<Option<Vec<Place>>> {
        if self.epoch == automaton.epoch {
            return Ok(None);
        }
        let mut place = automaton.start();
        let mut places = Vec::with_capacity(self.history.len());
        places.push(place);
        let mut texts = self.texts.iter();
        for taken in &self.taken {
            // Each was within the limits of a call of its own.
            automaton.machine.arena.budget.renew();
            let input = match taken {
                Taken::Token(token) => Input::Token(*token),
                Taken::Text => Input::Text(texts.next().map_or(b"", |text| text)),
            };
            place = compiled.take(automaton, place, input)?.unwrap_or(place);
            places.push(place);
        }
        automaton.machine.arena.budget.renew();
        Ok(Some(places))
    }

    fn check_cancelled(&self) -> Result<()> {
        let both = [&self.compiled.cancellation, &self.cancellation];
        if both.into_iter().flatten().any(Cancellation::is_cancelled) {
            return Err(Error::Limit(Limit::Cancelled).into());
        }
        Ok(())
    }

    /// The mask if that takes no finding out: never waits for a call of another matcher. None if it does, or there is
    /// an error to tell.
    pub fn mask_known(&self) -> Option<Arc<Mask>> {
        if self.ended() || self.check_cancelled().is_err() {
            return None;
        }
        let mask = self.compiled.known.read().mask(self.epoch, self.place().position)?;
        (self.can_end() || !mask.is_empty()).then_some(mask)
    }

    /// Take a token if it is known where it leads; false if not.
    pub fn advance_known(&mut self, token: u32) -> bool {
        let place = self.place();
        if place.ended || self.check_cancelled().is_err() {
            return false;
        }
        let next = match place.in_text && self.compiled.vocabulary.is_text(token) {
            true => place,
            false => match self.compiled.known.read().next(self.epoch, place.position, token) {
                Some(next) => next,
                None => return false,
            },
        };
        self.history.push(next);
        self.taken.push(Taken::Token(token));
        true
    }

    /// The tokens that may come next.
    pub fn mask(&mut self) -> Result<Arc<Mask>> {
        if let Some(mask) = self.mask_known() {
            return Ok(mask);
        }
        self.check_cancelled()?;
        if self.ended() {
            return Ok(Arc::new(Mask::of(&self.compiled.vocabulary.eos)));
        }
        let mask = self.find_out(|compiled, automaton, place| {
            automaton.mask(&compiled.known, &compiled.vocabulary, place.position)
        })?;
        if !self.can_end() && mask.is_empty() {
            return Err(Error::Vocabulary(format!(
                "no token of the vocabulary can spell what must come next: {}",
                self.expected()?
            ))
            .into());
        }
        Ok(mask)
    }

    /// Write the mask: one bit per token, `mask_words` words.
    pub fn fill(&mut self, out: &mut [u32]) -> Result<()> {
        self.mask()?.write(out);
        Ok(())
    }

    pub fn try_advance(&mut self, token: u32) -> Result<bool> {
        if self.advance_known(token) {
            return Ok(true);
        }
        self.check_cancelled()?;
        let next = self.find_out(|compiled, automaton, place| compiled.take(automaton, place, Input::Token(token)))?;
        if let Some(next) = next {
            self.history.push(next);
            self.taken.push(Taken::Token(token));
        }
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
        Err(Error::Rejected(format!("token {token}, {shown}, may not come next; expected {}", self.expected()?)).into())
    }

    pub fn advance_bytes(&mut self, data: &[u8]) -> Result<()> {
        self.check_cancelled()?;
        let next = self.find_out(|compiled, automaton, place| compiled.take(automaton, place, Input::Text(data)))?;
        let Some(next) = next else {
            let shown = String::from_utf8_lossy(&data[..data.len().min(80)]).into_owned();
            let more = if data.len() > 80 { " …" } else { "" };
            return Err(Error::Rejected(format!(
                "the text {shown:?}{more} may not come next; expected {}",
                self.expected()?
            ))
            .into());
        };
        self.history.push(next);
        self.taken.push(Taken::Text);
        self.texts.push(data.into());
        Ok(())
    }

    /// How many leading tokens would be accepted.
    pub fn validate(&mut self, tokens: &[u32]) -> Result<usize> {
        let before = self.steps();
        let mut refused = Ok(true);
        for &token in tokens {
            refused = self.try_advance(token);
            if !matches!(refused, Ok(true)) {
                break;
            }
        }
        let taken = self.steps() - before;
        self.rollback(taken);
        refused.map(|_| taken)
    }

    /// The text that must come next.
    pub fn forced_bytes(&mut self) -> Result<Vec<u8>> {
        self.check_cancelled()?;
        if self.ended() {
            return Ok(Vec::new());
        }
        self.find_out(|_, automaton, place| {
            let machine = &mut automaton.machine;
            let mut id = place.position;
            let mut forced = Vec::new();
            while forced.len() < FORCED_LIMIT {
                let Some((byte, next)) = forced_byte(machine, id)? else { break };
                forced.push(byte);
                id = next;
            }
            Ok(forced)
        })
    }

    /// Bytes after which the text may end, few of them; None if that takes a special token.
    pub fn completion(&mut self) -> Result<Option<Vec<u8>>> {
        self.check_cancelled()?;
        if self.can_end() {
            return Ok(Some(Vec::new()));
        }
        self.find_out(|_, automaton, place| automaton.machine.completion(place.position))
    }

    /// What may come next, for people.
    pub fn expected(&mut self) -> Result<String> {
        if self.ended() {
            return Ok("nothing: the sequence has ended".into());
        }
        self.find_out(|_, automaton, place| {
            let machine = &mut automaton.machine;
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
        let Some(left) = self.taken.len().checked_sub(steps) else { return false };
        let texts = self.taken[left..].iter().filter(|taken| matches!(taken, Taken::Text)).count();
        self.texts.truncate(self.texts.len() - texts);
        self.taken.truncate(left);
        self.history.truncate(left + 1);
        true
    }

    pub fn reset(&mut self) {
        self.rollback(self.steps());
    }
}

impl CompiledGrammar {
    fn take(&self, automaton: &mut Automaton, place: Place, input: Input<'_>) -> Result<Option<Place>> {
        automaton.take(&self.known, &self.vocabulary, &self.special_ids, place, input)
    }
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

/// The only byte that may come next, and where it leads.
fn forced_byte(machine: &mut Machine, id: PositionId) -> Result<Option<(u8, PositionId)>> {
    let position = machine.position(id);
    if position.accepting || !position.specials.is_empty() {
        return Ok(None);
    }
    match next_bytes(machine, id, 2)?[..] {
        [(low, high)] if low == high => Ok(Some((low, machine.step(id, low)?))),
        _ => Ok(None),
    }
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
    if position.register != Register::Closed {
        // An item that must differ may go on with fewer bytes than its head.
        for byte in (0..=255u8).filter(|&byte| live[byte as usize]).collect::<Vec<_>>() {
            live[byte as usize] = machine.step(id, byte)? != DEAD;
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
