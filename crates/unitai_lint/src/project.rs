//! What rules know of other files: a summary of each, which can be kept, and the stage that reads all of them.

use std::borrow::Cow;

use crate::{ClassNames, Finding, Rule, Severity};

/// What is kept of a file for rules about the whole project.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Summary {
    /// The path from the root of the project, with `/`.
    pub path: String,
    /// Whether it is a file of tests (or a conftest) and not a source of the project.
    pub is_test: bool,
    /// Its classes.
    pub classes: Vec<ClassSummary>,
    /// Its fixtures outside of classes.
    pub fixtures: Vec<FixtureSummary>,
    /// Of contract tests, the names that are used outside of classes, as in [`ClassSummary::uses`].
    pub uses: Vec<String>,
    /// Its contract tests outside of classes.
    pub contract_tests: Vec<MethodSummary>,
    /// Its imports: the name here, and what it stands for, such as `shop.stores.BaseStore`. Relative ones begin with a
    /// dot for each level.
    pub imports: Vec<(String, String)>,
}

/// What is kept of a fixture.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct FixtureSummary {
    /// Its name.
    pub name: String,
    /// The names that it uses, other fixtures among them.
    pub uses: Vec<String>,
}

/// What is kept of a class.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ClassSummary {
    /// Its name.
    pub name: String,
    /// Where its name stands: bytes of the file's text.
    pub range: (u32, u32),
    /// Its bases as they are written.
    pub bases: Vec<String>,
    /// Its methods.
    pub methods: Vec<MethodSummary>,
    /// What stands in the brackets behind its bases: `BaseStore` of `Contract[BaseStore]`.
    pub parameters: Vec<String>,
    /// Names that are used in its body, each once: which implementation a fixture makes, which fixtures it takes. What is
    /// called with dots is there as it is written, too.
    pub uses: Vec<String>,
    /// Names that its body gives a value, methods aside.
    pub attributes: Vec<String>,
    /// The layer of its tests, by marker or folder; may be empty.
    pub layer: String,
    /// What it says itself about whether pytest collects it: `__test__ = False`.
    pub is_collected: Option<bool>,
}

/// What is kept of a method.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct MethodSummary {
    /// Its name.
    pub name: String,
    /// Where its name stands.
    pub range: (u32, u32),
    /// Whether it is an `abstractmethod`.
    pub is_abstract: bool,
    /// Whether it is a test.
    pub is_test: bool,
    /// Of a contract test, a digest of its body as tokens, without its docstring and comments: equal bodies, equal digests,
    /// whichever classes they name and fixtures they take. 0 for bodies that say next to nothing.
    pub digest: u64,
}

/// All summaries, in the order of paths.
pub struct Project<'p> {
    /// The files.
    pub files: &'p [Summary],
    /// Which classes pytest collects.
    pub classes: &'p ClassNames,
}

/// Takes the findings of one rule about a project.
pub struct ProjectReport<'r> {
    pub(crate) rule: &'static Rule,
    pub(crate) severity: Severity,
    /// Of each, the index of its file.
    pub(crate) findings: &'r mut Vec<(usize, Finding)>,
}

impl ProjectReport<'_> {
    /// A finding in one file, by its index in [`Project::files`].
    pub fn at(&mut self, file: usize, range: (u32, u32), message: impl Into<String>) -> &mut Finding {
        let finding = Finding {
            rule: self.rule,
            severity: self.severity,
            range: ruff_text_size::TextRange::new(range.0.into(), range.1.into()),
            message: message.into(),
            help: Cow::Borrowed(""),
            fix: None,
        };
        self.findings.push((file, finding));
        let last = self.findings.len() - 1;
        &mut self.findings[last].1
    }
}
