//! The settings of tests that are repeated.

use unitai_model::Money;

use crate::{Name, Settings, Source};

/// How tests are repeated that do not say it themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct StatisticsSettings {
    /// How often.
    pub n: u64,
    /// The share of the runs that must pass.
    pub threshold: f64,
    /// When they stop: `all`, `early` or `sequential`.
    pub mode: String,
    /// How many runs are under way at a time.
    pub max_workers: u64,
    /// What the runs of one test may cost together.
    pub budget: Money,
    /// Whether nobody has said that.
    pub is_default_budget: bool,
}

impl Settings {
    /// How tests are repeated that do not say it themselves.
    pub fn statistics(&self) -> StatisticsSettings {
        let budget = self.get(Name::CostBudgetPerRepeatedTest);
        StatisticsSettings {
            n: self.get(Name::DefaultN).value.whole().unwrap_or(1),
            threshold: self.get(Name::DefaultThreshold).value.number().unwrap_or(1.0),
            mode: self.get(Name::DefaultMode).value.text().unwrap_or("all").to_owned(),
            max_workers: self.get(Name::MaxWorkers).value.whole().unwrap_or(1),
            budget: budget.value.dollars().unwrap_or_default(),
            is_default_budget: budget.source == Source::Default,
        }
    }
}
