//! A request that is answered from memory.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use unitai_wire::common::Answer;
use unitai_wire::exchange::How;

use super::watched::Watched;

/// An answer from memory.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct Reply {
    /// The HTTP status.
    #[pyo3(get)]
    pub(super) status: u16,
    /// The headers, as pairs.
    #[pyo3(get)]
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) content: Content,
    /// How long to wait before the head, in seconds.
    #[pyo3(get)]
    pub(super) delay: f64,
    /// How long to wait before each chunk, in seconds.
    #[pyo3(get)]
    pub(super) pace: f64,
    /// What the body says, where it is an answer.
    pub(super) answer: Option<Answer>,
    pub(super) watched: Option<Arc<Watched>>,
}

/// What is sent, whole or paced.
pub(super) enum Content {
    Whole(Vec<u8>),
    Paced(Vec<Vec<u8>>),
}

#[pymethods]
impl Reply {
    /// The whole body.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        match &self.content {
            Content::Whole(body) => PyBytes::new(py, body),
            Content::Paced(chunks) => PyBytes::new(py, &chunks.concat()),
        }
    }

    /// The chunks of a paced stream; `None` when the body comes at once.
    #[getter]
    fn chunks<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        match &self.content {
            Content::Whole(_) => Ok(None),
            Content::Paced(chunks) => {
                PyList::new(py, chunks.iter().map(|chunk| PyBytes::new(py, chunk))).map(Some)
            }
        }
    }

    /// The head goes out now.
    fn release(&self, py: Python<'_>) -> PyResult<()> {
        let Some(watched) = &self.watched else { return Ok(()) };
        watched.check(py)?;
        let content_type =
            self.headers.iter().find(|(name, _)| *name == "content-type").map_or("", |(_, text)| text);
        watched.with(|exchange| {
            exchange.head(self.status, content_type, "");
            match (&self.content, &self.answer) {
                (Content::Whole(_), Some(answer)) => exchange.know(answer),
                (Content::Whole(body), None) => {
                    exchange.feed(body);
                    exchange.end();
                }
                (Content::Paced(_), _) => {}
            }
        });
        if matches!(self.content, Content::Whole(_)) {
            watched.settle(py, &How::Ended);
        }
        Ok(())
    }

    /// The chunk at `position` goes out now.
    fn sent(&self, py: Python<'_>, position: usize) -> PyResult<()> {
        let (Some(watched), Content::Paced(chunks)) = (&self.watched, &self.content) else { return Ok(()) };
        watched.check(py)?;
        if let Some(chunk) = chunks.get(position) {
            watched.with(|exchange| exchange.feed(chunk));
        }
        if position + 1 == chunks.len() {
            watched.with(|exchange| match &self.answer {
                Some(answer) => exchange.know(answer),
                None => drop(exchange.end()),
            });
            watched.settle(py, &How::Ended);
        }
        Ok(())
    }

    /// The client waited no longer, or could not.
    fn broke(&self, py: Python<'_>, reason: &str) {
        if let Some(watched) = &self.watched {
            watched.settle(py, &How::Broke(reason.to_owned()));
        }
    }

    /// The client reads no further.
    fn close(&self, py: Python<'_>) {
        if let Some(watched) = &self.watched {
            watched.settle(py, &How::Closed);
        }
    }
}
