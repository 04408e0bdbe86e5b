//! Every key of a file, with what it means: what readers know, what the schema for editors shows.

/// A key and what it means.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) doc: &'static str,
}

const fn key(name: &'static str, doc: &'static str) -> Key {
    Key { name, doc }
}

/// The file itself.
pub(super) const FILE: &[Key] = &[
    key("test", "What the test is called, and how it is to be run."),
    key("setup", "What is called first. If one of these fails, the steps are left out."),
    key("steps", "What the test is about."),
    key("teardown", "What is called last, whatever happened before."),
    key(
        "verdict",
        "What decides: texts for a judge, checks, or the word `checks` when the checks of steps decide alone.",
    ),
    key("servers", "Servers of tools that the test starts or connects to, by name."),
    key("vars", "Values by name: `${vars.x}`."),
    key("cases", "One test for each row; its values stand over those of `vars`. A row's `name` is its name."),
    key("include", "A file or files, relative to this one, whose servers, vars and steps are taken over."),
];

/// A file that is included.
pub(super) const INCLUDED: &[&str] = &["servers", "vars", "setup", "steps", "teardown", "include"];

/// `test`.
pub(super) const META: &[Key] = &[
    key("name", "Its name in every report."),
    key("description", "What it is about."),
    key("tags", "Its markers; a single one may stand alone."),
    key("timeout", "Seconds that setup and steps may take together; 0 stands for the default."),
    key("teardown_timeout", "Seconds that teardown may take on top of that; 0 stands for the default."),
    key("on_setup_failure", "What a failure in setup does: `stop` skips the steps, `continue` runs them."),
    key("teardown_errors", "What a failure in teardown does: `fail` fails the test, `warn` only tells."),
    key("judge", "When the judge is asked: `needed`, or `always`, also when checks have decided."),
    key("max_calls", "The most calls of tools that the test may make."),
    key("compat", "`llm-pytest`: unknown keys are warnings, as that system lets them pass."),
];

/// A step.
pub(super) const STEP: &[Key] = &[
    key("name", "What it is called in reports."),
    key("tool", "The tool that it calls: `http_get`, or `server.tool`."),
    key("args", "With what; `${name.path}` is a value that was saved."),
    key("expect", "What a judge is asked about its result."),
    key("analyze", "What a judge is told to look at."),
    key("save_as", "The name that its result is kept under."),
    key("repeat", "How often it is run; 0 skips it."),
    key("steps", "Its children, run in order after its own call."),
    key("retry", "Further attempts after one that failed: a number, or `{times, delay, until}`."),
    key("retry_delay", "Seconds between two attempts."),
    key("timeout", "Seconds that one call may take."),
    key("when", "An expression without which the step is skipped."),
    key("check", "What must hold for its result: one expression or a list of them."),
    key("stop_early", "Whether a group stops at its first iteration that fails."),
    key("include", "A file whose steps stand here. Such a step has no other key."),
];

/// `retry` of a step.
pub(super) const RETRY: &[Key] = &[
    key("times", "Attempts after the first."),
    key("delay", "Seconds between two of them."),
    key("until", "The expression that must hold for the result."),
];

/// `verdict`.
pub(super) const VERDICT: &[Key] = &[
    key("pass_if", "The judge must say yes to this."),
    key("fail_if", "The judge must say no to this."),
    key("check", "What must hold when all steps have run."),
];

/// A check that is a mapping.
pub(super) const CHECK: &[Key] = &[key(
    "match",
    "A pattern: what it names must be there, and more may be. `#string` and its like are types.",
)];

/// A server.
pub(super) const SERVER: &[Key] = &[
    key(
        "command",
        "A program that speaks MCP over its standard streams: a list, or one text as for a shell.",
    ),
    key("env", "Variables of its environment, on top of ours."),
    key("cwd", "The folder to start it in; the project's root if left out."),
    key("url", "The address of a server that speaks MCP over HTTP."),
    key("headers", "Headers of every request."),
    key("protocol", "The version of the protocol to ask for; the newest if left out."),
    key("start_timeout", "Seconds until it must have answered first."),
];

/// Names that `save_as` cannot take: `${env.X}` and its like begin with them.
pub(super) const RESERVED: &[&str] =
    &["stored", "env", "vars", "steps", "result", "text", "ms", "error", "is_error"];

/// The largest number that a count or a number of seconds can be.
pub(super) const MOST: u32 = 999_999_999;
/// Defaults of `test` and `servers`.
pub(super) const TIMEOUT: u32 = 120;
pub(super) const TEARDOWN_TIMEOUT: u32 = 30;
pub(super) const MAX_CALLS: u32 = 1000;
pub(super) const START_TIMEOUT: f64 = 30.0;
/// Defaults of a step.
pub(super) const REPEAT: u32 = 1;
pub(super) const RETRY_DELAY: f64 = 1.0;
