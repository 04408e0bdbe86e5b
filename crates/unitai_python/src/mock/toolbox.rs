//! The tools of one toolkit, and which run a call belongs to.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use unitai_model::{Packed, ToolName};

use super::MockTool;
use super::belonging::CONTEXT_RUNS;
use crate::attribute::Attribute;
use crate::faults::{FaultPlan, plans_of_run};
use crate::run::Run;
use crate::settings::standing;
use crate::traffic::{self, Cassette, Policy, Rules, Voice, purse_here, voice_here};
use crate::values::encode;

/// The engine of a toolkit: its mocks, its rules and its runs.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct Toolbox {
    pub(super) strict: bool,
    max_tool_calls: u32,
    faults: Option<Py<FaultPlan>>,
    state: Mutex<State>,
}

pub(super) struct State {
    tools: HashMap<String, Py<MockTool>>,
    /// Names in the order in which they were mocked.
    order: Vec<String>,
    /// Real tools that may run, with the callable where it is known.
    allowed: HashMap<String, Option<Py<PyAny>>>,
    /// Mocked tools whose calls the agent's own code may refuse.
    refusable: HashSet<String>,
    /// Runs under way.
    pub(super) live: Vec<Py<Run>>,
    /// Runs that have ended, since the last reset.
    past: Vec<Py<Run>>,
    /// Takes the calls that are made outside any run.
    pub(super) loose: Py<Run>,
    /// Whether a run has ended: from then on a call may come from what that run left behind.
    pub(super) has_ended_run: bool,
    /// A set of the threads that outlived a run, once there is one.
    pub(super) left_behind: Option<Py<PyAny>>,
}

#[pymethods]
impl Toolbox {
    #[new]
    #[pyo3(signature = (strict=None, max_tool_calls=None, faults=None))]
    fn new(
        py: Python<'_>,
        strict: Option<bool>,
        max_tool_calls: Option<u32>,
        faults: Option<Py<FaultPlan>>,
    ) -> PyResult<Toolbox> {
        let standing = standing(py)?;
        let strict = strict.unwrap_or(standing.runs.is_strict);
        let max_tool_calls = max_tool_calls.unwrap_or(standing.runs.max_tool_calls);
        let state = State {
            tools: HashMap::new(),
            order: Vec::new(),
            allowed: HashMap::new(),
            refusable: HashSet::new(),
            live: Vec::new(),
            past: Vec::new(),
            loose: Py::new(py, Run::open(None, Packed::null(), u32::MAX))?,
            has_ended_run: false,
            left_behind: None,
        };
        Ok(Toolbox { strict, max_tool_calls, faults, state: Mutex::new(state) })
    }

    /// Adds a tool, or puts it in the place of one with the same name.
    fn add(&self, py: Python<'_>, tool: Py<MockTool>) {
        let name = tool.get().tool_name().to_string();
        let mut state = self.state();
        if !state.order.contains(&name) {
            state.order.push(name.clone());
        }
        let replaced = state.tools.insert(name, tool.clone_ref(py));
        drop(state);
        if let Some(replaced) = replaced {
            replaced.get().give_way(tool);
        }
    }

    /// The tool of this name, if it is mocked.
    fn get(&self, py: Python<'_>, name: &str) -> Option<Py<MockTool>> {
        self.tool(py, name)
    }

    /// The names of the mocked tools, in the order in which they were mocked.
    pub(crate) fn names(&self) -> Vec<String> {
        self.state().order.clone()
    }

    /// Lets the real tool of this name run; `tool` is the real one, where an adapter does not know it.
    #[pyo3(signature = (name, tool=None))]
    fn allow(&self, name: String, tool: Option<Py<PyAny>>) {
        let replaced = self.state().allowed.insert(name, tool);
        drop(replaced);
    }

    /// The agent's own code may refuse calls of these mocked tools.
    fn allow_refusal(&self, names: Vec<String>) {
        self.state().refusable.extend(names);
    }

    /// The mocked tools whose calls the agent's own code may refuse.
    fn refusable(&self) -> HashSet<String> {
        self.state().refusable.clone()
    }

