//! Run events, written as they happen.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use unitai_cli::reports;
use unitai_model::event::{AgentRan, Document, RunEvent};
use unitai_wire::gate::Log;

use crate::errors::{Trouble, invalid};
use crate::gate::without_interpreter;
use crate::secrets;

/// The file of a run's events: format `unitai.events`.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct EventLog {
    path: PathBuf,
    log: Mutex<Log>,
}

#[pymethods]
impl EventLog {
    /// Begins the file at this path.
    #[new]
    fn open(path: PathBuf) -> PyResult<EventLog> {
        let log = Log::begin(&path).map_err(|error| trouble(&path, &error))?;
        Ok(EventLog { path, log: Mutex::new(log) })
    }

    /// The file.
    #[getter]
    fn path(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    /// Adds a run of an agent, whose trajectory is given as JSON. Raises `OSError` when it cannot be written.
    fn add_run(
        &self,
        py: Python<'_>,
        test: &Bound<'_, PyString>,
        example_of: Option<&Bound<'_, PyString>>,
        trajectory: String,
    ) -> PyResult<()> {
        let trajectory = Document::of(trajectory).ok_or_else(|| invalid(py, "a trajectory is JSON"))?;
        let text = |text: &Bound<'_, PyString>| text.to_string_lossy().into_owned();
        let ran = AgentRan { test: text(test), example_of: example_of.map(text), trajectory };
        self.write(py, &RunEvent::AgentRan(ran))
    }

    /// Adds an event, as JSON. Raises `OSError` when it cannot be written.
    fn add(&self, py: Python<'_>, event: &Bound<'_, PyString>) -> PyResult<()> {
        // Half of a character of UTF-16 is no text, and would be no JSON to anybody.
        let line = event.to_string_lossy();
        let event = match RunEvent::read(&line) {
            Ok(Some(event)) => event,
            Ok(None) => return Err(invalid(py, "there is no event of that name")),
            Err(error) => return Err(invalid(py, error.to_string())),
        };
        self.write(py, &event)
    }
}

impl EventLog {
    fn write(&self, py: Python<'_>, event: &RunEvent) -> PyResult<()> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.add(&event.line(), &secrets::here(py)).map_err(|error| trouble(&self.path, &error))
    }
}

/// The file for the events of a run that begins now in a folder.
#[pyfunction]
pub(crate) fn fresh_events(py: Python<'_>, folder: PathBuf, id: &str) -> PyResult<String> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.map_or(0, |since| since.as_secs());
    let path = reports::fresh_events(&folder, now, id).map_err(|message| unreported(py, message))?;
    Ok(path.to_string_lossy().into_owned())
}

/// Makes the reports of a run that is over. Gives the block for the terminal, and what could not be written.
#[pyfunction]
pub(crate) fn finish_reports(
    py: Python<'_>,
    folder: PathBuf,
    events: PathBuf,
    colour: bool,
) -> PyResult<(String, Vec<String>)> {
    let secrets = secrets::here(py);
    let made = without_interpreter(py, || reports::finish(&folder, &events, colour, &secrets));
    let made = made.map_err(|message| unmade(py, message))?;
    Ok((made.block, made.troubles))
}

/// The variables of which one must hold the key for a model; none where the name does not tell.
#[pyfunction]
pub(crate) fn key_variables(model: &str) -> Vec<&'static str> {
    unitai_wire::keys::variables_of(model).to_vec()
}

fn unreported(py: Python<'_>, message: String) -> PyErr {
    Trouble::new("ConfigError", message).into_err(py)
}

fn unmade(py: Python<'_>, message: String) -> PyErr {
    let remedy = "let tests leave .unitai alone, and see that the disk has room";
    Trouble::new("UnitAIError", message).remedy(remedy).into_err(py)
}

fn trouble(path: &std::path::Path, error: &std::io::Error) -> PyErr {
    PyOSError::new_err((error.raw_os_error(), error.to_string(), path.to_string_lossy().into_owned()))
}
