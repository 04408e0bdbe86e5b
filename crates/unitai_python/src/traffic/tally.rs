//! What the model calls of this process came to, for who reports on tests.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use unitai_model::ModelCall;
use unitai_wire::meter;

use crate::run::Trajectory;

/// Counts the model calls of this process from the moment it is made; of its whole life, if asked.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct Tally {
    /// What had been counted when somebody last looked.
    last: Mutex<meter::Tally>,
}

#[pymethods]
impl Tally {
    #[new]
    #[pyo3(signature = (whole=false))]
    fn new(whole: bool) -> Tally {
        Tally { last: Mutex::new(if whole { meter::Tally::NONE } else { *all() }) }
    }

    /// What calls came to since somebody last looked, as JSON (`Spending` of the run events); `None` when there were
    /// none.
    fn take(&self) -> Option<String> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = *all();
        let since = now.since(&last);
        *last = now;
        since.and_then(|spending| serde_json::to_string(&spending).ok())
    }
}

/// How many tests are under way whose calls outside of any run are counted, too.
static COUNTED: AtomicUsize = AtomicUsize::new(0);

/// From here on, model calls that belong to no run are counted as those of runs are.
#[pyfunction]
pub(crate) fn count_calls_outside_runs() {
    COUNTED.fetch_add(1, Ordering::Relaxed);
}

/// Takes back one `count_calls_outside_runs`.
#[pyfunction]
pub(crate) fn leave_calls_outside_runs() {
    COUNTED.fetch_sub(1, Ordering::Relaxed);
}

pub(super) fn counts_outside_runs() -> bool {
    COUNTED.load(Ordering::Relaxed) > 0
}

/// Counts what agents did in another process.
#[pyfunction]
pub(crate) fn count_elsewhere(trajectory: &Bound<'_, Trajectory>) {
    all().add_all(trajectory.get().model());
}

/// Counts a call that is over.
pub(crate) fn count(call: &ModelCall) {
    all().add(call);
}

/// Counts what judges and drivers said.
pub(crate) fn count_models(tally: unitai_judge::Tally) {
    let tokens = tally.input_tokens.saturating_add(tally.output_tokens);
    all().add_live(tally.calls, tokens, tally.cost, tally.unpriced);
}

fn all() -> MutexGuard<'static, meter::Tally> {
    static ALL: Mutex<meter::Tally> = Mutex::new(meter::Tally::NONE);
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}
