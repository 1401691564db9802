//! Partial value of a whole JSON value → its canonical text, which equal values share.
//!
//! A partial value already lacks white space, has decoded escapes and canonical numerals. Sorting the members of
//! objects completes it.

use crate::error::{Error, Limit, Result};

/// Nesting depth that raises a limit error; deeper recursion would overflow the stack of a thread.
const MAX_DEPTH: usize = 1_000;

/// Digits above which a numeral is written with an exponent.
const MAX_PLAIN_DIGITS: i128 = 40;

/// Zeros behind the point above which a numeral is written with an exponent.
const MAX_ZEROS: i128 = 8;

/// The byte that ends a numeral in canonical texts. Outside strings, canonical texts have it nowhere else.
pub(crate) const NUMERAL_END: u8 = b' ';

/// The text with the members of every object sorted by key; unchanged if the text is not JSON. Errors: depth.
pub(crate) fn sort_members(text: Vec<u8>) -> Result<Vec<u8>> {
    let mut at = 0;
    let found = sort_value(&text, &mut at, 0)?.filter(|_| at == text.len());
    Ok(found.unwrap_or(text))
}

fn sort_value(text: &[u8], at: &mut usize, depth: usize) -> Result<Option<Vec<u8>>> {
    if depth > MAX_DEPTH {
        return Err(Error::Limit(Limit::UniqueDepth(MAX_DEPTH)).into());
    }
    let Some(&first) = text.get(*at) else { return Ok(None) };
    let close = match first {
        b'[' => b']',
        b'{' => b'}',
        b'"' => return Ok(scan_string(text, at).map(<[u8]>::to_vec)),
        _ => return Ok(scan_scalar(text, at).map(<[u8]>::to_vec)),
    };
    *at += 1;
    let mut members: Vec<(&[u8], Vec<u8>)> = Vec::new();
    let mut ended = text.get(*at) == Some(&close);
    if ended {
        *at += 1;
    }
    while !ended {
        let mut key: &[u8] = b"";
        if first == b'{' {
            let Some(found) = scan_string(text, at) else { return Ok(None) };
            if text.get(*at) != Some(&b':') {
                return Ok(None);
            }
            *at += 1;
            key = found;
        }
        let Some(value) = sort_value(text, at, depth + 1)? else { return Ok(None) };
        members.push((key, value));
        ended = match text.get(*at) {
            Some(b',') => false,
            Some(&byte) if byte == close => true,
            _ => return Ok(None),
        };
        *at += 1;
    }
    if first == b'{' {
        members.sort_by_key(|&(key, _)| key);
        if members.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Ok(None);
        }
    }
    let mut made = vec![first];
    for (place, (key, value)) in members.into_iter().enumerate() {
        if place > 0 {
            made.push(b',');
        }
        if first == b'{' {
            made.extend_from_slice(key);
            made.push(b':');
        }
        made.extend(value);
    }
    made.push(close);
    Ok(Some(made))
}

/// A string with its quotes. Canonical strings escape only quotes and backslashes.
fn scan_string<'a>(text: &'a [u8], at: &mut usize) -> Option<&'a [u8]> {
    let start = *at;
    if text.get(start) != Some(&b'"') {
        return None;
    }
    let mut end = start + 1;
    loop {
        match text.get(end)? {
            b'"' => break,
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
    *at = end + 1;
    Some(&text[start..*at])
}

/// A numeral with its end byte, or a keyword.
fn scan_scalar<'a>(text: &'a [u8], at: &mut usize) -> Option<&'a [u8]> {
    let rest = &text[*at..];
    let length = match rest.first()? {
        b'-' | b'0'..=b'9' => rest.iter().position(|&byte| byte == NUMERAL_END)? + 1,
        _ => [&b"true"[..], b"false", b"null"].iter().find(|&&word| rest.starts_with(word))?.len(),
    };
    *at += length;
    Some(&rest[..length])
}

/// The canonical spelling of a number: without exponent where that is short, as most writers spell it.
pub(crate) fn canonical_numeral(spelled: &[u8]) -> String {
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
    let Ok(exponent) = exponent.parse::<i128>() else {
        // An exponent of forty digits: equality of such numbers is not decided.
        return format!("{sign}{text}");
    };
    let shift = exponent.saturating_add((digits.len() - short.len()) as i128 - fraction.len() as i128);
    // Digits before the point; negative for zeros behind it.
    let before = shift.saturating_add(short.len() as i128);
    if short.len() as i128 > MAX_PLAIN_DIGITS || !(-MAX_ZEROS..=MAX_PLAIN_DIGITS).contains(&before) {
        format!("{sign}{short}e{shift}")
    } else if shift >= 0 {
        format!("{sign}{short}{}", "0".repeat(shift as usize))
    } else if before > 0 {
        format!("{sign}{}.{}", &short[..before as usize], &short[before as usize..])
    } else {
        format!("{sign}0.{}{short}", "0".repeat(-before as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_have_one_spelling() {
        for (value, spellings) in [
            ("0", &["-0", "0.0", "0e7", "-0.00E-3", "0e"][..]),
            ("120", &["120.0", "1.2e2", "12e1", "0.12E+3", "1200e-1"]),
            ("-0.5", &["-5e-1", "-0.50", "-50e-2"]),
            ("1.25", &["1.250", "125e-2", "0.125e1"]),
            ("1e40", &["10e39", "1.0e40"]),
            ("1e-10", &["0.0000000001", "100e-12"]),
        ] {
            assert!(spellings.iter().all(|spelled| canonical_numeral(spelled.as_bytes()) == value), "{value}");
        }
        let apart = ["1", "-1", "10", "0.1", "1e40", "1e41", "1e-10"];
        assert!(apart.iter().all(|value| canonical_numeral(value.as_bytes()) == **value));
    }

    #[test]
    fn members_are_sorted_and_what_is_not_json_stays() {
        let of = |text: &str| String::from_utf8(sort_members(text.as_bytes().to_vec()).unwrap()).unwrap();
        assert_eq!(of(r#"{"b":[1 ,{"d":null,"c":"}"}],"a":{}}"#), r#"{"a":{},"b":[1 ,{"c":"}","d":null}]}"#);
        for same in [r#"{"b":1 ,"b":2 }"#, "[1,2]", "{]", r#""\""#, "tru", "[]x", "", r#"{"a"1 }"#] {
            assert_eq!(of(same), same);
        }
    }
}
