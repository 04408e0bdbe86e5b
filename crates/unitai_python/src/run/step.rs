//! One step as Python sees it.

use std::sync::Arc;

use pyo3::exceptions::PyBaseException;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use unitai_model::{
    Action, Ending, Exchange, ExchangeEnd, ModelCall, Money, Outcome, Packed, StateChange, Step, ToolCall,
    ToolName, Trajectory as Model, Usage,
};

use super::{Kept, Slot, Trajectory, recorded_error};
use crate::attribute::Attribute;
use crate::errors::{amount, failure, invalid};
use crate::faults::InjectedFault;
use crate::secrets;
use crate::values::Text;
use crate::values::{Reduced, encode, snapshot, to_python};

/// One action of an agent: a tool call, a model call or a change of state. Attributes that do not
/// belong to its type are `None`.
///
/// >>> from unitai import TrajectoryStep
/// >>> step = TrajectoryStep(tool_name="lookup", tool_args={"id": 1}, tool_result="found")
/// >>> step.step_type, step.tool_args, step.model
/// ('tool_call', {'id': 1}, None)
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct TrajectoryStep {
    trajectory: Py<Trajectory>,
    at: usize,
    /// Its place in the trajectory, from 0.
    #[pyo3(get)]
    step_index: usize,
}

#[pymethods]
impl TrajectoryStep {
    #[new]
    #[pyo3(signature = (
        step_index=0, step_type="tool_call", timestamp=0.0, *, agent_id=None, run_id=None,
        tool_name=None, tool_args=None, tool_result=None, tool_error=None,
        model=None, prompt_tokens=None, completion_tokens=None, cost=None,
        key=None, old_value=None, new_value=None, fault=None, rejected=false, unseen=false,
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword-only parts of a record")]
    fn new(
        py: Python<'_>,
        step_index: usize,
        step_type: &str,
        timestamp: f64,
        agent_id: Option<Text>,
        run_id: Option<Text>,
        tool_name: Option<Text>,
        tool_args: Option<&Bound<'_, PyAny>>,
        tool_result: Option<&Bound<'_, PyAny>>,
        tool_error: Option<&Bound<'_, PyBaseException>>,
        model: Option<Text>,
        prompt_tokens: Option<u64>,
        completion_tokens: Option<u64>,
        cost: Option<f64>,
        key: Option<Text>,
        old_value: Option<&Bound<'_, PyAny>>,
        new_value: Option<&Bound<'_, PyAny>>,
        fault: Option<&Bound<'_, InjectedFault>>,
        rejected: bool,
        unseen: bool,
    ) -> PyResult<TrajectoryStep> {
        if !timestamp.is_finite() {
            return Err(invalid(py, "timestamp must be a finite number"));
        }
        // It would be missing in the totals of the trajectory.
        let is_paid = cost.is_some_and(|cost| cost != 0.0)
            || [prompt_tokens, completion_tokens].iter().flatten().any(|tokens| *tokens > 0);
        if is_paid && step_type != "llm_call" {
            return Err(invalid(py, "only an llm_call step has a cost and tokens"));
        }
        let mut kept = Kept::default();
        let action = match step_type {
            "tool_call" => {
                let need = || invalid(py, "a tool_call step needs a tool_name");
                let outcome = match (tool_result, tool_error) {
                    (Some(_), Some(_)) => {
                        return Err(invalid(
                            py,
                            "a tool call ends with a tool_result or a tool_error, not both",
                        ));
                    }
                    (_, Some(error)) if !unseen => {
                        kept.insert(0, Slot::Error, error.clone().into_any().unbind());
                        let failure = Box::new(failure(error));
                        if rejected { Outcome::Rejected(failure) } else { Outcome::Raised(failure) }
                    }
                    (result, None) if !rejected => {
                        let result = pack(result, "null", &mut kept, Slot::Result)?;
                        if unseen { Outcome::Unseen(result) } else { Outcome::Returned(result) }
                    }
                    _ => {
                        return Err(invalid(
                            py,
                            "a rejected call has a tool_error, an unseen one a tool_result, and neither has both",
                        ));
                    }
                };
                if tool_args.is_some_and(|args| !args.is_instance_of::<PyDict>()) {
                    return Err(invalid(py, "tool_args must be a dictionary"));
                }
                Action::ToolCall(ToolCall {
                    tool: ToolName::new(&tool_name.ok_or_else(need)?),
                    args: pack(tool_args, "{}", &mut kept, Slot::Args)?,
                    outcome,
                })
            }
            "llm_call" => Action::ModelCall(ModelCall {
                model: Arc::from(&*model.ok_or_else(|| invalid(py, "an llm_call step needs a model"))?),
                usage: Some(Usage::of(prompt_tokens.unwrap_or(0), completion_tokens.unwrap_or(0))),
                cost: cost.map(|dollars| amount(py, dollars)).transpose()?,
                exchange: None,
            }),
            "state_change" => Action::StateChange(StateChange {
                key: Arc::from(&*key.ok_or_else(|| invalid(py, "a state_change step needs a key"))?),
                old_value: pack(old_value, "null", &mut kept, Slot::OldValue)?,
                new_value: pack(new_value, "null", &mut kept, Slot::NewValue)?,
            }),
            other => {
                return Err(invalid(
                    py,
                    format!("step_type must be tool_call, llm_call or state_change, not {other:?}"),
                ));
            }
        };
        let agent_id = agent_id.map(|agent| Arc::from(&*agent));
        let fault = match (&action, fault) {
            (Action::StateChange(_), Some(_)) => return Err(invalid(py, "only a call can meet a fault")),
            (_, fault) => fault.map(|fault| Box::new(fault.get().fault.clone())),
        };
        let step = Step { timestamp, agent_id, action, fault };
        let ending = Ending::Returned(Packed::null());
        let alone =
            Model::new(run_id.as_deref().unwrap_or_default(), Packed::null(), 0.0, 0.0, vec![step], ending);
        Ok(TrajectoryStep { trajectory: Py::new(py, Trajectory::new(alone, kept))?, at: 0, step_index })
    }

