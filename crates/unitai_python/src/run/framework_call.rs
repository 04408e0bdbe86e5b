//! A model call as a framework makes it. Traffic is the better witness; where there was none (a fake, a local model, a
//! protocol that UnitAI cannot read), the call becomes a step with what the framework reports.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use unitai_model::Usage;

use super::Run;
use crate::agents::agent_here;
use crate::context::ContextStack;

/// The calls that the current context works for. A model may be a wrapper around others: only the innermost is a step.
static CALLS: ContextStack = ContextStack::new("unitai_framework_calls");

/// One model call of a framework, from its beginning until `end`.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct FrameworkCall {
    run: Py<Run>,
    /// How many requests of the run had been seen outside of any such call when this one began.
    unattributed: usize,
    state: Mutex<State>,
}

#[derive(Clone, Copy)]
enum State {
    /// Nothing shows it so far.
    Unseen,
    /// A request was seen, or a model inside of this one has a step of its own.
    RecordedElsewhere,
    /// It is a step, whose answer is still coming.
    Begun(usize),
    /// It is over.
    Ended,
}

#[pymethods]
impl FrameworkCall {
    #[new]
    fn new(run: &Bound<'_, Run>) -> FrameworkCall {
        let unattributed = run.get().unattributed_calls.load(Ordering::Relaxed);
        FrameworkCall { run: run.clone().unbind(), unattributed, state: Mutex::new(State::Unseen) }
    }

    /// From here on, model calls of the current context belong to this one.
    fn enter(slf: &Bound<'_, Self>) -> PyResult<()> {
        CALLS.enter(slf.as_any()).map(|_| ())
    }

    /// What the current context does next is not part of this call.
    fn leave(slf: &Bound<'_, Self>) -> PyResult<()> {
        CALLS.leave(slf.as_any())
    }

    /// The first piece of an answer is here. What the framework does with it comes after this call in the record.
    fn begin(&self, py: Python<'_>, model: &str) -> PyResult<()> {
        let state = *self.state();
        if matches!(state, State::Unseen) {
            self.write(py, model)?;
        }
        Ok(())
    }

    /// The call is over. It becomes a step unless it is in the record already. To be called outside of it.
    #[pyo3(signature = (model, usage, cost=None))]
    fn end(&self, py: Python<'_>, model: &str, usage: Option<(u64, u64)>, cost: Option<f64>) -> PyResult<()> {
        let usage = usage.map(|(prompt, completion)| Usage::of(prompt, completion));
        let state = *self.state();
        if matches!(state, State::Unseen) {
            self.write(py, model)?;
        }
        let state = std::mem::replace(&mut *self.state(), State::Ended);
        if let State::Begun(step) = state {
            self.run.get().end_model_call(py, step, model, usage, cost)
        } else {
            Ok(())
        }
    }
}

impl FrameworkCall {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request or a model inside of it is in the record. Once it is a step itself, it stays one.
    fn is_recorded_elsewhere(&self) {
        let mut state = self.state();
        if let State::Unseen = *state {
            *state = State::RecordedElsewhere;
        }
    }

    /// Makes it a step, unless somebody else is the witness.
    fn write(&self, py: Python<'_>, model: &str) -> PyResult<()> {
        let run = self.run.get();
        // A client that sends its requests from a thread without our context: some request came meanwhile, and this
        // call is the likeliest to have sent it. To count it twice would be worse than to leave a parallel one out.
        let came_meanwhile = run.unattributed_calls.load(Ordering::Relaxed) != self.unattributed;
        let state = if came_meanwhile || run.is_over() || run.is_cut_off() {
            State::RecordedElsewhere
        } else {
            run.attribute_to_framework(py)?;
            State::Begun(run.write_model_call(py, model, agent_here(py)?.as_deref())?)
        };
        *self.state() = state;
        Ok(())
    }
}

impl Run {
    /// A model call is in the record that was seen on the wire, or that an agent reports.
    pub(super) fn attribute_model_call(&self, py: Python<'_>) -> PyResult<()> {
        if !self.attribute_to_framework(py)? {
            self.unattributed_calls.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The calls of frameworks around a recorded one need no steps of their own. Gives whether there are any.
    fn attribute_to_framework(&self, py: Python<'_>) -> PyResult<bool> {
        let mut is_attributed = false;
        for call in CALLS.here(py)? {
            let Ok(call) = call.cast::<FrameworkCall>() else { continue };
            let call = call.get();
            if std::ptr::eq(call.run.get(), self) {
                call.is_recorded_elsewhere();
                is_attributed = true;
            }
        }
        Ok(is_attributed)
    }
}
