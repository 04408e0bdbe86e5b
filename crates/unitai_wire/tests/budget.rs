//! A budget holds, whatever the order in which calls reserve and settle, alone and beside others.

use std::sync::Barrier;

use proptest::prelude::*;
use unitai_model::Money;
use unitai_wire::meter::{Budget, Budgets, OverBudget, Reservation, Unreserved, Unsettled, Whose};

fn cents(cents: i64) -> Money {
    Money::from_pico_dollars(cents * 10_000_000_000)
}

fn spent(budget: &Budget) -> Money {
    budget.balance().expect("it is in memory").spent
}

fn reserved(budget: &Budget) -> Money {
    budget.balance().expect("it is in memory").reserved
}

fn over(result: Result<Reservation, Unreserved>) -> OverBudget {
    match result {
        Err(Unreserved::Over(over)) => over,
        other => panic!("a refusal was expected: {other:?}"),
    }
}

#[test]
fn sixty_four_workers_at_a_barrier_never_overspend_the_last_cents() {
    for _ in 0..200 {
        let budget = Budget::new(cents(100));
        budget.reserve(cents(95)).unwrap().settle(cents(95)).unwrap();
        let barrier = Barrier::new(64);
        let pay = || {
            barrier.wait();
            budget.reserve(cents(2)).map(|call| call.settle(cents(2)).unwrap()).is_ok()
        };
        let paid: usize = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..64).map(|_| scope.spawn(pay)).collect();
            workers.into_iter().map(|worker| usize::from(worker.join().unwrap())).sum()
        });
        assert_eq!(paid, 2, "two calls of two cents fit into five");
        assert_eq!((spent(&budget), reserved(&budget)), (cents(99), Money::ZERO));
    }
}

#[test]
fn sixty_four_workers_with_several_budgets_each_never_overspend_any_and_use_what_there_is() {
    for _ in 0..100 {
        let suite = Budget::new(cents(41)).of(Whose::Suite);
        let tests: Vec<Budget> = (0..4).map(|_| Budget::new(cents(30)).of(Whose::Test)).collect();
        let barrier = Barrier::new(64);
        let pay = |worker: usize| {
            // In both orders, and from more than one test: nobody waits for another in a circle.
            let mut set = vec![suite.clone(), tests[worker % 4].clone(), tests[(worker + 1) % 4].clone()];
            set.rotate_left(worker % 3);
            let budgets: Budgets = set.into_iter().collect();
            barrier.wait();
            budgets.reserve(cents(2)).map(|call| call.settle(cents(2)).unwrap()).is_ok()
        };
        let pay = &pay;
        let paid: i64 = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..64).map(|worker| scope.spawn(move || pay(worker))).collect();
            workers.into_iter().map(|worker| i64::from(worker.join().unwrap())).sum()
        });
        // A refused call never took the place of another, not even for a moment: twenty fit, and twenty are paid.
        assert_eq!((paid, spent(&suite)), (20, cents(40)));
        let by_test = tests.iter().fold(Money::ZERO, |sum, test| sum.plus(spent(test)));
        assert_eq!(by_test, cents(80), "each call is paid for in two tests");
        assert!(tests.iter().all(|test| spent(test) <= cents(30) && reserved(test) == Money::ZERO));
    }
}

#[test]
fn what_nobody_settles_counts_as_spent() {
    let budget = Budget::new(cents(10));
    drop(budget.reserve(cents(4)).unwrap());
    assert_eq!((spent(&budget), reserved(&budget)), (cents(4), Money::ZERO));
}

#[test]
fn settling_above_what_was_reserved_is_told() {
    let budget = Budget::new(cents(10)).of(Whose::Test);
    assert_eq!(budget.reserve(cents(5)).unwrap().settle(cents(5)), Ok(()));
    let Err(Unsettled::Overspent(told)) = budget.reserve(cents(5)).unwrap().settle(cents(6)) else {
        panic!("eleven cents of ten")
    };
    assert_eq!((told.whose, told.limit, told.counted), (Whose::Test, cents(10), cents(6)));
    let over = over(budget.reserve(cents(1)));
    assert_eq!((over.balance.limit, over.balance.spent, over.asked), (cents(10), cents(11), cents(1)));
}

