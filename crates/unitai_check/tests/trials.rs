//! Intervals, claims and early decisions, compared with summing over everything that can happen.

use proptest::prelude::*;
use unitai_check::trials::{
    Evidence, Interval, Plan, Series, Standing, Tally, claim, clopper_pearson, early, fisher, holm, required,
    wilson,
};
use unitai_model::event::IntervalBasis;

/// The probability of each number of passes after one run more.
fn after_a_run(weights: &[f64], rate: f64) -> Vec<f64> {
    let mut next = vec![0.0; weights.len() + 1];
    for (passes, weight) in weights.iter().enumerate() {
        next[passes + 1] += weight * rate;
        next[passes] += weight * (1.0 - rate);
    }
    next
}

/// The rates where coverage can be worst: at the ends of every interval, and between.
fn telling_rates(intervals: &[Interval]) -> Vec<f64> {
    let ends = intervals.iter().flat_map(|i| [i.low, i.high]);
    let beside = ends.flat_map(|end| [end - 1e-9, end + 1e-9]);
    let grid = (0..=100).map(|percent| f64::from(percent) / 100.0);
    beside.chain(grid).filter(|rate| (0.0..=1.0).contains(rate)).collect()
}

#[test]
fn the_exact_interval_holds_the_true_rate_as_often_as_it_says() {
    for confidence in [0.8, 0.95] {
        for n in 1..60 {
            let intervals: Vec<Interval> =
                (0..=n).map(|passed| clopper_pearson(passed, n, confidence)).collect();
            for rate in telling_rates(&intervals) {
                let weights = (0..n).fold(vec![1.0], |weights, _| after_a_run(&weights, rate));
                let covered = intervals.iter().zip(&weights).filter(|(interval, _)| interval.contains(rate));
                let coverage: f64 = covered.map(|(_, weight)| weight).sum();
                assert!(coverage >= confidence - 1e-9, "{n} runs at {rate}: {coverage}");
            }
        }
    }
}

/// What a series of this plan claims of these counts.
fn claimed(n: u64, threshold: f64, plan: Plan, passed: u64, failed: u64) -> (Interval, IntervalBasis) {
    let claim = Series::new(n, threshold, plan, None).claim(Tally { passed, failed, inconclusive: 0 }, 0.95);
    (claim.interval, claim.basis)
}

#[test]
fn the_interval_of_runs_that_stop_early_does_so_and_is_not_that_of_a_fixed_number() {
    for (n, threshold) in [(5, 0.8), (10, 0.5), (10, 0.9), (20, 0.95), (30, 0.7), (50, 0.8)] {
        let decided = |passed, failed| early(n, threshold, passed, failed) != Standing::Open;
        let stops: Vec<(u64, u64)> = (0..=n)
            .flat_map(|passed| (0..=n - passed).map(move |failed| (passed, failed)))
            .filter(|(passed, failed)| decided(*passed, *failed))
            .filter(|(p, f)| (*p > 0 && !decided(*p - 1, *f)) || (*f > 0 && !decided(*p, *f - 1)))
            .collect();
        let interval = |passed, failed| {
            let (interval, basis) = claimed(n, threshold, Plan::Early, passed, failed);
            assert_eq!(basis, IntervalBasis::StoppingRule);
            let fixed = clopper_pearson(passed, passed + failed, 0.95);
            assert!(fixed.low <= interval.low && interval.high <= fixed.high, "{passed} {failed}");
            interval
        };
        let intervals: Vec<Interval> = stops.iter().map(|(p, f)| interval(*p, *f)).collect();
        for rate in telling_rates(&intervals) {
            let mut coverage = 0.0;
            let mut open = vec![1.0];
            for runs in 1..=n as usize {
                let mut next = after_a_run(&open, rate);
                for (passes, weight) in next.iter_mut().enumerate() {
                    let (passed, failed) = (passes as u64, (runs - passes) as u64);
                    if decided(passed, failed) {
                        let holds = interval(passed, failed).contains(rate);
                        coverage += if holds { *weight } else { 0.0 };
                        *weight = 0.0;
                    }
                }
                open = next;
            }
            assert!(coverage >= 0.95 - 1e-9, "{n} {threshold} at {rate}: {coverage}");
        }
    }
}

