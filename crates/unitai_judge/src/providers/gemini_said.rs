//! What Gemini CLI says, read: one object, or events.

use serde_json::Value;

use super::process::Ended;
use super::program::{SERVER, events, shown, text};
use crate::{Said, Spent, Trouble};

/// Exit codes of its own.
const NOT_LOGGED_IN: i32 = 41;
const TOO_MANY_TURNS: i32 = 53;

/// Reads what it said.
pub(super) fn read(ended: &Ended, model: &str) -> Result<Said, Trouble> {
    let events = events(&ended.output);
    let last = |kind: &str| events.iter().rev().find(|it| text(it, "type") == kind);
    let result = last("result");
    let is_failed = result.is_some_and(|it| text(it, "status") == "error");
    if !ended.is_success() || is_failed {
        return Err(failure(&events, ended));
    }
    let whole = events.iter().rev().find(|it| it.get("response").is_some() || it.get("stats").is_some());
    let Some(whole) = result.or(whole) else {
        let what =
            format!("gemini-cli ended without an answer: {}; it {}", shown(&ended.output), ended.told());
        return Err(Trouble::Broken(what));
    };
    if let Some(why) = unreached(&events) {
        return Err(Trouble::Broken(why));
    }
    let said = match whole.get("response") {
        Some(Value::String(response)) => response.clone(),
        _ => last_words(&events),
    };
    Ok(Said {
        structured: serde_json::from_str(&said).ok().filter(Value::is_object),
        text: said,
        model: model_of(&events, whole, model),
        spent: spent(whole),
        notes: failed_calls(&events),
    })
}

/// What it wrote after its last call. Its words come in pieces.
fn last_words(events: &[Value]) -> String {
    let after = events.iter().rposition(|it| text(it, "type") == "tool_result").map_or(0, |at| at + 1);
    let words =
        events[after..].iter().filter(|it| text(it, "type") == "message" && text(it, "role") == "assistant");
    words.map(|it| text(it, "content")).collect()
}

/// A server that it does not reach is only told on standard error, and its tools are then unknown to it.
fn unreached(events: &[Value]) -> Option<String> {
    let is_unknown = |it: &&Value| {
        let kind = it.pointer("/error/type").and_then(Value::as_str);
        text(it, "type") == "tool_result"
            && kind == Some("tool_not_registered")
            && text(it, "output").contains(&format!("mcp_{SERVER}_"))
    };
    let found = events.iter().find(is_unknown)?;
    Some(format!("gemini-cli did not reach the tools of the test: {}", text(found, "output")))
}

fn failed_calls(events: &[Value]) -> Vec<String> {
    let failed =
        events.iter().filter(|it| text(it, "type") == "tool_result" && text(it, "status") == "error");
    failed.map(|it| format!("a call of gemini-cli failed: {}", text(it, "output"))).collect()
}

/// The model that it began with; else the one that wrote most.
fn model_of(events: &[Value], whole: &Value, asked: &str) -> String {
    let begun = events.iter().find(|it| text(it, "type") == "init").map(|it| text(it, "model"));
    let wrote = |it: &Value| it.pointer("/tokens/candidates").and_then(Value::as_u64);
    let used = whole.pointer("/stats/models").and_then(Value::as_object);
    let most = used.and_then(|it| it.iter().max_by_key(|(_, used)| wrote(used)).map(|it| it.0.as_str()));
    begun.filter(|it| !it.is_empty()).or(most).unwrap_or(asked).to_owned()
}

/// What all models together took; events tell a sum, the object tells each model.
fn spent(whole: &Value) -> Spent {
    let stats = whole.get("stats");
    let plain = |name: &str| stats.and_then(|it| it.get(name)).and_then(Value::as_u64);
    let models = stats.and_then(|it| it.get("models")).and_then(Value::as_object);
    let sum = |names: &[&str]| -> Option<u64> {
        let models = models.filter(|it| !it.is_empty())?;
        let counts = models.values().filter_map(|it| it.get("tokens"));
        let counts = counts.map(|it| names.iter().filter_map(|name| it.get(name)?.as_u64()).sum::<u64>());
        let counts: Vec<u64> = counts.collect();
        (!counts.is_empty()).then(|| counts.iter().sum())
    };
    Spent {
        input_tokens: plain("input_tokens").or_else(|| sum(&["prompt"])),
        output_tokens: plain("output_tokens").or_else(|| sum(&["candidates", "thoughts"])),
        cost: None,
    }
}

fn failure(events: &[Value], ended: &Ended) -> Trouble {
    let told = events.iter().rev().find_map(|it| it.pointer("/error/message").and_then(Value::as_str));
    let words = told.map_or_else(|| ended.told(), str::to_owned);
    let all = format!("{words}\n{}", ended.errors);
    let has = |signs: &[&str]| signs.iter().any(|it| all.contains(it));
    let code = ended.status.code();
    if code == Some(NOT_LOGGED_IN) || has(&["API key not valid", "UNAUTHENTICATED", "set an Auth method"]) {
        return Trouble::Absent(format!(
            "gemini-cli is not logged in: {words}; run `gemini` and log in, or set GEMINI_API_KEY"
        ));
    }
    if code == Some(TOO_MANY_TURNS) {
        return Trouble::Broken(format!("gemini-cli was not done after its turns: {words}"));
    }
    if has(&["429", "RESOURCE_EXHAUSTED", "quota"]) {
        return Trouble::Unavailable(format!("the service of gemini-cli is busy: {words}"));
    }
    if has(&["500", "503", "UNAVAILABLE", "INTERNAL", "ECONNREFUSED", "fetch failed"]) {
        return Trouble::Unavailable(format!(
            "the service of gemini-cli is ill, or was not reached: {words}"
        ));
    }
    Trouble::Broken(format!("gemini-cli failed: {words}"))
}
