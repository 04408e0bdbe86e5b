//! A run of an agent, as evidence: what it was given, each tool it called, and how it ended.

use unitai_model::value::{Packed, Value};
use unitai_model::{Action, Ending, Trajectory};
use unitai_spec::data::to_json;
use unitai_spec::run::{Evidence, Outcome};

/// Stands where a tool would: what the agent was given.
const INPUT: &str = "input";
/// Stands where a tool would: how the agent ended.
const OUTPUT: &str = "output";

/// A record of evidence, and the step of the trajectory that it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The record.
    pub evidence: Evidence,
    /// The step, from 0; `None` for input and output.
    pub step: Option<usize>,
}

/// What a judge is shown of a run. Model calls are left out: what they came to is there, as calls and output.
///
/// ```
/// use unitai_judge::about_run;
/// use unitai_model::{Ending, Trajectory, value::Value};
/// let said = |text: &str| Value::Str(text.to_owned()).pack();
/// let run = Trajectory::new("run", said("Where is my money?"), 0.0, 1.0, vec![], Ending::returned(said("On its way.")));
/// let records = about_run::records(&run);
/// assert_eq!(records.iter().map(|it| it.evidence.tool.as_str()).collect::<Vec<_>>(), ["input", "output"]);
/// ```
pub fn records(run: &Trajectory) -> Vec<Record> {
    let mut records = vec![record(INPUT, "input".to_owned(), Vec::new(), returned(run.input()), None)];
    for (at, step) in run.steps().iter().enumerate() {
        if let Action::ToolCall(call) = &step.action {
            let outcome = match &call.outcome {
                unitai_model::Outcome::Returned(value) | unitai_model::Outcome::Unseen(value) => {
                    returned(value)
                }
                unitai_model::Outcome::Raised(failure) | unitai_model::Outcome::Rejected(failure) => {
                    failed(&failure.to_string())
                }
                unitai_model::Outcome::Unfinished => Outcome::Unfinished,
            };
            let tool = call.tool.as_str();
            records.push(record(tool, format!("step[{at}]"), arguments(&call.args), outcome, Some(at)));
        }
    }
    let outcome = match run.ending() {
        Ending::Returned(output) => returned(output),
        Ending::Raised(failure) => failed(&failure.to_string()),
    };
    records.push(record(OUTPUT, "output".to_owned(), Vec::new(), outcome, None));
    for (at, record) in records.iter_mut().enumerate() {
        record.evidence.number = at + 1;
    }
    records
}

fn record(
    tool: &str,
    path: String,
    args: Vec<(String, Value)>,
    outcome: Outcome,
    step: Option<usize>,
) -> Record {
    let evidence = Evidence {
        number: 0,
        path,
        attempt: 1,
        server: String::new(),
        tool: tool.to_owned(),
        args,
        started: 0.0,
        ms: 0.0,
        outcome,
        sha256: String::new(),
    };
    Record { evidence, step }
}

fn returned(value: &Packed) -> Outcome {
    let value = value.value();
    let text = match &value {
        Value::Str(text) => text.clone(),
        other => to_json(other).to_string(),
    };
    Outcome::Returned { value, text }
}

fn failed(message: &str) -> Outcome {
    Outcome::Failed { message: message.to_owned(), details: String::new() }
}

fn arguments(args: &Packed) -> Vec<(String, Value)> {
    match args.value() {
        Value::Dict(entries) => entries
            .into_iter()
            .map(|(name, value)| match name {
                Value::Str(name) => (name, value),
                other => (other.to_string(), value),
            })
            .collect(),
        Value::Null => Vec::new(),
        other => vec![("args".to_owned(), other)],
    }
}
