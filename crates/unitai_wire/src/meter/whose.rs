//! Whose a budget is: its name in a refusal, and how it is raised.

use std::sync::Arc;

/// Whose a budget is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Whose {
    /// Nobody said.
    #[default]
    Nobodys,
    /// A toolkit's, for all of its runs.
    Toolkit,
    /// That of repeated runs of one test.
    Runs,
    /// One test's.
    Test,
    /// The whole suite's.
    Suite,
    /// A gateway's.
    Gateway,
    /// Somebody's of that name.
    Other(Arc<str>),
}

impl Whose {
    const KNOWN: [Whose; 5] = [Whose::Toolkit, Whose::Runs, Whose::Test, Whose::Suite, Whose::Gateway];

    /// Who has this name.
    ///
    /// ```
    /// use unitai_wire::meter::Whose;
    /// assert_eq!(Whose::of_name("the suite"), Whose::Suite);
    /// assert_eq!(Whose::of_name("the night shift").name(), Some("the night shift"));
    /// ```
    pub fn of_name(name: &str) -> Whose {
        let known = Whose::KNOWN.into_iter().find(|whose| whose.name() == Some(name));
        known.unwrap_or_else(|| Whose::Other(Arc::from(name)))
    }

    /// The name, where somebody said it.
    pub fn name(&self) -> Option<&str> {
        match self {
            Whose::Nobodys => None,
            Whose::Toolkit => Some("the toolkit"),
            Whose::Runs => Some("these runs"),
            Whose::Test => Some("this test"),
            Whose::Suite => Some("the suite"),
            Whose::Gateway => Some("the gateway"),
            Whose::Other(name) => Some(name),
        }
    }

    /// The budget, in words: `the budget of the suite`.
    pub fn budget(&self) -> String {
        self.name().map_or_else(|| "the budget".to_owned(), |name| format!("the budget of {name}"))
    }

    /// How the budget is raised.
    pub fn how_to_raise(&self) -> &'static str {
        match self {
            Whose::Nobodys | Whose::Other(_) => "raise the limit of the Budget",
            Whose::Toolkit => "raise it with MockToolkit(budget=...)",
            Whose::Runs => {
                "raise it with budget= of StatisticalRunner or @statistical, or with \
                 cost_budget_per_repeated_test or UNITAI_COST_BUDGET_PER_REPEATED_TEST"
            }
            Whose::Test => {
                "raise it with max_cost= of the marker unitai_budget, or with cost_budget_per_test or \
                 UNITAI_COST_BUDGET_PER_TEST"
            }
            Whose::Suite => {
                "raise it with --budget of `unitai test`, --unitai-budget of pytest, cost_budget_per_suite or \
                 UNITAI_COST_BUDGET_PER_SUITE"
            }
            Whose::Gateway => "raise it with budget= of gateway(), or --budget of `unitai serve`",
        }
    }
}
