//! A test that has run, in words.

use unitai_model::value::plain_lines;

use super::deciding;
use super::{Ending, Run, Status, StepResult};

/// The signs before steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signs {
    /// Tick, cross and circle.
    Drawn,
    /// The same for terminals that cannot draw them.
    Plain,
}

impl Signs {
    fn of(self, status: Status) -> &'static str {
        match (self, status) {
            (Signs::Drawn, Status::Pass) => "✓",
            (Signs::Drawn, Status::Fail) => "✗",
            (Signs::Drawn, Status::Skip) => "○",
            (Signs::Plain, Status::Pass) => "+",
            (Signs::Plain, Status::Fail) => "x",
            (Signs::Plain, Status::Skip) => "-",
        }
    }
}

/// One step in one line; what it says in several lines is indented below.
///
/// ```
/// use unitai_spec::document::Place;
/// use unitai_spec::run::{Signs, Status, StepResult, step_line};
/// let step = StepResult {
///     name: "Fetch users".to_owned(),
///     path: "steps[0]".to_owned(),
///     status: Status::Fail,
///     details: "expected status_code == 200, found 404".to_owned(),
///     tool_output: None,
///     evidence: vec![1],
///     ms: 12.0,
///     place: Place::default(),
/// };
/// assert_eq!(step_line(&step, Signs::Plain), "x Fetch users (steps[0]): expected status_code == 200, found 404");
/// ```
pub fn step_line(step: &StepResult, signs: Signs) -> String {
    let sign = signs.of(step.status);
    let place = if step.place.line > 0 { format!(", line {}", step.place.line) } else { String::new() };
    let name = if step.name.starts_with(&step.path) {
        format!("{}{}", step.name, place.replacen(", ", " (", 1) + if place.is_empty() { "" } else { ")" })
    } else {
        format!("{} ({}{place})", step.name, step.path)
    };
    match (step.status, step.details.as_str()) {
        (Status::Pass, "") => format!("{sign} {name}, {}", milliseconds(step.ms)),
        (_, "") => format!("{sign} {name}"),
        (_, details) => format!("{sign} {name}: {}", details.replace('\n', "\n    ")),
    }
}

fn milliseconds(ms: f64) -> String {
    if ms < 10.0 { format!("{ms:.1} ms") } else { format!("{ms:.0} ms") }
}

/// What a judge was asked and answered, and how to say that it is wrong; empty if nobody was asked.
pub fn tell_answers(test: &str, run: &Run) -> String {
    let Some(judged) = run.judged.as_ref().filter(|_| !run.answers.is_empty()) else { return String::new() };
    let by = if judged.by.is_empty() { "somebody" } else { &judged.by };
    let kept = if judged.is_kept { ", kept answers" } else { "" };
    let mut out = format!("Judged by {by}{kept}:");
    for (question, reply) in &run.answers {
        let why = if reply.why.is_empty() { String::new() } else { format!(" ({})", reply.why) };
        let line = format!("{} {}: {}{why}", question.id, reply.answer.word(), question.text);
        out.push_str("\n  ");
        out.push_str(&line.replace('\n', "\n    "));
    }
    if !judged.by.is_empty() {
        let test = shlex::try_quote(test).map_or_else(|_| "TEST".into(), std::borrow::Cow::into_owned);
        out.push_str(&format!("\n  is an answer wrong? Say so: unitai judge label {test} Q1 yes|no"));
    }
    out
}

/// How a test ended: its reason, its steps and what is wrong.
pub fn tell(ending: &Ending, signs: Signs) -> String {
    let (head, steps, issues): (String, &[StepResult], &[String]) = match ending {
        Ending::Decided(verdict) => {
            (format!("{}: {}", verdict.word.text(), verdict.reason), &verdict.steps, &verdict.issues)
        }
        Ending::Error { message, remedy, steps } => {
            let rest = if remedy.is_empty() { String::new() } else { format!("\n{remedy}") };
            (format!("ERROR: {message}{rest}"), steps, &[])
        }
        Ending::Stopped { steps } => ("STOPPED".to_owned(), steps, &[]),
    };
    let mut out = head;
    if !steps.is_empty() {
        out.push_str("\n\nSteps:");
    }
    for step in steps {
        out.push_str("\n  ");
        out.push_str(&step_line(step, signs));
    }
    // What a step says of itself stands there already.
    let is_new = |issue: &&String| {
        let told = |step: &StepResult| **issue == step.details || **issue == deciding::told(step);
        !steps.iter().any(|step| !step.details.is_empty() && told(step))
    };
    let issues: Vec<&String> = issues.iter().filter(is_new).collect();
    if !issues.is_empty() {
        out.push_str("\n\nIssues:");
    }
    for issue in issues {
        out.push_str("\n  - ");
        out.push_str(&issue.replace('\n', "\n    "));
    }
    // Tools and models have a say in it, and a terminal obeys them.
    plain_lines(&out)
}
