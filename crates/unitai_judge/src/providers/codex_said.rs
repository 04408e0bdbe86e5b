//! What Codex says, read: events, one in each line.

use serde_json::Value;

use super::process::Ended;
use super::program::{events, shown, text};
use crate::{Said, Spent, Trouble};

/// Reads what it said.
pub(super) fn read(ended: &Ended, model: &str) -> Result<Said, Trouble> {
    let events = events(&ended.output);
    let failed = events.iter().rev().find(|it| matches!(text(it, "type"), "turn.failed" | "error"));
    if !ended.is_success() || events.iter().any(|it| text(it, "type") == "turn.failed") {
        return Err(failure(failed, ended));
    }
    let items =
        || events.iter().filter(|it| text(it, "type") == "item.completed").filter_map(|it| it.get("item"));
    let done = events.iter().rev().find(|it| text(it, "type") == "turn.completed");
    let Some(done) = done else {
        let what = format!("codex ended without an answer: {}; it {}", shown(&ended.output), ended.told());
        return Err(Trouble::Broken(what));
    };
    let said = items().rfind(|it| text(it, "type") == "agent_message");
    let said = said.map(|it| text(it, "text")).unwrap_or_default();
    let usage = |name: &str| done.get("usage").and_then(|it| it.get(name)).and_then(Value::as_u64);
    Ok(Said {
        text: said.to_owned(),
        // It is held to the schema by the service, and hands the words on as they are.
        structured: serde_json::from_str(said).ok().filter(Value::is_object),
        model: model.to_owned(),
        // Its input tokens hold the cached ones already.
        spent: Spent {
            input_tokens: usage("input_tokens"),
            output_tokens: usage("output_tokens"),
            cost: None,
        },
        notes: items().filter_map(note).collect(),
    })
}

/// What somebody should know: calls that were refused, and what it complains of.
fn note(item: &Value) -> Option<String> {
    match (text(item, "type"), text(item, "status")) {
        ("mcp_tool_call", "failed") => {
            let why = item.get("error").map(|it| text(it, "message")).unwrap_or_default();
            Some(format!("codex could not call {}: {why}", text(item, "tool")))
        }
        ("error", _) => Some(format!("codex: {}", text(item, "message"))),
        _ => None,
    }
}

fn failure(failed: Option<&Value>, ended: &Ended) -> Trouble {
    let words = failed.map(|it| match text(it, "message") {
        "" => it.get("error").map(|it| text(it, "message")).unwrap_or_default(),
        message => message,
    });
    let words = match words {
        None | Some("") => ended.told(),
        Some(words) => words.to_owned(),
    };
    let all = format!("{words}\n{}", ended.errors);
    let has = |signs: &[&str]| signs.iter().any(|it| all.contains(it));
    if has(&["401 Unauthorized", "Not logged in", "Missing environment variable", "codex login"]) {
        return Trouble::Absent(format!(
            "codex is not logged in: {words}; run `codex login`, or set OPENAI_API_KEY"
        ));
    }
    if has(&["required MCP servers failed", "MCP startup", "MCP client for"]) {
        return Trouble::Broken(format!("codex did not reach the tools of the test: {words}"));
    }
    if has(&["429", "Too Many Requests", "usage limit", "rate limit"]) {
        return Trouble::Unavailable(format!("the service of codex is busy: {words}"));
    }
    let ill = ["500", "502", "503", "504", "529", "stream disconnected", "onnection", "high demand"];
    if has(&ill) {
        return Trouble::Unavailable(format!("the service of codex is ill, or was not reached: {words}"));
    }
    Trouble::Broken(format!("codex failed: {words}"))
}
