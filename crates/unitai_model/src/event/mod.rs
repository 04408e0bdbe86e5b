//! What happens in a run of tests, as JSON lines: format `unitai.events`, version 1.
//!
//! The lines are the one source of every report: terminal, JUnit, Markdown and HTML read them and nothing else. They
//! are written as things happen, so that a run which is interrupted or killed still has all that was known. Within a
//! version, events and fields may be added; a reader passes over what it does not know.
//! `schemas/events.schema.json` is generated from [`RunEvent`].
//!
//! ```
//! use unitai_model::event::RunEvent;
//! let line = r#"{"event":"test_started","at":1.5,"test":"tests/test_refund.py::test_refund"}"#;
//! let RunEvent::TestStarted(started) = RunEvent::read(line).unwrap().unwrap() else { panic!() };
//! assert_eq!(started.test, "tests/test_refund.py::test_refund");
//! assert_eq!(RunEvent::read(r#"{"event":"of_a_later_release"}"#), Ok(None));
//! ```

mod amount;
mod run;
mod statistics;
mod test;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use amount::{Part, Spending};
pub use run::{Limit, RunEnding, RunFinished, RunStarted, TestsFound};
pub use statistics::{FailureMode, IntervalBasis, Statistics, Verdict};
pub use test::{
    AgentRan, BrokenExpectation, Captured, Covered, Document, Phase, TestFailure, TestFinished, TestOutcome,
    TestStarted,
};

/// The version that this release writes.
pub const VERSION: u64 = 1;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
#[schemars(title = "UnitAI run event, version 1")]
pub enum RunEvent {
    /// The first line of a file: tests are about to be looked for.
    RunStarted(RunStarted),
    /// The tests are known.
    TestsFound(TestsFound),
    /// A test begins.
    TestStarted(TestStarted),
    /// An agent ran in a test.
    AgentRan(AgentRan),
    /// A test is over.
    TestFinished(Box<TestFinished>),
    /// The last line of a file. Without it, the run was killed.
    RunFinished(RunFinished),
}

/// Why a line is no event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// The file is of a later version than this release knows.
    #[error(
        "the events are of format version {found}, and this release reads up to version {VERSION}: upgrade UnitAI"
    )]
    Newer {
        /// The file's version.
        found: u64,
    },
    /// It is not an event.
    #[error("not an event: {reason}")]
    Malformed {
        /// What is wrong.
        reason: String,
    },
}

impl RunEvent {
    /// Reads a line; `None` for an event that this release does not know.
    pub fn read(line: &str) -> Result<Option<RunEvent>, EventError> {
        let malformed = |error: serde_json::Error| EventError::Malformed { reason: error.to_string() };
        let header: Header = serde_json::from_str(line).map_err(malformed)?;
        if header.version > VERSION {
            return Err(EventError::Newer { found: header.version });
        }
        // One by one, because a trajectory's text can be kept as it stands only where nothing is read ahead.
        let read = match header.event.as_str() {
            "run_started" => serde_json::from_str(line).map(RunEvent::RunStarted),
            "tests_found" => serde_json::from_str(line).map(RunEvent::TestsFound),
            "test_started" => serde_json::from_str(line).map(RunEvent::TestStarted),
            "agent_ran" => serde_json::from_str(line).map(RunEvent::AgentRan),
            "test_finished" => serde_json::from_str(line).map(RunEvent::TestFinished),
            "run_finished" => serde_json::from_str(line).map(RunEvent::RunFinished),
            _ => return Ok(None),
        };
        read.map(Some).map_err(malformed)
    }

    /// The line, without its end.
    pub fn line(&self) -> String {
        // No map in it has keys that are not text, and no number is infinite in a way that JSON minds.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// What says whether the rest can be read. Only the first line of a file has a version.
#[derive(Deserialize)]
struct Header {
    event: String,
    #[serde(default = "this_version")]
    version: u64,
}

fn this_version() -> u64 {
    VERSION
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_event_is_known_by_its_name() {
        let schema = schemars::schema_for!(RunEvent);
        for kind in schema.as_value()["oneOf"].as_array().unwrap() {
            let line = format!(r#"{{"event":{}}}"#, kind["properties"]["event"]["const"]);
            assert_ne!(RunEvent::read(&line), Ok(None), "{line}");
        }
    }

    #[test]
    fn a_trajectory_comes_back_as_it_was() {
        let line =
            r#"{"event":"agent_ran","test":"t","trajectory":{"format":"unitai.trajectory", "x" : 1.50}}"#;
        let event = RunEvent::read(line).unwrap().unwrap();
        assert_eq!(event.line(), line);
        assert_eq!(RunEvent::read(&event.line()), Ok(Some(event)));
    }

    #[test]
    fn what_is_newer_or_broken_is_refused_and_what_is_more_is_passed_over() {
        let newer = r#"{"event":"run_started","version":2,"anything":"else"}"#;
        assert_eq!(RunEvent::read(newer), Err(EventError::Newer { found: 2 }));
        for broken in ["", "{", "[]", r#"{"event":"test_started"}"#, r#"{"event":3}"#] {
            assert!(matches!(RunEvent::read(broken), Err(EventError::Malformed { .. })), "{broken}");
        }
        let more = r#"{"event":"tests_found","at":1,"count":3,"shards":2}"#;
        assert!(matches!(RunEvent::read(more), Ok(Some(RunEvent::TestsFound(found))) if found.count == 3));
    }
}
