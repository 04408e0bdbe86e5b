//! A request that goes out through its client's own transport, watched.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use unitai_model::value::plain;
use unitai_wire::cassette::Tape;
use unitai_wire::exchange::{Exchange, How};
use unitai_wire::faults::Spoiled;

use super::Cassette;
use super::headers::pairs;
use super::watched::Watched;
use crate::gate::without_interpreter;

/// A request that goes out, and its answer as it comes.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct Passage {
    pub(super) traveller: Traveller,
    /// The URL to send it to, where that changed.
    #[pyo3(get)]
    pub(super) url: Option<String>,
    pub(super) body: Option<String>,
    /// Whether the answer must not be compressed, because it is recorded, or a part of it is to be taken out.
    #[pyo3(get)]
    pub(super) wants_identity: bool,
    /// What a fault makes of the answer.
    pub(super) spoiled: Option<Mutex<Spoiled>>,
    /// How long to wait before it is sent, in seconds.
    #[pyo3(get)]
    pub(super) delay: f64,
    /// How long to wait before each part of the answer, in seconds.
    #[pyo3(get)]
    pub(super) pace: f64,
}

impl Passage {
    fn with_spoiled<T>(&self, work: impl FnOnce(&mut Spoiled) -> T) -> Option<T> {
        self.spoiled.as_ref().map(|spoiled| work(&mut spoiled.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// Who goes out.
pub(super) enum Traveller {
    /// A call of a model.
    Model(Arc<Watched>),
    /// A request to another API, which is recorded.
    Api(Box<Taping>),
}

/// A request to an API while its answer is recorded.
pub(super) struct Taping {
    pub(super) tape: Mutex<Option<Tape>>,
    pub(super) cassette: Py<Cassette>,
}

impl Taping {
    fn tape(&self) -> MutexGuard<'_, Option<Tape>> {
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with(&self, work: impl FnOnce(&mut Tape)) {
        self.tape().as_mut().map(work);
    }

    /// The answer came to its end.
    fn keep(&self, py: Python<'_>) {
        let Some(mut tape) = self.tape().take() else { return };
        if !tape.is_worth_keeping() || tape.is_an_error() {
            let summary = tape.summary();
            let what = plain(&summary);
            self.cassette.get().note_lost(format!("{what}: only whole answers of 200 to 299 are"));
            return;
        }
        let is_streamed = tape.is_event_stream();
        if let Err(error) = without_interpreter(py, || tape.keep(is_streamed, false, None)) {
            self.cassette.get().note_unstored(py, error);
        }
    }
}

#[pymethods]
impl Passage {
    /// The body to send, where that changed.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.body.as_ref().map(|body| PyBytes::new(py, body.as_bytes()))
    }

    /// Whether the client may get another answer than the one that comes, and a shorter or longer one.
    #[getter]
    fn changes_answer(&self) -> bool {
        self.body.is_some() || self.spoiled.is_some()
    }

    /// Whether the connection ends here, in the middle of the answer.
    #[getter]
    fn is_cut(&self) -> bool {
        self.with_spoiled(|spoiled| spoiled.is_cut()).unwrap_or(false)
    }

    /// The head of the answer came. The headers are pairs, or something that has them.
    #[pyo3(signature = (status, content_type, content_encoding, headers=None))]
    fn head(
        &self,
        py: Python<'_>,
        status: u16,
        content_type: &str,
        content_encoding: &str,
        headers: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let fill = |tape: &mut Tape| {
            tape.head(status, content_encoding);
            if let Some(headers) = headers {
                pairs(headers, |name, value| tape.header(name, value));
            }
        };
        match &self.traveller {
            Traveller::Model(watched) => {
                watched.check(py)?;
                watched.with(|exchange| exchange.head(status, content_type, content_encoding));
                watched.with_tape(fill);
            }
            Traveller::Api(taping) => taping.with(fill),
        }
        Ok(())
    }

    /// The next bytes of the answer; gives what the client gets.
    fn feed<'py>(&self, py: Python<'py>, chunk: &Bound<'py, PyBytes>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = chunk.as_bytes();
        match &self.traveller {
            Traveller::Model(watched) => {
                watched.check(py)?;
                watched.with_tape(|tape| tape.feed(bytes));
                let instead = watched.with(|exchange| exchange.feed(bytes)).flatten();
                let given = instead.as_deref().unwrap_or(bytes);
                let instead = self.with_spoiled(|spoiled| spoiled.feed(given.to_vec())).or(instead);
                Ok(instead.map_or_else(|| chunk.clone(), |bytes| PyBytes::new(py, &bytes)))
            }
            Traveller::Api(taping) => {
                taping.with(|tape| tape.feed(bytes));
                Ok(chunk.clone())
            }
        }
    }

    /// The answer is over; gives what the client still gets.
    fn end<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        match &self.traveller {
            Traveller::Model(watched) => {
                let is_cut = self.with_spoiled(|spoiled| spoiled.cuts()).unwrap_or(false);
                let rest = if is_cut { None } else { watched.with(Exchange::end) };
                let mut rest = rest.unwrap_or_default();
                self.with_spoiled(|spoiled| {
                    rest = spoiled.feed(std::mem::take(&mut rest));
                    rest.extend(spoiled.end());
                });
                if !self.is_cut() {
                    watched.settle(py, &How::Ended);
                }
                PyBytes::new(py, &rest)
            }
            Traveller::Api(taping) => {
                taping.keep(py);
                PyBytes::new(py, b"")
            }
        }
    }

    /// The client reads no further.
    fn close(&self, py: Python<'_>) {
        match &self.traveller {
            Traveller::Model(watched) => watched.settle(py, &How::Closed),
            Traveller::Api(taping) => drop(taping.tape().take()),
        }
    }

    /// The connection failed.
    fn broke(&self, py: Python<'_>, reason: &str) {
        match &self.traveller {
            Traveller::Model(watched) => watched.settle(py, &How::Broke(reason.to_owned())),
            Traveller::Api(taping) => drop(taping.tape().take()),
        }
    }
}
