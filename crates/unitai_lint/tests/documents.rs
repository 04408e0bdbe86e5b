//! The rules, told by documents: `tests/rules/<rule>.md`. Prose, and files of a project in code blocks.
//!
//! Everything between two headings is one project: each block with a title is a file of it. Behind a line stands what is
//! found there, `# error: rule "part of the message"`, once for each finding; a line below that begins with `# ^ error:`
//! does it for lines that take no comment. Nothing else may be found: every rule is on. A block that is marked `fixed` is
//! what `--fix` makes of the file before it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use unitai_lint::{
    ClassNames, Finding, Lines, Linted, Project, RULES, Settings, Source, Summary, finished, fixed,
    lint_python, lint_yaml, project_stage,
};

/// A file of a project.
struct Given {
    path: String,
    text: String,
    /// Line, rule, part of the message.
    expected: Vec<(usize, String, String)>,
    fixed: Option<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules")
}

/// What every rule finds in these files.
fn found(files: &[(&str, &str)]) -> Vec<Vec<Finding>> {
    let settings = Settings::default();
    let mut linted: Vec<Linted> = files.iter().map(|(path, text)| lint(path, text, &settings)).collect();
    let mut at = Vec::new();
    let mut summaries: Vec<Summary> = Vec::new();
    for (index, linted) in linted.iter_mut().enumerate() {
        if let Some(summary) = linted.summary.take() {
            at.push(index);
            summaries.push(summary);
        }
    }
    let mut of_project: BTreeMap<usize, Vec<Finding>> = BTreeMap::new();
    for (file, finding) in
        project_stage(&Project { files: &summaries, classes: &ClassNames::default() }, &settings)
    {
        of_project.entry(at[file]).or_default().push(finding);
    }
    let linted = linted.into_iter().enumerate();
    linted
        .map(|(index, linted)| finished(linted, of_project.remove(&index).unwrap_or_default(), &settings))
        .collect()
}

fn lint(path: &str, text: &str, settings: &Settings) -> Linted {
    if path.ends_with(".py") {
        match Source::of_python(text.as_bytes().to_vec()) {
            Ok(source) => lint_python(path, &source.text, settings),
            Err(reason) => Linted::unreadable(&reason, settings),
        }
    } else {
        lint_yaml(path, Path::new(path), text, settings)
    }
}

/// The projects of a document, each with its heading.
fn projects(document: &str) -> Vec<(String, Vec<Given>)> {
    let mut projects: Vec<(String, Vec<Given>)> = vec![];
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        if let Some(heading) = line.strip_prefix('#') {
            projects.push((heading.trim_start_matches('#').trim().to_owned(), vec![]));
        } else if let Some(info) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let (heading, files) = projects.last_mut().expect("a heading before the first block");
            if info.split(' ').any(|word| word == "fixed") {
                let file =
                    files.last_mut().unwrap_or_else(|| panic!("{heading}: nothing to fix before `fixed`"));
                file.fixed = Some(block.join("\n") + "\n");
            } else if let Some((_, title)) = info.split_once("title=\"") {
                let path = title.trim_end_matches('"').to_owned();
                assert!(files.iter().all(|file| file.path != path), "{heading}: {path} stands there twice");
                files.push(given(path, &block));
            }
        }
    }
    projects
}

fn given(path: String, block: &[&str]) -> Given {
    let (mut text, mut expected) = (String::new(), vec![]);
    let mut number = 0;
    for line in block {
        if let Some(rest) = line.trim_start().strip_prefix("# ^ error:") {
            expected.push(expectation(number, rest));
            continue;
        }
        number += 1;
        let mut parts = line.split("# error:");
        let code = parts.next().unwrap_or_default();
        let marks: Vec<&str> = parts.collect();
        text.push_str(if marks.is_empty() { code } else { code.trim_end() });
        text.push('\n');
        expected.extend(marks.into_iter().map(|mark| expectation(number, mark)));
    }
    Given { path, text, expected, fixed: None }
}

fn expectation(line: usize, text: &str) -> (usize, String, String) {
    let (rule, part) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    (line, rule.to_owned(), part.trim().trim_matches('"').to_owned())
}

fn told(finding: &Finding, text: &str) -> (usize, &'static str, String) {
    let (line, _) = Lines::of(text).place(finding.range.start(), text);
    (line, finding.rule.name, finding.message.clone())
}

