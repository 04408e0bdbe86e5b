//! Everything one run of an agent did.

use std::sync::Arc;

use crate::calls::PlacedCall;
use crate::value::plain;
use crate::{Action, CallIndex, Failure, Money, Packed, Step, ToolCall};

/// The record of one run. It never changes; what was not given can be derived from its steps.
#[derive(Debug, Clone)]
pub struct Trajectory {
    pub(crate) run_id: Arc<str>,
    pub(crate) input: Packed,
    pub(crate) started_at: f64,
    pub(crate) duration_seconds: f64,
    pub(crate) steps: Vec<Step>,
    pub(crate) ending: Ending,
    pub(crate) totals: GivenTotals,
    calls: CallIndex,
}

/// Totals that came with a trajectory. They win over what its steps add up to, which may be a part of what happened.
///
/// ```
/// use unitai_model::{Ending, GivenTotals, Packed, Trajectory};
/// let ending = Ending::returned(Packed::null());
/// let trajectory = Trajectory::new("run-1", Packed::null(), 0.0, 0.1, vec![], ending);
/// assert_eq!(trajectory.total_tokens(), Ok(0));
/// let given = GivenTotals { tokens: Some(847), ..GivenTotals::default() };
/// assert_eq!(trajectory.with_totals(given).total_tokens(), Ok(847));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GivenTotals {
    /// All tokens of all model calls.
    pub tokens: Option<u64>,
    /// What all model calls cost.
    pub cost: Option<Money>,
    /// How often a model was called.
    pub llm_calls: Option<usize>,
}

/// What is not known of a model call, so that a sum cannot be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown<'a> {
    /// There is no price for the model.
    Price {
        /// The model.
        model: &'a str,
    },
    /// The answer did not say what it took.
    Usage {
        /// The model.
        model: &'a str,
    },
}

impl std::fmt::Display for Unknown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unknown::Price { model } => write!(f, "there is no price for {}", plain(model)),
            Unknown::Usage { model } => write!(f, "an answer of {} did not say its usage", plain(model)),
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// The agent returned this output; null when it returned nothing.
    Returned(Packed),
    /// The agent raised, or was stopped.
    Raised(Failure),
}

impl Ending {
    /// The agent returned.
    pub fn returned(output: Packed) -> Ending {
        Ending::Returned(output)
    }
}

impl Trajectory {
    /// A trajectory from its parts.
    pub fn new(
        run_id: impl Into<Arc<str>>,
        input: Packed,
        started_at: f64,
        duration_seconds: f64,
        steps: Vec<Step>,
        ending: Ending,
    ) -> Trajectory {
        let calls = CallIndex::of(&steps);
        let totals = GivenTotals::default();
        Trajectory {
            run_id: run_id.into(),
            input,
            started_at,
            duration_seconds,
            steps,
            ending,
            totals,
            calls,
        }
    }

    /// The same with totals of its own.
    pub fn with_totals(self, totals: GivenTotals) -> Trajectory {
        Trajectory { totals, ..self }
    }

    /// The same with more steps at its end.
    pub fn with_more_steps(mut self, steps: Vec<Step>) -> Trajectory {
        self.steps.extend(steps);
        self.calls = CallIndex::of(&self.steps);
        self
    }

    /// The totals that came with it.
    pub fn given_totals(&self) -> GivenTotals {
        self.totals
    }

    /// The run's id.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// What the agent was asked.
    pub fn input(&self) -> &Packed {
        &self.input
    }

    /// When the run began, in seconds since the epoch.
    pub fn started_at(&self) -> f64 {
        self.started_at
    }

    /// How long the run took.
    pub fn duration_seconds(&self) -> f64 {
        self.duration_seconds
    }

    /// What the agent did, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How the run ended.
    pub fn ending(&self) -> &Ending {
        &self.ending
    }

    /// What the agent returned, when it did.
    pub fn output(&self) -> Option<&Packed> {
        match &self.ending {
            Ending::Returned(output) => Some(output),
            Ending::Raised(_) => None,
        }
    }

