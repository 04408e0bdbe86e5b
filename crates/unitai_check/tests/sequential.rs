//! Sequential tests, compared with every course that they can take, and with courses drawn by chance.

use std::collections::HashMap;

use proptest::prelude::*;
use unitai_check::trials::{Course, ErrorRates, Indifference, Sequential, Standing};

/// Threshold, alpha, beta, region, most runs.
type Settings = (f64, f64, f64, Indifference, u64);

const USUAL: Indifference = Indifference::HalfWidth(0.1);

const SETTINGS: [Settings; 12] = [
    (0.8, 0.05, 0.05, USUAL, 50),
    (0.8, 0.05, 0.05, USUAL, 10),
    (0.8, 0.05, 0.05, USUAL, 200),
    (0.5, 0.05, 0.05, USUAL, 100),
    (0.9, 0.1, 0.01, USUAL, 60),
    (0.9, 0.01, 0.1, USUAL, 30),
    (0.95, 0.05, 0.05, USUAL, 100),
    (0.99, 0.05, 0.2, USUAL, 40),
    (0.8, 0.3, 0.3, USUAL, 20),
    (0.2, 0.05, 0.05, USUAL, 80),
    (0.7, 0.05, 0.1, Indifference::Between { p0: 0.5, p1: 0.9 }, 25),
    (0.8, 0.05, 0.05, Indifference::HalfWidth(0.02), 3000),
];

fn made((threshold, alpha, beta, indifference, cap): Settings) -> Sequential {
    Sequential::new(threshold, alpha, beta, indifference, cap).expect("settings that make sense")
}

#[test]
fn no_error_rate_exceeds_its_bound() {
    for settings in SETTINGS {
        let (_, alpha, beta, ..) = settings;
        let test = made(settings);
        assert!(test.is_proven_by_programme(), "{settings:?}");
        let ErrorRates { false_pass, false_fail } = test.error_rates();
        assert!(false_pass <= alpha && false_fail <= beta, "{settings:?}: {false_pass} {false_fail}");
        let (p0, p1) = test.region();
        for share in [0.5, 0.9, 0.99] {
            assert!(test.course(share * p0).passed <= false_pass, "{settings:?}");
            assert!(test.course(1.0 - share * (1.0 - p1)).failed <= false_fail, "{settings:?}");
        }
    }
}

#[test]
fn simulated_error_rates_are_those_of_the_programme() {
    const CASES: u32 = 10_000;
    for (seed, settings) in SETTINGS.into_iter().enumerate() {
        let (_, alpha, beta, ..) = settings;
        let test = made(settings);
        let (p0, p1) = test.region();
        for rate in [p0, 0.5 * (p0 + p1), p1] {
            let mut dice = Dice(seed as u64 + 1);
            let (mut passed, mut failed, mut runs) = (0, 0, 0);
            for _ in 0..CASES {
                let (standing, taken) = simulated(&test, || dice.roll() < rate);
                passed += u32::from(standing == Standing::Passed);
                failed += u32::from(standing == Standing::Failed);
                runs += taken;
            }
            let share = |count: u32| f64::from(count) / f64::from(CASES);
            // Four and a half standard errors: of these comparisons by chance none is off by more.
            let near = |found: f64, exact: f64| {
                (found - exact).abs() <= 4.5 * (exact * (1.0 - exact) / f64::from(CASES)).sqrt() + 1e-4
            };
            let exact = test.course(rate);
            assert!(near(share(passed), exact.passed), "{settings:?} at {rate}: {} {exact:?}", share(passed));
            assert!(near(share(failed), exact.failed), "{settings:?} at {rate}: {} {exact:?}", share(failed));
            let mean = runs as f64 / f64::from(CASES);
            assert!(
                (mean - exact.runs).abs() <= 0.05 * exact.runs,
                "{settings:?} at {rate}: {mean} {exact:?}"
            );
            let slack = |bound: f64| bound + 3.0 * (bound * (1.0 - bound) / f64::from(CASES)).sqrt();
            assert!(rate > p0 || share(passed) <= slack(alpha), "{settings:?}: {} passed", share(passed));
            assert!(rate < p1 || share(failed) <= slack(beta), "{settings:?}: {} failed", share(failed));
        }
    }
}

/// One course: how it ended, and after how many runs.
fn simulated(test: &Sequential, mut passes: impl FnMut() -> bool) -> (Standing, u64) {
    let (mut passed, mut failed) = (0, 0);
    loop {
        if passes() {
            passed += 1;
        } else {
            failed += 1;
        }
        match test.standing(passed, failed) {
            Standing::Open => assert!(passed + failed < test.cap()),
            settled => return (settled, passed + failed),
        }
    }
}

/// SplitMix64: the same numbers everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Every course that can be taken from here, by trying both outcomes of every run.
fn every_course(test: &Sequential, rate: f64, passed: u64, failed: u64, weight: f64, sum: &mut Course) {
    let standing = test.standing(passed, failed);
    match standing {
        Standing::Open => {
            assert!(passed + failed < test.cap(), "still open at the cap");
            sum.runs += weight;
            every_course(test, rate, passed + 1, failed, weight * rate, sum);
            every_course(test, rate, passed, failed + 1, weight * (1.0 - rate), sum);
        }
        Standing::Passed => sum.passed += weight,
        Standing::Failed => sum.failed += weight,
        Standing::Unsettled => sum.unsettled += weight,
    }
}

