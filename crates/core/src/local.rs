//! Head × vocabulary → the tokens that stay inside the head, and the trie nodes at which it is at an end in mid-token.
//! It knows nothing of the frame, so it is kept under the hash of the term: what one grammar learned,
//! the next one has.

use crate::byteset::ByteSet;
use crate::chain::Chain;
use crate::error::Result;
use crate::exclusion::Exclusion;
use crate::exits::{Exits, Group, Groups};
use crate::region::Region;
use crate::table::{Row, Table, NARROW, NOWHERE};
use crate::targets::{majority, WIDE_CLASS};
use crate::term::{Arena, Hasher128, TermId, EMPTY, EPSILON};
use crate::trie::Trie;
use crate::vocabulary::{lock, Bits, Vocabulary};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::{Arc, Mutex};

/// Words of a mask and the bits to set in them, ascending.
pub type Words = Arc<[(u32, u32)]>;

/// A set of tokens, perhaps cut down to another.
#[derive(Clone)]
pub struct Part {
    pub bits: Bits,
    pub within: Option<Bits>,
}

impl Part {
    pub fn same(&self, other: &Part) -> bool {
        let within = match (&self.within, &other.within) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (one, two) => one.is_none() && two.is_none(),
        };
        within && Arc::ptr_eq(&self.bits, &other.bits)
    }

    pub fn word(&self, place: usize) -> u32 {
        self.bits[place] & self.within.as_ref().map_or(u32::MAX, |within| within[place])
    }

    pub fn words(&self) -> impl Iterator<Item = u32> + '_ {
        let within = self.within.as_deref();
        self.bits.iter().enumerate().map(move |(place, word)| word & within.map_or(u32::MAX, |within| within[place]))
    }
}

/// What one head does to the vocabulary.
#[derive(Clone)]
pub struct Local {
    pub(crate) dense: Option<Part>,
    pub(crate) core: Arc<Core>,
    /// Tokens for which all this may be wrong: they are replayed.
    pub(crate) asks: Arc<[u32]>,
    /// Nodes at and below which it may be: what the head does there is found out by itself.
    pub(crate) doubts: Arc<[u32]>,
    /// Whether it may end at some of these where the pieces do not.
    pub(crate) strays: bool,
}

/// What heads have in common that differ in a count, or in a few tokens.
pub(crate) struct Core {
    pub words: Words,
    /// Of the tokens, whether they are here or, spread, in the bits; None if the bits have more.
    pub hash: Option<u128>,
    /// Where the head is at an end and tokens go on; many nodes with little below each are merged.
    pub exits: Exits,
    /// All nodes at which the head is at an end.
    ends: Vec<u32>,
    /// What a head is short of that keeps reading characters of a class, if it is cut off at a count.
    bound: Option<Bound>,
}

/// Of what more than so many code points a token is made, longest first.
struct Bound {
    /// (code points, token that is more than characters of the class); not more than anyone will ask for.
    tokens: Vec<(u16, u32)>,
    /// (code points, node at which the head is at an end).
    places: Vec<(u16, u32)>,
}

/// The tokens of words of a mask.
pub(crate) fn tokens(words: impl Iterator<Item = (u32, u32)>) -> impl Iterator<Item = u32> {
    words.flat_map(|(word, mut bits)| {
        std::iter::from_fn(move || {
            let token = (bits != 0).then(|| word << 5 | bits.trailing_zeros());
            bits &= bits.wrapping_sub(1);
            token
        })
    })
}

/// Subtries merged into one, and what heads do below its nodes.
pub(crate) struct Forest {
    /// Of the nodes below which it was.
    pub hash: u128,
    pub trie: Trie,
    pub pieces: Pieces,
}

/// What a head does to the tokens below one node of a trie.
pub(crate) struct Piece {
    pub words: Words,
    /// Of the words.
    pub hash: u128,
    /// Nodes at which it is at an end and tokens go on.
    pub exits: Box<[u32]>,
    /// Whether it is at an end anywhere.
    pub ends: bool,
}

/// Pieces of one trie.
#[derive(Default)]
pub(crate) struct Pieces {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Under (node, hash of the head).
    pieces: FxHashMap<(u32, u128), Arc<Piece>>,
    bytes: usize,
}

