//! The settings of tests that are repeated.

use crate::{Name, Settings};

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
}

impl Settings {
    /// How tests are repeated that do not say it themselves.
    pub fn statistics(&self) -> StatisticsSettings {
        StatisticsSettings {
            n: self.get(Name::DefaultN).value.whole().unwrap_or(1),
            threshold: self.get(Name::DefaultThreshold).value.number().unwrap_or(1.0),
            mode: self.get(Name::DefaultMode).value.text().unwrap_or("all").to_owned(),
            max_workers: self.get(Name::MaxWorkers).value.whole().unwrap_or(1),
        }
    }
}