/// Whether a verdict can be reached from here, by trying both outcomes of every run.
fn reachable(test: &Sequential, passed: u64, failed: u64) -> bool {
    if passed + failed > test.cap() {
        return false;
    }
    let passes = test.pass_at(passed + failed).is_some_and(|least| passed >= least);
    let fails = test.fail_at(passed + failed).is_some_and(|most| passed <= most);
    passes || fails || reachable(test, passed + 1, failed) || reachable(test, passed, failed + 1)
}

/// Every place where a test can end, with its probability at a true rate.
fn ends(test: &Sequential, rate: f64) -> Vec<(u64, u64, f64)> {
    let mut open = vec![1.0];
    let mut ends = Vec::new();
    for runs in 1..=test.cap() {
        let mut next = vec![0.0; open.len() + 1];
        for (passes, weight) in open.iter().enumerate() {
            next[passes + 1] += weight * rate;
            next[passes] += weight * (1.0 - rate);
        }
        for (passed, weight) in (0..).zip(&mut next) {
            if *weight > 0.0 && test.standing(passed, runs - passed) != Standing::Open {
                ends.push((passed, runs - passed, *weight));
                *weight = 0.0;
            }
        }
        open = next;
    }
    ends
}

#[test]
fn the_interval_of_a_stopped_test_holds_the_true_rate_as_often_as_it_says() {
    for settings in SETTINGS.into_iter().filter(|settings| settings.4 <= 100) {
        let test = made(settings);
        let all = ends(&test, 0.5);
        let intervals: HashMap<_, _> = all
            .iter()
            .map(|(passed, failed, _)| ((*passed, *failed), test.interval(*passed, *failed, 0.95)))
            .collect();
        for ((passed, failed), interval) in &intervals {
            let rate = *passed as f64 / (passed + failed) as f64;
            assert!(interval.contains(rate), "{settings:?} {passed} {failed}: {interval:?}");
        }
        let beside =
            intervals.values().flat_map(|i| [i.low - 1e-9, i.low + 1e-9, i.high - 1e-9, i.high + 1e-9]);
        for rate in beside.filter(|rate| (1e-6..=1.0 - 1e-6).contains(rate)) {
            let holds = |(passed, failed, _): &(u64, u64, f64)| intervals[&(*passed, *failed)].contains(rate);
            let coverage: f64 =
                ends(&test, rate).into_iter().filter(holds).map(|(_, _, weight)| weight).sum();
            assert!(coverage >= 0.95 - 1e-7, "{settings:?} at {rate}: {coverage}");
        }
    }
}

fn any_settings() -> impl Strategy<Value = Settings> {
    let region = (0.02f64..0.97, 0.01f64..0.6).prop_map(|(p0, width)| (p0, (p0 + width).min(0.99)));
    (region, 0.01f64..0.4, 0.01f64..0.4, 1u64..=13).prop_map(|((p0, p1), alpha, beta, cap)| {
        (0.5 * (p0 + p1), alpha, beta, Indifference::Between { p0, p1 }, cap)
    })
}

proptest! {
    #[test]
    fn the_programme_is_the_sum_over_every_course(settings in any_settings(), rate in 0.0f64..=1.0) {
        let test = made(settings);
        let mut sum = Course::default();
        every_course(&test, rate, 0, 0, 1.0, &mut sum);
        let found = test.course(rate);
        for (a, b) in [(found.passed, sum.passed), (found.failed, sum.failed), (found.unsettled, sum.unsettled), (found.runs, sum.runs)] {
            prop_assert!((a - b).abs() < 1e-12, "{:?} {:?}", found, sum);
        }
    }

    #[test]
    fn a_test_is_open_exactly_while_a_verdict_can_be_reached(settings in any_settings()) {
        let test = made(settings);
        for passed in 0..=test.cap() {
            for failed in 0..=test.cap() - passed {
                let unsettled = test.standing(passed, failed) == Standing::Unsettled;
                prop_assert_eq!(unsettled, !reachable(&test, passed, failed), "{} {}", passed, failed);
            }
        }
    }

    #[test]
    fn any_test_keeps_its_bounds_and_more_passes_never_hurt(
        (threshold, alpha, beta, indifference, _) in any_settings(),
        cap in 1u64..400,
    ) {
        let test = made((threshold, alpha, beta, indifference, cap));
        let ErrorRates { false_pass, false_fail } = test.error_rates();
        prop_assert!(false_pass <= alpha + 1e-12 && false_fail <= beta + 1e-12, "{} {}", false_pass, false_fail);
        let at_p0 = test.course(test.region().0);
        prop_assert!((at_p0.passed + at_p0.failed + at_p0.unsettled - 1.0).abs() < 1e-9);
        for runs in 1..=cap {
            let (pass, fail) = (test.pass_at(runs), test.fail_at(runs));
            prop_assert!(pass.is_none() || fail.is_none() || fail < pass);
            prop_assert!(fail >= test.fail_at(runs - 1));
        }
    }
}
