//! Term → whether it matches anything: the question that keeps masks free of dead ends.

pub(crate) mod antichain;
pub(crate) mod required_bytes;
pub(crate) mod search;
pub(crate) mod uncounted;
pub(crate) mod witness;

use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::regular::arena::{Arena, DERIVATION};
use crate::regular::emptiness::search::Search;
use crate::regular::term::{Parts, Spelling, Term, TermId, EMPTY, MANY};
use smallvec::{smallvec, SmallVec};

/// Of so many bytes that may come a search looks at all: what is found out about their states will be asked for.
const FEW: u32 = 16;

/// 0 to 9.
const DIGITS: ByteSet = ByteSet([0x3ff << b'0', 0, 0, 0]);

/// Whether some so many digits after a remainder make a multiple: the least that would do is less than a power of ten.
fn completes(of: u32, rest: u32, digits: u32) -> bool {
    let Some(shift) = 10u64.checked_pow(digits) else { return true };
    let shifted = u128::from(shift) * u128::from(rest) % u128::from(of);
    let missing = (u128::from(of) - shifted) % u128::from(of);
    missing < u128::from(shift)
}

/// So many derivatives a search may take before it is another's turn, at first.
const TURN: usize = 256;

impl Arena {
    /// The term, or `EMPTY` if it matches nothing.
    pub(crate) fn checked(&mut self, id: TermId) -> Result<TermId> {
        Ok(if self.is_nonempty(id)? { id } else { EMPTY })
    }

    /// Known without a search, if it is known.
    pub(crate) fn plainly_live(&mut self, id: TermId) -> Option<bool> {
        if let Some(&live) = self.terms.nonempty.get(&id) {
            return Some(live);
        }
        match *self.term(id) {
            Term::Empty => Some(false),
            Term::And(ref parts) if !self.info(id).nullable => {
                if self.loses_few(parts) {
                    return Some(true);
                }
                let parts = Parts::from_slice(parts);
                if let Some(live) = self.holds_a_multiple(&parts) {
                    return Some(live);
                }
                self.lack_a_byte(&parts).then_some(false)
            }
            Term::Not(_) if !self.info(id).nullable => None,
            // Lengths without gaps: that the bounds meet was seen when the term was made.
            Term::Bounded { body, .. } if !self.info(id).nullable => {
                (self.info(body).exact && !self.info(body).searched).then_some(true)
            }
            _ => Some(true),
        }
    }

    /// Whether an intersection is plainly more texts than those that are left out of it: endlessly many, or some of each
    /// of so many lengths.
    fn loses_few(&self, parts: &[TermId]) -> bool {
        let (mut kept, mut lost) = (None, 0);
        for &part in parts {
            let few = match *self.term(part) {
                Term::Not(inner) => self.number(inner),
                _ => None,
            };
            match few {
                Some(few) => lost += few,
                None if kept.is_none() => kept = Some(part),
                None => return false,
            }
        }
        kept.is_some_and(|kept| {
            let info = self.info(kept);
            let lengths = info.max_chars.saturating_sub(info.min_chars) as usize;
            self.goes_on(kept) || info.exact && !info.searched && lengths >= lost
        })
    }

    /// Whether an intersection with a `Multiple` holds a text, where arithmetic says so: among all texts of so many
    /// digits there is one for each remainder, or for those below a power of ten. A search would try them all.
    fn holds_a_multiple(&mut self, parts: &[TermId]) -> Option<bool> {
        let of = parts.iter().find_map(|&part| self.divisor(part))?;
        let shortest = parts.iter().map(|&part| self.info(part).min_chars).max().unwrap_or(0);
        let mut remainders = SmallVec::<[(u32, u32); 2]>::new();
        for digits in shortest..=shortest.saturating_add(of.ilog10() + 1) {
            remainders.clear();
            if parts.iter().all(|&part| self.spells_digits(part, digits, &mut remainders))
                // Two divisors at once would have to agree: that is for a search.
                && remainders.windows(2).all(|pair| pair[0] == pair[1])
                && remainders.first().is_none_or(|&(of, rest)| completes(of, rest, digits))
            {
                return Some(true);
            }
        }
        // What has a number of digits that no multiple has is nothing, whatever comes behind them.
        let (mut least, mut most, mut wanted) = (0u32, MANY, None);
        for &part in parts {
            self.digit_run(part, &mut least, &mut most, &mut wanted)?;
        }
        let (of, rest) = wanted?;
        let last = most.min(least.saturating_add(of.ilog10() + 1));
        (!(least..=last).any(|digits| completes(of, rest, digits))).then_some(false)
    }

