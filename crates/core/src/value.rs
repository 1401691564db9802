//! JSON value as a reading spells it → a text that equal values share: 1 and 1.0, objects in another order.

use crate::error::{Error, Limit, Result};

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Value {
    /// `true`, `false`, `null`; or a text that is not JSON, which has no value but its spelling.
    Word(Box<[u8]>),
    /// Digits without zeros at their ends, and an exponent.
    Number(Box<str>),
    Text(Box<[u8]>),
    List(Vec<Value>),
    /// Sorted by key.
    Members(Vec<(Box<[u8]>, Value)>),
}

/// Deeper values would overflow the stack of a thread.
const MAX_DEPTH: usize = 1_000;

impl Value {
    /// The value of a reading's text.
    pub(crate) fn of(text: &[u8]) -> Result<Value> {
        let mut at = 0;
        match parsed(text, &mut at, 0)? {
            Some(value) if at == text.len() => Ok(value),
            _ => Ok(Value::Word(text.into())),
        }
    }

    /// Whether a text that begins so might go on to spell this value; false is certain, true is not.
    pub(crate) fn may_begin(&self, text: &[u8]) -> bool {
        let mut at = 0;
        match self.follows(text, &mut at) {
            Followed::Open => true,
            Followed::Whole => at == text.len(),
            Followed::Other => false,
        }
    }

    fn follows(&self, text: &[u8], at: &mut usize) -> Followed {
        let Some(&first) = text.get(*at) else { return Followed::Open };
        match self {
            Value::Word(word) => {
                let rest = &text[*at..];
                let shared = rest.iter().zip(word.iter()).take_while(|(a, b)| a == b).count();
                *at += shared;
                match (shared == word.len(), shared == rest.len()) {
                    (true, _) => Followed::Whole,
                    (false, true) => Followed::Open,
                    _ => Followed::Other,
                }
            }
            Value::Number(number) => {
                let length = numeral(&text[*at..]);
                if length == 0 {
                    return Followed::Other;
                }
                let spelled = &text[*at..*at + length];
                *at += length;
                if *at == text.len() {
                    return Followed::Open;
                }
                if canonical(spelled) == **number {
                    Followed::Whole
                } else {
                    Followed::Other
                }
            }
            Value::Text(expected) => match quoted(text, at) {
                Quoted::Whole(found) if found == **expected => Followed::Whole,
                Quoted::Open(found) if expected.starts_with(&found) => Followed::Open,
                _ => Followed::Other,
            },
            Value::List(items) => {
                if first != b'[' {
                    return Followed::Other;
                }
                *at += 1;
                for (place, item) in items.iter().enumerate() {
                    if place > 0 {
                        match text.get(*at) {
                            None => return Followed::Open,
                            Some(b',') => *at += 1,
                            Some(_) => return Followed::Other,
                        }
                    }
                    match item.follows(text, at) {
                        Followed::Whole => {}
                        other => return other,
                    }
                }
                ended(text, at, b']')
            }
            Value::Members(members) => {
                if first != b'{' {
                    return Followed::Other;
                }
                *at += 1;
                for place in 0..members.len() {
                    if place > 0 {
                        match text.get(*at) {
                            None => return Followed::Open,
                            Some(b',') => *at += 1,
                            Some(_) => return Followed::Other,
                        }
                    }
                    let key = match quoted(text, at) {
                        Quoted::Whole(key) => key,
                        Quoted::Open(start) if members.iter().any(|(key, _)| key.starts_with(&start)) => {
                            return Followed::Open
                        }
                        _ => return Followed::Other,
                    };
                    let Ok(found) = members.binary_search_by(|(other, _)| (**other).cmp(&key)) else {
                        return Followed::Other;
                    };
                    match text.get(*at) {
                        None => return Followed::Open,
                        Some(b':') => *at += 1,
                        Some(_) => return Followed::Other,
                    }
                    match members[found].1.follows(text, at) {
                        Followed::Whole => {}
                        other => return other,
                    }
                }
                ended(text, at, b'}')
            }
        }
    }
}

enum Followed {
    /// The text ends inside the value.
    Open,
    Whole,
    Other,
}

enum Quoted {
    Open(Vec<u8>),
    Whole(Vec<u8>),
    None,
}