#[test]
fn rules_find_what_the_documents_say_and_nothing_else() {
    let mut wrong: Vec<String> = vec![];
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let document = fs::read_to_string(&path).unwrap();
        for (heading, files) in projects(&document) {
            let texts: Vec<(&str, &str)> = files.iter().map(|file| (&*file.path, &*file.text)).collect();
            for (file, findings) in files.iter().zip(found(&texts)) {
                let at = format!("{name}, \"{heading}\", {}", file.path);
                let mut open: Vec<(usize, &str, String)> =
                    findings.iter().map(|finding| told(finding, &file.text)).collect();
                for (line, rule, part) in &file.expected {
                    let is_it =
                        |it: &(usize, &str, String)| it.0 == *line && it.1 == rule && it.2.contains(part);
                    match open.iter().position(is_it) {
                        Some(index) => drop(open.remove(index)),
                        None => wrong.push(format!("{at}: expected in line {line}: {rule} \"{part}\"")),
                    }
                }
                wrong.extend(open.iter().map(|(line, rule, message)| {
                    format!("{at}: not expected in line {line}: {rule} \"{message}\"")
                }));
                let repaired = repaired(&file.path, &file.text, &at, &mut wrong);
                match (&file.fixed, repaired) {
                    (Some(expected), Some(repaired)) if *expected == repaired => {}
                    (Some(expected), Some(repaired)) => {
                        wrong.push(format!("{at}: fixed, it should be\n{expected}\nand is\n{repaired}"));
                    }
                    (Some(_), None) => wrong.push(format!("{at}: there is nothing to fix")),
                    (None, Some(repaired)) => wrong.push(format!("{at}: the fix is not shown:\n{repaired}")),
                    (None, None) => {}
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// The text with every fix, which must still be read, and have nothing left to fix.
fn repaired(path: &str, text: &str, at: &str, wrong: &mut Vec<String>) -> Option<String> {
    let mut now = fixed(text, &found(&[(path, text)])[0])?.text;
    for _ in 0..20 {
        let findings = &found(&[(path, &now)])[0];
        if findings.iter().any(|finding| finding.rule.name == "syntax-error") {
            wrong.push(format!("{at}: the fix breaks the file:\n{now}"));
            return Some(now);
        }
        match fixed(&now, findings) {
            Some(next) => now = next.text,
            None => return Some(now),
        }
    }
    wrong.push(format!("{at}: the fixes never end:\n{now}"));
    Some(now)
}

#[test]
fn every_rule_has_a_document_that_shows_it() {
    for rule in RULES {
        let path = folder().join(format!("{}.md", rule.name));
        let document = fs::read_to_string(&path).unwrap_or_else(|_| panic!("there is no {}", path.display()));
        assert!(
            document.contains(&format!("error: {}", rule.name)),
            "{}.md shows no finding of it",
            rule.name
        );
    }
}

#[test]
fn the_examples_of_a_rule_are_judged_as_they_say() {
    for rule in RULES {
        let names = |path, code| {
            let found = found(&[(path, code)]).remove(0);
            found.iter().map(|finding| finding.rule.name).collect::<Vec<_>>()
        };
        let bad = names(rule.bad.path, rule.bad.code);
        assert!(
            !bad.is_empty() && bad.iter().all(|name| *name == rule.name),
            "{}: bad gives {bad:?}",
            rule.name
        );
        let good = names(rule.good.path, rule.good.code);
        assert!(good.is_empty(), "{}: good gives {good:?}", rule.name);
        let is_fixed =
            found(&[(rule.bad.path, rule.bad.code)])[0].iter().any(|finding| finding.fix.is_some());
        assert!(rule.is_fixable || !is_fixed, "{}: it has a fix and says it has none", rule.name);
    }
}

#[test]
fn rules_stand_in_the_table_by_name_and_say_what_they_are() {
    let names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    assert!(names.is_sorted() && names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    for rule in RULES {
        let is_kebab =
            rule.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte.is_ascii_digit());
        assert!(is_kebab, "{}", rule.name);
        assert!(rule.what.ends_with('.') && rule.why.ends_with('.'), "{}: whole sentences", rule.name);
        let file = format!("src/rules/{}.rs", rule.name.replace('-', "_"));
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(&file).exists(), "{} is not in {file}", rule.name);
    }
}
