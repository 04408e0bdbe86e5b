//! Series of runs, in every order in which they can end.

use proptest::prelude::*;
use unitai_check::trials::{Indifference, Outcome, Plan, Sequential, Series, Tally, Verdict};

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![Just(Outcome::Passed), Just(Outcome::Failed), Just(Outcome::Inconclusive)]
}

fn ended(n: u64, threshold: f64, plan: Plan, outcomes: &[Outcome]) -> Series {
    let mut series = Series::new(n, threshold, plan, None);
    while let Some(run) = series.take() {
        series.settle(run, outcomes[run as usize]);
    }
    series
}

/// A series whose runs are under way side by side and end in an order that the seed decides: what it counted, what it
/// came to, and how many runs were begun beyond that.
fn side_by_side(
    n: u64,
    threshold: f64,
    plan: Plan,
    outcomes: &[Outcome],
    workers: usize,
    mut seed: u64,
) -> (Tally, Verdict, u64) {
    let mut series = Series::new(n, threshold, plan, None).abreast(workers as u64);
    let (mut under_way, mut begun) = (Vec::new(), 0);
    loop {
        while under_way.len() < workers {
            let Some(run) = series.take() else { break };
            under_way.push(run);
            begun += 1;
        }
        if under_way.is_empty() {
            break;
        }
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let run = under_way.swap_remove((seed >> 33) as usize % under_way.len());
        series.settle(run, outcomes[run as usize]);
    }
    (series.tally(), series.verdict(), begun - series.counted())
}

fn any_outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![6 => Just(Outcome::Passed), 3 => Just(Outcome::Failed), 1 => Just(Outcome::Inconclusive)]
}

fn any_plan() -> impl Strategy<Value = Plan> {
    let sequential =
        Sequential::new(0.7, 0.1, 0.1, Indifference::HalfWidth(0.2), 40).expect("it makes sense");
    prop_oneof![Just(Plan::All), Just(Plan::Early), Just(Plan::Sequential(sequential))]
}

proptest! {
    #[test]
    fn what_counts_does_not_depend_on_how_many_runs_are_under_way(
        outcomes in proptest::collection::vec(any_outcome(), 40),
        plan in any_plan(),
        workers in 2usize..9,
        seed in any::<u64>(),
    ) {
        let alone = side_by_side(40, 0.7, plan.clone(), &outcomes, 1, seed);
        let many = side_by_side(40, 0.7, plan.clone(), &outcomes, workers, seed);
        prop_assert_eq!((many.0, many.1), (alone.0, alone.1));
        prop_assert_eq!(alone.2, 0);
        prop_assert!(many.2 < workers as u64);
        if plan == Plan::All {
            prop_assert_eq!(many.0.runs(), 40);
        }
    }

    #[test]
    fn stopping_early_never_changes_a_verdict_that_was_reached(
        outcomes in prop::collection::vec(outcome(), 1..25), threshold in 0.0..=1.0
    ) {
        let n = outcomes.len() as u64;
        let whole = ended(n, threshold, Plan::All, &outcomes).verdict();
        let early = ended(n, threshold, Plan::Early, &outcomes).verdict();
        // A provider that is down is not asked to the end, so what stopped for that is never more than undecided.
        if early != Verdict::Inconclusive {
            prop_assert_eq!(early, whole);
        }
    }

    #[test]
    fn the_order_in_which_runs_end_changes_nothing(
        outcomes in prop::collection::vec(outcome(), 1..25), threshold in 0.0..=1.0, seed in any::<u64>()
    ) {
        let n = outcomes.len() as u64;
        let mut order: Vec<u64> = (0..n).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, (seed.rotate_left(i as u32) % (i as u64 + 1)) as usize);
        }
        let in_order = ended(n, threshold, Plan::All, &outcomes);
        let mut shuffled = Series::new(n, threshold, Plan::All, None);
        while shuffled.take().is_some() {}
        for run in order {
            shuffled.settle(run, outcomes[run as usize]);
            shuffled.settle(run, Outcome::Passed);
        }
        prop_assert_eq!(shuffled.verdict(), in_order.verdict());
        prop_assert_eq!(shuffled.tally(), in_order.tally());
    }

    #[test]
    fn lost_runs_never_make_a_pass_of_nothing(n in 1_u64..30, threshold in 0.0..=1.0) {
        let lost = vec![Outcome::Inconclusive; n as usize];
        for plan in [Plan::All, Plan::Early] {
            prop_assert_eq!(ended(n, threshold, plan, &lost).verdict(), Verdict::Inconclusive);
        }
    }
}
