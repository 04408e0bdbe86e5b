//! The one way out of the interpreter for work that may take longer than a few microseconds.

use pyo3::prelude::*;

/// Runs engine work without holding the interpreter, so that other threads of the agent go on.
pub(crate) fn without_interpreter<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    py.detach(work)
}
