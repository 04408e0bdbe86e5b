//! The judge that is here: whom the settings name, or the first one that is usable.

use std::env;
use std::path::Path;
use std::sync::Arc;

use unitai_config::{JudgeAnswers, JudgeSettings, Settings};
use unitai_judge::Session;
use unitai_judge::providers::choosing::{Surroundings, choose, how_to_get_one, on_path};
use unitai_spec::run::Judge;
use unitai_wire::meter::{Budget, Price, PriceTable, Whose};

use crate::say::of_environment;

/// The judge that these settings mean, in this project. It is asked, whatever answers are kept, and paid from the budget of
/// the suite.
pub(crate) fn judge_at_hand(
    settings: &JudgeSettings,
    all: &Settings,
    folder: &Path,
) -> Result<Arc<dyn Judge>, String> {
    let own = all.runs().prices;
    let prices =
        PriceTable::release().with(own.iter().map(|(model, price)| (model.clone(), Price::from(price))));
    let path = env::var_os("PATH");
    let variable = |name: &str| env::var(name).ok();
    let find = |name: &str| on_path(path.as_deref(), name);
    let around = Surroundings { env: &variable, find: &find, prices: &prices, folder };
    if choose(settings, around)?.is_none() {
        return Err(format!("there is no judge; to get one: {}", how_to_get_one()));
    }
    let live = JudgeSettings { answers: JudgeAnswers::Live, ..settings.clone() };
    let session = Session::open(&live, around, Arc::new(of_environment()), false)?;
    let suite = all.budget().per_suite.map(|limit| Budget::new(limit).of(Whose::Suite));
    Ok(Arc::new(session.engage(&suite.into_iter().collect()).judge))
}
