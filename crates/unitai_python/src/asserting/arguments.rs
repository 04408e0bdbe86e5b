//! Arguments compared by Python's equality.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use unitai_check::ports::Arguments;
use unitai_model::Packed;
use unitai_model::calls::PlacedCall;
use unitai_model::value::plain;

use super::words::{note_trouble, shown};
use crate::gate;
use crate::run::{Slot, Trajectory};
use crate::values::{encode_data, to_python};

/// Arguments that a test expects, compared by Python's equality with what the agent passed. Where
/// both are plain data the comparison is settled on the recorded text, without making objects.
pub(super) struct PythonArguments {
    expected: Py<PyDict>,
    /// The expected arguments as text, when they are plain data.
    text: Option<Packed>,
    trajectory: Py<Trajectory>,
}

/// Up to so many fields are compared each with each; more are left to dictionaries.
const FEW_FIELDS: usize = 16;

impl PythonArguments {
    pub(super) fn new(expected: &Bound<'_, PyDict>, trajectory: Py<Trajectory>) -> PythonArguments {
        let text = encode_data(expected.as_any()).filter(|text| !text.is_tagged());
        PythonArguments { expected: expected.clone().unbind(), text, trajectory }
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
                    Some(value) if gate::equal(&wanted, &value)? => {}
                    _ => return Ok(false),
                }
            }
            Ok(true)
        })
    }

    /// The answer, if the texts alone give it.
    fn settled_by_text(&self, call: PlacedCall<'_>, whole: bool) -> Option<bool> {
        let (wanted, found) = (self.text.as_ref()?, &call.call.args);
        if found.is_tagged() || self.trajectory.get().kept().has(call.step, Slot::Args) {
            return None;
        }
        if wanted.text() == found.text() {
            return Some(true);
        }
        let mut count = 0;
        for (key, value) in wanted.fields()? {
            count += 1;
            let Some((_, actual)) = found.fields()?.take(FEW_FIELDS).find(|(name, _)| *name == key) else {
                return if found.fields()?.nth(FEW_FIELDS).is_none() { Some(false) } else { None };
            };
            if value != actual {
                return certainly_differ(value, actual).then_some(false);
            }
        }
        if whole { Some(found.fields()?.count() == count) } else { Some(true) }
    }
}

/// A call's arguments as Python objects. Of those that were too large to be stored, a trajectory
/// read from a file knows nothing: no arguments at all.
fn actual<'py>(
    py: Python<'py>,
    trajectory: &Py<Trajectory>,
    call: PlacedCall<'_>,
) -> PyResult<Bound<'py, PyDict>> {
    let actual = match trajectory.get().kept().get(py, call.step, Slot::Args) {
        Some(kept) => kept.into_bound(py),
        None => to_python(py, &call.call.args)?,
    };
    Ok(actual.cast_into::<PyDict>().unwrap_or_else(|_| PyDict::new(py)))
}

/// Whether two texts that are not the same are surely unequal values: two strings, or two integers.
/// Numbers of different kinds and containers may still be equal.
fn certainly_differ(a: &str, b: &str) -> bool {
    let is_string = |text: &str| text.starts_with('"');
    let is_integer = |text: &str| text != "-0" && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    (is_string(a) && is_string(b)) || (is_integer(a) && is_integer(b))
}

impl Arguments for PythonArguments {
    fn are_exactly(&self, call: PlacedCall<'_>) -> bool {
        self.equal(call, true).unwrap_or_else(|error| {
            note_trouble(error);
            false
        })
    }

    fn are_among(&self, call: PlacedCall<'_>) -> bool {
        self.equal(call, false).unwrap_or_else(|error| {
            note_trouble(error);
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
                    Some(value) if gate::equal(&wanted, &value)? => {}
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
            note_trouble(error);
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
        self.text.as_ref()
    }
}

/// A matcher for all arguments at once, such as `partial(...)`.
pub(super) struct WholeMatcher {
    matcher: Py<PyAny>,
    trajectory: Py<Trajectory>,
}

impl WholeMatcher {
    pub(super) fn new(matcher: Py<PyAny>, trajectory: Py<Trajectory>) -> WholeMatcher {
        WholeMatcher { matcher, trajectory }
    }
}

impl Arguments for WholeMatcher {
    fn are_exactly(&self, call: PlacedCall<'_>) -> bool {
        let equal = Python::attach(|py| {
            gate::equal(self.matcher.bind(py), actual(py, &self.trajectory, call)?.as_any())
        });
        equal.unwrap_or_else(|error| {
            note_trouble(error);
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
