//! A tool's answer that a fault changes before the agent gets it.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use unitai_model::{Fault, FaultKind, Value};
use unitai_wire::faults::{contradict, corrupt, empty};

use crate::attribute::Attribute;
use crate::errors::Trouble;
use crate::gate;
use crate::values::{encode, snapshot, to_python};

/// What a fault makes of an answer.
pub(crate) struct Spoil {
    /// The fault as the record keeps it.
    pub(crate) fault: Fault,
    /// For what the fault leaves to chance.
    pub(crate) drawn: u64,
    /// The value that the agent gets, where the test gave one.
    pub(crate) given: Option<Py<PyAny>>,
}

impl Spoil {
    /// What the agent gets, and what the record says of it.
    pub(crate) fn apply<'py>(&self, answer: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Fault)> {
        let py = answer.py();
        let was = encode(answer)?.packed;
        let fault = Fault { instead_of: Some(was.clone()), ..self.fault.clone() };
        if let Some(given) = &self.given {
            return Ok((snapshot(given.bind(py))?, fault));
        }
        let spoiled = match self.fault.kind {
            FaultKind::Empty => Some(to_python(py, &empty(&was.value()).pack())?),
            FaultKind::Corrupt => changed(answer, &|value| Some(corrupt(value, self.drawn)))?,
            _ => changed(answer, &contradict)?,
        };
        spoiled.map(|spoiled| (spoiled, fault)).ok_or_else(|| {
            let word = self.fault.kind.word();
            Trouble::new(
                "InvalidArgumentError",
                format!("{word}() does not know what to make of this answer"),
            )
            .found(was.value().shown(80))
            .remedy("say what the agent gets instead: contradict(value)")
            .into_err(py)
        })
    }
}

type Change<'a> = &'a dyn Fn(&Value) -> Option<Value>;

/// A copy of an answer, changed where it is data; `None` when nothing in it could be changed.
fn changed<'py>(answer: &Bound<'py, PyAny>, change: Change<'_>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = answer.py();
    let encoded = encode(answer)?;
    if encoded.kept.is_none() {
        return change(&encoded.packed.value()).map(|value| to_python(py, &value.pack())).transpose();
    }
    if let Ok(dict) = answer.cast_exact::<PyDict>() {
        return Ok(changed_fields(dict, change)?.map(Bound::into_any));
    }
    if answer.is_exact_instance_of::<PyList>() || answer.is_exact_instance_of::<PyTuple>() {
        let mut has_changed = false;
        let items = PyList::empty(py);
        for item in answer.try_iter()? {
            let item = item?;
            let other = changed(&item, change)?;
            has_changed |= other.is_some();
            items.append(other.unwrap_or(item))?;
        }
        let same_kind = gate::call(answer.get_type().as_any(), (items,), None)?;
        return Ok(has_changed.then_some(same_kind));
    }
    // An object: a copy whose attributes are changed.
    let Some(fields) = answer.getattr_opt("__dict__")? else { return Ok(None) };
    let Ok(fields) = fields.cast_into::<PyDict>() else { return Ok(None) };
    let Some(fields) = changed_fields(&fields, change)? else { return Ok(None) };
    let copy = gate::call(&py.import("copy")?.attribute("copy")?, (answer,), None)?;
    copy.attribute("__dict__")?.cast_into::<PyDict>()?.update(fields.as_mapping())?;
    Ok(Some(copy))
}

/// The fields of a dictionary, changed together where they are data: what is said of one may depend on
/// the others.
fn changed_fields<'py>(
    fields: &Bound<'py, PyDict>,
    change: Change<'_>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let py = fields.py();
    let (out, data) = (fields.copy()?, PyDict::new(py));
    let mut has_changed = false;
    for (name, value) in fields.iter() {
        if encode(&value)?.kept.is_none() {
            data.set_item(name, value)?;
        } else if let Some(other) = changed(&value, change)? {
            has_changed = true;
            out.set_item(name, other)?;
        }
    }
    if !data.is_empty()
        && let Some(other) = change(&encode(data.as_any())?.packed.value())
    {
        has_changed = true;
        out.update(to_python(py, &other.pack())?.cast_into::<PyDict>()?.as_mapping())?;
    }
    Ok(has_changed.then_some(out))
}
