//! The runs of one repeated test, as Python sees them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use unitai_check::trials::{self, Indifference, Outcome, Plan, Sequential, Tally, Verdict};
use unitai_model::event::IntervalBasis;

use crate::errors::invalid;

/// The runs of one repeated test: which is next, when there have been enough, and what they come to. Threads share it.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct Series {
    series: Mutex<trials::Series>,
    confidence: f64,
    notes: Vec<String>,
}

#[pymethods]
impl Series {
    #[new]
    #[pyo3(signature = (n, threshold, *, mode, alpha, beta, indifference, confidence, min_runs, abreast))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        n: u64,
        threshold: f64,
        mode: &str,
        alpha: f64,
        beta: f64,
        indifference: Width,
        confidence: f64,
        min_runs: Option<u64>,
        abreast: u64,
    ) -> PyResult<Series> {
        let plan = match mode {
            "all" => Plan::All,
            "early" => Plan::Early,
            "sequential" => {
                let indifference = match indifference {
                    Width::Distance(distance) => Indifference::HalfWidth(distance),
                    Width::Rates(p0, p1) => Indifference::Between { p0, p1 },
                };
                let test = Sequential::new(threshold, alpha, beta, indifference, n)
                    .map_err(|error| invalid(py, error.to_string()))?;
                Plan::Sequential(test)
            }
            _ => return Err(invalid(py, format!("mode must be all, early or sequential, not {mode}"))),
        };
        let notes = trials::notes(n, threshold, confidence, &plan);
        let series = trials::Series::new(n, threshold, plan, min_runs).abreast(abreast);
        let series = Mutex::new(series);
        Ok(Series { series, confidence, notes })
    }

    /// The index of the next run; `None` when there have been enough.
    fn next(&self) -> Option<u64> {
        self.lock().take()
    }

    /// Whether the next run may begin as soon as others have ended.
    fn must_wait(&self) -> bool {
        self.lock().must_wait()
    }

    /// A run has ended.
    fn settle(&self, py: Python<'_>, run: u64, outcome: &str) -> PyResult<()> {
        let outcome = match outcome {
            "passed" => Outcome::Passed,
            "failed" => Outcome::Failed,
            "inconclusive" => Outcome::Inconclusive,
            _ => return Err(invalid(py, format!("there is no outcome {outcome}"))),
        };
        self.lock().settle(run, outcome);
        Ok(())
    }

    /// A run has ended; gives the index of the next. One question less for runs that are short.
    fn advance(&self, py: Python<'_>, run: u64, outcome: &str) -> PyResult<Option<u64>> {
        self.settle(py, run, outcome)?;
        Ok(self.next())
    }

    /// Begins no further run.
    fn stop(&self) {
        self.lock().stop();
    }

    /// Whether further runs may begin.
    fn is_open(&self) -> bool {
        self.lock().is_open()
    }

    /// Whether the verdict cannot change any more.
    fn is_settled(&self) -> bool {
        self.lock().is_settled()
    }

    /// How many of the runs count, from the first on.
    fn counted(&self) -> u64 {
        self.lock().counted()
    }

    /// Runs that passed, failed, and decided nothing.
    fn counts(&self) -> (u64, u64, u64) {
        let tally = self.lock().tally();
        (tally.passed, tally.failed, tally.inconclusive)
    }

    /// What the runs come to: passed, failed or inconclusive.
    fn verdict(&self) -> &'static str {
        match self.lock().verdict() {
            Verdict::Passed => "passed",
            Verdict::Failed => "failed",
            Verdict::Inconclusive => "inconclusive",
        }
    }

    /// What so many runs of this series prove: the sentence, the interval of the true rate, and what it allows for.
    fn claim(&self, passed: u64, failed: u64, inconclusive: u64) -> (String, f64, f64, &'static str) {
        let claim = self.lock().claim(Tally { passed, failed, inconclusive }, self.confidence);
        let basis = match claim.basis {
            IntervalBasis::FixedN => "fixed_n",
            IntervalBasis::StoppingRule => "stopping_rule",
            IntervalBasis::MissingRuns => "missing_runs",
        };
        (claim.to_string(), claim.interval.low, claim.interval.high, basis)
    }

    /// What is worth knowing about the plan before it is carried out.
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

/// The region of indifference as it is written.
#[derive(FromPyObject)]
enum Width {
    Distance(f64),
    Rates(f64, f64),
}

impl Series {
    fn lock(&self) -> MutexGuard<'_, trials::Series> {
        self.series.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
