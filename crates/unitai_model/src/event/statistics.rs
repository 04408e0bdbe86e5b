//! How the runs of a repeated test did.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the runs of a repeated test did, and what they prove.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Statistics {
    /// What they came to.
    pub verdict: Verdict,
    /// Runs that passed.
    pub passed: u64,
    /// Runs that failed.
    pub failed: u64,
    /// Runs that decided nothing; they count nowhere.
    pub inconclusive: u64,
    /// Runs that were asked for.
    pub planned: u64,
    /// The share of the runs that passed.
    #[schemars(range(min = 0, max = 1))]
    pub pass_rate: f64,
    /// The share that had to.
    #[schemars(range(min = 0, max = 1))]
    pub threshold: f64,
    /// Where the true pass rate lies.
    #[schemars(inner(range(min = 0, max = 1)))]
    pub interval: [f64; 2],
    /// What that interval allows for.
    #[serde(default)]
    pub interval_basis: IntervalBasis,
    /// How surely it lies there.
    #[schemars(range(min = 0, max = 1))]
    pub confidence: f64,
    /// What the runs prove, in a sentence.
    pub claim: String,
    /// When the runs were to end: `all`, `early` or `sequential`.
    pub mode: String,
    /// Runs that were asked for and not needed.
    #[serde(default)]
    pub saved_runs: u64,
    /// Why fewer runs were made than asked for, in words; nothing if all of them were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// US dollars of all runs whose cost is known.
    #[schemars(range(min = 0))]
    pub cost: f64,
    /// Whether the cost of every run is known.
    pub is_cost_known: bool,
    /// The ways of failing, the most common first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failure_modes: Vec<FailureMode>,
    /// Why runs decided nothing, with how many did for that reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<FailureMode>,
    /// What is worth knowing about the plan: an `n` that is too small, for one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Statistics {
    /// Whether the runs are a pass rate of the agent. Runs that raised are not.
    pub fn is_rate(&self) -> bool {
        self.verdict != Verdict::Error
    }
}

/// What an interval of the pass rate allows for. One of a fixed number of runs is wrong about runs that were stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntervalBasis {
    /// The number of runs was fixed, and all of them were made.
    #[default]
    FixedN,
    /// The test stopped by its own rule, and the interval is true under that rule.
    StoppingRule,
    /// Something else ended the runs, and the interval is true whatever the missing ones would have come to.
    MissingRuns,
}

impl IntervalBasis {
    /// What is to be said beside the interval; `None` for a fixed number of runs.
    ///
    /// ```
    /// use unitai_model::event::IntervalBasis;
    /// assert_eq!(IntervalBasis::StoppingRule.note(), Some("valid under early stopping"));
    /// assert_eq!(IntervalBasis::FixedN.note(), None);
    /// ```
    pub fn note(self) -> Option<&'static str> {
        match self {
            IntervalBasis::FixedN => None,
            IntervalBasis::StoppingRule => Some("valid under early stopping"),
            IntervalBasis::MissingRuns => Some("valid whatever the missing runs would be"),
        }
    }
}

/// What a repeated test came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Enough runs passed.
    Passed,
    /// Too few did.
    Failed,
    /// Too little is known to say.
    Inconclusive,
    /// Too few passed, and those that failed raised something else than an assertion.
    Error,
}

/// A way in which runs failed, or decided nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailureMode {
    /// In words.
    pub text: String,
    /// How many runs.
    pub count: u64,
    /// Where such runs part from those that pass, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parting: Option<String>,
    /// A run that failed so: the `run_id` of a trajectory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
}