    /// What the agent raised, when it did.
    pub fn error(&self) -> Option<&Failure> {
        match &self.ending {
            Ending::Returned(_) => None,
            Ending::Raised(failure) => Some(failure),
        }
    }

    /// Where each tool was called.
    pub fn calls(&self) -> &CallIndex {
        &self.calls
    }

    /// The tool call at a position among all tool calls.
    pub fn call_at(&self, position: usize) -> PlacedCall<'_> {
        let step = self.calls.step(position);
        PlacedCall { step, call: self.tool_call(step) }
    }

    /// The calls of one tool that reached it, in order.
    pub fn calls_of<'a>(&'a self, tool: &str) -> impl Iterator<Item = PlacedCall<'a>> + use<'a> {
        self.calls.positions(tool).iter().map(|position| self.call_at(*position as usize))
    }

    /// The calls of one tool that were rejected before they reached it, in order.
    pub fn rejected_calls_of<'a>(&'a self, tool: &str) -> impl Iterator<Item = PlacedCall<'a>> + use<'a> {
        self.calls
            .rejected(tool)
            .iter()
            .map(|step| PlacedCall { step: *step as usize, call: self.tool_call(*step as usize) })
    }

    /// All calls of one tool, in order, those that were rejected among them.
    pub fn attempts_of(&self, tool: &str) -> Vec<PlacedCall<'_>> {
        let mut attempts: Vec<PlacedCall<'_>> =
            self.calls_of(tool).chain(self.rejected_calls_of(tool)).collect();
        attempts.sort_by_key(|attempt| attempt.step);
        attempts
    }

    /// All tool calls that reached their tools, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = PlacedCall<'_>> {
        self.calls
            .order()
            .iter()
            .map(|step| PlacedCall { step: *step as usize, call: self.tool_call(*step as usize) })
    }

    fn tool_call(&self, step: usize) -> &ToolCall {
        match &self.steps[step].action {
            Action::ToolCall(call) => call,
            other => unreachable!("the index points at a {}", other.step_type()),
        }
    }

    /// How often a model was called.
    pub fn llm_calls(&self) -> usize {
        self.totals.llm_calls.unwrap_or_else(|| self.model_calls().count())
    }

    /// All tokens of all model calls, or the first model whose usage is unknown.
    pub fn total_tokens(&self) -> Result<u64, Unknown<'_>> {
        if let Some(tokens) = self.totals.tokens {
            return Ok(tokens);
        }
        self.model_calls().try_fold(0, |sum: u64, call| match call.usage {
            Some(usage) => Ok(sum.saturating_add(usage.total())),
            None => Err(Unknown::Usage { model: &call.model }),
        })
    }

    /// What all model calls cost, or the first model for which that is unknown.
    pub fn total_cost(&self) -> Result<Money, Unknown<'_>> {
        if let Some(cost) = self.totals.cost {
            return Ok(cost);
        }
        self.model_calls().try_fold(Money::ZERO, |sum, call| match (call.cost, call.usage) {
            (Some(cost), _) => Ok(sum.plus(cost)),
            (None, None) => Err(Unknown::Usage { model: &call.model }),
            (None, Some(_)) => Err(Unknown::Price { model: &call.model }),
        })
    }

    fn model_calls(&self) -> impl Iterator<Item = &crate::ModelCall> {
        self.steps.iter().filter_map(|step| match &step.action {
            Action::ModelCall(call) => Some(call),
            _ => None,
        })
    }
}

impl PartialEq for Trajectory {
    /// The same record; the index follows from the steps.
    fn eq(&self, other: &Trajectory) -> bool {
        self.run_id == other.run_id
            && self.input == other.input
            && self.started_at.to_bits() == other.started_at.to_bits()
            && self.duration_seconds.to_bits() == other.duration_seconds.to_bits()
            && self.ending == other.ending
            && self.totals == other.totals
            && self.steps == other.steps
    }
}