/// Above this many ends, one merged walk is cheaper than one walk each.
const FOREST_FROM: usize = 12;

/// A subtrie of more nodes is not merged with others.
const LARGE_SUBTRIE: u32 = 1_000;

/// More places or tokens than this are not compared with a neighbour's: a walk is cheaper.
const DIFFERENCE_ROOM: usize = 4_000;

/// So many tokens are replayed rather than computed anew for each count.
const UP_TO_ROOM: usize = 64;

/// So many tokens are added to the bits of the others: a mask is written faster from one place than from two.
const MERGED_FROM: usize = 32;

/// A list of so many words is written more slowly than all words are copied.
const SPREAD_FROM: usize = 512;

/// More tokens than this are kept as bits.
const DENSE_FROM: usize = 1_000;

/// A larger subtrie is swept, if the head reads more than a few bytes.
const SWEEP_FROM: u32 = 12;

/// A subtrie of more nodes is looked at as a whole: a state that all its bytes leave as it is takes all its tokens.
const LEAP: u32 = 4;

/// More states than this are walked one by one.
const SWEEP_ROWS: usize = 512;

/// Bytes of pieces that one trie keeps before it starts afresh: in proportion to the trie, so that what bounds the tries
/// (`Vocabulary::locals`) bounds their pieces.
const PIECES_ROOM: std::ops::RangeInclusive<usize> = 64 << 10..=4 << 20;

impl Pieces {
    pub fn get(&self, arena: &mut Arena, trie: &Trie, node: u32, head: TermId) -> Result<Arc<Piece>> {
        let key = (node, arena.info(head).hash);
        if let Some(piece) = lock(&self.known).pieces.get(&key) {
            return Ok(piece.clone());
        }
        let mut reach = Reach::default();
        reach.walk(arena, trie, node, head)?;
        let ends = !reach.exits.is_empty();
        reach.exits.retain(|&node| trie.end(node) > node + 1);
        let words = sorted_words(reach.tokens);
        let piece = Arc::new(Piece { hash: hash_of(&words), words, exits: reach.exits.into(), ends });
        let mut known = lock(&self.known);
        if known.bytes > (4 * trie.memory_bytes()).clamp(*PIECES_ROOM.start(), *PIECES_ROOM.end()) {
            *known = Known::default();
        }
        known.bytes += 136 + piece.words.len() * 8 + piece.exits.len() * 4;
        known.pieces.insert(key, piece.clone());
        Ok(piece)
    }

    pub fn memory_bytes(&self) -> usize {
        lock(&self.known).bytes
    }
}

impl Local {
    pub fn memory_bytes(&self) -> usize {
        let core = &self.core;
        let shared = Arc::strong_count(core).max(1);
        let bound = core.bound.as_ref().map_or(0, |bound| (bound.tokens.len() + bound.places.len()) * 8);
        let lists = core.words.len() * 8 + core.ends.len() * 4 + bound;
        let own = core.exits.memory_bytes() + lists + size_of::<Core>();
        let dense = self.dense.as_ref().map_or(0, |part| 4 * part.bits.len() / Arc::strong_count(&part.bits));
        own / shared + dense + (self.asks.len() + self.doubts.len()) * 4 + size_of::<Local>()
    }

    /// The hash of its tokens, if they are all there is of it, but for what follows.
    pub(crate) fn hash(&self) -> Option<u128> {
        self.core.hash.filter(|_| self.asks.is_empty() && self.doubts.is_empty())
    }