    /// The real tools that may run, with the callable where it is known.
    fn allowed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let allowed: Vec<(String, Option<Py<PyAny>>)> = {
            let state = self.state();
            state
                .allowed
                .iter()
                .map(|(name, tool)| (name.clone(), tool.as_ref().map(|tool| tool.clone_ref(py))))
                .collect()
        };
        let out = PyDict::new(py);
        for (name, tool) in allowed {
            out.set_item(name, tool)?;
        }
        Ok(out)
    }

    /// Opens a run. It is live until [`Toolbox::close_run`]. `policy` and `model` rule its model
    /// traffic; `standing` speaks for its model where nobody else does.
    #[pyo3(signature = (input, policy=None, model=None, standing=None))]
    fn open_run(
        slf: &Bound<'_, Self>,
        input: &Bound<'_, PyAny>,
        policy: Option<&Bound<'_, Policy>>,
        model: Option<&str>,
        standing: Option<Py<Cassette>>,
    ) -> PyResult<Py<Run>> {
        let py = slf.py();
        let input = encode(input)?;
        let purse = purse_here(py)?;
        let rules = Rules::of(policy, model, purse.as_ref().map(|purse| purse.get()));
        let voice = voice_here(py)?.or(standing.map(Voice::Cassette));
        let run = Run::open(Some(slf.clone().unbind()), input.packed, slf.get().max_tool_calls)
            .on_wire(rules, voice)
            .under(plans_of_run(py, slf.get().faults.as_ref())?);
        if let Some(kept) = input.kept {
            run.keep(Run::WHOLE, crate::run::Slot::Input, kept);
        }
        if let Some(earlier) = slf.get().state().past.last() {
            run.go_on_from(earlier.get());
        }
        let run = Py::new(py, run)?;
        slf.get().state().live.push(run.clone_ref(py));
        if let Some(voice) = run.get().voice() {
            voice.enrol(run.get().id());
        }
        traffic::open_run(run.clone_ref(py));
        Ok(run)
    }

    /// Takes a run off the live ones. `left_behind` are threads that it did not wait for.
    fn close_run(
        &self,
        py: Python<'_>,
        run: &Bound<'_, Run>,
        left_behind: &Bound<'_, PyList>,
    ) -> PyResult<()> {
        {
            let mut state = self.state();
            state.live.retain(|live| !live.is(run));
            state.past.push(run.clone().unbind());
            state.has_ended_run = true;
        }
        traffic::close_run(run, left_behind.as_any())?;
        if left_behind.is_empty() {
            return Ok(());
        }
        let known = self.state().left_behind.as_ref().map(|threads| threads.clone_ref(py));
        let threads = match known {
            Some(threads) => threads.into_bound(py),
            None => py.import("weakref")?.attribute("WeakSet")?.call0()?,
        };
        threads.call_method1("update", (left_behind,))?;
        let replaced = self.state().left_behind.replace(threads.unbind());
        drop(replaced);
        Ok(())
    }

    /// Puts `run` into the current context, so that calls from it are known to belong to the run.
    #[staticmethod]
    fn enter_context(run: &Bound<'_, Run>) -> PyResult<()> {
        CONTEXT_RUNS.enter(run.as_any()).map(|_| ())
    }

    /// The run that a call from here belongs to; `None` outside any run.
    fn active_run(&self, py: Python<'_>) -> PyResult<Option<Py<Run>>> {
        let run = self.current_run(py)?;
        let is_loose = self.state().loose.is(&run);
        Ok((!is_loose).then_some(run))
    }

    /// Forgets every recorded call, and puts strategies that keep a position back to their start.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        let fresh = Py::new(py, Run::open(None, Packed::null(), u32::MAX))?;
        let (tools, forgotten) = {
            let mut state = self.state();
            let tools: Vec<Py<MockTool>> = state.tools.values().map(|tool| tool.clone_ref(py)).collect();
            let past = std::mem::take(&mut state.past);
            let loose = std::mem::replace(&mut state.loose, fresh);
            (tools, (past, loose))
        };
        drop(forgotten);
        for tool in tools {
            tool.get().record_was_emptied(py)?;
        }
        Ok(())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(state) = self.state.try_lock() else { return Ok(()) };
        state.tools.values().try_for_each(|tool| visit.call(tool))?;
        state.allowed.values().try_for_each(|tool| visit.call(tool))?;
        state.live.iter().chain(&state.past).try_for_each(|run| visit.call(run))?;
        visit.call(&self.faults)?;
        visit.call(&state.loose)?;
        visit.call(&state.left_behind)
    }

    fn __clear__(&self) {
        let cleared = {
            let mut state = self.state();
            (
                std::mem::take(&mut state.tools),
                std::mem::take(&mut state.allowed),
                std::mem::take(&mut state.live),
                std::mem::take(&mut state.past),
            )
        };
        drop(cleared);
    }
}