#[test]
fn all_or_nothing_and_the_one_that_refuses_is_named() {
    let toolkit = Budget::new(cents(50)).or_of(Whose::Toolkit);
    let suite = Budget::new(cents(5)).of(Whose::Suite).or_of(Whose::Toolkit);
    let both: Budgets = [toolkit.clone(), suite.clone(), toolkit.clone()].into_iter().collect();
    let refused = over(both.reserve(cents(6)));
    assert_eq!(refused.whose, Whose::Suite);
    assert!(refused.message().starts_with("the budget of the suite does not allow"), "{}", refused.message());
    assert!(refused.remedy().contains("UNITAI_COST_BUDGET_PER_SUITE"), "{}", refused.remedy());
    assert_eq!((reserved(&toolkit), reserved(&suite)), (Money::ZERO, Money::ZERO));

    let call = both.reserve(cents(4)).unwrap();
    assert_eq!((reserved(&toolkit), reserved(&suite)), (cents(4), cents(4)), "the same budget pays once");
    assert_eq!(call.settle(cents(3)), Ok(()));
    assert_eq!((spent(&toolkit), spent(&suite)), (cents(3), cents(3)));

    // Where both refuse, the narrowest is told of.
    assert_eq!(over(both.reserve(cents(60))).whose, Whose::Toolkit);
}

#[test]
fn what_was_spent_without_asking_counts_too() {
    let (test, suite) = (Budget::new(cents(5)).of(Whose::Test), Budget::new(cents(9)).of(Whose::Suite));
    let both: Budgets = [test.clone(), suite.clone()].into_iter().collect();
    assert_eq!(both.spend(cents(5)), Ok(()));
    assert!(matches!(both.spend(cents(1)), Err(Unsettled::Overspent(over)) if over.whose == Whose::Test));
    assert_eq!((spent(&test), spent(&suite)), (cents(6), cents(6)), "each is told, whoever is over");
}

proptest! {
    #[test]
    fn no_schedule_overspends(
        limit in 1i64..100,
        outer in 1i64..100,
        calls in proptest::collection::vec((1i64..20, 0i64..20, any::<bool>(), any::<bool>()), 0..60),
    ) {
        let budget = Budget::new(cents(limit));
        let around = Budget::new(cents(outer));
        let mut open: Vec<(Reservation, i64, bool)> = Vec::new();
        let (mut paid, mut paid_around) = (0, 0);
        for (worst, actual, settle_first, is_inside) in calls {
            if settle_first && let Some((reservation, cost, is_inside)) = open.pop() {
                prop_assert!(reservation.settle(cents(cost)).is_ok());
                paid += if is_inside { cost } else { 0 };
                paid_around += cost;
            }
            let budgets: Budgets =
                is_inside.then(|| budget.clone()).into_iter().chain([around.clone()]).collect();
            if let Ok(reservation) = budgets.reserve(cents(worst)) {
                open.push((reservation, actual.min(worst), is_inside));
            }
            prop_assert!(spent(&budget).plus(reserved(&budget)) <= cents(limit));
            prop_assert!(spent(&around).plus(reserved(&around)) <= cents(outer));
        }
        for (reservation, cost, is_inside) in open {
            prop_assert!(reservation.settle(cents(cost)).is_ok());
            paid += if is_inside { cost } else { 0 };
            paid_around += cost;
        }
        prop_assert_eq!((spent(&budget), reserved(&budget)), (cents(paid), Money::ZERO));
        prop_assert_eq!((spent(&around), reserved(&around)), (cents(paid_around), Money::ZERO));
    }
}