    /// Every token that stays inside the head, or leaves it with its end.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = u32> + '_ {
        let dense = self.dense.iter().flat_map(|part| part.words().enumerate());
        tokens(dense.map(|(word, bits)| (word as u32, bits)).chain(self.core.words.iter().copied()))
    }

    /// Computed anew; `known` answers for heads that differ from this one in a few tokens.
    pub(crate) fn of(
        arena: &mut Arena,
        vocabulary: &Vocabulary,
        head: TermId,
        known: &mut dyn FnMut(&mut Arena, TermId) -> Result<Local>,
    ) -> Result<Local> {
        let mut reach = Reach::of(vocabulary);
        if reach.spell(arena, &vocabulary.trie, 0, head)? {
            return Ok(Local::from_reach(reach, vocabulary, false));
        }
        if let Some((near, most)) = arena.counted(head)? {
            if let Some(local) = Local::up_to(arena, vocabulary, near, most, known)? {
                return Ok(local);
            }
        }
        if let Some(exclusion) = Exclusion::of(arena, head)? {
            if let Some(local) = Local::beside(arena, vocabulary, head, exclusion.near, Some(&exclusion), known)? {
                return Ok(local);
            }
        }
        if arena.may(head).intersection(&ByteSet::range(0, 0x7f)).len() < WIDE_CLASS {
            reach.walk(arena, &vocabulary.trie, 0, head)?;
            return Ok(Local::from_reach(reach, vocabulary, false));
        }
        let chain = Chain::of(arena, head, vocabulary.longest)?;
        // What a chain leaves for another state that reads much belongs to a region with both.
        let region = match &chain {
            Some(chain) if !chain.opens(arena)? => None,
            _ => Region::of(arena, head)?.filter(|region| region.is_worth_it(vocabulary, chain.as_ref())),
        };
        let region = match region {
            None if chain.is_none() => {
                let one = Region::of_one(arena, head)?.filter(|region| region.is_worth_it(vocabulary, None));
                one.map(Arc::new)
            }
            region => region,
        };
        let endless = region.is_none() && chain.as_ref().is_some_and(Chain::is_endless);
        match (region, chain) {
            (Some(region), _) => reach = region.reach(arena, vocabulary, head)?,
            (None, Some(chain)) => reach = chain.reach(arena, vocabulary)?,
            (None, None) => {
                // The state that almost every character leads to and stays in.
                if let Some((near, _)) = majority(arena, head)?.filter(|&(near, _)| near != head) {
                    if Chain::of(arena, near, vocabulary.longest)?.is_some_and(|chain| chain.is_loop()) {
                        if let Some(local) = Local::beside(arena, vocabulary, head, near, None, known)? {
                            return Ok(local);
                        }
                    }
                }
                reach.walk(arena, &vocabulary.trie, 0, head)?;
            }
        }
        Ok(Local::from_reach(reach, vocabulary, endless))
    }

    pub(crate) fn from_reach(mut reach: Reach, vocabulary: &Vocabulary, endless: bool) -> Self {
        let bound = (endless && reach.many.is_empty()).then(|| Bound::of(&reach, vocabulary));
        if reach.dense.is_some() && reach.tokens.len() >= MERGED_FROM {
            reach.spill();
        }
        if !reach.many.is_empty() {
            reach.spill();
            let bits = std::mem::take(&mut reach.many);
            let bits = match &reach.dense {
                Some(part) => bits.into_iter().zip(part.words()).map(|(bits, word)| bits | word).collect(),
                None => bits.into(),
            };
            reach.dense = Some(Part { bits, within: None });
        }
        let mut dense = reach.dense.take();
        let (words, hash) = match dense {
            None => {
                let (words, bits, hash) = told(reach.tokens, vocabulary.mask_words());
                dense = bits.map(|bits| Part { bits, within: None });
                (words, Some(hash))
            }
            Some(_) => (sorted_words(reach.tokens), None),
        };
        let core = Core::of(words, hash, reach.exits, vocabulary, bound);
        let core = Arc::new(core);
        Local { dense, core, asks: Arc::default(), doubts: Arc::default(), strays: false }
    }

    /// What reads on forever, cut off at a count: all but the longest tokens with a special character are as they were.
    fn up_to(
        arena: &mut Arena,
        vocabulary: &Vocabulary,
        near: TermId,
        most: u32,
        known: &mut dyn FnMut(&mut Arena, TermId) -> Result<Local>,
    ) -> Result<Option<Local>> {
        let Local { dense, core, asks, doubts, strays } = known(arena, near)?;
        let (Some(Part { bits, within: None }), Some(bound)) = (dense, &core.bound) else { return Ok(None) };
        let mut asks: Vec<u32> = asks.to_vec();
        let above = |&&(chars, _): &&(u16, u32)| u32::from(chars) > most;
        asks.extend(bound.tokens.iter().take_while(above).map(|&(_, token)| token));
        for &(_, node) in bound.places.iter().take_while(above) {
            asks.extend_from_slice(vocabulary.trie.tokens_below(node));
            if asks.len() > UP_TO_ROOM {
                return Ok(None);
            }
        }
        if asks.len() > UP_TO_ROOM {
            return Ok(None);
        }
        let within = (most < vocabulary.longest).then(|| vocabulary.at_most(most));
        Ok(Some(Local { dense: Some(Part { bits, within }), core, asks: asks.into(), doubts, strays }))
    }

    /// The neighbour's, if the two differ in few tokens; the exclusion is all that tells them apart, if there is one.
    fn beside(
        arena: &mut Arena,
        vocabulary: &Vocabulary,
        head: TermId,
        near: TermId,
        exclusion: Option<&Exclusion>,
        known: &mut dyn FnMut(&mut Arena, TermId) -> Result<Local>,
    ) -> Result<Option<Local>> {
        let mut doubts = Vec::new();
        let mut room = DIFFERENCE_ROOM;
        let spelled = exclusion.is_some_and(|exclusion| exclusion.spelled(arena, &vocabulary.trie, &mut doubts));
        if !spelled
            && !difference(arena, &vocabulary.trie, 0, (head, near, exclusion.is_some()), &mut doubts, &mut room)?
        {
            return Ok(None);
        }
        let near = known(arena, near)?;
        doubts.extend_from_slice(&near.doubts);
        let strays = near.strays || !spelled;
        Ok(Some(Local { doubts: doubts.into(), strays, ..near }))
    }
}

