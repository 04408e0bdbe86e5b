//! One file, from its text to what the rules found in it.

use std::borrow::Cow;
use std::path::Path;
use std::sync::LazyLock;

use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::TextRange;
use unitai_spec::document::read;

use crate::facts::{TooDeep, gather};
use crate::ignores::Stage;
use crate::python2::looks_like_python2;
use crate::rules::{SYNTAX_ERROR, UNREADABLE_FILE};
use crate::run::naming::Naming;
use crate::{
    Check, FileRole, Finding, Ignores, Lines, Project, ProjectReport, Report, Rule, Settings, Summary,
    Unreadable, YamlFile,
};

/// What was found in one file, before the rules about the whole project have looked.
#[derive(Debug, Default)]
pub struct Linted {
    /// What no comment allows.
    pub findings: Vec<Finding>,
    /// What comments allow.
    pub ignores: Ignores,
    /// What is kept for rules about the whole project, if one of them is on.
    pub summary: Option<Summary>,
}

impl Linted {
    fn only(
        rule: &'static Rule,
        settings: &Settings,
        range: TextRange,
        message: String,
        help: &str,
    ) -> Linted {
        let help = Cow::Owned(help.to_owned());
        let finding = settings.severity(rule).map(|severity| Finding {
            rule,
            severity,
            range,
            message,
            help,
            fix: None,
        });
        Linted { findings: finding.into_iter().collect(), ..Linted::default() }
    }

    /// What is said of a file that cannot be read.
    pub fn unreadable(reason: &Unreadable, settings: &Settings) -> Linted {
        let message = format!("this file is not looked at: {reason}");
        Linted::only(&UNREADABLE_FILE, settings, TextRange::default(), message, reason.help())
    }
}

/// Looks at the text of a file of Python. `path` is the one from the root of the project.
///
/// The tree of a file may be deep: call it on a thread with a large stack.
pub fn lint_python(path: &str, source: &str, settings: &Settings) -> Linted {
    lint_python_as(role(path), path, source, settings)
}

/// Why a text is not Python, with the line; nothing if it is. The tree may be deep, as that of any file.
///
/// ```
/// assert_eq!(unitai_lint::syntax_error("x = 1\n"), None);
/// assert!(unitai_lint::syntax_error("x = 1\ndef f(:\n").unwrap().starts_with("line 2: "));
/// ```
pub fn syntax_error(source: &str) -> Option<String> {
    let parsed = parse_unchecked(source, ParseOptions::from(Mode::Module));
    let error = parsed.errors().first()?;
    let (line, _) = Lines::of(source).place(error.location.start(), source);
    Some(format!("line {line}: {}", error.error))
}

/// The same for a file that is known to be for something.
pub fn lint_python_as(role: FileRole, path: &str, source: &str, settings: &Settings) -> Linted {
    let parsed = parse_unchecked(source, ParseOptions::from(Mode::Module));
    let Some(parsed) = parsed.try_into_module() else { return Linted::default() };
    let gathered = gather(path, source, role, parsed.syntax(), parsed.tokens(), &settings.options);
    let file = match gathered {
        Ok(file) => file,
        Err(TooDeep(range)) => {
            let error = parsed.errors().first().cloned();
            // To take such a tree apart would need as much of the stack as to walk over it.
            std::mem::forget(parsed);
            if let Some(error) = error {
                return no_python(source, error.location, &error.error.to_string(), settings);
            }
            let (line, _) = Lines::of(source).place(range.start(), source);
            let mut linted = Linted::unreadable(&Unreadable::TooDeep(line), settings);
            linted.findings.iter_mut().for_each(|finding| finding.range = TextRange::empty(range.start()));
            return linted;
        }
    };
    if let Some(error) = parsed.errors().first() {
        return no_python(source, error.location, &error.error.to_string(), settings);
    }
    let mut findings = Vec::new();
    for (rule, severity) in settings.rules() {
        let mut report = Report::new(rule, severity, &mut findings);
        match rule.check {
            Check::Python(check) => check(&file, &mut report),
            Check::Test(check) => {
                for test in file.tests() {
                    if rule.layers.is_empty() || test.layer.is_some_and(|layer| rule.layers.contains(&layer))
                    {
                        check(test, &mut report);
                    }
                }
            }
            Check::Yaml(_) | Check::Project(_) | Check::Engine => {}
        }
    }
    let mut own = Vec::new();
    let mut ignores = Ignores::of_python(&file, &mut own, settings);
    ignores.apply(&mut findings);
    findings.append(&mut own);
    let summary = settings.is_about_projects().then(|| Summary::of(&file));
    Linted { findings, ignores, summary }
}

