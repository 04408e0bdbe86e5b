//! One action of an agent.

use std::borrow::Borrow;
use std::sync::Arc;

use crate::{Failure, Fault, ModelCall, Packed};

/// The name of a tool. Clones share one string.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolName(Arc<str>);

impl ToolName {
    /// A name.
    pub fn new(name: &str) -> ToolName {
        ToolName(Arc::from(name))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for ToolName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// One step: when, by which agent, and what. Its index is its place in the trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Seconds since the epoch.
    pub timestamp: f64,
    /// The agent that acted, where several take part.
    pub agent_id: Option<Arc<str>>,
    /// What it did.
    pub action: Action,
    /// What was done to the call on purpose; boxed, because hardly any step has one.
    pub fault: Option<Box<Fault>>,
}

/// What a step was.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// A tool was called.
    ToolCall(ToolCall),
    /// A model was called.
    ModelCall(ModelCall),
    /// A part of the agent's state changed.
    StateChange(StateChange),
}

impl Action {
    /// The word for this kind of step in Python and JSON.
    pub fn step_type(&self) -> &'static str {
        match self {
            Action::ToolCall(_) => "tool_call",
            Action::ModelCall(_) => "llm_call",
            Action::StateChange(_) => "state_change",
        }
    }
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The tool.
    pub tool: ToolName,
    /// Its arguments by name.
    pub args: Packed,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a tool call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It was still under way when the run ended.
    Unfinished,
    /// It returned a value.
    Returned(Packed),
    /// It raised.
    Raised(Box<Failure>),
    /// It was refused before it reached its tool: an unknown tool, or arguments that the tool does not take.
    Rejected(Box<Failure>),
    /// Code that UnitAI cannot see answered it. This is the result that the model was given.
    Unseen(Packed),
}

impl Outcome {
    /// What it raised, or was refused with.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Outcome::Raised(failure) | Outcome::Rejected(failure) => Some(failure),
            Outcome::Unfinished | Outcome::Returned(_) | Outcome::Unseen(_) => None,
        }
    }

    /// Its result.
    pub fn result(&self) -> Option<&Packed> {
        match self {
            Outcome::Returned(result) | Outcome::Unseen(result) => Some(result),
            Outcome::Unfinished | Outcome::Raised(_) | Outcome::Rejected(_) => None,
        }
    }
}

/// A change of the agent's state.
#[derive(Debug, Clone, PartialEq)]
pub struct StateChange {
    /// Which part of the state.
    pub key: Arc<str>,
    /// Before.
    pub old_value: Packed,
    /// After.
    pub new_value: Packed,
}
