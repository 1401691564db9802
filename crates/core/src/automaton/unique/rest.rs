//! Excluded values × bytes of an open item → the suffixes of those excluded values that share the prefix.
//!
//! Masks of positions inside unique items follow these suffixes along the bytes of tokens.

use crate::automaton::frame::FrameId;
use crate::automaton::machine::Machine;
use crate::automaton::position::{Position, Register};
use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::json::partial_value::{is_numeral, LexerState};
use crate::json::value::NUMERAL_END;
use crate::regular::id::{ArrayId, ArrayStateId, KeySetId};
use crate::regular::key_set::{KeySets, NO_KEYS};
use crate::regular::term::{Term, TermId};

/// Bytes of numerals from which the canonical spelling may use an exponent.
const MAX_NUMERAL_BYTES: usize = 30;

/// The suffixes that would complete an excluded text.
#[derive(Clone, Copy)]
pub(crate) struct ExcludedRest {
    pub(super) set: KeySetId,
    /// Whether `set` has exactly these suffixes; otherwise a superset.
    pub(super) exact: bool,
}

impl Machine {
    /// The suffixes of excluded values that share the prefix of an open item.
    pub(super) fn excluded_rest(
        &mut self,
        array: ArrayId,
        state: ArrayStateId,
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
                // Members may come in any order, so every excluded value with an object here counts.
                return Ok(ExcludedRest { set: keys.child(set, byte), exact: false });
            }
            set = keys.child(set, byte);
            if set == NO_KEYS {
                return Ok(ExcludedRest { set, exact: true });
            }
        }
        if numeral.is_empty() {
            // The character of an open escape is not known yet.
            return Ok(ExcludedRest { set, exact: matches!(lexer_state, LexerState::Between | LexerState::Inside) });
        }
        if self.unique.partial_values.lexer_state(partial).is_zero() {
            let zero = keys.child(keys.child(set, b'0'), NUMERAL_END);
            return Ok(ExcludedRest { set: zero, exact: false });
        }
        let at = self.arena.registers.unique_states[state.index()].at;
        let item = self.arena.registers.uniques[array.index()].steps[at as usize][step as usize].0;
        if self.can_read_noninteger(item)?
            || numeral.len() > MAX_NUMERAL_BYTES
            || numeral[0] == b'-' && matches!(numeral.get(1), None | Some(b'0'))
        {
            return Ok(ExcludedRest { set, exact: false });
        }
        let keys = &self.arena.registers.keys;
        Ok(ExcludedRest { set: numeral.iter().fold(set, |set, &byte| keys.child(set, byte)), exact: true })
    }

    /// The single open item of a position with the suffixes to avoid; None if a walk along texts cannot decide.
    pub(crate) fn open_item(&mut self, position: &Position) -> Result<Option<OpenItem>> {
        let Register::At(partial) = position.register else { return Ok(None) };
        let frames = position.heads.iter().map(|&(_, frame)| frame);
        let frames = frames.chain(position.specials.iter().map(|&(_, frame)| frame));
        let &[(array, state, step, start)] = &self.open_ends(frames)[..] else { return Ok(None) };
        let rest = self.excluded_rest(array, state, step, start, partial)?;
        if rest.set != NO_KEYS && !self.is_ordered(array) {
            // An object may complete an excluded value in another order of members, which a walk would miss.
            return Ok(None);
        }
        let at = self.arena.registers.unique_states[state.index()].at;
        let item = self.arena.registers.uniques[array.index()].steps[at as usize][step as usize].0;
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

    /// Whether a numeral that may begin here, or is open, can still be zero.
    pub(crate) fn can_be_zero(&self, position: &Position) -> bool {
        match position.register {
            Register::At(partial) => {
                !matches!(self.unique.partial_values.lexer_state(partial), LexerState::Number { zero: false, .. })
            }
            _ => true,
        }
    }

    /// The strings that tokens spanning several items must not repeat; None unless the array has strings of unlimited
    /// number.
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
        let spec = self.arena.registers.uniques[array.index()].clone();
        let state = self.arena.registers.unique_states[state.index()];
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

    /// Whether the frame continues with the end of an item and nothing else.
    fn is_item_frame(&self, frame: FrameId) -> bool {
        matches!(*self.members(frame), [(term, _)] if matches!(self.arena.term(term), Term::UniqueEnd { .. }))
    }

    /// Whether a number in the item may have another spelling than the canonical one.
    fn has_noncanonical_numerals(&mut self, item: TermId) -> Result<bool> {
        Ok(match *self.arena.term(item) {
            Term::Quoted { .. } => false,
            Term::Words { .. } => !self.is_spelled_canonically(item)?,
            _ => self.can_read_noninteger(item)?,
        })
    }
}

