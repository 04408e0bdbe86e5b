//! What a rule is: its name, its reasons, its examples, and the function that looks.

use unitai_model::Layer;

use crate::{Def, File, Project, ProjectReport, Report, Severity, YamlFile};

/// One rule. Everything that is said about it anywhere is made from this.
#[derive(Debug)]
pub struct Rule {
    /// Its only name, in kebab-case: `assert-true`. It reads well behind "ignore".
    pub name: &'static str,
    /// What it finds, in a sentence or two of Markdown.
    pub what: &'static str,
    /// Why that is worth a finding.
    pub why: &'static str,
    /// Code in which it finds something, and no other rule does.
    pub bad: Example,
    /// The same, done well: no rule finds anything.
    pub good: Example,
    /// How much a finding weighs, unless the settings say otherwise.
    pub severity: Severity,
    /// The layers whose tests it looks at; empty for all tests, also those of no layer.
    pub layers: &'static [Layer],
    /// Whether some of its findings can be repaired by `--fix`.
    pub is_fixable: bool,
    /// How it looks.
    pub check: Check,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        self.name == other.name
    }
}

/// A file that shows what a rule means. A test lints it.
#[derive(Debug)]
pub struct Example {
    /// The path that it would have in a project, such as `tests/unit/test_parsing.py`; it decides the layer.
    pub path: &'static str,
    /// What it holds.
    pub code: &'static str,
}

/// How a rule looks. It reads facts that were gathered in one walk, and never walks a whole file itself.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// At each test function of the rule's layers.
    Test(fn(Def<'_, '_>, &mut Report<'_>)),
    /// At a file of Python as a whole: fixtures, classes, modules. It minds the layers itself.
    Python(fn(&File<'_>, &mut Report<'_>)),
    /// At a file of YAML tests.
    Yaml(fn(&YamlFile<'_>, &mut Report<'_>)),
    /// At the summaries of all files, when every file has been read.
    Project(fn(&Project<'_>, &mut ProjectReport<'_>)),
    /// The linter itself finds it: what cannot be read, and slips in comments that are meant for it.
    Engine,
}