/// Looks at a source of the project that holds no tests: what is kept of it for rules about the whole project, and what
/// comments allow. None if it has no class, or is no Python.
pub fn look_at_source(path: &str, source: &str, settings: &Settings) -> Option<Linted> {
    memchr::memmem::find(source.as_bytes(), b"class ")?;
    let parsed = parse_unchecked(source, ParseOptions::from(Mode::Module)).try_into_module()?;
    let gathered = gather(path, source, FileRole::Other, parsed.syntax(), parsed.tokens(), &settings.options);
    let Ok(file) = gathered else {
        std::mem::forget(parsed);
        return None;
    };
    if !parsed.errors().is_empty() {
        return None;
    }
    let mut findings = Vec::new();
    let ignores = Ignores::of_python(&file, &mut findings, settings);
    Some(Linted { findings, ignores, summary: Some(Summary::of(&file)) })
}

/// Looks at the text of a file of YAML tests. `file` is where it really is, for what it includes.
pub fn lint_yaml(path: &str, file: &Path, source: &str, settings: &Settings) -> Linted {
    let reading = read(source, file);
    let lines = Lines::of(source);
    let yaml = YamlFile::new(path, file, source, &reading, &lines, &settings.options);
    if let Some(trouble) = reading.troubles.iter().find(|trouble| trouble.is_error()) {
        let range = yaml.range(&trouble.place).unwrap_or_default();
        return Linted::only(&SYNTAX_ERROR, settings, range, trouble.message.clone(), &trouble.remedy);
    }
    let mut findings = Vec::new();
    for (rule, severity) in settings.rules() {
        if let Check::Yaml(check) = rule.check {
            check(&yaml, &mut Report::new(rule, severity, &mut findings));
        }
    }
    let mut own = Vec::new();
    let mut ignores = Ignores::of_yaml(source, &mut own, settings);
    ignores.apply(&mut findings);
    findings.append(&mut own);
    Linted { findings, ignores, summary: None }
}

/// Lets the rules about the whole project look. Gives their findings, each with the index of its file.
pub fn project_stage(project: &Project<'_>, settings: &Settings) -> Vec<(usize, Finding)> {
    let mut findings = Vec::new();
    for (rule, severity) in settings.rules() {
        if let Check::Project(check) = rule.check {
            check(project, &mut ProjectReport { rule, severity, findings: &mut findings });
        }
    }
    findings
}

/// Everything that was found in one file, in the order of its text, with the comments that nothing needed. `of_project`
/// is what rules about the whole project found in it.
pub fn finished(linted: Linted, of_project: Vec<Finding>, settings: &Settings) -> Vec<Finding> {
    let Linted { mut findings, mut ignores, .. } = linted;
    findings.append(&mut ignores.unused(Stage::File, settings));
    findings.append(&mut finished_project(&mut ignores, of_project, settings));
    sort(&mut findings);
    findings
}

/// What rules about the whole project found in one file, without what comments allow, and the comments that they did not
/// need.
pub(crate) fn finished_project(
    ignores: &mut Ignores,
    mut findings: Vec<Finding>,
    settings: &Settings,
) -> Vec<Finding> {
    ignores.apply(&mut findings);
    findings.append(&mut ignores.unused(Stage::Project, settings));
    findings
}

/// Puts findings into the order of their text.
pub(crate) fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        (a.range.start(), a.range.end(), a.rule.name).cmp(&(b.range.start(), b.range.end(), b.rule.name))
    });
}

fn no_python(source: &str, range: TextRange, error: &str, settings: &Settings) -> Linted {
    let end = (source.len() as u32).into();
    let range = TextRange::new(range.start().min(end), range.end().min(end));
    let lines = Lines::of(source);
    let line = lines.range(lines.line(range.start()), source).map_or("", |line| &source[line]);
    match looks_like_python2(line) {
        Some(what) => {
            let message = format!("this looks like Python 2: {what}");
            let help = "UnitAI reads Python 3; exclude the file in `[tool.unitai.lint]`, or bring it over";
            Linted::only(&SYNTAX_ERROR, settings, range, message, help)
        }
        None => Linted::only(&SYNTAX_ERROR, settings, range, format!("this is no Python: {error}"), ""),
    }
}

/// What a file is for, by its name, where no settings of pytest are known.
fn role(path: &str) -> FileRole {
    static USUAL: LazyLock<Naming> = LazyLock::new(Naming::usual);
    USUAL.role(path.rsplit('/').next().unwrap_or(path))
}
