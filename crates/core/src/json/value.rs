//! What a reading spells of a JSON value → the one text that equal values share.
//!
//! A reading has no white space, decodes every escape and ends every numeral in one spelling (`reading`). What is left to
//! do is the order of an object's members.

use crate::error::{Error, Limit, Result};

/// Deeper values would overflow the stack of a thread.
const MAX_DEPTH: usize = 1_000;

/// Longer numerals are written with an exponent.
const LONGEST_PLAIN: i128 = 40;

/// Numbers with more zeros behind their point are written with an exponent.
const MOST_ZEROS: i128 = 8;

/// What ends a numeral in a reading: a byte that no reading has elsewhere outside of strings.
pub(crate) const NUMERAL_END: u8 = b' ';

/// The text with the members of every object sorted by key; as it is if it is not JSON.
pub(crate) fn sorted(text: Vec<u8>) -> Result<Vec<u8>> {
    let mut at = 0;
    let found = sorted_from(&text, &mut at, 0)?.filter(|_| at == text.len());
    Ok(found.unwrap_or(text))
}

fn sorted_from(text: &[u8], at: &mut usize, depth: usize) -> Result<Option<Vec<u8>>> {
    if depth > MAX_DEPTH {
        return Err(Error::Limit(Limit::UniqueDepth(MAX_DEPTH)).into());
    }
    let Some(&first) = text.get(*at) else { return Ok(None) };
    let close = match first {
        b'[' => b']',
        b'{' => b'}',
        b'"' => return Ok(quoted(text, at).map(<[u8]>::to_vec)),
        _ => return Ok(scalar(text, at).map(<[u8]>::to_vec)),
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
            let Some(found) = quoted(text, at) else { return Ok(None) };
            if text.get(*at) != Some(&b':') {
                return Ok(None);
            }
            *at += 1;
            key = found;
        }
        let Some(value) = sorted_from(text, at, depth + 1)? else { return Ok(None) };
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

/// A string with its quotes: only quotes and backslashes are escaped in a reading.
fn quoted<'a>(text: &'a [u8], at: &mut usize) -> Option<&'a [u8]> {
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

/// A numeral with what ends it, or a word.
fn scalar<'a>(text: &'a [u8], at: &mut usize) -> Option<&'a [u8]> {
    let rest = &text[*at..];
    let length = match rest.first()? {
        b'-' | b'0'..=b'9' => rest.iter().position(|&byte| byte == NUMERAL_END)? + 1,
        _ => [&b"true"[..], b"false", b"null"].iter().find(|&&word| rest.starts_with(word))?.len(),
    };
    *at += length;
    Some(&rest[..length])
}

/// A numeral in the one spelling of its value: plain where that is short, so that it begins as most write it.
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
    let Ok(exponent) = exponent.parse::<i128>() else {
        // An exponent of forty digits: no two spellings of such a number are known to be equal.
        return format!("{sign}{text}");
    };
    let shift = exponent.saturating_add((digits.len() - short.len()) as i128 - fraction.len() as i128);
    // Digits before the point, if there is one.
    let before = shift.saturating_add(short.len() as i128);
    if short.len() as i128 > LONGEST_PLAIN || !(-MOST_ZEROS..=LONGEST_PLAIN).contains(&before) {
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
            assert!(spellings.iter().all(|spelled| canonical(spelled.as_bytes()) == value), "{value}");
        }
        let apart = ["1", "-1", "10", "0.1", "1e40", "1e41", "1e-10"];
        assert!(apart.iter().all(|value| canonical(value.as_bytes()) == **value));
    }

    #[test]
    fn members_are_sorted_and_what_is_not_json_stays() {
        let of = |text: &str| String::from_utf8(sorted(text.as_bytes().to_vec()).unwrap()).unwrap();
        assert_eq!(of(r#"{"b":[1 ,{"d":null,"c":"}"}],"a":{}}"#), r#"{"a":{},"b":[1 ,{"c":"}","d":null}]}"#);
        for same in [r#"{"b":1 ,"b":2 }"#, "[1,2]", "{]", r#""\""#, "tru", "[]x", "", r#"{"a"1 }"#] {
            assert_eq!(of(same), same);
        }
    }
}
