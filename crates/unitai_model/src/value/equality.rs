//! Python's equality, for values that are plain data.
//!
//! `1 == 1.0 == True`, dictionaries and sets ignore order, a list is never a tuple, a set equals a
//! frozen set. [`hash`] agrees with [`equal`], so that equal calls can be found without comparing
//! each with each.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::Value;

/// Whether two values are equal by Python's rules.
///
/// ```
/// use unitai_model::value::{equal, Value};
/// assert!(equal(&Value::Int(1), &Value::Float(1.0)));
/// assert!(!equal(&Value::List(vec![]), &Value::Tuple(vec![])));
/// ```
pub fn equal(a: &Value, b: &Value) -> bool {
    use Value::{Bytes, Dict, FrozenSet, List, Null, Opaque, Set, Str, Surrogates, Tuple};
    match (a, b) {
        (Null, Null) => true,
        (Str(a), Str(b)) => a == b,
        (Surrogates(a), Surrogates(b)) => a == b,
        (Bytes(a), Bytes(b)) => a == b,
        (List(a), List(b)) | (Tuple(a), Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Set(a) | FrozenSet(a), Set(b) | FrozenSet(b)) => same_members(a, b, equal, hash),
        (Dict(a), Dict(b)) => {
            same_members(a, b, |a, b| equal(&a.0, &b.0) && equal(&a.1, &b.1), |entry| hash(&entry.0))
        }
        (Opaque(a), Opaque(b)) => a == b,
        _ => match (Number::of(a), Number::of(b)) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        },
    }
}

/// A hash that is the same for equal values.
pub fn hash(value: &Value) -> u64 {
    let mut hasher = FxHasher::default();
    feed(value, &mut hasher);
    hasher.finish()
}

fn feed(value: &Value, into: &mut FxHasher) {
    match value {
        Value::Null => 0u8.hash(into),
        Value::Str(text) => text.hash(into),
        Value::Surrogates(points) => points.hash(into),
        Value::Bytes(bytes) => bytes.hash(into),
        Value::List(items) => items.iter().for_each(|item| feed(item, into)),
        Value::Tuple(items) => {
            1u8.hash(into);
            items.iter().for_each(|item| feed(item, into));
        }
        // Order does not count, so the members' hashes are added.
        Value::Set(items) | Value::FrozenSet(items) => {
            items.iter().fold(2u64, |sum, item| sum.wrapping_add(hash(item))).hash(into);
        }
        Value::Dict(entries) => entries
            .iter()
            .fold(3u64, |sum, (k, v)| sum.wrapping_add(hash(k) ^ hash(v).rotate_left(17)))
            .hash(into),
        Value::Opaque(opaque) => opaque.hash(into),
        _ => {
            if let Some(number) = Number::of(value) {
                number.hash(into);
            }
        }
    }
}

/// A number in the one form in which equal numbers are the same.
#[derive(PartialEq, Hash)]
enum Number {
    Int(i64),
    Big(String),
    /// The bits of a float that is no integer.
    Other(u64),
}

impl Number {
    fn of(value: &Value) -> Option<Number> {
        match value {
            Value::Bool(value) => Some(Number::Int(i64::from(*value))),
            Value::Int(value) => Some(Number::Int(*value)),
            Value::BigInt(hex) => Some(Number::Big(hex.clone())),
            Value::Float(value) => Number::of_float(*value),
            _ => None,
        }
    }

    fn of_float(value: f64) -> Option<Number> {
        const LIMIT: f64 = 9_223_372_036_854_775_808.0;
        if value.is_nan() {
            return None;
        }
        if value.fract() != 0.0 || value.is_infinite() {
            return Some(Number::Other(value.to_bits()));
        }
        if (-LIMIT..LIMIT).contains(&value) {
            return Some(Number::Int(value as i64));
        }
        // An integral float beyond 64 bits: its mantissa followed by zeros, exactly.
        let bits = value.to_bits();
        let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
        let shift = ((bits >> 52) & 0x7ff) - 1075;
        let sign = if value < 0.0 { "-" } else { "" };
        let head = u128::from(mantissa) << (shift % 4);
        Some(Number::Big(format!("{sign}{head:x}{}", "0".repeat((shift / 4) as usize))))
    }
}

fn same_members<T>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool, key: impl Fn(&T) -> u64) -> bool {
    if a.len() != b.len() {
        return false;
    }
    if a.len() <= 8 {
        return a.iter().all(|a| b.iter().any(|b| same(a, b)));
    }
    let mut buckets: std::collections::HashMap<u64, Vec<&T>, rustc_hash::FxBuildHasher> =
        std::collections::HashMap::default();
    for item in b {
        buckets.entry(key(item)).or_default().push(item);
    }
    a.iter().all(|item| buckets.get(&key(item)).is_some_and(|found| found.iter().any(|b| same(item, b))))
}
