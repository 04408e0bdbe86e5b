//! A test as it was written, with every default filled in. It never changes.

use unitai_model::value::Value;

use super::Place;

/// The arguments of a call, in the order in which they were written; `${...}` still stands in them.
pub type Arguments = Vec<(String, Value)>;

/// One test: one document of a file, or one row of its cases.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// What it is called, and how it is to be run.
    pub test: Meta,
    /// The servers that it starts or connects to, beside those of the project.
    pub servers: Vec<Server>,
    /// `${vars.x}`: what the file gives in `vars`, and the row of `cases` over it.
    pub vars: Vec<(String, Value)>,
    /// The name of the row, such as `backend=mysql`, where the file has cases.
    pub case: Option<String>,
    /// Which of the tests of this name in its file it is, from 1.
    pub twin: u32,
    /// What is called first. If one of these fails, the steps are left out.
    pub setup: Vec<Step>,
    /// What the test is about.
    pub steps: Vec<Step>,
    /// What is called last, whatever happened before.
    pub teardown: Vec<Step>,
    /// What decides.
    pub verdict: VerdictSpec,
    /// Where it begins.
    pub place: Place,
}

/// What a test is called, and how it is to be run.
#[derive(Debug, Clone, PartialEq)]
pub struct Meta {
    /// Its name in every report.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// Its markers.
    pub tags: Vec<String>,
    /// Seconds that setup and steps may take together.
    pub timeout: u32,
    /// Seconds that teardown may take, on top of that.
    pub teardown_timeout: u32,
    /// What a failure in setup does.
    pub on_setup_failure: OnSetupFailure,
    /// What a failure in teardown does.
    pub teardown_errors: OnTeardownError,
    /// When the judge is asked.
    pub judge: JudgeWhen,
    /// The most calls of tools that the test may make: a slip in `repeat` must not run for days.
    pub max_calls: u32,
}

/// What a failure in setup does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnSetupFailure {
    /// The steps are skipped and the test fails.
    Stop,
    /// The steps run all the same.
    Continue,
}

/// What a failure in teardown does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnTeardownError {
    /// A test that passed fails.
    Fail,
    /// It is told.
    Warn,
}

/// When the judge is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgeWhen {
    /// When checks have not decided and questions are left.
    Needed,
    /// Also when checks have decided that the test failed.
    Always,
}

/// One step: a call, a group of steps, or a checkpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its name; may be empty.
    pub name: String,
    /// The tool that it calls; empty for groups and checkpoints.
    pub tool: String,
    /// With what.
    pub args: Arguments,
    /// What a judge is asked about its result; may be empty.
    pub expect: String,
    /// What a judge is told to look at; may be empty.
    pub analyze: String,
    /// The name that its result is kept under; may be empty.
    pub save_as: String,
    /// How often it is run.
    pub repeat: u32,
    /// Its children, run in order after its own call.
    pub steps: Vec<Step>,
    /// How often a call is tried again that fails.
    pub retry: Option<Retry>,
    /// Seconds that one call may take.
    pub timeout: Option<f64>,
    /// The expression without which it is skipped; may be empty.
    pub when: String,
    /// What must hold for its result.
    pub check: Vec<Check>,
    /// Whether a group stops at its first iteration that fails.
    pub stop_early: bool,
    /// Where it begins.
    pub place: Place,
}

impl Step {
    /// Whether it has children.
    pub fn is_nested(&self) -> bool {
        !self.steps.is_empty()
    }
}

/// How often a call is tried again that fails.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// Attempts after the first.
    pub times: u32,
    /// Seconds between two of them.
    pub delay: f64,
    /// The expression that must hold for the result; empty: the call and its checks must succeed.
    pub until: String,
}

/// What must hold for a result.
#[derive(Debug, Clone, PartialEq)]
pub enum Check {
    /// An expression such as `status_code == 200`.
    Holds {
        /// As it was written.
        text: String,
        /// Where.
        place: Place,
    },
    /// A pattern: what it names must be there, and more may be.
    Match {
        /// The pattern.
        pattern: Value,
        /// Where.
        place: Place,
    },
}

/// What decides a test. Without texts, checks alone do.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VerdictSpec {
    /// The judge must say yes to this; may be empty.
    pub pass_if: String,
    /// The judge must say no to this; may be empty.
    pub fail_if: String,
    /// What must hold when all steps have run: over saved values, and `calls("tool")`.
    pub check: Vec<Check>,
}

/// A server of tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// How it is reached.
    pub kind: ServerKind,
    /// The version of the protocol that is asked for; empty: the newest.
    pub protocol: String,
    /// Seconds until it must have answered first.
    pub start_timeout: f64,
    /// Where it is written.
    pub place: Place,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerKind {
    /// A child process that speaks over its standard streams.
    Command {
        /// The program and its arguments.
        command: Vec<String>,
        /// Variables on top of ours; `${...}` still stands in them.
        env: Vec<(String, String)>,
        /// The folder to start in; empty: the project's root.
        cwd: String,
    },
    /// Streamable HTTP.
    Url {
        /// Where.
        url: String,
        /// Headers of every request; `${...}` still stands in them.
        headers: Vec<(String, String)>,
    },
}
