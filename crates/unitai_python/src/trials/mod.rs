//! Repeated tests, as Python sees them.

mod baseline;
mod series;
mod settings;
mod statistics;

pub(crate) use baseline::BaselineFile;
pub(crate) use series::Series;
pub(crate) use settings::statistics_settings;
pub(crate) use statistics::{
    compare_counts, lost_answer, normalised_message, parting, pass_at_k, pass_hat_k, status_trouble, wilson,
};
