//! The tail of a binomial distribution, and where it has a given weight.
//!
//! Written here instead of taken from `statrs`: its incomplete beta goes through differences of
//! log-gammas, which cost it four digits at 10,000 runs, and gives up after 140 terms without saying so.

/// The `x` for which at least `passed` of `n` runs pass with the probability `weight`, for a weight of
/// at most a half and `1 <= passed <= n`.
pub(super) fn rate_with_upper_tail(passed: u64, n: u64, weight: f64) -> f64 {
    let (c, total) = (passed as f64, n as f64);
    let target = weight.ln();
    if passed == n {
        return (target / total).exp();
    }
    // Halley's method on the logarithm of the tail over the logarithm of the rate. There the tail is
    // concave and nearly straight, so that every start finds the root.
    let mut x = (c / total).min(1.0 - f64::EPSILON);
    for _ in 0..64 {
        let (point, sum) = upper_tail(passed, n, x);
        let off = (point + sum.ln()) - target;
        let slope = c / sum;
        let bend = slope * (c - (total - c) * x / (1.0 - x) - slope);
        let newton = off / slope;
        let damping = 1.0 - 0.5 * newton * bend / slope;
        let step = if damping > 0.5 { newton / damping } else { newton };
        let next = x * (-step).exp();
        let done = (next - x).abs() <= 2.0 * f64::EPSILON * x;
        x = if next > 0.0 && next < 1.0 { next } else { 0.5 * (x + if next > 0.0 { 1.0 } else { 0.0 }) };
        if done || step.abs() < 1e-9 {
            // The step after one this small would be below the last digit.
            break;
        }
    }
    x
}

/// The tail from `passed` on, for a rate below `passed / n`: the logarithm of its first term, and the
/// sum of all its terms as multiples of the first.
fn upper_tail(passed: u64, n: u64, x: f64) -> (f64, f64) {
    let odds = x / (1.0 - x);
    let (mut term, mut sum) = (1.0, 1.0);
    let (mut left, mut at) = ((n - passed) as f64, passed as f64 + 1.0);
    while left > 0.0 {
        term *= left * odds / at;
        sum += term;
        if term < sum * 1e-17 {
            break;
        }
        left -= 1.0;
        at += 1.0;
    }
    (ln_point(passed, n, x), sum)
}

/// The logarithm of the probability that exactly `passed` of `n` pass, for `0 < passed < n`.
///
/// Loader's form: the size of the factorials cancels before a logarithm is taken.
fn ln_point(passed: u64, n: u64, x: f64) -> f64 {
    let (c, d, total) = (passed as f64, (n - passed) as f64, n as f64);
    let deviance = c * (c / (total * x)).ln() + d * (d / (total * (1.0 - x))).ln();
    let shape = 0.5 * (total / (std::f64::consts::TAU * c * d)).ln();
    stirling_error(n) - stirling_error(passed) - stirling_error(n - passed) - deviance + shape
}

/// `ln n!` less Stirling's formula for it, for `n >= 1`.
fn stirling_error(n: u64) -> f64 {
    if n < 16 {
        let factorial: f64 = (1..=n).map(|i| i as f64).product();
        let x = n as f64;
        return factorial.ln() - ((x + 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln());
    }
    let (x, square) = (n as f64, (n as f64) * (n as f64));
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square) / x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_stirlings_formula_has_no_seam() {
        let exact = |n: u64| {
            let ln_factorial: f64 = (1..=n).map(|i| (i as f64).ln()).sum();
            let x = n as f64;
            ln_factorial - ((x + 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln())
        };
        for n in 1..40 {
            assert!((stirling_error(n) - exact(n)).abs() < 1e-13, "{n}");
        }
    }

    #[test]
    fn a_tail_found_weighs_what_was_asked() {
        for (passed, n) in [(1, 2), (1, 50), (49, 50), (500, 1000), (3, 10_000), (9_990, 10_000)] {
            for weight in [0.5, 0.1, 0.025, 1e-6] {
                let x = rate_with_upper_tail(passed, n, weight);
                let (point, sum) = upper_tail(passed, n, x);
                let found = (point + sum.ln()).exp();
                assert!((found / weight - 1.0).abs() < 1e-11, "{passed}/{n} {weight}: {found}");
            }
        }
    }
}