impl Bound {
    fn of(reach: &Reach, vocabulary: &Vocabulary) -> Self {
        let chars = |token| vocabulary.chars(token) as u16;
        let mut tokens: Vec<_> = reach.tokens.iter().map(|&token| (chars(token), token)).collect();
        let begun = |node| chars(vocabulary.trie.token_from(node));
        let mut places: Vec<_> = reach.exits.iter().map(|&node| (begun(node), node)).collect();
        [&mut tokens, &mut places].into_iter().for_each(|found| found.sort_unstable_by(|a, b| b.cmp(a)));
        tokens.truncate(UP_TO_ROOM + 1);
        Bound { tokens, places }
    }
}

impl Core {
    fn of(words: Words, hash: Option<u128>, ends: Vec<u32>, vocabulary: &Vocabulary, bound: Option<Bound>) -> Self {
        let trie = &vocabulary.trie;
        // Large subtries stay as they are: what follows enters them by a few bytes only.
        let (mut small, mut exits) = (Vec::new(), SmallVec::new());
        for &node in &ends {
            match trie.end(node) - node {
                1 => {}
                size if size > LARGE_SUBTRIE => exits.push(node),
                _ => small.push(node),
            }
        }
        let mut groups = Groups::new();
        if small.len() >= FOREST_FROM {
            groups.push(Group::new(Some(vocabulary.forest(small)), &[0][..]));
        } else {
            exits.extend(small);
        }
        groups.push(Group::new(None, exits));
        Core { hash, words, exits: Exits::of(groups), ends, bound }
    }

    /// Tokens with which the head is at an end.
    pub fn ends<'a>(&'a self, trie: &'a Trie) -> impl Iterator<Item = u32> + 'a {
        self.ends.iter().flat_map(|&node| trie.tokens_at(node)).copied()
    }
}

/// Tokens and exits while they are collected.
#[derive(Default)]
pub(crate) struct Reach {
    pub dense: Option<Part>,
    pub exits: Vec<u32>,
    /// The states met, for all walks of one head.
    pub table: Table,
    pub tokens: Vec<u32>,
    /// The tokens as bits, once they are many: a list of all of them would touch more memory than all else does.
    many: Vec<u32>,
    /// How many words that takes; 0 where there is a list only.
    room: usize,
    /// The innermost last.
    open: Vec<Family>,
}

impl Reach {
    pub fn of(vocabulary: &Vocabulary) -> Self {
        Reach { room: vocabulary.mask_words(), ..Reach::default() }
    }

    pub fn take(&mut self, tokens: &[u32]) {
        if self.tokens.len() + tokens.len() > DENSE_FROM && self.room > 0 {
            self.spill();
            if tokens.len() > DENSE_FROM {
                tokens.iter().for_each(|&token| self.many[token as usize >> 5] |= 1 << (token & 31));
                return;
            }
        }
        self.tokens.extend_from_slice(tokens);
    }

