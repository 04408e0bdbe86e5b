//! Version 0: a flat dictionary that carried no version. Its totals are kept as they are.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::FormatError;
use crate::{
    Action, Ending, Failure, GivenTotals, ModelCall, Money, Outcome, Packed, StateChange, Step, ToolCall,
    ToolName, Trajectory, Usage, Value,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default, rename = "format")]
    _format: IgnoredAny,
    #[serde(default, rename = "version")]
    _version: IgnoredAny,
    run_id: String,
    input: Value,
    steps: Vec<StepDocument>,
    #[serde(default)]
    final_output: Option<Value>,
    #[serde(default)]
    started_at: Option<f64>,
    #[serde(default)]
    duration_seconds: f64,
    #[serde(default)]
    total_tokens: Option<u64>,
    #[serde(default)]
    total_cost: Option<f64>,
    #[serde(default)]
    llm_calls: Option<usize>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepDocument {
    #[serde(default, rename = "step_index")]
    _step_index: IgnoredAny,
    #[serde(default, rename = "run_id")]
    _run_id: IgnoredAny,
    step_type: super::v1::StepType,
    timestamp: f64,
    agent_id: Option<String>,
    tool_name: Option<String>,
    tool_args: Option<Value>,
    tool_result: Option<Value>,
    tool_error: Option<Value>,
    model: Option<String>,
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    cost: Option<f64>,
    key: Option<String>,
    old_value: Option<Value>,
    new_value: Option<Value>,
}

pub(super) fn read(text: &str) -> Result<Trajectory, FormatError> {
    let document: Document = serde_json::from_str(text).map_err(FormatError::malformed)?;
    let started_at = document.started_at.or(document.steps.first().map(|step| step.timestamp)).unwrap_or(0.0);
    let cost = |dollars: f64| {
        Money::from_dollars(dollars)
            .ok_or_else(|| FormatError::malformed(format!("`{dollars}` is no amount of dollars")))
    };
    let totals = GivenTotals {
        tokens: document.total_tokens,
        cost: document.total_cost.map(cost).transpose()?,
        llm_calls: document.llm_calls,
    };
    let ending = match document.error {
        Some(error) => Ending::Raised(failure(&error)),
        None => Ending::Returned(pack(document.final_output)),
    };
    let steps = document
        .steps
        .into_iter()
        .enumerate()
        .map(|(at, step)| {
            step.read().ok_or_else(|| FormatError::malformed(format!("step {at}: a field is missing")))
        })
        .collect::<Result<_, _>>()?;
    let trajectory = Trajectory::new(
        document.run_id,
        document.input.pack(),
        started_at,
        document.duration_seconds,
        steps,
        ending,
    );
    Ok(trajectory.with_totals(totals))
}

impl StepDocument {
    fn read(self) -> Option<Step> {
        use super::v1::StepType;
        let action = match self.step_type {
            StepType::ToolCall => Action::ToolCall(ToolCall {
                tool: ToolName::new(&self.tool_name?),
                args: Some(self.tool_args.unwrap_or(Value::Dict(Vec::new())).pack())
                    .filter(Packed::is_dict)?,
                outcome: match self.tool_error {
                    Some(error) => Outcome::Raised(Box::new(failure(&error))),
                    None => Outcome::Returned(pack(self.tool_result)),
                },
            }),
            StepType::LlmCall => Action::ModelCall(ModelCall {
                model: Arc::from(self.model?),
                usage: Some(Usage::of(
                    self.prompt_tokens.unwrap_or_default(),
                    self.completion_tokens.unwrap_or_default(),
                )),
                cost: self.cost.and_then(Money::from_dollars),
                exchange: None,
            }),
            StepType::StateChange => Action::StateChange(StateChange {
                key: Arc::from(self.key?),
                old_value: pack(self.old_value),
                new_value: pack(self.new_value),
            }),
        };
        let agent_id = self.agent_id.map(Arc::from);
        Some(Step { timestamp: self.timestamp, agent_id, action, fault: None })
    }
}

fn pack(value: Option<Value>) -> Packed {
    value.unwrap_or(Value::Null).pack()
}

/// An error was either a dictionary with type and message, or just text.
fn failure(error: &Value) -> Failure {
    let text = |key| match error.get(key) {
        Some(Value::Str(text)) => Some(text.clone()),
        _ => None,
    };
    match error {
        Value::Str(message) => Failure::new("builtins.Exception", Vec::<String>::new(), message),
        other => Failure::new(
            text("type").unwrap_or_else(|| "builtins.Exception".to_owned()),
            Vec::<String>::new(),
            text("message").unwrap_or_else(|| other.to_string()),
        ),
    }
}