    /// `tool_call`, `llm_call` or `state_change`.
    #[getter]
    fn step_type(&self) -> &'static str {
        self.step().action.step_type()
    }

    /// When it began, in seconds since the epoch.
    #[getter]
    fn timestamp(&self) -> f64 {
        self.step().timestamp
    }

    /// The agent that acted, where several take part.
    #[getter]
    fn agent_id(&self) -> Option<&str> {
        self.step().agent_id.as_deref()
    }

    /// The run it belongs to.
    #[getter]
    fn run_id(&self) -> &str {
        self.trajectory.get().model().run_id()
    }

    /// The tool.
    #[getter]
    fn tool_name(&self) -> Option<&str> {
        self.call().map(|call| call.tool.as_str())
    }

    /// The arguments by name.
    #[getter]
    fn tool_args<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.call().map(|call| self.object(py, Slot::Args, &call.args)).transpose()
    }

    /// What the tool returned.
    #[getter]
    fn tool_result<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let result = self.call().and_then(|call| call.outcome.result());
        result.map(|result| self.object(py, Slot::Result, result)).transpose()
    }

    /// What the tool raised.
    #[getter]
    fn tool_error<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(failure) = self.call().and_then(|call| call.outcome.failure()) else { return Ok(None) };
        match self.trajectory.get().kept().get(py, self.at, Slot::Error) {
            Some(error) => Ok(Some(error.into_bound(py))),
            None => recorded_error(py, failure).map(Some),
        }
    }

    /// Whether the call was rejected before it reached its tool.
    #[getter]
    fn rejected(&self) -> Option<bool> {
        self.call().map(|call| matches!(call.outcome, Outcome::Rejected(_)))
    }

    /// Whether code that UnitAI cannot see answered the call. `tool_result` is then what the model was given.
    #[getter]
    fn unseen(&self) -> Option<bool> {
        self.call().map(|call| matches!(call.outcome, Outcome::Unseen(_)))
    }

    /// Whether the call was still under way when the run ended.
    #[getter]
    fn unfinished(&self) -> Option<bool> {
        match &self.step().action {
            Action::ToolCall(call) => Some(call.outcome == Outcome::Unfinished),
            Action::ModelCall(call) => {
                Some(call.exchange.as_ref().is_some_and(|exchange| exchange.end == ExchangeEnd::Unfinished))
            }
            Action::StateChange(_) => None,
        }
    }

    /// The model.
    #[getter]
    fn model(&self) -> Option<&str> {
        self.model_call().map(|call| &*call.model)
    }

    /// Tokens of the prompt, cached ones included; `None` when the answer did not say.
    #[getter]
    fn prompt_tokens(&self) -> Option<u64> {
        self.usage().map(Usage::prompt_tokens)
    }

    /// Tokens of the answer, reasoning included; `None` when the answer did not say.
    #[getter]
    fn completion_tokens(&self) -> Option<u64> {
        self.usage().map(Usage::completion_tokens)
    }

    /// Tokens of the prompt that were read from the provider's cache.
    #[getter]
    fn cache_read_tokens(&self) -> Option<u64> {
        self.usage().map(|usage| usage.cache_read)
    }

    /// Tokens of the prompt that were written to the provider's cache.
    #[getter]
    fn cache_write_tokens(&self) -> Option<u64> {
        self.usage().map(|usage| usage.cache_write.saturating_add(usage.cache_write_long))
    }

    /// Tokens of the answer that were reasoning.
    #[getter]
    fn reasoning_tokens(&self) -> Option<u64> {
        self.usage().map(|usage| usage.reasoning)
    }

    /// Whether the token counts are an estimate, because the answer ended before its usage came.
    #[getter]
    fn usage_is_estimated(&self) -> Option<bool> {
        self.exchange().map(|exchange| exchange.usage_is_estimated)
    }

    /// Usage as the provider wrote it.
    #[getter]
    fn raw_usage<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.exchange()
            .and_then(|exchange| exchange.raw_usage.as_ref())
            .map(|usage| to_python(py, usage))
            .transpose()
    }

    /// The dialect of the model call: `openai_chat`, `anthropic`, ...
    #[getter]
    fn dialect(&self) -> Option<&str> {
        self.exchange().map(|exchange| &*exchange.dialect)
    }

    /// Who answered the model call: `live` or `script`.
    #[getter]
    fn source(&self) -> Option<&'static str> {
        self.exchange().map(|exchange| exchange.source.word())
    }

    /// The digest of the request to the model: equal requests have equal digests.
    #[getter]
    fn request_digest(&self) -> Option<&str> {
        self.exchange().map(|exchange| &*exchange.request_digest)
    }

    /// Whether the model's answer was streamed.
    #[getter]
    fn streamed(&self) -> Option<bool> {
        self.exchange().map(|exchange| exchange.streamed)
    }

    /// Seconds from the request to the end of the model's answer.
    #[getter]
    fn latency(&self) -> Option<f64> {
        self.exchange().and_then(|exchange| exchange.latency)
    }

    /// Seconds from the request to the first content of the model's answer.
    #[getter]
    fn time_to_first_token(&self) -> Option<f64> {
        self.exchange().and_then(|exchange| exchange.time_to_first_token)
    }

    /// Why the model stopped, as the provider says it.
    #[getter]
    fn finish_reason(&self) -> Option<&str> {
        match self.exchange().map(|exchange| &exchange.end) {
            Some(ExchangeEnd::Answered { finish_reason }) => finish_reason.as_deref(),
            _ => None,
        }
    }

    /// The HTTP status with which the model call failed.
    #[getter]
    fn llm_status(&self) -> Option<u16> {
        match self.exchange().map(|exchange| &exchange.end) {
            Some(ExchangeEnd::Failed { status, .. }) => *status,
            _ => None,
        }
    }

    /// Why the model call has no whole answer, in words; `None` when it has one.
    #[getter]
    fn llm_error(&self) -> Option<&str> {
        match self.exchange().map(|exchange| &exchange.end) {
            Some(ExchangeEnd::Failed { message, .. }) => Some(message),
            Some(ExchangeEnd::Cut) => Some("the answer was cut before its end"),
            _ => None,
        }
    }

    /// What the call cost in US dollars; `None` when the price is unknown.
    #[getter]
    fn cost(&self) -> Option<f64> {
        self.model_call().and_then(|call| call.cost).map(Money::dollars)
    }

    /// Which part of the state changed.
    #[getter]
    fn key(&self) -> Option<&str> {
        self.change().map(|change| &*change.key)
    }

    /// The state before.
    #[getter]
    fn old_value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.change().map(|change| self.object(py, Slot::OldValue, &change.old_value)).transpose()
    }

    /// The state after.
    #[getter]
    fn new_value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.change().map(|change| self.object(py, Slot::NewValue, &change.new_value)).transpose()
    }

    /// What was done to the call on purpose; `None` for nearly every step.
    #[getter]
    fn fault(&self) -> Option<InjectedFault> {
        self.step().fault.as_ref().map(|fault| InjectedFault { fault: (**fault).clone() })
    }

    fn __eq__(&self, other: &Bound<'_, TrajectoryStep>) -> bool {
        let other = other.get();
        self.step_index == other.step_index && self.step() == other.step()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let line = unitai_report::step_line(self.step());
        secrets::shown(py, format!("<TrajectoryStep {}: {line}>", self.step_index))
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Py<Trajectory>, usize, usize)> {
        let (py, this) = (slf.py(), slf.get());
        let restore = slf.get_type().attribute("_restore")?;
        Ok((restore, (this.trajectory.clone_ref(py), this.at, this.step_index)))
    }

    #[staticmethod]
    fn _restore(
        py: Python<'_>,
        trajectory: Py<Trajectory>,
        at: usize,
        step_index: usize,
    ) -> PyResult<TrajectoryStep> {
        if at >= trajectory.get().model().steps().len() {
            return Err(invalid(py, "the trajectory has no such step"));
        }
        Ok(TrajectoryStep { trajectory, at, step_index })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.trajectory)
    }
}

