//! Version 1 as a document, for reading and for the published schema.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::FormatError;
use super::exchange::{Counts, ExchangeDocument};
use super::fault::FaultDocument;
use crate::{
    Action, Ending, Failure, GivenTotals, ModelCall, Money, Outcome, Packed, StateChange, Step, ToolCall,
    ToolName, Trajectory,
};

/// The record of one run of an agent.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "UnitAI trajectory, version 1", extend("patternProperties" = {"^x-": {}}))]
pub struct Document<'a> {
    /// Always `unitai.trajectory`.
    #[serde(borrow)]
    #[schemars(extend("const" = super::FORMAT))]
    pub format: Cow<'a, str>,
    /// Always 1.
    #[schemars(extend("const" = super::VERSION))]
    pub version: u64,
    /// The run's id.
    #[serde(borrow)]
    pub run_id: Cow<'a, str>,
    /// What the agent was asked.
    #[serde(borrow)]
    pub input: Any<'a>,
    /// Seconds since the epoch.
    #[serde(deserialize_with = "number")]
    pub started_at: f64,
    /// How long the run took, in seconds.
    #[serde(deserialize_with = "number")]
    pub duration_seconds: f64,
    /// All tokens of all model calls, where that is not what the steps add up to.
    #[serde(default)]
    pub total_tokens: Option<u64>,
    /// What all model calls cost, as exact decimal text in US dollars, where that is not what the steps add up to.
    #[serde(borrow, default)]
    pub total_cost: Option<Cow<'a, str>>,
    /// How often a model was called, where that is not the number of `llm_call` steps.
    #[serde(default)]
    pub llm_calls: Option<usize>,
    /// What the agent did, in order.
    #[serde(deserialize_with = "steps")]
    #[schemars(with = "Vec<StepDocument<'a>>")]
    pub steps: Vec<Step>,
    /// What the agent returned; absent when it raised.
    #[serde(borrow, default, deserialize_with = "present")]
    pub final_output: Option<Any<'a>>,
    /// What the agent raised; absent when it returned.
    #[serde(borrow, default)]
    pub error: Option<FailureDocument<'a>>,
}

/// One step. Which fields it has depends on its `step_type`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("patternProperties" = {"^x-": {}}))]
pub struct StepDocument<'a> {
    /// What kind of step.
    pub step_type: StepType,
    /// Seconds since the epoch.
    #[serde(deserialize_with = "number")]
    pub timestamp: f64,
    /// The agent that acted, where several take part.
    #[serde(borrow, default)]
    pub agent_id: Option<Cow<'a, str>>,
    /// What was done to the call on purpose; absent for nearly every step.
    #[serde(borrow, default)]
    pub fault: Option<FaultDocument<'a>>,
    /// `tool_call`: the tool.
    #[serde(borrow, default)]
    pub tool_name: Option<Cow<'a, str>>,
    /// `tool_call`: the arguments by name.
    #[serde(borrow, default, deserialize_with = "present")]
    pub tool_args: Option<Any<'a>>,
    /// `tool_call`: what it returned; absent when it raised or did not end.
    #[serde(borrow, default, deserialize_with = "present")]
    pub tool_result: Option<Any<'a>>,
    /// `tool_call`: what it raised.
    #[serde(borrow, default)]
    pub tool_error: Option<FailureDocument<'a>>,
    /// `tool_call`: whether it was refused before it reached its tool; absent for nearly every call.
    #[serde(default)]
    pub rejected: bool,
    /// `tool_call`: whether code that UnitAI cannot see answered it, so that `tool_result` is what the model was
    /// given; absent for nearly every call.
    #[serde(default)]
    pub unseen: bool,
    /// `llm_call`: the model.
    #[serde(borrow, default)]
    pub model: Option<Cow<'a, str>>,
    /// `llm_call`: tokens of the prompt, cached ones included; absent when unknown.
    #[serde(default)]
    pub prompt_tokens: Option<u64>,
    /// `llm_call`: tokens of the answer, reasoning included; absent when unknown.
    #[serde(default)]
    pub completion_tokens: Option<u64>,
    /// `llm_call`: tokens of the prompt that were read from the provider's cache.
    #[serde(default)]
    pub cache_read_tokens: u64,
    /// `llm_call`: tokens of the prompt that were written to the provider's cache.
    #[serde(default)]
    pub cache_write_tokens: u64,
    /// `llm_call`: tokens of the prompt that were written to the provider's cache to stay for long.
    #[serde(default)]
    pub cache_write_long_tokens: u64,
    /// `llm_call`: tokens of the answer that were reasoning.
    #[serde(default)]
    pub reasoning_tokens: u64,
    /// `llm_call`: US dollars as exact decimal text; absent when the price is unknown.
    #[serde(borrow, default)]
    pub cost: Option<Cow<'a, str>>,
    /// `llm_call`: what was seen on the wire; absent where the agent reported the call itself.
    #[serde(borrow, default)]
    pub exchange: Option<ExchangeDocument<'a>>,
    /// `state_change`: which part of the state.
    #[serde(borrow, default)]
    pub key: Option<Cow<'a, str>>,
    /// `state_change`: before.
    #[serde(borrow, default, deserialize_with = "present")]
    pub old_value: Option<Any<'a>>,
    /// `state_change`: after.
    #[serde(borrow, default, deserialize_with = "present")]
    pub new_value: Option<Any<'a>>,
}

