//! A few states that the same characters keep among themselves → their tokens: what a search (`.*foo.*`), an excluded
//! pattern or words and separators are while none of their special characters comes.
//!
//! Tokens of those characters only are inside, whatever they spell. The others are found by the index: at each place
//! where such a token's first special byte stands, the state is that after the token's beginning.

use crate::behind::Way;
use crate::byteset::ByteSet;
use crate::chain::{majority, Chain, WIDE_CLASS};
use crate::error::Result;
use crate::local::{Part, Reach, NARROW};
use crate::occurrence::Occurrence;
use crate::term::{Arena, TermId, EMPTY};
use crate::trie::Trie;
use crate::vocabulary::{Class, Vocabulary};
use rustc_hash::FxHashMap;
use smallvec::{smallvec, SmallVec};
use std::sync::Arc;

/// More states are a count, or a pattern that tells every text from every other.
const MOST_STATES: usize = 96;

/// (lead bytes, second bytes, bytes after them) of well-formed UTF-8 (Unicode 15, table 3-7).
const SHAPES: [(u8, u8, u8, u8, usize); 8] = [
    (0xc2, 0xdf, 0x80, 0xbf, 0),
    (0xe0, 0xe0, 0xa0, 0xbf, 1),
    (0xe1, 0xec, 0x80, 0xbf, 1),
    (0xed, 0xed, 0x80, 0x9f, 1),
    (0xee, 0xef, 0x80, 0xbf, 1),
    (0xf0, 0xf0, 0x90, 0xbf, 2),
    (0xf1, 0xf3, 0x80, 0xbf, 2),
    (0xf4, 0xf4, 0x80, 0x8f, 2),
];

/// Those lead bytes, as bits from 0xc0 on.
const ALL_LEADS: u64 = (1 << 0x35) - 4;

pub(crate) struct Region {
    states: Vec<TermId>,
    /// The characters that lead from every state to one of the states.
    class: Class,
    /// The bytes that lead from some state anywhere.
    live: ByteSet,
}

impl Region {
    /// The region around a head. Its states share it: whatever they reach is in it, and keeps its characters.
    pub fn of(arena: &mut Arena, head: TermId) -> Result<Option<Arc<Region>>> {
        if let Some(known) = arena.regions.get(&head) {
            return Ok(known.clone());
        }
        let region = Region::around(arena, head)?.map(Arc::new);
        let states = match &region {
            Some(region) => region.sharing(arena)?,
            None => vec![head],
        };
        for state in states {
            if arena.regions.get(&state).is_none() {
                arena.regions.insert(state, region.clone(), &mut arena.budget);
            }
        }
        Ok(region)
    }

    /// The states around which it is the region. One that never leads back to the head may keep characters that the head
    /// refuses.
    fn sharing(&self, arena: &mut Arena) -> Result<Vec<TermId>> {
        let mut sharing = vec![self.states[0]];
        let mut others: Vec<(TermId, Vec<TermId>)> = Vec::new();
        for &state in &self.states[1..] {
            let targets = arena.targets(state)?;
            let mut more = false;
            for (target, bytes) in &targets {
                more |= bytes.ascii() & !self.class.ascii() != 0 && arena.is_wide(*target)?;
            }
            match more {
                true => others.push((state, targets.into_iter().map(|(target, _)| target).collect())),
                false => sharing.push(state),
            }
        }
        let mut known = 0;
        while known < sharing.len() && !others.is_empty() {
            let nearer = sharing[known..].to_vec();
            known = sharing.len();
            others.retain(|(state, targets)| {
                let back = targets.iter().any(|target| nearer.contains(target));
                sharing.extend(back.then_some(*state));
                !back
            });
        }
        Ok(sharing)
    }

    fn around(arena: &mut Arena, head: TermId) -> Result<Option<Region>> {
        let mut ascii = ByteSet::EMPTY;
        for (target, bytes) in arena.targets(head)? {
            if arena.is_wide(target)? {
                ascii = ascii.union(&bytes);
            }
        }
        Region::kept(arena, head, ascii)
    }

