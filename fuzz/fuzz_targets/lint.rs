//! The linter, on Python and on YAML: no text breaks it, every finding is within its text and can be told, comments take
//! out what they name, and what repairs make of a text can still be read and has nothing left to repair.
//!
//! The first byte chooses the layer by the folder, or YAML.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use unitai_fuzz::Choices;
use unitai_lint::run::deep;
use unitai_lint::{
    ClassNames, Finding, Lines, Project, Settings, Source, finished, fixed, lint_python, lint_yaml,
    project_stage,
};

const PATHS: [&str; 8] = [
    "tests/unit/test_a.py",
    "tests/contract/test_a.py",
    "tests/integration/test_a.py",
    "tests/behavioral/test_a.py",
    "tests/regression/test_a.py",
    "tests/test_a.py",
    "tests/conftest.py",
    "tests/llm/a.yaml",
];

/// Repairs make room for others, but not for ever.
const ROUNDS: usize = 20;

fuzz_target!(|input: &[u8]| {
    let (mut choices, bytes) = Choices::split(input);
    let path = choices.of(&PATHS);
    let is_yaml = path.ends_with(".yaml");
    let source = if is_yaml { Source::of_yaml(bytes.to_vec()) } else { Source::of_python(bytes.to_vec()) };
    let Ok(source) = source else { return };
    // Includes read files, and no file of the machine is part of the input.
    if is_yaml && source.text.contains("include") {
        return;
    }
    // The tree of a text may be deep, and this thread is not.
    deep(|| check(path, &source.text));
});

fn check(path: &str, text: &str) {
    let findings = found(path, text);
    let lines = Lines::of(text);
    for finding in &findings {
        let range = finding.range;
        assert!(usize::from(range.end()) <= text.len(), "{finding:?}");
        assert!(text.get(usize::from(range.start())..usize::from(range.end())).is_some(), "{finding:?}");
        lines.place(range.start(), text);
    }
    let is_text = findings.iter().all(|finding| finding.rule.name != "syntax-error");
    let mut now = text.to_owned();
    for round in 0.. {
        let Some(next) = fixed(&now, &found(path, &now)) else { break };
        assert!(round < ROUNDS, "repairs never end: {now:?}");
        assert_ne!(next.text, now, "a repair that changes nothing");
        let is_still = found(path, &next.text).iter().all(|finding| finding.rule.name != "syntax-error");
        assert!(is_still || !is_text, "a repair breaks it: {now:?} {:?}", next.text);
        now = next.text;
    }
}

fn found(path: &str, text: &str) -> Vec<Finding> {
    let settings = Settings::default();
    let mut linted = match path.ends_with(".yaml") {
        true => lint_yaml(path, Path::new(path), text, &settings),
        false => lint_python(path, text, &settings),
    };
    let summaries: Vec<_> = linted.summary.take().into_iter().collect();
    let project = Project { files: &summaries, classes: &ClassNames::default() };
    let of_project = project_stage(&project, &settings).into_iter().map(|(_, finding)| finding).collect();
    finished(linted, of_project, &settings)
}