impl TrajectoryStep {
    pub(super) fn of(trajectory: Py<Trajectory>, at: usize) -> TrajectoryStep {
        TrajectoryStep { trajectory, at, step_index: at }
    }

    /// The step for another record, at the place `at`, with the objects that were kept for it.
    pub(super) fn transfer(&self, py: Python<'_>, at: usize, kept: &mut Kept) -> Step {
        for slot in [Slot::Args, Slot::Result, Slot::Error, Slot::OldValue, Slot::NewValue] {
            if let Some(object) = self.trajectory.get().kept().get(py, self.at, slot) {
                kept.insert(at, slot, object);
            }
        }
        self.step().clone()
    }

    /// The tool call as an entry of a reference: its trajectory and where it stands there.
    pub(crate) fn place(&self) -> (&Py<Trajectory>, usize) {
        (&self.trajectory, self.at)
    }

    fn step(&self) -> &Step {
        &self.trajectory.get().model().steps()[self.at]
    }

    fn call(&self) -> Option<&ToolCall> {
        if let Action::ToolCall(call) = &self.step().action { Some(call) } else { None }
    }

    fn model_call(&self) -> Option<&ModelCall> {
        if let Action::ModelCall(call) = &self.step().action { Some(call) } else { None }
    }

    fn usage(&self) -> Option<&Usage> {
        self.model_call()?.usage.as_ref()
    }

    fn exchange(&self) -> Option<&Exchange> {
        self.model_call()?.exchange.as_deref()
    }

    fn change(&self) -> Option<&StateChange> {
        if let Action::StateChange(change) = &self.step().action { Some(change) } else { None }
    }

    fn object<'py>(&self, py: Python<'py>, slot: Slot, packed: &Packed) -> PyResult<Bound<'py, PyAny>> {
        match self.trajectory.get().kept().get(py, self.at, slot) {
            Some(object) => snapshot(object.bind(py)),
            None => to_python(py, packed),
        }
    }
}

fn pack(value: Option<&Bound<'_, PyAny>>, default: &str, kept: &mut Kept, slot: Slot) -> PyResult<Packed> {
    let Some(value) = value else { return Ok(Packed::from_trusted(default)) };
    let encoded = encode(value)?;
    if let Some(object) = encoded.kept {
        kept.insert(0, slot, object);
    }
    Ok(encoded.packed)
}