    /// Words of a mask.
    pub fn add(&mut self, words: &Words) {
        if self.room > 0 && self.tokens.len() + words.len() >= MERGED_FROM {
            self.spill();
            words.iter().for_each(|&(word, set)| self.many[word as usize] |= set);
        } else {
            self.tokens.extend(tokens(words.iter().copied()));
        }
    }

    fn spill(&mut self) {
        if self.many.is_empty() {
            self.many = vec![0; self.room];
        }
        self.tokens.drain(..).for_each(|token| self.many[token as usize >> 5] |= 1 << (token & 31));
    }

    /// The head has come to a node.
    pub fn enter(&mut self, arena: &mut Arena, trie: &Trie, node: u32, head: TermId) -> Result<()> {
        self.take(trie.tokens_at(node));
        if arena.info(head).nullable {
            self.exits.push(node);
        }
        if head != EPSILON && trie.end(node) > node + 1 {
            self.walk(arena, trie, node, head)?;
        }
        Ok(())
    }

    /// The same of the vocabulary's trie for a head most of which does as another one does: that is known, or will be.
    pub fn enter_beside(
        &mut self,
        arena: &mut Arena,
        vocabulary: &Vocabulary,
        node: u32,
        head: TermId,
        other: TermId,
    ) -> Result<()> {
        let (trie, may) = (&vocabulary.trie, arena.may(head));
        if other == EMPTY || arena.info(head).nullable || may.len() >= WIDE_CLASS {
            return self.enter(arena, trie, node, head);
        }
        self.take(trie.tokens_at(node));
        for (byte, child) in trie.children_in(node, &may) {
            let next = arena.derive(head, byte)?;
            if next == EMPTY {
                continue;
            }
            arena.spend(1)?;
            if trie.end(child) - child > SWEEP_FROM && next == arena.derive(other, byte)? {
                let piece = vocabulary.pieces.get(arena, trie, child, next)?;
                if !piece.ends && !arena.info(next).nullable {
                    self.take(trie.tokens_at(child));
                    self.add(&piece.words);
                    continue;
                }
            }
            self.enter(arena, trie, child, next)?;
        }
        Ok(())
    }

    /// Everything below a node within one head.
    pub fn walk(&mut self, arena: &mut Arena, trie: &Trie, node: u32, head: TermId) -> Result<()> {
        if self.spell(arena, trie, node, head)? {
            return Ok(());
        }
        let may = arena.may(head);
        if trie.end(node) - node > SWEEP_FROM && may.len() > NARROW && self.table.rows.len() <= SWEEP_ROWS {
            return self.sweep(arena, trie, node, head);
        }
        for (byte, child) in trie.children_in(node, &may) {
            let next = arena.derive(head, byte)?;
            if next != EMPTY {
                arena.spend(1)?;
                self.enter(arena, trie, child, next)?;
            }
        }
        Ok(())
    }

    /// The same for a head that reads much.
    fn sweep(&mut self, arena: &mut Arena, trie: &Trie, node: u32, head: TermId) -> Result<()> {
        let ground = self.open.len();
        let row = self.table.row(arena, head);
        self.open.push(Family { left: trie.family(node), row });
        // Most nodes are entered: their tokens are taken in runs, up to the next node that is not. Nothing of that node is
        // looked at but its byte, which stands beside those of its siblings.
        let mut run = 0..0;
        'children: while self.open.len() > ground {
            let Some(Family { left, row }) = self.open.last_mut() else { break };
            let Some(place) = left.next() else {
                self.open.pop();
                continue;
            };
            let mut row = *row;
            let (mut byte, mut at) = trie.child_at(place);
            loop {
                let next = self.table.step(arena, row, byte)?;
                if next == NOWHERE {
                    continue 'children;
                }
                let Row { state, nullable, narrow, .. } = self.table.rows[next as usize];
                let end = trie.end(at);
                let below = end - at;
                if self.table.rows.len() > SWEEP_ROWS || state == EPSILON || below > SWEEP_FROM && narrow {
                    // So many states: each is met too seldom for a row of its own. Or it wants few of many children.
                    self.enter(arena, trie, at, state)?;
                    continue 'children;
                }
                arena.spend(1)?;
                if trie.tokens_before(at) != run.end {
                    self.take(trie.tokens_between(run.start, run.end));
                    run.start = trie.tokens_before(at);
                }
                run.end = trie.tokens_before(at + 1);
                if nullable {
                    self.exits.push(at);
                } else if next == row && below > LEAP && self.table.leaps(arena, trie, at, row)? {
                    run.end = trie.tokens_before(end);
                    continue 'children;
                }
                if below == 1 {
                    continue 'children;
                }
                if trie.end(at + 1) < end {
                    self.open.push(Family { left: trie.family(at), row: next });
                    continue 'children;
                }
                // An only child is the next node.
                at += 1;
                (byte, row) = (trie.byte(at), next);
            }
        }
        self.take(trie.tokens_between(run.start, run.end));
        Ok(())
    }
}

