//! Arguments compared by Python's equality.

use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use unitai_check::ports::Arguments;
use unitai_model::Packed;
use unitai_model::calls::PlacedCall;
use unitai_model::value::plain;

use super::words::{Trouble, shown};
use crate::run::{Slot, Trajectory};
use crate::values::{encode_text, to_python};

/// Arguments that a test expects, compared by Python's equality with what the agent passed. Where
/// both are plain data the comparison is settled on the recorded text, without making objects.
pub(super) struct PythonArguments {
    expected: Py<PyDict>,
    /// Each key as JSON text, and its value's text when it is plain data.
    fields: Vec<(String, Option<String>)>,
    packed: OnceLock<Option<Packed>>,
    trajectory: Py<Trajectory>,
    /// What a comparison raised; a check cannot raise by itself.
    trouble: Arc<Trouble>,
}

impl PythonArguments {
    pub(super) fn new(
        expected: &Bound<'_, PyDict>,
        trajectory: Py<Trajectory>,
        trouble: Arc<Trouble>,
    ) -> PyResult<PythonArguments> {
        let mut fields = Vec::with_capacity(expected.len());
        for (key, value) in expected.iter() {
            // An empty text stands for a key that is no plain string; texts then settle nothing.
            let key = encode_text(&key).unwrap_or_default();
            fields.push((key, encode_text(&value)));
        }
        let expected = expected.clone().unbind();
        Ok(PythonArguments { expected, fields, packed: OnceLock::new(), trajectory, trouble })
    }

    fn equal(&self, call: PlacedCall<'_>, whole: bool) -> PyResult<bool> {
        if let Some(answer) = self.settled_by_text(call, whole) {
            return Ok(answer);
        }
        Python::attach(|py| {
            let actual = actual(py, &self.trajectory, call)?;
            let expected = self.expected.bind(py);
            if whole && actual.len() != expected.len() {
                return Ok(false);
            }
            for (key, wanted) in expected.iter() {
                match actual.get_item(&key)? {
                    Some(value) if wanted.eq(&value)? => {}
                    _ => return Ok(false),
                }
            }
            Ok(true)
        })
    }

    /// The answer, if the texts alone give it.
    fn settled_by_text(&self, call: PlacedCall<'_>, whole: bool) -> Option<bool> {
        if call.call.args.is_tagged() || self.fields.iter().any(|(key, _)| key.is_empty()) {
            return None;
        }
        let mut met = 0;
        for (key, value) in call.call.args.fields()? {
            let Some((_, wanted)) = self
                .fields
                .iter()
                .find(|(wanted, _)| wanted.len() == key.len() + 2 && wanted[1..].starts_with(key))
            else {
                if whole {
                    return Some(false);
                }
                continue;
            };
            if wanted.as_deref()? == value {
                met += 1;
            } else if certainly_differ(wanted.as_deref()?, value) {
                return Some(false);
            } else {
                return None;
            }
        }
        Some(met == self.fields.len())
    }
}

/// A call's arguments as Python objects.
fn actual<'py>(
    py: Python<'py>,
    trajectory: &Py<Trajectory>,
    call: PlacedCall<'_>,
) -> PyResult<Bound<'py, PyDict>> {
    let actual = match trajectory.get().kept().get(py, call.step, Slot::Args) {
        Some(kept) => kept.into_bound(py),
        None => to_python(py, &call.call.args)?,
    };
    Ok(actual.cast_into::<PyDict>()?)
}

/// Whether two texts that are not the same are surely unequal values: two strings, or two integers.
/// Numbers of different kinds and containers may still be equal.
fn certainly_differ(a: &str, b: &str) -> bool {
    let is_string = |text: &str| text.starts_with('"');
    let is_integer = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    (is_string(a) && is_string(b)) || (is_integer(a) && is_integer(b))
}

impl Arguments for PythonArguments {
    fn are_exactly(&self, call: PlacedCall<'_>) -> bool {
        self.equal(call, true).unwrap_or_else(|error| {
            self.trouble.note(error);
            false
        })
    }

    fn are_among(&self, call: PlacedCall<'_>) -> bool {
        self.equal(call, false).unwrap_or_else(|error| {
            self.trouble.note(error);
            false
        })
    }

    fn differences(&self, call: PlacedCall<'_>, whole: bool) -> Vec<String> {
        let differences = Python::attach(|py| -> PyResult<Vec<String>> {
            let actual = actual(py, &self.trajectory, call)?;
            let expected = self.expected.bind(py);
            let mut out = Vec::new();
            for (key, wanted) in expected.iter() {
                let name = plain(&key.str()?.to_string_lossy());
                match actual.get_item(&key)? {
                    Some(value) if wanted.eq(&value)? => {}
                    Some(value) => {
                        out.push(format!("{name}: expected {}, got {}", shown(&wanted), shown(&value)));
                    }
                    None => out.push(format!("{name}: expected {}, got nothing", shown(&wanted))),
                }
            }
            if whole {
                for (key, value) in actual.iter() {
                    if !expected.contains(&key)? {
                        let name = plain(&key.str()?.to_string_lossy());
                        out.push(format!("{name}: not expected, got {}", shown(&value)));
                    }
                }
            }
            Ok(out)
        });
        differences.unwrap_or_else(|error| {
            self.trouble.note(error);
            vec![]
        })
    }

    fn shown(&self) -> String {
        Python::attach(|py| {
            let items = self.expected.bind(py).iter().map(|(key, value)| {
                let name = key.str().map_or_else(|_| "?".to_owned(), |key| plain(&key.to_string_lossy()));
                format!("{name}={}", shown(&value))
            });
            items.collect::<Vec<_>>().join(", ")
        })
    }

    fn as_data(&self) -> Option<&Packed> {
        let packed = || {
            self.fields.iter().all(|(key, value)| !key.is_empty() && value.is_some()).then(|| {
                let fields = self
                    .fields
                    .iter()
                    .map(|(key, value)| format!("{key}:{}", value.as_deref().unwrap_or("null")));
                Packed::from_trusted(format!("{{{}}}", fields.collect::<Vec<_>>().join(",")))
            })
        };
        self.packed.get_or_init(packed).as_ref()
    }
}

/// A matcher for all arguments at once, such as `partial(...)`.
pub(super) struct WholeMatcher {
    matcher: Py<PyAny>,
    trajectory: Py<Trajectory>,
    trouble: Arc<Trouble>,
}

impl WholeMatcher {
    pub(super) fn new(matcher: Py<PyAny>, trajectory: Py<Trajectory>, trouble: Arc<Trouble>) -> WholeMatcher {
        WholeMatcher { matcher, trajectory, trouble }
    }
}

impl Arguments for WholeMatcher {
    fn are_exactly(&self, call: PlacedCall<'_>) -> bool {
        let equal = Python::attach(|py| self.matcher.bind(py).eq(actual(py, &self.trajectory, call)?));
        equal.unwrap_or_else(|error| {
            self.trouble.note(error);
            false
        })
    }

    fn are_among(&self, call: PlacedCall<'_>) -> bool {
        self.are_exactly(call)
    }

    fn differences(&self, call: PlacedCall<'_>, _whole: bool) -> Vec<String> {
        if self.are_exactly(call) {
            return vec![];
        }
        vec![format!("expected {}, got {}", self.shown(), call.call.args.value().shown(200))]
    }

    fn shown(&self) -> String {
        Python::attach(|py| shown(self.matcher.bind(py)))
    }

    fn as_data(&self) -> Option<&Packed> {
        None
    }
}
