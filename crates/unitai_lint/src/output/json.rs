//! Findings for programs.

use schemars::JsonSchema;
use serde::Serialize;

use crate::run::{Outcome, Position};
use crate::{Severity, run};

/// What `unitai lint --format json` says.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "What `unitai lint --format json` says")]
pub struct Document<'a> {
    /// The version of this form.
    pub version: u32,
    /// Every finding, by file and place.
    pub findings: Vec<Finding<'a>>,
    /// All together.
    pub summary: Summary,
}

/// One finding.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Finding<'a> {
    /// The rule.
    pub rule: &'a str,
    /// How much it weighs: `error` or `warning`.
    pub severity: &'a str,
    /// The file, from the folder in which the command was started.
    pub path: &'a str,
    /// Where it begins.
    pub start: Position,
    /// Where it ends, behind its last character.
    pub end: Position,
    /// What is wrong.
    pub message: &'a str,
    /// What to do instead; may be empty.
    pub help: &'a str,
    /// What `--fix` would do.
    pub fix: Option<Fix<'a>>,
}

/// A repair: all of its edits or none.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Fix<'a> {
    /// What it does.
    pub title: &'a str,
    /// The edits.
    pub edits: Vec<Edit<'a>>,
}

/// One edit, in bytes of the file's text in UTF-8, without a mark of the byte order.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Edit<'a> {
    /// The first byte that goes.
    pub start: u32,
    /// The first byte that stays again.
    pub end: u32,
    /// What comes.
    pub text: &'a str,
}

/// All together.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Summary {
    /// Files that were looked at.
    pub files: usize,
    /// Findings that are errors.
    pub errors: usize,
    /// Findings that are warnings.
    pub warnings: usize,
    /// Findings that `--fix` has repaired; they are not among the others.
    pub repaired: usize,
}

/// Every finding of a run, in JSON.
pub fn json(outcome: &Outcome, repaired: usize) -> String {
    let findings = outcome.findings().map(|(file, finding)| told(&file.path, finding)).collect();
    let summary = Summary {
        files: outcome.files.len(),
        errors: outcome.count(Severity::Error),
        warnings: outcome.count(Severity::Warning),
        repaired,
    };
    serde_json::to_string_pretty(&Document { version: 1, findings, summary }).unwrap_or_default()
}

fn told<'a>(path: &'a str, finding: &'a run::Located) -> Finding<'a> {
    let edit = |edit: &'a crate::Edit| Edit { start: edit.start, end: edit.end, text: &edit.text };
    Finding {
        rule: finding.rule.name,
        severity: finding.severity.word(),
        path,
        start: finding.start,
        end: finding.end,
        message: &finding.message,
        help: &finding.help,
        fix: finding
            .fix
            .as_ref()
            .map(|fix| Fix { title: &fix.title, edits: fix.edits.iter().map(edit).collect() }),
    }
}
