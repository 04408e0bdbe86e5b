//! What Claude Code says, read: its envelope is an answer or a trouble, and its exit code alone tells neither.

use serde_json::Value;
use unitai_model::Money;

use super::process::Ended;
use super::program::{SERVER, events, shown, text};
use crate::{Said, Spent, Trouble};

/// What it was to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// To answer.
    Asked,
    /// To call tools. Then its first line must say that it reached them.
    Driven,
}

/// Why its tools are out of reach, if this line of its output says so. A run without tools is not worth its money.
pub(super) fn unreached(line: &str) -> Option<String> {
    let event: Value = serde_json::from_str(line).ok()?;
    if text(&event, "type") != "system" || text(&event, "subtype") != "init" {
        return None;
    }
    let servers = event.get("mcp_servers").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_reached = |it: &Value| text(it, "status") == "connected";
    if servers.iter().any(|it| text(it, "name") == SERVER) && servers.iter().all(is_reached) {
        return None;
    }
    let states = servers.iter().map(|it| format!("{} is {}", text(it, "name"), text(it, "status")));
    let states = states.collect::<Vec<_>>().join(", ");
    let states = if states.is_empty() { "it knows no server".to_owned() } else { states };
    Some(format!("claude-code did not reach the tools of the test: {states}"))
}

/// Reads what it said.
pub(super) fn read(ended: &Ended, model: &str, answer: Answer) -> Result<Said, Trouble> {
    let events = events(&ended.output);
    let last = |kind: &str| events.iter().rev().find(|it| text(it, "type") == kind);
    let Some(result) = last("result") else { return Err(speechless(ended)) };
    // The exit code is asked last: what went wrong stands in the envelope, if anywhere.
    let subtype = text(result, "subtype");
    if result.get("is_error").and_then(Value::as_bool) == Some(true) || subtype.starts_with("error") {
        return Err(refused(result, ended));
    }
    if !ended.is_success() {
        let what = format!("claude-code gave an answer and yet {}", ended.told());
        return Err(Trouble::Broken(what));
    }
    let init = events.iter().find(|it| text(it, "subtype") == "init");
    if answer == Answer::Driven && init.is_none() {
        let what = "claude-code did not say whether it reached the tools of the test; which version is it?";
        return Err(Trouble::Broken(what.to_owned()));
    }
    let (said, inner) = match result.get("result") {
        Some(Value::String(said)) => (said.clone(), None),
        None | Some(Value::Null) => (String::new(), None),
        Some(object) => (object.to_string(), object.is_object().then(|| object.clone())),
    };
    let structured = result.get("structured_output").filter(|it| !it.is_null()).cloned();
    Ok(Said {
        text: said,
        structured: structured.or(inner),
        model: model_of(result, init, model),
        spent: spent(result),
        notes: denials(result),
    })
}

/// It ended without an envelope.
fn speechless(ended: &Ended) -> Trouble {
    if ended.errors.contains("unknown option") {
        return Trouble::Broken(format!(
            "claude-code does not know an option that we need; is it an old version? it {}",
            ended.told()
        ));
    }
    // Interrupted it ends with 0 and no word.
    Trouble::Broken(format!(
        "claude-code ended without an answer: {}; it {}",
        shown(&ended.output),
        ended.told()
    ))
}

/// It says itself that there is no answer.
fn refused(result: &Value, ended: &Ended) -> Trouble {
    let status = result.get("api_error_status").and_then(Value::as_u64);
    let errors = result.get("errors").and_then(Value::as_array).into_iter().flatten();
    let errors = errors.filter_map(|it| it.as_str().map(str::to_owned)).collect::<Vec<_>>().join("; ");
    let words = match text(result, "result") {
        "" => errors,
        words => words.to_owned(),
    };
    let is_stranger = ["Not logged in", "Please run /login", "Invalid API key"];
    if status == Some(401) || is_stranger.iter().any(|it| words.contains(it)) {
        return Trouble::Absent(format!(
            "claude-code is not logged in: {words}; run `claude` and log in with /login, or set ANTHROPIC_API_KEY"
        ));
    }
    let words = if words.is_empty() { ended.told() } else { words };
    match (text(result, "subtype"), status) {
        ("error_max_turns", _) => {
            let turns = result.get("num_turns").and_then(Value::as_u64).unwrap_or_default();
            Trouble::Broken(format!("claude-code was not done after {turns} turns: {words}"))
        }
        ("error_max_budget_usd", _) => Trouble::OverBudget(format!("claude-code: {words}")),
        (_, Some(429 | 529)) => Trouble::Unavailable(format!("the service of claude-code is busy: {words}")),
        (_, Some(500..)) => Trouble::Unavailable(format!("the service of claude-code is ill: {words}")),
        // A connection that nobody takes has no status.
        ("success", None) if words.starts_with("API Error") || words.contains("onnect") => {
            Trouble::Unavailable(format!("the service of claude-code was not reached: {words}"))
        }
        (_, Some(status)) => {
            Trouble::Broken(format!("the service of claude-code refused ({status}): {words}"))
        }
        (subtype, None) => Trouble::Broken(format!("claude-code failed ({subtype}): {words}")),
    }
}

/// The model that did the work: of several, the one that wrote most. Small ones do errands.
fn model_of(result: &Value, init: Option<&Value>, asked: &str) -> String {
    let used = result.get("modelUsage").and_then(Value::as_object);
    let most = used.and_then(|used| {
        used.iter()
            .max_by_key(|(_, use_of)| use_of.get("outputTokens").and_then(Value::as_u64))
            .map(|it| it.0)
    });
    let first = init.map(|it| text(it, "model")).filter(|it| !it.is_empty());
    most.map(String::as_str).or(first).unwrap_or(asked).to_owned()
}

fn spent(result: &Value) -> Spent {
    let usage = |name: &str| result.get("usage").and_then(|it| it.get(name)).and_then(Value::as_u64);
    let cached = ["cache_read_input_tokens", "cache_creation_input_tokens"];
    Spent {
        input_tokens: usage("input_tokens")
            .map(|it| it + cached.iter().filter_map(|it| usage(it)).sum::<u64>()),
        output_tokens: usage("output_tokens"),
        cost: result.get("total_cost_usd").and_then(Value::as_f64).and_then(Money::from_dollars),
    }
}

/// What it was not allowed to do.
fn denials(result: &Value) -> Vec<String> {
    let denied = result.get("permission_denials").and_then(Value::as_array).into_iter().flatten();
    denied.map(|it| format!("claude-code was not allowed to call {}", text(it, "tool_name"))).collect()
}
