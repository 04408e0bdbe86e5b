//! Run events, written as they happen.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use unitai_cli::reports::{self, Places};
use unitai_model::Money;
use unitai_model::event::{AgentRan, Document, RunEvent, RunStarted};
use unitai_report::junit;
use unitai_wire::gate::Log;

use crate::errors::{Trouble, invalid, unusable};
use crate::gate::without_interpreter;
use crate::secrets;

/// The file of a run's events, format `unitai.events`, and what is made of them at its end.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct EventLog {
    path: PathBuf,
    log: Mutex<Log>,
    places: Places,
}

#[pymethods]
impl EventLog {
    /// Begins the file of a run in a folder: at this path, or where the project keeps them.
    #[new]
    #[pyo3(signature = (folder, path=None))]
    fn begin(py: Python<'_>, folder: PathBuf, path: Option<PathBuf>) -> PyResult<EventLog> {
        let places = Places::of(&folder).map_err(|trouble| unusable(py, trouble))?;
        let path = match path {
            Some(path) => path,
            None => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
                let id = uuid::Uuid::new_v4().to_string();
                reports::fresh_events(&folder, now, &id).map_err(|trouble| unusable(py, trouble))?
            }
        };
        let log = Log::begin(&path).map_err(|error| trouble(&path, &error))?;
        places.begin(&secrets::here(py)).map_err(|error| trouble(places.junit(), &error))?;
        Ok(EventLog { path, log: Mutex::new(log), places })
    }

    /// Adds that the run begins, and what is asked of it. Raises `OSError` when it cannot be written.
    #[pyo3(signature = (at, python, pytest, arguments, model_override=None, cache_mode=None))]
    #[expect(clippy::too_many_arguments, reason = "the parts of a record")]
    fn start(
        &self,
        py: Python<'_>,
        at: f64,
        python: &str,
        pytest: &str,
        arguments: Vec<Bound<'_, PyString>>,
        model_override: Option<String>,
        cache_mode: Option<String>,
    ) -> PyResult<()> {
        let run_id = self.path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
        let arguments = arguments.iter().map(|text| text.to_string_lossy().into_owned()).collect();
        let started = RunStarted {
            arguments,
            model_override,
            cache_mode,
            ..RunStarted::now(&run_id, at, python, pytest)
        };
        self.write(py, &RunEvent::RunStarted(started))
    }

    /// Adds a run of an agent, whose trajectory is given as JSON. Raises `OSError` when it cannot be written.
    fn add_run(
        &self,
        py: Python<'_>,
        test: &Bound<'_, PyString>,
        example_of: Option<&Bound<'_, PyString>>,
        is_yaml: bool,
        trajectory: String,
    ) -> PyResult<()> {
        let trajectory = Document::of(trajectory).ok_or_else(|| invalid(py, "a trajectory is JSON"))?;
        let text = |text: &Bound<'_, PyString>| text.to_string_lossy().into_owned();
        let ran = AgentRan { test: text(test), example_of: example_of.map(text), is_yaml, trajectory };
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

    /// Makes the reports of the run, which is over. Gives the block for the terminal, and what could not be written.
    fn finish(&self, py: Python<'_>, colour: bool) -> PyResult<(String, Vec<String>)> {
        let secrets = secrets::here(py);
        let made = without_interpreter(py, || self.places.finish(&self.path, colour, &secrets));
        let made = made.map_err(|message| {
            let remedy = "let tests leave .unitai alone, and see that the disk has room";
            Trouble::new("UnitAIError", message).remedy(remedy).into_err(py)
        })?;
        Ok((made.block, made.troubles))
    }
}

impl EventLog {
    fn write(&self, py: Python<'_>, event: &RunEvent) -> PyResult<()> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.add(&event.line(), &secrets::here(py)).map_err(|error| trouble(&self.path, &error))
    }
}

/// An amount as a person writes it: `$0.47`, `$0.003`.
#[pyfunction]
pub(crate) fn shown_dollars(dollars: f64) -> String {
    Money::from_dollars(dollars).map_or_else(|| format!("${dollars:e}"), Money::shown)
}

/// What JUnit files say of a test's model calls and of its runs, both given as JSON of the run events.
#[pyfunction]
#[pyo3(signature = (spending=None, statistics=None))]
pub(crate) fn junit_properties(
    py: Python<'_>,
    spending: Option<&str>,
    statistics: Option<&Bound<'_, PyString>>,
) -> PyResult<Vec<(&'static str, String)>> {
    let spending = spending.map(|text| part(py, text)).transpose()?;
    let statistics = statistics.map(|text| part(py, &text.to_string_lossy())).transpose()?;
    Ok(junit::properties(spending.as_ref(), statistics.as_ref()))
}

/// How the runs of a repeated test did, in a line; `statistics` is JSON of the run events.
#[pyfunction]
pub(crate) fn rate_line(
    py: Python<'_>,
    test: &Bound<'_, PyString>,
    statistics: &Bound<'_, PyString>,
) -> PyResult<String> {
    Ok(unitai_report::rate_line(&test.to_string_lossy(), &part(py, &statistics.to_string_lossy())?))
}

/// A part of an event.
fn part<T: serde::de::DeserializeOwned>(py: Python<'_>, text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| invalid(py, error.to_string()))
}

fn trouble(path: &std::path::Path, error: &std::io::Error) -> PyErr {
    PyOSError::new_err((error.raw_os_error(), error.to_string(), path.to_string_lossy().into_owned()))
}
