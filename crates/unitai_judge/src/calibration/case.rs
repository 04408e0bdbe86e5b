//! Cases as a judge gets them: a file's words become evidence and questions, as a test would leave them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use unitai_model::value::Value;
use unitai_spec::data::{from_json, to_json};
use unitai_spec::document::{
    CaseCall, CaseKind, CaseOutcome, CaseReading, JudgeCase, Trouble, read_judge_case_file,
};
use unitai_spec::run::{Evidence, Outcome, Question, QuestionKind};

/// Where cases are, if nobody says.
pub const USUAL: &str = "tests/llm/judge-cases";

/// The files that are named, and every YAML file below the folders that are.
///
/// # Errors
/// Whatever keeps a folder from being read.
pub fn case_files(named: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in named {
        if path.is_dir() {
            below(path, &mut found)?;
        } else {
            found.push(path.clone());
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn below(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
            continue;
        }
        if path.is_dir() {
            below(&path, found)?;
        } else if path.extension().is_some_and(|it| it == "yaml" || it == "yml") {
            found.push(path);
        }
    }
    Ok(())
}

/// Every case of the files, or all that is wrong with them.
///
/// # Errors
/// Everything that is wrong, each with its place.
pub fn read_cases(files: &[PathBuf]) -> Result<Vec<JudgeCase>, Vec<Trouble>> {
    let (mut cases, mut troubles) = (Vec::new(), Vec::new());
    for file in files {
        let CaseReading { cases: more, troubles: wrong } = read_judge_case_file(file);
        cases.extend(more);
        troubles.extend(wrong);
    }
    if troubles.is_empty() { Ok(cases) } else { Err(troubles) }
}

/// The evidence of a case, as a test leaves it.
pub(super) fn evidence(case: &JudgeCase) -> Vec<Evidence> {
    let each = case.evidence.iter().enumerate().map(|(at, call)| {
        let outcome = outcome(&call.outcome);
        Evidence {
            number: at + 1,
            path: step_of(call, at),
            attempt: 1,
            server: "judge-case".to_owned(),
            tool: call.tool.clone(),
            args: call.args.clone(),
            started: 0.0,
            ms: 0.0,
            sha256: outcome.sha256(),
            outcome,
        }
    });
    each.collect()
}

fn step_of(call: &CaseCall, at: usize) -> String {
    if call.step.is_empty() { format!("steps[{at}]") } else { call.step.clone() }
}

fn outcome(outcome: &CaseOutcome) -> Outcome {
    match outcome {
        CaseOutcome::Returned { result, text } => {
            let text = match (text, result) {
                (Some(text), _) => text.clone(),
                (None, Some(Value::Str(text))) => text.clone(),
                (None, result) => result.as_ref().map(|it| to_json(it).to_string()).unwrap_or_default(),
            };
            let value = result.clone().unwrap_or_else(|| answered_text(&text));
            Outcome::Returned { value, text }
        }
        CaseOutcome::Failed { error, details } => {
            Outcome::Failed { message: error.clone(), details: details.clone() }
        }
        CaseOutcome::Unfinished => Outcome::Unfinished,
    }
}

/// What a text is to tests: an object or a list of JSON where it is one, else itself.
///
/// ```
/// use unitai_judge::calibration::answered_text;
/// use unitai_model::value::Value;
/// assert_eq!(answered_text("[1]"), Value::List(vec![Value::Int(1)]));
/// assert_eq!(answered_text("1"), Value::Str("1".to_owned()));
/// ```
pub fn answered_text(text: &str) -> Value {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(json) if json.is_object() || json.is_array() => from_json(&json),
        _ => Value::Str(text.to_owned()),
    }
}

/// A call of a test, as a case says it.
pub fn call_of(evidence: &Evidence) -> CaseCall {
    let outcome = match &evidence.outcome {
        Outcome::Returned { value, text } => {
            let is_said = *value == answered_text(text);
            CaseOutcome::Returned { result: (!is_said).then(|| value.clone()), text: Some(text.clone()) }
        }
        Outcome::Failed { message, details } => {
            CaseOutcome::Failed { error: message.clone(), details: details.clone() }
        }
        Outcome::Unfinished => CaseOutcome::Unfinished,
    };
    CaseCall {
        step: evidence.path.clone(),
        tool: evidence.tool.clone(),
        args: evidence.args.clone(),
        outcome,
    }
}