#[test]
fn an_interval_of_unfinished_runs_holds_whatever_ended_them() {
    for plan in [Plan::All, Plan::Early] {
        for n in 1..=14_u64 {
            for passed in 0..=n {
                for failed in 0..n - passed {
                    if early(n, 0.5, passed, failed) != Standing::Open && plan == Plan::Early {
                        continue;
                    }
                    let (interval, basis) = claimed(n, 0.5, plan.clone(), passed, failed);
                    assert!(passed + failed == 0 || basis == IntervalBasis::MissingRuns);
                    for more in 0..=n - passed - failed {
                        let whole = clopper_pearson(passed + more, n, 0.95);
                        assert!(
                            interval.low <= whole.low && whole.high <= interval.high,
                            "{n} {passed} {failed}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn only_all_runs_of_a_plan_that_makes_them_are_a_fixed_number() {
    for (passed, failed) in [(10, 0), (4, 6), (0, 10)] {
        let (interval, basis) = claimed(10, 0.5, Plan::All, passed, failed);
        assert_eq!((interval, basis), (clopper_pearson(passed, 10, 0.95), IntervalBasis::FixedN));
        assert_eq!(claimed(10, 0.5, Plan::Early, passed, failed).1, IntervalBasis::StoppingRule);
    }
    // The first failure of a threshold of 100% says nothing about rates but that they are not 100%.
    assert_eq!(claimed(10, 1.0, Plan::Early, 0, 1).0.low, 0.0);
    // One run is made even where none must pass, and that is a fixed number.
    assert_eq!(claimed(10, 0.0, Plan::Early, 0, 1).0, clopper_pearson(0, 1, 0.95));
}

#[test]
fn an_early_decision_is_the_decision_of_all_runs() {
    for n in 1..=12u64 {
        for threshold in [0.0, 0.1, 0.29, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0] {
            for runs in 0..1u32 << n {
                let counts = |k: u64| {
                    let passed = u64::from((runs & ((1 << k) - 1)).count_ones());
                    (passed, k - passed)
                };
                let (all_passed, _) = counts(n);
                let reaches = all_passed as f64 / n as f64 >= threshold;
                let expected = if reaches { Standing::Passed } else { Standing::Failed };
                for k in 0..=n {
                    let (passed, failed) = counts(k);
                    let standing = early(n, threshold, passed, failed);
                    assert!(
                        standing == expected || (k < n && standing == Standing::Open),
                        "{n} {threshold} {runs:b}"
                    );
                }
            }
        }
    }
}

#[test]
fn an_early_decision_is_as_early_as_it_can_be() {
    for n in 1..=30u64 {
        for threshold in [0.0, 0.29, 0.5, 0.7, 0.95, 1.0] {
            for passed in 0..=n {
                for failed in 0..=n - passed {
                    let reaches = |passes: u64| passes as f64 / n as f64 >= threshold;
                    let open = early(n, threshold, passed, failed) == Standing::Open;
                    assert_eq!(
                        open,
                        !reaches(passed) && reaches(n - failed),
                        "{n} {threshold} {passed} {failed}"
                    );
                }
            }
        }
    }
}

fn any_counts() -> impl Strategy<Value = (u64, u64)> {
    prop_oneof![1u64..40, 1u64..3000].prop_flat_map(|n| (0..=n, Just(n)))
}

proptest! {
    #[test]
    fn intervals_hold_the_rate_found_and_move_with_it(
        (passed, n) in any_counts(),
        confidence in 0.01f64..0.999,
    ) {
        for interval in [clopper_pearson, wilson] {
            let Interval { low, high } = interval(passed, n, confidence);
            prop_assert!(0.0 <= low && high <= 1.0);
            prop_assert!(interval(passed, n, confidence).contains(passed as f64 / n as f64));
            if passed < n {
                let next = interval(passed + 1, n, confidence);
                prop_assert!(next.low > low && next.high > high);
            }
            let surer = interval(passed, n, 0.5 * (1.0 + confidence));
            prop_assert!(surer.low <= low && surer.high >= high);
            let mirrored = interval(n - passed, n, confidence);
            prop_assert!((mirrored.low - (1.0 - high)).abs() < 1e-12);
        }
        let more = clopper_pearson(passed * 2, n * 2, confidence);
        let some = clopper_pearson(passed, n, confidence);
        prop_assert!(more.high - more.low < some.high - some.low);
    }

    #[test]
    fn a_claim_agrees_with_the_threshold_asked_for(
        (passed, n) in any_counts(),
        threshold in 0.0f64..=1.0,
    ) {
        let claim = claim(passed, n, threshold, 0.95);
        match claim.evidence {
            Evidence::Proven => prop_assert!(passed >= required(n, threshold)),
            Evidence::Refuted => prop_assert!(passed < required(n, threshold)),
            Evidence::Open => prop_assert!(claim.interval.contains(threshold)),
        }
    }

    #[test]
    fn an_exact_test_does_not_care_how_the_table_is_turned(a in 0u64..300, b in 0u64..300, c in 0u64..300, d in 0u64..300) {
        let p = fisher(a, b, c, d);
        prop_assert!((0.0..=1.0).contains(&p));
        for turned in [fisher(c, d, a, b), fisher(b, a, d, c), fisher(a, c, b, d)] {
            prop_assert!((turned - p).abs() <= 1e-9 * p, "{} {}", p, turned);
        }
    }

    #[test]
    fn a_correction_keeps_the_order_and_never_helps(values in proptest::collection::vec(0.0f64..=1.0, 0..30)) {
        let adjusted = holm(&values);
        for (one, corrected) in values.iter().zip(&adjusted) {
            prop_assert!(corrected >= one && *corrected <= 1.0);
            for (other, theirs) in values.iter().zip(&adjusted) {
                prop_assert!(one > other || corrected <= theirs);
            }
        }
    }
}
