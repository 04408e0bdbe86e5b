//! A request that goes out through its client's own transport, watched.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use unitai_wire::exchange::How;

use super::watched::Watched;

/// A request that goes out, and its answer as it comes.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct Passage {
    pub(super) watched: Arc<Watched>,
    /// The URL to send it to, where that changed.
    #[pyo3(get)]
    pub(super) url: Option<String>,
    pub(super) body: Option<String>,
    /// Whether the answer must not be compressed, because a part of it is to be taken out.
    #[pyo3(get)]
    pub(super) wants_identity: bool,
}

#[pymethods]
impl Passage {
    /// The body to send, where that changed.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.body.as_ref().map(|body| PyBytes::new(py, body.as_bytes()))
    }

    /// The head of the answer came.
    fn head(&self, py: Python<'_>, status: u16, content_type: &str, content_encoding: &str) -> PyResult<()> {
        self.watched.check(py)?;
        self.watched.with(|exchange| exchange.head(status, content_type, content_encoding));
        Ok(())
    }

    /// The next bytes of the answer; gives what the client gets.
    fn feed<'py>(&self, py: Python<'py>, chunk: &Bound<'py, PyBytes>) -> PyResult<Bound<'py, PyBytes>> {
        self.watched.check(py)?;
        let instead = self.watched.with(|exchange| exchange.feed(chunk.as_bytes())).flatten();
        Ok(instead.map_or_else(|| chunk.clone(), |bytes| PyBytes::new(py, &bytes)))
    }

    /// The answer is over; gives what the client still gets.
    fn end<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let rest = self.watched.with(unitai_wire::exchange::Exchange::end).unwrap_or_default();
        self.watched.settle(py, &How::Ended);
        PyBytes::new(py, &rest)
    }

    /// The client reads no further.
    fn close(&self, py: Python<'_>) {
        self.watched.settle(py, &How::Closed);
    }

    /// The connection failed.
    fn broke(&self, py: Python<'_>, reason: &str) {
        self.watched.settle(py, &How::Broke(reason.to_owned()));
    }
}