/// The strings that came in an array, and the prefix of the open one.
pub(crate) struct SeenStrings {
    set: KeySetId,
    lexer_state: LexerState,
    prefix: Vec<u8>,
}

impl SeenStrings {
    /// Whether these bytes may repeat a string that came, or one of their own. Bytes past the array count as repeating.
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

/// An open item of regular texts, with the excluded suffixes.
pub(crate) struct OpenItem {
    array: ArrayId,
    state: ArrayStateId,
    /// The state of the automaton over items.
    at: u32,
    step: u32,
    /// The head that reads the rest of the item, if there is one such head.
    pub(crate) head: Option<TermId>,
    /// Whether numerals may be spelled in several ways. If so, they are compared only at their end.
    has_noncanonical_numerals: bool,
    pub(crate) cursor: ExcludedCursor,
}

/// A node in the set of excluded texts, reached by the bytes of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ExcludedCursor {
    lexer_state: LexerState,
    set: KeySetId,
    /// The node where the open numeral began. Needed after a minus, because -0 equals 0.
    numeral_start: KeySetId,
    minus: bool,
}

/// The key under which walks are cached: array, state, step, and whether values are scarce.
pub(crate) type ItemKey = (ArrayId, u32, u32, bool);

impl OpenItem {
    /// Whether these bytes stay on a path to an excluded text, or reach the end of one.
    pub(crate) fn meets(&self, keys: &KeySets, bytes: &[u8]) -> bool {
        self.cursor.meets(keys, bytes, self.has_noncanonical_numerals)
    }

    /// Whether the cursor is inside a numeral whose spelling does not decide its value.
    pub(crate) fn is_in_noncanonical_numeral(&self, next: &ExcludedCursor) -> bool {
        self.has_noncanonical_numerals && next.is_in_numeral()
    }

    /// The bytes that stay on a path to an excluded text; None if every byte must be tried.
    pub(crate) fn bytes(&self, keys: &KeySets, cursor: &ExcludedCursor) -> Option<ByteSet> {
        cursor.bytes(keys).filter(|_| !self.has_noncanonical_numerals || cursor.lexer_state == LexerState::Inside)
    }

    /// The key for caching; `is_scarce` says whether the number of remaining values matters.
    pub(crate) fn key(&self, is_scarce: bool) -> ItemKey {
        (self.array, self.at, self.step, is_scarce)
    }
}

impl ExcludedCursor {
    /// The representative of all cursors with equal continuations.
    pub(crate) fn representative(self) -> ExcludedCursor {
        ExcludedCursor { numeral_start: if self.minus { self.numeral_start } else { NO_KEYS }, ..self }
    }

    /// The cursor after one more byte.
    pub(crate) fn next(mut self, keys: &KeySets, byte: u8) -> ExcludedCursor {
        if let LexerState::Number { .. } = self.lexer_state {
            if !is_numeral(byte) {
                self.set = keys.child(self.set, NUMERAL_END);
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
        self.set = said.iter().fold(self.set, |set, &byte| keys.child(set, byte));
        self
    }

    /// Whether a numeral is open.
    fn is_in_numeral(&self) -> bool {
        matches!(self.lexer_state, LexerState::Number { .. })
    }

    /// Whether some excluded text continues from here.
    pub(crate) fn has_conflict(&self, keys: &KeySets) -> bool {
        self.set != NO_KEYS || self.minus && keys.child(self.numeral_start, b'0') != NO_KEYS
    }

    /// Whether these bytes stay on a path to an excluded text, or reach the end of one.
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

    /// Whether an excluded text ends here.
    pub(crate) fn is_at_end(&self, keys: &KeySets) -> bool {
        keys.has_empty(self.set)
    }

    /// Whether an excluded number ends here, because the next byte cannot continue a numeral.
    pub(crate) fn is_at_numeral_end(&self, keys: &KeySets, byte: u8) -> bool {
        !is_numeral(byte) && self.is_whole_numeral(keys)
    }

    /// Whether an excluded number ends here if no digit follows.
    fn is_whole_numeral(&self, keys: &KeySets) -> bool {
        matches!(self.lexer_state, LexerState::Number { .. }) && keys.child(self.set, NUMERAL_END) != NO_KEYS
    }

    /// The bytes that stay on a path to an excluded text; None if every byte must be tried.
    fn bytes(&self, keys: &KeySets) -> Option<ByteSet> {
        if self.is_whole_numeral(keys) {
            return None;
        }
        let mut bytes =
            keys.children(self.set).fold(ByteSet::EMPTY, |all, (byte, _)| all.union(&ByteSet::range(byte, byte)));
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
    /// Whether the item can end as another value after the bytes up to `cursor`; None if counts cannot decide.
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
