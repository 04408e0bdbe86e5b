//! How tests are repeated that do not say it themselves.

use std::path::PathBuf;

use pyo3::prelude::*;
use unitai_config::{StatisticsOverrides, StatisticsSettings};

use crate::errors::unusable;

/// How often, the share of runs that must pass, and how many at a time; `None` where nobody says.
type Said = (Option<u64>, Option<f64>, Option<u64>);

/// What the environment and the project's file of a folder say about repeated tests.
#[pyfunction]
pub(crate) fn statistics_settings(py: Python<'_>, folder: PathBuf) -> PyResult<Said> {
    let settings = StatisticsSettings::resolve(&folder, &StatisticsOverrides::of_environment())
        .map_err(|trouble| unusable(py, trouble))?;
    Ok((settings.n, settings.threshold, settings.max_workers))
}
