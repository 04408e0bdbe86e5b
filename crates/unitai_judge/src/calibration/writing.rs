//! A case as people would write it. What is read back is what was written.

use std::fmt::Write as _;

use serde_json::Value as Json;
use unitai_model::value::Value;
use unitai_spec::data::to_json;
use unitai_spec::document::{CaseCall, CaseKind, CaseOutcome, CaseQuestion, JudgeCase};

/// A case as one document.
pub(super) fn document(case: &JudgeCase) -> String {
    let mut out = String::from("case:\n");
    field(&mut out, 1, "name", &case.name);
    if !case.source.is_empty() {
        field(&mut out, 1, "source", &case.source);
    }
    out.push_str("evidence:\n");
    for it in &case.evidence {
        call(&mut out, it);
    }
    out.push_str("questions:\n");
    for it in &case.questions {
        out.push_str(&question(it, 1));
    }
    out
}

/// A question as an item of a list, so many levels deep.
pub(super) fn question(question: &CaseQuestion, depth: usize) -> String {
    let mut inner = String::new();
    field(&mut inner, depth + 1, "ask", &question.ask);
    let _ = writeln!(inner, "{}label: {}", indent(depth + 1), if question.is_yes { "yes" } else { "no" });
    if question.kind != CaseKind::Expect {
        let word =
            CaseKind::WORDS.iter().find(|(_, kind)| *kind == question.kind).map_or("", |(word, _)| word);
        let _ = writeln!(inner, "{}kind: {word}", indent(depth + 1));
    }
    for (key, text) in [("step", &question.step), ("note", &question.note)] {
        if !text.is_empty() {
            field(&mut inner, depth + 1, key, text);
        }
    }
    item(&inner, depth)
}

fn call(out: &mut String, call: &CaseCall) {
    let mut inner = String::new();
    if !call.step.is_empty() {
        field(&mut inner, 2, "step", &call.step);
    }
    field(&mut inner, 2, "tool", &call.tool);
    if !call.args.is_empty() {
        let args = call.args.iter().map(|(name, it)| (Value::Str(name.clone()), it.clone())).collect();
        json(&mut inner, "args", &Value::Dict(args));
    }
    match &call.outcome {
        CaseOutcome::Returned { result, text } => {
            if let Some(result) = result {
                json(&mut inner, "result", result);
            }
            if let Some(text) = text {
                field(&mut inner, 2, "text", text);
            }
        }
        CaseOutcome::Failed { error, details } => {
            field(&mut inner, 2, "error", error);
            if !details.is_empty() {
                field(&mut inner, 2, "details", details);
            }
        }
        CaseOutcome::Unfinished => inner.push_str("    unfinished: true\n"),
    }
    out.push_str(&item(&inner, 1));
}

/// Lines as an item of a list: a dash before the first of them.
fn item(lines: &str, depth: usize) -> String {
    format!("{}- {}", indent(depth), lines.trim_start())
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

/// Data stands in one line: JSON is YAML.
fn json(out: &mut String, key: &str, value: &Value) {
    let _ = writeln!(out, "{}{key}: {}", indent(2), escaped(&to_json(value).to_string()));
}

fn field(out: &mut String, depth: usize, key: &str, text: &str) {
    let _ = write!(out, "{}{key}: ", indent(depth));
    if is_block(text) {
        out.push_str(if text.ends_with('\n') { "|\n" } else { "|-\n" });
        for line in text.lines() {
            let margin = if line.is_empty() { String::new() } else { indent(depth + 1) };
            let _ = writeln!(out, "{margin}{line}");
        }
    } else {
        let _ = writeln!(out, "{}", scalar(text));
    }
}

/// Whether a text of several lines can stand as it is.
fn is_block(text: &str) -> bool {
    text.contains('\n')
        && text.chars().all(|it| it == '\n' || !is_odd(it))
        && !text.starts_with([' ', '\n'])
        && !text.ends_with("\n\n")
        && text.lines().all(|line| !line.ends_with(' '))
}

/// A text in one line: in single quotes where its own are double, so that JSON can be read.
fn scalar(text: &str) -> String {
    if text.contains(['"', '\\']) && !text.chars().any(is_odd) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    escaped(&Json::from(text).to_string())
}

/// JSON without what YAML reads as the end of a line, or not at all.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for it in json.chars() {
        if is_odd(it) {
            let _ = write!(out, "\\u{:04x}", u32::from(it));
        } else {
            out.push(it);
        }
    }
    out
}

fn is_odd(it: char) -> bool {
    it.is_control() || matches!(it, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}
