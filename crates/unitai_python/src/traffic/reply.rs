//! A request that is answered from memory.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use unitai_wire::cassette::Recording;
use unitai_wire::common::{Answer, Stamp};
use unitai_wire::exchange::{Exchange, How};
use unitai_wire::faults::Spoiled;

use super::watched::Watched;

/// An answer from memory.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct Reply {
    /// The HTTP status.
    #[pyo3(get)]
    pub(super) status: u16,
    pub(super) headers: Vec<(Cow<'static, str>, String)>,
    pub(super) content: Content,
    /// How long to wait before the head, in seconds.
    #[pyo3(get)]
    pub(super) delay: f64,
    /// What the body says, where it was scripted.
    pub(super) answer: Option<(Answer, Stamp)>,
    /// The connection breaks before an answer comes.
    pub(super) breaks: Option<Break>,
    /// What a fault makes of the body.
    pub(super) spoiled: Option<Mutex<Spoiled>>,
    pub(super) watched: Option<Arc<Watched>>,
}

/// How a connection breaks.
#[derive(Clone, Copy)]
pub(super) enum Break {
    Reset,
    Timeout,
}

/// What is sent, and in which pieces.
#[derive(Clone)]
pub(super) enum Content {
    /// All at once.
    Whole(Vec<u8>),
    /// Piece by piece, with a pause before each.
    Paced { pieces: Vec<Vec<u8>>, pace: f64 },
    /// In the pieces in which it came when it was recorded; as slowly, if asked.
    Recorded { recording: Arc<Recording>, is_paced: bool },
}

impl Content {
    fn piece(&self, position: usize) -> Option<&[u8]> {
        match self {
            Content::Whole(_) => None,
            Content::Paced { pieces, .. } => pieces.get(position).map(Vec::as_slice),
            Content::Recorded { recording, .. } => {
                recording.chunks.get(position).map(|chunk| chunk.bytes.as_slice())
            }
        }
    }
}

#[pymethods]
impl Reply {
    /// The headers, as pairs.
    #[getter]
    fn headers(&self) -> Vec<(&str, &str)> {
        self.headers.iter().map(|(name, value)| (&**name, value.as_str())).collect()
    }

    /// The whole body, where it comes at once.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        match &self.content {
            Content::Whole(body) => Some(PyBytes::new(py, body)),
            Content::Paced { .. } | Content::Recorded { .. } => None,
        }
    }

    /// How many pieces the body comes in; `None` when it comes at once.
    #[getter]
    fn count(&self) -> Option<usize> {
        match &self.content {
            Content::Whole(_) => None,
            Content::Paced { pieces, .. } => Some(pieces.len()),
            Content::Recorded { recording, .. } => Some(recording.chunks.len()),
        }
    }

    /// How long to wait before a piece, in seconds.
    fn pause_before(&self, position: usize) -> f64 {
        match &self.content {
            Content::Paced { pace, .. } => *pace,
            Content::Recorded { recording, is_paced: true } => {
                recording.chunks.get(position).map_or(0.0, |chunk| chunk.after)
            }
            Content::Whole(_) | Content::Recorded { .. } => 0.0,
        }
    }

    /// How the connection breaks before an answer comes, `"reset"` or `"timeout"`; `None` when it does not.
    #[getter]
    fn breaks(&self) -> Option<&'static str> {
        self.breaks.map(|by| match by {
            Break::Reset => "reset",
            Break::Timeout => "timeout",
        })
    }

    /// Whether the connection ends here, in the middle of the answer.
    #[getter]
    fn is_cut(&self) -> bool {
        self.with_spoiled(|spoiled| spoiled.is_cut()).unwrap_or(false)
    }

    /// The head goes out now.
    fn release(&self, py: Python<'_>) -> PyResult<()> {
        let Some(watched) = &self.watched else { return Ok(()) };
        watched.check(py)?;
        let content_type =
            self.headers.iter().find(|(name, _)| name == "content-type").map_or("", |(_, text)| text);
        watched.with(|exchange| {
            exchange.head(self.status, content_type, "");
            match (&self.content, &self.answer) {
                (Content::Whole(_), Some((answer, stamp))) => exchange.know(answer, *stamp),
                (Content::Whole(body), None) => {
                    exchange.feed(body);
                    exchange.end();
                }
                (Content::Paced { .. } | Content::Recorded { .. }, _) => {}
            }
        });
        if matches!(self.content, Content::Whole(_)) {
            watched.settle(py, &How::Ended);
        }
        Ok(())
    }

    /// The piece at `position` goes out now; gives its bytes.
    fn sent<'py>(&self, py: Python<'py>, position: usize) -> PyResult<Bound<'py, PyBytes>> {
        let piece = self.content.piece(position).unwrap_or_default();
        let is_last = self.count() == Some(position + 1);
        let Some(watched) = &self.watched else { return Ok(PyBytes::new(py, piece)) };
        watched.check(py)?;
        let shown = watched.with(|exchange| self.shown(exchange, piece, is_last)).flatten();
        let given = shown.as_deref().unwrap_or(piece);
        let spoiled = self.with_spoiled(|spoiled| {
            let mut bytes = spoiled.feed(given.to_vec());
            if is_last {
                bytes.extend(spoiled.end());
            }
            bytes
        });
        if is_last && !self.is_cut() {
            watched.settle(py, &How::Ended);
        }
        Ok(PyBytes::new(py, spoiled.as_deref().unwrap_or(given)))
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

impl Reply {
    /// An answer that nobody watches.
    pub(super) fn new(status: u16, headers: Vec<(Cow<'static, str>, String)>, content: Content) -> Reply {
        Reply {
            status,
            headers,
            content,
            delay: 0.0,
            answer: None,
            breaks: None,
            spoiled: None,
            watched: None,
        }
    }

    /// The same answer for another request, without what a fault made of it.
    pub(super) fn again(&self) -> Reply {
        Reply {
            delay: self.delay,
            answer: self.answer.clone(),
            ..Reply::new(self.status, self.headers.clone(), self.content.clone())
        }
    }

    fn with_spoiled<T>(&self, work: impl FnOnce(&mut Spoiled) -> T) -> Option<T> {
        self.spoiled.as_ref().map(|spoiled| work(&mut spoiled.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// What the client gets instead of a piece, where that differs.
    fn shown(&self, exchange: &mut Exchange, piece: &[u8], is_last: bool) -> Option<Vec<u8>> {
        let mut instead = exchange.feed(piece);
        // What is cut is not known to be whole, whatever was written down for it.
        if is_last && self.with_spoiled(|spoiled| spoiled.cuts()) != Some(true) {
            match &self.answer {
                Some((answer, stamp)) => exchange.know(answer, *stamp),
                None => {
                    let rest = exchange.end();
                    if !rest.is_empty() {
                        instead.get_or_insert_default().extend_from_slice(&rest);
                    }
                }
            }
        }
        instead
    }
}
