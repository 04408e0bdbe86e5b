//! A budget whose ledger is a file holds for all who share it, however they end.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use proptest::prelude::*;
use unitai_model::Money;
use unitai_wire::meter::{
    Budget, Budgets, LedgerError, LedgerTrouble, Reservation, Unreserved, Unsettled, Whose,
};

fn cents(cents: i64) -> Money {
    Money::from_pico_dollars(cents * 10_000_000_000)
}

fn shared(path: &Path, limit: i64) -> Budget {
    Budget::shared(path, Some(cents(limit))).expect("it can be opened")
}

/// What was spent and what is set aside, in cents.
fn stand(budget: &Budget) -> (Money, Money) {
    let balance = budget.balance().expect("it can be read");
    (balance.spent, balance.reserved)
}

fn trouble<T: std::fmt::Debug>(result: Result<T, LedgerError>) -> LedgerTrouble {
    result.expect_err("it cannot be used").trouble
}

#[test]
fn whoever_opens_the_file_has_the_same_money() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/ledger");
    assert_eq!(trouble(Budget::shared(&path, None)), LedgerTrouble::Absent);
    let one = shared(&path, 10).of(Whose::Suite);
    let other = Budget::shared(&path, None).unwrap();
    assert_eq!(other.limit(), cents(10));

    let call = one.reserve(cents(6)).unwrap();
    assert_eq!(stand(&other), (Money::ZERO, cents(6)));
    assert!(
        matches!(other.reserve(cents(5)), Err(Unreserved::Over(over)) if over.balance.reserved == cents(6))
    );
    let second = other.reserve(cents(4)).unwrap();
    call.settle(cents(1)).unwrap();
    assert_eq!(stand(&one), (cents(1), cents(4)));
    second.settle(Money::from_pico_dollars(1)).unwrap();
    assert_eq!(stand(&one), (cents(1).plus(Money::from_pico_dollars(1)), Money::ZERO));

    let there = LedgerTrouble::OtherLimit { there: cents(10), given: cents(20) };
    assert_eq!(trouble(Budget::shared(&path, Some(cents(20)))), there);
}

#[test]
fn one_in_memory_and_one_in_a_file_are_paid_together_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let suite = shared(&folder.path().join("suite"), 10).of(Whose::Suite);
    let again = Budget::shared(&folder.path().join("suite"), None).unwrap();
    let test = Budget::new(cents(4)).of(Whose::Test);
    let all: Budgets = [test.clone(), suite.clone(), again].into_iter().collect();
    assert!(matches!(all.reserve(cents(5)), Err(Unreserved::Over(over)) if over.whose == Whose::Test));
    assert_eq!((stand(&suite), stand(&test)), ((Money::ZERO, Money::ZERO), (Money::ZERO, Money::ZERO)));
    all.reserve(cents(3)).unwrap().settle(cents(2)).unwrap();
    assert_eq!((stand(&suite).0, stand(&test).0), (cents(2), cents(2)), "the same file pays once");
    assert!(matches!(all.spend(cents(9)), Err(Unsettled::Overspent(over)) if over.whose == Whose::Test));
    assert_eq!(stand(&suite).0, cents(11));
}

#[test]
fn a_damaged_file_is_an_error_and_never_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let budget = shared(&path, 10);
    budget.reserve(cents(7)).unwrap().settle(cents(7)).unwrap();
    let good = fs::read(&path).unwrap();

    let mut damages: Vec<Vec<u8>> = (0..good.len()).map(|end| good[..end].to_vec()).collect();
    for at in 0..good.len() {
        let mut changed = good.clone();
        changed[at] ^= 1;
        damages.push(changed);
    }
    for damage in damages {
        fs::write(&path, &damage).unwrap();
        let text = String::from_utf8_lossy(&damage).into_owned();
        assert!(matches!(trouble(budget.balance()), LedgerTrouble::Damaged(_)), "{text:?}");
        assert!(matches!(budget.reserve(cents(1)), Err(Unreserved::Ledger(_))), "{text:?}");
        assert!(
            matches!(trouble(Budget::shared(&path, Some(cents(10)))), LedgerTrouble::Damaged(_)),
            "{text:?}"
        );
        assert_eq!(fs::read(&path).unwrap(), damage, "nobody writes over what cannot be read");
    }

    fs::remove_file(&path).unwrap();
    assert_eq!(trouble(budget.balance()), LedgerTrouble::Absent);
    fs::write(&path, &good).unwrap();
    assert_eq!(stand(&budget), (cents(7), Money::ZERO));
}

