//! Operands in normal form → the interned term, with its hash and facts.
//!
//! Apart from the rules of normal form, so that each of those ends in one call.

use crate::error::Result;
use crate::regular::term::{Escapes, Info, Spelling, Term, TermId, EMPTY, MANY};
use crate::regular::terms::Terms;
use crate::storage::hash::Hasher128;
use smallvec::SmallVec;

impl Terms {
    /// The concatenation of two regular terms, of which the left is no concatenation.
    pub(crate) fn intern_cat(&mut self, left: TermId, right: TermId) -> Result<TermId> {
        let hash = Hasher128::of(7, &[left, right].map(|part| self.info(part).hash));
        self.intern(Term::Cat(left, right), hash, |terms| {
            let (l, r) = (terms.info(left), terms.info(right));
            let narrow = l.exact && r.exact;
            Info {
                nullable: l.nullable && r.nullable,
                structural: l.structural || r.structural,
                utf8: l.utf8 && r.utf8,
                searched: l.searched || r.searched,
                // Concatenations associate to the right; a derivative descends to the right only if the left is nullable.
                depth: 1 + if l.nullable { l.depth.max(r.depth) } else { l.depth },
                min_chars: l.min_chars.saturating_add(r.min_chars),
                max_chars: l.max_chars.saturating_add(r.max_chars),
                exact: narrow,
                ..Info::default()
            }
        })
    }

    /// `min` to `max` copies of a body.
    pub(crate) fn intern_repeat(&mut self, body: TermId, min: u32, max: u32) -> Result<TermId> {
        let mut hash = Hasher128::new(11);
        hash.wide(self.info(body).hash);
        hash.word(u64::from(min) << 32 | u64::from(max));
        self.intern(Term::Repeat { body, min, max }, hash.finish(), |terms| {
            let info = terms.info(body);
            let (low, high) = (info.min_chars, info.max_chars);
            // The spans of i and i + 1 copies must touch for every i from min on.
            let first = u64::from(min.max(1));
            let steps = (first + 1) * u64::from(low) <= first * u64::from(high) + 1;
            let joined = (min == max || steps) && (min > 0 || low <= 1);
            Info {
                nullable: min == 0,
                structural: info.structural,
                utf8: info.utf8,
                searched: info.searched,
                depth: info.depth + 1,
                min_chars: low.saturating_mul(min),
                max_chars: if high == 0 { 0 } else { high.saturating_mul(max) },
                exact: info.exact && joined,
                ..Info::default()
            }
        })
    }

    /// The texts of a body with `min` to `max` code points.
    pub(crate) fn intern_bounded(&mut self, body: TermId, min: u32, max: u32) -> Result<TermId> {
        let mut hash = Hasher128::new(12);
        hash.wide(self.info(body).hash);
        hash.word(u64::from(min) << 32 | u64::from(max));
        self.intern(Term::Bounded { body, min, max }, hash.finish(), |terms| {
            let info = terms.info(body);
            Info {
                nullable: info.nullable && min == 0,
                utf8: info.utf8,
                searched: true,
                depth: info.depth + 1,
                min_chars: info.min_chars.max(min),
                max_chars: info.max_chars.min(max),
                exact: info.exact,
                ..Info::default()
            }
        })
    }

    /// The rest of the JSON strings of a text in a state of their spelling.
    pub(crate) fn intern_quoted(&mut self, text: TermId, state: Spelling, escapes: Escapes) -> Result<TermId> {
        let mut hash = Hasher128::new(13 + 100 * u64::from(escapes.free));
        hash.wide(self.info(text).hash);
        if escapes.escaped != EMPTY {
            hash.wide(self.info(escapes.escaped).hash);
        }
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
        self.intern(Term::Quoted { text, state, escapes }, hash.finish(), |terms| Info {
            utf8: state == Spelling::Start,
            depth: terms.info(text).depth + 1,
            max_chars: MANY,
            ..Info::default()
        })
    }

    /// The concatenation of two terms, of which the left is no concatenation of structural terms.
    pub(crate) fn intern_seq(&mut self, left: TermId, right: TermId) -> Result<TermId> {
        let parts = [self.info(left).hash, self.info(right).hash];
        self.intern_structural(Term::Seq(left, right), 20, &parts, false)
    }

    /// The union of two or more sorted operands.
    pub(crate) fn intern_alt(&mut self, parts: &[TermId]) -> Result<TermId> {
        let hash = self.hash_set(8, parts);
        self.intern_with(hash, |terms| {
            let infos = || parts.iter().map(|&part| terms.info(part));
            let mut spans: Vec<_> = infos().map(|info| (info.min_chars, info.max_chars)).collect();
            spans.sort_unstable();
            let mut max_chars = spans[0].1;
            let mut joined = infos().all(|info| info.exact);
            for &(low, high) in &spans[1..] {
                joined &= low <= max_chars.saturating_add(1);
                max_chars = max_chars.max(high);
            }
            let info = Info {
                nullable: infos().any(|info| info.nullable),
                structural: infos().any(|info| info.structural),
                utf8: infos().all(|info| info.utf8),
                searched: infos().any(|info| info.searched),
                depth: 1 + infos().map(|info| info.depth).max().unwrap_or(0),
                min_chars: spans[0].0,
                max_chars,
                exact: joined,
                ..Info::default()
            };
            (Term::Alt(parts.into()), info)
        })
    }

    /// The intersection of two or more sorted operands.
    pub(crate) fn intern_and(&mut self, parts: &[TermId]) -> Result<TermId> {
        let hash = self.hash_set(9, parts);
        self.intern_with(hash, |terms| {
            let infos = || parts.iter().map(|&part| terms.info(part));
            let info = Info {
                nullable: infos().all(|info| info.nullable),
                utf8: infos().any(|info| info.utf8),
                searched: true,
                depth: 1 + infos().map(|info| info.depth).max().unwrap_or(0),
                min_chars: infos().map(|info| info.min_chars).max().unwrap_or(0),
                max_chars: infos().map(|info| info.max_chars).min().unwrap_or(MANY),
                ..Info::default()
            };
            (Term::And(parts.into()), info)
        })
    }

    /// The complement of a term that is not itself a complement.
    pub(crate) fn intern_not(&mut self, inner: TermId) -> Result<TermId> {
        let hash = Hasher128::of(10, &[self.info(inner).hash]);
        self.intern(Term::Not(inner), hash, |terms| Info {
            nullable: !terms.info(inner).nullable,
            searched: true,
            depth: terms.info(inner).depth + 1,
            max_chars: MANY,
            ..Info::default()
        })
    }

    /// The hash of a set of operands, in any order.
    fn hash_set(&self, kind: u64, parts: &[TermId]) -> u128 {
        let mut hashes: SmallVec<[u128; 8]> = parts.iter().map(|&part| self.info(part).hash).collect();
        hashes.sort_unstable();
        Hasher128::of(kind, &hashes)
    }
}
