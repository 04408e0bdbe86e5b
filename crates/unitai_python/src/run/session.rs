//! A run under way: the two ports through which everything enters the record.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use pyo3::exceptions::PyBaseException;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use unitai_model::{
    Action, Ending, Fault, Outcome, Packed, Port, Recorder, Refused, StateChange, Step, ToolName, Usage,
};

use super::ending::cancelled;
use super::reported::reported;
use super::unseen_calls::ModelAnswers;
use super::{Kept, Slot, Trajectory};
use crate::agents::agent_here;
use crate::asserting::AgentRunResult;
use crate::attribute::Attribute;
use crate::errors::{Trouble, failure, invalid};
use crate::faults::FaultPlan;
use crate::mock::{Asked, MockToolCall, ToolHandle, Toolbox};
use crate::traffic::{Rules, Voice, Watched, fork_count};
use crate::values::{Encoded, encode};

thread_local! {
    /// The runs that this thread works for, innermost last.
    static THREAD_RUNS: RefCell<Vec<Py<Run>>> = const { RefCell::new(Vec::new()) };
}

/// One run of an agent while it happens. An adapter sees only this: `answer` a tool call, `note`
/// an event.
#[pyclass(frozen, weakref, module = "unitai._engine")]
pub(crate) struct Run {
    /// The run's id.
    #[pyo3(get)]
    run_id: String,
    pub(super) toolbox: Option<Py<Toolbox>>,
    pub(super) began: Instant,
    started_at: f64,
    /// The process that it began in, which alone has its record.
    process: u32,
    pub(super) port: Port,
    recorder: Mutex<Option<Recorder>>,
    kept: Mutex<Kept>,
    trajectory: Mutex<Option<Py<Trajectory>>>,
    /// Set when the run must end: from then on a call is answered by what no agent catches by habit.
    pub(super) is_revoked: AtomicBool,
    /// Nanoseconds after its beginning at which the run must end, whoever is late to say so.
    pub(super) limit: AtomicU64,
    /// Whether a call was refused because the run must end.
    pub(super) was_cut_off: AtomicBool,
    pub(super) doom: Mutex<Doom>,
    rules: Rules,
    pub(super) voice: Option<Voice>,
    /// The plans of faults that it began under.
    faults: Vec<Py<FaultPlan>>,
    /// The most tokens that one model call took, prompt and answer.
    pub(super) most_tokens: AtomicU64,
    /// Model calls under way.
    pub(super) calls: Mutex<Vec<Weak<Watched>>>,
    /// What its models requested of its tools.
    pub(super) answers: Mutex<ModelAnswers>,
    /// Model calls that no framework's call stood around.
    pub(super) unattributed_calls: AtomicUsize,
}

/// Why the run must end before the agent does, and whom to tell.
#[derive(Default)]
pub(super) struct Doom {
    pub(super) error: Option<Py<PyBaseException>>,
    pub(super) alarm: Option<Py<PyAny>>,
}

