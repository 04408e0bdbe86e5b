//! A script and where its runs stand in it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyBaseException;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyList;
use unitai_model::nearest::nearest;
use unitai_wire::common::Stamp;
use unitai_wire::exchange::Asked;
use unitai_wire::script::{Embeddings, Move, Playback, Trouble as Unanswered};

use super::{ModelRequest, lines};
use crate::errors::Trouble;

/// How many requests a script remembers. A conversation is sent whole each time, so they add up.
const KEPT: usize = 1000;

/// What a scripted model will answer, and how far each run has come. Each run plays the script from
/// its beginning, unless it is one script `across_runs`.
#[pyclass(frozen, weakref, module = "unitai._engine")]
pub(crate) struct Script {
    script: unitai_wire::script::Script,
    across_runs: bool,
    pub(super) blocks_network: bool,
    /// Which attempt of a repeated test it is written in, from 0: each chooses anew.
    attempt: u32,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By the id of a run; outside any run the id is empty.
    playbacks: HashMap<String, Arc<Playback>>,
    /// The ids in the order in which they came.
    order: Vec<String>,
    requests: Vec<Py<ModelRequest>>,
    /// Playbacks that a refusal cut short.
    refused: HashSet<String>,
    /// The first request that nothing answers.
    trouble: Option<Py<PyBaseException>>,
    is_closed: bool,
}

/// How far one run has come.
struct Played {
    playback: Arc<Playback>,
    is_refused: bool,
}

#[pymethods]
impl Script {
    #[new]
    #[pyo3(signature = (lines, *, across_runs=false, block_network=false, attempt=0))]
    fn new(
        lines: &Bound<'_, PyList>,
        across_runs: bool,
        block_network: bool,
        attempt: u32,
    ) -> PyResult<Script> {
        let script = lines::read(lines)?;
        Ok(Script { script, across_runs, blocks_network: block_network, attempt, state: Mutex::default() })
    }

    /// The requests that came, in order; the last thousand.
    #[getter]
    fn requests(&self, py: Python<'_>) -> Vec<Py<ModelRequest>> {
        self.state().requests.iter().map(|request| request.clone_ref(py)).collect()
    }

    /// What is wrong, now that the script is over: a request that nothing answered, or steps that were
    /// not played.
    fn verdict(&self, py: Python<'_>) -> Option<Py<PyBaseException>> {
        let (trouble, playbacks) = {
            let state = self.state();
            let trouble = state.trouble.as_ref().map(|trouble| trouble.clone_ref(py));
            let playbacks: Vec<Played> = state
                .order
                .iter()
                .map(|id| Played {
                    playback: state.playbacks[id].clone(),
                    is_refused: state.refused.contains(id),
                })
                .collect();
            (trouble, playbacks)
        };
        trouble.or_else(|| self.unplayed(&playbacks).map(|trouble| trouble.into_err(py).into_value(py)))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.state.try_lock() {
            Ok(state) => visit.call(&state.trouble),
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        let cleared = self.state().trouble.take();
        drop(cleared);
    }
}

impl Script {
    /// What it says of embeddings; `None` when it does not answer requests for them, or no more.
    pub(super) fn embeddings(&self) -> Option<Embeddings> {
        self.script.embeddings().filter(|_| !self.is_closed())
    }

    /// What to do with a request of a run; outside any run the id is empty.
    pub(super) fn play(
        &self,
        py: Python<'_>,
        run_id: &str,
        asked: &Asked,
    ) -> Result<(Move<'_>, Stamp), PyErr> {
        if self.is_closed() {
            let error = Trouble::new(
                "UnexpectedModelCallError",
                "a request came to the model after its script was over",
            )
            .remedy("let the agent end before the script does");
            return Err(error.into_err(py));
        }
        let playback = self.playback(run_id);
        self.see(py, asked);
        playback.next(&self.script, &asked.request).map_err(|trouble| unanswered(trouble).into_err(py))
    }

    /// Keeps a request for who wants to see what came.
    pub(super) fn see(&self, py: Python<'_>, asked: &Asked) {
        if let Ok(seen) =
            Py::new(py, ModelRequest { dialect: asked.dialect.name(), request: asked.request.clone() })
        {
            let mut state = self.state();
            state.requests.push(seen);
            if state.requests.len() > KEPT {
                let forgotten = state.requests.remove(0);
                drop(state);
                drop(forgotten);
            }
        }
    }

    /// A run begins under the script, so it is to play it.
    pub(crate) fn enrol(&self, run_id: &str) {
        if !self.across_runs {
            self.playback(run_id);
        }
    }

