//! Patterns and exception classes, asked of Python.

use pyo3::prelude::*;
use unitai_check::ports::{ErrorClass, Pattern};
use unitai_model::Failure;

use super::words::{note_trouble, shown};
use crate::attribute::Attribute;
use crate::errors::{invalid, qualified_name};
use crate::run::Trajectory;

/// A pattern of Python's `re`.
pub(super) struct PythonPattern {
    pattern: Py<PyAny>,
    shown: String,
}

impl PythonPattern {
    /// Compiles `pattern`, unless it is compiled already.
    pub(super) fn new(pattern: &Bound<'_, PyAny>) -> PyResult<PythonPattern> {
        let compiled = pattern.py().import("re")?.attribute("compile")?.call1((pattern,))?;
        let shown = shown(&compiled.attribute("pattern")?);
        Ok(PythonPattern { pattern: compiled.unbind(), shown })
    }
}

impl Pattern for PythonPattern {
    fn found_in(&self, text: &str) -> bool {
        Python::attach(|py| {
            let found = self.pattern.bind(py).call_method1("search", (text,));
            found.map(|found| !found.is_none()).unwrap_or_else(|error| {
                note_trouble(error);
                false
            })
        })
    }

    fn all_in(&self, text: &str) -> Vec<String> {
        let all = |py: Python<'_>| -> PyResult<Vec<String>> {
            let found = self.pattern.bind(py).call_method1("finditer", (text,))?;
            found.try_iter()?.map(|found| found?.call_method0("group")?.extract()).collect()
        };
        Python::attach(|py| {
            all(py).unwrap_or_else(|error| {
                note_trouble(error);
                Vec::new()
            })
        })
    }

    fn shown(&self) -> String {
        self.shown.clone()
    }
}

/// An exception class, or several of which one must fit.
pub(super) struct PythonErrorClass {
    class: Py<PyAny>,
    names: Vec<String>,
    error: Py<PyAny>,
    is_recorded: bool,
}

impl PythonErrorClass {
    pub(super) fn new(class: &Bound<'_, PyAny>, trajectory: &Trajectory) -> PyResult<PythonErrorClass> {
        let py = class.py();
        let classes: Vec<Bound<'_, pyo3::types::PyType>> = match class.extract() {
            Ok(several) => several,
            Err(_) => match class.extract() {
                Ok(one) => vec![one],
                Err(_) => {
                    let message = format!(
                        "error_is() takes an exception class or a tuple of them, not {}",
                        shown(class)
                    );
                    return Err(invalid(py, message));
                }
            },
        };
        let error = trajectory.error(py)?;
        let is_recorded = error.is_instance(&crate::errors::class(py, "RecordedError")?)?;
        Ok(PythonErrorClass {
            class: class.clone().unbind(),
            names: classes.iter().map(qualified_name).collect(),
            error: error.unbind(),
            is_recorded,
        })
    }
}

impl ErrorClass for PythonErrorClass {
    fn includes(&self, failure: &Failure) -> bool {
        if self.is_recorded {
            return self.names.iter().any(|name| failure.is_a(name));
        }
        Python::attach(|py| self.error.bind(py).is_instance(self.class.bind(py)).unwrap_or(false))
    }

    fn shown(&self) -> String {
        let short = |name: &String| name.rsplit('.').next().unwrap_or_default().to_owned();
        self.names.iter().map(short).collect::<Vec<_>>().join(" or ")
    }
}
