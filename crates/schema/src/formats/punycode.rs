//! Labels beyond ASCII ↔ Punycode (RFC 3492), without the prefix `xn--`.

const BASE: u32 = 36;
const LEAST_THRESHOLD: u32 = 1;
const MOST_THRESHOLD: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;
const FIRST_BIAS: u32 = 72;
const FIRST_POINT: u32 = 0x80;

/// The threshold of a digit's place.
fn threshold(place: u32, bias: u32) -> u32 {
    place.saturating_sub(bias).clamp(LEAST_THRESHOLD, MOST_THRESHOLD)
}

/// The bias after a delta (RFC 3492, 6.1).
fn adapted(delta: u32, points: u32, is_first: bool) -> u32 {
    let mut delta = if is_first { delta / DAMP } else { delta / 2 };
    delta += delta / points;
    let mut bias = 0;
    while delta > (BASE - LEAST_THRESHOLD) * MOST_THRESHOLD / 2 {
        delta /= BASE - LEAST_THRESHOLD;
        bias += BASE;
    }
    bias + (BASE - LEAST_THRESHOLD + 1) * delta / (delta + SKEW)
}

/// The Punycode of a text; None if a number overflows.
pub(super) fn encode(text: &str) -> Option<String> {
    let points: Vec<u32> = text.chars().map(u32::from).collect();
    let mut encoded: String = text.chars().filter(char::is_ascii).collect();
    let basic = encoded.len() as u32;
    if basic > 0 {
        encoded.push('-');
    }
    let (mut next, mut delta, mut bias, mut handled) = (FIRST_POINT, 0u32, FIRST_BIAS, basic);
    while (handled as usize) < points.len() {
        let least = *points.iter().filter(|&&point| point >= next).min()?;
        delta = delta.checked_add((least - next).checked_mul(handled + 1)?)?;
        next = least;
        for &point in &points {
            if point < next {
                delta = delta.checked_add(1)?;
            }
            if point == next {
                push_number(&mut encoded, delta, bias);
                bias = adapted(delta, handled + 1, handled == basic);
                delta = 0;
                handled += 1;
            }
        }
        delta = delta.checked_add(1)?;
        next += 1;
    }
    Some(encoded)
}

fn push_number(encoded: &mut String, number: u32, bias: u32) {
    let mut rest = number;
    for place in (BASE..).step_by(BASE as usize) {
        let threshold = threshold(place, bias);
        if rest < threshold {
            break;
        }
        encoded.push(digit(threshold + (rest - threshold) % (BASE - threshold)));
        rest = (rest - threshold) / (BASE - threshold);
    }
    encoded.push(digit(rest));
}

fn digit(value: u32) -> char {
    char::from(if value < 26 { b'a' + value as u8 } else { b'0' + (value - 26) as u8 })
}

/// The text that Punycode spells; None if it spells none.
pub(super) fn decode(encoded: &str) -> Option<String> {
    let (basic, extended) = encoded.rsplit_once('-').unwrap_or(("", encoded));
    let mut text: Vec<char> = basic.chars().collect();
    if !basic.is_ascii() {
        return None;
    }
    let (mut next, mut index, mut bias) = (FIRST_POINT, 0u32, FIRST_BIAS);
    let mut digits = extended.bytes();
    while digits.len() > 0 {
        let before = index;
        let mut weight = 1u32;
        for place in (BASE..).step_by(BASE as usize) {
            let digit = char::from(digits.next()?).to_digit(BASE)?;
            // `to_digit` counts 0 to 9 before a to z, Punycode behind it.
            let digit = if digit < 10 { digit + 26 } else { digit - 10 };
            index = index.checked_add(digit.checked_mul(weight)?)?;
            let threshold = threshold(place, bias);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
        }
        let length = text.len() as u32 + 1;
        bias = adapted(index - before, length, before == 0);
        next = next.checked_add(index / length)?;
        index %= length;
        text.insert(index as usize, char::from_u32(next)?);
        index += 1;
    }
    Some(text.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3492, 7.1, and the shortest cases.
    const SAMPLES: [(&str, &str); 8] = [
        ("bücher", "bcher-kva"),
        ("ü", "tda"),
        ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
        ("なぜみんな日本語を話してくれないのか", "n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"),
        ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"),
        ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
        ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"),
        ("-> $1.00 <-", "-> $1.00 <--"),
    ];

    #[test]
    fn samples_are_those_of_the_standard() {
        for (text, encoded) in SAMPLES {
            assert_eq!(encode(text).as_deref(), Some(encoded), "{text}");
            assert_eq!(decode(encoded).as_deref(), Some(text), "{encoded}");
        }
    }

    #[test]
    fn what_spells_no_text_is_refused() {
        for encoded in ["a-b!", "99999999", "a-99999", "ü-a", "a-z"] {
            assert_eq!(decode(encoded), None, "{encoded}");
        }
    }
}
