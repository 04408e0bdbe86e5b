//! Whom a model request belongs to: a run, or a script outside any run.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use super::Script;
use super::policy::Rules;
use crate::attribute::Attribute;
use crate::errors::{Trouble, class};
use crate::gate;
use crate::mock::context_runs;
use crate::run::{Run, cancelled};

/// Whom a request belongs to.
pub(super) enum Owner {
    /// A run, and the script that answers it, if one does.
    Run(Py<Run>, Option<Py<Script>>),
    /// A script, outside any run.
    Script(Py<Script>),
}

impl Owner {
    pub(super) fn script(&self) -> Option<&Py<Script>> {
        match self {
            Owner::Run(_, script) => script.as_ref(),
            Owner::Script(script) => Some(script),
        }
    }

    pub(super) fn run(&self) -> Option<&Run> {
        match self {
            Owner::Run(run, _) => Some(run.get()),
            Owner::Script(_) => None,
        }
    }

    pub(super) fn rules(&self) -> Rules {
        match self {
            Owner::Run(run, _) => run.get().rules().clone(),
            Owner::Script(_) => Rules::default(),
        }
    }

    pub(super) fn blocks_network(&self) -> bool {
        self.rules().blocks_network || self.script().is_some_and(|script| script.get().blocks_network)
    }
}

/// What is under way in this process.
#[derive(Default)]
struct Live {
    runs: Vec<Py<Run>>,
    scripts: Vec<Py<Script>>,
    /// A set of the threads that outlived their run, once there is one.
    left_behind: Option<Py<PyAny>>,
}

/// The process has one wire, so what is live on it is known in one place. No Python code may run
/// while this is held, not even the end of an object's life.
fn live() -> MutexGuard<'static, Live> {
    static LIVE: Mutex<Live> = Mutex::new(Live { runs: Vec::new(), scripts: Vec::new(), left_behind: None });
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn open_run(run: Py<Run>) {
    live().runs.push(run);
}

/// Takes a run off the wire. `left_behind` are threads that it did not wait for.
pub(crate) fn close_run(run: &Bound<'_, Run>, left_behind: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = run.py();
    let closed = {
        let mut live = live();
        let at = live.runs.iter().position(|other| other.is(run));
        at.map(|at| live.runs.swap_remove(at))
    };
    drop(closed);
    if left_behind.len()? == 0 {
        return Ok(());
    }
    let known = live().left_behind.as_ref().map(|threads| threads.clone_ref(py));
    let threads = match known {
        Some(threads) => threads.into_bound(py),
        None => py.import("weakref")?.attribute("WeakSet")?.call0()?,
    };
    threads.call_method1("update", (left_behind,))?;
    let replaced = live().left_behind.replace(threads.unbind());
    drop(replaced);
    Ok(())
}

/// How many tests block the network at present. A block holds for the whole process: a connection that
/// a thread without context opens is meant, too.
static BLOCKS: AtomicUsize = AtomicUsize::new(0);

/// From here on, no connection leaves this machine.
#[pyfunction]
pub(crate) fn block_network() {
    BLOCKS.fetch_add(1, Ordering::Relaxed);
}

/// Takes back one `block_network`.
#[pyfunction]
pub(crate) fn unblock_network() {
    BLOCKS.fetch_sub(1, Ordering::Relaxed);
}

pub(super) fn is_network_blocked() -> bool {
    BLOCKS.load(Ordering::Relaxed) > 0
}

/// The scripts that the current context is in, as a tuple, innermost last.
fn context_scripts(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static SCRIPTS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    SCRIPTS
        .get_or_try_init(py, || {
            let defaults = PyDict::new(py);
            defaults.set_item("default", PyTuple::empty(py))?;
            let var = py.import("contextvars")?.attribute("ContextVar")?;
            Ok(var.call(("unitai_scripts",), Some(&defaults))?.unbind())
        })
        .map(|var| var.bind(py))
}

/// From here on, model requests of this context are answered by the script.
#[pyfunction]
pub(crate) fn open_traffic(script: &Bound<'_, Script>) -> PyResult<()> {
    let py = script.py();
    let var = context_scripts(py)?;
    let outer = var.call_method0(pyo3::intern!(py, "get"))?.cast_into::<PyTuple>()?;
    let scripts: Vec<Bound<'_, PyAny>> = outer.iter().chain([script.clone().into_any()]).collect();
    var.call_method1(pyo3::intern!(py, "set"), (PyTuple::new(py, scripts)?,))?;
    live().scripts.push(script.clone().unbind());
    Ok(())
}

/// The script answers no more.
#[pyfunction]
pub(crate) fn close_traffic(script: &Bound<'_, Script>) -> PyResult<()> {
    let py = script.py();
    script.get().close();
    let closed = {
        let mut live = live();
        let at = live.scripts.iter().position(|other| other.is(script));
        at.map(|at| live.scripts.swap_remove(at))
    };
    drop(closed);
    // The context may be another one by now: a fixture is torn down where it likes.
    let var = context_scripts(py)?;
    let scripts = var.call_method0(pyo3::intern!(py, "get"))?.cast_into::<PyTuple>()?;
    let rest: Vec<Bound<'_, PyAny>> = scripts.iter().filter(|other| !other.is(script)).collect();
    var.call_method1(pyo3::intern!(py, "set"), (PyTuple::new(py, rest)?,))?;
    Ok(())
}

