//! A budget holds, whatever the order in which calls reserve and settle.

use std::sync::Barrier;

use proptest::prelude::*;
use unitai_model::Money;
use unitai_wire::meter::{Budget, Reservation};

fn cents(cents: i64) -> Money {
    Money::from_pico_dollars(cents * 10_000_000_000)
}

#[test]
fn sixty_four_workers_at_a_barrier_never_overspend_the_last_cents() {
    for _ in 0..200 {
        let budget = Budget::new(cents(100));
        budget.reserve(cents(95)).unwrap().settle(cents(95));
        let barrier = Barrier::new(64);
        let pay = || {
            barrier.wait();
            budget.reserve(cents(2)).map(|call| call.settle(cents(2))).is_ok()
        };
        let paid: usize = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..64).map(|_| scope.spawn(pay)).collect();
            workers.into_iter().map(|worker| usize::from(worker.join().unwrap())).sum()
        });
        assert_eq!(paid, 2, "two calls of two cents fit into five");
        assert_eq!((budget.spent(), budget.reserved()), (cents(99), Money::ZERO));
    }
}

#[test]
fn what_nobody_settles_counts_as_spent() {
    let budget = Budget::new(cents(10));
    drop(budget.reserve(cents(4)).unwrap());
    assert_eq!((budget.spent(), budget.reserved()), (cents(4), Money::ZERO));
}

#[test]
fn settling_above_what_was_reserved_is_told() {
    let budget = Budget::new(cents(10));
    assert!(budget.reserve(cents(5)).unwrap().settle(cents(5)));
    assert!(!budget.reserve(cents(5)).unwrap().settle(cents(6)));
    let over = budget.reserve(cents(1)).unwrap_err();
    assert_eq!((over.limit, over.spent, over.asked), (cents(10), cents(11), cents(1)));
}

proptest! {
    #[test]
    fn no_schedule_overspends(
        limit in 1i64..100,
        calls in proptest::collection::vec((1i64..20, 0i64..20, any::<bool>()), 0..60),
    ) {
        let budget = Budget::new(cents(limit));
        let mut open: Vec<(Reservation, i64)> = Vec::new();
        let mut spent = 0;
        for (worst, actual, settle_first) in calls {
            if settle_first && let Some((reservation, cost)) = open.pop() {
                prop_assert!(reservation.settle(cents(cost)));
                spent += cost;
            }
            if let Ok(reservation) = budget.reserve(cents(worst)) {
                open.push((reservation, actual.min(worst)));
            }
            prop_assert!(budget.spent().plus(budget.reserved()) <= cents(limit));
        }
        for (reservation, cost) in open {
            prop_assert!(reservation.settle(cents(cost)));
            spent += cost;
        }
        prop_assert_eq!((budget.spent(), budget.reserved()), (cents(spent), Money::ZERO));
    }
}