    /// How many digits a term begins with, before something else, and the multiple that they are; nothing if that is
    /// not plain.
    fn digit_run(
        &mut self,
        id: TermId,
        least: &mut u32,
        most: &mut u32,
        wanted: &mut Option<(u32, u32)>,
    ) -> Option<()> {
        match *self.term(id) {
            Term::Multiple { of, rest, point: false } if wanted.is_none() => *wanted = Some((of, rest)),
            Term::Repeat { body, min, max } if *self.class_of(body)? == DIGITS => {
                (*least, *most) = ((*least).max(min), (*most).min(max));
            }
            Term::And(ref parts) => {
                for part in Parts::from_slice(parts) {
                    self.digit_run(part, least, most, wanted)?;
                }
            }
            Term::Cat(left, right) => {
                let goes_on = self.first_bytes(right).meets(b'0', b'9');
                (!goes_on).then(|| self.digit_run(left, least, most, wanted))??;
            }
            _ => return None,
        }
        Some(())
    }

    fn class_of(&self, id: TermId) -> Option<&ByteSet> {
        match self.term(id) {
            Term::Class(set) => Some(set),
            _ => None,
        }
    }

    /// The divisor of a `Multiple` that a term begins with.
    fn divisor(&self, id: TermId) -> Option<u32> {
        match *self.term(id) {
            Term::Multiple { of, .. } => Some(of),
            Term::Cat(left, _) => self.divisor(left),
            Term::And(ref parts) | Term::Alt(ref parts) => parts.iter().find_map(|&part| self.divisor(part)),
            _ => None,
        }
    }

    /// Whether a term plainly holds all texts of so many digits, as far as the remainders that it asks for are met.
    fn spells_digits(&self, id: TermId, digits: u32, remainders: &mut SmallVec<[(u32, u32); 2]>) -> bool {
        match *self.term(id) {
            Term::Multiple { of, rest, .. } => {
                remainders.push((of, rest));
                true
            }
            Term::Repeat { body, min, max } => {
                (min..=max).contains(&digits) && self.class_of(body).is_some_and(|set| DIGITS.without(set).is_empty())
            }
            Term::Cat(left, right) => self.info(right).nullable && self.spells_digits(left, digits, remainders),
            Term::And(ref parts) => parts.iter().all(|&part| self.spells_digits(part, digits, remainders)),
            Term::Alt(ref parts) => parts.iter().any(|&part| {
                let before = remainders.len();
                let spells = self.spells_digits(part, digits, remainders);
                if !spells {
                    remainders.truncate(before);
                }
                spells
            }),
            _ => false,
        }
    }

    /// How many texts there are, of what is finite by its kind.
    fn number(&self, id: TermId) -> Option<usize> {
        match *self.term(id) {
            Term::Epsilon | Term::Literal { .. } => Some(1),
            Term::Words { low, high, .. } => Some((high - low) as usize),
            Term::Keys(set) => Some(self.registers.keys.count(set)),
            Term::Class(set) => Some(set.len() as usize),
            _ => None,
        }
    }

    /// Whether the operands of an intersection plainly have a text in common.
    fn agreed(&mut self, id: TermId) -> Result<bool> {
        let Term::And(ref parts) = *self.term(id) else { return Ok(false) };
        let parts = Parts::from_slice(parts);
        let mut witness = WitnessSearch::new(self);
        let (agreed, steps) = (witness.of(&parts), witness.steps);
        self.spend(steps.into())?;
        Ok(agreed)
    }

