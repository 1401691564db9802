//! Grammar × Vocabulary → CompiledGrammar → Matcher.

use crate::automaton::machine::{Machine, PositionId, DEAD};
use crate::automaton::unique::Register;
use crate::bytes::byteset::ByteSet;
use crate::error::{Error, Limit, Result};
use crate::grammar::grammar::Grammar;
use crate::limits::{Cancellation, Limits, Pause};
use crate::mask::mask::Mask;
use crate::mask::shared::SharedMasks;
use crate::matcher::checkpoint::{Checkpoint, Registry, Trail};
use crate::matcher::lazy::{Input, LazyAutomaton, Place, Shared};
use crate::regular::term::EMPTY;
use crate::storage::exclusive::{self, Exclusive};
use crate::vocabulary::vocabulary::Vocabulary;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;

/// More forced text than this comes in pieces: where a text may be read in many ways, each byte takes longer than the
/// last, and a thousand of them a moment, four thousand seconds.
const FORCED_LIMIT: usize = 1024;

/// A grammar over a vocabulary: one lazy automaton, shared by all its matchers.
pub struct CompiledGrammar {
    /// The vocabulary, and what masks of all its grammars share.
    pub masks: Arc<SharedMasks>,
    pub limits: Limits,
    cancellation: Option<Cancellation>,
    /// Called now and then where a call takes long, and before it waits for another.
    pause: Option<Pause>,
    grammar: Arc<Grammar>,
    special_ids: Vec<u32>,
    start: Place,
    known: Shared,
    checkpoints: Registry,
    automaton: Exclusive<LazyAutomaton>,
    /// As of the last call that found something out.
    memory: AtomicUsize,
    composed: AtomicUsize,
    steps: AtomicU64,
}

impl CompiledGrammar {
    pub fn new(grammar: &Arc<Grammar>, masks: Arc<SharedMasks>) -> Result<Arc<Self>> {
        Self::with_limits(grammar, masks, Limits::default(), None, None)
    }

    pub fn with_limits(
        grammar: &Arc<Grammar>,
        masks: Arc<SharedMasks>,
        limits: Limits,
        cancellation: Option<Cancellation>,
        pause: Option<Pause>,
    ) -> Result<Arc<Self>> {
        let vocabulary = &masks.vocabulary;
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
        match machine.arena.prepare(&masks) {
            // What is not found out now is found out when it is asked for.
            Ok(()) => {}
            Err(error) if matches!(*error, Error::Limit(Limit::Steps(_))) => {}
            Err(error) => return Err(error),
        }
        if machine.memory_bytes() > limits.memory {
            return Err(Error::Limit(Limit::Memory(limits.memory)).into());
        }
        let automaton = LazyAutomaton::new(0, machine, &special_ids);
        Ok(Arc::new(CompiledGrammar {
            masks,
            limits,
            cancellation,
            pause,
            grammar: grammar.clone(),
            special_ids,
            start: automaton.start(),
            known: Shared::default(),
            checkpoints: Registry::default(),
            memory: AtomicUsize::new(automaton.memory_bytes()),
            composed: AtomicUsize::default(),
            steps: AtomicU64::default(),
            automaton: Exclusive::new(automaton),
        }))
    }

    /// The vocabulary that it was compiled for.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.masks.vocabulary
    }

    /// Bytes that it takes beside what its vocabulary keeps.
    pub fn memory_bytes(&self) -> usize {
        self.memory.load(Ordering::Relaxed)
    }

    /// How many masks were composed; all others were known, of this grammar or another.
    pub fn masks_composed(&self) -> usize {
        self.composed.load(Ordering::Relaxed)
    }

    /// Elementary steps (`Limits`) that all calls of matchers took together.
    pub fn steps_taken(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// How often the automaton was thrown away because it had grown too large.
    pub fn epoch(&self) -> u64 {
        self.known.read().epoch
    }

    fn automaton(&self) -> Result<exclusive::ExclusiveGuard<'_, LazyAutomaton>> {
        self.automaton.take(self.pause)
    }

    /// A fresh position. `max_rollback`: how many steps it goes back at most.
    pub fn matcher(self: &Arc<Self>, cancellation: Option<Cancellation>, max_rollback: Option<usize>) -> Matcher {
        Matcher {
            compiled: self.clone(),
            cancellation,
            max_rollback,
            epoch: 0,
            since: 0,
            history: vec![self.start],
            trail: Trail::default(),
            taken: Vec::new(),
            texts: Vec::new(),
        }
    }
}

