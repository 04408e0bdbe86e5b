//! Checks: pure functions from a trajectory to a finding, one file each.
//!
//! A check is written from either side of the language boundary. Where it must compare with
//! something only the caller understands (a Python object, a compiled pattern, an exception
//! class), it asks through one of the small traits of [`ports`].
//!
//! ```
//! use unitai_check::{checks::ToolWasCalled, find};
//! use unitai_model::{Ending, Packed, Trajectory};
//!
//! let idle = Trajectory::new("run-1", Packed::null(), 0.0, 0.1, vec![], Ending::returned(Packed::null()));
//! let finding = find(&ToolWasCalled { tool: "search".into() }, &idle);
//! assert!(!finding.held());
//! assert_eq!(finding.line(), "broken: expected search to be called, but no tool was called");
//! ```

pub mod checks;
mod data;
mod describe;
mod names;
pub mod ports;
pub mod reference;
mod telling;
pub mod trials;
mod trouble;

pub use names::Names;
use unitai_model::{Finding, Trajectory, Verdict};

/// One expectation about a trajectory.
pub trait Check: Send + Sync {
    /// The stable name, spelled as the method that makes it.
    fn id(&self) -> &'static str;

    /// The assertion as the test wrote it.
    fn assertion(&self) -> String;

    /// What must be true, as a phrase that follows "expected".
    fn expected(&self) -> String;

    /// Whether it is.
    fn judge(&self, trajectory: &Trajectory) -> Judgement;

    /// The tool whose absence makes it hold. A misspelled name would make it hold whatever the agent does.
    fn absent_tool(&self) -> Option<&str> {
        None
    }
}

/// A check's answer, before it is put into words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It holds, because of these steps.
    Held(Vec<usize>),
    /// It does not.
    Broken {
        /// What is true instead.
        actual: String,
        /// The steps that show it.
        cites: Vec<usize>,
    },
}

impl Judgement {
    /// The expectation was not met: what is true instead, and the steps that show it.
    pub fn broken(actual: impl Into<String>, cites: impl Into<Vec<usize>>) -> Judgement {
        Judgement::Broken { actual: actual.into(), cites: cites.into() }
    }

    /// Whether the expectation was met.
    pub fn held(&self) -> bool {
        matches!(self, Judgement::Held(_))
    }
}

/// Judges a trajectory and puts the answer into words.
pub fn find(check: &dyn Check, trajectory: &Trajectory) -> Finding {
    finding(check, check.judge(trajectory))
}

/// Puts an answer into words.
pub fn finding(check: &dyn Check, judgement: Judgement) -> Finding {
    let (verdict, cites) = match judgement {
        Judgement::Held(cites) => (Verdict::Held, cites),
        Judgement::Broken { actual, cites } => (Verdict::Broken { actual }, cites),
    };
    Finding {
        check: check.id().into(),
        assertion: check.assertion(),
        expected: check.expected(),
        verdict,
        cites,
    }
}
