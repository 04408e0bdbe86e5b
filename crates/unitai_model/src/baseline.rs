//! A baseline as JSON: format `unitai.baseline`, version 1. How the repeated tests of a suite did, so that a later run
//! can be compared with it.
//!
//! It holds counts and the ways of failing, and nothing that an agent did. The number of runs and the pass rate are not
//! written, because the counts already say them. `schemas/baseline.schema.json` is generated from [`Baseline`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version that this release writes.
pub const VERSION: u64 = 1;

/// Why a text is no baseline.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaselineError {
    /// It is of a later version than this release knows.
    #[error("it is of format version {found}, and this release reads up to version {VERSION}")]
    Newer {
        /// The file's version.
        found: u64,
    },
    /// It is not a baseline of the version it claims.
    #[error("it is not a baseline: {reason}")]
    Malformed {
        /// What is wrong, with line and column where known.
        reason: String,
    },
}

/// How the repeated tests of a suite did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "UnitAI baseline, version 1")]
pub struct Baseline {
    /// Always `unitai.baseline`.
    format: Format,
    /// Always 1.
    #[schemars(extend("const" = VERSION))]
    version: u64,
    /// The release that saved it last.
    pub unitai: String,
    /// When it was saved last, in seconds since the epoch.
    pub saved_at: u64,
    /// The tests by their ids.
    pub tests: BTreeMap<String, Sample>,
}

/// The name of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
enum Format {
    #[serde(rename = "unitai.baseline")]
    Baseline,
}

/// How one repeated test did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// When it was saved, in seconds since the epoch: a part of a suite can be saved anew.
    pub saved_at: u64,
    /// Runs that passed.
    pub passed: u32,
    /// Runs that failed.
    pub failed: u32,
    /// Runs that decided nothing; they count nowhere.
    pub inconclusive: u32,
    /// The pass rate that was required.
    #[schemars(range(min = 0, max = 1))]
    pub threshold: f64,
    /// When the runs were to end.
    pub mode: Mode,
    /// US dollars of all runs; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub cost: Option<f64>,
    /// How many runs failed in which way.
    pub failure_modes: BTreeMap<String, u32>,
}

/// When the runs of a test end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// When all are done. Only then are the counts a fair sample.
    All,
    /// When the outcome cannot change any more.
    Early,
    /// When a sequential test has settled it.
    Sequential,
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// ```
    /// use unitai_model::baseline::{Baseline, BaselineError};
    /// let newer = r#"{"format":"unitai.baseline","version":7,"something":"else"}"#;
    /// assert_eq!(Baseline::read(newer).unwrap_err(), BaselineError::Newer { found: 7 });
    /// ```
    pub fn read(text: &str) -> Result<Baseline, BaselineError> {
        if let Ok(Header { format: Format::Baseline, version: found }) = serde_json::from_str(text)
            && found > VERSION
        {
            return Err(BaselineError::Newer { found });
        }
        let malformed = |reason: String| BaselineError::Malformed { reason };
        let baseline: Baseline = serde_json::from_str(text).map_err(|error| malformed(error.to_string()))?;
        if baseline.version != VERSION {
            return Err(malformed(format!("there was never a version {}", baseline.version)));
        }
        for (test, sample) in &baseline.tests {
            sample.check().map_err(|reason| malformed(format!("{reason} of {test:?}")))?;
        }
        Ok(baseline)
    }

    /// The text of its file.
    pub fn write(&self) -> String {
        // Neither a key that is no text nor a number that is none can be in it, and nothing else fails.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Takes over what a later run found. Tests that it did not run stay as they were.
    pub fn update(&mut self, later: Baseline) {
        self.unitai = later.unitai;
        self.saved_at = later.saved_at;
        self.tests.extend(later.tests);
    }

    /// The same with every foreign text as `told` tells it. Failures that are then told alike are one.
    pub fn retold(self, told: impl Fn(String) -> String) -> Baseline {
        let retold = |sample: Sample| {
            let mut modes = BTreeMap::new();
            for (text, count) in sample.failure_modes {
                let sum: &mut u32 = modes.entry(told(text)).or_default();
                *sum = sum.saturating_add(count);
            }
            Sample { failure_modes: modes, ..sample }
        };
        let tests = self.tests.into_iter().map(|(test, sample)| (told(test), retold(sample))).collect();
        Baseline { tests, ..self }
    }
}