impl Toolbox {
    /// The toolbox of a tool that belongs to no toolkit.
    pub(super) fn standalone(py: Python<'_>) -> PyResult<Toolbox> {
        Toolbox::new(py, Some(true), Some(u32::MAX), None)
    }

    /// The faults of every run of the toolkit.
    pub(super) fn faults(&self) -> Option<&Py<FaultPlan>> {
        self.faults.as_ref()
    }

    /// No Python code may run while this is held, not even the end of an object's life.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn tool(&self, py: Python<'_>, name: &str) -> Option<Py<MockTool>> {
        self.state().tools.get(name).map(|tool| tool.clone_ref(py))
    }

    /// The parameters of the tools whose signature is known, by tool.
    pub(crate) fn parameters(&self) -> HashMap<String, Vec<String>> {
        let state = self.state();
        let known = state.tools.values().filter_map(|tool| {
            let tool = tool.get();
            tool.parameters().map(|names| (tool.tool_name().to_string(), names.to_vec()))
        });
        known.collect()
    }

    /// Whether a tool that is not mocked is an error.
    pub(crate) fn is_strict(&self) -> bool {
        self.strict
    }

    /// The name by which the test knows a tool that has several: the mocked one, else an allowed one, else the first.
    pub(super) fn known_name(&self, py: Python<'_>, name: &str, aliases: &[String]) -> String {
        let mut names = std::iter::once(name).chain(aliases.iter().map(String::as_str));
        let is_mocked = |name: &&str| self.tool(py, name).is_some();
        let known = names.clone().find(is_mocked).or_else(|| names.find(|name| self.is_allowed(name)));
        known.unwrap_or(name).to_owned()
    }

    /// The tools that the test mocks or allows.
    pub(crate) fn known_tools(&self) -> Vec<String> {
        let state = self.state();
        state.order.iter().chain(state.allowed.keys()).cloned().collect()
    }

    /// Whether the agent's own code may refuse calls of this tool.
    pub(crate) fn may_be_refused(&self, name: &str) -> bool {
        self.state().refusable.contains(name)
    }

    /// Whether the real tool of this name may run.
    pub(crate) fn is_allowed(&self, name: &str) -> bool {
        self.state().allowed.contains_key(name)
    }

    /// The real tool of an allowed name, where it is known.
    pub(super) fn real_tool(&self, py: Python<'_>, name: &str) -> Option<Py<PyAny>> {
        self.state().allowed.get(name)?.as_ref().map(|real| real.clone_ref(py))
    }

    /// Every call of one tool in every run, in the order of time.
    pub(super) fn calls_of<'py>(&self, py: Python<'py>, tool: &ToolName) -> PyResult<Bound<'py, PyList>> {
        let runs: Vec<Py<Run>> = {
            let state = self.state();
            state.past.iter().chain(&state.live).chain([&state.loose]).map(|run| run.clone_ref(py)).collect()
        };
        let mut calls = Vec::new();
        for run in &runs {
            run.get().calls_of(py, tool, &mut calls);
        }
        calls.sort_by(|a, b| a.0.total_cmp(&b.0));
        PyList::new(py, calls.into_iter().map(|(_, call)| Py::new(py, call)).collect::<PyResult<Vec<_>>>()?)
    }
}
