//! What must never be shown or written, for the whole process: the secrets of its environment, and those
//! that its requests carry.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::types::PyString;
use unitai_wire::redact::Secrets;

static SECRETS: OnceLock<Arc<Secrets>> = OnceLock::new();
/// What the environment was when it was read last, as a number.
static ENVIRONMENT: AtomicU64 = AtomicU64::new(0);

/// The secrets of this process. Tests change the environment as they go, so it is looked at each time, and
/// read again if it is another: some microseconds. What was a secret once stays one.
pub(crate) fn here(_py: Python<'_>) -> Arc<Secrets> {
    let secrets = SECRETS.get_or_init(|| Arc::new(Secrets::none()));
    // The interpreter is held, and Python holds it too when it changes a variable.
    let variables: Vec<_> = std::env::vars_os().collect();
    let mut hasher = std::hash::DefaultHasher::new();
    variables.hash(&mut hasher);
    let now = hasher.finish();
    if ENVIRONMENT.swap(now, Ordering::Relaxed) != now {
        let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        secrets.learn_environment(variables.into_iter().map(|(name, value)| (text(name), text(value))));
    }
    Arc::clone(secrets)
}

/// A text as somebody may see it.
pub(crate) fn shown(py: Python<'_>, text: String) -> String {
    match here(py).clean(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(cleaned) => cleaned,
    }
}

/// The text without secrets: everything that UnitAI shows or writes has gone through this.
#[pyfunction]
pub(crate) fn clean<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    let py = text.py();
    // Lone surrogates are no text to Rust; what else is there must be hidden nevertheless.
    let whole = text.to_string_lossy();
    match here(py).clean(&whole) {
        Cow::Borrowed(_) => Ok(text.clone()),
        Cow::Owned(cleaned) => Ok(PyString::new(py, &cleaned)),
    }
}

/// A traceback as it may be printed to a log: without secrets, and without control characters that a log would obey.
#[pyfunction]
pub(crate) fn log_lines<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    let cleaned = clean(text)?;
    let whole = cleaned.to_string_lossy();
    let lines = unitai_model::value::log_lines(&whole);
    // Lone surrogates are no text to Rust, so a text that needs no change is given back as it is.
    Ok(if lines == whole { cleaned.clone() } else { PyString::new(text.py(), &lines) })
}