impl Sample {
    fn check(&self) -> Result<(), &'static str> {
        if !(0.0..=1.0).contains(&self.threshold) {
            return Err("a threshold lies between 0 and 1, unlike that");
        }
        match self.cost {
            Some(cost) if cost < 0.0 => Err("nothing costs less than nothing, unlike the runs"),
            _ => Ok(()),
        }
    }
}

#[derive(Deserialize)]
struct Header {
    format: Format,
    version: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(passed: u32, failed: u32) -> Sample {
        Sample {
            saved_at: 5,
            passed,
            failed,
            inconclusive: 0,
            threshold: 0.9,
            mode: Mode::All,
            cost: Some(0.25),
            failure_modes: BTreeMap::from([("a secret: 1".to_owned(), 2), ("a secret: 2".to_owned(), 3)]),
        }
    }

    fn baseline(tests: &[(&str, Sample)]) -> Baseline {
        let tests = tests.iter().map(|(test, sample)| ((*test).to_owned(), sample.clone())).collect();
        let (format, version) = (Format::Baseline, VERSION);
        Baseline { format, version, unitai: "0.1.0".to_owned(), saved_at: 5, tests }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let baseline =
            baseline(&[("test_a", sample(15, 5)), ("test_b", Sample { cost: None, ..sample(1, 0) })]);
        assert_eq!(Baseline::read(&baseline.write()), Ok(baseline));
    }

    #[test]
    fn what_did_not_run_stays() {
        let mut old = baseline(&[("test_a", sample(1, 1)), ("test_b", sample(2, 2))]);
        let later = Sample { saved_at: 9, ..sample(3, 3) };
        old.update(Baseline { saved_at: 9, ..baseline(&[("test_b", later), ("test_c", sample(4, 4))]) });
        let passed: Vec<_> = old.tests.values().map(|sample| (sample.passed, sample.saved_at)).collect();
        assert_eq!((old.saved_at, passed), (9, vec![(1, 5), (3, 9), (4, 5)]));
    }

    #[test]
    fn failures_that_are_told_alike_are_one() {
        let told = baseline(&[("test_a", sample(0, 5))]).retold(|text| text.replace(char::is_numeric, "?"));
        assert_eq!(told.tests["test_a"].failure_modes, BTreeMap::from([("a secret: ?".to_owned(), 5)]));
    }

    #[test]
    fn what_is_no_baseline_is_refused() {
        let good = baseline(&[("test_a", sample(15, 5))]).write();
        let edited = |from: &str, to: &str| {
            let text = good.replacen(from, to, 1);
            assert_ne!(text, good, "{from}");
            text
        };
        let wrong = [
            String::new(),
            "{}".to_owned(),
            good[..good.len() / 2].to_owned(),
            edited("unitai.baseline", "unitai.trajectory"),
            edited("\"version\": 1", "\"version\": 0"),
            edited("\"passed\": 15", "\"passed\": -15"),
            edited("\"passed\": 15", "\"passed\": 1e99"),
            edited("\"threshold\": 0.9", "\"threshold\": 1.9"),
            edited("\"cost\": 0.25", "\"cost\": -1"),
            edited("\"mode\": \"all\"", "\"mode\": \"some\""),
            edited("\"passed\"", "\"past\""),
        ];
        for text in wrong {
            assert!(matches!(Baseline::read(&text), Err(BaselineError::Malformed { .. })), "{text}");
        }
    }
}
