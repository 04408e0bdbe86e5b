//! The settings of what tests may spend.

use unitai_model::Money;

use crate::{Name, Settings};

/// What tests may spend. `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BudgetSettings {
    /// What one test may spend.
    pub per_test: Option<Money>,
    /// What all tests of a session may spend together.
    pub per_suite: Option<Money>,
}

impl Settings {
    /// What tests may spend.
    pub fn budget(&self) -> BudgetSettings {
        let dollars = |name| self.get(name).value.dollars();
        BudgetSettings {
            per_test: dollars(Name::CostBudgetPerTest),
            per_suite: dollars(Name::CostBudgetPerSuite),
        }
    }
}
