//! Intervals, exact tests and corrections, compared with what SciPy says about them.
//! The table is made by `data/make_scipy_table.py`.

use unitai_check::trials::{clopper_pearson, fisher, holm, wilson};

const TABLE: &str = include_str!("data/scipy_table.txt");

/// The numbers of each row of one kind.
fn rows(kind: &str) -> Vec<Vec<f64>> {
    let rows: Vec<Vec<f64>> = TABLE
        .lines()
        .filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' '))
        .map(|numbers| numbers.split(' ').map(|number| number.parse().expect("a number")).collect())
        .collect();
    assert!(!rows.is_empty(), "the table has no {kind}");
    rows
}

#[test]
fn intervals_agree() {
    for (kind, interval) in
        [("clopper_pearson", clopper_pearson as fn(u64, u64, f64) -> _), ("wilson", wilson)]
    {
        for row in rows(kind) {
            let [passed, n, confidence, low, high] = row[..] else { panic!("{row:?}") };
            let found = interval(passed as u64, n as u64, confidence);
            let off = (found.low - low).abs().max((found.high - high).abs());
            assert!(off < 1e-9, "{kind} {passed}/{n} {confidence}: {found:?}, SciPy {low} {high}");
        }
    }
}

#[test]
fn exact_tests_agree() {
    for row in rows("fisher") {
        let [a, b, c, d, p] = row[..] else { panic!("{row:?}") };
        let found = fisher(a as u64, b as u64, c as u64, d as u64);
        assert!((found - p).abs() < 1e-9 && (found - p).abs() <= 1e-9 * p.max(1e-300), "{row:?}: {found:e}");
    }
}

#[test]
fn corrections_agree() {
    for row in rows("holm") {
        let (values, adjusted) = row.split_at(row.len() / 2);
        let found = holm(values);
        let off = found.iter().zip(adjusted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-12, "{values:?}: {found:?}");
    }
}
