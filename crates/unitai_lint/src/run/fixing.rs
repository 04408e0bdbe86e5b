//! Repairs in files, round after round, until nothing is left that can be repaired.

use std::fs;

use super::files::Kind;
use super::{FileOutcome, deep};
use crate::rules::SYNTAX_ERROR;
use crate::{Finding, Plan, Settings, Source, finished, fixed, lint_python_as, lint_yaml};

/// Repairs make room for others, but not for ever.
const ROUNDS: usize = 20;

/// A file with its repairs, not written yet.
#[derive(Debug)]
pub struct FixedFile {
    /// What it was.
    pub before: String,
    /// What it becomes.
    pub after: String,
    /// How many findings are repaired.
    pub count: usize,
    /// Whether a mark of the byte order stands before it.
    pub has_mark: bool,
}

/// What repairs make of a file. None if there is nothing to repair, if it is not UTF-8, or if it would be no test any
/// more.
pub fn fix(file: &FileOutcome, plan: &Plan) -> Option<FixedFile> {
    // A source of the project is no test; rules of tests have nothing to say about it.
    if file.kind == Kind::Source || file.findings.iter().all(|finding| finding.fix.is_none()) {
        return None;
    }
    deep(|| fixed_file(file, plan))
}

fn fixed_file(file: &FileOutcome, plan: &Plan) -> Option<FixedFile> {
    let bytes = fs::read(&file.file).ok()?;
    let is_yaml = matches!(file.kind, Kind::Yaml | Kind::MaybeYaml);
    let source = if is_yaml { Source::of_yaml(bytes) } else { Source::of_python(bytes) }.ok()?;
    if !source.is_utf8 {
        return None;
    }
    // Rules about the whole project have no say here: one file does not tell what the others hold.
    let settings = plan.settings(&file.from_root).into_owned().of_single_files();
    let look = |text: &str| look(file, text, &settings);
    let (mut after, mut count) = (source.text.clone(), 0);
    for _ in 0..ROUNDS {
        let Some(next) = fixed(&after, &look(&after)) else { break };
        if look(&next.text).iter().any(|finding| finding.rule == &SYNTAX_ERROR) {
            break;
        }
        (after, count) = (next.text, count + next.count);
    }
    (count > 0).then_some(FixedFile { before: source.text, after, count, has_mark: source.has_mark })
}

fn look(file: &FileOutcome, text: &str, settings: &Settings) -> Vec<Finding> {
    let linted = match file.kind {
        Kind::Yaml | Kind::MaybeYaml => lint_yaml(&file.from_root, &file.file, text, settings),
        Kind::Python(role) => lint_python_as(role, &file.from_root, text, settings),
        Kind::Source => return vec![],
    };
    finished(linted, vec![], settings)
}