#[derive(Clone, Copy)]
enum ExclusiveGuard {
    Token(u32),
    /// The next of the texts.
    Text,
}

/// One sequence's position, and every one before it.
#[derive(Clone)]
pub struct Matcher {
    compiled: Arc<CompiledGrammar>,
    cancellation: Option<Cancellation>,
    max_rollback: Option<usize>,
    /// The epoch of the automaton that the positions belong to, from this step on.
    epoch: u64,
    since: usize,
    /// The start, and the place after everything that was taken.
    history: Vec<Place>,
    trail: Trail,
    taken: Vec<ExclusiveGuard>,
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
    /// begins with the checkpoints of all matchers, and the call is made again. If that is not enough either, the next one
    /// begins with the matcher's last checkpoint alone; more than once only if the matcher gets further each time.
    fn find_out<T>(&mut self, act: impl Fn(&CompiledGrammar, &mut LazyAutomaton, Place) -> Result<T>) -> Result<T> {
        let compiled = self.compiled.clone();
        let mut renewals = 0;
        let result = {
            let mut automaton = compiled.automaton()?;
            let flags = [compiled.cancellation.clone(), self.cancellation.clone()];
            let mut began = automaton.begin(&compiled.limits, flags.clone());
            let mut furthest = None;
            let result = loop {
                let result = began.and_then(|()| self.places_in(&compiled, &mut automaton)).and_then(|places| {
                    let place = places.as_ref().and_then(|(_, places)| places.last()).copied();
                    let found = act(&compiled, &mut automaton, place.unwrap_or(self.place()))?;
                    Ok((places, found))
                });
                let last = Some(self.trail.last());
                match result {
                    Err(error)
                        if matches!(*error, Error::Limit(Limit::Memory(_))) && (renewals < 2 || last > furthest) =>
                    {
                        let alone = renewals > 0;
                        if alone {
                            furthest = last;
                        }
                        let old = match compiled.renew(&mut automaton, &self.trail, flags.clone(), alone) {
                            Ok(old) => old,
                            Err(error) => break Err(error),
                        };
                        renewals += 1;
                        if alone {
                            // This call is to have the whole memory: nobody else may fill it meanwhile.
                            drop(old);
                            began = automaton.machine.arena.budget.check();
                        } else {
                            // The new epoch may grow as large as the old one, so that goes first; nobody waits for it.
                            let budget = automaton.machine.arena.budget.clone();
                            drop(automaton);
                            drop(old);
                            automaton = compiled.automaton()?;
                            began = automaton.begin(&compiled.limits, flags.clone());
                            began = began.and_then(|()| automaton.machine.arena.budget.resume(&budget));
                        }
                    }
                    result => break result,
                }
            };
            compiled.memory.store(automaton.memory_bytes(), Ordering::Relaxed);
            compiled.composed.store(automaton.masks_composed(), Ordering::Relaxed);
            compiled.steps.fetch_add(automaton.machine.arena.budget.spent(), Ordering::Relaxed);
            result.map(|(places, found)| (places, automaton.epoch, found))
        };
        let (places, epoch, found) = result?;
        if let Some((since, places)) = places {
            self.history.truncate(since);
            self.history.extend(places);
            (self.epoch, self.since) = (epoch, since);
        }
        Ok(found)
    }

