//! Everything that tests need of models: who judges, who drives, and what both may spend. One for all tests of a process.

use std::sync::Arc;

use unitai_config::{JudgeProvider, JudgeSettings};
use unitai_wire::meter::{Budgets, PriceTable};
use unitai_wire::redact::Secrets;

use crate::answers::Masks;
use crate::judge::{Asking, ModelJudge};
use crate::metered::Metered;
use crate::nobody::Nobody;
use crate::provider::Provider;
use crate::providers::choosing::{Surroundings, choose, choose_second, how_to_get_one};
use crate::purse::Tally;
use crate::{ModelAuthor, ModelDriver, driving};

/// The models of a process.
pub struct Session {
    provider: Arc<dyn Provider>,
    judge: ModelJudge,
    prices: PriceTable,
}

/// The models of one test, paid from its budgets.
pub struct Engaged {
    /// Who answers what checks cannot.
    pub judge: ModelJudge,
    /// Who drives the tools, if the test is to be driven.
    pub driver: ModelDriver,
    meters: Vec<Arc<Metered>>,
}

impl Session {
    /// Whoever settings choose. Where nobody is usable, kept answers still are; who asks for more learns how to get somebody.
    ///
    /// # Errors
    /// When a pattern of `judge.mask` is none.
    pub fn open(
        settings: &JudgeSettings,
        around: Surroundings<'_>,
        secrets: Arc<Secrets>,
        is_ci: bool,
    ) -> Result<Session, String> {
        let provider: Arc<dyn Provider> = match choose(settings, around) {
            Ok(Some(provider)) => provider.into(),
            Ok(None) => Arc::new(Nobody::new(format!("to get a judge: {}", how_to_get_one()))),
            Err(how) => Arc::new(Nobody { name: settings.provider.word(), how }),
        };
        let asking = Asking {
            repeats: settings.repeats,
            answers: settings.answers,
            is_ci,
            canaries: settings.canaries,
            masks: Masks::new(settings.mask.iter().map(String::as_str))?,
            timeout: settings.timeout,
        };
        let judge = ModelJudge::new(provider.clone(), asking, secrets);
        let judge = match choose_second(settings, around) {
            Ok(Some(second)) => judge.with_second(second.into()),
            Ok(None) => judge,
            Err(how) => {
                let name = settings.second_provider.map_or(Nobody::NAME, JudgeProvider::word);
                judge.with_second(Arc::new(Nobody { name, how }))
            }
        };
        Ok(Session { provider, judge, prices: around.prices.clone() })
    }

    /// Whoever drives, as one who writes tests, paid from these budgets.
    pub fn author(&self, budgets: &Budgets) -> ModelAuthor {
        let paid = Metered::new(self.provider.clone(), budgets.clone(), self.prices.clone());
        ModelAuthor::new(Arc::new(paid))
    }

    /// The models of one test.
    pub fn engage(&self, budgets: &Budgets) -> Engaged {
        let meters = std::cell::RefCell::new(Vec::new());
        let pay = |provider: Arc<dyn Provider>| -> Arc<dyn Provider> {
            let meter = Arc::new(Metered::new(provider, budgets.clone(), self.prices.clone()));
            meters.borrow_mut().push(meter.clone());
            meter
        };
        let driver = driving::ModelDriver::new(pay(self.provider.clone()));
        let judge = self.judge.paid_from(&pay);
        Engaged { judge, driver, meters: meters.into_inner() }
    }
}

impl Engaged {
    /// What all of them came to so far.
    pub fn tally(&self) -> Tally {
        self.meters.iter().fold(Tally::default(), |sum, meter| sum.plus(meter.tally()))
    }
}