#[pymethods]
impl Run {
    /// Answers a tool call: by its mock, by `real` if the tool is allowed, or by an error. `call` is a `ToolCall`
    /// of `unitai.adapters.ports`.
    #[pyo3(signature = (call, real=None))]
    fn answer<'py>(
        slf: &Bound<'py, Self>,
        call: &Bound<'py, PyAny>,
        real: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let toolbox = slf.get().toolbox(slf.py())?;
        toolbox.answer(slf, &Asked::read(slf.get(), toolbox, call)?, real)
    }

    /// Writes down a tool call that the framework refused itself, with the error.
    fn reject(
        slf: &Bound<'_, Self>,
        call: &Bound<'_, PyAny>,
        error: &Bound<'_, PyBaseException>,
    ) -> PyResult<()> {
        let toolbox = slf.get().toolbox(slf.py())?;
        Asked::read(slf.get(), toolbox, call)?
            .write_rejected(slf, &PyErr::from_value(error.clone().into_any()))
    }

    /// A framework answers these calls itself, given by the names of tools or the ids of calls: handoffs, structured output,
    /// what a filter or a guardrail stops.
    fn answered_by_framework(&self, calls: Vec<String>) {
        self.leave_to_framework(calls);
    }

    /// A framework whose tool calls are redirected takes part in the run.
    fn joined_by_framework(&self) {
        self.meet_framework();
    }

    /// The framework calls these tools of the agent by redirects, or leaves their calls alone for reasons of its own.
    fn routes(&self, tools: Vec<String>) {
        self.route(tools);
    }

    /// The real functions of these tools are replaced during the run.
    fn replaces(&self, tools: Vec<String>) {
        self.replace(tools);
    }

    /// The error about a tool that a model called, and that no call reached; nothing if there is none. To be asked when the
    /// agent has returned. An agent that holds its tools may leave a call alone, and ask somebody first.
    fn unreached(&self, py: Python<'_>, are_tools_held: bool) -> Option<Py<PyBaseException>> {
        let unreached = || self.check_unreached(py, are_tools_held);
        self.check_refusals(py).or_else(unreached).map(|trouble| trouble.into_err(py).into_value(py))
    }

    /// What the test says about a tool, by any of its names: `mocked`, `allowed`, or nothing.
    fn stance(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Option<&'static str>> {
        let toolbox = self.toolbox(py)?;
        let is_mocked = names.iter().any(|name| toolbox.tool(py, name).is_some());
        let is_allowed = || names.iter().any(|name| toolbox.is_allowed(name));
        Ok(if is_mocked { Some("mocked") } else { is_allowed().then_some("allowed") })
    }

    /// A tool as the run answers it.
    fn tool(slf: &Bound<'_, Self>, name: String) -> PyResult<ToolHandle> {
        let run = slf.clone().unbind();
        let no_tools = || invalid(slf.py(), "this run has no tools");
        let toolbox = slf.get().toolbox.as_ref().ok_or_else(no_tools)?.clone_ref(slf.py());
        Ok(ToolHandle::of_run(name, toolbox, run))
    }

    /// Whether a tool that is not mocked is an error.
    #[getter]
    fn is_strict(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.toolbox(py)?.is_strict())
    }

    /// The run must end with this error, whatever the agent makes of it.
    fn fail(&self, error: &Bound<'_, PyBaseException>) {
        self.doom(error.py(), PyErr::from_value(error.clone().into_any()));
    }

    /// Writes down an event: a `ModelCall` or a `StateChange` of `unitai.adapters.ports`.
    fn note(&self, event: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = event.py();
        let agent_id: Option<String> = event.attribute("agent_id")?.extract()?;
        let agent_id = match agent_id {
            None => agent_here(py)?,
            given => given,
        };
        match event.attribute("step_type")?.extract::<String>()?.as_str() {
            "llm_call" => {
                let prompt: Option<u64> = event.attribute("prompt_tokens")?.extract()?;
                let completion: Option<u64> = event.attribute("completion_tokens")?.extract()?;
                let usage = prompt.zip(completion).map(|(prompt, completion)| Usage::of(prompt, completion));
                let model: String = event.attribute("model")?.extract()?;
                self.attribute_model_call(py)?;
                self.note_model_call(
                    py,
                    &model,
                    usage,
                    event.attribute("cost")?.extract()?,
                    agent_id.as_deref(),
                )
            }
            "state_change" => {
                let old = encode(&event.attribute("old_value")?)?;
                let new = encode(&event.attribute("new_value")?)?;
                let key = event.attribute("key")?.extract::<String>()?;
                let change =
                    StateChange { key: Arc::from(key), old_value: old.packed, new_value: new.packed };
                let written = self.port.state_change(self.now(), shared(agent_id.as_deref()), change);
                let step = self.accept(py, written, "a change of state")?;
                self.keep_some(step, Slot::OldValue, old.kept);
                self.keep_some(step, Slot::NewValue, new.kept);
                Ok(())
            }
            other => Err(invalid(py, format!("an event of type {other:?} cannot be noted"))),
        }
    }

    /// This thread now works for the run; calls from it need no other sign of where they belong.
    fn enter_thread(slf: &Bound<'_, Self>) {
        THREAD_RUNS.with_borrow_mut(|runs| runs.push(slf.clone().unbind()));
    }

    /// This thread no longer works for the run that it entered last.
    #[staticmethod]
    fn leave_thread() {
        let left = THREAD_RUNS.with_borrow_mut(Vec::pop);
        drop(left);
    }

    /// Who is told when the run must end before the agent does.
    fn on_doom(&self, alarm: Py<PyAny>) {
        let replaced = self.doom_state().alarm.replace(alarm);
        drop(replaced);
    }

    /// Ends the run for the agent: its next tool or model call raises `RunCancelled`.
    fn revoke(&self) {
        self.is_revoked.store(true, Ordering::Relaxed);
    }

    /// Ends the run for the agent so many seconds from now, without anybody having to say it then.
    fn end_within(&self, seconds: f64) {
        let nanoseconds = (self.began.elapsed().as_secs_f64() + seconds) * 1e9;
        self.limit.store(nanoseconds as u64, Ordering::Relaxed);
    }

    /// Whether a call was refused because the run must end.
    #[getter]
    fn was_cut_off(&self) -> bool {
        self.was_cut_off.load(Ordering::Relaxed)
    }

    /// The error that ended the run before the agent did, if one did.
    #[getter]
    fn doomed_by(&self, py: Python<'_>) -> Option<Py<PyBaseException>> {
        self.doom_state().error.as_ref().map(|error| error.clone_ref(py))
    }

    /// Ends the record: the agent returned `output`, or `error` was raised. A trajectory that the adapter returned takes
    /// its place, unless it lacks calls of the run.
    #[pyo3(signature = (output, error=None, report=None))]
    fn finish(
        &self,
        output: &Bound<'_, PyAny>,
        error: Option<&Bound<'_, PyBaseException>>,
        report: Option<&Bound<'_, Trajectory>>,
    ) -> PyResult<AgentRunResult> {
        let py = output.py();
        let (ending, slot, kept) = match error {
            Some(error) => {
                (Ending::Raised(failure(error)), Slot::Error, Some(error.clone().into_any().unbind()))
            }
            None => {
                let output = encode(output)?;
                (Ending::Returned(output.packed), Slot::Output, output.kept)
            }
        };
        self.keep_some(Run::WHOLE, slot, kept);
        self.settle_begun_calls(py);
        let recorder = self.recorder.lock().unwrap_or_else(PoisonError::into_inner).take();
        let recorder = recorder.ok_or_else(|| invalid(py, "this run has ended already"))?;
        let duration = self.began.elapsed().as_secs_f64();
        let model = recorder.finish(ending, duration);
        let kept = std::mem::take(&mut *self.kept());
        let (model, kept, refusal) = match report {
            Some(report) => reported(py, (model, kept), report.get()),
            None => (model, kept, None),
        };
        let parameters = self.toolbox.as_ref().map(|toolbox| toolbox.get().parameters()).unwrap_or_default();
        let trajectory = Trajectory::new(model, kept)
            .of_run()
            .with_parameters(parameters)
            .with_known_tools(self.known_tools());
        let trajectory = Py::new(py, trajectory)?;
        super::watching::seen(py, &trajectory);
        let ended = trajectory.clone_ref(py);
        *self.trajectory.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
        match refusal {
            Some(refusal) => Err(refusal),
            None => Ok(AgentRunResult::new(trajectory)),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.toolbox)?;
        if let Some(voice) = &self.voice {
            visit.call(voice.object())?;
        }
        self.faults.iter().try_for_each(|plan| visit.call(plan))?;
        if let Ok(kept) = self.kept.try_lock() {
            kept.traverse(&visit)?;
        }
        if let Ok(trajectory) = self.trajectory.try_lock() {
            visit.call(&*trajectory)?;
        }
        match self.doom.try_lock() {
            Ok(doom) => {
                visit.call(&doom.error)?;
                visit.call(&doom.alarm)
            }
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        let cleared = {
            let mut doom = self.doom_state();
            (doom.error.take(), doom.alarm.take(), std::mem::take(&mut *self.kept()))
        };
        drop(cleared);
    }
}

