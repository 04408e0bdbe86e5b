//! Findings in SARIF 2.1.0, which code scanning services read.

use serde_json::{Value, json};

use crate::run::{Located, Outcome};
use crate::{RULES, Rule, Severity};

/// Where the pages of rules are.
const PAGES: &str = "https://github.com/unitai-dev/unitai/blob/main/docs/reference/lint";

/// Every finding of a run, in SARIF.
pub fn sarif(outcome: &Outcome) -> String {
    let results: Vec<Value> = outcome.findings().map(|(file, finding)| result(&file.path, finding)).collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "unitai lint",
                "informationUri": "https://github.com/unitai-dev/unitai",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": RULES.iter().map(|rule| described(rule)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The folder in which the command was started."}}},
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&document).unwrap_or_default()
}

fn described(rule: &Rule) -> Value {
    json!({
        "id": rule.name,
        "shortDescription": {"text": rule.what},
        "fullDescription": {"text": rule.why},
        "helpUri": format!("{PAGES}/{}.md", rule.name),
        "defaultConfiguration": {"level": level(rule.severity)},
    })
}

fn result(path: &str, finding: &Located) -> Value {
    let index = RULES.iter().position(|rule| rule.name == finding.rule.name);
    let help = if finding.help.is_empty() { String::new() } else { format!("\n{}", finding.help) };
    let mut region = json!({
        "startLine": finding.start.line,
        "startColumn": finding.start.column,
        "endLine": finding.end.line,
        "endColumn": finding.end.column,
    });
    let mut place = json!({"artifactLocation": artifact(path)});
    if let Some(text) = finding.text() {
        region["snippet"] = json!({"text": text});
        if finding.is_whole_line() {
            place["contextRegion"] =
                json!({"startLine": finding.start.line, "snippet": {"text": finding.line}});
        }
    }
    place["region"] = region;
    json!({
        "ruleId": finding.rule.name,
        "ruleIndex": index,
        "level": level(finding.severity),
        "message": {"text": format!("{}{help}", finding.message)},
        "locations": [{"physicalLocation": place}],
    })
}

fn level(severity: Severity) -> &'static str {
    severity.word()
}

/// A path as a URI: from the root of the sources, or absolute.
fn artifact(path: &str) -> Value {
    let is_whole = path.starts_with('/') || path.get(1..3) == Some(":/");
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(byte))
            }
            b':' if is_whole => uri.push(':'),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    match is_whole {
        true if path.starts_with('/') => json!({"uri": format!("file://{uri}")}),
        true => json!({"uri": format!("file:///{uri}")}),
        false => json!({"uri": uri, "uriBaseId": "SRCROOT"}),
    }
}
