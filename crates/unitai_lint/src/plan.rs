//! What the settings ask for, understood: which rules look at which files.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use rustc_hash::FxHasher;
use unitai_model::nearest::nearest;

use crate::rules::{SYNTAX_ERROR, UNREADABLE_FILE};
use crate::{Options, RULES, Rule, Settings, Severity, rule};

/// What the settings ask for, in their own words.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
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

/// A setting that asks for what does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongSetting {
    /// Which one: `select`, `ignore`, `rules`, `per_folder` or `exclude`.
    pub key: &'static str,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub expected: String,
}

/// Which rules look at which files.
#[derive(Debug, Clone)]
pub struct Plan {
    usual: Settings,
    folders: Vec<(GlobSet, Vec<&'static Rule>)>,
    exclude: GlobSet,
    /// Whose findings can be kept for whom.
    pub(crate) fingerprint: u64,
}

impl Plan {
    /// What the settings ask for.
    ///
    /// ```
    /// use unitai_lint::{Plan, Wanted};
    /// let wanted = |rule: &str| Wanted { ignore: vec![rule.to_owned()], ..Wanted::default() };
    /// assert!(Plan::of(&wanted("assert-true"), Default::default()).is_ok());
    /// let wrong = Plan::of(&wanted("assert-tru"), Default::default()).unwrap_err();
    /// assert_eq!(wrong.expected, "perhaps `assert-true`; `unitai lint --list` shows every rule");
    /// ```
    pub fn of(wanted: &Wanted, options: Options) -> Result<Plan, WrongSetting> {
        let mut usual = Settings::default();
        usual.options = options;
        let selected = known("select", &wanted.select)?;
        let ignored = known("ignore", &wanted.ignore)?;
        for rule in RULES {
            let is_always = [&SYNTAX_ERROR, &UNREADABLE_FILE].contains(rule);
            let is_on =
                (selected.is_empty() || is_always || selected.contains(rule)) && !ignored.contains(rule);
            usual.set(rule, is_on.then_some(rule.severity));
        }
        for (name, word) in &wanted.rules {
            let rule = one("rules", name)?;
            let severity = match word.as_str() {
                "error" => Some(Severity::Error),
                "warning" => Some(Severity::Warning),
                _ => None,
            };
            if usual.severity(rule).is_some() {
                usual.set(rule, severity);
            }
        }
        let mut folders = Vec::new();
        for (pattern, names) in &wanted.per_folder {
            folders.push((globs("per_folder", [pattern])?, known("per_folder", names)?));
        }
        let exclude = globs("exclude", &wanted.exclude)?;
        let fingerprint = fingerprint(wanted, &usual);
        Ok(Plan { usual, folders, exclude, fingerprint })
    }

    /// The same without rules about the whole project.
    pub fn of_single_files(mut self) -> Plan {
        self.usual = self.usual.of_single_files();
        self.fingerprint ^= 1;
        self
    }

    /// What holds where no pattern says otherwise.
    pub fn usual(&self) -> &Settings {
        &self.usual
    }

    /// What holds for a file, by its path from the root of the project.
    pub fn settings(&self, path: &str) -> Cow<'_, Settings> {
        let mut settings = Cow::Borrowed(&self.usual);
        for (globs, rules) in &self.folders {
            if globs.is_match(path) {
                rules.iter().for_each(|rule| settings.to_mut().set(rule, None));
            }
        }
        settings
    }

    /// Whether a file or a folder is left out.
    pub fn is_excluded(&self, path: &str) -> bool {
        self.exclude.is_match(path)
    }
}

fn fingerprint(wanted: &Wanted, usual: &Settings) -> u64 {
    let mut hasher = FxHasher::default();
    (env!("CARGO_PKG_VERSION"), env!("UNITAI_LINT_SOURCES")).hash(&mut hasher);
    (&wanted.select, &wanted.ignore, &wanted.rules, &wanted.per_folder).hash(&mut hasher);
    serde_json::to_string(&usual.options).unwrap_or_default().hash(&mut hasher);
    hasher.finish()
}

fn known(key: &'static str, names: &[String]) -> Result<Vec<&'static Rule>, WrongSetting> {
    names.iter().map(|name| one(key, name)).collect()
}

fn one(key: &'static str, name: &str) -> Result<&'static Rule, WrongSetting> {
    rule(name).ok_or_else(|| {
        let expected = match nearest(name, RULES.iter().map(|rule| rule.name)) {
            Some(near) => format!("perhaps `{near}`; `unitai lint --list` shows every rule"),
            None => "the name of a rule; `unitai lint --list` shows every rule".to_owned(),
        };
        let name = unitai_model::value::plain(name);
        WrongSetting { key, message: format!("there is no rule `{name}`"), expected }
    })
}

/// Patterns of paths. One that names a folder is about everything in it.
fn globs<'a>(
    key: &'static str,
    patterns: impl IntoIterator<Item = &'a String>,
) -> Result<GlobSet, WrongSetting> {
    let wrong = |error: globset::Error| WrongSetting {
        key,
        message: format!(
            "a pattern cannot be understood: {}",
            unitai_model::value::plain(&error.to_string())
        ),
        expected: "a pattern of paths from the root of the project, as in `tests/legacy/**`".to_owned(),
    };
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
        set.add(glob(pattern).map_err(wrong)?);
        set.add(glob(&format!("{pattern}/**")).map_err(wrong)?);
    }
    set.build().map_err(wrong)
}

fn glob(pattern: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(pattern).literal_separator(true).build()
}
