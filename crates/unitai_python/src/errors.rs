//! Errors across the language boundary: the catalogue, and how an entry is raised.

use pyo3::exceptions::{PyBaseException, PyException};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};
use unitai_model::catalogue::CATALOGUE;
use unitai_model::{Failure, FormatError, Money};

use crate::attribute::Attribute;
use crate::frames::place;
use crate::gate;

/// An error of the catalogue in the making: what happened, and what to do about it.
pub(crate) struct Trouble {
    class: &'static str,
    message: String,
    expected: Option<String>,
    found: Option<String>,
    remedy: Option<String>,
    /// Whose budget it was, where that is the trouble.
    whose: Option<String>,
}

impl Trouble {
    pub(crate) fn new(class: &'static str, message: impl Into<String>) -> Trouble {
        Trouble { class, message: message.into(), expected: None, found: None, remedy: None, whose: None }
    }

    pub(crate) fn expected(mut self, text: impl Into<String>) -> Trouble {
        self.expected = Some(text.into());
        self
    }

    pub(crate) fn found(mut self, text: impl Into<String>) -> Trouble {
        self.found = Some(text.into());
        self
    }

    pub(crate) fn remedy(mut self, text: impl Into<String>) -> Trouble {
        self.remedy = Some(text.into());
        self
    }

    pub(crate) fn whose(mut self, name: Option<&str>) -> Trouble {
        self.whose = name.map(str::to_owned);
        self
    }

    /// The Python exception, ready to be raised.
    pub(crate) fn into_err(self, py: Python<'_>) -> PyErr {
        match self.instance(py) {
            Ok(instance) => PyErr::from_value(instance),
            Err(error) => error,
        }
    }

    fn instance<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let details = PyDict::new(py);
        details.set_item("expected", self.expected)?;
        details.set_item("found", self.found)?;
        details.set_item("remedy", self.remedy)?;
        let error = gate::call(&class(py, self.class)?, (self.message,), Some(&details))?;
        if let Some(whose) = self.whose {
            error.setattr("whose", whose)?;
        }
        Ok(error)
    }
}

/// A class of `unitai.errors`.
pub(crate) fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static ERRORS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = ERRORS.get_or_try_init(py, || py.import("unitai.errors").map(Bound::unbind))?;
    module.bind(py).attribute(name)
}

/// Whether an error says that the test is wrong, not the agent.
pub(crate) fn is_misuse(py: Python<'_>, error: &PyErr) -> bool {
    class(py, "MisuseError").is_ok_and(|class| error.matches(py, class).unwrap_or(false))
}

pub(crate) fn invalid(py: Python<'_>, message: impl Into<String>) -> PyErr {
    Trouble::new("InvalidArgumentError", message).into_err(py)
}

/// An amount of dollars that somebody may have paid.
pub(crate) fn amount(py: Python<'_>, dollars: f64) -> PyResult<Money> {
    let amount = if dollars >= 0.0 { Money::from_dollars(dollars) } else { None };
    amount.ok_or_else(|| invalid(py, format!("a cost of {dollars} dollars is impossible")))
}

/// A setting that cannot be used.
pub(crate) fn unusable(py: Python<'_>, trouble: unitai_config::Trouble) -> PyErr {
    Trouble::new("ConfigError", trouble.to_string()).expected(trouble.expected).into_err(py)
}

pub(crate) fn format_error(py: Python<'_>, error: FormatError) -> PyErr {
    let class = match &error {
        FormatError::Newer { .. } => "NewerFormatError",
        FormatError::Malformed { .. } => "TrajectoryFormatError",
    };
    Trouble::new(class, error.to_string()).into_err(py)
}

/// An exception as the record keeps it. Never fails: an exception whose text cannot be had is
/// still an exception.
pub(crate) fn failure(error: &Bound<'_, PyBaseException>) -> Failure {
    let class = error.get_type();
    let mut types: Vec<String> = class
        .mro()
        .iter()
        .filter_map(|base| base.cast_into::<PyType>().ok())
        .map(|base| qualified_name(&base))
        .filter(|name| name != "builtins.object")
        .collect();
    let own = if types.is_empty() { "builtins.BaseException".to_owned() } else { types.remove(0) };
    let is_ours = is_of_ours(error);
    Failure::new(own, types, message(error, is_ours)).at(place(error, is_ours))
}

fn is_of_ours(error: &Bound<'_, PyBaseException>) -> bool {
    class(error.py(), "UnitAIError").is_ok_and(|root| error.is_instance(&root).unwrap_or(false))
}

/// The text of an exception. Of our own it is the first line: what to do about it is for whoever sees
/// it raised, not for a record.
fn message(error: &Bound<'_, PyBaseException>, is_ours: bool) -> String {
    let py = error.py();
    let text = if is_ours {
        error.attribute("message")
    } else {
        gate::call(py.get_type::<PyString>().as_any(), (error,), None)
    };
    match text.and_then(|text| Ok(text.cast_into::<PyString>()?)) {
        Ok(text) => text.to_string_lossy().into_owned(),
        Err(_) => "(its text cannot be had: str() raised)".to_owned(),
    }
}

/// `module.Class`.
pub(crate) fn qualified_name(class: &Bound<'_, PyType>) -> String {
    let text = |result: PyResult<Bound<'_, PyString>>| result.map(|name| name.to_string_lossy().into_owned());
    let name = text(class.qualname()).unwrap_or_else(|_| "?".to_owned());
    match text(class.module()) {
        Ok(module) => format!("{module}.{name}"),
        Err(_) => name,
    }
}

/// The catalogue of errors: code, class, branch, summary, meaning, remedy, example.
#[pyfunction]
pub(crate) fn catalogue(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyTuple>>> {
    CATALOGUE
        .iter()
        .map(|entry| {
            PyTuple::new(
                py,
                [
                    entry.code,
                    entry.class,
                    entry.branch.class(),
                    entry.summary,
                    entry.meaning,
                    entry.remedy,
                    entry.example,
                ],
            )
        })
        .collect()
}

/// Raises an exception of `class` in the thread `ident`; says whether there was such a thread.
#[pyfunction]
#[expect(unsafe_code, reason = "PyO3 has no safe form of this call")]
pub(crate) fn interrupt_thread(ident: u64, class_: &Bound<'_, PyType>) -> PyResult<bool> {
    if !class_.is_subclass_of::<PyBaseException>()? {
        return Err(PyException::new_err("interrupt_thread() takes a class of exceptions"));
    }
    // SAFETY: the interpreter is held (`class_` proves it) and takes its own reference to the class.
    let met = unsafe { pyo3::ffi::PyThreadState_SetAsyncExc(ident as std::ffi::c_long, class_.as_ptr()) };
    Ok(met > 0)
}