    /// The places of this automaton, if the matcher's are of another epoch: what was taken after the last checkpoint is
    /// taken again. With the step from which on they are known.
    fn places_in(
        &mut self,
        compiled: &CompiledGrammar,
        automaton: &mut LazyAutomaton,
    ) -> Result<Option<(usize, Vec<Place>)>> {
        if self.epoch == automaton.epoch {
            return Ok(None);
        }
        let from = self.trail.before(automaton.epoch, self.steps());
        let Checkpoint { step: since, mut place } = from.unwrap_or(Checkpoint { step: 0, place: automaton.start() });
        let again = &self.taken[since..];
        let mut places = Vec::with_capacity(again.len() + 1);
        places.push(place);
        let texts = again.iter().filter(|taken| matches!(taken, ExclusiveGuard::Text)).count();
        let mut texts = self.texts[self.texts.len() - texts..].iter();
        for (step, taken) in (since + 1..).zip(again) {
            // Each was within the limits of a call of its own.
            automaton.machine.arena.budget.renew();
            let input = match taken {
                ExclusiveGuard::Token(token) if place.in_text && compiled.vocabulary().is_text(*token) => None,
                ExclusiveGuard::Token(token) => Some(Input::Token(*token)),
                ExclusiveGuard::Text => Some(Input::Text(texts.next().map_or(b"", |text| text))),
            };
            if let Some(input) = input {
                place = compiled.take(automaton, place, input)?.unwrap_or(place);
            }
            places.push(place);
            if self.trail.is_due(step) {
                self.trail.add(&compiled.checkpoints, automaton.epoch, Checkpoint { step, place }, self.max_rollback);
            }
        }
        automaton.machine.arena.budget.renew();
        Ok(Some((since, places)))
    }

    /// One step further.
    fn push(&mut self, place: Place, taken: ExclusiveGuard) {
        self.history.push(place);
        self.taken.push(taken);
        let step = self.steps();
        if self.trail.is_due(step) {
            self.trail.add(&self.compiled.checkpoints, self.epoch, Checkpoint { step, place }, self.max_rollback);
        }
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
        let next = match place.in_text && self.compiled.vocabulary().is_text(token) {
            // For a checkpoint it must be known where the place is in this epoch.
            true if self.trail.is_due(self.steps() + 1) && self.compiled.epoch() != self.epoch => return false,
            true => place,
            false => match self.compiled.known.read().next(self.epoch, place.position, token) {
                Some(next) => next,
                None => return false,
            },
        };
        self.push(next, ExclusiveGuard::Token(token));
        true
    }

