//! Matchers of a script's conditions.

use std::cell::Cell;

use pyo3::prelude::*;
use pyo3::types::PyString;
use unitai_wire::script::TextMatcher;

use crate::attribute::Attribute;
use crate::gate;

/// Holds when the text contains another.
pub(super) struct Contains(pub(super) String);

impl TextMatcher for Contains {
    fn matches(&self, text: &str) -> Result<bool, String> {
        Ok(text.contains(&self.0))
    }

    fn shown(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// A matcher that is Python's: a compiled pattern is searched for, a function is asked, and any
/// other object is compared.
pub(super) struct PythonMatcher {
    kind: Kind,
    object: Py<PyAny>,
    shown: String,
}

enum Kind {
    Pattern,
    Function,
    Equal,
}

impl PythonMatcher {
    pub(super) fn new(object: &Bound<'_, PyAny>) -> PyResult<PythonMatcher> {
        let pattern = object.py().import("re")?.attribute("Pattern")?;
        let kind = if object.is_instance(&pattern)? {
            Kind::Pattern
        } else if object.is_callable() {
            Kind::Function
        } else {
            Kind::Equal
        };
        let shown = match object.repr() {
            Ok(repr) => unitai_model::value::plain(&repr.to_string_lossy()).to_string(),
            Err(_) => "?".to_owned(),
        };
        Ok(PythonMatcher { kind, object: object.clone().unbind(), shown })
    }

    fn ask(&self, py: Python<'_>, text: &str) -> PyResult<bool> {
        let object = self.object.bind(py);
        let _asking = Asking::begin();
        match self.kind {
            Kind::Pattern => Ok(!gate::call(&object.attribute("search")?, (text,), None)?.is_none()),
            Kind::Function => gate::call(object, (text,), None)?.is_truthy(),
            Kind::Equal => gate::equal(object, PyString::new(py, text).as_any()),
        }
    }
}

thread_local! {
    static IS_ASKING: Cell<bool> = const { Cell::new(false) };
}

/// While this lives, the thread decides a condition.
struct Asking;

impl Asking {
    fn begin() -> Asking {
        IS_ASKING.set(true);
        Asking
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        IS_ASKING.set(false);
    }
}

/// Whether this thread is deciding a condition: then a request to the model would ask the condition again,
/// and so on for ever.
pub(super) fn is_asking() -> bool {
    IS_ASKING.get()
}

impl TextMatcher for PythonMatcher {
    fn matches(&self, text: &str) -> Result<bool, String> {
        Python::attach(|py| self.ask(py, text).map_err(|error| format!("{} raised {error}", self.shown)))
    }

    fn shown(&self) -> String {
        self.shown.clone()
    }
}
