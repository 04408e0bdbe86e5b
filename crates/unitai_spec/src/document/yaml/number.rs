//! What plain scalars are numbers, by the rules of YAML 1.1 as PyYAML has them: `0x1f`, `017`, `0b11`, `1_000`, `1.5`,
//! `.inf`. Three differences: `0o17` is a number too; `1:30` is none (it would be 90); and `1e5` is one where JSON is
//! read, and otherwise a text, as it was for the files that are there.

use unitai_model::value::Value;

/// The number that a plain scalar is.
pub(super) fn number(text: &str, is_json: bool) -> Option<Value> {
    // Nearly every scalar is a text; its first character says so.
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return None;
    }
    integer(text).or_else(|| float(text, is_json))
}

fn integer(text: &str) -> Option<Value> {
    let (negative, digits) = signed(text);
    let (radix, digits) = match digits.as_bytes() {
        [b'0'] => (10, digits),
        [b'0', b'x', ..] => (16, &digits[2..]),
        [b'0', b'b', ..] => (2, &digits[2..]),
        [b'0', b'o', ..] => (8, &digits[2..]),
        [b'0', ..] => (8, &digits[1..]),
        [b'1'..=b'9', ..] => (10, digits),
        _ => return None,
    };
    let plain: String = digits.chars().filter(|c| *c != '_').collect();
    if plain.is_empty() || !plain.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    if let Ok(value) = i128::from_str_radix(&plain, radix) {
        let value = if negative { -value } else { value };
        if let Ok(value) = i64::try_from(value) {
            return Some(Value::Int(value));
        }
    }
    let hex = hexadecimal(&plain, radix)?;
    Some(Value::BigInt(if negative { format!("-{hex}") } else { hex }))
}

/// The digits of a large number in base 16. Numbers of more digits than these are taken for texts: nobody counts so
/// far, and the arithmetic is quadratic.
fn hexadecimal(digits: &str, radix: u32) -> Option<String> {
    const MOST_DIGITS: usize = 1000;
    if digits.len() > MOST_DIGITS {
        return None;
    }
    let mut nibbles: Vec<u32> = vec![0];
    for digit in digits.chars() {
        let mut carry = digit.to_digit(radix)?;
        for nibble in &mut nibbles {
            let sum = *nibble * radix + carry;
            *nibble = sum % 16;
            carry = sum / 16;
        }
        while carry > 0 {
            nibbles.push(carry % 16);
            carry /= 16;
        }
    }
    nibbles.iter().rev().map(|nibble| char::from_digit(*nibble, 16)).collect()
}

fn float(text: &str, is_json: bool) -> Option<Value> {
    let (negative, rest) = signed(text);
    let sign = if negative { -1.0 } else { 1.0 };
    match rest {
        ".inf" | ".Inf" | ".INF" => return Some(Value::Float(sign * f64::INFINITY)),
        ".nan" | ".NaN" | ".NAN" if rest == text => return Some(Value::Float(f64::NAN)),
        _ => {}
    }
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        None => (rest, None),
    };
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c == '_');
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let begins = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let is_mantissa = match fraction {
        // `-.5` is a text in PyYAML's rules, `.5` is a number.
        Some(fraction) if whole.is_empty() => rest == text && begins(fraction) && digits(fraction),
        Some(fraction) => begins(whole) && digits(whole) && digits(fraction),
        None => is_json && begins(whole) && digits(whole),
    };
    let is_exponent = exponent.is_none_or(|exponent| {
        let unsigned = exponent.trim_start_matches(['+', '-']);
        let signs = exponent.len() - unsigned.len();
        (signs == 1 || (signs == 0 && is_json))
            && !unsigned.is_empty()
            && unsigned.chars().all(|c| c.is_ascii_digit())
    });
    if !is_mantissa || !is_exponent {
        return None;
    }
    let plain: String = rest.chars().filter(|c| *c != '_').collect();
    plain.parse::<f64>().ok().map(|value| Value::Float(sign * value))
}

fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_parser_that_wrote_the_files() {
        let int = Value::Int;
        for (text, value) in [
            ("0", int(0)),
            ("-0", int(0)),
            ("+12", int(12)),
            ("1_000", int(1000)),
            ("0x1F", int(31)),
            ("-0x10", int(-16)),
            ("017", int(15)),
            ("0o17", int(15)),
            ("0b101", int(5)),
            ("9223372036854775807", int(i64::MAX)),
            ("-9223372036854775808", int(i64::MIN)),
            ("9223372036854775808", Value::BigInt("8000000000000000".into())),
            ("-18446744073709551616", Value::BigInt("-10000000000000000".into())),
            ("340282366920938463463374607431768211456", Value::BigInt(format!("1{}", "0".repeat(32)))),
            ("1.5", Value::Float(1.5)),
            ("1.", Value::Float(1.0)),
            (".5", Value::Float(0.5)),
            ("-1_0.5", Value::Float(-10.5)),
            ("1.5e+3", Value::Float(1500.0)),
            ("-.inf", Value::Float(f64::NEG_INFINITY)),
        ] {
            assert_eq!(number(text, false), Some(value), "{text}");
        }
        assert!(matches!(number(".nan", false), Some(Value::Float(value)) if value.is_nan()));
        for text in [
            "", "-", "08", "1e5", "1.5e3", "-.5", "1:30", "0x", "0xg", "1.2.3", "--1", "1e", "+.nan", "_1",
            "0b2", "12a", ".", "1-2",
        ] {
            assert_eq!(number(text, false), None, "{text}");
        }
    }

    #[test]
    fn json_knows_exponents_without_a_sign() {
        assert_eq!(number("1e5", true), Some(Value::Float(1e5)));
        assert_eq!(number("-2.5E3", true), Some(Value::Float(-2500.0)));
        assert_eq!(number("1e-7", true), Some(Value::Float(1e-7)));
    }

    #[test]
    fn a_number_without_end_is_a_text_and_takes_no_time() {
        assert_eq!(number(&"9".repeat(100_000), false), None);
    }
}
