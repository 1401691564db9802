//! Parts → terms in normal form (Owens, Reppy, Turon: *Regular-expression derivatives re-examined*, 2009): what means the
//! same is the same term as often as can be seen at a glance, so that equal states meet.

use super::{is_lead, Arena, Hasher128, Info, Spelling, Term, TermId, WordSet, EMPTY, EPSILON, MANY, TOP};
use crate::byteset::ByteSet;
use crate::error::Result;
use crate::keyset::NO_KEYS;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Of more words than this only what all words of their set have in common is asked.
const MANY_WORDS: usize = 64;

/// Longer beginnings are not compared with what another alternative repeats.
const COVERED_PARTS: usize = 8;

impl Arena {
    pub fn class(&mut self, set: ByteSet) -> Result<TermId> {
        if set.is_empty() {
            return Ok(EMPTY);
        }
        let mut hash = Hasher128::new(3);
        set.0.iter().for_each(|&word| hash.word(word));
        let ascii = set.0[2] == 0 && set.0[3] == 0;
        // The bytes of the third word, and no others, go on with a character (`is_lead`).
        let starts = set.0[0] | set.0[1] | set.0[3] != 0;
        let inner = set.0[2] != 0;
        self.intern(Term::Class(set), hash.finish(), |_| Info {
            hash: 0,
            nullable: false,
            structural: false,
            utf8: ascii,
            searched: false,
            counts: false,
            depth: 0,
            min_chars: u32::from(!inner),
            max_chars: u32::from(starts),
            exact: true,
        })
    }

    pub fn literal(&mut self, data: &[u8]) -> Result<TermId> {
        match data {
            [] => Ok(EPSILON),
            [byte] => self.class(ByteSet::range(*byte, *byte)),
            _ => {
                if let Some(id) = self.by_hash(literal_hash(data)) {
                    return Ok(id);
                }
                self.budget.grow(data.len() + 24);
                self.literals.push(data.into(), &mut self.budget);
                self.literal_rest(self.literals.len() as u32 - 1, 0)
            }
        }
    }

    pub(crate) fn literal_rest(&mut self, literal: u32, position: u32) -> Result<TermId> {
        let data = self.literals[literal as usize].clone();
        let rest = &data[position as usize..];
        match rest {
            [] => Ok(EPSILON),
            [byte] => self.class(ByteSet::range(*byte, *byte)),
            _ => self.intern(Term::Literal { literal, position }, literal_hash(rest), |_| {
                let chars = rest.iter().filter(|&&byte| is_lead(byte)).count() as u32;
                Info {
                    hash: 0,
                    nullable: false,
                    structural: false,
                    utf8: std::str::from_utf8(rest).is_ok(),
                    searched: false,
                    counts: false,
                    depth: 0,
                    min_chars: chars,
                    max_chars: chars,
                    exact: true,
                }
            }),
        }
    }

    /// One of many words; sorted here, duplicates dropped.
    pub fn words(&mut self, mut words: Vec<Box<[u8]>>) -> Result<TermId> {
        words.sort_unstable();
        words.dedup();
        if words.len() <= 1 {
            return words.first().map_or(Ok(EMPTY), |word| self.literal(word));
        }
        let mut hash = Hasher128::new(5);
        words.iter().for_each(|word| hash.bytes(word));
        let high = words.len() as u32;
        self.budget.grow(words.iter().map(|word| word.len() + 24).sum::<usize>() + 64);
        let utf8 = words.iter().all(|word| std::str::from_utf8(word).is_ok());
        let most = words.iter().map(|word| chars(word)).max().unwrap_or(0);
        self.word_sets.push(WordSet { words: words.into(), hash: hash.finish(), utf8, most }, &mut self.budget);
        self.words_rest(self.word_sets.len() as u32 - 1, 0, high, 0)
    }