/// The questions of a case, as a test asks them. An expectation whose step nobody names is about all calls.
pub(super) fn questions(case: &JudgeCase) -> Vec<Question> {
    let last = case.evidence.len().saturating_sub(1);
    let whole = case.evidence.last().map(|call| step_of(call, last)).unwrap_or_default();
    let each = case.questions.iter().enumerate().map(|(at, question)| {
        let kind = match question.kind {
            CaseKind::Expect if question.step.is_empty() => QuestionKind::Expect { path: whole.clone() },
            CaseKind::Expect => QuestionKind::Expect { path: question.step.clone() },
            CaseKind::PassIf => QuestionKind::PassIf,
            CaseKind::FailIf => QuestionKind::FailIf,
        };
        Question { id: format!("Q{}", at + 1), kind, text: question.ask.clone() }
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use unitai_spec::document::read_judge_cases;

    use super::*;

    fn case(text: &str) -> JudgeCase {
        let mut reading = read_judge_cases(text, Path::new("a.yaml"));
        assert_eq!(reading.troubles, []);
        reading.cases.remove(0)
    }

    const CASE: &str = r#"
case: {name: a case}
evidence:
  - {tool: get, args: {id: 7}, result: {status: paid}}
  - {tool: say, text: '{"a": [1]}', step: 'steps[4]#2'}
  - {tool: say, text: plain}
  - {tool: break, error: no ink, details: line 3}
  - {tool: hang, unfinished: true}
questions:
  - {ask: "Is it so?", label: yes}
  - {ask: "Is it?", label: 'no', kind: fail_if}
  - {ask: "Is step 4 so?", label: false, step: 'steps[4]'}
"#;

    #[test]
    fn evidence_is_what_a_test_would_leave() {
        let all = evidence(&case(CASE));
        let said: Vec<_> =
            all.iter().map(|it| (it.reference(), it.path.clone(), it.outcome.clone())).collect();
        let returned = |value: Value, text: &str| Outcome::Returned { value, text: text.to_owned() };
        let paid = from_json(&serde_json::json!({"status": "paid"}));
        let list = from_json(&serde_json::json!({"a": [1]}));
        let failed = Outcome::Failed { message: "no ink".into(), details: "line 3".into() };
        let expected = [
            ("E1", "steps[0]", returned(paid, "{\"status\":\"paid\"}")),
            ("E2", "steps[4]#2", returned(list, "{\"a\": [1]}")),
            ("E3", "steps[2]", returned(Value::Str("plain".into()), "plain")),
            ("E4", "steps[3]", failed),
            ("E5", "steps[4]", Outcome::Unfinished),
        ];
        assert_eq!(said, expected.map(|(number, path, it)| (number.to_owned(), path.to_owned(), it)));
        assert_eq!(all[0].args, [("id".to_owned(), Value::Int(7))]);
    }

    #[test]
    fn questions_are_those_of_a_test() {
        let kinds: Vec<QuestionKind> = questions(&case(CASE)).into_iter().map(|it| it.kind).collect();
        let about = |path: &str| QuestionKind::Expect { path: path.to_owned() };
        assert_eq!(kinds, [about("steps[4]"), QuestionKind::FailIf, about("steps[4]")]);
    }

    #[test]
    fn a_call_of_a_test_comes_back_as_it_was() {
        let before = evidence(&case(CASE));
        let mut again = case(CASE);
        again.evidence = before.iter().map(call_of).collect();
        assert_eq!(evidence(&again), before);
    }

    #[test]
    fn everything_that_is_wrong_with_files_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("a.yaml"), folder.path().join("deep/b.yml"));
        fs::create_dir(folder.path().join("deep")).unwrap();
        fs::write(&first, CASE.replace("label: yes", "label: maybe")).unwrap();
        fs::write(&second, "case: {nme: a}\n").unwrap();
        fs::write(folder.path().join("notes.txt"), "none").unwrap();
        let files = case_files(&[folder.path().to_owned()]).unwrap();
        assert_eq!(files, [first, second]);
        let troubles = read_cases(&files).unwrap_err();
        let told: Vec<(usize, &str)> =
            troubles.iter().map(|it| (it.place.line, it.message.as_str())).collect();
        assert_eq!(
            told,
            [
                (10, "`label` must be `yes` or `no`, found the text `maybe`"),
                (1, "a judge case must have `evidence`, which is not there"),
                (1, "a judge case must have `questions`, which is not there"),
                (1, "`case` has no key `nme`"),
            ]
        );
    }
}