/// The script that a run which begins here is answered by.
pub(crate) fn script_here(py: Python<'_>) -> PyResult<Option<Py<Script>>> {
    if live().scripts.is_empty() {
        return Ok(None);
    }
    if let Some(script) = innermost_script(py)? {
        return Ok(Some(script));
    }
    let live = live();
    match live.scripts.as_slice() {
        [only] => Ok(Some(only.clone_ref(py))),
        _ => Ok(None),
    }
}

fn innermost_script(py: Python<'_>) -> PyResult<Option<Py<Script>>> {
    let scripts = context_scripts(py)?.call_method0(pyo3::intern!(py, "get"))?.cast_into::<PyTuple>()?;
    for script in scripts.iter().rev() {
        let script = script.cast_into::<Script>()?;
        if !script.get().is_closed() {
            return Ok(Some(script.unbind()));
        }
    }
    Ok(None)
}

/// Whom a request from here belongs to; nobody, when neither a run nor a script is under way. What
/// belongs to a run that is over is refused: it must not spend.
pub(super) fn owner(py: Python<'_>) -> PyResult<Option<Owner>> {
    if let Some(run) = Run::innermost_of_thread(py) {
        return of_run(py, run).map(Some);
    }
    let runs = context_runs(py)?.call_method0(pyo3::intern!(py, "get"))?.cast_into::<PyTuple>()?;
    if let Some(run) = runs.iter().next_back() {
        return of_run(py, run.cast_into::<Run>()?.unbind()).map(Some);
    }
    if let Some(script) = innermost_script(py)? {
        return Ok(Some(Owner::Script(script)));
    }
    refuse_left_behind(py)?;
    let live = live();
    match (live.runs.as_slice(), live.scripts.as_slice()) {
        ([], []) => Ok(None),
        ([run], _) => {
            let run = run.clone_ref(py);
            drop(live);
            of_run(py, run).map(Some)
        }
        ([], [script]) => Ok(Some(Owner::Script(script.clone_ref(py)))),
        (runs, scripts) => {
            let (runs, scripts) = (runs.len(), scripts.len());
            drop(live);
            Err(ambiguous(py, runs, scripts))
        }
    }
}

/// Whom a model's request from here belongs to. When it could be anybody's, all of them are told: a client
/// may swallow the error, and one of their records lacks a call.
pub(super) fn owner_of_request(py: Python<'_>) -> PyResult<Option<Owner>> {
    owner(py).inspect_err(|error| {
        let is_ambiguous =
            class(py, "AmbiguousRunError").is_ok_and(|class| error.matches(py, class).unwrap_or(false));
        if !is_ambiguous {
            return;
        }
        let (runs, scripts): (Vec<Py<Run>>, Vec<Py<Script>>) = {
            let live = live();
            let runs = live.runs.iter().map(|run| run.clone_ref(py)).collect();
            (runs, live.scripts.iter().map(|script| script.clone_ref(py)).collect())
        };
        scripts.iter().for_each(|script| script.get().note_trouble(py, error));
        runs.iter().for_each(|run| run.get().doom(py, error.clone_ref(py)));
    })
}

fn of_run(py: Python<'_>, run: Py<Run>) -> PyResult<Owner> {
    if run.get().is_over() || run.get().is_cut_off() {
        return Err(cancelled(py));
    }
    // A script that was opened inside of the run comes first. One that is over still answers for its
    // run, with a refusal: what was begun under a script must not go out.
    let script = innermost_script(py)?.or_else(|| run.get().script().map(|script| script.clone_ref(py)));
    Ok(Owner::Run(run, script))
}

fn refuse_left_behind(py: Python<'_>) -> PyResult<()> {
    let Some(threads) = live().left_behind.as_ref().map(|threads| threads.clone_ref(py)) else {
        return Ok(());
    };
    let thread = gate::call(&py.import("threading")?.attribute("current_thread")?, (), None)?;
    let is_left = gate::call(&threads.bind(py).attribute("__contains__")?, (&thread,), None)?.is_truthy()?;
    if is_left { Err(cancelled(py)) } else { Ok(()) }
}

fn ambiguous(py: Python<'_>, runs: usize, scripts: usize) -> PyErr {
    let (count, what) = if runs > 1 { (runs, "runs") } else { (scripts, "scripted models") };
    Trouble::new(
        "AmbiguousRunError",
        format!("{count} {what} are under way, and this request to a model could belong to any"),
    )
    .expected("a request from within the context of one of them")
    .found("a request from a thread without that context")
    .remedy("start the thread with contextvars.copy_context().run")
    .into_err(py)
}