    pub(crate) fn words_rest(&mut self, set: u32, low: u32, high: u32, depth: u32) -> Result<TermId> {
        let WordSet { words, hash: set_hash, utf8, most } = self.word_sets[set as usize].clone();
        match high - low {
            0 => return Ok(EMPTY),
            1 => return self.literal(&words[low as usize][depth as usize..]),
            _ => {}
        }
        let mut hash = Hasher128::new(6);
        hash.wide(set_hash);
        hash.word(u64::from(low) << 32 | u64::from(high));
        hash.word(u64::from(depth));
        self.intern(Term::Words { set, low, high, depth }, hash.finish(), |_| {
            let all = &words[low as usize..high as usize];
            let nullable = all[0].len() == depth as usize;
            let rests = || all.iter().map(|word| &word[depth as usize..]);
            // The words share their first `depth` bytes: where one is between two characters, all are.
            let few = all.len() <= MANY_WORDS;
            let between = rests().find_map(|rest| rest.first()).is_none_or(|&byte| is_lead(byte));
            Info {
                hash: 0,
                nullable,
                structural: false,
                utf8: if utf8 { between } else { few && rests().all(|rest| std::str::from_utf8(rest).is_ok()) },
                searched: false,
                counts: false,
                depth: 0,
                min_chars: if few { rests().map(chars).min().unwrap_or(0) } else { 0 },
                max_chars: if few { rests().map(chars).max().unwrap_or(0) } else { most },
                exact: false,
            }
        })
    }

    /// One of the keys of a set; all of them are UTF-8.
    pub(crate) fn key_set(&mut self, set: u32) -> Result<TermId> {
        if set == NO_KEYS {
            return Ok(EMPTY);
        }
        let rests = self.keys.rests(set);
        let nullable = self.keys.has_empty(set);
        if nullable && rests.is_empty() {
            return Ok(EPSILON);
        }
        // The keys share what was read of them: where one is between two characters, all are.
        let between = nullable || rests.iter().all(|&(byte, _)| is_lead(byte));
        let mut hash = Hasher128::new(14);
        hash.wide(self.keys.hash(set));
        self.intern(Term::Keys(set), hash.finish(), |arena| {
            let (min_chars, max_chars) = arena.keys.chars(set);
            Info {
                hash: 0,
                nullable,
                structural: false,
                utf8: between,
                searched: false,
                counts: false,
                depth: 0,
                min_chars,
                max_chars,
                exact: false,
            }
        })
    }

    /// One code point of the inclusive ranges, as UTF-8.
    pub fn char_class(&mut self, ranges: &[(u32, u32)]) -> Result<TermId> {
        use regex_syntax::utf8::Utf8Sequences;
        let mut by_tail: FxHashMap<Vec<(u8, u8)>, ByteSet> = FxHashMap::default();
        for &(low, high) in ranges {
            for (low, high) in [(low, high.min(0xd7ff)), (low.max(0xe000), high.min(0x10_ffff))] {
                let (Some(low), Some(high)) = (char::from_u32(low), char::from_u32(high)) else { continue };
                if low > high {
                    continue;
                }
                for sequence in Utf8Sequences::new(low, high) {
                    let pairs: Vec<(u8, u8)> = sequence.as_slice().iter().map(|r| (r.start, r.end)).collect();
                    let heads = by_tail.entry(pairs[1..].to_vec()).or_default();
                    *heads = heads.union(&ByteSet::range(pairs[0].0, pairs[0].1));
                }
            }
        }
        let mut sequences: Vec<_> = by_tail.into_iter().collect();
        sequences.sort_by(|a, b| a.0.cmp(&b.0));
        let mut parts = Vec::with_capacity(sequences.len());
        for (tail, heads) in sequences {
            let mut rest = EPSILON;
            for &(low, high) in tail.iter().rev() {
                let class = self.class(ByteSet::range(low, high))?;
                rest = self.cat(class, rest)?;
            }
            let head = self.class(heads)?;
            parts.push(self.cat(head, rest)?);
        }
        let id = self.alt(parts)?;
        if !self.info(id).utf8 {
            self.nodes.get_mut(id.0 as usize).info.utf8 = true;
        }
        Ok(id)
    }

    pub fn any_text(&mut self) -> Result<TermId> {
        if let Some(id) = self.any_text {
            return Ok(id);
        }
        let any = self.char_class(&[(0, 0x10_ffff)])?;
        let id = self.repeat(any, 0, MANY)?;
        self.any_text = Some(id);
        Ok(id)
    }

