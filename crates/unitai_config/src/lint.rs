//! The settings of the linter.

use std::collections::BTreeMap;

use crate::{Name, Settings};

/// What the linter is told. Rules are names here: whether they exist, the linter knows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LintSettings {
    /// The rules that look; empty for all of them.
    pub select: Vec<String>,
    /// The rules that are off.
    pub ignore: Vec<String>,
    /// `error`, `warning` or `off` for single rules.
    pub rules: BTreeMap<String, String>,
    /// Patterns of files, and the rules that are off for them.
    pub per_folder: BTreeMap<String, Vec<String>>,
    /// Patterns of files that are not looked at.
    pub exclude: Vec<String>,
}

impl Settings {
    /// What the linter is told.
    pub fn lint(&self) -> LintSettings {
        let value = |name| &self.get(name).value;
        let owned = |(name, word): (&str, &str)| (name.to_owned(), word.to_owned());
        LintSettings {
            select: value(Name::LintSelect).texts().to_vec(),
            ignore: value(Name::LintIgnore).texts().to_vec(),
            rules: value(Name::LintRules).words().map(owned).collect(),
            per_folder: value(Name::LintPerFolder)
                .lists()
                .map(|(glob, rules)| (glob.to_owned(), rules.to_vec()))
                .collect(),
            exclude: value(Name::LintExclude).texts().to_vec(),
        }
    }
}