    /// A smaller region: the characters that keep the state to which most lead, without those that make many states of
    /// it, of which each reads on in a way of its own: a dot in a name of dots, say.
    pub fn of_one(arena: &mut Arena, head: TermId) -> Result<Option<Region>> {
        let Some((near, _)) = majority(arena, head)? else { return Ok(None) };
        let own = arena.ascii_onto(near, near)?;
        Region::kept(arena, head, own)
    }

    /// The region that those of the characters make which all its states keep.
    fn kept(arena: &mut Arena, head: TermId, mut ascii: ByteSet) -> Result<Option<Region>> {
        // What characters beyond ASCII do takes longer to find out: they are asked of the states that the others leave.
        let mut leads = None;
        let mut beyond = Beyond::default();
        // Each round gives up what the states reached last time refuse; what is left is kept by all of them.
        loop {
            if ascii.len() < WIDE_CLASS {
                return Ok(None);
            }
            let mut states = vec![head];
            let mut place = 0;
            let before = (ascii, leads);
            while place < states.len() {
                let state = states[place];
                place += 1;
                if arena.info(state).nullable || states.len() > MOST_STATES {
                    return Ok(None);
                }
                let mut live = ByteSet::EMPTY;
                for (target, bytes) in arena.targets(state)? {
                    let span = bytes.intersection(&ascii);
                    let known = states.contains(&target);
                    if span.is_empty() || !known && !arena.is_wide(target)? {
                        continue;
                    }
                    if !known {
                        // Rather without the bytes that lead to a state than without the more that it refuses.
                        if ascii.without(&arena.live_ascii(target)?).len() > span.len() {
                            continue;
                        }
                        states.push(target);
                    }
                    live = live.union(&span);
                }
                ascii = ascii.intersection(&live);
                if let Some(leads) = &mut leads {
                    // The index does not know bytes in the middle of a character.
                    if !arena.lead_nowhere(state, 0x80, 0xbf)? {
                        return Ok(None);
                    }
                    let beyond = beyond.of(arena, state)?;
                    let kept =
                        beyond.iter().filter(|(_, targets)| targets.iter().all(|target| states.contains(target)));
                    *leads &= kept.fold(0, |kept, (those, _)| kept | those);
                }
            }
            if before != (ascii, leads) {
                continue;
            }
            if let Some(leads) = leads {
                let mut live = ByteSet::EMPTY;
                for &state in &states {
                    live = live.union(&arena.live_bytes(state)?);
                }
                return Ok(Some(Region { states, class: Class::new(ascii.ascii(), leads), live }));
            }
            leads = Some(ALL_LEADS);
        }
    }

    /// Whether the places where it is left take less than a walk through what is inside, or it keeps as much as a chain
    /// does.
    pub fn is_worth_it(&self, vocabulary: &Vocabulary, chain: Option<&Chain>) -> bool {
        if chain.is_some_and(|chain| chain.class == self.class) {
            return true;
        }
        let inside = vocabulary.count_of(self.class);
        if inside >= vocabulary.len() / 3 {
            return true;
        }
        // They are counted, not looked at: whoever asks for a byte's places for the first time has them found.
        let left = self.live.iter().filter(|&byte| !self.class.contains(byte));
        let places: usize = left.map(|byte| vocabulary.occurrences_at_most(byte)).sum();
        chain.is_none() && places < inside / 4
    }

    /// What a head of the region does to the vocabulary.
    pub fn reach(&self, arena: &mut Arena, vocabulary: &Vocabulary, head: TermId) -> Result<Reach> {
        let bits = vocabulary.class(self.class);
        let mut reach = Reach::of(vocabulary);
        reach.dense = Some(Part { bits: bits.clone(), within: None });
        let start = reach.table.row(arena, head);
        // Every other token begins with a space: where it leads to a region, what comes after it is not walked, either.
        let space = arena.derive(head, b' ')?;
        let spaced = match space {
            EMPTY => None,
            _ if self.class.contains(b' ') => None,
            next => Region::of(arena, next)?.filter(|region| !region.class.contains(b' ')),
        };
        if let Some(region) = &spaced {
            let both = bits.iter().zip(vocabulary.led(region.class)).map(|(bits, led)| bits | led).collect();
            reach.dense = Some(Part { bits: both, within: None });
            region.leave(arena, vocabulary, Entry { start, first: space, led: true }, &mut reach, |_| true)?;
        }
        let own = Entry { start, first: head, led: false };
        let led = spaced.is_some();
        self.leave(arena, vocabulary, own, &mut reach, |place| {
            !(led && place.depth == 0 && vocabulary.trie.byte(place.node) == b' ')
        })?;
        Ok(reach)
    }