    pub fn cat(&mut self, left: TermId, right: TermId) -> Result<TermId> {
        if left == EMPTY || right == EMPTY {
            return Ok(EMPTY);
        }
        if left == EPSILON {
            return Ok(right);
        }
        if right == EPSILON {
            return Ok(left);
        }
        if let Term::Cat(..) = self.term(left) {
            // One by one from the right: a chain may be longer than a stack is deep.
            let mut parts = Vec::new();
            let mut last = left;
            while let Term::Cat(a, b) = *self.term(last) {
                parts.push(a);
                last = b;
            }
            self.spend(parts.len() as u64)?;
            let mut rest = self.cat(last, right)?;
            for &part in parts.iter().rev() {
                rest = self.cat(part, rest)?;
            }
            return Ok(rest);
        }
        let mut hash = Hasher128::new(7);
        hash.wide(self.info(left).hash);
        hash.wide(self.info(right).hash);
        self.intern(Term::Cat(left, right), hash.finish(), |arena| {
            let (l, r) = (arena.info(left), arena.info(right));
            let narrow = l.exact && r.exact;
            Info {
                hash: 0,
                nullable: l.nullable && r.nullable,
                structural: l.structural || r.structural,
                utf8: l.utf8 && r.utf8,
                searched: l.searched || r.searched,
                counts: false,
                // Long concatenations lean right. A step looks into the right side only if the left one may be empty.
                depth: 1 + if l.nullable { l.depth.max(r.depth) } else { l.depth },
                min_chars: l.min_chars.saturating_add(r.min_chars),
                max_chars: l.max_chars.saturating_add(r.max_chars),
                exact: narrow,
            }
        })
    }

    pub fn alt(&mut self, parts: Vec<TermId>) -> Result<TermId> {
        let mut flat: Vec<TermId> = Vec::with_capacity(parts.len());
        let mut bytes = ByteSet::EMPTY;
        let mut stack = parts;
        while let Some(part) = stack.pop() {
            match self.term(part) {
                Term::Empty => {}
                Term::Alt(inner) => stack.extend(inner.iter().copied()),
                Term::Class(set) => bytes = bytes.union(set),
                _ if part == TOP => return Ok(TOP),
                _ => flat.push(part),
            }
        }
        if !bytes.is_empty() {
            flat.push(self.class(bytes)?);
        }
        self.spend(flat.len() as u64 / 2)?;
        flat.sort_unstable();
        flat.dedup();
        if flat.len() > 1 {
            if let Some(any) = self.any_text.filter(|any| flat.binary_search(any).is_ok()) {
                flat.retain(|&part| part == any || !self.info(part).utf8 || self.info(part).structural);
            }
            if flat.contains(&EPSILON) && flat.iter().any(|&part| part != EPSILON && self.info(part).nullable) {
                flat.retain(|&part| part != EPSILON);
            }
        }
        self.drop_covered(&mut flat);
        self.merge_words(&mut flat)?;
        self.merge_counts(&mut flat)?;
        match flat[..] {
            [] => return Ok(EMPTY),
            [one] => return Ok(one),
            _ => {}
        }
        let hash = self.hash_set(8, &flat);
        self.intern(Term::Alt(flat.clone().into()), hash, |arena| {
            let infos = || flat.iter().map(|&part| arena.info(part));
            let mut spans: Vec<_> = infos().map(|info| (info.min_chars, info.max_chars)).collect();
            spans.sort_unstable();
            let mut reach = spans[0].1;
            let mut joined = infos().all(|info| info.exact);
            for &(low, high) in &spans[1..] {
                joined &= low <= reach.saturating_add(1);
                reach = reach.max(high);
            }
            Info {
                hash: 0,
                nullable: infos().any(|info| info.nullable),
                structural: infos().any(|info| info.structural),
                utf8: infos().all(|info| info.utf8),
                searched: infos().any(|info| info.searched),
                counts: false,
                depth: 1 + infos().map(|info| info.depth).max().unwrap_or(0),
                min_chars: spans[0].0,
                max_chars: reach,
                exact: joined,
            }
        })
    }

    /// What begins with bytes of a class and goes on as another alternative does, of which these bytes are a beginning,
    /// too, adds nothing: `[a-z]{1,3}[a-z./]*` beside `[a-z./]*`. A state for each of its counts would.
    fn drop_covered(&self, flat: &mut Vec<TermId>) {
        for place in (0..flat.len()).rev() {
            let Some(&all) = flat.get(place).filter(|_| flat.len() > 1) else { continue };
            let (first, rest) = match *self.term(all) {
                Term::Cat(first, rest) => (first, rest),
                _ => (all, EPSILON),
            };
            let Term::Repeat { body, min: 0, max: MANY } = *self.term(first) else { continue };
            let Term::Class(class) = *self.term(body) else { continue };
            if !self.info(all).structural {
                flat.retain(|&part| part == all || !self.is_covered(part, class, all, rest));
            }
        }
    }

