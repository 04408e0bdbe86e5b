//! How a run is ended before its agent ends it: by its deadline, by a loop, by what must not happen.

use std::sync::atomic::Ordering;

use pyo3::prelude::*;

use super::Run;
use crate::attribute::Attribute;
use crate::errors::is_misuse;
use crate::gate;

impl Run {
    /// Whether the run must end, so that a call of its is refused.
    pub(crate) fn is_cut_off(&self) -> bool {
        let is_late = || {
            let limit = self.limit.load(Ordering::Relaxed);
            limit != u64::MAX && self.began.elapsed().as_nanos() > u128::from(limit)
        };
        let is_cut_off = self.is_revoked.load(Ordering::Relaxed) || is_late();
        if is_cut_off {
            self.was_cut_off.store(true, Ordering::Relaxed);
        }
        is_cut_off
    }

    /// Marks the run as one that must end, with the first reason that was given. What records the calls outside of any run
    /// never ends: a test that tries its mocks by hand goes on after an error.
    pub(crate) fn doom(&self, py: Python<'_>, error: PyErr) {
        if self.toolbox.is_none() {
            return;
        }
        let is_refusal = is_misuse(py, &error);
        let alarm = {
            let mut doom = self.doom_state();
            if doom.error.is_some() {
                return;
            }
            doom.error = Some(error.into_value(py));
            self.is_revoked.store(true, Ordering::Relaxed);
            doom.alarm.as_ref().map(|alarm| alarm.clone_ref(py))
        };
        if is_refusal && let Some(voice) = &self.voice {
            voice.refuse(self.id());
        }
        if let Some(alarm) = alarm
            && let Err(error) = alarm.call0(py)
            && !is_cancellation(py, &error)
        {
            error.write_unraisable(py, None);
        }
    }
}

/// What a call of a run that must end raises. No agent catches it by habit.
pub(crate) fn cancelled(py: Python<'_>) -> PyErr {
    let make = py.import("unitai.runner.job").and_then(|module| module.attribute("cancellation"));
    match make.and_then(|make| gate::call(&make, (Run::has_this_thread(),), None)) {
        Ok(instance) => PyErr::from_value(instance),
        Err(error) => error,
    }
}

/// Whether an error is how a thread is told that its run has been ended. It may come at any moment, also while the thread
/// itself says that the run must end.
fn is_cancellation(py: Python<'_>, error: &PyErr) -> bool {
    let class = py.import("unitai.runner.job").and_then(|module| module.attribute("RunCancelled"));
    class.is_ok_and(|class| error.matches(py, class).unwrap_or(false))
}
