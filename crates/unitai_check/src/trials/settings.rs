//! The settings of a sequential test, and why some make no sense.

/// How far from the threshold a rate must be for the error rates to be promised, unless told.
pub const DEFAULT_HALF_WIDTH: f64 = 0.1;

/// The true rates between which either verdict will do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Indifference {
    /// So far below the threshold, and as far above it as there is room: at most half the way to 1.
    HalfWidth(f64),
    /// From the rate that must not pass to the rate that must not fail.
    Between {
        /// At or below this true rate a pass is an error.
        p0: f64,
        /// At or above this true rate a failure is an error.
        p1: f64,
    },
}

impl Default for Indifference {
    fn default() -> Indifference {
        Indifference::HalfWidth(DEFAULT_HALF_WIDTH)
    }
}

/// Why there is no sequential test with these settings.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SequentialError {
    /// The threshold is no rate.
    #[error("threshold is {0}: give a rate from 0 to 1")]
    Threshold(f64),
    /// The probability of a wrong pass makes no sense.
    #[error("alpha is {0}: give the probability of a wrong pass, above 0 and below 0.5, for example 0.05")]
    Alpha(f64),
    /// The probability of a wrong failure makes no sense.
    #[error("beta is {0}: give the probability of a wrong failure, above 0 and below 0.5, for example 0.05")]
    Beta(f64),
    /// The width of the indifference region makes no sense.
    #[error("indifference is {0}: give a half-width above 0, for example 0.1, or a pair of rates (p0, p1)")]
    HalfWidth(f64),
    /// The rates of the indifference region are not in order.
    #[error(
        "indifference goes from {p0} to {p1} around the threshold {threshold}: \
         it must be 0 < p0 < p1 < 1 with the threshold between them. {}",
        remedy(*threshold)
    )]
    Region {
        /// The rate that must not pass.
        p0: f64,
        /// The rate that must not fail.
        p1: f64,
        /// The threshold.
        threshold: f64,
    },
    /// No run is allowed.
    #[error("the most runs are 0: allow at least 1")]
    Cap,
}

fn remedy(threshold: f64) -> &'static str {
    if threshold >= 1.0 {
        "No number of runs shows a rate of 100%: ask for a little less, for example 0.99, \
         or use a fixed number of runs"
    } else {
        "Give a smaller half-width, or the pair itself"
    }
}

/// The ends of the indifference region, if the settings make sense.
pub(super) fn checked(
    threshold: f64,
    alpha: f64,
    beta: f64,
    indifference: Indifference,
    cap: u64,
) -> Result<(f64, f64), SequentialError> {
    let is_error_rate = |x: f64| x > 0.0 && x < 0.5;
    let region = region(threshold, indifference)?;
    if !is_error_rate(alpha) {
        Err(SequentialError::Alpha(alpha))
    } else if !is_error_rate(beta) {
        Err(SequentialError::Beta(beta))
    } else if cap == 0 {
        Err(SequentialError::Cap)
    } else {
        Ok(region)
    }
}

fn region(threshold: f64, indifference: Indifference) -> Result<(f64, f64), SequentialError> {
    if !(0.0..=1.0).contains(&threshold) {
        return Err(SequentialError::Threshold(threshold));
    }
    let (p0, p1) = match indifference {
        Indifference::HalfWidth(w) if !(w > 0.0 && w < 1.0) => return Err(SequentialError::HalfWidth(w)),
        Indifference::HalfWidth(w) => (threshold - w, threshold + w.min((1.0 - threshold) / 2.0)),
        Indifference::Between { p0, p1 } => (p0, p1),
    };
    let in_order = 0.0 < p0 && p0 < p1 && p1 < 1.0 && (p0..=p1).contains(&threshold);
    if in_order { Ok((p0, p1)) } else { Err(SequentialError::Region { p0, p1, threshold }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_make_no_sense_are_refused_in_words() {
        let refused = |threshold, alpha, beta, indifference, cap| {
            checked(threshold, alpha, beta, indifference, cap).unwrap_err().to_string()
        };
        let usual = Indifference::default();
        assert_eq!(refused(1.5, 0.05, 0.05, usual, 9), "threshold is 1.5: give a rate from 0 to 1");
        assert!(refused(f64::NAN, 0.05, 0.05, usual, 9).starts_with("threshold is NaN"));
        assert!(
            refused(0.8, 0.0, 0.05, usual, 9).starts_with("alpha is 0: give the probability of a wrong pass")
        );
        assert!(refused(0.8, 0.05, 0.5, usual, 9).starts_with("beta is 0.5: "));
        assert!(refused(0.8, 0.05, 0.05, Indifference::HalfWidth(0.0), 9).starts_with("indifference is 0: "));
        assert!(
            refused(0.05, 0.05, 0.05, usual, 9).ends_with("Give a smaller half-width, or the pair itself")
        );
        assert!(refused(1.0, 0.05, 0.05, usual, 9).contains("No number of runs shows a rate of 100%"));
        let aside = Indifference::Between { p0: 0.5, p1: 0.7 };
        assert!(refused(0.8, 0.05, 0.05, aside, 9).starts_with("indifference goes from 0.5 to 0.7"));
        assert_eq!(refused(0.8, 0.05, 0.05, usual, 0), "the most runs are 0: allow at least 1");
    }
}