    /// Over derivatives until a state is known to be live. Neither order of a search is good for all terms: the hasty one
    /// is lost for millions of states where the other takes thousands, and the other keeps every state that it looks at.
    /// By turns that grow, both together take a few times as long as the better one. A third one looks whether there would
    /// be nothing even if nobody counted.
    pub(crate) fn is_nonempty(&mut self, start: TermId) -> Result<bool> {
        if let Some(live) = self.plainly_live(start) {
            return Ok(live);
        }
        // Once, not for every state of the search: it remembers nothing.
        if self.try_witnesses(start)? || self.agreed(start)? {
            self.terms.nonempty.insert(start, true, &mut self.budget);
            return Ok(true);
        }
        let many = self.first_bytes(start).len() > FEW;
        let mut searches: SmallVec<[Search; 2]> = smallvec![Search::new(self, start, many)];
        let (mut wider, mut wider_search) = (None, None);
        let mut most = TURN;
        loop {
            for search in &mut searches {
                if let Some(live) = search.go(self, most)? {
                    return Ok(live);
                }
            }
            if most == TURN {
                if many {
                    searches.push(Search::new(self, start, false));
                }
                wider = self.uncounted(start)?;
            }
            if let Some(term) = wider {
                let found = match self.plainly_live(term) {
                    Some(live) => Some(live),
                    None => wider_search.get_or_insert_with(|| Search::new(self, term, false)).go(self, most)?,
                };
                match found {
                    Some(false) => {
                        self.terms.nonempty.insert(start, false, &mut self.budget);
                        return Ok(false);
                    }
                    Some(true) => wider = None,
                    None => {}
                }
            }
            most = most.saturating_mul(2);
        }
    }

    /// How far a term is from its end, roughly: the bytes of a shortest text, where the operands of an intersection do
    /// not help each other. Whatever reads on in one of them is then a step forward.
    pub(crate) fn distance(&mut self, id: TermId) -> u32 {
        if let Some(&distance) = self.terms.distances.get(&id) {
            return distance;
        }
        let nullable = self.info(id).nullable;
        let distance = match *self.term(id) {
            _ if nullable => 0,
            Term::Literal { literal, position } => self.terms.literals[literal as usize].len() as u32 - position,
            Term::Words { set, low, high, depth } => {
                let words = &self.terms.word_sets[set as usize].words[low as usize..high as usize];
                words.iter().map(|word| word.len() as u32 - depth).min().unwrap_or(0)
            }
            Term::Cat(..) => {
                // Each end of the chain will be asked for.
                let (mut chain, mut rest) = (Vec::new(), id);
                while let Term::Cat(left, right) = *self.term(rest) {
                    if self.terms.distances.get(&rest).is_some() {
                        break;
                    }
                    chain.push((rest, left));
                    rest = right;
                }
                let mut all = self.distance(rest);
                for (end, left) in chain.into_iter().rev() {
                    all = if self.info(end).nullable { 0 } else { self.distance(left).saturating_add(all) };
                    if end != id {
                        self.terms.distances.insert(end, all, &mut self.budget);
                    }
                }
                all
            }
            Term::Alt(ref parts) => {
                let parts = Parts::from_slice(parts);
                parts.iter().map(|&part| self.distance(part)).min().unwrap_or(0)
            }
            Term::And(ref parts) => {
                let parts = Parts::from_slice(parts);
                parts.iter().fold(0, |all: u32, &part| all.saturating_add(self.distance(part)))
            }
            Term::Repeat { body, min, .. } => self.distance(body).saturating_mul(min),
            Term::Bounded { body, min, .. } => self.distance(body).max(min),
            Term::Quoted { text, state: Spelling::Body, .. } => self.distance(text).saturating_add(1),
            _ => 1,
        };
        self.terms.distances.insert(id, distance, &mut self.budget);
        distance
    }

    /// Whether the regular term matches exactly these bytes.
    pub fn matches(&mut self, mut id: TermId, data: &[u8]) -> Result<bool> {
        for &byte in data {
            id = self.derive(id, byte)?;
        }
        Ok(self.info(id).nullable)
    }

