//! Values to be avoided × what was read of an item → the rests of those that begin like it: a walk down the set.

use crate::automaton::frame::FrameId;
use crate::automaton::machine::Machine;
use crate::automaton::position::Position;
use crate::automaton::unique::Register;
use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::json::partial_value::{is_numeral, LexerState};
use crate::json::value::NUMERAL_END;
use crate::regular::key_set::{KeySets, NO_KEYS};
use crate::regular::term::{Term, TermId};

/// Longer numerals may be written with an exponent in the set.
const MAX_NUMERAL_BYTES: usize = 30;

/// What a text that must not be completed goes on with.
#[derive(Clone, Copy)]
pub(crate) struct ExcludedRest {
    pub(super) set: u32,
    /// Whether these are all and no more; else the set has at least the values that are left.
    pub(super) exact: bool,
}

impl Machine {
    pub(super) fn excluded_rest(
        &mut self,
        array: u32,
        state: u32,
        step: u32,
        start: u32,
        partial: u32,
    ) -> Result<ExcludedRest> {
        let Some(mut set) = self.excluded(array, state, step)? else {
            return Ok(ExcludedRest { set: NO_KEYS, exact: false });
        };
        if set == NO_KEYS {
            return Ok(ExcludedRest { set, exact: true });
        }
        let text = self.unique.partial_values.text(start, partial);
        self.arena.spend(1 + text.len() as u64 / 4)?;
        let lexer_state = self.unique.partial_values.lexer_state(partial);
        let (whole, numeral) =
            text.split_at(text.len() - self.unique.partial_values.numeral_len(partial).min(text.len()));
        let ordered = self.is_ordered(array);
        let keys = &self.arena.registers.keys;
        for &byte in whole {
            if byte == b'{' && !ordered {
                // Members may come in push_next_item order: any value with an object here may be is_wanted.
                return Ok(ExcludedRest { set: keys.rest(set, byte), exact: false });
            }
            set = keys.rest(set, byte);
            if set == NO_KEYS {
                return Ok(ExcludedRest { set, exact: true });
            }
        }
        if numeral.is_empty() {
            // What an open escape will say is not known.
            return Ok(ExcludedRest { set, exact: matches!(lexer_state, LexerState::Between | LexerState::Inside) });
        }
        if self.unique.partial_values.lexer_state(partial).is_zero() {
            let zero = keys.rest(keys.rest(set, b'0'), NUMERAL_END);
            return Ok(ExcludedRest { set: zero, exact: false });
        }
        let at = self.arena.registers.unique_states[state as usize].at;
        let item = self.arena.registers.uniques[array as usize].steps[at as usize][step as usize].0;
        if self.can_read_noninteger(item)?
            || numeral.len() > MAX_NUMERAL_BYTES
            || numeral[0] == b'-' && matches!(numeral.get(1), None | Some(b'0'))
        {
            return Ok(ExcludedRest { set, exact: false });
        }
        let keys = &self.arena.registers.keys;
        Ok(ExcludedRest { set: numeral.iter().fold(set, |set, &byte| keys.rest(set, byte)), exact: true })
    }

    /// The item that is open at a position, if it is one, with what it must not go on with.
    pub(crate) fn open_item(&mut self, position: &Position) -> Result<Option<OpenItem>> {
        let Register::At(partial) = position.register else { return Ok(None) };
        let frames = position.heads.iter().map(|&(_, frame)| frame);
        let frames = frames.chain(position.specials.iter().map(|&(_, frame)| frame));
        let &[(array, state, step, start)] = &self.open_ends(frames)[..] else { return Ok(None) };
        let rest = self.excluded_rest(array, state, step, start, partial)?;
        if rest.set != NO_KEYS && !self.is_ordered(array) {
            // Members in push_next_item order say the same: a walk along the texts of the set would miss them.
            return Ok(None);
        }
        let at = self.arena.registers.unique_states[state as usize].at;
        let item = self.arena.registers.uniques[array as usize].steps[at as usize][step as usize].0;
        let has_noncanonical_numerals = self.has_noncanonical_numerals(item)?;
        let in_numeral = matches!(self.unique.partial_values.lexer_state(partial), LexerState::Number { .. });
        if !rest.exact || has_noncanonical_numerals && in_numeral {
            return Ok(None);
        }
        let mut heads = position.heads.iter().filter(|&&(_, frame)| self.item_summary(frame).is_open);
        let head = match (heads.next(), heads.next()) {
            (Some(&(head, frame)), None) if self.is_item_frame(frame) => Some(head),
            _ => None,
        };
        let cursor = ExcludedCursor {
            lexer_state: self.unique.partial_values.lexer_state(partial),
            set: rest.set,
            numeral_start: rest.set,
            minus: false,
        };
        Ok(Some(OpenItem { array, state, at, step, head, has_noncanonical_numerals, cursor }))
    }

