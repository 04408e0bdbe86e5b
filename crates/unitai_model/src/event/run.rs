//! The beginning and the end of a run of tests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Spending;

/// Tests are about to be looked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunStarted {
    /// Always `unitai.events`.
    #[schemars(extend("const" = FORMAT))]
    pub format: String,
    /// Always 1.
    #[schemars(extend("const" = super::VERSION))]
    pub version: u64,
    /// Seconds since the epoch.
    pub at: f64,
    /// The run's id.
    pub run_id: String,
    /// The release of UnitAI.
    pub unitai: String,
    /// The version of Python; empty where the engine ran alone.
    pub python: String,
    /// The version of pytest; empty where it did not run.
    pub pytest: String,
    /// What was asked for: paths and options.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The model that agents use instead of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_override: Option<String>,
    /// Where answers of models come from: `record`, `replay`, `auto` or `off`; absent when nobody said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_mode: Option<String>,
}

/// The name of the format.
const FORMAT: &str = "unitai.events";

impl RunStarted {
    /// A run that begins with this release. What it was asked for is put in by who knows it.
    ///
    /// ```
    /// use unitai_model::event::{RunEvent, RunStarted};
    /// let started = RunStarted::now("20261115T183000Z-9f2c11d0", 1_794_767_400.0, "3.13.1", "9.0.2");
    /// let line = RunEvent::RunStarted(started).line();
    /// assert!(line.starts_with(r#"{"event":"run_started","format":"unitai.events","version":1,"#));
    /// ```
    pub fn now(run_id: &str, at: f64, python: &str, pytest: &str) -> RunStarted {
        RunStarted {
            format: FORMAT.to_owned(),
            version: super::VERSION,
            at,
            run_id: run_id.to_owned(),
            unitai: env!("CARGO_PKG_VERSION").to_owned(),
            python: python.to_owned(),
            pytest: pytest.to_owned(),
            arguments: Vec::new(),
            model_override: None,
            cache_mode: None,
        }
    }
}

/// The tests are known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestsFound {
    /// Seconds since the epoch.
    pub at: f64,
    /// How many will run.
    pub count: u64,
    /// How many were left out by `-k`, `-m` and the like.
    #[serde(default)]
    pub deselected: u64,
}

/// The run is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunFinished {
    /// Seconds since the epoch.
    pub at: f64,
    /// How long it took, in seconds.
    pub duration_seconds: f64,
    /// How it ended.
    pub ending: RunEnding,
    /// The exit code; absent where a signal ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Why it ended so, where that needs saying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What model calls came to that belong to no test which is over: it was interrupted, for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spending: Option<Spending>,
    /// What all tests together may spend, and what they have spent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Limit>,
}

/// How a run of tests ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunEnding {
    /// Every test had its turn.
    Completed,
    /// It was stopped after a failure, as asked; the rest did not run.
    Stopped,
    /// Somebody interrupted it.
    Interrupted,
    /// Tests could not be looked for, or pytest itself failed.
    Broken,
    /// The process died.
    Crashed,
}

/// A budget.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limit {
    /// US dollars that may be spent.
    pub limit: f64,
    /// US dollars that have been.
    pub spent: f64,
}