    /// All texts of a regular term, shortest first, or None if there are more than `limit`.
    pub fn enumerate(&mut self, id: TermId, limit: usize) -> Result<Option<Vec<Vec<u8>>>> {
        if self.is_cofinite(id) {
            return Ok(None);
        }
        let mut texts = Vec::new();
        let mut layer = vec![(Vec::new(), id)];
        while !layer.is_empty() {
            let mut next_layer = Vec::new();
            for (text, id) in layer {
                if self.info(id).nullable {
                    texts.push(text.clone());
                }
                // Every prefix in a layer leads to a text of its own.
                if texts.len() + next_layer.len() > limit {
                    return Ok(None);
                }
                let (mut text, may) = (text, self.first_bytes(id));
                let mut left = may.len();
                for byte in may.iter() {
                    left -= 1;
                    let next = self.derive(id, byte)?;
                    if next != EMPTY {
                        // A text takes memory, whatever its derivatives cost. The last to go on from it takes it over.
                        let mut longer: Vec<u8> = if left == 0 {
                            self.spend(4 * DERIVATION)?;
                            std::mem::take(&mut text)
                        } else {
                            self.spend(4 * DERIVATION + text.len() as u64 / 16)?;
                            text.clone()
                        };
                        longer.push(byte);
                        next_layer.push((longer, next));
                        if texts.len() + next_layer.len() > limit {
                            return Ok(None);
                        }
                    }
                }
            }
            layer = next_layer;
        }
        Ok(Some(texts))
    }
}

/// What of a term is still to be read, the next thing first: the place of a cell, or `END`.
type Ahead = u32;
const END: Ahead = Ahead::MAX;

#[derive(Clone, Copy)]
struct Cell {
    id: TermId,
    /// What was read of it: bytes of a literal, or rounds of a repetition.
    read: u32,
    after: Ahead,
}

/// More steps are not taken: the search by derivatives remembers what it learns.
const WITNESS_STEPS: u32 = 256;

/// Looks for a text that all operands of an intersection have, without a term for each of its beginnings.
struct WitnessSearch<'a> {
    arena: &'a Arena,
    cells: Vec<Cell>,
    steps: u32,
}

impl<'a> WitnessSearch<'a> {
    fn new(arena: &'a Arena) -> Self {
        WitnessSearch { arena, cells: Vec::with_capacity(64), steps: 0 }
    }

    fn of(&mut self, parts: &[TermId]) -> bool {
        let plain =
            |&part: &TermId| !matches!(self.arena.term(part), Term::And(_) | Term::Not(_) | Term::Bounded { .. });
        parts.iter().all(plain) && {
            let all = parts.iter().map(|&part| self.put(part, 0, END)).collect();
            self.agree(all)
        }
    }

    fn put(&mut self, id: TermId, read: u32, after: Ahead) -> Ahead {
        self.cells.push(Cell { id, read, after });
        self.cells.len() as Ahead - 1
    }

    fn next(&self, ahead: Ahead) -> Option<Cell> {
        self.cells.get(ahead as usize).copied()
    }

    /// Whether there is one, as far as can be seen: what else there may be is not looked for.
    fn agree(&mut self, mut all: SmallVec<[Ahead; 4]>) -> bool {
        loop {
            self.steps += 1;
            if self.steps > WITNESS_STEPS {
                return false;
            }
            all.iter_mut().for_each(|ahead| *ahead = self.flat(*ahead));
            // Every term that was made has a text, and so has what is left of it.
            if all[1..].iter().all(|&ahead| self.alike(ahead, all[0])) {
                return true;
            }
            let next = |ahead: Ahead| self.next(ahead).map(|cell| (cell.id, cell.read));
            if all[0] != END && all[1..].iter().all(|&ahead| next(ahead) == next(all[0])) {
                all.iter_mut().for_each(|ahead| *ahead = self.cells[*ahead as usize].after);
                continue;
            }
            let mut bytes = ByteSet::FULL;
            let mut ended = 0;
            for place in 0..all.len() {
                let Some(cell) = self.next(all[place]) else {
                    ended += 1;
                    continue;
                };
                let first = match *self.arena.term(cell.id) {
                    Term::Class(set) => set,
                    Term::Literal { literal, position } => {
                        let byte = self.arena.terms.literals[literal as usize][(position + cell.read) as usize];
                        ByteSet::range(byte, byte)
                    }
                    _ => match self.ways(cell) {
                        Some(ways) => {
                            return ways.into_iter().any(|way| {
                                let mut all = all.clone();
                                all[place] = way;
                                self.agree(all)
                            })
                        }
                        None => return false,
                    },
                };
                bytes = bytes.intersection(&first);
            }
            if ended > 0 || bytes.is_empty() {
                return ended == all.len();
            }
            for ahead in &mut all {
                let Some(Cell { id, read, after }) = self.next(*ahead) else { continue };
                *ahead = match *self.arena.term(id) {
                    Term::Literal { literal, position }
                        if self.arena.terms.literals[literal as usize].len() as u32 > position + read + 1 =>
                    {
                        self.put(id, read + 1, after)
                    }
                    _ => after,
                };
            }
        }
    }