    /// Whether a numeral may begin here, or one is open that is zero so far.
    pub(crate) fn can_be_zero(&self, position: &Position) -> bool {
        match position.register {
            Register::At(partial) => {
                !matches!(self.unique.partial_values.lexer_state(partial), LexerState::Number { zero: false, .. })
            }
            _ => true,
        }
    }

    /// What tokens are compared with that go on to push_next_item item: of arrays of strings, each of which has many others to
    /// become, wherever it is.
    pub(crate) fn seen_strings(&mut self, position: &Position) -> Result<Option<SeenStrings>> {
        let heads = position.heads.iter().map(|&(_, frame)| frame);
        let frames: Vec<FrameId> = heads.chain(position.specials.iter().map(|&(_, frame)| frame)).collect();
        let mut arrays = Vec::new();
        let mut open = Vec::new();
        for frame in self.exact_frames(frames.into_iter()) {
            for &(term, _) in self.members(frame) {
                match *self.arena.term(term) {
                    Term::UniqueItem { array, state } => arrays.push((array, state)),
                    Term::UniqueEnd { array, state, start, .. } => {
                        arrays.push((array, state));
                        open.push(start);
                    }
                    _ => {}
                }
            }
        }
        arrays.sort_unstable();
        arrays.dedup();
        let &[(array, state)] = &arrays[..] else { return Ok(None) };
        let spec = self.arena.registers.uniques[array as usize].clone();
        let state = self.arena.registers.unique_states[state as usize];
        let Some(item) = spec.only_item() else { return Ok(None) };
        let most = state.count.saturating_add(self.unique.max_token_items);
        let strings = matches!(self.arena.term(item), Term::Quoted { .. }) && self.is_insensitive_to(item, most)?;
        if !strings || !self.arena.is_made_of(spec.comma, b" \t\n\r,") {
            return Ok(None);
        }
        let (lexer_state, prefix) = match (position.register, &open[..]) {
            (Register::At(partial), &[start]) => {
                (self.unique.partial_values.lexer_state(partial), self.unique.partial_values.text(start, partial))
            }
            (_, []) => (LexerState::Between, Vec::new()),
            _ => return Ok(None),
        };
        Ok(Some(SeenStrings { set: state.came, lexer_state, prefix }))
    }

    /// Whether an item ends with what is over this frame.
    fn is_item_frame(&self, frame: FrameId) -> bool {
        matches!(*self.members(frame), [(term, _)] if matches!(self.arena.term(term), Term::UniqueEnd { .. }))
    }

    /// Whether a number in an item may be spelled otherwise than in the set.
    fn has_noncanonical_numerals(&mut self, item: TermId) -> Result<bool> {
        Ok(match *self.arena.term(item) {
            Term::Quoted { .. } => false,
            Term::Words { .. } => !self.is_spelled_canonically(item)?,
            _ => self.can_read_noninteger(item)?,
        })
    }
}

/// The strings that came in an array, and what was read of the one that is open.
pub(crate) struct SeenStrings {
    set: u32,
    lexer_state: LexerState,
    prefix: Vec<u8>,
}

impl SeenStrings {
    /// Whether some string in these bytes may be one that came, or two of them may be the same. What is behind the array
    /// is not known.
    pub(crate) fn can_repeat(&self, keys: &KeySets, bytes: &[u8]) -> bool {
        let (mut lexer_state, mut text) = (self.lexer_state, self.prefix.clone());
        let mut whole: Vec<Vec<u8>> = Vec::new();
        for &byte in bytes {
            if lexer_state == LexerState::Between && !matches!(byte, b'"' | b',' | b' ' | b'\t' | b'\n' | b'\r') {
                return true;
            }
            let was_inside = lexer_state != LexerState::Between;
            let (next, said) = lexer_state.step(byte);
            if byte != b',' || was_inside {
                text.extend_from_slice(&said);
            }
            lexer_state = next;
            if was_inside && lexer_state == LexerState::Between {
                let text = std::mem::take(&mut text);
                if keys.contains(self.set, &text) || whole.contains(&text) {
                    return true;
                }
                whole.push(text);
            }
        }
        false
    }
}

/// An item of regular texts that is open, with what was read of it.
pub(crate) struct OpenItem {
    array: u32,
    state: u32,
    /// The state of the automaton over items.
    at: u32,
    step: u32,
    /// What text_count the rest of it, if that is one head.
    pub(crate) head: Option<TermId>,
    /// Whether a numeral in it may be spelled otherwise than in the set: none is compared before its end.
    has_noncanonical_numerals: bool,
    pub(crate) cursor: ExcludedCursor,
}

/// A lexer_state in the texts to be avoided, as the bytes of tokens lead there.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ExcludedCursor {
    lexer_state: LexerState,
    set: u32,
    /// Where the numeral began that is open, and whether it is a minus so far: -0 is 0.
    numeral_start: u32,
    minus: bool,
}

/// Items of one language between which no walk can tell.
pub(crate) type ItemKey = (u32, u32, u32, bool);

