//! Version 0: a flat dictionary that carried no version. Totals
//! that it stored are derived again; unknown fields are ignored, as its writers were many.

use std::sync::Arc;

use serde::Deserialize;

use super::FormatError;
use crate::{
    Action, Ending, Failure, ModelCall, Money, Outcome, Packed, StateChange, Step, ToolCall, ToolName,
    Trajectory, Usage, Value,
};

#[derive(Deserialize)]
struct Document {
    run_id: String,
    input: Value,
    steps: Vec<StepDocument>,
    #[serde(default)]
    final_output: Option<Value>,
    #[serde(default)]
    duration_seconds: f64,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct StepDocument {
    step_type: super::v1::StepType,
    timestamp: f64,
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
    let started_at = document.steps.first().map_or(0.0, |step| step.timestamp);
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
    Ok(Trajectory::new(
        document.run_id,
        document.input.pack(),
        started_at,
        document.duration_seconds,
        steps,
        ending,
    ))
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
        Some(Step { timestamp: self.timestamp, agent_id: None, action, fault: None })
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