/// The kinds of step.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepType {
    /// A tool was called.
    ToolCall,
    /// A model was called.
    LlmCall,
    /// A part of the agent's state changed.
    StateChange,
}

/// An exception.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailureDocument<'a> {
    /// The qualified name of its class.
    #[serde(borrow, rename = "type")]
    pub type_name: Cow<'a, str>,
    /// The bases of that class, most specific first.
    #[serde(default)]
    pub bases: Vec<String>,
    /// Its message.
    #[serde(borrow)]
    pub message: Cow<'a, str>,
    /// Where it was raised, as far as that is known.
    #[serde(default)]
    pub place: Option<String>,
}

/// Any JSON value; see the project's notes on values for the objects tagged `$unitai`.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct Any<'a>(#[serde(borrow)] pub &'a RawValue);

impl JsonSchema for Any<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Any JSON value. What JSON cannot say is an object whose first key is `$unitai`: tuple, set, frozenset, dict (other than string keys), int (beyond 64 bits), float (nan, inf, -inf), bytes, str (lone surrogates), object (stored by its repr)."
        })
    }
}

/// Keeps `null` apart from an absent field.
pub(super) fn present<'de: 'a, 'a, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Any<'a>>, D::Error> {
    Any::deserialize(deserializer).map(Some)
}

/// Reads each step as it comes: a long trajectory is never held as documents.
fn steps<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Step>, D::Error> {
    struct Steps;

    impl<'de> serde::de::Visitor<'de> for Steps {
        type Value = Vec<Step>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list of steps")
        }

        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<Step>, A::Error> {
            let (mut names, mut steps) = (Names::default(), Vec::new());
            while let Some(document) = seq.next_element::<StepDocument<'de>>()? {
                let step = document.read(&mut names).map_err(|error| {
                    serde::de::Error::custom(format_args!("step {}: {}", steps.len(), reason(error)))
                })?;
                steps.push(step);
            }
            Ok(steps)
        }
    }

    deserializer.deserialize_seq(Steps)
}

/// Reads a number by the standard library, which is exact and fast, rather than by the JSON reader,
/// which is one or the other.
fn number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let text = <&RawValue>::deserialize(deserializer)?.get();
    text.parse::<f64>()
        .ok()
        .filter(|number| number.is_finite())
        .ok_or_else(|| serde::de::Error::custom(format_args!("expected a finite number, found {text}")))
}

/// As [`number`], for a field that may be absent.
pub(super) fn some_number<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<f64>, D::Error> {
    number(deserializer).map(Some)
}

impl Document<'_> {
    pub(super) fn read(self) -> Result<Trajectory, FormatError> {
        if self.format != super::FORMAT {
            return Err(FormatError::malformed(format!("its format is `{}`", self.format)));
        }
        let ending = match (self.final_output, self.error) {
            (None, None) => Ending::Returned(Packed::null()),
            (Some(output), None) => Ending::Returned(pack(&output)?),
            (None, Some(error)) => Ending::Raised(error.read()),
            (Some(_), Some(_)) => {
                return Err(FormatError::malformed("it has both a `final_output` and an `error`"));
            }
        };
        let input = pack(&self.input)?;
        let totals = GivenTotals {
            tokens: self.total_tokens,
            cost: self.total_cost.map(|cost| money(&cost)).transpose()?,
            llm_calls: self.llm_calls,
        };
        let trajectory =
            Trajectory::new(self.run_id, input, self.started_at, self.duration_seconds, self.steps, ending);
        Ok(trajectory.with_totals(totals))
    }
}

