//! How tests are repeated that do not say it themselves.

use std::path::PathBuf;

use pyo3::prelude::*;
use unitai_config::Settings;

use crate::errors::unusable;

/// What the environment and the project's file of a folder say about repeated tests: how often, the share of runs that
/// must pass, when they stop, how many at a time, what they may cost, and whether nobody has said that.
#[pyfunction]
pub(crate) fn statistics_settings(
    py: Python<'_>,
    folder: PathBuf,
) -> PyResult<(u64, f64, String, u64, f64, bool)> {
    let settings = Settings::of(&folder).map_err(|trouble| unusable(py, trouble))?.statistics();
    let budget = (settings.budget.dollars(), settings.is_default_budget);
    Ok((settings.n, settings.threshold, settings.mode, settings.max_workers, budget.0, budget.1))
}
