//! How tests are repeated that do not say it themselves.

use std::path::PathBuf;

use pyo3::prelude::*;
use unitai_config::Settings;

use crate::errors::unusable;

/// What the environment and the project's file of a folder say about repeated tests: how often, the share of runs that
/// must pass, when they stop, and how many at a time.
#[pyfunction]
pub(crate) fn statistics_settings(py: Python<'_>, folder: PathBuf) -> PyResult<(u64, f64, String, u64)> {
    let settings = Settings::of(&folder).map_err(|trouble| unusable(py, trouble))?.statistics();
    Ok((settings.n, settings.threshold, settings.mode, settings.max_workers))
}
