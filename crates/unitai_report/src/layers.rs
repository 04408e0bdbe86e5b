//! What the tests of each layer came to.

use unitai_model::Layer;
use unitai_model::event::TestOutcome;

use crate::{Counts, Run, words};

/// How many tests of each layer came to what, and how long they took, a line for each; nothing where no test is of a
/// layer. The tests are given by layer, outcome and seconds.
///
/// ```
/// use unitai_model::{Layer, event::TestOutcome};
/// let tests = [
///     (Some(Layer::Integration), TestOutcome::Skipped, 0.0),
///     (Some(Layer::Unit), TestOutcome::Passed, 0.125),
///     (Some(Layer::Unit), TestOutcome::Passed, 0.125),
///     (None, TestOutcome::Failed, 12.0),
/// ];
/// assert_eq!(unitai_report::layer_lines(tests), [
///     "unit         2 passed    0.2s",
///     "integration  1 skipped  0.0ms",
///     "no layer     1 failed   12.0s",
/// ]);
/// assert!(unitai_report::layer_lines([(None, TestOutcome::Passed, 1.0)]).is_empty());
/// ```
pub fn layer_lines(tests: impl IntoIterator<Item = (Option<Layer>, TestOutcome, f64)>) -> Vec<String> {
    let rows = Layer::ALL.map(Some).into_iter().chain([None]);
    let mut rows: Vec<_> = rows.map(|layer| (layer, Counts::default(), 0.0, 0_u64)).collect();
    for (layer, outcome, seconds) in tests {
        for row in rows.iter_mut().filter(|row| row.0 == layer) {
            row.1.add(outcome);
            row.2 += seconds;
            row.3 += 1;
        }
    }
    rows.retain(|row| row.3 > 0);
    if rows.iter().all(|row| row.0.is_none()) {
        return Vec::new();
    }
    let cells: Vec<[String; 3]> = rows
        .iter()
        .map(|(layer, counts, seconds, _)| {
            let layer = layer.map_or("no layer", Layer::word).to_owned();
            [layer, words::counts(*counts), words::duration(*seconds)]
        })
        .collect();
    let width = |at: usize| cells.iter().map(|row| row[at].len()).max().unwrap_or(0);
    let (first, second, third) = (width(0), width(1), width(2));
    cells
        .iter()
        .map(|[layer, counts, time]| format!("{layer:<first$}  {counts:<second$}  {time:>third$}"))
        .collect()
}

/// The same of a run.
pub(crate) fn of_run(run: &Run) -> Vec<String> {
    layer_lines(run.tests.iter().map(|test| (test.end.layer, test.end.outcome, test.end.duration_seconds)))
}