#[test]
fn what_cannot_be_written_down_is_told_and_is_not_free() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let budget = shared(&path, 10);
    let call = budget.reserve(cents(6)).unwrap();
    let good = fs::read(&path).unwrap();
    fs::write(&path, b"?").unwrap();
    assert!(matches!(call.settle(cents(1)), Err(Unsettled::Ledger(_))));
    fs::write(&path, &good).unwrap();
    assert_eq!(stand(&budget), (Money::ZERO, cents(6)));
    drop(budget);
    assert_eq!(
        stand(&Budget::shared(&path, None).unwrap()),
        (cents(6), Money::ZERO),
        "nobody can settle it any more"
    );
}

/// One process of `processes_never_overspend_together`. It says what it sets aside and what it settles, and may die
/// in the middle of a call.
#[test]
fn worker() {
    let Ok(schedule) = std::env::var("TESTS_SCHEDULE") else { return };
    let mut words = schedule.split(' ');
    let budget = Budget::shared(Path::new(words.next().unwrap()), None).unwrap();
    let mut open: Vec<(Reservation, i64, i64)> = Vec::new();
    let settle = |(call, worst, cost): (Reservation, i64, i64)| {
        call.settle(cents(cost)).expect("it kept its cap");
        println!("settled {worst} {cost}");
    };
    for word in words {
        let numbers: Vec<i64> = word.split(',').map(|number| number.parse().unwrap()).collect();
        let [worst, actual, what] = numbers[..] else { panic!("{word}") };
        if what == SETTLE {
            open.pop().map(settle);
        }
        if let Ok(call) = budget.reserve(cents(worst)) {
            println!("reserved {worst}");
            open.push((call, worst, actual.min(worst)));
        }
        if what == DIE {
            // As a killed process does: nothing is dropped.
            std::process::abort();
        }
    }
    open.into_iter().for_each(settle);
}

const DIE: i64 = 0;
const SETTLE: i64 = 1;

fn schedule() -> impl Strategy<Value = Vec<(i64, i64, i64)>> {
    let what = prop_oneof![1 => Just(DIE), 12 => Just(SETTLE), 12 => Just(2)];
    proptest::collection::vec((1i64..20, 0i64..20, what), 1..12)
}

fn start(path: &Path, schedule: &[(i64, i64, i64)]) -> Child {
    let words = schedule.iter().map(|(worst, actual, what)| format!(" {worst},{actual},{what}"));
    Command::new(std::env::current_exe().expect("a test has a file"))
        .args(["worker", "--exact", "--nocapture"])
        .env("TESTS_SCHEDULE", format!("{}{}", path.display(), words.collect::<String>()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it can be started")
}

/// The numbers behind a word, of everything that a worker said.
fn said<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = Vec<i64>> + 'a {
    let after = text.lines().filter_map(move |line| line.split_once(word).map(|(_, rest)| rest));
    after.map(|rest| rest.split_whitespace().map(|number| number.parse().expect("a number")).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn processes_never_overspend_together(
        limit in 1i64..120,
        schedules in proptest::collection::vec(schedule(), 2..5),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger");
        let budget = shared(&path, limit);
        let mut workers: Vec<Child> = schedules.iter().map(|schedule| start(&path, schedule)).collect();
        while workers.iter_mut().any(|worker| worker.try_wait().unwrap().is_none()) {
            prop_assert!(budget.balance().unwrap().left() >= Money::ZERO);
        }
        let (mut reserved, mut released, mut paid, mut most) = (0, 0, 0, 0);
        for worker in workers {
            let output = worker.wait_with_output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            reserved += said(&text, "reserved ").map(|numbers| numbers[0]).sum::<i64>();
            for numbers in said(&text, "settled ") {
                released += numbers[0];
                paid += numbers[1];
            }
            most = most.max(said(&text, "reserved ").count());
        }
        let lost = reserved - released;
        prop_assert_eq!(stand(&budget), (cents(paid + lost), Money::ZERO), "whoever died had it spent");
        prop_assert!(paid + lost <= limit);
        prop_assert!(most > 0 || schedules.iter().all(|schedule| schedule[0].0 > limit), "somebody was let through");
    }
}