    /// Whether it is bytes of a class and then one of two terms.
    fn is_covered(&self, mut part: TermId, class: ByteSet, all: TermId, rest: TermId) -> bool {
        for _ in 0..COVERED_PARTS {
            if part == all || part == rest {
                return true;
            }
            let (first, after) = match *self.term(part) {
                Term::Cat(first, after) => (first, after),
                _ => (part, EPSILON),
            };
            let within = match *self.term(first) {
                Term::Repeat { body, .. } => self.term(body),
                ref first => first,
            };
            match within {
                Term::Class(set) if set.without(&class).is_empty() => part = after,
                _ => return false,
            }
        }
        false
    }

    /// Many literals side by side are one sorted set.
    fn merge_words(&mut self, flat: &mut Vec<TermId>) -> Result<()> {
        let is_literal = |arena: &Self, id: TermId| matches!(arena.term(id), Term::Literal { .. });
        if flat.iter().filter(|&&part| is_literal(self, part)).count() < 4 {
            return Ok(());
        }
        let mut words = Vec::new();
        for &part in flat.iter() {
            if let Term::Literal { literal, position } = *self.term(part) {
                words.push(self.literals[literal as usize][position as usize..].into());
            }
        }
        flat.retain(|&part| !is_literal(self, part));
        flat.push(self.words(words)?);
        flat.sort_unstable();
        Ok(())
    }

    /// Repetitions of one body before one rest are one, where their counts touch. Nested counts would else make an
    /// alternative for each place where an inner one may have ended.
    fn merge_counts(&mut self, flat: &mut Vec<TermId>) -> Result<()> {
        let counted = |arena: &Self, id: TermId| {
            let (first, rest) = match *arena.term(id) {
                Term::Cat(first, rest) => (first, rest),
                _ => (id, EPSILON),
            };
            match *arena.term(first) {
                Term::Repeat { body, min, max } if !arena.info(id).structural => Some((body, rest, min, max)),
                _ => None,
            }
        };
        let mut counts: SmallVec<[_; 8]> = flat.iter().filter_map(|&part| counted(self, part)).collect();
        if counts.len() < 2 {
            return Ok(());
        }
        counts.sort_unstable();
        let touch = |a: &(TermId, TermId, u32, u32), b: &(TermId, TermId, u32, u32)| {
            (a.0, a.1) == (b.0, b.1) && b.2 <= a.3.saturating_add(1)
        };
        if !counts.windows(2).any(|pair| touch(&pair[0], &pair[1])) {
            return Ok(());
        }
        flat.retain(|&part| counted(self, part).is_none());
        let mut open = counts[0];
        for next in counts.drain(1..).map(Some).chain([None]).collect::<SmallVec<[_; 8]>>() {
            match next {
                Some(next) if touch(&open, &next) => open.3 = open.3.max(next.3),
                _ => {
                    let (body, rest, min, max) = open;
                    let repeated = self.repeat(body, min, max)?;
                    flat.push(self.cat(repeated, rest)?);
                    open = next.unwrap_or(open);
                }
            }
        }
        flat.sort_unstable();
        flat.dedup();
        Ok(())
    }

    fn hash_set(&self, kind: u64, parts: &[TermId]) -> u128 {
        let mut hashes: SmallVec<[u128; 8]> = parts.iter().map(|&part| self.info(part).hash).collect();
        hashes.sort_unstable();
        let mut hash = Hasher128::new(kind);
        hashes.iter().for_each(|&part| hash.wide(part));
        hash.finish()
    }

    pub fn and(&mut self, parts: Vec<TermId>) -> Result<TermId> {
        let id = self.and_unchecked(parts)?;
        self.checked(id)
    }