impl Run {
    /// The place of what belongs to the run as a whole and to no step.
    pub(crate) const WHOLE: usize = usize::MAX;

    pub(crate) fn open(toolbox: Option<Py<Toolbox>>, input: Packed, max_tool_calls: u32) -> Run {
        let run_id = uuid::Uuid::new_v4().to_string();
        let started_at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64());
        let recorder = Recorder::open(run_id.as_str(), input, started_at, max_tool_calls);
        Run {
            run_id,
            toolbox,
            began: Instant::now(),
            started_at,
            process: fork_count(),
            port: recorder.port(),
            recorder: Mutex::new(Some(recorder)),
            kept: Mutex::default(),
            trajectory: Mutex::default(),
            is_revoked: AtomicBool::new(false),
            limit: AtomicU64::new(u64::MAX),
            was_cut_off: AtomicBool::new(false),
            doom: Mutex::default(),
            rules: Rules::default(),
            voice: None,
            faults: Vec::new(),
            most_tokens: AtomicU64::new(0),
            calls: Mutex::default(),
            answers: Mutex::default(),
            unattributed_calls: AtomicUsize::new(0),
        }
    }

    /// The run with the rules of its model traffic.
    pub(crate) fn on_wire(self, rules: Rules, voice: Option<Voice>) -> Run {
        Run { rules, voice, ..self }
    }

    /// The run under these plans of faults.
    pub(crate) fn under(self, faults: Vec<Py<FaultPlan>>) -> Run {
        Run { faults, ..self }
    }

    /// The plans of faults that it began under.
    pub(crate) fn fault_plans(&self) -> &[Py<FaultPlan>] {
        &self.faults
    }

    /// Writes down that the call at `step` met a fault. One that outlives its run goes unnoted.
    pub(crate) fn note_fault(&self, step: usize, fault: Fault) {
        let _ = self.port.note_fault(step, fault);
    }

    fn toolbox(&self, py: Python<'_>) -> PyResult<&Toolbox> {
        match &self.toolbox {
            Some(toolbox) => Ok(toolbox.get()),
            None => Err(invalid(py, "this run has no tools")),
        }
    }

    /// The run's id.
    pub(crate) fn id(&self) -> &str {
        &self.run_id
    }

    /// The rules of its model traffic.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Who answers its model calls.
    pub(crate) fn voice(&self) -> Option<&Voice> {
        self.voice.as_ref()
    }

    /// The innermost run that this thread works for, of any toolbox.
    pub(crate) fn innermost_of_thread(py: Python<'_>) -> Option<Py<Run>> {
        THREAD_RUNS.with_borrow(|runs| runs.last().map(|run| run.clone_ref(py)))
    }

    /// The innermost run of that toolbox which this thread works for.
    pub(crate) fn of_thread(py: Python<'_>, toolbox: &Toolbox) -> Option<Py<Run>> {
        THREAD_RUNS.with_borrow(|runs| {
            runs.iter().rev().find(|run| run.get().belongs_to(toolbox)).map(|run| run.clone_ref(py))
        })
    }

    /// Whether the record is closed.
    pub(crate) fn is_over(&self) -> bool {
        self.recorder.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// Whether this is a run of that toolbox.
    pub(crate) fn belongs_to(&self, toolbox: &Toolbox) -> bool {
        self.toolbox.as_ref().is_some_and(|own| std::ptr::eq(own.get(), toolbox))
    }

    /// Seconds since the epoch by a clock that never goes back.
    pub(super) fn now(&self) -> f64 {
        self.started_at + self.began.elapsed().as_secs_f64()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this thread works for a run alone, and not for whoever hands it work.
    pub(super) fn has_this_thread() -> bool {
        THREAD_RUNS.with_borrow(|runs| !runs.is_empty())
    }

    pub(super) fn doom_state(&self) -> MutexGuard<'_, Doom> {
        self.doom.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn keep(&self, step: usize, slot: Slot, object: Py<PyAny>) {
        self.kept().insert(step, slot, object);
    }

    fn keep_some(&self, step: usize, slot: Slot, object: Option<Py<PyAny>>) {
        if let Some(object) = object {
            self.keep(step, slot, object);
        }
    }

    /// Writes down a call; returns its step.
    pub(crate) fn write_call(
        &self,
        py: Python<'_>,
        tool: &ToolName,
        args: Encoded,
        outcome: Outcome,
        agent_id: Option<&str>,
    ) -> PyResult<usize> {
        if self.toolbox.is_some() && self.process != fork_count() {
            return Err(forked(py, tool));
        }
        if self.is_cut_off() {
            return Err(cancelled(py));
        }
        let written = self.port.call(self.now(), shared(agent_id), tool.clone(), args.packed, outcome);
        let step = self.accept(py, written, tool.as_str())?;
        self.keep_some(step, Slot::Args, args.kept);
        Ok(step)
    }

    /// Writes down how a call ended. A call that outlives its run stays unfinished in its record.
    pub(crate) fn settle(&self, py: Python<'_>, step: usize, outcome: Outcome) -> PyResult<()> {
        match self.port.settle(step, outcome) {
            Ok(()) => Ok(()),
            Err(refused) => self.accept(py, Err(refused), "the end of a call").map(|_| ()),
        }
    }

    pub(super) fn accept(
        &self,
        py: Python<'_>,
        written: Result<usize, Refused>,
        what: &str,
    ) -> PyResult<usize> {
        match written {
            Ok(step) => Ok(step),
            Err(Refused::RunOver) => {
                let what = unitai_model::value::plain(what);
                Err(Trouble::new("RunOverError", format!("{what} came after its run had ended"))
                    .remedy("let the agent wait for what it starts before it returns")
                    .into_err(py))
            }
            Err(Refused::Loop { max_tool_calls }) => {
                let what = unitai_model::value::plain(what);
                let error = Trouble::new("AgentLoopDetectedError", format!("the agent called {what} more than {max_tool_calls} times"))
                    .expected(format!("at most {max_tool_calls} calls of one tool"))
                    .found(format!("call {} of {what}", max_tool_calls + 1))
                    .remedy("raise the limit with MockToolkit(max_tool_calls=...), or find out why the agent repeats itself")
                    .into_err(py);
                self.doom(py, error.clone_ref(py));
                Err(error)
            }
        }
    }

    /// Adds the calls of one tool in this run, each with its time.
    pub(crate) fn calls_of(&self, py: Python<'_>, tool: &ToolName, out: &mut Vec<(f64, MockToolCall)>) {
        let ended = {
            let trajectory = self.trajectory.lock().unwrap_or_else(PoisonError::into_inner);
            trajectory.as_ref().map(|trajectory| trajectory.clone_ref(py))
        };
        if let Some(trajectory) = ended {
            out.extend(trajectory.get().mock_calls(py, tool.as_str()));
            return;
        }
        let kept = self.kept();
        self.port.read(|steps: &[Step]| {
            for (at, step) in steps.iter().enumerate() {
                if let Action::ToolCall(call) = &step.action
                    && call.tool == *tool
                {
                    out.push((step.timestamp, MockToolCall::of(py, step.timestamp, at, call, &kept)));
                }
            }
        });
    }
}

/// What a call raises in a process that was forked from the run: the record is elsewhere, and would lack the call.
fn forked(py: Python<'_>, tool: &ToolName) -> PyErr {
    let tool = unitai_model::value::plain(tool.as_str());
    Trouble::new(
        "UnreachableToolError",
        format!("{tool} was called in a process that was forked from the run"),
    )
    .expected("tool calls in the process of the run, which has their record")
    .remedy("let the agent call its tools in the process that it runs in, or in threads of it")
    .into_err(py)
}

pub(super) fn shared(agent_id: Option<&str>) -> Option<Arc<str>> {
    agent_id.map(Arc::from)
}
