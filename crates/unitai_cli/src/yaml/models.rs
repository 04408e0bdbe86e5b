//! Who judges and drives the tests that the command runs, and what they may spend.

use std::env;
use std::path::Path;
use std::sync::Arc;

use unitai_config::{JudgeAnswers, JudgeProvider, Settings, is_ci, root_above};
use unitai_judge::providers::choosing::{Surroundings, on_path};
use unitai_judge::{Engaged, ModelAuthor, Session};
use unitai_model::Money;
use unitai_model::event::Limit;
use unitai_wire::meter::{Budget, Budgets, Price, PriceTable, Whose};

use crate::say::of_environment;

/// What the command line says of them, above what settings say.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted<'a> {
    pub(crate) provider: Option<JudgeProvider>,
    pub(crate) model: Option<&'a str>,
    pub(crate) answers: Option<JudgeAnswers>,
}

/// The models of all tests of a run.
pub(crate) struct Models {
    session: Session,
    per_test: Option<Money>,
    suite: Option<Budget>,
}

impl Models {
    /// Whoever settings and the command line choose.
    pub(crate) fn open(here: &Path, wanted: Wanted<'_>) -> Result<Models, String> {
        let all = Settings::of(here).map_err(|trouble| trouble.told())?;
        let mut settings = all.judge().wanting(wanted.provider, wanted.model);
        settings.answers = wanted.answers.unwrap_or(settings.answers);
        let own = all.runs().prices;
        let prices =
            PriceTable::release().with(own.iter().map(|(model, price)| (model.clone(), Price::from(price))));
        let path = env::var_os("PATH");
        let variable = |name: &str| env::var(name).ok();
        let find = |name: &str| on_path(path.as_deref(), name);
        let around = Surroundings { env: &variable, find: &find, prices: &prices, folder: root_above(here) };
        let is_ci = is_ci(variable("CI").as_deref());
        let session = Session::open(&settings, around, Arc::new(of_environment()), is_ci)?;
        let budget = all.budget();
        let suite = budget.per_suite.map(|limit| Budget::new(limit).of(Whose::Suite));
        Ok(Models { session, per_test: budget.per_test, suite })
    }

    /// What all tests together may spend and have spent, if there is a limit.
    pub(super) fn suite_limit(&self) -> Option<Limit> {
        let suite = self.suite.as_ref()?;
        let spent = suite.balance().ok()?.spent;
        Some(Limit { limit: suite.limit().dollars(), spent: spent.dollars() })
    }

    /// One who writes tests, of which each is paid as a test is.
    pub(crate) fn author(&self) -> ModelAuthor {
        self.session.author(&self.budgets())
    }

    /// The models of one test.
    pub(super) fn of_test(&self) -> Engaged {
        self.session.engage(&self.budgets())
    }

    fn budgets(&self) -> Budgets {
        let own = self.per_test.map(|limit| Budget::new(limit).of(Whose::Test));
        own.into_iter().chain(self.suite.clone()).collect()
    }
}