    pub(crate) fn and_unchecked(&mut self, parts: Vec<TermId>) -> Result<TermId> {
        let mut flat: Vec<TermId> = Vec::with_capacity(parts.len());
        let mut stack = parts;
        while let Some(part) = stack.pop() {
            match self.term(part) {
                Term::Empty => return Ok(EMPTY),
                Term::And(inner) => stack.extend(inner.iter().copied()),
                _ if part == TOP => {}
                _ => flat.push(part),
            }
        }
        self.spend(flat.len() as u64 / 2)?;
        flat.sort_unstable();
        flat.dedup();
        if flat.contains(&EPSILON) {
            let nullable = flat.iter().all(|&part| self.info(part).nullable);
            return Ok(if nullable { EPSILON } else { EMPTY });
        }
        self.drop_needless(&mut flat);
        let whole = flat.iter().any(|&part| Some(part) != self.any_text && self.info(part).utf8);
        if whole && flat.len() > 1 {
            flat.retain(|&part| Some(part) != self.any_text);
        }
        match flat[..] {
            [] => return Ok(TOP),
            [one] => return Ok(one),
            _ => {}
        }
        let infos = || flat.iter().map(|&part| self.info(part));
        let min_chars = infos().map(|info| info.min_chars).max().unwrap_or(0);
        let max_chars = infos().map(|info| info.max_chars).min().unwrap_or(MANY);
        if min_chars > max_chars {
            return Ok(EMPTY);
        }
        let complements = flat.iter().filter_map(|&part| match *self.term(part) {
            Term::Not(inner) => Some(inner),
            _ => None,
        });
        // A text is no other than all texts.
        let excludes = |inner| flat.binary_search(&inner).is_ok() || whole && Some(inner) == self.any_text;
        if complements.into_iter().any(excludes) {
            return Ok(EMPTY);
        }
        let hash = self.hash_set(9, &flat);
        self.intern(Term::And(flat.clone().into()), hash, |arena| {
            let infos = || flat.iter().map(|&part| arena.info(part));
            Info {
                hash: 0,
                nullable: infos().all(|info| info.nullable),
                structural: false,
                utf8: infos().any(|info| info.utf8),
                searched: true,
                counts: false,
                depth: 1 + infos().map(|info| info.depth).max().unwrap_or(0),
                min_chars,
                max_chars,
                exact: false,
            }
        })
    }

    /// The complement of what begins otherwise than all texts of another operand takes nothing away.
    fn drop_needless(&mut self, flat: &mut Vec<TermId>) {
        for place in (0..flat.len()).rev() {
            let Term::Not(inner) = *self.term(flat[place]) else { continue };
            let apart = flat.iter().any(|&other| match self.term(other) {
                Term::Not(_) => false,
                _ if self.info(other).nullable && self.info(inner).nullable => false,
                _ => self.may(other).intersection(&self.may(inner)).is_empty(),
            });
            if apart {
                flat.remove(place);
            }
        }
    }

    pub fn not(&mut self, inner: TermId) -> Result<TermId> {
        let id = self.not_unchecked(inner)?;
        self.checked(id)
    }

    pub(crate) fn not_unchecked(&mut self, inner: TermId) -> Result<TermId> {
        if inner == EMPTY {
            return Ok(TOP);
        }
        if let Term::Not(original) = *self.term(inner) {
            return Ok(original);
        }
        let mut hash = Hasher128::new(10);
        hash.wide(self.info(inner).hash);
        self.intern(Term::Not(inner), hash.finish(), |arena| Info {
            hash: 0,
            nullable: !arena.info(inner).nullable,
            structural: false,
            utf8: false,
            searched: true,
            counts: false,
            depth: arena.info(inner).depth + 1,
            min_chars: 0,
            max_chars: MANY,
            exact: false,
        })
    }

