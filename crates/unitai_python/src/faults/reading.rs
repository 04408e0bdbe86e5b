//! Reading a plan as `unitai.faults` hands it over: plain tuples, made and checked there.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use unitai_model::Packed;
use unitai_wire::faults::{ArgumentMatcher, Extent, ModelFault, Rule, ToolFault, When};
use unitai_wire::script::Condition;

use crate::errors::invalid;
use crate::gate;
use crate::traffic::{seconds, test};
use crate::values::to_python;

/// A rule, and the object that its fault uses.
type Read = (Rule, Option<Py<PyAny>>);

pub(super) fn read(rules: &Bound<'_, PyList>) -> PyResult<Vec<Read>> {
    rules.iter().map(|rule| self::rule(rule.cast::<PyTuple>()?)).collect()
}

/// `("model", tests, when, fault)` or `("tool", name, arguments, when, fault)`.
fn rule(parts: &Bound<'_, PyTuple>) -> PyResult<Read> {
    let kind: String = parts.get_item(0)?.extract()?;
    if kind == "model" {
        let tests: Vec<(String, Bound<'_, PyAny>)> = parts.get_item(1)?.extract()?;
        let tests = tests.into_iter().map(|(word, want)| test(&word, &want)).collect::<PyResult<_>>()?;
        let rule = Rule::Model {
            condition: Condition(tests),
            when: when(&parts.get_item(2)?)?,
            fault: model_fault(parts.get_item(3)?.cast::<PyTuple>()?)?,
        };
        return Ok((rule, None));
    }
    let arguments: Option<Bound<'_, PyDict>> = parts.get_item(2)?.extract()?;
    let (fault, object) = tool_fault(parts.get_item(4)?.cast::<PyTuple>()?)?;
    let rule = Rule::Tool {
        tool: parts.get_item(1)?.extract()?,
        arguments: match arguments {
            Some(wanted) => Some(Arc::new(PythonArguments(wanted.unbind()))),
            None => None,
        },
        when: when(&parts.get_item(3)?)?,
        fault,
    };
    Ok((rule, object))
}

/// `(numbers, every, chance, times)`.
fn when(parts: &Bound<'_, PyAny>) -> PyResult<When> {
    let (numbers, every, chance, times): (Vec<u64>, Option<u64>, Option<f64>, Option<u64>) =
        parts.extract()?;
    Ok(When { numbers, every: every.and_then(NonZeroU64::new), chance, times })
}

/// `("refuse", status, message, retry_after)`, `("timeout", after)`, `("slow", first, pace)`,
/// `("cut", "chunks" or "bytes", how many)`, or a word alone.
fn model_fault(parts: &Bound<'_, PyTuple>) -> PyResult<ModelFault> {
    let time = |at: usize| -> PyResult<Duration> { seconds(&parts.get_item(at)?) };
    let word: String = parts.get_item(0)?.extract()?;
    Ok(match word.as_str() {
        "refuse" => ModelFault::Refuse {
            status: parts.get_item(1)?.extract()?,
            message: parts.get_item(2)?.extract()?,
            retry_after: parts.get_item(3)?.extract()?,
        },
        "reset" => ModelFault::Reset,
        "timeout" => ModelFault::Timeout { after: time(1)? },
        "slow" => ModelFault::Slow { first: time(1)?, pace: time(2)? },
        "cut" => {
            let many: usize = parts.get_item(2)?.extract()?;
            let is_bytes = parts.get_item(1)?.extract::<String>()? == "bytes";
            ModelFault::Cut { after: if is_bytes { Extent::Bytes(many) } else { Extent::Chunks(many) } }
        }
        "malformed" => ModelFault::Malformed,
        "wrong_schema" => ModelFault::WrongSchema,
        other => return Err(invalid(parts.py(), format!("{other:?} is no fault of a model"))),
    })
}

/// `("error", message, exception)`, `("delay", time)`, `("contradict", value)`, or a word alone.
fn tool_fault(parts: &Bound<'_, PyTuple>) -> PyResult<(ToolFault, Option<Py<PyAny>>)> {
    let word: String = parts.get_item(0)?.extract()?;
    let given = |at: usize| parts.get_item(at).ok().map(Bound::unbind);
    Ok(match word.as_str() {
        "error" => (ToolFault::Error { message: parts.get_item(1)?.extract()? }, given(2)),
        "delay" => (ToolFault::Delay(seconds(&parts.get_item(1)?)?), None),
        "empty" => (ToolFault::Empty, None),
        "corrupt" => (ToolFault::Corrupt, None),
        "contradict" => (ToolFault::Contradict, given(1)),
        other => return Err(invalid(parts.py(), format!("{other:?} is no fault of a tool"))),
    })
}

/// Arguments that a call must have, perhaps among others; compared by Python, so matchers work.
struct PythonArguments(Py<PyDict>);

impl PythonArguments {
    fn hold(&self, py: Python<'_>, arguments: &Packed) -> PyResult<bool> {
        let found = to_python(py, arguments)?;
        let Ok(found) = found.cast_into::<PyDict>() else { return Ok(false) };
        for (name, want) in self.0.bind(py).iter() {
            match found.get_item(&name)? {
                Some(value) if gate::equal(&want, &value)? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }
}

impl ArgumentMatcher for PythonArguments {
    fn matches(&self, arguments: &Packed) -> Result<bool, String> {
        Python::attach(|py| self.hold(py, arguments).map_err(|error| format!("comparing raised {error}")))
    }
}