    /// Goes on at those places where a token holds something else for the first time.
    fn leave(
        &self,
        arena: &mut Arena,
        vocabulary: &Vocabulary,
        entry: Entry,
        reach: &mut Reach,
        wanted: impl Fn(&Occurrence) -> bool,
    ) -> Result<()> {
        let (near, quiet, apart) = self.near(arena, entry.first)?;
        for byte in self.live.iter().filter(|&byte| !self.class.contains(byte)) {
            let behind = vocabulary.behind(Way { byte, class: self.class, quiet, led: entry.led });
            let places = vocabulary.occurrences(byte);
            let beside = arena.derive(near, byte)?;
            let heard = behind.heard.iter().copied().chain(behind.beginning_with(&vocabulary.trie, &apart));
            for place in heard.map(|place| &places[place as usize]).filter(|place| wanted(place)) {
                let Some(token) = vocabulary.token(place.token) else { continue };
                let mut row = entry.start;
                for &byte in &token[..usize::from(place.depth)] {
                    row = reach.table.step(arena, row, byte)?;
                }
                let next = reach.table.step(arena, row, byte)?;
                if next != NOWHERE {
                    arena.spend(1)?;
                    let next = reach.table.rows[next as usize].state;
                    match place.depth {
                        0 => reach.enter_beside(arena, vocabulary, place.node, next, beside)?,
                        _ => reach.enter(arena, &vocabulary.trie, place.node, next)?,
                    }
                }
            }
            if beside != EMPTY {
                behind.enter(arena, vocabulary, beside, &apart, reach)?;
            }
        }
        Ok(())
    }

    /// The state to which most characters lead; of the region's ASCII characters those that leave that state as it is, and
    /// of these the ones that lead from here to another.
    fn near(&self, arena: &mut Arena, first: TermId) -> Result<(TermId, Class, ByteSet)> {
        let Some((near, _)) = majority(arena, first)? else { return Ok((EMPTY, Class::default(), ByteSet::EMPTY)) };
        let quiet = arena.ascii_onto(near, near)?.intersection(&self.class.bytes());
        let apart = quiet.without(&arena.ascii_onto(first, near)?);
        Ok((near, Class::new(quiet.ascii(), 0), apart))
    }
}

/// How a head comes to the characters of a region.
struct Entry {
    /// The row of the head.
    start: u32,
    /// The state before the first of them: the head, or what a space leads to.
    first: TermId,
    led: bool,
}

/// States by number, those met often with one entry per byte: looking a derivative up among a term's edges takes longer
/// than all else that a node of a walk costs.
#[derive(Default)]
pub(crate) struct Table {
    pub rows: Vec<Row>,
    entries: Vec<[u16; 256]>,
    row_of: FxHashMap<TermId, u32>,
}

/// What a walk asks of a state.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub state: TermId,
    pub nullable: bool,
    /// Whether it reads a few bytes only.
    pub narrow: bool,
    /// How often it was met without entries.
    met: u8,
    /// Where its entries are, once it has any; `NEW` before.
    entries: u32,
    loops: Loops,
}

/// A state that was met so often is given entries: they take more memory than all else that is known of it.
const ENTRIES_FROM: u8 = 4;

/// The ASCII bytes that leave a row where it is.
#[derive(Clone, Copy)]
enum Loops {
    /// So many nodes might have been leapt over.
    Unknown {
        passed: u32,
    },
    Known([u64; 2]),
}

/// As many nodes take as long as finding out all about one state.
const LOOPS_FROM: u32 = 256;

/// What an entry says of a byte that was not asked for yet, or leads nowhere.
const NEW: u32 = u32::MAX;
pub(crate) const NOWHERE: u32 = u32::MAX - 1;

