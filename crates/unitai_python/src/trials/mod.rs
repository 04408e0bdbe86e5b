//! Repeated tests, as Python sees them.

mod baseline;
mod series;
mod settings;
mod statistics;

pub(crate) use baseline::BaselineFile;
pub(crate) use series::Series;
pub(crate) use settings::statistics_settings;
pub(crate) use statistics::{
    clopper_pearson, compare_counts, fisher, is_infrastructure_status, lost_answer, normalised_message,
    parting, pass_at_k, pass_hat_k, wilson,
};
