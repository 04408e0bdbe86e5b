//! What the counts prove about the threshold.

use std::fmt;

use unitai_model::event::IntervalBasis;

use super::interval::{Interval, clopper_pearson, within_unit};

/// What an interval says about a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The whole interval is at or above it.
    Proven,
    /// The whole interval is below it.
    Refuted,
    /// It lies in the interval: these runs do not tell.
    Open,
}

/// Counts, an exact interval, and what it says about the threshold. Shown, it is a sentence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Claim {
    /// The runs that passed.
    pub passed: u64,
    /// All runs that count.
    pub n: u64,
    /// The rate that is asked for.
    pub threshold: f64,
    /// The confidence of the interval.
    pub confidence: f64,
    /// An exact interval of the true rate.
    pub interval: Interval,
    /// What the interval allows for.
    pub basis: IntervalBasis,
    /// What it says.
    pub evidence: Evidence,
}

/// What `passed` of `n` runs prove about a threshold, by the exact interval of a number that was fixed.
///
/// ```
/// use unitai_check::trials::{Evidence, claim};
/// let some = claim(98, 100, 0.9, 0.95);
/// assert_eq!(some.evidence, Evidence::Proven);
/// assert_eq!(some.to_string(), "98/100, 95% interval 93.0% to 99.8%: enough to claim 90%");
/// ```
pub fn claim(passed: u64, n: u64, threshold: f64, confidence: f64) -> Claim {
    let interval = clopper_pearson(passed, n, confidence);
    Claim::by(interval, IntervalBasis::FixedN, passed, n, threshold, confidence)
}

impl Claim {
    /// What an interval says about a threshold.
    pub(super) fn by(
        interval: Interval,
        basis: IntervalBasis,
        passed: u64,
        n: u64,
        threshold: f64,
        confidence: f64,
    ) -> Claim {
        let evidence = match interval {
            // Of nothing run nothing is proven, not even what is trivially so.
            _ if n == 0 => Evidence::Open,
            Interval { low, .. } if low >= threshold => Evidence::Proven,
            Interval { high, .. } if high < threshold => Evidence::Refuted,
            _ => Evidence::Open,
        };
        let (passed, confidence) = (passed.min(n), within_unit(confidence));
        Claim { passed, n, threshold, confidence, interval, basis, evidence }
    }
}

/// The least number of runs that prove the threshold if all of them pass, by the rule of [`claim`];
/// `None` for a threshold of 1, which no number of runs can prove.
///
/// ```
/// use unitai_check::trials::runs_needed;
/// assert_eq!(runs_needed(0.9, 0.95), Some(36));
/// assert_eq!(runs_needed(1.0, 0.95), None);
/// ```
pub fn runs_needed(threshold: f64, confidence: f64) -> Option<u64> {
    let (threshold, confidence) = (within_unit(threshold), within_unit(confidence));
    if threshold >= 1.0 || confidence >= 1.0 {
        return if threshold <= 0.0 { Some(1) } else { None };
    }
    let proves = |n: u64| claim(n, n, threshold, confidence).evidence == Evidence::Proven;
    let guess = (0.5 * (1.0 - confidence)).ln() / threshold.ln();
    // Beyond this a run more or less is not a number that a double tells apart.
    if guess > 1e15 {
        return Some(guess.ceil() as u64);
    }
    let mut n = (guess as u64).max(1);
    while n > 1 && proves(n - 1) {
        n -= 1;
    }
    while !proves(n) {
        n += 1;
    }
    Some(n)
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Claim { passed, n, interval: Interval { low, high }, .. } = self;
        let (confidence, threshold) = (Percent(self.confidence), Percent(self.threshold));
        if *n == 0 {
            return write!(f, "0/0: nothing was run, so nothing can be claimed");
        }
        let digits = self.digits();
        let (low, high) = (100.0 * low, 100.0 * high);
        write!(f, "{passed}/{n}, {confidence} interval {low:.digits$}% to {high:.digits$}%")?;
        if let Some(note) = self.basis.note() {
            write!(f, " ({note})")?;
        }
        f.write_str(": ")?;
        match self.evidence {
            Evidence::Proven => write!(f, "enough to claim {threshold}"),
            Evidence::Refuted => write!(f, "enough to rule out {threshold}"),
            Evidence::Open => write!(f, "not enough to claim {threshold}"),
        }
    }
}

impl Claim {
    /// As many digits of the interval as tell it from the threshold: "from 95.0%" does not go with "not enough
    /// to claim 95%".
    fn digits(&self) -> usize {
        let tells = |digits: usize| {
            let scale = 10f64.powi(digits as i32 + 2);
            let is_below = |end: f64| (end * scale).round() < (self.threshold * scale).round();
            is_below(self.interval.low) == (self.interval.low < self.threshold)
                && is_below(self.interval.high) == (self.interval.high < self.threshold)
        };
        (1..8).find(|digits| tells(*digits)).unwrap_or(8)
    }
}

/// A rate as it was written: 0.95 is `95%`, 0.999 is `99.9%`.
pub(super) struct Percent(pub(super) f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = format!("{:.4}", 100.0 * self.0);
        write!(f, "{}%", shown.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_claim_is_a_sentence() {
        let said = |passed, n, threshold, confidence| claim(passed, n, threshold, confidence).to_string();
        assert_eq!(said(0, 0, 0.5, 0.95), "0/0: nothing was run, so nothing can be claimed");
        assert_eq!(said(2, 20, 0.95, 0.95), "2/20, 95% interval 1.2% to 31.7%: enough to rule out 95%");
        assert_eq!(
            said(20, 20, 0.999, 0.9),
            "20/20, 90% interval 86.1% to 100.0%: not enough to claim 99.9%"
        );
        assert_eq!(said(5, 5, 0.0, 0.95), "5/5, 95% interval 47.8% to 100.0%: enough to claim 0%");
    }

    #[test]
    fn a_claim_shows_the_digits_that_decide_it() {
        let said = |passed, n, threshold| claim(passed, n, threshold, 0.95).to_string();
        assert_eq!(said(98, 100, 0.93), "98/100, 95% interval 92.96% to 99.76%: not enough to claim 93%");
        assert_eq!(said(2, 100, 0.0704), "2/100, 95% interval 0.243% to 7.038%: enough to rule out 7.04%");
        assert_eq!(said(72, 72, 0.95), "72/72, 95% interval 95.0% to 100.0%: enough to claim 95%");
    }

    #[test]
    fn the_runs_needed_prove_and_one_less_does_not() {
        for threshold in [0.01, 0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999] {
            for confidence in [0.5, 0.8, 0.9, 0.95, 0.99, 0.999] {
                let n = runs_needed(threshold, confidence).unwrap();
                let evidence = |n| claim(n, n, threshold, confidence).evidence;
                assert_eq!(evidence(n), Evidence::Proven, "{threshold} {confidence}");
                assert!(n == 1 || evidence(n - 1) == Evidence::Open, "{threshold} {confidence}");
            }
        }
        assert_eq!((runs_needed(0.0, 0.95), runs_needed(0.5, 1.0)), (Some(1), None));
    }
}