    /// The tokens that may come next.
    pub fn mask(&mut self) -> Result<Arc<Mask>> {
        if let Some(mask) = self.mask_known() {
            return Ok(mask);
        }
        self.check_cancelled()?;
        if self.ended() {
            return Ok(Arc::new(Mask::of(&self.compiled.vocabulary().eos)));
        }
        let mask = self
            .find_out(|compiled, automaton, place| automaton.mask(&compiled.known, &compiled.masks, place.position))?;
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
            self.push(next, ExclusiveGuard::Token(token));
        }
        Ok(next.is_some())
    }

    pub fn advance(&mut self, token: u32) -> Result<()> {
        if self.try_advance(token)? {
            return Ok(());
        }
        let shown = match self.compiled.vocabulary().token(token) {
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
        self.texts.push(data.into());
        self.push(next, ExclusiveGuard::Text);
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
        self.back_to(before);
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
    pub fn rollback(&mut self, steps: usize) -> Result<bool> {
        let Some(left) = self.steps().checked_sub(steps) else { return Ok(false) };
        match self.max_rollback.filter(|&most| steps > most) {
            Some(most) => Err(Error::Limit(Limit::Rollback(most)).into()),
            None => {
                self.back_to(left);
                Ok(true)
            }
        }
    }

    pub fn reset(&mut self) {
        self.back_to(0);
    }

    /// To where so many steps were taken.
    fn back_to(&mut self, left: usize) {
        let texts = self.taken[left..].iter().filter(|taken| matches!(taken, ExclusiveGuard::Text)).count();
        self.texts.truncate(self.texts.len() - texts);
        self.taken.truncate(left);
        self.history.truncate(left + 1);
        self.trail.cut(&self.compiled.checkpoints, left);
        if left < self.since {
            self.epoch = NO_EPOCH;
        }
    }
}

/// That of a position which is not known in any.
const NO_EPOCH: u64 = u64::MAX;

impl CompiledGrammar {
    /// Begin a new epoch, with the checkpoints of all or of one.
    fn renew(
        &self,
        automaton: &mut LazyAutomaton,
        trail: &Trail,
        flags: [Option<Cancellation>; 2],
        alone: bool,
    ) -> Result<impl Sized> {
        let mut machine = self.grammar.machine(&self.limits, flags, self.pause)?;
        machine.arena.budget.resume(&automaton.machine.arena.budget)?;
        let positions = automaton.checkpoints(&self.checkpoints, trail, alone);
        let made = (self.grammar.ground(), machine);
        automaton.renew(
            &self.known,
            &self.checkpoints,
            made,
            &positions,
            (&self.special_ids, self.limits.memory / 4 * 3),
        )
    }

    fn take(&self, automaton: &mut LazyAutomaton, place: Place, input: Input<'_>) -> Result<Option<Place>> {
        automaton.take(&self.known, self.vocabulary(), &self.special_ids, place, input)
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
        let boundaries = machine.arena.boundaries(head);
        let mut byte = 0u8;
        loop {
            let (low, high) = boundaries.interval(byte);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::builder::{Builder, ObjectRules, Punctuation};
    use crate::matcher::checkpoint::SPACING;

    /// An object of any keys, over single bytes.
    fn compiled() -> Arc<CompiledGrammar> {
        let mut builder = Builder::default();
        let any = builder.any_text().unwrap();
        let digit = builder.literal(b"1").unwrap();
        let [open, close, colon, comma, empty] =
            [&b"{"[..], b"}", b":", b",", b"{}"].map(|text| builder.literal(text).unwrap());
        let parts = Punctuation { open, close, colon, comma, empty };
        let extras = vec![(any.0, vec![(digit.0, 0)])];
        let node = builder.object(Vec::new(), extras, parts, ObjectRules::default()).unwrap();
        let grammar = builder.build(node.0).unwrap();
        let tokens = (0..=255u8).map(|byte| Some([byte].into())).chain([None]).collect();
        let vocabulary = Arc::new(SharedMasks::of(Vocabulary::new(tokens, Vec::new(), vec![256], 257).unwrap()));
        CompiledGrammar::new(&grammar, vocabulary).unwrap()
    }

    /// Take members that no other number has, until there are so many steps.
    fn go_on(matcher: &mut Matcher, number: usize, steps: usize) {
        while matcher.steps() < steps {
            let text = format!("{}\"{number}.{}\":1", if matcher.steps() == 0 { "{" } else { "," }, matcher.steps());
            text.bytes().for_each(|byte| matcher.advance(byte.into()).unwrap());
        }
    }

    fn begin_epoch(compiled: &Arc<CompiledGrammar>) {
        let mut automaton = compiled.automaton().unwrap();
        compiled.renew(&mut automaton, &Trail::default(), [None, None], false).map(|_| ()).unwrap();
    }

    /// How many steps are known.
    fn known(compiled: &CompiledGrammar) -> usize {
        compiled.known.read().len()
    }

    fn bits(matcher: &mut Matcher) -> Vec<u32> {
        let mut bits = vec![0; 9];
        matcher.fill(&mut bits).unwrap();
        bits
    }

    #[test]
    fn in_a_new_epoch_a_window_is_taken_again() {
        let compiled = compiled();
        let mut matchers: Vec<Matcher> = (0..4).map(|_| compiled.matcher(None, None)).collect();
        for (number, matcher) in matchers.iter_mut().enumerate() {
            go_on(matcher, number, 3_000);
        }
        let held = compiled.memory_bytes();
        let before: Vec<Vec<u32>> = matchers.iter_mut().map(bits).collect();
        // Also where nobody was used since the epoch before.
        begin_epoch(&compiled);
        begin_epoch(&compiled);
        for (matcher, before) in matchers.iter_mut().zip(before) {
            let already = known(&compiled);
            assert_eq!(bits(matcher), before);
            assert!(known(&compiled) - already <= 2 * SPACING);
        }
        assert!(compiled.memory_bytes() < held / 2, "{held} bytes, then {}", compiled.memory_bytes());
        for (number, matcher) in matchers.iter_mut().enumerate() {
            let mut other = compiled.matcher(None, None);
            go_on(&mut other, number, 2_500);
            let back = matcher.steps() - other.steps();
            begin_epoch(&compiled);
            assert!(matcher.rollback(back).unwrap());
            let already = known(&compiled);
            assert_eq!(bits(matcher), bits(&mut other.clone()));
            assert!(known(&compiled) - already <= 2 * back + 3 * SPACING);
        }
    }

    #[test]
    fn of_matchers_that_are_gone_nothing_is_taken_over() {
        let compiled = compiled();
        let first = compiled.memory_bytes();
        let mut matchers: Vec<Matcher> = (0..4).map(|_| compiled.matcher(None, None)).collect();
        for (number, matcher) in matchers.iter_mut().enumerate() {
            go_on(matcher, number, 1_000);
        }
        let live = |compiled: &Arc<CompiledGrammar>| {
            begin_epoch(compiled);
            let held = compiled.automaton().unwrap().memory_bytes();
            held - first
        };
        let four = live(&compiled);
        let fork = matchers[0].clone();
        assert!(live(&compiled) <= four, "a fork has what its origin has");
        matchers.truncate(1);
        let one = live(&compiled);
        assert!(one > 0 && one < four / 2, "{one} bytes of one matcher, {four} of four");
        drop((matchers, fork));
        assert!(live(&compiled) < one / 4);
    }

    #[test]
    fn who_goes_back_a_little_has_less_taken_over() {
        let live = |max_rollback| {
            let compiled = compiled();
            let mut matcher = compiled.matcher(None, max_rollback);
            go_on(&mut matcher, 0, 5_000);
            begin_epoch(&compiled);
            let positions =
                compiled.automaton().unwrap().checkpoints(&compiled.checkpoints, &matcher.trail, false).len();
            assert_eq!(matcher.rollback(SPACING + 1).is_ok(), max_rollback.is_none());
            assert!(matcher.rollback(SPACING).unwrap());
            positions
        };
        assert_eq!(live(Some(SPACING)), 2);
        assert!(live(None) > 4);
    }

    /// What a builder's node says, over single bytes and tokens of several, with an end; the last two are special.
    fn over(make: impl FnOnce(&mut Builder) -> u32, texts: &[&[u8]]) -> Result<Arc<CompiledGrammar>> {
        let mut builder = Builder::default();
        let root = make(&mut builder);
        CompiledGrammar::new(&builder.build(root)?, of_texts(texts))
    }

    fn of_texts(texts: &[&[u8]]) -> Arc<SharedMasks> {
        let tokens = texts.iter().map(|&text| Some(text.into())).chain([None, None]).collect();
        let count = texts.len() as u32;
        Arc::new(SharedMasks::of(
            Vocabulary::new(tokens, vec![("<s>".into(), count + 1)], vec![count], texts.len() + 2).unwrap(),
        ))
    }

    fn told<T>(result: Result<T>) -> String {
        result.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_vocabulary_that_cannot_begin_is_refused() {
        let literal = |text: &'static [u8]| move |builder: &mut Builder| builder.literal(text).unwrap().0;
        let told_of = |text, tokens: &[&[u8]]| told(over(literal(text), tokens));
        assert!(told_of(b"xy", &[b"y", b"a"]).ends_with("begins as the grammar must: x"));
        assert_eq!(told_of(b"xy", &[b"y", b"x"]), "");
        assert_eq!(told_of(b"", &[b"y"]), "", "a grammar may end at once");
        let special = |name: &'static str| move |builder: &mut Builder| builder.special(name).unwrap().0;
        assert_eq!(told(over(special("<s>"), &[b"y"])), "", "or begin with a special token");
        assert!(told(over(special("<t>"), &[b"y"])).contains("no special token \"<t>\""));
        let many = |builder: &mut Builder| {
            let ranges: Vec<(u8, u8)> = (0..13).map(|number| (b'A' + 2 * number, b'A' + 2 * number)).collect();
            builder.byte_class(&ranges).unwrap().0
        };
        let shown = told(over(many, &[b"B"]));
        assert!(shown.ends_with("A, C, E, G, I, K, M, O, Q, S, U, W"), "of many only the first: {shown}");
    }

    #[test]
    fn a_grammar_larger_than_its_memory_is_refused() {
        let mut builder = Builder::default();
        let root = builder.literal(b"abc").unwrap();
        let grammar = builder.build(root.0).unwrap();
        let with = |memory| {
            let limits = Limits { memory, ..Limits::default() };
            CompiledGrammar::with_limits(&grammar, of_texts(&[b"a", b"b", b"c"]), limits, None, None)
        };
        let held = with(1 << 20).unwrap().memory_bytes();
        assert!(with(held).is_ok());
        assert!(matches!(with(held / 2).map(drop).map_err(|error| *error), Err(Error::Limit(Limit::Memory(_)))));
    }

    #[test]
    fn what_is_expected_is_told_for_people() {
        let make = |builder: &mut Builder| {
            let class =
                builder.byte_class(&[(b'a', b'c'), (b' ', b' '), (b'\n', b'\n'), (1, 1), (b'x', b'x')]).unwrap();
            let special = builder.special("<s>").unwrap();
            let more = builder.alt(&[class.0, special.0]).unwrap();
            builder.repeat(more.0, 0, Some(2)).unwrap().0
        };
        let compiled = over(make, &[b"a", b"d"]).unwrap();
        let mut matcher = compiled.matcher(None, None);
        let all = "byte 0x01, a line break, a space, a\u{2013}c, x, a special token, the end";
        assert_eq!(matcher.expected().unwrap(), all);
        let refused = |text: &str| format!("{text} may not come next; expected {all}");
        assert!(told(matcher.advance(1)).ends_with(&refused("token 1, \"d\",")));
        assert!(told(matcher.advance(7)).ends_with(&refused("token 7, a special or unknown token,")));
        assert!(told(matcher.advance_bytes(b"ad")).ends_with(&refused("the text \"ad\"")));
        let long = "d".repeat(81);
        let cut = format!("the text \"{}\" …", &long[..80]);
        assert!(told(matcher.advance_bytes(long.as_bytes())).ends_with(&refused(&cut)));
        let just = format!("the text \"{}\"", &long[..80]);
        assert!(told(matcher.advance_bytes(&long.as_bytes()[..80])).ends_with(&refused(&just)));
        assert_eq!(matcher.steps(), 0);
        matcher.advance(2).unwrap();
        assert!(matcher.ended() && matcher.can_end());
        assert_eq!(matcher.expected().unwrap(), "nothing: the sequence has ended");
        assert_eq!(matcher.forced_bytes().unwrap(), b"");
        assert_eq!(matcher.completion().unwrap().as_deref(), Some(&b""[..]));
        assert!(matcher.mask_known().is_none());
        assert!(matcher.mask().unwrap().allows(2) && !matcher.mask().unwrap().allows(0));
        assert!(!matcher.advance_known(0) && !matcher.try_advance(0).unwrap());
    }

    #[test]
    fn what_no_token_can_spell_is_an_error_of_the_vocabulary() {
        let compiled = over(|builder| builder.literal(b"ab").unwrap().0, &[b"a", b"c"]).unwrap();
        let mut matcher = compiled.matcher(None, None);
        matcher.advance(0).unwrap();
        for _ in 0..2 {
            assert!(told(matcher.mask()).ends_with("can spell what must come next: b"));
            assert!(matcher.mask_known().is_none(), "an empty mask is not handed out");
        }
        matcher.advance_bytes(b"b").unwrap();
        assert!(matcher.mask().unwrap().allows(2), "at its end only the end may come");
    }

    #[test]
    fn forced_text_comes_in_pieces() {
        let compiled = over(|builder| builder.literal(&b"x".repeat(3_000)).unwrap().0, &[b"x"]).unwrap();
        let mut matcher = compiled.matcher(None, None);
        assert_eq!(matcher.forced_bytes().unwrap().len(), FORCED_LIMIT);
        matcher.advance_bytes(&b"x".repeat(2_990)).unwrap();
        assert_eq!(matcher.forced_bytes().unwrap(), b"x".repeat(10));
        assert_eq!(matcher.completion().unwrap(), Some(b"x".repeat(10)));
    }

    #[test]
    fn a_special_token_forces_and_completes_nothing() {
        let make = |builder: &mut Builder| {
            let (text, special) = (builder.literal(b"x").unwrap().0, builder.special("<s>").unwrap().0);
            let tail = builder.seq(&[special, text]).unwrap().0;
            builder.seq(&[text, tail]).unwrap().0
        };
        let compiled = over(make, &[b"x"]).unwrap();
        let mut matcher = compiled.matcher(None, None);
        assert_eq!((matcher.forced_bytes().unwrap(), matcher.completion().unwrap()), (b"x".to_vec(), None));
        assert_eq!(matcher.validate(&[0, 2, 0, 1, 1, 0]).unwrap(), 5);
        assert_eq!((matcher.steps(), matcher.validate(&[2]).unwrap(), matcher.validate(&[]).unwrap()), (0, 0, 0));
        matcher.advance(0).unwrap();
        assert_eq!(matcher.forced_bytes().unwrap(), b"");
        assert_eq!((matcher.validate(&[2, 0]).unwrap(), matcher.steps()), (2, 1));
    }

    #[test]
    fn who_is_cancelled_learns_and_takes_nothing() {
        let compiled = over(|builder| builder.literal(b"xx").unwrap().0, &[b"x"]).unwrap();
        let cancellation = Cancellation::default();
        let mut matcher = compiled.matcher(Some(cancellation.clone()), None);
        matcher.mask().unwrap();
        matcher.advance(0).unwrap();
        matcher.mask().unwrap();
        cancellation.cancel();
        assert!(matcher.mask_known().is_none() && !matcher.advance_known(0));
        assert!(told(matcher.mask()).contains("cancelled") && told(matcher.try_advance(0)).contains("cancelled"));
        assert!(told(matcher.advance_bytes(b"x")).contains("cancelled"));
        assert!(told(matcher.forced_bytes()).contains("cancelled") && told(matcher.completion()).contains("cancelled"));
        assert_eq!(matcher.steps(), 1);
        assert!(compiled.matcher(None, None).mask().is_ok(), "others go on");
    }

    #[test]
    fn back_is_where_it_was_with_texts_and_tokens() {
        let compiled = over(|builder| builder.literal(b"abcdef").unwrap().0, &[b"a", b"b", b"d", b"f"]).unwrap();
        let mut matcher = compiled.matcher(None, Some(3));
        let mut places = vec![matcher.place()];
        for (token, text) in [(Some(0), None), (None, Some(b"bc")), (Some(2), None), (None, Some(b"ef"))] {
            match (token, text) {
                (Some(token), _) => matcher.advance(token).unwrap(),
                (_, text) => matcher.advance_bytes(text.unwrap()).unwrap(),
            }
            places.push(matcher.place());
        }
        assert!(matcher.can_end() && !matcher.ended());
        assert!(told(matcher.rollback(4)).contains("3"), "no further than was asked for");
        assert!(!matcher.rollback(5).unwrap(), "not before the start");
        assert!(matcher.rollback(0).unwrap() && matcher.steps() == 4);
        for left in [3, 1] {
            assert!(matcher.rollback(matcher.steps() - left).unwrap());
            assert_eq!((matcher.place(), matcher.steps()), (places[left], left));
            assert_eq!(matcher.texts.len(), usize::from(left == 3));
        }
        matcher.advance_bytes(b"bcd").unwrap();
        assert_eq!(matcher.place(), places[3]);
        matcher.reset();
        assert_eq!((matcher.place(), matcher.steps(), matcher.texts.len()), (places[0], 0, 0));
    }

    #[test]
    fn characters_of_a_text_need_not_be_looked_up() {
        let make = |builder: &mut Builder| {
            let any = builder.any_text().unwrap();
            builder.quoted(any.0, false).unwrap().0
        };
        let compiled = over(make, &[b"\"", b"a", b"bc", b"\\n"]).unwrap();
        let mut matcher = compiled.matcher(None, None);
        matcher.advance(0).unwrap();
        let before = (known(&compiled), matcher.place());
        for _ in 0..3 * SPACING {
            assert!(matcher.advance_known(1) && matcher.advance_known(2));
        }
        assert_eq!((known(&compiled), matcher.place()), before);
        assert!(!matcher.advance_known(3), "an escape is");
        // In a new epoch its place must be found first, where a checkpoint is due.
        begin_epoch(&compiled);
        let due = (0..SPACING + 1).position(|_| !matcher.advance_known(1)).unwrap();
        assert!(due < SPACING);
        matcher.advance(1).unwrap();
        assert_eq!(bits_of(&mut matcher, 6), [0, 1, 2, 3]);
        assert!(matcher.try_advance(0).unwrap() && matcher.can_end());
    }

    fn bits_of(matcher: &mut Matcher, size: u32) -> Vec<u32> {
        let mask = matcher.mask().unwrap();
        (0..size).filter(|&token| mask.allows(token)).collect()
    }

    #[test]
    fn in_a_new_epoch_texts_and_tokens_are_taken_again_in_order() {
        let compiled = compiled();
        let (mut mixed, mut plain) = (compiled.matcher(None, None), compiled.matcher(None, None));
        for text in ["{\"", "ab", "\":1,\"c", "\""] {
            mixed.advance_bytes(text.as_bytes()).unwrap();
            mixed.advance_bytes(b"").unwrap();
            text.bytes().for_each(|byte| plain.advance(byte.into()).unwrap());
        }
        mixed.advance(u32::from(b':')).unwrap();
        plain.advance(u32::from(b':')).unwrap();
        let before = bits(&mut plain);
        for epoch in 1..=3 {
            begin_epoch(&compiled);
            assert_eq!(compiled.epoch(), epoch);
            assert_eq!((bits(&mut mixed), bits(&mut plain)), (before.clone(), before.clone()));
            assert_eq!(mixed.place().position, plain.place().position);
            assert_eq!((mixed.epoch, plain.epoch), (epoch, epoch));
            assert!(mixed.mask_known().is_some(), "what was found out in this epoch is known");
            assert!(mixed.rollback(1).unwrap() && mixed.try_advance(u32::from(b':')).unwrap());
        }
    }
}