    pub fn repeat(&mut self, body: TermId, min: u32, max: u32) -> Result<TermId> {
        if max == 0 || body == EPSILON {
            return Ok(EPSILON);
        }
        if body == EMPTY {
            return Ok(if min == 0 { EPSILON } else { EMPTY });
        }
        let min = if self.info(body).nullable { 0 } else { min };
        if (min, max) == (1, 1) {
            return Ok(body);
        }
        if let Term::Repeat { body: inner, min: low, max: high } = *self.term(body) {
            if (low, high) == (0, MANY) {
                return Ok(body);
            }
            // k copies of low to high make k·low to k·high; where these spans touch, one count says it all.
            let copies = min.max(1);
            let touching = (u64::from(copies) + 1) * u64::from(low) <= u64::from(copies) * u64::from(high) + 1;
            if min == max || touching && (min > 0 || low <= 1) {
                // A product beyond 32 bits is as good as unbounded.
                return self.repeat(inner, low.saturating_mul(min), high.saturating_mul(max));
            }
        }
        let mut hash = Hasher128::new(11);
        hash.wide(self.info(body).hash);
        hash.word(u64::from(min) << 32 | u64::from(max));
        self.intern(Term::Repeat { body, min, max }, hash.finish(), |arena| {
            let info = arena.info(body);
            let (low, high) = (info.min_chars, info.max_chars);
            // The spans of i and i + 1 copies must touch for every i from min on.
            let first = u64::from(min.max(1));
            let steps = (first + 1) * u64::from(low) <= first * u64::from(high) + 1;
            let joined = (min == max || steps) && (min > 0 || low <= 1);
            Info {
                hash: 0,
                nullable: min == 0,
                structural: info.structural,
                utf8: info.utf8,
                searched: info.searched,
                counts: false,
                depth: info.depth + 1,
                min_chars: low.saturating_mul(min),
                max_chars: if high == 0 { 0 } else { high.saturating_mul(max) },
                exact: info.exact && joined,
            }
        })
    }

    pub fn bounded(&mut self, body: TermId, min: u32, max: u32) -> Result<TermId> {
        let id = self.bounded_unchecked(body, min, max)?;
        self.checked(id)
    }

    pub(crate) fn bounded_unchecked(&mut self, body: TermId, min: u32, max: u32) -> Result<TermId> {
        if let Term::Bounded { body, min: inner_min, max: inner_max } = *self.term(body) {
            return self.bounded_unchecked(body, min.max(inner_min), max.min(inner_max));
        }
        let info = self.info(body);
        if min > max || info.min_chars > max || info.max_chars < min || body == EMPTY {
            return Ok(EMPTY);
        }
        if info.min_chars >= min && info.max_chars <= max {
            return Ok(body);
        }
        // An upper bound that the body keeps by itself is no bound; neither is such a lower one.
        let max = if info.max_chars <= max { MANY } else { max };
        let min = if info.min_chars >= min { 0 } else { min };
        let mut hash = Hasher128::new(12);
        hash.wide(info.hash);
        hash.word(u64::from(min) << 32 | u64::from(max));
        self.intern(Term::Bounded { body, min, max }, hash.finish(), |arena| {
            let info = arena.info(body);
            Info {
                hash: 0,
                nullable: info.nullable && min == 0,
                structural: false,
                utf8: info.utf8,
                searched: true,
                counts: false,
                depth: info.depth + 1,
                min_chars: info.min_chars.max(min),
                max_chars: info.max_chars.min(max),
                exact: info.exact,
            }
        })
    }

    /// The JSON strings whose decoded text is in `text`, from the opening quote on.
    pub fn quoted(&mut self, text: TermId, free: bool) -> Result<TermId> {
        let text = if self.info(text).utf8 {
            text
        } else {
            let any = self.any_text()?;
            self.and(vec![any, text])?
        };
        self.quoted_state(text, Spelling::Start, free)
    }

    pub(crate) fn quoted_state(&mut self, text: TermId, state: Spelling, free: bool) -> Result<TermId> {
        if text == EMPTY {
            return Ok(EMPTY);
        }
        let mut hash = Hasher128::new(13 + 100 * u64::from(free));
        hash.wide(self.info(text).hash);
        hash.word(match state {
            Spelling::Start => 0,
            Spelling::Body => 1,
            Spelling::Escape => 2,
            Spelling::Hex { digits, value } => 3 | u64::from(digits) << 8 | u64::from(value) << 16,
            Spelling::LowEscape { high } => 4 | u64::from(high) << 32,
            Spelling::LowU { high } => 5 | u64::from(high) << 32,
            Spelling::Low { high, digits, value } => {
                6 | u64::from(digits) << 8 | u64::from(value) << 16 | u64::from(high) << 32
            }
        });
        self.intern(Term::Quoted { text, state, free }, hash.finish(), |arena| Info {
            hash: 0,
            nullable: false,
            structural: false,
            utf8: state == Spelling::Start,
            searched: false,
            counts: false,
            depth: arena.info(text).depth + 1,
            min_chars: 0,
            max_chars: MANY,
            exact: false,
        })
    }