impl OpenItem {
    /// Whether some bytes lead along a text to be avoided, or to the end of one.
    pub(crate) fn meets(&self, keys: &KeySets, bytes: &[u8]) -> bool {
        self.cursor.meets(keys, bytes, self.has_noncanonical_numerals)
    }

    /// Whether a byte leads to a numeral whose spelling says nothing yet.
    pub(crate) fn is_in_noncanonical_numeral(&self, next: &ExcludedCursor) -> bool {
        self.has_noncanonical_numerals && next.is_in_numeral()
    }

    /// The bytes that may lead on from a lexer_state in it; None: it takes a look at all.
    pub(crate) fn bytes(&self, keys: &KeySets, cursor: &ExcludedCursor) -> Option<ByteSet> {
        cursor.bytes(keys).filter(|_| !self.has_noncanonical_numerals || cursor.lexer_state == LexerState::Inside)
    }

    /// `is_scarce`: whether it matters how many values are left.
    pub(crate) fn key(&self, is_scarce: bool) -> ItemKey {
        (self.array, self.at, self.step, is_scarce)
    }
}

impl ExcludedCursor {
    /// The same for all that go on alike.
    pub(crate) fn representative(self) -> ExcludedCursor {
        ExcludedCursor { numeral_start: if self.minus { self.numeral_start } else { NO_KEYS }, ..self }
    }

    /// After push_next_item byte.
    pub(crate) fn next(mut self, keys: &KeySets, byte: u8) -> ExcludedCursor {
        if let LexerState::Number { .. } = self.lexer_state {
            if !is_numeral(byte) {
                self.set = keys.rest(self.set, NUMERAL_END);
                self.lexer_state = LexerState::Between;
            } else if self.minus && byte == b'0' {
                self.set = self.numeral_start;
            }
            self.minus = false;
        }
        let (lexer_state, said) = self.lexer_state.step(byte);
        if let (LexerState::Between, LexerState::Number { .. }) = (self.lexer_state, lexer_state) {
            (self.numeral_start, self.minus) = (self.set, byte == b'-');
        }
        self.lexer_state = lexer_state;
        self.set = said.iter().fold(self.set, |set, &byte| keys.rest(set, byte));
        self
    }

    /// In the middle of a numeral.
    fn is_in_numeral(&self) -> bool {
        matches!(self.lexer_state, LexerState::Number { .. })
    }

    /// Whether some text begins so.
    pub(crate) fn has_conflict(&self, keys: &KeySets) -> bool {
        self.set != NO_KEYS || self.minus && keys.rest(self.numeral_start, b'0') != NO_KEYS
    }

    /// Whether some bytes lead along a text to be avoided, or to the end of one.
    fn meets(mut self, keys: &KeySets, bytes: &[u8], has_noncanonical_numerals: bool) -> bool {
        for &byte in bytes {
            if self.is_at_end(keys) || self.is_at_numeral_end(keys, byte) {
                return true;
            }
            self = self.next(keys, byte);
            if has_noncanonical_numerals && self.is_in_numeral() {
                return true;
            }
            if !self.has_conflict(keys) {
                return false;
            }
        }
        true
    }

    /// Whether one ends here.
    pub(crate) fn is_at_end(&self, keys: &KeySets) -> bool {
        keys.has_empty(self.set)
    }

    /// Whether one ends here because a byte follows that goes on with no numeral.
    pub(crate) fn is_at_numeral_end(&self, keys: &KeySets, byte: u8) -> bool {
        !is_numeral(byte) && self.is_whole_numeral(keys)
    }

    /// Whether one ends here if no digit follows.
    fn is_whole_numeral(&self, keys: &KeySets) -> bool {
        matches!(self.lexer_state, LexerState::Number { .. }) && keys.rest(self.set, NUMERAL_END) != NO_KEYS
    }

    /// The bytes that may lead on; None: it takes a look at all.
    fn bytes(&self, keys: &KeySets) -> Option<ByteSet> {
        if self.is_whole_numeral(keys) {
            return None;
        }
        let mut bytes =
            keys.rests(self.set).fold(ByteSet::EMPTY, |all, (byte, _)| all.union(&ByteSet::range(byte, byte)));
        let more: &[u8] = match self.lexer_state {
            LexerState::Inside => b"\\",
            LexerState::Between => b" \t\n\r-",
            LexerState::Number { .. } => b"0",
            _ => return None,
        };
        for &byte in more {
            bytes = bytes.union(&ByteSet::range(byte, byte));
        }
        Some(bytes)
    }
}

impl Machine {
    /// Whether the item can end as push_next_item value after some bytes, with the head that is left; None if that is not plain.
    pub(crate) fn can_end_differently(
        &mut self,
        item: &OpenItem,
        head: TermId,
        cursor: &ExcludedCursor,
    ) -> Result<Option<bool>> {
        if cursor.minus
            || !matches!(cursor.lexer_state, LexerState::Between | LexerState::Inside | LexerState::Number { .. })
        {
            return Ok(None);
        }
        self.can_avoid(item.array, item.state, item.step, head, cursor.set)
    }
}
