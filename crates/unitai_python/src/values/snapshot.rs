//! A copy of a Python value that later changes cannot reach.

use std::collections::HashMap;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple, PyType,
};
use unitai_model::value::text::MAX_DEPTH;

use crate::attribute::Attribute;
use crate::gate;

/// Copies built-in containers all the way down. Another object is deep-copied if its class defines
/// what equal means, since then its copy can be recognised; otherwise it is itself or nothing.
pub(crate) fn snapshot<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    Snapshot::default().copy(value, 0)
}

#[derive(Default)]
struct Snapshot<'py> {
    /// Copies by the address of their original: shared parts stay shared and cycles end.
    done: HashMap<usize, Bound<'py, PyAny>>,
}

impl<'py> Snapshot<'py> {
    fn copy(&mut self, value: &Bound<'py, PyAny>, depth: usize) -> PyResult<Bound<'py, PyAny>> {
        if is_immutable(value) || depth > MAX_DEPTH {
            return Ok(value.clone());
        }
        let address = value.as_ptr() as usize;
        if let Some(copy) = self.done.get(&address) {
            return Ok(copy.clone());
        }
        let py = value.py();
        let copy = if let Ok(dict) = value.cast_exact::<PyDict>() {
            let copy = PyDict::new(py);
            self.done.insert(address, copy.clone().into_any());
            for item in dict.items() {
                let (key, value): (Bound<'py, PyAny>, Bound<'py, PyAny>) = item.extract()?;
                copy.set_item(key, self.copy(&value, depth + 1)?)?;
            }
            copy.into_any()
        } else if let Ok(list) = value.cast_exact::<PyList>() {
            let copy = PyList::empty(py);
            self.done.insert(address, copy.clone().into_any());
            for item in list.iter() {
                copy.append(self.copy(&item, depth + 1)?)?;
            }
            copy.into_any()
        } else if let Ok(tuple) = value.cast_exact::<PyTuple>() {
            let items = tuple.iter().map(|item| self.copy(&item, depth + 1)).collect::<PyResult<Vec<_>>>()?;
            PyTuple::new(py, items)?.into_any()
        } else if value.cast_exact::<PySet>().is_ok() || value.cast_exact::<PyFrozenSet>().is_ok() {
            // Members are hashable, so by convention they do not change.
            value.get_type().call1((value,))?
        } else {
            copy_object(value)?
        };
        self.done.insert(address, copy.clone());
        Ok(copy)
    }
}

fn is_immutable(value: &Bound<'_, PyAny>) -> bool {
    value.is_none()
        || value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyBytes>()
        || value.is_instance_of::<PyType>()
}

fn copy_object<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let equality = value.get_type().attribute("__eq__")?;
    if equality.is(&py.get_type::<PyAny>().attribute("__eq__")?) {
        return Ok(value.clone());
    }
    match gate::call(&py.import("copy")?.attribute("deepcopy")?, (value,), None) {
        // A mock that copies itself into something else would not be recognised.
        Ok(copy) if copy.get_type().is(value.get_type()) => Ok(copy),
        Ok(_) => Ok(value.clone()),
        Err(error) if error.is_instance_of::<PyException>(py) => Ok(value.clone()),
        Err(error) => Err(error),
    }
}