/// The same in an entry; rows beyond have no place in one.
const NEW_ENTRY: u16 = u16::MAX;
const NOWHERE_ENTRY: u16 = u16::MAX - 1;

impl Table {
    pub fn row(&mut self, arena: &mut Arena, state: TermId) -> u32 {
        let Table { rows, row_of, .. } = self;
        *row_of.entry(state).or_insert_with(|| {
            let (nullable, narrow) = (arena.info(state).nullable, arena.may(state).len() <= NARROW);
            rows.push(Row { state, nullable, narrow, met: 0, entries: NEW, loops: Loops::Unknown { passed: 0 } });
            rows.len() as u32 - 1
        })
    }

    /// Whether all bytes below a node leave a row where it is; no is said too often at first, as long as it is not worth
    /// finding out which bytes do.
    pub fn leaps(&mut self, arena: &mut Arena, trie: &Trie, node: u32, row: u32) -> Result<bool> {
        let Row { state, loops, .. } = &mut self.rows[row as usize];
        if let Loops::Unknown { passed } = loops {
            *passed += trie.end(node) - node;
            if *passed < LOOPS_FROM {
                return Ok(false);
            }
            let class = arena.ascii_onto(*state, *state)?.0;
            *loops = Loops::Known([class[0], class[1]]);
        }
        let Loops::Known([low, high]) = *loops else { return Ok(false) };
        Ok(trie.is_made_of(node, u128::from(low) | u128::from(high) << 64))
    }

    #[inline]
    pub fn step(&mut self, arena: &mut Arena, row: u32, byte: u8) -> Result<u32> {
        if let Some(entries) = self.entries.get(self.rows[row as usize].entries as usize) {
            match entries[usize::from(byte)] {
                NEW_ENTRY => {}
                NOWHERE_ENTRY => return Ok(NOWHERE),
                next => return Ok(next.into()),
            }
        }
        self.step_anew(arena, row, byte)
    }

    #[inline(never)]
    fn step_anew(&mut self, arena: &mut Arena, row: u32, byte: u8) -> Result<u32> {
        let from = self.rows[row as usize].state;
        let state = arena.derive(from, byte)?;
        let next = if state == EMPTY { NOWHERE } else { self.row(arena, state) };
        let Row { entries, met, .. } = &mut self.rows[row as usize];
        if let Some(entries) = self.entries.get_mut(*entries as usize) {
            let entry = match next {
                NOWHERE => Some(NOWHERE_ENTRY),
                next => u16::try_from(next).ok().filter(|&next| next < NOWHERE_ENTRY),
            };
            if let Some(entry) = entry {
                let (low, high) = arena.cuts(from).interval(byte);
                entries[usize::from(low)..=usize::from(high)].fill(entry);
            }
        } else if *met < ENTRIES_FROM {
            *met += 1;
        } else {
            *entries = self.entries.len() as u32;
            self.entries.push([NEW_ENTRY; 256]);
        }
        Ok(next)
    }
}

type Targets = SmallVec<[TermId; 2]>;

/// Leads of which every character may come and nothing else, and where those lead to.
type Leads = SmallVec<[(u64, Targets); 8]>;

/// What characters beyond ASCII do to some states: whatever these are, the bytes after a lead often mean the same.
#[derive(Default)]
struct Beyond {
    states: FxHashMap<TermId, Arc<Leads>>,
    /// By the state after a lead and the lead's place among the shapes.
    after: FxHashMap<(TermId, usize), Option<Targets>>,
}

impl Beyond {
    fn of(&mut self, arena: &mut Arena, state: TermId) -> Result<Arc<Leads>> {
        if let Some(known) = self.states.get(&state) {
            return Ok(known.clone());
        }
        let found = Arc::new(self.found(arena, state)?);
        self.states.insert(state, found.clone());
        Ok(found)
    }

