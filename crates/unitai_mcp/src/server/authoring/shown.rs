//! Tests, troubles and runs as the JSON that clients get.

use serde_json::{Value, json};
use unitai_spec::document::{Severity, Spec, Trouble};
use unitai_spec::run::{Ending, Run, StepResult};

use super::place::Root;

/// What is wrong, each with its place.
pub(super) fn troubles(root: &Root, troubles: &[Trouble]) -> Vec<Value> {
    let shown = |trouble: &Trouble| {
        json!({
            "severity": severity(trouble.severity),
            "file": root.shown(&trouble.place.file),
            "line": trouble.place.line,
            "column": trouble.place.column,
            "path": trouble.path,
            "message": trouble.message,
            "hint": trouble.remedy,
        })
    };
    troubles.iter().map(shown).collect()
}

/// One of them as a line.
pub(super) fn line(trouble: &Trouble) -> String {
    let Trouble { place, path, message, remedy, .. } = trouble;
    let mut line = format!("{}:{}: {}: ", place.line, place.column, severity(trouble.severity));
    if !path.is_empty() {
        line.push_str(&format!("{path}: "));
    }
    line.push_str(message);
    if !remedy.is_empty() {
        line.push_str(&format!(" ({remedy})"));
    }
    line
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// The names of tests, with their cases.
pub(super) fn names(specs: &[Spec]) -> Vec<String> {
    specs.iter().map(name).collect()
}

fn name(spec: &Spec) -> String {
    match &spec.case {
        Some(case) => format!("{}[{case}]", spec.test.name),
        None => spec.test.name.clone(),
    }
}

/// What came of one test.
pub(super) fn run(spec: &Spec, run: &Run) -> Value {
    let (verdict, reason, done, issues): (_, _, _, &[String]) = match &run.ending {
        Ending::Decided(it) => (it.word.text(), it.reason.clone(), &it.steps, &it.issues),
        Ending::Error { message, remedy, steps } if remedy.is_empty() => {
            ("ERROR", message.clone(), steps, &[])
        }
        Ending::Error { message, remedy, steps } => ("ERROR", format!("{message}; {remedy}"), steps, &[]),
        Ending::Stopped { steps } => {
            ("STOPPED", "it was stopped; its teardown has run".to_owned(), steps, &[])
        }
    };
    json!({
        "name": name(spec),
        "verdict": verdict,
        "reason": reason,
        "steps": done.iter().map(step).collect::<Vec<_>>(),
        "issues": issues,
        "warnings": run.warnings,
        "calls": run.evidence.len(),
        "questions": run.questions,
        "seconds": rounded(run.seconds),
    })
}

fn step(step: &StepResult) -> Value {
    json!({
        "name": step.name,
        "path": step.path,
        "status": step.status.text(),
        "details": step.details,
        "ms": rounded(step.ms),
        "line": step.place.line,
    })
}

fn rounded(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}

/// The worst of several verdicts: what the whole file is.
pub(super) fn worst(runs: &[Value]) -> &'static str {
    const WORDS: [&str; 5] = ["ERROR", "STOPPED", "FAIL", "UNCLEAR", "PASS"];
    let is_there = |word: &&&str| runs.iter().any(|run| run["verdict"] == ***word);
    WORDS.iter().find(is_there).copied().unwrap_or("UNCLEAR")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_verdict_is_that_of_the_file() {
        let runs = |words: &[&str]| words.iter().map(|word| json!({"verdict": word})).collect::<Vec<_>>();
        assert_eq!(worst(&runs(&["PASS", "PASS"])), "PASS");
        assert_eq!(worst(&runs(&["PASS", "UNCLEAR"])), "UNCLEAR");
        assert_eq!(worst(&runs(&["FAIL", "UNCLEAR", "PASS"])), "FAIL");
        assert_eq!(worst(&runs(&["FAIL", "ERROR"])), "ERROR");
        assert_eq!(worst(&[]), "UNCLEAR");
    }
}
