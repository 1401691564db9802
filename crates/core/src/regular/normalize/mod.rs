//! Operands → terms in normal form (Owens, Reppy, Turon: *Regular-expression derivatives re-examined*, 2009).
//!
//! Similar terms become equal where this costs little, so that the lazy automaton has few states.

pub(crate) mod boolean;
pub(crate) mod leaf;

use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::term::{Info, Spelling, Term, TermId, EMPTY, EPSILON, MANY};
use crate::storage::hash::Hasher128;

impl Arena {
    /// The concatenation. Errors if the budget ends or terms nest too deeply.
    pub fn cat(&mut self, left: TermId, right: TermId) -> Result<TermId> {
        let parts = |term: &Term| if let Term::Cat(a, b) = *term { Some((a, b)) } else { None };
        if let Some(id) = self.associate_right(left, right, parts, Arena::cat)? {
            return Ok(id);
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
                // Concatenations associate to the right; a derivative descends to the right only if the left is nullable.
                depth: 1 + if l.nullable { l.depth.max(r.depth) } else { l.depth },
                min_chars: l.min_chars.saturating_add(r.min_chars),
                max_chars: l.max_chars.saturating_add(r.max_chars),
                exact: narrow,
            }
        })
    }

    /// `min` to `max` copies of a body; `MANY` copies are unbounded. Errors as `cat` does.
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
            // k copies of low to high make k·low to k·high. If these ranges touch for all k, one counter suffices.
            let copies = min.max(1);
            let touching = (u64::from(copies) + 1) * u64::from(low) <= u64::from(copies) * u64::from(high) + 1;
            if min == max || touching && (min > 0 || low <= 1) {
                // A product beyond 32 bits counts as unbounded.
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

    /// The texts of `body` with `min..=max` code points, `EMPTY` if there are none. Errors as `cat` does.
    pub fn bounded(&mut self, body: TermId, min: u32, max: u32) -> Result<TermId> {
        let id = self.bounded_unchecked(body, min, max)?;
        self.normalize_empty(id)
    }

    /// As `bounded`, without the search for emptiness.
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
        // Bounds that the body implies are dropped.
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

    /// The JSON strings, quotes included, whose decoded text is in `text`; with any escapes if `free`, else canonical ones.
    pub fn quoted(&mut self, text: TermId, free: bool) -> Result<TermId> {
        let text = if self.info(text).utf8 {
            text
        } else {
            let any = self.any_text()?;
            self.and(vec![any, text])?
        };
        self.quoted_state(text, Spelling::Start, free)
    }

    /// The rest of such a string in a state of its spelling.
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

    /// Interns a structural term; `parts` are the hashes of its content, `kind` its kind for the hash.
    pub(crate) fn intern_structural(
        &mut self,
        term: Term,
        kind: u64,
        parts: &[u128],
        nullable: bool,
    ) -> Result<TermId> {
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

    /// The concatenation of structural terms. Errors if the budget ends or terms nest too deeply.
    pub fn seq(&mut self, left: TermId, right: TermId) -> Result<TermId> {
        let parts = |term: &Term| if let Term::Seq(a, b) = *term { Some((a, b)) } else { None };
        if let Some(id) = self.associate_right(left, right, parts, Arena::seq)? {
            return Ok(id);
        }
        let parts = [self.info(left).hash, self.info(right).hash];
        self.intern_structural(Term::Seq(left, right), 20, &parts, false)
    }

    /// The concatenation where an operand is neutral or zero, or where `left` is a chain; `None` for two plain operands.
    ///
    /// Chains associate to the right.
    fn associate_right(
        &mut self,
        left: TermId,
        right: TermId,
        parts: impl Fn(&Term) -> Option<(TermId, TermId)>,
        join: impl Fn(&mut Arena, TermId, TermId) -> Result<TermId>,
    ) -> Result<Option<TermId>> {
        if left == EMPTY || right == EMPTY {
            return Ok(Some(EMPTY));
        }
        if left == EPSILON {
            return Ok(Some(right));
        }
        if right == EPSILON {
            return Ok(Some(left));
        }
        // Iterative, because a chain can be longer than the stack is deep.
        let (mut chain, mut last) = (Vec::new(), left);
        while let Some((part, rest)) = parts(self.term(last)) {
            chain.push(part);
            last = rest;
        }
        if chain.is_empty() {
            return Ok(None);
        }
        self.spend(chain.len() as u64)?;
        let mut rest = join(self, last, right)?;
        for &part in chain.iter().rev() {
            rest = join(self, part, rest)?;
        }
        Ok(Some(rest))
    }
}
