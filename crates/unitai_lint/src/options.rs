//! What rules may be told by the settings.

/// What rules may be told by the settings. A field belongs to one rule and is named after what it means.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct Options {
    /// How often tests are repeated that do not say it; none if nobody knows. For `too-few-runs`.
    pub default_n: Option<u64>,
    /// The share of runs that must pass where a test does not say it; none if nobody knows. For `too-few-runs`.
    pub default_threshold: Option<f64>,
    /// When repeated tests stop that do not say it; none if nobody knows. For `too-few-runs`.
    pub default_mode: Option<String>,
    /// Whether each test, or the suite, may spend only so much. For `live-without-budget`.
    pub has_budget: bool,
}
