//! Whether two pairs of counts differ by more than chance, and the price of asking many times.

use std::iter::successors;

/// The two-sided exact p value of the table `[[a, b], [c, d]]`: the weight of all tables with the same
/// margins that are at most as likely as this one, which is SciPy's definition and R's.
///
/// ```
/// use unitai_check::trials::fisher;
/// assert!((fisher(8, 2, 1, 5) - 0.034_965_034_965_034).abs() < 1e-12);
/// ```
pub fn fisher(a: u64, b: u64, c: u64, d: u64) -> f64 {
    let (row, other_row, column) = (a.saturating_add(b), c.saturating_add(d), a.saturating_add(c));
    let (least, most) = (column.saturating_sub(other_row), row.min(column));
    if least == most {
        return 1.0;
    }
    // Weights relative to the likeliest table, by the ratio of neighbours: no factorial, no overflow, and
    // what underflows is too light to matter.
    let [row, other_row, column] = [row, other_row, column].map(|n| n as f64);
    let ratio = |x: u64| {
        let x = x as f64;
        (row - x) * (column - x) / ((x + 1.0) * (other_row - column + x + 1.0))
    };
    let mode = ((row + 1.0) * (column + 1.0) / (row + other_row + 2.0)) as u64;
    let likeliest = (mode.clamp(least, most), 1.0);
    let tables = || {
        let up = successors(Some(likeliest), |&(x, weight)| (x < most).then(|| (x + 1, weight * ratio(x))));
        let down =
            successors(Some(likeliest), |&(x, weight)| (x > least).then(|| (x - 1, weight / ratio(x - 1))));
        let weighs = |(_, weight): &(u64, f64)| *weight > 0.0;
        up.take_while(weighs).chain(down.take_while(weighs).skip(1))
    };
    let observed = tables().find(|(x, _)| *x == a).map_or(0.0, |(_, weight)| weight);
    // Tables that are as likely as this one differ from it by rounding.
    let limit = observed * (1.0 + 1e-10);
    let (mut total, mut unlikely) = (0.0, 0.0);
    for (_, weight) in tables() {
        total += weight;
        if weight <= limit {
            unlikely += weight;
        }
    }
    (unlikely / total).min(1.0)
}

/// Holm's adjusted p values, in the order of the input. A value below `alpha` may be called a finding,
/// and the probability of even one wrong finding stays below `alpha`.
///
/// ```
/// use unitai_check::trials::holm;
/// assert_eq!(holm(&[0.01, 0.5, 0.02]), [0.03, 0.5, 0.04]);
/// ```
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut adjusted = vec![1.0; p.len()];
    let mut largest: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        largest = largest.max((p.len() - rank) as f64 * p[index]).min(1.0);
        adjusted[index] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_with_an_empty_row_or_column_tells_nothing() {
        for (a, b, c, d) in [(0, 0, 0, 0), (5, 3, 0, 0), (0, 4, 0, 9), (0, 0, 2, 3), (7, 0, 9, 0)] {
            assert_eq!(fisher(a, b, c, d), 1.0, "{a} {b} {c} {d}");
        }
    }

    #[test]
    fn nothing_is_too_large() {
        assert_eq!(fisher(100_000, 0, 0, 100_000), 0.0);
        assert!((fisher(500_000, 500_000, 500_000, 500_000) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn no_p_value_is_adjusted_to_none() {
        assert_eq!(holm(&[]), Vec::<f64>::new());
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }
}