    /// A run was refused, which the test is told: it is not to blame for what it did not come to play.
    pub(super) fn refuse(&self, run_id: &str) {
        let id = if self.across_runs { "" } else { run_id };
        self.state().refused.insert(id.to_owned());
    }

    /// Remembers that something is wrong, so that it comes out whatever the agent does with it.
    pub(super) fn note_trouble(&self, py: Python<'_>, error: &PyErr) {
        let mut state = self.state();
        if state.trouble.is_none() {
            state.trouble = Some(error.value(py).clone().unbind());
        }
    }

    pub(super) fn close(&self) {
        self.state().is_closed = true;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state().is_closed
    }

    fn playback(&self, run_id: &str) -> Arc<Playback> {
        let id = if self.across_runs { "" } else { run_id };
        let mut state = self.state();
        if let Some(playback) = state.playbacks.get(id) {
            return playback.clone();
        }
        // No two runs of all attempts together have the same number.
        let ordinal = (u64::from(self.attempt) << 32) | state.order.len() as u64;
        let playback = Arc::new(Playback::new(ordinal));
        state.playbacks.insert(id.to_owned(), playback.clone());
        state.order.push(id.to_owned());
        playback
    }

    fn unplayed(&self, playbacks: &[Played]) -> Option<Trouble> {
        if !playbacks.is_empty() && playbacks.iter().all(|played| played.is_refused) {
            return None;
        }
        if playbacks.iter().all(|played| played.playback.turns() == 0) {
            let left = Playback::new(0).unplayed(&self.script);
            return (!left.is_empty())
                .then(|| unplayed("the script was not played: no request came to the model", 0, &left));
        }
        playbacks.iter().enumerate().filter(|(_, played)| !played.is_refused).find_map(|(at, played)| {
            let playback = &played.playback;
            let left = playback.unplayed(&self.script);
            let which = if playbacks.len() > 1 {
                format!(" by run {} of {}", at + 1, playbacks.len())
            } else {
                String::new()
            };
            let message = format!("the script was not played to its end{which}");
            (!left.is_empty()).then(|| unplayed(&message, playback.turns(), &left))
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unplayed(message: &str, turns: u64, left: &[String]) -> Trouble {
    Trouble::new("UnplayedScriptError", message).expected("every step to be asked for").found(format!(
        "{}, and left over: {}",
        requests(turns),
        shown(left)
    ))
}

fn unanswered(trouble: Unanswered) -> Trouble {
    match trouble {
        Unanswered::NothingLeft { turn, came, left } => {
            let expected = if left.is_empty() {
                format!("at most {}, as the script has steps", requests(turn - 1))
            } else {
                format!("one of these to hold: {}", shown(&left))
            };
            Trouble::new(
                "UnexpectedModelCallError",
                format!("the script has no answer to request {turn} of the run"),
            )
            .expected(expected)
            .found(came)
        }
        Unanswered::NotOffered { call, tool, offered } => {
            let near = nearest(&tool, offered.iter().map(String::as_str))
                .map_or_else(String::new, |near| format!("; did you mean {near}?"));
            Trouble::new(
                "ScriptedCallError",
                format!("the script calls {tool}, which the request does not offer{near}"),
            )
            .expected(if offered.is_empty() {
                "an answer without a tool call: the request offers no tools".to_owned()
            } else {
                format!("a call of a tool that the request offers: {}", shown(&offered))
            })
            .found(call)
            .remedy(UNCHECKED)
        }
        Unanswered::WrongArguments { call, tool, violations } => Trouble::new(
            "ScriptedCallError",
            format!("the script calls {tool} with arguments that its schema refuses"),
        )
        .expected("arguments that the schema of the tool accepts")
        .found(format!("{call}: {}", violations.join("; ")))
        .remedy(UNCHECKED),
        Unanswered::Condition { reason } => {
            Trouble::new("UnexpectedModelCallError", "a condition of the script could not be decided")
                .found(reason)
                .remedy("mend the condition, or let it say no where it does not know")
        }
    }
}

/// What to do about a call that no model can make.
const UNCHECKED: &str = "correct the call; or, to test how the agent handles it, write call(...).unchecked()";

fn requests(count: u64) -> String {
    if count == 1 { "1 request".to_owned() } else { format!("{count} requests") }
}

/// A list in a message, cut.
fn shown(items: &[String]) -> String {
    let mut text = items.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    if items.len() > 5 {
        text.push_str(&format!(" and {} more", items.len() - 5));
    }
    text
}