/// Children that a sweep has still to look at.
struct Family {
    left: std::ops::Range<usize>,
    /// The row of their parent.
    row: u32,
}

/// Collect the nodes at and below which `left` and `right` may part; false if they are too many to look at one by one.
/// `excluded`: whether `left` is `right` without some texts, which its term names.
fn difference(
    arena: &mut Arena,
    trie: &Trie,
    node: u32,
    (left, right, excluded): (TermId, TermId, bool),
    doubts: &mut Vec<u32>,
    room: &mut usize,
) -> Result<bool> {
    let apart = if excluded { arena.excluding(left) } else { None };
    let apart = apart.unwrap_or_else(|| arena.may(left).union(&arena.may(right)));
    for (byte, child) in trie.children_in(node, &apart) {
        let (l, r) = (arena.derive(left, byte)?, arena.derive(right, byte)?);
        if l == r {
            continue;
        }
        arena.spend(1)?;
        let dead = (l == EMPTY) != (r == EMPTY);
        let ended = arena.info(l).nullable != arena.info(r).nullable;
        match room.checked_sub(1) {
            Some(rest) => *room = rest,
            None => return Ok(false),
        }
        if dead || ended {
            doubts.push(child);
        } else if !difference(arena, trie, child, (l, r, excluded), doubts, room)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Tokens as the words of a mask of so many, or as all its bits if the words are many; and a hash of the tokens.
fn told(tokens: Vec<u32>, room: usize) -> (Words, Option<Bits>, u128) {
    let hash = hash_of_tokens(&tokens);
    if tokens.len() < SPREAD_FROM {
        return (sorted_words(tokens), None, hash);
    }
    let mut bits = vec![0; room];
    tokens.iter().for_each(|token| bits[*token as usize >> 5] |= 1 << (token & 31));
    match bits.iter().filter(|&&word| word != 0).count() {
        0..SPREAD_FROM => (sorted_words(tokens), None, hash),
        _ => (Words::default(), Some(bits.into()), hash),
    }
}

/// In any order: 0 if there are none.
fn hash_of_tokens(tokens: &[u32]) -> u128 {
    tokens.iter().fold(0, |all: u128, &token| all.wrapping_add(Hasher128::of(&[token])))
}

/// 0 if there are none.
pub(crate) fn hash_of(words: &[(u32, u32)]) -> u128 {
    let mut hash = Hasher128::new(words.len() as u64);
    words.iter().for_each(|&(word, bits)| hash.word(u64::from(word) << 32 | u64::from(bits)));
    if words.is_empty() {
        0
    } else {
        hash.finish()
    }
}

pub(crate) fn sorted_words(mut tokens: Vec<u32>) -> Words {
    tokens.sort_unstable();
    let mut words: Vec<(u32, u32)> = Vec::with_capacity(tokens.len());
    for token in tokens {
        match words.last_mut() {
            Some((word, set)) if *word == token >> 5 => *set |= 1 << (token & 31),
            _ => words.push((token >> 5, 1 << (token & 31))),
        }
    }
    words.into()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// All tokens and all exits, in order.
    pub(crate) fn everything(reach: Reach) -> (Vec<u32>, Vec<u32>) {
        let Reach { dense, tokens: mut list, mut exits, many, .. } = reach;
        list.extend(tokens(many.into_iter().enumerate().map(|(word, bits)| (word as u32, bits))));
        list.extend(tokens(
            dense.iter().flat_map(|part| part.words().enumerate()).map(|(word, bits)| (word as u32, bits)),
        ));
        list.sort_unstable();
        list.dedup();
        exits.sort_unstable();
        (list, exits)
    }
}
