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

/// What a whole file is: the worst of its tests, and why.
pub(super) fn of_file(runs: &[Value]) -> Value {
    const WORDS: [&str; 5] = ["ERROR", "STOPPED", "FAIL", "UNCLEAR", "PASS"];
    let worst =
        WORDS.iter().find_map(|word| Some((*word, runs.iter().find(|run| run["verdict"] == **word)?)));
    let (verdict, reason) = match worst {
        Some((word, run)) => (word, run["reason"].as_str().unwrap_or_default()),
        None => ("UNCLEAR", "no test was run"),
    };
    let seconds = runs.iter().filter_map(|run| run["seconds"].as_f64()).sum();
    let error = matches!(verdict, "ERROR" | "STOPPED").then_some(reason);
    outcome(Some(verdict), Some(reason), seconds, error)
}

/// What came of a run; with an error there is no verdict on the tested system.
pub(super) fn outcome(
    verdict: Option<&str>,
    reason: Option<&str>,
    seconds: f64,
    error: Option<&str>,
) -> Value {
    let mut told = json!({
        "success": error.is_none(),
        "verdict": verdict,
        "reason": reason,
        "duration_seconds": rounded(seconds),
    });
    if let Some(error) = error {
        told["error"] = error.into();
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_verdict_is_that_of_the_file() {
        let told = |words: &[&str]| {
            let run = |word: &&str| json!({"verdict": word, "reason": format!("so {word}"), "seconds": 0.25});
            of_file(&words.iter().map(run).collect::<Vec<_>>())
        };
        for (words, verdict, success) in [
            (&["PASS", "PASS"][..], "PASS", true),
            (&["PASS", "UNCLEAR"], "UNCLEAR", true),
            (&["FAIL", "UNCLEAR", "PASS"], "FAIL", true),
            (&["FAIL", "ERROR"], "ERROR", false),
        ] {
            let told = told(words);
            assert_eq!((&told["verdict"], &told["success"]), (&json!(verdict), &json!(success)));
            assert_eq!(told["reason"], format!("so {verdict}"));
            assert_eq!(told["duration_seconds"], 0.25 * words.len() as f64);
            assert_eq!(told.get("error").is_some(), !success);
        }
        assert_eq!(told(&[])["verdict"], "UNCLEAR");
    }
}
