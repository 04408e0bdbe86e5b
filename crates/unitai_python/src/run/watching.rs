//! Runs that end, for who reports on tests.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

use super::Trajectory;

/// Keeps what agents do in this process from the moment it is made until it is closed. The last one that was made
/// sees them, for a test may run tests.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct RunWatch(usize);

#[pymethods]
impl RunWatch {
    /// `limit` is how many runs are kept until somebody takes them: the first ones.
    #[new]
    fn new(limit: usize) -> RunWatch {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        watchers().push(Seen { number, limit, runs: Vec::new(), missed: 0 });
        COUNT.fetch_add(1, Ordering::Relaxed);
        RunWatch(number)
    }

    /// Takes the runs that have ended since, in their order, with the number of those that were too many.
    fn take(&self) -> (Vec<Py<Trajectory>>, usize) {
        let mut watchers = watchers();
        let Some(seen) = watchers.iter_mut().find(|seen| seen.number == self.0) else {
            return (Vec::new(), 0);
        };
        (std::mem::take(&mut seen.runs), std::mem::take(&mut seen.missed))
    }

    /// Keeps nothing any more.
    fn close(&self) {
        let closed = {
            let mut watchers = watchers();
            let place = watchers.iter().position(|seen| seen.number == self.0);
            place.map(|place| watchers.remove(place))
        };
        if closed.is_some() {
            COUNT.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

struct Seen {
    number: usize,
    limit: usize,
    runs: Vec<Py<Trajectory>>,
    missed: usize,
}

static NEXT: AtomicUsize = AtomicUsize::new(0);
/// How many watch. Nobody asks further while there is none.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// No Python code may run while this is held.
fn watchers() -> MutexGuard<'static, Vec<Seen>> {
    static WATCHERS: Mutex<Vec<Seen>> = Mutex::new(Vec::new());
    WATCHERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A run has ended.
pub(crate) fn seen(py: Python<'_>, trajectory: &Py<Trajectory>) {
    if COUNT.load(Ordering::Relaxed) == 0 {
        return;
    }
    if let Some(seen) = watchers().last_mut() {
        if seen.runs.len() < seen.limit {
            seen.runs.push(trajectory.clone_ref(py));
        } else {
            seen.missed += 1;
        }
    }
}
