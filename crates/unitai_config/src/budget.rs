//! The settings of what tests may spend.

use std::path::Path;

use unitai_model::Money;

use crate::project::number;
use crate::variables::said;
use crate::{Project, Trouble};

/// What tests may spend, as used. `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BudgetSettings {
    /// What one test may spend.
    pub per_test: Option<Money>,
    /// What all tests of a session may spend together.
    pub per_suite: Option<Money>,
}

/// What the environment says: `UNITAI_COST_BUDGET_PER_TEST`, `UNITAI_COST_BUDGET_PER_SUITE`.
#[derive(Debug, Clone, Default)]
pub struct BudgetOverrides {
    /// What one test may spend.
    pub per_test: Option<String>,
    /// What all tests may spend together.
    pub per_suite: Option<String>,
}

const PER_TEST: &str = "UNITAI_COST_BUDGET_PER_TEST";
const PER_SUITE: &str = "UNITAI_COST_BUDGET_PER_SUITE";

impl BudgetOverrides {
    /// What the environment says.
    pub fn of_environment() -> BudgetOverrides {
        BudgetOverrides { per_test: said(PER_TEST), per_suite: said(PER_SUITE) }
    }
}

const KEYS: [&str; 2] = ["per_test", "per_suite"];
const DOLLARS: &str = "a number of dollars above 0";

impl BudgetSettings {
    /// The settings for a folder: the environment first, then the project's file. They stand there as
    /// `cost_budget_per_test` and `cost_budget_per_suite`, or in the table `[cost_budget]`.
    ///
    /// ```
    /// use unitai_config::{BudgetOverrides, BudgetSettings};
    /// use unitai_model::Money;
    /// # let folder = std::env::temp_dir();
    /// let said = BudgetOverrides { per_suite: Some("2.50".to_owned()), ..BudgetOverrides::default() };
    /// let settings = BudgetSettings::resolve(&folder, &said).unwrap();
    /// assert_eq!(settings.per_suite, Money::from_dollars(2.5));
    /// ```
    pub fn resolve(folder: &Path, overrides: &BudgetOverrides) -> Result<BudgetSettings, Trouble> {
        let project = Project::of(folder)?;
        let mut settings = BudgetSettings::default();
        for (name, value) in project.section("cost_budget")? {
            let of = "the cost budget";
            let slot = match name.as_str() {
                "per_test" => &mut settings.per_test,
                "per_suite" => &mut settings.per_suite,
                _ => return Err(project.unknown(of, &name, &KEYS)),
            };
            let amount = number(value).and_then(amount);
            *slot = Some(amount.ok_or_else(|| project.wrong(of, &name, value, DOLLARS))?);
        }
        let variables = [
            (PER_TEST, &overrides.per_test, &mut settings.per_test),
            (PER_SUITE, &overrides.per_suite, &mut settings.per_suite),
        ];
        for (name, text, slot) in variables {
            let Some(text) = text else { continue };
            let amount = text.trim().parse().ok().and_then(amount);
            *slot = Some(amount.ok_or_else(|| Trouble::of_variable(name, text, DOLLARS))?);
        }
        Ok(settings)
    }
}

fn amount(dollars: f64) -> Option<Money> {
    Money::from_dollars(dollars).filter(|amount| *amount > Money::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(text: &str, overrides: &BudgetOverrides) -> Result<BudgetSettings, Trouble> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("pyproject.toml"), text).unwrap();
        BudgetSettings::resolve(folder.path(), overrides)
    }

    fn dollars(dollars: f64) -> Option<Money> {
        Money::from_dollars(dollars)
    }

    #[test]
    fn flat_keys_and_the_table_say_the_same() {
        let flat = "[tool.unitai]\ncost_budget_per_test = 1.00\ncost_budget_per_suite = 10\n";
        let table = "[tool.unitai.cost_budget]\nper_test = 1\nper_suite = 10.0\n";
        for text in [flat, table] {
            let settings = resolve(text, &BudgetOverrides::default()).unwrap();
            assert_eq!((settings.per_test, settings.per_suite), (dollars(1.0), dollars(10.0)));
        }
        let nothing = resolve("[tool.unitai]\ncache_enabled = true\n", &BudgetOverrides::default()).unwrap();
        assert_eq!(nothing, BudgetSettings::default());
    }

    #[test]
    fn the_environment_comes_first() {
        let said = BudgetOverrides { per_suite: Some("0.25".to_owned()), ..BudgetOverrides::default() };
        let text = "[tool.unitai]\ncost_budget_per_test = 1.00\ncost_budget_per_suite = 10\n";
        let settings = resolve(text, &said).unwrap();
        assert_eq!((settings.per_test, settings.per_suite), (dollars(1.0), dollars(0.25)));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let none = BudgetOverrides::default();
        for wrong in ["0", "-1.0", "\"10\"", "true", "inf", "nan", "1e-20"] {
            let text = format!("[tool.unitai]\n# money\ncost_budget_per_suite = {wrong}\n");
            let trouble = resolve(&text, &none).unwrap_err();
            assert!(trouble.place.ends_with("pyproject.toml:3"), "{}", trouble.place);
            assert_eq!(trouble.expected, DOLLARS);
        }
        let trouble = resolve("[tool.unitai]\ncost_budget_per_suit = 1\n", &none).unwrap_err();
        assert!(
            trouble.place.ends_with(":2") && trouble.expected.contains("perhaps `per_suite`"),
            "{trouble:?}"
        );
        for wrong in ["ten", "0", "-3", "$5"] {
            let said = BudgetOverrides { per_test: Some(wrong.to_owned()), ..BudgetOverrides::default() };
            let trouble = resolve("", &said).unwrap_err();
            assert!(trouble.to_string().contains(PER_TEST) && trouble.message.contains(wrong), "{trouble}");
        }
    }
}
