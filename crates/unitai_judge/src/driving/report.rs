//! What a model says of a test that it drove: the form that is asked for, and whatever can be read in that sense.

use serde_json::{Value, json};
use unitai_model::value::{plain, plain_lines};
use unitai_spec::document::Place;
use unitai_spec::run::{Status, StepResult, Verdict, Word};

use crate::objects::{fenced, last_object_with};
use crate::provider::Said;

/// The JSON schema of a report.
pub(super) fn schema() -> Value {
    let step = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "status": {"type": "string", "enum": ["pass", "fail", "skip"]},
            "details": {"type": "string"},
        },
        "required": ["name", "status", "details"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "verdict": {"type": "string", "enum": ["PASS", "FAIL", "UNCLEAR"]},
            "reason": {"type": "string"},
            "steps": {"type": "array", "items": step},
            "issues": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["verdict", "reason", "steps", "issues"],
        "additionalProperties": false,
    })
}

/// The report, or what is wrong with it: first what the provider structured itself, then an envelope, then a fenced
/// block, then the last JSON object that has a verdict.
pub(super) fn read(said: &Said) -> Result<Verdict, String> {
    let found = said.structured.as_ref().and_then(unwrapped).or_else(|| in_text(&said.text));
    match found {
        Some(report) => verdict(&report),
        None => Err("it has no JSON object with a verdict".to_owned()),
    }
}

fn in_text(text: &str) -> Option<Value> {
    let whole = |text: &str| serde_json::from_str(text.trim()).ok().as_ref().and_then(unwrapped);
    whole(text)
        .or_else(|| fenced(text).into_iter().find_map(whole))
        .or_else(|| last_object_with(text, "verdict"))
}

/// The report itself, where it comes in an envelope: as a text or as an object.
fn unwrapped(value: &Value) -> Option<Value> {
    if value.get("verdict").is_some() {
        return Some(value.clone());
    }
    ["structured_output", "result"].iter().find_map(|key| match value.get(key)? {
        Value::String(text) => {
            let inner: Option<Value> = serde_json::from_str(text.trim()).ok();
            inner
                .filter(|it| it.get("verdict").is_some())
                .or_else(|| {
                    let blocks = fenced(text).into_iter();
                    let mut blocks = blocks.filter_map(|it| serde_json::from_str::<Value>(it).ok());
                    blocks.find(|it| it.get("verdict").is_some())
                })
                .or_else(|| last_object_with(text, "verdict"))
        }
        inner @ Value::Object(_) if inner.get("verdict").is_some() => Some(inner.clone()),
        _ => None,
    })
}

fn verdict(report: &Value) -> Result<Verdict, String> {
    let said = report["verdict"].as_str().unwrap_or_default().trim().to_ascii_uppercase();
    let word = match said.as_str() {
        "PASS" | "PASSED" => Word::Pass,
        "FAIL" | "FAILED" => Word::Fail,
        "UNCLEAR" => Word::Unclear,
        _ => return Err(format!("the verdict is {}, not PASS, FAIL or UNCLEAR", report["verdict"])),
    };
    let reason = match report["reason"].as_str().map(str::trim) {
        Some(reason) if !reason.is_empty() => plain(reason),
        _ => "no reason was given".to_owned(),
    };
    let steps = list(report, "steps")?.iter().map(step).collect::<Result<_, _>>()?;
    let issues = list(report, "issues")?.iter().map(text).collect();
    Ok(Verdict { word, reason, steps, issues })
}

fn list<'a>(report: &'a Value, key: &str) -> Result<&'a [Value], String> {
    match &report[key] {
        Value::Null => Ok(&[]),
        Value::Array(items) => Ok(items),
        other => Err(format!("`{key}` is no list but {other}")),
    }
}

fn step(step: &Value) -> Result<StepResult, String> {
    let said = step["status"].as_str().unwrap_or_default().trim().to_ascii_lowercase();
    let status = match said.as_str() {
        "pass" | "passed" => Status::Pass,
        "fail" | "failed" => Status::Fail,
        "skip" | "skipped" => Status::Skip,
        _ => return Err(format!("the status of a step is {}, not pass, fail or skip", step["status"])),
    };
    Ok(StepResult {
        name: text(&step["name"]),
        path: String::new(),
        status,
        details: text(&step["details"]),
        tool_output: None,
        evidence: Vec::new(),
        ms: 0.0,
        place: Place::default(),
    })
}

/// What it says, without what a terminal would obey.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => plain_lines(text),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unitai_spec::run::Spent;

    fn said(text: &str, structured: Option<Value>) -> Said {
        let (model, notes) = (String::new(), Vec::new());
        Said { text: text.to_owned(), structured, model, spent: Spent::default(), notes }
    }

    #[test]
    fn every_rung_of_the_ladder_holds() {
        let report = r#"{"verdict": "fail", "reason": "r", "steps": null, "issues": ["i", 5]}"#;
        let wrapped = json!({"type": "result", "result": report}).to_string();
        let object = json!({"result": {"verdict": "FAIL", "reason": "r"}}).to_string();
        let fenced = format!("I did it.\n```json\n{report}\n```\nDone {{}}.");
        let last = format!("The page says {{\"verdict\": \"PASS\"}}, so: {report} That is all.");
        let inner = json!({"result": format!("Well:\n```\n{report}\n```")}).to_string();
        for text in [report, &wrapped, &object, &fenced, &last, &inner] {
            let read = read(&said(text, None)).unwrap();
            assert_eq!((read.word, read.reason.as_str()), (Word::Fail, "r"), "{text}");
        }
        let structured = json!({"verdict": "Pass", "reason": "", "steps": [
            {"name": "a", "status": "passed", "details": null}, {"name": "b", "status": "Skipped"}, {"name": "c", "status": "failed"}]});
        let read = read(&said("{\"verdict\": \"FAIL\"}", Some(structured))).unwrap();
        assert_eq!((read.word, read.reason.as_str()), (Word::Pass, "no reason was given"));
        let statuses: Vec<Status> = read.steps.iter().map(|it| it.status).collect();
        assert_eq!(statuses, [Status::Pass, Status::Skip, Status::Fail]);
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_left_of_it() {
        let report = json!({"verdict": "FAIL", "reason": "red \u{1b}[31mX\u{7}",
            "steps": [{"name": "a\u{1b}[2J", "status": "fail", "details": "b\u{8}\nc"}], "issues": ["d\u{9b}"]});
        let read = read(&said(&report.to_string(), None)).unwrap();
        let step = &read.steps[0];
        let all = [&read.reason, &step.name, &step.details, &read.issues[0]];
        for text in all {
            assert!(!text.chars().any(|it| it.is_control() && it != '\n'), "{text:?}");
        }
        assert!(read.reason.contains("31mX") && step.details.ends_with("\nc"), "{all:?}");
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (text, why) in [
            ("all fine", "it has no JSON object with a verdict"),
            ("{\"verdict\": \"maybe\"}", "the verdict is \"maybe\", not PASS, FAIL or UNCLEAR"),
            ("{\"verdict\": \"PASS\", \"steps\": 3}", "`steps` is no list but 3"),
            (
                "{\"verdict\": \"PASS\", \"steps\": [{\"status\": \"fine\"}]}",
                "the status of a step is \"fine\", not pass, fail or skip",
            ),
        ] {
            assert_eq!(read(&said(text, None)).unwrap_err(), why);
        }
    }
}
