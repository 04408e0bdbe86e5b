//! Who judges and drives the tests that the command runs, and what they may spend.

use std::env;
use std::path::Path;
use std::sync::Arc;

use unitai_config::{JudgeAnswers, JudgeProvider, Settings, is_ci, root_above};
use unitai_judge::providers::choosing::{Surroundings, on_path};
use unitai_judge::{Engaged, Session};
use unitai_model::Money;
use unitai_wire::meter::{Budget, Price, PriceTable, Whose};

use crate::say::of_environment;

/// What the command line says of them, above what settings say.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) provider: Option<JudgeProvider>,
    pub(super) model: Option<&'a str>,
    pub(super) answers: Option<JudgeAnswers>,
}

/// The models of all tests of a run.
pub(super) struct Models {
    session: Session,
    per_test: Option<Money>,
    suite: Option<Budget>,
}

impl Models {
    /// Whoever settings and the command line choose.
    pub(super) fn open(here: &Path, wanted: Wanted<'_>) -> Result<Models, String> {
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

    /// The models of one test.
    pub(super) fn of_test(&self) -> Engaged {
        let own = self.per_test.map(|limit| Budget::new(limit).of(Whose::Test));
        self.session.engage(&own.into_iter().chain(self.suite.clone()).collect())
    }
}
