//! What counts say about rates: how many passes a threshold asks for, pass@k and pass^k.

use super::interval::within_unit;

/// The least number of passes of `n` runs whose rate reaches the threshold: `passes / n >= threshold` as
/// anybody would compute it, so that 7 of 10 reach 0.7.
///
/// ```
/// use unitai_check::trials::required;
/// assert_eq!(required(10, 0.7), 7);
/// assert_eq!(required(100, 0.29), 29);
/// assert_eq!(required(10, 0.71), 8);
/// ```
pub fn required(n: u64, threshold: f64) -> u64 {
    let threshold = within_unit(threshold);
    if n == 0 {
        return 0;
    }
    // A division is rounded to the nearest double, as the threshold was when it was read: where the two
    // are the same decimal they are equal. A product has no such luck (100 * 0.29 is less than 29).
    let reaches = |passes: u64| passes as f64 / n as f64 >= threshold;
    let mut passes = ((n as f64 * threshold) as u64).min(n);
    while passes > 0 && reaches(passes - 1) {
        passes -= 1;
    }
    while passes < n && !reaches(passes) {
        passes += 1;
    }
    passes
}

/// pass@k, without bias: the probability that at least one of `k` runs passes, drawn from these `n`.
///
/// ```
/// use unitai_check::trials::pass_at_k;
/// assert_eq!(pass_at_k(1, 4, 2), Some(0.5));
/// assert_eq!(pass_at_k(1, 4, 5), None);
/// ```
pub fn pass_at_k(passed: u64, n: u64, k: u64) -> Option<f64> {
    let failed = n - passed.min(n);
    Some(1.0 - all_of(failed, n, k)?)
}

/// pass^k, without bias: the probability that all of `k` runs pass, drawn from these `n`.
///
/// ```
/// use unitai_check::trials::pass_hat_k;
/// assert_eq!(pass_hat_k(3, 4, 2), Some(0.5));
/// assert_eq!(pass_hat_k(3, 4, 4), Some(0.0));
/// ```
pub fn pass_hat_k(passed: u64, n: u64, k: u64) -> Option<f64> {
    all_of(passed.min(n), n, k)
}

/// The probability that `k` drawn from `n` are all among the `some`.
fn all_of(some: u64, n: u64, k: u64) -> Option<f64> {
    if k == 0 || k > n {
        return None;
    }
    if k > some {
        return Some(0.0);
    }
    // Drawing k of which none is among the others, or drawing the others so that none is among the k:
    // the same probability, and one of the two products is short.
    let others = n - some;
    let (draws, avoided) = if k <= others { (k, others) } else { (others, k) };
    Some((0..draws).map(|i| (n - avoided - i) as f64 / (n - i) as f64).product())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_asks_for_the_decimal_that_it_is() {
        for n in 1..=1000u64 {
            for passes in 0..=n {
                assert_eq!(required(n, passes as f64 / n as f64), passes);
            }
        }
        for (n, threshold, passes) in
            [(20, 0.9, 18), (10, 0.95, 10), (20, 0.95, 19), (3, 0.5, 2), (7, 0.0, 0)]
        {
            assert_eq!(required(n, threshold), passes, "{n} {threshold}");
        }
        assert_eq!(
            (required(0, 0.5), required(5, f64::NAN), required(5, 7.0), required(5, -1.0)),
            (0, 5, 5, 0)
        );
    }

    #[test]
    fn pass_k_is_the_share_of_all_draws() {
        for n in 1..=9u64 {
            for passed in 0..=n {
                for k in 1..=n {
                    let draws = (0u32..1 << n).filter(|draw| u64::from(draw.count_ones()) == k);
                    let (mut all, mut one, mut count) = (0, 0, 0);
                    for draw in draws {
                        let hits = u64::from((draw & ((1 << passed) - 1)).count_ones());
                        all += u32::from(hits == k);
                        one += u32::from(hits > 0);
                        count += 1;
                    }
                    let share = |part: u32| f64::from(part) / f64::from(count);
                    let off = |found: Option<f64>, part| (found.unwrap() - share(part)).abs();
                    assert!(off(pass_hat_k(passed, n, k), all) < 1e-12, "{passed} {n} {k}");
                    assert!(off(pass_at_k(passed, n, k), one) < 1e-12, "{passed} {n} {k}");
                }
            }
        }
        assert_eq!((pass_at_k(2, 3, 0), pass_hat_k(2, 3, 4)), (None, None));
    }
}
