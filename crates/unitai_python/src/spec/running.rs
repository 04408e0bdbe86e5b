//! Running a test from Python: the interpreter is free meanwhile, and Ctrl-C ends the test, not its teardown.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use unitai_mcp::client::Settings;
use unitai_mcp::engine::Engine;
use unitai_spec::document::Spec;
use unitai_spec::run::{Around, Recording, Replay, Run as Model, Signs, Source, Stop, plan, prove, tell};
use unitai_wire::gate::write_public;

use super::callbacks::{PythonJudge, PythonObserver};
use super::test::YamlTest;
use crate::errors::Trouble;
use crate::gate::without_interpreter;
use crate::judging::{self, Wanted};
use crate::run::{Kept, Trajectory, seen};
use crate::secrets;
use crate::traffic::count_models;
use crate::values::to_python;

/// A YAML test that has run.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct YamlRun {
    spec: Spec,
    model: Model,
    trajectory: Py<Trajectory>,
}

#[pymethods]
impl YamlRun {
    /// How it ended, the steps, the issues and the evidence, as data.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.model.to_value().pack())
    }

    /// Keeps its calls and the judge's answers in a file, from which the test can be run again.
    fn keep(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let text = Recording::of(&self.spec, &self.model).to_text();
        let secrets = secrets::here(py);
        without_interpreter(py, || write_public(&path, text.as_bytes(), &secrets)).map_err(|error| {
            let message = format!("the recording cannot be written to {}: {error}", path.display());
            Trouble::new("LLMTestError", message).into_err(py)
        })
    }

    /// The calls that it made, as a trajectory.
    #[getter]
    fn trajectory(&self, py: Python<'_>) -> Py<Trajectory> {
        self.trajectory.clone_ref(py)
    }

    /// How it ended, in words; plain ones for terminals that cannot draw signs.
    #[pyo3(signature = (*, plain=false))]
    fn text(&self, plain: bool) -> String {
        tell(&self.model.ending, if plain { Signs::Plain } else { Signs::Drawn })
    }
}

/// The engines of this process, by project and Python: each keeps plugins from test to test.
fn engines() -> MutexGuard<'static, Vec<(PathBuf, PathBuf, Arc<Engine>)>> {
    static ENGINES: Mutex<Vec<(PathBuf, PathBuf, Arc<Engine>)>> = Mutex::new(Vec::new());
    ENGINES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn engine(root: PathBuf, python: PathBuf) -> Arc<Engine> {
    let mut engines = engines();
    if let Some((.., engine)) = engines.iter().find(|(known, with, _)| *known == root && *with == python) {
        return engine.clone();
    }
    let settings = Settings { python: Some(python.clone()), ..Settings::new(root.clone()) };
    let engine = Arc::new(Engine::new(settings));
    engines.push((root, python, engine.clone()));
    engine
}

/// Runs a test. `judge(name, description, questions, evidence)` gives a mapping with `id`, `answer`, `quotes` and `why`
/// for each question; `on_event(kind, line)` is told what happens. `replay` is the text of a recording that answers instead
/// of tools and judge. Without `judge`, whoever settings choose is asked; with `agentic` the same model calls the tools.
/// What shall be kept (`record`) and would give another verdict when replayed ends in an error.
#[pyfunction]
#[pyo3(signature = (test, *, root, python, timeout=None, judge=None, on_event=None, replay=None, record=false, agentic=false, provider=None, model=None))]
#[expect(clippy::too_many_arguments, reason = "keyword-only parts of one run")]
pub(crate) fn run_yaml_test(
    py: Python<'_>,
    test: &YamlTest,
    root: PathBuf,
    python: PathBuf,
    timeout: Option<u32>,
    judge: Option<Py<PyAny>>,
    on_event: Option<Py<PyAny>>,
    replay: Option<&str>,
    record: bool,
    agentic: bool,
    provider: Option<&str>,
    model: Option<&str>,
) -> PyResult<YamlRun> {
    let recording = replay
        .map(Recording::from_text)
        .transpose()
        .map_err(|message| Trouble::new("LLMTestError", message).into_err(py))?;
    let secrets = secrets::here(py);
    let clean = |text: &str| secrets.clean(text).into_owned();
    let stop = Stop::default();
    let wanted = Wanted { provider, model, repeats: None };
    let engaged = judging::engage(py, &judging::settings(py, wanted)?)?;
    let judge = judge.map(|ask| PythonJudge { ask, secrets: secrets.clone() });
    let observer = PythonObserver::new(on_event, stop.clone());
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    let env: Vec<(String, String)> = std::env::vars_os().map(|(name, it)| (text(name), text(it))).collect();
    let run_id = uuid::Uuid::new_v4().to_string();
    let mut interrupted = None;
    let ran = without_interpreter(py, || {
        let engine = engine(root, python);
        let servers = engine.servers()?;
        let around = Around {
            run_id: &run_id,
            connector: &*servers,
            judge: match &judge {
                Some(judge) => judge,
                None => &engaged.judge,
            },
            observer: &observer,
            env: &env,
            timeout,
            source: match &recording {
                Some(recording) => Source::Recording(Replay { recording, clean: &clean }),
                None if agentic => Source::Driver(&engaged.driver),
                None => Source::Tools,
            },
        };
        let mut poll = || {
            interrupted = Python::attach(|py| py.check_signals()).err();
            interrupted.is_some()
        };
        let whole = async {
            let mut ran = unitai_spec::run::run(&test.spec, &around, &stop).await;
            if record {
                prove(&test.spec, &around, &clean, &mut ran).await;
            }
            ran
        };
        engine.block_on_checked(whole, &stop, &mut poll)
    });
    count_models(engaged.tally());
    if let Some(raised) = interrupted.or_else(|| observer.into_raised()) {
        return Err(raised);
    }
    let model = ran.map_err(|error: std::io::Error| {
        Trouble::new("LLMTestError", format!("the engine cannot be started: {error}")).into_err(py)
    })?;
    let trajectory = Py::new(py, Trajectory::new(model.trajectory.clone(), Kept::default()).of_yaml_test())?;
    seen(py, &trajectory);
    Ok(YamlRun { spec: test.spec.clone(), model, trajectory })
}

/// What a test would do, in words. Nothing is run.
#[pyfunction]
pub(crate) fn plan_yaml_test(test: &YamlTest) -> String {
    plan(&test.spec).tell()
}

/// Ends the plugins that are kept for the next test. Gives what went wrong.
#[pyfunction]
pub(crate) fn close_yaml_servers(py: Python<'_>) -> Vec<String> {
    let engines = std::mem::take(&mut *engines());
    without_interpreter(py, || engines.iter().flat_map(|(.., engine)| engine.shutdown()).collect())
}