    fn found(&mut self, arena: &mut Arena, state: TermId) -> Result<Leads> {
        let mut found = Leads::new();
        if let Some(next) = arena.any_next(state)? {
            found.push((ALL_LEADS, smallvec![next]));
            return Ok(found);
        }
        if !arena.may(state).meets(0xc2, 0xf4) {
            return Ok(found);
        }
        let cuts = arena.cuts(state);
        for (place, &(low, high, ..)) in SHAPES.iter().enumerate() {
            let mut lead = low;
            loop {
                let last = cuts.interval(lead).1.min(high);
                let inner = arena.derive(state, lead)?;
                if let Some(targets) = self.after(arena, inner, place)? {
                    let leads = (lead..=last).fold(0, |leads, byte| leads | 1 << (byte - 0xc0));
                    found.push((leads, targets));
                }
                if last == high {
                    break;
                }
                lead = last + 1;
            }
        }
        Ok(found)
    }

    fn after(&mut self, arena: &mut Arena, inner: TermId, place: usize) -> Result<Option<Targets>> {
        if inner == EMPTY {
            return Ok(None);
        }
        if let Some(known) = self.after.get(&(inner, place)) {
            return Ok(known.clone());
        }
        let (_, _, second_low, second_high, rest) = SHAPES[place];
        let mut layer = Some(smallvec![inner]);
        for depth in 0..=rest {
            let (low, high) = if depth == 0 { (second_low, second_high) } else { (0x80, 0xbf) };
            let Some(states) = layer.take() else { break };
            layer = arena.after_each(&states, low, high)?.filter(|next| next.len() <= MOST_STATES);
        }
        self.after.insert((inner, place), layer.clone());
        Ok(layer)
    }
}

impl Arena {
    /// Where the ASCII bytes lead.
    pub(crate) fn targets(&mut self, state: TermId) -> Result<SmallVec<[(TermId, ByteSet); 8]>> {
        let mut targets: SmallVec<[(TermId, ByteSet); 8]> = SmallVec::new();
        for (low, high, target) in self.moves_up_to(state, 0x7f)? {
            let bytes = ByteSet::range(low, high.min(0x7f));
            match targets.iter_mut().find(|(other, _)| *other == target) {
                Some((_, all)) => *all = all.union(&bytes),
                None => targets.push((target, bytes)),
            }
        }
        Ok(targets)
    }

    pub(crate) fn is_wide(&mut self, state: TermId) -> Result<bool> {
        if self.may(state).intersection(&ByteSet::range(0, 0x7f)).len() < WIDE_CLASS {
            return Ok(false);
        }
        Ok(self.live_ascii(state)?.len() >= WIDE_CLASS)
    }

    /// The ASCII bytes that may come.
    fn live_ascii(&mut self, state: TermId) -> Result<ByteSet> {
        let ascii = ByteSet::range(0, 0x7f);
        if self.any_next(state)?.is_some() {
            return Ok(self.live_bytes(state)?.intersection(&ascii));
        }
        let moves = self.moves_up_to(state, 0x7f)?;
        let live = moves.iter().fold(ByteSet::EMPTY, |all, &(low, high, _)| all.union(&ByteSet::range(low, high)));
        Ok(live.intersection(&ascii))
    }

    /// The leads all of whose characters lead to the one state.
    pub(crate) fn leads_onto(&mut self, head: TermId, onto: TermId) -> Result<u64> {
        let beyond = Beyond::default().of(self, head)?;
        let onto = beyond.iter().filter(|(_, targets)| targets[..] == [onto]);
        Ok(onto.fold(0, |all, (leads, _)| all | leads))
    }

    /// The states that the bytes lead to, if each of them leads somewhere, and no other byte does.
    fn after_each(&mut self, states: &[TermId], low: u8, high: u8) -> Result<Option<Targets>> {
        let mut targets = Targets::new();
        for &state in states {
            let mut next = Some(low);
            for (from, to, target) in self.moves(state)? {
                if next != Some(from) || to > high {
                    return Ok(None);
                }
                next = to.checked_add(1);
                targets.push(target);
            }
            if next != high.checked_add(1) {
                return Ok(None);
            }
        }
        targets.sort_unstable();
        targets.dedup();
        Ok(Some(targets))
    }

