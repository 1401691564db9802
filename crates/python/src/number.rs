//! Bounds → the node of the integers between them, as digits.py builds it for integers without sign variants or
//! exponents.

use frisket_core::error::Result;
use frisket_core::grammar::builder::Builder;

/// Longer runs of integers are described, not listed.
const RUN: i128 = 64;

/// A bound, and whether it is itself left out.
pub type Bound = (i64, bool);

/// The node of the integers, nothing if there are none; `digits` are those of a number that nothing bounds.
pub fn integers(builder: &mut Builder, low: Option<Bound>, high: Option<Bound>, digits: usize) -> Result<Option<u32>> {
    let wide = |bound: Option<Bound>| bound.map(|(value, open)| (i128::from(value), open));
    let (low, high) = (wide(low), wide(high));
    if let (Some((first, after)), Some((last, before))) = (low, high) {
        if last - first < RUN {
            let mut words: Vec<Box<[u8]>> = Vec::new();
            for value in first + i128::from(after)..=last - i128::from(before) {
                words.push(value.to_string().into_bytes().into());
                if value == 0 {
                    words.push(b"-0"[..].into());
                }
            }
            return if words.is_empty() { Ok(None) } else { builder.words(words).map(|node| Some(node.number())) };
        }
    }
    let longest =
        [low, high].into_iter().flatten().map(|(value, _)| value.abs().to_string().len()).fold(digits, usize::max);
    let digit = builder.byte_class(&[(b'0', b'9')])?.number();
    let mut range = Range { builder, digit, longest };
    let mut nodes = Vec::new();
    if high.is_none_or(|(high, _)| high >= 0) {
        let floor = low.filter(|&(low, _)| low >= 0).unwrap_or((0, false));
        nodes.extend(range.magnitude(floor, high)?);
    }
    if low.is_none_or(|(low, _)| low <= 0) {
        let floor = high.filter(|&(high, _)| high <= 0).map_or((0, false), |(high, open)| (-high, open));
        if let Some(node) = range.magnitude(floor, low.map(|(low, open)| (-low, open)))? {
            let minus = range.builder.literal(b"-")?;
            nodes.push(range.builder.cat(&[minus.number(), node])?.number());
        }
    }
    range.either(nodes)
}

struct Range<'a> {
    builder: &'a mut Builder,
    digit: u32,
    longest: usize,
}

impl Range<'_> {
    fn either(&mut self, nodes: Vec<u32>) -> Result<Option<u32>> {
        match nodes[..] {
            [] => Ok(None),
            [node] => Ok(Some(node)),
            _ => self.builder.alt(&nodes).map(|node| Some(node.number())),
        }
    }

    /// Unsigned integers; the floor is not negative.
    fn magnitude(&mut self, floor: (i128, bool), ceiling: Option<(i128, bool)>) -> Result<Option<u32>> {
        let mut first = floor.0 + i128::from(floor.1);
        let last = ceiling.map(|(value, open)| value - i128::from(open));
        if last.is_some_and(|last| last < first) {
            return Ok(None);
        }
        if last == Some(first) {
            return self.builder.literal(first.to_string().as_bytes()).map(|node| Some(node.number()));
        }
        let mut nodes = Vec::new();
        let is_any = first == 0 && last.is_none();
        if first == 0 {
            nodes.push(self.builder.literal(b"0")?.number());
            first = 1;
        }
        let (least, last) = (first.to_string(), last.map(|last| last.to_string()));
        let longest = match &last {
            Some(last) => last.len(),
            // Of those that nothing bounds some are longer than the floor.
            None if is_any => self.longest,
            None => self.longest.max(least.len() + 1),
        };
        let mut full = None;
        for length in least.len()..=longest {
            let low = if length == least.len() { least.clone() } else { format!("1{}", "0".repeat(length - 1)) };
            let high = last.clone().filter(|last| last.len() == length).unwrap_or_else(|| "9".repeat(length));
            if low.trim_end_matches('0') == "1" && high.bytes().all(|figure| figure == b'9') {
                full = Some((full.map_or(length, |(start, _)| start), length));
            } else {
                nodes.push(self.same_length(low.as_bytes(), high.as_bytes())?);
            }
        }
        if let Some((start, end)) = full {
            let head = self.figures(b'1', b'9')?;
            let tail = self.builder.repeat(self.digit, start as u32 - 1, Some(end as u32 - 1))?;
            nodes.push(self.builder.cat(&[head, tail.number()])?.number());
        }
        self.either(nodes)
    }

    /// Digits between two texts of equal length.
    fn same_length(&mut self, low: &[u8], high: &[u8]) -> Result<u32> {
        let shared = low.iter().zip(high).take_while(|(figure, other)| figure == other).count();
        if shared == low.len() {
            return Ok(self.builder.literal(low)?.number());
        }
        let (mut first, mut last) = (low[shared], high[shared]);
        let (least, most) = (&low[shared + 1..], &high[shared + 1..]);
        let mut nodes = Vec::new();
        if least.iter().any(|&figure| figure != b'0') {
            let head = self.builder.literal(&[first])?;
            let tail = self.beyond(least, b'9')?;
            nodes.push(self.builder.cat(&[head.number(), tail])?.number());
            first += 1;
        }
        if most.iter().any(|&figure| figure != b'9') {
            let head = self.builder.literal(&[last])?;
            let tail = self.beyond(most, b'0')?;
            nodes.push(self.builder.cat(&[head.number(), tail])?.number());
            last -= 1;
        }
        if first <= last {
            let head = self.figures(first, last)?;
            nodes.push(self.then_any(head, least.len())?);
        }
        let node = self.either(nodes)?.unwrap_or(frisket_core::regular::term::EMPTY.number());
        if shared == 0 {
            return Ok(node);
        }
        let head = self.builder.literal(&low[..shared])?;
        Ok(self.builder.cat(&[head.number(), node])?.number())
    }

    /// Digits of this length not below the text (`end` is 9), or not above it (0), built from the last one.
    fn beyond(&mut self, text: &[u8], end: u8) -> Result<u32> {
        let mut node = frisket_core::regular::term::EPSILON.number();
        for (place, &figure) in text.iter().enumerate().rev() {
            let head = self.builder.literal(&[figure])?;
            node = self.builder.cat(&[head.number(), node])?.number();
            if figure != end {
                let others = if end == b'9' { self.figures(figure + 1, end)? } else { self.figures(end, figure - 1)? };
                let free = self.then_any(others, text.len() - place - 1)?;
                node = self.builder.alt(&[node, free])?.number();
            }
        }
        Ok(node)
    }

    fn then_any(&mut self, head: u32, count: usize) -> Result<u32> {
        let tail = self.builder.repeat(self.digit, count as u32, Some(count as u32))?;
        Ok(self.builder.cat(&[head, tail.number()])?.number())
    }

    fn figures(&mut self, first: u8, last: u8) -> Result<u32> {
        Ok(self.builder.byte_class(&[(first, last)])?.number())
    }
}