impl StepDocument<'_> {
    fn read(self, names: &mut Names) -> Result<Step, FormatError> {
        let action = match self.step_type {
            StepType::ToolCall => Action::ToolCall(ToolCall {
                tool: names.tool(&need(self.tool_name, "tool_name")?),
                args: dictionary(pack(&need(self.tool_args, "tool_args")?)?)?,
                outcome: match (self.tool_result, self.tool_error, self.rejected, self.unseen) {
                    (None, None, false, false) => Outcome::Unfinished,
                    (Some(result), None, false, false) => Outcome::Returned(pack(&result)?),
                    (Some(result), None, false, true) => Outcome::Unseen(pack(&result)?),
                    (None, Some(error), false, false) => Outcome::Raised(Box::new(error.read())),
                    (None, Some(error), true, false) => Outcome::Rejected(Box::new(error.read())),
                    (Some(_), Some(_), ..) => {
                        return Err(FormatError::malformed("it has both a `tool_result` and a `tool_error`"));
                    }
                    (_, _, true, _) => {
                        return Err(FormatError::malformed(
                            "a `rejected` call needs a `tool_error`, and no more",
                        ));
                    }
                    (_, _, _, true) => {
                        return Err(FormatError::malformed(
                            "an `unseen` call needs a `tool_result`, and no more",
                        ));
                    }
                },
            }),
            StepType::LlmCall => Action::ModelCall(ModelCall {
                model: Arc::from(&*need(self.model, "model")?),
                usage: Counts {
                    prompt: self.prompt_tokens,
                    completion: self.completion_tokens,
                    cache_read: self.cache_read_tokens,
                    cache_write: self.cache_write_tokens,
                    cache_write_long: self.cache_write_long_tokens,
                    reasoning: self.reasoning_tokens,
                }
                .usage()?,
                cost: self.cost.map(|cost| money(&cost)).transpose()?,
                exchange: self.exchange.map(|exchange| exchange.read().map(Box::new)).transpose()?,
            }),
            StepType::StateChange => Action::StateChange(StateChange {
                key: Arc::from(&*need(self.key, "key")?),
                old_value: pack(&need(self.old_value, "old_value")?)?,
                new_value: pack(&need(self.new_value, "new_value")?)?,
            }),
        };
        let agent_id = self.agent_id.map(|agent| Arc::from(&*agent));
        let fault = self.fault.map(|fault| fault.read().map(Box::new)).transpose()?;
        Ok(Step { timestamp: self.timestamp, agent_id, action, fault })
    }
}

impl FailureDocument<'_> {
    fn read(self) -> Failure {
        Failure::new(self.type_name, self.bases, self.message).at(self.place)
    }
}

fn need<T>(field: Option<T>, name: &str) -> Result<T, FormatError> {
    field.ok_or_else(|| FormatError::malformed(format!("`{name}` is missing")))
}

fn pack(value: &Any<'_>) -> Result<Packed, FormatError> {
    Packed::from_json(value.0.get()).map_err(FormatError::malformed)
}

fn dictionary(args: Packed) -> Result<Packed, FormatError> {
    if args.is_dict() { Ok(args) } else { Err(FormatError::malformed("`tool_args` is no dictionary")) }
}

fn money(text: &str) -> Result<Money, FormatError> {
    text.parse().map_err(|()| FormatError::malformed(format!("`{text}` is no amount of dollars")))
}

fn reason(error: FormatError) -> String {
    match error {
        FormatError::Malformed { reason } => reason,
        newer @ FormatError::Newer { .. } => newer.to_string(),
    }
}

/// One shared string per tool, however many steps name it.
#[derive(Default)]
pub(super) struct Names(HashMap<ToolName, (), FxBuildHasher>);

impl Names {
    pub(super) fn tool(&mut self, name: &str) -> ToolName {
        if let Some((known, ())) = self.0.get_key_value(name) {
            return known.clone();
        }
        let tool = ToolName::new(name);
        self.0.insert(tool.clone(), ());
        tool
    }
}
