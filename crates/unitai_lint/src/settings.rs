//! Which rules look at a file, and how much they weigh.

use crate::{Check, Options, RULES, Rule, Severity};

/// Which rules look at a file, and how much they weigh.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Of each rule, in the order of [`RULES`]; none for those that are off.
    severities: Vec<Option<Severity>>,
    /// What rules may be told.
    pub options: Options,
}

impl Default for Settings {
    /// Every rule, as it says itself.
    fn default() -> Settings {
        let severities = RULES.iter().map(|rule| Some(rule.severity)).collect();
        Settings { severities, options: Options::default() }
    }
}

impl Settings {
    /// How much a rule weighs; none if it is off.
    pub fn severity(&self, rule: &Rule) -> Option<Severity> {
        let at = RULES.iter().position(|known| known.name == rule.name)?;
        self.severities[at]
    }

    /// Sets how much a rule weighs; none turns it off.
    pub fn set(&mut self, rule: &Rule, severity: Option<Severity>) {
        if let Some(at) = RULES.iter().position(|known| known.name == rule.name) {
            self.severities[at] = severity;
        }
    }

    /// The rules that are on.
    pub fn rules(&self) -> impl Iterator<Item = (&'static Rule, Severity)> {
        RULES.iter().zip(&self.severities).filter_map(|(rule, severity)| Some((*rule, (*severity)?)))
    }

    /// The same without rules about the whole project.
    pub fn of_single_files(mut self) -> Settings {
        for (rule, severity) in RULES.iter().zip(&mut self.severities) {
            if matches!(rule.check, Check::Project(_)) {
                *severity = None;
            }
        }
        self
    }

    /// Whether some rule wants to know the whole project.
    pub fn is_about_projects(&self) -> bool {
        self.rules().any(|(rule, _)| matches!(rule.check, Check::Project(_)))
    }
}