    /// A structural term; `parts` are what its content is, after `kind`.
    pub(crate) fn structural(&mut self, term: Term, kind: u64, parts: &[u128], nullable: bool) -> Result<TermId> {
        let mut hash = Hasher128::new(kind);
        parts.iter().for_each(|&part| hash.wide(part));
        let depth = match term {
            Term::Seq(left, right) => (self.info(left).depth + 1).max(self.info(right).depth),
            _ => 0,
        };
        self.intern(term, hash.finish(), |_| Info {
            hash: 0,
            nullable,
            structural: true,
            utf8: false,
            searched: false,
            counts: false,
            depth,
            min_chars: 0,
            max_chars: MANY,
            exact: false,
        })
    }

    pub fn seq(&mut self, left: TermId, right: TermId) -> Result<TermId> {
        if left == EMPTY || right == EMPTY {
            return Ok(EMPTY);
        }
        if left == EPSILON {
            return Ok(right);
        }
        if right == EPSILON {
            return Ok(left);
        }
        if let Term::Seq(..) = self.term(left) {
            let mut parts = Vec::new();
            let mut last = left;
            while let Term::Seq(a, b) = *self.term(last) {
                parts.push(a);
                last = b;
            }
            self.spend(parts.len() as u64)?;
            let mut rest = self.seq(last, right)?;
            for &part in parts.iter().rev() {
                rest = self.seq(part, rest)?;
            }
            return Ok(rest);
        }
        let parts = [self.info(left).hash, self.info(right).hash];
        self.structural(Term::Seq(left, right), 20, &parts, false)
    }
}

/// Code points, counted by their first bytes.
fn chars(text: &[u8]) -> u32 {
    text.iter().filter(|&&byte| is_lead(byte)).count() as u32
}

fn literal_hash(data: &[u8]) -> u128 {
    let mut hash = Hasher128::new(4);
    hash.bytes(data);
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_alternative_covers_is_dropped_and_nothing_else() {
        let mut arena = Arena::new();
        let arena = &mut arena;
        let class = |arena: &mut Arena, bytes: &str| arena.class(ByteSet::of(bytes.bytes())).unwrap();
        let (ab, abc, d) = (class(arena, "ab"), class(arena, "abc"), class(arena, "d"));
        let (some, any, three) =
            (arena.repeat(ab, 1, 2).unwrap(), arena.repeat(abc, 0, MANY).unwrap(), arena.repeat(abc, 3, 3).unwrap());
        let ending = arena.repeat(d, 0, 1).unwrap();
        let all = arena.cat(any, ending).unwrap();
        let mut chained =
            |parts: &[TermId]| parts.iter().rev().try_fold(EPSILON, |rest, &part| arena.cat(part, rest)).unwrap();
        let cases = [
            (chained(&[some, all]), all, true),
            (chained(&[three, some, ab, all]), all, true),
            (chained(&[some, ending]), all, true),
            (chained(&[three, any]), any, true),
            (three, any, true),
            (chained(&[d, all]), all, false),
            (chained(&[some, d, ending]), all, false),
            (chained(&[some, d]), any, false),
        ];
        let texts: Vec<Vec<u8>> = (0..5u32)
            .flat_map(|length| {
                (0..4u32.pow(length))
                    .map(move |code| (0..length).map(move |at| b"abcd"[(code >> (2 * at) & 3) as usize]).collect())
            })
            .collect();
        for (place, (part, beside, dropped)) in cases.into_iter().enumerate() {
            let both = arena.alt(vec![part, beside]).unwrap();
            assert_eq!(both == beside, dropped, "{place}");
            for text in &texts {
                let either = arena.matches(part, text).unwrap() || arena.matches(beside, text).unwrap();
                assert_eq!(arena.matches(both, text).unwrap(), either, "{place} {text:?}");
            }
        }
    }

    #[test]
    fn all_texts_taken_away_leave_what_is_no_text() {
        let mut arena = Arena::new();
        let arena = &mut arena;
        let any = arena.any_text().unwrap();
        let none = arena.not(any).unwrap();
        let letters = arena.class(ByteSet::range(b'a', b'z')).unwrap();
        assert_eq!(arena.and_unchecked(vec![letters, none]).unwrap(), EMPTY);
        let bytes = arena.class(ByteSet::range(b'a', 0xff)).unwrap();
        let left = arena.and_unchecked(vec![bytes, none]).unwrap();
        assert!(arena.matches(left, b"\xff").unwrap() && !arena.matches(left, b"a").unwrap());
    }
}
