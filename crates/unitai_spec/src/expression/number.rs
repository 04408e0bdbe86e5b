//! Numbers as Python has them: whole ones do not overflow, and are compared with floats exactly.

use std::cmp::Ordering;

use unitai_model::value::Value;

use super::tree::Sign;

/// The value of a whole number.
pub(crate) fn whole(number: i128) -> Value {
    match i64::try_from(number) {
        Ok(small) => Value::Int(small),
        Err(_) if number < 0 => Value::BigInt(format!("-{:x}", number.unsigned_abs())),
        Err(_) => Value::BigInt(format!("{number:x}")),
    }
}

/// Whether it is a number. True and false are none, though they equal 1 and 0.
pub(crate) fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::BigInt(_) | Value::Float(_))
}

/// The whole number of a value, if it has one that is not beyond all measure.
pub(crate) fn to_whole(value: &Value) -> Option<i128> {
    match value {
        Value::Int(it) => Some(i128::from(*it)),
        Value::BigInt(hex) => i128::from_str_radix(hex, 16).ok(),
        _ => None,
    }
}

/// The nearest float of a number.
pub(crate) fn to_float(value: &Value) -> Option<f64> {
    match value {
        Value::Int(it) => Some(*it as f64),
        Value::Float(it) => Some(*it),
        Value::BigInt(hex) => {
            let digits = hex.trim_start_matches('-');
            let mut float = 0.0;
            for digit in digits.chars() {
                float = float * 16.0 + f64::from(digit.to_digit(16)?);
            }
            Some(if hex.starts_with('-') { -float } else { float })
        }
        _ => None,
    }
}

/// A number in decimal digits; a very large one in hexadecimal.
pub(crate) fn decimal(value: &Value) -> String {
    match value {
        Value::Float(it) if it.is_finite() => format!("{it:?}"),
        other => to_whole(other).map_or_else(|| other.to_string(), |it| it.to_string()),
    }
}

/// The order of two numbers; none where one is no number, or not a number.
pub(crate) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Float(a), _) => order_with_float(b, *a).map(Ordering::reverse),
        (_, Value::Float(b)) => order_with_float(a, *b),
        _ => Some(Digits::of(a)?.order(&Digits::of(b)?)),
    }
}

fn order_with_float(whole: &Value, float: f64) -> Option<Ordering> {
    if float.is_nan() || !is_number(whole) {
        return None;
    }
    if float.is_infinite() {
        return Some(if float > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    let by_whole_part = Digits::of(whole)?.order(&Digits::of_float(float.trunc()));
    let by_fraction = 0.0.partial_cmp(&float.fract());
    Some(by_whole_part.then(by_fraction.unwrap_or(Ordering::Equal)))
}

/// A whole number of any size: its sign and its hexadecimal digits, without leading zeros.
struct Digits {
    negative: bool,
    digits: String,
}

impl Digits {
    fn new(hex: &str, negative: bool) -> Self {
        let digits = hex.trim_start_matches('0').to_owned();
        Self { negative: negative && !digits.is_empty(), digits }
    }

    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Int(it) => Some(Self::new(&format!("{:x}", it.unsigned_abs()), *it < 0)),
            Value::BigInt(hex) => Some(Self::new(hex.trim_start_matches('-'), hex.starts_with('-'))),
            _ => None,
        }
    }

    /// Of a float that is whole and finite.
    fn of_float(float: f64) -> Self {
        if float.abs() < 2f64.powi(100) {
            return Self::new(&format!("{:x}", float.abs() as u128), float < 0.0);
        }
        // So large a float is its mantissa followed by zeros.
        let bits = float.to_bits();
        let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
        let shift = ((bits >> 52) & 0x7ff).saturating_sub(1075);
        let head = u128::from(mantissa) << (shift % 4);
        Self::new(&format!("{head:x}{}", "0".repeat((shift / 4) as usize)), float < 0.0)
    }

    fn order(&self, other: &Self) -> Ordering {
        let size = |it: &Self, than: &Self| {
            it.digits.len().cmp(&than.digits.len()).then_with(|| it.digits.cmp(&than.digits))
        };
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => size(self, other),
            (true, true) => size(other, self),
        }
    }
}