    /// The same with a term first that is no concatenation.
    fn flat(&mut self, mut ahead: Ahead) -> Ahead {
        while let Some(Cell { id, after, .. }) = self.next(ahead) {
            ahead = match *self.arena.term(id) {
                Term::Cat(left, right) => {
                    let after = self.put(right, 0, after);
                    self.put(left, 0, after)
                }
                Term::Epsilon => after,
                _ => break,
            };
        }
        ahead
    }

    fn alike(&self, mut one: Ahead, mut other: Ahead) -> bool {
        while one != other {
            match (self.next(one), self.next(other)) {
                (Some(left), Some(right)) if (left.id, left.read) == (right.id, right.read) => {
                    (one, other) = (left.after, right.after);
                }
                _ => return false,
            }
        }
        true
    }

    /// What a term may be read as, the shortest first; None if it cannot be taken apart.
    fn ways(&mut self, Cell { id, read, after }: Cell) -> Option<SmallVec<[Ahead; 4]>> {
        let arena = self.arena;
        Some(match *arena.term(id) {
            Term::Alt(ref parts) => parts.iter().map(|&part| self.put(part, 0, after)).collect(),
            Term::Repeat { body, min, max } => {
                let mut again = || {
                    let more = self.put(id, read + 1, after);
                    self.put(body, 0, more)
                };
                match () {
                    () if read < min => smallvec![again()],
                    () if max == MANY || read < max => smallvec![after, again()],
                    () => smallvec![after],
                }
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_witness_is_found_only_where_there_is_one() {
        let mut arena = Arena::new();
        let arena = &mut arena;
        let digit = arena.class(ByteSet::range(b'0', b'9')).unwrap();
        let letter = arena.class(ByteSet::range(b'a', b'z')).unwrap();
        let (two, three) = (arena.repeat(digit, 2, 2).unwrap(), arena.repeat(digit, 3, 3).unwrap());
        let digits = arena.repeat(digit, 0, MANY).unwrap();
        let twelve = arena.literal(b"12").unwrap();
        let ways = ["x7", "y8", "12"].map(|way| arena.literal(way.as_bytes()).unwrap());
        let some = arena.alt(ways.to_vec()).unwrap();
        let named = arena.cat(letter, digits).unwrap();
        let doubled = arena.cat(twelve, twelve).unwrap();
        let tailed = arena.cat(digits, twelve).unwrap();
        let cases = [
            (vec![two, twelve], true),
            (vec![two, three], false),
            (vec![some, named], true),
            (vec![some, two], true),
            (vec![some, three], false),
            (vec![digits, doubled, tailed], true),
            (vec![named, tailed], false),
            (vec![two, some, twelve], true),
        ];
        for (place, (parts, agreed)) in cases.into_iter().enumerate() {
            assert_eq!(WitnessSearch::new(arena).of(&parts), agreed, "{place}");
            let both = arena.and(parts).unwrap();
            assert_eq!(both != EMPTY, agreed, "{place}");
        }
    }

    #[test]
    fn what_loses_few_texts_is_live_and_what_loses_all_is_not() {
        let mut arena = Arena::new();
        let class = arena.class(ByteSet::of(b"ab".iter().copied())).unwrap();
        let all: Vec<&[u8]> = vec![b"a", b"aa", b"ab", b"b", b"ba", b"bb"];
        let kept = arena.repeat(class, 1, 2).unwrap();
        for subset in 0..1u32 << all.len() {
            let lost = (0..all.len()).filter(|&at| subset >> at & 1 == 1).map(|at| all[at].into()).collect();
            let words = arena.words(lost).unwrap();
            let others = arena.not(words).unwrap();
            let left = arena.and(vec![kept, others]).unwrap();
            assert_eq!(left == EMPTY, subset + 1 == 1 << all.len(), "{subset:b}");
        }
    }
}
