//! Formula × the parameter of a parametric rule → a number or a truth value.
//!
//! A parameter has 64 bits. Conditions and functions are those of llguidance.
//!
//! Source: github.com/guidance-ai/llguidance, docs/parametric.md.

use crate::notation::source::{fail, Read, Source};
use std::rc::Rc;

/// Deepest nesting of conditions, which are parsed by recursion.
const DEEPEST: usize = 50;

/// A computation or condition of a parametric rule: a function of its parameter, its operands, and its place.
pub(super) struct Formula {
    pub function: &'static str,
    operands: Vec<Operand>,
    pub at: usize,
}

enum Operand {
    Number(u64),
    /// Bits from one to before another.
    Bits(u32, u32),
    Condition(Formula),
}

/// Each function with the kinds of its operands: a bit's number, a number, bits.
const FUNCTIONS: &[(&str, &str)] =
    &[("bit_and", "n"), ("bit_or", "n"), ("clear_bit", "k"), ("decr", "b"), ("incr", "b"), ("set_bit", "k")];

/// Each condition with the kinds of its operands, conditions among them.
const CONDITIONS: &[(&str, &str)] = &[
    ("and", "cc"),
    ("bit_clear", "k"),
    ("bit_count_eq", "bn"),
    ("bit_count_ge", "bn"),
    ("bit_count_gt", "bn"),
    ("bit_count_le", "bn"),
    ("bit_count_lt", "bn"),
    ("bit_count_ne", "bn"),
    ("bit_set", "k"),
    ("eq", "bn"),
    ("ge", "bn"),
    ("gt", "bn"),
    ("is_ones", "b"),
    ("is_zeros", "b"),
    ("le", "bn"),
    ("lt", "bn"),
    ("ne", "bn"),
    ("not", "c"),
    ("or", "cc"),
    ("true", ""),
];

/// The argument behind `::` where a rule is called: `_`, a number or a function of the caller's parameter.
pub(super) fn parse_parameter(source: &mut Source) -> Read<Formula> {
    let at = source.at;
    if source.peek().is_some_and(|char| char.is_ascii_digit()) {
        let number = number(source, "a number", u64::MAX)?;
        return Ok(Formula { function: "number", operands: vec![Operand::Number(number)], at });
    }
    let behind = source.rest().strip_prefix('_');
    if behind.is_some_and(|behind| !behind.starts_with(|char: char| char.is_ascii_alphanumeric() || char == '_')) {
        source.at += 1;
        return Ok(Formula { function: "_", operands: Vec::new(), at });
    }
    call(source, FUNCTIONS, "a function of the parameter", 0)
}

/// The condition behind `%if`.
pub(super) fn parse_condition(source: &mut Source) -> Read<Rc<Formula>> {
    call(source, CONDITIONS, "a condition", 0).map(Rc::new)
}

fn call(source: &mut Source, known: &'static [(&str, &str)], kind: &str, depth: usize) -> Read<Formula> {
    let at = source.at;
    if depth > DEEPEST {
        return fail("conditions nest too deep", at, "");
    }
    let name = source.take_while(|char| char.is_ascii_lowercase() || char == '_');
    let Some(&(function, kinds)) = known.iter().find(|(known, _)| *known == name) else {
        source.at = at;
        let found = if name.is_empty() { source.found() } else { name.to_owned() };
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        return fail(format!("expected {kind}, found {found}"), at, format!("there are {}", names.join(", ")));
    };
    let mut operands = Vec::new();
    source.blanks();
    if !kinds.is_empty() || source.peek() == Some('(') {
        source.expect("(", &format!("after {name}"), "")?;
        for (number, kind) in kinds.chars().enumerate() {
            source.blanks();
            if number > 0 {
                source.expect(",", "between the operands", "")?;
                source.blanks();
            }
            operands.push(match kind {
                'c' => Operand::Condition(call(source, CONDITIONS, "a condition", depth + 1)?),
                'b' => bits(source)?,
                'k' => Operand::Number(self::number(source, "a number", 63)?),
                _ => Operand::Number(self::number(source, "a number", u64::MAX)?),
            });
        }
        source.blanks();
        source.expect(")", &format!("after the operands of {name}"), "")?;
    }
    Ok(Formula { function, operands, at })
}

fn number(source: &mut Source, why: &str, most: u64) -> Read<u64> {
    let at = source.at;
    let number = source.integer(why)?;
    match u64::try_from(number).ok().filter(|&number| number <= most) {
        Some(number) => Ok(number),
        None => fail("a parameter has 64 bits", at, ""),
    }
}

fn bits(source: &mut Source) -> Read<Operand> {
    let at = source.at;
    if source.take("_") {
        return Ok(Operand::Bits(0, 64));
    }
    source.expect("[", "or _", "bits are [from:to], the last one not included, or _ for all")?;
    let low = source.integer("the first bit")?;
    source.expect(":", "between the bits", "")?;
    let high = source.integer("the bit behind the last one")?;
    source.expect("]", "after the bits", "")?;
    if low >= high || high > 64 {
        return fail(format!("there are no bits from {low} to before {high}"), at, "as in [0:3], up to 64");
    }
    Ok(Operand::Bits(low as u32, high as u32))
}

impl Formula {
    /// The value of a formula, or of a condition as 0 or 1; `value` is the rule's parameter, if it has one.
    pub fn evaluate(&self, value: Option<u64>) -> Read<u64> {
        if let ("number", [Operand::Number(number)]) = (self.function, &*self.operands) {
            return Ok(*number);
        }
        let Some(value) = value else {
            return fail("this rule has no parameter to compute with", self.at, "write name::_ where it is defined");
        };
        let condition = |at: usize| match &self.operands[at] {
            Operand::Condition(condition) => condition.evaluate(Some(value)),
            _ => Ok(0),
        };
        let number = |at: usize| match self.operands[at] {
            Operand::Number(number) => number,
            _ => 0,
        };
        let (low, high) = match self.operands.first() {
            Some(&Operand::Bits(low, high)) => (low, high),
            _ => (0, 64),
        };
        let mask = u64::MAX >> (64 - (high - low));
        let part = (value >> low) & mask;
        let (name, left) = match self.function.strip_prefix("bit_count_") {
            Some(name) => (name, u64::from(part.count_ones())),
            None => (self.function, part),
        };
        Ok(match name {
            "_" => value,
            "set_bit" => value | 1 << number(0),
            "clear_bit" => value & !(1 << number(0)),
            "bit_and" => value & number(0),
            "bit_or" => value | number(0),
            "incr" if part == mask => value,
            "incr" => value.wrapping_add(1 << low),
            "decr" if part == 0 => value,
            "decr" => value.wrapping_sub(1 << low),
            "bit_clear" => !value >> number(0) & 1,
            "bit_set" => value >> number(0) & 1,
            "is_ones" => u64::from(part == mask),
            "is_zeros" => u64::from(part == 0),
            "and" => u64::from(condition(0)? != 0 && condition(1)? != 0),
            "or" => u64::from(condition(0)? != 0 || condition(1)? != 0),
            "not" => u64::from(condition(0)? == 0),
            "eq" => u64::from(left == number(1)),
            "ne" => u64::from(left != number(1)),
            "lt" => u64::from(left < number(1)),
            "le" => u64::from(left <= number(1)),
            "gt" => u64::from(left > number(1)),
            "ge" => u64::from(left >= number(1)),
            _ => 1,
        })
    }
}