fn ended(text: &[u8], at: &mut usize, close: u8) -> Followed {
    match text.get(*at) {
        None => Followed::Open,
        Some(&byte) if byte == close => {
            *at += 1;
            Followed::Whole
        }
        Some(_) => Followed::Other,
    }
}

/// A string of a reading: only quotes and backslashes are escaped there.
fn quoted(text: &[u8], at: &mut usize) -> Quoted {
    match text.get(*at) {
        None => return Quoted::Open(Vec::new()),
        Some(b'"') => *at += 1,
        Some(_) => return Quoted::None,
    }
    let mut found = Vec::new();
    while let Some(&byte) = text.get(*at) {
        *at += 1;
        match byte {
            b'"' => return Quoted::Whole(found),
            b'\\' => {
                let Some(&byte) = text.get(*at) else { break };
                *at += 1;
                found.push(byte);
            }
            _ => found.push(byte),
        }
    }
    Quoted::Open(found)
}

fn numeral(text: &[u8]) -> usize {
    if !matches!(text.first(), Some(b'-' | b'0'..=b'9')) {
        return 0;
    }
    text.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count()
}

fn parsed(text: &[u8], at: &mut usize, depth: usize) -> Result<Option<Value>> {
    if depth > MAX_DEPTH {
        return Err(Error::Limit(Limit::Depth(MAX_DEPTH)).into());
    }
    let Some(&first) = text.get(*at) else { return Ok(None) };
    match first {
        b'"' => match quoted(text, at) {
            Quoted::Whole(found) => Ok(Some(Value::Text(found.into()))),
            _ => Ok(None),
        },
        b'[' => {
            *at += 1;
            let mut items = Vec::new();
            if text.get(*at) == Some(&b']') {
                *at += 1;
                return Ok(Some(Value::List(items)));
            }
            loop {
                let Some(item) = parsed(text, at, depth + 1)? else { return Ok(None) };
                items.push(item);
                let next = text.get(*at);
                *at += 1;
                match next {
                    Some(b',') => {}
                    Some(b']') => return Ok(Some(Value::List(items))),
                    _ => return Ok(None),
                }
            }
        }
        b'{' => {
            *at += 1;
            let mut members: Vec<(Box<[u8]>, Value)> = Vec::new();
            if text.get(*at) == Some(&b'}') {
                *at += 1;
                return Ok(Some(Value::Members(members)));
            }
            loop {
                let Quoted::Whole(key) = quoted(text, at) else { return Ok(None) };
                if text.get(*at) != Some(&b':') {
                    return Ok(None);
                }
                *at += 1;
                let Some(value) = parsed(text, at, depth + 1)? else { return Ok(None) };
                match members.binary_search_by(|(other, _)| (**other).cmp(&key)) {
                    Ok(_) => return Ok(None),
                    Err(place) => members.insert(place, (key.into(), value)),
                }
                let next = text.get(*at);
                *at += 1;
                match next {
                    Some(b',') => {}
                    Some(b'}') => return Ok(Some(Value::Members(members))),
                    _ => return Ok(None),
                }
            }
        }
        _ => {
            let length = numeral(&text[*at..]);
            if length > 0 {
                let spelled = &text[*at..*at + length];
                *at += length;
                return Ok(Some(Value::Number(canonical(spelled).into())));
            }
            for word in [&b"true"[..], b"false", b"null"] {
                if text[*at..].starts_with(word) {
                    *at += word.len();
                    return Ok(Some(Value::Word(word.into())));
                }
            }
            Ok(None)
        }
    }
}

/// A numeral's value, exactly: its digits without zeros at their ends, and the exponent of the last.
pub(crate) fn canonical(spelled: &[u8]) -> String {
    let text = String::from_utf8_lossy(spelled);
    let (sign, text) = text.strip_prefix('-').map_or(("", &*text), |rest| ("-", rest));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let short = digits.trim_end_matches('0');
    if short.is_empty() {
        return "0".into();
    }
    match exponent.parse::<i128>() {
        Ok(exponent) => {
            let shift = exponent - fraction.len() as i128 + (digits.len() - short.len()) as i128;
            format!("{sign}{short}e{shift}")
        }
        // An exponent of forty digits: no two spellings of such a number are known to be equal.
        Err(_) => format!("{sign}{text}"),
    }
}
