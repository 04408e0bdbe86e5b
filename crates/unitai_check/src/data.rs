//! Arguments that are nothing but data, compared without asking anybody.

use unitai_model::calls::PlacedCall;
use unitai_model::value::{arguments, equal};
use unitai_model::{Packed, Value};

use crate::ports::Arguments;

/// Arguments that are plain data: the port's implementation for callers in Rust.
///
/// ```
/// use unitai_check::ports::DataArguments;
/// use unitai_model::Packed;
/// let wanted = DataArguments::new(Packed::from_text(r#"{"order_id":"123"}"#).unwrap());
/// ```
pub struct DataArguments(Packed);

impl DataArguments {
    /// Arguments from a packed dictionary.
    pub fn new(packed: Packed) -> DataArguments {
        DataArguments(packed)
    }
}

impl Arguments for DataArguments {
    fn are_exactly(&self, call: PlacedCall<'_>) -> bool {
        same_data(&self.0, &call.call.args)
    }

    fn are_among(&self, call: PlacedCall<'_>) -> bool {
        self.differences(call, false).is_empty()
    }

    fn differences(&self, call: PlacedCall<'_>, whole: bool) -> Vec<String> {
        let wanted = self.0.value();
        let entries = if let Value::Dict(entries) = &wanted { entries.as_slice() } else { &[] };
        value_differences(entries, &call.call.args.value(), whole)
    }

    fn shown(&self) -> String {
        arguments(&self.0, 80)
    }

    fn as_data(&self) -> Option<&Packed> {
        Some(&self.0)
    }
}

/// Whether two values are equal as data. The same text is, unless it holds what equals nothing.
fn same_data(a: &Packed, b: &Packed) -> bool {
    if a.text() == b.text() && !a.is_tagged() { true } else { equal(&a.value(), &b.value()) }
}

fn value_differences(wanted: &[(Value, Value)], found: &Value, whole: bool) -> Vec<String> {
    let Value::Dict(found) = found else { return vec!["the arguments are no dictionary".to_owned()] };
    let name = |key: &Value| match key {
        Value::Str(key) => key.clone(),
        other => other.shown(40),
    };
    let mut out = Vec::new();
    for (key, wanted) in wanted {
        match found.iter().find(|(k, _)| equal(k, key)) {
            Some((_, value)) if equal(value, wanted) => {}
            Some((_, value)) => {
                out.push(format!("{}: expected {}, got {}", name(key), wanted.shown(80), value.shown(80)));
            }
            None => out.push(format!("{}: expected {}, got nothing", name(key), wanted.shown(80))),
        }
    }
    if whole {
        for (key, value) in found {
            if !wanted.iter().any(|(k, _)| equal(k, key)) {
                out.push(format!("{}: not expected, got {}", name(key), value.shown(80)));
            }
        }
    }
    out
}
