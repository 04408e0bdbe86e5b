//! The interval in which the true pass rate lies.

use super::tail::rate_with_upper_tail;

/// A range of pass rates, both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// What is known when nothing was run.
    pub const EVERYTHING: Interval = Interval { low: 0.0, high: 1.0 };

    /// Whether a rate lies in it.
    pub fn contains(&self, rate: f64) -> bool {
        self.low <= rate && rate <= self.high
    }
}

/// The exact (Clopper-Pearson) interval: it holds the true rate at least as often as `confidence` says,
/// whatever the true rate is.
///
/// It is meant for a number of runs that was fixed beforehand. More passes than runs count as all, a confidence
/// outside 0..1 as the nearest one inside.
///
/// ```
/// use unitai_check::trials::clopper_pearson;
/// let interval = clopper_pearson(18, 20, 0.95);
/// assert!((interval.low - 0.68302).abs() < 1e-5 && (interval.high - 0.98765).abs() < 1e-5);
/// ```
pub fn clopper_pearson(passed: u64, n: u64, confidence: f64) -> Interval {
    let passed = passed.min(n);
    let weight = 0.5 * (1.0 - within_unit(confidence));
    if n == 0 || weight <= 0.0 {
        return Interval::EVERYTHING;
    }
    let low = if passed == 0 { 0.0 } else { rate_with_upper_tail(passed, n, weight) };
    let high = if passed == n { 1.0 } else { 1.0 - rate_with_upper_tail(n - passed, n, weight) };
    Interval { low, high }
}

/// Wilson's score interval: narrower than the exact one, and right on average over true rates.
///
/// ```
/// use unitai_check::trials::wilson;
/// let interval = wilson(18, 20, 0.95);
/// assert!((interval.low - 0.69897).abs() < 1e-5 && (interval.high - 0.97213).abs() < 1e-5);
/// ```
pub fn wilson(passed: u64, n: u64, confidence: f64) -> Interval {
    let passed = passed.min(n);
    let confidence = within_unit(confidence);
    if n == 0 || confidence >= 1.0 {
        return Interval::EVERYTHING;
    }
    let (z, total) = (deviations(confidence), n as f64);
    let (square, rate) = (z * z, passed as f64 / total);
    let scale = 1.0 + square / total;
    let centre = (rate + square / (2.0 * total)) / scale;
    let reach = z * (rate * (1.0 - rate) / total + square / (4.0 * total * total)).sqrt() / scale;
    // At the ends centre and reach are equal, and their difference is rounding.
    Interval {
        low: if passed == 0 { 0.0 } else { (centre - reach).max(0.0) },
        high: if passed == n { 1.0 } else { (centre + reach).min(1.0) },
    }
}

/// A number as a probability; what is none is certainty, so that an interval is too wide rather than
/// too narrow.
pub(super) fn within_unit(x: f64) -> f64 {
    if x.is_nan() { 1.0 } else { x.clamp(0.0, 1.0) }
}

/// How many standard deviations around the mean hold this share of a normal distribution: an interval of that many
/// standard errors to both sides.
///
/// ```
/// use unitai_check::trials::deviations;
/// assert!((deviations(0.95) - 1.959964).abs() < 1e-6);
/// ```
pub fn deviations(share: f64) -> f64 {
    // Newton's method. The share is concave in the deviations, so that from zero it can only fall short.
    let mut z: f64 = 0.0;
    for _ in 0..200 {
        let (mut term, mut sum, mut odd) = (z, z, 1.0);
        while term > sum * 1e-17 {
            odd += 2.0;
            term *= z * z / odd;
            sum += term;
        }
        let density = (2.0 / std::f64::consts::PI).sqrt() * (-0.5 * z * z).exp();
        let step = share / density - sum;
        z += step;
        if step.abs() <= 1e-15 * z {
            break;
        }
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_those_of_the_tables() {
        for (share, z) in [
            (0.0, 0.0),
            (0.5, 0.674_489_750_196_081_7),
            (0.8, 1.281_551_565_544_600_4),
            (0.95, 1.959_963_984_540_054),
            (0.99, 2.575_829_303_548_901),
            (0.999_999, 4.891_638_475_698_6),
        ] {
            assert!((deviations(share) - z).abs() < 1e-10, "{share}: {}", deviations(share));
        }
    }

    #[test]
    fn what_makes_no_sense_is_too_wide_and_not_a_panic() {
        for interval in [clopper_pearson, wilson] {
            assert_eq!(interval(0, 0, 0.95), Interval::EVERYTHING);
            assert_eq!(interval(3, 5, f64::NAN), Interval::EVERYTHING);
            assert_eq!(interval(3, 5, 2.0), Interval::EVERYTHING);
            assert_eq!(interval(9, 5, 0.9), interval(5, 5, 0.9));
            let point = interval(3, 5, -1.0);
            assert!(point.low <= 0.6 && 0.6 <= point.high && point.high - point.low < 0.2, "{point:?}");
        }
    }
}