    pub(crate) fn lead_nowhere(&mut self, state: TermId, low: u8, high: u8) -> Result<bool> {
        if (low, high) == (0x80, 0xbf) && self.any_next(state)?.is_some() {
            return Ok(true);
        }
        if !self.may(state).meets(low, high) {
            return Ok(true);
        }
        let cuts = self.cuts(state);
        let mut byte = low;
        loop {
            if self.derive(state, byte)? != EMPTY {
                return Ok(false);
            }
            match cuts.interval(byte).1 {
                last if last >= high => return Ok(true),
                last => byte = last + 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::tests::everything;
    use crate::term::{Spelling, MANY};

    /// The same by derivatives, node by node.
    fn derived(arena: &mut Arena, trie: &Trie, node: u32, head: TermId, reach: &mut Reach) {
        for (byte, child) in trie.children(node) {
            let next = arena.derive_now(head, byte, true).unwrap();
            if next != EMPTY {
                reach.tokens.extend_from_slice(trie.tokens_at(child));
                if arena.info(next).nullable {
                    reach.exits.push(child);
                }
                derived(arena, trie, child, next, reach);
            }
        }
    }

    fn vocabulary() -> Vocabulary {
        let letters =
            ["a", "b", "c", "d", "m", "o", "x", "z", "0", "9", ".", "-", "_", " ", "\"", "\\", "n", "é", "€", "𝄞"];
        let mut state = 7u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut tokens: Vec<Option<Box<[u8]>>> = (0..=255u8).map(|byte| Some(vec![byte].into())).collect();
        for _ in 0..3_000 {
            let text: String = (0..1 + next(6)).map(|_| letters[next(letters.len())]).collect();
            tokens.push(Some(text.into_bytes().into()));
        }
        for text in ["ab_", "ab_c", "xab_d", "aab_m ", "ab_z", "foo", "xfoo", "afoob", " foo\"", "fo\\u006f"] {
            tokens.push(Some(text.as_bytes().into()));
        }
        let size = tokens.len();
        Vocabulary::new(tokens, vec![], vec![], size).unwrap()
    }

    #[test]
    fn states_share_a_region_that_keep_no_more_than_it_or_lead_back_to_its_head() {
        let arena = &mut Arena::new();
        let without = |arena: &mut Arena, left_out: &[u8]| {
            let mut kept = vec![(0x20, 0x10_ffff)];
            for &byte in left_out {
                let (low, high) = kept.pop().unwrap();
                kept.extend([(low, u32::from(byte) - 1), (u32::from(byte) + 1, high)]);
            }
            let one = arena.char_class(&kept).unwrap();
            arena.repeat(one, 0, MANY).unwrap()
        };
        let (plain, no_c, no_end) = (without(arena, b"#c"), without(arena, b"c"), without(arena, b"~"));
        let (any, end) = (arena.any_text().unwrap(), arena.class(ByteSet::range(b'~', b'~')).unwrap());
        // Texts without `c` but for what a mark begins: (that, whether another one may come, whether `c` may, who shares).
        let cases = [
            (any, false, true, false),
            (no_c, false, false, true),
            (arena.cat(no_end, end).unwrap(), true, true, true),
        ];
        for (begun, again, keeps_more, shares) in cases {
            let mark = arena.class(ByteSet::range(b'#', b'#')).unwrap();
            let marked = arena.cat(mark, begun).unwrap();
            let one = arena.cat(plain, marked).unwrap();
            let text = if again {
                let several = arena.repeat(one, 0, MANY).unwrap();
                arena.cat(several, plain).unwrap()
            } else {
                arena.alt(vec![one, plain]).unwrap()
            };
            let head = arena.quoted_state(text, Spelling::Body, false).unwrap();
            let marked = arena.derive(head, b'#').unwrap();
            let region = Region::of(arena, head).unwrap().unwrap();
            assert!(region.states.contains(&marked));
            assert!(region.class.contains(b'#') && !region.class.contains(b'c'));
            assert_eq!(arena.derive(marked, b'c').unwrap() != EMPTY, keeps_more);
            assert_eq!(region.sharing(arena).unwrap().contains(&marked), shares);
            let own = Region::of(arena, marked).unwrap().unwrap();
            assert_eq!(Arc::ptr_eq(&own, &region), shares);
            assert_eq!(own.class.contains(b'c'), keeps_more && !shares);
        }
    }

    #[test]
    fn regions_and_sweeps_find_what_derivatives_do() {
        let vocabulary = vocabulary();
        let mut arena = Arena::new();
        let arena = &mut arena;
        let any = arena.any_text().unwrap();
        let class = |arena: &mut Arena, bytes: &str| arena.class(ByteSet::of(bytes.bytes())).unwrap();
        let lower: String = ('a'..='z').collect();
        let search = |arena: &mut Arena, inner: &[TermId]| {
            let parts = [&[any], inner, &[any]].concat();
            parts.into_iter().rev().try_fold(crate::term::EPSILON, |rest, part| arena.cat(part, rest)).unwrap()
        };
        let (beginning, ending) = (arena.literal(b"ab_").unwrap(), class(arena, "cdefghijklm"));
        let found = search(arena, &[beginning, ending]);
        let excluded = arena.not(found).unwrap();
        let foo = arena.literal(b"foo").unwrap();
        let letter = class(arena, &lower);
        let more = class(arena, &format!("{lower}0123456789.-"));
        let (word, name) = (arena.repeat(letter, 1, MANY).unwrap(), arena.repeat(more, 1, MANY).unwrap());
        let space = class(arena, " ");
        let spaced = arena.cat(space, word).unwrap();
        let spaced = arena.repeat(spaced, 0, MANY).unwrap();
        let texts = [
            arena.and(vec![any, excluded]).unwrap(),
            search(arena, &[foo]),
            arena.cat(letter, name).unwrap(),
            arena.cat(word, spaced).unwrap(),
            arena.bounded(any, 3, MANY).unwrap(),
            arena.bounded(any, 2, 5).unwrap(),
            arena.bounded(found, 0, 9).unwrap(),
            any,
        ];
        let (mut regions, mut heads) = (0, 0);
        for text in texts {
            for free in [false, true] {
                let start = arena.quoted_state(text, Spelling::Body, free).unwrap();
                for before in ["", "a", "ab", "ab_", "f", "fo", "foo", "ab c", "é", "\\n"] {
                    let head = before.bytes().fold(start, |head, byte| arena.derive(head, byte).unwrap());
                    if head == EMPTY {
                        continue;
                    }
                    heads += 1;
                    let mut slow = Reach::of(&vocabulary);
                    derived(arena, &vocabulary.trie, 0, head, &mut slow);
                    let slow = everything(slow);
                    let mut walked = Reach::of(&vocabulary);
                    walked.walk(arena, &vocabulary.trie, 0, head).unwrap();
                    assert!(everything(walked) == slow, "walk {before:?} {:?}", arena.term(text));
                    if let Some(region) = Region::of(arena, head).unwrap() {
                        regions += 1;
                        let reach = region.reach(arena, &vocabulary, head).unwrap();
                        assert!(everything(reach) == slow, "region {before:?} {:?}", arena.term(text));
                    }
                    let ascii = arena.live_ascii(head).unwrap();
                    let live = arena.live_bytes(head).unwrap();
                    assert_eq!(ascii, live.intersection(&ByteSet::range(0, 0x7f)), "{before:?}");
                    let moves = arena.moves(head).unwrap();
                    for byte in 0..=255u8 {
                        let next = arena.derive_now(head, byte, true).unwrap();
                        assert_eq!(arena.derive(head, byte).unwrap(), next, "{byte} after {before:?}");
                        assert_eq!(live.contains(byte), next != EMPTY, "{byte} after {before:?}");
                        let moved = moves.iter().find(|&&(low, high, _)| low <= byte && byte <= high);
                        assert_eq!(moved.map_or(EMPTY, |&(_, _, target)| target), next, "{byte} after {before:?}");
                        let onto = arena.ascii_onto(head, next).unwrap();
                        assert_eq!(next != EMPTY && byte < 0x80, onto.contains(byte), "{byte} after {before:?}");
                        let nowhere = arena.lead_nowhere(head, byte, byte.saturating_add(9)).unwrap();
                        let reached =
                            |&(low, high, _): &(u8, u8, TermId)| low <= byte.saturating_add(9) && high >= byte;
                        assert_eq!(nowhere, !moves.iter().any(reached), "{byte} after {before:?}");
                    }
                }
            }
        }
        assert!(regions > 60 && heads > 100, "{regions} {heads}");
    }
}
