//! Who speaks for the model: a script, or recordings.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::{Cassette, Script};

/// Who speaks for the model.
pub(crate) enum Voice {
    /// A script.
    Script(Py<Script>),
    /// Recordings.
    Cassette(Py<Cassette>),
}

impl Voice {
    pub(super) fn of(object: &Bound<'_, PyAny>) -> PyResult<Voice> {
        if let Ok(script) = object.cast::<Script>() {
            return Ok(Voice::Script(script.clone().unbind()));
        }
        match object.cast::<Cassette>() {
            Ok(cassette) => Ok(Voice::Cassette(cassette.clone().unbind())),
            Err(_) => Err(PyTypeError::new_err("a script or a cassette was expected")),
        }
    }

    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Voice {
        match self {
            Voice::Script(script) => Voice::Script(script.clone_ref(py)),
            Voice::Cassette(cassette) => Voice::Cassette(cassette.clone_ref(py)),
        }
    }

    /// The object in Python.
    pub(crate) fn object(&self) -> &Py<PyAny> {
        match self {
            Voice::Script(script) => script.as_any(),
            Voice::Cassette(cassette) => cassette.as_any(),
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        match self {
            Voice::Script(script) => script.get().is_closed(),
            Voice::Cassette(cassette) => cassette.get().is_closed(),
        }
    }

    pub(super) fn close(&self) {
        match self {
            Voice::Script(script) => script.get().close(),
            Voice::Cassette(cassette) => cassette.get().close(),
        }
    }

    pub(super) fn blocks_network(&self) -> bool {
        match self {
            Voice::Script(script) => script.get().blocks_network,
            Voice::Cassette(cassette) => cassette.get().blocks_network,
        }
    }

    /// Whether no request to a model may leave the process.
    pub(super) fn keeps_models_in(&self) -> bool {
        match self {
            Voice::Script(_) => true,
            Voice::Cassette(cassette) => cassette.get().is_replay(),
        }
    }

    /// Remembers that something is wrong, so that it comes out whatever the agent does with it.
    pub(super) fn note_trouble(&self, py: Python<'_>, error: &PyErr) {
        match self {
            Voice::Script(script) => script.get().note_trouble(py, error),
            Voice::Cassette(cassette) => cassette.get().note_trouble(py, error),
        }
    }

    /// A run begins here.
    pub(crate) fn enrol(&self, run_id: &str) {
        if let Voice::Script(script) = self {
            script.get().enrol(run_id);
        }
    }

    /// A run that began here was refused.
    pub(crate) fn refuse(&self, run_id: &str) {
        if let Voice::Script(script) = self {
            script.get().refuse(run_id);
        }
    }
}