/// The result of arithmetic on two numbers; why there is none is one line for people.
pub(crate) fn compute(a: &Value, sign: Sign, b: &Value) -> Result<Value, &'static str> {
    const TOO_LARGE: &str = "the result is too large";
    let whole_numbers = match sign {
        Sign::Divide => None,
        _ => to_whole(a).zip(to_whole(b)),
    };
    if let Some((a, b)) = whole_numbers {
        return match sign {
            Sign::Plus => a.checked_add(b),
            Sign::Minus => a.checked_sub(b),
            Sign::Times => a.checked_mul(b),
            Sign::Divide | Sign::Remainder if b == 0 => return Err("nothing can be divided by zero"),
            // The remainder has the sign of the divisor, as Python's has.
            Sign::Divide | Sign::Remainder => {
                a.checked_rem(b).map(|rest| if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
            }
        }
        .map(whole)
        .ok_or(TOO_LARGE);
    }
    let (Some(a), Some(b)) = (to_float(a), to_float(b)) else { return Err("it takes two numbers") };
    let result = match sign {
        Sign::Plus => a + b,
        Sign::Minus => a - b,
        Sign::Times => a * b,
        Sign::Divide | Sign::Remainder if b == 0.0 => return Err("nothing can be divided by zero"),
        Sign::Divide => a / b,
        Sign::Remainder => {
            let rest = a % b;
            if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
        }
    };
    if result.is_finite() || !a.is_finite() || !b.is_finite() {
        Ok(Value::Float(result))
    } else {
        Err(TOO_LARGE)
    }
}

/// A number with the other sign.
pub(crate) fn negative(value: &Value) -> Result<Value, &'static str> {
    match value {
        Value::Float(it) => Ok(Value::Float(-it)),
        other => compute(&Value::Int(0), Sign::Minus, other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn big(hex: &str) -> Value {
        Value::BigInt(hex.into())
    }

    #[test]
    fn numbers_are_ordered_exactly() {
        use Ordering::{Equal, Greater, Less};
        for (a, b, expected) in [
            (Value::Int(1), Value::Float(1.5), Some(Less)),
            (Value::Int(-1), Value::Float(-1.5), Some(Greater)),
            (Value::Int(0), Value::Float(-0.5), Some(Greater)),
            (Value::Int(2), Value::Float(2.0), Some(Equal)),
            (Value::Int(9_007_199_254_740_993), Value::Float(9_007_199_254_740_992.0), Some(Greater)),
            (big("10000000000000000"), Value::Int(5), Some(Greater)),
            (big("-10000000000000000"), Value::Int(i64::MIN), Some(Less)),
            (big("10000000000000000"), Value::Float(18_446_744_073_709_551_616.0), Some(Equal)),
            (big(&"f".repeat(100)), Value::Float(1e300), Some(Less)),
            (big(&"f".repeat(100)), Value::Float(f64::INFINITY), Some(Less)),
            (Value::Int(1), Value::Float(f64::NAN), None),
            (Value::Int(1), Value::Bool(true), None),
        ] {
            assert_eq!(order(&a, &b), expected, "{a} {b}");
            assert_eq!(order(&b, &a), expected.map(Ordering::reverse), "{b} {a}");
        }
    }

    #[test]
    fn arithmetic_is_pythons() {
        let int = |a, sign, b| compute(&Value::Int(a), sign, &Value::Int(b));
        assert_eq!(int(-7, Sign::Remainder, 3), Ok(Value::Int(2)));
        assert_eq!(int(7, Sign::Remainder, -3), Ok(Value::Int(-2)));
        assert_eq!(int(7, Sign::Divide, 2), Ok(Value::Float(3.5)));
        assert_eq!(int(i64::MAX, Sign::Plus, 1), Ok(big("8000000000000000")));
        assert_eq!(negative(&big("8000000000000000")), Ok(Value::Int(i64::MIN)));
        assert!(int(1, Sign::Divide, 0).is_err() && int(1, Sign::Remainder, 0).is_err());
        assert!(compute(&Value::Float(1e308), Sign::Times, &Value::Int(10)).is_err());
        assert!(compute(&big(&"7".repeat(32)), Sign::Times, &Value::Int(i64::MAX)).is_err());
        assert_eq!(compute(&Value::Float(-7.5), Sign::Remainder, &Value::Int(2)), Ok(Value::Float(0.5)));
    }
}
