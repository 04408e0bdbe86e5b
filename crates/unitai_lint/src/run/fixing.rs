//! Repairs in files, round after round, until nothing is left that can be repaired.

use std::{fs, slice};

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};

use super::files::Kind;
use super::{FileOutcome, Located, deep};
use crate::rules::SYNTAX_ERROR;
use crate::{
    Finding, Fixed, Lines, Plan, RULES, Rule, Settings, Source, finished, fixed, lint_python_as, lint_yaml,
};

/// Repairs make room for others, but not for ever.
const ROUNDS: usize = 20;

/// A file with its repairs, not written yet.
#[derive(Debug)]
pub struct FixedFile {
    /// What it was.
    pub before: String,
    /// What it becomes.
    pub after: String,
    /// Of each finding that is repaired, the rule.
    pub repaired: Vec<&'static Rule>,
    /// What would have been repaired, and is not: the file would not be read any more, would assert less, or have the
    /// same findings as before. Places are those of what it becomes.
    pub left_out: Vec<Located>,
    /// Whether a mark of the byte order stands before it.
    pub has_mark: bool,
}

/// What repairs make of a file. None if there is nothing to repair.
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
    // It may have been written to since it was looked at.
    if !source.is_utf8 {
        return None;
    }
    // Rules about the whole project have no say here: one file does not tell what the others hold.
    let settings = plan.settings(&file.from_root).into_owned().of_single_files();
    let look = |text: &str| look(file, text, &settings);
    let (mut after, mut repaired) = (source.text.clone(), vec![]);
    let mut findings = look(&after);
    for _ in 0..ROUNDS {
        let Some((next, found)) = round(&after, &findings, &look) else { break };
        repaired.extend(next.repaired);
        (after, findings) = (next.text, found);
    }
    let lines = Lines::of(&after);
    let left_out = findings.into_iter().filter(|finding| finding.fix.is_some());
    let left_out: Vec<Located> = left_out.map(|finding| Located::of(finding, &after, &lines)).collect();
    let is_something = !repaired.is_empty() || !left_out.is_empty();
    is_something.then_some(FixedFile {
        before: source.text,
        after,
        repaired,
        left_out,
        has_mark: source.has_mark,
    })
}

/// The repairs that can be done side by side, and what is found then. If they do harm together, those that do none alone.
fn round(
    text: &str,
    findings: &[Finding],
    look: &dyn Fn(&str) -> Vec<Finding>,
) -> Option<(Fixed, Vec<Finding>)> {
    let done = |chosen: &[Finding]| {
        let next = fixed(text, chosen)?;
        let found = look(&next.text);
        is_sound(text, findings, &next, &found).then_some((next, found))
    };
    done(findings).or_else(|| {
        let is_harmless = |finding: &&Finding| done(slice::from_ref(finding)).is_some();
        let harmless: Vec<Finding> = findings.iter().filter(is_harmless).cloned().collect();
        done(&harmless).or_else(|| done(harmless.get(..1)?))
    })
}

/// Whether repairs did what they are for, and nothing else: the file is still read, what was repaired is not found any more,
/// and it asserts as much as before. A text that is still Python may be another test: `assertx == 1` asserts nothing.
fn is_sound(text: &str, before: &[Finding], next: &Fixed, found: &[Finding]) -> bool {
    let is_read = found.iter().all(|finding| finding.rule != &SYNTAX_ERROR);
    let of_rule = |findings: &[Finding], rule: &Rule| findings.iter().filter(|it| it.rule == rule).count();
    let is_gone = |rule: &&Rule| {
        let repaired = next.repaired.iter().filter(|it| it == &rule).count();
        // What is repaired may show what others find.
        repaired == 0 || of_rule(found, rule) + repaired <= of_rule(before, rule)
    };
    is_read && RULES.iter().all(is_gone) && asserts(&next.text) >= asserts(text)
}

/// How often a text of Python says `assert`.
fn asserts(text: &str) -> usize {
    let parsed = parse_unchecked(text, ParseOptions::from(Mode::Module));
    parsed.tokens().iter().filter(|token| token.kind() == TokenKind::Assert).count()
}

fn look(file: &FileOutcome, text: &str, settings: &Settings) -> Vec<Finding> {
    let linted = match file.kind {
        Kind::Yaml | Kind::MaybeYaml => lint_yaml(&file.from_root, &file.file, text, settings),
        Kind::Python(role) => lint_python_as(role, &file.from_root, text, settings),
        Kind::Source => return vec![],
    };
    finished(linted, vec![], settings)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use ruff_text_size::TextRange;

    use super::round;
    use crate::{Finding, Fix, RULES, Severity};

    /// Finds every `old`, to be replaced by `new`.
    fn found(text: &str, replaced: &[(&str, &str)]) -> Vec<Finding> {
        let one = |old: &str, new: &str, at: usize| {
            let range = TextRange::at((at as u32).into(), (old.len() as u32).into());
            let fix = Some(Fix::replace("repair it", range, new));
            let (rule, severity) = (RULES[0], Severity::Error);
            Finding { rule, severity, range, message: String::new(), help: Cow::Borrowed(""), fix }
        };
        replaced
            .iter()
            .flat_map(|(old, new)| text.match_indices(old).map(move |(at, _)| one(old, new, at)))
            .collect()
    }

    #[test]
    fn a_repair_that_does_harm_keeps_none_of_the_others_back() {
        let text = "assert(a)\nassert [b]\ncc = 1\n";
        // It asserts less, it asserts less, it is still found.
        for harmful in [("(a)", "a"), ("assert(", "("), ("cc", "ccc")] {
            let look = |text: &str| found(text, &[harmful, ("[b]", "b")]);
            let (done, findings) = round(text, &look(text), &look).unwrap();
            assert_eq!(done.text, "assert(a)\nassert b\ncc = 1\n", "{harmful:?}");
            assert_eq!((done.repaired.len(), findings.len()), (1, 1), "{harmful:?}");
            assert!(round(&done.text, &findings, &look).is_none(), "{harmful:?}");
        }
    }
}
